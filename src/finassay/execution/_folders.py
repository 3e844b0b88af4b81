"""Temporary folders that do not outlive their process for long: a killed one's are removed by the next.

A folder is locked for as long as its process uses it. The kernel gives up the lock of a process that is killed,
whatever kills it, so a folder without one belongs to nobody; no process id that may have been given again is asked.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from finassay.execution._scratch import remove_scratch

_PREFIX = "finassay-run-"


@dataclass(frozen=True)
class HeldFolder:
    """A temporary folder of this process.

    Attributes
    ----------
    path : Path
        Readable by this user alone.
    """

    path: Path
    _lock: int

    def remove(self) -> None:
        """Remove the folder and all in it, whatever a program left there."""
        try:
            remove_scratch(self.path)
        finally:
            os.close(self._lock)


def hold_folder() -> HeldFolder:
    """Make a temporary folder, and remove those of this user whose process has died.

    Returns
    -------
    HeldFolder
        To be removed by the caller.
    """
    parent = Path(tempfile.gettempdir())
    for stale in parent.glob(f"{_PREFIX}*"):
        _remove_if_stale(stale)
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        # Before it is locked another process may take it for a dead one's: then it is gone, and made anew.
        try:
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        with contextlib.suppress(OSError):  # a file system without locks: nobody else can lock it either
            fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            return HeldFolder(path, lock)
        os.close(lock)


def _remove_if_stale(path: Path) -> None:
    """Remove a folder of this user that nobody holds; one that cannot be removed stays for the next to try."""
    with contextlib.suppress(OSError), _opened(path) as folder:
        if os.fstat(folder).st_uid == os.geteuid():
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_scratch(path)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
