"""Run the servers in a process of their own, told what to do by JSON lines on standard input."""

from __future__ import annotations

import json
import os
import socket
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from finassay.core import FinassayError, InternalError
from finassay.execution._wire._backend import Backend, BrokerSession
from finassay.execution._wire._log import EventPipe, StatementLog
from finassay.execution._wire._mysql import serve_mysql
from finassay.execution._wire._native import serve_native
from finassay.execution._wire._postgres import serve_postgres
from finassay.execution._wire._serve import Handler, Server

if TYPE_CHECKING:
    from finassay.database import Dialect

_HANDLERS: dict[str, Handler] = {"native": serve_native, "mysql": serve_mysql, "postgres": serve_postgres}
_ROUTES = {"native": "connector", "mysql": "mysql", "postgres": "postgres"}


def main() -> None:
    """Serve until standard input ends. Arguments: descriptor of the event pipe, bytes of memory allowed."""
    events, memory = int(sys.argv[1]), int(sys.argv[2])
    _limit_memory(memory)
    pipe = EventPipe(events)
    process = _Process(pipe)
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = process.obey(command)
        except FinassayError as error:
            pipe.send({"event": "failed", "number": command["number"], **error.as_dict()})
        else:
            pipe.send({"event": "done", "number": command["number"], **answer})
    os._exit(0)  # threads that serve clients do not keep it alive


class _Process:
    """The servers and what they serve now."""

    def __init__(self, pipe: EventPipe) -> None:
        self._log = StatementLog(pipe)
        self._backend: Backend | None = None
        self._servers: list[Server] = []
        self._policy: Any = None
        self._dialect: Dialect | None = None
        self._password: str | None = None
        self._as_of: str | None = None

    def obey(self, command: dict[str, Any]) -> dict[str, Any]:
        """Do what a command says; return what its answer holds."""
        if command["op"] == "sync":
            return {}
        backend = self._reset(command)
        if command["op"] == "reset":
            return {}
        self._start(command["listeners"])
        return {"served": backend.served}

    def _reset(self, command: dict[str, Any]) -> Backend:
        from finassay.database import QueryPolicy

        for server in self._servers:
            server.drop_clients()
        policy = dict(command["policy"])
        if policy["schemas"] is not None:
            policy["schemas"] = tuple(policy["schemas"])
        old = self._backend
        spoken: Dialect | Literal[""] = command["dialect"] or ""
        warm = spoken if old is None else None
        sealed = command["as_of"] is not None
        ready = None if old is None or sealed else old.retire()
        if ready is not None:
            ready.replace(command["overlays"])
        backend = self._backend = Backend(
            command["url"], command["overlays"], warm=warm, sealed=sealed, ready=ready
        )
        if old is not None:
            old.close()
        self._policy = QueryPolicy(**policy)
        self._dialect = command["dialect"]
        self._password = command["password"]
        self._as_of = command["as_of"]
        self._log.new_run(command["run"], command["first"], kept=command["kept"])
        return backend

    def _start(self, listeners: dict[str, int]) -> None:
        for protocol, descriptor in listeners.items():
            listener = socket.socket(fileno=descriptor)
            server = Server(listener, _HANDLERS[protocol], partial(self._session, _ROUTES[protocol]))
            server.start()
            self._servers.append(server)

    def _session(self, route: str) -> BrokerSession:
        if self._backend is None:
            raise InternalError("A client came before the database was opened.")
        fixed: dict[str, Dialect] = {"mysql": "mysql", "postgres": "postgres"}
        dialect = fixed.get(route) or self._dialect or self._backend.engine
        return BrokerSession(
            self._backend, self._log, route, dialect, self._policy, self._password, self._as_of
        )


def _limit_memory(memory: int) -> None:
    """Limit the address space: DuckDB's own limit did not stop an allocation of 24 GB (DESIGN.md, decision 7)."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
