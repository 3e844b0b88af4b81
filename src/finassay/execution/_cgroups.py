"""Control groups of one jail: how many processes, and how much memory, all of them have together.

A group is made below the group this process itself is in, so that whatever limits this process limits its jails.
Version 1 has one tree per controller; version 2 one tree, where a group that holds processes cannot hand controllers to
its children, so the jail's group is a sibling there. Where no tree may be written the jail does without.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from dataclasses import dataclass
from pathlib import Path

_COUNTER = itertools.count()
_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "finassay-"
_REMOVE_PATIENCE_S = 2.0


@dataclass(frozen=True)
class Cgroups:
    """The groups of one jail, by controller (``pids``, ``memory``); empty where none can be had."""

    folders: dict[str, Path]
    version: int

    @property
    def available(self) -> tuple[str, ...]:
        """Controllers that limit this jail."""
        return tuple(sorted(self.folders))

    def entrances(self) -> list[str]:
        """Files into which a process writes its id to join."""
        return [str(folder / "cgroup.procs") for folder in dict.fromkeys(self.folders.values())]

    def limit_processes(self, most: int) -> None:
        """Limit the processes and threads of the group."""
        if "pids" in self.folders:
            (self.folders["pids"] / "pids.max").write_text(str(most))

    def limit_memory(self, most: int) -> None:
        """Limit the memory of the group, in bytes, swap included where the kernel counts it."""
        folder = self.folders.get("memory")
        if folder is None:
            return
        if self.version == 2:
            (folder / "memory.max").write_text(str(most))
            with contextlib.suppress(OSError):
                (folder / "memory.swap.max").write_text("0")
            return
        # memory.memsw must never be below memory.limit: whichever way the limit moves, one of the orders works.
        names = ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"]
        names = [name for name in names if (folder / name).exists()]
        with contextlib.suppress(OSError):
            (folder / names[-1]).write_text(str(most))
        for name in names:
            try:
                (folder / name).write_text(str(most))
            except OSError:  # busy: files read before are still kept in memory, which the group need not
                (folder / "memory.force_empty").write_text("0")
                (folder / name).write_text(str(most))

    def memory_used(self) -> int:
        """Return the bytes the group holds now, 0 where they are not counted."""
        folder = self.folders.get("memory")
        if folder is None:
            return 0
        return int(
            (folder / ("memory.current" if self.version == 2 else "memory.usage_in_bytes")).read_text()
        )

    def memory_kills(self) -> int:
        """Return how many processes the kernel has killed for the group's memory limit."""
        folder = self.folders.get("memory")
        if folder is None:
            return 0
        text = (folder / ("memory.events" if self.version == 2 else "memory.oom_control")).read_text()
        return next((int(line.split()[1]) for line in text.splitlines() if line.startswith("oom_kill ")), 0)

    def remove(self) -> None:
        """Remove the groups; their processes must have ended."""
        deadline = time.monotonic() + _REMOVE_PATIENCE_S
        for folder in dict.fromkeys(self.folders.values()):
            while folder.exists():
                try:
                    folder.rmdir()
                except OSError:  # a dead process leaves its group a moment after it is gone
                    if time.monotonic() > deadline:
                        break
                    time.sleep(0.01)


def make_cgroups(root: Path = _ROOT, own: str | None = None) -> Cgroups:
    """Make the groups of a new jail.

    Parameters
    ----------
    root : Path
        Where control groups are mounted.
    own : str, optional
        The content of ``/proc/self/cgroup``; read by default.

    Returns
    -------
    Cgroups
        With no folders where none may be made.
    """
    text = own if own is not None else _read(Path("/proc/self/cgroup"))
    places = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        places.update(dict.fromkeys(controllers.split(","), path))
    name = f"{_PREFIX}{os.getpid()}-{next(_COUNTER)}"
    if (root / "cgroup.controllers").exists():
        return _version_2(root, places.get("", "/"), name)
    folders: dict[str, Path] = {}
    for controller in ("pids", "memory"):
        parent = root / controller / places.get(controller, "/").lstrip("/")
        if controller in places and (made := _make(parent, name)):
            folders[controller] = made
    return Cgroups(folders, 1)


def _version_2(root: Path, own: str, name: str) -> Cgroups:
    here = root / own.lstrip("/")
    for parent in (here, here.parent):
        if not parent.is_relative_to(root):
            continue
        enabled = _controllers(parent / "cgroup.subtree_control")
        if missing := _controllers(parent / "cgroup.controllers") - enabled:
            with contextlib.suppress(OSError):
                (parent / "cgroup.subtree_control").write_text(
                    " ".join(f"+{name}" for name in sorted(missing))
                )
            enabled = _controllers(parent / "cgroup.subtree_control")
        # Moving a process takes the right to write the group that is above both places.
        if enabled and os.access(parent / "cgroup.procs", os.W_OK) and (made := _make(parent, name)):
            return Cgroups(dict.fromkeys(sorted(enabled), made), 2)
    return Cgroups({}, 2)


def _controllers(path: Path) -> set[str]:
    return {"pids", "memory"} & set(_read(path).split())


def _make(parent: Path, name: str) -> Path | None:
    try:
        _sweep(parent)
        (parent / name).mkdir()
    except OSError:
        return None
    return parent / name


def _sweep(parent: Path) -> None:
    """Remove the groups that a killed process of ours left empty."""
    for folder in parent.glob(f"{_PREFIX}*"):
        owner = folder.name.removeprefix(_PREFIX).split("-")[0]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            with contextlib.suppress(OSError):
                folder.rmdir()


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
