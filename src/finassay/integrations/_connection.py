"""A database as the connection a research function expects: DB-API, and the short ways of DuckDB's connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
    import pyarrow as pa

    from finassay.database import Database, Dialect, QueryPolicy


class Connection:
    """A read-only connection that remembers its statements; ``pandas.read_sql`` and ``polars.read_database`` take it.

    Parameters
    ----------
    database : Database
        What it reads.
    dialect : {"duckdb", "mysql", "postgres"} or None
        What the statements are written in; None for the engine's own.
    policy : QueryPolicy
        What a statement may do.
    """

    def __init__(self, database: Database, dialect: Dialect | None, policy: QueryPolicy) -> None:
        self._database, self._dialect, self._policy = database, dialect, policy
        self.statements: list[tuple[Dialect, str]] = []

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def cursor(self) -> Cursor:
        """Return a cursor."""
        return Cursor(self)

    def execute(self, sql: str, params: Sequence[Any] = ()) -> Cursor:
        """Run a statement; its parameters are marked ``?`` on every engine."""
        return self.cursor().execute(sql, params)

    def sql(self, sql: str) -> Cursor:
        """Run a statement, as DuckDB's connection does."""
        return self.execute(sql)

    def table(self, name: str) -> pd.DataFrame:
        """Return a whole table."""
        from sqlglot import exp

        spoken = self._dialect or self._database.dialect
        return self.execute(exp.select("*").from_(exp.to_table(name)).sql(dialect=spoken, identify=True)).df()

    def run(self, sql: str, params: Sequence[Any]) -> pa.Table:
        """Run a statement into Arrow; raises as `Database.query`."""
        self.statements.append((self._dialect or self._database.dialect, sql))
        return self._database.query(sql, self._dialect, self._policy, params).table

    def commit(self) -> None:
        """Do nothing: it only reads."""

    def rollback(self) -> None:
        """Do nothing: it only reads."""

    def close(self) -> None:
        """Do nothing: the audit closes the database."""


class Cursor:
    """A statement's result, by rows or as a frame."""

    arraysize = 1

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._table: pa.Table | None = None
        self._rows: Iterator[tuple[Any, ...]] = iter(())

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self._rows

    def __enter__(self) -> Cursor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def description(self) -> list[tuple[Any, ...]] | None:
        """Name and type of each column, as the DB-API says; None before a statement."""
        if self._table is None:
            return None
        return [(field.name, str(field.type), None, None, None, None, None) for field in self._table.schema]

    @property
    def rowcount(self) -> int:
        """The number of rows; -1 before a statement."""
        return -1 if self._table is None else self._table.num_rows

    def execute(self, sql: str, params: Sequence[Any] = ()) -> Cursor:
        """Run a statement."""
        self._table = self._connection.run(sql, params or ())
        columns = [column.to_pylist() for column in self._table.columns]
        self._rows = iter(zip(*columns, strict=True))
        return self

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row, None after the last."""
        return next(self._rows, None)

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        """Return the next rows."""
        return [row for _, row in zip(range(size or self.arraysize), self._rows, strict=False)]

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the rows that are left."""
        return list(self._rows)

    def arrow(self) -> pa.Table:
        """Return the result as an Arrow table.

        Raises
        ------
        ValueError
            Before a statement.
        """
        if self._table is None:
            raise ValueError("There is no result: execute a statement first.")
        return self._table

    def df(self) -> pd.DataFrame:
        """Return the result as a pandas frame: dates as ``datetime64``, decimals as floats, as DuckDB gives them."""
        import pyarrow as pa

        table = self.arrow()
        for place, column in enumerate(table.schema):
            if pa.types.is_decimal(column.type):
                table = table.set_column(place, column.name, table.column(place).cast(pa.float64()))
        frame: pd.DataFrame = table.to_pandas(date_as_object=False)
        return frame

    fetchdf, fetch_df, fetch_arrow_table, to_df = df, df, arrow, df

    def pl(self) -> Any:
        """Return the result as a polars frame."""
        import polars as pl

        return pl.from_arrow(self.arrow())

    def close(self) -> None:
        """Do nothing: the result is here already."""
