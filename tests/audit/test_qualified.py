"""Names with the database or its schema in front are the tables of the bare names; on servers see test_servers."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import pytest

from finassay.audit import Certificate, Verdict, certificate_text
from finassay.database import connect

Audited = Callable[..., Certificate]
LAST = "SELECT FIRM, MAX(CLOSE) AS TOP FROM {name} WHERE {day} <= DATE '2024-06-30' GROUP BY FIRM"


@pytest.mark.parametrize(
    "name", ["main.price", "small.main.price", 'SMALL."main".Price', "small.price", '"Small" . Price']
)
@pytest.mark.parametrize("dialect", [None, "postgres"])
def test_a_table_of_the_very_database(audited: Audited, name: str, dialect: str | None) -> None:
    valid = audited(LAST.format(name=name, day=f"{name}.DAY"), dialect=dialect)
    assert valid.verdict is Verdict.PASS, certificate_text(valid)
    [witness] = audited(
        f"SELECT FIRM, MAX(CLOSE) AS TOP FROM {name} GROUP BY FIRM", dialect=dialect
    ).witnesses
    assert (witness.requirement.value, witness.table) == ("A1", "price")


def test_the_database_before_a_table_in_the_dialect_where_that_is_usual(audited: Audited) -> None:
    sql = LAST.format(name="`small`.`price`", day="small.price.DAY")
    valid = audited(sql, dialect="mysql")
    assert valid.verdict is Verdict.PASS, certificate_text(valid)
    [witness] = audited(sql.replace("<=", ">="), dialect="mysql").witnesses
    assert witness.table == "price"


def test_the_name_of_the_database_may_be_that_of_something_else(audited: Audited) -> None:
    """An alias, a common table expression of the table's own name."""
    alias = LAST.replace("(CLOSE)", "(small.CLOSE)").format(name="small.price AS small", day="small.DAY")
    inside = f"WITH price AS ({LAST.format(name='small.price', day='DAY')}) SELECT price.TOP, price.FIRM FROM price"
    for sql in (alias, inside):
        assert audited(sql).verdict is Verdict.PASS, sql
    [witness] = audited(inside.replace("<=", "<>")).witnesses
    assert witness.table == "price"


@pytest.mark.parametrize(
    "name", ["other.price", "other.main.price", "small.other.price", "finassay_base.main.price"]
)
def test_a_table_of_another_database_is_refused(audited: Audited, name: str) -> None:
    found = audited(LAST.format(name=name, day="DAY"))
    assert (found.verdict, found.reasons) == (Verdict.UNKNOWN, ["program_failed"]), certificate_text(found)


@pytest.mark.parametrize("file", ["core.v1.duckdb", "main.duckdb", "My-Data.db"])
def test_the_name_of_a_file_is_the_one_that_duckdb_gives_it(tmp_path, file: str) -> None:
    path = tmp_path / file
    with duckdb.connect(str(path)) as own:
        own.execute("CREATE TABLE price AS SELECT 7 AS CLOSE")
        [(name,)] = own.execute("SELECT current_database()").fetchall()
    with connect(path) as database:
        sql = f'SELECT "{name}".main.price.CLOSE FROM "{name}".main.price'
        assert database.query(sql).table.to_pylist() == [{"CLOSE": 7}]
        database.replace({"price": "SELECT 8 AS CLOSE"})
        assert database.query(sql).table.to_pylist() == [{"CLOSE": 8}]
    with connect(path, overlays={"price": "SELECT 9 AS CLOSE"}, sealed=True) as served:
        assert served.query(sql).table.to_pylist() == [{"CLOSE": 9}]
