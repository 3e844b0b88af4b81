"""The sessions of the exchanges, from exchange_calendars."""

from __future__ import annotations

from bisect import bisect_left
from datetime import date, timedelta
from functools import cache

import numpy as np
import numpy.typing as npt

FIRST = date(1991, 1, 2)
LAST = date(2026, 12, 31)  # to which holidays are known


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
    import warnings

    import exchange_calendars

    with warnings.catch_warnings():  # it reads pandas in a way that pandas 3.1 deprecates
        warnings.simplefilter("ignore")
        calendar = exchange_calendars.get_calendar(exchange, start=FIRST.isoformat(), end=LAST.isoformat())
    return Sessions(tuple(stamp.date() for stamp in calendar.sessions))


def calendar_days(first: date, last: date) -> list[date]:
    """Return every day from the first to the last, both included."""
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]
