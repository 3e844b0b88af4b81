"""One small market in every kind of database, and a guest that runs programs as the jail would, without the jail."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest

from finassay.database import QueryPolicy
from finassay.execution._broker import Broker
from finassay.execution._guest import duckdb_mount, guest_env, guest_files

PROGRAMS = Path(__file__).parent / "programs"
COLUMNS = ("symbol", "day", "close", "volume", "score", "note", "seen_at")
ROWS = (
    (
        "AAA",
        dt.date(2024, 1, 2),
        Decimal("10.0000"),
        100,
        0.5,
        "first",
        "2024-01-02 16:00:00",
    ),
    (
        "AAA",
        dt.date(2024, 1, 3),
        Decimal("10.2500"),
        200,
        -0.25,
        None,
        "2024-01-03 16:00:01",
    ),
    ("AAA", dt.date(2024, 1, 4), Decimal("10.1250"), 9_000_000_000, None, "it's", None),
    (
        "BBB",
        dt.date(2024, 1, 3),
        Decimal("0.0001"),
        None,
        1e300,
        "中文",
        "2024-01-03 16:00:00",
    ),
    (
        "BBB",
        dt.date(2024, 1, 4),
        Decimal("99999.9999"),
        5,
        0.1,
        "",
        "2024-01-04 23:59:59",
    ),
)
TABLE = (
    "CREATE TABLE prices (symbol VARCHAR(20) NOT NULL, day DATE NOT NULL, close DECIMAL(18,4), volume BIGINT, "
    "score DOUBLE PRECISION, note VARCHAR(50), seen_at {moment}, PRIMARY KEY (symbol, day))"
)


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return (
        f"'{value}'"
        if isinstance(value, dt.date)
        else repr(value)
        if isinstance(value, float)
        else str(value)
    )


def statements(moment: str) -> list[str]:
    values = ", ".join("(" + ", ".join(map(_literal, row)) + ")" for row in ROWS)
    return [TABLE.format(moment=moment), f"INSERT INTO prices VALUES {values}"]


@pytest.fixture(scope="session")
def duckdb_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    import duckdb

    path = tmp_path_factory.mktemp("file") / "market.duckdb"
    with duckdb.connect(str(path)) as connection:
        for statement in statements("TIMESTAMP"):
            connection.execute(statement)
    return f"duckdb:///{path}"


@pytest.fixture(scope="session")
def folder_url(tmp_path_factory: pytest.TempPathFactory, duckdb_url: str) -> str:
    import duckdb

    folder = tmp_path_factory.mktemp("folder") / "market"
    folder.mkdir()
    with duckdb.connect(duckdb_url.removeprefix("duckdb:///"), read_only=True) as connection:
        connection.execute(f"COPY prices TO '{folder / 'prices.parquet'}'")
    return str(folder)


@pytest.fixture(scope="session")
def mariadb_url(mariadb) -> Iterator[str]:
    with mariadb.database("market") as name:
        mariadb.execute(*statements("DATETIME"), database=name)
        yield mariadb.reader_url(name)


@pytest.fixture(scope="session")
def postgres_url(postgres) -> Iterator[str]:
    with postgres.database("market") as name:
        postgres.execute(*statements("TIMESTAMP"), database=name)
        yield postgres.reader_url(name)


@dataclass
class Guest:
    """A broker, its relay, and the environment of a program."""

    broker: Broker
    home: Path
    env: dict[str, str]

    def run(self, program: str) -> object:
        """Run a program file and return the JSON that it prints."""
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                f"import finassay_duckdb as d, runpy; d.install(); runpy.run_path({program!r})",
            ],
            env=self.env,
            cwd=self.home / "scratch",
            capture_output=True,
            text=True,
            check=False,
            timeout=50,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Guest]]:
    """Return a function from a URL, a dialect and overlays to a guest; one broker serves all runs over a database."""
    running: dict[str, Guest] = {}
    with contextlib.ExitStack() as stack:

        def start(url: str, dialect: str = "mysql", overlays: dict[str, str] | None = None) -> Guest:
            if url not in running:
                running[url] = stack.enter_context(_guest(url, tmp_path_factory.mktemp("guest")))
            guest = running[url]
            guest.broker.reset(dialect=dialect, overlays=overlays)
            return Guest(guest.broker, guest.home, _environment(guest, url, dialect, overlays))

        yield start


@contextlib.contextmanager
def _guest(url: str, home: Path) -> Iterator[Guest]:
    for name in ("database", "scratch"):
        (home / name).mkdir()
    for name, path in guest_files().items():
        (home / name).symlink_to(path)
    with Broker(url, socket_dir=home / "sockets") as broker:
        env = _on_free_ports({**guest_env("mysql", "market", home=str(home)), "PATH": os.environ["PATH"]})
        with _relay(home, env):
            yield Guest(broker, home, env)


def _environment(guest: Guest, url: str, dialect: str, overlays: dict[str, str] | None) -> dict[str, str]:
    """The environment of a run: ports stay, the DuckDB file and the dialect are the run's."""
    folder = Path(tempfile.mkdtemp(dir=guest.home))
    file = duckdb_mount(url, overlays, folder)
    env = guest_env(dialect, "market", duckdb_file=file and file.name, home=str(guest.home))
    ports = {name: guest.env[name] for name in ("DB_PORT", "MYSQL_PORT", "PGPORT")}
    address = (
        env["DATABASE_URL"]
        .replace(":3306/", f":{ports['DB_PORT']}/")
        .replace(":5432/", f":{ports['PGPORT']}/")
    )
    mounted = {"FINASSAY_DUCKDB": str(file)} if file is not None else {}
    return {**env, **ports, **mounted, "DATABASE_URL": address, "PATH": os.environ["PATH"]}


def _on_free_ports(env: dict[str, str]) -> dict[str, str]:
    """Outside the jail there is no loopback of our own, so the ports are."""
    mysql, postgres = str(free_port()), str(free_port())
    return {**env, "DB_PORT": mysql, "MYSQL_PORT": mysql, "PGPORT": postgres}


@contextlib.contextmanager
def _relay(home: Path, env: dict[str, str]) -> Iterator[None]:
    command = [sys.executable, str(home / "finassay_relay.py")]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as relay:
        assert relay.stdout is not None
        assert relay.stdout.readline() == b"ready\n"
        yield
        relay.kill()


@pytest.fixture(scope="session")
def one_broker(tmp_path_factory: pytest.TempPathFactory, duckdb_url: str) -> Iterator[Broker]:
    folder = tmp_path_factory.mktemp("b") / "sockets"
    with Broker(duckdb_url, socket_dir=folder, policy=QueryPolicy(timeout_s=2.0)) as running:
        yield running


@pytest.fixture
def broker(one_broker: Broker) -> Broker:
    """A broker over the DuckDB file at the start of a run, with a time limit of two seconds for a statement."""
    one_broker.reset()
    return one_broker


@pytest.fixture
def native(broker: Broker, monkeypatch: pytest.MonkeyPatch):
    """The guest's own client of the native socket, imported afresh."""
    import importlib

    monkeypatch.syspath_prepend(str(guest_files()["finassay_native.py"].parent))
    monkeypatch.setenv("FINASSAY_SOCKETS", str(broker.socket_dir))
    import finassay_native

    module = importlib.reload(finassay_native)
    yield module
    module._drop()
