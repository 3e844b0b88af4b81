"""What the as-of views and TCP add to a result of a million cells: both servers in the same run, as Markdown rows.

python benchmarks/bench_asof.py
"""

from __future__ import annotations

import statistics
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

import duckdb

from finassay.database import connect
from finassay.execution import AsOfServer, AsOfViews, Broker, as_of_views
from finassay.temporal import Cutoff, parse_catalog

ROUNDS = 5
ROWS = 100_000
# A half of the rows was known: the broker's table is that half, so that both send as much.
TABLE = f"""CREATE TABLE prices AS SELECT i AS id, 'S' || (i % 500) AS symbol, (i * 1.25)::DECIMAL(18,4) AS close,
  i * 0.5::DOUBLE AS score, CASE WHEN i % 7 = 0 THEN NULL ELSE i END AS volume, i % 2 = 0 AS active,
  'note ' || i AS note, (i % 1000)::INT AS rank, TIMESTAMP '2015-01-01' + INTERVAL (i % 3000) HOUR AS seen_at,
  DATE '2024-02-28' + 3 * (i % 2)::INT AS published FROM range({2 * ROWS}) r(i)"""
CATALOG = parse_catalog("""
catalog: bench
version: "1"
tables:
  prices:
    kind: series
    key: [id]
    availability: {column: published}
    columns: {id: key, published: disclosure}
    others: payload
""")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        url = f"duckdb:///{name}/market.duckdb"
        with duckdb.connect(f"{name}/market.duckdb") as database:
            database.execute(TABLE)
            database.execute("CREATE TABLE half AS SELECT * FROM prices WHERE published < DATE '2024-03-01'")
        with connect(url) as opened:
            views = as_of_views(opened, CATALOG, Cutoff(date(2024, 2, 29)))
        print("| client | cells | broker without views, ms | as-of server, ms |")
        print("|---|---|---|---|")
        for protocol in ("mysql", "postgres"):
            compare(url, Path(name) / protocol, views, protocol)


def compare(url: str, folder: Path, views: AsOfViews, protocol: Any) -> None:
    """Print the rows of one protocol: both servers at once, asked in turns."""
    with (
        Broker(url, socket_dir=folder),
        AsOfServer(url, views, protocol=protocol) as server,
        unix_client(folder, protocol) as plain,
        tcp_client(server) as as_of,
    ):
        for cells, sides in (
            ("1", ("SELECT 1", "SELECT 1")),
            ("1,000,000", ("SELECT * FROM half", "SELECT * FROM prices")),
        ):
            rows = 1 if cells == "1" else ROWS
            times: tuple[list[float], list[float]] = ([], [])
            for _ in range(ROUNDS + 1):
                for client, sql, found in zip((plain, as_of), sides, times, strict=True):
                    found.append(timed(client, sql, rows))
            shown = [
                f"{statistics.median(found[1:]):.1f} ({min(found[1:]):.1f} to {max(found[1:]):.1f})"
                for found in times
            ]
            print(
                f"| {'pymysql' if protocol == 'mysql' else 'psycopg'} | {cells} | {shown[0]} | {shown[1]} |",
                flush=True,
            )


def timed(client: Any, sql: str, rows: int) -> float:
    began = time.perf_counter()
    with client.cursor() as cursor:
        cursor.execute(sql)
        assert len(cursor.fetchall()) == rows
    return (time.perf_counter() - began) * 1e3


def unix_client(folder: Path, protocol: str) -> Any:
    import psycopg
    import pymysql

    if protocol == "mysql":
        return pymysql.connect(unix_socket=str(folder / "mysql.sock"), user="a", database="main")
    (folder / ".s.PGSQL.5432").symlink_to(folder / "postgres.sock")
    return psycopg.connect(host=str(folder), user="a", dbname="main")


def tcp_client(server: AsOfServer) -> Any:
    import psycopg
    import pymysql

    given: dict[str, Any] = {
        "host": server.host,
        "port": server.port,
        "user": "a",
        "password": server.password,
    }
    return pymysql.connect(**given) if server.protocol == "mysql" else psycopg.connect(dbname="main", **given)


if __name__ == "__main__":
    main()
