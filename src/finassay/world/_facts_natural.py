"""Which days of a share are natural: facts leave out special treatment that was planted, and what led to it."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._calendar import sessions
from finassay.world._config import START
from finassay.world._events import Alert, Event, EventType, Origin

if TYPE_CHECKING:
    import numpy.typing as npt

    from finassay.world._blocks._prices import Quotes
    from finassay.world._world import World

_LED_TO = timedelta(days=850)  # nine quarters of bad results come before a planted *ST
_AROUND = timedelta(days=30)


class Natural:
    """The spans of companies in which what is planted shows.

    Parameters
    ----------
    world : World
        The world; only its ledger is read.
    """

    def __init__(self, world: World) -> None:
        ends = {e.supersedes: e.valid_from for e in world.ledger.of(EventType.ST_OFF)}
        ends |= {
            cause: e.valid_from
            for e in world.ledger.of(EventType.DELIST_PERIOD, EventType.DELIST)
            for cause in e.cause_ids
        }
        gone = {e.entity: e.valid_from for e in world.ledger.of(EventType.DELIST)}
        self.spans: dict[int, list[tuple[date, date]]] = {}
        for event in world.ledger.of(EventType.ST_ON):
            if event.origin is not Origin.SEEDED:
                continue
            assert isinstance(event.payload, Alert)  # noqa: S101 - by its type
            grave = event.payload.kind == 5
            low = event.disclosed_at.date() - (_LED_TO if grave else _AROUND)
            end = ends.get(event.event_id, date.max - _AROUND)
            high = gone.get(event.entity, end) if grave else end
            self.spans.setdefault(event.entity, []).append((low, high + _AROUND))

    def day(self, entity: int, day: date) -> bool:
        """Whether nothing planted shows in a company on a day."""
        return not any(low <= day <= high for low, high in self.spans.get(entity, ()))

    def events(self, events: list[Event]) -> list[Event]:
        """Return those that were drawn, of companies in which nothing planted shows on the day they hold."""
        return [e for e in events if e.origin is Origin.NATURAL and self.day(e.entity, e.valid_from)]

    def rows(self, quotes: Quotes) -> npt.NDArray[np.bool_]:
        """Return the rows of quotes, ordered by share and session, in which nothing planted shows."""
        kept = np.ones(quotes.entity.size, dtype=bool)
        key = (quotes.entity.astype(np.int64) << 20) | quotes.session
        at = sessions().at_or_after
        for entity, spans in self.spans.items():
            for low, high in spans:
                ends = [(entity << 20) | at(max(day, START)) for day in (low, high)]
                first, last = np.searchsorted(key, ends)
                kept[first:last] = False
        return kept
