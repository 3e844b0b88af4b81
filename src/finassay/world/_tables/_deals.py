"""The tables of deals: partners, related parties, owners, plans of holders, mergers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._tables._deals_mergers import lc_merger
from finassay.world._tables._deals_plans import lc_transferplan
from finassay.world._tables._deals_related import lc_equitypenetrate, lc_relatedtrade, lc_relationship
from finassay.world._tables._deals_supply import lc_suppcustattach, lc_suppcustdetail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from finassay.world._tables._view import View

DEAL_TABLES: dict[str, Callable[[View], pa.Table | Iterator[pa.Table]]] = {
    "lc_suppcustdetail": lc_suppcustdetail,
    "lc_suppcustattach": lc_suppcustattach,
    "lc_relationship": lc_relationship,
    "lc_relatedtrade": lc_relatedtrade,
    "lc_equitypenetrate": lc_equitypenetrate,
    "lc_transferplan": lc_transferplan,
    "lc_merger": lc_merger,
}
