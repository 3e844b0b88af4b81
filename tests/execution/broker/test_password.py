"""Where a broker has a password, nobody without it is served; in a jail, where it has none, any will do."""

from __future__ import annotations

import socket
import stat
from collections.abc import Iterator

import pytest

from finassay.execution._broker import Broker
from finassay.execution._wire._mysql_handshake import native_answer, sha2_answer

from .test_protocols import mysql_client, postgres_client

PASSWORD = "Zm9v-YmFy_1"
WRONG = ["research", "", "Zm9v-YmFy_", "Zm9v-YmFy_1x"]


@pytest.fixture(scope="module")
def locked(tmp_path_factory, duckdb_url) -> Iterator[Broker]:
    with Broker(duckdb_url, socket_dir=tmp_path_factory.mktemp("l") / "s", password=PASSWORD) as broker:
        yield broker


def test_mysql_takes_the_password(locked: Broker) -> None:
    with mysql_client(locked, password=PASSWORD) as client, client.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM prices")
        assert cursor.fetchone() == (5,)


@pytest.mark.parametrize("password", WRONG)
def test_mysql_refuses_another(locked: Broker, password: str) -> None:
    import pymysql

    with pytest.raises(pymysql.err.OperationalError, match="DB_PASSWORD") as caught:
        mysql_client(locked, password=password).__enter__()
    assert caught.value.args[0] == 1045  # ER_ACCESS_DENIED_ERROR


@pytest.mark.parametrize("password", [PASSWORD, "wrong"])
def test_a_mysql_client_that_answers_in_the_newer_way_is_served(locked: Broker, password: str) -> None:
    """``caching_sha2_password``, the default of MySQL 8 and the only way of MySQL 9, without the full exchange."""
    from pymysql import _auth

    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(locked.socket_dir / "mysql.sock"))
        greeting = client.recv(1000)[4:]
        at = greeting.index(b"\0", 1) + 1 + 4
        salt = greeting[at : at + 8] + greeting[at + 27 : at + 39]
        answer = _auth.scramble_caching_sha2(password.encode(), salt)
        capabilities = 0x200 | 0x8000 | 1 << 19
        reply = capabilities.to_bytes(4, "little") + bytes(4) + bytes([45]) + bytes(23) + b"me\0"
        reply += bytes([32]) + answer + b"caching_sha2_password\0"
        client.sendall(len(reply).to_bytes(3, "little") + b"\1" + reply)
        head = client.recv(1000)[4:]
        assert head[:1] == (b"\x01" if password == PASSWORD else b"\xff")  # the short way, or an error


def test_proofs_are_those_of_pymysql() -> None:
    from pymysql import _auth

    salt = bytes(range(1, 21))
    assert native_answer(b"secret", salt) == _auth.scramble_native_password(b"secret", salt)
    assert sha2_answer(b"secret", salt) == _auth.scramble_caching_sha2(b"secret", salt)


def test_a_mysql_client_of_another_way_is_asked_again(locked: Broker) -> None:
    """A client whose plugin is not known here is asked for ``mysql_native_password``."""
    from pymysql import _auth

    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(locked.socket_dir / "mysql.sock"))
        client.recv(1000)
        capabilities = 0x200 | 0x8000 | 1 << 19
        reply = capabilities.to_bytes(4, "little") + bytes(4) + bytes([45]) + bytes(23) + b"me\0\0"
        reply += b"client_ed25519\0"
        client.sendall(len(reply).to_bytes(3, "little") + b"\1" + reply)
        asked = client.recv(1000)[4:]
        assert asked.startswith(b"\xfemysql_native_password\0")
        salt = asked[len(b"\xfemysql_native_password\0") : -1]
        answer = _auth.scramble_native_password(PASSWORD.encode(), salt)
        client.sendall(len(answer).to_bytes(3, "little") + b"\3" + answer)
        assert client.recv(1000)[4:5] == b"\0"  # OK


def test_postgres_takes_the_password(locked: Broker) -> None:
    with postgres_client(locked, password=PASSWORD) as client:
        assert client.execute("SELECT COUNT(*) FROM prices").fetchone() == (5,)


@pytest.mark.parametrize("password", WRONG)
def test_postgres_refuses_another(locked: Broker, password: str) -> None:
    import psycopg

    with pytest.raises(psycopg.OperationalError, match=r"PGPASSWORD|password"):
        postgres_client(locked, password=password).__enter__()


def test_nothing_is_served_before_the_password(locked: Broker) -> None:
    """A client that sends a statement instead of its password gets nothing."""
    locked.reset()
    startup = (3 << 16).to_bytes(4, "big") + b"user\0me\0\0"
    query = b"Q" + (4 + 9).to_bytes(4, "big") + b"SELECT 1\0"
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(locked.socket_dir / "postgres.sock"))
        client.sendall((len(startup) + 4).to_bytes(4, "big") + startup + query)
        client.settimeout(10)
        answers = b""
        while part := client.recv(1000):
            answers += part
    assert answers.startswith(b"R\0\0\0\x08\0\0\0\x03E")  # asked for a password in clear, then an error
    assert locked.records() == []


def test_the_sockets_are_this_users_alone(locked: Broker) -> None:
    """The native protocol knows no password: its socket cannot be reached by another user."""
    assert stat.S_IMODE(locked.socket_dir.stat().st_mode) == 0o700


@pytest.mark.parametrize("password", WRONG)
def test_a_broker_without_one_takes_any(broker: Broker, password: str) -> None:
    with mysql_client(broker, password=password) as mysql, mysql.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM prices")
        assert cursor.fetchone() == (5,)
    with postgres_client(broker, password=password) as postgres:
        assert postgres.execute("SELECT COUNT(*) FROM prices").fetchone() == (5,)
