"""One program run again and again: what is served changes between two runs, and nothing else stays."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest

from finassay.execution import Outcome, Repeater, Run, Submission, repeated

pytestmark = pytest.mark.jail

BROKER = """
from db_connector import query_to_dataframe
result = query_to_dataframe("SELECT symbol, price FROM quote ORDER BY symbol")
"""
FILE = """
import os
import duckdb
import pandas as pd
names = [os.environ["FINASSAY_DUCKDB"], "market.duckdb", "/data/market.duckdb"]
seen = []
for name in names:
    with duckdb.connect(name, read_only=True) as connection:
        seen += [
            connection.execute("SELECT symbol, price FROM quote ORDER BY symbol").df(),
            connection.sql("SELECT symbol, price FROM market.main.quote ORDER BY symbol").df(),
            connection.table("quote").project("symbol, price").order("symbol").df(),
        ]
assert all(seen[0].equals(other) for other in seen)
result = seen[0]
"""
NONE: dict[str, str] = {}
UP = {"quote": "SELECT symbol, price + 1 AS price FROM quote"}
ONE = {"quote": "SELECT * FROM quote WHERE symbol = 'B'"}


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A DuckDB file with two tables."""
    path = tmp_path_factory.mktemp("market") / "market.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE quote AS SELECT * FROM (VALUES ('A', 1), ('B', 2)) AS t(symbol, price)"
        )
        connection.execute("CREATE TABLE other AS SELECT 7 AS n")
    return f"duckdb:///{path}"


def rows(run: Run) -> list[tuple[str, int]]:
    assert run.trace.outcome is Outcome.OK, run.trace.error
    return [(row["symbol"], row["price"]) for row in run.tables[0].table.to_pylist()]


@pytest.mark.parametrize("code", [BROKER, FILE], ids=["broker", "file"])
def test_each_run_sees_its_own_overlays(market: str, code: str) -> None:
    with repeated(Submission("python", python_code=code), market) as program:
        seen = [rows(program.run(overlays)) for overlays in (NONE, UP, ONE, UP, NONE)]
    plain, up = [("A", 1), ("B", 2)], [("A", 2), ("B", 3)]
    assert seen == [plain, up, [("B", 2)], up, plain]


def test_statements_on_the_file_are_in_the_trace(market: str) -> None:
    with repeated(Submission("python", python_code=FILE), market) as program:
        program.run(NONE)
        found = program.run(UP)
    sent = [query.sql for query in found.trace.queries if query.route == "duckdb"]
    assert "SELECT symbol, price FROM quote ORDER BY symbol" in sent


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("SELECT * FROM finassay_base.main.quote", "behind"),
        ("CREATE TABLE mine AS SELECT 1 AS a", "read-only"),
        ("DROP VIEW quote", "read-only"),
    ],
)
def test_the_file_is_read_only_and_what_lies_behind_it_has_no_name(
    market: str, statement: str, word: str
) -> None:
    code = f"""
import duckdb
with duckdb.connect("market.duckdb", read_only=True) as connection:
    result = connection.execute({statement!r}).df()
"""
    with repeated(Submission("python", python_code=code), market) as program:
        error = ended(program, UP)
    assert word in error, error


def ended(program: Repeater, overlays: Mapping[str, str]) -> str:
    found = program.run(overlays)
    assert found.trace.error is not None
    return found.trace.error.message


def test_a_folder_is_copied_once_and_its_tables_replaced_like_others(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * FROM (VALUES ('A', 1), ('B', 2)) AS t(symbol, price)) TO '{tmp_path}/quote.parquet'"
        )
    code = """
import duckdb, os
with duckdb.connect(os.environ["FINASSAY_DUCKDB"], read_only=True) as connection:
    result = connection.execute("SELECT symbol, price FROM quote ORDER BY symbol").df()
"""
    with repeated(Submission("python", python_code=code), os.fspath(tmp_path)) as program:
        assert [rows(program.run(overlays)) for overlays in (NONE, ONE)] == [
            [("A", 1), ("B", 2)],
            [("B", 2)],
        ]
