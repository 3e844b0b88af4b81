"""From a world to the vendor's tables at its snapshot, chunk by chunk, and their content hash."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from finassay.core import InternalError, TableHash, hash_tables
from finassay.temporal import Catalog, load_catalog
from finassay.world._tables import TABLES, View, tables_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    import pyarrow as pa

    from finassay.world._world import World

CATALOG = "gildata"
CHUNK_ROWS = 200_000


def materialise(world: World, names: Collection[str] | None = None) -> dict[str, pa.Table]:
    """Return the tables of a world at its snapshot in memory, every column of the catalog in its order.

    Decimals without places are 64-bit integers, others doubles that are the nearest to a number of those places; times
    are microseconds without a zone. Rows are in the order of their numbers.

    Parameters
    ----------
    world : World
        What happened.
    names : collection of str, optional
        The tables; by default all of the world's blocks.
    """
    import pyarrow as pa

    view = View(world, load_catalog(CATALOG))
    wanted = [name for name in tables_of(world.config) if names is None or name in names]
    return {name: pa.concat_tables(chunks(view, name)) for name in wanted}


def chunks(view: View, name: str) -> Iterator[pa.Table]:
    """Yield a table in parts of at most 200,000 rows, in the order of the row numbers; at least one part.

    Raises
    ------
    InternalError
        If rows repeat a number, or a table that is built in parts has them out of order.
    """
    import pyarrow as pa

    (number,) = view.catalog.table(name).row_id
    built = TABLES[name](view)
    last: int | None = None
    empty: pa.Table | None = None
    for part in [built] if isinstance(built, pa.Table) else built:
        ordered, ids = _in_order(part, number)
        empty = ordered.slice(0, 0) if empty is None else empty
        if not ids.size:
            continue
        if (last is not None and ids[0] <= last) or np.any(ids[1:] == ids[:-1]):
            raise InternalError(f"Rows of {name} are out of order, or repeat a {number}, near {ids[0]}.")
        last = int(ids[-1])
        for start in range(0, ids.size, CHUNK_ROWS):
            yield ordered.slice(start, CHUNK_ROWS)
    if last is None and empty is not None:
        yield empty


def _in_order(part: pa.Table, number: str) -> tuple[pa.Table, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    import pyarrow as pa

    column = part[number].combine_chunks()
    array = column if isinstance(column, pa.Array) else pa.concat_arrays(column.chunks)
    ids = np.frombuffer(array.buffers()[1] or b"", np.int64)[array.offset : array.offset + len(array)]
    if np.all(ids[1:] >= ids[:-1]):
        return part, ids
    order = np.argsort(ids, kind="stable")
    return part.take(pa.array(order)), ids[order]


class ContentHash:
    """The content hash of a database while its tables pass by: `content_hash` of the same tables."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.digests: dict[str, str] = {}

    def passing(self, name: str, parts: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """Yield the parts of a table, counted and hashed."""
        digest, rows = TableHash(), 0
        for part in parts:
            rows += part.num_rows
            digest.update(part)
            yield part
        self.add(name, rows, digest.hexdigest())

    def add(self, name: str, rows: int, digest: str) -> None:
        """Add a table that has passed."""
        self.rows[name], self.digests[name] = rows, digest

    def hexdigest(self) -> str:
        """Return the hash of the tables that have passed."""
        lines = (f"{name}\0{self.digests[name]}\n" for name in sorted(self.digests))
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def content_hash(tables: Mapping[str, pa.Table], catalog: Catalog) -> str:
    """Return the content hash of a world's tables, sorted by their row numbers (DESIGN.md, 7)."""
    return hash_tables(tables, keys={name: catalog.table(name).row_id for name in tables})
