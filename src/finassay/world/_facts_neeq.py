"""Facts about the NEEQ, measured on the ledger and the quotes; their rates are assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._market import YEAR, window
from finassay.world._blocks._neeq_life import TO_BEIJING
from finassay.world._calendar import sessions
from finassay.world._events import EventType
from finassay.world._events_neeq import NeeqEnd
from finassay.world._fact import Fact

if TYPE_CHECKING:
    from finassay.world._world import World


def neeq_facts(world: World) -> list[Fact]:
    """Measure trading, ends and the way to Beijing up to the snapshot."""
    first, _ = window()
    last = sessions().at_or_after(world.config.snapshot) + 1
    ends = {e.entity: e for e in world.ledger.of(EventType.NEEQ_DELIST)}
    at = sessions().at_or_after
    listed = 0
    for who in world.neeq.members:
        end = ends.get(who.share.entity)
        stop = end.payload.stopped if end is not None and isinstance(end.payload, NeeqEnd) else None
        listed += max(0, min(last, last if stop is None else at(stop)) - max(first, at(who.share.listed)))
    traded = int(np.sum(world.neeq.quotes.session < last))
    past = [e for e in ends.values() if e.valid_from <= world.config.snapshot]
    moved = [e for e in past if isinstance(e.payload, NeeqEnd) and e.payload.kind == TO_BEIJING]
    known = {number for event in moved for number in event.cause_ids}
    unmatched = sum(number not in world.ledger.by_id for number in known) + len(moved) - len(known)
    share, leaving = 100 * traded / max(1, listed), 100 * (len(past) - len(moved)) * YEAR / max(1, listed)
    return [
        Fact("-", "sessions with a trade on the NEEQ, % (assumed)", share, 12, 45, listed),
        Fact("-", "shares that leave the NEEQ without moving, % a year (assumed)", leaving, 3, 10, len(past)),
        Fact("-", "moves to Beijing without a share there", float(unmatched), 0, 0, len(moved)),
    ]
