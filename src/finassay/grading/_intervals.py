"""Intervals: coverage, the interval score, and points within a tolerance."""

from __future__ import annotations

import math
from collections.abc import Sequence

from finassay.core import InputError, Undefined

Interval = tuple[float, float]


def covers(interval: Interval, value: float) -> bool:
    """Say whether a closed interval holds a value.

    Raises
    ------
    Undefined
        ``reversed_interval`` where the lower end is above the upper; ``not_a_number``.
    """
    lower, upper = _checked(interval, value)
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
    if not 0 < alpha < 1:
        raise InputError(f"alpha must be between 0 and 1, got {alpha}")
    lower, upper = _checked(interval, value)
    if math.isinf(lower) or math.isinf(upper) or math.isinf(value):
        raise Undefined(f"the interval score of [{lower}, {upper}] is not finite", reason="infinite_interval")
    return (upper - lower) + 2 / alpha * (max(lower - value, 0.0) + max(value - upper, 0.0))


def within(reference: float, candidate: float, *, relative: float = 0.0, absolute: float = 0.0) -> bool:
    """Say whether a point is within tolerance of the reference: either bound is enough, and the sign counts.

    Parameters
    ----------
    reference, candidate : float
    relative : float
        Of the reference's size. It allows nothing around a reference of 0: state an absolute tolerance there.
    absolute : float

    Raises
    ------
    Undefined
        ``not_a_number``: the reference or the candidate is NaN, or the reference is infinite.
    InputError
        A tolerance is negative or not finite.
    """
    for name, tolerance in (("relative", relative), ("absolute", absolute)):
        if not (tolerance >= 0 and math.isfinite(tolerance)):
            raise InputError(f"the {name} tolerance must be finite and at least 0, got {tolerance}")
    try:
        reference, candidate = float(reference), float(candidate)
    except (TypeError, ValueError):
        raise Undefined(f"not numbers: {reference!r}, {candidate!r}", reason="not_a_number") from None
    if math.isnan(candidate) or not math.isfinite(reference):
        raise Undefined(f"no tolerance around {reference} for {candidate}", reason="not_a_number")
    return abs(candidate - reference) <= max(absolute, relative * abs(reference))


def _checked(interval: Interval, value: float) -> Interval:
    try:
        lower, upper, value = (float(number) for number in (*interval, value))
    except (TypeError, ValueError):
        raise Undefined(
            f"not two numbers {interval!r} or no number {value!r}", reason="not_a_number"
        ) from None
    if math.isnan(lower) or math.isnan(upper) or math.isnan(value):
        raise Undefined(f"not a number in [{lower}, {upper}] or {value}", reason="not_a_number")
    if lower > upper:
        raise Undefined(f"the interval [{lower}, {upper}] is reversed", reason="reversed_interval")
    return lower, upper
