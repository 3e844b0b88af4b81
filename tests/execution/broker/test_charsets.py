"""MySQL clients that speak another character set than UTF-8 get what MariaDB gives them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from finassay.execution._broker import Broker
from finassay.execution._wire._mysql_charsets import Charsets

from .test_protocols import mysql_client

TABLE = "CREATE TABLE `公司` (id INT PRIMARY KEY, `名称` VARCHAR(20), raw BLOB) CHARACTER SET utf8mb4"
# Characters that all of the sets have, that only some have, that need four bytes in UTF-8, and bytes that are no text.
ROWS = (
    "INSERT INTO `公司` VALUES (1, '贵州茅台', X'B9F3'), (2, 'é€', X'00FF27'), (3, '龘', NULL), (4, '😀', NULL), "
    "(5, NULL, NULL), (6, 'plain', NULL)"
)
LATIN = "CREATE TABLE plain AS SELECT id, `名称` AS name, raw FROM `公司`"  # for clients that cannot write Chinese
CHARSETS = ["gbk", "gb2312", "latin1", "utf8", "utf8mb4", "ascii"]
STATE = "SELECT @@character_set_client, @@character_set_connection, @@character_set_results, @@collation_connection"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("c")


@pytest.fixture(scope="module")
def maria(mariadb, folder: Path) -> Iterator[tuple[Broker, dict[str, Any]]]:
    with mariadb.database("charsets") as name:
        mariadb.execute(TABLE, ROWS, LATIN, database=name)
        with Broker(mariadb.reader_url(name), socket_dir=folder / "m") as broker:
            yield broker, mariadb.driver_arguments(name)


@pytest.fixture(scope="module")
def duck(folder: Path) -> Iterator[Broker]:
    import duckdb

    file = folder / "market.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute('CREATE TABLE "公司" (id INT PRIMARY KEY, "名称" VARCHAR)')
        connection.execute("INSERT INTO \"公司\" VALUES (1, '贵州茅台'), (4, '😀')")
    with Broker(f"duckdb:///{file}", socket_dir=folder / "d") as broker:
        yield broker


def answer(connection: Any, sql: str | bytes) -> tuple[Any, ...]:
    """What a client sees of a statement: values, names and character sets of the columns, or the error's number."""
    import pymysql

    try:
        connection.query(sql)
    except pymysql.MySQLError as error:
        return (error.args[0],)
    result = connection._result
    return result.rows, [(field.name, field.charsetnr) for field in getattr(result, "fields", None) or ()]


@pytest.mark.servers
@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM `公司` ORDER BY id",
        "SELECT `名称`, id AS `编号` FROM `公司` WHERE `名称` = '贵州茅台' OR `名称` LIKE '%é%' ORDER BY id",
        "SELECT raw FROM `公司` WHERE `名称` IN ('贵州茅台')",
        "SELECT * FROM `没有`",
        STATE,
        "SHOW VARIABLES LIKE 'character_set_client'",
    ],
)
def test_a_client_sees_what_mariadb_gives(maria, charset: str, sql: str) -> None:
    import pymysql

    broker, arguments = maria
    if charset in ("latin1", "ascii"):
        for ours, latin in (("公司", "plain"), ("名称", "name"), ("编号", "number"), ("没有", "nothing")):
            sql = sql.replace(ours, latin)
        sql = sql.replace("贵州茅台", "plain").replace("é", "e")
    with pymysql.connect(**{**arguments, "charset": charset}) as direct:
        expected = answer(direct, sql)
    with mysql_client(broker, charset=charset) as client:
        assert answer(client, sql) == expected


@pytest.mark.servers
@pytest.mark.parametrize(
    "setting",
    [
        "SET NAMES gbk",
        "SET NAMES 'gbk' COLLATE 'gbk_bin'",
        'set names "latin1"',
        "SET NAMES DEFAULT",
        "SET NAMES UTF8",
        "SET CHARACTER SET gbk",
        "SET CHARSET 'latin1'",
        "SET character_set_results = gbk",
        "SET @@session.character_set_results = 'gb2312', autocommit = 1",
        "SET SESSION collation_connection = utf8mb4_bin, character_set_client = gbk",
        "SET sql_mode = 'NAMES gbk,STRICT_TRANS_TABLES'",
        "SET NAMES klingon",
        "SET NAMES gbk COLLATE utf8mb4_bin",
        "SET NAMES gbk COLLATE klingon",
        "SET CHARACTER SET klingon",
        "SET character_set_results = klingon",
        "SET collation_connection = klingon",
    ],
)
def test_set_changes_what_it_changes_in_mariadb(maria, setting: str) -> None:
    """What the variables say afterwards, and in what bytes a name arrives."""
    import pymysql

    broker, arguments = maria
    seen = []
    for connection in (
        pymysql.connect(**arguments),
        pymysql.connect(unix_socket=str(broker.socket_dir / "mysql.sock"), charset="utf8mb4"),
    ):
        with connection:
            said = answer(connection, setting) if "sql_mode" not in setting else None
            connection.encoding = "latin-1"  # shows the bytes
            seen.append((said, answer(connection, STATE), answer(connection, b"SELECT 1 AS a, 'x' AS b")))
    assert seen[1] == seen[0]


@pytest.mark.servers
def test_two_byte_codes_mean_what_they_mean_in_mariadb(mariadb) -> None:
    """Every code that MariaDB knows, both ways; GB18030 it does not have."""
    import pymysql

    with pymysql.connect(**mariadb.driver_arguments()) as connection, connection.cursor() as cursor:
        for name, number in (("gbk", 28), ("gb2312", 24), ("latin1", 8)):
            charset = Charsets.of_number(number).client
            two = [bytes([a, b]) for a in range(0x81, 0xFF) for b in range(0x40, 0xFF)]
            codes = [bytes([a]) for a in range(256)] if name == "latin1" else two
            cursor.execute(
                f"WITH codes(code) AS (VALUES {', '.join(f'(0x{code.hex()})' for code in codes)}) "
                f"SELECT code, HEX(CONVERT(CONVERT(code USING {name}) USING utf8mb4)) FROM codes"
            )
            known = {
                code: text
                for code, text in ((code, bytes.fromhex(text).decode()) for code, text in cursor if text)
                if "?" not in text or code == b"?"
            }
            assert len(known) == {"gbk": 21791, "gb2312": 7445, "latin1": 256}[name]
            assert {code: charset.decode(code) for code in known} == known
            assert {text: charset.encode(text) for text in known.values()} == {v: k for k, v in known.items()}


def test_gb18030_writes_everything(duck: Broker) -> None:
    with mysql_client(duck, charset="gb18030") as client:
        rows, columns = answer(client, "SELECT id, `名称` FROM `公司` WHERE `名称` <> '涨停' ORDER BY id")
    assert rows == ((1, "贵州茅台"), (4, "😀"))
    assert columns == [("id", 63), ("名称", 248)]  # 248 is gb18030_chinese_ci in MySQL


def test_the_log_holds_the_statement_as_it_was_meant(duck: Broker) -> None:
    duck.reset()
    with mysql_client(duck, charset="gbk") as client:
        answer(client, "SELECT '涨停'")
    assert duck.records()[-1].sql == "SELECT '涨停'"


def test_parameters_and_errors_are_in_the_clients_character_set(duck: Broker) -> None:
    import pymysql

    with mysql_client(duck, charset="gbk") as client, client.cursor() as cursor:
        cursor.execute("SELECT id FROM `公司` WHERE `名称` = %s", ("贵州茅台",))
        assert cursor.fetchall() == ((1,),)
        client._execute_command(0x03, "SELECT * FROM `没有`".encode("gbk"))
        size = int.from_bytes(client._read_bytes(4)[:3], "little")
        message = client._read_bytes(size)[9:]  # pymysql would read it as UTF-8
        assert "There is no table 没有" in message.decode("gbk")
        cursor.execute("SET character_set_results = latin1")
        client.encoding = "latin-1"
        with pytest.raises(pymysql.MySQLError) as caught:
            client.query("SELECT * FROM `没有`".encode("gbk"))
        assert r"There is no table \6CA1\6709" in caught.value.args[1]  # 没 is U+6CA1, 有 is U+6709


def test_a_reset_connection_speaks_as_it_began(duck: Broker) -> None:
    with mysql_client(duck, charset="gbk") as client:
        answer(client, "SET NAMES latin1")
        client._execute_command(0x1F, b"")  # COM_RESET_CONNECTION
        client._read_ok_packet()
        assert answer(client, STATE)[0] == (("gbk", "gbk", "gbk", "gbk_chinese_ci"),)


def test_bytes_that_are_no_text_are_refused_with_their_place(duck: Broker) -> None:
    import pymysql

    with mysql_client(duck, charset="utf8mb4") as client:
        with pytest.raises(pymysql.MySQLError, match=r"utf8mb4, .* byte 9 .*gbk") as caught:
            client.query("SELECT '贵州'".encode("gbk"))
        assert caught.value.args[0] == 1300  # ER_INVALID_CHARACTER_STRING
        client.query("SELECT 1")
