"""A PostgreSQL protocol server (version 3): what psycopg, SQLAlchemy and psql need to read data.

Written to the documentation of PostgreSQL, chapter "Frontend/Backend Protocol". Any user is accepted, and
any password unless the session has one; the database a client names is the one there is.
"""

from __future__ import annotations

import hmac
import itertools
import re
import secrets
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from finassay.core import FinassayError
from finassay.execution._wire._literals import any_as_in, array_dollars, bind_dollars, count_dollars
from finassay.execution._wire._postgres_answers import SETTINGS, Answers
from finassay.execution._wire._postgres_copy import SERVED, Copy, copy_data, out_response, read_copy
from finassay.execution._wire._postgres_rows import data_rows, row_description
from finassay.execution._wire._postgres_session import transaction
from finassay.execution._wire._postgres_values import literal
from finassay.execution._wire._serve import Disconnected, read_exactly
from finassay.execution._wire._session import DENIED, Answer, WireError, wire_error

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.execution._wire._session import Session

_SSL, _GSS, _CANCEL = 80877103, 80877104, 80877102
_NAME = r'(?:"((?:[^"]|"")+)"|(\w+))'
_DECLARE = re.compile(rf"DECLARE\s+{_NAME}\s+.*?CURSOR\b.*?\bFOR\s+(.*)", re.IGNORECASE | re.DOTALL)
_FETCH = re.compile(rf"FETCH\s+(?:FORWARD\s+)?(?:(\d+|ALL|NEXT)\s+)?(?:FROM|IN)\s+{_NAME}", re.IGNORECASE)
_CLOSE = re.compile(rf"CLOSE\s+(?:{_NAME})", re.IGNORECASE)
_MAX_NAMED = 1000
_numbers = itertools.count(1)
_running: dict[tuple[int, int], Session] = {}
_running_lock = threading.Lock()


def serve_postgres(client: socket.socket, session: Session, greeted: Callable[[], None]) -> None:
    """Speak the PostgreSQL protocol with one client until it leaves."""
    wire = _Wire(client)
    parameters = _startup(wire)
    if parameters is None or not _admitted(wire, session.password):
        return
    greeted()
    key = (next(_numbers) & 0x7FFFFFFF, secrets.randbits(31))
    with _running_lock:
        _running[key] = session
    try:
        _greet(wire, key)
        _Client(wire, session, Answers(session, parameters)).serve()
    finally:
        with _running_lock:
            _running.pop(key, None)


class _Wire:
    """Messages: a letter, four bytes of length (itself included), a body. Sent when flushed."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client
        self._out = bytearray()

    def receive_startup(self) -> tuple[int, bytes]:
        size = int.from_bytes(read_exactly(self._client, 4), "big")
        if not 8 <= size <= 10_000:
            raise Disconnected("no startup message")
        body = read_exactly(self._client, size - 4)
        return int.from_bytes(body[:4], "big"), body[4:]

    def receive(self) -> tuple[bytes, bytes]:
        head = read_exactly(self._client, 5)
        size = int.from_bytes(head[1:], "big")
        if size < 4:
            raise Disconnected("a message shorter than its own length")
        return head[:1], read_exactly(self._client, size - 4)

    def add(self, letter: bytes, body: bytes = b"") -> None:
        self._out += letter + (len(body) + 4).to_bytes(4, "big") + body

    def raw(self, data: bytes) -> None:
        self._client.sendall(data)

    def add_rows(self, rows: Iterable[bytes | memoryview]) -> None:
        for messages in rows:
            if len(messages) < 1 << 16:
                self._out += messages
            else:
                self.flush()
                self._client.sendall(messages)

    def flush(self) -> None:
        if self._out:
            self._client.sendall(self._out)
            self._out = bytearray()

    def error(self, error: WireError, severity: str = "ERROR") -> None:
        fields = (("S", severity), ("V", severity), ("C", error.sqlstate), ("M", error.message[:60_000]))
        self.add(
            b"E",
            b"".join(f"{code}{text}".encode().replace(b"\0", b" ") + b"\0" for code, text in fields) + b"\0",
        )


def _startup(wire: _Wire) -> dict[str, str] | None:
    """Return the client's parameters, or None after a request to cancel."""
    while True:
        code, body = wire.receive_startup()
        if code in (_SSL, _GSS):
            wire.raw(b"N")
        elif code == _CANCEL:
            with _running_lock:
                session = _running.get(struct.unpack("!ii", body[:8].ljust(8, b"\0")))
            if session is not None:
                session.cancel()
            return None
        elif code >> 16 == 3:
            if code & 0xFFFF:
                wire.add(b"v", struct.pack("!ii", 3 << 16, 0))
            words = body.decode("utf-8", "replace").split("\0")
            return dict(zip(words[::2], words[1::2], strict=False))
        else:
            raise Disconnected(f"protocol {code}")


def _admitted(wire: _Wire, password: str | None) -> bool:
    """Ask for the password where there is one, in clear: every client can, and what is asked here stays on the host."""
    if password is None:
        return True
    wire.add(b"R", struct.pack("!i", 3))
    wire.flush()
    letter, body = wire.receive()
    if letter == b"p" and hmac.compare_digest(body.removesuffix(b"\0"), password.encode()):
        return True
    wire.error(WireError(DENIED, 1045, "28P01"), severity="FATAL")
    wire.flush()
    return False


def _greet(wire: _Wire, key: tuple[int, int]) -> None:
    wire.add(b"R", struct.pack("!i", 0))
    for name in ("server_version", "server_encoding", "client_encoding", "DateStyle", "IntervalStyle", "TimeZone",
                 "integer_datetimes", "standard_conforming_strings", "default_transaction_read_only"):  # fmt: skip
        wire.add(b"S", f"{name}\0{SETTINGS[name.lower()]}\0".encode())
    wire.add(b"K", struct.pack("!ii", *key))
    wire.add(b"Z", b"I")
    wire.flush()


@dataclass(frozen=True)
class _Statement:
    sql: str
    oids: tuple[int, ...]


@dataclass(frozen=True)
class _Portal:
    """A bound statement: its result once it has run, how far it was fetched, and the formats of its columns.

    With ``copy`` the result goes out as the rows of a COPY.
    """

    sql: str
    formats: tuple[int, ...] = ()
    table: pa.Table | None = None
    tag: str = ""
    position: int = 0
    ran: bool = False
    copy: Copy | None = None


@dataclass
class _State:
    """What a connection remembers."""

    status: bytes = b"I"
    statements: dict[str, _Statement] = field(default_factory=dict)
    portals: dict[str, _Portal] = field(default_factory=dict)
    skip_to_sync: bool = False


class _Client:
    """The message loop of one connection."""

    def __init__(self, wire: _Wire, session: Session, answers: Answers) -> None:
        self._wire = wire
        self._session = session
        self._answers = answers
        self._state = _State()
        self._handlers = {
            b"P": self._parse, b"B": self._bind, b"D": self._describe, b"E": self._execute, b"C": self._close,
        }  # fmt: skip

    def serve(self) -> None:
        while True:
            letter, body = self._wire.receive()
            if letter == b"X":
                return
            if letter == b"S":
                self._state.skip_to_sync = False
                self._ready()
            elif letter == b"H":
                self._wire.flush()
            elif letter == b"Q":
                self._guarded(self._simple, body)
                self._ready()
            elif not self._state.skip_to_sync:
                handler = self._handlers.get(letter)
                if handler is None:
                    raise Disconnected(f"message {letter!r}")
                self._state.skip_to_sync = not self._guarded(handler, body)

    def _guarded(self, handle: object, body: bytes) -> bool:
        try:
            handle(body)  # type: ignore[operator]
        except FinassayError as error:
            self._fail(wire_error(error))
        except (ValueError, IndexError, KeyError, struct.error) as error:
            self._fail(WireError(f"{error}", 1105, "08P01"))
        else:
            return True
        return False

    def _fail(self, error: WireError) -> None:
        if self._state.status == b"T":
            self._state.status = b"E"
        self._wire.error(error)

    def _ready(self) -> None:
        self._wire.add(b"Z", self._state.status)
        self._wire.flush()

    def _simple(self, body: bytes) -> None:
        sql = body.rstrip(b"\0").decode()
        portal = self._ran(_Portal(sql))
        if portal.copy is not None:
            self._copy_out(portal)
        elif portal.table is not None:
            formats = (0,) * portal.table.num_columns
            self._wire.add(b"T", row_description(portal.table.schema, formats))
            self._wire.add_rows(data_rows(portal.table, formats))
        self._complete(portal.tag)

    def _copy_out(self, portal: _Portal) -> None:
        if portal.table is not None and portal.copy is not None:
            self._wire.add(b"H", out_response(portal.copy, portal.table.num_columns))
            self._wire.add_rows(copy_data(portal.table, portal.copy))
            self._wire.add(b"c")

    def _parse(self, body: bytes) -> None:
        name, sql, rest = body.split(b"\0", 2)
        (count,) = struct.unpack_from("!h", rest)
        oids = struct.unpack_from(f"!{count}I", rest, 2)
        if len(self._state.statements) >= _MAX_NAMED:
            raise ValueError(f"{_MAX_NAMED} statements are prepared already; close some")
        self._state.statements[name.decode()] = _Statement(sql.decode(), oids)
        self._wire.add(b"1")

    def _bind(self, body: bytes) -> None:
        name, source, rest = body.split(b"\0", 2)
        reader = _Reader(rest)
        forms = reader.shorts()
        values = [reader.value() for _ in range(reader.short())]
        statement = self._statement(source.decode())
        needed = count_dollars(statement.sql)
        if len(values) < needed:
            raise ValueError(f"the statement has {needed} parameters and got {len(values)} values")
        arrays = array_dollars(statement.sql)  # psycopg leaves the type of a list of texts open
        sql, lists = (
            (statement.sql, set()) if self._session.engine == "postgres" else any_as_in(statement.sql)
        )
        literals = []
        for number, value in enumerate(values, 1):
            oid = _at(statement.oids, number - 1, 0) or 1009 * (number in arrays)
            literals.append(literal(value, oid, _spread(forms, number - 1), listed=number in lists))
        if len(self._state.portals) >= _MAX_NAMED:
            raise ValueError(f"{_MAX_NAMED} portals are open already; close some")
        portal = _Portal(bind_dollars(sql, literals), formats=reader.shorts())
        self._state.portals[name.decode()] = portal
        self._wire.add(b"2")

    def _describe(self, body: bytes) -> None:
        kind, name = body[:1], body[1:].rstrip(b"\0").decode()
        if kind == b"S":
            self._describe_statement(self._statement(name))
            return
        portal = self._state.portals[name] = self._ran(self._portal(name))
        self._describe_table(None if portal.copy else portal.table, portal.formats)

    def _describe_statement(self, statement: _Statement) -> None:
        count = max(len(statement.oids), count_dollars(statement.sql))
        oids = [_at(statement.oids, index, 0) or 25 for index in range(count)]
        self._wire.add(b"t", struct.pack(f"!h{count}I", count, *oids))
        bare = bind_dollars(statement.sql, ["NULL"] * count)
        portal = self._ran(_Portal(bare))
        self._describe_table(None if portal.copy else portal.table, ())

    def _describe_table(self, table: pa.Table | None, formats: Sequence[int]) -> None:
        if table is None:
            self._wire.add(b"n")
        else:
            self._wire.add(b"T", row_description(table.schema, _all_formats(formats, table.num_columns)))

    def _execute(self, body: bytes) -> None:
        name, rest = body.split(b"\0", 1)
        (limit,) = struct.unpack_from("!i", rest)
        portal = self._ran(self._portal(name.decode()))
        if portal.table is None or portal.copy is not None:
            self._copy_out(portal)
            self._complete(portal.tag)
            return
        formats = _all_formats(portal.formats, portal.table.num_columns)
        rows = portal.table.slice(portal.position, limit if limit > 0 else None)
        self._wire.add_rows(data_rows(rows, formats))
        position = portal.position + rows.num_rows
        self._state.portals[name.decode()] = replace(portal, position=position)
        if position < portal.table.num_rows:
            self._wire.add(b"s")
        else:
            self._complete(f"SELECT {rows.num_rows}" if portal.tag.startswith("SELECT") else portal.tag)

    def _close(self, body: bytes) -> None:
        kind, name = body[:1], body[1:].rstrip(b"\0").decode()
        (self._state.statements if kind == b"S" else self._state.portals).pop(name, None)
        self._wire.add(b"3")

    def _complete(self, tag: str) -> None:
        if tag:
            self._wire.add(b"C", tag.encode() + b"\0")
        else:
            self._wire.add(b"I")

    def _statement(self, name: str) -> _Statement:
        if name not in self._state.statements:
            raise ValueError(f"no prepared statement {name!r}")
        return self._state.statements[name]

    def _portal(self, name: str) -> _Portal:
        if name not in self._state.portals:
            raise ValueError(f"no portal {name!r}")
        return self._state.portals[name]

    def _ran(self, portal: _Portal) -> _Portal:
        """Return the portal after its statement has run, once."""
        if portal.ran:
            return portal
        copy = read_copy(self._answers.stripped(portal.sql))
        table, tag = self._run(portal.sql if copy is None else copy.sql)
        if copy is not None and table is not None:
            tag = f"COPY {table.num_rows}"
        return replace(portal, table=table, tag=tag, ran=True, copy=copy)

    def _run(self, sql: str) -> tuple[pa.Table | None, str]:
        text = self._answers.stripped(sql)
        if not text:
            return None, ""
        if found := _DECLARE.fullmatch(text):
            return self._declare(found)
        answer = self._session.execute(sql, partial(self._own, text), self._answers.requalified)
        tag = answer.tag or (f"SELECT {answer.table.num_rows}" if answer.table is not None else "")
        return answer.table, tag

    def _own(self, text: str) -> Answer | None:
        """Answer what concerns this connection or the server, else return None."""
        changed = transaction(text, self._state.status)
        if changed is not None:
            self._state.status, tag = changed
            return Answer(tag=tag)
        if self._state.status == b"E":
            raise _aborted()
        if re.match(r"COPY\b", text, re.IGNORECASE):
            raise _copy_refused()
        if found := _FETCH.fullmatch(text):
            return self._fetch(found)
        if found := _CLOSE.fullmatch(text):
            self._state.portals.pop(_unquoted(*found.groups()), None)
            return Answer(tag="CLOSE CURSOR")
        return self._answers.answer(text)

    def _declare(self, found: re.Match[str]) -> tuple[None, str]:
        """Run the statement of a cursor; its rows wait in a portal of the same name."""
        quoted, plain, sql = found.groups()
        table, tag = self._run(sql)
        self._state.portals[_unquoted(quoted, plain)] = _Portal(sql, table=table, tag=tag, ran=True)
        return None, "DECLARE CURSOR"

    def _fetch(self, found: re.Match[str]) -> Answer:
        from finassay.database import QueryError

        count, quoted, plain = found.groups()
        name = _unquoted(quoted, plain)
        portal = self._state.portals.get(name)
        if portal is None or portal.table is None:
            raise QueryError(f'cursor "{name}" does not exist', reason="unknown_cursor")
        word = (count or "NEXT").upper()
        wanted = None if word == "ALL" else 1 if word == "NEXT" else int(word)
        rows = portal.table.slice(portal.position, wanted)
        self._state.portals[name] = replace(portal, position=portal.position + rows.num_rows)
        return Answer(rows, f"FETCH {rows.num_rows}")


def _aborted() -> FinassayError:
    """Return the refusal of everything in a transaction that has failed, as a real server has it."""
    from finassay.database import QueryRefused

    return QueryRefused(
        "current transaction is aborted, commands ignored until end of transaction block",
        hint="Roll the connection back after an error.",
        reason="aborted_transaction",
    )


def _copy_refused() -> FinassayError:
    from finassay.database import QueryRefused

    return QueryRefused(SERVED, hint="Send a SELECT.", reason="not_read_only")


class _Reader:
    """The body of a Bind message."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def short(self) -> int:
        (value,) = struct.unpack_from("!h", self._data, self._position)
        self._position += 2
        return int(value)

    def shorts(self) -> tuple[int, ...]:
        return tuple(self.short() for _ in range(self.short()))

    def value(self) -> bytes | None:
        (size,) = struct.unpack_from("!i", self._data, self._position)
        self._position += 4
        if size < 0:
            return None
        part = self._data[self._position : self._position + size]
        if len(part) < size:
            raise ValueError("a parameter is cut short")
        self._position += size
        return part


def _unquoted(quoted: str | None, plain: str | None) -> str:
    return quoted.replace('""', '"') if quoted is not None else (plain or "").lower()


def _at(values: Sequence[int], index: int, default: int) -> int:
    return values[index] if index < len(values) else default


def _spread(formats: Sequence[int], index: int) -> int:
    """No format means text for all, one means the same for all."""
    return formats[0] if len(formats) == 1 else _at(formats, index, 0)


def _all_formats(formats: Sequence[int], count: int) -> tuple[int, ...]:
    return tuple(_spread(formats, index) for index in range(count))
