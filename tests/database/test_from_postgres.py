"""PostgreSQL text on DuckDB gives what PostgreSQL itself gives, or is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from database.conftest import TABLES
from finassay.database import Database, UnsupportedSyntax, connect, translate
from support.loading import load_server, write_duckdb

if TYPE_CHECKING:
    import pyarrow as pa

    from support.servers import Server

SAME = [
    "SELECT 7 / 2 AS a, -7 / 2 AS b, 7 % -2 AS c, 7.0 / 2 AS d",
    "SELECT symbol, volume / 3 AS a, close / 4 AS b FROM prices ORDER BY symbol, day",
    "SELECT symbol, sum(volume) / count(*) AS a FROM prices GROUP BY symbol ORDER BY a DESC",
    "SELECT a / 2 AS b FROM (SELECT volume AS a FROM prices) t ORDER BY b",
    "SELECT volume FROM prices ORDER BY volume DESC LIMIT 3",
    "SELECT volume FROM prices ORDER BY volume",
    "SELECT symbol::text AS a, close::int AS b, '12.5'::numeric AS c FROM prices ORDER BY symbol, b",
    "SELECT DISTINCT ON (symbol) symbol, day FROM prices ORDER BY symbol, day DESC",
    "SELECT lag(close) OVER w a, rank() OVER w b FROM prices WINDOW w AS (PARTITION BY symbol ORDER BY day) ORDER BY 1",
    "SELECT count(*) FILTER (WHERE active) AS a, bool_and(active) AS b, count(DISTINCT symbol) AS c FROM prices",
    "SELECT avg(close) a, stddev(close) b, var_pop(close) c, corr(ratio, volume) d FROM prices WHERE volume < 9",
    "SELECT sum(a) / 2 AS a, sum(a) OVER () / 2 AS b FROM (SELECT sum(2::int) AS a FROM prices) t GROUP BY t.a",
    "SELECT avg(day - DATE '2024-01-01') / 2 AS a, sum(day - DATE '2024-01-01') / 2 AS b FROM prices",
    "SELECT extract(year FROM day) AS a, extract(dow FROM day) AS b FROM prices ORDER BY day, symbol",
    "SELECT upper(name) AS a, length(name) AS b, substring(name FROM 2 FOR 3) AS c FROM securities ORDER BY symbol",
    "SELECT symbol || '/' || day AS a FROM prices ORDER BY a",
    "SELECT day + 3 AS a, day - DATE '2024-01-01' AS b, day + INTERVAL '1 month' AS c FROM prices ORDER BY day, symbol",
    "SELECT coalesce(volume, -1) AS a, nullif(symbol, 'AAA') AS b, greatest(volume, 9) AS c FROM prices ORDER BY close",
    "SELECT CASE WHEN volume > 100 THEN 'high' ELSE 'low' END AS a FROM prices ORDER BY symbol, day",
    "SELECT name FROM securities WHERE name ILIKE 'a%' OR name LIKE '%\"B\"%' ORDER BY name",
    "SELECT floor(-2.5) AS a, ceil(2.1) AS b, abs(-3) AS c, sqrt(16.0) AS d, power(2.0, 10) AS e",
]
REFUSED = [
    "SELECT to_char(day, 'YYYY') FROM prices",
    "SELECT round(ratio::double precision) FROM prices",  # half to even there, away from zero here
    "SELECT date_trunc('month', day) FROM prices",
    "SELECT name ~ '^A' FROM securities",
    "SELECT * FROM securities WHERE name LIKE 'a\\_b'",
    "SELECT my_function(volume) / 2 FROM prices",
    "SELECT age(day) FROM prices",
    "SELECT * FROM generate_series(1, 3)",
]


@pytest.fixture(scope="module")
def both(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Database]]:
    folder: Path = tmp_path_factory.mktemp("from_postgres")
    with postgres.database("from_postgres") as name:
        load_server(postgres, name, TABLES)
        with (
            connect(postgres.reader_url(name)) as server,
            connect(write_duckdb(folder / "m.duckdb", TABLES)) as embedded,
        ):
            yield server, embedded


def _plain(table: pa.Table) -> list[list[object]]:
    def plain(value: object) -> object:
        if isinstance(value, Decimal | float | int) and not isinstance(value, bool):
            return float(f"{float(value):.12g}") if math.isfinite(value) else str(value)
        return value

    return [[plain(value) for value in column.to_pylist()] for column in table.columns]


@pytest.mark.parametrize("sql", SAME)
def test_it_gives_what_the_server_gives(both: tuple[Database, Database], sql: str) -> None:
    server, embedded = both
    expected = server.query(sql).table
    found = embedded.query(sql, dialect="postgres").table
    assert found.column_names == expected.column_names
    assert _plain(found) == _plain(expected)


@pytest.mark.parametrize("sql", REFUSED)
def test_what_is_not_known_to_agree_is_refused(both: tuple[Database, Database], sql: str) -> None:
    with pytest.raises(UnsupportedSyntax, match="from postgres to duckdb"):
        both[1].query(sql, dialect="postgres")


def test_a_division_of_fractions_is_warned_about() -> None:
    assert "Division by zero" in translate("SELECT 1.5 / 2", "postgres", "duckdb").warnings[0]
    assert translate("SELECT 3 / 2", "postgres", "duckdb").warnings == ()


def test_only_duckdb_is_a_target() -> None:
    with pytest.raises(UnsupportedSyntax, match="no translation from duckdb to mysql"):
        translate("SELECT 1", "duckdb", "mysql")
    assert translate("SELECT 1", "mysql", "mysql").sql == "SELECT 1"
