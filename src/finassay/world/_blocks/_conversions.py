"""Convertibles beside the shares they turn into: told with the companies of a block, so that capital follows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._blocks._bonds_credit import stock_of
from finassay.world._blocks._bonds_life import CONVERTED
from finassay.world._blocks._convertibles import Share, convertible_events
from finassay.world._blocks._convertibles_quotes import stock_rows
from finassay.world._blocks._shares import Conversion
from finassay.world._events import EventType
from finassay.world._events_bonds import Amount, ConvertPrice

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from finassay.world._blocks._prices import Quotes
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._universe import Issuer
    from finassay.world._events import Event

_YUAN = 1_000_000  # fen of ten thousand yuan


def convertibles_of(
    seed: int,
    issuers: tuple[Issuer, ...],
    recorders: list[Recorder],
    quotes: Quotes,
    offers: Mapping[int, tuple[int, date]],
) -> list[list[Event]]:
    """Return the events of each company's convertible, once its dividends are told; none for most."""
    found: list[list[Event]] = []
    for issuer, recorder in zip(issuers, recorders, strict=True):
        offer = offers.get(issuer.entity)
        share = None if offer is None else _share(quotes, issuer, *offer, recorder.events)
        found.append([] if share is None else convertible_events(seed, share))
    return found


def conversions(events: list[Event]) -> list[Conversion]:
    """Return what of a convertible became shares: the fall of its balance over the price in force, rounded down."""
    prices = sorted(
        (e.valid_from, e.seq, e.payload.price) for e in events if isinstance(e.payload, ConvertPrice)
    )
    found = []
    for event in events:
        if not isinstance(event.payload, Amount) or event.payload.reason != CONVERTED:
            continue
        price = [p for day, _, p in prices if day <= event.valid_from][-1]
        shares = -event.payload.change * _YUAN // price
        if shares > 0:
            found.append(Conversion(event, shares, price))
    return found


def _share(quotes: Quotes, issuer: Issuer, place: int, announced: date, events: list[Event]) -> Share:
    """Return the share of a convertible: quotes, ex-rights with their plans, and its end."""
    rows = stock_rows(quotes, issuer.entity)
    by_id = {event.event_id: event for event in events}
    rights = []
    for event in events:
        if event.type is EventType.DIVIDEND_IMPLEMENTED:
            decided = by_id[event.supersedes or 0]
            rights.append((event, by_id[decided.supersedes or 0]))
        elif event.type is EventType.RIGHTS_ISSUE:
            rights.append((event, event))
    ends = [event for event in events if event.type in (EventType.DELIST, EventType.DELIST_PERIOD)]
    return Share(
        issuer,
        place,
        announced,
        quotes.session[rows],
        quotes.close[rows],
        quotes.traded[rows],
        quotes.shares[rows],
        tuple(rights),
        min(ends, key=lambda event: event.valid_from) if ends else None,
        stock_of(quotes, issuer.entity, events),
    )
