"""A MySQL protocol server: what pymysql, SQLAlchemy, the command-line clients and connectors need to read data.

Written to the protocol's public description (MariaDB knowledge base, "Client/Server Protocol"). Any user is accepted,
and any password unless the session has one; the database a client names at connecting is taken as another name for the
one there is.
"""

from __future__ import annotations

import datetime as dt
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from finassay.core import FinassayError
from finassay.execution._wire._literals import Value, bind_question_marks, count_question_marks
from finassay.execution._wire._mysql_answers import Answers
from finassay.execution._wire._mysql_charsets import Charsets
from finassay.execution._wire._mysql_handshake import EOF, OK, shake_hands
from finassay.execution._wire._mysql_rows import binary_rows, column_definition, lenenc, text_rows
from finassay.execution._wire._serve import Disconnected, read_exactly
from finassay.execution._wire._session import WireError, wire_error

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.execution._wire._session import Session


def serve_mysql(client: socket.socket, session: Session, greeted: Callable[[], None]) -> None:
    """Speak the MySQL protocol with one client until it leaves."""
    wire = _Wire(client)
    introduction = shake_hands(wire, session.password)
    greeted()
    charsets = Charsets.of_number(introduction.number)
    _Client(wire, session, Answers(session, introduction.database, charsets), introduction.number).serve()


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

    def send_rows(self, table: pa.Table, charsets: Charsets, *, binary: bool) -> None:
        for packets, sequence in (binary_rows if binary else text_rows)(table, self.sequence, charsets):
            self._client.sendall(packets)
            self.sequence = sequence

    def error(self, error: WireError, charsets: Charsets) -> None:
        state = {1045: b"#28000", 1105: b"#HY000"}.get(error.mysql, b"#42000")
        text = charsets.encode_message(error.message[:20_000])
        self.send(b"\xff" + error.mysql.to_bytes(2, "little") + state + text)


@dataclass
class _Statement:
    sql: str
    parameters: int
    kinds: list[tuple[int, bool]] = field(default_factory=list)
    long_data: dict[int, bytes] = field(default_factory=dict)


class _Client:
    """The command phase of one connection."""

    def __init__(self, wire: _Wire, session: Session, answers: Answers, number: int) -> None:
        self._wire = wire
        self._number = number  # of the collation named at connecting, to which a reset goes back
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
                self._wire.error(wire_error(error), self._charsets)

    @property
    def _charsets(self) -> Charsets:
        return self._answers.charsets

    def _command(self, command: int, body: bytes) -> None:
        if command == 0x03:
            self._run(self._charsets.decode(body), binary=False)
        elif command == 0x02:  # COM_INIT_DB
            self._use(self._charsets.decode(body))
        elif command == 0x11:
            self._change_user(body)
        elif command == 0x1F:  # COM_RESET_CONNECTION
            self._answers.charsets = Charsets.of_number(self._number)
            self._session.forget()
            self._wire.send(OK)
        elif command in (0x0E, 0x1B):  # ping, set option
            self._wire.send(EOF if command == 0x1B else OK)
        elif command == 0x04:
            self._fields(self._charsets.decode(body.split(b"\0", 1)[0]))
        elif command == 0x09:
            self._wire.send(b"finassay")
        elif command == 0x16:
            self._prepare(self._charsets.decode(body))
        elif command == 0x17:
            self._execute(body)
        elif command == 0x18:  # COM_STMT_SEND_LONG_DATA, which has no answer
            self._long_data(body)
        elif command == 0x19:  # COM_STMT_CLOSE, which has no answer
            self._statements.pop(int.from_bytes(body[:4], "little"), None)
        elif command == 0x1A:
            self._wire.send(OK)
        else:
            self._wire.error(
                WireError(f"command {command} is not served here", 1047, "08S01"), self._charsets
            )

    def _change_user(self, body: bytes) -> None:
        """Answer COM_CHANGE_USER: name, answer to the challenge (whoever is here has passed it), database, charset."""
        _, rest = body.split(b"\0", 1)
        database, _, rest = rest[1 + rest[0] :].partition(b"\0")
        if len(rest) >= 2:
            self._number = int.from_bytes(rest[:2], "little")
        self._answers.charsets = Charsets.of_number(self._number)
        self._session.forget()
        self._use(self._charsets.decode(database))

    def _use(self, name: str) -> None:
        if name:
            self._run("USE `" + name.replace("`", "``") + "`", binary=False)
        else:
            self._wire.send(OK)

    def _run(self, sql: str, *, binary: bool) -> None:
        answer = self._session.execute(sql, partial(self._answers.answer, sql), self._answers.requalified)
        if answer.table is None:
            self._wire.send(OK)
        else:
            self._result(answer.table, binary=binary)

    def _result(self, table: pa.Table, *, binary: bool) -> None:
        definitions = [
            column_definition(self._answers.database, field.name, field.type, self._charsets)
            for field in table.schema
        ]
        self._wire.send(lenenc(len(definitions)), *definitions, EOF)
        self._wire.send_rows(table, self._charsets, binary=binary)
        self._wire.send(EOF)

    def _fields(self, name: str) -> None:
        """Answer COM_FIELD_LIST."""
        table = self._answers.table(name)
        columns = [(column.name, column.arrow_type) for column in table.columns]
        self._wire.send(
            *(column_definition(table.schema, *column, self._charsets) + b"\xfb" for column in columns), EOF
        )

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
            self._wire.send(*[column_definition("", "?", pa.string(), self._charsets)] * parameters, EOF)

    def _execute(self, body: bytes) -> None:
        statement = self._statement(body)
        try:
            values = _values(body[9:], statement, self._charsets)
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


def _values(data: bytes, statement: _Statement, charsets: Charsets) -> list[Value]:
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
            values.append(charsets.decode(statement.long_data[index]))
        else:
            value, position = _value(data, position, kind, unsigned=unsigned)
            value = charsets.decode(value) if isinstance(value, bytes) else value
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
    return part, position + size


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
