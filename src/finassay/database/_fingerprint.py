"""The hash of a database that lies in files."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from finassay.core import hash_file, hash_json
from finassay.database._url import parse_url

_MOST_BYTES = 2 << 30


def fingerprint(url: str) -> str | None:
    """Return the SHA-256 of a database's file, or of a folder's file names and hashes.

    Returns
    -------
    str or None
        None for servers, and for files of more than 2 GiB together.
    """
    path = parse_url(url).path
    if path is None:
        return None
    files = [path] if path.is_file() else sorted(entry for entry in path.iterdir() if entry.is_file())
    if sum(file.stat().st_size for file in files) > _MOST_BYTES:
        return None
    hashes = {file.name: _hashed(file, *_state(file)) for file in files}
    return hash_json(hashes) if path.is_dir() else hashes[path.name]


def _state(file: Path) -> tuple[int, int, int]:
    found = file.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


@lru_cache(maxsize=64)
def _hashed(file: Path, _inode: int, _size: int, _changed: int) -> str:
    """Hash a file once for as long as it is not written: many programs are audited over one database."""
    return hash_file(file)
