"""The canonical form of Arrow columns behind `hash_table`."""

from __future__ import annotations

import hashlib

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
    digest.update(np.packbits(np.asarray(array.is_valid())).tobytes())
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
        lengths = np.asarray(pc.binary_length(array), dtype="<i8")
        text = b"".join(value.as_buffer().to_pybytes() for value in array)
        return [lengths.tobytes(), text]
    if pa.types.is_floating(type_):
        values = np.array(array, dtype="<f8")
        values[np.isnan(values)] = np.nan
        return [(values + 0.0).tobytes()]
    if pa.types.is_decimal(type_):
        return _value_bytes(array.cast(pa.large_string()))
    if pa.types.is_nested(type_):
        return [repr(array.to_pylist()).encode()]
    if pa.types.is_null(type_):
        return []
    if pa.types.is_boolean(type_):
        return [np.packbits(np.asarray(array)).tobytes()]
    width = "<i8" if not pa.types.is_unsigned_integer(type_) else "<u8"
    if not pa.types.is_integer(type_):
        array = array.cast(pa.int32()).cast(pa.int64()) if type_.bit_width == 32 else array.cast(pa.int64())
    return [np.asarray(array).astype(width).tobytes()]
