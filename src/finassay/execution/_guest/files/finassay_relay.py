"""The relay: carry bytes between TCP ports on the loopback of the jail and the broker's Unix sockets.

Standard library only. ``python finassay_relay.py`` serves 127.0.0.1:3306 and :5432 until it is killed, and prints
``ready`` once both ports listen.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import sys

from finassay_native import DatabaseError, connect

_CHUNK = 1 << 16
_MAX_CLIENTS = 100
_PORTS = (("mysql.sock", "DB_PORT", 3306), ("postgres.sock", "PGPORT", 5432))


def main() -> None:
    """Serve for ever."""
    selector = selectors.DefaultSelector()
    for name, variable, default in _PORTS:
        listener = socket.create_server(("127.0.0.1", int(os.environ.get(variable, default))), backlog=64)
        listener.setblocking(False)
        selector.register(listener, selectors.EVENT_READ, (listener, name))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        for key, events in selector.select():
            if isinstance(key.data, tuple):
                _accept(selector, *key.data)
            else:
                key.data.move(key.fileobj, events)


class _Pair:
    """Two sockets; what one side sends waits for the other to take it, and stops the sender while it waits."""

    def __init__(self, selector: selectors.BaseSelector, one: socket.socket, two: socket.socket) -> None:
        self._selector = selector
        self._peer = {one: two, two: one}
        self._waiting = {one: b"", two: b""}  # bytes to write to this socket
        self._interest = dict.fromkeys((one, two), selectors.EVENT_READ)
        for side in (one, two):
            side.setblocking(False)
            selector.register(side, selectors.EVENT_READ, self)

    def move(self, side: socket.socket, events: int) -> None:
        if side not in self._peer:  # closed a moment ago, in the same round
            return
        try:
            if events & selectors.EVENT_WRITE:
                self._write(side)
            if events & selectors.EVENT_READ:
                self._read(side)
        except OSError:
            self._close()

    def _read(self, side: socket.socket) -> None:
        try:
            data = side.recv(_CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._close()
            return
        peer = self._peer[side]
        self._waiting[peer] += data
        self._write(peer)

    def _write(self, side: socket.socket) -> None:
        if self._waiting[side]:
            with contextlib.suppress(BlockingIOError):
                sent = side.send(self._waiting[side])
                self._waiting[side] = self._waiting[side][sent:]
        self._want(side)
        self._want(self._peer[side])

    def _want(self, side: socket.socket) -> None:
        reads = not self._waiting[self._peer[side]]
        events = reads * selectors.EVENT_READ | bool(self._waiting[side]) * selectors.EVENT_WRITE
        if events == self._interest[side]:
            return
        if not self._interest[side]:
            self._selector.register(side, events, self)
        elif not events:
            self._selector.unregister(side)
        else:
            self._selector.modify(side, events, self)
        self._interest[side] = events

    def _close(self) -> None:
        for side, events in self._interest.items():
            if events:
                self._selector.unregister(side)
            side.close()
        self._peer = {}
        self._interest = {}


def _accept(selector: selectors.BaseSelector, listener: socket.socket, name: str) -> None:
    try:
        client, _ = listener.accept()
    except OSError:
        return
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if len(selector.get_map()) > 2 * _MAX_CLIENTS:
        client.close()
        return
    try:
        _Pair(selector, client, connect(name))
    except (DatabaseError, OSError):
        client.close()


if __name__ == "__main__":
    main()
