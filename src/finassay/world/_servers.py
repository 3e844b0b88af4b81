"""Worlds on MySQL, MariaDB and PostgreSQL: built in a schema of their own, which is moved or dropped at the end."""

from __future__ import annotations

import contextlib
import ssl
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from finassay.core import InputError, InternalError
from finassay.database import DatabaseUnavailable, connect
from finassay.world._ddl import (
    META,
    create_indexes,
    create_meta,
    create_table,
    decimals,
    filled,
    named,
    place,
)
from finassay.world._text import text_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import psycopg
    import pyarrow as pa
    import pymysql

    from finassay.database._url import Server
    from finassay.temporal import Catalog

    Tables = Iterable[tuple[str, Iterable[pa.Table]]]
    Meta = Callable[[], Mapping[str, str]]

_BESIDE = "finassay_building"
_SECONDS = 5  # in which a server notices that a client is gone
_NOTHING_LEFT = "Nothing was left behind."
_MYSQL_REASONS = {
    1021: "the disk is full",
    1114: "the disk is full",
    1044: "the user may not do this",
    1142: "the user may not do this",
    1227: "the user may not do this",
    2006: "the connection was lost",
    2013: "the connection was lost",
}


@dataclass(frozen=True)
class _OnServer:
    """A database on a server.

    Attributes
    ----------
    url : str
        Where it is, with the password.
    shown : str
        The same as it may be printed.
    server : Server
        Its parts.
    force : bool
        Replace the tables of a world that is there.
    """

    url: str
    shown: str
    server: Server
    force: bool

    path = None

    def check(self) -> None:
        """See `Target.check`."""
        with connect(self.url) as database:
            found = sorted(table.name for table in database.tables())
        if found and not self.force:
            raise InputError(
                f"{self.shown} is not empty: it has {len(found)} tables, the first {found[0]}.",
                hint="Give an empty database, or say --force: the tables of a world are replaced, others stay.",
            )

    def _failed(self, why: str, hint: str = "See the server's log.", left: str = _NOTHING_LEFT) -> InputError:
        return InputError(f"The world cannot be written to {self.shown}: {why}. {left}", hint=hint)


@dataclass(frozen=True)
class MySQLDatabase(_OnServer):
    """A MySQL or MariaDB database. Tables are made in a database beside it and moved in one statement."""

    @property
    def _building(self) -> str:
        return f"{self.server.database}__building"

    def check(self) -> None:
        """See `Target.check`."""
        super().check()
        with self._explained(""), self._open() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT @@local_infile")
            row = cursor.fetchone()
            if not row or not int(row[0]):
                raise self._failed(
                    "the server takes no files from clients", "SET GLOBAL local_infile = 1 on the server.", ""
                )
            with self._staged(cursor):
                pass  # says now, not after an hour, that the user may not

    def write(self, tables: Tables, meta: Meta, catalog: Catalog) -> None:
        """See `Target.write`."""
        with self._explained(self._building), self._open() as connection, connection.cursor() as cursor:
            cursor.execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'")
            cursor.execute("SET SESSION unique_checks = 0")
            with self._staged(cursor):
                names = [META]
                for name, parts in tables:
                    names.append(name)
                    self._fill(cursor, name, parts, catalog)
                cursor.execute(create_meta("mysql", schema=self._building))
                cursor.executemany(
                    f"INSERT INTO {place(META, 'mysql', self._building)} VALUES (%s, %s)",  # noqa: S608
                    list(meta().items()),
                )
                self._move(cursor, names, {META, *catalog.tables})

    def _fill(self, cursor: Any, name: str, parts: Iterable[pa.Table], catalog: Catalog) -> None:
        spec = catalog.table(name)
        cursor.execute(create_table(name, spec, "mysql", schema=self._building))
        for part in parts:
            columns = filled(part)
            if columns:
                for piece in text_pieces(decimals(part, spec).select(columns)):
                    self._load(cursor, name, columns, piece)
        for statement in create_indexes(name, spec, "mysql", schema=self._building):
            cursor.execute(statement)

    def _load(self, cursor: Any, name: str, columns: list[str], piece: bytes) -> None:
        """Send lines. The server turns errors of a client's file into warnings; here they are errors again."""
        with tempfile.NamedTemporaryFile(suffix=".tsv") as file:
            file.write(piece)
            file.flush()
            listed = ", ".join(named(column, "mysql") for column in columns)
            rows = cursor.execute(
                f"LOAD DATA LOCAL INFILE '{file.name}' INTO TABLE {place(name, 'mysql', self._building)}"
                f" CHARACTER SET utf8mb4 ({listed})"
            )
        cursor.execute("SHOW WARNINGS LIMIT 1")
        warning = cursor.fetchone()
        sent = piece.count(b"\n")
        if warning is not None or rows != sent:
            said = warning[2] if warning else f"{rows} rows of {sent} arrived"
            if warning and int(warning[1]) in _MYSQL_REASONS:
                raise self._failed(_MYSQL_REASONS[int(warning[1])])
            raise InternalError(f"{self.shown} did not take rows of {name} as they are: {said}.")

    def _move(self, cursor: Any, names: list[str], known: set[str]) -> None:
        """Give the tables their place; what is replaced goes to the staging database and is dropped with it."""
        here, beside = self.server.database, self._building
        cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = %s", (here,))
        old = sorted({str(row[0]) for row in cursor.fetchall()} & known) if self.force else []
        moves = [(place(name, "mysql", here), place(f"{name}__old", "mysql", beside)) for name in old]
        moves += [(place(name, "mysql", beside), place(name, "mysql", here)) for name in names]
        cursor.execute("RENAME TABLE " + ", ".join(f"{a} TO {b}" for a, b in moves))

    @contextlib.contextmanager
    def _staged(self, cursor: Any) -> Iterator[None]:
        """Keep the staging database, in the target's collation, until the block ends; what a dead build left goes."""
        import pymysql

        cursor.execute(
            "SELECT default_character_set_name, default_collation_name FROM information_schema.schemata"
            " WHERE schema_name = %s",
            (self.server.database,),
        )
        charset, collation = cursor.fetchone()
        order = f" COLLATE {collation}" if charset == "utf8mb4" else ""
        name = named(self._building, "mysql")
        if not self._alone(cursor):
            raise self._failed(
                f"another build writes there, by way of {self._building}", "Wait until it ends.", ""
            )
        self._sweep(cursor)
        cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4{order}")
        try:
            cursor.execute(f"CREATE TABLE {place(_BESIDE, 'mysql', self._building)} (ours INT)")
            yield
        finally:
            with contextlib.suppress(pymysql.MySQLError):  # a lost connection: `_explained` tries another
                cursor.execute(f"DROP DATABASE IF EXISTS {name}")
                cursor.execute("DO RELEASE_LOCK(%s)", (self._building,))

    def _alone(self, cursor: Any) -> bool:
        """Return whether no other build writes there; none will while this connection, which has the lock, lasts."""
        cursor.execute("SELECT GET_LOCK(%s, %s)", (self._building, _SECONDS))
        row = cursor.fetchone()
        return bool(row and row[0])

    def _sweep(self, cursor: Any) -> None:
        """Drop a staging database whose build is dead: the lock ended with its connection. Others' stay."""
        cursor.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = %s", (self._building,)
        )
        found = {str(row[0]) for row in cursor.fetchall()}
        if not found or _BESIDE in found:
            cursor.execute(f"DROP DATABASE IF EXISTS {named(self._building, 'mysql')}")

    def _open(self) -> pymysql.Connection[Any]:
        import pymysql

        server, ca = self.server, self.server.option("ssl_ca")
        return pymysql.connect(
            host=server.host,
            port=server.port,
            user=server.user,
            password=server.password,
            database=server.database,
            unix_socket=server.option("unix_socket"),
            ssl=ssl.create_default_context(cafile=ca) if ca else None,
            charset="utf8mb4",
            local_infile=True,
            autocommit=True,
        )

    @contextlib.contextmanager
    def _explained(self, staging: str) -> Iterator[None]:
        """Say what went wrong, and whether the staging database could be dropped."""
        import pymysql

        try:
            yield
        except pymysql.MySQLError as error:
            code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
            said = str(error.args[1] if len(error.args) > 1 else error).rstrip(".")
            if code == 1007:  # the database exists
                raise self._failed(
                    f"there is a database {self._building}, and it is no build's",
                    f"Give another target, or DROP DATABASE {self._building}.",
                    "",
                ) from error
            why = f"{_MYSQL_REASONS[code]} ({said})" if code in _MYSQL_REASONS else said
            hint = f"The user needs all rights on {self.server.database} and {self._building}."
            raise self._failed(
                why, hint if "may not" in why else "See the server's log.", self._left(staging)
            ) from error
        except OSError as error:
            raise self._failed(
                f"a file for the server cannot be written: {error.strerror}", "Free some space."
            ) from error
        except (KeyboardInterrupt, SystemExit):
            self._left(staging)  # the signal may have come amid a reply: that connection could drop nothing
            raise

    def _left(self, staging: str) -> str:
        import pymysql

        if not staging:
            return _NOTHING_LEFT
        with (
            contextlib.suppress(pymysql.MySQLError),
            self._open() as connection,
            connection.cursor() as cursor,
        ):
            if self._alone(cursor):
                self._sweep(cursor)
                return _NOTHING_LEFT
        return f"The database {staging} may be left: the next build there drops it."


@dataclass(frozen=True)
class PostgresDatabase(_OnServer):
    """A PostgreSQL database. All is one transaction: the server undoes what a build wrote that ended early or died."""

    def check(self) -> None:
        """See `Target.check`."""
        super().check()
        with self._explained(), self._open() as connection, connection.cursor() as cursor:
            here = str(_first(cursor.execute("SELECT current_schema()")))
            cursor.execute(f"CREATE SCHEMA {_BESIDE}")  # says now, not after an hour, that the user may not
            cursor.execute(f"CREATE TABLE {place(_BESIDE, 'postgres', here)} ()")
            connection.rollback()

    def write(self, tables: Tables, meta: Meta, catalog: Catalog) -> None:
        """See `Target.write`."""
        beside = _BESIDE
        with self._explained(), self._open() as connection, connection.cursor() as cursor:
            here = str(_first(cursor.execute("SELECT current_schema()")))
            cursor.execute(f"CREATE SCHEMA {beside}")
            names = [META]
            for name, parts in tables:
                names.append(name)
                self._fill(cursor, name, parts, catalog, beside)
            cursor.execute(create_meta("postgres", schema=beside))
            cursor.executemany(
                f"INSERT INTO {place(META, 'postgres', beside)} VALUES (%s, %s)",  # noqa: S608
                list(meta().items()),
            )
            for name in {META, *catalog.tables} if self.force else ():
                cursor.execute(f"DROP TABLE IF EXISTS {place(name, 'postgres', here)}")
            for name in names:
                cursor.execute(
                    f"ALTER TABLE {place(name, 'postgres', beside)} SET SCHEMA {named(here, 'postgres')}"
                )
                cursor.execute(f"ANALYZE {place(name, 'postgres', here)}")
            cursor.execute(f"DROP SCHEMA {beside}")

    def _fill(
        self, cursor: psycopg.Cursor[Any], name: str, parts: Iterable[pa.Table], catalog: Catalog, schema: str
    ) -> None:
        spec = catalog.table(name)
        cursor.execute(create_table(name, spec, "postgres", schema=schema))
        for part in parts:
            columns = filled(part)
            if not columns:
                continue
            listed = ", ".join(named(column, "postgres") for column in columns)
            with cursor.copy(f"COPY {place(name, 'postgres', schema)} ({listed}) FROM STDIN") as copy:
                for piece in text_pieces(decimals(part, spec).select(columns)):
                    copy.write(piece)
        for statement in create_indexes(name, spec, "postgres", schema=schema):
            cursor.execute(statement)

    def _open(self) -> psycopg.Connection[Any]:
        import psycopg

        server = self.server
        options = {name: value for name, value in server.options if name != "host"}
        return psycopg.connect(
            host=server.host,
            port=server.port,
            user=server.user or None,
            password=server.password or None,
            dbname=server.database,
            **options,  # type: ignore[arg-type]
        )

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        import psycopg

        try:
            yield
        except psycopg.errors.DuplicateSchema as error:
            raise self._failed(f"there is a schema {_BESIDE}", "Drop it.") from error
        except psycopg.errors.InsufficientPrivilege as error:
            hint = f"The user needs CREATE on the database {self.server.database} and on its schema."
            raise self._failed(f"the user may not do this ({_said(error)})", hint) from error
        except psycopg.errors.DiskFull as error:
            raise self._failed(
                f"the disk is full ({_said(error)})", "Free some space on the server."
            ) from error
        except psycopg.OperationalError as error:
            raise self._failed(f"the connection was lost ({_said(error)})") from error
        except psycopg.DataError as error:
            raise InternalError(f"{self.shown} did not take the rows: {_said(error)}.") from error
        except psycopg.Error as error:
            raise self._failed(_said(error)) from error


def _said(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


def _first(cursor: psycopg.Cursor[Any]) -> Any:
    row = cursor.fetchone()
    if row is None or row[0] is None:
        raise DatabaseUnavailable(
            "The user has no schema to write into.", hint="SET search_path for the user."
        )
    return row[0]
