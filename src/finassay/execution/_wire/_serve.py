"""Accept clients on listening sockets of any kind and give each a thread, within limits."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from finassay.execution._wire._session import Session

MAX_MESSAGE = 16 << 20
_MAX_CLIENTS = 128
_STALL_S = 30.0
_WATCH_S = 0.25
_GREETING_S = 10.0
_STACK = 2 << 20  # 128 stacks of the usual 8 MiB would be half of the address space that is allowed

Handler = Callable[[socket.socket, Session, Callable[[], None]], None]


class Disconnected(Exception):
    """The client went away, or sent what no client of its protocol sends."""


@dataclass
class _Client:
    socket: socket.socket
    session: Session
    deadline: float | None  # until when it must have introduced itself; None once it has

    def greeted(self) -> None:
        self.deadline = None


class Server:
    """Serve one protocol on one listening socket.

    Parameters
    ----------
    listener : socket.socket
        Bound and listening; Unix or TCP.
    handler : callable
        Speaks the protocol with one client until it leaves; calls its third argument once the client has introduced
        itself, which may take ten seconds: silent clients would hold the places of others.
    sessions : callable
        Returns a new session for a new client.
    """

    def __init__(self, listener: socket.socket, handler: Handler, sessions: Callable[[], Session]) -> None:
        self._listener = listener
        self._handler = handler
        self._sessions = sessions
        self._clients: dict[int, _Client] = {}
        self._lock = threading.Lock()

    def start(self) -> None:
        """Begin to accept, in the background."""
        threading.stack_size(_STACK)
        threading.Thread(target=self._accept, daemon=True).start()
        threading.Thread(target=self._watch, daemon=True).start()

    def drop_clients(self) -> None:
        """Disconnect every client and stop what it runs."""
        with self._lock:
            clients = list(self._clients.values())
        for client in clients:
            client.session.hang_up()
            _hang_up(client.socket)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                full = len(self._clients) >= _MAX_CLIENTS
            if full:
                client.close()
                continue
            try:
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()
            except RuntimeError:  # no more threads
                client.close()

    def _serve(self, client: socket.socket) -> None:
        with client:
            number = client.fileno()
            session = self._sessions()
            try:
                known = _Client(client, session, time.monotonic() + _GREETING_S)
                with self._lock:
                    self._clients[number] = known
                _bound_stalls(client)
                self._handler(client, session, known.greeted)
            except (Disconnected, OSError):
                return
            finally:
                with self._lock:
                    self._clients.pop(number, None)
                session.forget()

    def _watch(self) -> None:
        """Cancel the statement of a client that has gone, end one that nothing stops, hang up on who never says who."""
        pause = threading.Event()
        while not pause.wait(_WATCH_S):
            with self._lock:
                clients = list(self._clients.values())
            now = time.monotonic()
            poller = select.poll()
            waiting = {}
            for client in clients:
                if client.deadline is not None and client.deadline < now:
                    _hang_up(client.socket)
                client.session.end_stuck()
                if client.session.busy:
                    with contextlib.suppress(OSError, ValueError):
                        poller.register(client.socket, select.POLLRDHUP)
                        waiting[client.socket.fileno()] = client.session
            if waiting:
                for descriptor, _ in poller.poll(0):
                    waiting[descriptor].hang_up()


def _hang_up(client: socket.socket) -> None:
    with contextlib.suppress(OSError):
        client.shutdown(socket.SHUT_RDWR)


def _bound_stalls(client: socket.socket) -> None:
    """Give up on a client that takes nothing for half a minute; it may be silent between statements for ever."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(_STALL_S), 0))


def read_exactly(client: socket.socket, size: int) -> bytes:
    """Read a message of ``size`` bytes, at most 16 MiB.

    Raises
    ------
    Disconnected
        If the client leaves before the end, stalls inside the message, or declares more.
    """
    if size > MAX_MESSAGE:
        raise Disconnected(f"a message of {size} bytes")
    data = bytearray()
    while len(data) < size:
        if data and not select.select([client], [], [], _STALL_S)[0]:
            raise Disconnected("half a message")
        part = client.recv(min(size - len(data), 1 << 16))
        if not part:
            raise Disconnected("the client left")
        data += part
    return bytes(data)
