"""The client of the broker's native socket. Standard library only; Arrow is imported where a result arrives.

A program that forks gets a connection of its own, and threads take turns.
"""

from __future__ import annotations

import json
import mmap
import os
import socket
import threading
from pathlib import Path
from typing import Any

_lock = threading.RLock()
_connection: tuple[int, socket.socket] | None = None


class DatabaseError(Exception):
    """The database refused or failed a statement; ``reason`` is a stable word."""

    def __init__(self, message: str, reason: str = "query_error") -> None:
        super().__init__(message)
        self.reason = reason


def query(sql: str) -> Any:
    """Run a statement and return its result as a ``pyarrow.Table``.

    Raises
    ------
    DatabaseError
        With the broker's message.
    """
    import pyarrow as pa

    with _lock:
        body = _exchange({"op": "query", "sql": sql, "memory": True})[1]
    with pa.ipc.open_stream(pa.py_buffer(body)) as reader:
        return reader.read_all()


def request(message: dict[str, Any]) -> dict[str, Any]:
    """Send one message and return the answer."""
    return _exchange(message)[0]


def _exchange(message: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Send one message; return the answer and the buffer that follows it or whose descriptor came with it."""
    data = json.dumps(message).encode()
    with _lock:
        connection = _socket()
        try:
            connection.sendall(len(data).to_bytes(4, "big") + data)
            head, descriptors, _, _ = socket.recv_fds(connection, 4, 1)
            head += _read(connection, 4 - len(head))
            answer: dict[str, Any] = json.loads(_read(connection, int.from_bytes(head, "big")))
            size = answer.get("size", 0)
            body = _taken(descriptors[0], answer) if descriptors else _read(connection, size)
        except OSError:
            _drop()
            raise DatabaseError(
                "the connection to the database ended during this statement: it was too large, or the database process "
                "ran out of memory",
                "connection_lost",
            ) from None
    if not answer["ok"]:
        raise DatabaseError(answer["text"], answer["reason"])
    return answer, body


def _read(connection: socket.socket, size: int) -> bytearray:
    body = bytearray(size)
    view = memoryview(body)
    while view:
        count = connection.recv_into(view)
        if not count:
            raise ConnectionResetError
        view = view[count:]
    return body


def _taken(descriptor: int, answer: dict[str, Any]) -> bytes | mmap.mmap:
    """Return a file in memory as a buffer: a copy where the next answer is written over it."""
    size = answer["size"]
    try:
        if not answer["again"]:
            return mmap.mmap(descriptor, size, prot=mmap.PROT_READ)
        data = os.pread(descriptor, size, 0)
        if len(data) < size:
            raise ConnectionResetError
        return data
    finally:
        os.close(descriptor)


def _socket() -> socket.socket:
    """Return this process's connection, made where there is none."""
    global _connection  # noqa: PLW0603 - one connection per process
    if _connection is not None and _connection[0] == os.getpid() and not _ended(_connection[1]):
        return _connection[1]
    _drop()
    _connection = (os.getpid(), connect("native.sock"))
    return _connection[1]


def _ended(connection: socket.socket) -> bool:
    """Whether the broker has closed this connection while it was idle (it was restarted)."""
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _drop() -> None:
    global _connection  # noqa: PLW0603
    if _connection is not None:
        _connection[1].close()
    _connection = None


def connect(name: str) -> socket.socket:
    """Connect to a socket of the broker.

    Raises
    ------
    DatabaseError
        If there is no broker.
    """
    folder = Path(os.environ.get("FINASSAY_SOCKETS", "/run/finassay/sockets"))
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if len(str(folder)) < 80:
            connection.connect(str(folder / name))
        else:  # a socket address holds 107 bytes
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                connection.connect(f"/proc/self/fd/{descriptor}/{name}")
            finally:
                os.close(descriptor)
    except OSError as error:
        connection.close()
        raise DatabaseError(f"no database here: {folder / name}: {error}", "no_database") from None
    return connection
