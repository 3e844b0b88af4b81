"""Statements about the session: what clients send by themselves is accepted, what would do something is refused."""

from __future__ import annotations

import pytest

from finassay.database import QueryPolicy
from finassay.execution._broker import Broker

from .test_protocols import mysql_client, postgres_client

MYSQL_REFUSED = [
    ("BEGIN; DELETE FROM prices", "several_statements"),
    ("begin ; delete from prices", "several_statements"),
    ("COMMIT; DROP TABLE prices", "several_statements"),
    ("ROLLBACK; SELECT 1", "several_statements"),
    ("SET autocommit=0; INSERT INTO prices VALUES (1)", "several_statements"),
    ("SET NAMES utf8mb4; DELETE FROM prices", "several_statements"),
    ("LOCK TABLES prices WRITE; DELETE FROM prices", "several_statements"),
    ("UNLOCK TABLES; DELETE FROM prices", "several_statements"),
    ("USE market; DELETE FROM prices", "several_statements"),
    ("SHOW TABLES; DELETE FROM prices", "several_statements"),
    ("SELECT VERSION(); DELETE FROM prices", "several_statements"),
    ("SELECT @@version; SELECT COUNT(*) FROM information_schema.tables", "several_statements"),
    ("SAVEPOINT a; DELETE FROM prices", "several_statements"),
    ("LOCK TABLES prices WRITE", "not_read_only"),
    ("/*!50000 DROP TABLE prices */", "executable_comment"),
    ("SET GLOBAL max_connections = 1", "not_read_only"),
    ("SET @@global.general_log = 1", "not_read_only"),
    ("SET PASSWORD = 'x'", "not_read_only"),
    ("SET PASSWORD FOR root@localhost = PASSWORD('x')", "not_read_only"),
    ("SET ROLE admin", "not_read_only"),
    ("SET DEFAULT ROLE admin", "not_read_only"),
    ("SET PERSIST max_connections = 1", "not_read_only"),
    ("SET autocommit = 1, GLOBAL max_connections = 1", "not_read_only"),
    ("SET max_statement_time = 0", "not_read_only"),
    ("SET SESSION max_execution_time = 0", "not_read_only"),
    ("SET SESSION TRANSACTION READ WRITE", "not_read_only"),
    ("SET sql_select_limit = 1", "not_read_only"),
    ("USE secret", "schema_not_allowed"),
    ("USE `secret`", "schema_not_allowed"),
    ("SHOW TABLES FROM secret", "schema_not_allowed"),
    ("SHOW FULL TABLES IN `secret` LIKE 'p%'", "schema_not_allowed"),
    ("SHOW COLUMNS FROM prices FROM secret", "schema_not_allowed"),
    ("SHOW COLUMNS FROM secret.prices", "schema_not_allowed"),
    ("SHOW CREATE TABLE secret.prices", "schema_not_allowed"),
    ("SHOW INDEX FROM prices FROM secret", "schema_not_allowed"),
    ("SHOW TABLE STATUS FROM secret", "schema_not_allowed"),
    ("DESCRIBE secret.prices", "schema_not_allowed"),
    ("SELECT * FROM secret.prices", "schema_not_allowed"),
    ("SELECT @@datadir", "not_allowed"),
    ("SELECT * FROM information_schema.processlist", "schema_not_allowed"),
    ("SELECT * FROM mysql.user", "schema_not_allowed"),
    ("SELECT GET_LOCK('a', 1)", "not_read_only"),
]
MYSQL_ACCEPTED = [
    "SET NAMES utf8mb4",
    "SET NAMES 'utf8mb4' COLLATE 'utf8mb4_general_ci'",
    "SET autocommit=0",
    "SET @@session.autocommit = OFF",
    "SET character_set_results = NULL, sql_mode = 'STRICT_TRANS_TABLES,ONLY_FULL_GROUP_BY'",
    "SET SESSION time_zone = '+00:00'",
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "SET SESSION TRANSACTION READ ONLY",
    "BEGIN",
    "START TRANSACTION READ ONLY;",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT a",
    "ROLLBACK TO SAVEPOINT a",
    "RELEASE SAVEPOINT a",
    "USE market",
]
POSTGRES_REFUSED = [
    ("BEGIN; DELETE FROM prices", "several_statements"),
    ("COMMIT; DROP TABLE prices", "several_statements"),
    ("ROLLBACK; SELECT 1", "several_statements"),
    ("SAVEPOINT a; DELETE FROM prices", "several_statements"),
    ("SET extra_float_digits = 3; DELETE FROM prices", "several_statements"),
    ("RESET ALL; DELETE FROM prices", "several_statements"),
    ("DISCARD ALL; DELETE FROM prices", "several_statements"),
    ("SHOW search_path; DELETE FROM prices", "several_statements"),
    ("SELECT version(); DELETE FROM prices", "several_statements"),
    ("SELECT count(*) FROM pg_class; DELETE FROM prices", "several_statements"),
    ("DECLARE c CURSOR FOR SELECT 1; DELETE FROM prices", "several_statements"),
    ("LISTEN news", "not_read_only"),
    ("SET ROLE admin", "not_read_only"),
    ("SET SESSION AUTHORIZATION admin", "not_read_only"),
    ("SET statement_timeout = 0", "not_read_only"),
    ("SET default_transaction_read_only = off", "not_read_only"),
    ("SET TRANSACTION READ WRITE", "not_read_only"),
    ("SET search_path TO secret", "schema_not_allowed"),
    ("SET search_path = public, secret", "schema_not_allowed"),
    ("SHOW data_directory", "not_allowed"),
    ("SELECT current_setting('data_directory')", "not_allowed"),
]
POSTGRES_ACCEPTED = [
    "SET extra_float_digits = 3",
    "SET client_encoding TO 'UTF8'",
    "SET SESSION TIME ZONE 'UTC'",
    "SET TIME ZONE 'UTC'",
    "SET search_path TO public",
    "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "SET application_name = 'study; of prices'",
    "RESET ALL",
    "DISCARD ALL",
    "DEALLOCATE ALL",
    "BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY",
    "SAVEPOINT a",
    "ROLLBACK TO SAVEPOINT a",
    "RELEASE SAVEPOINT a",
    "COMMIT AND NO CHAIN",
    "START TRANSACTION READ ONLY",
    "END",
]


@pytest.fixture(scope="module", params=["duckdb", pytest.param("server", marks=pytest.mark.servers)])
def mysql_broker(request, tmp_path_factory, duckdb_url):
    url = duckdb_url if request.param == "duckdb" else request.getfixturevalue("mariadb_url")
    with Broker(
        url, socket_dir=tmp_path_factory.mktemp("m") / "s", policy=QueryPolicy(timeout_s=20)
    ) as broker:
        yield broker


@pytest.fixture(scope="module", params=["duckdb", pytest.param("server", marks=pytest.mark.servers)])
def postgres_broker(request, tmp_path_factory, duckdb_url):
    url = duckdb_url if request.param == "duckdb" else request.getfixturevalue("postgres_url")
    with Broker(
        url, socket_dir=tmp_path_factory.mktemp("p") / "s", policy=QueryPolicy(timeout_s=20)
    ) as broker:
        yield broker


# What the message of each reason says.
SAYS = {
    "several_statements": ("statements were sent where one is allowed",),
    "not_read_only": ("only read", "SET may only assign", "which does not", "locks that others"),
    "schema_not_allowed": ("may not be read", "may not be used", "and not to secret"),
    "not_allowed": ("may not be read: settings can tell",),
    "executable_comment": ("comment that the server executes",),
}


def check_refused(broker, sql: str, why: str) -> None:
    [record] = [record for record in broker.records() if record.sql == sql]
    assert record.status == "refused"
    assert any(words in record.error for words in SAYS[why])


@pytest.mark.parametrize(("sql", "why"), MYSQL_REFUSED)
def test_mysql_refuses_and_logs(mysql_broker, sql: str, why: str) -> None:
    import pymysql

    mysql_broker.reset()
    with mysql_client(mysql_broker, database="market") as client, client.cursor() as cursor:
        with pytest.raises(pymysql.MySQLError):
            cursor.execute(sql)
        cursor.execute("SELECT COUNT(*) FROM prices")
        assert cursor.fetchone() == (5,)
    check_refused(mysql_broker, sql, why)


@pytest.mark.parametrize("sql", MYSQL_ACCEPTED)
def test_mysql_accepts_what_clients_send(mysql_broker, sql: str) -> None:
    mysql_broker.reset()
    with mysql_client(mysql_broker, database="market") as client, client.cursor() as cursor:
        cursor.execute(sql)
        assert cursor.description is None
    record = mysql_broker.records()[-1]
    assert (record.sql, record.status, record.rows) == (sql, "ok", None)
    assert "without effect" in record.warnings[0]


def test_selecting_a_database_is_refused_where_it_is_another(mysql_broker) -> None:
    """COM_INIT_DB, which is no statement, and the name that was given when connecting."""
    import pymysql

    mysql_broker.reset()
    with mysql_client(mysql_broker, database="market") as client, client.cursor() as cursor:
        client.select_db("market")
        with pytest.raises(pymysql.MySQLError, match="secret may not be used"):
            client.select_db("secret")
        cursor.execute("SHOW TABLES FROM market")
        assert cursor.fetchall() == (("prices",),)
    assert [r.status for r in mysql_broker.records() if r.sql.startswith("USE")] == ["ok", "refused"]


@pytest.mark.parametrize("simple", [True, False])
@pytest.mark.parametrize(("sql", "why"), POSTGRES_REFUSED)
def test_postgres_refuses_and_logs(postgres_broker, sql: str, why: str, simple: bool) -> None:
    import psycopg

    postgres_broker.reset()
    with postgres_client(postgres_broker, autocommit=True) as client:
        cursor = psycopg.ClientCursor(client) if simple else client.cursor()
        with pytest.raises(psycopg.Error):
            cursor.execute(sql, prepare=None if simple else True)
        assert client.execute("SELECT COUNT(*) FROM prices").fetchone() == (5,)
    shown = sql.removeprefix("DECLARE c CURSOR FOR ")  # the statement of a cursor is what is logged
    check_refused(postgres_broker, shown, why)


def test_postgres_accepts_what_clients_send(postgres_broker) -> None:
    postgres_broker.reset()
    with postgres_client(postgres_broker, autocommit=True) as client:
        for sql in POSTGRES_ACCEPTED:
            client.execute(sql)
    records = postgres_broker.records()
    assert [record.sql for record in records] == POSTGRES_ACCEPTED
    assert {(record.status, record.rows) for record in records} == {("ok", None)}


@pytest.mark.parametrize(
    "sql", ["BEGIN; DELETE FROM prices", "COMMIT; DROP TABLE prices", "SELECT 1; SELECT 2"]
)
def test_the_native_route_takes_one_statement(broker, native, sql: str) -> None:
    with pytest.raises(native.DatabaseError) as caught:
        native.query(sql)
    assert caught.value.reason == "several_statements"
    assert [(record.sql, record.status) for record in broker.records()] == [(sql, "refused")]
