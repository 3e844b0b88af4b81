"""What every engine does around a statement: judge, translate, run, time, explain errors."""

from __future__ import annotations

import re
import threading
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from finassay.core import InternalError
from finassay.database._collect import Watch
from finassay.database._metadata import METADATA_SCHEMAS
from finassay.database._places import place_of_word, unknown_column, unknown_table
from finassay.database._policy import check
from finassay.database._translate import translate
from finassay.database._types import (
    DatabaseUnavailable,
    Dialect,
    QueryError,
    QueryPolicy,
    QueryResult,
    QueryTimeout,
    TableInfo,
    UnsupportedSyntax,
)
from finassay.database._visible import only_allowed_rows
from finassay.database._words import without_database

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    import pyarrow as pa

    from finassay.database._definitions import Definition
    from finassay.database._sealed import Seal


_MOST_PREPARED = 64
_LONG_TEXT = 100_000
# A statement that begins by assigning a user variable, after blanks and comments that MySQL does not execute
_ASSIGNS = re.compile(r"(?:\s|--[^\n]*\n|#[^\n]*\n|/\*(?!M?!).*?\*/)*SET\s+@(?!@)", re.IGNORECASE | re.DOTALL)


class Database(Protocol):
    """An open database, read only. `connect` returns one; statements of one database run one after the other.

    Attributes
    ----------
    dialect : {"duckdb", "mysql", "postgres"}
        What the engine speaks.
    url : str
        Where it is, without the password.
    version : str
        The engine and its version, such as ``"MariaDB 10.11.6"``.
    default_schema : str
        The schema that unqualified names belong to; for MySQL the database.
    """

    dialect: Dialect
    url: str
    version: str
    default_schema: str

    def tables(self, count: bool = False) -> list[TableInfo]:
        """Return the tables and views, in the order of schema and name.

        Parameters
        ----------
        count : bool
            Count rows even where the engine has to read the table for it. DuckDB knows the rows of its own tables and
            of Parquet files; elsewhere ``rows`` is None unless this is true.

        Raises
        ------
        DatabaseUnavailable
            If a CSV file of a folder cannot be read; not for those that `unreadable` has set aside.
        """
        ...

    def unreadable(self) -> list[DatabaseUnavailable]:
        """Set aside the CSV files of a folder that cannot be read, and say what is wrong with each; often nothing."""
        ...

    def definitions(self) -> list[Definition]:
        """Return the views, macros and functions of the default schema with their texts; overlays change nothing."""
        ...

    def query(
        self,
        sql: str,
        dialect: Dialect | None = None,
        policy: QueryPolicy = QueryPolicy(),  # noqa: B008 - frozen
        params: Sequence[Any] = (),
    ) -> QueryResult:
        """Run one statement that reads, and return its result with faithful types.

        Parameters
        ----------
        sql : str
            The statement.
        dialect : {"duckdb", "mysql", "postgres"}, optional
            The language of the statement; by default the engine's own. DuckDB also takes the other two, translated.
        policy : QueryPolicy
            What it may read, return and take.
        params : sequence
            Values for the ``?`` markers of the statement, in order, on every engine.

        Returns
        -------
        QueryResult
            The table keeps the names the engine gives, two columns of one name included. Decimals keep precision and
            scale; NULL is not NaN; an empty result keeps its columns and types.

        Raises
        ------
        QueryRefused
            If the policy forbids it, or the result outgrows the policy's caps.
        QueryError
            If the engine rejects it; `UnsupportedSyntax` if it cannot be translated.
        QueryTimeout
            If it runs longer than the policy allows.
        DatabaseUnavailable
            If the connection is lost.
        """
        ...

    def replace(self, overlays: Mapping[str, str]) -> None:
        """Serve these overlays from now on and no others; it takes milliseconds where opening takes most of a second.

        Parameters
        ----------
        overlays : mapping of str to str
            As `connect` takes them; none serves every table as it is.

        Raises
        ------
        DatabaseUnavailable
            If an overlay replaces a table that does not exist.
        QueryError, QueryRefused
            If an overlay is not a SELECT that the engine accepts; what is served then is undefined.
        """
        ...

    def cancel(self) -> None:
        """Stop the statement that runs, from another thread; it raises `QueryError` with reason ``cancelled``."""
        ...

    @property
    def overdue(self) -> float:
        """Seconds that the running statement has gone on after its time was over, however often it was stopped."""
        ...

    def close(self) -> None:
        """Close the connection; a second call does nothing."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Prepared(NamedTuple):
    """A statement that may run: its tree, what runs, warnings, and the values that it still has markers for."""

    tree: Any
    executed: str
    warnings: tuple[str, ...]
    params: tuple[Any, ...]


class Interrupted(Exception):
    """The engine stopped a statement because somebody asked it to: the time limit or `cancel`."""


class BaseEngine(ABC):
    """The part of a `Database` that all engines share."""

    dialect: Dialect
    default_schema: str
    own_name: str | None = None  # of the database itself, before a schema; None where names have no such part

    def __init__(self, url: str) -> None:
        self.url = url
        self.version = ""
        self._lock = threading.RLock()
        self._closed = False
        self._watch: Watch | None = None
        self._known: dict[str, TableInfo] | None = None
        self._defined: list[Definition] | None = None
        self._seal: Seal | None = None
        self._prepared: dict[tuple[str, Dialect, QueryPolicy], Prepared] = {}

    def replace(self, overlays: Mapping[str, str]) -> None:
        """See `Database.replace`."""
        with self._lock:
            self._refuse_closed()
            if self._seal is not None:
                raise InternalError("A sealed database serves what it was opened with.")
            self._serve(overlays)

    def query(
        self,
        sql: str,
        dialect: Dialect | None = None,
        policy: QueryPolicy = QueryPolicy(),  # noqa: B008 - frozen
        params: Sequence[Any] = (),
    ) -> QueryResult:
        """See `Database.query`."""
        language = dialect or self.dialect
        self._refuse_pair(language)
        with self._lock:
            self._refuse_closed()
            self._needed(sql)
            return self._query(sql, language, policy, tuple(params))

    def _query(
        self, sql: str, language: Dialect, policy: QueryPolicy, params: tuple[Any, ...]
    ) -> QueryResult:
        with Watch(policy.timeout_s, self._interrupt) as watch:
            self._watch = watch
            started = time.monotonic()
            sql = self._without_own_name(sql, language, policy)
            if self._seal is not None:
                sql = self._seal.unqualified(sql, language)
            tree, executed, warnings, left = self._prepare(sql, language, policy, params)
            executed = self._overlaid(executed)
            try:
                watch.running = True
                table, more = self._run(executed, policy, left, sql)
            except Interrupted:
                raise _stopped(watch, policy) from None
            except QueryError as error:
                watch.running = False
                raise self._explained(error, sql, tree) from error.__cause__
            finally:
                watch.running = False
                self._watch = None
        ms = (time.monotonic() - started) * 1000
        return QueryResult(table, sql, executed, ms, (*warnings, *more))

    def _prepare(self, sql: str, language: Dialect, policy: QueryPolicy, params: tuple[Any, ...]) -> Prepared:
        """Judge and translate a statement; one that comes again, over other overlays say, was judged before."""
        key = (sql, language, policy)
        found = None if params else self._prepared.get(key)
        if found is None:
            asked = self._asked(sql, language)
            tree = check(
                asked, language, policy, self.default_schema, engine=self.dialect, macros=self._macros()
            )
            if self._seal is not None:
                self._seal.check(sql, tree, language)
            executed, warnings, left = self._translated(sql, language, params)
            allowed = policy.schemas if policy.schemas is not None else (self.default_schema,)
            executed = only_allowed_rows(executed, tree, self.dialect, allowed, self.default_schema)
            found = Prepared(tree, executed, warnings, left)
            if not params and len(sql) <= _LONG_TEXT:
                while len(self._prepared) >= _MOST_PREPARED:
                    del self._prepared[next(iter(self._prepared))]
                self._prepared[key] = found
        return found

    def _without_own_name(self, sql: str, language: Dialect, policy: QueryPolicy) -> str:
        """Return a statement without the database's own name: overlays stand for tables of shorter names."""
        if not self.own_name:
            return sql
        schemas = {self.default_schema, *(policy.schemas or ()), *METADATA_SCHEMAS[self.dialect]}
        return without_database(sql, language, self.own_name, schemas, folds=self.dialect == "postgres")

    def _forget(self) -> None:
        """Forget what was learnt of the tables: others are served now."""
        self._known = None
        self._prepared.clear()

    def cancel(self) -> None:
        """See `Database.cancel`."""
        watch = self._watch
        if watch is not None:
            watch.cancel()

    @property
    def overdue(self) -> float:
        """See `Database.overdue`."""
        watch = self._watch
        return 0.0 if watch is None else watch.overdue

    def close(self) -> None:
        """See `Database.close`."""
        if not self._closed:
            self._closed = True
            self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"

    @abstractmethod
    def tables(self, count: bool = False) -> list[TableInfo]:
        """See `Database.tables`."""

    def definitions(self) -> list[Definition]:
        """See `Database.definitions`; they are read once."""
        with self._lock:
            self._refuse_closed()
            if self._defined is None:
                self._defined = self._read_definitions()
            return list(self._defined)

    @abstractmethod
    def _read_definitions(self) -> list[Definition]:
        """Read what `definitions` returns."""

    def _macros(self) -> frozenset[str]:
        """Return the table macros that a statement may call."""
        return frozenset()

    def unreadable(self) -> list[DatabaseUnavailable]:
        """See `Database.unreadable`; servers have no files."""
        return []

    def _described(self) -> list[TableInfo]:
        """Return the tables; their rows may be missing."""
        return self.tables()

    @abstractmethod
    def _run(
        self, sql: str, policy: QueryPolicy, params: tuple[Any, ...], source: str
    ) -> tuple[pa.Table, tuple[str, ...]]:
        """Run a checked statement; raise `Interrupted`, `QueryError`, `QueryRefused`."""

    @abstractmethod
    def _interrupt(self) -> None:
        """Make the engine stop what it runs; called from another thread."""

    @abstractmethod
    def _close(self) -> None:
        """Close the connection."""

    def _needed(self, sql: str) -> None:  # noqa: B027 - a server has it all
        """Make ready what a statement may read; its time limit does not count this."""

    def _unread(self) -> list[str]:
        """Return the names of tables that no statement has needed yet, which `_tables` lacks."""
        return []

    @abstractmethod
    def _serve(self, overlays: Mapping[str, str]) -> None:
        """Serve these overlays and no others."""

    def _overlaid(self, sql: str) -> str:
        return sql

    def _prepare_dialect(self, dialect: Dialect) -> None:
        """Make the connection ready for translated statements; servers take none."""
        raise NotImplementedError(dialect)

    def _refuse_pair(self, dialect: Dialect) -> None:
        if dialect == self.dialect or self.dialect == "duckdb":
            return
        message = (
            f"A statement in the {dialect} dialect cannot run on {self.dialect}: there is no translation."
        )
        hint = f"Write it for {self.dialect}, or load the data into DuckDB, which takes every dialect."
        raise UnsupportedSyntax(message, hint=hint)

    def _asked(self, sql: str, dialect: Dialect) -> str:
        """Return the query itself: the variables that a translated statement sets in front of it are part of it."""
        assigns = ":=" in sql or _ASSIGNS.match(sql)
        if dialect != "mysql" or self.dialect == "mysql" or not assigns:
            return sql
        from finassay.database._mysql import without_assignments

        return without_assignments(sql)

    def _translated(
        self, sql: str, dialect: Dialect, params: tuple[Any, ...]
    ) -> tuple[str, tuple[str, ...], tuple[Any, ...]]:
        """Return the statement that runs, warnings, and the values it still has markers for."""
        if dialect == self.dialect:
            return sql, (), params
        self._prepare_dialect(dialect)
        found = translate(sql, dialect, self.dialect, schema=self._schema(), params=params, keys=self._keys())
        return found.sql, found.warnings, () if dialect == "mysql" else params

    def _keys(self) -> Mapping[str, Sequence[Sequence[str]]]:
        """Return the keys of tables of the default schema, of columns without NULL."""
        return {}

    def _schema(self) -> Mapping[str, Mapping[str, str]]:
        return {
            name: {column.name: column.type for column in info.columns}
            for name, info in self._tables().items()
        }

    def _tables(self) -> dict[str, TableInfo]:
        """Return the tables of the default schema by name, read once: databases under evaluation do not change."""
        if self._known is None:
            self._known = {
                info.name: info for info in self._described() if info.schema == self.default_schema
            }
        return self._known

    def _refuse_closed(self) -> None:
        if self._closed:
            raise DatabaseUnavailable(f"{self.url} is closed.", hint="Open it again with connect().")

    def _explained(self, error: QueryError, sql: str, tree: Any) -> QueryError:
        """Add the names that exist to an unknown table or column; engines mark those with the bare name as hint."""
        if error.hint is None or error.reason not in {"unknown_table", "unknown_column"}:
            if error.place is None and error.hint is None:
                error.place = _quoted_place(error.message, sql)
            return error
        known = self._tables()
        if error.reason == "unknown_table":
            return unknown_table(error.hint, sql, sorted([*known, *self._unread()]))
        return unknown_column(error.hint, sql, _columns_read(tree, known))


def _stopped(watch: Watch, policy: QueryPolicy) -> QueryTimeout | QueryError:
    if watch.cancelled and not watch.expired:
        return QueryError("The statement was cancelled.", reason="cancelled")
    return QueryTimeout(
        f"The statement ran longer than {policy.timeout_s:g} seconds, the most that is allowed.",
        hint="Filter earlier, join on keys, or allow more time (--query-timeout, --timeout).",
    )


def _columns_read(tree: Any, known: Mapping[str, TableInfo]) -> dict[str, list[str]]:
    from sqlglot import exp

    lower = {name.lower(): info for name, info in known.items()}
    read = [lower[table.name.lower()] for table in tree.find_all(exp.Table) if table.name.lower() in lower]
    return {info.name: [column.name for column in info.columns] for info in read}


def _quoted_place(message: str, sql: str) -> Any:
    """Return the place of the first name in quotation marks, where an engine does not say where."""
    import re

    match = re.search(r"""["'`]([^"'`\n]{1,80})["'`]""", message)
    return place_of_word(sql, match.group(1)) if match else None
