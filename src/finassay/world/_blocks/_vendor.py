"""The vendor's own doings: rows touched at random, and two mass reloads that renew the time of insertion (world.md, 1)."""

from __future__ import annotations

from datetime import datetime, timedelta

from finassay.world._blocks._recorder import Recorder
from finassay.world._events import EventType
from finassay.world._streams import Purpose, stream

TOUCHED = 0.15  # of rows, once, within two years (assumed)
RELOADED = 0.04  # of rows older than three years, at each of two reloads: 8% in all (assumed)
RELOADS = (datetime(2020, 3, 14, 2, 10), datetime(2024, 8, 17, 1, 40))
_OLD = timedelta(days=3 * 365)
# Rows begin with these. The listing is left out: its time of insertion is the only sign of when it was known.
_ROWS = (EventType.HALT, EventType.ST_ON, EventType.INDUSTRY_SET, EventType.DIVIDEND_PLAN)


def touch_rows(seed: int, entity: int, recorder: Recorder) -> None:
    """Tell the touches of the rows that an entity's events began; recording time only, no value changes."""
    rng = stream(seed, Purpose.VENDOR, entity, 1)
    for event in [event for event in recorder.events if event.type in _ROWS]:
        chance, delay, first, second, late = rng.random(5)
        if chance < TOUCHED:
            recorder.touch(
                event, event.recorded_at + timedelta(seconds=int(delay * 63_000_000)), reload=False
            )
        for reload, u in zip(RELOADS, (first, second), strict=True):
            if event.recorded_at < reload - _OLD and u < RELOADED:
                recorder.touch(event, reload + timedelta(seconds=int(late * 9_000)), reload=True)
                break
