"""Arrow columns as the text that database servers send, a column at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    import pyarrow as pa

_BATCH_BYTES = 32 << 20


def batches(table: pa.Table) -> Iterator[pa.RecordBatch]:
    """Yield the rows in pieces of about 32 MiB, so that 32-bit offsets suffice when they are encoded."""
    per_row = max(1, table.nbytes // max(1, table.num_rows))
    yield from table.to_batches(max_chunksize=max(1, _BATCH_BYTES // per_row))


def text_column(array: pa.Array, booleans: tuple[str, str]) -> pa.Array:
    """Return a column as UTF-8 text (binary columns stay bytes), type ``binary``.

    Parameters
    ----------
    array : pyarrow.Array
        Values of any type.
    booleans : (str, str)
        How false and true are written.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_dictionary(kind):
        return text_column(array.dictionary_decode(), booleans)
    if pa.types.is_null(kind):
        return array.cast(pa.binary())
    if pa.types.is_boolean(kind):
        return pc.if_else(array, booleans[1], booleans[0]).cast(pa.binary())
    if pa.types.is_decimal(kind):
        return _decimal_text(array)
    if pa.types.is_timestamp(kind):
        return _timestamp_text(array)
    if pa.types.is_time(kind):
        return pc.replace_substring_regex(array.cast(pa.string()), r"\.0+$", "").cast(pa.binary())
    if _plain(kind):
        return array.cast(pa.binary()) if _is_binary(kind) else array.cast(pa.string()).cast(pa.binary())
    return pa.array(
        [None if value is None else as_text(value).encode() for value in array.to_pylist()], pa.binary()
    )


def as_text(value: Any) -> str:
    """Return a value of an unusual type as text: JSON for what is nested, else Python's own."""
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def join(parts: list[pa.Array]) -> memoryview:
    """Concatenate binary columns row by row, and the rows; NULL adds nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    joined = pc.binary_join_element_wise(
        *(part.fill_null(b"") for part in parts), pa.scalar(b"", pa.binary())
    )
    return memoryview(joined.buffers()[2] or b"")


def lookup(keys: np.ndarray[Any, Any], spell: Callable[[int], bytes]) -> pa.Array:
    """Return ``spell(key)`` for every key, spelling each different key once."""
    import numpy as np
    import pyarrow as pa

    unique, inverse = np.unique(keys, return_inverse=True)
    return pa.array([spell(int(key)) for key in unique], pa.binary()).take(pa.array(inverse))


def records(values: np.ndarray[Any, Any]) -> pa.Array:
    """Return the bytes of each row of a contiguous array as a binary column."""
    import numpy as np
    import pyarrow as pa

    data = np.ascontiguousarray(values)
    size = data.nbytes // max(1, len(data))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(size), len(data), [None, pa.py_buffer(data)]).cast(
        pa.binary()
    )


def lengths(array: pa.Array) -> np.ndarray[Any, Any]:
    """Return the length of each value in bytes, -1 for NULL, as int64."""
    import numpy as np
    import pyarrow.compute as pc

    return np.asarray(pc.binary_length(array).fill_null(-1)).astype(np.int64)


def naive_microseconds(array: pa.Array) -> pa.Array:
    """Return a timestamp column in microseconds without a time zone (UTC where it had one)."""
    import pyarrow as pa

    if array.type.tz is not None:
        array = array.cast(pa.timestamp(array.type.unit, "UTC"))
    return array.cast(pa.timestamp("us"), safe=False)


def _plain(kind: pa.DataType) -> bool:
    import pyarrow as pa

    kinds = pa.types
    return bool(
        kinds.is_integer(kind)
        or kinds.is_floating(kind)
        or kinds.is_date(kind)
        or kinds.is_string(kind)
        or kinds.is_large_string(kind)
        or kinds.is_string_view(kind)
        or _is_binary(kind)
    )


def _is_binary(kind: pa.DataType) -> bool:
    import pyarrow as pa

    kinds = pa.types
    return bool(kinds.is_binary(kind) or kinds.is_large_binary(kind) or kinds.is_binary_view(kind))


def _decimal_text(array: pa.Array) -> pa.Array:
    """Arrow writes small values as 1E-8; servers write 0.00000001."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = array.cast(pa.string())
    short = pc.match_substring(text, "E")
    if not pc.any(short).as_py():
        return text.cast(pa.binary())
    full = [None if value is None else f"{value:f}" for value in array.to_pylist()]
    return pa.array(full, pa.string()).cast(pa.binary())


def _timestamp_text(array: pa.Array) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    naive = naive_microseconds(array)
    ticks = naive.cast(pa.int64())
    whole = pc.all(
        pc.equal(pc.subtract(ticks, pc.multiply(pc.divide(ticks, 1_000_000), 1_000_000)), 0)
    ).as_py()
    return naive.cast(pa.timestamp("s") if whole else naive.type).cast(pa.string()).cast(pa.binary())
