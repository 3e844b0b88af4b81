"""Values as columns of one length: rows picked from them, and several of them joined."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

C = TypeVar("C", bound="Columns")


@dataclass(frozen=True)
class Columns:
    """A dataclass whose fields are arrays of one length."""

    def take(self, rows: npt.NDArray[np.generic] | slice) -> Self:
        """Return the rows of a mask, an index array or a slice."""
        return type(self)(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


def joined(parts: Sequence[C]) -> C:
    """Return the columns of several blocks, at least one, as one."""
    names = [field.name for field in fields(parts[0])]
    return type(parts[0])(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})
