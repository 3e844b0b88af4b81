"""The two wire protocols against real servers: a client sees the same values, types, errors and schema through us."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finassay.database import QueryError, QueryPolicy, connect
from finassay.execution._broker import Broker
from finassay.execution._wire import _literals, _postgres_rows, _postgres_values

WIDE_MYSQL = (
    "CREATE TABLE wide (id INT PRIMARY KEY, tiny TINYINT, small SMALLINT, big BIGINT, single FLOAT, twice DOUBLE, "
    "exact DECIMAL(20,10), day DATE, moment DATETIME, exactly DATETIME(6), clock TIME, name VARCHAR(10), "
    "story LONGTEXT, raw BLOB)"
)
WIDE_POSTGRES = (
    "CREATE TABLE wide (id INT PRIMARY KEY, small SMALLINT, big BIGINT, single REAL, twice DOUBLE PRECISION, "
    "exact NUMERIC(20,10), day DATE, moment TIMESTAMP, zoned TIMESTAMPTZ, clock TIME, name VARCHAR(10), story TEXT, "
    "raw BYTEA, flag BOOLEAN)"
)
FIRST = {
    "id": "1", "tiny": "-128", "small": "32767", "big": "-9223372036854775808", "single": "0.5", "twice": "0.1",
    "exact": "-0.0000000001", "day": "'2024-02-29'", "moment": "'2024-02-29 12:34:56'",
    "exactly": "'2024-02-29 12:34:56.000001'", "zoned": "'2024-02-29 12:34:56.5+00'", "clock": "'23:59:59'",
    "name": "'中文''s'", "story": "REPEAT('x', 70000)", "flag": "TRUE",
}  # fmt: skip


def rows(columns: str, raw: str) -> list[str]:
    """One row of values, one of NULLs, one of texts of the lengths around which their encoding changes."""
    names = [word.split()[0] for word in columns.split("(", 1)[1].replace("(20,10)", "").split(", ")]
    first = ", ".join(FIRST.get(name, raw) for name in names)
    nulls = ", ".join("2" if name == "id" else "NULL" for name in names)
    long = [
        ", ".join({"id": str(number), "story": f"REPEAT('y', {size})"}.get(name, "NULL") for name in names)
        for number, size in enumerate((250, 251, 65535, 65536), 3)
    ]
    return [f"INSERT INTO wide VALUES ({values})" for values in (first, nulls, *long)]


# Five rows to the sixteenth power, counted one by one.
SLOW = (
    "SELECT COUNT(*) FROM "
    + " CROSS JOIN ".join(f"prices p{n}" for n in range(16))
    + " WHERE p0.score < p15.score"
)


@contextlib.contextmanager
def mysql_client(broker: Broker, **options: object) -> Iterator[object]:
    import pymysql

    with pymysql.connect(unix_socket=str(broker.socket_dir / "mysql.sock"), **options) as connection:
        yield connection


@contextlib.contextmanager
def postgres_client(broker: Broker, **options: object) -> Iterator[object]:
    import psycopg

    link = broker.socket_dir / ".s.PGSQL.5432"
    if not link.is_symlink():
        link.symlink_to("postgres.sock")
    with psycopg.connect(f"host={broker.socket_dir} user=me dbname=market", **options) as connection:
        yield connection


@pytest.fixture(scope="module")
def short_folder(tmp_path_factory) -> Path:
    """Clients of these tests use the socket's own path, which must be short."""
    return tmp_path_factory.mktemp("s")


@pytest.fixture(scope="module")
def maria(mariadb, short_folder):
    with mariadb.database("wide") as name:
        mariadb.execute(WIDE_MYSQL, *rows(WIDE_MYSQL, "X'00FF27'"), database=name)
        with Broker(mariadb.reader_url(name), socket_dir=short_folder / "m") as broker:
            yield broker, mariadb.driver_arguments(name)


@pytest.fixture(scope="module")
def pg(postgres, short_folder):
    with postgres.database("wide") as name:
        postgres.execute(WIDE_POSTGRES, *rows(WIDE_POSTGRES, "'\\x00ff27'"), database=name)
        with Broker(postgres.reader_url(name), socket_dir=short_folder / "p") as broker:
            yield broker, postgres.driver_arguments(name)


@pytest.fixture(scope="module")
def duck(short_folder, duckdb_url):
    with Broker(duckdb_url, socket_dir=short_folder / "d", policy=QueryPolicy(timeout_s=2)) as broker:
        yield broker


@pytest.mark.servers
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM wide ORDER BY id",
        "SELECT * FROM wide WHERE id < 0",
        "SELECT COUNT(*), SUM(big), AVG(exact), MAX(day), MIN(name), SUM(small) FROM wide",
        "SELECT 1 AS a, 'x' AS b, NULL AS c, 1.50 AS d, CAST('2024-01-01' AS DATE) AS e",
    ],
)
def test_pymysql_sees_what_mariadb_gives(maria, sql: str) -> None:
    import pymysql

    broker, arguments = maria
    with pymysql.connect(**arguments) as direct, direct.cursor() as cursor:
        cursor.execute(sql)
        expected, described = cursor.fetchall(), cursor.description
    with mysql_client(broker) as client, client.cursor() as cursor:
        cursor.execute(sql)
        assert cursor.fetchall() == expected
        assert [column[0] for column in cursor.description] == [column[0] for column in described]
        assert [_family(column[1]) for column in cursor.description] == [
            _family(column[1]) for column in described
        ]


def _family(code: int) -> str:
    """What Python type pymysql makes of a type code: several integers are one, and so are several texts."""
    from pymysql.constants import FIELD_TYPE as T

    families = {
        "int": (T.TINY, T.SHORT, T.LONG, T.LONGLONG, T.INT24),
        "text": (T.VAR_STRING, T.STRING, T.VARCHAR, T.BLOB, T.LONG_BLOB, T.MEDIUM_BLOB, T.TINY_BLOB, T.NULL),
        "float": (T.FLOAT, T.DOUBLE),
    }
    return next((name for name, codes in families.items() if code in codes), str(code))


@pytest.mark.servers
def test_reflection_over_mariadb_is_mariadbs_own(maria) -> None:
    import sqlalchemy as sa

    broker, arguments = maria
    address = sa.URL.create(
        "mysql+pymysql",
        arguments["user"],
        arguments["password"],
        arguments["host"],
        arguments["port"],
        "wide",
    )
    there = {"unix_socket": str(broker.socket_dir / "mysql.sock")}
    ours = sa.URL.create("mysql+pymysql", "me", "x", database="wide", query=there)
    facts = []
    for url in (address, ours):
        engine = sa.create_engine(url)
        inspector = sa.inspect(engine)
        columns = [
            (c["name"], str(c["type"]), c["nullable"], c["default"]) for c in inspector.get_columns("wide")
        ]
        facts.append(
            (inspector.get_table_names(), columns, inspector.get_pk_constraint("wide")["constrained_columns"])
        )
        engine.dispose()
    assert facts[1] == facts[0]


@pytest.mark.servers
def test_information_schema_over_mariadb_is_mariadbs_own(maria) -> None:
    import pymysql

    broker, arguments = maria
    question = (
        "SELECT table_schema, table_name, column_name, ordinal_position, is_nullable, data_type, column_type, "
        "column_key, numeric_scale FROM information_schema.columns WHERE table_schema = DATABASE() "
        "AND table_name LIKE 'wid%' ORDER BY ordinal_position"
    )
    with pymysql.connect(**arguments) as direct, direct.cursor() as cursor:
        cursor.execute(question)
        expected, names = (
            [row[:-1] for row in cursor.fetchall()],
            [column[0] for column in cursor.description],
        )
    with mysql_client(broker, database="wide") as client, client.cursor() as cursor:
        cursor.execute(question)
        assert [row[:-1] for row in cursor.fetchall()] == expected
        assert [column[0] for column in cursor.description] == names


@pytest.mark.servers
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM wide ORDER BY id",
        "SELECT * FROM wide WHERE id < 0",
        "SELECT COUNT(*), SUM(big), AVG(exact), MAX(day), MIN(name), BOOL_OR(flag) FROM wide",
        "SELECT 1 AS a, 'x' AS b, 1.50 AS d, DATE '2024-01-01' AS e, '12:34:56.5'::time AS f, 'NaN'::float8 AS g",
    ],
)
def test_psycopg_sees_what_postgres_gives(pg, sql: str, binary: bool) -> None:
    import psycopg

    broker, arguments = pg
    with psycopg.connect(**arguments, options="-c timezone=UTC") as direct:
        cursor = direct.execute(sql, binary=binary)
        expected, described = cursor.fetchall(), cursor.description
    with postgres_client(broker) as client:
        cursor = client.execute(sql, binary=binary)
        assert repr(cursor.fetchall()) == repr(expected)  # as text, since NaN is not itself
        assert [column.name for column in cursor.description] == [column.name for column in described]
        ours, theirs = (
            [_kind(column.type_code) for column in one] for one in (cursor.description, described)
        )
        assert ours == theirs


def _kind(oid: int) -> int:
    """Character types are one to Python."""
    return 25 if oid in (18, 19, 1042, 1043) else oid


@pytest.mark.servers
def test_reflection_over_postgres_is_postgres_own(pg) -> None:
    import sqlalchemy as sa

    broker, arguments = pg
    address = sa.URL.create(
        "postgresql+psycopg",
        arguments["user"],
        arguments["password"],
        arguments["host"],
        arguments["port"],
        "wide",
    )
    with postgres_client(broker):
        ours = sa.URL.create(
            "postgresql+psycopg", "me", database="wide", query={"host": str(broker.socket_dir)}
        )
        facts = []
        for url in (address, ours):
            engine = sa.create_engine(url)
            inspector = sa.inspect(engine)
            columns = [
                (c["name"], str(c["type"]), c["nullable"], c["default"])
                for c in inspector.get_columns("wide")
            ]
            key = inspector.get_pk_constraint("wide")
            facts.append((inspector.get_table_names(), columns, key["name"], key["constrained_columns"]))
            facts[-1] += (inspector.default_schema_name, inspector.get_indexes("wide"))
            engine.dispose()
    assert facts[1] == facts[0]


@pytest.mark.parametrize(
    "sql", ["SELECT * FROM price", "SELECT p.* FROM prices p JOIN price q ON p.day = q.day"]
)
@pytest.mark.parametrize("where", ["duck", pytest.param("server", marks=pytest.mark.servers)])
def test_an_unknown_table_is_named_with_those_that_exist(request, short_folder, where: str, sql: str) -> None:
    """On both wires and natively, on DuckDB and on the servers themselves."""
    import psycopg
    import pymysql

    said = "There is no table price.*Did you mean prices\\? Tables here: prices"
    mysql_url, postgres_url = (
        request.getfixturevalue(name)
        for name in (("duckdb_url", "duckdb_url") if where == "duck" else ("mariadb_url", "postgres_url"))
    )
    with Broker(mysql_url, socket_dir=short_folder / "um") as broker:
        with mysql_client(broker) as client, client.cursor() as cursor:
            with pytest.raises(pymysql.MySQLError, match=f"(?s){said}") as caught:
                cursor.execute(sql)
            assert caught.value.args[0] == 1146
        assert [record.status for record in broker.records() if record.sql == sql] == ["error"]
    with Broker(postgres_url, socket_dir=short_folder / "up") as broker, postgres_client(broker) as client:
        with pytest.raises(psycopg.errors.UndefinedTable, match=f"(?s){said}") as failed:
            client.execute(sql)
        assert failed.value.sqlstate == "42P01"
    for dialect in ("duckdb", "mysql", "postgres") if where == "duck" else ("mysql", "postgres"):
        url = postgres_url if dialect == "postgres" else mysql_url
        with connect(url) as database, pytest.raises(QueryError, match=f"(?s){said}") as error:
            database.query(sql, dialect=dialect)
        assert error.value.reason == "unknown_table"


@pytest.mark.parametrize(
    ("sql", "number"),
    [
        ("SELECT COUNT(*) FROM absent", 1146),
        ("SELECT nope FROM prices", 1054),
        ("DELETE FROM prices", 1142),
        ("SELEC 1", 1064),
    ],
)
def test_mysql_errors_have_mariadbs_numbers(duck, sql: str, number: int) -> None:
    import pymysql

    with mysql_client(duck) as client, client.cursor() as cursor:
        with pytest.raises(pymysql.MySQLError) as caught:
            cursor.execute(sql)
        assert caught.value.args[0] == number
        cursor.execute("SELECT 1")  # the connection goes on
        assert cursor.fetchone() == (1,)


@pytest.mark.parametrize(
    ("sql", "state"),
    [
        ("SELECT * FROM absent", "42P01"),
        ("SELECT nope FROM prices", "42703"),
        ("DELETE FROM prices", "42501"),
        ("SELEC 1", "42601"),
        (SLOW, "57014"),
    ],
)
def test_postgres_errors_have_its_states(duck, sql: str, state: str) -> None:
    import psycopg

    with postgres_client(duck, autocommit=True) as client:
        with pytest.raises(psycopg.Error) as caught:
            client.execute(sql)
        assert caught.value.sqlstate == state
        assert client.execute("SELECT 1").fetchone() == (1,)


def test_a_failed_transaction_refuses_until_it_is_rolled_back(duck) -> None:
    """As PostgreSQL does, and as programs are written for."""
    import psycopg

    with postgres_client(duck) as client:
        with pytest.raises(psycopg.errors.UndefinedTable):
            client.execute("SELECT * FROM absent")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            client.execute("SELECT 1")
        client.rollback()
        assert client.execute("SELECT 1").fetchone() == (1,)


def test_postgres_cancel_stops_the_statement(short_folder, duckdb_url) -> None:
    import threading
    import time

    import psycopg

    with Broker(duckdb_url, socket_dir=short_folder / "c") as patient, postgres_client(patient) as client:
        began = time.monotonic()
        timer = threading.Timer(0.5, client.cancel)
        timer.start()
        with pytest.raises(psycopg.errors.QueryCanceled):
            client.execute(SLOW)
        timer.join()
        assert time.monotonic() - began < 20


@pytest.mark.parametrize("binary", [False, True])
def test_parameters_of_every_type_reach_the_statement(duck, binary: bool) -> None:
    values = {
        "i": 7, "n": -7, "big": 1 << 40, "f": 0.25, "d": Decimal("-12.3450"), "s": "it's \\ $1 100%", "b": True,
        "day": dt.date(2024, 2, 29), "ts": dt.datetime.fromisoformat("2024-02-29 01:02:03.000004"), "none": None,
    }  # fmt: skip
    names = list(values)
    mark = "%b" if binary else "%s"
    kinds = {"d": "::numeric(10,4)", "s": "::text", "ts": "::timestamp", "day": "::date", "f": "::float8"}
    kinds["none"] = "::text"
    sql = "SELECT " + ", ".join(f"{mark}{kinds.get(name, '')} AS {name}" for name in names)
    with postgres_client(duck) as client:
        row = client.execute(sql, [values[name] for name in names]).fetchone()
    assert dict(zip(names, row, strict=True)) == values


def test_a_list_is_a_parameter(duck) -> None:
    with postgres_client(duck) as client:
        query = "SELECT COUNT(*) FROM prices WHERE symbol = ANY(%s) AND volume = ANY(%s)"
        assert client.execute(query, (["AAA", 'quo"te', "it's"], [100, 200])).fetchone() == (2,)
        assert client.execute(query, ([], [100])).fetchone() == (0,)


def test_mysql_prepared_statements(duck) -> None:
    """The binary protocol by hand, since pymysql has none: a prepared statement, its parameters, its row.

    The row of AAA on 2 January: ten bytes of day and moment, DECIMAL as text, integers and doubles little-endian.
    """
    with mysql_client(duck) as client:
        statement = (
            "SELECT symbol, day, close, volume, score, seen_at, NULL AS nothing FROM prices "
            "WHERE symbol = ? AND close >= ? AND note <> '?' ORDER BY day LIMIT 1"
        )
        client._execute_command(0x16, statement)
        head = client._read_packet().get_all_data()
        assert head[0] == 0
        number, _, parameters = struct.unpack_from("<IHH", head, 1)
        assert parameters == 2  # the one in quotes is text
        for _ in range(parameters + 1):
            client._read_packet()
        types = bytes([253, 0, 5, 0])  # VAR_STRING, DOUBLE
        body = struct.pack("<IBI", number, 0, 1) + b"\0\x01" + types + b"\x03AAA" + struct.pack("<d", 1.5)
        client._execute_command(0x17, body)
        columns = client._read_packet().get_all_data()[0]
        assert columns == 7
        for _ in range(columns + 1):
            client._read_packet()
        row = client._read_packet().get_all_data()
        client._read_packet()
    bitmap, values = row[1:3], row[3:]
    assert bitmap == bytes([0, 0b1])  # the seventh column is NULL; bits begin at the third
    expected = (
        b"\x03AAA"
         b"\x04" + struct.pack("<HBB", 2024, 1, 2)
        + b"\x0710.0000"
        + struct.pack("<qd", 100, 0.5)
        + b"\x0b" + struct.pack("<HBBBBBI", 2024, 1, 2, 16, 0, 0, 0)
    )  # fmt: skip
    assert values == expected


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("SELECT DATABASE()", (("vendor",),)),
        ("SELECT @@sql_mode, @@session.autocommit AS a", (("STRICT_TRANS_TABLES", 1),)),
        ("SHOW TABLES", (("prices",),)),
        ("SHOW FULL TABLES FROM `vendor` LIKE 'p%'", (("prices", "BASE TABLE"),)),
        ("SHOW DATABASES LIKE 'vend%'", (("vendor",),)),
        ("SHOW VARIABLES LIKE 'lower\\_case\\_table%'", (("lower_case_table_names", "0"),)),
        ("SHOW WARNINGS", ()),
        ("SELECT COUNT(*) FROM vendor.prices", ((5,),)),
        ("SELECT COUNT(*) FROM `vendor`.`prices` p WHERE p.symbol = 'AAA'", ((3,),)),
        ("/* a comment */ SHOW TABLES;", (("prices",),)),
    ],
)
def test_mysql_housekeeping_on_duckdb(duck, question: str, answer: tuple[object, ...]) -> None:
    """A program names the database as its author's server did; it is the one that is there."""
    with mysql_client(duck, database="vendor") as client, client.cursor() as cursor:
        cursor.execute(question)
        assert tuple(cursor.fetchall()) == answer


def test_what_a_protocol_server_answers_is_logged_as_such(duck) -> None:
    """Every statement is in the log; those that never reach the database say so."""
    duck.reset()
    with mysql_client(duck) as client, client.cursor() as cursor:
        for statement in ("SET NAMES utf8mb4", "BEGIN", "SHOW TABLES", "SELECT VERSION()", "COMMIT"):
            cursor.execute(statement)
        cursor.execute("SELECT COUNT(*) FROM prices")
    with postgres_client(duck) as client:
        client.execute("SELECT version()")
    accepted = "accepted by the protocol server, without effect on the database"
    answered = "answered by the protocol server"
    found = [
        (r.sql, r.status, r.rows, r.warnings) for r in duck.records() if "AUTOCOMMIT" not in r.sql.upper()
    ]
    assert found[1:] == [  # after the one that pymysql sends when it connects
        ("SET NAMES utf8mb4", "ok", None, (accepted,)),
        ("BEGIN", "ok", None, (accepted,)),
        ("SHOW TABLES", "ok", 1, (answered,)),
        ("SELECT VERSION()", "ok", 1, (answered,)),
        ("COMMIT", "ok", None, (accepted,)),
        ("SELECT COUNT(*) FROM prices", "ok", 1, ()),
        ("BEGIN", "ok", None, (accepted,)),
        ("SELECT version()", "ok", 1, (answered,)),
        ("COMMIT", "ok", None, (accepted,)),
    ]
    assert all(record.executed_sql is None for record in duck.records() if record.warnings)
    assert all(record.bytes > 0 for record in duck.records() if answered in record.warnings)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=10, min_value=-(10**28), max_value=10**28))
def test_binary_numbers_are_postgres_own(number: Decimal) -> None:
    """Against psycopg's reader and writer of the same format."""
    from psycopg.types.numeric import DecimalBinaryDumper, NumericBinaryLoader

    ours = _postgres_rows.numeric(number)
    assert NumericBinaryLoader(1700, None).load(ours) == number
    theirs = bytes(DecimalBinaryDumper(Decimal).dump(number))
    assert Decimal(_postgres_values.literal(theirs, 1700, 1).strip("()").split("::")[0]) == number


TEXT = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=30)


@settings(max_examples=40, deadline=None)
@given(text=TEXT, other=TEXT)
def test_texts_survive_both_protocols_as_parameters(duck_clients, text: str, other: str) -> None:
    mysql, postgres = duck_clients
    with mysql.cursor() as cursor:
        cursor.execute("SELECT %s AS a, %s AS b", (text, other))
        assert cursor.fetchone() == (text, other)
    assert postgres.execute("SELECT %s::text, %s::text", (text, other)).fetchone() == (text, other)


@pytest.fixture(scope="module")
def duck_clients(duck):
    with mysql_client(duck) as mysql, postgres_client(duck) as postgres:
        yield mysql, postgres


@given(TEXT)
def test_placeholders_in_quotes_and_comments_are_text(text: str) -> None:
    quoted = "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
    assert _literals.count_question_marks(f"SELECT {quoted}, ? /* ? */ -- ?") == 1
    assert _literals.bind_question_marks(f"SELECT {quoted}, ?", [text]) == f"SELECT {quoted}, {quoted}"
    plain = "'" + text.replace("'", "''") + "'"
    assert _literals.count_dollars(f'SELECT {plain}, $1, $$ $7 $$, "$8" -- $9') == 1
    assert _literals.bind_dollars(f"SELECT {plain}, $1, $2", ["1", "'$1'"]) == f"SELECT {plain}, 1, '$1'"


def run(*command: str) -> str:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_command_line_client_of_mariadb_works(duck) -> None:
    client = shutil.which("mariadb") or shutil.which("mysql")
    if client is None:
        pytest.skip("no mariadb client here")
    sql = "SELECT symbol, close, note FROM prices WHERE symbol = 'BBB' ORDER BY day"
    where = ("--no-defaults", f"--socket={duck.socket_dir}/mysql.sock", "-u", "me", "-D", "market")
    out = run(client, *where, "--default-character-set=utf8mb4", "-B", "-e", sql)
    assert out == "symbol\tclose\tnote\nBBB\t0.0001\t中文\nBBB\t99999.9999\t\n"


def test_psql_works(duck) -> None:
    client = shutil.which("psql")
    if client is None:
        pytest.skip("no psql here")
    sql = "SELECT symbol, close FROM prices WHERE symbol = 'BBB' ORDER BY day"
    with postgres_client(duck):  # makes the name of the socket that psql looks for
        out = run(client, "-X", "-h", str(duck.socket_dir), "-U", "me", "-d", "market", "-At", "-c", sql)
    assert out == "BBB|0.0001\nBBB|99999.9999\n"
