"""The as-of date with its boundary: one inequality for everything that has a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

Boundary = Literal["eod", "pre"]


@dataclass(frozen=True, order=True)
class Cutoff:
    """An as-of date D and its boundary.

    What is available strictly before `instant` is known (task_families.md, 0.1): the end of the day (``eod``) lets in
    whatever is dated D, at any time of it; before the open (``pre``) lets in nothing dated D or later. Columns may hold
    times, so ``<= D`` is wrong for ``eod``. States are tested on D under both boundaries.

    Attributes
    ----------
    day : datetime.date
        The as-of date D.
    boundary : {"eod", "pre"}
        End of day, or before the open.
    """

    day: date
    boundary: Boundary = "eod"

    def __post_init__(self) -> None:
        if isinstance(self.day, datetime) or not isinstance(self.day, date):
            raise TypeError(f"Cutoff.day is a date, not {type(self.day).__name__}")
        if self.boundary not in ("eod", "pre"):
            raise ValueError(f"Cutoff.boundary is 'eod' or 'pre', not {self.boundary!r}")

    @property
    def instant(self) -> datetime:
        """The first moment that is unknown: D+1 00:00 for ``eod``, D 00:00 for ``pre``."""
        return self.day_end if self.boundary == "eod" else datetime.combine(self.day, time())

    @property
    def day_end(self) -> datetime:
        """D+1 00:00 under both boundaries: a date before it is ``<= D``, which is how states are tested."""
        return datetime.combine(self.day, time()) + timedelta(days=1)

    def __str__(self) -> str:
        return f"{self.day.isoformat()} {self.boundary}"
