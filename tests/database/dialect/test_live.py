"""Every construct, and seeded random expressions, against a MariaDB that runs now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from database.dialect import support
from database.dialect.random_sql import Generator

if TYPE_CHECKING:
    import duckdb

pytestmark = pytest.mark.servers
RANDOM_STATEMENTS = 1000
LAYERED_STATEMENTS = 500


@pytest.fixture(scope="module")
def connections(mariadb: Any) -> Iterator[tuple[Any, duckdb.DuckDBPyConnection]]:
    import pymysql

    with (
        mariadb.database("mysql_dialect") as database,
        pymysql.connect(**mariadb.driver_arguments(database), autocommit=True) as server,
        support.duckdb_connection() as local,
    ):
        support.fill(server)
        yield server, local


@pytest.mark.parametrize("kind", support.kinds())
def test_constructs_give_what_the_server_gives(connections: Any, kind: str) -> None:
    server, local = connections
    for sql in support.constructs(kind):
        expected, actual = support.on_mariadb(server, sql), support.on_duckdb(local, sql)
        verdict = support.verdict(sql, expected, actual)
        assert verdict != "different", f"{sql}\nserver: {expected.rows}\ntranslated: {actual.rows}"


def test_random_expressions_never_differ_silently(connections: Any) -> None:
    server, local = connections
    identical = 0
    for sql in Generator(seed=20260430).statements(RANDOM_STATEMENTS):
        expected, actual = support.on_mariadb(server, sql), support.on_duckdb(local, sql)
        verdict = support.verdict(sql, expected, actual)
        assert verdict != "different", f"{sql}\nserver: {expected.rows}\ntranslated: {actual.rows}"
        identical += verdict == "identical"
    assert identical > 0.9 * RANDOM_STATEMENTS


def test_layers_of_groups_and_windows_never_differ_silently(connections: Any) -> None:
    server, local = connections
    identical = 0
    for sql in Generator(seed=20260430).layered(LAYERED_STATEMENTS):
        expected, actual = support.on_mariadb(server, sql), support.on_duckdb(local, sql)
        verdict = support.verdict(sql, expected, actual)
        assert verdict != "different", f"{sql}\nserver: {expected.rows}\ntranslated: {actual.rows}"
        identical += verdict == "identical"
    assert identical > 0.95 * LAYERED_STATEMENTS
