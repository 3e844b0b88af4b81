"""PostgreSQL servers, through psycopg: rows streamed in chunks, column by column into Arrow."""

# ruff: noqa: S608 - names in statements are quoted, texts are literals of `literal`
from __future__ import annotations

import contextlib
import itertools
import re
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.adapt import Loader

from finassay.database._arrow import decimal_type, text_array
from finassay.database._collect import ChunkSize, collect
from finassay.database._definitions import Definition, view_texts
from finassay.database._engine import BaseEngine, Interrupted
from finassay.database._files import literal, quoted
from finassay.database._markers import numbered_markers, with_driver_markers
from finassay.database._overlays import ServerOverlays
from finassay.database._places import place_at
from finassay.database._sealed import Seal, based, fenced
from finassay.database._types import (
    ColumnInfo,
    DatabaseUnavailable,
    Dialect,
    QueryError,
    QueryPolicy,
    TableInfo,
)
from finassay.database._words import without_brackets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa
    from psycopg.pq.abc import PGresult

    from finassay.database._url import Server

CONNECT_SECONDS = 10
_CHUNK_ROWS = 2048
_SESSION = """
SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY;
SET default_transaction_read_only = on;
SET standard_conforming_strings = on;
SET TimeZone = 'UTC';
SET DateStyle = 'ISO, YMD';
SET IntervalStyle = 'iso_8601';
SET bytea_output = 'hex';
SET extra_float_digits = 1;
SET client_encoding = 'UTF8';
"""
_BYTEA, _NUMERIC = 17, 1700


class PostgresEngine(BaseEngine):
    """A PostgreSQL database; see `finassay.database.connect`.

    Each statement runs in a transaction of its own that may only read and is rolled back, in UTC, through the extended
    protocol, which takes one statement at a time.
    """

    dialect: Dialect = "postgres"

    def __init__(self, url: str, server: Server, *, overlays: Mapping[str, str], sealed: bool) -> None:
        super().__init__(url)
        self._server = server
        self.own_name = server.database
        self._connection: psycopg.Connection[Any] | None = None
        self._bases: dict[str, str] = {}  # of a sealed database: what each table shows
        self.default_schema = "public"
        connection = self._open()
        row = connection.execute("SELECT current_schema(), current_setting('server_version')").fetchone()
        self.default_schema = str(row[0] or "public") if row else "public"
        self.version = f"PostgreSQL {str(row[1]).split(' ')[0]}" if row else "PostgreSQL"
        try:
            self._overlays = ServerOverlays(overlays, "postgres", self.default_schema, sealed=sealed)
            self._learn()
        except BaseException:
            self.close()
            raise

    def _serve(self, overlays: Mapping[str, str]) -> None:
        self._overlays = ServerOverlays(overlays, "postgres", self.default_schema)
        self._learn()
        self._forget()

    def _learn(self) -> None:
        if self._overlays.texts:
            names = [name for name in self._names() if name[0] == self.default_schema]
            rows = (
                self._live().execute("SELECT DISTINCT inhparent::text FROM pg_catalog.pg_inherits").fetchall()
            )
            parents = {str(oid) for (oid,) in rows}
            self._overlays.learn(
                {name: kind for _, name, kind, _ in names},
                view_texts(self.definitions()),
                [name for _, name, _, oid in names if oid in parents],
            )
        if self._overlays.sealed:
            place, schema = f"{quoted(self.default_schema)}.", self.default_schema
            texts = self._overlays.texts.items()
            self._bases = {name: based(text, "postgres", place, schema) for name, text in texts}
            served = tuple(name for _, name, _, _ in self._names() if not self._overlays.hides(name))
            rows = self._live().execute("SELECT nspname FROM pg_catalog.pg_namespace").fetchall()
            schemas = frozenset({*(str(name).lower() for (name,) in rows), "pg_temp"})
            self._seal = Seal("postgres", schema, served, schemas)
            self._close_off(self._live())

    def _close_off(self, connection: psycopg.Connection[Any]) -> None:
        """Take the schemas of the database off the search path, and put views of this session in their place.

        The views are barriers: of a statement's conditions only those that can raise no error are tried inside, which
        may use an index. A server that is a copy of another, or a user without TEMPORARY, gets subqueries.
        """
        names = {name: f"pg_temp.{quoted(name)}" for name in self._bases}
        try:
            connection.execute("BEGIN TRANSACTION READ WRITE")
            for name, text in self._bases.items():
                connection.execute(f"CREATE VIEW {names[name]} WITH (security_barrier) AS {text}".encode())
            connection.execute("COMMIT")
            self._overlays.place(names, views=True)
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction):
            connection.execute("ROLLBACK")
            fences = {name: fenced(text, "postgres") for name, text in self._bases.items()}
            self._overlays.place(fences, views=False)
        connection.execute("SET search_path = ''")

    def _read_definitions(self) -> list[Definition]:
        found: list[Definition] = []
        own = f"n.nspname = {literal(self.default_schema)}"
        for name, kind, text in self._live().execute(
            f"""SELECT c.relname, c.relkind::text, pg_get_viewdef(c.oid)
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE {own} AND c.relkind IN ('v', 'm') AND has_table_privilege(c.oid, 'SELECT') ORDER BY 1""".encode()
        ):
            stored = "" if kind == "v" else "it holds rows that were computed before"
            found.append(Definition(str(name), "view", (str(text),), why=stored))
        for name, language, text in self._live().execute(
            """SELECT p.proname, l.lanname, p.prosrc FROM pg_catalog.pg_proc p
            JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
            JOIN pg_catalog.pg_language l ON l.oid = p.prolang
            WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
            AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
            ORDER BY 1"""
        ):
            texts = (str(text),) if language == "sql" and text else ()
            found.append(Definition(str(name), "function", texts))
        return found

    def tables(self, count: bool = False) -> list[TableInfo]:
        """See `Database.tables`."""
        with self._lock:
            self._refuse_closed()
            names = self._names()
            return [self._table(*name, count=count) for name in names if not self._hidden(name[0], name[1])]

    def _hidden(self, schema: str, name: str) -> bool:
        return schema == self.default_schema and self._overlays.hides(name)

    def _names(self) -> list[tuple[str, str, str, str]]:
        rows = self._live().execute(
            """SELECT n.nspname, c.relname, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END, c.oid::text
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
            AND n.nspname NOT LIKE 'pg\\_%' AND has_table_privilege(c.oid, 'SELECT') ORDER BY 1, 2"""
        )
        return [(str(a), str(b), str(c), str(d)) for a, b, c, d in rows]

    def _table(self, schema: str, name: str, kind: str, oid: str, *, count: bool) -> TableInfo:
        connection = self._live()
        rows = connection.execute(
            f"""SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
            coalesce(col_description(a.attrelid, a.attnum), ''),
            coalesce((SELECT a.attnum = ANY(i.indkey) FROM pg_catalog.pg_index i
                      WHERE i.indrelid = a.attrelid AND i.indisprimary), false)
            FROM pg_catalog.pg_attribute a WHERE a.attrelid = {int(oid)} AND a.attnum > 0 AND NOT a.attisdropped
            ORDER BY a.attnum"""
        ).fetchall()
        place = f"{quoted(schema)}.{quoted(name)}"
        _, types = _columns(_described(connection, self._overlaid(f"SELECT * FROM {place}")), connection)
        columns = tuple(
            # What was not known reads as NULL in a sealed database, whatever the column says.
            ColumnInfo(column, type_, types[i], required in {"f", False} or self._overlays.sealed, comment)
            for i, (column, type_, required, comment, _) in enumerate(rows[: len(types)])
        )
        number = None
        if count:
            counted = connection.execute(self._overlaid(f"SELECT count(*) FROM {place}")).fetchone()
            number = int(counted[0]) if counted else None
        key = tuple(row[0] for row in rows if row[4] in {"t", True})
        return TableInfo(name, schema, columns, number, "view" if kind == "view" else "table", key)

    def _without_own_name(self, sql: str, language: Dialect, policy: QueryPolicy) -> str:
        return without_brackets(super()._without_own_name(sql, language, policy), language)

    def _overlaid(self, sql: str) -> str:
        return self._overlays.apply(sql)

    def _run(
        self, sql: str, policy: QueryPolicy, params: tuple[Any, ...], source: str
    ) -> tuple[pa.Table, tuple[str, ...]]:
        connection = self._live()
        warnings: list[str] = []
        try:
            connection.execute("BEGIN TRANSACTION READ ONLY")
            connection.execute(f"SET LOCAL statement_timeout = {max(1, int(policy.timeout_s * 1000))}")
            return self._stream(connection, sql, policy, params, warnings), tuple(warnings)
        except psycopg.errors.QueryCanceled as error:
            raise Interrupted from error
        except psycopg.OperationalError as error:
            if connection.closed or connection.broken:
                self._drop()
                raise self._unavailable(error, "was lost") from None
            raise _query_error(error, sql, source) from error
        except psycopg.Error as error:
            raise _query_error(error, sql, source) from error
        finally:
            self._rollback()

    def _stream(
        self,
        connection: psycopg.Connection[Any],
        sql: str,
        policy: QueryPolicy,
        params: tuple[Any, ...],
        warnings: list[str],
    ) -> pa.Table:
        with connection.cursor() as cursor:
            marked = with_driver_markers(sql, "postgres") if params else sql
            rows = cursor.stream(marked.encode(), params or None, size=_CHUNK_ROWS)
            text = numbered_markers(sql) if params else sql
            try:
                first = next(rows, None)
                described = cursor.pgresult if first is not None else _described(connection, text)
                names, types = _columns(described, connection)
                return _table(first, rows, names, types, policy, warnings)
            finally:
                rows.close()  # type: ignore[attr-defined] # a generator: closing it cancels what is left

    def _rollback(self) -> None:
        if self._connection is None:
            return
        try:
            self._connection.execute("ROLLBACK")
        except psycopg.Error:
            self._drop()

    def _live(self) -> psycopg.Connection[Any]:
        return self._connection if self._connection is not None else self._open()

    def _open(self) -> psycopg.Connection[Any]:
        server = self._server
        options = {name: value for name, value in server.options if name != "host"}
        try:
            connection: psycopg.Connection[Any] = psycopg.connect(
                host=server.host,
                port=server.port,
                user=server.user or None,
                password=server.password or None,
                dbname=server.database,
                connect_timeout=CONNECT_SECONDS,
                autocommit=True,
                prepare_threshold=None,
                **options,  # type: ignore[arg-type]
            )
            connection.execute(_SESSION)
        except psycopg.Error as error:
            raise self._unavailable(error) from None
        _keep_text(connection)
        self._connection = connection
        if self._seal is not None:
            self._close_off(connection)
        return connection

    def _unavailable(self, error: Exception, what: str = "cannot be opened") -> DatabaseUnavailable:
        server, text = self._server, str(error).strip()
        if server.password:
            text = text.replace(server.password, "***")
        why, hint = (
            text.splitlines()[-1] if text else type(error).__name__,
            "Check the URL and the server's log.",
        )
        if "password authentication failed" in text or "no password supplied" in text:
            why, hint = f"the user {server.user!r} or the password is wrong", "Check both in the URL."
        elif re.search(r'database ".*" does not exist', text):
            why, hint = f"there is no database {server.database!r}", "Check the last part of the URL."
        elif "refused" in text or "timeout" in text or "resolve" in text:
            why = "nothing answers there"
            hint = f"Start the server, or check host and port ({server.host}:{server.port})."
        return DatabaseUnavailable(f"{self.url} {what}: {why}.", hint=hint)

    def _interrupt(self) -> None:
        connection = self._connection
        if connection is not None and not connection.closed:
            with contextlib.suppress(psycopg.Error):
                connection.cancel_safe(timeout=CONNECT_SECONDS)

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _close(self) -> None:
        self._drop()


class _Text(Loader):
    """Gives the server's text: columns are converted as a whole."""

    def load(self, data: Any) -> str:
        return bytes(data).decode()


class _Bytes(Loader):
    def load(self, data: Any) -> bytes:
        return bytes.fromhex(bytes(data)[2:].decode())


def _keep_text(connection: psycopg.Connection[Any]) -> None:
    for info in connection.adapters.types:
        if info.oid:
            connection.adapters.register_loader(info.oid, _Bytes if info.oid == _BYTEA else _Text)
    connection.adapters.register_loader(0, _Text)


def _table(
    first: Any,
    rows: Iterator[Any],
    names: list[str],
    types: list[pa.DataType],
    policy: QueryPolicy,
    warnings: list[str],
) -> pa.Table:
    """Return the rows as a table; numerics wait as text until all are there, because their type may depend on them."""
    import pyarrow as pa

    waiting = [pa.string() if pa.types.is_decimal(type_) else type_ for type_ in types]
    schema = pa.schema(list(zip(names, waiting, strict=True)))
    table = collect(_batches(first, rows, schema, warnings), schema, policy)
    columns = [
        _numeric(column, type_, name, warnings) if pa.types.is_decimal(type_) else column
        for column, type_, name in zip(table.columns, types, names, strict=True)
    ]
    fields = [pa.field(name, column.type) for name, column in zip(names, columns, strict=True)]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _batches(
    first: Any, rows: Iterator[Any], schema: pa.Schema, warnings: list[str]
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    if first is None or not len(schema):
        return
    size = ChunkSize()
    found: dict[int, list[str]] = {}
    chunk = itertools.chain([first], rows)
    while part := list(itertools.islice(chunk, size.rows)):
        arrays = [
            text_array(values, field.type, field.name, found.setdefault(i, []))
            for i, (values, field) in enumerate(zip(zip(*part, strict=True), schema, strict=True))
        ]
        batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
        size.learn(batch.num_rows, batch.nbytes)
        yield batch
    warnings.extend(sentences[0] for sentences in found.values() if sentences)


def _numeric(text: pa.ChunkedArray, stated: pa.DataType, name: str, warnings: list[str]) -> pa.ChunkedArray:
    import pyarrow as pa

    found = decimal_type(text.chunks)
    if pa.types.is_floating(found):
        warnings.append(f"{name} is given as float64: it holds NaN, infinities or more than 76 digits.")
        return text.cast(found)
    return text.cast(found if stated == _open_numeric() else stated)


def _open_numeric() -> pa.DataType:
    import pyarrow as pa

    return pa.decimal128(38, 0)


def _described(connection: psycopg.Connection[Any], sql: str) -> PGresult:
    """Describe the columns of a statement without running it: a stream without rows has none."""
    connection.pgconn.prepare(b"", sql.encode())
    return connection.pgconn.describe_prepared(b"")


def _columns(
    result: PGresult | None, connection: psycopg.Connection[Any]
) -> tuple[list[str], list[pa.DataType]]:
    names: list[str] = []
    types: list[pa.DataType] = []
    if result is None:
        return names, types
    for i in range(result.nfields):
        names.append((result.fname(i) or b"").decode())
        types.append(_type(result.ftype(i), result.fmod(i), connection))
    return names, types


def _type(oid: int, modifier: int, connection: psycopg.Connection[Any]) -> pa.DataType:
    import pyarrow as pa

    info = connection.adapters.types.get(oid)
    if info is not None and info.array_oid == oid:
        item = _scalar(info.oid, -1)
        return pa.list_(pa.string() if pa.types.is_decimal(item) else item)
    return _scalar(oid, modifier)


def _scalar(oid: int, modifier: int) -> pa.DataType:
    """Return the Arrow type of a PostgreSQL type; a numeric without precision is `_open_numeric`."""
    import pyarrow as pa

    if oid == _NUMERIC:
        # Precision and scale share the modifier (utils/adt/numeric.c); the scale has eleven bits and a sign.
        precision = ((modifier - 4) >> 16) & 0xFFFF
        scale = (((modifier - 4) & 0x7FF) ^ 1024) - 1024
        if modifier < 4 or not 0 <= scale <= precision <= 76:
            return _open_numeric()
        return pa.decimal128(precision, scale) if precision <= 38 else pa.decimal256(precision, scale)
    return {
        16: pa.bool_(),
        _BYTEA: pa.binary(),
        20: pa.int64(),
        21: pa.int16(),
        23: pa.int32(),
        26: pa.uint32(),
        700: pa.float32(),
        701: pa.float64(),
        1082: pa.date32(),
        1083: pa.time64("us"),
        1114: pa.timestamp("us"),
        1184: pa.timestamp("us", tz="UTC"),
        1186: pa.month_day_nano_interval(),
    }.get(oid, pa.string())


def _query_error(error: psycopg.Error, sql: str, source: str) -> QueryError:
    """Return our error; PostgreSQL counts the position in characters from one."""
    diagnosis = error.diag
    message = diagnosis.message_primary or str(error).strip() or type(error).__name__
    if isinstance(error, psycopg.errors.UndefinedTable) and (
        match := re.search(r'relation "(.+?)" does not exist', message)
    ):
        return QueryError(message, reason="unknown_table", hint=match.group(1))
    if isinstance(error, psycopg.errors.UndefinedColumn) and (
        match := re.search(r'column "?(.+?)"? does not exist', message)
    ):
        return QueryError(message, reason="unknown_column", hint=match.group(1))
    place = None
    if sql == source and (diagnosis.statement_position or "").isdigit():
        place = place_at(sql, int(diagnosis.statement_position or "1") - 1)
    if isinstance(error, psycopg.errors.SyntaxError):
        return QueryError(f"Syntax error: {message}", place=place, reason="syntax_error")
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
        return QueryError(message, reason="not_read_only")
    return QueryError(message, place=place)
