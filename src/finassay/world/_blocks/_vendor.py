"""The vendor's own doings: rows touched at random, and two mass reloads of old rows (world.md, 1)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from finassay.world._events import EventType
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._recorder import Recorder

TOUCHED = 0.15  # of rows, once, within two years (assumed)
RELOADED = 0.04  # of rows older than three years, at each of two reloads: 8% in all (assumed)
RELOADS = tuple(datetime.fromisoformat(text) for text in ("2020-03-14T02:10:00", "2026-04-11T01:40:00"))
_OLD = timedelta(days=3 * 365)
# Rows begin with these. The listing is left out: its time of insertion is the only sign of when it was known.
_ROWS = (
    *(EventType.HALT, EventType.ST_ON, EventType.INDUSTRY_SET, EventType.DIVIDEND_PLAN),
    *(EventType.DEBTOR_RATING, EventType.BOND_RATING, EventType.BOND_DEFAULT, EventType.CONVERT_PRICE),
)


def touch_rows(seed: int, entity: int, recorder: Recorder, kinds: tuple[EventType, ...] = _ROWS) -> None:
    """Tell the touches of the rows that an entity's events began; recording time only, no value changes."""
    rng = stream(seed, Purpose.VENDOR, entity, 1)
    for event in [event for event in recorder.events if event.type in kinds]:
        chance, delay, first, second, late = rng.random(5)
        if chance < TOUCHED:
            recorder.touch(
                event, event.recorded_at + timedelta(seconds=int(delay * 63_000_000)), reload=False
            )
        for reload, u in zip(RELOADS, (first, second), strict=True):
            if event.recorded_at < reload - _OLD and u < RELOADED:
                recorder.touch(event, reload + timedelta(seconds=int(late * 9_000)), reload=True)
                break
