"""The default jail: bubblewrap around one preloaded interpreter.

An ordinary user's jail lives in a user namespace. Root's does not: bubblewrap runs as root, so that it can show an
interpreter below a closed folder such as ``/root``, keeps the three capabilities that it takes to become someone else,
and the zygote becomes a user of its own, with none, before it loads a thing. Limits on processes then count.
"""

from __future__ import annotations

import json
import os
import platform as platform_module
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from finassay.core import InputError
from finassay.execution import _machine
from finassay.execution._cgroups import Cgroups, make_cgroups
from finassay.execution._interpreter import Interpreter, find_interpreter
from finassay.execution._jail import DEFAULT_PRELOAD
from finassay.execution._scratch import give
from finassay.execution._seccomp import seccomp_filter
from finassay.execution._session import ZYGOTE, Launched, Plan, ZygoteSession, zygote_command
from finassay.execution._types import Limits, Mount

HOME = "/run/finassay"
SCRATCH = "/scratch"
TEMPORARY = ("/tmp", "/dev/shm")  # noqa: S108 - in the jail
_USER = "research"
_INSIDE_UID = 1000  # in a user namespace; outside it is the host's user
# Joins the control groups, then becomes bubblewrap: whatever starts from there is in them.
_JOIN = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec "$@"'


@dataclass(frozen=True)
class BubblewrapJail:
    """Isolation by bubblewrap.

    Attributes
    ----------
    executable : str
        The ``bwrap`` program.
    version : str
        Its version.
    user_namespace : bool
        Whether the jail lives in a user namespace; not so for root.
    """

    executable: str
    version: str
    user_namespace: bool

    @property
    def name(self) -> str:
        """``bwrap``."""
        return "bwrap"

    def start(
        self,
        *,
        python: Path,
        scratch: Path,
        mounts: Sequence[Mount] = (),
        sockets: Path | None = None,
        preload: Sequence[str] = DEFAULT_PRELOAD,
        limits: Limits | None = None,
        env: Mapping[str, str] | None = None,
    ) -> ZygoteSession:
        """Start an interpreter in the jail; see `Jail`."""
        limits = limits or Limits()
        interpreter = find_interpreter(python)
        uid = None if self.user_namespace else session_uid(Path("/proc/self/uid_map").read_text())
        _check(scratch, mounts, uid)
        cgroups = make_cgroups()
        # In a user namespace the limit counts the jail's own processes since Linux 5.14, but never those of root.
        count_processes = uid is not None or (os.geteuid() != 0 and _machine.kernel() >= (5, 14))
        code = seccomp_filter(platform_module.machine())
        config = {
            "uid": uid,
            "contained": True,
            "seccomp": code.hex() if code else None,
            "preload": list(preload),
            "scratch": SCRATCH,
            "home": HOME,
            "temporary": list(TEMPORARY),
            "cpus": _some_cpus(limits.processes),
            "watch_memory": "memory" not in cgroups.available,
        }
        arguments = [
            *_machine.namespaces(self.user_namespace),
            *(["--uid", str(_INSIDE_UID), "--gid", str(_INSIDE_UID)] if self.user_namespace else []),
            *_system(limits),
            *_interpreter_mounts(interpreter),
            *_own_mounts(scratch, sockets, mounts),
            *_environment(interpreter, env or {}),
        ]
        jail = _Launcher(self.executable, arguments, interpreter, uid, cgroups, scratch, sockets)
        return ZygoteSession(
            Plan(
                launch=jail.launch,
                config=config,
                cgroups=cgroups,
                env=dict,
                count_processes=count_processes,
                isolated=True,
                details=self._details(uid, cgroups, code is not None, count_processes),
                cleanup=jail.cleanup,
            )
        )

    def _details(
        self, uid: int | None, cgroups: Cgroups, seccomp: bool, count_processes: bool
    ) -> dict[str, str]:
        groups = f"version {cgroups.version}: {', '.join(cgroups.available)}" if cgroups.available else "none"
        return {
            "jail": f"bubblewrap {self.version}",
            "user": "user namespace" if uid is None else "one of its own, without capabilities",
            "network": "loopback only",
            "seccomp": "on" if seccomp else "off (unknown processor)",
            "cgroups": groups,
            "processes": "limited" if count_processes or "pids" in cgroups.available else "not limited",
        }


def find_bubblewrap(platform: str | None = None) -> BubblewrapJail:
    """Return the bubblewrap jail of this machine, or say what is missing; see `find_jail`."""
    system = platform or sys.platform
    if not system.startswith("linux"):
        raise InputError(
            f"The jail needs Linux, and this is {system}: programs cannot be isolated here.",
            hint=f"Run finassay in a Linux virtual machine or container (on Windows: WSL). {_machine.NONE}",
            reason="no_jail",
        )
    attempts = _machine.try_bubblewraps()
    for attempt in attempts:
        if attempt.failure is None:
            return BubblewrapJail(attempt.path, attempt.version, attempt.user_namespace)
    if not attempts:
        message = "The jail needs bubblewrap (bwrap), which is not installed."
        raise InputError(message, hint=f"{_machine.INSTALL} {_machine.NONE}", reason="no_jail")
    tried = "\n".join(f"  {attempt.path}: {attempt.failure}" for attempt in attempts)
    hints = [*_machine.advice(), _machine.NONE, "'finassay doctor jail' shows more."]
    raise InputError(
        f"bubblewrap is here, but cannot isolate on this machine:\n{tried}",
        hint=" ".join(hints),
        reason="no_jail",
    )


def session_uid(uid_map: str) -> int:
    """Return a user id for one jail, which no other jail and no account has.

    Parameters
    ----------
    uid_map : str
        The content of ``/proc/self/uid_map``: in a container only some ids exist.
    """
    ranges = [(int(first), int(count)) for first, _, count in (line.split() for line in uid_map.splitlines())]
    first, count = max(ranges, key=lambda item: item[1])
    draw = int.from_bytes(os.urandom(4), "big")
    if count >= 1 << 31:
        return 200_000 + draw % (1 << 30)
    return first + count * 3 // 4 + draw % max(1, count // 8)


def _some_cpus(processes: int) -> list[int]:
    """Return a part of the processors: libraries with a thread for each then stay within the limit on processes."""
    all_of_them = sorted(os.sched_getaffinity(0))
    most = max(1, processes // 8)
    start = int.from_bytes(os.urandom(2), "big") % len(all_of_them)
    return sorted((all_of_them[start:] + all_of_them[:start])[:most])


def _check(scratch: Path, mounts: Sequence[Mount], uid: int | None) -> None:
    if not scratch.is_dir():
        raise InputError(f"Expected a scratch folder at {scratch}, but there is none.", reason="bad_scratch")
    for mount in mounts:
        try:
            mode = mount.source.stat().st_mode
        except OSError as error:
            raise InputError(
                f"There is nothing to mount at {mount.source}: {error}.", reason="bad_mount"
            ) from error
        needed = 0o005 if stat.S_ISDIR(mode) else 0o004
        if uid is not None and mode & needed != needed:
            raise InputError(
                f"{mount.source} is to be read in the jail, but only its owner may read it, and the jail of root runs "
                "as a user of its own.",
                hint="Run finassay as an ordinary user, or give a copy that others may read.",
                reason="bad_mount",
            )


# --- what the jail sees ----------------------------------------------------------------------------------------------


def _system(limits: Limits) -> list[str]:
    """Show the system's libraries, and folders of the jail's own."""
    arguments = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            arguments += ["--ro-bind", str(path), str(path)]
    for folder in ("/etc", "/run", HOME):
        arguments += ["--perms", "0755", "--dir", folder]
    arguments += ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--proc", "/proc", "--dev", "/dev"]
    size = str(max(1 << 20, min(limits.scratch, limits.memory // 8)))
    for folder in TEMPORARY:
        arguments += ["--perms", "1777", "--size", size, "--tmpfs", folder]
    return arguments


def _interpreter_mounts(interpreter: Interpreter) -> list[str]:
    arguments = []
    for source, place in interpreter.folders:
        if not place.is_relative_to("/usr"):
            arguments += _bind("--ro-bind", source, place)
    for place in interpreter.hidden:
        arguments += ["--tmpfs", str(place), "--remount-ro", str(place)]
    return arguments


def _own_mounts(scratch: Path, sockets: Path | None, mounts: Sequence[Mount]) -> list[str]:
    arguments = _bind("--ro-bind", ZYGOTE, Path(HOME, ZYGOTE.name)) + _bind("--bind", scratch, Path(SCRATCH))
    if sockets is not None:
        arguments += _bind("--ro-bind", sockets, Path(HOME, "sockets"))
    for mount in sorted(mounts, key=lambda mount: mount.target.count("/")):
        arguments += _bind("--ro-bind", mount.source, Path(mount.target))
    return arguments


def _bind(option: str, source: Path, place: Path) -> list[str]:
    """Bind, and make the folders above the place open: bubblewrap would close them as those above the source are."""
    above = [folder for folder in reversed(place.parents) if folder != Path("/")]
    opened = [word for folder in above for word in ("--perms", "0755", "--dir", str(folder))]
    return [*opened, option, str(source.resolve()), str(place)]


def _environment(interpreter: Interpreter, env: Mapping[str, str]) -> list[str]:
    variables = {
        "PATH": f"{interpreter.executable.parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": TEMPORARY[0],
        "USER": _USER,
        "LOGNAME": _USER,
        **clean_environment(),
        **env,
    }
    return ["--clearenv", *(word for item in variables.items() for word in ("--setenv", *item))]


def clean_environment() -> dict[str, str]:
    """Return the variables that make a program run alike everywhere: language, time zone, hashes, no thread pools."""
    one_thread = ("OMP", "OPENBLAS", "MKL", "NUMEXPR")
    return {
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "MALLOC_ARENA_MAX": "2",  # an arena per thread would count against the address space
        "ARROW_DEFAULT_MEMORY_POOL": "system",  # Arrow's own allocator reserves a GiB of it at once
        **{f"{name}_NUM_THREADS": "1" for name in one_thread},
    }


def _etc(uid: int) -> dict[str, str]:
    return {
        "passwd": f"root:x:0:0:root:/root:/usr/sbin/nologin\n{_USER}:x:{uid}:{uid}::/tmp:/bin/sh\n",
        "group": f"root:x:0:\n{_USER}:x:{uid}:\n",
        "hosts": "127.0.0.1 localhost jail\n::1 localhost\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    }


# --- starting it -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Launcher:
    executable: str
    arguments: list[str]
    interpreter: Interpreter
    uid: int | None
    cgroups: Cgroups
    scratch: Path
    sockets: Path | None

    def launch(self) -> Launched:
        """Start bubblewrap with a zygote in it."""
        if self.uid is not None:
            give(self.scratch, self.uid, self.uid)
            if self.sockets is not None:
                give(self.sockets, self.uid, self.uid)
        host, guest = socket.socketpair()
        info, info_end = os.pipe()
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - belongs to the session, which closes it
        with ExitStack() as stack:
            stack.callback(guest.close)
            data, files = [], []
            for name, text in _etc(self.uid or _INSIDE_UID).items():
                stream = stack.enter_context(tempfile.TemporaryFile())
                stream.write(text.encode())
                stream.seek(0)
                files.append(stream.fileno())
                data += ["--perms", "0444", "--ro-bind-data", str(stream.fileno()), f"/etc/{name}"]
            stack.callback(os.close, info_end)
            command = [
                *("/bin/sh", "-c", _JOIN, "sh", *self.cgroups.entrances(), "--"),
                *(self.executable, *self.arguments, *data, "--info-fd", str(info_end)),
                *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--"),
                *zygote_command(self.interpreter.executable, HOME, guest.fileno()),
            ]
            process = subprocess.Popen(  # noqa: S603 - built above
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={},
                cwd="/",
                close_fds=True,
                pass_fds=[guest.fileno(), info_end, *files],
                start_new_session=True,  # Ctrl-C is for the host, which then closes the jail
            )
        with os.fdopen(info) as told:  # ends when bubblewrap has written it, or has failed
            child = told.read()
        return Launched(process, host, errors, json.loads(child)["child-pid"] if child else None)

    def cleanup(self) -> None:
        """Give the scratch folder back."""
        if self.uid is not None:
            give(self.scratch, os.geteuid(), os.getegid())
