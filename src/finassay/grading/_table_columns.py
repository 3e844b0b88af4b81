"""Columns under a column contract, read into arrays that compare fast."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.grading._table_cells import cell_value, is_text
from finassay.grading._table_text import numbers_of_text
from finassay.grading._table_tokens import (
    BLANK,
    MISSING,
    NAN,
    NULL,
    UNREADABLE,
    VALUE,
    canonical_values,
)
from finassay.grading._table_units import unit_factor

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.grading._contract import ColumnContract

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Ints = np.ndarray[Any, np.dtype[np.int64]]
    Bools = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class NumberColumn:
    """One column of one table.

    ``state`` says what each cell is; numbers are in ``values`` (NaN where there is none); ``raw`` is the column as
    given, ``why`` the reason of each unreadable raw text.
    """

    raw: pa.Array
    state: np.ndarray[Any, np.dtype[np.uint8]]
    values: Floats
    why: dict[object, str]
    unit: str | None
    exact: bool

    def shown(self, row: int) -> object:
        return cell_value(self.raw[row])

    def integers(self, rows: Ints) -> Ints | None:
        """Return the cells as they are written, if all of them are integers of 64 bits."""
        import pyarrow as pa
        import pyarrow.compute as pc

        cells = self.raw.take(pa.array(rows))
        if is_text(cells.type) and not pc.all(pc.match_substring_regex(cells, r"^-?\d{1,18}$")).as_py():
            return None
        if not is_text(cells.type) and not pa.types.is_integer(cells.type):
            return None
        try:
            return np.asarray(pc.cast(cells, pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)
        except pa.ArrowInvalid:  # beyond 64 bits
            return None

    def identity(self, rows: Ints) -> Ints:
        """Codes of the cells as they were written: equal codes are equal to the last bit."""
        import pyarrow as pa

        encoded = self.raw.take(pa.array(rows)).dictionary_encode()
        return np.asarray(encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


# ---- numbers -------------------------------------------------------------------------------------------------------


def read_numbers(raw: pa.Array, contract: ColumnContract, header_unit: str | None) -> NumberColumn:
    """Read a column of numbers in the contract's unit."""
    import pyarrow as pa

    factor = column_factor(header_unit, contract)
    type_ = raw.type
    why: dict[object, str] = {}
    if factor is None:
        state = np.where(_null_mask(raw), NULL, UNREADABLE).astype(np.uint8)
        why[None] = "wrong_unit"
        values = np.full(len(raw), np.nan)
    elif pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_):
        values = _as_float(raw)
        state = np.where(np.isnan(values), NAN, VALUE).astype(np.uint8)
        state[_null_mask(raw)] = NULL
    elif is_text(type_):
        values, state = numbers_of_text(raw, (header_unit, contract.unit), float(factor), why)
        return NumberColumn(raw, _merge_missing(state, contract), values, why, header_unit, exact=True)
    else:
        values = np.full(len(raw), np.nan)
        state = np.where(_null_mask(raw), NULL, UNREADABLE).astype(np.uint8)
        why[None] = "not_a_number"
    if factor not in (None, 1):
        values = values * float(factor or 1)
    exact = not pa.types.is_floating(type_)
    return NumberColumn(raw, _merge_missing(state, contract), values, why, header_unit, exact)


def column_factor(header_unit: str | None, contract: ColumnContract) -> Decimal | None:
    if header_unit is None or contract.unit is None:
        return Decimal(1)
    return unit_factor(header_unit, contract.unit)


def _as_float(raw: pa.Array) -> Floats:
    import pyarrow as pa
    import pyarrow.compute as pc

    floats = raw if raw.type == pa.float64() else pc.cast(raw, pa.float64(), safe=False)
    return np.array(floats.to_numpy(zero_copy_only=False), dtype=np.float64)


# ---- everything that is not a number -------------------------------------------------------------------------------


@dataclass(frozen=True)
class TokenColumn:
    """One column of one table as codes into a vocabulary shared by both tables; codes below zero are not values."""

    raw: pa.Array
    state: np.ndarray[Any, np.dtype[np.uint8]]
    codes: Ints
    why: dict[object, str]
    unit: str | None = None

    def shown(self, row: int) -> object:
        return cell_value(self.raw[row])

    def identity(self, rows: Ints) -> Ints:
        """Codes of the canonical values."""
        return self.codes[rows]


def read_tokens(
    left: pa.Array, right: pa.Array, contract: ColumnContract
) -> tuple[TokenColumn, TokenColumn, pa.Array]:
    """Read two columns of text, dates, codes ... as codes into one vocabulary of canonical values.

    Only the distinct cells of each column are read.
    """
    import pyarrow as pa

    why: dict[object, str] = {}
    encoded = [raw.dictionary_encode() for raw in (left, right)]
    states, words = zip(*(canonical_values(part.dictionary, contract, why) for part in encoded), strict=True)
    joint = pa.concat_arrays([part.cast(pa.large_string()) for part in words])
    joint = joint.dictionary_encode()
    codes = np.asarray(joint.indices.fill_null(0), dtype=np.int64)
    sides = []
    for raw, part, state, known in zip(
        (left, right), encoded, states, (codes[: len(words[0])], codes[len(words[0]) :]), strict=True
    ):
        # the last place of each lookup is for index -1: NULL in the column itself
        index = np.asarray(part.indices.fill_null(-1))
        cells = _merge_missing(np.append(state, np.uint8(NULL)), contract)
        lookup = np.where(cells == VALUE, np.append(known, 0), -cells.astype(np.int64))
        sides.append(TokenColumn(raw, cells[index], lookup[index], why))
    return sides[0], sides[1], joint.dictionary


def _merge_missing(state: np.ndarray[Any, np.dtype[np.uint8]], contract: ColumnContract) -> Any:
    if contract.empties != "distinct":
        state = np.where((state == NULL) | (state == NAN) | (state == BLANK), MISSING, state).astype(np.uint8)
    return state


def _null_mask(raw: pa.Array) -> Bools:
    return np.asarray(raw.is_null(nan_is_null=False).to_numpy(zero_copy_only=False), dtype=bool)
