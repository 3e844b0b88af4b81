"""The host's side of a jail: speaks to the zygote, reads what a call prints, keeps its time, and says how it ended."""

from __future__ import annotations

import contextlib
import json
import os
import select
import selectors
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self

from finassay.core import InternalError
from finassay.execution._outcome import Ending, call_result

if TYPE_CHECKING:
    from finassay.execution._cgroups import Cgroups
    from finassay.execution._types import Call, CallResult, Limits

_START_PATIENCE_S = 60.0
_KILL_PATIENCE_S = 5.0
_REPORT_BYTES = 1 << 20
_ERROR_BYTES = 20_000
_CHUNK = 1 << 16
# One process alone meets its own limit first: it gets a MemoryError, and can say where.
_GROUP_SLACK = 128 << 20
ZYGOTE = Path(__file__).with_name("_zygote")
_PIPE_BYTES = 1 << 20


def zygote_command(executable: Path, above: str, descriptor: int) -> list[str]:
    """Return the command that starts a zygote whose package lies in the folder ``above``."""
    start = f"import sys; sys.path[0] = {above!r}; from _zygote.main import main; del sys.path[0]; main()"
    return [str(executable), "-s", "-c", start, str(descriptor)]


@dataclass
class Launched:
    """A zygote's process as it was started.

    ``leader`` is the process whose death takes all others of the jail with it, where there is one apart from
    ``process`` itself.
    """

    process: subprocess.Popen[bytes]
    control: socket.socket
    errors: IO[bytes]
    leader: int | None = None


@dataclass
class Plan:
    """What a session needs from the jail that made it."""

    launch: Callable[[], Launched]
    config: Mapping[str, Any]
    cgroups: Cgroups
    env: Callable[[Mapping[str, str]], dict[str, str]]
    count_processes: bool
    isolated: bool
    details: dict[str, str]
    cleanup: Callable[[], None]


class ZygoteSession:
    """A session of any jail: what differs between them is in the plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._lock = threading.Lock()
        self._calls = 0
        self._closed = False
        self._zygote: Launched | None = None
        self._baseline_memory = self._baseline_processes = 0
        self._group_limits: tuple[int, int] | None = None
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    @property
    def isolated(self) -> bool:
        return self._plan.isolated

    @property
    def details(self) -> Mapping[str, str]:
        return self._plan.details

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every process of the jail. Closing twice is fine."""
        if self._closed:
            return
        self._closed = True
        try:
            self._stop()
        finally:
            self._plan.cgroups.remove()
            self._plan.cleanup()

    def run(self, call: Call) -> CallResult:
        """Run a program to its end, and whatever it started."""
        with self._lock:
            if self._closed:
                raise InternalError("The jail was closed before this call.", reason="jail_closed")
            try:
                if self._zygote is None or self._zygote.process.poll() is not None:
                    self._restart()
                result = self._exchange(call)
                if result is None:  # it could not fork: what an earlier program left behind goes with it
                    self._restart()
                    result = self._exchange(call)
            except BaseException:  # an interrupt above all: nothing may go on without us
                self._stop()
                raise
            if result is None:
                raise InternalError("The jail cannot start a process.", reason="jail_broken")
            return result

    # --- the zygote's life -------------------------------------------------------------------------------------------

    def _restart(self) -> None:
        self._stop()
        self._start()

    def _start(self) -> None:
        if self._closed:
            raise InternalError("The jail was closed during this call.", reason="jail_closed")
        zygote = self._zygote = self._plan.launch()
        with contextlib.suppress(OSError):  # it may have died already: the answer says so
            _send(zygote.control, dict(self._plan.config))
        zygote.control.settimeout(_START_PATIENCE_S)
        try:
            answer = _receive(zygote.control)
        except TimeoutError:
            answer = None
        if answer is None:
            said = self._stop()
            raise InternalError(
                f"The jail did not start: {said or 'it gave no reason'}",
                hint="Run 'finassay doctor jail' to see what this machine can isolate.",
                reason="jail_did_not_start",
            )
        zygote.control.settimeout(None)
        self._plan.details["python"] = answer["version"]
        self._plan.details["preloaded"] = ", ".join(answer["preloaded"]) or "nothing"
        if answer["failed"]:
            self._plan.details["not preloaded"] = "; ".join(f"{k} ({v})" for k, v in answer["failed"].items())
        self._baseline_memory = self._plan.cgroups.memory_used()
        self._baseline_processes = int(answer["processes"]) + 1  # and bubblewrap
        self._group_limits = None

    def _stop(self) -> str:
        """End the zygote and all it started; return what it said last."""
        zygote, self._zygote = self._zygote, None
        if zygote is None:
            return ""
        zygote.control.close()  # the zygote ends when it sees this
        if zygote.leader is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(zygote.leader, signal.SIGKILL)
        try:
            zygote.process.wait(_KILL_PATIENCE_S)
        except subprocess.TimeoutExpired:
            zygote.process.kill()
            zygote.process.wait()
        with zygote.errors as errors:
            errors.seek(0)
            return errors.read(_ERROR_BYTES).decode("utf-8", "replace").strip()

    # --- one call ----------------------------------------------------------------------------------------------------

    def _exchange(self, call: Call) -> CallResult | None:
        zygote = self._zygote
        if zygote is None:
            raise InternalError("The jail has no interpreter.", reason="jail_broken")
        self._calls += 1
        self._limit_group(call.limits)
        kills_before = self._plan.cgroups.memory_kills()
        with _Pipes(call.limits.output_chars) as pipes:
            began = time.monotonic()
            request = {
                "op": "run",
                "call": self._calls,
                "code": call.code,
                "filename": call.filename,
                "env": self._plan.env(call.env),
                "limits": self._limits(call.limits),
            }
            try:
                _send(zygote.control, request, pipes.ends)
            except OSError:  # it died between two calls
                return None
            pipes.close_ends()
            reply, timed_out = self._follow(zygote, pipes, began + call.limits.wall_s)
            wall_ms = (time.monotonic() - began) * 1000
            if reply is not None and "refused" in reply:
                return None
            if reply is None:
                self._stop()
            pipes.drain()
        out_of_memory = self._plan.cgroups.memory_kills() > kills_before
        return call_result(call.limits, Ending(reply, timed_out, out_of_memory, wall_ms), pipes.captured())

    def _limits(self, limits: Limits) -> dict[str, Any]:
        return {
            "cpu_s": limits.cpu_s,
            "memory": limits.memory,
            "file_size": limits.file_size,
            "scratch": limits.scratch,
            "processes": limits.processes if self._plan.count_processes else None,
        }

    def _limit_group(self, limits: Limits) -> None:
        """Limit all processes together; they count from what the jail itself takes."""
        most = (
            self._baseline_memory + limits.memory + _GROUP_SLACK,
            self._baseline_processes + limits.processes,
        )
        if most != self._group_limits:
            self._plan.cgroups.limit_memory(most[0])
            self._plan.cgroups.limit_processes(most[1])
            self._group_limits = most

    def _follow(self, zygote: Launched, pipes: _Pipes, deadline: float) -> tuple[dict[str, Any] | None, bool]:
        """Read until the zygote has answered; at the deadline have the call killed, then the zygote itself."""
        timed_out = False
        with selectors.DefaultSelector() as selector:
            selector.register(zygote.control, selectors.EVENT_READ)
            for pipe in pipes.readers:
                selector.register(pipe.descriptor, selectors.EVENT_READ, pipe)
            while True:
                for key, _ in selector.select(max(0.0, deadline - time.monotonic())):
                    if key.data is None:
                        return self._answer(zygote), timed_out
                    if not key.data.read():
                        selector.unregister(key.fd)
                if time.monotonic() < deadline:
                    continue
                if timed_out:
                    return None, True
                timed_out = True
                deadline = time.monotonic() + _KILL_PATIENCE_S
                with contextlib.suppress(OSError):
                    _send(zygote.control, {"op": "kill", "call": self._calls})

    def _answer(self, zygote: Launched) -> dict[str, Any] | None:
        zygote.control.settimeout(_KILL_PATIENCE_S)
        try:
            return _receive(zygote.control)
        except (OSError, ValueError):
            return None
        finally:
            zygote.control.settimeout(None)


@dataclass
class _Pipe:
    """What is read from one pipe of a call; beyond the cap it is read and forgotten."""

    descriptor: int
    most: int
    kept: bytearray = field(default_factory=bytearray)
    over: bool = False

    def read(self) -> bool:
        """Read once, without waiting; False at the end."""
        try:
            piece = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            return True
        room = self.most - len(self.kept)
        self.kept += piece[:room]
        self.over = self.over or len(piece) > room
        return bool(piece)


class _Pipes:
    """The three pipes of a call: standard output, standard error, and the report of an exception."""

    def __init__(self, output_chars: int) -> None:
        self._chars = output_chars
        self.readers: list[_Pipe] = []
        self.ends: list[int] = []
        for most in (
            4 * output_chars,
            4 * output_chars,
            _REPORT_BYTES,
        ):  # a character takes at most four bytes
            reader, writer = os.pipe()
            os.set_blocking(reader, False)
            self.readers.append(_Pipe(reader, most))
            self.ends.append(writer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_ends()
        for pipe in self.readers:
            os.close(pipe.descriptor)

    def close_ends(self) -> None:
        while self.ends:
            os.close(self.ends.pop())

    def drain(self) -> None:
        """Read what is left; whoever wrote it is dead, and a pipe holds at most 1 MiB."""
        for pipe in self.readers:
            for _ in range(_PIPE_BYTES // _CHUNK):
                if not select.select([pipe.descriptor], [], [], 0)[0] or not pipe.read():
                    break

    def captured(self) -> tuple[str, str, bool, bytes]:
        """Return the output, the error output, whether either was cut, and the report."""
        out, err, report = self.readers
        texts = [bytes(pipe.kept).decode("utf-8", "replace") for pipe in (out, err)]
        cut = out.over or err.over or any(len(text) > self._chars for text in texts)
        return texts[0][: self._chars], texts[1][: self._chars], cut, bytes(report.kept)


def _send(control: socket.socket, value: Mapping[str, Any], descriptors: list[int] | None = None) -> None:
    body = json.dumps(value).encode()
    head = struct.pack("!I", len(body))
    if descriptors:
        sent = socket.send_fds(control, [head], descriptors)
        control.sendall(head[sent:] + body)
    else:
        control.sendall(head + body)


def _receive(control: socket.socket) -> dict[str, Any] | None:
    """Read one frame; None where the zygote is gone."""
    head = _exactly(control, 4)
    body = _exactly(control, struct.unpack("!I", head)[0]) if head else None
    if body is None:
        return None
    value: dict[str, Any] = json.loads(body)
    return value


def _exactly(control: socket.socket, count: int) -> bytes | None:
    pieces = b""
    while len(pieces) < count:
        try:
            piece = control.recv(count - len(pieces))
        except ConnectionError:
            return None
        if not piece:
            return None
        pieces += piece
    return pieces
