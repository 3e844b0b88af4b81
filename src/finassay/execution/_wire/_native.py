"""The native protocol: length-prefixed JSON both ways, and Arrow's IPC stream after a good answer.

A message is four bytes of length (big-endian) and a JSON object. The client sends ``{"op": "query", "sql": …}``,
``{"op": "log", "sql": …, "rows": …}`` or ``{"op": "tables"}``. The answer to a query is ``{"ok": true, "size": n}``
followed by ``n`` bytes of an Arrow IPC stream, or ``{"ok": false, "reason": …, "message": …}``.

A client that asked with ``"memory": true`` gets a large stream as a file in memory, whose descriptor comes with the
answer: two processes that hand megabytes through a socket wait for each other many times. Where the answer says
``"again": true`` the next answer is written over this one, so the client has to read it before it asks again: making a
file in memory costs more than filling one that exists.
"""

from __future__ import annotations

import io
import json
import os
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from finassay.core import FinassayError
from finassay.execution._wire._serve import Disconnected, read_exactly

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.execution._wire._session import Session

_LARGE = 128 << 10
_REUSED = 32 << 20  # a larger file is not kept between statements, and the client need not copy it


def serve_native(client: socket.socket, session: Session, greeted: Callable[[], None]) -> None:
    """Speak the native protocol with one client until it leaves; its first message introduces it."""
    with _Memory() as memory:
        _serve(client, session, greeted, memory)


def _serve(client: socket.socket, session: Session, greeted: Callable[[], None], memory: _Memory) -> None:
    while True:
        message = _receive(client)
        greeted()
        op = message.get("op")
        if op == "query":
            _query(client, session, message, memory)
        elif op == "log":
            _log(client, session, message)
        elif op == "tables":
            names = [[table.schema, table.name] for table in session.tables()]
            _send(client, {"ok": True, "tables": names})
        else:
            raise Disconnected(f"operation {op!r}")


def _query(client: socket.socket, session: Session, message: dict[str, Any], memory: _Memory) -> None:
    try:
        table = session.execute(str(message.get("sql", ""))).table
    except FinassayError as error:
        _send(client, {"ok": False, **error.as_dict(), "text": str(error)})
        return
    size = _stream_size(table)
    if message.get("memory") is True and size >= _LARGE and hasattr(os, "memfd_create"):
        again = size <= _REUSED
        with memory.file(kept=again) as file:
            _write_stream(table, file)
            _send(client, {"ok": True, "size": size, "again": again}, file.fileno())
        return
    _send(client, {"ok": True, "size": size})
    _write_stream(table, _SocketFile(client))


class _Memory:
    """The file in memory of one client, made when it is needed first; gone with the client."""

    def __init__(self) -> None:
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def file(self, *, kept: bool) -> io.FileIO:
        """Return the file to write an answer to, at its start, or a new one that is nobody else's."""
        if not kept:
            return io.FileIO(os.memfd_create("finassay-result"), "wb")
        if self._descriptor is None:
            self._descriptor = os.memfd_create("finassay-result")
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        return io.FileIO(self._descriptor, "wb", closefd=False)


def _log(client: socket.socket, session: Session, message: dict[str, Any]) -> None:
    try:
        _send(client, {"ok": True, **session.report(message)})
    except FinassayError as error:
        _send(client, {"ok": False, **error.as_dict(), "text": str(error)})


def _receive(client: socket.socket) -> dict[str, Any]:
    size = int.from_bytes(read_exactly(client, 4), "big")
    try:
        message = json.loads(read_exactly(client, size))
    except ValueError:
        raise Disconnected("no JSON") from None
    if not isinstance(message, dict):
        raise Disconnected("no JSON object")
    return message


def _send(client: socket.socket, message: dict[str, Any], *descriptors: int) -> None:
    data = json.dumps(message).encode()
    data = len(data).to_bytes(4, "big") + data
    if descriptors:
        data = data[socket.send_fds(client, [data], descriptors) :]
    client.sendall(data)


class _SocketFile(io.RawIOBase):
    """The writable file that Arrow wants; a buffer goes out without a copy."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data)
        self._client.sendall(view)
        return view.nbytes


def _stream_size(table: pa.Table) -> int:
    import pyarrow as pa

    sink = pa.MockOutputStream()
    _write_stream(table, sink)
    return int(sink.size())


def _write_stream(table: pa.Table, sink: Any) -> None:
    import pyarrow as pa

    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
