"""The tables of funds and of indices abroad, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._tables._funds_bonds import mf_bondcreditgrading, mf_bondportifoliodetail
from finassay.world._tables._funds_exchange import qt_fundsperformancehis
from finassay.world._tables._funds_holders import mf_fundtradeinfo, mf_holderinfo, mf_shinfluence
from finassay.world._tables._funds_lists import (
    mf_assetallocationnew,
    mf_fundportifoliodetail,
    mf_industryportall,
    mf_keystockportfolio,
    mf_portfoliodetailsall,
    mf_stockportfoliodetail,
)
from finassay.world._tables._funds_nav import (
    mf_benchmarkgrowthrate,
    mf_fundnetvalueretrans,
    mf_scaleanalysis,
    qt_osindexquote,
)
from finassay.world._tables._funds_profile import (
    mf_fundarchives,
    mf_fundprodname,
    mf_investadvisoroutline,
    mf_issueandlisting,
    mf_personalinfo,
)
from finassay.world._tables._funds_state import (
    mf_benchmarkallocation,
    mf_chargeratenew,
    mf_fundmanagernew,
    mf_fundtype,
    mf_investtargetcriterion,
    mf_jyfundtype,
    mf_purchaseandredeem,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from finassay.world._tables._view import View

FUND_TABLES: dict[str, Callable[[View], pa.Table | Iterator[pa.Table]]] = {
    "mf_fundarchives": mf_fundarchives,
    "mf_issueandlisting": mf_issueandlisting,
    "mf_fundprodname": mf_fundprodname,
    "mf_investadvisoroutline": mf_investadvisoroutline,
    "mf_personalinfo": mf_personalinfo,
    "mf_fundmanagernew": mf_fundmanagernew,
    "mf_jyfundtype": mf_jyfundtype,
    "mf_fundtype": mf_fundtype,
    "mf_benchmarkallocation": mf_benchmarkallocation,
    "mf_investtargetcriterion": mf_investtargetcriterion,
    "mf_chargeratenew": mf_chargeratenew,
    "mf_purchaseandredeem": mf_purchaseandredeem,
    "mf_fundnetvalueretrans": mf_fundnetvalueretrans,
    "mf_scaleanalysis": mf_scaleanalysis,
    "mf_benchmarkgrowthrate": mf_benchmarkgrowthrate,
    "mf_keystockportfolio": mf_keystockportfolio,
    "mf_stockportfoliodetail": mf_stockportfoliodetail,
    "mf_portfoliodetailsall": mf_portfoliodetailsall,
    "mf_fundportifoliodetail": mf_fundportifoliodetail,
    "mf_bondportifoliodetail": mf_bondportifoliodetail,
    "mf_bondcreditgrading": mf_bondcreditgrading,
    "mf_industryportall": mf_industryportall,
    "mf_assetallocationnew": mf_assetallocationnew,
    "mf_holderinfo": mf_holderinfo,
    "mf_shinfluence": mf_shinfluence,
    "mf_fundtradeinfo": mf_fundtradeinfo,
    "qt_fundsperformancehis": qt_fundsperformancehis,
    "qt_osindexquote": qt_osindexquote,
}
