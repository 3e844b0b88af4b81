"""One small market, on every engine that `connect` opens."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import pyarrow as pa
import pytest

from finassay.database import Database, connect
from support.loading import load_server, write_csv, write_duckdb, write_parquet

DAYS = [dt.date(2024, 1, 2), dt.date(2024, 1, 3), dt.date(2024, 1, 4)]
PRICES = pa.table(
    {
        "symbol": pa.array(["AAA", "AAA", "AAA", "BBB", "BBB", "中文"]),
        "day": pa.array([*DAYS, *DAYS[:2], DAYS[0]], pa.date32()),
        "close": pa.array([Decimal(x) for x in ("10.2500", "10.5000", "9.7500", "99.0000", "101.0000", "7.1250")],
                          pa.decimal128(18, 4)),
        "volume": pa.array([100, 250, None, 5, 7, 9_000_000_000], pa.int64()),
        "ratio": pa.array([0.1, None, 1e-300, 2.5, -3.0, 1.7976931348623157e308]),
        "active": pa.array([True, True, None, False, False, True]),
        "seen": pa.array([dt.datetime.fromisoformat("2024-01-02 15:30:00.123456")] * 5 + [None], pa.timestamp("us")),
    }
)  # fmt: skip
SECURITIES = pa.table({"symbol": ["AAA", "BBB", "CCC"], "name": ["Alpha, Inc.", 'The "B" Co.', "Gamma"]})
TABLES = {"prices": PRICES, "securities": SECURITIES}
ENGINES = ("duckdb", "parquet", "csv", "mariadb", "postgres")


@dataclass(frozen=True)
class Engine:
    """An engine under test: its name, where its market is, and what differs between engines by nature."""

    name: str
    url: str

    @property
    def embedded(self) -> bool:
        return self.name in {"duckdb", "parquet", "csv"}

    @property
    def schema(self) -> str:
        return {"mariadb": "market", "postgres": "public"}.get(self.name, "main")

    def many_rows(self, count: int) -> str:
        """A statement with many rows that the server makes up as it goes."""
        if self.embedded:
            return f"SELECT range AS n FROM range({count})"
        if self.name == "postgres":
            return f"SELECT n FROM generate_series(1, {count}) AS s(n)"
        return f"SELECT seq AS n FROM seq_1_to_{count}"  # the sequence engine, part of MariaDB

    def slow(self) -> str:
        """A statement that takes far longer than any test."""
        one = self.many_rows(10_000_000)
        return f"SELECT count(*) FROM ({one}) a CROSS JOIN ({one}) b WHERE a.n + b.n = -1"


@pytest.fixture(scope="session", params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    name = request.param
    folder = tmp_path_factory.mktemp(name)
    if name in {"mariadb", "postgres"}:
        server = request.getfixturevalue(name)
        with server.database("market") as database:
            load_server(server, database, TABLES)
            yield Engine(name, server.reader_url(database))
    elif name == "duckdb":
        yield Engine(name, write_duckdb(folder / "market.duckdb", TABLES))
    else:
        write = write_parquet if name == "parquet" else write_csv
        yield Engine(name, write(folder, TABLES))


@pytest.fixture
def database(engine: Engine) -> Iterator[Database]:
    with connect(engine.url) as opened:
        yield opened
