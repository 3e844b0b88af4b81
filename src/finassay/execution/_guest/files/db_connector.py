"""The database of the task, as a pandas frame: ``from db_connector import query_to_dataframe``.

Columns arrive as ``pandas.read_sql`` gives them over a MySQL connection: integers as int64 (float64 where a value is
NULL), DECIMAL as float64 (``coerce_float``), DATETIME as datetime64, DATE as ``datetime.date`` objects, text as
pandas text. A result without rows keeps its columns and their types.
"""

from __future__ import annotations

import datetime as dt
import decimal
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import finassay_native
from finassay_native import DatabaseError

__all__ = ["DatabaseError", "execute_query", "get_engine", "query_to_dataframe"]


def query_to_dataframe(sql: Any, params: Any = None) -> Any:
    """Run a statement and return a ``pandas.DataFrame``.

    Parameters
    ----------
    sql : str
        One SELECT statement; text objects of SQLAlchemy are accepted.
    params : sequence or mapping, optional
        Values for ``%s`` or ``%(name)s`` (or ``:name``) in the statement. Without them, ``%`` means itself.

    Raises
    ------
    DatabaseError
        If the statement is wrong, refused, or takes too long.
    """
    return to_frame(finassay_native.query(_bind(str(sql), params)))


def execute_query(sql: Any, params: Any = None) -> list[dict[str, Any]]:
    """Run a statement and return its rows as dictionaries."""
    rows: list[dict[str, Any]] = finassay_native.query(_bind(str(sql), params)).to_pylist()
    return rows


def get_engine() -> Any:
    """Return an SQLAlchemy engine for the same database."""
    import sqlalchemy

    return sqlalchemy.create_engine(os.environ["DATABASE_URL"])


def to_frame(table: Any) -> Any:
    """Return a ``pyarrow.Table`` as a frame, its numbers widened as the Python database interfaces do."""
    import pyarrow as pa

    fields = [field.with_type(_wide(field.type)) for field in table.schema]
    return table.cast(pa.schema(fields)).to_pandas()


def _wide(kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_decimal(kind) or pa.types.is_floating(kind):
        return pa.float64()
    if pa.types.is_integer(kind) and not pa.types.is_uint64(kind):
        return pa.int64()
    return kind


def _bind(sql: str, params: Any) -> str:
    if params is None:
        return sql
    if isinstance(params, Mapping):
        values = {name: _literal(value) for name, value in params.items()}
        if "%(" in sql:
            return sql % values
        return re.sub(
            r"('(?:[^'\\]|\\.|'')*')|(?<!:):([A-Za-z_]\w*)",
            lambda found: found[1] or values.get(found[2], found[0]),
            sql,
        )
    if isinstance(params, str) or not isinstance(params, Sequence):
        params = (params,)
    return sql % tuple(_literal(value) for value in params)


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float | decimal.Decimal):
        return str(value)
    if isinstance(value, dt.date | dt.time):
        return f"'{value}'"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, list | tuple | set | frozenset):
        return "(" + ", ".join(_literal(item) for item in value) + ")"
    if hasattr(value, "item"):  # a numpy scalar
        return _literal(value.item())
    text = str(value)
    if os.environ.get("FINASSAY_DIALECT") == "mysql":
        text = text.replace("\\", "\\\\")
    return "'" + text.replace("'", "''") + "'"
