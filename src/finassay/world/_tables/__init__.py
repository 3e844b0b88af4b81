"""The vendor's tables of a ledger at a snapshot: one function per table, found by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._tables._bonds import BOND_TABLES
from finassay.world._tables._calendar import qt_tradingdaynew
from finassay.world._tables._companies import COMPANY_TABLES
from finassay.world._tables._dividends import lc_dividend
from finassay.world._tables._documents import documents
from finassay.world._tables._funds import FUND_TABLES
from finassay.world._tables._index_tables import INDEX_TABLES
from finassay.world._tables._indices import lc_indexcomponent, qt_indexquote
from finassay.world._tables._industries import lc_exgindustry, lc_stibexgindustry
from finassay.world._tables._neeq import NEEQ_TABLES
from finassay.world._tables._quotes import lc_stibdailyquote, qt_dailyquote, qt_performancedata
from finassay.world._tables._securities import cs_riskalert, lc_liststatus, lc_suspendresumption, secumain
from finassay.world._tables._trend import cs_intensitytrendadj
from finassay.world._tables._us_all import US_TABLES
from finassay.world._tables._view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from finassay.world._config import WorldConfig

__all__ = ["TABLES", "View", "block_of", "tables_of"]

# A large table is built in parts of at most 200,000 rows; a later part has higher row numbers than those before it
TABLES: dict[str, Callable[[View], pa.Table | Iterator[pa.Table]]] = {
    "secumain": secumain,
    "lc_liststatus": lc_liststatus,
    "cs_riskalert": cs_riskalert,
    "lc_suspendresumption": lc_suspendresumption,
    "lc_exgindustry": lc_exgindustry,
    "lc_stibexgindustry": lc_stibexgindustry,
    "lc_indexcomponent": lc_indexcomponent,
    "qt_tradingdaynew": qt_tradingdaynew,
    "qt_dailyquote": qt_dailyquote,
    "lc_stibdailyquote": lc_stibdailyquote,
    "qt_performancedata": qt_performancedata,
    "qt_indexquote": qt_indexquote,
    "lc_dividend": lc_dividend,
    "cs_intensitytrendadj": cs_intensitytrendadj,
    **COMPANY_TABLES,
    **NEEQ_TABLES,
    **BOND_TABLES,
    **FUND_TABLES,
    **INDEX_TABLES,
    **US_TABLES,
    "documents": documents,
}

_BLOCKS = {
    "bond_": "bonds",
    "mf_": "funds",
    "qt_funds": "funds",
    "c_ed_": "macro",
    "ed_": "macro",
    "us_": "us",
    "doc": "documents",
}


def block_of(name: str) -> str:
    """Return the block that a table belongs to, by the vendor's prefix."""
    return next((block for prefix, block in _BLOCKS.items() if name.startswith(prefix)), "equities")


def tables_of(config: WorldConfig) -> tuple[str, ...]:
    """Return the tables of a world's blocks."""
    return tuple(name for name in TABLES if block_of(name) in config.blocks)
