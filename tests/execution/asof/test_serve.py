"""`finassay asof serve` as a process: what it prints, what it refuses, how it stops."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CATALOG = """
catalog: market
version: "1"
tables:
  report:
    kind: event
    key: [ID]
    availability: {column: PUBLISHED, proxy: RECORDED}
    columns: {ID: key, PUBLISHED: disclosure, RECORDED: recorded, NAME: payload}
  quiet:
    kind: event
    key: [ID]
    availability: {proxy: RECORDED}
    columns: {ID: key, RECORDED: recorded}
"""
CONTRACT = """
contract: t
as_of: {date: 2024-02-29, boundary: pre}
recording_proxies: [quiet.RECORDED]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of CSV files, a catalog and a contract."""
    place = tmp_path_factory.mktemp("serve")
    (place / "data").mkdir()
    (place / "data" / "report.csv").write_text(
        "ID,PUBLISHED,RECORDED,NAME,EXTRA\n1,2024-02-28,2024-03-05,one,LEAK\n2,2024-02-29,2024-03-05,two,LEAK\n"
        "3,2024-03-01,2024-03-05,LEAK,LEAK\n"
    )
    (place / "data" / "quiet.csv").write_text("ID,RECORDED\n1,2024-02-01\n2,2024-03-01\n")
    (place / "data" / "other.csv").write_text("ID\n7\n")
    (place / "catalog.yaml").write_text(CATALOG)
    (place / "contract.yaml").write_text(CONTRACT)
    return place


def command(*words: object, **more: Any) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "finassay", "asof", "serve", *map(str, words)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


@contextmanager
def serving(*words: object, **more: Any) -> Iterator[tuple[dict[str, Any], subprocess.Popen[str]]]:
    """Start the command, and give what it prints once it serves; it is stopped at the end."""
    with command(*words, "--format", "json", **more) as process:
        assert process.stdout is not None
        lines: list[str] = []
        while (line := process.stdout.readline()) and line != "}\n":
            lines.append(line)
        if not line:
            pytest.fail(f"it did not start: {process.stderr.read() if process.stderr else ''}")
        try:
            yield json.loads("".join([*lines, line])), process
        finally:
            process.terminate()
            process.wait(30)


def rows(told: dict[str, Any], sql: str) -> list[tuple[Any, ...]]:
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(told["url"])
    password = unquote(parts.password or "")
    if told["protocol"] == "mysql":
        import pymysql

        opened: Any = pymysql.connect(
            host=parts.hostname, port=parts.port or 0, user="research", password=password
        )
    else:
        import psycopg

        opened = psycopg.connect(
            host=parts.hostname, port=parts.port, user="research", password=password, dbname="x"
        )
    with opened as client, client.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_and_stops(folder: Path, tmp_path: Path, number: signal.Signals) -> None:
    log = tmp_path / "log.jsonl"
    given = (
        "--db",
        folder / "data",
        "--catalog",
        folder / "catalog.yaml",
        "--as-of",
        "2024-02-29",
        "--log",
        log,
    )
    with serving(*given) as (told, process):
        assert (told["as_of"], told["boundary"], told["host"], told["protocol"]) == (
            "2024-02-29", "eod", "127.0.0.1", "mysql",
        )  # fmt: skip
        assert told["tables"] == ["report"]
        assert sorted(told["withheld"]) == ["other", "quiet", "report.EXTRA"]
        assert "RECORDED" in told["withheld"]["quiet"]
        assert rows(told, "SELECT ID, NAME, RECORDED, EXTRA FROM report ORDER BY ID") == [
            (1, "one", None, None), (2, "two", None, None),
        ]  # fmt: skip
        with pytest.raises(Exception, match="no table other"):
            rows(told, "SELECT * FROM other")
        process.send_signal(number)
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert "stopped" in process.stderr.read()
    written = [json.loads(line) for line in log.read_text().splitlines()]
    asked = {record["sql"]: record for record in written}
    assert asked["SELECT ID, NAME, RECORDED, EXTRA FROM report ORDER BY ID"]["rows"] == 2
    assert asked["SELECT * FROM other"]["status"] == "error"


def test_the_contract_gives_date_boundary_and_proxies(folder: Path) -> None:
    given = (
        "--db",
        folder / "data",
        "--catalog",
        folder / "catalog.yaml",
        "--contract",
        folder / "contract.yaml",
    )
    with serving(*given, "--protocol", "postgres", "--allow", "other") as (told, _):
        assert (told["as_of"], told["boundary"], told["protocol"]) == ("2024-02-29", "pre", "postgres")
        assert told["tables"] == ["other", "quiet", "report"]
        assert rows(told, "SELECT id FROM report") == [(1,)]  # the day itself is not known before the open
        assert [row[0] for row in rows(told, "SELECT id FROM quiet")] == [1]
        assert rows(told, "SELECT * FROM other") == [(7,)]


def test_the_text_names_what_is_served_and_the_password_is_the_users(folder: Path) -> None:
    given = ("--db", folder / "data", "--catalog", folder / "catalog.yaml", "--as-of", "2024-02-29")
    env = {**os.environ, "FINASSAY_ASOF_PASSWORD": "of-my-own"}
    with command(*given, env=env) as process:
        assert process.stdout is not None
        lines = []
        while (line := process.stdout.readline()) and "Ctrl-C" not in line:
            lines.append(line)
        process.terminate()
    text = "".join(lines)
    assert "as of 2024-02-29, at the end of the day" in text
    assert "1 table(s) are served" in text
    assert "research:of-my-own@127.0.0.1" in text
    assert "network" not in text


DATED = ("--catalog", "{folder}/catalog.yaml", "--as-of", "2024-02-29")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--as-of", "2024-02-29"], "which catalog describes it"),
        (["--catalog", "{folder}/catalog.yaml"], "no date"),
        (["--catalog", "gildata", "--as-of", "2024-02-29"], "Nothing of"),
        ([*DATED, "--allow", "nothing"], "no table nothing"),
        ([*DATED, "--password", " "], "password is empty"),
        ([*DATED, "--host", "203.0.113.1"], "cannot be had"),
        ([*DATED, "--contract", "{folder}/contract.yaml", "--boundary", "eod"], "the contract"),
        ([*DATED, "--log", "/nowhere/at/all"], "log"),
    ],
)  # fmt: skip
def test_bad_input_is_named(folder: Path, words: list[str], complaint: str) -> None:
    with command("--db", folder / "data", *(word.format(folder=folder) for word in words)) as process:
        _, error = process.communicate(timeout=60)
    assert process.returncode == 2, error
    assert complaint in error


@pytest.mark.parametrize("url", ["mysql://a@127.0.0.1:1/b", "postgresql://a@127.0.0.1:1/b"])
def test_a_server_is_served_in_its_own_protocol_only(url: str) -> None:
    other = "postgres" if url.startswith("mysql") else "mysql"
    with command("--db", url, "--as-of", "2024-02-29", "--protocol", other) as process:
        _, error = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "no translation" in error


def test_the_port_of_another_is_told(folder: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        given = ("--db", folder / "data", "--catalog", folder / "catalog.yaml", "--as-of", "2024-02-29")
        with command(*given, "--port", port) as process:
            _, error = process.communicate(timeout=60)
    assert process.returncode == 2
    assert f"Port {port}" in error


def test_a_statement_that_kills_the_database_costs_one_connection(folder: Path) -> None:
    """The process that runs statements ends, and another serves on."""
    given = ("--db", folder / "data", "--catalog", folder / "catalog.yaml", "--as-of", "2024-02-29")
    with serving(*given, "--protocol", "postgres") as (told, process):
        [child] = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(child), signal.SIGKILL)
        for attempt in range(20):
            try:
                assert rows(told, "SELECT count(*) FROM report") == [(2,)]
                break
            except AssertionError:
                raise
            except Exception:  # noqa: BLE001 - not yet
                assert attempt < 19
