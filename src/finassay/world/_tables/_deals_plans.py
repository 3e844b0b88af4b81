"""lc_transferplan: plans and promises of holders, a row per disclosure; stage and validity are those of today."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._blocks._deals_plans import BUY, DONE, KEEP, SELL, TOLD, UNDER_WAY
from finassay.world._blocks._holders import GROUP, holder_names, holder_numbers
from finassay.world._events import Event, EventType
from finassay.world._events_deals import HolderPlan
from finassay.world._tables._view import Row, View

if TYPE_CHECKING:
    import pyarrow as pa

_YES, _NO = 1, 2
_AUCTION, _BLOCK = 1, 2
_WORDS = {BUY: "增持", SELL: "减持"}
_MONTHS = 3
_PROMISE_MONTHS = 36


def lc_transferplan(view: View) -> pa.Table:
    """Return a row per version of a plan."""
    versions: dict[tuple[object, ...], list[Event]] = {}
    for event in sorted(view.ledger.of(EventType.HOLDER_PLAN), key=lambda e: (e.entity, e.disclosed_at)):
        versions.setdefault(_key(_plan(event)), []).append(event)
    told = [event for events in versions.values() for event in events]
    company = np.array([_plan(event).company - 1 for event in told], dtype=np.int64)
    place = np.array([_plan(event).holder for event in told], dtype=np.int64)
    names = holder_names(view.world.issuers, company, place).tolist()
    numbers = holder_numbers(company, place).tolist()
    rows = []
    for event, name, number in zip(told, names, numbers, strict=True):
        events = versions[_key(_plan(event))]
        later = tuple(events[events.index(event) + 1 :])
        values = {"SHNAME": name, "SHSN": number, **_values(view, event, _plan(events[-1]))}
        rows.append(Row(event, values, later))
    return view.table("lc_transferplan", rows)


def _plan(event: Event) -> HolderPlan:
    plan = event.payload
    assert isinstance(plan, HolderPlan)  # noqa: S101 - by its type
    return plan


def _key(plan: HolderPlan) -> tuple[object, ...]:
    return plan.company, plan.holder, plan.kind, plan.first


def _values(view: View, event: Event, last: HolderPlan) -> dict[str, Any]:
    plan = _plan(event)
    still = last.stage in (TOLD, UNDER_WAY) and last.end >= view.snapshot
    kept = plan.kind == KEEP and not still
    return {
        "COMPANYCODE": view.security(plan.company).company,
        "INITIALINFOPUBLDATE": plan.first,
        "INFOPUBLDATE": event.disclosed_at.date(),
        "INFOSOURCE": "招股说明书" if plan.kind == KEEP else "股东增减持公告",
        "PROMISESUBJECT": 1 if plan.holder == GROUP else 2,
        "EVENTTYPE": plan.stage,
        "IFEFFECTED": _YES if still else _NO,
        "TRANSFERPLANTYPE": plan.kind,
        "PROMISEBEGINDATE": plan.begin,
        "PROMISEENDDATE": plan.end,
        "EVENTPROCEDURE": DONE if kept else last.stage,
    } | (_promise() if plan.kind == KEEP else _trade(plan))


def _promise() -> dict[str, Any]:
    return {
        "PROMISESTATMENT": "自公司股票上市之日起三十六个月内，不转让所持有的公司首次公开发行前已发行的股份。",
        "NOTREDUCEPROMISE": float(_PROMISE_MONTHS),
    }


def _trade(plan: HolderPlan) -> dict[str, Any]:
    """Return the bounds of a plan; columns for buying and selling have the same names but for the first word."""
    word = "INCREASE" if plan.kind == BUY else "REDUCE"
    block = (plan.company * 16 + plan.holder + plan.first.toordinal()) % 5 == 0
    found: dict[str, Any] = {
        "TRADETYPE": _BLOCK if block else _AUCTION,
        "TRADETYPESTATMENT": "大宗交易" if block else "集中竞价",
        f"{word}TIME": f"自公告之日起十五个交易日后的{_MONTHS}个月内",
        f"{word}TERM": float(_MONTHS),
        f"{word}PRICESTATEMENT": "不超过价格上限" if plan.price else "按市场价格",
        f"{word}SIZE": f"{_WORDS[plan.kind]}不超过{plan.ceiling}股"
        + (f"，已{_WORDS[plan.kind]}{plan.done}股" if plan.done else ""),
        f"{word}SHARECEILING": float(plan.ceiling),
        f"{word}SHAREFLOOR": float(plan.floor),
        f"{word}RATIOCEILING": plan.ceiling / plan.capital,
        f"{word}RATIOFLOOR": plan.floor / plan.capital,
    }
    if plan.price:
        found |= {
            "INCREASEPRICECEILING": plan.price / 100,
            "INCREASEFUNDCEILING": plan.price * plan.ceiling / 100,
            "INCREASEFUNDFLOOR": plan.price * plan.floor / 100,
        }
    return found
