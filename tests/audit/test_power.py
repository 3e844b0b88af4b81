"""What a PASS is worth: only guards of what is judged are weighed."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from finassay.audit import Certificate, Subject, Verdict, audit
from finassay.execution import Submission
from finassay.temporal import parse_catalog, parse_contract

CATALOG = parse_catalog("""
catalog: power
format: 1
version: 1.0.0
tables:
  fund:
    kind: entity
    row_id: [id]
    key: [fund]
    availability: {column: opened}
    valid: {start: opened, end: closed}
    columns:
      id: {role: key, max_null: 0}
      fund: key
      opened: disclosure
      closed: effective_to
      name: payload
""")
AS_OF = "contract: power\nformat: 1\nas_of: {date: 2024-06-30}\n"
ALIVE = "(closed IS NULL OR closed > DATE '2024-06-30')"
SQL = f"SELECT fund, name FROM fund WHERE opened <= DATE '2024-06-30' AND {ALIVE}"


@pytest.fixture
def url(tmp_path: Path) -> str:
    path = tmp_path / "funds.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE fund AS SELECT range AS id, range AS fund, DATE '2023-01-01' + CAST(range * 20 AS INTEGER)"
            " AS opened, CASE WHEN range % 5 = 0 THEN DATE '2024-01-01' + CAST(range * 10 AS INTEGER) END AS closed,"
            " 'fund ' || range AS name FROM range(40)"
        )
    return f"duckdb:///{path}"


def _audited(url: str, contract: str) -> Certificate:
    return audit(
        Subject(Submission("sql", sql_code=SQL, source="s.sql"), url), CATALOG, parse_contract(contract)
    )


def test_the_end_of_an_entity_that_nobody_asks_for_is_no_guard(url: str) -> None:
    found = _audited(url, AS_OF)
    assert found.verdict is Verdict.PASS
    assert found.power is not None
    assert (found.power.guards, found.power.noticed) == (1, 1)


def test_it_is_one_where_the_contract_asks_for_the_life_of_the_entities(url: str) -> None:
    found = _audited(url, AS_OF + "life: {table: fund, from: opened, to: closed}\n")
    assert found.verdict is Verdict.PASS
    assert found.power is not None
    assert (found.power.guards, found.power.noticed) == (2, 2)
