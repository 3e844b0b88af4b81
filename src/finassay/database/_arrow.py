"""Columns of a server's text into Arrow arrays of faithful types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from finassay.database._types import QueryError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

_CALENDAR = r"^(?:000[1-9]|00[1-9]\d|0[1-9]\d\d|[1-9]\d\d\d)-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:$|[ T][^B]*$)"
_ENDLESS = 2**63 - 1  # DuckDB's infinity as a timestamp of any unit
_INTERVAL = re.compile(
    r"P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+(?:\.\d+)?)S)?)?$"
)


def text_array(values: Sequence[Any], type_: pa.DataType, column: str, warnings: list[str]) -> pa.Array:
    """Return one column of a chunk.

    Parameters
    ----------
    values : sequence of str, bytes or None
        What the server sent: text, or bytes for a binary type.
    type_ : pyarrow.DataType
        What it becomes.
    column : str
        Its name, for messages.
    warnings : list of str
        Receives a sentence where values have no calendar date and become NULL.

    Raises
    ------
    QueryError
        If a value does not fit the type.
    """
    import pyarrow as pa

    if pa.types.is_binary(type_) or pa.types.is_large_binary(type_):
        return pa.array(values, type=type_)
    if pa.types.is_null(type_):
        return pa.nulls(len(values))
    if pa.types.is_interval(type_):
        return pa.array([_interval(value, column) for value in values], type=type_)
    if pa.types.is_list(type_):
        return _list_array(values, type_, column, warnings)
    text = pa.array(values, type=pa.string())
    if pa.types.is_string(type_):
        return text
    try:
        return _cast(text, type_)
    except pa.ArrowInvalid as error:
        if pa.types.is_date(type_) or pa.types.is_timestamp(type_):
            return _calendar_only(text, type_, column, warnings)
        raise _unfit(column, type_, error) from error


def _cast(text: pa.Array, type_: pa.DataType) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_time(type_):
        day = pa.scalar("1970-01-01 ")
        moments = pc.binary_join_element_wise(day, text, "").cast(pa.timestamp("us"))
        return moments.cast(type_)
    if pa.types.is_boolean(type_):
        # PostgreSQL says t and f, MySQL 1 and 0; anything else is an error of the cast.
        text = pc.replace_with_mask(text, pc.fill_null(pc.equal(text, "t"), False), "true")
        text = pc.replace_with_mask(text, pc.fill_null(pc.equal(text, "f"), False), "false")
    return text.cast(type_)


def _calendar_only(text: pa.Array, type_: pa.DataType, column: str, warnings: list[str]) -> pa.Array:
    """Cast dates, with NULL for zero dates, infinities and years that Arrow's calendar does not have."""
    import pyarrow as pa
    import pyarrow.compute as pc

    good = pc.fill_null(pc.match_substring_regex(text, _CALENDAR), True)
    bad = text.filter(pc.invert(good))
    kept = pc.if_else(good, text, pa.scalar(None, pa.string()))
    try:
        cast = kept.cast(type_)
    except pa.ArrowInvalid as error:
        raise _unfit(column, type_, error) from error
    example = bad[0].as_py() if len(bad) else ""
    warnings.append(
        f"{len(bad)} values of {column} are no calendar dates (such as {example!r}) and are given as NULL."
    )
    return cast


def calendar_only(table: pa.Table) -> tuple[pa.Table, tuple[str, ...]]:
    """Return a table of DuckDB's with NULL for dates outside the years 1 to 9999 and infinite ones, and warnings.

    Python and the wire protocols have no value for them, and what Arrow holds in their place is a date of its own.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    warnings = []
    for index, field in enumerate(table.schema):
        if not (pa.types.is_date32(field.type) or pa.types.is_timestamp(field.type)):
            continue
        ticks = table.column(index).cast(pa.int32() if pa.types.is_date32(field.type) else pa.int64())
        low, high = _calendar_ticks(field.type)
        span = pc.min_max(ticks)
        if span["min"].as_py() is None or (span["min"].as_py() >= low and span["max"].as_py() <= high):
            continue
        good = pc.and_(pc.greater_equal(ticks, low), pc.less_equal(ticks, high))
        bad = table.column(index).filter(pc.invert(good))
        kept = pc.if_else(good, table.column(index), pa.scalar(None, field.type))
        table = table.set_column(index, field, kept)
        warnings.append(
            f"{len(bad)} values of {field.name} are no calendar dates (such as {_spelled(bad[0])!r}) and are given as "
            "NULL."
        )
    return table, tuple(warnings)


def _spelled(moment: pa.Scalar) -> str:
    import pyarrow as pa

    endless = 2**31 - 1 if pa.types.is_date32(moment.type) else _ENDLESS
    if abs(moment.value) == endless:
        return "infinity" if moment.value > 0 else "-infinity"
    return str(moment.cast(pa.string()))


def _calendar_ticks(type_: pa.DataType) -> tuple[int, int]:
    """Return 0001-01-01 and the last moment of 9999-12-31 in the unit of a type, counted from 1970."""
    import pyarrow as pa

    day = (
        1
        if pa.types.is_date32(type_)
        else 86_400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[type_.unit]
    )
    return max(-719_162 * day, 1 - _ENDLESS), min(2_932_897 * day - 1, _ENDLESS - 1)


def _list_array(values: Sequence[Any], type_: pa.DataType, column: str, warnings: list[str]) -> pa.Array:
    import pyarrow as pa

    offsets, flat = [0], []
    for value in values:
        if value is not None:
            if any(isinstance(item, list) for item in value):
                hint = "Take it apart with unnest()."
                raise QueryError(f"The column {column} holds arrays of more than one dimension.", hint=hint)
            flat.extend(value)
        offsets.append(len(flat))
    items = text_array(flat, type_.value_type, column, warnings)
    mask = pa.array([value is None for value in values], type=pa.bool_())
    return pa.ListArray.from_arrays(pa.array(offsets, type=pa.int32()), items, mask=mask).cast(type_)


def _interval(value: str | None, column: str) -> Any:
    import pyarrow as pa

    if value is None:
        return None
    match = _INTERVAL.match(value)
    if not match:
        raise QueryError(f"The column {column} holds an interval that cannot be read: {value!r}.")
    years, months, days, hours, minutes = (int(part or 0) for part in match.groups()[:5])
    whole, _, fraction = (match.group(6) or "0").partition(".")
    sign = -1 if whole.startswith("-") else 1
    nanoseconds = int(whole) * 10**9 + sign * int(fraction.ljust(9, "0") or 0)
    return pa.MonthDayNano([years * 12 + months, days, (hours * 3600 + minutes * 60) * 10**9 + nanoseconds])


def _unfit(column: str, type_: pa.DataType, error: Exception) -> QueryError:
    hint = "Convert it in the statement, for instance with CAST(… AS CHAR)."
    return QueryError(f"A value of the column {column} is no {type_}: {error}", reason="bad_value", hint=hint)


def decimal_type(values: Sequence[pa.Array]) -> pa.DataType:
    """Return the narrowest of the types that hold decimals written as text without loss.

    ``decimal128(38, s)`` with the largest scale that occurs, else ``decimal256(76, s)``, else ``float64``, which also
    takes NaN and the infinities, which no decimal has. No values at all give ``decimal128(38, 0)``.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = scale = 0
    for text in values:
        if pc.any(pc.match_substring_regex(text, r"[A-DF-Za-df-z]")).as_py():
            return pa.float64()
        digits = pc.replace_substring_regex(text, r"^-", "")
        point = pc.find_substring(digits, ".")
        length = pc.utf8_length(digits)
        wholes = pc.if_else(pc.less(point, 0), length, point)
        scales = pc.if_else(pc.less(point, 0), 0, pc.subtract(pc.subtract(length, point), 1))
        whole = max(whole, pc.max(wholes).as_py() or 0)
        scale = max(scale, pc.max(scales).as_py() or 0)
    if whole + scale <= 38:
        return pa.decimal128(38, scale)
    return pa.decimal256(76, scale) if whole + scale <= 76 else pa.float64()
