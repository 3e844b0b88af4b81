"""Clients that break the rules: the broker stays up, bounded and quick to everybody else."""

from __future__ import annotations

import os
import random
import socket
import struct
import time
from pathlib import Path

import pytest

PROTOCOLS = ("native", "mysql", "postgres")
MANY_ROWS = "SELECT i, 'some text that takes room ' || i AS t FROM range(2000000) r(i)"


def dial(broker, protocol: str) -> socket.socket:
    folder = os.open(broker.socket_dir, os.O_RDONLY)
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.connect(f"/proc/self/fd/{folder}/{protocol}.sock")
    client.settimeout(20)
    os.close(folder)
    return client


def memory(broker) -> int:
    """Resident bytes of the broker's process."""
    pages = Path(f"/proc/{broker._child._process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def is_well(broker, native, process: int) -> None:
    began = time.monotonic()
    assert native.query("SELECT COUNT(*) AS n FROM prices").to_pylist() == [{"n": 5}]
    assert time.monotonic() - began < 10
    assert broker._child._process.pid == process, "the process died"


def drained(client: socket.socket) -> bytes:
    """What comes until the broker hangs up; hanging up is what it must do."""
    data = b""
    try:
        while part := client.recv(1 << 16):
            data += part
    except ConnectionError:
        pass
    return data


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_garbage(broker, native, protocol: str) -> None:
    process = broker._child._process.pid
    generator = random.Random(20260430)
    for size in (1, 3, 4, 5, 8, 40, 4000):
        with dial(broker, protocol) as client:
            client.sendall(generator.randbytes(size))
            client.shutdown(socket.SHUT_WR)
            drained(client)
    is_well(broker, native, process)


@pytest.mark.parametrize(
    ("protocol", "declaration"),
    [
        ("native", struct.pack("!I", 1 << 30)),
        ("native", struct.pack("!I", 0xFFFFFFFF)),
        ("mysql", b"\xff\xff\xff\x01"),
        ("postgres", struct.pack("!I", 1 << 30)),
        (
            "postgres",
            struct.pack("!II", 8, 196608)[:4] + struct.pack("!I", 196608) + b"Q" + struct.pack("!I", 1 << 30),
        ),
    ],
)
def test_a_length_of_a_gigabyte_is_not_believed(broker, native, protocol: str, declaration: bytes) -> None:
    process, before = broker._child._process.pid, memory(broker)
    with dial(broker, protocol) as client:
        client.sendall(declaration)
        drained(client)  # it hangs up without waiting for the gigabyte
    assert memory(broker) < before + (64 << 20)
    is_well(broker, native, process)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_half_a_message_holds_nobody_up(broker, native, protocol: str) -> None:
    process = broker._child._process.pid
    halves = {
        "native": struct.pack("!I", 100) + b'{"op"',
        "mysql": b"\x50\0\0\x01half",
        "postgres": struct.pack("!I", 90) + b"\0",
    }
    with dial(broker, protocol) as client:
        client.sendall(halves[protocol])
        is_well(broker, native, process)


def test_fifty_connections_that_say_nothing(broker, native) -> None:
    process = broker._child._process.pid
    clients = [dial(broker, protocol) for protocol in PROTOCOLS for _ in range(50)]
    try:
        is_well(broker, native, process)
    finally:
        for client in clients:
            client.close()


def test_more_connections_than_are_served_are_turned_away(broker, native) -> None:
    """Those already served are not disturbed, and room comes back when they leave."""
    process = broker._child._process.pid
    native.query("SELECT 1 AS one")
    clients = [dial(broker, "native") for _ in range(300)]
    is_well(broker, native, process)
    for client in clients:
        client.close()
    deadline = time.monotonic() + 10
    while True:
        native._drop()
        try:
            is_well(broker, native, process)
        except native.DatabaseError:
            assert time.monotonic() < deadline
        else:
            break


def _ask(protocol: str, client: socket.socket, sql: str) -> None:
    """Log in and send a statement, by hand."""
    text = sql.encode()
    if protocol == "native":
        data = b'{"op": "query", "sql": "%s"}' % text
        client.sendall(struct.pack("!I", len(data)) + data)
    elif protocol == "mysql":
        head = client.recv(4, socket.MSG_WAITALL)
        client.recv(int.from_bytes(head[:3], "little"), socket.MSG_WAITALL)
        login = struct.pack("<IIB23x", 0x200 | 0x8000, 1 << 24, 45) + b"me\0\0"
        client.sendall(len(login).to_bytes(3, "little") + b"\x01" + login)
        head = client.recv(4, socket.MSG_WAITALL)
        assert client.recv(int.from_bytes(head[:3], "little"), socket.MSG_WAITALL)[0] == 0
        client.sendall((len(text) + 1).to_bytes(3, "little") + b"\0\x03" + text)
    else:
        start = struct.pack("!I", 196608) + b"user\0me\0\0"
        client.sendall(struct.pack("!I", len(start) + 4) + start)
        client.sendall(b"Q" + struct.pack("!I", len(text) + 5) + text + b"\0")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_leaving_in_the_middle_of_a_result(broker, native, protocol: str) -> None:
    process = broker._child._process.pid
    for _ in range(3):
        with dial(broker, protocol) as client:
            _ask(protocol, client, MANY_ROWS)
            assert client.recv(1000, socket.MSG_WAITALL)
    is_well(broker, native, process)
    assert {record.status for record in broker.records() if "some text" in record.sql} <= {
        "ok",
        "timeout",
        "error",
    }


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_client_that_never_reads_holds_nobody_up(broker, native, protocol: str) -> None:
    process = broker._child._process.pid
    with dial(broker, protocol) as client:
        _ask(protocol, client, MANY_ROWS.replace("2000000", "300000"))
        for _ in range(5):
            is_well(broker, native, process)


def test_a_client_that_never_reads_is_dropped_in_the_end(broker, native, monkeypatch) -> None:
    """The limit is half a minute; the socket option that enforces it is what is looked at."""
    from finassay.execution._wire import _serve

    near, far = socket.socketpair()
    with near, far:
        monkeypatch.setattr(_serve, "_STALL_S", 1.0)
        _serve._bound_stalls(near)
        began = time.monotonic()
        with pytest.raises(BlockingIOError):
            near.sendall(bytes(64 << 20))
        assert 0.9 < time.monotonic() - began < 10


def test_who_does_not_introduce_itself_is_dropped_after_ten_seconds(broker, native) -> None:
    """Silent, or a byte at a time; a client that has said who it is may then be silent for longer."""
    process = broker._child._process.pid
    native.query("SELECT 1 AS one")
    began = time.monotonic()
    silent = [dial(broker, protocol) for protocol in PROTOCOLS]
    slow = {protocol: dial(broker, protocol) for protocol in PROTOCOLS}
    greeted = dial(broker, "postgres")
    start = struct.pack("!I", 196608) + b"user\0me\0\0"
    greeted.sendall(struct.pack("!I", len(start) + 4) + start)
    drips = {"native": struct.pack("!I", 60) + b" " * 60, "mysql": b"\x50\0\0\x01" + bytes(80),
             "postgres": struct.pack("!II", 90, 196608) + b"user" * 20}  # fmt: skip
    ended: dict[str, float] = {}
    for second in range(16):
        for protocol, client in slow.items():
            try:
                client.sendall(drips[protocol][second : second + 1])
            except OSError:
                ended.setdefault(protocol, time.monotonic() - began)
        time.sleep(1)
    for client in silent:
        client.settimeout(1)
        drained(client)
    assert set(ended) == set(PROTOCOLS)
    assert all(9 < seconds < 16 for seconds in ended.values())
    greeted.sendall(b"Q" + struct.pack("!I", 13) + b"SELECT 1\0")
    assert b"SELECT 1" in greeted.recv(1 << 16) + greeted.recv(1 << 16)
    for client in (*silent, *slow.values(), greeted):
        client.close()
    is_well(broker, native, process)


def test_questions_about_the_schema_reach_no_file_and_end_in_time(broker, native) -> None:
    """They run in a database in memory, outside the policy: it must offer nothing else."""
    import pymysql

    secret = broker.socket_dir / "secret.csv"
    secret.write_text("password\nhunter2\n")
    with pymysql.connect(unix_socket=str(broker.socket_dir / "mysql.sock")) as connection:
        cursor = connection.cursor()
        for reading in (
            f"SELECT * FROM information_schema.tables, read_csv('{secret}')",
            f"SELECT @@version, (SELECT content FROM read_text('{secret}'))",
            "SELECT @@version, getenv('PATH')",
            "SELECT COUNT(*) FROM information_schema.tables, duckdb_settings()",
        ):
            with pytest.raises(pymysql.MySQLError) as caught:
                cursor.execute(reading)
            assert "hunter2" not in str(caught.value)
