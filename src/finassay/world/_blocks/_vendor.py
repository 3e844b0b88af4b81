"""The vendor's own doings: rows touched at random, and two mass reloads of old rows (world.md, 1)."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._draws import uniform
from finassay.world._events import Event, EventType, Origin, Touch
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._recorder import Recorder

TOUCHED = 0.15  # of rows, once, within two years (assumed)
RELOADED = 0.04  # of rows older than three years, at each of two reloads: 8% in all (assumed)
_OLD = timedelta(days=3 * 365)
_FIRST = datetime.fromisoformat("2020-03-14T02:10:00")
# Rows begin with these. The listing is left out: its time of insertion is the only sign of when it was known.
_ROWS = (
    *(EventType.HALT, EventType.ST_ON, EventType.INDUSTRY_SET, EventType.DIVIDEND_PLAN),
    *(EventType.DEBTOR_RATING, EventType.BOND_RATING, EventType.BOND_DEFAULT, EventType.CONVERT_PRICE),
)
_RELOADED = (
    *(*_ROWS, EventType.HOLDER_PLAN, EventType.MERGER_PLAN, EventType.NEEQ_INDUSTRY, EventType.NEEQ_PLAN),
    *(EventType.NEEQ_APPROVED, EventType.NEEQ_IMPLEMENTED),
)


def reloads(snapshot: date) -> tuple[datetime, datetime]:
    """Return when the vendor loads old rows again: in 2020, and weeks before a snapshot."""
    return _FIRST, datetime.combine(snapshot - timedelta(days=19), time(1, 40))


def touch_rows(seed: int, entity: int, recorder: Recorder, kinds: tuple[EventType, ...] = _ROWS) -> None:
    """Tell the touches of the rows that an entity's events began; recording time only, no value changes."""
    rng = stream(seed, Purpose.VENDOR, entity, 1)
    for event in [event for event in recorder.events if event.type in kinds]:
        chance, delay = rng.random(2)
        if chance < TOUCHED:
            recorder.touch(event, event.recorded_at + timedelta(seconds=int(delay * 63_000_000)))


def reload_events(seed: int, snapshot: date, events: list[Event]) -> list[Event]:
    """Tell the reloads of rows that are older than three years; a row is reloaded once."""
    rows = [event for event in events if event.type in _RELOADED]
    number = np.array([event.event_id for event in rows], dtype=np.int64)
    draws = [uniform(seed, number, salt).tolist() for salt in (101, 102, 103)]
    numbers: dict[int, int] = {}
    for event in events:
        if event.type is EventType.VENDOR_TOUCH:
            numbers[event.entity] = max(numbers.get(event.entity, 0), event.seq + 1)
    found = []
    for event, *chances, late in zip(rows, *draws, strict=True):
        for reload, u in zip(reloads(snapshot), chances, strict=True):
            if event.recorded_at < reload - _OLD and u < RELOADED:
                seq = numbers.get(event.entity, 0)
                numbers[event.entity] = seq + 1
                when = reload + timedelta(seconds=int(late * 9_000))
                found.append(touched(event, when, seq, reload=True))
                break
    return found


def touched(event: Event, when: datetime, seq: int, *, reload: bool) -> Event:
    """Return the touch of an event's row: recording time only."""
    return Event(
        EventType.VENDOR_TOUCH,
        event.entity,
        seq,
        event.valid_from,
        event.disclosed_at,
        max(when, event.recorded_at),
        Touch(event.event_id, reload),
        supersedes=event.event_id,
        origin=Origin.BULK,
    )
