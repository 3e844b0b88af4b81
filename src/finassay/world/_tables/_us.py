"""The US tables whose rows are events: securities, listings, corporate actions, members, filings; and macro, curve."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._blocks._us_index import INDEX_CODE
from finassay.world._blocks._us_macro import FIRST_ENTITY, SERIES
from finassay.world._blocks._us_market import TENORS, us_window
from finassay.world._calendar import sessions
from finassay.world._events import Event, EventType
from finassay.world._events_us import UsDividend, UsFiling, UsListing, UsMember, UsSecurity, UsSplit
from finassay.world._tables._view import Row, View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

CURVE_ROWS, MACRO_ROWS, FACT_ROWS, PRICE_ROWS = 118, 119, 120, 121  # in the top byte of their row numbers
_CHANGES = {
    EventType.US_LIST: "listed",
    EventType.US_RENAME: "renamed",
    EventType.US_MOVE: "moved",
    EventType.US_DELIST: "delisted",
}


def us_numbers(view: View) -> dict[int, UsSecurity]:
    """Return the US securities that are recorded, by entity."""
    events = view.ledger.of(EventType.US_SECURITY)
    return {e.entity: e.payload for e in events if isinstance(e.payload, UsSecurity)}


def us_security(view: View) -> pa.Table:
    """One row per security; symbol, name, exchange and state are those of the snapshot."""
    last: dict[int, Event] = {}
    named: dict[int, UsListing] = {}
    for event in sorted(_changes(view), key=lambda e: (e.valid_from, e.disclosed_at)):
        if event.valid_from <= view.snapshot:
            last[event.entity] = event
            if isinstance(event.payload, UsListing) and event.payload.symbol:
                named[event.entity] = event.payload
    rows = []
    for event in view.ledger.of(EventType.US_SECURITY):
        who = event.payload
        assert isinstance(who, UsSecurity)  # noqa: S101 - by its type
        change = last.get(event.entity)
        now = named.get(event.entity, who)
        values: dict[str, Any] = {
            "security_id": who.security,
            "cik": who.cik,
            "security_type": who.kind,
            "list_date": event.valid_from,
            "symbol": now.symbol,
            "name": now.name,
            "exchange": now.exchange,
            "listing_state": None if change is None else _CHANGES[change.type],
            "sic": who.sic,
            "fiscal_year_end": None if who.year_end is None else _month_end(who.year_end),
        }
        rows.append(Row(event, values, () if change is None else (change,)))
    return view.table("us_security", rows)


def _changes(view: View) -> Iterator[Event]:
    return view.ledger.of(*_CHANGES)


def _month_end(month: int) -> str:
    last = date(2023 + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    return f"{last:%m%d}"


def us_listing_event(view: View) -> pa.Table:
    """One row per change of the listing."""
    numbers = us_numbers(view)
    rows = []
    for event in _changes(view):
        payload = event.payload
        assert isinstance(payload, UsListing)  # noqa: S101 - by its type
        values = {
            "security_id": numbers[event.entity].security,
            "event_type": _CHANGES[event.type],
            "announced_at": event.disclosed_at,
            "effective_date": event.valid_from,
            "symbol": payload.symbol or None,
            "name": payload.name or None,
            "exchange": payload.exchange or None,
            "reason": payload.reason,
        }
        rows.append(Row(event, values))
    return view.table("us_listing_event", rows)


def us_corporate_action(view: View) -> pa.Table:
    """One row per declaration, and one per withdrawal."""
    numbers = us_numbers(view)
    rows = []
    for event in view.ledger.of(EventType.US_DIVIDEND, EventType.US_SPLIT, EventType.US_CANCEL):
        payload = event.payload
        assert isinstance(payload, UsDividend | UsSplit)  # noqa: S101 - by their types
        cancelled = event.type is EventType.US_CANCEL
        declared = view.world.ledger.by_id[event.supersedes or 0] if cancelled else event
        values: dict[str, Any] = {
            "security_id": numbers[event.entity].security,
            "action_no": payload.number,
            "status": "cancelled" if cancelled else "declared",
            "announced_at": event.disclosed_at,
            "ex_date": declared.valid_from,
        }
        if isinstance(payload, UsSplit):
            values |= {"action_type": "split", "split_ratio": payload.new / payload.old}
        else:
            values |= {
                "action_type": "special" if payload.special else "cash",
                "record_date": payload.record_date,
                "pay_date": payload.pay_date,
                "cash_amount": payload.cash / 10_000,
            }
        rows.append(Row(event, values))
    return view.table("us_corporate_action", rows)


def us_index_member(view: View) -> pa.Table:
    """One row per membership; its end is written into it."""
    rows = []
    for event in view.ledger.of(EventType.US_INDEX_IN):
        assert isinstance(event.payload, UsMember)  # noqa: S101 - by its type
        end = view.next_of(event)
        values = {
            "index_code": INDEX_CODE,
            "security_id": event.payload.security,
            "announced_at": event.disclosed_at,
            "start_date": event.valid_from,
            "end_announced_at": None if end is None else end.disclosed_at,
            "end_date": None if end is None else end.valid_from,
        }
        rows.append(Row(event, values, (end,) if end else ()))
    return view.table("us_index_member", rows)


def us_filing(view: View) -> pa.Table:
    """One row per filing; an amendment is a filing of its own."""
    numbers = us_numbers(view)
    rows = []
    for event in view.ledger.of(EventType.US_FILING, EventType.US_AMENDMENT):
        payload = event.payload
        assert isinstance(payload, UsFiling)  # noqa: S101 - by its type
        values = {
            "accession": payload.accession,
            "cik": numbers[event.entity].cik,
            "form": payload.form,
            "period_end": event.valid_from,
            "fiscal_year": payload.fiscal_year,
            "fiscal_period": payload.fiscal_period,
            "filer_category": payload.category,
            "accepted_at": event.disclosed_at,
            "filed": payload.filed,
            "amends": payload.amends,
            "document_id": f"US-{payload.accession}",
        }
        rows.append(Row(event, values))
    return view.table("us_filing", rows)


def us_macro_vintage(view: View) -> pa.Table:
    """Every value of every release that is recorded."""
    vintages, known = view.world.us.macro.vintages, _recorded(view)
    keep = np.array(
        [(s, r) in known for s, r in zip(vintages.series.tolist(), vintages.release.tolist(), strict=True)],
        dtype=bool,
    )
    series, release, period = vintages.series[keep], vintages.release[keep], vintages.period[keep]
    events = [known[s, r] for s, r in zip(series.tolist(), release.tolist(), strict=True)]
    months = period.astype("datetime64[M]").astype(np.int64)
    times = np.array([e.recorded_at for e in events], dtype="datetime64[us]")
    columns = {
        "id": (np.int64(MACRO_ROWS) << 56) | (series << 40) | (release << 20) | months,
        "series": [SERIES[s].code for s in series.tolist()],
        "frequency": [4 if SERIES[s].quarterly else 3 for s in series.tolist()],
        "period_end": period.astype("datetime64[us]"),
        "released_at": np.array([e.disclosed_at for e in events], dtype="datetime64[us]"),
        "value": vintages.value[keep],
        "unit": [SERIES[s].unit for s in series.tolist()],
        "insert_time": times,
        "update_time": times,
    }
    return arrow_table(view.catalog.table("us_macro_vintage"), columns, len(events))


def _recorded(view: View) -> dict[tuple[int, int], Event]:
    return {(e.entity - FIRST_ENTITY, e.seq): e for e in view.ledger.of(EventType.MACRO_RELEASE)}


def us_yield_curve(view: View) -> pa.Table:
    """Par yields of every session up to the snapshot, written on its evening."""
    calendar, (first, _) = sessions("XNYS"), us_window()
    days = calendar.at_or_after(view.snapshot + timedelta(days=1)) - first
    par = view.world.us.curve.par[:days]
    day = np.repeat(np.arange(first, first + days), len(TENORS))
    dates = calendar.array[day].astype("datetime64[us]")
    written = evening(dates)
    place = np.tile(np.arange(len(TENORS)), days)
    columns = {
        "id": (np.int64(CURVE_ROWS) << 56) | (day << 32) | place,
        "curve_day": dates,
        "tenor_years": np.round(np.array(TENORS), 4)[place],
        "par_yield": par.reshape(-1),
        "insert_time": written,
        "update_time": written,
    }
    return arrow_table(view.catalog.table("us_yield_curve"), columns, day.size)


def evening(days: Any) -> Any:
    """Return half past six on each of some days, when the vendor writes daily rows."""
    return days.astype("datetime64[us]") + np.timedelta64(18 * 60 + 30, "m")
