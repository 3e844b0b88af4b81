"""Content hashes: of bytes, files, JSON values and tables, the same on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.core._canonical import ColumnDigest

_BLOCK = 1 << 20


def hash_bytes(data: bytes) -> str:
    """Return the SHA-256 of bytes as hexadecimal text."""
    return hashlib.sha256(data).hexdigest()


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file's content, read in blocks of 1 MiB."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def hash_json(value: Any) -> str:
    """Return the SHA-256 of a JSON value in canonical form.

    Keys are sorted, separators carry no blanks, text is UTF-8 and not escaped.

    Raises
    ------
    TypeError
        If the value is not JSON.
    ValueError
        If it holds NaN or an infinity, which JSON cannot carry.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hash_bytes(text.encode("utf-8"))


class TableHash:
    """The content hash of a table whose rows come in chunks, in their order; see `hash_table`.

    How the rows are cut does not count: the same rows in one chunk, or in many, have one hash.
    """

    def __init__(self) -> None:
        self._columns: dict[int, tuple[str, ColumnDigest]] = {}
        self._rows = 0

    def update(self, chunk: pa.Table) -> None:
        """Add rows.

        Parameters
        ----------
        chunk : pyarrow.Table
            The next rows; columns as in the chunks before. An empty one says what the columns are.
        """
        from finassay.core._canonical import ColumnDigest

        self._rows += chunk.num_rows
        for n, (name, column) in enumerate(zip(chunk.column_names, chunk.columns, strict=True)):
            if n not in self._columns:
                self._columns[n] = (name, ColumnDigest())
            self._columns[n][1].update(column)

    def hexdigest(self) -> str:
        """Return the SHA-256 of what came so far, hexadecimal."""
        digest = hashlib.sha256(str(self._rows).encode())
        for name, column in self._columns.values():
            digest.update(f"\0{len(name)}:{name}".encode())
            digest.update(column.digest())
        return digest.hexdigest()


def hash_table(table: pa.Table, *, key: tuple[str, ...] = ()) -> str:
    """Return the content hash of an Arrow table.

    Columns are taken in schema order with their names and types; rows are sorted by ``key`` where one is given, else
    kept in their order. Chunking, unused dictionary values and buffer padding do not count. NULL and NaN differ;
    ``-0.0`` equals ``0.0``; every NaN is one NaN.

    Parameters
    ----------
    table : pyarrow.Table
        The table, of any size.
    key : tuple of str
        Column names to sort by.

    Returns
    -------
    str
        SHA-256, hexadecimal.
    """
    from finassay.core._canonical import sorted_by

    digest = TableHash()
    digest.update(sorted_by(table, key) if key else table)
    return digest.hexdigest()


def hash_tables(tables: Mapping[str, pa.Table], *, keys: Mapping[str, tuple[str, ...]]) -> str:
    """Return the content hash of a database: its tables in name order, each sorted by its key (DESIGN.md, 7)."""
    digest = hashlib.sha256()
    for name in sorted(tables):
        digest.update(f"{name}\0{hash_table(tables[name], key=keys.get(name, ()))}\n".encode())
    return digest.hexdigest()
