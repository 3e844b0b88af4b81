"""User variables that a MySQL client sets in one statement and reads in the next, over DuckDB as in MariaDB."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from finassay.execution._broker import Broker

from .conftest import statements
from .test_protocols import mysql_client, short_folder  # noqa: F401

PROGRAMS = {
    "a date": ["SET @d='2024-01-03'", "SELECT symbol, day FROM prices WHERE day >= @d ORDER BY 1, 2"],
    "two at once": ["SET @lo = 0.5, @hi := 11;", "SELECT symbol, close FROM prices WHERE close BETWEEN @lo AND @hi"],
    "of each other": ["SET @a = 2", "SET @b = @a + 1", "SET @a = 10", "SELECT @a, @b, @a / @b, CONCAT(@a, '%')"],
    "of itself": ["SET @n = 1", "SET @n = @n + 1", "SET @n = @n * 3", "SELECT @n, @N"],
    "a subquery": ["SET @m = (SELECT MAX(day) FROM prices)", "SELECT symbol FROM prices WHERE day = @m ORDER BY 1"],
    "a decimal keeps its digits": ["SET @x = 1/3", "SELECT @x, @x * 3, @x + 0"],
    "a decimal of a subquery": [
        "SET @x = (SELECT AVG(close) FROM prices WHERE symbol = 'AAA')",
        "SELECT @x, close / @x FROM prices ORDER BY close",
    ],
    "a date becomes text": ["SET @d = DATE_SUB('2024-03-31', INTERVAL 1 MONTH)", "SELECT @d, YEAR(@d)"],
    "null": ["SET @x = NULL", "SELECT @x, COUNT(*) FROM prices WHERE volume > IFNULL(@x, 50)"],
    "never set": ["SELECT @nothing IS NULL"],
    "a text that looks like one": ["SET @a = 1", "SELECT '@b', 'it''s @a', @a -- @c\n"],
    "marks within": ["SET @s = 'a; SET @t = 1, b' /* @u */", "SELECT @s"],
    "a name in quotation marks": ["SET @`my day` = '2024-01-03'", "SELECT COUNT(*) FROM prices WHERE day = @`my day`"],
    "a counter that is set anew": [
        "SET @rn = 0",
        "SELECT symbol, day, @rn := @rn + 1 AS rn FROM prices ORDER BY symbol, day",
        "SET @rn = 0",
        "SELECT symbol, day, @rn := @rn + 1 AS rn FROM prices ORDER BY symbol, day",
    ],
    "a counter that sets itself": [
        "SELECT p.day, @k := @k + 1 AS k FROM prices p, (SELECT @k := 0) v WHERE symbol = 'AAA' ORDER BY day",
        "SELECT p.day, @k := @k + 1 AS k FROM prices p, (SELECT @k := 0) v WHERE symbol = 'AAA' ORDER BY day",
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def duck(short_folder, duckdb_url: str) -> Iterator[Broker]:  # noqa: F811
    with Broker(duckdb_url, socket_dir=short_folder / "v") as broker:
        yield broker


def answers(connection, program: list[str]) -> list[object]:
    found: list[object] = []
    with connection.cursor() as cursor:
        for sql in program:
            cursor.execute(sql)
            found.append((cursor.description is None, cursor.fetchall()))
    return found


@pytest.mark.servers
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_gets_what_mariadb_gives(duck: Broker, mariadb, program: list[str]) -> None:
    import pymysql

    with mariadb.database("variables") as name:
        mariadb.execute(*statements("DATETIME"), database=name)
        with pymysql.connect(**mariadb.driver_arguments(name)) as connection:
            expected = answers(connection, program)
    duck.reset()
    with mysql_client(duck) as connection:
        assert answers(connection, program) == expected


def test_the_clock_is_read_once(duck: Broker) -> None:
    with mysql_client(duck) as connection:
        answers(connection, ["SET @now = NOW(), @text = 'it''s'"])
        asked = "SELECT @now, @text, NOW()"
        [(_, [first])] = answers(connection, [asked])
        while (later := answers(connection, [asked])[0][1][0])[2] == first[2]:
            pass
        assert later[:2] == first[:2]
        assert first[1] == "it's"


def test_variables_belong_to_a_connection_until_it_is_reset(duck: Broker) -> None:
    with mysql_client(duck) as one, mysql_client(duck) as other:
        answers(one, ["SET @a = 1"])
        assert answers(one, ["SELECT @a"]) == [(False, ((1,),))]
        assert answers(other, ["SELECT @a"]) == [(False, ((None,),))]
        one._execute_command(0x1F, b"")  # COM_RESET_CONNECTION
        one._read_ok_packet()
        assert answers(one, ["SELECT @a"]) == [(False, ((None,),))]


@pytest.mark.parametrize(
    ("program", "message", "place"),
    [
        (["SET @a = (SELECT nope FROM prices)"], "nope", "1:18"),
        (["SET @a = 1, autocommit = 0"], "SET of anything but user variables", "1:13"),
        (["SET @a = 1,\n  @b = RAND()"], "RAND", "2:8"),
        (["SET @a = 1", "SET @b =\n  @a + RAND()"], "RAND", "2:8"),
        (["SET @a = 1", "SELECT @a,\n  RAND()"], "RAND", "2:3"),
        (["SET @a = 1", "SELECT @a FROM missing"], "missing", "1:16"),
        (
            ["SET @n = 0", "SELECT day, @n := @n + 1 FROM prices ORDER BY symbol, day", "SELECT 1,\n @n"],
            "@n was changed by a query",
            "2:2",
        ),
    ],
)
def test_what_is_not_faithful_is_refused_with_its_place(
    duck: Broker, program: list[str], message: str, place: str
) -> None:
    import pymysql

    *before, last = program
    duck.reset()
    with mysql_client(duck) as connection:
        answers(connection, before)
        with pytest.raises(pymysql.err.MySQLError, match=message) as caught:
            answers(connection, [last])
        assert f":{place}\n" in str(caught.value.args[1])
        assert duck.records()[-1].sql == last
        assert duck.records()[-1].status in {"error", "refused"}


def test_a_loop_over_values_keeps_one_of_them(duck: Broker) -> None:
    duck.reset()
    with mysql_client(duck) as connection:
        for number in range(300):
            answers(connection, [f"SET @a = {number}"])
        assert answers(connection, ["SELECT @a"]) == [(False, ((299,),))]
    assert duck.records()[-1].executed_sql.count("298") == 0
