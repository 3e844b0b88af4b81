"""Results in the MySQL protocol: column definitions, and rows encoded a column at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from finassay.execution._wire import _text

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from finassay.execution._wire._mysql_charsets import Charsets

_BINARY = 63
_TINY, _SHORT, _LONG, _FLOAT, _DOUBLE, _NULL, _LONGLONG = 1, 2, 3, 4, 5, 6, 8
_DATE, _TIME, _DATETIME = 10, 11, 12
_NEWDECIMAL, _BLOB, _VAR_STRING = 246, 252, 253
_UNSIGNED, _BINARY_FLAG = 32, 128


class _Kind(NamedTuple):
    """A column type: its code, display length (of text in characters), decimals, flags, whether it is text."""

    code: int
    length: int = 255
    decimals: int = 0
    flags: int = _BINARY_FLAG
    is_text: bool = False


def lenenc(number: int) -> bytes:
    """Return a length-encoded integer; -1 is NULL."""
    if number < 0:
        return b"\xfb"
    if number < 251:
        return bytes([number])
    if number < 1 << 16:
        return b"\xfc" + number.to_bytes(2, "little")
    if number < 1 << 24:
        return b"\xfd" + number.to_bytes(3, "little")
    return b"\xfe" + number.to_bytes(8, "little")


def column_definition(schema: str, name: str, kind: pa.DataType, charsets: Charsets) -> bytes:
    """Return the payload of a column's definition packet."""
    column = _kind(kind)
    texts = [charsets.encode(text) for text in ("def", schema, "", "", name, name)]
    number, width = charsets.of_text() if column.is_text else (_BINARY, 1)
    return (
        b"".join(lenenc(len(text)) + text for text in texts)
        + b"\x0c"
        + number.to_bytes(2, "little")
        + min(column.length * width, 0xFFFFFFFF).to_bytes(4, "little")
        + bytes([column.code])
        + column.flags.to_bytes(2, "little")
        + bytes([column.decimals, 0, 0])
    )


def text_rows(table: pa.Table, sequence: int, charsets: Charsets) -> Iterator[tuple[memoryview, int]]:
    """Yield packets of the text protocol, many rows at a time, each with the sequence number that follows them."""
    for batch in _text.batches(table):
        parts: list[pa.Array] = []
        for column in batch.columns:
            text = _encoded(column, charsets)
            parts += [_text.lookup(_text.lengths(text), lenenc), text]
        yield _packets(parts, sequence), sequence + batch.num_rows
        sequence += batch.num_rows


def binary_rows(table: pa.Table, sequence: int, charsets: Charsets) -> Iterator[tuple[memoryview, int]]:
    """Yield packets of the binary protocol (prepared statements), as `text_rows` does."""
    for batch in _text.batches(table):
        parts = [_text.records(_null_bitmap(batch))]
        for column in batch.columns:
            parts += _binary_column(column, charsets)
        yield _packets(parts, sequence), sequence + batch.num_rows
        sequence += batch.num_rows


def _packets(parts: list[pa.Array], sequence: int) -> memoryview:
    """Put a packet header before every row and run all together."""
    import numpy as np

    size = sum(np.maximum(_text.lengths(part), 0) for part in parts)
    header = np.empty((len(parts[0]), 4), np.uint8)
    for byte in range(3):
        header[:, byte] = (size >> (8 * byte)) & 255
    header[:, 3] = (np.arange(len(header)) + sequence) & 255
    return _text.join([_text.records(header), *parts])


def _null_bitmap(batch: pa.RecordBatch) -> np.ndarray[Any, Any]:
    """Byte 0, then one bit per column, beginning with the third bit."""
    import numpy as np

    bits = np.zeros((batch.num_rows, (batch.num_columns + 9) // 8 * 8), np.uint8)
    for index, column in enumerate(batch.columns):
        bits[:, index + 2] = np.asarray(column.is_null())
    bitmap = np.packbits(bits, axis=1, bitorder="little")
    return np.hstack([np.zeros((batch.num_rows, 1), np.uint8), bitmap])


def _encoded(column: pa.Array, charsets: Charsets) -> pa.Array:
    """Return a column as the text that the client reads, type ``binary``."""
    text = _text.text_column(column, ("0", "1"))
    return charsets.encode_column(text) if _kind(column.type).is_text else text


def _binary_column(column: pa.Array, charsets: Charsets) -> list[pa.Array]:
    import pyarrow as pa
    import pyarrow.compute as pc

    code = _kind(column.type).code
    if code in (_TINY, _SHORT, _LONG, _LONGLONG, _FLOAT, _DOUBLE):
        values = _little_endian(column, code)
    elif code == _DATE:
        values = _text.records(_date_bytes(column.cast(pa.timestamp("us")), clock=False))
    elif code == _DATETIME:
        values = _text.records(_date_bytes(_text.naive_microseconds(column), clock=True))
    elif code == _TIME:
        values = _text.records(_time_bytes(column))
    else:
        text = _encoded(column, charsets)
        return (
            [_text.lookup(_text.lengths(text.fill_null(b"")), lenenc), text]
            if not text.null_count
            else [
                pc.if_else(text.is_valid(), _text.lookup(_text.lengths(text), lenenc), None),
                text,
            ]
        )
    return [pc.if_else(column.is_valid(), values, None)]


def _little_endian(column: pa.Array, code: int) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    kinds = {_TINY: "i1", _SHORT: "<i2", _LONG: "<i4", _LONGLONG: "<i8", _FLOAT: "<f4", _DOUBLE: "<f8"}
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    values = np.asarray(column.fill_null(0))
    return _text.records(values.astype(kinds[code], copy=False) if values.dtype.kind != "u" else values)


def _date_bytes(column: pa.Array, *, clock: bool) -> np.ndarray[Any, Any]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    filled = column.fill_null(pa.scalar(0, column.type))
    kind: list[tuple[str, str]] = [("size", "u1"), ("year", "<u2"), ("month", "u1"), ("day", "u1")]
    clock_kind = [("hour", "u1"), ("minute", "u1"), ("second", "u1"), ("micro", "<u4")]
    rows = np.empty(len(filled), np.dtype(kind + clock_kind * clock))
    for name in rows.dtype.names[1:] if rows.dtype.names else ():
        if name != "micro":
            rows[name] = np.asarray(getattr(pc, name)(filled))
    if clock:
        rows["micro"] = np.asarray(filled.cast(pa.int64())) % 1_000_000
    rows["size"] = 11 if clock else 4
    return rows


def _time_bytes(column: pa.Array) -> np.ndarray[Any, Any]:
    import numpy as np
    import pyarrow as pa

    micros = np.asarray(column.cast(pa.time64("us"), safe=False).cast(pa.int64()).fill_null(0))
    kind = [
        ("size", "u1"),
        ("negative", "u1"),
        ("days", "<u4"),
        ("hour", "u1"),
        ("minute", "u1"),
        ("second", "u1"),
    ]
    rows = np.zeros(len(micros), np.dtype([*kind, ("micro", "<u4")]))
    seconds, rows["micro"] = np.divmod(micros, 1_000_000)
    rows["size"] = 12
    rows["hour"], rows["minute"], rows["second"] = seconds // 3600, seconds // 60 % 60, seconds % 60
    return rows


def _kind(kind: pa.DataType) -> _Kind:
    """Map an Arrow type to what MariaDB says of the column it comes from."""
    import pyarrow as pa

    kinds = pa.types
    if kinds.is_dictionary(kind):
        return _kind(kind.value_type)
    if kinds.is_boolean(kind):
        return _Kind(_TINY, length=1)
    if kinds.is_integer(kind):
        code, length = {8: (_TINY, 4), 16: (_SHORT, 6), 32: (_LONG, 11), 64: (_LONGLONG, 20)}[kind.bit_width]
        return _Kind(code, length=length, flags=_BINARY_FLAG | _UNSIGNED * kinds.is_unsigned_integer(kind))
    if kinds.is_decimal(kind):
        return _Kind(_NEWDECIMAL, length=kind.precision + 2, decimals=kind.scale)
    if kinds.is_float64(kind):
        return _Kind(_DOUBLE, length=22, decimals=31)
    if kinds.is_floating(kind):
        return _Kind(_FLOAT, length=12, decimals=31)
    if kinds.is_date(kind):
        return _Kind(_DATE, length=10)
    if kinds.is_timestamp(kind):
        return _Kind(_DATETIME, length=26, decimals=6)
    if kinds.is_time(kind):
        return _Kind(_TIME, length=10)
    if kinds.is_null(kind):
        return _Kind(_NULL, length=0)
    if kinds.is_binary(kind) or kinds.is_large_binary(kind) or kinds.is_fixed_size_binary(kind):
        return _Kind(_BLOB, length=65535)
    return _Kind(_VAR_STRING, flags=0, is_text=True)
