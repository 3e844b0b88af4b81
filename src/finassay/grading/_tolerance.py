"""How far a number may stand from the reference: one rule for cells of tables and for single points."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.grading._missing import plain
from finassay.grading._tokens import EXACT

if TYPE_CHECKING:
    Floats = np.ndarray[Any, np.dtype[np.float64]]

EPS = float(np.finfo(np.float64).eps)
NOISE = 4 * EPS
"""What arithmetic in float64 may add to a number of size 1: four units in the last place."""


@dataclass(frozen=True)
class Tolerance:
    """A number is within it when it differs from the reference by no more than one of the two allows.

    A relative tolerance is of the reference's size, as a relative error is: 100.5 is within 0.5 % of 100, and so is
    99.5. Of the larger of two numbers it would allow 0.5025 above 100 and 0.5 below. So it is not symmetric: which of
    the two numbers is the reference must be said.

    Attributes
    ----------
    relative, absolute : Decimal
        At least 0.
    """

    relative: Decimal = Decimal(0)
    absolute: Decimal = Decimal(0)

    def at(self, reference: Floats) -> Any:
        """Return what is allowed around each reference, in float64; a scalar where it is the same around all."""
        if not self.relative:
            return float(self.absolute)
        return np.maximum(float(self.relative) * np.abs(reference), float(self.absolute))

    def exactly_at(self, reference: Decimal) -> Decimal:
        """Return what is allowed around a reference."""
        return max(EXACT.multiply(self.relative, reference.copy_abs()), self.absolute)

    def holds(self, reference: Decimal, candidate: Decimal, noise: Decimal) -> bool:
        """Compare two numbers as they are printed, with so much noise beyond the tolerance."""
        apart = EXACT.subtract(candidate, reference).copy_abs()
        return apart <= EXACT.add(self.exactly_at(reference), noise)


def exact(number: Any) -> Decimal:
    """Return a finite number as a decimal; a float as the shortest one that reads back as it: 0.1 for 0.1."""
    number = plain(number)
    if isinstance(number, Decimal):
        return number
    if isinstance(number, numbers.Rational):
        return EXACT.divide(Decimal(int(number.numerator)), Decimal(int(number.denominator)))
    return Decimal(repr(float(number)))
