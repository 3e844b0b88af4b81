"""lc_merger: one row per merger by exchange of shares, filled in as its stages are announced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from finassay.world._blocks._industries import SECTORS
from finassay.world._events import Approval, Event, EventType
from finassay.world._events_company import ShareChange
from finassay.world._events_deals import Merger, MergerExchange, MergerScheme
from finassay.world._tables._view import Row, View

if TYPE_CHECKING:
    import pyarrow as pa

_APPROVED, _REJECTED = 1, 2
_WORDS = {_APPROVED: "股东大会审议通过", _REJECTED: "股东大会未通过，终止本次合并"}


def lc_merger(view: View) -> pa.Table:
    """Return a row per merger announced."""
    plans = list(view.ledger.of(EventType.MERGER_PLAN))
    shares = _changes(view)
    return view.table("lc_merger", [_row(view, plan, shares) for plan in plans])


def _changes(view: View) -> dict[int, Event]:
    """Return the changes of share capital that exchanges have brought about, by the number of the exchange."""
    exchanges = {event.event_id for event in view.ledger.of(EventType.MERGER_EXCHANGE)}
    return {
        cause: event
        for event in view.ledger.of(EventType.SHARE_CHANGE)
        for cause in event.cause_ids
        if cause in exchanges
    }


def _row(view: View, planned: Event, shares: dict[int, Event]) -> Row:
    values = _party(view, planned)
    later: list[Event] = []
    last: Event | None = planned
    while last is not None and (last := view.next_of(last)) is not None:
        later.append(last)
        values |= _stage(last)
    change = shares.get(later[-1].event_id) if later else None
    if change is not None:
        exchange = later[-1].payload
        assert isinstance(change.payload, ShareChange)  # noqa: S101 - by its type
        assert isinstance(exchange, MergerExchange)  # noqa: S101 - by its type
        later.append(change)
        values |= {
            "SHARECHANGEPUBLDATE": change.disclosed_at.date(),
            "SHARECAPITALBEFOREMERGE": float(change.payload.total - exchange.issued),
            "SHARECUSTODYDATE": exchange.end,
            "SHARELISTDATE": change.valid_from,
        }
    return Row(planned, values, tuple(later))


def _party(view: View, planned: Event) -> dict[str, Any]:
    merger = planned.payload
    assert isinstance(merger, Merger)  # noqa: S101 - by its type
    found: dict[str, Any] = {
        "COMPANYCODE": view.security(merger.company).company,
        "INITIALINFOPUBLDATE": planned.disclosed_at.date(),
        "MERGEDPARTY": merger.name,
        "FOUNDEDDATE": merger.founded,
        "REGICAPITAL": float(merger.capital),
        "MAINBUSINESSES": f"{SECTORS[merger.industry]}产品的研发、生产与销售",
        "INDUSTRY": int(f"{11 + merger.industry}0000"),
        "ENDDATE": merger.year_end,
        "TOTALASSET": merger.assets / 100,
        "SHAREHOLDEREQUITY": merger.equity / 100,
        "MAINBUSINESSINCOME": merger.revenue / 100,
        "NETPROFIT": merger.profit / 100,
    }
    if merger.other:
        other = view.security(merger.other)
        found |= {"MERGEDCOMPANYCODE": other.company, "MERGEDINNERCODE": other.inner}
    return found


def _stage(event: Event) -> dict[str, Any]:
    said, day = event.payload, event.disclosed_at.date()
    if isinstance(said, MergerScheme):
        return {
            "PRESCHEMEPUBLDATE": day,
            "MERGEBASEDATE": said.base,
            "AGREEMENTDATE": day,
            "EXCHANGERATENUMERATOR": said.ratio,
            "EXCHANGERATEDENOMINATOR": 1.0,
        }
    if isinstance(said, Approval):
        kind = _APPROVED if said.approved else _REJECTED
        return {"SMDECIPUBLDATE": day, "CHANGETYPE": kind, "CHANGESTATEMENT": _WORDS[kind]}
    assert isinstance(said, MergerExchange)  # noqa: S101 - nothing else follows
    return {
        "ANOUNCEMENTPUBLDATE": day,
        "CONTRASHARES": float(said.exchanged),
        "ISSUESHARES": float(said.issued),
        "LEGALPERSONSHARESADDED": float(said.issued),
        "EXCHANGERIGHTREGDATE": said.record_date,
        "SHAREEXCHANGEBEGINDATE": said.begin,
        "SHAREEXCHANGEENDDATE": said.end,
    }
