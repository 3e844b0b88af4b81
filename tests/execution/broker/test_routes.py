"""The same study by every route that a program may take to the database, and what the log says of it."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal

import pytest

from .conftest import PROGRAMS, ROWS

NATIVE = ["native"]
MYSQL = ["pymysql_cursor", "pymysql_stream", "sqlalchemy_reflect", "pandas_engine", "polars_engine"]
POSTGRES = ["psycopg_cursor", "psycopg_server_cursor", "sqlalchemy_reflect", "pandas_engine"]
DUCKDB = ["duckdb_connect", "duckdb_relation", "polars_duckdb"]


def study(since: str = "2024-01-03") -> list[list[object]]:
    """The answer from the rows themselves: per symbol the days, the sum of closes, the last day."""
    groups: dict[str, list[tuple[object, ...]]] = defaultdict(list)
    for row in ROWS:
        if str(row[1]) >= since:
            groups[row[0]].append(row)
    return [
        [
            symbol,
            len(rows),
            float(sum((row[2] for row in rows), Decimal(0))),
            str(max(row[1] for row in rows)),
        ]
        for symbol, rows in sorted(groups.items())
    ]


def check(guest, url: str, dialect: str, program: str, route: str) -> None:
    running = guest(url, dialect)
    path = PROGRAMS / f"{program}.py"
    assert running.run(str(path)) == study()
    records = running.broker.records()
    assert records, "nothing was logged"
    assert [record.index for record in records] == list(range(len(records)))
    assert {record.route for record in records} == {route}
    absent = [record.sql for record in records if record.status != "ok"]
    assert absent in (
        [],
        ["DESCRIBE `market`.`absent`"],
        ["DESCRIBE `absent`"],
    )  # SQLAlchemy's has_table asks so
    assert all(record.t_ms >= 0 and 0 <= record.ms < 50_000 for record in records)
    last = [record for record in records if "prices" in record.sql][-1]
    assert last.rows in {
        2,
        4,
    }  # two symbols where the database aggregates, else the four rows since 3 January
    source = path.read_text()
    if "sqlalchemy" not in program and "2024-01-03'" in source:
        assert "2024-01-03" in last.sql


@pytest.mark.parametrize("program", NATIVE + MYSQL)
def test_mysql_programs_on_a_duckdb_file(guest, duckdb_url: str, program: str) -> None:
    check(guest, duckdb_url, "mysql", program, "connector" if program in NATIVE else "mysql")


@pytest.mark.parametrize("program", ["native", "pymysql_cursor"])
def test_mysql_programs_on_a_folder(guest, folder_url: str, program: str) -> None:
    check(guest, folder_url, "mysql", program, "connector" if program in NATIVE else "mysql")


@pytest.mark.servers
@pytest.mark.parametrize("program", ["native", "pymysql_cursor", "sqlalchemy_reflect", "pandas_engine"])
def test_mysql_programs_on_mariadb(guest, mariadb_url: str, program: str) -> None:
    check(guest, mariadb_url, "mysql", program, "connector" if program in NATIVE else "mysql")


@pytest.mark.parametrize("program", NATIVE + POSTGRES)
def test_postgres_programs_on_a_duckdb_file(guest, duckdb_url: str, program: str) -> None:
    check(guest, duckdb_url, "postgres", program, "connector" if program in NATIVE else "postgres")


@pytest.mark.servers
@pytest.mark.parametrize("program", ["native", "psycopg_cursor", "sqlalchemy_reflect"])
def test_postgres_programs_on_postgres(guest, postgres_url: str, program: str) -> None:
    check(guest, postgres_url, "postgres", program, "connector" if program in NATIVE else "postgres")


@pytest.mark.parametrize(
    ("where", "program"), [*(("duckdb_url", program) for program in DUCKDB), ("folder_url", "duckdb_connect")]
)
def test_duckdb_programs(guest, request, where: str, program: str) -> None:
    url = request.getfixturevalue(where)
    running = guest(url, "duckdb")
    assert running.run(str(PROGRAMS / f"{program}.py")) == study()
    records = running.broker.records()
    assert {record.route for record in records} == {"duckdb"}
    assert all("reported by the program's own process" in record.warnings for record in records)
    reading = next(record for record in records if "prices" in record.sql)
    assert reading.rows == (2 if program == "duckdb_connect" else 4)


def test_every_route_serves_an_overlay(guest, duckdb_url: str) -> None:
    """A replaced table is what a program sees, whichever way it comes."""
    running = guest(duckdb_url, "mysql", overlays={"prices": "SELECT * FROM prices WHERE symbol = 'BBB'"})
    only_b = [row for row in study() if row[0] == "BBB"]
    for program in ("native", "pymysql_cursor", "psycopg_cursor", "duckdb_connect", "polars_duckdb"):
        assert running.run(str(PROGRAMS / f"{program}.py")) == only_b, program


def test_a_file_of_duckdb_is_not_there_when_the_database_is_a_server(
    guest, tmp_path, mariadb_url: str
) -> None:
    running = guest(mariadb_url, "mysql")
    program = tmp_path / "program.py"
    program.write_text(
        "import duckdb, json\n"
        "try:\n    duckdb.connect('market.duckdb', read_only=True)\n"
        "except duckdb.IOException as error:\n    print(json.dumps(str(error)))\n"
    )
    assert "its database is a server" in str(running.run(str(program)))


def test_databases_of_the_programs_own_are_left_alone(guest, tmp_path, duckdb_url: str) -> None:
    running = guest(duckdb_url, "duckdb")
    program = tmp_path / "program.py"
    program.write_text(
        "import duckdb, json\n"
        "with duckdb.connect('mine.duckdb') as mine:\n"
        "    mine.execute('CREATE TABLE t AS SELECT 41 AS a')\n"
        "with duckdb.connect('mine.duckdb') as mine, duckdb.connect() as memory:\n"
        "    a = mine.execute('SELECT a FROM t').fetchone()[0]\n"
        "    memory.execute('CREATE TABLE u AS SELECT 1 AS b')\n"
        "    print(json.dumps(a + memory.sql('SELECT b FROM u').fetchall()[0][0]))\n"
    )
    assert running.run(str(program)) == 42
    assert (running.home / "scratch" / "mine.duckdb").exists()
    assert [record.rows for record in running.broker.records()] == [None, 1, None, 1]


def test_what_duckdb_programs_fetch_has_rows_and_bytes(guest, tmp_path, duckdb_url: str) -> None:
    """Python rows: 8 bytes a number, 16 a decimal, the length of a text, nothing for NULL."""
    running = guest(duckdb_url, "duckdb")
    program = tmp_path / "program.py"
    program.write_text(
        "import duckdb, json\n"
        "with duckdb.connect('market.duckdb', read_only=True) as db:\n"
        "    db.execute('SELECT 1, NULL, 2.50::DECIMAL(4,2), \\'four\\'').fetchone()\n"
        "    db.execute('SELECT i FROM range(5000) r(i)').fetchall()\n"
        "    db.execute('SELECT i FROM range(5000) r(i)').fetchmany(10)\n"
        "    print(db.execute('SELECT i FROM range(3) r(i)').to_arrow_table().num_rows)\n"
    )
    assert running.run(str(program)) == 3
    sizes = [(record.rows, record.bytes) for record in running.broker.records()]
    assert sizes == [
        (1, 8 + 16 + 4),
        (5000, 40_000),
        (10, 80),
        (3, 3 * 8 + 1),
    ]  # a byte of Arrow's says which are NULL
