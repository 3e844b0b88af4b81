"""One study over real data gives one table on DuckDB, MariaDB and PostgreSQL.

The data: daily prices of US shares and the reports they filed, 2015 to 2017 (`us_pystock_*` of the shared data).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from finassay.database import connect
from support.loading import load_server, write_duckdb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from support.servers import Server

pytestmark = [pytest.mark.servers, pytest.mark.shared]

# The five symbols with the largest turnover in each month, with the last report that was known by the month's last
# session: one text for three engines. Reports carry the day they were collected, as a number such as 20150507.
STUDY = """
WITH monthly AS (
    SELECT symbol, EXTRACT(YEAR FROM date) AS y, EXTRACT(MONTH FROM date) AS m,
           MAX(date) AS last_day, COUNT(*) AS sessions, SUM(close * volume) AS turnover
    FROM prices
    GROUP BY symbol, EXTRACT(YEAR FROM date), EXTRACT(MONTH FROM date)
), ranked AS (
    SELECT monthly.*, RANK() OVER (PARTITION BY y, m ORDER BY turnover DESC, symbol) AS place,
           LAG(turnover) OVER (PARTITION BY symbol ORDER BY y, m) AS turnover_before
    FROM monthly
), known AS (
    SELECT ranked.symbol, ranked.y, ranked.m, ranked.place, ranked.sessions, ranked.turnover, ranked.turnover_before,
           reports.end_date, reports.doc_type, reports.amend, reports.net_income, reports.collected_date,
           ROW_NUMBER() OVER (PARTITION BY ranked.symbol, ranked.y, ranked.m
                              ORDER BY reports.end_date DESC, reports.collected_date DESC,
                                       reports.doc_type, reports.net_income DESC) AS newest
    FROM ranked
    JOIN reports ON reports.symbol = ranked.symbol
        AND reports.collected_date <= EXTRACT(YEAR FROM ranked.last_day) * 10000
            + EXTRACT(MONTH FROM ranked.last_day) * 100 + EXTRACT(DAY FROM ranked.last_day)
    WHERE ranked.place <= 5
)
SELECT y, m, place, symbol, sessions, turnover, turnover_before, end_date, doc_type, amend, net_income
FROM known
WHERE newest = 1
ORDER BY y, m, place
"""


@pytest.fixture(scope="module")
def tables(shared: Callable[[str], Path]) -> dict[str, pa.Table]:
    import duckdb

    prices = shared("data/us_pystock_prices_sample_2015_2017.parquet")
    reports = shared("data/us_pystock_sec_reports_2015_2017.csv.gz")
    with duckdb.connect() as connection:
        return {
            "prices": connection.sql(
                f"SELECT symbol, date::DATE AS date, close::DOUBLE AS close, volume FROM read_parquet('{prices}')"
            ).to_arrow_table(),
            "reports": connection.sql(
                "SELECT symbol, collected_date, end_date, doc_type, amend, net_income"
                f" FROM read_csv('{reports}', sample_size = -1)"
            ).to_arrow_table(),
        }


@pytest.fixture(scope="module")
def urls(
    tables: dict[str, pa.Table], mariadb: Server, postgres: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    path = tmp_path_factory.mktemp("three") / "study.duckdb"
    with mariadb.database("study") as one, postgres.database("study") as two:
        load_server(mariadb, one, tables)
        load_server(postgres, two, tables)
        mariadb.execute("CREATE INDEX by_symbol ON reports (symbol)", database=one)
        yield {
            "duckdb": write_duckdb(path, tables),
            "mariadb": mariadb.reader_url(one),
            "postgres": postgres.reader_url(two),
        }


def _rows(table: pa.Table) -> list[tuple[object, ...]]:
    """Rows with every number to ten significant digits: engines sum doubles in different orders."""
    columns = [
        [
            float(f"{float(value):.10g}")
            if not isinstance(value, (str, type(None), bool)) and name != "end_date"
            else value
            for value in column.to_pylist()
        ]
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return list(zip(*columns, strict=True))


def test_all_rows_arrive_on_every_engine(urls: dict[str, str], tables: dict[str, pa.Table]) -> None:
    for url in urls.values():
        with connect(url) as database:
            counted = {table.name: table.rows for table in database.tables(count=True)}
        assert counted == {"prices": tables["prices"].num_rows, "reports": tables["reports"].num_rows}
    assert tables["prices"].num_rows == 114_229  # as INDEX.md of the shared data says
    assert tables["reports"].num_rows == 31_729


@pytest.mark.parametrize(
    ("engine", "dialect"), [("mariadb", None), ("postgres", None), ("duckdb", "mysql")], ids=str
)
def test_the_study_gives_one_table(urls: dict[str, str], engine: str, dialect: str | None) -> None:
    with connect(urls["duckdb"]) as database:
        expected = database.query(STUDY).table
    with connect(urls[engine]) as database:
        found = database.query(STUDY, dialect=dialect).table
    assert found.num_rows > 50
    assert found.column_names == expected.column_names
    assert _rows(found) == _rows(expected)
    assert set(found["place"].to_pylist()) <= {1, 2, 3, 4, 5}


def test_every_value_survives_the_journey(urls: dict[str, str], tables: dict[str, pa.Table]) -> None:
    sql = "SELECT symbol, date, close, volume FROM prices ORDER BY symbol, date, close, volume"
    order = [("symbol", "ascending"), ("date", "ascending"), ("close", "ascending"), ("volume", "ascending")]
    expected = tables["prices"].sort_by(order)
    for engine, url in urls.items():
        with connect(url) as database:
            found = database.query(sql).table
        assert found.sort_by(order).equals(expected.cast(found.schema)), engine
