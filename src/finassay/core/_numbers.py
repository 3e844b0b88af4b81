"""What counts as a number, for every room that takes numbers from a caller or from a program."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal

from finassay.core._errors import InputError

_SHOWN = 80
_TRUTHS = {"bool", "bool_"}  # of Python and of NumPy, which this room does not load


def as_float(value: object) -> float | None:
    """Return a number as a float, infinite beyond float64; None for what is none: a text and a truth value too."""
    if not isinstance(value, numbers.Real | Decimal) or type(value).__name__ in _TRUTHS:
        return None
    try:
        return float(value)
    except OverflowError:  # 10**400
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    except ValueError:  # a signalling NaN
        return math.nan


def finite_number(name: str, value: object) -> float:
    """Return a parameter as a float.

    Raises
    ------
    InputError
        If it is a text, a truth value, NaN, or beyond float64; the message has its name.
    """
    found = as_float(value)
    if found is None or not math.isfinite(found):
        raise InputError(f"{name} must be a finite number, got {shown(value)}.")
    return found


def shown(value: object) -> str:
    """Return an argument for a message, cut to 80 characters; any object has one, whatever its own text does."""
    try:
        text = repr(value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value)
    except Exception:  # noqa: BLE001 - whatever it raises (an integer of 5,000 digits), the argument is refused
        return f"<{type(value).__name__} that cannot be printed>"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
