"""Intervals: coverage, the interval score, and points within a tolerance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

from finassay.core import InputError, Undefined, as_float, finite_number, shown
from finassay.grading._missing import plain
from finassay.grading._tolerance import NOISE, Tolerance, exact
from finassay.grading._unparsed import raw_text, shorten

Interval = tuple[float, float]


def covers(interval: Interval, value: float) -> bool:
    """Say whether a closed interval holds a value.

    Raises
    ------
    Undefined
        ``reversed_interval`` where the lower end is above the upper; ``not_a_number``.
    """
    lower, upper, value = _checked(interval, value)
    return lower <= value <= upper


def coverage(intervals: Sequence[Interval], values: Sequence[float]) -> float:
    """Return the share of values inside their intervals.

    Raises
    ------
    Undefined
        ``empty``; and as `covers`.
    InputError
        Numbers of intervals and values differ.
    """
    if len(intervals) != len(values):
        raise InputError(f"{len(intervals)} intervals for {len(values)} values")
    if not values:
        raise Undefined("coverage of no value", reason="empty")
    return sum(covers(interval, value) for interval, value in zip(intervals, values, strict=True)) / len(
        values
    )


def interval_score(interval: Interval, value: float, alpha: float) -> float:
    """Return the interval score of a central (1 - alpha) prediction interval: width plus a penalty for missing.

    ``(u - l) + 2/alpha (l - x) 1[x < l] + 2/alpha (x - u) 1[x > u]``; lower is better.

    Parameters
    ----------
    interval : tuple of float
        Lower and upper end, finite.
    value : float
        What came true.
    alpha : float
        In (0, 1): 0.1 for a 90% interval.

    Raises
    ------
    Undefined
        ``reversed_interval``, ``not_a_number``, ``infinite_interval``.
    InputError
        alpha outside (0, 1).

    Notes
    -----
    Gneiting and Raftery (2007), "Strictly proper scoring rules, prediction, and estimation", equation 43.
    """
    alpha = finite_number("alpha", alpha)
    if not 0 < alpha < 1:
        raise InputError(f"alpha must be between 0 and 1, got {alpha}")
    lower, upper, value = _checked(interval, value)
    if math.isinf(lower) or math.isinf(upper) or math.isinf(value):
        raise Undefined(f"the interval score of [{lower}, {upper}] is not finite", reason="infinite_interval")
    score = (upper - lower) + 2 / alpha * (max(lower - value, 0.0) + max(value - upper, 0.0))
    if not math.isfinite(score):
        raise Undefined(
            f"the interval score of [{lower}, {upper}] leaves float64", reason="infinite_interval"
        )
    return score


def within(reference: float, candidate: float, *, relative: float = 0.0, absolute: float = 0.0) -> bool:
    """Say whether a point is within tolerance of the reference: either bound is enough.

    No relative tolerance reaches across zero, as in tables: -100 is not within 300 % of 100.

    Parameters
    ----------
    reference, candidate : float
        Compared as they are printed, a float by the shortest decimal that reads back as it: 0.4 is within 0.1 of 0.3.
    relative : float
        Of the reference's size, as in tables. It allows nothing around a reference of 0: state an absolute tolerance
        there.
    absolute : float

    Returns
    -------
    bool
        Beside a float, noise of arithmetic does not change it: four units in the last place of the larger number, and
        at most a quarter of the tolerance. Without a tolerance there is none.

    Raises
    ------
    Undefined
        ``not_a_number``: the reference or the candidate is NaN, or the reference is infinite.
    InputError
        A tolerance is negative or not finite.
    """
    relative, absolute = (
        finite_number("the relative tolerance", relative),
        finite_number("the absolute tolerance", absolute),
    )
    if relative < 0 or absolute < 0:
        raise InputError(f"a tolerance must be finite and at least 0, got {relative} and {absolute}")
    gold, found = as_float(reference), as_float(candidate)
    if gold is None or found is None or math.isnan(found) or not math.isfinite(gold):
        raise Undefined(
            f"no tolerance around {shown(reference)} for {shown(candidate)}",
            reason="not_a_number",
        )
    if math.isinf(found):
        return False
    first, second = exact(reference), exact(candidate)
    across = first * second < 0
    tolerance = Tolerance(Decimal(0) if across else exact(relative), exact(absolute))
    noise = Decimal(0)
    if isinstance(plain(reference), float) or isinstance(plain(candidate), float):
        noise = min(Decimal(NOISE * max(abs(gold), abs(found))), tolerance.exactly_at(first) / 4)
    return tolerance.holds(first, second, noise)


def _checked(interval: Interval, value: float) -> tuple[float, float, float]:
    try:
        read = [as_float(number) for number in (*interval, value)]
    except TypeError:
        read = []
    if len(read) != 3 or any(number is None or math.isnan(number) for number in read):
        raise Undefined(
            f"not two numbers {shown(interval)} or no number {shorten(raw_text(value))}",
            reason="not_a_number",
        )
    lower, upper, point = (float(number) for number in read if number is not None)
    if lower > upper:
        raise Undefined(f"the interval [{lower}, {upper}] is reversed", reason="reversed_interval")
    return lower, upper, point
