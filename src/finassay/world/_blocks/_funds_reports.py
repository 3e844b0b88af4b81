"""Periodic reports of funds: when each was published and recorded, and which were published again."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._columns import Columns, joined
from finassay.world._blocks._funds_market import quarter_positions
from finassay.world._calendar import quarter_ends, sessions
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._funds_market import Ints
    from finassay.world._blocks._funds_read import FundLife

QUARTERLY, HALF_YEAR, ANNUAL = 1, 2, 3
YOUNGEST = 40  # sessions that a fund must have lived to report on a quarter
AGAIN = 0.02  # of reports are published again, with a name that the first list missed (task_families.md, 5)
_DAY = 86_400


@dataclass(frozen=True)
class Reports(Columns):
    """Reports, ordered by fund, quarter, form and version.

    Attributes
    ----------
    fund, quarter, form, version : numpy.ndarray of int64
        Position of the fund; of the quarter; 1 quarterly, 2 half-year, 3 annual; 0, or 1 for one published again.
    wrong : numpy.ndarray of int64
        1 where a later version replaces it.
    disclosed : numpy.ndarray of int64
        Days since 1970.
    recorded : numpy.ndarray of int64
        Seconds since 1970.
    """

    fund: Ints
    quarter: Ints
    form: Ints
    version: Ints
    wrong: Ints
    disclosed: Ints
    recorded: Ints


def joined_reports(parts: list[Reports]) -> Reports:
    """Return the reports of several funds as one."""
    names = [field.name for field in fields(Reports)]
    if not parts:
        return Reports(*(np.zeros(0, dtype=np.int64) for _ in names))
    return joined(parts)


@cache
def _next_sessions() -> Ints:
    """Return the next session (days since 1970) of each of the 200 days after each quarter end."""
    array = sessions().array.astype("datetime64[D]").astype(np.int64)
    ends = np.array([np.datetime64(day) for day in quarter_ends()]).astype("datetime64[D]").astype(np.int64)
    days = ends[:, None] + np.arange(200)
    found: Ints = array[np.searchsorted(array, np.minimum(days, array[-1]))]
    return found


def fund_reports(seed: int, fund: int, life: FundLife) -> Reports:
    """Draw the reports of a fund: quarterly ones 20 or 21 days after the quarter, half-years near their last day."""
    ends = np.array(quarter_positions())
    quarters = np.flatnonzero((ends < life.stop) & (ends - (life.first if life.young else -999) >= YOUNGEST))
    draws = stream(seed, Purpose.FUND_REPORT, life.entity).random((len(ends), 2, 6))[quarters]
    months = np.array([day.month for day in quarter_ends()])[quarters]
    half = months % 6 == 0
    forms = [np.full(quarters.size, QUARTERLY), np.where(months == 12, ANNUAL, HALF_YEAR)[half]]
    after = [_quarterly(draws[:, 0]), _half_yearly(draws[half][:, 1], months[half])]
    which = [quarters, quarters[half]]
    u = np.concatenate([draws[:, 0], draws[half][:, 1]])
    quarter, form, lag = (np.concatenate(part) for part in (which, forms, after))
    order = np.lexsort((form, quarter))
    quarter, form, lag, u = quarter[order], form[order], lag[order], u[order]
    again = u[:, 3] < AGAIN
    rows = np.repeat(np.arange(quarter.size), 1 + again)
    version = np.concatenate([[0], (rows[1:] == rows[:-1]).astype(np.int64)])[: rows.size]
    later = lag[rows] + version * (3 + (u[rows, 4] * 40).astype(np.int64))
    disclosed = _next_sessions()[quarter[rows], later]
    # Within a long holiday both would wait for its end: what is published again comes on a later session
    while (same := (version == 1) & (disclosed == np.r_[0, disclosed[:-1]])).any():
        later = later + same
        disclosed = _next_sessions()[quarter[rows], later]
    return Reports(
        np.full(rows.size, fund),
        quarter[rows],
        form[rows],
        version,
        (again[rows] & (version == 0)).astype(np.int64),
        disclosed,
        _recorded(disclosed, u[rows]),
    )


def _quarterly(u: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Ints:
    lag = np.where(u[:, 0] < 0.55, 20, 21)
    early, late = u[:, 1] < 0.08, u[:, 1] > 0.96
    found: Ints = np.where(early, 15 + (u[:, 0] * 5).astype(np.int64), np.where(late, 23, lag)).astype(
        np.int64
    )
    return found


def _half_yearly(u: np.ndarray[tuple[int, int], np.dtype[np.float64]], months: Ints) -> Ints:
    """Fall within the last days before 31 August and 31 March."""
    back = (u[:, 0] * u[:, 1] * 14).astype(np.int64)
    found: Ints = np.where(months == 12, 89, 61) - back
    return found


def _recorded(disclosed: Ints, u: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Ints:
    """Draw the vendor's nightly batch: 85% on the day, 12% one to three days later, 3% up to twenty (world.md, 1)."""
    late = u[:, 2]
    days = np.where(
        late < 0.85, 0, np.where(late < 0.97, 1 + (late - 0.85) / 0.04, 4 + (late - 0.97) / 0.0018)
    )
    seconds = 20 * 3600 + (u[:, 5] * 14_000).astype(np.int64)
    found: Ints = (disclosed + np.minimum(days.astype(np.int64), 20)) * _DAY + seconds
    return found
