"""The broker: a process of its own through which a candidate program reaches the database, and its query log."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finassay.core import InputError, InternalError
from finassay.execution._types import QueryRecord
from finassay.execution._wire._backend import OUT_OF_MEMORY, STUCK_STATUS

if TYPE_CHECKING:
    from types import TracebackType

    from finassay.database import Dialect, QueryPolicy

_PROTOCOLS = ("native", "mysql", "postgres")
_START_S = 60.0
_STOP_S = 5.0
STILL_RUNNING = "still running"


@dataclass(frozen=True)
class Served:
    """The database behind a broker.

    Attributes
    ----------
    url : str
        Without the password.
    engine : str
        The engine and its version.
    dialect : {"duckdb", "mysql", "postgres"}
        What the engine itself speaks.
    schema : str
        The schema that unqualified names belong to; its name is that of the database, for MySQL clients.
    """

    url: str
    engine: str
    dialect: Dialect
    schema: str


class Broker:
    """Serve a database to a jailed program over Unix sockets, and log what the program asks.

    The servers run in a child process whose address space is limited, since a DuckDB query can allocate far more than
    its own limit says. When a statement kills that process, its clients get an error, the log says so, and a new
    process takes over the same sockets. The log is kept in this process: nothing the program sends can change it.

    Parameters
    ----------
    url : str
        Database URL, as `finassay.database.connect` takes it.
    dialect : {"duckdb", "mysql", "postgres"}, optional
        Dialect of statements on the native route; by default the engine's own. The MySQL and PostgreSQL routes have
        their own.
    policy : QueryPolicy, optional
        What statements may do.
    socket_dir : Path, optional
        Folder for the sockets ``native.sock``, ``mysql.sock``, ``postgres.sock``; made if it is missing.
    listeners : mapping of str to socket, optional
        Sockets of any kind that listen already, by protocol (``mysql``, ``postgres``), in place of a folder; they are
        closed at the end.
    overlays : mapping of str to str, optional
        Table name to a replacement query in the engine's dialect.
    memory : int
        Address space of the broker's process in bytes.
    password : str, optional
        What a MySQL or PostgreSQL client has to know; by default any password will do, since nobody but the program in
        its jail reaches the sockets. Native clients reach ``native.sock`` itself, whose folder is this user's alone.
    restart : bool
        Whether a new process takes over from one that died; after the one statement of a SQL program none need.
    as_of : str, optional
        What the overlays show, in words. They are then all that is served (``sealed`` of `finassay.database.connect`),
        and the wall clock may not be read.
    taken : callable, optional
        Takes each record as its statement ends, in a thread of ours. Then no log is kept, nor limited.

    Examples
    --------
    >>> with Broker("duckdb:///market.duckdb", socket_dir=folder) as broker:  # doctest: +SKIP
    ...     run_the_program()
    ...     for record in broker.records():
    ...         print(record.index, record.status, record.rows, record.sql)
    """

    def __init__(
        self,
        url: str,
        *,
        socket_dir: Path | None = None,
        listeners: Mapping[str, socket.socket] | None = None,
        dialect: Dialect | None = None,
        policy: QueryPolicy | None = None,
        overlays: Mapping[str, str] | None = None,
        memory: int = 8 << 30,
        password: str | None = None,
        restart: bool = True,
        as_of: str | None = None,
        taken: Callable[[QueryRecord], None] | None = None,
    ) -> None:
        from finassay.database import QueryPolicy

        self._url = url
        self._dialect = dialect
        self._policy = policy or QueryPolicy()
        self._overlays = dict(overlays or {})
        self._memory = memory
        self._password = password
        self._restart = restart
        self._as_of = as_of
        self._kept = taken is None
        self._folder = socket_dir
        self._listeners: dict[str, socket.socket] = dict(listeners or {})
        self._child: _Child | None = None
        self._log = _Log(taken)
        self._lock = threading.RLock()
        self._run = 0
        self._closing = False
        self._starting: tuple[_Child, int] | None = None
        self._served: Served | None = None

    @property
    def socket_dir(self) -> Path:
        """The folder of the sockets."""
        if self._folder is None:
            raise InternalError("This broker listens on sockets that it was given, in no folder.")
        return self._folder

    def __enter__(self) -> Broker:
        """Start the process and wait until it serves.

        Raises
        ------
        InputError
            If the database cannot be opened or the sockets cannot be made.
        """
        try:
            self.start()
            self.ready()
        except BaseException:
            self.close()
            raise
        return self

    def start(self) -> None:
        """Make the sockets and start the process, without waiting for it; `close` is then to be called.

        Raises
        ------
        InputError
            If the sockets cannot be made.
        """
        if self._folder is not None:
            self._listeners = {name: _listen(self._folder, f"{name}.sock") for name in _PROTOCOLS}
        self._log.new_run(self._run)
        self._starting = self._spawn()

    def ready(self) -> Served:
        """Wait until the process that `start` started serves, and return what it serves.

        Raises
        ------
        InputError
            If the database cannot be opened.
        """
        if self._starting is not None:
            child, number = self._starting
            self._served = Served(**child.answer(number)["served"])
            self._starting = None
        if self._served is None:
            raise InternalError("The broker was not started.")
        return self._served

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the process and remove the sockets; the log stays readable."""
        self._closing = True
        child, self._child = self._child, None
        if child is not None:
            child.stop()
        for name, listener in self._listeners.items():
            listener.close()
            if self._folder is not None:
                (self._folder / f"{name}.sock").unlink(missing_ok=True)
        self._listeners = {}

    def reset(
        self,
        *,
        overlays: Mapping[str, str] | None = None,
        policy: QueryPolicy | None = None,
        dialect: Dialect | None = None,
    ) -> None:
        """Begin a new run: clients are disconnected, the log is empty, and these overlays are served.

        A running broker takes milliseconds for this where a new one takes most of a second.

        Parameters
        ----------
        overlays : mapping of str to str, optional
            Overlays of the new run; by default none.
        policy, dialect : optional
            New values; by default what held before.
        """
        with self._lock:
            self._overlays = dict(overlays or {})
            self._policy = policy or self._policy
            self._dialect = dialect or self._dialect
            self._run += 1
            self._log.new_run(self._run)
            self._alive().ask({"op": "reset", **self._settings()})

    def records(self) -> list[QueryRecord]:
        """Return the statements of this run in the order in which they arrived.

        Every statement is here. Those that a protocol server answers by itself (settings, transactions, questions about
        the schema) have a warning that says so. A statement that still runs has the status
        ``error`` and says so. Records with the route ``duckdb`` are what the shim in the program's own process
        reported; a program can leave these out or invent them, and cannot touch those of the other routes.
        """
        with contextlib.suppress(_ChildDied), self._lock:
            if self._child is not None:
                self._child.ask({"op": "sync"})
        return self._log.records()

    def _settings(self) -> dict[str, Any]:
        return {
            "url": self._url,
            "overlays": self._overlays,
            "policy": asdict(self._policy),
            "dialect": self._dialect,
            "password": self._password,
            "as_of": self._as_of,
            "kept": self._kept,
            "run": self._run,
            "first": self._log.count(),
        }

    def _alive(self) -> _Child:
        if self._child is None:
            raise InternalError("The broker is not running: use it in a `with` block.")
        return self._child

    def _spawn(self) -> tuple[_Child, int]:
        """Start a process; return it and the number of its first command, which it answers when it serves."""
        with self._lock:
            child = _Child(self._memory, list(self._listeners.values()), self._log, self._died)
            self._child = child
            numbers = {name: listener.fileno() for name, listener in self._listeners.items()}
            return child, child.tell({"op": "start", "listeners": numbers, **self._settings()})

    def _died(self, why: str) -> None:
        """Take note of a dead process and start another; runs in the thread that read its events."""
        self._log.interrupted(why)
        if self._closing or self._child is None or not self._restart:
            return
        with contextlib.suppress(_ChildDied, InputError), self._lock:
            child, number = self._spawn()
            child.answer(number)


class _ChildDied(InternalError):
    """The broker's process ended while it was asked something."""


class _Child:
    """One server process: its control channel, its events, its end."""

    def __init__(self, memory: int, listeners: list[socket.socket], log: _Log, died: Any) -> None:
        read_end, write_end = os.pipe()
        inherited = [write_end, *(listener.fileno() for listener in listeners)]
        # -P: a file of the current folder, where candidates' programs lie, is never imported for a library of ours.
        command = [sys.executable, "-P", "-m", "finassay.execution._wire", str(write_end), str(memory)]
        environment = {**os.environ, "MALLOC_ARENA_MAX": "2", "ARROW_DEFAULT_MEMORY_POOL": "system"}
        self._stderr = _Tail()
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=inherited,
            env=environment,
            start_new_session=True,
        )
        os.close(write_end)
        self._control: Any = self._process.stdin
        self._log = log
        self._on_death = died
        self._number = 0
        self._replies: dict[int, dict[str, Any]] = {}
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._dead = False
        self._reading = threading.Thread(target=self._read, args=(read_end,), daemon=True)
        self._reading.start()
        self._stderr.follow(self._process.stderr)

    def ask(self, command: dict[str, Any]) -> None:
        """Send a command and wait until it is done."""
        self.answer(self.tell(command))

    def tell(self, command: dict[str, Any]) -> int:
        """Send a command; return its number."""
        with self._changed:
            self._number += 1
            number = self._number
        line = json.dumps({**command, "number": number}).encode() + b"\n"
        try:
            with self._writing:
                while line:
                    line = line[self._control.write(line) :]
        except (OSError, ValueError):  # ended, or closed because it ended
            raise self._death() from None
        return number

    def answer(self, number: int) -> dict[str, Any]:
        """Wait until a command is done, and return the answer; a process that works is waited for."""
        with self._changed:
            worked, done = -1.0, False
            while not done and worked < (worked := _cpu_seconds(self._process.pid)):
                done = self._changed.wait_for(lambda: number in self._replies or self._dead, _START_S)
            reply = self._replies.pop(number, None)
        if reply is None:
            raise (
                self._death()
                if done
                else InternalError(f"The broker did nothing for {_START_S:g} s, and did not answer.")
            )
        if reply["event"] == "failed":
            raise InputError(reply["message"], hint=reply["hint"], reason=reply["reason"])
        return reply

    def stop(self) -> None:
        """End the process, gently and then not."""
        with contextlib.suppress(OSError):
            self._control.close()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reading.join(_STOP_S)
        self._stderr.close()

    def _read(self, descriptor: int) -> None:
        with open(descriptor, "rb") as events:
            for line in events:
                if line.endswith(b"\n"):  # a dying process may leave half a line
                    self._take(json.loads(line))
        status = self._process.wait()
        with contextlib.suppress(OSError):
            self._control.close()
        with self._changed:
            self._dead = True
            self._changed.notify_all()
        self._on_death(_cause(status, self._stderr.text()))

    def _take(self, event: dict[str, Any]) -> None:
        if event["event"] in ("done", "failed"):
            with self._changed:
                self._replies[event["number"]] = event
                self._changed.notify_all()
        else:
            self._log.take(event)

    def _death(self) -> _ChildDied:
        self._process.wait()
        return _ChildDied(
            f"The broker's process ended: {_cause(self._process.returncode, self._stderr.text())}"
        )


class _Tail:
    """The last of what a process wrote to standard error."""

    def __init__(self) -> None:
        self._data = b""
        self._thread: threading.Thread | None = None

    def follow(self, stream: Any) -> None:
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def text(self) -> str:
        if self._thread is not None:
            self._thread.join(1.0)
        return self._data.decode(errors="replace")

    def close(self) -> None:
        if self._thread is not None:
            self._thread.join(1.0)

    def _read(self, stream: Any) -> None:
        with stream:
            while part := stream.read(4096):
                self._data = (self._data + part)[-4096:]


class _Log:
    """The query log of the current run, fed by events."""

    def __init__(self, taken: Callable[[QueryRecord], None] | None = None) -> None:
        self._lock = threading.Lock()
        self._taken = taken
        self.new_run(0)

    def new_run(self, run: int) -> None:
        with self._lock:
            self._run = run
            self._started = time.monotonic()
            self._entries: dict[int, _Entry] = {}
            self._seen = 0

    def take(self, event: dict[str, Any]) -> None:
        run, index = event.pop("key")
        with self._lock:
            if run != self._run:
                return
            if event.pop("event") == "start":
                at = (event["time"] - self._started) * 1e3
                record = QueryRecord(
                    self._seen,
                    event["route"],
                    event["sql"],
                    None,
                    "error",
                    None,
                    None,
                    0.0,
                    at,
                    STILL_RUNNING,
                )
                self._entries[index] = _Entry(record)
                self._seen += 1
            elif index in self._entries and "status" not in event:
                record = self._entries[index].record
                taken = {"rows": event["rows"], "bytes": event["bytes"], "ms": record.ms + event["ms"]}
                self._entries[index].record = replace(record, **taken)
            elif index in self._entries:
                entry = self._entries[index]
                warnings = tuple(event.pop("warnings", ()))
                entry.record = replace(entry.record, **{"error": None, **event}, warnings=warnings)
                self._end(index)

    def interrupted(self, why: str) -> None:
        """Close the entries that will never end."""
        now = time.monotonic()
        with self._lock:
            for index, entry in list(self._entries.items()):
                if not entry.ended:
                    ms = (now - self._started) * 1e3 - entry.record.t_ms
                    entry.record = replace(entry.record, error=why, ms=ms)
                    self._end(index)

    def _end(self, index: int) -> None:
        entry = self._entries[index]
        entry.ended = True
        if self._taken is not None:
            del self._entries[index]
            self._taken(entry.record)

    def count(self) -> int:
        """Return the number of entries, from which a new process goes on counting."""
        with self._lock:
            return self._seen

    def records(self) -> list[QueryRecord]:
        with self._lock:
            return [entry.record for entry in self._entries.values()]


@dataclass
class _Entry:
    record: QueryRecord
    ended: bool = field(default=False)


def _cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has taken; 0 where that cannot be told."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _cause(status: int, stderr: str) -> str:
    """Say why the process ended. The kernel's memory killer sends SIGKILL; a failed allocation in C++ aborts."""
    if status in (-signal.SIGKILL, -signal.SIGABRT) or "bad_alloc" in stderr or "MemoryError" in stderr:
        return OUT_OF_MEMORY
    if status == STUCK_STATUS:
        return "the database process was ended, since a statement went on after its time"
    how = f"signal {-status}" if status < 0 else f"status {status}"
    last = stderr.strip().splitlines()[-1:] or ["no message"]
    return f"the database process ended ({how}: {last[0]})"


def _listen(folder: Path, name: str) -> socket.socket:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / name
    if path.exists():
        raise InputError(
            f"The socket {path} exists: another broker uses this folder, or one was killed.",
            hint="Give every broker a socket_dir of its own, or remove the file.",
        )
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # A socket address holds 107 bytes; the way through the descriptor is short whatever the folder is called.
        short = Path(f"/proc/self/fd/{descriptor}")
        listener.bind(str((short if short.exists() else folder) / name))
        path.chmod(0o666)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise InputError(f"Cannot make the socket {path}: {error}") from error
    finally:
        os.close(descriptor)
    return listener
