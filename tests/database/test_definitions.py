"""Views and macros of a DuckDB database: an overlay is seen through them, in this process and in the jail's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from finassay.core import CandidateError
from finassay.database import QueryError, QueryRefused, connect, read_through

if TYPE_CHECKING:
    from pathlib import Path

MADE = """
CREATE TABLE price AS SELECT 1 AS firm, 2 AS close UNION ALL SELECT 2, 5;
CREATE VIEW later AS SELECT 1 AS x;
CREATE VIEW v (f, "odd AS name") AS SELECT firm, close FROM price WHERE close > 0;
CREATE OR REPLACE VIEW later AS SELECT MAX("odd AS name") AS x FROM v;
CREATE MACRO twice(x) AS 2 * x;
CREATE MACRO top(f) AS (SELECT MAX(close) FROM price WHERE firm = f);
CREATE MACRO form(a) AS a, (a, b) AS a + b;
CREATE MACRO rows_of(f) AS TABLE SELECT close FROM price WHERE firm = f;
CREATE MACRO added(a, b := 3) AS a + b;
CREATE MACRO loose(t) AS TABLE SELECT * FROM query_table(t);
CREATE SCHEMA other;
CREATE TABLE other.price AS SELECT 9 AS close;
CREATE VIEW elsewhere AS SELECT close FROM other.price
"""
SEEN = {
    'SELECT SUM("odd AS name") AS n FROM v': (7, 100),
    "SELECT x AS n FROM later": (5, 90),
    "SELECT twice(MAX(close)) AS n FROM price": (10, 180),
    "SELECT top(1) AS n": (2, 10),
    "SELECT form(1) + form(1, 2) AS n": (4, 4),
    "SELECT SUM(close) AS n FROM rows_of(2)": (5, 90),
    "SELECT SUM(close) AS n FROM main.price": (7, 100),
}
OVERLAY = {"price": "SELECT firm, CASE firm WHEN 1 THEN 10 ELSE 90 END AS close FROM price"}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("defined") / "core.duckdb"
    with duckdb.connect(str(made)) as own:
        own.execute(MADE)
    return made


@pytest.mark.parametrize(("sql", "values"), SEEN.items(), ids=SEEN)
def test_an_overlay_is_seen_through(path: Path, sql: str, values: tuple[int, int]) -> None:
    before, after = values
    with connect(path) as database:
        for overlays, value in (({}, before), (OVERLAY, after), ({}, before), (OVERLAY, after)):
            database.replace(overlays)
            assert database.query(sql).table.to_pylist() == [{"n": value}]


def test_an_overlay_of_the_view_itself_or_of_other_types(path: Path) -> None:
    with connect(path) as database:
        database.replace({"v": 'SELECT 1 AS f, 77 AS "odd AS name"'})
        assert database.query("SELECT x FROM later").table.to_pylist() == [{"x": 77}]
        database.replace({"price": "SELECT 1 AS firm, 2.5::DOUBLE AS close"})
        assert database.query("SELECT x FROM later").table.to_pylist() == [{"x": 2.5}]
        database.replace({"price": "SELECT 1 AS firm, 2 AS close"})
        assert database.query("SELECT x, top(1) AS y FROM later").table.to_pylist() == [{"x": 2, "y": 2}]


def test_what_would_run_any_text_or_read_elsewhere_is_not_served(path: Path) -> None:
    with connect(path) as database:
        for sql in ("SELECT * FROM loose('price')", "SELECT * FROM nothing('price')"):
            with pytest.raises(QueryRefused) as caught:
                database.query(sql)
            assert caught.value.reason == "file_access"
        database.replace(OVERLAY)
        with pytest.raises(QueryError):
            database.query("SELECT close FROM elsewhere")
    with connect(path, overlays=OVERLAY, sealed=True) as served:
        for sql in ("SELECT top(1)", "SELECT * FROM rows_of(1)", "SELECT * FROM v"):
            with pytest.raises(CandidateError):
                served.query(sql)


def test_the_tables_behind_a_statement(path: Path) -> None:
    with connect(path) as database:
        definitions = database.definitions()

    def behind(sql: str) -> tuple[set[str], list[str]]:
        found = read_through([("duckdb", sql)], definitions, "duckdb", "main")
        return set(found.tables), list(found.hidden)

    assert behind("SELECT x FROM later") == ({"price"}, [])
    assert behind("WITH v AS (SELECT 1 AS a) SELECT a FROM v") == (set(), [])
    assert behind("SELECT top(a) FROM firms") == ({"price", "firms"}, [])
    assert behind("SELECT top AS twice FROM firms") == ({"firms"}, [])
    assert behind("SELECT * FROM rows_of(2)") == ({"price"}, [])
    assert behind("SELECT added(1)") == (set(), ["the macro added"])
    assert behind("SELECT close FROM elsewhere") == (set(), ["the view elsewhere"])
    assert behind("SELECT * FROM loose('price')") == (set(), ["the table macro loose"])
    kept = read_through([("duckdb", "SELECT x FROM later")], definitions, "duckdb", "main", kept=["LATER"])
    assert set(kept.tables) == {"later"}
