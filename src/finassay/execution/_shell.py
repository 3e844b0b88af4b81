"""Commands in a jail: one jail for all of them, its network and files and background processes shared by them alone."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import socket
import struct
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from finassay.core import InternalError
from finassay.execution._jail import Jail, find_jail
from finassay.execution._run import work_folder
from finassay.execution._types import Call, CallResult, Limits, Mount, Outcome

if TYPE_CHECKING:
    from finassay.execution._jail import JailSession

_GUEST = Path(__file__).with_name("_shell_guest.py")
_SOCKET = "/run/finassay/sockets/shell.sock"
_START_S = 60.0
_REPLY_SLACK_S = 30.0
_CEILING = 1_000_000  # seconds: the shell lives as long as it is wanted; each command has its own time
MEMORY_CODE = 137


@dataclass(frozen=True)
class ShellResult:
    """How a command ended.

    Attributes
    ----------
    code : int
        Its exit status; 128 and the number of the signal that ended it, as a shell says it: 137 where memory ran out.
    out, err : bytes
        What it printed, up to the cap.
    cut : bool
        Whether either was capped.
    late : bool
        Whether its time ended it.
    """

    code: int
    out: bytes
    err: bytes
    cut: bool = False
    late: bool = False


class ShellLost(InternalError):
    """The jail went down with a command, by the command's own doing or by a limit of all of them together."""


class Shell:
    """Run commands in one jail.

    A command that brings the jail down gets `ShellLost`; the next one finds a jail that is made anew, once per loss.

    Parameters
    ----------
    limits : Limits
        Of all commands together (memory, processes, scratch) and of each (CPU time, size of a file). ``wall_s`` is the
        time of a command that states none.
    mounts : sequence of Mount
        Read-only files and folders.
    env : mapping of str to str
        Variables of every command.
    jail : Jail, optional
        By default the best this machine has.
    """

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        mounts: Sequence[Mount] = (),
        env: Mapping[str, str] | None = None,
        jail: Jail | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self._jail, self._mounts, self._env = jail or find_jail(), tuple(mounts), dict(env or {})
        self._stack = ExitStack()
        self._work = self._stack.enter_context(work_folder())
        self._lock = threading.Lock()
        self._line: _Line | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def scratch(self) -> Path:
        """The host's view of ``/scratch``; what lies there is a stranger's."""
        return self._work / "scratch"

    def close(self) -> None:
        """End every process of the jail, and remove its files. Closing twice is fine."""
        self.end_jail()
        self._stack.close()

    def end_jail(self) -> None:
        """End every process of the jail; ``/scratch`` stays, and the next command has a new jail."""
        with self._lock:
            line, self._line = self._line, None
        if line is not None:
            line.close()

    def run(
        self,
        command: Sequence[str],
        *,
        given: bytes = b"",
        cwd: str = "/scratch",
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        most: int = 10 << 20,
    ) -> ShellResult:
        """Run a command to its end; several may run at a time, each from a thread of its own.

        Parameters
        ----------
        command : sequence of str
            Program and arguments.
        given : bytes
            Its standard input.
        cwd : str
            Its folder in the jail.
        env : mapping of str to str, optional
            Variables beside the jail's own.
        timeout : float, optional
            Seconds.
        most : int
            Bytes that are kept of what it prints, on each of the two streams.

        Raises
        ------
        ShellLost
            If the jail went down.
        """
        request = {
            "command": list(command),
            "input": base64.b64encode(given).decode(),
            "cwd": cwd,
            "env": {**self._env, **(env or {})},
            "timeout": timeout or self.limits.wall_s,
            "cpu_s": max(1, int(self.limits.cpu_s)),
            "most": most,
        }
        result = self._connected().ask(request)
        if result is None:  # what earlier commands left behind leaves no room: it goes, with its jail
            result = self._connected().ask(request)
        if result is None:
            raise ShellLost("The jail has no room for a process.", reason="shell_lost")
        return result

    def _connected(self) -> _Line:
        with self._lock:
            if self._line is None or self._line.lost:
                if self._line is not None:
                    self._line.close()
                self._line = _Line(self._jail, self._work, self._mounts, self.limits)
            return self._line


class _Line:
    """One life of the jail: its session, the thread in which its server runs, the connection to it."""

    def __init__(self, jail: Jail, work: Path, mounts: tuple[Mount, ...], limits: Limits) -> None:
        self.lost = False
        self._numbers = itertools.count()
        self._waiting: dict[int, _Waiting] = {}
        self._lock = threading.Lock()
        self._ended: CallResult | None = None
        sock = work / "sockets" / "shell.sock"
        sock.unlink(missing_ok=True)
        self._session: JailSession = jail.start(
            python=Path(sys.executable),
            scratch=work / "scratch",
            sockets=work / "sockets",
            mounts=mounts,
            preload=(),
            limits=limits,
        )
        try:
            self._channel = self._accept(sock, limits)
        except BaseException:
            self._session.close()
            raise

    def _accept(self, sock: Path, limits: Limits) -> socket.socket:
        """Start the server; the first to connect is it, since nothing else runs in the jail yet."""
        code = f"{_GUEST.read_text(encoding='utf-8')}\n\nserve({_SOCKET!r})\n"
        forever = replace(limits, wall_s=_CEILING, cpu_s=_CEILING, output_chars=10_000)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(sock))
            sock.chmod(0o666)  # the folder above is the jail's user's alone
            listener.listen(1)
            listener.settimeout(_START_S)
            call = Call(code, filename="<finassay>", limits=forever)
            threading.Thread(target=self._serve, args=(call, sock), daemon=True).start()
            channel, _ = listener.accept()
            if self.lost:
                channel.close()
                said = self._ended.stderr if self._ended else "it gave no reason"
                raise ShellLost(f"The jail's shell did not start: {said}", hint="Try finassay doctor jail.")
        sock.unlink(missing_ok=True)
        threading.Thread(target=self._listen, args=(channel,), daemon=True).start()
        return channel

    def _serve(self, call: Call, sock: Path) -> None:
        """Keep the server running; where it ends before it has called, whoever waits for it is woken."""
        try:
            with contextlib.suppress(InternalError):  # closed meanwhile
                self._ended = self._session.run(call)
        finally:
            self._lose()
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
                knock.connect(str(sock))

    def _listen(self, channel: socket.socket) -> None:
        """Hand replies to those who wait; whatever is no reply ends the line."""
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError), channel.makefile("rb") as stream:
            while head := stream.read(4):
                size = struct.unpack("!I", head)[0]
                reply = json.loads(stream.read(size))
                waiting = self._waiting.pop(reply["id"], None)
                if waiting is not None:
                    waiting.reply = reply
                    waiting.done.set()
        self._lose()

    def _lose(self) -> None:
        self.lost = True
        for waiting in list(self._waiting.values()):
            waiting.done.set()

    def ask(self, request: dict[str, Any]) -> ShellResult | None:
        """Send a command and wait for its end; None where no process could be started for it."""
        number, waiting = next(self._numbers), _Waiting()
        self._waiting[number] = waiting
        body = json.dumps({**request, "id": number}).encode()
        try:
            with self._lock:
                self._channel.sendall(struct.pack("!I", len(body)) + body)
        except OSError:
            self._lose()
        if not waiting.done.wait(request["timeout"] + _REPLY_SLACK_S):
            self._lose()
        self._waiting.pop(number, None)
        if waiting.reply is None:
            return self._explain()
        reply = waiting.reply
        if reply.get("full"):
            self._lose()
            return None
        return ShellResult(
            int(reply["code"]),
            base64.b64decode(reply["out"]),
            base64.b64decode(reply["err"]),
            bool(reply["cut"]),
            bool(reply["late"]),
        )

    def _explain(self) -> ShellResult:
        """Say why the jail is gone: where it was for memory, as the kernel does."""
        for _ in range(100):
            if self._ended is not None:
                break
            threading.Event().wait(0.05)
        ended = self._ended
        why = str((ended.error or {}).get("message", "")) if ended else ""
        if ended is not None and ended.outcome is Outcome.MEMORY:
            return ShellResult(MEMORY_CODE, b"", f"{why}\n".encode())
        raise ShellLost(
            f"The jail went down with the command. {why}".strip(),
            hint="The next command finds it made anew; files in /scratch are still there.",
            reason="shell_lost",
        )

    def close(self) -> None:
        self._session.close()
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        self._channel.close()


class _Waiting:
    """Who waits for a reply."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.reply: dict[str, Any] | None = None
