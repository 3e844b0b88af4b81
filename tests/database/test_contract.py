"""What every engine promises: one suite over a DuckDB file, a Parquet folder, a CSV folder, MariaDB and PostgreSQL."""

from __future__ import annotations

import resource
import threading
import time

import pyarrow as pa
import pytest

from database.conftest import PRICES, SECURITIES, Engine
from finassay.database import (
    Database,
    DatabaseUnavailable,
    QueryError,
    QueryPolicy,
    QueryRefused,
    QueryTimeout,
    UnsupportedSyntax,
    connect,
)
from finassay.database._engine import BaseEngine
from support.servers import PASSWORD, QUOTED_PASSWORD


def test_it_says_what_it_is_and_never_the_password(database: Database, engine: Engine) -> None:
    assert database.dialect == {"mariadb": "mysql", "postgres": "postgres"}.get(engine.name, "duckdb")
    assert database.version.split()[0] == {"mariadb": "MariaDB", "postgres": "PostgreSQL"}.get(
        engine.name, "DuckDB"
    )
    for shown in (database.url, repr(database), str(database)):
        assert PASSWORD not in shown
        assert QUOTED_PASSWORD not in shown


def test_it_lists_tables_with_columns_and_rows(database: Database, engine: Engine) -> None:
    prices, securities = database.tables(count=True)
    assert (prices.name, prices.rows, prices.kind, prices.schema) == ("prices", 6, "table", engine.schema)
    assert (securities.name, securities.rows) == ("securities", 3)
    assert [column.name for column in prices.columns] == PRICES.column_names


def test_columns_are_listed_with_the_types_that_queries_give(database: Database) -> None:
    for table in database.tables():
        result = database.query(f"SELECT * FROM {table.name}").table
        assert [column.arrow_type for column in table.columns] == result.schema.types


def test_values_and_types_come_back_as_stored(database: Database, engine: Engine) -> None:
    result = database.query("SELECT * FROM prices").table
    expected = PRICES
    if engine.name == "csv":  # a CSV file does not say decimal: its numbers are doubles
        expected = PRICES.set_column(2, "close", PRICES["close"].cast(pa.float64()))
    assert result.schema.types == expected.schema.types
    assert result.to_pylist() == expected.to_pylist()


def test_text_keeps_its_commas_quotes_and_script(database: Database) -> None:
    result = database.query("SELECT * FROM securities ORDER BY symbol").table
    assert result.to_pylist() == SECURITIES.to_pylist()
    result = database.query("SELECT close FROM prices WHERE symbol = '中文'")
    assert result.rows == 1


def test_an_empty_result_keeps_its_columns_and_types(database: Database) -> None:
    full = database.query("SELECT * FROM prices").table
    empty = database.query("SELECT * FROM prices WHERE symbol = 'nobody'").table
    assert empty.num_rows == 0
    assert empty.schema == full.schema


def test_two_columns_of_one_name_are_both_kept(database: Database) -> None:
    table = database.query("SELECT 1 AS a, 'x' AS a").table
    assert table.column_names == ["a", "a"]
    assert [column[0].as_py() for column in table.columns] == [1, "x"]


def test_null_is_not_a_number_and_not_nan(database: Database, engine: Engine) -> None:
    nulls = database.query("SELECT ratio FROM prices WHERE day = '2024-01-03' AND symbol = 'AAA'").table[
        "ratio"
    ]
    assert nulls.null_count == 1
    if engine.name == "mariadb":
        return  # MySQL has no NaN
    nan = database.query("SELECT CAST('NaN' AS DOUBLE PRECISION) AS x" if engine.name == "postgres" else
                         "SELECT 'NaN'::DOUBLE AS x").table["x"]  # fmt: skip
    assert nan.null_count == 0
    assert nan[0].as_py() != nan[0].as_py()


def test_aggregates_joins_and_windows(database: Database) -> None:
    result = database.query(
        """SELECT s.name, p.day, SUM(p.volume) OVER (PARTITION BY p.symbol ORDER BY p.day) AS running
        FROM prices p JOIN securities s ON s.symbol = p.symbol WHERE p.symbol = 'AAA' ORDER BY p.day"""
    ).table
    assert [int(value) for value in result["running"].to_pylist()] == [100, 350, 350]


def test_parameters_are_question_marks_everywhere(database: Database) -> None:
    sql = "SELECT symbol FROM prices WHERE day = ? AND symbol <> ? AND symbol NOT LIKE '%?%' ORDER BY symbol"
    result = database.query(sql, params=("2024-01-03", "AAA"))
    assert result.table["symbol"].to_pylist() == ["BBB"]
    hostile = database.query("SELECT count(*) AS n FROM prices WHERE symbol = ?", params=("' OR 1=1 -- \\",))
    assert hostile.table["n"].to_pylist() == [0]
    assert database.query(
        "SELECT symbol FROM prices WHERE symbol = ?", params=("zz",)
    ).table.column_names == ["symbol"]


def test_a_trailing_semicolon_and_comments_are_fine(database: Database) -> None:
    assert database.query("-- a comment\nSELECT 1 AS a /* another */ ;\n-- the end").table[
        "a"
    ].to_pylist() == [1]


def test_explain_explains(database: Database) -> None:
    assert database.query("EXPLAIN SELECT * FROM prices").rows > 0


@pytest.mark.parametrize(
    ("sql", "line", "column"),
    [("SELECT *\nFROM prices\nWHERE (day = '2024-01-02'", 3, None), ("SELECT day,\n  FROM FROM prices", 2, None),
     ("SELECT 1 +", 1, 10), ("SELEC 1", 1, 1), ("SELECT 'abc", 1, 8)],
)  # fmt: skip
def test_a_syntax_error_says_where(database: Database, sql: str, line: int, column: int | None) -> None:
    with pytest.raises(QueryError) as caught:
        database.query(sql)
    assert caught.value.reason == "syntax_error"
    place = caught.value.place
    assert place is not None
    assert place.line == line
    assert place.text == sql.split("\n")[line - 1]
    assert column is None or place.column == column


def test_a_syntax_error_that_only_the_engine_sees_says_where(database: Database) -> None:
    sql = "SELECT symbol,, day\nFROM prices"  # our parser lets this pass
    with pytest.raises(QueryError) as caught:
        database.query(sql)
    assert caught.value.reason == "syntax_error"
    assert caught.value.place is not None
    assert caught.value.place.line == 1
    assert caught.value.place.column in {15, 16}  # MariaDB quotes what follows the comma it could not take


def test_an_unknown_table_is_placed_and_close_names_are_offered(database: Database) -> None:
    with pytest.raises(QueryError) as caught:
        database.query("SELECT *\n  FROM pricse")
    assert caught.value.reason == "unknown_table"
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == (2, 8)
    assert "Did you mean prices?" in str(caught.value)
    assert "prices, securities" in str(caught.value)


def test_an_unknown_column_is_placed_and_close_names_are_offered(database: Database) -> None:
    with pytest.raises(QueryError) as caught:
        database.query("SELECT symbol,\n       volum FROM prices")
    assert caught.value.reason == "unknown_column"
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == (2, 8)
    assert "Did you mean volume?" in str(caught.value)


REFUSED = [
    ("SELECT 1; SELECT 2", "several_statements"),
    ("SELECT 1; DROP TABLE prices", "several_statements"),
    ("DROP TABLE prices", "not_read_only"),
    ("INSERT INTO prices (symbol) VALUES ('X')", "not_read_only"),
    ("UPDATE prices SET symbol = 'X'", "not_read_only"),
    ("DELETE FROM prices", "not_read_only"),
    ("CREATE TABLE copy AS SELECT * FROM prices", "not_read_only"),
    ("CREATE TEMPORARY TABLE copy AS SELECT * FROM prices", "not_read_only"),
    ("TRUNCATE TABLE prices", "not_read_only"),
    ("EXPLAIN ANALYZE DELETE FROM prices", "not_read_only"),
    ("SELECT * INTO copy FROM prices", "not_read_only"),
    ("CALL anything()", "not_read_only"),
    ("SELECT * FROM prices FOR UPDATE", "row_lock"),
    ("SELECT * FROM other_schema.prices", "schema_not_allowed"),
]


@pytest.mark.parametrize(("sql", "reason"), REFUSED)
def test_what_does_not_only_read_is_refused_with_a_reason(database: Database, sql: str, reason: str) -> None:
    with pytest.raises(QueryRefused) as caught:
        database.query(sql)
    assert caught.value.reason == reason
    assert database.query("SELECT count(*) AS n FROM prices").table["n"].to_pylist() == [6]


@pytest.mark.parametrize("sql", ["CREATE TABLE written (a INT)", "DELETE FROM prices", "DROP TABLE prices",
                                 "INSERT INTO prices (symbol) VALUES ('X')"])  # fmt: skip
def test_the_connection_is_read_only_by_itself(database: Database, sql: str) -> None:
    """Past the policy: even a statement that nobody judged cannot write."""
    assert isinstance(database, BaseEngine)
    with pytest.raises((QueryError, QueryRefused)):
        database._run(sql, QueryPolicy(), (), sql)
    assert database.query("SELECT count(*) AS n FROM prices").table["n"].to_pylist() == [6]
    assert [table.name for table in database.tables()] == ["prices", "securities"]


def test_too_many_rows_are_refused_with_bounded_memory(database: Database, engine: Engine) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(QueryRefused) as caught:
        database.query(engine.many_rows(10_000_000), policy=QueryPolicy(max_rows=100_000))
    assert caught.value.reason == "too_many_rows"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
    assert grown < 128 << 20  # all ten million rows would take far more than this
    assert database.query("SELECT 1 AS a").rows == 1


def test_too_many_bytes_are_refused(database: Database, engine: Engine) -> None:
    wide = f"SELECT n, repeat('x', 1000) AS text FROM ({engine.many_rows(1_000_000)}) s"
    with pytest.raises(QueryRefused) as caught:
        database.query(wide, policy=QueryPolicy(max_bytes=1 << 20))
    assert caught.value.reason == "too_many_bytes"
    assert database.query("SELECT 1 AS a").rows == 1


def test_exactly_the_allowed_rows_come_back(database: Database, engine: Engine) -> None:
    assert database.query(engine.many_rows(5000), policy=QueryPolicy(max_rows=5000)).rows == 5000


def test_a_statement_that_runs_too_long_is_stopped(database: Database, engine: Engine) -> None:
    started = time.monotonic()
    with pytest.raises(QueryTimeout):
        database.query(engine.slow(), policy=QueryPolicy(timeout_s=0.5))
    assert 0.4 < time.monotonic() - started < 3
    assert database.query("SELECT 1 AS a").rows == 1


def test_a_statement_can_be_cancelled_from_another_thread(database: Database, engine: Engine) -> None:
    timer = threading.Timer(0.5, database.cancel)
    timer.start()
    started = time.monotonic()
    with pytest.raises(QueryError) as caught:
        database.query(engine.slow())
    timer.join()
    assert caught.value.reason == "cancelled"
    assert time.monotonic() - started < 5
    assert database.query("SELECT 1 AS a").rows == 1


def test_a_cancel_that_comes_early_is_not_lost(database: Database, engine: Engine) -> None:
    assert isinstance(database, BaseEngine)
    stop = threading.Event()

    def cancel_at_once() -> None:
        while not stop.wait(0.001) and database._watch is None:  # the statement is being judged, not yet run
            pass
        database.cancel()

    thread = threading.Thread(target=cancel_at_once)
    thread.start()
    with pytest.raises(QueryError) as caught:
        database.query(engine.slow())
    stop.set()
    thread.join()
    assert caught.value.reason == "cancelled"


def test_a_cancel_with_nothing_to_cancel_does_nothing(database: Database) -> None:
    database.query("SELECT 1 AS a")
    database.cancel()
    assert database.query("SELECT count(*) AS n FROM prices").table["n"].to_pylist() == [6]


def test_threads_may_share_a_database(database: Database) -> None:
    found: list[int] = []

    def ask() -> None:
        for _ in range(5):
            found.append(database.query("SELECT count(*) AS n FROM prices").table["n"][0].as_py())  # noqa: PERF401

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [6] * 20


def test_a_closed_database_says_so(engine: Engine) -> None:
    database = connect(engine.url)
    database.close()
    database.close()
    with pytest.raises(DatabaseUnavailable, match="closed"):
        database.query("SELECT 1")


def test_a_table_can_be_overlaid(engine: Engine) -> None:
    replacement = "SELECT * FROM prices WHERE day <= '2024-01-02'"
    with connect(engine.url, overlays={"prices": replacement}) as database:
        count = "SELECT count(*) AS n FROM prices"
        assert database.query(count).table["n"].to_pylist() == [3]
        own = (
            "WITH prices AS (SELECT symbol FROM prices WHERE symbol = 'AAA') SELECT count(*) AS n FROM prices"
        )
        assert database.query(own).table["n"].to_pylist() == [1]
        twice = f"SELECT count(*) AS n FROM prices a JOIN {engine.schema}.prices b ON a.symbol <> b.symbol"
        assert database.query(twice).table["n"].to_pylist() == [6]  # three symbols, ordered pairs
        inner = "SELECT symbol FROM securities WHERE symbol IN (SELECT symbol FROM prices) ORDER BY symbol"
        assert database.query(inner).table["symbol"].to_pylist() == ["AAA", "BBB"]
        assert [(table.name, table.rows) for table in database.tables(count=True)] == [
            ("prices", 3),
            ("securities", 3),
        ]
        assert database.query("SELECT close FROM prices WHERE symbol = 'none'").rows == 0


def test_other_overlays_take_the_place_of_the_first(engine: Engine) -> None:
    count = "SELECT count(*) AS n, min(symbol) AS first FROM prices"
    with connect(engine.url) as database:
        seen = [database.query(count).table.to_pylist()]
        for overlays in (
            {"prices": "SELECT * FROM prices WHERE symbol = 'BBB'"},
            {"securities": "SELECT * FROM securities WHERE symbol = 'CCC'"},
            {"prices": "SELECT symbol FROM prices WHERE symbol = 'AAA'"},
            {},
        ):
            database.replace(overlays)
            seen.append(database.query(count).table.to_pylist())
            if "securities" in overlays:
                assert database.query("SELECT name FROM securities").table.to_pylist() == [{"name": "Gamma"}]
        assert database.query("SELECT count(*) AS n FROM securities").table.to_pylist() == [{"n": 3}]
    assert [(row["n"], row["first"]) for [row] in seen] == [
        (6, "AAA"),
        (2, "BBB"),
        (6, "AAA"),
        (3, "AAA"),
        (6, "AAA"),
    ]


def test_a_translated_statement_follows_the_columns_that_an_overlay_serves(engine: Engine) -> None:
    if not engine.embedded:
        pytest.skip("a server is sent no translated statements")
    listed = "SELECT * FROM prices ORDER BY symbol LIMIT 1"
    with connect(engine.url, overlays={"prices": "SELECT symbol, volume FROM prices"}) as database:
        assert database.query(listed, dialect="mysql").table.column_names == ["symbol", "volume"]
        database.replace({"prices": "SELECT symbol, CAST(volume AS VARCHAR) AS v FROM prices"})
        assert database.query(listed, dialect="mysql").table.column_names == ["symbol", "v"]
        assert {c.name for t in database.tables() if t.name == "prices" for c in t.columns} == {"symbol", "v"}


def test_replacing_nothing_that_exists_is_an_error(engine: Engine) -> None:
    with connect(engine.url) as database:
        with pytest.raises(DatabaseUnavailable, match="nothing"):
            database.replace({"nothing": "SELECT 1 AS a"})
        with pytest.raises(QueryRefused):
            database.replace({"prices": "DELETE FROM prices"})


def test_an_overlay_of_nothing_is_an_error(engine: Engine) -> None:
    with pytest.raises(DatabaseUnavailable, match="does not exist: nothing"):
        connect(engine.url, overlays={"nothing": "SELECT 1 AS a"})


def test_an_overlay_is_judged_like_a_statement(engine: Engine) -> None:
    with pytest.raises(QueryRefused):
        connect(engine.url, overlays={"prices": "DELETE FROM prices"})


def test_only_duckdb_takes_other_dialects(database: Database, engine: Engine) -> None:
    if engine.embedded:
        result = database.query("SELECT 5 / 2 AS a, 'x'::text AS b", dialect="postgres")
        assert result.table.to_pylist() == [{"a": 2, "b": "x"}]  # integer division is PostgreSQL's
        return
    other = "mysql" if engine.name == "postgres" else "duckdb"
    with pytest.raises(UnsupportedSyntax, match=f"{other} dialect cannot run on {database.dialect}"):
        database.query("SELECT 1", dialect=other)


def test_the_time_and_the_statement_are_reported(database: Database) -> None:
    result = database.query("SELECT symbol FROM prices")
    assert result.sql == result.executed_sql == "SELECT symbol FROM prices"
    assert result.ms > 0
    assert result.bytes > 0
