"""What a world is a function of: scale, seed and snapshot; with the bounds of the economy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime, time

from finassay.core import InputError

START = date(2016, 5, 1)  # first day of quotes
END = date(2026, 6, 30)  # last day that the economy is simulated for, whatever the snapshot
ISSUERS = 5000  # at scale 1, of which .71 are listed on average (world.md, 6)
LEAST = 60  # issuers of a world, however small its scale
BLOCK = 64  # issuers per job
VERSION = "9"  # of the economy: equal version, scale, seed and snapshot give equal content
SMALLEST = LEAST / ISSUERS  # the scale below which there are as many companies as at it

# Parts of the economy, each with those it is made from: funds hold shares and bonds, convertibles turn into shares
BLOCKS: dict[str, tuple[str, ...]] = {
    "equities": (),
    "macro": (),
    "bonds": ("equities", "macro"),
    "funds": ("equities", "bonds"),
    "us": (),
    "documents": ("equities", "us"),
}


@dataclass(frozen=True)
class WorldConfig:
    """A world to build.

    Attributes
    ----------
    scale : float
        Size: 1 has 5,000 issuers; 0.05 is the demo.
    seed : int
        Of all random streams, 0 to 2**64 - 1.
    snapshot : datetime.date
        The database is the vendor's at the end of this day.
    blocks : tuple of str
        Parts whose tables the database has, and those that they are made from; by default all. The economy is always
        simulated whole, so a table does not depend on what is built beside it.

    Raises
    ------
    InputError
        If a value is outside its bounds. A scale below `SMALLEST` is none, but makes no fewer companies than that.
    """

    scale: float
    seed: int
    snapshot: date
    blocks: tuple[str, ...] = tuple(BLOCKS)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.scale) and 0 < self.scale <= 2):
            raise InputError(
                f"The scale is {self.scale:g}; it must be above 0 and at most 2.", hint="Try 0.05."
            )
        if not 0 <= self.seed < 2**64:
            raise InputError(f"The seed is {self.seed}; it must lie between 0 and 2**64 - 1.")
        if not START < self.snapshot <= END:
            raise InputError(
                f"The snapshot is {self.snapshot}; the economy runs from {START} to {END}.",
                hint="Give a snapshot after the start and not after the end.",
            )
        object.__setattr__(self, "blocks", _with_needs(self.blocks))

    @property
    def issuers(self) -> int:
        """How many companies there are, listed at some time."""
        return max(LEAST, round(ISSUERS * self.scale))

    @property
    def moment(self) -> datetime:
        """The last second of the snapshot's day."""
        return datetime.combine(self.snapshot, time(23, 59, 59))

    def index_size(self, members: int) -> int:
        """Return the size of an index that has so many members at scale 1 (world.md, 2.2).

        At least 20 in a world that has so many shares to give: fewer than half of the issuers are listed at the start,
        and three indices share them.
        """
        return max(min(20, self.issuers // 12), round(members * self.scale))


def _with_needs(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return blocks and what they need, in a fixed order."""
    unknown = sorted(set(names) - set(BLOCKS))
    if unknown or not names:
        what = f"There is no block {unknown[0]!r}" if unknown else "No block is named"
        raise InputError(f"{what}.", hint=f"The blocks are {', '.join(BLOCKS)}.")
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting += BLOCKS[name]
    return tuple(name for name in BLOCKS if name in found)
