"""COPY … TO STDOUT: a client gets, byte for byte, what a real PostgreSQL sends, and the policy judges the query."""

from __future__ import annotations

import pytest

from finassay.database import QueryPolicy
from finassay.execution._broker import Broker
from finassay.execution._wire._postgres_copy import Copy, read_copy

from .test_protocols import postgres_client

TABLE = (
    "CREATE TABLE odd (id INTEGER PRIMARY KEY, name VARCHAR(40), amount NUMERIC(12,3), day DATE, flag BOOLEAN, "
    "big BIGINT)"
)
# What one of the forms has to mark: delimiters, quotation marks, line ends, the marks of NULL and of the end.
NAMES = [
    "plain", "", "a,b", 'say "x"', "it's", "two\nlines", "tab\there", "back\\slash", "\\N", "\\.", "cr\rlf", "中文",
    "semi;colon", "\x08\x0b\x0c", "NULL", " blank ",
]  # fmt: skip
QUERY = "SELECT * FROM odd ORDER BY id"
COPIES = [
    f"COPY ({QUERY}) TO STDOUT",
    f"copy ({QUERY}) to stdout;",
    f"-- a comment\nCOPY ({QUERY} /* ) */) TO STDOUT WITH (FORMAT csv, HEADER)",
    f"COPY ({QUERY}) TO STDOUT WITH CSV HEADER",
    f"COPY ({QUERY}) TO STDOUT (FORMAT CSV, HEADER true, DELIMITER ';', NULL 'NULL', QUOTE '''', ESCAPE '\\')",
    f"COPY ({QUERY}) TO STDOUT WITH DELIMITER AS '|' NULL AS ''",
    f"COPY ({QUERY}) TO STDOUT (DELIMITER E'\\t', FORMAT 'csv')",
    f"COPY ({QUERY}) TO STDOUT (FORMAT binary)",
    f"COPY ({QUERY}) TO STDOUT WITH BINARY",
    "COPY (SELECT name FROM odd ORDER BY id) TO STDOUT (FORMAT csv)",
    "COPY (SELECT name AS \"a \"\"b\"\", c\" FROM odd WHERE id < 3 ORDER BY id) TO STDOUT CSV HEADER",
    "COPY (SELECT id FROM odd WHERE name IN ('a', ')') ORDER BY 1) TO STDOUT",
    "COPY (SELECT id, name FROM odd WHERE FALSE) TO STDOUT (FORMAT csv, HEADER)",
    "COPY (SELECT id, name FROM odd WHERE FALSE) TO STDOUT (FORMAT binary)",
    "COPY odd TO STDOUT",
    'COPY "odd" (id, name) TO STDOUT (FORMAT csv)',
    "COPY (VALUES (1, 'x')) TO STDOUT",
    "COPY (WITH w AS (SELECT max(id) AS m FROM odd) SELECT m, (m + 1) FROM w) TO STDOUT",
]  # fmt: skip


def statements() -> list[str]:
    def quoted(text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    return [
        TABLE,
        *(
            f"INSERT INTO odd VALUES ({number}, {quoted(name)}, {number}.25, '2024-02-{number + 1:02}', "
            f"{number % 2 == 0}, {number * 10**12})"
            for number, name in enumerate(NAMES)
        ),
        "INSERT INTO odd VALUES (100, NULL, NULL, NULL, NULL, NULL)",
    ]


@pytest.fixture(scope="module")
def direct(postgres):
    """A connection to the server itself, and the URL of the same database."""
    import psycopg

    with postgres.database("odd") as name:
        postgres.execute(*statements(), database=name)
        with psycopg.connect(**postgres.driver_arguments(name)) as connection:
            yield connection, postgres.reader_url(name)


@pytest.fixture(scope="module", params=["server", "duckdb"])
def broker(request, direct, tmp_path_factory):
    import duckdb

    folder = tmp_path_factory.mktemp("c")
    url = direct[1]
    if request.param == "duckdb":
        url = f"duckdb:///{folder / 'odd.duckdb'}"
        with duckdb.connect(str(folder / "odd.duckdb")) as connection:
            for statement in statements():
                connection.execute(statement)
    with Broker(url, socket_dir=folder / "s", policy=QueryPolicy(max_rows=50, timeout_s=20)) as running:
        yield running


def copied(client, sql: str) -> list[bytes]:
    """The messages, one for each row."""
    with client.cursor().copy(sql) as copy:
        return [bytes(data) for data in copy]


@pytest.mark.servers
@pytest.mark.parametrize("sql", COPIES)
def test_it_is_what_postgresql_sends(broker, direct, sql: str) -> None:
    broker.reset()
    expected = copied(direct[0], sql)
    with postgres_client(broker) as client:
        assert copied(client, sql) == expected
        assert client.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.servers
def test_rows_parameters_and_the_log(broker) -> None:
    """The statement of the COPY is what is logged, with its rows."""
    broker.reset()
    with postgres_client(broker) as client, client.cursor() as cursor:
        with cursor.copy("COPY (SELECT id, big FROM odd WHERE id < %s ORDER BY id) TO STDOUT", (3,)) as copy:
            copy.set_types(["int4", "int8"])
            assert list(copy.rows()) == [(0, 0), (1, 10**12), (2, 2 * 10**12)]
        assert cursor.rowcount == 3
    [record] = [record for record in broker.records() if "odd" in record.sql]
    shown = (record.route, record.sql, record.status, record.rows)
    assert shown == ("postgres", "SELECT id, big FROM odd WHERE id < 3 ORDER BY id", "ok", 3)


@pytest.mark.servers
@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("COPY (SELECT a.id FROM odd a, odd b, odd c) TO STDOUT", "more than 50 rows"),
        ("COPY (SELECT * FROM secret.t) TO STDOUT", "schema secret may not be read"),
        ("COPY secret.t TO STDOUT", "schema secret may not be read"),
        ("COPY (DELETE FROM odd RETURNING id) TO STDOUT", "Of COPY only"),
        ("COPY (WITH d AS (DELETE FROM odd RETURNING id) SELECT * FROM d) TO STDOUT", "does not only read"),
        ("COPY odd FROM STDIN", "Of COPY only"),
        ("COPY odd TO '/tmp/odd.csv'", "Of COPY only"),
        ("COPY odd TO PROGRAM 'cat'", "Of COPY only"),
        ("COPY odd TO STDOUT (FORMAT csv, FORCE_QUOTE *)", "FORMAT (text, csv or binary)"),
        ("COPY odd TO STDOUT; DELETE FROM odd", "Of COPY only"),
    ],
)
def test_the_policy_judges_it(broker, sql: str, says: str) -> None:
    import psycopg

    broker.reset()
    with postgres_client(broker, autocommit=True) as client:
        with pytest.raises(psycopg.Error) as caught:
            copied(client, sql)
        assert says in str(caught.value)
        assert client.execute("SELECT count(*) FROM odd").fetchone() == (len(NAMES) + 1,)
    assert "refused" in [record.status for record in broker.records()]


def test_a_prepared_copy_describes_no_rows(broker) -> None:
    """A client of the extended protocol is told by the COPY itself that rows come."""
    from psycopg import pq

    broker.reset()
    with postgres_client(broker, autocommit=True) as client:
        raw = client.pgconn
        raw.prepare(b"c", b"COPY (SELECT id FROM odd WHERE id < 2 ORDER BY id) TO STDOUT")
        assert raw.describe_prepared(b"c").nfields == 0
        assert raw.exec_prepared(b"c", []).status == pq.ExecStatus.COPY_OUT
        assert [bytes(raw.get_copy_data(0)[1]) for _ in range(2)] == [b"0\n", b"1\n"]
        assert raw.get_copy_data(0)[0] == -1
        done = raw.get_result()
        assert done is not None
        assert done.command_tuples == 2
        assert raw.get_result() is None


@pytest.mark.parametrize(
    "sql", ["COPYING", "COPY (SELECT 1 TO STDOUT", "COPY (SELECT 1) TO STDOUT (FORMAT xml)", "COPY"]
)
def test_what_is_no_copy_to_the_client(sql: str) -> None:
    assert read_copy(sql) is None


def test_the_default_forms() -> None:
    assert read_copy("COPY t TO STDOUT") == Copy("SELECT * FROM t", "text", "\t", "\\N")
    assert read_copy("COPY s.t (a, b) TO STDOUT CSV") == Copy("SELECT a, b FROM s.t", "csv", ",", "")
