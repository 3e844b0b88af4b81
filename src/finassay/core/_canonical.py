"""The canonical form of Arrow columns behind `hash_table`."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def sorted_by(table: pa.Table, key: tuple[str, ...]) -> pa.Table:
    """Return the table with rows in the order of the key, NULL first."""
    order = pc.sort_indices(table, sort_keys=[(name, "ascending", "at_start") for name in key])
    return table.take(order)


def column_digest(column: pa.ChunkedArray) -> bytes:
    """Return the SHA-256 of a column's type, validity and values."""
    array = _plain(column)
    digest = hashlib.sha256(str(array.type).encode())
    digest.update(np.packbits(_bits(array.is_valid())).tobytes())
    for part in _value_bytes(array.drop_null()):
        digest.update(part)
    return digest.digest()


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """One chunk, without dictionary encoding, with the 64-bit offsets of the large types."""
    type_ = column.type
    if pa.types.is_dictionary(type_):
        column = column.cast(type_.value_type)
        type_ = type_.value_type
    if pa.types.is_string(type_) or pa.types.is_string_view(type_):
        column = column.cast(pa.large_string())
    elif pa.types.is_binary(type_) or pa.types.is_binary_view(type_):
        column = column.cast(pa.large_binary())
    combined = column.combine_chunks()
    return combined if isinstance(combined, pa.Array) else pa.concat_arrays(combined.chunks)


def _value_bytes(array: pa.Array) -> list[bytes]:
    type_ = array.type
    if pa.types.is_large_string(type_) or pa.types.is_large_binary(type_):
        return _text_bytes(array)
    if pa.types.is_float16(type_) or pa.types.is_float32(type_):
        array, type_ = array.cast(pa.float64()), pa.float64()
    if pa.types.is_float64(type_):
        values = _fixed(array, "<f8") + 0.0  # -0.0 becomes 0.0
        values[np.isnan(values)] = np.nan
        return [values.tobytes()]
    if pa.types.is_decimal(type_):
        return _value_bytes(array.cast(pa.large_string()))
    if pa.types.is_boolean(type_):
        return [np.packbits(_bits(array)).tobytes()]
    if pa.types.is_null(type_):
        return []
    if pa.types.is_primitive(type_) and type_.bit_width % 8 == 0:
        return [_fixed(array, f"V{type_.bit_width // 8}").tobytes()]
    return [repr(array.to_pylist()).encode()]


# Buffers are read directly: `numpy.asarray` of an Arrow array imports pandas, which takes most of a second.


def _fixed(array: pa.Array, dtype: str) -> np.ndarray[tuple[int], np.dtype[Any]]:
    data = array.buffers()[1]
    if data is None or len(array) == 0:
        return np.empty(0, dtype)
    return np.frombuffer(data, dtype)[array.offset : array.offset + len(array)]


def _bits(array: pa.BooleanArray) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    packed = np.frombuffer(array.buffers()[1] or b"", np.uint8)
    return np.unpackbits(packed, bitorder="little")[array.offset : array.offset + len(array)]


def _text_bytes(array: pa.Array) -> list[bytes]:
    """Lengths, then the text itself."""
    _, offsets, data = array.buffers()
    if len(array) == 0 or offsets is None:
        return []
    ends = np.frombuffer(offsets, "<i8")[array.offset : array.offset + len(array) + 1]
    return [np.diff(ends).tobytes(), memoryview(data or b"")[ends[0] : ends[-1]].tobytes()]
