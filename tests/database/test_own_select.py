"""SELECTs that finassay wrote itself are served as they are; those of anybody else are read first."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from finassay.database import OwnSelect, QueryRefused, connect

ODD = """SELECT "id", 'FROM "price"' AS "a ""b"" 'c'", "price" FROM "price" WHERE "price" > 1"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    path = tmp_path / "odd.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute(
            """CREATE TABLE "price" AS SELECT range AS id, 'x' AS "a ""b"" 'c'", range * 2 AS price FROM range(3)"""
        )
        db.execute("""CREATE TABLE "o""dd" AS SELECT 7 AS x""")
    return f"duckdb:///{path}"


@pytest.mark.parametrize("kind", [str, OwnSelect])
def test_only_the_table_after_from_is_taken_from_the_database(url: str, kind: type[str]) -> None:
    """Not the column of its name, nor what a text says; what is replaced does not read itself."""
    with connect(url) as database:
        database.replace({"price": kind(ODD)})
        rows = database.query("SELECT * FROM price ORDER BY id").table.to_pylist()
    assert [tuple(row.values()) for row in rows] == [(1, 'FROM "price"', 2), (2, 'FROM "price"', 4)]


def test_a_table_with_quotes_in_its_name_is_found(url: str) -> None:
    with connect(url) as database:
        database.replace({'o"dd': OwnSelect('SELECT "x" + 1 AS "x" FROM "o""dd"')})
        assert database.query('SELECT x FROM "o""dd"').table.to_pydict() == {"x": [8]}


def test_a_text_of_somebody_else_is_read_first(url: str, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("x\n1\n", encoding="utf-8")
    with connect(url) as database, pytest.raises(QueryRefused) as refused:
        database.replace({"price": f"SELECT * FROM read_csv('{tmp_path / 'secret.csv'}')"})
    assert refused.value.reason == "file_access"
