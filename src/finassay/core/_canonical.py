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


class ColumnDigest:
    """The SHA-256 of a column's type, validity and values, which come in parts; how they are cut does not count."""

    def __init__(self) -> None:
        self._type = ""
        self._valid = hashlib.sha256()
        self._waiting = np.empty(0, bool)  # of the validity: what does not fill a byte yet
        self._values: list[Any] = []

    def update(self, column: pa.ChunkedArray) -> None:
        """Add rows."""
        array = _plain(column)
        self._type = str(array.type)
        self._add_validity(array)
        for n, part in enumerate(_value_bytes(array.drop_null() if array.null_count else array)):
            if n == len(self._values):
                self._values.append(hashlib.sha256())
            self._values[n].update(part)

    def _add_validity(self, array: pa.Array) -> None:
        valid = np.concatenate([self._waiting, _validity(array)])
        whole = valid.size - valid.size % 8
        self._valid.update(np.packbits(valid[:whole]).tobytes())
        self._waiting = valid[whole:]

    def digest(self) -> bytes:
        """Return the digest of what came so far."""
        valid = self._valid.copy()
        valid.update(np.packbits(self._waiting).tobytes())
        parts = [self._type.encode(), valid.digest(), *(values.digest() for values in self._values)]
        return hashlib.sha256(b"".join(parts)).digest()


def _validity(array: pa.Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if array.null_count in (0, len(array)):
        return np.full(len(array), array.null_count == 0)
    return _bits(array.is_valid()).astype(bool)


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
    return ["".join(f"{value!r}\n" for value in array.to_pylist()).encode()]


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
        return [b"", b""]
    ends = np.frombuffer(offsets, "<i8")[array.offset : array.offset + len(array) + 1]
    return [np.diff(ends).tobytes(), memoryview(data or b"")[ends[0] : ends[-1]].tobytes()]
