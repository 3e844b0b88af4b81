"""What only servers have: rights, files on the server, modes that change the language, lost connections, views."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from finassay.database import DatabaseUnavailable, QueryError, QueryPolicy, QueryRefused, connect
from finassay.database._engine import BaseEngine
from support.servers import PASSWORD, QUOTED_PASSWORD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.servers import Server

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module", params=["mariadb", "postgres"])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[Server, str]]:
    found: Server = request.getfixturevalue(request.param)
    with found.database("rights") as name:
        found.execute("CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1), (2)", database=name)
        yield found, name


def test_an_administrator_cannot_write_either(server: tuple[Server, str]) -> None:
    """The connection may only read, whatever the user's rights."""
    found, name = server
    with connect(found.admin_url(name)) as database:
        assert isinstance(database, BaseEngine)
        for sql in (
            "INSERT INTO t VALUES (3)",
            "DELETE FROM t",
            "DROP TABLE t",
            "CREATE TABLE u (a INTEGER)",
        ):
            with pytest.raises(QueryError):
                database._run(sql, QueryPolicy(), (), sql)
        assert database.query("SELECT a FROM t ORDER BY a").table["a"].to_pylist() == [1, 2]


def test_a_lost_connection_is_reported_and_made_again(server: tuple[Server, str]) -> None:
    found, name = server
    with connect(found.reader_url(name)) as database:
        database.query("SELECT a FROM t")
        if found.kind == "mariadb":
            number = database.query("SELECT CONNECTION_ID() AS i").table["i"][0].as_py()
            found.execute(f"KILL {number}")
        else:
            number = database.query("SELECT pg_backend_pid() AS i").table["i"][0].as_py()
            found.execute(f"SELECT pg_terminate_backend({number})")
        time.sleep(0.2)
        with pytest.raises(DatabaseUnavailable):
            database.query("SELECT a FROM t")
        assert database.query("SELECT a FROM t").rows == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("reader", "nobody"), "password is wrong"),
        ((QUOTED_PASSWORD, "hunter2"), "password is wrong"),
        (("/rights", "/nowhere"), "nowhere"),
    ],
)
def test_a_wrong_login_says_what_is_wrong(
    server: tuple[Server, str], change: tuple[str, str], message: str
) -> None:
    found, name = server
    url = found.reader_url(name).replace(*change)
    with pytest.raises(DatabaseUnavailable, match=message) as caught:
        connect(url)
    for secret in (PASSWORD, QUOTED_PASSWORD, "hunter2"):
        assert secret not in str(caught.value)


def test_an_overlay_is_seen_through_views(server: tuple[Server, str]) -> None:
    found, name = server
    found.execute(
        "CREATE VIEW v (b) AS SELECT t.a FROM t WHERE t.a > 0",
        "CREATE VIEW w AS SELECT MAX(b) AS top FROM v",
        database=name,
    )
    with connect(found.reader_url(name)) as database:
        assert [(table.name, table.kind) for table in database.tables()] == [
            ("t", "table"),
            ("v", "view"),
            ("w", "view"),
        ]
        assert database.query("SELECT * FROM v").rows == 2
    with connect(found.reader_url(name), overlays={"t": "SELECT a FROM t WHERE a < 2;"}) as database:
        assert [table.name for table in database.tables()] == ["t", "v", "w"]
        assert database.query("SELECT * FROM t x JOIN t AS y ON x.a = y.a").rows == 1
        assert database.query("SELECT w.top, x.b FROM v AS x, w").table.to_pylist() == [{"top": 1, "b": 1}]
        database.replace({"v": "SELECT 7 AS b"})
        assert database.query("SELECT * FROM w").table.to_pylist() == [{"top": 7}]
    found.execute("DROP VIEW w", "DROP VIEW v", database=name)


@pytest.mark.parametrize("server", ["postgres"], indirect=True)
def test_a_view_that_holds_rows_is_refused_over_an_overlay(server: tuple[Server, str]) -> None:
    found, name = server
    found.execute("CREATE MATERIALIZED VIEW v AS SELECT a FROM t", database=name)
    with connect(found.reader_url(name)) as database:
        assert database.query("SELECT * FROM v").rows == 2
    with connect(found.reader_url(name), overlays={"t": "SELECT a FROM t WHERE a < 2;"}) as database:
        assert [table.name for table in database.tables()] == ["t"]
        with pytest.raises(QueryRefused) as caught:
            database.query("SELECT * FROM v")
        assert caught.value.reason == "view_over_overlay"
    found.execute("DROP MATERIALIZED VIEW v", database=name)


def test_an_overlay_keeps_the_rest_of_the_text(server: tuple[Server, str]) -> None:
    found, name = server
    with connect(
        found.reader_url(name), overlays={"t": "SELECT a FROM t WHERE a < 2 -- a comment"}
    ) as database:
        result = database.query("SELECT 't', t.a /* t */ FROM t -- t\nWHERE t.a IN (SELECT a FROM t)")
    quote = "`" if found.kind == "mariadb" else '"'
    subquery = f"(\nSELECT a FROM t WHERE a < 2 -- a comment\n) AS {quote}t{quote}"
    expected = f"SELECT 't', t.a /* t */ FROM {subquery} -- t\nWHERE t.a IN (SELECT a FROM {subquery})"
    assert result.executed_sql == expected
    assert result.rows == 1


HIDDEN = [
    "SELECT 1 /*! INTO OUTFILE '{}' */",
    "SELECT 1 /*!50000 INTO OUTFILE '{}' */",
    "SELECT 1 /*M! INTO OUTFILE '{}' */",
    "SELECT 1--1 INTO OUTFILE '{}'",
    "SELECT 1 -- \r /* \n INTO OUTFILE '{}' -- */",
    "SELECT 'a\\'' INTO OUTFILE '{}' -- '",
    "SELECT 1 INTO/**/OUTFILE '{}'",
]


@pytest.mark.parametrize("sql", HIDDEN)
def test_no_text_makes_the_server_write_a_file(mariadb: Server, sql: str) -> None:
    """Each of these writes a file where the server's user may; the last line shows that they do."""
    with tempfile.TemporaryDirectory(
        prefix="fa-"
    ) as name:  # short and open to the server's user, unlike tmp_path
        folder = Path(name)
        folder.chmod(0o777)
        with connect(mariadb.admin_url()) as database:
            with pytest.raises(QueryRefused):
                database.query(sql.format(folder / "written"))
            assert not (folder / "written").exists()
            assert isinstance(database, BaseEngine)
            database._run(sql.format(folder / "written"), QueryPolicy(), (), sql)
        assert (folder / "written").exists()


def test_modes_that_change_the_language_are_left_out(mariadb: Server) -> None:
    """With ANSI_QUOTES or NO_BACKSLASH_ESCAPES the server would read another statement than the one judged."""
    mariadb.execute(
        "SET GLOBAL sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,STRICT_TRANS_TABLES'"
    )
    try:
        with connect(mariadb.reader_url()) as database:
            mode = database.query("SELECT @@sql_mode AS m").table["m"][0].as_py()
            assert mode == "STRICT_TRANS_TABLES"
            assert database.query("SELECT \"text\" AS a, 'it\\'s' AS b").table.to_pylist() == [
                {"a": "text", "b": "it's"}
            ]
    finally:
        mariadb.execute("SET GLOBAL sql_mode = DEFAULT")


def test_user_variables_work_on_mysql(mariadb: Server) -> None:
    with connect(mariadb.reader_url()) as database:
        assert database.query("SET @x := 40 + 1").table.num_columns == 0
        assert database.query("SELECT @x + 1 AS a").table["a"].to_pylist() == [42]


def test_a_setting_cannot_outlive_its_statement(postgres: Server) -> None:
    """Each statement has a transaction of its own that is rolled back, and set_config is refused."""
    with connect(postgres.admin_url()) as database:
        assert isinstance(database, BaseEngine)
        sql = "SELECT set_config('default_transaction_read_only', 'off', false)"
        with pytest.raises(QueryRefused):
            database.query(sql)
        database._run(sql, QueryPolicy(), (), sql)
        assert database.query("SHOW default_transaction_read_only").table[0][0].as_py() == "on"


def test_several_statements_are_refused_by_the_protocol_too(server: tuple[Server, str]) -> None:
    found, name = server
    with connect(found.reader_url(name)) as database:
        assert isinstance(database, BaseEngine)
        with pytest.raises(QueryError):
            database._run("SELECT 1; SELECT 2", QueryPolicy(), (), "")


def test_a_view_over_a_table_that_is_gone_is_as_missing_as_what_it_reads(mariadb: Server) -> None:
    with mariadb.database("stale") as name:
        mariadb.execute(
            "CREATE TABLE gone (a INTEGER)",
            "CREATE TABLE prices (a INTEGER)",
            "CREATE VIEW stale AS SELECT a FROM gone",
            "CREATE VIEW fresh AS SELECT a FROM prices",
            "DROP TABLE gone",
            database=name,
        )
        with connect(mariadb.reader_url(name)) as database:
            assert [info.name for info in database.tables(count=True)] == ["fresh", "prices"]
            with pytest.raises(QueryError, match="prices"):
                database.query("SELECT a FROM price")
