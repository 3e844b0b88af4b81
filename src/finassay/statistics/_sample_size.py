"""How many items settle a difference: paired (McNemar) and unpaired (two proportions)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from finassay.core import InputError, Undefined, finite_number
from finassay.statistics._arguments import whole
from finassay.statistics._result import Result

_MAX_ITEMS = 1_000_000
_LEAST_ALPHA = 1e-12


@dataclass(frozen=True)
class SampleSize(Result):
    """The size that settles a difference.

    Attributes
    ----------
    n : int
        Pairs, or rows in each of two groups, after the design effect.
    power : float
        The power that n reaches when the design effect is 1: at least what was asked.
    target_power, alpha : float
        What was asked; the test is two-sided.
    design_effect : float
        Factor for rows that are not independent.
    method : str
        ``"exact_mcnemar"`` or ``"two_proportions_normal"``.
    """

    n: int
    power: float
    target_power: float
    alpha: float
    design_effect: float
    method: str


def pairs_needed(
    difference: float,
    discordance: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    design_effect: float = 1.0,
) -> SampleSize:
    """Count the items on which both runs must be scored for the exact McNemar test to settle their difference.

    Starts at the normal approximation, n = (z_a sqrt(psi) + z_b sqrt(psi - d²))² / d² (Connor 1987, Biometrics
    43:207-211), and grows until the exact test, which is conservative, has the power.

    Parameters
    ----------
    difference : float
        The difference of the two rates to be settled, d; its sign does not matter.
    discordance : float
        The share of items that only one of the two gets right, psi; at least |d|, at most 1.
    power, alpha : float
        In (0, 1); the power above alpha.
    design_effect : float, default 1
        See `design_effect`; the number of pairs is multiplied by it.

    Returns
    -------
    SampleSize

    Raises
    ------
    Undefined
        ``no_difference``: d is 0, which no number of items settles.
    InputError
        Arguments outside their ranges, or more than a million items.
    """
    difference, discordance = (
        finite_number("difference", difference),
        finite_number("discordance", discordance),
    )
    power, alpha, design_effect = _checked(power, alpha, design_effect)
    d = _difference(difference)
    if not d <= discordance <= 1:
        raise InputError(f"discordance must lie between |difference| = {d} and 1, got {discordance}.")
    z_alpha, z_power = _quantiles(power, alpha)
    root = z_alpha * math.sqrt(discordance) + z_power * math.sqrt(discordance - d * d)
    n = _bounded(root / d * (root / d))
    reached = mcnemar_power(n, d, discordance, alpha=alpha)
    while reached < power:
        n = _bounded(n + max(1, n // 500))
        reached = mcnemar_power(n, d, discordance, alpha=alpha)
    return SampleSize(_bounded(n * design_effect), reached, power, alpha, design_effect, "exact_mcnemar")


def mcnemar_power(n: int, difference: float, discordance: float, *, alpha: float = 0.05) -> float:
    """Exact power of the two-sided exact McNemar test on n independent pairs.

    Parameters
    ----------
    n : int
        Pairs.
    difference, discordance : float
        As in `pairs_needed`.
    alpha : float, default 0.05
        Level.

    Returns
    -------
    float
        Chance of rejection; with a difference of 0, the true level (at most alpha).

    Raises
    ------
    InputError
        Arguments outside their ranges.
    """
    (n,) = whole(n=n)
    n = _bounded(n)
    d, discordance = abs(finite_number("difference", difference)), finite_number("discordance", discordance)
    alpha = finite_number("alpha", alpha)
    if n < 1 or not (d <= discordance <= 1 and discordance > 0) or not 0 < alpha < 1:
        raise InputError(
            f"expected n >= 1 and |difference| <= discordance <= 1, discordance > 0, alpha in (0, 1); "
            f"got n={n}, {difference}, {discordance}, {alpha}."
        )
    from scipy.stats import binom

    # Numbers of discordant pairs beyond 9 standard deviations carry nothing.
    spread = 9 * math.sqrt(n * discordance * (1 - discordance)) + 1
    discordant = np.arange(
        max(0, int(n * discordance - spread)), min(n, math.ceil(n * discordance + spread)) + 1
    )
    quantile = np.asarray(binom.ppf(alpha / 2, discordant, 0.5))
    critical = quantile - (2 * np.asarray(binom.cdf(quantile, discordant, 0.5)) > alpha)
    favour = (discordance + d) / (2 * discordance)
    rejected = binom.cdf(critical, discordant, favour) + binom.cdf(critical, discordant, 1 - favour)
    return float((binom.pmf(discordant, n, discordance) * rejected).sum())


def items_needed(
    first: float, second: float, *, power: float = 0.8, alpha: float = 0.05, design_effect: float = 1.0
) -> SampleSize:
    """Count the rows needed in each of two unpaired groups to settle the difference of their rates.

    n = (z_a sqrt(2 p(1-p)) + z_b sqrt(p1(1-p1) + p2(1-p2)))² / (p1 - p2)², p the mean of the two (Fleiss, Levin,
    Paik, *Statistical Methods for Rates and Proportions*, 3rd ed., section 4.2, without continuity correction).

    Parameters
    ----------
    first, second : float
        The two rates, in [0, 1].
    power, alpha : float
        In (0, 1); the power above alpha.
    design_effect : float, default 1
        See `design_effect`; with m runs of each task, n / m tasks are needed.

    Returns
    -------
    SampleSize

    Raises
    ------
    Undefined
        ``no_difference``: the rates are equal.
    InputError
        Arguments outside their ranges, or more than a million rows.
    """
    first, second = finite_number("first", first), finite_number("second", second)
    if not (0 <= first <= 1 and 0 <= second <= 1):
        raise InputError(f"rates must lie in [0, 1], got {first} and {second}.")
    power, alpha, design_effect = _checked(power, alpha, design_effect)
    d = _difference(first - second)
    z_alpha, z_power = _quantiles(power, alpha)
    mean = (first + second) / 2
    pooled, apart = (
        math.sqrt(2 * mean * (1 - mean)),
        math.sqrt(first * (1 - first) + second * (1 - second)),
    )
    root = z_alpha * pooled + z_power * apart
    n = _bounded(root / d * (root / d))  # a power of floats would overflow where this is infinite
    reached = NormalDist().cdf((d * math.sqrt(n) - z_alpha * pooled) / apart) if apart > 0 else 1.0
    return SampleSize(
        _bounded(n * design_effect), reached, power, alpha, design_effect, "two_proportions_normal"
    )


def _checked(power: float, alpha: float, design_effect: float) -> tuple[float, float, float]:
    power, alpha = finite_number("power", power), finite_number("alpha", alpha)
    design_effect = finite_number("design_effect", design_effect)
    if not (_LEAST_ALPHA <= alpha < power < 1 and design_effect >= 1):
        raise InputError(
            f"expected alpha in [{_LEAST_ALPHA}, 1), power above alpha and below 1, and design_effect >= 1; "
            f"got {alpha}, {power}, {design_effect}."
        )
    return power, alpha, design_effect


def _difference(difference: float) -> float:
    if difference == 0:
        raise Undefined(
            "no number of items settles a difference of 0.",
            hint="State the smallest difference that would matter.",
            reason="no_difference",
        )
    return abs(difference)


def _quantiles(power: float, alpha: float) -> tuple[float, float]:
    return -NormalDist().inv_cdf(alpha / 2), NormalDist().inv_cdf(power)


def _bounded(n: float) -> int:
    if not n <= _MAX_ITEMS:
        raise InputError(
            f"settling this difference takes more than {_MAX_ITEMS:,} items, the most that are counted here.",
            hint="State a larger difference.",
        )
    return math.ceil(n)
