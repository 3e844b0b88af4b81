"""Sandboxes for commands of agents, on top of the jail: `bwrap` (a new jail per command) and `bwrap_session` (one)."""

# ruff: noqa: A002, ARG002, ARG003 - the signatures are Inspect's
from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, overload

from anyio import to_thread
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    sandboxenv,
)

from finassay.execution import Limits, Mount, Shell, ShellLost

FILES = "/scratch"
LOST_CODE = 137
_EXEC_BYTES = int(os.environ.get("INSPECT_SANDBOX_MAX_EXEC_OUTPUT_SIZE", "10485760"))
_READ_BYTES = int(os.environ.get("INSPECT_SANDBOX_MAX_READ_FILE_SIZE", "104857600"))
_LIMITS = Limits(wall_s=120, cpu_s=120, memory=3 << 30, processes=200)
# What programs look at to know where they are; the rest of the host's /etc is not shown.
_SHOWN = ("/etc/os-release", "/etc/debian_version", "/etc/ssl")
_WRITE = 'mkdir -p "$(dirname "$1")" && cat > "$1"'
# Exit statuses of our own, so that what is wrong with a path is told by Inspect's errors.
_READ = '[ -e "$1" ] || exit 44; [ -d "$1" ] && exit 45; [ -r "$1" ] || exit 46; exec head -c "$2" -- "$1"'


class BwrapSession(SandboxEnvironment):
    """One jail per sample: commands share its network, its ``/tmp`` and what runs in the background."""

    def __init__(self) -> None:
        super().__init__()
        self._shell: Shell | None = None

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        """Make the sample's place; its jail starts with the first command."""
        return {"default": cls()}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """End every process of the sample and remove its files."""
        for environment in environments.values():
            if isinstance(environment, BwrapSession):
                await to_thread.run_sync(environment.close)

    def close(self) -> None:
        """End the jail, and remove what it left."""
        shell, self._shell = self._shell, None
        if shell is not None:
            shell.close()

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run a command as the jail's own user, whoever is asked for; see Inspect.

        A command that brings its jail down ends with 137, as the kernel ends what takes too much memory.
        """
        given = input.encode() if isinstance(input, str) else input or b""
        folder = str(Path(FILES, cwd or ""))
        result = await self._run(cmd, given, folder, env or {}, timeout)
        if result.returncode == LOST_CODE and result.late:
            raise TimeoutError(f"The command ran longer than {timeout or _LIMITS.wall_s:g} s.")
        if result.cut:
            raise OutputLimitExceededError(f"{_EXEC_BYTES} bytes", result.stdout)
        return ExecResult(result.returncode == 0, result.returncode, result.stdout, result.stderr)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file from within the jail: no path of the host is touched."""
        data = contents.encode() if isinstance(contents, str) else contents
        path = self._path(file)
        done = await self._run(["sh", "-c", _WRITE, "sh", path], data, FILES, {}, None)
        if done.returncode == 0:
            return
        if "s a directory" in done.stderr:
            raise IsADirectoryError(path)
        raise PermissionError(f"{path} cannot be written: {done.stderr.strip()}")

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Read a file from within the jail; links lead nowhere else."""
        path = self._path(file)
        command = ["sh", "-c", _READ, "sh", path, str(_READ_BYTES + 1)]
        done = await self._run(command, b"", FILES, {}, None, _READ_BYTES + 2)
        known = {44: FileNotFoundError, 45: IsADirectoryError, 46: PermissionError}
        if done.returncode in known:
            raise known[done.returncode](path)
        if len(done.raw) > _READ_BYTES:
            raise OutputLimitExceededError(f"{_READ_BYTES} bytes", None)
        return done.raw.decode("utf-8") if text else done.raw

    async def _run(
        self,
        command: list[str],
        given: bytes,
        folder: str,
        env: dict[str, str],
        timeout: float | None,
        most: int = _EXEC_BYTES,
    ) -> _Done:
        def run() -> _Done:
            with self._place() as shell:
                try:
                    result = shell.run(command, given=given, cwd=folder, env=env, timeout=timeout, most=most)
                except ShellLost as error:
                    return _Done(LOST_CODE, b"", f"{error}\n".encode())
                return _Done(result.code, result.out, result.err, cut=result.cut, late=result.late)

        return await to_thread.run_sync(run, abandon_on_cancel=True)

    @contextmanager
    def _place(self) -> Iterator[Shell]:
        """Give the jail that a command runs in."""
        if self._shell is None:
            self._shell = _shell()
        yield self._shell

    def _path(self, file: str) -> str:
        return str(Path(FILES, file))


class Bwrap(BwrapSession):
    """A jail per command: only files below ``/scratch`` stay; nothing keeps running, no network is shared."""

    @contextmanager
    def _place(self) -> Iterator[Shell]:
        if self._shell is None:
            self._shell = _shell()
        try:
            yield self._shell
        finally:
            self._shell.end_jail()


class _Done:
    """What came of a command, as bytes and as text."""

    def __init__(self, code: int, out: bytes, err: bytes, *, cut: bool = False, late: bool = False) -> None:
        self.returncode, self.raw, self.cut, self.late = code, out, cut, late
        self.stdout, self.stderr = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


def _shell() -> Shell:
    mounts = [Mount(Path(name), name) for name in _SHOWN if Path(name).exists()]
    return Shell(limits=_LIMITS, mounts=mounts)


@sandboxenv(name="bwrap")
def bwrap() -> type[SandboxEnvironment]:
    """Register the provider with Inspect."""
    return Bwrap


@sandboxenv(name="bwrap_session")
def bwrap_session() -> type[SandboxEnvironment]:
    """Register the provider with Inspect."""
    return BwrapSession
