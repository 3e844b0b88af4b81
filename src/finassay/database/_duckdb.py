"""DuckDB files, and folders of Parquet and CSV, as a hardened database over read-only data."""

# ruff: noqa: S608 - names in statements are quoted, texts are literals of `literal`
from __future__ import annotations

import re
import secrets
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finassay.database._arrow import calendar_only
from finassay.database._collect import collect
from finassay.database._definitions import callable_macros
from finassay.database._engine import BaseEngine, Interrupted, Prepared
from finassay.database._files import find_files, literal, load_csv, quoted
from finassay.database._metadata import METADATA_SCHEMAS
from finassay.database._places import place_of_fragment, place_of_line, place_of_word
from finassay.database._sealed import Seal, based, fenced
from finassay.database._types import (
    ColumnInfo,
    DatabaseUnavailable,
    Dialect,
    QueryError,
    QueryPolicy,
    QueryRefused,
    TableInfo,
)
from finassay.database._views import OverlayViews, create_view, duckdb_definitions, refuse_unknown
from finassay.database._words import under_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from finassay.core import Place
    from finassay.database._definitions import Definition

_BATCH_ROWS = 16_384
_BASE = "finassay_base"
_LISTING = re.compile(
    r"\b(?:SHOW|DESC|DESCRIBE|SUMMARIZE|PRAGMA|INFORMATION_SCHEMA|PG_\w+|DUCKDB_\w+|SQLITE_\w+)\b",
    re.IGNORECASE,
)
_READING = {"SELECT", "EXPLAIN"}
# DuckDB hands these to Arrow as something else or as nonsense (UHUGEINT wraps around); the cast fails loudly instead.
_CASTS = {
    "UHUGEINT": "DECIMAL(38, 0)",
    "BIT": "VARCHAR",
    "BIGNUM": "VARCHAR",
    "TIME WITH TIME ZONE": "VARCHAR",
}
# Of one connection: beyond the first, what is sorted, joined or aggregated goes to a folder that is removed at the end.
_MEMORY, _SPILLED = "4GB", "16GB"
_SETTINGS = """
SET python_enable_replacements = false;
SET TimeZone = 'UTC';
SET enable_external_access = false;
SET autoinstall_known_extensions = false;
SET autoload_known_extensions = false;
SET allow_community_extensions = false;
"""


class DuckDBEngine(BaseEngine):
    """A DuckDB file, a folder, or one data file; see `finassay.database.connect`.

    The data is a catalog attached read-only beside a database in memory, and the default one. With overlays the default
    is the database in memory instead, which has a view per table; the policy lets nobody name the attached one.
    """

    dialect: Dialect = "duckdb"
    default_schema = "main"

    def __init__(
        self, url: str, path: Path, *, files: bool, overlays: Mapping[str, str], sealed: bool
    ) -> None:
        super().__init__(url)
        import duckdb

        self.own_name = None if files else _own_name(path)
        self.version = f"DuckDB {duckdb.__version__}"
        # DuckDB makes the folder when it needs it, and removes it when it closes: a process that is killed leaves none
        # unless it was just then in use.
        scratch = Path(tempfile.gettempdir()) / f"finassay-{secrets.token_hex(8)}"
        self._connection = duckdb.connect(
            ":memory:",
            config={
                "memory_limit": _MEMORY,
                "temp_directory": str(scratch),
                "max_temp_directory_size": _SPILLED,
            },
        )
        self._catalog = _BASE
        self._mysql_ready = False
        self._language: Dialect = "duckdb"  # of the statement that runs
        self._arrow_types: dict[str, pa.DataType] = {}
        self._unique: dict[str, list[list[str]]] | None = None
        self._waiting: dict[str, Path] = {}  # CSV files that no statement has needed yet
        self._faults: dict[str, DatabaseUnavailable] = {}  # of those among them that were set aside
        self._views: OverlayViews | None = None
        self._callable: frozenset[str] | None = None
        try:
            self._attach(path, files=files)
            if sealed:
                self._seal_off(overlays)
            elif overlays:
                self._serve(overlays)
            self._connection.execute(_SETTINGS)
            self._connection.execute("SET lock_configuration = true")
        except BaseException:
            self._close()
            raise

    def _without_own_name(self, sql: str, language: Dialect, policy: QueryPolicy) -> str:
        """See `BaseEngine._without_own_name`; the name alone may stand before a table, too, unless a schema has it."""
        sql = super()._without_own_name(sql, language, policy)
        schemas = {self.default_schema, *(policy.schemas or ()), *METADATA_SCHEMAS["duckdb"]}
        if not self.own_name or self.own_name.lower() in {schema.lower() for schema in schemas}:
            return sql
        return under_schema(sql, language, self.own_name, self.default_schema)

    def tables(self, count: bool = False) -> list[TableInfo]:
        """See `Database.tables`."""
        with self._lock:
            self._refuse_closed()
            for name in [name for name in self._waiting if name not in self._faults]:
                self._load(name)
            return [replace(info, rows=self._count(info, asked=count)) for info in self._described()]

    def unreadable(self) -> list[DatabaseUnavailable]:
        """See `Database.unreadable`."""
        with self._lock:
            self._refuse_closed()
            for name in list(self._waiting):
                try:
                    self._load(name)
                except DatabaseUnavailable as fault:
                    self._faults[name] = fault
            return list(self._faults.values())

    def _attach(self, path: Path, *, files: bool) -> None:
        import duckdb

        if files:
            self._connection.execute(f"ATTACH ':memory:' AS {_BASE}")
            self._waiting = find_files(self._connection, path, f"{_BASE}.main")
            if path.is_file():
                self._load_all()
        else:
            try:
                self._connection.execute(f"ATTACH {literal(str(path))} AS {_BASE} (TYPE duckdb, READ_ONLY)")
            except duckdb.Error as error:
                raise DatabaseUnavailable(
                    f"{path} cannot be opened as a DuckDB database: {_first_line(error)}",
                    hint="Check that it is a DuckDB file, may be read, and that nobody has it open for writing.",
                ) from error
        self._files = files
        self._connection.execute(f"USE {_BASE}.main")

    def _needed(self, sql: str) -> None:
        """Load the CSV files whose names stand anywhere in a statement, and all where it may list tables."""
        if not self._waiting:
            return
        if _LISTING.search(sql):
            self._load_all()
        text = _unquoted(sql)
        for name in [name for name in self._waiting if _unquoted(name) in text]:
            self._load(name)

    def _unread(self) -> list[str]:
        return list(self._waiting)

    def _load_all(self) -> None:
        for name in list(self._waiting):
            self._load(name)

    def _load(self, name: str) -> None:
        load_csv(self._connection, f"{_BASE}.main", name, self._waiting[name])
        del self._waiting[name]
        self._known = None

    def _use(self, catalog: str) -> None:
        self._catalog = catalog
        self._connection.execute(f"USE {catalog}.main")
        self._forget()

    def _seal_off(self, overlays: Mapping[str, str]) -> None:
        """Serve the replacements through views in memory, and nothing else."""
        self._load_all()
        known = [name for schema, name, _ in self._names() if schema == "main"]
        replaced = {name.lower(): text for name, text in overlays.items()}
        refuse_unknown(replaced, known)
        for name in known:
            found = replaced.get(name.lower())
            if found is not None:
                text = fenced(based(found, "duckdb", f"{_BASE}.main.", "main"), "duckdb")
                create_view(self._connection, f"memory.main.{quoted(name)}", name, text, found)
        self._catalog = "memory"
        self._connection.execute("USE memory.main")
        served = tuple(name for name in known if name.lower() in replaced)
        self._seal = Seal("duckdb", "main", served, frozenset({_BASE}))

    def _serve(self, overlays: Mapping[str, str]) -> None:
        """Serve every table through a view in memory, the replaced ones from their replacement."""
        if not overlays:
            if self._catalog != _BASE:
                self._use(_BASE)
            return
        if self._views is None:
            self._load_all()
            names = {
                name: kind == "table" or self._files
                for schema, name, kind in self._names()
                if schema == "main"
            }
            self._views = OverlayViews(self._connection, f"{_BASE}.main", names, self.definitions())
        if self._catalog == _BASE:
            self._use("memory")
        if self._views.serve(overlays):
            self._forget()

    def _read_definitions(self) -> list[Definition]:
        if self._files:
            return []
        found = duckdb_definitions(self._connection, _BASE)
        return [
            replace(each, made=self._without_own_name(each.made, "duckdb", QueryPolicy())) for each in found
        ]

    def _macros(self) -> frozenset[str]:
        if self._seal is not None or self._files:
            return frozenset()
        if self._callable is None:
            self._callable = callable_macros(self.definitions(), self.default_schema)
        return self._callable

    def _names(self) -> list[tuple[str, str, str]]:
        rows = self._connection.execute(
            """SELECT schema_name, table_name, 'table' FROM duckdb_tables()
            WHERE NOT internal AND NOT temporary AND database_name = $1
            UNION ALL SELECT schema_name, view_name, 'view' FROM duckdb_views()
            WHERE NOT internal AND NOT temporary AND database_name = $1 ORDER BY 1, 2""",
            [self._catalog],
        ).fetchall()
        return [(str(schema), str(name), str(kind)) for schema, name, kind in rows]

    def _described(self) -> list[TableInfo]:
        """Return the tables without their rows: counting is what takes long. Those that wait are not there yet."""
        columns: dict[tuple[str, str], list[ColumnInfo]] = {}
        for schema, table, *column in self._connection.execute(
            """SELECT schema_name, table_name, column_name, data_type, is_nullable, coalesce(comment, '')
            FROM duckdb_columns() WHERE database_name = ? ORDER BY schema_name, table_name, column_index""",
            [self._catalog],
        ).fetchall():
            columns.setdefault((schema, table), []).append(self._column(*column))
        keys = {
            (schema, table): tuple(names)
            for schema, table, names in self._connection.execute(
                """SELECT schema_name, table_name, constraint_column_names FROM duckdb_constraints()
            WHERE constraint_type = 'PRIMARY KEY' AND database_name = ?""",
                [_BASE],
            ).fetchall()
        }
        # Files and overlaid tables are views in DuckDB and tables to everybody else.
        views = not self._files and self._catalog == _BASE
        return [
            TableInfo(
                name,
                schema,
                tuple(columns[schema, name]),
                None,
                "view" if kind == "view" and views else "table",
                keys.get((schema, name), ()),
            )
            for schema, name, kind in self._names()
        ]

    def _keys(self) -> Mapping[str, Sequence[Sequence[str]]]:
        """See `BaseEngine._keys`; what an overlay serves need not keep those of the table that it replaces."""
        if self._catalog != _BASE:
            return {}
        if self._unique is None:
            self._unique = {}
            filled = {
                (info.name, column.name)
                for info in self._tables().values()
                for column in info.columns
                if not column.nullable
            }
            for table, names in self._connection.execute(
                """SELECT table_name, constraint_column_names FROM duckdb_constraints()
                WHERE constraint_type IN ('PRIMARY KEY', 'UNIQUE') AND database_name = ? AND schema_name = ?""",
                [_BASE, self.default_schema],
            ).fetchall():
                if all((table, column) in filled for column in names):
                    self._unique.setdefault(table, []).append(names)
        return self._unique

    def _column(self, name: str, type_: str, nullable: bool, comment: str) -> ColumnInfo:
        if type_ not in self._arrow_types:
            reader = self._reader(
                self._connection.sql(f"SELECT NULL::{type_} AS x"), f"SELECT NULL::{type_} AS x", ()
            )
            self._arrow_types[type_] = _plain_type(reader.schema.field(0).type)
            reader.close()
        return ColumnInfo(name, type_, self._arrow_types[type_], nullable, comment)

    def _count(self, info: TableInfo, *, asked: bool) -> int | None:
        """Count rows: of tables and Parquet files DuckDB knows them; a view or an overlay is counted on request."""
        if not asked and (info.kind == "view" or self._catalog != _BASE):
            return None
        place = f"{self._catalog}.{quoted(info.schema)}.{quoted(info.name)}"
        import duckdb

        try:
            # fetchone() would leave the result open, and the connection busy.
            [(rows,)] = self._connection.execute(f"SELECT count(*) FROM {place}").fetchall()
        except duckdb.Error:
            if info.kind == "view":  # over a table that is gone, say: its own trouble, not that of the others
                return None
            raise
        return int(rows)

    def _prepare(self, sql: str, language: Dialect, policy: QueryPolicy, params: tuple[Any, ...]) -> Prepared:
        self._language = language
        return super()._prepare(sql, language, policy, params)

    def _refusal(self, error: Exception, source: str) -> QueryError | None:
        import duckdb

        from finassay.database._mysql import refusal_at_run_time

        return refusal_at_run_time(error, source) if isinstance(error, duckdb.Error) else None

    def _prepare_dialect(self, dialect: Dialect) -> None:
        if dialect == "mysql" and not self._mysql_ready:
            from finassay.database._mysql import setup

            setup(self._connection)
            self._mysql_ready = True

    def _run(
        self, sql: str, policy: QueryPolicy, params: tuple[Any, ...], source: str
    ) -> tuple[pa.Table, tuple[str, ...]]:
        import duckdb
        import pyarrow as pa

        try:
            self._refuse_by_type(sql)
            relation = self._connection.sql(sql, params=list(params) or None)
            reader = self._reader(relation, sql, params)
            try:
                table = collect(
                    _plain(reader), pa.schema(_plain_field(field) for field in reader.schema), policy
                )
            finally:
                reader.close()
        except duckdb.InterruptException as error:
            raise Interrupted from error
        except (duckdb.Error, pa.ArrowInvalid, OSError) as error:
            if "INTERRUPT" in str(error):
                raise Interrupted from error
            refusal = self._refusal(error, source) if self._language == "mysql" else None
            raise refusal or _query_error(error, sql, source) from error
        return calendar_only(table)

    def _refuse_by_type(self, sql: str) -> None:
        """Ask DuckDB's own parser too: it knows what a statement is, whatever ours made of it."""
        statements = self._connection.extract_statements(sql)
        types = {statement.type.name for statement in statements}
        if len(statements) != 1:
            raise QueryRefused(
                f"{len(statements)} statements were sent where one is allowed.", reason="several_statements"
            )
        if self._files and types == {"EXPLAIN"} and re.match(r"(?i)[\s(]*EXPLAIN\b[\s(]*ANALY[SZ]E\b", sql):
            raise QueryRefused(
                "EXPLAIN ANALYZE names the files of the host that were read.",
                reason="file_access",
                hint="Use EXPLAIN.",
            )
        if types == {"MULTI"} and re.search(r"(?i)\b(?:UN)?PIVOT\b", sql):
            return  # PIVOT without IN reads the values first
        if not types <= _READING:
            message = f"DuckDB reads the statement as {', '.join(sorted(types))}, which may write."
            raise QueryRefused(message, reason="not_read_only", hint="Send a SELECT.")

    def _reader(self, relation: Any, sql: str, params: tuple[Any, ...]) -> pa.RecordBatchReader:
        types = [str(type_) for type_ in relation.types]
        if any(type_ in _CASTS for type_ in types):
            names = [f"c{i}" for i in range(len(types))]
            shown = ", ".join(
                (f"CAST({name} AS {_CASTS[type_]})" if type_ in _CASTS else name) + f" AS {quoted(column)}"
                for name, type_, column in zip(names, types, relation.columns, strict=True)
            )
            body = sql.rstrip().rstrip(";")
            wrapped = f"SELECT {shown} FROM (\n{body}\n) AS t({', '.join(names)})"
            relation = self._connection.sql(wrapped, params=list(params) or None)
        return relation.to_arrow_reader(_BATCH_ROWS)

    def _interrupt(self) -> None:
        self._connection.interrupt()

    def _close(self) -> None:
        self._connection.close()


def _own_name(path: Path) -> str:
    """Return the name that DuckDB itself gives the database of a file."""
    name = path.name.split(".")[0]
    return f"{name}_db" if name in {"main", "temp", "system"} else name


def _plain(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """Give batches with enumerations as plain strings."""
    import pyarrow as pa

    schema = pa.schema(_plain_field(field) for field in reader.schema)
    for batch in reader:
        columns = [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _plain_field(field: pa.Field) -> pa.Field:
    return field.with_type(_plain_type(field.type))


def _plain_type(type_: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if pa.types.is_dictionary(type_):
        return type_.value_type
    if pa.types.is_list(type_):
        return pa.list_(_plain_type(type_.value_type))
    if pa.types.is_struct(type_):
        return pa.struct([_plain_field(type_.field(i)) for i in range(type_.num_fields)])
    return type_


def _unquoted(text: str) -> str:
    """Return a text in small letters without quotation marks, which a name in a statement may have within."""
    return re.sub(r"[\"'`]", "", text).lower()


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


_UNKNOWN_TABLE = re.compile(r"Table with name \"?(.+?)\"? does not exist")
# DuckDB does not say where a function stands that it does not have, or not for these arguments.
_WRONG_FUNCTION = re.compile(r"Function with name \"?(\w+)\"? does not exist|argument types '(\w+)\(")
_UNKNOWN_COLUMN = re.compile(
    r'Referenced column "(.+?)" (?:not found|that)|[Cc]olumn named "(.+?)"|does not have a column named "(.+?)"'
)


def _query_error(error: Exception, sql: str, source: str) -> QueryError:
    """Return our error; its place is in the user's text, also where another text ran."""
    text = str(error).strip()
    message = re.split(r"\n\s*LINE \d+:|\nDid you mean|\nCandidate |\n\s*\n", text, maxsplit=1)[0].strip()
    if message.startswith("Out of Memory"):
        return QueryError(
            f"The statement took more memory than it may have ({_MEMORY}, and {_SPILLED} of files beside): {message}",
            reason="out_of_memory",
            hint="Read fewer rows or columns, or filter before joining.",
        )
    if match := _UNKNOWN_TABLE.search(message):
        return QueryError(message, reason="unknown_table", hint=match.group(1))
    if match := _UNKNOWN_COLUMN.search(message):
        name = next(group for group in match.groups() if group)
        return QueryError(message, reason="unknown_column", hint=name)
    place = _place(text, sql) if sql == source else _place_elsewhere(text, source)
    if place is None and (match := _WRONG_FUNCTION.search(message)):
        place = place_of_word(source, match.group(1) or match.group(2))
    if "Parser Error" in message:
        return QueryError(
            message.replace("Parser Error: ", "Syntax error: "), place=place, reason="syntax_error"
        )
    return QueryError(message, place=place)


def _place(text: str, sql: str) -> Place | None:
    match = re.search(r"LINE (\d+): (.*)\n( *)\^", text)
    if not match:
        return None
    line, shown, blanks = int(match.group(1)), match.group(2), len(match.group(3))
    caret = blanks - len(f"LINE {line}: ")
    lines = sql.split("\n")
    whole = lines[line - 1] if line <= len(lines) else ""
    # A long line is shown in part, with … at its ends: find the part in the line.
    part = shown.strip(".") if shown.startswith("...") or shown.endswith("...") else shown
    offset = whole.find(part)
    shift = offset - (3 if shown.startswith("...") else 0) if offset >= 0 else 0
    return place_of_line(sql, line, max(1, caret + shift + 1))


def _place_elsewhere(text: str, source: str) -> Place | None:
    match = re.search(r"LINE \d+: (.*)\n( *)(\^+)", text)
    if not match:
        return None
    start = len(match.group(2)) - (match.start(1) - match.start())
    return place_of_fragment(source, match.group(1)[start : start + len(match.group(3))].strip())
