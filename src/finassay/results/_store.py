"""Files of rows: Parquet in the order of the keys, so that they are read, merged and compared as streams."""

from __future__ import annotations

import hashlib
import heapq
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from finassay.core import InputError
from finassay.results._arrow import from_batch, row_hash, to_batch
from finassay.results._row import SCHEMA_VERSION, ResultRow, arrow_schema

if TYPE_CHECKING:
    import pyarrow.parquet as pq

GROUP = 500  # rows of a row group: what a reader holds in memory at once
BATCH = 4_000  # rows that are sorted in memory before they are written
VERSION_KEY = b"finassay.results.schema_version"
CONTENT_KEY = b"finassay.results.content_sha256"


class Written(NamedTuple):
    """What was written: how many rows, and how many more were the same as one of them."""

    rows: int
    duplicates: int


class Placed(NamedTuple):
    """A row, and where it was found."""

    row: ResultRow
    where: str


def write_rows(rows: Iterable[ResultRow], path: Path, *, force: bool = False) -> Written:
    """Write rows to a Parquet file, in the order of their keys; the same rows are the same bytes.

    Rows come in any order and number: what does not fit into a batch waits in temporary files beside the target.

    Parameters
    ----------
    rows : iterable of ResultRow
        A row that comes twice is written once.
    path : Path
        The file; it appears when it is whole.
    force : bool
        Write over a file that is there; one of the same bytes is never in the way.

    Returns
    -------
    Written

    Raises
    ------
    InputError
        ``duplicate_key``: two rows of one key say different things; ``output_exists``.
    """
    _check_target(path)
    remaining, name = iter(rows), f"rows given for {path.name}"
    with tempfile.TemporaryDirectory(prefix=".finassay-", dir=path.parent) as folder:
        parts: list[Path] = []
        while len(batch := _sorted_batch(remaining)) == BATCH:
            parts.append(Path(folder) / f"{len(parts)}.parquet")
            _write_sorted(batch, parts[-1])
        streams = [placed_rows(part, name) for part in parts]
        last = (Placed(row, name) for row in batch)
        return _merge_sorted([*streams, last], path, force=force)


def merge(paths: Sequence[Path], to: Path, *, force: bool = False) -> Written:
    """Merge files and folders of rows into one file; see `write_rows`.

    Raises
    ------
    InputError
        ``duplicate_key``: two rows of one key say different things; the message names both places. ``output_exists``.
    """
    _check_target(to)
    streams = [placed_rows(file, str(file)) for path in paths for file in row_files(path)]
    if not streams:
        raise InputError("There is nothing to merge.", hint="Name files of rows, or folders of them.")
    return _merge_sorted(streams, to, force=force)


def read_rows(path: Path) -> Iterator[ResultRow]:
    """Yield the rows of a file, or of all files of a folder, in the order of their keys.

    One row group of each file is in memory at a time.

    Raises
    ------
    InputError
        ``not_parquet``, ``no_rows``, ``unknown_schema_version``, ``bad_row``, ``not_sorted``, ``duplicate_key``.
    """
    for found in _unique(heapq.merge(*(placed_rows(file, str(file)) for file in row_files(path)), key=_key)):
        yield found.row


def row_files(path: Path) -> list[Path]:
    """Return the file, or the Parquet files of a folder in the order of their names.

    Raises
    ------
    InputError
        ``no_rows``: there is no such file, or the folder has none.
    """
    if path.is_dir():
        if files := sorted(path.glob("*.parquet")):
            return files
        raise InputError(
            f"Expected files of result rows (*.parquet) in {path}, but there are none.",
            hint="`finassay results ingest` makes them.",
            reason="no_rows",
        )
    if not path.is_file():
        raise InputError(f"There is no file or folder {path}.", reason="no_rows")
    return [path]


@contextmanager
def opened(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a file of rows.

    Raises
    ------
    InputError
        ``not_parquet``: not a whole Parquet file; ``no_rows``: of something else; ``unknown_schema_version``.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"{path} is not a whole Parquet file: {str(error).splitlines()[0]}",
            hint="It may have been cut off: make it again, or copy it again.",
            reason="not_parquet",
        ) from error
    with file:
        _check_schema(path, file)
        yield file


def _check_schema(path: Path, file: pq.ParquetFile) -> None:
    said = (file.schema_arrow.metadata or {}).get(VERSION_KEY)
    if said is None:
        raise InputError(
            f"{path} holds no result rows: its metadata have no {VERSION_KEY.decode()}.",
            hint="Predictions of other formats are read by `finassay results ingest`.",
            reason="no_rows",
        )
    if said != str(SCHEMA_VERSION).encode():
        raise InputError(
            f"{path} has rows of schema version {said.decode(errors='replace')}; this finassay reads {SCHEMA_VERSION}.",
            hint="Read it with the version of finassay that wrote it, or make it again.",
            reason="unknown_schema_version",
        )
    if not file.schema_arrow.equals(arrow_schema()):
        expected, found = arrow_schema(), file.schema_arrow
        wrong = next(
            (
                field.name
                for field in expected
                if field.name not in found.names or found.field(field.name) != field
            ),
            "its columns",
        )
        raise InputError(
            f"{path} says schema version {SCHEMA_VERSION}, but {wrong} is not as that has it.",
            reason="unknown_schema_version",
        )


def content_said(file: pq.ParquetFile) -> str | None:
    """Return the hash of all rows that a file was written with."""
    said = (file.metadata.metadata or {}).get(CONTENT_KEY)
    return None if said is None else said.decode(errors="replace")


def placed_rows(path: Path, name: str) -> Iterator[Placed]:
    """Yield the rows of a file with their places, a row group at a time."""
    import pyarrow as pa

    before = None
    number = 1
    with opened(path) as file:
        for group in range(file.num_row_groups):
            try:
                table = file.read_row_group(group)
            except (pa.ArrowInvalid, OSError) as error:
                raise InputError(
                    f"{path} cannot be read from row {number:,} on: {str(error).splitlines()[0]}",
                    hint="It may be damaged: make it again, or copy it again.",
                    reason="not_parquet",
                ) from error
            for batch in table.to_batches():
                for row in from_batch(batch, file=name, first=number):
                    if before is not None and row.key < before:
                        raise InputError(
                            f"Row {number} of {name} is not in the order of the keys: {row.key}.",
                            hint="Another program wrote it: read it, and write it with finassay.results.write_rows.",
                            reason="not_sorted",
                        )
                    yield Placed(row, f"row {number} of {name}")
                    before = row.key
                    number += 1


def _sorted_batch(rows: Iterator[ResultRow]) -> list[ResultRow]:
    return sorted(islice(rows, BATCH), key=lambda row: row.key)


def _key(found: Placed) -> Any:
    return found.row.key


def _unique(rows: Iterable[Placed]) -> Iterator[Placed]:
    """Yield each row once; refuse two that share a key and say different things."""
    last: Placed | None = None
    for found in rows:
        if last is not None and found.row.key == last.row.key:
            if row_hash(found.row) != row_hash(last.row):
                raise InputError(
                    f"Two different rows have one key: {last.where} and {found.where} ({_difference(last, found)}): "
                    f"{found.row.key}.",
                    hint="Leave one of them out, or give one of the runs another name.",
                    reason="duplicate_key",
                )
            continue
        yield found
        last = found


def _difference(one: Placed, other: Placed) -> str:
    first, second = one.row.model_dump(mode="json"), other.row.model_dump(mode="json")
    names = [name for name in first if first[name] != second[name]]
    return "different " + ", ".join(names[:3]) + (", …" if len(names) > 3 else "")


def _merge_sorted(streams: Sequence[Iterator[Placed]], path: Path, *, force: bool) -> Written:
    """Write sorted streams of rows to a file that appears when it is whole."""
    given = 0

    def counted() -> Iterator[Placed]:
        nonlocal given
        for found in heapq.merge(*streams, key=_key):
            given += 1
            yield found

    with tempfile.TemporaryDirectory(prefix=".finassay-", dir=path.parent) as folder:
        whole = Path(folder) / "whole.parquet"
        written = _write_sorted((found.row for found in _unique(counted())), whole)
        if path.exists() and not force:
            if path.read_bytes() != whole.read_bytes():
                raise InputError(
                    f"{path} is there already, and says something else.",
                    hint="Give another name, or --force to write over it.",
                    reason="output_exists",
                )
        else:
            whole.replace(path)
    return Written(written, given - written)


def _write_sorted(rows: Iterable[ResultRow], path: Path) -> int:
    """Write sorted rows by row groups, and the hash of all of them at the end; return how many."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    remaining, written, content = iter(rows), 0, hashlib.sha256()
    with pq.ParquetWriter(path, arrow_schema(), compression="zstd") as writer:
        while group := list(islice(remaining, GROUP)):
            for row in group:
                content.update(row_hash(row).encode())
            writer.write_table(pa.Table.from_batches([to_batch(group)]), row_group_size=GROUP)
            written += len(group)
        writer.add_key_value_metadata({CONTENT_KEY.decode(): content.hexdigest()})
    return written


def _check_target(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"Expected a file to write to, but {path} is a folder.", reason="output_exists")
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} to write {path.name} to.", reason="no_folder")
