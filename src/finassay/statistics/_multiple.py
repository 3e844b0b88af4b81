"""Adjustment of p-values for many comparisons: Holm, and Benjamini-Yekutieli."""

from __future__ import annotations

from collections.abc import Sequence

from finassay.core import InputError, as_float, shown
from finassay.statistics._arguments import listed


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjust p-values so that the chance of any false rejection stays below the level (Holm 1979).

    Parameters
    ----------
    p_values : sequence of float
        In [0, 1]; empty gives empty.

    Returns
    -------
    tuple of float
        Adjusted, in the order given; reject where at most the level.

    Raises
    ------
    InputError
        A p-value is NaN or outside [0, 1].
    """
    p_values = _checked(p_values)
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p_values[index]))
        adjusted[index] = largest
    return tuple(adjusted)


def benjamini_yekutieli(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjust p-values to bound the false discovery rate under any dependence (Benjamini, Yekutieli 2001).

    Parameters
    ----------
    p_values : sequence of float
        In [0, 1]; empty gives empty.

    Returns
    -------
    tuple of float
        Adjusted, in the order given; reject where at most q.

    Raises
    ------
    InputError
        A p-value is NaN or outside [0, 1].
    """
    p_values = _checked(p_values)
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    count = len(order)
    harmonic = sum(1 / rank for rank in range(1, count + 1))
    adjusted = [0.0] * count
    smallest = 1.0
    for rank in range(count, 0, -1):
        index = order[rank - 1]
        smallest = min(smallest, count * harmonic / rank * p_values[index])
        adjusted[index] = smallest
    return tuple(adjusted)


def _checked(p_values: Sequence[float]) -> list[float]:
    read = []
    for position, value in enumerate(listed("p_values", p_values)):
        p_value = as_float(value)
        if p_value is None or not 0 <= p_value <= 1:
            raise InputError(f"p-value {position} must lie in [0, 1], got {shown(value)}.")
        read.append(p_value)
    return read
