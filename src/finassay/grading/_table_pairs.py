"""The same column of two tables: which cells are equal, which may be, and how far apart numbers may stand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.grading._contract import NUMERIC_TYPES, ColumnContract
from finassay.grading._table_columns import (
    NumberColumn,
    TokenColumn,
    column_factor,
    read_numbers,
    read_tokens,
)
from finassay.grading._table_tokens import UNREADABLE, VALUE
from finassay.grading._table_units import in_unit
from finassay.grading._unparsed import Unparsed

if TYPE_CHECKING:
    import pyarrow as pa

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Ints = np.ndarray[Any, np.dtype[np.int64]]
    Bools = np.ndarray[Any, np.dtype[np.bool_]]

_EPS = float(np.finfo(np.float64).eps)
_INTEGER_NOISE = 1e-6
_FLOOR = 1e-12
_EXACT_INTEGERS = 2.0**53


class ColumnPair(ABC):
    """The same column of the reference and of the candidate."""

    contract: ColumnContract
    reference: NumberColumn | TokenColumn
    candidate: NumberColumn | TokenColumn

    @abstractmethod
    def equal(self, i: Ints, j: Ints) -> Bools:
        """Say for each pair of rows (reference ``i``, candidate ``j``) whether the two cells are equal."""

    @property
    @abstractmethod
    def clusters(self) -> tuple[Ints, Ints]:
        """Codes for which equal cells have equal codes (the reverse need not hold), reference and candidate."""

    @abstractmethod
    def sortable(self, rows: Ints) -> Floats:
        """Return numbers by which the reference's rows are ordered; any number where there is no value."""

    def slack(self, values: Floats) -> Floats:
        """Return by how much a sortable number equal to each value may differ from it."""
        return np.zeros(len(values))

    def window(self, i: Ints, j: Ints, group_i: Ints, group_j: Ints) -> tuple[Ints, Ints, Ints]:
        """For each reference row, the candidate rows of its group whose cell may be equal.

        Returns ``low`` and ``high`` into ``position``, which lists places in `j` by group. Groups hold rows of the same
        `clusters`, so that only numbers can still differ within one.
        """
        del i, j
        order = np.argsort(group_j, kind="stable")
        low, high = (np.searchsorted(group_j[order], group_i, side=side) for side in ("left", "right"))
        return low, high, order


class TokenPair(ColumnPair):
    """Text, dates, periods, codes, enumerations, booleans: equal codes are equal cells."""

    def __init__(
        self, contract: ColumnContract, reference: TokenColumn, candidate: TokenColumn, words: pa.Array
    ) -> None:
        self.contract = contract
        self.reference: TokenColumn = reference
        self.candidate: TokenColumn = candidate
        self._words = words

    def equal(self, i: Ints, j: Ints) -> Bools:
        codes = self.reference.codes[i]
        return np.asarray((codes == self.candidate.codes[j]) & (codes != -UNREADABLE))

    @property
    def clusters(self) -> tuple[Ints, Ints]:
        return self.reference.codes, self.candidate.codes

    def sortable(self, rows: Ints) -> Floats:
        words = np.array(self._words.to_pylist(), dtype=object)  # ordered by code point
        place = np.zeros(len(words) + 1)
        place[np.argsort(words)] = np.arange(len(words))
        codes = self.reference.codes[rows]
        return place[np.where(codes >= 0, codes, -1)]


class NumberPair(ColumnPair):
    """Numbers and integers, within the tolerance of their contract."""

    def __init__(self, contract: ColumnContract, reference: NumberColumn, candidate: NumberColumn) -> None:
        self.contract = contract
        self.reference: NumberColumn = reference
        self.candidate: NumberColumn = candidate

    def equal(self, i: Ints, j: Ints) -> Bools:
        a, b = self.reference.values[i], self.candidate.values[j]
        with np.errstate(invalid="ignore", over="ignore"):
            size = np.maximum(np.abs(a), np.abs(b))
            tolerance, guard = self._tolerance(size)
            apart = np.abs(a - b)
            same = ((apart <= tolerance + self._noise(size, guard)) & np.isfinite(size)) | (a == b)
            unsure = (np.abs(apart - tolerance) <= guard) & np.isfinite(size)
            unsure &= (a != b) | (2 * _EPS * size >= self._step)  # float64 tells these apart
        left, right = self.reference.state[i], self.candidate.state[j]
        same = np.where((left == VALUE) & (right == VALUE), same, (left == right) & (left != UNREADABLE))
        if self.reference.exact and self.candidate.exact and unsure.any():
            at = np.flatnonzero(unsure)
            same[at] = self._exactly_equal(i[at], j[at])
        return np.asarray(same, dtype=bool)

    @property
    def _step(self) -> float:
        """The distance of neighbouring declared values: 1 of integers, 0.01 of two decimals, 0 of undeclared ones."""
        if self.contract.decimals is not None:
            return float(10.0**-self.contract.decimals)
        return 1.0 if self.contract.type == "integer" else 0.0

    def _noise(self, size: Floats, guard: Floats) -> Floats:
        """Return the guard where it cannot swallow a step.

        While two units in the last place are at most a step, floats of neighbouring declared values are two thirds of
        a step apart or more: half a step of tolerance and an eighth of noise keep them different. Integers are exact
        up to 2^53.
        """
        exact = _EXACT_INTEGERS if self.contract.type == "integer" else _EXACT_INTEGERS / 4
        return np.where(size < exact * self._step, np.minimum(guard, self._step / 8), guard)

    def slack(self, values: Floats) -> Floats:
        tolerance, guard = self._tolerance(np.abs(values))
        return np.asarray(tolerance + guard)

    def _tolerance(self, size: Floats) -> tuple[Any, Floats]:
        """Return the declared tolerance and the guard for float noise (4 units in the last place) at that size."""
        guard = 4 * _EPS * size
        if self.contract.decimals is not None:
            return 0.5 * 10.0**-self.contract.decimals, guard
        if self.contract.type == "integer":
            return _INTEGER_NOISE, guard
        return np.maximum(self.contract.relative * size, _FLOOR), guard

    def _exactly_equal(self, i: Ints, j: Ints) -> Bools | list[bool]:
        if self._step and self.reference.unit is None and self.candidate.unit is None:
            left, right = self.reference.integers(i), self.candidate.integers(j)
            if left is not None and right is not None:
                return np.asarray(left == right)  # half a step or less apart: the same integer
        return [self._equal_decimals(int(a), int(b)) for a, b in zip(i, j, strict=True)]

    def _equal_decimals(self, i: int, j: int) -> bool:
        """Compare two exact numbers (integers, decimals, text) that float64 cannot tell apart finely enough."""
        a, b = self._decimal(self.reference, i), self._decimal(self.candidate, j)
        if self.contract.decimals is not None:
            return abs(a - b) <= Decimal(5).scaleb(-self.contract.decimals - 1)
        if self.contract.type == "integer":
            return abs(a - b) <= Decimal(_INTEGER_NOISE)
        return abs(a - b) <= Decimal(self.contract.relative) * max(abs(a), abs(b))

    def _decimal(self, side: NumberColumn, row: int) -> Decimal:
        raw = side.shown(row)
        if isinstance(raw, str):
            try:
                return in_unit(raw, side.unit, self.contract.unit)
            except (
                Unparsed
            ):  # digits that the column reader takes and a single cell's does not, such as 002198
                raw = raw.strip()
        return Decimal(str(raw)) * (column_factor(side.unit, self.contract) or 1)

    @cached_property
    def clusters(self) -> tuple[Ints, Ints]:
        """Link numbers along their sorted values wherever neighbours are within tolerance.

        Tolerance equality is not transitive: a rounding grid would cut equal pairs at its borders, a chain never does.
        """
        values = np.concatenate([self.reference.values, self.candidate.values])
        state = np.concatenate([self.reference.state, self.candidate.state])
        codes = np.where(state == VALUE, 0, -state.astype(np.int64))
        at = np.flatnonzero(state == VALUE)
        order = at[np.argsort(values[at])]
        ordered = values[order]
        with np.errstate(invalid="ignore"):
            reach = self._reach(np.maximum(np.abs(ordered[1:]), np.abs(ordered[:-1])))
            apart = ~((np.diff(ordered) <= reach) | (ordered[1:] == ordered[:-1]))
        codes[order] = np.concatenate([[0], np.cumsum(apart)]) if len(order) else 0
        n = len(self.reference.values)
        return codes[:n], codes[n:]

    def _reach(self, size: Floats) -> Floats:
        """Return what surely covers the tolerance: a relative one is wider at the larger end."""
        tolerance, guard = self._tolerance(size)
        return np.asarray(1.001 * (tolerance + guard) / (1 - self.contract.relative))

    def sortable(self, rows: Ints) -> Floats:
        return np.nan_to_num(self.reference.values[rows])

    def window(self, i: Ints, j: Ints, group_i: Ints, group_j: Ints) -> tuple[Ints, Ints, Ints]:
        a, b = np.nan_to_num(self.reference.values[i]), np.nan_to_num(self.candidate.values[j])
        reach = self._reach(np.abs(a))
        levels, rank = np.unique(b, return_inverse=True)
        span = len(levels) + 1
        order = np.argsort(group_j * span + rank, kind="stable")
        keys = (group_j * span + rank)[order]
        low = np.searchsorted(keys, group_i * span + np.searchsorted(levels, a - reach, side="left"))
        high = np.searchsorted(keys, group_i * span + np.searchsorted(levels, a + reach, side="right"))
        return low, high, order


def pair_columns(
    reference: pa.Array, candidate: pa.Array, contract: ColumnContract, units: tuple[str | None, str | None]
) -> ColumnPair:
    """Read the same column of both tables under its contract; `units` are what the two headers state."""
    if contract.type in NUMERIC_TYPES:
        left, right = read_numbers(reference, contract, units[0]), read_numbers(candidate, contract, units[1])
        return NumberPair(contract, left, right)
    return TokenPair(contract, *read_tokens(reference, candidate, contract))
