"""Cells of any origin as Arrow arrays and back: nothing is rounded, and nothing that a cell holds raises."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from finassay.grading._unparsed import printable, raw_text

if TYPE_CHECKING:
    import pyarrow as pa

# What Arrow stores without loss where a column holds one of them alone. Mixed ones it may cut: a date beside a
# date-time loses the time, a pandas Timestamp its nanoseconds, a time its zone.
_STORED_WHOLE: frozenset[type] = frozenset({str, bool, int, float, Decimal, dt.date})


def array_of(cells: Sequence[object]) -> pa.Array:
    """Return an Arrow array of Python objects: typed where Arrow keeps every cell whole, else their texts."""
    import pyarrow as pa

    cells = [None if type(cell).__name__ in {"NAType", "NaTType"} else cell for cell in cells]
    kinds = set(map(type, cells)) - {type(None)}
    if len(kinds) <= 1 and kinds <= _STORED_WHOLE:
        try:
            return pa.array(cells)
        except (pa.ArrowException, ValueError, TypeError, OverflowError):
            pass  # a surrogate, 10**30, Decimal("Infinity"): as text
    return pa.array([None if cell is None else text_of(cell) for cell in cells], pa.large_string())


def text_of(cell: Any) -> str:
    """Return a cell's text; an object that has none, or none in Unicode, gets one that equals no value."""
    if type(cell) is int:  # Python prints no integer of more than 4300 digits
        return str(Decimal(cell))
    return printable(raw_text(cell))


def cell_value(cell: pa.Scalar) -> object:
    """Return a cell as Python's value, or as text where Python has none (the year 100000, bytes that are no UTF-8)."""
    import pyarrow as pa

    try:
        return cell.as_py()
    except Exception:  # noqa: BLE001 - pyarrow passes on whatever Python's types and an extension's own code raise
        try:
            return str(cell.cast(pa.string()).as_py())
        except (pa.ArrowException, ValueError, TypeError):
            return f"<{getattr(cell, 'value', 'a cell')} of {cell.type} that cannot be printed>"


def plain_array(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return one array without dictionary encoding or views; what is no single value becomes text, to be refused."""
    import pyarrow as pa

    column = _one_array(column)
    if pa.types.is_dictionary(column.type) and _is_scalar(column.type.value_type):
        column = column.dictionary_decode()
    if is_text(column.type) or pa.types.is_string_view(column.type):
        return _unicode(column)
    if not _is_scalar(column.type):
        texts = [text_of(cell_value(cell)) if cell.is_valid else None for cell in column]
        return pa.array(texts, pa.large_string())
    return column


def values_of(column: pa.ChunkedArray | pa.Array) -> list[object]:
    """Return the cells of a column as Python's values; each can be compared and hashed."""
    array = plain_array(column)
    try:
        return list(array.to_pylist())
    except Exception:  # noqa: BLE001 - as in cell_value: only the cells that Python cannot hold become text
        return [cell_value(cell) for cell in array]


def _one_array(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def _unicode(text: pa.Array) -> pa.Array:
    """Say of a text that is no UTF-8 that it is none: Arrow's own functions stop at it."""
    import pyarrow as pa

    try:
        text.validate(full=True)
        return text if pa.types.is_string(text.type) else text.cast(pa.large_string())
    except pa.ArrowInvalid:
        binary = text.cast(pa.binary_view() if pa.types.is_string_view(text.type) else pa.large_binary())
        texts = [None if raw is None else _decoded(raw) for raw in binary.to_pylist()]
        return pa.array(texts, pa.large_string())


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return f"<not Unicode: {raw!r}>"


def _is_scalar(type_: pa.DataType) -> bool:
    """Say whether Arrow can encode the type's distinct values."""
    import pyarrow.types as kinds

    return bool(
        (kinds.is_primitive(type_) and not kinds.is_interval(type_))
        or kinds.is_decimal128(type_)
        or kinds.is_decimal256(type_)
        or kinds.is_null(type_)
        or is_text(type_)
    )


def is_text(type_: pa.DataType) -> bool:
    """Say whether a type is Arrow's plain text."""
    import pyarrow as pa

    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))
