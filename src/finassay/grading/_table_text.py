"""Columns of numbers that are stored as text: distinct texts at once where they have a plain form, else one by one."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.core import InputError
from finassay.grading._missing import is_missing
from finassay.grading._table_tokens import BLANK, MISSING, NULL, UNREADABLE, VALUE
from finassay.grading._table_units import in_unit
from finassay.grading._unparsed import Unparsed

if TYPE_CHECKING:
    import pyarrow as pa

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Bools = np.ndarray[Any, np.dtype[np.bool_]]
    States = np.ndarray[Any, np.dtype[np.uint8]]

_CLEAN = r"^\s*[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$"
_FORMATTED = (
    r"^(?P<number>[+-]?(?:(?:0|[1-9]\d*)|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?)(?P<unit>(?: ?(?:%|\p{L}+))?)$"
)
_LONGEST = 40
_MOST_UNITS = 64
_PROBES = ("1", "2021", "-2.5", "1,234.5", "1234567")


def numbers_of_text(
    raw: pa.Array, units: tuple[str | None, str | None], factor: float, why: dict[object, str]
) -> tuple[Floats, States]:
    """Read text cells as numbers; `units` are what the header states and what the contract wants.

    Plain digits go through Arrow's own parser.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    clean = pc.fill_null(pc.match_substring_regex(raw, _CLEAN), False)
    values = _floats(pc.utf8_trim_whitespace(pc.if_else(clean, raw, pa.scalar(None, raw.type)))) * factor
    state = np.where(clean.to_numpy(zero_copy_only=False), VALUE, UNREADABLE).astype(np.uint8)
    state[np.isinf(values)] = UNREADABLE  # beyond float64: every such number would be equal
    state[np.asarray(raw.is_null().to_numpy(zero_copy_only=False), dtype=bool)] = NULL
    rest = np.flatnonzero(state == UNREADABLE)
    if len(rest):
        odd = raw.take(pa.array(rest)).dictionary_encode()
        known, read = _distinct(odd.dictionary, units, why)
        index = odd.indices.to_numpy(zero_copy_only=False)
        state[rest], values[rest] = known[index], read[index]
    return values, state


def _distinct(
    words: pa.Array, units: tuple[str | None, str | None], why: dict[object, str]
) -> tuple[States, Floats]:
    values, done = formatted_numbers(words, *units)
    state = np.where(done, VALUE, UNREADABLE).astype(np.uint8)
    rest = np.flatnonzero(~done)
    for place, word in zip(rest, words.take(rest).to_pylist(), strict=True):
        state[place], values[place] = _read(word, units, why)
    return state, values


def formatted_numbers(words: pa.Array, stated: str | None, wanted: str | None) -> tuple[Floats, Bools]:
    """Read thousands separators and a unit after the number in all texts at once; say which were read.

    A unit counts where `in_unit` reads it as one power of ten: moving the decimal point in the text and then rounding
    to float64 once gives the very number that `in_unit` gives.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    short = pc.less_equal(pc.utf8_length(words), _LONGEST)
    parts = pc.extract_regex(pc.if_else(short, words, pa.scalar(None, words.type)), _FORMATTED)
    number, unit = (pc.struct_field(parts, name) for name in ("number", "unit"))
    unit = pc.if_else(parts.is_valid(), unit, pa.scalar(None, unit.type)).dictionary_encode()
    known = unit.dictionary.to_pylist()
    powers = [_power(text, stated, wanted) for text in known] if len(known) <= _MOST_UNITS else []
    suffixes = pa.array([None if power is None else f"e{power}" for power in powers] or [None], words.type)
    index = unit.indices if powers else pa.nulls(len(words), pa.int32())
    digits = pc.replace_substring(number, ",", "").cast(words.type)
    values = _floats(pc.binary_join_element_wise(digits, suffixes.take(index), pa.scalar("", words.type)))
    return values, np.isfinite(values)


def _floats(text: pa.Array) -> Floats:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.if_else(pc.starts_with(text, "+"), pc.utf8_slice_codeunits(text, 1), text)
    return np.array(pc.cast(text, pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def _power(unit: str, stated: str | None, wanted: str | None) -> int | None:
    """Return the power of ten that the unit after a number multiplies it by; None if it does anything else."""
    try:
        factors = {
            in_unit(probe + unit, stated, wanted) / Decimal(probe.replace(",", "")) for probe in _PROBES
        }
    except InputError:
        return None
    sign, digits, exponent = factors.pop().normalize().as_tuple()
    return int(exponent) if not factors and (sign, digits) == (0, (1,)) else None


def _read(word: str, units: tuple[str | None, str | None], why: dict[object, str]) -> tuple[int, float]:
    if not word.strip():
        return BLANK, np.nan
    if is_missing(word):
        return MISSING, np.nan
    try:
        number = float(in_unit(word, *units))
        if math.isinf(number):
            raise Unparsed("a number", word, "out_of_range", "it is beyond float64")
    except InputError as error:
        why[word] = error.reason
        return UNREADABLE, np.nan
    return VALUE, number
