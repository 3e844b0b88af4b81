"""Finished results on disk: one file per result, checked when read, replaced whole when written."""

from __future__ import annotations

import os
import pickle
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from finassay.core import InputError, hash_bytes

_MAGIC = b"finassay-result 1"


class CorruptEntryWarning(UserWarning):
    """An entry of a result cache was damaged; its result is computed again."""


@dataclass(frozen=True)
class Stored:
    """A result found in a cache."""

    value: Any


class ResultCache:
    """A folder of finished results, keyed by function, code version and the item's content.

    An entry is a line of ASCII (format, key, SHA-256 of what follows) and a pickle. It is written under a temporary
    name and renamed, so that a killed process leaves no half entry; an entry that does not match its own line is
    reported (`CorruptEntryWarning`), computed again and replaced. Several processes may share a folder.

    A checksum guards against accidents, not against malice: unpickling runs code, so open only a folder that people
    you trust can write to. It is created readable by its owner alone.

    Parameters
    ----------
    folder : path
        Created where it does not exist.

    Raises
    ------
    InputError
        If the folder cannot be created, or is a file.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"The folder of the result cache, {self.folder}, cannot be made: {error.strerror}.",
                hint="Name a folder that can be written to.",
                reason="cache_folder",
            ) from error

    def path(self, key: str) -> Path:
        """Return the file of an entry."""
        return self.folder / key[:2] / f"{key}.result"

    def get(self, key: str) -> Stored | None:
        """Return a stored result, or None where there is none or it is damaged.

        Warns
        -----
        CorruptEntryWarning
            If there is an entry, but it is damaged.
        """
        path = self.path(key)
        try:
            entry = path.read_bytes()
        except FileNotFoundError:
            return None
        head, _, payload = entry.partition(b"\n")
        if head != _head(key, payload):
            self._corrupt(path, "its checksum does not match")
            return None
        try:
            return Stored(pickle.loads(payload))  # noqa: S301 - see the class: the folder is trusted
        except (
            pickle.UnpicklingError,
            AttributeError,
            ImportError,
            EOFError,
            IndexError,
            TypeError,
        ) as error:
            self._corrupt(path, f"it cannot be unpickled ({error})")
            return None

    def put(self, key: str, payload: bytes) -> None:
        """Store a pickled result, replacing the entry of that key as a whole."""
        path = self.path(key)
        path.parent.mkdir(exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(_head(key, payload) + b"\n" + payload)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _corrupt(self, path: Path, why: str) -> None:
        warnings.warn(
            f"The cached result {path} is damaged: {why}. It is computed again.",
            CorruptEntryWarning,
            stacklevel=4,
        )


def _head(key: str, payload: bytes) -> bytes:
    return b" ".join((_MAGIC, key.encode(), hash_bytes(payload).encode()))
