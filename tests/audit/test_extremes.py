"""Statistics of a whole table, later rows and all: small tables and wide thresholds hide them, their ends do not."""

from __future__ import annotations

import pytest

from finassay.audit import Requirement, Subject, Verdict, audit
from finassay.database import row_statistics_read
from finassay.execution import Submission
from finassay.temporal import Catalog, parse_contract

CONTRACT = parse_contract("contract: extremes\nformat: 1\nas_of: {date: 2024-06-30}\n")
DAY = "SELECT FIRM, CLOSE FROM price WHERE DAY = DATE '2024-06-28'"


@pytest.mark.parametrize(
    "sql",
    [
        f"{DAY} AND CLOSE > (SELECT AVG(CLOSE) FROM price)",
        f"{DAY} AND CLOSE > (SELECT MEDIAN(CLOSE) FROM price)",
        f"{DAY} AND CLOSE > 0.52 * (SELECT MAX(CLOSE) FROM price)",
    ],
    ids=["mean", "median", "largest"],
)
def test_a_statistic_of_all_rows_is_found(market: str, catalog: Catalog, sql: str) -> None:
    found = audit(Subject(Submission("sql", sql_code=sql, source="s.sql"), market), catalog, CONTRACT)
    assert found.verdict is Verdict.FAIL, found.notes
    assert [witness.requirement for witness in found.witnesses] == [Requirement.DISCLOSURE]


def test_the_same_of_known_rows_passes(market: str, catalog: Catalog) -> None:
    sql = f"{DAY} AND CLOSE > (SELECT AVG(CLOSE) FROM price WHERE DAY <= DATE '2024-06-30')"
    found = audit(Subject(Submission("sql", sql_code=sql, source="s.sql"), market), catalog, CONTRACT)
    assert found.verdict is Verdict.PASS, found.notes


@pytest.mark.parametrize(
    ("dialect", "sql", "read"),
    [
        ("mysql", "SELECT TABLE_ROWS FROM information_schema.tables", ("information_schema.tables",)),
        ("mysql", "SELECT * FROM information_schema.`STATISTICS`", ("information_schema.statistics",)),
        ("mysql", "SELECT table_name FROM information_schema.tables", ()),
        ("mysql", "WITH tables AS (SELECT 1 AS table_rows) SELECT table_rows FROM tables", ()),
        ("postgres", "SELECT reltuples FROM pg_class", ("pg_catalog.pg_class",)),
        (
            "postgres",
            "SELECT n_live_tup FROM pg_catalog.pg_stat_user_tables",
            ("pg_catalog.pg_stat_user_tables",),
        ),
        ("postgres", "SELECT oid FROM pg_class", ()),
        ("duckdb", "SELECT table_name, 1 AS table_rows FROM information_schema.tables", ()),
    ],
)
def test_what_counts_rows_beside_the_tables_is_told(dialect: str, sql: str, read: tuple[str, ...]) -> None:
    assert row_statistics_read(sql, dialect) == read  # type: ignore[arg-type]
