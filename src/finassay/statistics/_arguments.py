"""What a caller passes: each argument is checked by its name, and refused with what was expected."""

from __future__ import annotations

import numbers
from collections.abc import Collection, Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from finassay.core import InputError, as_float, finite_number, shown

_MOST = 1 << 53  # beyond it float64 no longer tells neighbours apart
LARGEST = 1e100
"""Scores beyond it are refused: float64 does not hold their products."""


def whole(**counts: object) -> tuple[int, ...]:
    """Return counts as integers: 2 and 2.0 are 2; a fraction, NaN, a truth value or a text is refused by name."""
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, numbers.Real) or count % 1 != 0:
            raise InputError(
                f"{name} must be a whole number, got {shown(count)}.",
                hint="Partial scores have no counts: bootstrap their mean with cluster_bootstrap.",
            )
        if abs(int(count)) > _MOST:  # type: ignore[call-overload]
            raise InputError(f"{name} must be at most 2**53 in size, got a larger number.")
    return tuple(int(count) for count in counts.values())  # type: ignore[call-overload]


def check_confidence(confidence: float) -> float:
    """Return the confidence as a float; one outside (0, 1), such as 95, is refused."""
    read = finite_number("confidence", confidence)
    if not 0 < read < 1:
        raise InputError(f"confidence must lie between 0 and 1 (0.95 for 95%), got {confidence}.")
    return read


def one_of(name: str, value: object, allowed: Collection[str]) -> None:
    """Refuse a word that is none of those allowed."""
    if not isinstance(value, str) or value not in allowed:
        *most, last = allowed
        raise InputError(f"{name} must be {', '.join(most)} or {last}, got {shown(value)}.")


def listed(name: str, values: Any) -> list[Any]:
    """Return the members of a sequence; what has none is refused by name."""
    try:
        return list(values)
    except TypeError:
        raise InputError(f"{name} must be a sequence, got {type(values).__name__} {shown(values)}.") from None


def names(name: str, values: Any) -> list[Hashable]:
    """Return the members of a sequence that name something: hashable, neither None nor NaN."""
    found = listed(name, values)
    for place, value in enumerate(found):
        if not is_name(value):
            raise InputError(
                f"{name}: member {place} names nothing, got {shown(value)}.",
                hint="Name the task (or the label) of every row by a text or a number.",
            )
    return found


def is_name(value: object) -> bool:
    """Say whether a value can be told from others: hashable, neither None nor NaN nor pandas' missing value."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return False
    try:
        hash(value)
        return bool(value == value)
    except Exception:  # noqa: BLE001 - an object may say of itself what it likes, or raise
        return False


def finite(name: str, values: Any, *, dimensions: int = 1) -> npt.NDArray[np.float64]:
    """Return numbers as an array of float64; texts, gaps, other shapes and what float64 cannot hold are refused."""
    shape = "(n,)" if dimensions == 1 else "(n, m)"
    try:
        raw = np.asarray(values)
    except ValueError as error:  # rows of several lengths
        raise InputError(f"{name} must be numbers of shape {shape}: {error}.") from error
    if raw.ndim != dimensions:
        raise InputError(f"{name} must be numbers of shape {shape}, got shape {raw.shape}.")
    if raw.size and raw.dtype.kind not in "biufO":
        raise InputError(f"{name} must be numbers, got {shown(raw.flat[0])}.")
    cells = [_score(cell) for cell in raw.flat] if raw.dtype.kind == "O" else raw
    array = np.asarray(cells, dtype=np.float64).reshape(raw.shape)
    bad = np.argwhere(~(np.abs(array) <= LARGEST))
    if len(bad):
        place = tuple(int(index) for index in bad[0])
        cell = raw[place]
        raise InputError(
            f"{name}: the value {shown(cell)} of row {place[0]} is not finite or beyond {LARGEST:g}.",
            hint="State what a missing score counts as (0 in a headline rate) before it comes here.",
        )
    return array


def _score(cell: object) -> float | None:
    """Return a score as a float: a truth value is 0 or 1; None for what is none."""
    return float(cell) if isinstance(cell, bool | np.bool_) else as_float(cell)
