"""Runs inside the jail: any table a research program may hold, as an Arrow table. pyarrow and the standard library.

A pandas index with names becomes columns; an unnamed one is kept as the column ``index`` unless it is only row numbers.
NaN in a pandas column is a missing value, as it is in pandas.
"""

from __future__ import annotations

import datetime as dt
import sys
from typing import Any


class NotATable(Exception):
    """The value has no rows and columns."""


def to_arrow(value: Any) -> tuple[Any, list[str]]:
    """Return (pyarrow.Table, notes) for a pandas, polars, Arrow, DuckDB or plain Python table."""
    import pyarrow as pa

    if isinstance(value, pa.RecordBatchReader):
        value = value.read_all()
    if isinstance(value, pa.RecordBatch):
        value = pa.Table.from_batches([value])
    if isinstance(value, pa.Table):
        return value.replace_schema_metadata(None), []
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, pandas.Series):
        value = value.to_frame(name=value.name if value.name is not None else "value")
    if pandas is not None and isinstance(value, pandas.DataFrame):
        return _from_pandas(value)
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(value, polars.LazyFrame):
        value = value.collect()
    if polars is not None and isinstance(value, polars.Series):
        value = value.to_frame()
    if polars is not None and isinstance(value, polars.DataFrame):
        return value.to_arrow(), []
    for method in ("to_arrow_table", "fetch_arrow_table"):  # a DuckDB relation
        if type(value).__module__.split(".")[0] in {"duckdb", "_duckdb"} and hasattr(value, method):
            return getattr(value, method)(), []
    return _from_plain(value)


def write(table: Any, path: str) -> None:
    """Write the table as an uncompressed Arrow IPC stream."""
    import pyarrow as pa

    with pa.OSFile(path, "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def _from_plain(value: Any) -> tuple[Any, list[str]]:
    import pyarrow as pa

    if isinstance(value, dict) and value and all(isinstance(v, (list, tuple)) for v in value.values()):
        lengths = {len(v) for v in value.values()}
        if len(lengths) == 1:
            return _build(list(value), [list(v) for v in value.values()], pa)
        raise NotATable(f"its lists have different lengths: {sorted(lengths)}")
    if isinstance(value, (list, tuple)) and value and all(isinstance(row, dict) for row in value):
        names = list(dict.fromkeys(name for row in value for name in row))
        return _build(names, [[row.get(name) for row in value] for name in names], pa)
    raise NotATable("it has no named columns")


def _from_pandas(frame: Any) -> tuple[Any, list[str]]:
    import pyarrow as pa

    names, columns = [], []
    index = frame.index
    named = [name for name in index.names if name is not None]
    row_numbers = index.nlevels == 1 and not named and index.dtype.kind in "iu"
    if not row_numbers and not (len(frame) == 0 and not named):
        for level in range(index.nlevels):
            name = index.names[level]
            names.append("index" if name is None else name)
            columns.append(index.get_level_values(level))
    for position in range(frame.shape[1]):
        names.append(frame.columns[position])
        columns.append(frame.iloc[:, position])
    return _build(names, columns, pa)


def _build(names: list[Any], columns: list[Any], pa: Any) -> tuple[Any, list[str]]:
    notes: list[Any] = []
    arrays = []
    labels = [" / ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in names]
    for label, column in zip(labels, columns, strict=True):
        arrays.append(_array(label, column, notes, pa))
    return pa.Table.from_arrays(arrays, names=labels), notes


def _array(label: str, column: Any, notes: list[Any], pa: Any) -> Any:
    dtype = str(getattr(column, "dtype", ""))
    try:
        if dtype.startswith("period"):
            column = column.astype(str)
        array = pa.array(column, from_pandas=True)
        if dtype in ("", "object"):
            array = _faithful(array, list(column), pa)
        return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError):
        values = list(column)
        kinds = sorted({type(v).__name__ for v in values if v is not None and v == v})
        notes.append(f"column '{label}' mixes {', '.join(kinds)}: kept as text")
        return pa.array([None if v is None or v != v else str(v) for v in values], pa.string())


def _faithful(array: Any, values: list[Any], pa: Any) -> Any:
    """Return what Arrow made of Python values, with the nanoseconds it dropped; raise where it changed a value's kind.

    Arrow reads moments as days where the first value is a day, and truth values as numbers among numbers.
    """
    there = [v for v in values if v is not None and v == v]
    days = [isinstance(v, dt.date) and not isinstance(v, dt.datetime) for v in there]
    if (pa.types.is_date(array.type) and not all(days)) or (
        (pa.types.is_integer(array.type) or pa.types.is_floating(array.type))
        and any(type(v).__name__ in {"bool", "bool_"} for v in there)
    ):
        raise TypeError("values of several kinds")
    if pa.types.is_timestamp(array.type) and any(getattr(v, "nanosecond", 0) for v in there):
        return pa.array(values, pa.timestamp("ns", array.type.tz), from_pandas=True)
    if pa.types.is_duration(array.type) and any(getattr(v, "nanoseconds", 0) for v in there):
        return pa.array(values, pa.duration("ns"), from_pandas=True)
    return array
