"""What every result of this room shares: JSON-ready values.

Reasons of `finassay.core.Undefined` here: ``no_items``, ``no_pairs``, ``one_class``, ``one_cluster``, ``no_variation``,
``one_run_per_task``, ``one_task``, ``no_overlap``, ``no_difference``, ``too_many_undefined_resamples``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, ClassVar


@dataclass(frozen=True)
class Result:
    """Base of the results: frozen, and convertible to plain JSON values."""

    derived: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and derived values as JSON-ready values (lists, dicts, numbers, strings, None)."""
        names = [field.name for field in fields(self)] + list(self.derived)
        return {name: _plain(getattr(self, name)) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list, frozenset)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)
