"""The clients that people have meet an as-of server on TCP: drivers, SQLAlchemy, pandas, command lines."""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from .conftest import KNOWN, TABLES, Proxy


def command_line(proxy: Proxy, sql: str) -> subprocess.CompletedProcess[str]:
    port, password = str(proxy.server.port), proxy.server.password
    if proxy.protocol == "mysql":
        program = shutil.which("mariadb") or shutil.which("mysql")
        words = [
            "-h127.0.0.1",
            "-P",
            port,
            "-uresearch",
            f"-p{password}",
            proxy.server.served.schema,
            "-B",
            "-e",
            sql,
        ]
    else:
        program = shutil.which("psql")
        words = ["-h", "127.0.0.1", "-p", port, "-U", "research", "-d", "market", "-Atc", sql]
    if program is None:
        pytest.skip("the command-line client is not installed")
    env = {**os.environ, "PGPASSWORD": password}
    return subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=60, env=env)


@pytest.mark.servers
def test_the_command_line_client(proxy: Proxy) -> None:
    done = command_line(proxy, "SELECT count(*) AS n, max(NAME) AS m FROM report")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() in (["n", "m", "5", "name5"], ["5|name5"])
    done = command_line(proxy, "SELECT * FROM secret")
    assert done.returncode != 0
    assert "no table secret" in done.stderr


@pytest.mark.servers
def test_psql_lists_and_describes(proxy: Proxy) -> None:
    if proxy.protocol == "mysql":
        done = command_line(proxy, "SHOW TABLES; DESCRIBE report;")
    else:
        done = command_line(proxy, "\\dt")
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in TABLES)
    assert "secret" not in done.stdout


@pytest.mark.servers
def test_sqlalchemy_reflects_what_is_served(proxy: Proxy) -> None:
    import sqlalchemy as sa

    engine = sa.create_engine(proxy.alchemy_url)
    try:
        inspector = sa.inspect(engine)
        assert sorted(inspector.get_table_names()) == sorted(TABLES)
        assert inspector.get_view_names() == []
        metadata = sa.MetaData()
        metadata.reflect(engine)
        assert set(metadata.tables) == set(TABLES)
        report = metadata.tables["report"]
        assert [column.name.lower() for column in report.columns][:4] == ["id", "code", "name", "amount"]
        assert all(column.nullable for column in report.columns if not column.primary_key)
        with engine.connect() as connection:
            rows = connection.execute(sa.select(report).order_by(next(iter(report.columns)))).all()
        assert [row[0] for row in rows] == list(range(1, KNOWN + 1))
        with engine.connect() as connection, pytest.raises(sa.exc.DBAPIError, match="no table secret"):
            connection.execute(sa.text("SELECT * FROM secret"))
    finally:
        engine.dispose()


@pytest.mark.servers
def test_sqlalchemy_names_the_schema(proxy: Proxy) -> None:
    """What SQLAlchemy writes for a table with a schema: the schema before the table and before its columns."""
    import sqlalchemy as sa

    schema = proxy.server.served.schema if proxy.protocol == "mysql" else "public"
    engine = sa.create_engine(proxy.alchemy_url)
    try:
        report = sa.Table("report", sa.MetaData(), sa.Column("id", sa.Integer), schema=schema)
        with engine.connect() as connection:
            assert connection.execute(sa.select(sa.func.count(report.c.id))).scalar() == KNOWN
    finally:
        engine.dispose()


@pytest.mark.servers
def test_pandas_reads(proxy: Proxy) -> None:
    import pandas as pd
    import sqlalchemy as sa

    engine = sa.create_engine(proxy.alchemy_url)
    try:
        frame = pd.read_sql("SELECT ID AS id, NAME AS name FROM report ORDER BY ID", engine)
        assert frame["name"].tolist() == [f"name{i}" for i in range(1, KNOWN + 1)]
        stay = pd.read_sql_table("stay", engine)
        assert len(stay) == 3
        assert stay.columns.str.lower().tolist()[0] == "id"
    finally:
        engine.dispose()


def test_psycopg_simple_prepared_binary_and_copy(proxies: Callable[[str], Proxy]) -> None:
    import psycopg

    with proxies("duckdb-postgres").postgres() as client:
        for more in ({}, {"prepare": True}, {"binary": True}):
            cursor = client.execute("SELECT id, name FROM report WHERE id <= %s ORDER BY id", (3,), **more)
            assert cursor.fetchall() == [(1, "name1"), (2, "name2"), (3, "name3")]
        simple = psycopg.ClientCursor(client)
        assert simple.execute("SELECT count(*) FROM report WHERE name = %s", ("name1",)).fetchone() == (1,)
        with client.cursor().copy("COPY (SELECT id FROM report ORDER BY id) TO STDOUT") as copy:
            assert [row[0] for row in copy.rows()] == ["1", "2", "3", "4", "5"]


def test_the_binary_protocol_of_mysql(proxies: Callable[[str], Proxy]) -> None:
    """COM_STMT_PREPARE and COM_STMT_EXECUTE by hand, as Connector/J and mysqlclient send them."""
    with proxies("duckdb-mysql").mysql() as client:

        def prepare(sql: str) -> int:
            client._execute_command(0x16, sql)
            head = client._read_packet()
            for _ in range(2):  # a parameter and the end
                client._read_packet()
            return struct.unpack_from("<I", head.get_all_data(), 1)[0]

        def execute(number: int, value: int) -> bytes:
            body = struct.pack("<IBI", number, 0, 1) + b"\0\1" + struct.pack("<HQ", 8, value)
            client._execute_command(0x17, body)
            return _packet(client)

        assert execute(prepare("SELECT NAME FROM report WHERE ID = ?"), 2) == b"\x01"  # one column follows
        for _ in range(2):
            _packet(client)
        assert _packet(client).endswith(b"\x05name2")


def _packet(client: Any) -> bytes:
    head = client._read_bytes(4)
    client._next_seq_id = (head[3] + 1) % 256
    return client._read_bytes(int.from_bytes(head[:3], "little"))


@pytest.mark.servers
def test_without_the_password_nobody_is_served(proxy: Proxy) -> None:
    for wrong in ("", "guess", proxy.server.password[:-1]):
        with pytest.raises(Exception, match=r"Access denied|password"):
            proxy.mysql(password=wrong) if proxy.protocol == "mysql" else proxy.postgres(password=wrong)


@pytest.mark.servers
def test_many_clients_at_once_have_their_own_answers(proxy: Proxy) -> None:
    wrong: list[Any] = []

    def ask(number: int) -> None:
        try:
            with proxy.open() as client, client.cursor() as cursor:
                for _ in range(10):
                    cursor.execute(f"SELECT {number} + ID FROM report WHERE ID = 1")
                    if (got := cursor.fetchall()) not in ([(number + 1,)], ((number + 1,),)):
                        wrong.append(got)
        except Exception as error:  # noqa: BLE001 - told by the assertion
            wrong.append(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.servers
def test_variables_of_a_client_are_its_own(proxy: Proxy) -> None:
    if proxy.protocol != "mysql":
        pytest.skip("PostgreSQL has no user variables")
    with proxy.mysql() as one, proxy.mysql() as other:
        for client, value in ((one, 1), (other, 2)):
            client.query(f"SET @id = {value}")
        for client, value in ((one, 1), (other, 2), (one, 1)):
            with client.cursor() as cursor:
                cursor.execute("SELECT NAME FROM report WHERE ID = @id")
                assert cursor.fetchall() == ((f"name{value}",),)


@pytest.mark.servers
def test_a_client_that_hangs_up_leaves_the_others_in_peace(proxy: Proxy) -> None:
    """Some leave in the middle of a statement, one in the middle of a result, one before it has said who it is."""
    with socket.create_connection(("127.0.0.1", proxy.server.port)) as silent:
        silent.sendall(b"\0\0")
    slow = {
        "duckdb": "SELECT count(*) FROM range(100000) a, range(1000000) b",
        "mariadb": "SELECT SLEEP(30)",
        "postgres": "SELECT pg_sleep(30)",
    }[proxy.engine]
    if proxy.engine == "duckdb" and proxy.protocol == "mysql":
        slow = f"SELECT count(*) FROM {', '.join(f'report r{i}' for i in range(16))}"
    elif proxy.engine == "duckdb":
        slow = "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 1000000) b"
    for _ in range(9):  # more than run at once
        client = proxy.open()
        if proxy.protocol == "mysql":
            client._execute_command(3, slow)
            client._force_close()
        else:
            client.pgconn.send_query(slow.encode())
            client.pgconn.finish()
    started = time.monotonic()
    assert proxy.rows("SELECT count(*) FROM report") == [(KNOWN,)]
    assert time.monotonic() - started < 20


def test_a_large_result_arrives_whole(serve: Callable[..., Any], tmp_path: Any) -> None:
    """A million cells and more: 200,000 rows of six columns, of which a half was known."""
    import duckdb

    from .conftest import CATALOG

    path = tmp_path / "large.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("""CREATE TABLE report AS SELECT i AS ID, i % 7 AS CODE, 'n' || i AS NAME, i / 4 AS AMOUNT,
            TIMESTAMP '2024-02-28' + INTERVAL 3 DAY * (i % 2) AS PUBLISHED, NULL::TIMESTAMP AS TOUCHED, 'x' AS STATUS
            FROM range(400000) t(i)""")
    for protocol in ("mysql", "postgres"):
        proxy = Proxy(serve(f"duckdb:///{path}", CATALOG, protocol=protocol), "duckdb")
        rows = proxy.rows("SELECT ID, CODE, NAME, AMOUNT, PUBLISHED, STATUS FROM report ORDER BY ID")
        assert len(rows) == 200_000
        assert rows[-1][0] == 399_998
        assert {row[5] for row in rows} == {None}
