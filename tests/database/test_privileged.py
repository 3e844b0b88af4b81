"""A privileged login behind the URL: what the server would tell, and what a statement may know of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from finassay.database import QueryError, QueryPolicy, QueryRefused, connect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.servers import Server

WORDS = ("secret", "hidden", "payroll")  # a forbidden schema, its tables, their columns


@pytest.fixture(scope="module")
def maria(mariadb: Server) -> Iterator[tuple[Server, str]]:
    with mariadb.database("openly") as name, mariadb.database("secret") as other:
        mariadb.execute("CREATE TABLE prices (a INT PRIMARY KEY)", database=name)
        mariadb.execute("CREATE TABLE hidden (payroll INT PRIMARY KEY)", database=other)
        yield mariadb, mariadb.admin_url(name)


@pytest.fixture(scope="module")
def pg(postgres: Server) -> Iterator[tuple[Server, str]]:
    with postgres.database("openly") as name:
        postgres.execute(
            "CREATE TABLE prices (a INT PRIMARY KEY)",
            "COMMENT ON TABLE prices IS 'of the market'",
            "CREATE SCHEMA secret",
            "CREATE TYPE secret.mood AS ENUM ('hidden_mood')",
            "CREATE TABLE secret.hidden (payroll INT PRIMARY KEY DEFAULT 7, CONSTRAINT hidden_ok CHECK (payroll > 0))",
            "COMMENT ON TABLE secret.hidden IS 'hidden comment'",
            "CREATE VIEW secret.hidden_view AS SELECT * FROM secret.hidden",
            "ANALYZE",
            database=name,
        )
        yield postgres, postgres.admin_url(name)


MARIA = [
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM information_schema.columns",
    "SELECT * FROM information_schema.schemata",
    "SELECT * FROM information_schema.key_column_usage",
    "SELECT * FROM information_schema.table_constraints",
    "SELECT t.* FROM (SELECT 1 AS one) p LEFT JOIN INFORMATION_SCHEMA.STATISTICS AS t ON 1 = 1",
    "WITH x AS (SELECT * FROM information_schema.tables) SELECT * FROM x WHERE table_schema = 'secret'",
]
PG = [
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM information_schema.columns",
    "SELECT * FROM information_schema.schemata",
    "SELECT * FROM information_schema.key_column_usage",
    "SELECT * FROM information_schema.table_constraints",
    "SELECT * FROM information_schema.views",
    "SELECT * FROM pg_class",
    "SELECT * FROM pg_catalog.pg_attribute",
    "SELECT * FROM pg_namespace AS n",
    "SELECT * FROM pg_type",
    "SELECT * FROM pg_enum",
    "SELECT * FROM pg_constraint",
    "SELECT * FROM pg_description",
    "SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef",
    "SELECT * FROM pg_tables",
    "SELECT * FROM pg_views",
    "SELECT * FROM pg_indexes",
    "SELECT count(*), relname FROM prices, pg_class c, LATERAL (SELECT * FROM pg_namespace) n GROUP BY relname",
]


@pytest.mark.servers
@pytest.mark.parametrize("sql", MARIA)
def test_catalogs_of_mariadb_show_allowed_databases_only(maria: tuple[Server, str], sql: str) -> None:
    with connect(maria[1]) as database:
        everything = QueryPolicy(schemas=("openly", "secret"))
        assert "secret" in str(database.query(sql, policy=everything).table.to_pylist())
        shown = str(database.query(sql).table.to_pylist())
    for word in WORDS:
        assert word not in shown


@pytest.mark.servers
@pytest.mark.parametrize("sql", PG)
def test_catalogs_of_postgres_show_allowed_schemas_only(pg: tuple[Server, str], sql: str) -> None:
    with connect(pg[1]) as database:
        shown = str(database.query(sql).table.to_pylist())
    for word in WORDS:
        assert word not in shown


@pytest.mark.servers
def test_what_is_allowed_is_still_described(maria: tuple[Server, str], pg: tuple[Server, str]) -> None:
    with connect(maria[1]) as database:
        names = database.query(
            "SELECT table_name AS n FROM information_schema.tables WHERE table_schema = DATABASE()"
        )
        assert names.table.to_pylist() == [{"n": "prices"}]
        assert database.query("SELECT @@version AS v").table["v"][0].as_py()
    with connect(pg[1]) as database:
        found = database.query(
            "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) AS type, d.description, i.indisprimary "
            "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid "
            "JOIN pg_index i ON i.indrelid = c.oid LEFT JOIN pg_description d ON d.objoid = c.oid "
            "WHERE n.nspname = 'public' AND a.attnum > 0"
        )
        assert found.table.to_pylist() == [
            {"relname": "prices", "attname": "a", "type": "integer", "description": "of the market",
             "indisprimary": True}
        ]  # fmt: skip


@pytest.mark.servers
def test_a_plan_cannot_count_what_is_hidden(pg: tuple[Server, str]) -> None:
    """EXPLAIN ANALYZE would run the statement past the rewriting."""
    with connect(pg[1]) as database, pytest.raises(QueryRefused) as caught:
        database.query("EXPLAIN ANALYZE SELECT * FROM pg_class WHERE relname = 'hidden'")
    assert caught.value.reason == "schema_not_allowed"


@pytest.mark.servers
def test_secrets_of_the_server_are_refused_though_the_login_may_read_them(
    maria: tuple[Server, str], pg: tuple[Server, str]
) -> None:
    refused = [
        (maria[1], "SELECT info FROM information_schema.processlist"),
        (maria[1], "SELECT @@datadir"),
        (maria[1], "SELECT GET_LOCK('finassay', 0)"),
        (pg[1], "SELECT rolpassword FROM pg_authid"),
        (pg[1], "SELECT most_common_vals FROM pg_stats"),
        (pg[1], "SELECT query FROM pg_stat_activity"),
        (pg[1], "SELECT current_setting('data_directory')"),
        (pg[1], "SELECT pg_advisory_lock(1)"),
    ]
    for url, sql in refused:
        with connect(url) as database, pytest.raises(QueryRefused):
            database.query(sql)


@pytest.mark.servers
def test_the_refused_statements_would_have_told(pg: tuple[Server, str], maria: tuple[Server, str]) -> None:
    """The same statements on the servers themselves: there is something to refuse."""
    import psycopg
    import pymysql

    with psycopg.connect(**pg[0].driver_arguments("openly")) as there:
        [(verifier,)] = there.execute("SELECT rolpassword FROM pg_authid WHERE rolname = 'admin'").fetchall()
        assert verifier.startswith("SCRAM-SHA-256$")
    with pymysql.connect(**maria[0].driver_arguments("openly")) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT @@datadir")
        assert cursor.fetchone()[0].startswith("/")


@pytest.mark.parametrize("sql", [
    "SELECT * FROM information_schema.tables", "FROM information_schema.columns",
    "SELECT t.table_name FROM information_schema.tables t", "SELECT * FROM information_schema.schemata",
])  # fmt: skip
def test_catalogs_of_duckdb_show_allowed_schemas_and_no_path(tmp_path: Path, sql: str) -> None:
    path = tmp_path / "market.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute(
            "CREATE TABLE prices (a INT); CREATE SCHEMA secret; CREATE TABLE secret.hidden (payroll INT)"
        )
    with connect(path) as database:
        everything = QueryPolicy(schemas=("main", "secret"))
        whole = str(database.query(sql, policy=everything).table.to_pylist())
        assert any(word in whole for word in WORDS)
        shown = str(database.query(sql).table.to_pylist())
    assert "prices" in shown or "main" in shown
    for word in (*WORDS, str(tmp_path)):
        assert word not in shown


def test_a_plan_over_files_does_not_name_them(tmp_path: Path) -> None:
    """EXPLAIN ANALYZE lists the files it read; EXPLAIN does not."""
    duckdb.sql("SELECT 1 AS a").write_parquet(str(tmp_path / "prices.parquet"))
    with connect(tmp_path) as database:
        assert str(tmp_path) not in str(database.query("EXPLAIN SELECT * FROM prices").table.to_pylist())
        with pytest.raises(QueryRefused) as caught:
            database.query("EXPLAIN ANALYZE SELECT * FROM prices")
        assert caught.value.reason == "file_access"
        with pytest.raises(QueryError):
            database.query("SELECT filename FROM prices")
