"""A MySQL protocol server: what pymysql, SQLAlchemy, the command-line clients and connectors need to read data.

Written to the protocol's public description (MariaDB knowledge base, "Client/Server Protocol"). Any user and password
are accepted; the database a client names at connecting is taken as another name for the one there is.
"""

from __future__ import annotations

import datetime as dt
import itertools
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from finassay.core import CandidateError, FinassayError
from finassay.execution._wire._literals import Value, bind_question_marks, count_question_marks
from finassay.execution._wire._mysql_answers import VERSION, Answers
from finassay.execution._wire._mysql_rows import binary_rows, column_definition, lenenc, text_rows
from finassay.execution._wire._serve import Disconnected, read_exactly
from finassay.execution._wire._session import WireError, wire_error

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.execution._wire._session import Session

_CONNECT_WITH_DB, _SECURE_CONNECTION, _LENENC_AUTH = 1 << 3, 1 << 15, 1 << 21
# long password, found rows, long flags, connect with db, protocol 4.1, transactions, secure connection, plugins,
# connection attributes, length-encoded authentication data
_CAPABILITIES = 0x1 | 0x2 | 0x4 | 0x8 | 0x200 | 0x2000 | 0x8000 | 1 << 19 | 1 << 20 | 1 << 21
_AUTOCOMMIT = 2
_EOF = b"\xfe\0\0" + _AUTOCOMMIT.to_bytes(2, "little")
_OK = b"\0\0\0" + _AUTOCOMMIT.to_bytes(2, "little") + b"\0\0"
_SALT = b"finassay-broker-salt"  # twenty bytes; nothing is secret here
_numbers = itertools.count(1)


def serve_mysql(client: socket.socket, session: Session, greeted: Callable[[], None]) -> None:
    """Speak the MySQL protocol with one client until it leaves."""
    wire = _Wire(client)
    database = _handshake(wire)
    greeted()
    _Client(wire, session, Answers(session, database)).serve()


class _Wire:
    """Packets: three bytes of length, one of sequence number."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client
        self.sequence = 0

    def receive(self) -> bytes:
        header = read_exactly(self._client, 4)
        size = int.from_bytes(header[:3], "little")
        if size == 0xFFFFFF:
            raise Disconnected("a packet of 16 MiB or more")
        self.sequence = header[3] + 1
        return read_exactly(self._client, size)

    def send(self, *payloads: bytes) -> None:
        packets = bytearray()
        for payload in payloads:
            packets += len(payload).to_bytes(3, "little") + bytes([self.sequence & 255]) + payload
            self.sequence += 1
        self._client.sendall(packets)

    def send_rows(self, table: pa.Table, *, binary: bool) -> None:
        for packets, sequence in (binary_rows if binary else text_rows)(table, self.sequence):
            self._client.sendall(packets)
            self.sequence = sequence

    def error(self, error: WireError) -> None:
        state = b"#42000" if error.mysql != 1105 else b"#HY000"
        self.send(b"\xff" + error.mysql.to_bytes(2, "little") + state + error.message.encode()[:60_000])


def _handshake(wire: _Wire) -> str:
    """Greet, accept anybody; return the database the client named."""
    low, high = _CAPABILITIES & 0xFFFF, _CAPABILITIES >> 16
    wire.send(
        b"\x0a"
        + VERSION.encode()
        + b"\0"
        + (next(_numbers) & 0xFFFFFFFF).to_bytes(4, "little")
        + _SALT[:8]
        + b"\0"
        + struct.pack("<HBHHB", low, 45, _AUTOCOMMIT, high, 21)
        + bytes(10)
        + _SALT[8:]
        + b"\0mysql_native_password\0"
    )
    reply = wire.receive()
    if len(reply) < 33:
        raise Disconnected("a short handshake")
    database = _named_database(reply, int.from_bytes(reply[:4], "little"))
    wire.send(_OK)
    return database


def _named_database(reply: bytes, capabilities: int) -> str:
    if not capabilities & _CONNECT_WITH_DB:
        return ""
    position = reply.index(b"\0", 32) + 1 if b"\0" in reply[32:] else len(reply)
    if capabilities & (_LENENC_AUTH | _SECURE_CONNECTION):
        position += 1 + (reply[position] if position < len(reply) else 0)
    else:
        position = reply.find(b"\0", position) + 1
    return reply[position:].split(b"\0", 1)[0].decode("utf-8", "replace")


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise CandidateError(
            f"Expected a statement in UTF-8, but its byte {error.start:,} is none: the client speaks otherwise.",
            hint="Connect with charset='utf8mb4', which is also pymysql's default.",
            reason="not_utf8",
        ) from error


@dataclass
class _Statement:
    sql: str
    parameters: int
    kinds: list[tuple[int, bool]] = field(default_factory=list)
    long_data: dict[int, bytes] = field(default_factory=dict)


class _Client:
    """The command phase of one connection."""

    def __init__(self, wire: _Wire, session: Session, answers: Answers) -> None:
        self._wire = wire
        self._session = session
        self._answers = answers
        self._statements: dict[int, _Statement] = {}
        self._next = 1

    def serve(self) -> None:
        while True:
            packet = self._wire.receive()
            if not packet or packet[0] == 0x01:  # COM_QUIT
                return
            try:
                self._command(packet[0], packet[1:])
            except (FinassayError, UnicodeDecodeError, ValueError, IndexError) as error:
                self._wire.error(wire_error(error))

    def _command(self, command: int, body: bytes) -> None:
        if command == 0x03:
            self._run(_text(body), binary=False)
        elif command == 0x02:  # COM_INIT_DB
            self._use(_text(body))
        elif command == 0x11:  # COM_CHANGE_USER: name, answer to the challenge, database
            _, rest = body.split(b"\0", 1)
            self._use(rest[1 + rest[0] :].split(b"\0", 1)[0].decode())
        elif command in (0x0E, 0x1F, 0x1B):  # ping, reset connection, set option
            self._wire.send(_EOF if command == 0x1B else _OK)
        elif command == 0x04:
            self._fields(body.split(b"\0", 1)[0].decode())
        elif command == 0x09:
            self._wire.send(b"finassay")
        elif command == 0x16:
            self._prepare(_text(body))
        elif command == 0x17:
            self._execute(body)
        elif command == 0x18:  # COM_STMT_SEND_LONG_DATA, which has no answer
            self._long_data(body)
        elif command == 0x19:  # COM_STMT_CLOSE, which has no answer
            self._statements.pop(int.from_bytes(body[:4], "little"), None)
        elif command == 0x1A:
            self._wire.send(_OK)
        else:
            self._wire.error(WireError(f"command {command} is not served here", 1047, "08S01"))

    def _use(self, name: str) -> None:
        if name:
            self._run("USE `" + name.replace("`", "``") + "`", binary=False)
        else:
            self._wire.send(_OK)

    def _run(self, sql: str, *, binary: bool) -> None:
        answer = self._session.execute(sql, partial(self._answers.answer, sql), self._answers.requalified)
        if answer.table is None:
            self._wire.send(_OK)
        else:
            self._result(answer.table, binary=binary)

    def _result(self, table: pa.Table, *, binary: bool) -> None:
        definitions = [
            column_definition(self._answers.database, field.name, field.type) for field in table.schema
        ]
        self._wire.send(lenenc(len(definitions)), *definitions, _EOF)
        self._wire.send_rows(table, binary=binary)
        self._wire.send(_EOF)

    def _fields(self, name: str) -> None:
        """Answer COM_FIELD_LIST."""
        table = self._answers.table(name)
        columns = [(column.name, column.arrow_type) for column in table.columns]
        self._wire.send(*(column_definition(table.schema, *column) + b"\xfb" for column in columns), _EOF)

    def _prepare(self, sql: str) -> None:
        """Answer with the number of parameters; columns are described when it runs, which clients allow."""
        import pyarrow as pa

        if len(self._statements) >= 1000:
            raise ValueError("1000 statements are prepared already; close some")
        number, self._next = self._next, self._next + 1
        parameters = count_question_marks(sql)
        self._statements[number] = _Statement(sql, parameters)
        self._wire.send(b"\0" + struct.pack("<IHHBH", number, 0, parameters, 0, 0))
        if parameters:
            self._wire.send(*[column_definition("", "?", pa.string())] * parameters, _EOF)

    def _execute(self, body: bytes) -> None:
        statement = self._statement(body)
        try:
            values = _values(body[9:], statement)
        except (IndexError, struct.error):
            raise ValueError("the parameters of the statement are cut short") from None
        self._run(bind_question_marks(statement.sql, values), binary=True)

    def _long_data(self, body: bytes) -> None:
        statement = self._statement(body)
        index = int.from_bytes(body[4:6], "little")
        data = statement.long_data.get(index, b"") + body[6:]
        if (
            index >= statement.parameters
            or sum(map(len, statement.long_data.values())) + len(body) > 16 << 20
        ):
            raise Disconnected("too much long data")
        statement.long_data[index] = data

    def _statement(self, body: bytes) -> _Statement:
        number = int.from_bytes(body[:4], "little")
        if number not in self._statements:
            raise ValueError(f"no prepared statement {number}")
        return self._statements[number]


def _values(data: bytes, statement: _Statement) -> list[Value]:
    """Read the parameters of COM_STMT_EXECUTE: a NULL bitmap, perhaps the types, the values."""
    count = statement.parameters
    if not count:
        return []
    nulls, position = data[: (count + 7) // 8], (count + 7) // 8
    position += 1
    if data[position - 1]:
        pairs = [data[position + 2 * index :][:2] for index in range(count)]
        statement.kinds = [(pair[0], bool(pair[1] & 0x80)) for pair in pairs]
        position += 2 * count
    values: list[Value] = []
    for index, (kind, unsigned) in enumerate(statement.kinds):
        if nulls[index // 8] >> index % 8 & 1:
            values.append(None)
        elif index in statement.long_data:
            values.append(statement.long_data[index].decode())
        else:
            value, position = _value(data, position, kind, unsigned=unsigned)
            values.append(value)
    statement.long_data.clear()
    return values


_FIXED = {1: "b", 2: "h", 13: "h", 3: "i", 9: "i", 8: "q", 4: "f", 5: "d"}


def _value(data: bytes, position: int, kind: int, *, unsigned: bool) -> tuple[Value, int]:
    if kind == 6:
        return None, position
    if kind in _FIXED:
        code = _FIXED[kind].upper() if unsigned and kind not in (4, 5) else _FIXED[kind]
        (value,) = struct.unpack_from(f"<{code}", data, position)
        return value, position + struct.calcsize(f"<{code}")
    size, position = _read_lenenc(data, position)
    part = data[position : position + size]
    if len(part) < size:
        raise IndexError
    if kind in (7, 10, 12):
        return _moment(part, date=kind == 10), position + size
    if kind == 11:
        return _time(part), position + size
    return part.decode(), position + size


def _read_lenenc(data: bytes, position: int) -> tuple[int, int]:
    first = data[position]
    width = {0xFC: 2, 0xFD: 3, 0xFE: 8}.get(first, 0)
    if not width:
        return first, position + 1
    return int.from_bytes(data[position + 1 : position + 1 + width], "little"), position + 1 + width


def _moment(part: bytes, *, date: bool) -> Value:
    year, month, day, hour, minute, second, micro = struct.unpack("<HBBBBBI", part.ljust(11, b"\0"))
    if date:
        return dt.date(year, month, day)
    return f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}" + (
        f".{micro:06}" if micro else ""
    )


def _time(part: bytes) -> str:
    padded = part.ljust(12, b"\0")
    negative, days, hour, minute, second, micro = struct.unpack("<BIBBBI", padded)
    sign = "-" if negative else ""
    return f"{sign}{days * 24 + hour:02}:{minute:02}:{second:02}" + (f".{micro:06}" if micro else "")
