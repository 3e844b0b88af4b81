"""MariaDB and PostgreSQL hold the same world as DuckDB, table by table; a build that fails leaves nothing."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
from datetime import date

import numpy as np
import pyarrow as pa
import pytest

from finassay.core import InputError, InternalError
from finassay.database import QueryPolicy, connect
from finassay.temporal import load_catalog
from finassay.world import WorldConfig, WorldInfo, build_world, world_info
from finassay.world._build import refuse_gaps
from finassay.world._config import BLOCKS, VERSION
from finassay.world._ddl import indexes
from finassay.world._materialise import ContentHash, chunks
from finassay.world._tables import TABLES, View
from finassay.world._tables._view import arrow_table
from finassay.world._verify import canonical
from finassay.world._write import target_of

SMALL = WorldConfig(0.01, 3, date(2016, 9, 30))
CATALOG = load_catalog("gildata")
ANYWHERE = QueryPolicy(schemas=("world", "public", "pg_catalog", "information_schema"))


@pytest.fixture(scope="module")
def small(tmp_path_factory, serial):
    return build_world(SMALL, f"duckdb:///{tmp_path_factory.mktemp('small')}/w.duckdb", serial)


@pytest.fixture(scope="module", params=["mariadb", "postgres"])
def server(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def target(server):
    with server.database("world") as name:
        yield server.admin_url(name)


def tables_of(built):
    """The tables of a world, built again."""
    view = View(built.world, CATALOG)
    return [(name, chunks(view, name)) for name in TABLES]


def write(url, tables, *, force=False, meta=None):
    found = target_of(url, force=force)
    found.check()
    found.write(tables, lambda: meta or {"catalog": "gildata"}, CATALOG)


def hashes(database):
    """The content hash of every table, as its engine gives it back."""
    found = {}
    for name in TABLES:
        content = ContentHash()
        for _ in content.passing(name, canonical(database, CATALOG, name)):
            pass
        found[name] = content.hexdigest()
    return found


def query(url, sql):
    with connect(url) as database:
        return database.query(sql, policy=ANYWHERE).table.to_pylist()


def schemas(server):
    """Databases of MariaDB, schemas of PostgreSQL: where a staging area would be seen. `connect` shows only its own."""
    import psycopg
    import pymysql

    driver = pymysql if server.kind == "mariadb" else psycopg
    with (
        contextlib.closing(driver.connect(**server.driver_arguments("world"))) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT schema_name FROM information_schema.schemata")
        return {name for (name,) in cursor.fetchall()}


def names_in(url):
    with connect(url) as database:
        return {table.name for table in database.tables()}


def test_a_server_holds_the_same_world_table_by_table(server, target, small):
    before = schemas(server)
    info = small.info
    write(target, tables_of(small), meta=info.as_text())
    with connect(small.path) as here, connect(target) as there:
        assert hashes(there) == hashes(here)
        assert world_info(there) == info
        for table in there.tables():
            key = tuple(column.lower() for column in table.primary_key)
            assert key == (("key",) if table.name == "finassay_meta" else ("id",))
    assert schemas(server) == before


def test_types_of_a_server_are_taken_for_those_of_the_catalog_and_another_is_named(target):
    spec = {name: CATALOG.table(name) for name in TABLES}
    write(target, [(name, [arrow_table(spec[name], {}, 0)]) for name in TABLES])
    info = WorldInfo("gildata", VERSION, 0.01, 3, date(2016, 9, 30), tuple(BLOCKS), "")
    with connect(target) as database:
        refuse_gaps(database, CATALOG, info)
    other = spec["us_filing"].model_copy(
        update={"columns": {**spec["us_filing"].columns, "id": spec["us_filing"].columns["accepted_at"]}}
    )
    swapped = CATALOG.model_copy(update={"tables": {**CATALOG.tables, "us_filing": other}})
    with (
        connect(target) as database,
        pytest.raises(
            InputError, match=r"id of us_filing in .* should be (DATETIME|TIMESTAMP); it is bigint"
        ),
    ):
        refuse_gaps(database, swapped, info)


def test_unique_keys_and_indexes_are_the_catalogs(server, target, small):
    write(target, tables_of(small))
    if server.kind == "mariadb":
        sql = (
            "SELECT table_name AS t, index_name AS i, 1 - non_unique AS u,"
            " GROUP_CONCAT(column_name ORDER BY seq_in_index) AS c FROM information_schema.statistics"
            " WHERE table_schema = 'world' AND index_name <> 'PRIMARY' GROUP BY 1, 2, 3"
        )
        found = {(row["t"], bool(row["u"]), row["c"].upper()) for row in query(target, sql)}
    else:
        sql = "SELECT tablename AS t, indexdef AS d FROM pg_catalog.pg_indexes WHERE schemaname = 'public'"
        found = {
            (
                row["t"],
                "UNIQUE" in row["d"],
                row["d"].rpartition("(")[2].rstrip(")").replace(", ", ",").upper(),
            )
            for row in query(target, sql)
        }
    wanted = {
        (name, unique, ",".join(columns).upper())
        for name in TABLES
        for unique, columns in indexes(CATALOG.table(name))
    }
    assert wanted <= found
    # What PostgreSQL has beside them are the primary keys
    assert {columns for _, _, columns in found - wanted} <= {"ID", "KEY"}


def test_what_is_there_is_replaced_only_when_asked_and_other_tables_stay(server, target, small):
    server.execute("CREATE TABLE mine (x INT)", "CREATE TABLE secumain (x INT)", database="world")
    with pytest.raises(InputError, match=r"is not empty: it has 2 tables, the first mine"):
        write(target, tables_of(small)[:1])
    write(target, tables_of(small)[:2], force=True)
    assert names_in(target) == {"mine", "secumain", "lc_liststatus", "finassay_meta"}
    write(target, tables_of(small)[:1], force=True)
    assert names_in(target) == {"mine", "secumain", "finassay_meta"}
    assert query(target, "SELECT COUNT(*) AS n FROM secumain")[0]["n"] == small.rows["secumain"]


def test_a_build_that_breaks_leaves_what_was_there_and_nothing_else(server, target, small):
    server.execute("CREATE TABLE secumain (x INT)", database="world")
    before = schemas(server)

    def breaking():
        yield tables_of(small)[0]
        raise InternalError("broken in the middle")

    with pytest.raises(InternalError, match="broken in the middle"):
        write(target, breaking(), force=True)
    assert names_in(target) == {"secumain"}
    assert schemas(server) == before
    assert query(target, "SELECT COUNT(*) AS n FROM secumain") == [{"n": 0}]


def test_a_connection_that_is_lost_leaves_nothing(server, target, small):
    """Another connection ends that of the build, between two tables."""
    before = schemas(server)

    def interrupted():
        yield tables_of(small)[0]
        kill_others(server)
        yield tables_of(small)[1]

    with pytest.raises(InputError, match="the connection was lost") as caught:
        write(target, interrupted())
    assert "Nothing was left behind" in str(caught.value)
    assert "s3cret" not in str(caught.value)
    assert names_in(target) == set()
    assert schemas(server) == before


def kill_others(server):
    if server.kind == "postgres":
        server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'world'"
            " AND pid <> pg_backend_pid()"
        )
        return
    import pymysql

    with pymysql.connect(**server.driver_arguments("world")) as connection, connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM information_schema.processlist WHERE db = 'world' AND id <> CONNECTION_ID()"
        )
        for (number,) in cursor.fetchall():
            cursor.execute(f"KILL {number}")


def test_a_user_who_may_only_read_is_told_what_is_missing(server, target, small):
    with pytest.raises(InputError, match="the user may not do this") as caught:
        write(server.reader_url("world"), tables_of(small)[:1])
    assert "needs" in str(caught.value.hint)
    assert names_in(target) == set()


def test_rows_that_a_server_does_not_take_as_they_are_are_refused(server, target):
    """A text longer than its column is cut by nobody."""
    spec = CATALOG.table("us_security")
    fields = {
        name: meaning for name, meaning in spec.columns.items() if (meaning.type or "").startswith("varchar(")
    }
    name, length = next((n, int(m.type[8:-1])) for n, m in fields.items())
    row = {}
    for column, meaning in spec.columns.items():
        kind = meaning.type or "text"
        row[column] = pa.array(
            [
                np.datetime64("2020-01-01", "us")
                if kind == "datetime"
                else 1
                if kind.startswith("dec")
                else "x"
            ]
        )
    row[name] = pa.array(["x" * (length + 1)])
    with pytest.raises(InternalError, match="did not take"):
        write(target, [("us_security", [pa.table(row)])])
    assert names_in(target) == set()


def test_text_keeps_tabs_line_ends_backslashes_and_the_word_for_nothing(server, target):
    texts = ["a\tb", "a\nb", "a\\b", "\\N", "", None, "NULL", "沪深\r\n", "'\"`"]
    spec = CATALOG.table("us_security")
    n = len(texts)
    row = {}
    for column, meaning in spec.columns.items():
        kind = meaning.type or "text"
        row[column] = (
            pa.array(np.full(n, "2020-01-01", "datetime64[us]"))
            if kind == "datetime"
            else pa.array(range(n), pa.int64())
            if kind.startswith("dec")
            else pa.array([str(k) for k in range(n)])
        )
    free = next(
        c for c, m in spec.columns.items() if (m.type or "").startswith("varchar(") and m.max_null != 0
    )
    row[free] = pa.array(texts)
    write(target, [("us_security", [pa.table(row)])])
    assert [r["t"] for r in query(target, f"SELECT {free} AS t FROM us_security ORDER BY id")] == texts


def test_a_second_build_at_the_same_time_is_refused(mariadb, small):
    """The staging database of the first is not touched. PostgreSQL makes the second wait for the first's end."""
    inside, go_on = threading.Event(), threading.Event()

    def waiting():
        yield tables_of(small)[0]
        inside.set()
        assert go_on.wait(30)

    with mariadb.database("world") as name:
        target = mariadb.admin_url(name)
        first = threading.Thread(target=write, args=(target, waiting()))
        first.start()
        try:
            assert inside.wait(30)
            with pytest.raises(InputError, match="another build writes there"):
                write(target, tables_of(small)[:1], force=True)
        finally:
            go_on.set()
            first.join()
        assert names_in(target) == {"secumain", "finassay_meta"}


# Writes one table, says so, and then makes the next one for ever
WRITE = """
import sys, time
import duckdb
from finassay.temporal import load_catalog
from finassay.world._write import target_of

def tables():
    with duckdb.connect(sys.argv[2], read_only=True) as world:
        yield "secumain", [world.sql("SELECT * FROM secumain").to_arrow_table()]
    print("written", flush=True)
    time.sleep(600)

target = target_of(sys.argv[1], force=False)
target.check()
target.write(tables(), dict, load_catalog("gildata"))
"""


def test_what_a_killed_build_left_goes_with_the_next(server, target, small):
    """A real kill -9. MariaDB has a database beside the target then, PostgreSQL a transaction that nobody ends."""
    before = schemas(server)
    script = [sys.executable, "-c", WRITE, target, str(small.path)]
    with subprocess.Popen(script, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "written\n"
        finally:
            process.kill()
    assert process.returncode == -signal.SIGKILL
    left = {"world__building"} if server.kind == "mariadb" else set()
    assert schemas(server) - before == left
    write(target, tables_of(small)[:1])
    assert names_in(target) == {"secumain", "finassay_meta"}
    assert schemas(server) == before


def test_a_database_of_the_staging_name_that_is_no_builds_stays(mariadb, small):
    with mariadb.database("world") as name, mariadb.database("world__building"):
        mariadb.execute("CREATE TABLE mine (x INT)", database="world__building")
        with pytest.raises(InputError, match="there is a database world__building, and it is no build's"):
            write(mariadb.admin_url(name), tables_of(small)[:1], force=True)
        assert names_in(mariadb.admin_url("world__building")) == {"mine"}
