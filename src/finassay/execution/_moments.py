"""Dates and times that Python has no value for, such as DuckDB's infinity or the year 20000, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31, counted from 1970-01-01


def readable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column that Python and CSV can hold.

    A column of dates or times with a value before the year 1 or after 9999 becomes text: ``infinity``, ``-infinity``,
    and else as Arrow writes it. Every other column comes back as it is.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if not (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        return column
    wide = pa.int32() if pa.types.is_date32(kind) else pa.int64()
    ticks = column.cast(wide)
    day = 1 if pa.types.is_date32(kind) else 86_400 * _PER_SECOND[getattr(kind, "unit", "ms")]
    span = pc.min_max(ticks)
    low, high = span["min"].as_py(), span["max"].as_py()
    if low is None or (low >= _FIRST_DAY * day and high < (_LAST_DAY + 1) * day):
        return column
    endless = 2 ** (wide.bit_width - 1) - 1  # DuckDB's infinity; its negative is minus infinity
    finite = pc.less(pc.abs_checked(ticks), endless)
    text = pc.if_else(finite, column, pa.scalar(None, kind)).cast(pa.string())
    sign = pc.if_else(pc.greater(ticks, 0), "infinity", "-infinity")
    return pc.if_else(finite, text, sign)
