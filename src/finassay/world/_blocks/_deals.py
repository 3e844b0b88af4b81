"""Deals of all companies, told once their reports, capital and prices are: plans of holders, mergers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._blocks._deals_mergers import merger_events
from finassay.world._blocks._deals_plans import plan_events
from finassay.world._blocks._recorder import Recorder
from finassay.world._blocks._vendor import touch_rows
from finassay.world._events import EventType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from finassay.world._blocks._prices import Quotes
    from finassay.world._blocks._statements import Statements
    from finassay.world._blocks._universe import Issuer
    from finassay.world._events import Event

FIRST_ENTITY = 0xD00000  # and the company's own number
_ROWS = (EventType.HOLDER_PLAN, EventType.MERGER_PLAN)


def deal_events(
    seed: int, issuers: Sequence[Issuer], statements: Statements, quotes: Quotes, events: list[Event]
) -> list[Event]:
    """Return the deals of the companies, of entities of their own.

    Placements among `events` that a merger is behind are replaced in their places: they get it as a cause.
    """
    recorders = {issuer.entity: Recorder(seed, FIRST_ENTITY + issuer.entity) for issuer in issuers}
    plan_events(seed, issuers, statements, quotes, events, recorders)
    merger_events(seed, issuers, quotes, events, recorders)
    for recorder in recorders.values():
        touch_rows(seed, recorder.entity, recorder, _ROWS)
    return [event for recorder in recorders.values() for event in recorder.events]
