"""Values keep their type and their every digit on the way through each engine."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finassay.database import QueryError, connect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from finassay.database import Database
    from support.servers import Server

TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20)
DATES = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))
MOMENTS = st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59))  # noqa: DTZ001 - naive on purpose
TIMES = st.times()


def _decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    most = 10**precision - 1
    return st.integers(-most, most).map(lambda n: Decimal(f"{n}E-{scale}"))  # exact: no context


def _floats(width: Literal[32, 64]) -> st.SearchStrategy[float]:
    return st.floats(width=width, allow_nan=False, allow_infinity=False, allow_subnormal=False)


# What a column holds, and how each engine declares it: duckdb, mariadb, postgres (None: the engine has no such type).
COLUMNS: list[tuple[pa.DataType, st.SearchStrategy[Any], tuple[str | None, str | None, str | None]]] = [
    (pa.int64(), st.integers(-(2**63), 2**63 - 1), ("BIGINT", "BIGINT", "BIGINT")),
    (pa.int32(), st.integers(-(2**31), 2**31 - 1), ("INTEGER", "INT", "INTEGER")),
    (pa.int16(), st.integers(-(2**15), 2**15 - 1), ("SMALLINT", "SMALLINT", "SMALLINT")),
    (pa.int8(), st.integers(-128, 127), ("TINYINT", "TINYINT", None)),
    (pa.uint64(), st.integers(0, 2**64 - 1), ("UBIGINT", "BIGINT UNSIGNED", None)),
    (pa.uint32(), st.integers(0, 2**32 - 1), ("UINTEGER", "INT UNSIGNED", None)),
    (pa.float64(), _floats(64), ("DOUBLE", "DOUBLE", "DOUBLE PRECISION")),
    (pa.float32(), _floats(32), ("FLOAT", None, "REAL")),
    (pa.decimal128(18, 4), _decimals(18, 4), ("DECIMAL(18,4)", "DECIMAL(18,4)", "NUMERIC(18,4)")),
    (pa.decimal128(38, 10), _decimals(38, 10), ("DECIMAL(38,10)", "DECIMAL(38,10)", "NUMERIC(38,10)")),
    (pa.decimal128(5, 5), _decimals(5, 5), ("DECIMAL(5,5)", "DECIMAL(5,5)", "NUMERIC(5,5)")),
    (pa.decimal256(60, 20), _decimals(60, 20), (None, "DECIMAL(60,20)", "NUMERIC(60,20)")),
    (pa.bool_(), st.booleans(), ("BOOLEAN", "BOOLEAN", "BOOLEAN")),
    (pa.date32(), DATES, ("DATE", "DATE", "DATE")),
    (pa.timestamp("us"), MOMENTS, ("TIMESTAMP", "DATETIME(6)", "TIMESTAMP")),
    (pa.time64("us"), TIMES, ("TIME", "TIME(6)", "TIME")),
    (pa.string(), TEXT, ("VARCHAR", "VARCHAR(200)", "TEXT")),
    (pa.binary(), st.binary(max_size=20), ("BLOB", "VARBINARY(200)", "BYTEA")),
]  # fmt: skip
CASES = [
    pytest.param(engine, type_, values, names[index], id=f"{engine}-{type_}")
    for index, engine in enumerate(("duckdb", "mariadb", "postgres"))
    for type_, values, names in COLUMNS
    if names[index] is not None
]


class Store:
    """Writes a column with the engine's own driver, and reads it back through `connect`."""

    def __init__(self, engine: str, server: Server | None, folder: Path) -> None:
        self.engine = engine
        self.server = server
        self.folder = folder
        self.number = 0

    def through(self, type_name: str, values: list[Any]) -> pa.Table:
        self.number += 1
        rows = list(enumerate(values))
        if self.server is None:
            import duckdb

            path = self.folder / f"{self.number}.duckdb"
            with duckdb.connect(str(path)) as connection:
                connection.execute(f"CREATE TABLE t (i INTEGER, v {type_name})")
                for row in rows:
                    connection.execute("INSERT INTO t VALUES (?, ?)", row)
            with connect(path) as database:
                return self._read(database)
        self._write_server(type_name, rows)
        with connect(self.server.reader_url()) as database:
            return self._read(database)

    def _write_server(self, type_name: str, rows: list[tuple[int, Any]]) -> None:
        assert self.server is not None
        arguments = self.server.driver_arguments()
        if self.engine == "mariadb":
            import pymysql

            with pymysql.connect(**arguments, autocommit=True) as connection, connection.cursor() as cursor:
                cursor.execute("DROP TABLE IF EXISTS t")
                cursor.execute(f"CREATE TABLE t (i INT, v {type_name}) CHARACTER SET utf8mb4")
                cursor.executemany("INSERT INTO t VALUES (%s, %s)", rows)
            return
        import psycopg

        with psycopg.connect(**arguments, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS t")
            cursor.execute(f"CREATE TABLE t (i INTEGER, v {type_name})")
            cursor.execute("GRANT SELECT ON t TO reader")
            cursor.executemany("INSERT INTO t VALUES (%s, %s)", rows)

    def _read(self, database: Database) -> pa.Table:
        (info,) = (table for table in database.tables() if table.name == "t")
        found = database.query("SELECT v FROM t ORDER BY i").table
        none = database.query("SELECT v FROM t WHERE i < 0").table
        assert none.schema == found.schema
        assert info.columns[1].arrow_type == found.schema.types[0]
        return found


@pytest.fixture(scope="module")
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Store]]:
    stores: dict[str, Store] = {}

    def get(engine: str) -> Store:
        if engine not in stores:
            server = None if engine == "duckdb" else request.getfixturevalue(engine)
            stores[engine] = Store(engine, server, tmp_path_factory.mktemp(engine))
        return stores[engine]

    yield get
    for kept in stores.values():
        if kept.server is not None:
            kept.server.execute("DROP TABLE IF EXISTS t")


@pytest.mark.parametrize(("engine", "type_", "values", "type_name"), CASES)
def test_values_come_back_as_they_went(
    store: Callable[[str], Store],
    engine: str,
    type_: pa.DataType,
    values: st.SearchStrategy[Any],
    type_name: str,
) -> None:
    @settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.none() | values, min_size=1, max_size=20))
    def examine(column: list[Any]) -> None:
        found = store(engine).through(type_name, column)
        assert found.schema.types == [type_]
        assert found["v"].to_pylist() == column

    examine()


SPECIAL = [
    ("duckdb", "SELECT sum(i) AS x FROM range(3) t(i)", pa.decimal128(38, 0), Decimal(3)),  # HUGEINT
    ("duckdb", "SELECT 12345678901234567890123456789012345678::UHUGEINT AS x",
     pa.decimal128(38, 0), Decimal(12345678901234567890123456789012345678)),
    ("duckdb", "SELECT 'b'::ENUM('a', 'b') AS x", pa.string(), "b"),
    ("duckdb", "SELECT ['a'::ENUM('a', 'b')] AS x", pa.list_(pa.string()), ["a"]),
    ("duckdb", "SELECT {'k': 1} AS x", pa.struct([pa.field("k", pa.int32())]), {"k": 1}),
    ("duckdb", "SELECT INTERVAL '14 months 3 days 1 second' AS x", pa.month_day_nano_interval(),
     pa.MonthDayNano([14, 3, 10**9])),
    ("duckdb", "SELECT '101'::BIT AS x", pa.string(), "101"),
    ("duckdb", "SELECT '{\"a\": 1}'::JSON AS x", pa.string(), '{"a": 1}'),
    ("duckdb", "SELECT TIMESTAMPTZ '2024-01-02 03:04:05+02' AS x", pa.timestamp("us", "UTC"),
     dt.datetime(2024, 1, 2, 1, 4, 5, tzinfo=dt.UTC)),
    ("duckdb", "SELECT NULL AS x", pa.null(), None),
    ("mariadb", "SELECT 1 / 3 AS x", pa.decimal128(5, 4), Decimal("0.3333")),
    ("mariadb", "SELECT b'101' AS x", pa.binary(), b"\5"),  # a literal is bytes; a BIT column is a number
    ("mariadb", "SELECT NULL AS x", pa.null(), None),
    ("mariadb", "SELECT JSON_OBJECT('a', 1) AS x", pa.string(), '{"a": 1}'),
    ("mariadb", "SELECT CAST('2024-01-02 03:04:05' AS DATETIME) AS x", pa.timestamp("us"),
     dt.datetime.fromisoformat("2024-01-02 03:04:05")),
    ("mariadb", "SELECT @@session.time_zone AS x", pa.string(), "+00:00"),
    ("postgres", "SELECT 1.50 AS x", pa.decimal128(38, 2), Decimal("1.50")),
    ("postgres", "SELECT 'NaN'::numeric AS x", pa.float64(), math.nan),
    ("postgres", "SELECT ARRAY[1, NULL, 3] AS x", pa.list_(pa.int32()), [1, None, 3]),
    ("postgres", "SELECT ARRAY['a', '{\"}', NULL] AS x", pa.list_(pa.string()), ["a", '{"}', None]),
    ("postgres", "SELECT INTERVAL '1 year 2 months 3 days -1.5 seconds' AS x", pa.month_day_nano_interval(),
     pa.MonthDayNano([14, 3, -1_500_000_000])),
    ("postgres", "SELECT INTERVAL '-0.5 seconds' AS x", pa.month_day_nano_interval(),
     pa.MonthDayNano([0, 0, -500_000_000])),
    ("postgres", "SELECT '{\"a\": 1}'::jsonb AS x", pa.string(), '{"a": 1}'),
    ("postgres", "SELECT '550e8400-e29b-41d4-a716-446655440000'::uuid AS x", pa.string(),
     "550e8400-e29b-41d4-a716-446655440000"),
    ("postgres", "SELECT TIMESTAMPTZ '2024-01-02 03:04:05+02' AS x", pa.timestamp("us", "UTC"),
     dt.datetime(2024, 1, 2, 1, 4, 5, tzinfo=dt.UTC)),
]  # fmt: skip


@pytest.mark.parametrize(("engine", "sql", "type_", "value"), SPECIAL)
def test_types_of_one_engine_only(
    store: Callable[[str], Store], engine: str, sql: str, type_: pa.DataType, value: object
) -> None:
    kept = store(engine)
    if kept.server is None:
        kept.through("INTEGER", [1])
        url = str(kept.folder / f"{kept.number}.duckdb")
    else:
        url = kept.server.reader_url()
    with connect(url) as database:
        found = database.query(sql).table["x"]
    assert found.type == type_
    assert found[0].as_py() == value or (value != value and math.isnan(found[0].as_py()))


def test_a_numeric_without_precision_takes_the_largest_scale_and_says_when_it_cannot(
    postgres: Server,
) -> None:
    with connect(postgres.reader_url()) as database:
        mixed = database.query("SELECT v::numeric AS v FROM (VALUES ('1'), ('-2.125'), ('1e30')) t(v)").table[
            "v"
        ]
        assert mixed.type == pa.decimal128(38, 3)
        assert mixed.to_pylist() == [Decimal(1), Decimal("-2.125"), Decimal("1e30")]
        wide = database.query("SELECT '1e50'::numeric + 0.125 AS v").table["v"]
        assert wide.type == pa.decimal256(76, 3)
        nan = database.query("SELECT v::numeric AS v FROM (VALUES ('NaN'), (NULL), ('1.5')) t(v)")
        assert nan.table["v"].null_count == 1
        assert "v is given as float64" in nan.warnings[0]


def test_dates_of_duckdb_without_a_calendar_day_are_null_with_a_warning(tmp_path: Path) -> None:
    """As on the servers: what Arrow holds for infinity is a date of its own, which nobody meant."""
    (tmp_path / "one.csv").write_text("a\n1\n")
    with connect(tmp_path) as database:
        for kind in ("DATE", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"):
            values = f"(0, {kind} 'infinity'), (1, {kind} '-infinity'), (2, {kind} '2024-01-02'), (3, NULL)"
            result = database.query(f"SELECT v FROM (VALUES {values}) t(i, v) ORDER BY i")
            given = result.table["v"].to_pylist()
            assert given[:2] + given[3:] == [None, None, None]
            assert str(given[2]).startswith("2024-01-02")
            assert result.warnings == (
                "2 values of v are no calendar dates (such as 'infinity') and are given as NULL.",
            )
        edges = "SELECT DATE '0001-01-01' AS a, TIMESTAMP '9999-12-31 23:59:59.999999' AS b, DATE '10000-01-01' AS c"
        result = database.query(edges)
        last = dt.datetime.combine(dt.date.max, dt.time.max)
        assert result.table.to_pylist() == [{"a": dt.date.min, "b": last, "c": None}]
        assert result.warnings == (
            "1 values of c are no calendar dates (such as '10000-01-01') and are given as NULL.",
        )


def test_dates_without_a_calendar_day_are_null_with_a_warning(mariadb: Server, postgres: Server) -> None:
    with connect(postgres.reader_url()) as database:
        result = database.query("SELECT DATE 'infinity' AS d UNION ALL SELECT DATE '2024-01-02' ORDER BY d")
        assert result.table["d"].to_pylist() == [dt.date(2024, 1, 2), None]
        assert result.warnings == (
            "1 values of d are no calendar dates (such as 'infinity') and are given as NULL.",
        )
    mariadb.execute(
        "CREATE OR REPLACE TABLE zero (d DATE)",
        "SET STATEMENT sql_mode = '' FOR INSERT INTO zero VALUES ('0000-00-00'), ('2024-01-02')",
    )
    with connect(mariadb.reader_url()) as database:
        result = database.query("SELECT d FROM zero ORDER BY d")
        assert result.table["d"].to_pylist() == [None, dt.date(2024, 1, 2)]
        assert "0000-00-00" in result.warnings[0]
    mariadb.execute("DROP TABLE zero")


def test_what_a_type_cannot_hold_is_an_error(mariadb: Server) -> None:
    mariadb.execute(
        "CREATE OR REPLACE TABLE odd (b BOOLEAN, t TIME)", "INSERT INTO odd VALUES (2, '100:00:00')"
    )
    with connect(mariadb.reader_url()) as database:
        for column in ("b", "t"):
            with pytest.raises(QueryError, match=f"A value of the column {column} is no"):
                database.query(f"SELECT {column} FROM odd")
        assert database.query("SELECT b + 0 AS b, CAST(t AS CHAR) AS t FROM odd").table.to_pylist() == [
            {"b": 2, "t": "100:00:00"}
        ]
    mariadb.execute("DROP TABLE odd")
