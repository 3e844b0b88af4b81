"""The tables of bonds, convertibles, curves and Chinese macro series, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._tables._curves import (
    bond_baseratereference,
    bond_bondindexquote,
    bond_cbyieldcurve,
    bond_chinabondindexquote,
    bond_indexbasicinfo,
    bond_repuexibquote,
    bond_sapyieldcurve,
    ed_rmbbaseexchangerate,
)
from finassay.world._tables._macro_cn import c_ed_indicatormain, c_ed_macroindicatordata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from finassay.world._tables._view import View

BOND_TABLES: dict[str, Callable[[View], pa.Table | Iterator[pa.Table]]] = {
    "bond_cbyieldcurve": bond_cbyieldcurve,
    "bond_sapyieldcurve": bond_sapyieldcurve,
    "bond_baseratereference": bond_baseratereference,
    "bond_repuexibquote": bond_repuexibquote,
    "bond_indexbasicinfo": bond_indexbasicinfo,
    "bond_chinabondindexquote": bond_chinabondindexquote,
    "bond_bondindexquote": bond_bondindexquote,
    "ed_rmbbaseexchangerate": ed_rmbbaseexchangerate,
    "c_ed_indicatormain": c_ed_indicatormain,
    "c_ed_macroindicatordata": c_ed_macroindicatordata,
}
