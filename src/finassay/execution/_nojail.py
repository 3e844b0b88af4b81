"""No jail: the same calls in an ordinary process, for machines that cannot isolate and users who say so.

What holds: limits of a process (memory, CPU, file size), wall time, the size of the scratch folder, output caps, a
fresh process per call, nothing of a call left running, no environment of the host. What does not: the program reads and
writes whatever the user can, and has the network. Processes are not counted.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from finassay.core import InputError
from finassay.execution._bubblewrap import HOME, SCRATCH, clean_environment
from finassay.execution._cgroups import Cgroups
from finassay.execution._folders import hold_folder
from finassay.execution._interpreter import Interpreter, find_interpreter
from finassay.execution._jail import DEFAULT_PRELOAD
from finassay.execution._session import ZYGOTE, Launched, Plan, ZygoteSession, zygote_command

if TYPE_CHECKING:
    from finassay.execution._types import Limits, Mount


@dataclass(frozen=True)
class NoJail:
    """Runs programs as ordinary processes, with limits but without isolation."""

    @property
    def name(self) -> str:
        """``none``."""
        return "none"

    def start(
        self,
        *,
        python: Path,
        scratch: Path,
        mounts: Sequence[Mount] = (),
        sockets: Path | None = None,
        preload: Sequence[str] = DEFAULT_PRELOAD,
        limits: Limits | None = None,  # noqa: ARG002 - a jail's: nothing here has a size
        env: Mapping[str, str] | None = None,
    ) -> ZygoteSession:
        """Start an interpreter; see `Jail`.

        Nothing can be mounted. Mounts and sockets at ``/run/finassay`` and ``/scratch`` become links, in a folder of
        the session's and in the scratch folder; environment variables that name these two places are rewritten.
        """
        interpreter = find_interpreter(python)
        if not scratch.is_dir():
            raise InputError(
                f"Expected a scratch folder at {scratch}, but there is none.", reason="bad_scratch"
            )
        folder = hold_folder()
        home = folder.path
        try:
            links = _link(home, scratch.resolve(), sockets, mounts)
        except BaseException:
            folder.remove()
            raise
        places = {HOME: str(home), SCRATCH: str(scratch.resolve())}
        config = {
            "uid": None,
            "contained": False,
            "seccomp": None,
            "preload": list(preload),
            "scratch": str(scratch.resolve()),
            "home": str(home),
            "temporary": [],
            "cpus": None,
            "watch_memory": False,
        }
        variables = _environment(interpreter, _rewritten(env or {}, places))

        def cleanup() -> None:
            for link in links:
                link.unlink(missing_ok=True)
            folder.remove()

        return ZygoteSession(
            Plan(
                launch=lambda: _launch(interpreter, variables),
                config=config,
                cgroups=Cgroups({}, 1),
                env=lambda extra: _rewritten(extra, places),
                count_processes=False,
                isolated=False,
                details={"jail": "none", "user": "the host's own", "network": "the host's", "seccomp": "off"},
                cleanup=cleanup,
            )
        )


def _rewritten(env: Mapping[str, str], places: Mapping[str, str]) -> dict[str, str]:
    """Name the places of the jail as they are here, where they stand alone and are no part of another path."""
    rewritten = dict(env)
    for place, here in places.items():
        pattern = re.compile(rf"(?<![\w.-]){re.escape(place)}(?![\w.-])")
        literal = here.replace("\\", r"\\")
        rewritten = {name: pattern.sub(literal, value) for name, value in rewritten.items()}
    return rewritten


def _link(home: Path, scratch: Path, sockets: Path | None, mounts: Sequence[Mount]) -> list[Path]:
    """Put links where mounts would be; return those in the scratch folder."""
    if sockets is not None:
        (home / "sockets").symlink_to(sockets.resolve())
    links = []
    for mount in mounts:
        target = PurePosixPath(mount.target)
        for place, here in ((HOME, home), (SCRATCH, scratch)):
            if target.is_relative_to(place):
                link = here / target.relative_to(place)
                break
        else:
            raise InputError(
                f"Without a jail nothing can be mounted at {mount.target}.",
                hint="Leave the target out: the file then lies in the program's working directory.",
                reason="bad_mount",
            )
        if not mount.source.exists():
            raise InputError(f"There is nothing to mount at {mount.source}.", reason="bad_mount")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(mount.source.resolve())
        if here is scratch:
            links.append(link)
    return links


def _environment(interpreter: Interpreter, env: Mapping[str, str]) -> dict[str, str]:
    path = f"{interpreter.executable.parent}:/usr/local/bin:/usr/bin:/bin"
    return {"PATH": path, "HOME": tempfile.gettempdir(), **clean_environment(), **env}


def _launch(interpreter: Interpreter, env: Mapping[str, str]) -> Launched:
    host, guest = socket.socketpair()
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - belongs to the session, which closes it
    with guest:
        process = subprocess.Popen(  # noqa: S603 - our zygote in the user's interpreter
            zygote_command(interpreter.executable, str(ZYGOTE.parent), guest.fileno()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=dict(env),
            cwd=os.sep,
            pass_fds=[guest.fileno()],
            start_new_session=True,
        )
    return Launched(process, host, errors)
