"""Which tables of the world the questions read: those left are named here, so that a new table is not forgotten."""

from __future__ import annotations

from finassay.temporal import load_catalog
from finassay.world import FAMILIES
from finassay.world._verify import _tables_in

# Names and numbers that do not change, or are those of the snapshot
LOOK_UPS = """bond_code bond_conbdbasicinfo bond_indexbasicinfo bond_issuenew c_ed_indicatormain hk_secumain lc_business
lc_conceptlist lc_indexbasicinfo lc_instiarchive mf_fundprodname mf_fundtype mf_investadvisoroutline mf_issueandlisting
mf_personalinfo nq_secumain qt_tradingdaynew us_security"""
# Daily values that follow from those of a table that is read, or of the same kind
DAILY = """bond_basicquote bond_bondindexquote bond_chinabondindexquote bond_repuexibquote bond_sapyieldcurve
cs_intensitytrendadj ed_rmbbaseexchangerate index_finindicator lc_indexderivative mf_benchmarkgrowthrate
qt_fundsperformancehis qt_hkdailyquote qt_osindexquote qt_performance qt_pricelimit"""
# What reports list beside what is read of them, under the same day of disclosure
LISTS = """bond_creditgrading documents lc_mainoperincome lc_mainshlistnew lc_suppcustattach mf_bondcreditgrading
mf_bondportifoliodetail mf_fundportifoliodetail mf_fundtradeinfo mf_portfoliodetailsall mf_shinfluence"""


def test_every_table_is_read_or_named_as_unread():
    catalog = load_catalog("gildata")
    read = set().union(*(_tables_in(family.sql, catalog) for family in FAMILIES))
    assert set(catalog.tables) - read == set(f"{LOOK_UPS} {DAILY} {LISTS}".split())
