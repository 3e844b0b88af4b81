"""The values that cross the boundary of this room: what a database holds, what a query may do, what it gave."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from finassay.core import CandidateError, InputError

if TYPE_CHECKING:
    import pyarrow as pa

Dialect = Literal["duckdb", "mysql", "postgres"]
DIALECTS: tuple[Dialect, ...] = ("duckdb", "mysql", "postgres")


@dataclass(frozen=True)
class ColumnInfo:
    """A column: its name as stored, the server's own type, its Arrow type, whether NULL is allowed, its comment."""

    name: str
    type: str
    arrow_type: pa.DataType
    nullable: bool
    comment: str = ""


@dataclass(frozen=True)
class TableInfo:
    """A table or view of a database.

    ``rows`` is exact where the engine counts cheaply, else counted on request, else None.
    """

    name: str
    schema: str
    columns: tuple[ColumnInfo, ...]
    rows: int | None
    kind: Literal["table", "view"] = "table"
    primary_key: tuple[str, ...] = ()


class OwnSelect(str):
    """A SELECT that was written here: quoted names after FROM, and literals; DuckDB serves it without reading it again.

    A text of anybody else is never one: it is checked before it is served.
    """


@dataclass(frozen=True)
class QueryPolicy:
    """What a statement may do.

    Attributes
    ----------
    schemas : tuple of str or None
        Schemas (databases, for MySQL) that may be read; None allows the one connected to and no other.
    max_rows : int
        Rows a result may have; one more is a `QueryRefused` with reason ``too_many_rows``.
    max_bytes : int
        Bytes a result may take in Arrow; over that is ``too_many_bytes``.
    timeout_s : float
        Seconds a statement may run; over that is a `QueryTimeout`.
    """

    schemas: tuple[str, ...] | None = None
    max_rows: int = 5_000_000
    max_bytes: int = 2 << 30
    timeout_s: float = 60.0


@dataclass(frozen=True)
class QueryResult:
    """A result: its Arrow table, the statement that really ran, milliseconds, warnings a reader should see."""

    table: pa.Table
    sql: str
    executed_sql: str
    ms: float
    warnings: tuple[str, ...] = field(default=())

    @property
    def rows(self) -> int:
        """Rows of the result."""
        return int(self.table.num_rows)

    @property
    def bytes(self) -> int:
        """Bytes of the result in Arrow."""
        return int(self.table.nbytes)


@dataclass(frozen=True)
class Translation:
    """A statement in another dialect, and warnings a reader should see."""

    sql: str
    warnings: tuple[str, ...] = ()


class DatabaseUnavailable(InputError):
    """The URL is wrong, the file is missing, the server is down or refuses us."""

    reason = "database_unavailable"


class QueryError(CandidateError):
    """The engine rejected the statement: unknown table or column, syntax, a type. Has a `Place` if known."""

    reason = "query_error"


class UnsupportedSyntax(QueryError):
    """The statement is valid in its dialect but cannot be translated faithfully to this engine."""

    reason = "unsupported_syntax"


class QueryRefused(CandidateError):
    """The policy forbids the statement (several statements, a write, a foreign schema, a result too large)."""

    reason = "query_refused"


class QueryTimeout(CandidateError):
    """The statement ran longer than the policy allows."""

    reason = "query_timeout"
