"""Read an Arrow stream that a hostile program wrote, without letting it claim memory it did not send.

An Arrow reader trusts the writer in three ways that matter here: a compressed body may inflate a thousandfold, a
null or run-end-encoded column may have any length at no cost, and offsets may point outside their buffer. The first
is refused by looking into the message headers (flatbuffers, read with `struct`), the second by the allowed types, the
third by Arrow's full validation.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from finassay.core import CandidateError

if TYPE_CHECKING:
    import pyarrow as pa

_RECORD_BATCH, _DICTIONARY_BATCH = 3, 2


class UntrustedTable(CandidateError):
    """The bytes are not a table that can be accepted."""

    reason = "unreadable_result"


def read_untrusted_table(data: bytes, *, max_rows: int, name: str) -> pa.Table:
    """Return the Arrow table in the bytes of an IPC stream.

    Parameters
    ----------
    data : bytes
        An uncompressed Arrow IPC stream.
    max_rows : int
        Rows accepted over all its batches.
    name : str
        What the table is called, for messages.

    Returns
    -------
    pyarrow.Table
        Validated in full.

    Raises
    ------
    UntrustedTable
        If it is no such stream, is compressed, has a type without bounds on its length, or is inconsistent.
    """
    import pyarrow as pa

    try:
        rows = sum(_batch_rows(data, name))
        if rows > max_rows:
            raise UntrustedTable(
                f"'{name}' has {rows:,} rows; at most {max_rows:,} are accepted.",
                hint="Aggregate or filter before returning.",
                reason="too_many_rows",
            )
        with pa.ipc.open_stream(pa.py_buffer(data)) as reader:
            for field in reader.schema:
                _check_type(field.type, field.name, name)
            table = reader.read_all()
        table.validate(full=True)
    except (pa.ArrowException, struct.error, ValueError, OverflowError, IndexError, OSError) as error:
        raise UntrustedTable(f"'{name}' is not a readable Arrow stream: {error}.") from error
    return table.replace_schema_metadata(None)


def _check_type(type_: pa.DataType, column: str, name: str) -> None:
    import pyarrow as pa

    nested = [type_.field(k).type for k in range(type_.num_fields)]
    bounded = not (
        pa.types.is_run_end_encoded(type_)
        or pa.types.is_union(type_)
        or isinstance(type_, pa.BaseExtensionType)
        or pa.types.is_fixed_size_list(type_)
    )
    if not bounded:
        raise UntrustedTable(f"Column '{column}' of '{name}' has the type {type_}, which is not accepted.")
    for inner in nested:
        _check_type(inner, column, name)


class _Message(NamedTuple):
    kind: int
    header: int  # offset of the header table
    body_start: int
    body_length: int


def _batch_rows(data: bytes, name: str) -> list[int]:
    """Rows of each record batch, after checking that no batch is compressed."""
    rows = []
    position = 0
    while position < len(data):
        marker, size = struct.unpack_from("<Ii", data, position)
        if marker != 0xFFFFFFFF or size < 0:
            raise ValueError("a message without its marker")
        if size == 0:
            break
        message = _message(data, position + 8, size)
        if message.kind in (_RECORD_BATCH, _DICTIONARY_BATCH):
            batch = message.header
            if message.kind == _DICTIONARY_BATCH:
                inner = _field(data, batch, 1)
                if inner is None:
                    raise ValueError("a dictionary without data")
                batch = inner + struct.unpack_from("<I", data, inner)[0]
            if _field(data, batch, 3) is not None:
                raise UntrustedTable(f"'{name}' is a compressed Arrow stream, which is not accepted.")
            length = _field(data, batch, 0)
            count = struct.unpack_from("<q", data, length)[0] if length is not None else 0
            if count < 0:
                raise ValueError("a batch with a negative length")
            if message.kind == _RECORD_BATCH:
                rows.append(count)
        position = message.body_start + message.body_length
    return rows


def _message(data: bytes, start: int, size: int) -> _Message:
    table = start + struct.unpack_from("<I", data, start)[0]
    kind_at, header_at, length_at = (_field(data, table, k) for k in (1, 2, 3))
    if kind_at is None or header_at is None:
        raise ValueError("a message without a header")
    body = struct.unpack_from("<q", data, length_at)[0] if length_at is not None else 0
    if body < 0 or start + size + body > len(data):
        raise ValueError("a message longer than the stream")
    header = header_at + struct.unpack_from("<I", data, header_at)[0]
    return _Message(data[kind_at], header, start + size, body)


def _field(data: bytes, table: int, index: int) -> int | None:
    """Offset of a flatbuffer table's field, None where it is absent."""
    vtable = table - struct.unpack_from("<i", data, table)[0]
    if vtable < 0:
        raise ValueError("a table that points outside the stream")
    (vtable_size,) = struct.unpack_from("<H", data, vtable)
    slot = 4 + 2 * index
    if slot + 2 > vtable_size:
        return None
    (offset,) = struct.unpack_from("<H", data, vtable + slot)
    return table + offset if offset else None
