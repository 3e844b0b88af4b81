"""No statement sees past the as-of views: not by names, catalogs, functions, plans, statistics, errors or writes."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

from .conftest import KNOWN, MARKS, TABLES, WAYS, Proxy


def leaks(answer: object) -> list[str]:
    return [mark for mark in MARKS if mark in str(answer)]


EVERYWHERE = [
    line.replace("\\n", "\n")
    for line in Path(__file__).with_name("ways_round.sql").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("--")
]


@pytest.mark.servers
@pytest.mark.parametrize("sql", EVERYWHERE)
def test_no_answer_and_no_error_tells_what_was_not_known(proxy: Proxy, sql: str) -> None:
    error, rows = proxy.ask(sql)
    said = error.replace("LEAK()", "")  # the name of a function, as MySQL has it
    assert leaks(rows) == []
    assert leaks(said) == []
    # A name that is not served is not to be learned either, unless it stands in the statement itself.
    shown = {name for name in ("secret", "leaky", "leakier", "asof_other") if name not in sql.lower()}
    assert not [name for name in shown if name in f"{rows}{error}".lower()]
    if not error and "report" in sql.lower() and rows:  # what is served is still what was known
        assert proxy.ask("SELECT count(*), max(ID) FROM report")[1][0] == (KNOWN, KNOWN)


@pytest.mark.servers
def test_what_is_served_is_served(proxy: Proxy) -> None:
    """The proxy that refuses everything would pass the other tests."""
    assert proxy.rows("SELECT count(*), min(ID), max(ID) FROM report") == [(KNOWN, 1, KNOWN)]
    assert proxy.rows("SELECT STATUS, PRIVATE, TOUCHED FROM report WHERE ID = 1") == [(None, None, None)]
    [gone, open_, never] = proxy.rows("SELECT ID, UNTIL IS NULL, WHY, RECORDED IS NULL FROM stay ORDER BY ID")
    assert (gone[0], bool(gone[1]), gone[2], bool(gone[3])) == (1, False, "gone", True)
    assert (open_[0], bool(open_[1]), open_[2]) == (2, True, None)
    assert (never[0], bool(never[1]), never[2]) == (3, True, None)


# More than one row where one is wanted, for a row of `report` that was not known
_TWICE = "(SELECT stay.ID FROM stay WHERE report.ID >= 100) IS NULL"
ERRORS = {  # conditions that fail on a row of unknown content, and on no other
    "duckdb-mysql": [_TWICE, f"CODE IN (0, 1) AND {_TWICE}"],
    "duckdb-postgres": [
        "CASE WHEN NAME LIKE 'LEAK%' THEN CAST(NAME AS integer) ELSE 1 END = 1",
        _TWICE,
        "ID >= 1 AND CAST(replace(NAME, 'name', '') AS integer) > 0",
    ],
    "mariadb-mysql": [
        _TWICE,
        f"CODE IN (0, 1) AND {_TWICE}",
        "CASE WHEN AMOUNT = 987654 THEN exp(AMOUNT) ELSE 1 END = 1",
    ],
    "postgres-postgres": [
        "1 / (AMOUNT - 987654) < 1",
        "CASE WHEN NAME LIKE 'LEAK%' THEN NAME::integer ELSE 1 END = 1",
        "ID >= 1 AND 10 / (CASE WHEN ID >= 100 THEN 0 ELSE 1 END) = 10",
        "'x' !~ NAME",  # as cheap as the test of the date; LEAK( is no pattern
        _TWICE,
    ],
}


@pytest.mark.servers
@pytest.mark.parametrize("way", WAYS)
def test_no_condition_is_tried_on_a_row_that_was_not_known(way: str, proxies: Callable[[str], Proxy]) -> None:
    """An error of a condition would tell of the row; so each engine is kept from trying it too early."""
    for condition in ERRORS[way]:
        sql = f"SELECT count(*) FROM report WHERE {condition}"
        assert proxies(way).rows(sql) == [(KNOWN,)], sql


CLOCKS = {
    "mysql": [
        "SELECT NOW()", "SELECT CURDATE()", "SELECT CURRENT_DATE", "SELECT CURRENT_TIMESTAMP(6)", "SELECT SYSDATE()",
        "SELECT UTC_DATE", "SELECT UNIX_TIMESTAMP()", "SELECT LOCALTIME", "SELECT now ( )",
        "SELECT /* x */ NOW(/* y */)",
        "SELECT @@timestamp", "SELECT @@session.timestamp", "SET @d = NOW()", "SELECT @d := CURDATE()", "SELECT UUID()",
        "SELECT * FROM report WHERE PUBLISHED <= CURDATE() - INTERVAL 1 DAY", "SELECT version(), NOW()",
    ],
    "postgres": [
        "SELECT now()", "SELECT current_date", "SELECT CURRENT_TIMESTAMP(3)", "SELECT clock_timestamp()",
        "SELECT localtimestamp",
        "SELECT statement_timestamp()", "SELECT timeofday()", "SELECT 'now'::timestamp", "SELECT date 'today'",
        "SELECT 'yesterday'::date", "SELECT age(PUBLISHED) FROM report", "SELECT pg_catalog.now()", 'SELECT "now"()',
        "SELECT * FROM report WHERE PUBLISHED < 'tomorrow'", "SELECT version(), now()", "COPY (SELECT now()) TO STDOUT",
        "DECLARE c CURSOR FOR SELECT now()",
    ],
}  # fmt: skip


@pytest.mark.servers
@pytest.mark.parametrize("way", WAYS)
def test_a_table_under_its_longer_names_is_the_one_served(way: str, proxies: Callable[[str], Proxy]) -> None:
    proxy = proxies(way)
    names = {
        "duckdb-mysql": ["main.report", "market.report", "market.main.report"],
        "duckdb-postgres": ["main.report", "market.report", 'market."main".REPORT'],
        "mariadb-mysql": ["asof_market.report"],
        "postgres-postgres": ["asof_market.public.report", "ONLY report", "ONLY (public.report)", "report *"],
    }
    for name in names[way]:
        assert proxy.rows(f"SELECT COUNT(*) FROM {name}") == [(KNOWN,)], name
    if way == "postgres-postgres":
        assert len(proxy.rows("TABLE ONLY asof_market.public.report")) == KNOWN


@pytest.mark.servers
def test_the_clock_is_refused_with_the_as_of_date(proxy: Proxy) -> None:
    for sql in CLOCKS[proxy.protocol]:
        error, rows = proxy.ask(sql)
        assert "as of 2024-02-29" in error, (sql, error, rows)
        assert rows == []
    for sql in ("SELECT 'now' AS now" if proxy.protocol == "mysql" else "SELECT 'nowhere' AS now",):
        assert len(proxy.rows(sql)) == 1


@pytest.mark.servers
def test_prepared_statements_and_parameters_see_no_more(proxy: Proxy) -> None:
    if proxy.protocol == "mysql":
        return  # pymysql binds in the client; the binary protocol is met in test_clients
    import psycopg

    with proxy.postgres() as client, client.cursor() as cursor:
        cursor.execute("SELECT NAME FROM report WHERE AMOUNT >= %s ORDER BY ID", (0,), prepare=True)
        assert len(cursor.fetchall()) == KNOWN
        for sql in (
            "SELECT * FROM secret WHERE ID = %s",
            "SELECT * FROM report, secret WHERE report.ID = %s",
        ):
            with pytest.raises(psycopg.Error), contextlib.closing(client.cursor()) as other:
                other.execute(sql, (1,), prepare=True)
        cursor.execute("SELECT %s::text", ("x'; SELECT * FROM secret; --",))
        assert cursor.fetchone() == ("x'; SELECT * FROM secret; --",)


@pytest.mark.servers
def test_only_what_is_served_is_listed(proxy: Proxy) -> None:
    schema = proxy.server.served.schema if proxy.protocol == "mysql" else "public"
    listed = proxy.rows(f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}'")
    assert sorted(name for (name,) in listed) == sorted(TABLES)
    if proxy.protocol == "mysql":
        assert sorted(name for (name,) in proxy.rows("SHOW TABLES")) == sorted(TABLES)
        assert {row[2] for row in proxy.rows("SHOW TABLE STATUS")} == {None}  # rows
        assert proxy.rows("SELECT table_rows FROM information_schema.tables WHERE table_name = 'report'") == [
            (None,)
        ]
    else:
        found = proxy.rows("SELECT relname, reltuples FROM pg_catalog.pg_class WHERE relkind = 'r'")
        assert dict(found) == dict.fromkeys(TABLES, -1)


@pytest.mark.servers
def test_nothing_was_written(proxy: Proxy, request: pytest.FixtureRequest) -> None:
    from finassay.database import connect

    for sql in ("DELETE FROM report", "DROP TABLE secret", "UPDATE report SET NAME = 'x'"):
        assert proxy.ask(sql)[0]
    with connect(request.getfixturevalue(f"{proxy.engine}_market")) as database:
        table = database.query("SELECT count(*) AS n, max(NAME) AS m FROM report").table
        assert table.to_pylist()[0]["n"] == sum(int(mark) for mark in MARKS if mark == str(1007))
        assert database.query("SELECT count(*) AS n FROM secret").table.to_pylist() == [{"n": 1}]
