"""Mutants have one fault each, made where the program has something to go wrong, and the same ones every time."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
import sqlglot
from typer.testing import CliRunner

from finassay.audit import Certificate, Verdict
from finassay.audit._corpus import read_corpus
from finassay.audit._mutants import file_of, of_corpus, read_equivalents, write_mutants
from finassay.audit._mutations import OPERATORS, Mutation, mutations
from finassay.audit._mutations_sql import shifted
from finassay.cli import app
from finassay.core import InputError
from finassay.temporal import Catalog, catalog_yaml, load_catalog, parse_contract

CORPUS = Path(__file__).parents[2] / "corpus"
CONTRACT = parse_contract("contract: t\nas_of: {date: 2024-06-30}\nsources: [alert]\n")
SECTOR = """
SELECT s.FIRM, s.NAME FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY STARTS DESC) AS n
  FROM industry
  WHERE STARTS < DATE '2024-07-01') s
WHERE s.n = 1 AND s.NAME <> 'bank'
  AND (s.ENDS IS NULL OR s.ENDS > DATE '2024-06-30')
  AND NOT EXISTS (
    SELECT 1 FROM alert a WHERE a.FIRM = s.FIRM AND a.ANNOUNCED <= DATE '2024-06-30')
"""
PANDAS = '''"""A study."""
from db_connector import query_to_dataframe
DAY = "2024-06-30"
d = query_to_dataframe(f"SELECT * FROM report WHERE PUBLISHED <= '{DAY}' AND PERIOD = DATE '2024-03-31'")
d = d[d["PUBLISHED"] <= DAY]
result = d.sort_values(["PUBLISHED"], ascending=True).drop_duplicates("FIRM", keep="last")
'''


def made(text: str, catalog: Catalog, name: str = "p.sql") -> dict[str, list[Mutation]]:
    """Return mutants by operator."""
    found: dict[str, list[Mutation]] = {}
    for one in mutations(name, text, "duckdb", catalog, CONTRACT):
        found.setdefault(one.operator, []).append(one)
    return found


def plain(sql: str) -> str:
    return " ".join(sql.split())


def test_each_operator_makes_its_fault(catalog: Catalog) -> None:
    found = made(SECTOR, catalog)
    texts = {operator: [plain(one.text) for one in some] for operator, some in found.items()}
    assert any("a.ANNOUNCED" not in text for text in texts["guard_dropped"])
    assert any("STARTS <" not in text for text in texts["guard_dropped"])
    assert all("ENDS" not in text for text in texts["end_test_dropped"])
    assert any("'2024-07-02'" in text for text in texts["cutoff_day"])
    assert any("'2025-06-30'" in text for text in texts["cutoff_year"])
    assert any("STARTS <= CAST('2024-07-01' AS DATE)" in text for text in texts["boundary"])
    assert any("a.ANNOUNCED < CAST('2024-06-30' AS DATE)" in text for text in texts["boundary"])
    assert [("STARTS DESC" in text) for text in texts["order_flipped"]] == [False]
    assert any("a.STARTS <= " in text for text in texts["valid_time"])
    assert any("industry.NOW = 1" in text for text in texts["current_state_added"])
    assert all("s.n = 1" not in text for text in texts["rank_removed"])
    moved = texts["payload_before_rank"]
    assert any(0 <= text.find("NAME <> 'bank'") < text.index("s.n = 1") for text in moved)
    assert all("alert" not in text for text in texts["source_dropped"])
    assert {one.expected for one in found["rank_removed"]} == {("A3",)}
    assert all("omission" in one.expected for one in found["source_dropped"])


def test_the_end_is_replaced_by_todays_state_where_both_are_in_one_query(catalog: Catalog) -> None:
    sql = "SELECT FIRM FROM industry i WHERE STARTS <= DATE '2024-06-30' AND (ENDS IS NULL OR ENDS > DATE '2024-06-30')"
    (one,) = made(sql, catalog)["current_state_instead"]
    assert "i.NOW = 1" in one.text
    assert "ENDS" not in one.text
    assert one.expected == ("A2",)


def test_lines_and_words_say_where(catalog: Catalog) -> None:
    (one,) = made(SECTOR, catalog)["end_test_dropped"]
    assert one.line == 7
    assert one.says == "(s.ENDS IS NULL OR s.ENDS > CAST('2024-06-30' AS DATE))"


def test_mutants_are_the_same_every_time_and_each_is_there_once(catalog: Catalog) -> None:
    first = mutations("p.sql", SECTOR, "duckdb", catalog, CONTRACT)
    assert first == mutations("p.sql", SECTOR, "duckdb", catalog, CONTRACT)
    assert len({one.text for one in first}) == len({one.id for one in first}) == len(first)
    ranks = [list(OPERATORS).index(one.operator) for one in first]
    assert ranks == sorted(ranks)
    assert plain(sqlglot.parse_one(SECTOR, read="duckdb").sql("duckdb")) not in {
        plain(one.text) for one in first
    }


def test_mutants_run(catalog: Catalog, market: str) -> None:
    with duckdb.connect(market.removeprefix("duckdb:///"), read_only=True) as db:
        for one in mutations("p.sql", SECTOR, "duckdb", catalog, CONTRACT):
            db.execute(one.text).fetchall()


QUALIFIED = """
SELECT FIRM, NAME FROM industry WHERE STARTS < DATE '2024-07-01'
QUALIFY ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY STARTS DESC) = 1 AND NAME <> 'bank'
"""


def test_a_qualify_without_its_ranking_becomes_a_condition(catalog: Catalog, market: str) -> None:
    (one,) = made(QUALIFIED, catalog)["rank_removed"]
    assert "QUALIFY" not in one.text
    assert plain(one.text).endswith("WHERE STARTS < CAST('2024-07-01' AS DATE) AND NAME <> 'bank'")
    with duckdb.connect(market.removeprefix("duckdb:///"), read_only=True) as db:
        assert len(db.execute(one.text).fetchall()) > len(db.execute(QUALIFIED).fetchall())


def test_an_asof_join_keeps_its_order(catalog: Catalog, market: str) -> None:
    sql = """SELECT p.FIRM, r.PROFIT FROM price p ASOF JOIN report r
      ON r.FIRM = p.FIRM AND r.PUBLISHED <= p.DAY WHERE p.DAY <= DATE '2024-06-30'"""
    found = made(sql, catalog)
    assert [one.says for one in found["guard_dropped"]] == ["p.DAY <= CAST('2024-06-30' AS DATE)"]
    with duckdb.connect(market.removeprefix("duckdb:///"), read_only=True) as db:
        for one in mutations("p.sql", sql, "duckdb", catalog, CONTRACT):
            db.execute(one.text).fetchall()


ABOUT = {
    "each table has its own": (
        "SELECT * FROM report r JOIN alert a ON a.FIRM = r.FIRM AND a.ANNOUNCED < r.PUBLISHED",
        {"a.STARTS < r.PUBLISHED", "a.ANNOUNCED < r.PERIOD"},
    ),
    "what a query in between calls it": (
        "WITH x AS (SELECT PERIOD AS q, PUBLISHED AS seen FROM report) SELECT q FROM x WHERE seen < DATE '2024-07-01'",
        set(),  # `seen` is no name of the catalog's, so it is not looked at
    ),
    "the same name in between": (
        "WITH x AS (SELECT PERIOD AS q, PUBLISHED FROM report) SELECT q FROM x WHERE PUBLISHED < DATE '2024-07-01'",
        {"q < CAST('2024-07-01' AS DATE)"},
    ),
    "all that a query in between reads": (
        "SELECT y.FIRM FROM (SELECT *, 1 AS one FROM report) y WHERE y.PUBLISHED < DATE '2024-07-01'",
        {"y.PERIOD < CAST('2024-07-01' AS DATE)"},
    ),
    "asked whether it is there, or the same": (
        "SELECT FIRM FROM report r WHERE PUBLISHED IS NOT NULL AND PUBLISHED = (SELECT MAX(n.PUBLISHED) FROM report n)",
        set(),
    ),
    "not handed on": (
        "WITH x AS (SELECT FIRM, PUBLISHED FROM report) SELECT FIRM FROM x WHERE PUBLISHED < DATE '2024-07-01'",
        set(),
    ),
    "seen from inside": (
        "SELECT FIRM FROM report r WHERE EXISTS (SELECT 1 FROM alert WHERE r.PUBLISHED < DATE '2024-07-01')",
        {"r.PERIOD < CAST('2024-07-01' AS DATE)"},
    ),
}


@pytest.mark.parametrize(("sql", "expected"), ABOUT.values(), ids=ABOUT)
def test_what_a_row_is_about_is_of_its_own_table(sql: str, expected: set[str], catalog: Catalog) -> None:
    found = made(sql, catalog).get("valid_time", [])
    assert len(found) == len(expected)
    for text in expected:
        assert sum(text in plain(one.text) for one in found) == 1, text


def test_python_is_mutated_in_its_statements_and_in_itself(catalog: Catalog) -> None:
    found = made(PANDAS, catalog, "p.py")
    for some in found.values():
        for one in some:
            ast.parse(one.text)
    texts = {operator: [one.text for one in some] for operator, some in found.items()}
    statement = "PUBLISHED <= '{DAY}'"
    assert any(statement not in text for text in texts["guard_dropped"])  # in the f-string
    assert any('(d["PUBLISHED"] == d["PUBLISHED"])' in text for text in texts["guard_dropped"])
    assert any("'2024-07-01'" in text for text in texts["cutoff_day"])
    assert any("PUBLISHED < '{DAY}'" in text for text in texts["boundary"])
    assert any('d["PUBLISHED"] < DAY' in text for text in texts["boundary"])
    assert any('d["PERIOD"] <= DAY' in text for text in texts["valid_time"])
    assert any("keep='first'" in text for text in texts["order_flipped"])
    assert any("ascending=False" in text for text in texts["order_flipped"])
    assert {one.line for one in found["cutoff_day"]} == {3}


def test_a_notebook_is_mutated_cell_by_cell(catalog: Catalog) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["until 2024-06-30"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": [PANDAS]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": ["%time"]},
    ]
    whole = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    found = mutations("p.ipynb", whole, "duckdb", catalog, CONTRACT)
    assert len(found) == len(mutations("p.py", PANDAS, "duckdb", catalog, CONTRACT))
    assert json.loads(found[0].text)["cells"][0] == cells[0]


@pytest.mark.parametrize(
    ("text", "day", "year"),
    [
        ("2024-06-30", "2024-07-01", "2025-06-30"),
        ("20240630", "20240701", "20250630"),
        ("2024-06-30 00:00:00", "2024-07-01 00:00:00", "2025-06-30 00:00:00"),
        ("2024-02-29", None, None),  # no such day a year later
        ("2024-03-31", None, None),  # a period, no cutoff
        ("2024-06-31", None, None),
    ],
)
def test_only_cutoffs_are_moved_in_their_own_form(text: str, day: str | None, year: str | None) -> None:
    from datetime import date

    days = frozenset({date(2024, 6, 30), date(2024, 2, 29)})
    expected = None if day is None else {"cutoff_day": day, "cutoff_year": year}
    assert shifted(text, days) == expected


def test_faults_that_matter_are_killed(audited: Callable[..., Certificate], catalog: Catalog) -> None:
    """One of each kind, on a statement without redundant guards."""
    sql = """SELECT FIRM, PROFIT FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY PUBLISHED DESC) AS n
      FROM report WHERE PERIOD = DATE '2024-03-31' AND PUBLISHED < DATE '2024-07-01') WHERE n = 1"""
    assert audited(sql).verdict is Verdict.PASS
    for one in mutations("p.sql", sql, "duckdb", catalog, CONTRACT):
        found = audited(one.text)
        assert found.verdict is Verdict.FAIL, (one.operator, one.text)
        failed = {code.value for code, verdict in found.requirements.items() if verdict is Verdict.FAIL}
        assert failed & set(one.expected), (one.operator, failed)


def test_an_unreadable_program_is_bad_input(catalog: Catalog) -> None:
    with pytest.raises(InputError, match="cannot be read as duckdb"):
        mutations("p.sql", "SELECT FROM WHERE (", "duckdb", catalog, CONTRACT)
    with pytest.raises(InputError, match="no Python: line 1"):
        mutations("p.py", "def", "duckdb", catalog, CONTRACT)
    with pytest.raises(InputError, match=r"not of p\.txt"):
        mutations("p.txt", "x", "duckdb", catalog, CONTRACT)


def test_the_command_writes_each_mutant_and_a_list(tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "catalog.yaml").write_text(catalog_yaml(catalog), encoding="utf-8")
    (tmp_path / "p.sql").write_text(SECTOR, encoding="utf-8")
    to = tmp_path / "mutants"
    given = ["audit", "mutate", str(tmp_path / "p.sql"), "--as-of", "2024-06-30", "--dialect", "duckdb"]
    given += ["--catalog", str(tmp_path / "catalog.yaml"), "--to", str(to)]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    listed = json.loads((to / "mutants.json").read_text(encoding="utf-8"))
    assert {row["operator"] for row in listed} >= {"guard_dropped", "cutoff_day", "rank_removed"}
    assert {path.relative_to(to).as_posix() for path in to.rglob("*.sql")} == {row["file"] for row in listed}
    again = CliRunner().invoke(app, given)
    assert again.exit_code == 2
    assert "exists" in again.stderr


def test_a_mutants_file_is_named_by_operator_and_hash(tmp_path: Path, catalog: Catalog) -> None:
    found = mutations("t1/p.sql", SECTOR, "duckdb", catalog, CONTRACT)
    write_mutants(found, tmp_path / "out")
    for one in found:
        assert (tmp_path / "out" / file_of(one)).read_text(encoding="utf-8").strip() == one.text.strip()
        assert file_of(one).as_posix().startswith(f"t1/p/{one.operator}-")


def test_each_mutant_that_is_said_to_violate_nothing_is_made_today() -> None:
    """An id holds the hash of the text: where program, catalog or operators change, its mutants are read again."""
    read = read_equivalents(CORPUS / "equivalents.yaml")
    assert read
    programs = {one.id: one for one in read_corpus(CORPUS).programs}
    named = {name.partition("#")[0] for name in read}
    assert named <= programs.keys()
    # Nobody who reads survivors may read the half that is held out, and a violating program has no mutants
    assert all(programs[name].half == "tuned" and not programs[name].violating for name in named)
    made = {
        one.id for _, one in of_corpus([programs[name] for name in sorted(named)], load_catalog("gildata"))
    }
    assert read.keys() - made == set()
