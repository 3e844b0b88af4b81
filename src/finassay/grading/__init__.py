"""Typed values, tables, sets, orders and intervals: what two results must agree on to be called equal."""

from __future__ import annotations

from finassay.core import Undefined
from finassay.grading._codes import Code, parse_code
from finassay.grading._contract import ColumnContract, OrderColumn, OutputContract
from finassay.grading._dates import parse_date, parse_datetime
from finassay.grading._diff import CellDifference, TableDiff
from finassay.grading._enumerations import parse_enumeration
from finassay.grading._intervals import coverage, covers, interval_score, within
from finassay.grading._missing import is_missing
from finassay.grading._numbers import Quantity, parse_quantity
from finassay.grading._orders import kendall_tau, ndcg, order_equal, rank_biased_overlap, top_k_overlap
from finassay.grading._paper_tables import PaperVerdict, compare_paper
from finassay.grading._periods import Period, parse_period
from finassay.grading._sets import SetVerdict, compare_sets
from finassay.grading._table_pandas import from_pandas
from finassay.grading._tables import CellCounts, RowCounts, TableVerdict, compare_tables
from finassay.grading._units import Unit, parse_unit
from finassay.grading._unparsed import UnitMismatch, Unparsed

__all__ = [
    "CellCounts",
    "CellDifference",
    "Code",
    "ColumnContract",
    "OrderColumn",
    "OutputContract",
    "PaperVerdict",
    "Period",
    "Quantity",
    "RowCounts",
    "SetVerdict",
    "TableDiff",
    "TableVerdict",
    "Undefined",
    "Unit",
    "UnitMismatch",
    "Unparsed",
    "compare_paper",
    "compare_sets",
    "compare_tables",
    "coverage",
    "covers",
    "from_pandas",
    "interval_score",
    "is_missing",
    "kendall_tau",
    "ndcg",
    "order_equal",
    "parse_code",
    "parse_date",
    "parse_datetime",
    "parse_enumeration",
    "parse_period",
    "parse_quantity",
    "parse_unit",
    "rank_biased_overlap",
    "top_k_overlap",
    "within",
]
