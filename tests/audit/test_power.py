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
BONDS = parse_catalog("""
catalog: bonds
format: 1
version: 1.0.0
tables:
  cut:
    kind: event
    row_id: [id]
    key: [bond, day]
    availability: {column: day}
    columns: {id: {role: key, max_null: 0}, bond: key, day: disclosure, price: payload}
  called:
    kind: event
    row_id: [id]
    key: [bond]
    availability: {column: told}
    columns: {id: {role: key, max_null: 0}, bond: key, told: disclosure}
  code:
    kind: entity
    row_id: [id]
    key: [bond]
    availability: {column: listed}
    columns: {id: {role: key, max_null: 0}, bond: key, listed: disclosure, name: payload}
""")
EVENTS = """
contract: bonds
format: 1
decisions: {every: event, from: 2024-01-01, to: 2024-06-30, column: notice}
sources: [cut, called]
"""
UNCALLED = """
SELECT c.day AS notice, c.bond, c.price
FROM cut AS c LEFT JOIN (SELECT bond, MIN(told) AS first_call FROM called GROUP BY bond) AS k ON k.bond = c.bond
WHERE c.day BETWEEN DATE '2024-01-01' AND DATE '2024-06-30'
  AND COALESCE(k.first_call, DATE '2999-12-31') > c.day"""
LOOKED_UP = """
from db_connector import query_to_dataframe
cuts = query_to_dataframe("SELECT bond, day AS notice, price FROM cut WHERE day BETWEEN '2024-01-01' AND '2024-06-30'")
calls = query_to_dataframe("SELECT bond, told FROM called")
codes = query_to_dataframe("SELECT bond, listed FROM code").set_index("bond")
called = [((calls.bond == r.bond) & (calls.told <= r.notice)).any() for r in cuts.itertuples()]
known = [codes.loc[r.bond].listed is not None for r in cuts.itertuples()]
result = cuts[[k and not c for k, c in zip(known, called)]]
"""
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


@pytest.fixture
def bonds(tmp_path: Path) -> str:
    path = tmp_path / "bonds.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE cut AS SELECT range AS id, range % 30 AS bond, DATE '2024-01-05' + CAST(range * 2 AS INTEGER)"
            " AS day, 10 + range % 7 AS price FROM range(120) UNION ALL"
            " SELECT 120 + range, 30 + range, DATE '2024-08-01', 12 FROM range(5);"
            "CREATE TABLE called AS SELECT range AS id, range * 2 AS bond,"
            " DATE '2024-02-01' + CAST(range * 9 AS INTEGER) AS told FROM range(15);"
            "CREATE TABLE code AS SELECT range AS id, range AS bond, DATE '2020-01-01' AS listed, 'b' || range AS name"
            " FROM range(35)"
        )
    return f"duckdb:///{path}"


def _of_bonds(submission: Submission, url: str) -> Certificate:
    return audit(Subject(submission, url), BONDS, parse_contract(EVENTS))


def test_an_order_of_two_times_is_no_guard_though_one_has_another_name(bonds: str) -> None:
    found = _of_bonds(Submission("sql", sql_code=UNCALLED, source="s.sql"), bonds)
    assert found.verdict is Verdict.PASS, found.notes


def test_a_table_in_which_every_row_is_looked_up_need_not_matter_otherwise(bonds: str) -> None:
    found = _of_bonds(Submission("python", python_code=LOOKED_UP, source="p.py"), bonds)
    assert found.verdict is Verdict.PASS, found.notes


def test_a_guard_of_a_table_on_which_nothing_hangs_is_not_weighed(bonds: str) -> None:
    sql = (
        "SELECT bond, price FROM cut WHERE day <= DATE '2024-06-30'"
        " UNION ALL SELECT c.bond, 0 FROM called AS c WHERE c.bond < 0 AND c.told <= DATE '2024-06-30'"
    )
    subject = Subject(Submission("sql", sql_code=sql, source="s.sql"), bonds)
    found = audit(subject, BONDS, parse_contract(AS_OF))
    assert found.verdict is Verdict.PASS, found.notes
    assert found.power is not None
    assert [one.guard for one in found.power.redundant] == ["c.told <= CAST('2024-06-30' AS DATE)"]


LAST_KNOWN = """
SELECT c.bond, c.price
FROM cut AS c
JOIN (SELECT bond, MAX(day) AS day FROM cut WHERE day <= DATE '2024-06-30' GROUP BY bond) AS m
  ON m.bond = c.bond AND m.day = c.day
WHERE c.day <= DATE '2024-06-30'"""
KNOWN_BONDS = """
WITH known AS (SELECT DISTINCT bond FROM cut WHERE day <= DATE '2024-06-30')
SELECT c.bond, MAX(c.price) AS top FROM cut AS c JOIN known AS k ON k.bond = c.bond
WHERE c.day <= DATE '2024-06-30' GROUP BY c.bond"""


@pytest.mark.parametrize("sql", [LAST_KNOWN, KNOWN_BONDS], ids=["the last day of known rows", "known bonds"])
def test_a_bound_that_another_repeats_is_no_hole(bonds: str, sql: str) -> None:
    subject = Subject(Submission("sql", sql_code=sql, source="s.sql"), bonds)
    found = audit(subject, BONDS, parse_contract(AS_OF))
    assert found.verdict is Verdict.PASS, found.notes


def test_the_day_of_a_later_outcome_is_no_guard(bonds: str) -> None:
    sql = (
        "SELECT a.bond, a.price, b.price AS later FROM cut AS a"
        " LEFT JOIN cut AS b ON b.bond = a.bond AND b.day = DATE '2024-07-05' WHERE a.day = DATE '2024-06-29'"
    )
    subject = Subject(Submission("sql", sql_code=sql, source="s.sql"), bonds)
    found = audit(subject, BONDS, parse_contract(AS_OF + "labels: [later]\n"))
    assert found.verdict is Verdict.PASS, found.notes


RATED = """
contract: rated
format: 1
as_of: {date: 2024-06-30}
"""
RATINGS = parse_catalog("""
catalog: ratings
format: 1
version: 1.0.0
tables:
  rating:
    kind: state
    row_id: [id]
    key: [bond, since]
    availability: {column: told}
    valid: {from: since}
    versions: {per: [bond], order: [since, id]}
    columns: {id: {role: key, max_null: 0}, bond: key, told: disclosure, since: effective_from, grade: payload}
""")


def test_the_start_of_an_interval_is_noticed_though_each_grade_is_that_of_before(tmp_path: Path) -> None:
    path = tmp_path / "ratings.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE rating AS SELECT range AS id, range // 4 AS bond,"
            " DATE '2024-01-01' + CAST(range % 4 * 60 AS INTEGER) AS told,"
            " DATE '2024-01-02' + CAST(range % 4 * 60 AS INTEGER) AS since,"
            " CASE WHEN range // 4 % 2 = 0 THEN 'AA' ELSE 'AAA' END AS grade FROM range(80)"
        )
    sql = (
        "SELECT bond, grade FROM rating WHERE told <= DATE '2024-06-30' AND since <= DATE '2024-06-30'"
        " QUALIFY ROW_NUMBER() OVER (PARTITION BY bond ORDER BY since DESC, id DESC) = 1"
    )
    subject = Subject(Submission("sql", sql_code=sql, source="s.sql"), f"duckdb:///{path}")
    found = audit(subject, RATINGS, parse_contract(RATED))
    assert found.verdict is Verdict.PASS, found.notes
    assert found.power is not None
    assert (found.power.guards, found.power.noticed) == (2, 2)
    assert found.warnings == []
    with duckdb.connect(str(path)) as connection:
        connection.execute("ALTER TABLE rating ALTER id TYPE VARCHAR")
    told = audit(subject, RATINGS, parse_contract(RATED))
    assert told.power == found.power  # the audit numbers rows whose id is a text
    assert told.warnings == []
