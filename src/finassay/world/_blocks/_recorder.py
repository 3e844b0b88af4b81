"""Writes the events of one entity: numbers them, and draws when the vendor recorded them (world.md, 1)."""

from __future__ import annotations

import contextlib
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from finassay.world._events import Event, EventType, Origin, Payload, Touch
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

AFTER_CLOSE = time(17, 30)
MORNING = time(8, 30)
_DRAWN = 32  # times at once


class Recorder:
    """Collects the events of an entity, in the order they are told.

    The vendor's batch runs at night: 85% of events are in it on the day of disclosure, 12% one to three days later,
    3% up to twenty days later.
    """

    def __init__(self, seed: int, entity: int) -> None:
        self.entity = entity
        self.events: list[Event] = []
        self.root: Event | None = None
        self._next: dict[EventType, int] = {}
        self._rng = stream(seed, Purpose.VENDOR, entity)
        self._ready: list[list[float]] = []
        self._planting: np.random.Generator | None = None

    def _drawn(self) -> list[float]:
        """Draw the next three: many at a time, which are the same and cost a tenth."""
        if not self._ready:
            self._ready = self._rng.random((_DRAWN, 3)).tolist()[::-1]
        return self._ready.pop()

    @contextlib.contextmanager
    def planting(self, rng: np.random.Generator) -> Iterator[None]:
        """Mark what is told in the block as planted; its lags come of `rng`, so natural events keep theirs."""
        self._planting = rng
        try:
            yield
        finally:
            self._planting = None

    def tell(
        self,
        kind: EventType,
        payload: Payload,
        *,
        valid: date,
        disclosed: date,
        at: time = AFTER_CLOSE,
        supersedes: Event | None = None,
        causes: tuple[Event, ...] = (),
        prompt: bool = False,
        valid_to: date | None = None,
    ) -> Event:
        """Append an event: `prompt`, in the batch of its day. One without causes comes of the entity's first."""
        if not causes and supersedes is None and self.root is not None:
            causes = (self.root,)
        lag, spread, second = self._drawn() if self._planting is None else self._planting.random(3)
        days = 0 if prompt or lag < 0.85 else 1 + int(spread * 3) if lag < 0.97 else 4 + int(spread * 17)
        night = datetime.combine(disclosed, time(20)) + timedelta(days=days, seconds=int(second * 14_000))
        event = Event(
            kind,
            self.entity,
            self._next.get(kind, 0),
            valid,
            datetime.combine(disclosed, at),
            night,
            payload,
            valid_to=valid_to,
            supersedes=None if supersedes is None else supersedes.event_id,
            cause_ids=tuple(cause.event_id for cause in causes),
            origin=Origin.NATURAL if self._planting is None else Origin.SEEDED,
        )
        self._next[kind] = event.seq + 1
        self.root = self.root or event
        self.events.append(event)
        return event

    def touch(self, event: Event, when: datetime) -> None:
        """Append a touch of an event's row by the vendor: recording time only."""
        self.events.append(
            Event(
                EventType.VENDOR_TOUCH,
                self.entity,
                self._next.get(EventType.VENDOR_TOUCH, 0),
                event.valid_from,
                event.disclosed_at,
                max(when, event.recorded_at),
                Touch(event.event_id, reload=False),
                supersedes=event.event_id,
                origin=Origin.BULK,
            )
        )
        self._next[EventType.VENDOR_TOUCH] = self._next.get(EventType.VENDOR_TOUCH, 0) + 1
