"""What the broker adds to a query: both sides in the same run, as Markdown rows.

    python benchmarks/bench_broker.py

The native route is held to at most 3 ms a query, plus 25 % on a result of 300,000 cells, against the same query in this
process. The wire protocols are shown beside it; a MariaDB of your own is compared where BENCH_MARIADB holds its URL.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from finassay.database import connect
from finassay.execution._broker import Broker
from finassay.execution._guest import guest_files

ROUNDS = 25
TINY = "SELECT 1 AS one"
LARGE = "SELECT * FROM prices"
TABLE = """
CREATE TABLE prices AS SELECT i AS id, 'S' || (i % 500) AS symbol, DATE '2015-01-01' + (i % 3000)::INT AS day,
  (i * 1.25)::DECIMAL(18,4) AS close, i * 0.5::DOUBLE AS score, CASE WHEN i % 7 = 0 THEN NULL ELSE i END AS volume,
  TIMESTAMP '2015-01-01 10:00:00' + INTERVAL (i) MINUTE AS seen_at, i % 2 = 0 AS active, 'note ' || i AS note,
  (i % 1000)::INT AS rank FROM range(30000) r(i)
"""


def timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e3


def compare(sides: dict[str, Callable[[], Any]], of: Callable[[list[float]], float]) -> dict[str, float]:
    """Return a summary of the milliseconds of each side, run in turns so that a busy machine slows all alike."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for work in sides.values():
        work()
    for _ in range(ROUNDS):
        for name, work in sides.items():
            times[name].append(timed(work))
    return {name: of(values) for name, values in times.items()}


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with duckdb.connect(str(folder / "market.duckdb")) as database:
            database.execute(TABLE)
        url = f"duckdb:///{folder / 'market.duckdb'}"
        with Broker(url, socket_dir=folder / "s"):
            # The client is a process of its own, as in the jail.
            client = multiprocessing.get_context("spawn").Process(target=measure, args=(url, folder / "s"))
            client.start()
            client.join()
    sys.exit(client.exitcode)


def measure(url: str, sockets: Path) -> None:
    """Print the tables."""
    sys.path.insert(0, str(guest_files()["db_connector.py"].parent))
    os.environ["FINASSAY_SOCKETS"] = str(sockets)
    with connect(url) as database:
        rows(database)
    print()
    wires(sockets)


def rows(database: Any) -> None:
    import db_connector

    def inside(sql: str) -> Any:
        return db_connector.to_frame(database.query(sql).table)

    print("| result | of the runs | in process, ms | native route, ms | limit, ms | kept |")
    print("|---|---|---|---|---|---|")
    for label, sql, share in (("1 cell", TINY, 0.0), ("300,000 cells", LARGE, 0.25)):
        sides = {"inside": partial(inside, sql), "native": partial(db_connector.query_to_dataframe, sql)}
        for name, of in (("median", statistics.median), ("fastest", min)):
            figure = compare(sides, of)
            limit = figure["inside"] * (1 + share) + 3
            kept = "yes" if figure["native"] <= limit else "NO"
            print(
                f"| {label} | {name} | {figure['inside']:.2f} | {figure['native']:.2f} | {limit:.2f} | {kept} |"
            )


def wires(sockets: Path) -> None:
    """Print the wire protocols, and the broker's own share: the client alone takes the most of it."""
    import psycopg
    import pymysql

    link = sockets / ".s.PGSQL.5432"
    link.symlink_to("postgres.sock")
    sides: dict[str, Callable[[str], Any]] = {}
    with (
        pymysql.connect(unix_socket=str(sockets / "mysql.sock")) as mysql,
        psycopg.connect(f"host={sockets} user=me dbname=market", autocommit=True) as postgres,
    ):
        sides["pymysql through the broker"] = lambda sql: _fetch(mysql, sql)
        sides["psycopg through the broker"] = lambda sql: postgres.execute(sql).fetchall()
        sides["psycopg, binary, through the broker"] = lambda sql: postgres.execute(
            sql, binary=True
        ).fetchall()
        direct = _mariadb()
        if direct is not None:
            sides["pymysql straight to MariaDB"] = lambda sql: _fetch(direct, sql)
        tiny = compare({name: partial(run, TINY) for name, run in sides.items()}, statistics.median)
        large = compare({name: partial(run, LARGE) for name, run in sides.items()}, statistics.median)
        print("| wire route (for information) | 1 cell, ms | 300,000 cells, ms |")
        print("|---|---|---|")
        for name in sides:
            print(f"| {name} | {tiny[name]:.2f} | {large[name]:.2f} |")
        if direct is not None:
            direct.close()
    link.unlink()


def _fetch(connection: Any, sql: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def _mariadb() -> Any:
    """Connect to the MariaDB of BENCH_MARIADB (host:port:user:password:database) and fill the same table."""
    given = os.environ.get("BENCH_MARIADB")
    if not given:
        return None
    import pymysql

    host, port, user, password, database = given.split(":")
    where = {"host": host, "port": int(port), "user": user, "password": password, "database": database}
    connection = pymysql.connect(**where, autocommit=True)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS prices")
        cursor.execute(
            "CREATE TABLE prices (id BIGINT, symbol VARCHAR(10), day DATE, close DECIMAL(18,4), score DOUBLE, "
            "volume BIGINT, seen_at DATETIME, active TINYINT, note VARCHAR(20), rank INT)"
        )
        cursor.execute(
            "INSERT INTO prices SELECT seq, CONCAT('S', seq % 500), DATE_ADD('2015-01-01', INTERVAL seq % 3000 DAY), "
            "seq * 1.25, seq * 0.5, IF(seq % 7 = 0, NULL, seq), DATE_ADD('2015-01-01 10:00:00', INTERVAL seq MINUTE), "
            "seq % 2 = 0, CONCAT('note ', seq), seq % 1000 FROM seq_0_to_29999"
        )
    return connection


if __name__ == "__main__":
    main()
