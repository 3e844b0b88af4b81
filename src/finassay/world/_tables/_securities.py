"""secumain, lc_liststatus, cs_riskalert, lc_suspendresumption."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from finassay.world._events import Alert, Event, EventType, Halt, Index
from finassay.world._tables._funds_profile import fund_securities
from finassay.world._tables._view import Row, View

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

_CHANGES = {EventType.LIST: 1, EventType.DELIST: 4, EventType.DELIST_PERIOD: 6}
_ARRANGEMENT = 9


def secumain(view: View) -> pa.Table:
    """Shares, indices and funds; name and listing state are those of the snapshot."""
    return view.table("secumain", [*_shares(view), *_indices(view), *fund_securities(view)])


def _shares(view: View) -> Iterator[Row]:
    gone = {event.entity: event for event in view.ledger.of(EventType.DELIST)}
    for event in view.securities.values():
        who = view.security(event.entity)
        end = gone.get(event.entity)
        ended = end is not None and end.valid_from <= view.snapshot
        listed = 1 if event.valid_from <= view.snapshot else None
        name = view.names.get(event.entity, who.abbreviation)
        values = {
            "INNERCODE": who.inner,
            "COMPANYCODE": who.company,
            "SECUCODE": who.code,
            "CHINAME": who.name,
            "CHINAMEABBR": name,
            "SECUABBR": name,
            "ENGNAME": who.english,
            "SECUMARKET": who.market,
            "SECUCATEGORY": 1,
            "LISTEDDATE": event.valid_from,
            "LISTEDSECTOR": who.board,
            "LISTEDSTATE": 5 if ended else listed,
        }
        yield Row(event, values, (end,) if end else ())


def _indices(view: View) -> Iterator[Row]:
    for event in view.ledger.of(EventType.INDEX_OPEN):
        assert isinstance(event.payload, Index)  # noqa: S101 - by its type
        values = {
            "INNERCODE": event.payload.inner,
            "SECUCODE": event.payload.code,
            "CHINAME": f"{event.payload.abbreviation}指数",
            "CHINAMEABBR": event.payload.abbreviation,
            "SECUABBR": event.payload.abbreviation,
            "SECUMARKET": 83,
            "SECUCATEGORY": 4,
            "LISTEDDATE": event.valid_from,
            "LISTEDSTATE": 1,
        }
        yield Row(event, values)


def lc_liststatus(view: View) -> pa.Table:
    """One row per change of the listing."""
    rows = []
    for event in view.ledger.of(*_CHANGES):
        who = view.security(event.entity)
        values = {
            "INNERCODE": who.inner,
            "SECUMARKET": who.market,
            "CHANGEDATE": event.valid_from,
            "CHANGETYPE": _CHANGES[event.type],
        }
        rows.append(Row(event, values))
    return view.table("lc_liststatus", rows)


def cs_riskalert(view: View) -> pa.Table:
    """One row per episode; its end is written into it. The delisting arrangement is an episode too."""
    rows = []
    delisted = {event.entity: event for event in view.ledger.of(EventType.DELIST)}
    for event in view.ledger.of(EventType.ST_ON, EventType.DELIST_PERIOD):
        alert = event.payload
        kind, reason = (alert.kind, alert.reason) if isinstance(alert, Alert) else (_ARRANGEMENT, "退市整理")
        end = view.next_of(event) if isinstance(alert, Alert) else delisted.get(event.entity)
        values = {
            "INNERCODE": view.security(event.entity).inner,
            "RISKALERTTYPE": kind,
            "IFENTRYRISKALERTBOARD": 1,
            "IMPLANNOUCEDATE": event.disclosed_at.date(),
            "IMPLEMENTDATE": event.valid_from,
            "IMPLEMENTREASON": reason,
        }
        if end is not None:
            values |= {"REMOVEINFOPUBLDATE": end.disclosed_at.date(), "REMOVEDATE": end.valid_from}
        rows.append(Row(event, values, (end,) if end else ()))
    return view.table("cs_riskalert", rows)


def lc_suspendresumption(view: View) -> pa.Table:
    """One row per halt, of all boards; the resumption is written into it."""
    return view.table(
        "lc_suspendresumption", [_halt(view, event) for event in view.ledger.of(EventType.HALT)]
    )


def _halt(view: View, event: Event) -> Row:
    assert isinstance(event.payload, Halt)  # noqa: S101 - by its type
    values: dict[str, Any] = {
        "INNERCODE": view.security(event.entity).inner,
        "INFOPUBLDATE": event.disclosed_at.date(),
        "SUSPENDDATE": event.valid_from,
        "SUSPENDTIME": "09:30:00",
        "SUSPENDREASON": event.payload.reason,
    }
    end = view.next_of(event)
    if end is not None:
        values |= {
            "RESUMPTIONDATE": end.valid_from,
            "RESUMPTIONTIME": "09:30:00",
            "RESUMPTIONSTATEMENT": "复牌",
        }
    return Row(event, values, (end,) if end else ())
