"""The tables of companies: statements, ratios, valuation, share capital, and what else hangs on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._tables._archive import lc_business, lc_instiarchive
from finassay.world._tables._competitors import lc_competitor, lc_rewardstat
from finassay.world._tables._concepts import lc_coconcept, lc_conceptlist
from finassay.world._tables._deals import DEAL_TABLES
from finassay.world._tables._hongkong import hk_secumain, qt_hkdailyquote
from finassay.world._tables._report_lists import lc_mainoperincome, lc_mainshlistnew
from finassay.world._tables._shares import lc_sharestru
from finassay.world._tables._star import lc_stibdividend, lc_stibsuspendresume
from finassay.world._tables._statement_ratios import (
    fin_derivative,
    lc_derivativedata,
    lc_mainindexnew,
    lc_qfinancialindexnew,
    lc_stibmainindex,
)
from finassay.world._tables._statements import lc_auditopinion, lc_balancesheetall, lc_maindatanew
from finassay.world._tables._stock_daily import qt_performance, qt_pricelimit
from finassay.world._tables._valuation import lc_dindicesforvaluation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from finassay.world._tables._view import View

COMPANY_TABLES: dict[str, Callable[[View], pa.Table | Iterator[pa.Table]]] = {
    "lc_balancesheetall": lc_balancesheetall,
    "lc_maindatanew": lc_maindatanew,
    "lc_mainindexnew": lc_mainindexnew,
    "lc_qfinancialindexnew": lc_qfinancialindexnew,
    "lc_stibmainindex": lc_stibmainindex,
    "fin_derivative": fin_derivative,
    "lc_derivativedata": lc_derivativedata,
    "lc_auditopinion": lc_auditopinion,
    "lc_dindicesforvaluation": lc_dindicesforvaluation,
    "lc_sharestru": lc_sharestru,
    "lc_stibdividend": lc_stibdividend,
    "lc_stibsuspendresume": lc_stibsuspendresume,
    "lc_mainoperincome": lc_mainoperincome,
    "lc_mainshlistnew": lc_mainshlistnew,
    "hk_secumain": hk_secumain,
    "qt_hkdailyquote": qt_hkdailyquote,
    "lc_instiarchive": lc_instiarchive,
    "lc_business": lc_business,
    "lc_conceptlist": lc_conceptlist,
    "lc_coconcept": lc_coconcept,
    "qt_pricelimit": qt_pricelimit,
    "qt_performance": qt_performance,
    "lc_competitor": lc_competitor,
    "lc_rewardstat": lc_rewardstat,
    **DEAL_TABLES,
}
