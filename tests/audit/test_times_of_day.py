"""Times of day: the day of the cutoff counts whole, and a program that leaves out its hours is told."""

from __future__ import annotations

from datetime import date

import duckdb
import pytest

from finassay.audit import Certificate, Subject, Verdict, audit, certificate_text
from finassay.execution import Submission
from finassay.temporal import contract_at, parse_catalog

TABLE = """
  {name}:
    kind: event
    row_id: [ID]
    key: [FIRM]
    granularity: {granularity}
    availability: {{column: PUBLISHED}}
    columns: {{ID: {{role: key, max_null: 0}}, FIRM: key, PUBLISHED: disclosure, MOOD: payload}}
"""
CATALOG = parse_catalog(
    "catalog: small\nformat: 1\nversion: 1.0.0\ntables:"
    + TABLE.format(name="wire", granularity="intraday")
    + TABLE.format(name="notice", granularity="date")
)
NEXT_DAY = "PUBLISHED < DATE '2024-12-25'"
MIDNIGHT = "PUBLISHED <= DATE '2024-12-24'"


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Sixty news five hours apart, from 2024-12-20 on; twelve notices, one a day."""
    path = tmp_path_factory.mktemp("news") / "news.duckdb"
    columns = "f AS ID, f::INTEGER AS FIRM, TIMESTAMP '2024-12-20 09:00' + INTERVAL (f * 5) HOUR AS PUBLISHED"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE wire AS SELECT {columns}, f * 3 AS MOOD FROM range(60) t(f)")
        days = columns.replace("20 09:00", "20").replace("(f * 5) HOUR", "(f) DAY")
        connection.execute(f"CREATE TABLE notice AS SELECT {days}, f * 3 AS MOOD FROM range(12) t(f)")
    return f"duckdb:///{path}"


def judged(news: str, table: str, condition: str) -> Certificate:
    sql = f"SELECT FIRM, MOOD FROM {table} WHERE {condition}"
    subject = Subject(Submission("sql", sql_code=sql, source="x"), news)
    return audit(subject, CATALOG, contract_at(date(2024, 12, 24)))


@pytest.mark.parametrize(
    ("table", "why"),
    [("wire", "as they may be by the catalog"), ("notice", "which these data never have (level L3)")],
)
def test_what_is_disclosed_in_the_day_and_left_out_is_told(news: str, table: str, why: str) -> None:
    found = judged(news, table, MIDNIGHT)
    assert found.verdict is Verdict.PASS, certificate_text(found)
    [warning] = found.warnings
    assert f"{table}: rows are disclosed in the afternoon of the as-of date, {why}" in warning


@pytest.mark.parametrize("table", ["wire", "notice"])
@pytest.mark.parametrize("condition", [NEXT_DAY, "CAST(PUBLISHED AS DATE) <= DATE '2024-12-24'"])
def test_the_whole_day_is_right(news: str, table: str, condition: str) -> None:
    found = judged(news, table, condition)
    assert (found.verdict, found.warnings) == (Verdict.PASS, []), certificate_text(found)


@pytest.mark.parametrize("table", ["wire", "notice"])
def test_the_first_moment_of_the_next_day_is_late(news: str, table: str) -> None:
    found = judged(news, table, "PUBLISHED <= DATE '2024-12-25'")
    assert found.requirements["A1"] == "FAIL", certificate_text(found)
