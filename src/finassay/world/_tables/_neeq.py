"""The NEEQ's tables: securities, quotes, dividends, industries, ratios."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._periods import ENDS, quarter_of
from finassay.world._blocks._reports import CORRECTED
from finassay.world._blocks._shares import capital_on
from finassay.world._calendar import sessions
from finassay.world._events import Approval, Event, EventType, Implementation, Industry, Plan
from finassay.world._events_company import Report, Restatement
from finassay.world._events_neeq import NeeqShare
from finassay.world._tables._quotes import daily_columns
from finassay.world._tables._ratios import RULES
from finassay.world._tables._statement_context import Context
from finassay.world._tables._statement_ratios import bounded
from finassay.world._tables._statement_rows import Rows, filed, vendor_columns, vendor_seconds
from finassay.world._tables._view import Row, View, arrow_table, day_after

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    import pyarrow as pa

    from finassay.world._blocks._versions import Versions


Array = npt.NDArray[Any]
_NEEQ, _SHARE, _MARKET = 3, 11, 81
_CALLS_FROM = np.datetime64("2018-01-15")
_AGREED, _MADE, _CALLED = 1, 2, 3
_SLOTS = 4  # bits of a row's number for its place in the filing
_PART = 100_000


def nq_secumain(view: View) -> pa.Table:
    """One row per share; the listing state is that of the snapshot."""
    gone = {event.entity: event for event in view.ledger.of(EventType.NEEQ_DELIST)}
    rows = []
    for event in view.ledger.of(EventType.NEEQ_SECURITY):
        who, end = _share(event), gone.get(event.entity)
        ended = end is not None and end.valid_from <= view.snapshot
        listed = 1 if event.valid_from <= view.snapshot else None
        values = {
            "INNERCODE": who.inner,
            "COMPANYCODE": who.company,
            "SECUCODE": who.code,
            "CHINAME": who.name,
            "CHINAMEABBR": who.abbreviation,
            "ENGNAME": who.english,
            "SECUABBR": who.abbreviation,
            "SECUMARKET": _MARKET,
            "SECUCATEGORY": _SHARE,
            "LISTEDDATE": event.valid_from,
            "LISTEDSECTOR": _NEEQ,
            "LISTEDSTATE": 5 if ended else listed,
        }
        rows.append(Row(event, values, (end,) if end else ()))
    return view.table("nq_secumain", rows)


def nq_exgindustry(view: View) -> pa.Table:
    """One row per classification; its end is written into it."""
    shares, rows = _shares(view), []
    for event in view.ledger.of(EventType.NEEQ_INDUSTRY):
        successor = view.next_of(event)
        assert isinstance(event.payload, Industry)  # noqa: S101 - by its type
        values: dict[str, Any] = {
            "COMPANYCODE": shares[event.entity].company,
            "INFOPUBLDATE": event.disclosed_at.date(),
            "INDUSTRYSTD": event.payload.standard,
            "EFFECTIVEDATE": event.valid_from,
            "UNEFFECTDATE": None if successor is None else _end(successor),
        }
        for level, code, name in zip(
            ("FIRST", "SECON", "THIRD"), event.payload.codes, event.payload.names, strict=True
        ):
            values |= {f"{level}INDUSTRYCD": code, f"{level}INDUSTRYNM": name}
        rows.append(Row(event, values, (successor,) if successor else ()))
    return view.table("nq_exgindustry", rows)


def _end(successor: Event) -> date:
    """Invariant W2: the end is dated after the day it became public, the earliest day that allows."""
    return max(successor.valid_from, day_after(successor.disclosed_at.date()))


def nq_dividend(view: View) -> pa.Table:
    """Plan, decision and implementation, a row each."""
    rows = [row for plan in view.ledger.of(EventType.NEEQ_PLAN) for row in _stages(view, plan)]
    return view.table("nq_dividend", _with_base(view, rows))


def _stages(view: View, planned: Event) -> Iterator[Row]:
    plan, who = planned.payload, _shares(view)[planned.entity]
    assert isinstance(plan, Plan)  # noqa: S101 - by its type
    values: dict[str, Any] = {
        "INNERCODE": who.inner,
        "COMPANYCODE": who.company,
        "ENDDATE": plan.period_end,
        "ITEMSSN": 1,
        "IFDIVIDEND": 1,
        "ADVANCEDATE": planned.disclosed_at.date(),
        "BONUSSHARERATIO": float(plan.bonus),
        "TRANADDSHARERTO": 0.0,
        "CASHDIVPRETAX": plan.cash / 100,
        "QFIICASHDIVIDEND": plan.cash * 9 / 1000,  # a tenth is withheld
    }
    event: Event | None = planned
    while event is not None:
        said, day = event.payload, event.disclosed_at.date()
        stage = 1 if isinstance(said, Plan) else 3
        if isinstance(said, Approval):
            stage = 2 if said.approved else 4
            values |= {"SMDECIPUBLDATE": day, "IFDIVIDEND": 1 if said.approved else 2}
        if isinstance(said, Implementation):
            values |= {
                "RIGHTREGDATE": said.record_date,
                "EXDIVDATE": event.valid_from,
                "TOACCOUNTDATE": said.pay_date,
            }
            if plan.bonus:
                values |= {"BONUSSHAREARRDT": event.valid_from, "BONUSSHARELISTD": event.valid_from}
        yield Row(event, {**values, "INFOPUBLDATE": day, "EVENTPROCEDURE": stage})
        event = view.next_of(event)


def _with_base(view: View, rows: list[Row]) -> list[Row]:
    """Add the shares entitled: those of the record day, before it is known those of the day of disclosure."""
    at = sessions().at_or_after
    entity = np.array([row.event.entity for row in rows], dtype=np.int64)
    days = [row.values.get("RIGHTREGDATE", row.values["INFOPUBLDATE"]) for row in rows]
    total, _ = capital_on(
        view.ledger.of(EventType.NEEQ_CAPITAL), entity, np.array([at(day) for day in days], dtype=np.int64)
    )
    return [
        Row(
            row.event,
            {
                **row.values,
                "DIVIDENDBASE": shares,
                "TOTALCASHDIVI": row.values["CASHDIVPRETAX"] * shares / 10,
            },
        )
        for row, shares in zip(rows, total.tolist(), strict=True)
    ]


def nq_dailyquote(view: View) -> Iterator[pa.Table]:
    """Yield quotes of the days with a trade."""
    members, whole = view.world.neeq.members, view.world.neeq.quotes
    entities = np.array([who.share.entity for who in members], dtype=np.int64)
    inner = np.array([who.share.inner for who in members], dtype=np.int64)
    maker = np.array([who.maker for who in members])
    seen = whole.take(sessions().array[whole.session] <= np.datetime64(view.snapshot))
    spec = view.catalog.table("nq_dailyquote")
    yield arrow_table(spec, {}, 0)
    for start in range(0, seen.entity.size, _PART):
        q = seen.take(slice(start, start + _PART))
        place = np.searchsorted(entities, q.entity)
        called = sessions().array[q.session] >= _CALLS_FROM
        columns = {
            "INNERCODE": inner[place],
            "CLOSEPRICE": q.close / 100,
            "CHANGEOFPRICE": (q.close - q.previous) / 100,
            "CHANGEPCT": (q.close / q.previous - 1.0) * 100,
            "TURNOVERVOLUME": q.volume,
            "TURNOVERVALUE": q.value / 100,
            "TURNOVERDEALS": q.volume // 1500 + 1,
            "TRANSTYPE": np.where(maker[place], _MADE, np.where(called, _CALLED, _AGREED)),
            "PREVCLOSEPRICE": q.previous / 100,
            "OPENPRICE": q.open / 100,
            "HIGHPRICE": q.high / 100,
            "LOWPRICE": q.low / 100,
            **daily_columns(view, "nq_dailyquote", q.entity, q.session),
        }
        yield arrow_table(spec, columns, q.entity.size)


def nq_mainindexnew(view: View) -> Iterator[pa.Table]:
    """Yield ratios: a row when a period is first shown, and one more for each filing that restates it."""
    neeq, spec = view.world.neeq, view.catalog.table("nq_mainindexnew")
    yield arrow_table(spec, {}, 0)
    stay = {who.share.entity: who.share.entity for who in neeq.members if who.later is None}
    move = {who.share.entity: who.later.entity for who in neeq.members if who.later is not None}
    own = view.world.versions(neeq.statements, EventType.NEEQ_RESTATEMENT)
    for source, versions in ((stay, own), (move, filed(view).versions)):
        rows = _shown(view, source, versions)
        companies = {who.share.entity: who.share.company for who in neeq.members}
        for part in rows.parts():
            entity = part.number >> 32 & 0xFFFFFF
            context = Context(versions, part.company, part.period, part.known)
            columns = {
                name: bounded(RULES[name](context), meaning)
                for name, meaning in spec.columns.items()
                if name in RULES
            }
            columns |= {
                "ID": part.number,
                "COMPANYCODE": np.array([companies[e] for e in entity.tolist()], dtype=np.int64),
                "ENDDATE": ENDS[part.period].astype("datetime64[us]"),
                "MARK": np.ones_like(part.number),
                **vendor_columns(view, "nq_mainindexnew", part.number, part.inserted, part.touched),
            }
            yield arrow_table(spec, columns, part.number.size)


def _shown(view: View, source: dict[int, int], versions: Versions) -> Rows:
    """Return the rows of the companies of a source: by share on the NEEQ, the share whose statements they are.

    A filing begins a row for a period that none showed before, and for one that it restates; a correction and the
    report that follows it say the same, once.
    """
    place = {int(entity): n for n, entity in enumerate(versions.statements.entity)}
    changes = {
        (event.entity, quarter_of(event.payload.until)): quarter_of(event.payload.first)
        for event in view.ledger.of(EventType.NEEQ_RESTATEMENT)
        if isinstance(event.payload, Restatement)
    }
    reports = [event for event in view.ledger.of(EventType.NEEQ_REPORT) if event.entity in source]
    reports.sort(key=lambda e: (e.entity, e.disclosed_at.date(), e.seq))
    seen: set[tuple[int, ...]] = set()
    found = []
    for event in reports:
        report = event.payload
        assert isinstance(report, Report)  # noqa: S101 - by its type
        known = _known(view, event, report)
        second = int(np.datetime64(event.recorded_at, "s").astype(np.int64))
        number = int(event.type) << 56 | event.entity << 32 | event.seq << _SLOTS
        for slot, figures in enumerate(report.shown):
            period = quarter_of(figures.period_end)
            first, again = (event.entity, period), (event.entity, period, known)
            restated = changes.get((event.entity, known), known) <= period < known and again not in seen
            if first not in seen or restated:
                seen |= {first, again} if restated else {first}
                found.append((place[source[event.entity]], period, known, report.form, second, number | slot))
    found.sort(key=lambda row: (row[0], row[5]))
    company, period_, known_, form, second_, number_ = np.array(found, dtype=np.int64).reshape(-1, 6).T
    inserted = second_.astype("datetime64[s]")
    _, touched = vendor_seconds(view, number_, second_)
    nothing = np.zeros_like(form)
    day = inserted.astype("datetime64[D]")
    return Rows(company, period_, known_, form, nothing, day, inserted, touched, number_, nothing)


def _known(view: View, event: Event, report: Report) -> int:
    """Return the quarter of the report up to which a filing knows of restatements."""
    if report.form == CORRECTED:
        change = view.world.ledger.by_id[event.cause_ids[0]].payload
        assert isinstance(change, Restatement)  # noqa: S101 - a correction comes of one
        return quarter_of(change.until)
    return quarter_of(report.period_end)


def _share(event: Event) -> NeeqShare:
    assert isinstance(event.payload, NeeqShare)  # noqa: S101 - by its type
    return event.payload


def _shares(view: View) -> dict[int, NeeqShare]:
    return {event.entity: _share(event) for event in view.ledger.of(EventType.NEEQ_SECURITY)}


NEEQ_TABLES: dict[str, Callable[[View], pa.Table | Iterator[pa.Table]]] = {
    "nq_secumain": nq_secumain,
    "nq_dailyquote": nq_dailyquote,
    "nq_dividend": nq_dividend,
    "nq_exgindustry": nq_exgindustry,
    "nq_mainindexnew": nq_mainindexnew,
}
