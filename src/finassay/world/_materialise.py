"""From a world to the vendor's tables at its snapshot, and their content hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.core import hash_tables
from finassay.temporal import Catalog, load_catalog
from finassay.world._tables import TABLES, View

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from finassay.world._world import World

CATALOG = "gildata"


def materialise(world: World) -> dict[str, pa.Table]:
    """Return the tables of a world at its snapshot, every column of the catalog in its order.

    Decimals without places are 64-bit integers, others doubles; times are microseconds without a zone.
    """
    view = View(world, load_catalog(CATALOG))
    return {name: build(view) for name, build in TABLES.items()}


def content_hash(tables: Mapping[str, pa.Table], catalog: Catalog) -> str:
    """Return the content hash of a world's tables, sorted by their row numbers (DESIGN.md, 7)."""
    return hash_tables(tables, keys={name: catalog.table(name).row_id for name in tables})
