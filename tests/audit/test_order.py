"""An order that hangs on what was not knowable is told; order itself is not judged."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from finassay.audit import Subject, Verdict, audit
from finassay.execution import Submission
from finassay.temporal import parse_catalog, parse_contract

CATALOG = parse_catalog("""
catalog: order
format: 1
version: 1.0.0
tables:
  price:
    kind: event
    row_id: [id]
    key: [firm, day]
    availability: {column: day}
    columns:
      id: {role: key, max_null: 0}
      firm: key
      day: market_date
      close: payload
""")
CONTRACT = parse_contract("contract: order\nformat: 1\nas_of: {date: 2024-06-30}\n")
KNOWN = "SELECT firm, MAX(close) AS high FROM price WHERE day <= DATE '2024-06-30' GROUP BY firm"
LATER = "(SELECT SUM(p.close) FROM price AS p WHERE p.firm = k.firm AND p.day > DATE '2024-06-30')"


@pytest.fixture
def url(tmp_path: Path) -> str:
    path = tmp_path / "price.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE price AS SELECT range AS id, range % 20 AS firm,"
            " DATE '2024-01-01' + CAST(range // 20 AS INTEGER) AS day,"
            " (range * 7919 % 1009) / 10.0 AS close FROM range(6000)"
        )
    return f"duckdb:///{path}"


def _warnings(sql: str, url: str) -> tuple[Verdict, list[str]]:
    found = audit(Subject(Submission("sql", sql_code=sql, source="s.sql"), url), CATALOG, CONTRACT)
    return found.verdict, [text for text in found.warnings if "another order" in text]


def test_rows_ordered_by_what_came_later_are_told(url: str) -> None:
    verdict, told = _warnings(f"SELECT firm, high FROM ({KNOWN}) AS k ORDER BY {LATER} DESC, firm", url)
    assert verdict is not Verdict.FAIL
    assert len(told) == 1
    assert "price" in told[0]
    assert "rank" in told[0]


def test_a_rank_by_what_came_later_is_judged(url: str) -> None:
    sql = f"SELECT firm, high, ROW_NUMBER() OVER (ORDER BY {LATER} DESC, firm) AS place FROM ({KNOWN}) AS k"
    assert _warnings(sql, url)[0] is Verdict.FAIL


@pytest.mark.parametrize("order", ["", "ORDER BY high DESC, firm", "ORDER BY firm % 2"])
def test_an_order_by_what_was_known_or_with_ties_is_not_told(url: str, order: str) -> None:
    assert _warnings(f"SELECT firm, high FROM ({KNOWN}) AS k {order}", url) == (Verdict.PASS, [])
