"""Counts are whole numbers."""

from __future__ import annotations

import numbers

from finassay.core import InputError

_MOST = 1 << 53  # beyond it float64 no longer tells neighbours apart


def whole(**counts: object) -> tuple[int, ...]:
    """Return counts as integers: 2 and 2.0 are 2; a fraction, NaN, a truth value or a text is refused by name."""
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, numbers.Real) or count % 1 != 0:
            raise InputError(
                f"{name} must be a whole number, got {count!r}.",
                hint="Partial scores have no counts: bootstrap their mean with cluster_bootstrap.",
            )
        if abs(int(count)) > _MOST:  # type: ignore[call-overload]
            raise InputError(
                f"{name} must be at most 2**53 in size, got a number of {len(str(count))} characters."
            )
    return tuple(int(count) for count in counts.values())  # type: ignore[call-overload]
