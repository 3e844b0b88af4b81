"""A data frame as an Arrow table: no cell is rounded, and none is refused."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from finassay.grading._table_cells import array_of, text_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def from_pandas(frame: pd.DataFrame) -> pa.Table:
    """Return a data frame as an Arrow table: the index is dropped, mixed columns become text, NaN and None stay apart.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any frame; duplicate column names are kept. Cells that Arrow cannot hold without loss (nanoseconds in an object
        column, periods, intervals, any object) become text; a text that is not Unicode (a lone surrogate) becomes one
        that says so and equals no value.
    """
    import pyarrow as pa

    columns = [_column(frame.iloc[:, place]) for place in range(frame.shape[1])]
    return pa.table(columns, names=[text_of(name) for name in frame.columns])


def _column(cells: pd.Series[Any]) -> pa.Array | pa.ChunkedArray:
    import pyarrow as pa

    if _is_typed(cells.dtype):
        try:
            return pa.array(cells, from_pandas=cells.dtype.kind != "f")  # NaN of a float column stays NaN
        except (pa.ArrowException, ValueError, TypeError, OverflowError):
            pass  # surrogates in a column of texts
    return array_of([None if _is_nan(cell) else cell for cell in cells])


def _is_typed(dtype: Any) -> bool:
    """Say whether a column has a type of its own that Arrow has too; categories, periods and intervals are objects."""
    import pandas as pd

    if isinstance(dtype, pd.ArrowDtype | pd.StringDtype):
        return True
    return dtype.kind in "biufMm" and not isinstance(dtype, pd.SparseDtype)


def _is_nan(cell: Any) -> bool:
    # not isinstance, nor the cell's own operators: an object may say of itself what it likes, or raise
    if issubclass(type(cell), float):
        return bool(float.__ne__(cell, cell))
    return issubclass(type(cell), Decimal) and Decimal.is_nan(cell)
