"""The sessions of the exchanges: weekdays but the holidays listed in `_closed_days.txt`."""

from __future__ import annotations

from bisect import bisect_left
from datetime import date, timedelta
from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from finassay.world._config import END, START

FIRST = date(1991, 1, 2)
LAST = date(2026, 12, 31)  # to which holidays are known
_SATURDAY = 5


class Sessions:
    """The trading days of an exchange, with arithmetic on their positions.

    Attributes
    ----------
    days : tuple of datetime.date
        Ascending.
    """

    def __init__(self, days: tuple[date, ...]) -> None:
        self.days = days
        self.array: npt.NDArray[np.datetime64] = np.array(days, dtype="datetime64[D]")
        self._set = frozenset(days)

    def __contains__(self, day: date) -> bool:
        return day in self._set

    def at_or_after(self, day: date) -> int:
        """Return the position of the first session not before a day."""
        return bisect_left(self.days, day)

    def before(self, day: date) -> date:
        """Return the last session before a day."""
        return self.days[self.at_or_after(day) - 1]

    def shift(self, day: date, sessions: int) -> date:
        """Return the session so many after (negative: before) the first one not before a day."""
        return self.days[self.at_or_after(day) + sessions]


@cache
def sessions(exchange: str = "XSHG") -> Sessions:
    """Return the sessions of an exchange, by its ISO 10383 code, from 1991 to 2026."""
    closed = _closed_days()[exchange]
    days = calendar_days(FIRST, LAST)
    return Sessions(tuple(day for day in days if day.weekday() < _SATURDAY and day not in closed))


@cache
def _closed_days() -> dict[str, frozenset[date]]:
    found: dict[str, set[date]] = {}
    text = resources.files("finassay.world").joinpath("_closed_days.txt").read_text(encoding="ascii")
    for line in text.splitlines():
        if not line.startswith("#"):
            exchange, year, *days = line.split()
            listed = (date(int(year), int(day[:2]), int(day[2:])) for day in days)
            found.setdefault(exchange, set()).update(listed)
    return {exchange: frozenset(days) for exchange, days in found.items()}


def calendar_days(first: date, last: date) -> list[date]:
    """Return every day from the first to the last, both included."""
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


@cache
def quarter_ends() -> tuple[date, ...]:
    """Return the last days of the quarters in the economy's window."""
    days = [
        date(y, m, d)
        for y in range(START.year, END.year + 1)
        for m, d in ((3, 31), (6, 30), (9, 30), (12, 31))
    ]
    return tuple(day for day in days if START < day <= END)
