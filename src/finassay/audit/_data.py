"""What a certificate says of the data: the hash of their content, on files and on servers alike."""

from __future__ import annotations

import platform
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finassay.audit._kinds import is_text
from finassay.core import hash_json
from finassay.database import QueryPolicy, identifier
from finassay.database._url import parse_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from finassay.database import ColumnInfo, Database, Dialect, TableInfo

    Lane = NDArray[np.uint64]

_LIBRARIES = ("finassay", "duckdb", "sqlglot", "pyarrow", "pandas", "polars", "numpy")
_POLICY = QueryPolicy(max_rows=1 << 40, max_bytes=1 << 40, timeout_s=600.0)
_CELLS = 16_000_000  # of a table, at a time in memory
_MOST_KEPT = 1024
_MIX = 0x9E3779B97F4A7C15

# The content of a table of a file that was not written since: many programs are audited over one database.
_kept: dict[tuple[object, ...], str] = {}


def data_hash(database: Database, names: Iterable[str]) -> str:
    """Hash the content of tables: all rows and columns, their names and types.

    The order in which rows are stored does not count, nor does the file that they are in: the same data built again
    have the same hash. On a server the rows are hashed by the engine, each alone, and the hashes added up.

    Parameters
    ----------
    database : Database
        The unaltered data.
    names : iterable of str
        The tables that the program reads or the contract requires.
    """
    return hash_json(table_hashes(database, names))


def table_hashes(database: Database, names: Iterable[str]) -> dict[str, str]:
    """Hash the content of each table by itself; `data_hash` is the hash of these."""
    wanted = {name.lower() for name in names}
    path = parse_url(database.url).path
    state = None if path is None else _state(path)
    return {
        info.name: _kept_hash(database, info, state)
        for info in sorted(database.tables(), key=lambda info: info.name)
        if info.name.lower() in wanted
    }


def engine_hash(database: Database) -> str:
    """Hash the versions of what an audit runs with: finassay, the libraries, Python, the database's engine."""
    found = {name: version(name) for name in _LIBRARIES if find_spec(name) is not None}
    return hash_json({**found, "python": platform.python_version(), "engine": database.version})


def _state(path: Path) -> tuple[object, ...]:
    """Return what changes when a file, or one of a folder, is written."""
    files = [path, Path(f"{path}.wal")] if path.is_file() else sorted(path.iterdir())
    found = [(str(file), file.stat()) for file in files if file.is_file()]
    return tuple((name, s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for name, s in found)


def _kept_hash(database: Database, info: TableInfo, state: tuple[object, ...] | None) -> str:
    if state is None:
        return hash_json([_header(info), *_added_up(database, info)])
    key = (state, info.name)
    if key not in _kept:
        while len(_kept) >= _MOST_KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = _content(database, info)
    return _kept[key]


def _header(info: TableInfo) -> list[list[str]]:
    return [[column.name, column.type] for column in info.columns]


def _content(database: Database, info: TableInfo) -> str:
    """Hash a table column by column, its rows in an order that follows from what is in them."""
    import numpy as np

    name = identifier(info.name, database.dialect)
    rows: int = _first(database, f"SELECT COUNT(*) AS n FROM {name}")[0]  # noqa: S608 - the database's own names
    found = sha256(hash_json([_header(info), rows]).encode())
    if not rows:
        return found.hexdigest()
    width = max(1, _CELLS // rows)
    groups = [info.columns[first : first + width] for first in range(0, len(info.columns), width)]
    # DuckDB gives the rows of each statement in the order in which they are stored
    read = [_lanes_of(database, info, groups[0])] if len(groups) == 1 else []
    marks = np.zeros(rows, dtype=np.uint64)
    for lanes in read or (_lanes_of(database, info, group) for group in groups):
        for lane in lanes:
            marks ^= lane
            marks *= np.uint64(_MIX)
            marks ^= marks >> np.uint64(32)
    order = np.argsort(marks)  # rows with equal marks are equal
    for lanes in read or (_lanes_of(database, info, group) for group in groups):
        for lane in lanes:
            kept = lane if lane.size == 1 else lane[order]
            found.update(kept.astype("<u8", copy=False).data)
    return found.hexdigest()


def _lanes_of(database: Database, info: TableInfo, columns: Sequence[ColumnInfo]) -> list[Lane]:
    """Read columns, each as one or more numbers of 64 bits per row."""
    import numpy as np

    names = ", ".join(identifier(column.name, database.dialect) for column in columns)
    sql = f"SELECT {names} FROM {identifier(info.name, database.dialect)}"  # noqa: S608 - the database's own names
    table = database.query(sql, policy=_POLICY).table
    found: list[Lane] = []
    for column in table.columns:
        lanes = list(_lanes(column.combine_chunks()))
        # So that no number of one column can be taken for one of the next
        lanes[0] = lanes[0] + np.uint64(4 * len(lanes))
        found += lanes
    return found


def _lanes(column: pa.Array) -> Iterator[Lane]:
    """Write a column as numbers, the same on every machine: which are NULL (one number if all or none), then values."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    rows, kind = len(column), column.type
    gone = column.null_count
    yield np.array([2 + (gone == rows)], np.uint64) if gone in (0, rows) else _numbers(pc.is_null(column))
    if gone == rows:
        return
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        yield _numbers(column, False if pa.types.is_boolean(kind) else 0)
    elif pa.types.is_temporal(kind) and kind.bit_width in (32, 64):
        whole = column.view(pa.int32() if kind.bit_width == 32 else pa.int64())
        yield _numbers(whole, 0)
    elif pa.types.is_floating(kind):
        values = pc.fill_null(column, 0.0).to_numpy(zero_copy_only=False).astype(np.float64)
        values += 0.0  # -0.0 is 0.0
        values[np.isnan(values)] = np.nan
        yield values.view(np.uint64)
    elif pa.types.is_decimal128(kind):
        cells = np.frombuffer(column.buffers()[1], "<i8")[2 * column.offset : 2 * (column.offset + rows)]
        low, high = cells[0::2].copy(), cells[1::2].copy()
        if gone:  # what lies under a NULL is anything
            there = column.is_valid().to_numpy(zero_copy_only=False)
            low, high = low * there, high * there
        yield low.view(np.uint64)
        if not np.array_equal(high, low >> 63):
            yield high.view(np.uint64)
    else:
        yield from _digests(column)


def _numbers(column: pa.Array, instead: int = 0) -> Lane:
    import numpy as np
    import pyarrow.compute as pc

    known = pc.fill_null(column, instead) if column.null_count else column
    values = known.to_numpy(zero_copy_only=False)
    wide = values.astype(np.uint64 if values.dtype.kind in "bu" else np.int64, copy=False)
    found: Lane = wide.view(np.uint64)
    return found


def _digests(column: pa.Array) -> Iterator[Lane]:
    """Write texts, and what else there is, as 128 bits of the SHA-256 of each."""
    import numpy as np
    import pyarrow as pa

    kind = column.type
    texts = is_text(kind)
    if not texts and not pa.types.is_binary(kind) and not pa.types.is_large_binary(kind):
        column = pa.array([None if cell is None else repr(cell) for cell in column.to_pylist()], pa.string())
    coded = column.dictionary_encode()
    each = [cell.encode() if isinstance(cell, str) else cell for cell in coded.dictionary.to_pylist()]
    digests = np.frombuffer(b"".join([bytes(16), *(sha256(cell).digest()[:16] for cell in each)]), "<u8")
    places = 1 + coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)  # 0 is NULL
    yield digests[0::2][places].astype(np.uint64)
    yield digests[1::2][places].astype(np.uint64)


def _first(database: Database, sql: str) -> tuple[Any, ...]:
    table = database.query(sql, policy=_POLICY).table
    return tuple(column[0].as_py() for column in table.columns)


def _added_up(database: Database, info: TableInfo) -> list[str]:
    """Return the number of rows of a server's table, and the sums of the two halves of the MD5 of each."""
    return [str(cell) for cell in _first(database, _statement(info, database.dialect))]


def _statement(info: TableInfo, dialect: Dialect) -> str:
    name = identifier(info.name, dialect)
    if dialect == "mysql":
        # HEX of a number rounds it: it is of its text. '-' is no hexadecimal digit, so NULL is no text.
        cells = ", ".join(
            f"COALESCE(HEX(CAST({identifier(c.name, dialect)} AS BINARY)), '-')" for c in info.columns
        )
        row = f"MD5(CONCAT_WS(',', {cells}))"
        halves = [f"SUM(CAST(CONV(SUBSTRING(h, {first}, 16), 16, 10) AS DECIMAL(20)))" for first in (1, 17)]
    else:
        row = "MD5(CAST(t AS text))"
        halves = [
            f"SUM(CAST(CAST(CAST('x' || SUBSTRING(h, {first}, 16) AS bit(64)) AS bigint) AS numeric))"
            for first in (1, 17)
        ]
    sums = ", ".join(f"{half} AS s{n}" for n, half in enumerate(halves))
    return f"SELECT COUNT(*) AS n, {sums} FROM (SELECT {row} AS h FROM {name} t) AS d"  # noqa: S608 - the database's own names
