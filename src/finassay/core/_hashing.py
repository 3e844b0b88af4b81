"""Content hashes: of bytes, files, JSON values and tables, the same on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

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
    from finassay.core._canonical import column_digest, sorted_by

    ordered = sorted_by(table, key) if key else table
    digest = hashlib.sha256()
    digest.update(str(ordered.num_rows).encode())
    for name, column in zip(ordered.column_names, ordered.columns, strict=True):
        digest.update(f"\0{len(name)}:{name}".encode())
        digest.update(column_digest(column))
    return digest.hexdigest()


def hash_tables(tables: Mapping[str, pa.Table], *, keys: Mapping[str, tuple[str, ...]]) -> str:
    """Return the content hash of a database: its tables in name order, each sorted by its key (DESIGN.md, 7)."""
    digest = hashlib.sha256()
    for name in sorted(tables):
        digest.update(f"{name}\0{hash_table(tables[name], key=keys.get(name, ()))}\n".encode())
    return digest.hexdigest()
