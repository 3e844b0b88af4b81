"""Look at processes, and end those that cannot be told apart by a namespace."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

CLOCK = os.sysconf("SC_CLK_TCK")


def read(path: str) -> str:
    """Return a small file's text, empty where it has gone."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError:
        return ""


def processes() -> list[int]:
    """Return the processes to see."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()] if os.path.isdir("/proc/1") else []


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process and the children it waited for."""
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / CLOCK


def status_kb(path: str, names: tuple[str, ...]) -> int:
    """Return the sum of some kB lines of a status file."""
    parts = (line.split() for line in read(path).splitlines() if line.partition(":")[0] in names)
    return sum(int(part[1]) for part in parts)


def kill_descendants() -> None:
    """Kill all that descend from us, where no namespace tells them apart; stop them first, so that none escapes.

    One that is born while the list is read may be missed: whoever calls this does so until no child is left.
    """
    stopped: set[int] = set()
    while True:
        found = descendants() - stopped
        for pid in found:
            signal_quietly(pid, signal.SIGSTOP)
        if not found:
            break
        stopped |= found
    for pid in stopped:
        signal_quietly(pid, signal.SIGKILL)


def descendants() -> set[int]:
    """Return every process below us."""
    if os.path.isdir("/proc/1"):
        pairs = []
        for pid in processes():
            fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
            if fields:  # a zombie too: its children are told by it until it is reaped
                pairs.append((pid, int(fields[1])))
    else:
        import subprocess

        command = ["/bin/ps", "-axo", "pid=,ppid="]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rows = [line.split() for line in text.splitlines()]
        pairs = [(int(row[0]), int(row[1])) for row in rows]
    below: set[int] = set()
    grown = {os.getpid()}
    while grown:
        grown = {pid for pid, parent in pairs if parent in grown} - below
        below |= grown
    return below


def signal_quietly(pid: int, number: int) -> None:
    """Signal a process that may have ended."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
