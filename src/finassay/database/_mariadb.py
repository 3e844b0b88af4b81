"""MySQL and MariaDB servers, through PyMySQL: streamed rows, column by column into Arrow."""

# ruff: noqa: S608 - names in statements are quoted, texts are literals of `literal`
from __future__ import annotations

import contextlib
import re
import ssl
from typing import TYPE_CHECKING, Any

import pymysql
from pymysql.constants import FIELD_TYPE
from pymysql.cursors import SSCursor

from finassay.database._arrow import text_array
from finassay.database._collect import ChunkSize, collect
from finassay.database._definitions import Definition, view_texts
from finassay.database._engine import BaseEngine, Interrupted
from finassay.database._files import literal
from finassay.database._markers import with_driver_markers
from finassay.database._names import identifier
from finassay.database._overlays import ServerOverlays
from finassay.database._places import place_at, place_of_fragment
from finassay.database._sealed import Seal, based, fenced
from finassay.database._types import (
    ColumnInfo,
    DatabaseUnavailable,
    Dialect,
    QueryError,
    QueryPolicy,
    TableInfo,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from finassay.database._url import Server

CONNECT_SECONDS = 10
_UNSIGNED = 32
_BINARY_CHARSET = 63
_STOPPED = {1317, 1968, 1969, 3024}  # killed, or over the time limit of MariaDB or MySQL
_VIEW_INVALID = 1356
_LOST = {0, 2006, 2013, 2055}
# Modes that change how a text is cut into words: the policy would judge another statement than the server runs.
_LEXICAL_MODES = {"ANSI_QUOTES", "ANSI", "NO_BACKSLASH_ESCAPES", "PIPES_AS_CONCAT", "IGNORE_SPACE", "ORACLE", "MSSQL",
                  "DB2", "MAXDB", "POSTGRESQL"}  # fmt: skip
_INTEGERS = {
    FIELD_TYPE.TINY: ("int8", "uint8"),
    FIELD_TYPE.SHORT: ("int16", "uint16"),
    FIELD_TYPE.INT24: ("int32", "uint32"),
    FIELD_TYPE.LONG: ("int32", "uint32"),
    FIELD_TYPE.LONGLONG: ("int64", "uint64"),
    FIELD_TYPE.YEAR: ("int16", "int16"),
}


class MySQLEngine(BaseEngine):
    """A MySQL or MariaDB database; see `finassay.database.connect`.

    Each statement runs in a transaction of its own that may only read, in UTC, in utf8mb4, and with the server's
    ``sql_mode`` less the modes that change how a text is read (``ANSI_QUOTES``, ``NO_BACKSLASH_ESCAPES``,
    ``PIPES_AS_CONCAT`` and the like).
    """

    dialect: Dialect = "mysql"

    def __init__(self, url: str, server: Server, *, overlays: Mapping[str, str], sealed: bool) -> None:
        super().__init__(url)
        self._server = server
        # A sealed session has no default database: a name that is not replaced is no table.
        self._database = None if sealed else server.database
        self.default_schema = server.database
        self._connection: pymysql.Connection[Any] | None = None
        connection = self._open()
        found = str(connection.get_server_info())  # type: ignore[no-untyped-call]
        self._is_mariadb = "mariadb" in found.lower()
        self.version = ("MariaDB " if self._is_mariadb else "MySQL ") + re.sub(r"^5\.5\.5-|-.*$", "", found)
        try:
            self._overlays = ServerOverlays(overlays, "mysql", self.default_schema, sealed=sealed)
            self._learn()
        except BaseException:
            self.close()
            raise

    def _serve(self, overlays: Mapping[str, str]) -> None:
        self._overlays = ServerOverlays(overlays, "mysql", self.default_schema)
        self._learn()
        self._forget()

    def _learn(self) -> None:
        if self._overlays.texts:
            self._overlays.learn(
                {name: kind for schema, name, kind, _ in self._names() if schema == self.default_schema},
                view_texts(self.definitions()),
            )
        if self._overlays.sealed:
            place = f"{identifier(self.default_schema, 'mysql')}."
            texts = self._overlays.texts.items()
            self._overlays.place(
                {
                    name: fenced(based(text, "mysql", place, self.default_schema), "mysql")
                    for name, text in texts
                },
                views=False,
            )
            served = tuple(name for _, name, _, _ in self._names() if not self._overlays.hides(name))
            schemas = frozenset(str(name).lower() for (name,) in self._rows("SHOW DATABASES"))
            self._seal = Seal("mysql", self.default_schema, served, schemas)

    def _read_definitions(self) -> list[Definition]:
        own = literal(self.default_schema)
        found = [
            Definition(str(name), "view", (str(text),) if text else ())
            for name, text in self._rows(
                f"SELECT table_name, view_definition FROM information_schema.views WHERE table_schema = {own}"
            )
        ]
        for name, text in self._rows(
            "SELECT routine_name, routine_definition FROM information_schema.routines"
            " WHERE routine_type = 'FUNCTION' AND routine_schema NOT IN ('mysql', 'sys') ORDER BY 1"
        ):
            given = re.match(r"(?is)\s*RETURN\b(.*)\Z", str(text or ""))
            found.append(Definition(str(name), "function", (f"SELECT {given[1]}",) if given else ()))
        return found

    def tables(self, count: bool = False) -> list[TableInfo]:
        """See `Database.tables`."""
        with self._lock:
            self._refuse_closed()
            columns = self._rows(
                "SELECT table_name, column_name, column_type, is_nullable, column_comment, column_key FROM"
                f" information_schema.columns WHERE table_schema = {literal(self.default_schema)}"
                " ORDER BY table_name, ordinal_position"
            )
            found = [
                self._table(name, kind, [row[1:] for row in columns if row[0] == name], count)
                for _, name, kind, _ in self._names()
                if not self._overlays.hides(name)
            ]
            return [info for info in found if info is not None]

    def _names(self) -> list[tuple[str, str, str, str]]:
        rows = self._rows(
            "SELECT table_name, table_type FROM information_schema.tables"
            f" WHERE table_schema = {literal(self.default_schema)}"
            " AND table_type IN ('BASE TABLE', 'VIEW') ORDER BY table_name"
        )
        return [(self.default_schema, name, "view" if kind == "VIEW" else "table", "") for name, kind in rows]

    def _table(self, name: str, kind: str, rows: list[Any], count: bool) -> TableInfo | None:
        """Describe a table; a view over a table that is gone is as missing as what it reads."""
        place = self._overlaid(f"SELECT * FROM {identifier(name, 'mysql')}")
        try:
            schema = self._columns_of(f"{place} LIMIT 0")
        except pymysql.MySQLError as error:
            if _code(error) == _VIEW_INVALID:
                return None
            raise
        columns = tuple(
            # What was not known reads as NULL in a sealed database, whatever the column says.
            ColumnInfo(
                column, type_, schema.field(i).type, nullable == "YES" or self._overlays.sealed, comment
            )
            for i, (column, type_, nullable, comment, _) in enumerate(rows[: len(schema)])
        )
        number = None
        if count:
            number = int(
                self._rows(self._overlaid(f"SELECT count(*) FROM {identifier(name, 'mysql')}"))[0][0]
            )
        key = tuple(row[0] for row in rows if row[4] == "PRI")
        return TableInfo(
            name, self.default_schema, columns, number, "view" if kind == "view" else "table", key
        )

    def _columns_of(self, sql: str) -> pa.Schema:
        with self._live().cursor() as cursor:
            cursor.execute(sql)
            cursor.fetchall()
            return _schema(cursor)

    def _rows(self, sql: str) -> list[Any]:
        with self._live().cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def _overlaid(self, sql: str) -> str:
        return self._overlays.apply(sql)

    def _run(
        self, sql: str, policy: QueryPolicy, params: tuple[Any, ...], source: str
    ) -> tuple[pa.Table, tuple[str, ...]]:
        connection = self._live()
        warnings: list[str] = []
        whole = False
        cursor = SSCursor(connection)
        try:
            _execute(cursor, self._limit(policy.timeout_s))
            _execute(cursor, "START TRANSACTION READ ONLY")
            cursor.execute(with_driver_markers(sql, "mysql") if params else sql, params or None)
            schema = _schema(cursor)
            table = collect(_batches(cursor, schema, warnings), schema, policy)
            whole = True
        except pymysql.MySQLError as error:
            whole = _still_usable(error)
            if _code(error) in _STOPPED or (self._watch is not None and self._watch.cancelled):
                raise Interrupted from error
            if _code(error) in _LOST:
                raise self._unavailable(error, "was lost") from None
            raise _query_error(error, source) from error
        finally:
            self._finish(cursor, whole=whole)
        return table, tuple(warnings)

    def _finish(self, cursor: SSCursor, *, whole: bool) -> None:
        """End the transaction; a result that was not read to its end costs the connection: all of it would come."""
        connection = cursor.connection
        if whole and connection is not None:
            cursor.close()
            with contextlib.suppress(pymysql.MySQLError):
                connection.rollback()
                return
        self._drop()
        cursor.connection = None  # type: ignore[assignment] # closing it would read on

    def _limit(self, seconds: float) -> str:
        if self._is_mariadb:
            return f"SET SESSION max_statement_time = {seconds:.3f}"
        return f"SET SESSION max_execution_time = {max(1, int(seconds * 1000))}"

    def _live(self) -> pymysql.Connection[Any]:
        return self._connection if self._connection is not None else self._open()

    def _open(self) -> pymysql.Connection[Any]:
        connection = self._connect()
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT @@SESSION.sql_mode")
                modes = [
                    mode
                    for mode in str(cursor.fetchone()[0]).split(",")
                    if mode and mode not in _LEXICAL_MODES
                ]
                cursor.execute("SET SESSION sql_mode = %s", (",".join(modes),))
                cursor.execute("SET SESSION time_zone = '+00:00'")
                cursor.execute("SET SESSION TRANSACTION READ ONLY")
        except pymysql.MySQLError as error:
            connection.close()
            raise self._unavailable(error) from None
        self._connection = connection
        return connection

    def _connect(self) -> pymysql.Connection[Any]:
        server = self._server
        ca = server.option("ssl_ca")
        try:
            return pymysql.connect(
                host=server.host,
                port=server.port,
                user=server.user,
                password=server.password,
                database=self._database,
                unix_socket=server.option("unix_socket"),
                ssl=ssl.create_default_context(cafile=ca) if ca else None,
                charset="utf8mb4",
                connect_timeout=CONNECT_SECONDS,
                conv=dict(pymysql.converters.encoders),  # type: ignore[arg-type]  # values stay text: columns are converted as a whole
                local_infile=False,
                autocommit=True,
            )
        except (pymysql.MySQLError, OSError, RuntimeError) as error:
            raise self._unavailable(error) from None

    def _unavailable(self, error: Exception, what: str = "cannot be opened") -> DatabaseUnavailable:
        server, code = self._server, _code(error)
        reasons = {
            1045: (f"the user {server.user!r} or the password is wrong", "Check both in the URL."),
            1044: (
                f"the user {server.user!r} may not use the database {server.database!r}",
                "Ask for SELECT on it.",
            ),
            1049: (f"there is no database {server.database!r}", "Check the last part of the URL."),
            2003: (
                "nothing answers there",
                f"Start the server, or check host and port ({server.host}:{server.port}).",
            ),
        }
        text = str(error.args[1] if len(error.args) > 1 else error)
        if server.password:
            text = text.replace(server.password, "***")
        why, hint = reasons.get(code or 0, (text, "Check the URL and the server's log."))
        return DatabaseUnavailable(f"{self.url} {what}: {why}.", hint=hint)

    def _interrupt(self) -> None:
        connection = self._connection
        if connection is None:
            return
        thread = connection.thread_id()  # type: ignore[no-untyped-call]
        with contextlib.suppress(DatabaseUnavailable, pymysql.MySQLError):
            helper = self._connect()
            try:
                helper.cursor().execute(f"KILL QUERY {int(thread)}")
            finally:
                helper.close()

    def _drop(self) -> None:
        if self._connection is not None:
            # close() would wait for a server that is sending rows, and so would a result that is thrown away.
            result = self._connection._result  # type: ignore[attr-defined] # noqa: SLF001
            if result is not None:
                result.unbuffered_active = False
            self._connection._force_close()  # type: ignore[attr-defined] # noqa: SLF001
            self._connection = None

    def _close(self) -> None:
        self._drop()


def _execute(cursor: SSCursor, sql: str) -> None:
    cursor.execute(sql)
    cursor.fetchall()


def _batches(cursor: SSCursor, schema: pa.Schema, warnings: list[str]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    if not len(schema):
        return
    size = ChunkSize()
    zero_dates: dict[int, list[str]] = {}
    bits = [field.type_code == FIELD_TYPE.BIT for field in _fields(cursor)]
    while rows := cursor.fetchmany(size.rows):
        arrays = []
        for i, (values, field) in enumerate(zip(zip(*rows, strict=True), schema, strict=True)):
            found = zero_dates.setdefault(i, [])
            arrays.append(text_array(_numbers(values) if bits[i] else values, field.type, field.name, found))
        batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
        size.learn(batch.num_rows, batch.nbytes)
        yield batch
    warnings.extend(found[0] for found in zero_dates.values() if found)


def _numbers(values: tuple[bytes | None, ...]) -> tuple[str | None, ...]:
    """Bit fields as the text of their numbers."""
    return tuple(None if value is None else str(int.from_bytes(value, "big")) for value in values)


def _fields(cursor: Any) -> list[Any]:
    return list(cursor._result.fields) if cursor.description else []  # noqa: SLF001 - description drops flags and charset


def _schema(cursor: Any) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([pa.field(field.name, _type(field)) for field in _fields(cursor)])


def _type(field: Any) -> pa.DataType:
    import pyarrow as pa

    code, unsigned = field.type_code, bool(field.flags & _UNSIGNED)
    if code == FIELD_TYPE.TINY and field.length == 1:
        return pa.bool_()  # what BOOLEAN is in MySQL
    if code == FIELD_TYPE.BIT:
        return pa.bool_() if field.length == 1 else pa.uint64()
    if code in _INTEGERS:
        return pa.type_for_alias(_INTEGERS[code][unsigned])
    if code in {FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL}:
        precision = field.length - (1 if field.scale else 0) - (0 if unsigned else 1)
        precision = max(precision, field.scale, 1)
        return (
            pa.decimal128(precision, field.scale)
            if precision <= 38
            else pa.decimal256(precision, field.scale)
        )
    simple = {
        FIELD_TYPE.FLOAT: pa.float32(),
        FIELD_TYPE.DOUBLE: pa.float64(),
        FIELD_TYPE.DATE: pa.date32(),
        FIELD_TYPE.NEWDATE: pa.date32(),
        FIELD_TYPE.DATETIME: pa.timestamp("us"),
        FIELD_TYPE.TIMESTAMP: pa.timestamp("us"),
        FIELD_TYPE.TIME: pa.time64("us"),
        FIELD_TYPE.NULL: pa.null(),
        FIELD_TYPE.JSON: pa.string(),
        FIELD_TYPE.GEOMETRY: pa.binary(),
    }
    if code in simple:
        return simple[code]
    return pa.binary() if field.charsetnr == _BINARY_CHARSET else pa.string()


def _code(error: Exception) -> int | None:
    return error.args[0] if error.args and isinstance(error.args[0], int) else None


def _still_usable(error: Exception) -> bool:
    """Whether the server reported an error and goes on; a lost connection or a row half read is not that."""
    code = _code(error)
    return (code is not None and 1000 <= code < 2000) or (code is not None and code >= 3000)


_NEAR = re.compile(r"near '(.*)' at line (\d+)", re.DOTALL)


def _query_error(error: Exception, source: str) -> QueryError:
    message, code = str(error.args[1] if len(error.args) > 1 else error), _code(error)
    if code == 1146 and (match := re.search(r"Table '(?:.*\.)?(.+?)' doesn't exist", message)):
        return QueryError(message, reason="unknown_table", hint=match.group(1))
    if code == 1054 and (match := re.search(r"Unknown column '(.+?)'", message)):
        return QueryError(message, reason="unknown_column", hint=match.group(1))
    if code == 1064:
        near = _NEAR.search(message)
        place = place_of_fragment(source, near.group(1), int(near.group(2))) if near else None
        if near and not near.group(1):
            place = place_at(source, len(source.rstrip()))
        return QueryError(f"Syntax error: {message}", place=place, reason="syntax_error")
    if code == 1792:
        return QueryError(message, reason="not_read_only")
    return QueryError(message)
