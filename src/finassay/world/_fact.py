"""One acceptance fact as measured, and how far a sample of its size lies from the truth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from finassay.world._numerics import Floats

Verdict = Literal["met", "near", "miss"]

_DEVIATIONS = 2.0
_GROUPS = 16  # of units, left out one after another


@dataclass(frozen=True)
class Fact:
    """A measured fact.

    Attributes
    ----------
    number : str
        That of world.md, section 7; ``-`` for a figure of another section.
    name : str
        What is measured.
    value, low, high : float
        The value, and the range that world.md states.
    n : int
        Cases it was measured on.
    errors : tuple of float
        The standard error of the value if the truth were at the low, and at the high end of the range: computed from
        how many cases there are and how they are spread, never from the range. 0 where none is stated.
    """

    number: str
    name: str
    value: float
    low: float
    high: float
    n: int
    errors: tuple[float, float] = (0.0, 0.0)

    @property
    def met(self) -> bool:
        """Whether the value lies in the range."""
        return self.low <= self.value <= self.high

    @property
    def band(self) -> tuple[float, float]:
        """The range, wider by two standard errors at either end: where so few cases may lie if the truth is in it."""
        return self.low - _DEVIATIONS * self.errors[0], self.high + _DEVIATIONS * self.errors[1]

    @property
    def verdict(self) -> Verdict:
        """``met`` in the range, ``near`` outside it but in the band, else ``miss``."""
        low, high = self.band
        if self.met:
            return "met"
        return "near" if low <= self.value <= high else "miss"


def of_share(number: str, name: str, value: float, low: float, high: float, n: int) -> Fact:
    """Return a fact that is a percentage of independent cases: its error is binomial, the band within 0 to 100."""
    errors = [100.0 * math.sqrt(p / 100.0 * (1.0 - p / 100.0) / n) if n else 0.0 for p in (low, high)]
    room = (low / _DEVIATIONS, (100.0 - high) / _DEVIATIONS)
    return Fact(number, name, value, low, high, n, (min(errors[0], room[0]), min(errors[1], room[1])))


def of_rate(number: str, name: str, value: float, low: float, high: float, n: int, *, per: float) -> Fact:
    """Return a fact that is a rate of events per so many of n years: its error is that of a Poisson count.

    Traits that decide on events are spread evenly over a population, so rates vary less than this.
    """
    errors = [math.sqrt(rate * per / n) if n else 0.0 for rate in (low, high)]
    return Fact(number, name, value, low, high, n, (min(errors[0], low / _DEVIATIONS), errors[1]))


def median_error(values: npt.ArrayLike) -> float:
    """Return the standard error of the median of independent values, whose place varies by half the root of n."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if ordered.size < 2:
        return 0.0
    middle, spread = (ordered.size - 1) / 2.0, math.sqrt(ordered.size) / 2.0
    low, high = max(0, math.floor(middle - spread)), min(ordered.size - 1, math.ceil(middle + spread))
    return float(ordered[high] - ordered[low]) / 2.0


def jackknife(units: npt.NDArray[np.int64], measure: Callable[[npt.NDArray[np.bool_]], float]) -> float:
    """Return the standard error of a figure, from what it is without each of some groups of units.

    Rows of a unit (a company, a bond) hang together, so whole units are left out. Medians need groups that are more
    than one unit (Shao and Wu 1989).

    Parameters
    ----------
    units : numpy.ndarray of int64
        The unit of each row.
    measure : callable
        The figure of the rows that a mask keeps.
    """
    known, row = np.unique(units, return_inverse=True)
    groups = min(_GROUPS, int(known.size))
    if groups < 2:
        return 0.0
    # Neighbours are of a kind (world.md 6: blocks), so each group takes every sixteenth
    return spread_of(np.array([measure(row % groups != left) for left in range(groups)]))


def spread_of(without: Floats) -> float:
    """Return the standard error of a figure of which these are the values without each of its parts."""
    found = without[~np.isnan(without)]
    if found.size < 2:
        return 0.0
    return math.sqrt((found.size - 1) / found.size * float(np.sum((found - np.mean(found)) ** 2)))
