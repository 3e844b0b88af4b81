"""Fiscal quarters of the companies, counted from the fourth of 2011, the opening of the oldest statements."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from finassay.world._blocks._prices import Ints

QUARTERS = 58  # 2011Q4 to 2026Q1: the last that can be reported before the economy ends
FIRST_REPORT = 6  # the half year 2013: three years before the first quotes
_FIRST_YEAR = 2011


def year_of(quarter: int) -> int:
    """Return the year of a quarter."""
    return _FIRST_YEAR + (quarter + 3) // 4


def season(quarter: int) -> int:
    """Return 1 to 4."""
    return (quarter + 3) % 4 + 1


@cache
def period_end(quarter: int) -> date:
    """Return the last day of a quarter."""
    month = 3 * season(quarter)
    return date(year_of(quarter) + month // 12, month % 12 + 1, 1) - timedelta(days=1)


def quarter_of(day: date) -> int:
    """Return the quarter in which a day lies; it may be outside the simulated ones."""
    return 4 * (day.year - _FIRST_YEAR) + (day.month - 1) // 3 - 3


def year_end_before(quarter: Ints) -> Ints:
    """Return the last year end before each quarter."""
    return (quarter - 1) // 4 * 4


ENDS = np.array([period_end(n) for n in range(QUARTERS)], dtype="datetime64[D]")
YEARS = np.array([year_of(n) for n in range(QUARTERS)])
SEASONS = np.array([season(n) for n in range(QUARTERS)])
