"""What the schema tools say: roles, types and code lists of every column, in pages."""

from __future__ import annotations

import pyarrow as pa
import pytest

from finassay.core import CandidateError
from finassay.database import ColumnInfo, TableInfo, connect
from finassay.harness import Schema


@pytest.fixture
def schema(smoke):
    with connect(smoke.url) as database:
        return Schema(tuple(database.tables()), smoke.catalog, "en")


def test_a_column_is_told_with_its_role_type_and_codes(schema):
    text = schema.describe_columns("security")
    assert "board integer [key]; Board; codes 1=Main board, 6=ChiNext, 7=STAR market" in text
    assert "is_listed integer [current_state]" in text
    assert "disclosed_date date [disclosure]" in schema.describe_columns("REPORT")  # as databases do


def test_a_table_is_told_with_its_times(schema):
    report = schema.describe_columns("report")
    assert "known from disclosed_date" in report
    assert "versions per (security_id, period_end): the last by disclosed_date, row_id" in report
    assert "holds from start_date to end_date (first day it no longer holds; empty: not ended)" in (
        schema.describe_columns("industry")
    )
    assert "known at any time" in schema.describe_tables(["trading_day"])


def test_words_are_found_in_names_descriptions_and_codes(schema):
    assert schema.search_columns(["STAR market"]).startswith("security.board")
    assert "report.net_profit" in schema.search_columns(["profit"])
    assert "industry." not in schema.search_columns(["profit"])
    assert "price:" in schema.search_tables(["closing"])
    assert schema.search_tables(["nothing of the kind"]) == "no tables"


def test_no_column_is_left_out_of_a_long_table(smoke):
    many = TableInfo(
        "wide", "main", tuple(ColumnInfo(f"c{i}", "INT", pa.int32(), True) for i in range(273)), 0
    )
    schema = Schema((many,), smoke.catalog, "en")
    pages = [schema.describe_columns("wide", page) for page in range(1, 6)]
    assert all(sum(f"\nc{i} INT" in page for page in pages) == 1 for i in range(273))
    assert "(273 columns; page 1 of 5)" in pages[0]
    with pytest.raises(CandidateError, match="no page 6"):
        schema.describe_columns("wide", 6)


def test_a_table_that_is_not_there_is_told(schema):
    with pytest.raises(CandidateError, match="no table 'nowhere'"):
        schema.describe_columns("nowhere")
