"""The tables of bonds, convertibles, curves and Chinese macro series, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._tables._bonds_convertibles import (
    bond_conbdbasicinfo,
    bond_conbdcallinfo,
    bond_conbdconvertprice,
    bond_conbdexchangequote,
    bond_conbdputinfo,
)
from finassay.world._tables._bonds_daily import bond_basicquote, bond_cbvaluationall
from finassay.world._tables._bonds_ratings import (
    bond_bdcreditgrading,
    bond_biindustry,
    bond_comcreditgrading,
    bond_conceptnature,
    bond_creditgrading,
    bond_default,
)
from finassay.world._tables._bonds_static import bond_basicinfo, bond_code, bond_issuenew, bond_size
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
    "bond_code": bond_code,
    "bond_basicinfo": bond_basicinfo,
    "bond_issuenew": bond_issuenew,
    "bond_size": bond_size,
    "bond_bdcreditgrading": bond_bdcreditgrading,
    "bond_comcreditgrading": bond_comcreditgrading,
    "bond_creditgrading": bond_creditgrading,
    "bond_biindustry": bond_biindustry,
    "bond_conceptnature": bond_conceptnature,
    "bond_default": bond_default,
    "bond_cbvaluationall": bond_cbvaluationall,
    "bond_basicquote": bond_basicquote,
    "bond_conbdbasicinfo": bond_conbdbasicinfo,
    "bond_conbdconvertprice": bond_conbdconvertprice,
    "bond_conbdcallinfo": bond_conbdcallinfo,
    "bond_conbdputinfo": bond_conbdputinfo,
    "bond_conbdexchangequote": bond_conbdexchangequote,
}
