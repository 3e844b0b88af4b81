"""The scratch folder, seen from the host: what a hostile program left there is read and removed with care."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from finassay.core import InputError


def collect(scratch: Path, name: str, max_bytes: int) -> bytes | None:
    """Read a file that a jailed program left, following no link out of the folder.

    Parameters
    ----------
    scratch : Path
        The host folder that was the program's ``/scratch``.
    name : str
        Path of the file inside it, with ``/`` between folders.
    max_bytes : int
        Largest size accepted.

    Returns
    -------
    bytes or None
        The content; None where there is no such file, or where it is anything but a regular file of at most
        ``max_bytes`` reached through real folders (a symbolic link, device, FIFO, socket or folder; a file with a
        second name elsewhere is regular, but the jail cannot make one of a file outside).

    Raises
    ------
    InputError
        If ``name`` is absolute or climbs.
    """
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        message = f"Expected the path of a file inside the scratch folder, but got {name!r}."
        raise InputError(message, reason="bad_path")
    try:
        descriptor = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:  # the program closed its own folder
        return None
    try:
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            # O_NONBLOCK: opening a FIFO must not wait for a writer.
            flags = (
                os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | (0 if last else os.O_DIRECTORY)
            )
            inner = os.open(part, flags, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        return _read_regular(descriptor, max_bytes)
    except (OSError, ValueError):
        return None
    finally:
        os.close(descriptor)


def _read_regular(descriptor: int, max_bytes: int) -> bytes | None:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
        return None
    pieces, left = [], max_bytes + 1  # it may grow while it is read
    while left and (piece := os.read(descriptor, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    data = b"".join(pieces)
    return data if len(data) <= max_bytes else None


def remove_scratch(scratch: Path) -> None:
    """Remove a scratch folder and all in it; see `empty_scratch`. A folder that does not exist is fine."""
    try:
        empty_scratch(scratch)
    except FileNotFoundError:
        return
    scratch.rmdir()


def empty_scratch(scratch: Path) -> None:
    """Remove all that lies in a scratch folder, however deep a hostile program nested it.

    Folders are moved up to the top before they are entered, so neither the length of a path nor the depth of a call
    stack is a limit. Links are removed, never followed.
    """
    scratch.chmod(0o700)  # its program may have closed it
    top = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _empty(top)
    finally:
        os.close(top)


def _empty(top: int) -> None:
    counter = 0
    waiting = [entry.name for entry in _entries(top) if not _unlink(top, entry)]
    while waiting:
        folder = waiting.pop()
        os.chmod(folder, 0o700, dir_fd=top)
        inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top)
        try:
            for entry in _entries(inside):
                if _unlink(inside, entry):
                    continue
                # The parent of a moved folder is written into it, which needs the right to write it.
                os.chmod(entry.name, 0o700, dir_fd=inside)
                while True:
                    counter += 1
                    name = f".removing-{counter}"
                    try:
                        os.stat(name, dir_fd=top, follow_symlinks=False)
                    except FileNotFoundError:
                        break
                os.rename(entry.name, name, src_dir_fd=inside, dst_dir_fd=top)
                waiting.append(name)
        finally:
            os.close(inside)
        os.rmdir(folder, dir_fd=top)


def _entries(descriptor: int) -> list[os.DirEntry[str]]:
    with os.scandir(descriptor) as entries:
        return list(entries)


def _unlink(folder: int, entry: os.DirEntry[str]) -> bool:
    """Remove anything but a folder; say whether it was removed."""
    if entry.is_dir(follow_symlinks=False):
        return False
    os.unlink(entry.name, dir_fd=folder)
    return True


def give(folder: Path, uid: int, gid: int) -> None:
    """Make a user the owner of a folder and all in it; no program may be running there."""
    for path in _tree(folder):
        os.chown(path, uid, gid, follow_symlinks=False)


def _tree(folder: Path) -> Iterator[str]:
    waiting = [str(folder)]
    yield waiting[0]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    yield entry.path
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:  # nested deeper than a path can say: what lies there keeps its owner
            continue
