"""Rows followed through rewritten statements: the same answer, and the rows that went into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from finassay.audit import Certificate, certificate_text
from finassay.audit._carry import CARRIED, Untraceable, carrying

if TYPE_CHECKING:
    from finassay.database import Dialect

Audited = Callable[..., Certificate]
# Rows 3 and 4 of t are of interest. Firm 1 has rows 1 and 3, firm 2 has row 2, firm 3 has row 4.
T = "SELECT * FROM (VALUES (1, 1, 10), (2, 2, 20), (3, 1, 30), (4, 3, 40)) v(id, firm, x)"
FIRMS = "SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')) v(firm, name)"
MARKED = f"SELECT id, firm, x, CASE WHEN id > 2 THEN id END AS {CARRIED} FROM t"
COLUMNS = {"t": ["id", "firm", "x"], "firms": ["firm", "name"]}

# Each statement with the rows it gives and, by hand, the row of interest that each was made of
TRACED: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "a filter": ("SELECT firm, x FROM t WHERE x > 15", [(1, 30, 3), (2, 20, None), (3, 40, 4)]),
    "a star": ("SELECT * FROM t WHERE id < 4", [(1, 1, 10, None), (2, 2, 20, None), (3, 1, 30, 3)]),
    "a star of one": ("SELECT t.*, name FROM t JOIN firms USING (firm) WHERE id = 4", [(4, 3, 40, "c", 4)]),
    "a join": ("SELECT name, x FROM firms f LEFT JOIN t ON t.firm = f.firm AND x > 25",
        [("a", 30, 3), ("b", None, None), ("c", 40, 4), ("d", None, None)]),
    "a group": ("SELECT firm, SUM(x) AS s FROM t GROUP BY firm", [(1, 40, 3), (2, 20, None), (3, 40, 4)]),
    "all in one": ("SELECT COUNT(*) AS n FROM t", [(4, 4)]),
    "a group of a group": (
        "SELECT MAX(s) AS m FROM (SELECT firm, SUM(x) AS s FROM t WHERE firm < 3 GROUP BY firm)", [(40, 3)]),
    "a rank": (
        """SELECT firm, x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY firm ORDER BY id DESC) AS n FROM t) r
        WHERE n = 1""", [(1, 30, 3), (2, 20, None), (3, 40, 4)]),
    "qualify": ("SELECT firm, x FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY firm ORDER BY id) = 1",
        [(1, 10, None), (2, 20, None), (3, 40, 4)]),
    "common table expressions": (
        """WITH a AS (SELECT * FROM t), b AS (SELECT firm, MAX(x) AS m FROM a GROUP BY firm)
        SELECT m FROM b WHERE firm = 1""", [(30, 3)]),
    "distinct": ("SELECT DISTINCT firm FROM t ORDER BY firm LIMIT 2", [(1, 3), (2, None)]),
    "union all": ("SELECT firm FROM t WHERE id = 4 UNION ALL SELECT firm FROM firms WHERE firm = 4",
        [(3, 4), (4, None)]),
    "union": ("SELECT firm FROM t WHERE id < 4 UNION SELECT firm FROM firms WHERE firm = 2", [(1, 3), (2, None)]),
    "an aggregate in a window is no group": ("SELECT id, SUM(x) OVER () AS s FROM t WHERE id > 3", [(4, 40, 4)]),
    "the table twice": ("SELECT a.x, b.x AS y FROM t a JOIN t b ON a.firm = b.firm AND a.id < b.id", [(10, 30, 3)]),
    "its own name": ('SELECT "T".firm FROM t AS "T" WHERE id = 3', [(1, 3)]),
}  # fmt: skip


@pytest.fixture(scope="module")
def database() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t AS {T}; CREATE TABLE firms AS {FIRMS}")
    return connection


@pytest.mark.parametrize(("sql", "rows"), TRACED.values(), ids=TRACED)
def test_the_rows_stay_and_carry_what_they_were_made_of(
    database: duckdb.DuckDBPyConnection, sql: str, rows: list[tuple[Any, ...]]
) -> None:
    found = database.execute(carrying(sql, "duckdb", "t", MARKED, "duckdb", COLUMNS).sql).fetchall()
    assert sorted(found, key=str) == sorted(rows, key=str)
    plain = database.execute(sql).fetchall()
    assert sorted((row[:-1] for row in found), key=str) == sorted(plain, key=str)


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_stars_are_written_out_where_the_dialect_cannot_leave_out(dialect: Dialect) -> None:
    ranked = "SELECT t.*, ROW_NUMBER() OVER (ORDER BY id) AS n FROM t"
    sql = f"SELECT r.*, name FROM ({ranked}) AS r JOIN firms f ON f.firm = r.firm"
    found = carrying(sql, dialect, "t", MARKED, "duckdb", COLUMNS).sql
    assert "*" not in found
    with pytest.raises(Untraceable, match="not known"):
        carrying("SELECT * FROM t JOIN firms USING (firm)", dialect, "t", MARKED, "duckdb", COLUMNS)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT firm FROM firms WHERE firm IN (SELECT firm FROM t)", "in conditions only"),
        ("SELECT firm FROM t EXCEPT SELECT firm FROM firms", "EXCEPT"),
        ("WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 2 FROM r WHERE FALSE) SELECT * FROM r, t", "recursive"),
        ("SELECT DISTINCT ON (firm) firm, x FROM t ORDER BY firm, x", "DISTINCT ON"),
        ("SELECT 1; SELECT firm FROM t", "more than one"),
    ],
)  # fmt: skip
def test_what_is_not_rewritten_says_why(sql: str, why: str) -> None:
    with pytest.raises(Untraceable, match=why):
        carrying(sql, "duckdb", "t", MARKED, "duckdb", COLUMNS)


RANKED = """
SELECT FIRM, PROFIT FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY PUBLISHED DESC, ID DESC) AS n
  FROM report WHERE PERIOD = DATE '2024-03-31') WHERE n = 1"""


def test_a_witness_names_the_rows_that_were_used(audited: Audited) -> None:
    found = audited(RANKED)
    [witness] = found.witnesses
    assert witness.level == "L0"
    assert witness.provenance is not None
    # Firms 5 to 9 restated on 20 July
    assert witness.provenance.rows == 5
    use = witness.provenance.uses[0]
    assert (use.output, use.row["ID"]) == ("5 | 53", "205")
    assert use.says == "report row 205, disclosed 2024-07-20, used for cut-off 2024-06-30"
    assert "output row (5 | 53): report row 205, disclosed 2024-07-20" in certificate_text(found)


@pytest.mark.parametrize(
    ("sql", "grouped"),
    [
        ("SELECT firm, x FROM t", False),
        ("SELECT id, SUM(x) OVER () AS s FROM t", False),
        (
            "SELECT t.x FROM t JOIN (SELECT firm, COUNT(*) AS n FROM firms GROUP BY firm) f USING (firm)",
            False,
        ),
        ("SELECT firm, arg_min(x, id) AS x FROM t GROUP BY firm", True),
        ("SELECT MAX(x) AS x FROM t", True),
        ("SELECT x FROM (SELECT firm, first(x) AS x FROM t GROUP BY firm)", True),
        ("SELECT DISTINCT firm FROM t", True),
        ("SELECT firm FROM t UNION SELECT firm FROM firms", True),
    ],
)
def test_it_is_told_whether_a_row_is_one_of_a_group(sql: str, grouped: bool) -> None:
    assert carrying(sql, "duckdb", "t", MARKED, "duckdb", COLUMNS).grouped is grouped


@pytest.mark.parametrize(
    "picked", ["arg_min(PROFIT, PUBLISHED)", "arg_max(PROFIT, PUBLISHED)", "MIN(PROFIT)"]
)
def test_of_a_group_no_row_is_said_to_be_the_one(audited: Audited, picked: str) -> None:
    found = audited(f"SELECT FIRM, {picked} AS p, COUNT(*) AS n FROM report GROUP BY FIRM")
    uses = [use for witness in found.witnesses if witness.provenance for use in witness.provenance.uses]
    assert uses
    assert all("among the rows of its group for cut-off 2024-06-30" in use.says for use in uses)
    assert not any("used for" in use.says for use in uses)


def test_rows_without_a_number_are_named_by_their_key(audited: Audited) -> None:
    [witness] = audited("SELECT FIRM, MAX(CLOSE) AS high FROM price GROUP BY FIRM").witnesses
    assert witness.provenance is not None
    assert witness.provenance.rows == 20
    assert {use.says[:15] for use in witness.provenance.uses} == {"price row (FIRM"}
    assert all("DAY 2024-07-0" in use.says for use in witness.provenance.uses)


def test_superseded_rows_are_named_too(audited: Audited) -> None:
    bounded = RANKED.replace("'2024-03-31')", "'2024-03-31' AND PUBLISHED < DATE '2024-07-01')")
    [witness] = audited(bounded.replace("DESC", "ASC")).witnesses
    assert witness.requirement == "A3"
    assert witness.provenance is not None
    # Firms 0 to 4 had restated in May: their first versions no longer counted
    assert [use.row["ID"] for use in witness.provenance.uses] == ["100", "101", "102", "103", "104"]


def test_a_statement_that_is_not_rewritten_is_told(audited: Audited) -> None:
    found = audited(
        "SELECT DISTINCT ON (FIRM) FIRM, PROFIT FROM report ORDER BY FIRM, PUBLISHED DESC, ID DESC"
    )
    assert any(
        "rows not traced: The statement is not rewritten" in line
        for line in certificate_text(found).splitlines()
    )
    assert found.verdict == "FAIL", "the evidence is a layer of its own"


def test_what_the_data_do_not_show_has_a_lower_level(audited: Audited) -> None:
    day_late = RANKED.replace("'2024-03-31')", "'2024-03-31' AND PUBLISHED <= DATE '2024-07-01')")
    [witness] = audited(day_late).witnesses
    assert witness.level == "L1", "no report came out on that day, but reports have versions"
    [other] = audited(
        "SELECT FIRM, MAX(TOUCHED) AS t FROM report WHERE PUBLISHED < DATE '2024-07-01' GROUP BY 1"
    ).witnesses
    assert other.level == "L2"


def test_rows_are_named_in_a_translated_statement_too(audited: Audited) -> None:
    sql = """SELECT r.* FROM (
      SELECT FIRM, PROFIT, ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY PUBLISHED DESC, ID DESC) AS n
      FROM report WHERE PERIOD = '2024-03-31') AS r WHERE r.n = 1"""
    [witness] = audited(sql, dialect="mysql").witnesses
    assert witness.provenance is not None
    assert (witness.provenance.why, witness.provenance.rows) == (None, 5)
