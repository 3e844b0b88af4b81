"""Results in the PostgreSQL protocol: row descriptions, and rows encoded a column at a time, as text or in binary."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from finassay.execution._wire import _text

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

BOOL, BYTEA, INT8, INT2, INT4, TEXT, JSON = 16, 17, 20, 21, 23, 25, 114
FLOAT4, FLOAT8, DATE, TIME, TIMESTAMP, TIMESTAMPTZ, INTERVAL, NUMERIC = (
    700,
    701,
    1082,
    1083,
    1114,
    1184,
    1186,
    1700,
)
_SIZES = {
    BOOL: 1,
    INT2: 2,
    INT4: 4,
    INT8: 8,
    FLOAT4: 4,
    FLOAT8: 8,
    DATE: 4,
    TIME: 8,
    TIMESTAMP: 8,
    TIMESTAMPTZ: 8,
}
_EPOCH_DAYS = 10_957  # from 1970-01-01 to 2000-01-01
_EPOCH_MICROS = _EPOCH_DAYS * 86_400 * 1_000_000


def oid_of(kind: pa.DataType) -> tuple[int, int]:
    """Return the type's object id and modifier (-1 for none) in PostgreSQL's catalog."""
    import pyarrow as pa

    kinds = pa.types
    if kinds.is_dictionary(kind):
        return oid_of(kind.value_type)
    if kinds.is_decimal(kind):
        return NUMERIC, ((kind.precision << 16) | kind.scale) + 4
    if kinds.is_integer(kind):
        unsigned = kinds.is_unsigned_integer(kind)
        wide = {8: INT2, 16: INT4 if unsigned else INT2, 32: INT8 if unsigned else INT4}
        return wide.get(kind.bit_width, NUMERIC if unsigned else INT8), -1
    if kinds.is_timestamp(kind):
        return (TIMESTAMP if kind.tz is None else TIMESTAMPTZ), -1
    if kinds.is_nested(kind):
        return JSON, -1
    tests = (
        (kinds.is_boolean, BOOL),
        (kinds.is_float64, FLOAT8),
        (kinds.is_floating, FLOAT4),
        (kinds.is_date, DATE),
        (kinds.is_time, TIME),
        (kinds.is_binary, BYTEA),
        (kinds.is_large_binary, BYTEA),
        (kinds.is_interval, INTERVAL),
    )
    return next((oid for test, oid in tests if test(kind)), TEXT), -1


def row_description(schema: pa.Schema, formats: Sequence[int]) -> bytes:
    """Return the body of a RowDescription message."""
    body = bytearray(struct.pack("!h", len(schema)))
    for field, form in zip(schema, formats, strict=True):
        oid, modifier = oid_of(field.type)
        body += field.name.encode() + b"\0"
        body += struct.pack("!ihihih", 0, 0, oid, _SIZES.get(oid, -1), modifier, form)
    return bytes(body)


def data_rows(table: pa.Table, formats: Sequence[int], tag: bytes = b"D") -> Iterator[memoryview]:
    """Yield DataRow messages, many rows at a time. ``formats`` holds 0 (text) or 1 (binary) for each column.

    A row of a binary COPY is the same message with another ``tag``.
    """
    import numpy as np

    for batch in _text.batches(table):
        parts: list[pa.Array] = []
        size = np.full(batch.num_rows, 6)
        for column, form in zip(batch.columns, formats, strict=True):
            values = _binary(column) if form else as_text(column)
            lengths = _text.lengths(values)
            size += 4 + np.maximum(lengths, 0)
            parts += [_text.records(lengths.astype(">i4")), values]
        header = np.empty(batch.num_rows, np.dtype([("tag", "S1"), ("size", ">i4"), ("columns", ">i2")]))
        header["tag"], header["size"], header["columns"] = tag, size, batch.num_columns
        yield _text.join([_text.records(header), *parts])


def as_text(column: pa.Array) -> pa.Array:
    """Return a column as the text that PostgreSQL shows, type ``binary``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    oid, _ = oid_of(column.type)
    if oid == BYTEA:
        return pa.array(
            [None if value is None else b"\\x" + value.hex().encode() for value in column.to_pylist()],
            pa.binary(),
        )
    if oid == JSON:
        return pa.array(
            [None if value is None else _text.as_text(value).encode() for value in column.to_pylist()],
            pa.binary(),
        )
    text = _text.text_column(column, ("f", "t"))
    if oid == TIMESTAMPTZ:
        return pc.binary_join_element_wise(text, b"+00", b"")
    if oid in (FLOAT4, FLOAT8):
        spelled = text.cast(pa.string())
        for ours, theirs in (("nan", "NaN"), ("inf", "Infinity")):
            spelled = pc.replace_substring(spelled, ours, theirs)
        return spelled.cast(pa.binary())
    return text


def _binary(column: pa.Array) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        return _binary(column.dictionary_decode())
    oid, _ = oid_of(column.type)
    if oid in _SIZES:
        return pc.if_else(column.is_valid(), _text.records(_fixed(column, oid)), pa.scalar(None, pa.binary()))
    if oid == NUMERIC:
        return pa.array(
            [None if value is None else numeric(value) for value in column.to_pylist()], pa.binary()
        )
    if oid == BYTEA:
        return column.cast(pa.binary())
    if oid == INTERVAL:
        return pa.array(
            [None if value is None else _interval(value) for value in column.to_pylist()], pa.binary()
        )
    return as_text(column)


def _fixed(column: pa.Array, oid: int) -> np.ndarray[Any, Any]:
    """Return big-endian values; dates and times count from 2000-01-01."""
    import numpy as np
    import pyarrow as pa

    if oid in (TIMESTAMP, TIMESTAMPTZ):
        ticks = _text.naive_microseconds(column).cast(pa.int64()).fill_null(_EPOCH_MICROS)
        return (np.asarray(ticks) - _EPOCH_MICROS).astype(">i8")
    if oid == DATE:
        days = column.cast(pa.date32()).cast(pa.int32()).fill_null(_EPOCH_DAYS)
        return (np.asarray(days) - _EPOCH_DAYS).astype(">i4")
    if oid == TIME:
        return np.asarray(column.cast(pa.time64("us"), safe=False).cast(pa.int64()).fill_null(0)).astype(
            ">i8"
        )
    if oid == BOOL:
        return np.asarray(column.cast(pa.uint8()).fill_null(0)).astype("u1")
    kind = {INT2: ">i2", INT4: ">i4", INT8: ">i8", FLOAT4: ">f4", FLOAT8: ">f8"}[oid]
    return np.asarray(column.fill_null(0)).astype(kind)


def numeric(value: Any) -> bytes:
    """Return a number as PostgreSQL's binary numeric: digits in base 10,000 with a weight, a sign and a scale."""
    text = f"{value:f}"
    negative, text = text.startswith("-"), text.lstrip("-")
    whole, _, fraction = text.partition(".")
    whole = whole.lstrip("0")
    whole = whole.zfill(-(-len(whole) // 4) * 4)
    padded = fraction.ljust(-(-len(fraction) // 4) * 4, "0")
    digits = [int((whole + padded)[at : at + 4]) for at in range(0, len(whole + padded), 4)]
    weight = len(whole) // 4 - 1
    while digits and digits[0] == 0:
        digits, weight = digits[1:], weight - 1
    while digits and digits[-1] == 0:
        digits.pop()
    sign = 0x4000 if negative and digits else 0
    return struct.pack(
        f"!hhHH{len(digits)}h", len(digits), weight if digits else 0, sign, len(fraction), *digits
    )


def _interval(value: Any) -> bytes:
    months, days, nanoseconds = value
    return struct.pack("!qii", nanoseconds // 1000, days, months)
