"""Questions about the schema: the server's own tables as Arrow tables, asked through a small database in memory."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.database import TableInfo

_MEMORY = "256MB"
_SECONDS = 10.0
Column = tuple[str, "pa.DataType"]


def make_table(columns: Sequence[Column], rows: Sequence[Sequence[Any]] = ()) -> pa.Table:
    """Return a table of rows under named and typed columns; a short row is filled up with NULL."""
    import pyarrow as pa

    padded = [[*row, *[None] * (len(columns) - len(row))] for row in rows]
    return pa.table(
        {name: pa.array([row[at] for row in padded], kind) for at, (name, kind) in enumerate(columns)}
    )


def own_tables(tree: Any, known: Collection[str], default_schema: str = "") -> list[Any] | None:
    """Return the tables of a parsed query if all are the server's own, else None.

    Own is what ``known`` lists as ``schema.name``; names without a schema are looked up in ``default_schema``.
    """
    from sqlglot import exp

    if not isinstance(tree, exp.Query):
        return None
    common = {part.alias_or_name for part in tree.find_all(exp.CTE)}
    tables = []
    for table in tree.find_all(exp.Table):
        schema = table.text("db").lower()
        if not schema and table.name in common:
            continue
        if isinstance(table.this, exp.Func):  # a table function may look anywhere
            return None
        if f"{schema or default_schema}.{table.name.lower()}" not in known:
            return None
        tables.append(table)
    return tables


def point_to(tables: Sequence[Any], tree: Any, default_schema: str) -> set[str]:
    """Rename tables to ``schema__name`` under their old name as alias; return the new names."""
    from sqlglot import exp

    wanted = set()
    for table in tables:
        schema, name = table.text("db").lower() or default_schema, table.name.lower()
        if not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name)))
        table.set("this", exp.to_identifier(f"{schema}__{name}"))
        table.set("db", None)
        wanted.add(f"{schema}__{name}")
    for column in tree.find_all(exp.Column):
        column.set("db", None)
    return wanted


def run_in_memory(sql: str, tables: Mapping[str, pa.Table], macros: str = "") -> pa.Table:
    """Run a DuckDB query over the given tables and nothing else, for at most ten seconds.

    Raises
    ------
    QueryError
        If DuckDB rejects it.
    """
    import duckdb

    from finassay.database import QueryError

    # No files, no extensions, no way back to those settings: the statement comes from the candidate.
    config: dict[str, Any] = {
        "memory_limit": _MEMORY,
        "threads": 1,
        "enable_external_access": False,
        "python_enable_replacements": False,
    }
    with duckdb.connect(":memory:", config=config) as connection:
        for name, table in tables.items():
            connection.register(name, table)
        connection.execute(macros)
        connection.execute("SET lock_configuration = true")
        timer = threading.Timer(_SECONDS, connection.interrupt)
        timer.start()
        try:
            return connection.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            raise QueryError(
                f"This question about the schema cannot be answered here: {error}",
                hint="Tables and columns are listed by information_schema.tables and information_schema.columns.",
            ) from None
        finally:
            timer.cancel()


def flat_columns(tables: Sequence[TableInfo]) -> list[tuple[int, TableInfo, int, Any]]:
    """Return (number of the table, table, position of the column, column), both counted from 1."""
    return [
        (number, table, position, column)
        for number, table in enumerate(tables, 1)
        for position, column in enumerate(table.columns, 1)
    ]
