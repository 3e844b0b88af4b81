"""Canonical values of a column of text, dates, periods, codes ...: one parse per distinct cell."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.core import InputError
from finassay.grading._codes import parse_code
from finassay.grading._dates import parse_datetime
from finassay.grading._enumerations import parse_enumeration
from finassay.grading._missing import is_missing
from finassay.grading._periods import parse_period
from finassay.grading._table_cells import cell_value, text_of

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.grading._contract import ColumnContract

    States = np.ndarray[Any, np.dtype[np.uint8]]

VALUE, MISSING, NULL, NAN, BLANK, UNREADABLE = range(6)
"""What a cell is. Unless ``empties`` is ``distinct``, NULL, NaN and blank text all become MISSING."""

_TRUE = frozenset({"true", "t", "yes", "y", "1", "是", "真"})
_FALSE = frozenset({"false", "f", "no", "n", "0", "否", "假"})
_ISO_DATE = r"^\d{4}-\d{2}-\d{2}$"
_FINER = re.compile(r"(?<=[0-9][.,][0-9]{6})[0-9]+")
"""Digits beyond the microsecond, which the standard library would cut off."""
MARKET = "\x1f"
"""Between the symbol and the market of a code: a point may also precede a share class (BRK.B)."""


def canonical_values(
    raw: pa.Array, contract: ColumnContract, why: dict[object, str]
) -> tuple[States, pa.Array]:
    """Return what each cell is, and its canonical text (null where it has none).

    ``why`` collects the reason of every distinct text that cannot be read.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    state = np.full(len(raw), VALUE, dtype=np.uint8)
    if pa.types.is_floating(raw.type):
        state[np.asarray(pc.fill_null(pc.is_nan(raw), False).to_numpy(zero_copy_only=False))] = NAN
        raw = pc.if_else(pc.is_nan(raw), pa.scalar(None, raw.type), raw)
    nulls = np.asarray(raw.is_null().to_numpy(zero_copy_only=False), dtype=bool)
    state[nulls & (state == VALUE)] = NULL
    try:
        typed = _typed(raw, contract.type)
    except pa.ArrowException:  # no day of the calendar: read as text, which names the cell
        typed = None
    if typed is not None:
        return state, typed
    text = _as_text(raw)
    if contract.type == "text":
        words = fold_text(text)
        blank = np.asarray(
            pc.fill_null(pc.equal(words, ""), False).to_numpy(zero_copy_only=False), dtype=bool
        )
        state[blank] = BLANK
        return state, pc.if_else(pa.array(blank), pa.scalar(None, words.type), words)
    return _parsed(text, contract, state, why)


def fold_text(text: pa.Array) -> pa.Array:
    """Return text in NFKC with single spaces and none at the ends; case is kept."""
    import pyarrow.compute as pc

    if not pc.all(pc.string_is_ascii(text)).as_py():
        text = pc.utf8_normalize(text, form="NFKC")
    if _may_have_odd_spaces(text):
        text = pc.utf8_trim_whitespace(pc.replace_substring_regex(text, pattern=r"\s+", replacement=" "))
    return text


def _may_have_odd_spaces(text: pa.Array) -> bool:
    """Look at the bytes of the whole column: far cheaper than a regular expression on each cell."""
    if not len(text) or text.buffers()[2] is None:
        return False
    offsets = np.frombuffer(text.buffers()[1], dtype=np.int64)[text.offset : text.offset + len(text) + 1]
    data = np.frombuffer(text.buffers()[2], dtype=np.uint8)[offsets[0] : offsets[-1]]
    offsets = offsets - offsets[0]
    space = data == ord(" ")
    if bool(((data >= ord("\t")) & (data <= ord("\r"))).any() or (space[1:] & space[:-1]).any()):
        return True
    starts, ends = offsets[:-1], offsets[1:]
    filled = ends > starts
    return bool(space[starts[filled]].any() or space[ends[filled] - 1].any())


def _typed(raw: pa.Array, kind: str) -> pa.Array | None:
    """Arrow's own dates, timestamps and booleans need no parsing; None where the type says nothing."""
    import pyarrow as pa

    if kind == "boolean" and pa.types.is_boolean(raw.type):
        return raw.cast(pa.large_string())
    if kind == "date" and pa.types.is_date(raw.type):
        return raw.cast(pa.date32()).cast(pa.large_string())
    if kind == "datetime" and (pa.types.is_timestamp(raw.type) or pa.types.is_date(raw.type)):
        return _nanoseconds(raw)
    if kind == "date" and pa.types.is_string(raw.type):
        return _iso_dates(raw)
    return None


def _nanoseconds(raw: pa.Array) -> pa.Array:
    """Return dates and timestamps as text with nine digits of the second; those of a zone in UTC, marked Z."""
    import pyarrow as pa
    import pyarrow.compute as pc

    finer = pa.types.is_timestamp(raw.type) and raw.type.unit == "ns"
    text = pc.strftime(raw.cast(pa.timestamp("ns" if finer else "us")), format="%Y-%m-%dT%H:%M:%S")
    zone = "Z" if pa.types.is_timestamp(raw.type) and raw.type.tz is not None else ""
    return pc.binary_join_element_wise(text, ("" if finer else "000") + zone, "").cast(pa.large_string())


def _iso_dates(raw: pa.Array) -> pa.Array | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pc.all(pc.fill_null(pc.match_substring_regex(raw, _ISO_DATE), True)).as_py():
        return None
    return pc.cast(raw, pa.date32()).cast(pa.large_string())


def _as_text(raw: pa.Array) -> pa.Array:
    import pyarrow as pa

    try:
        if not pa.types.is_binary(raw.type):
            return raw.cast(pa.large_string())
    except pa.ArrowException:
        pass  # an unknown time zone, a day beyond the calendar
    return pa.array([text_of(cell_value(v)) if v.is_valid else None for v in raw], pa.large_string())


def _parsed(
    text: pa.Array, contract: ColumnContract, state: States, why: dict[object, str]
) -> tuple[States, pa.Array]:
    import pyarrow as pa

    read = [(None, None) if word is None else _read(word, contract, why) for word in text.to_pylist()]
    state = np.array(
        [old if kind is None else kind for old, (kind, _) in zip(state, read, strict=True)], dtype=np.uint8
    )
    return state, pa.array([value for _, value in read], pa.large_string())


def _read(word: str, contract: ColumnContract, why: dict[object, str]) -> tuple[int, str | None]:
    if not word.strip():
        return BLANK, None
    if contract.type not in ("code", "enumeration") and is_missing(word):
        return MISSING, None
    try:
        return VALUE, _READERS[contract.type](word, contract)
    except InputError as error:
        why[word] = error.reason
        return UNREADABLE, None


def _read_boolean(word: str, contract: ColumnContract) -> str:
    folded = word.strip().casefold()
    if folded in _TRUE or folded in _FALSE:
        return "true" if folded in _TRUE else "false"
    raise InputError(
        f"expected a yes or no in column {contract.name!r}, got {word!r}", reason="not_a_boolean"
    )


def _moment(word: str) -> tuple[dt.datetime, str]:
    """Return the moment to the microsecond, and the digits of the second beyond it."""
    finer = _FINER.search(word)
    if finer:
        word = word[: finer.start()] + word[finer.end() :]
    digits = finer.group().rstrip("0") if finer else ""
    try:
        return dt.datetime.fromisoformat(word.strip()), digits
    except ValueError:
        return parse_datetime(word), digits  # not the spelling of ISO 8601


def _read_date(word: str, _contract: ColumnContract) -> str:
    moment, finer = _moment(word)
    if finer or moment.time() != dt.time():
        raise InputError(f"expected a date, got a time of day: {word!r}", reason="time_of_day")
    return moment.date().isoformat()


def _read_datetime(word: str, _contract: ColumnContract) -> str:
    moment, finer = _moment(word)
    zone = "" if moment.tzinfo is None else "Z"  # a time without a zone is none of any zone
    if zone:
        try:
            moment = moment.astimezone(dt.UTC).replace(tzinfo=None)
        except OverflowError as error:
            raise InputError(f"{word!r} is outside the calendar in UTC", reason="out_of_range") from error
    return moment.isoformat(timespec="microseconds") + finer.ljust(3, "0") + zone


def _read_period(word: str, contract: ColumnContract) -> str:
    period = parse_period(word, fiscal_year_end=contract.fiscal_year_end)
    return f"{period.start}/{period.end}{' estimate' if period.estimate else ''}"


def _read_enumeration(word: str, contract: ColumnContract) -> str:
    return parse_enumeration(word, contract.values)


def _read_code(word: str, _contract: ColumnContract) -> str:
    code = parse_code(word)
    return f"{code.symbol}{MARKET}{code.market or ''}"


_READERS: dict[str, Callable[[str, ColumnContract], str]] = {
    "boolean": _read_boolean,
    "date": _read_date,
    "datetime": _read_datetime,
    "period": _read_period,
    "code": _read_code,
    "enumeration": _read_enumeration,
}
