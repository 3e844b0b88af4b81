"""A small database in memory that stands for a server's own schema tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.database import TableInfo

MEMORY_LIMIT = "256MB"


def run_in_memory(sql: str, schema: str, tables: Mapping[str, pa.Table], macros: str = "") -> pa.Table:
    """Run a DuckDB statement over the given tables, which lie in ``schema``, and nothing else.

    Raises
    ------
    QueryError
        If DuckDB rejects it.
    """
    import duckdb

    from finassay.database import QueryError

    # No files, no extensions, no way back to those settings: a statement here comes from the candidate.
    config: dict[str, Any] = {
        "memory_limit": MEMORY_LIMIT,
        "threads": 1,
        "enable_external_access": False,
        "python_enable_replacements": False,
    }
    with duckdb.connect(":memory:", config=config) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        for name, table in tables.items():
            connection.register("incoming", table)
            connection.execute(f"CREATE TABLE {schema}.{name} AS SELECT * FROM incoming")  # noqa: S608 - our names
            connection.unregister("incoming")
        connection.execute(macros)
        connection.execute("SET lock_configuration = true")
        try:
            return connection.execute(sql).to_arrow_table()
        except duckdb.Error as error:
            raise QueryError(
                f"This question about the schema cannot be answered here: {error}",
                hint="Tables and columns are listed by information_schema.tables and information_schema.columns.",
            ) from None


def flat_columns(tables: list[TableInfo] | tuple[TableInfo, ...]) -> list[tuple[int, TableInfo, int, Any]]:
    """Return (number of the table, table, position of the column, column), both counted from 1."""
    return [
        (number, table, position, column)
        for number, table in enumerate(tables, 1)
        for position, column in enumerate(table.columns, 1)
    ]
