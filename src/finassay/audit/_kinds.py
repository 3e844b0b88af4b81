"""Kinds of Arrow types: numbers, texts, dates."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def is_number(kind: pa.DataType) -> bool:
    """Whether a column holds numbers, or nothing at all."""
    import pyarrow as pa

    decimal = pa.types.is_decimal(kind)
    return bool(decimal or pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind))


def is_text(kind: pa.DataType) -> bool:
    """Whether a column holds texts."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def is_date(kind: pa.DataType) -> bool:
    """Whether a column holds dates, with or without a time of day."""
    import pyarrow as pa

    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))
