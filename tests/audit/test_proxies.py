"""A recording time that stands for the disclosure is met as it is: the lag of another column is not its own."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from finassay.audit import Subject, Verdict, audit
from finassay.execution import Submission
from finassay.temporal import parse_catalog, parse_contract

CATALOG = parse_catalog("""
catalog: values
format: 1
version: 1.0.0
tables:
  value:
    kind: report
    row_id: [id]
    key: [fund, day]
    availability: {column: day, lag_days: 1, proxy: recorded}
    versions: {per: [fund, day], order: [recorded, id]}
    columns:
      id: {role: key, max_null: 0}
      fund: key
      day: market_date
      recorded: recorded
      net: payload
""")
CONTRACT = """
contract: values
format: 1
as_of: {date: 2024-06-30}
version: latest
"""
LATEST = """
SELECT fund, net FROM value WHERE {known}
QUALIFY ROW_NUMBER() OVER (PARTITION BY fund ORDER BY day DESC, recorded DESC, id DESC) = 1"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    path = tmp_path / "values.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE value AS SELECT range AS id, range % 10 AS fund,"
            " DATE '2024-06-01' + CAST(range // 10 AS INTEGER) AS day,"
            " CAST(day AS TIMESTAMP) + INTERVAL 20 HOUR AS recorded, range * 7919 % 1009 AS net FROM range(600)"
        )
    return f"duckdb:///{path}"


@pytest.mark.parametrize(
    ("proxies", "known"),
    [
        (
            "recording_proxies: [value.recorded]\n",
            "recorded < TIMESTAMP '2024-07-01' AND day <= DATE '2024-06-15'",
        ),
        ("", "day < DATE '2024-06-30'"),
    ],
)
def test_what_was_recorded_or_known_by_the_cutoff_counts(url: str, proxies: str, known: str) -> None:
    submission = Submission("sql", sql_code=LATEST.format(known=known), source="s.sql")
    found = audit(Subject(submission, url), CATALOG, parse_contract(CONTRACT + proxies))
    assert found.verdict is Verdict.PASS, (found.witnesses, found.notes)


@pytest.mark.parametrize(
    ("proxies", "known"),
    [
        ("recording_proxies: [value.recorded]\n", "recorded <= TIMESTAMP '2024-07-01'"),
        ("", "day <= DATE '2024-06-30'"),
    ],
)
def test_a_day_too_much_is_found(url: str, proxies: str, known: str) -> None:
    submission = Submission("sql", sql_code=LATEST.format(known=known), source="s.sql")
    found = audit(Subject(submission, url), CATALOG, parse_contract(CONTRACT + proxies))
    assert found.verdict is Verdict.FAIL
