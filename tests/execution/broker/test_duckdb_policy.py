"""The policy holds for programs that open the task's database with DuckDB, and for what clients are told of schemas."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from finassay.database import QueryPolicy
from finassay.execution._broker import Broker
from finassay.execution._guest import duckdb_mount, guest_env, guest_files

from .test_protocols import mysql_client, postgres_client

if TYPE_CHECKING:
    from finassay.execution._types import QueryRecord

LIMITS = QueryPolicy(max_rows=1000, timeout_s=1.0)
OPEN = "import duckdb\nc = duckdb.connect('m.duckdb', read_only=True)\n"


@dataclass
class Market:
    """A file with a schema that may not be read, its broker, and programs beside them."""

    broker: Broker
    file: Path
    folder: Path
    url: str

    def run(self, program: str) -> tuple[str, str, list[QueryRecord]]:
        """Run a program; return its output, the last line of its errors and the statements."""
        self.broker.reset()
        env = guest_env("duckdb", "m", home=str(self.folder))
        done = subprocess.run(
            [sys.executable, "-c", f"import finassay_duckdb as d\nd.install()\n{program}"],
            env={
                **env,
                "FINASSAY_DUCKDB": str(self.file),
                "PYTHONPATH": str(self.folder),
                "PATH": os.environ["PATH"],
            },
            cwd=self.folder / "scratch",
            capture_output=True,
            text=True,
            check=False,
            timeout=50,
        )
        last = done.stderr.strip().rpartition("\n")[2] if done.returncode else ""
        return done.stdout.strip(), last if "Error" in last else done.stderr, self.broker.records()


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    import duckdb

    folder = tmp_path_factory.mktemp("m")
    for name in ("scratch", "copy"):
        (folder / name).mkdir()
    for name, path in guest_files().items():
        (folder / name).symlink_to(path)
    with duckdb.connect(str(folder / "m.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a, 2 AS b")
        connection.execute("CREATE TABLE big AS SELECT range AS i, range AS k FROM range(200000)")
        connection.execute("CREATE SCHEMA other")
        connection.execute("CREATE TABLE other.t AS SELECT 'x' AS b, 3 AS c, 4 AS d")
        connection.execute("CREATE TABLE other.secret AS SELECT 42 AS a")
    url = f"duckdb:///{folder / 'm.duckdb'}"
    file = duckdb_mount(url, None, folder / "copy")
    assert file is not None
    with Broker(url, socket_dir=folder / "sockets", policy=LIMITS) as broker:
        yield Market(broker, file, folder, url)


@pytest.mark.parametrize("call", ["execute", "sql"])
def test_another_schema_is_refused(market: Market, call: str) -> None:
    _, error, records = market.run(f"{OPEN}c.{call}('select * from other.secret').fetchall()")
    assert "The schema other may not be read" in error
    assert [(record.sql, record.status) for record in records] == [("select * from other.secret", "refused")]


def test_what_may_not_be_read_is_not_even_in_the_mounted_file(market: Market, tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(market.file), read_only=True) as connection:
        tables = connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() ORDER BY 2"
        ).fetchall()
    assert tables == [("main", "big"), ("main", "t")]
    with duckdb.connect(str(tmp_path / "plain.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    assert duckdb_mount(f"duckdb:///{tmp_path}/plain.duckdb", None, tmp_path) == tmp_path / "plain.duckdb"


@pytest.mark.parametrize(
    "fetch",
    [
        "c.execute('select i from big').fetchall()",
        "c.execute('select i from big').df()",
        "c.sql('select i from big').fetchall()",
        "c.sql('select i from big').pl()",
        "c.sql('select i from big').arrow().read_all()",
        "c.cursor().execute('select i from big').fetchmany(1001)",
        "r = c.execute('select i from big')\nwhile row := r.fetchone(): pass",
        "list(c.table('big').iter_rows())",
        "import pyarrow; pyarrow.table(c.table('big'))",
    ],
)
def test_more_rows_than_allowed_are_refused(market: Market, fetch: str) -> None:
    _, error, records = market.run(OPEN + fetch)
    assert "more than 1,000 rows" in error
    assert [record.status for record in records] == ["refused"]


def test_as_many_rows_as_allowed_are_fetched_by_every_way(market: Market) -> None:
    program = (
        f"{OPEN}q = 'select i from big where i < 1000'\n"
        "print(len(c.execute(q).fetchall()), len(c.sql(q).df()), c.sql(q).arrow().read_all().num_rows,\n"
        "      len(c.sql(q).fetchall()), len(c.execute(q).fetchmany(2000)), c.sql('select 1').fetchall())"
    )
    assert market.run(program)[:2] == ("1000 1000 1000 1000 1000 [(1,)]", "")


def test_the_connection_serves_on_after_a_refusal_and_after_a_timeout(market: Market) -> None:
    program = (
        f"{OPEN}"
        "for sql in ('select i from big', 'select sum(sqrt(a.i * b.k)) from big a, big b'):\n"
        "    try:\n        c.execute(sql).fetchall()\n"
        "    except duckdb.Error as error:\n        print(type(error).__name__)\n"
        "print(c.execute('select a from t').fetchall())"
    )
    out, error, records = market.run(program)
    assert (out.split("\n"), error) == (["PermissionException", "InterruptException", "[(1,)]"], "")
    assert [record.status for record in records] == ["refused", "timeout", "ok"]
    assert records[1].ms >= 1000
    assert "longer than 1 seconds" in str(records[1].error)


def test_a_statement_that_ends_the_program_is_in_the_log(market: Market) -> None:
    _, _, [record] = market.run(
        "import duckdb, os, threading\nc = duckdb.connect()\n"
        "threading.Timer(0.5, os._exit, [3]).start()\n"
        "c.execute('select sum(sqrt(a.range * b.range)) from range(1000000) a, range(1000000) b')"
    )
    assert (record.status, record.error) == ("error", "still running")


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("copy big to 'big.csv'", "COPY is not a statement that only reads"),
        ("select 1; copy big to 'big.csv'", "COPY is not a statement that only reads"),
        ("attach 'mine.duckdb' as mine", "ATTACH is not a statement that only reads"),
        ("select * from read_text('/etc/hostname')", "The function read_text reaches files"),
    ],
)
def test_files_are_refused_on_the_tasks_database(market: Market, sql: str, message: str) -> None:
    _, error, records = market.run(f'{OPEN}c.execute("{sql}")')
    assert message in error
    assert [record.status for record in records] == ["refused"]


def test_databases_of_the_programs_own_have_no_caps(market: Market) -> None:
    program = (
        "import duckdb\nc = duckdb.connect()\n"
        "c.execute('create temp table n as select * from range(5000)')\n"
        "print(len(c.execute('select * from n').fetchall()))"
    )
    assert market.run(program)[:2] == ("5000", "")


@pytest.mark.parametrize("opened", ["duckdb.connect('market.duckdb')", "duckdb.connect()", "duckdb"])
def test_an_unknown_table_of_another_database_says_how_the_tasks_is_opened(
    market: Market, opened: str
) -> None:
    _, error, _ = market.run(
        f"import duckdb\nc = {opened}\n"
        "try:\n    c.execute('select * from prices')\n"
        "except duckdb.CatalogException as error:\n    raise SystemExit(str(error).replace('\\n', ' '))"
    )
    assert "Table with name prices does not exist! This connection is to a database of the program's" in error
    assert 'duckdb.connect("m.duckdb", read_only=True)' in error
    assert "Did you mean" not in error


def test_attaching_a_file_that_is_not_there_says_how_the_database_is_opened(market: Market) -> None:
    _, error, records = market.run(
        "import duckdb\nc = duckdb.connect()\n"
        "try:\n    c.execute(\"ATTACH 'data/m.duckdb' AS m (READ_ONLY)\")\n"
        "except duckdb.IOException as error:\n    raise SystemExit(str(error).replace('\\n', ' '))"
    )
    assert "database does not exist The task's database is opened with duckdb.connect(" in error
    assert [record.status for record in records] == ["error"]


@pytest.mark.parametrize("path", ["m.duckdb", "data/m.db", "/mnt/firm/m.duckdb", "/mnt/firm/other.duckdb"])
def test_a_path_of_the_users_machine_opens_the_tasks_database(market: Market, path: str) -> None:
    program = f"import duckdb\nprint(duckdb.connect({path!r}).execute('select b from t').fetchall())"
    assert market.run(program)[:2] == ("[(2,)]", "")


def test_the_native_module_opens_it_under_the_same_policy(market: Market) -> None:
    program = "import duckdb, _duckdb\n_duckdb.connect('m.duckdb').execute('select i from big').fetchall()"
    _, error, records = market.run(program)
    assert "more than 1,000 rows" in error
    assert [record.status for record in records] == ["refused"]


@pytest.mark.parametrize("opened", ["duckdb.connect('m.duckdb')", "duckdb.connect()", "duckdb"])
@pytest.mark.parametrize("asked", ["SET enable_progress_bar = true", "PRAGMA enable_progress_bar"])
def test_a_progress_bar_that_is_asked_for_stays_out_of_the_output(
    market: Market, opened: str, asked: str
) -> None:
    """With a time of 1 ms DuckDB draws it in the output of every statement that takes longer."""
    program = (
        f"import duckdb\nc = {opened}\nc.execute('{asked}')\nc.execute('SET progress_bar_time = 1')\n"
        "c.execute('SELECT sum(sqrt(range)) FROM range(5000000)').fetchall()\nprint('done')"
    )
    assert market.run(program)[:2] == ("done", "")


@pytest.mark.parametrize("kind", ["mysql", "postgres"])
def test_reflection_shows_the_tables_that_may_be_read(market: Market, kind: str) -> None:
    market.broker.reset()
    client = mysql_client if kind == "mysql" else postgres_client
    with client(market.broker) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT table_name FROM information_schema.tables ORDER BY 1")
        assert [row[0] for row in cursor.fetchall()] == ["big", "t"]
        cursor.execute("SELECT column_name FROM information_schema.columns WHERE table_name = 't' ORDER BY 1")
        assert [row[0] for row in cursor.fetchall()] == ["a", "b"]
        if kind == "postgres":
            cursor.execute("SELECT attname FROM pg_attribute WHERE attrelid = 't'::regclass ORDER BY attnum")
            assert [row[0] for row in cursor.fetchall()] == ["a", "b"]
            cursor.execute("SELECT to_regclass('secret')")
            assert cursor.fetchone() == (None,)


def test_a_view_over_a_table_that_is_gone_does_not_keep_the_others_away(tmp_path: Path) -> None:
    import duckdb

    file = tmp_path / "m.duckdb"
    with duckdb.connect(str(file)) as made:
        made.execute(
            "CREATE SCHEMA other; CREATE TABLE p AS SELECT 1 AS a; CREATE TABLE gone AS SELECT 2 AS b"
        )
        made.execute(
            "CREATE VIEW bad AS SELECT * FROM gone; CREATE VIEW good AS SELECT a + 1 AS c FROM p; DROP TABLE gone"
        )
    (tmp_path / "copies").mkdir()
    copy = duckdb_mount(f"duckdb:///{file}", None, tmp_path / "copies")
    assert copy is not None
    with duckdb.connect(str(copy), read_only=True) as served:
        assert served.execute("SELECT * FROM p, good").fetchall() == [(1, 2)]
        assert {name for (name,) in served.execute("SHOW TABLES").fetchall()} == {"p", "good"}
