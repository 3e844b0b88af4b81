"""Managers, classes, benchmarks, targets, fees and dealing of funds; the end of a row is written into it."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from finassay.world._events import EventType
from finassay.world._events_funds import (
    FundBenchmark,
    FundDealing,
    FundFee,
    FundKind,
    FundManager,
    FundTarget,
)
from finassay.world._tables._funds_view import FundIndex, end_of, parts
from finassay.world._tables._view import Row, View, arrow_table, vendor_times

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

_STANDARD = 75
_PURCHASE = {1: "开放申购", 2: "限制大额申购", 3: "暂停申购"}
_STANDARD_DAY = date(2004, 1, 5)


def mf_fundmanagernew(view: View) -> pa.Table:
    """Return one row per tenure and share class; the departure is written into it."""
    return view.table("mf_fundmanagernew", _managers(view))


def _managers(view: View) -> Iterator[Row]:
    for part in parts(view, EventType.MANAGER_IN):
        manager, after = part.event.payload, part.after
        assert isinstance(manager, FundManager)  # noqa: S101 - by its type
        end = None if after is None else after.valid_from
        days = ((end if end and end <= view.snapshot else view.snapshot) - part.first).days
        values = {
            "INFOPUBLDATE": part.told_at,
            "PERSONALCODE": manager.code,
            "NAME": manager.name,
            "POSTNAME": 1,
            "ACCESSIONDATE": part.first,
            "DIMISSIONDATE": end,
            "MANAGEMENTTIME": max(0, days),
            "SERIALNUMBER": manager.number,
        }
        row = part.row(values, after)
        yield Row(row.event, {k: v for k, v in row.values.items() if k != "INSERTTIME"}, row.later)


def mf_jyfundtype(view: View) -> pa.Table:
    """Return the vendor's classes; a late recorded successor ends its predecessor on the day after."""
    rows, index = [], FundIndex(view)
    names = [view.catalog.code_lists[f"fund_class_{level}"] for level in (1, 2, 3)]
    for part in parts(view, EventType.FUND_KIND, index):
        payload = part.event.payload
        assert isinstance(payload, FundKind)  # noqa: S101 - by its type
        third = payload.third
        values: dict[str, Any] = {
            "STANDARD": _STANDARD,
            "EFFECTIVEDATE": part.first,
            "CANCELDATE": end_of(part.after, recorded=True),
            "TRANSCODE": index.fund(part.event.entity).trans,
        }
        for prefix, code, list_ in zip(
            ("FIRST", "SEC", "THIRD"), (third // 10_000, third // 100, third), names, strict=True
        ):
            values[f"{prefix}ASSETCATCODE"] = code
            values[f"{prefix}ASSETCATNAME"] = list_[str(code)].zh
        rows.append(part.row(values, part.after))
    return view.table("mf_jyfundtype", rows)


def mf_fundtype(view: View) -> pa.Table:
    """Return the classes that the vendor's standard knows; none has changed."""
    spec = view.catalog.table("mf_fundtype")
    written = datetime.combine(_STANDARD_DAY, datetime.min.time()) + timedelta(hours=20)
    rows = []
    for level in (1, 2, 3):
        for code, meaning in view.catalog.code_lists[f"fund_class_{level}"].items():
            number = (93 << 56) | int(code)
            rows.append(
                {
                    "ID": number,
                    "STANDARD": _STANDARD,
                    "INFOPUBLDATE": _STANDARD_DAY,
                    "EFFECTIVEDATE": _STANDARD_DAY + timedelta(days=1),
                    "IFEFFECTED": 1,
                    "FUNDTYPENAME": meaning.zh,
                    "FUNDTYPECODE": int(code),
                    "PARENTFUNDTYPECODE": int(code) // 100 if level > 1 else None,
                    "STANDARDLEVEL": level,
                    **vendor_times(spec, written, written, number),
                }
            )
    return arrow_table(spec, {name: [row[name] for row in rows] for name in rows[0]}, len(rows))


def mf_benchmarkallocation(view: View) -> pa.Table:
    """Return the legs of benchmarks."""
    index, rows = FundIndex(view), []
    for part in parts(view, EventType.FUND_BENCHMARK, index):
        payload = part.event.payload
        assert isinstance(payload, FundBenchmark)  # noqa: S101 - by its type
        for number, (leg, weight) in enumerate(payload.legs, start=1):
            own = {
                # Eight legs fit beside the number of the event
                "ID": part.number + (number << 24),
                "TRANSCODE": index.fund(part.event.entity).trans,
                "INFOPUBLDATE": part.told,
                "EXCUTEDATE": part.first,
                "CANCELDATE": end_of(part.after),
                "TRACEDINDEXCODE": leg,
                "MINIMUMWEIGHT": weight / 100,
                "TOPWEIGHT": weight / 100,
                "SERIALNUMBER": number,
            }
            rows.append(part.row(own, part.after))
    return view.table("mf_benchmarkallocation", rows)


def mf_investtargetcriterion(view: View) -> pa.Table:
    """Return the indices that index funds track."""
    index, rows = FundIndex(view), []
    for part in parts(view, EventType.FUND_TARGET, index):
        payload = part.event.payload
        assert isinstance(payload, FundTarget)  # noqa: S101 - by its type
        values: dict[str, Any] = {
            "INFOPUBLDATE": part.told,
            "EXECUTEDATE": part.first,
            "CANCELDATE": end_of(part.after),
            "INVESTTARGET": "标的指数",
            "TRACEDINDEXCODE": payload.index,
            "MINIMUMINVESTRATIO": 0.9,
            "TRANSCODE": index.fund(part.event.entity).trans,
        }
        rows.append(part.row(values, part.after))
    return view.table("mf_investtargetcriterion", rows)


def mf_chargeratenew(view: View) -> pa.Table:
    """Return the fees, in percent."""
    index, rows = FundIndex(view), []
    for part in parts(view, EventType.FUND_FEE, index):
        payload = part.event.payload
        assert isinstance(payload, FundFee)  # noqa: S101 - by its type
        values: dict[str, Any] = {
            "INFOPUBLDATE": part.told,
            "EXCUTEDATE": part.first,
            "CANCELDATE": end_of(part.after),
            "CHARGERATETYPE": payload.kind,
            "CLIENTTYPE": 0,
            "SHIFTINTARGET": 0,
            "CHARGERATEDIV": 1,
            "MINCHARGERATE": payload.rate / 100,
            "MAXCHARGERATE": payload.rate / 100,
            "CHARGERATEUNIT": 1,
            "TRANSCODE": index.fund(part.event.entity & ~3).trans,
        }
        rows.append(part.row(values, part.after))
    return view.table("mf_chargeratenew", rows)


def mf_purchaseandredeem(view: View) -> pa.Table:
    """Return the states of dealing; the time of insertion stands for their disclosure.

    A class that opens later is told of the last state before it alone.
    """
    rows: dict[tuple[int, date], Row] = {}
    for part in parts(view, EventType.FUND_DEALING):
        state = part.event.payload
        assert isinstance(state, FundDealing)  # noqa: S101 - by its type
        values = {
            "ENDDATE": part.first,
            "APPLYINGTYPE": _PURCHASE[state.purchase],
            "REDEEMTYPE": "开放赎回" if state.redeemable else "暂停赎回",
            "LARGEAPPLYINGMAX": float(state.cap) if state.cap else None,
        }
        rows[part.opened.entity, part.first] = part.row(values)
    return view.table("mf_purchaseandredeem", list(rows.values()))
