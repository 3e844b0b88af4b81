"""The same column of two tables: which cells are equal, which may be, and how far apart numbers may stand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.grading._codes import Code, filled
from finassay.grading._contract import NUMERIC_TYPES, ColumnContract
from finassay.grading._table_columns import (
    NumberColumn,
    TokenColumn,
    column_factor,
    read_numbers,
    read_tokens,
)
from finassay.grading._table_tokens import MARKET, UNREADABLE, VALUE
from finassay.grading._table_units import in_unit
from finassay.grading._tolerance import EPS, NOISE, Tolerance, exact
from finassay.grading._unparsed import Unparsed

if TYPE_CHECKING:
    import pyarrow as pa

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Ints = np.ndarray[Any, np.dtype[np.int64]]
    Bools = np.ndarray[Any, np.dtype[np.bool_]]

_OF_INTEGERS = Tolerance(absolute=Decimal("1e-6"))
_FLOOR = Decimal("1e-12")


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

    def ordering(self, side: int, rows: Ints) -> Floats:
        """Return numbers that order the rows of a side (0: reference) as `window` does; none are needed for codes."""
        del side
        return np.zeros(len(rows))

    def decides(self, i: Ints, j: Ints, group: tuple[Ints, Ints], size: int) -> Bools:
        """Say for each group of rows (all of the same `clusters`) whether two of its cells may be unequal."""
        del i, j, group
        return np.zeros(size, dtype=bool)

    def sameness(self, i: Ints, j: Ints) -> tuple[Ints, Ints]:
        """Return codes of the cells on both sides that are equal where the cells are surely the same."""
        return self.clusters[0][i], self.clusters[1][j]

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

    def mixes_zones(self) -> bool:
        """Say whether some of the reference's times state their zone and some do not: they are in no order."""
        if self.contract.type != "datetime":
            return False
        words = self._words.to_pylist()
        return len({words[code].endswith("Z") for code in np.unique(self.reference.codes) if code >= 0}) > 1

    def sortable(self, rows: Ints) -> Floats:
        words = np.array(self._words.to_pylist(), dtype=object)  # ordered by code point
        place = np.zeros(len(words) + 1)
        place[np.argsort(words)] = np.arange(len(words))
        codes = self.reference.codes[rows]
        return place[np.where(codes >= 0, codes, -1)]


class CodePair(TokenPair):
    """Security codes, cell by cell as `Code.agrees_with` has it.

    A code that states no market is that of its symbol on any one: 000001 agrees with 000001.SH and with 000001.SZ,
    which are two. So equal cells share a symbol, and not a code.
    """

    def __init__(
        self, contract: ColumnContract, reference: TokenColumn, candidate: TokenColumn, words: pa.Array
    ) -> None:
        super().__init__(contract, reference, candidate, words)
        self._known = [
            Code(symbol, market or None, word) for word, symbol, market in map(_split, words.to_pylist())
        ]
        filled_symbols = np.array([filled(code.symbol) for code in self._known], dtype=object)
        self._filled = np.unique(filled_symbols, return_inverse=True)[1].astype(np.int64)
        self._open = np.array([code.market is None for code in self._known], dtype=bool)

    def equal(self, i: Ints, j: Ints) -> Bools:
        same = super().equal(i, j)
        a, b = self.reference.codes[i], self.candidate.codes[j]
        maybe = np.flatnonzero(~same & (a >= 0) & (b >= 0))
        a, b = a[maybe], b[maybe]
        near = (self._filled[a] == self._filled[b]) & (self._open[a] != self._open[b])
        for at, x, y in zip(maybe[near], a[near], b[near], strict=True):
            same[at] = self._known[x].agrees_with(self._known[y])
        return same

    @property
    def clusters(self) -> tuple[Ints, Ints]:
        return self._cluster(self.reference.codes), self._cluster(self.candidate.codes)

    def decides(self, i: Ints, j: Ints, group: tuple[Ints, Ints], size: int) -> Bools:
        codes = self.sameness(i, j)
        low, high = _extremes(np.concatenate(codes).astype(np.float64), np.concatenate(group), size)
        return np.asarray(low < high)

    def sameness(self, i: Ints, j: Ints) -> tuple[Ints, Ints]:
        return self.reference.codes[i], self.candidate.codes[j]

    def _cluster(self, codes: Ints) -> Ints:
        return np.where(codes >= 0, np.append(self._filled, 0)[np.maximum(codes, -1)], codes)


def _extremes(values: Floats, group: Ints, size: int) -> tuple[Floats, Floats]:
    """Return the least and the greatest value of each group, and 0 of a group without any."""
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, group, values)
    np.maximum.at(high, group, values)
    none = low > high
    return np.where(none, 0.0, low), np.where(none, 0.0, high)


def _split(word: str) -> tuple[str, str, str]:
    symbol, _, market = word.partition(MARKET)
    return word, symbol, market


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
            tolerance, noise = self._tolerance.at(a), self._noise(size)
            apart = np.abs(a - b)
            same = ((apart <= tolerance + noise) & np.isfinite(size)) | (a == b)
            guard = NOISE * size
            unsure = (np.abs(apart - tolerance) <= guard) & np.isfinite(size)
            if self.reference.exact and self.candidate.exact:
                unsure &= (a != b) | (2 * EPS * size >= self._step)  # float64 tells these apart
            else:
                # a number times its unit is rounded: neighbouring cents may meet
                restated = self.reference.unit != self.candidate.unit
                unsure &= ((a != b) | restated) & (guard > noise)
        left, right = self.reference.state[i], self.candidate.state[j]
        same = np.where((left == VALUE) & (right == VALUE), same, (left == right) & (left != UNREADABLE))
        if unsure.any():
            at = np.flatnonzero(unsure)
            same[at] = self._exactly_equal(i[at], j[at], noise[at])
        if self._sign_counts:
            same &= ~((np.minimum(a, b) < 0) & (np.maximum(a, b) > 0))
        return np.asarray(same, dtype=bool)

    @property
    def _sign_counts(self) -> bool:
        """Whether a number may never change its sign; where decimals are declared, 0.001 and -0.001 are both 0.00."""
        return not self._step

    @property
    def _step(self) -> float:
        """The distance of neighbouring declared values: 1 of integers, 0.01 of two decimals, 0 of undeclared ones."""
        if self.contract.decimals is not None:
            return float(10.0**-self.contract.decimals)
        return 1.0 if self.contract.type == "integer" else 0.0

    def _noise(self, size: Floats) -> Floats:
        """Return what may be float noise at that size: 4 units in the last place, and at most an eighth of a step.

        With half a step of tolerance, an eighth of noise never reaches the next declared value.
        """
        guard = NOISE * size
        return np.minimum(guard, self._step / 8) if self._step else guard

    def slack(self, values: Floats) -> Floats:
        size = np.abs(values)
        return np.asarray(self._tolerance.at(size) + self._noise(size))

    @cached_property
    def _tolerance(self) -> Tolerance:
        """The declared tolerance."""
        if self.contract.decimals is not None:
            return Tolerance(absolute=Decimal(5).scaleb(-self.contract.decimals - 1))
        if self.contract.type == "integer":
            return _OF_INTEGERS
        return Tolerance(exact(self.contract.relative), _FLOOR)

    def _exactly_equal(self, i: Ints, j: Ints, noise: Floats) -> Bools | list[bool]:
        if self._step and self.reference.unit is None and self.candidate.unit is None:
            left, right = self.reference.integers(i), self.candidate.integers(j)
            if left is not None and right is not None:
                return np.asarray(left == right)  # half a step or less apart: the same integer
        if self.reference.exact and self.candidate.exact:
            noise = np.zeros(len(noise))
        return [self._equal_decimals(int(a), int(b), float(n)) for a, b, n in zip(i, j, noise, strict=True)]

    def _equal_decimals(self, i: int, j: int, noise: float) -> bool:
        """Compare numbers as they are printed where float64 arithmetic is too coarse.

        A float64 is printed as the shortest decimal that reads back as it: up to 15 digits, what it was made from.
        """
        a, b = self._decimal(self.reference, i), self._decimal(self.candidate, j)
        if self._tolerance.holds(a, b, Decimal(noise)):
            return True
        return self._is_nearest(self.reference, i, b) or self._is_nearest(self.candidate, j, a)

    def _is_nearest(self, side: NumberColumn, row: int, number: Decimal) -> bool:
        """Say whether a cell is the float64 that a number has in the cell's own unit: it cannot say more."""
        cell = side.shown(row)
        return (
            isinstance(cell, float) and float(number / (column_factor(side.unit, self.contract) or 1)) == cell
        )

    def _decimal(self, side: NumberColumn, row: int) -> Decimal:
        raw = side.shown(row)
        if isinstance(raw, str):
            try:
                return in_unit(raw, side.unit, self.contract.unit)
            except Unparsed:  # what only the column's reader takes: 1e305, more than 256 digits
                raw = raw.strip()
        text = repr(raw) if isinstance(raw, float) else str(raw)
        return Decimal(text) * (column_factor(side.unit, self.contract) or 1)

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
        """Return what surely covers the tolerance around a number of that size, and its noise."""
        return np.asarray(1.001 * (self._tolerance.at(size) + NOISE * size))

    def sortable(self, rows: Ints) -> Floats:
        return np.nan_to_num(self.reference.values[rows])

    def ordering(self, side: int, rows: Ints) -> Floats:
        return np.nan_to_num((self.reference, self.candidate)[side].values[rows])

    def decides(self, i: Ints, j: Ints, group: tuple[Ints, Ints], size: int) -> Bools:
        values = np.concatenate([self.ordering(0, i), self.ordering(1, j)])
        low, high = _extremes(values, np.concatenate(group), size)
        least = np.where(np.sign(low) == np.sign(high), np.minimum(np.abs(low), np.abs(high)), 0.0)
        with np.errstate(over="ignore"):
            return np.asarray(
                ((high - low) > 0.99 * self._tolerance.at(least))
                | (self._sign_counts & (low < 0) & (high > 0))
            )

    def sameness(self, i: Ints, j: Ints) -> tuple[Ints, Ints]:
        values = np.concatenate([self.ordering(0, i), self.ordering(1, j)])
        codes = np.unique(values, return_inverse=True)[1].astype(np.int64)
        return codes[: len(i)], codes[len(i) :]

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
    kind = CodePair if contract.type == "code" else TokenPair
    return kind(contract, *read_tokens(reference, candidate, contract))
