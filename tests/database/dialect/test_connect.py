"""MySQL-dialect statements through `connect`: the schema, warnings, refusals with a place, views and overlays."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from finassay.database import Database, QueryError, QueryRefused, UnsupportedSyntax, connect


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mysql") / "market.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE quote (code VARCHAR, day TIMESTAMP, price DECIMAL(10,4), note VARCHAR)"
        )
        connection.execute(
            "INSERT INTO quote VALUES ('a', '2024-01-31', 10, 'ß'), ('A', '2024-02-29', 20, NULL), ('b', NULL, 3, 'x')"
        )
        connection.execute(
            "CREATE TABLE listed (code VARCHAR, day DATE, isin VARCHAR NOT NULL UNIQUE, old VARCHAR UNIQUE, n INTEGER,"
            " PRIMARY KEY (code, day))"
        )
        connection.execute(
            "INSERT INTO listed VALUES ('a', '2024-01-31', 'X', NULL, 1), ('a', '2024-02-29', 'Y', NULL, 1)"
        )
        connection.execute("CREATE VIEW cheap AS SELECT code, price FROM quote WHERE price < 15")
    return path


@pytest.fixture(scope="module")
def database(path: Path) -> Iterator[Database]:
    with connect(path) as opened:
        yield opened


def rows(database: Database, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in database.query(sql, dialect="mysql").table.to_pylist()]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT COUNT(*) FROM quote WHERE code = 'A'", 2),  # the collation ignores case
        ("SELECT COUNT(*) FROM quote WHERE day BETWEEN 20240101 AND '2024-02-29'", 2),
        ("SELECT COUNT(*) FROM cheap WHERE CODE LIKE 'A%'", 1),  # a view; names ignore case
        ("WITH x AS (SELECT price / 3 AS p FROM quote) SELECT ROUND(SUM(p), 2) FROM x", 11),
        ("SELECT d.n FROM (SELECT code, COUNT(*) AS n FROM quote GROUP BY code) d WHERE d.code = 'a'", 2),
        ("SELECT COUNT(*) FROM quote, (SELECT @least := 10) v WHERE price >= @least", 2),
    ],
)
def test_the_types_of_the_database_decide(database: Database, sql: str, expected: object) -> None:
    assert rows(database, sql) == [(expected,)]


@pytest.mark.parametrize(
    ("sql", "params", "expected"),
    [
        ("SELECT COUNT(*) FROM quote WHERE code = ? AND price >= ?", ("A", Decimal("10.00")), [(2,)]),
        ("SELECT price * ? FROM quote ORDER BY price LIMIT ?", (2, 1), [(Decimal("6.0000"),)]),
        (
            "SELECT price / ? FROM quote ORDER BY price LIMIT 1",
            (1.5,),
            [(2.0,)],
        ),  # a float is a DOUBLE: 3 / 1.5
        ("SELECT COUNT(*) FROM quote WHERE day = ? OR note = ?", (date(2024, 2, 29), "' OR 1=1"), [(1,)]),
        ("SELECT ? IS NULL, ?", (None, -5), [(1, -5)]),
    ],
)
def test_markers_take_values_as_a_driver_would(
    database: Database, sql: str, params: tuple[object, ...], expected: list[tuple[object, ...]]
) -> None:
    result = database.query(sql, dialect="mysql", params=params)
    assert [tuple(row.values()) for row in result.table.to_pylist()] == expected


def test_markers_without_values_are_an_error(database: Database) -> None:
    with pytest.raises(QueryError, match="1 markers and 0 values"):
        database.query("SELECT ?", dialect="mysql")


def test_variables_set_in_front_of_a_query_belong_to_it(database: Database) -> None:
    sql = "SET @d = '2024-02-01'; -- since\nSET @k := 2, @text = 'a; b';\nSELECT price * @k FROM quote WHERE day > @d"
    assert rows(database, sql) == [(Decimal("40.0000"),)]


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SET @d = 1", "session_variable"),
        ("SET @d = 1; DELETE FROM quote", "not_read_only"),
        ("SET @d = 1; SELECT 1; SELECT 2", "several_statements"),
        ("SET @d = (SELECT COUNT(*) FROM information_schema.tables); SELECT @d", "unsupported_syntax"),
        ("SET sql_mode = ''; SELECT 1", "several_statements"),
    ],
)
def test_in_front_of_a_query_stands_nothing_but_variables(database: Database, sql: str, reason: str) -> None:
    with pytest.raises((QueryError, QueryRefused)) as caught:
        database.query(sql, dialect="mysql")
    assert caught.value.reason == reason


def test_group_by_may_have_directions(database: Database) -> None:
    assert rows(database, "SELECT YEAR(day) y, COUNT(*) FROM quote GROUP BY y DESC") == [(2024, 2), (None, 1)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ROW_NUMBER() OVER (ORDER BY code) AS n FROM quote",
        "SELECT SUM(price) OVER (ORDER BY code ROWS UNBOUNDED PRECEDING) AS s FROM quote",
        "select sum(price) over (order by code rows unbounded preceding) as s from quote",
        "SELECT SUM(price) OVER w AS s FROM quote WINDOW w AS (ORDER BY day ROWS UNBOUNDED PRECEDING)",
        "SELECT code FROM quote ORDER BY code LIMIT 1",
        "SELECT GROUP_CONCAT(note ORDER BY price) FROM quote",
        "SELECT GROUP_CONCAT(price ORDER BY code LIMIT 1) FROM quote",
        "SELECT GROUP_CONCAT(code ORDER BY code) FROM quote",  # a and A are equal
        "SELECT code, COUNT(*) AS n FROM quote GROUP BY code ORDER BY n",
        "SELECT DISTINCT code, day FROM quote ORDER BY day",
        "SELECT code, price FROM quote ORDER BY code",  # of a table that declares no key
        "SELECT n FROM listed ORDER BY code LIMIT 1",  # half of a key
        "SELECT n FROM listed ORDER BY old LIMIT 1",  # unique, but for NULL
        "SELECT l.n, q.note FROM listed l, quote q ORDER BY l.code, l.day",
        "SELECT code, day FROM cheap c JOIN listed l USING (code) ORDER BY l.day, l.code",
    ],
)
def test_ties_that_mysql_leaves_open_are_warned_about(database: Database, sql: str) -> None:
    warnings = database.query(sql, dialect="mysql").warnings
    assert [warning for warning in warnings if warning.startswith("ties:")]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT day, COUNT(*) FROM quote GROUP BY day ORDER BY day LIMIT 1",
        "SELECT code, day, COUNT(*) FROM quote GROUP BY code, day ORDER BY 2 DESC, 1 LIMIT 1",
        "SELECT code, day, ROW_NUMBER() OVER (PARTITION BY code ORDER BY day) FROM quote GROUP BY code, day",
        "SELECT d, LAG(p) OVER (ORDER BY d) FROM (SELECT day d, SUM(price) p FROM quote GROUP BY day) t",
        "WITH t AS (SELECT day d, SUM(price) p FROM quote GROUP BY day) SELECT * FROM t ORDER BY d LIMIT 1",
        "SELECT DISTINCT code FROM quote ORDER BY code LIMIT 1",
        "SELECT day FROM quote UNION SELECT day FROM quote ORDER BY day LIMIT 1",
        "SELECT price FROM quote ORDER BY price LIMIT 1",  # equal rows are the same row
        "SELECT GROUP_CONCAT(price ORDER BY price DESC) FROM quote",
        "SELECT GROUP_CONCAT(DISTINCT code ORDER BY code) FROM quote",
        "SELECT COUNT(*) AS n FROM quote ORDER BY n LIMIT 1",
        "SELECT n FROM listed ORDER BY n, Day DESC, CODE LIMIT 1",
        "SELECT isin AS i, n FROM listed ORDER BY i LIMIT 1",
        "SELECT l.n, LAG(l.n) OVER (PARTITION BY l.code ORDER BY l.day) FROM listed l ORDER BY l.isin",
        "SELECT a.n, b.n FROM listed a LEFT JOIN listed b ON a.n = b.n ORDER BY a.isin, b.code, b.day",
        "SELECT t.m FROM (SELECT n AS m, isin FROM listed) t ORDER BY t.isin LIMIT 1",
        "SELECT GROUP_CONCAT(n ORDER BY isin) FROM listed",
    ],
)
def test_where_no_rows_can_tie_nothing_warns_about_ties(database: Database, sql: str) -> None:
    warnings = database.query(sql, dialect="mysql").warnings
    assert not [warning for warning in warnings if warning.startswith("ties:")]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT GROUP_CONCAT(price) AS p FROM quote",
        "SELECT price FROM quote LIMIT 1",
        "SELECT (SELECT price FROM quote LIMIT 1) AS p",
        "SELECT @r := @r + 1 AS n, price FROM quote, (SELECT @r := 0) i ORDER BY price",
        "SELECT JSON_ARRAYAGG(price) AS p FROM quote",
        "SELECT ROW_NUMBER() OVER () AS n FROM quote",
        "SELECT FIRST_VALUE(price) OVER (PARTITION BY day) AS n FROM quote",
        "SELECT LEAD(price) OVER w AS n FROM quote WINDOW w AS (PARTITION BY day)",
        "SELECT SUM(price) OVER (ROWS UNBOUNDED PRECEDING) AS n FROM quote",
    ],
)
def test_what_depends_on_the_order_of_rows_that_none_was_asked_for_is_open(
    database: Database, sql: str
) -> None:
    warnings = database.query(sql, dialect="mysql").warnings
    assert [warning for warning in warnings if warning.startswith("open:")]


def test_a_window_over_whole_groups_needs_no_order(database: Database) -> None:
    sql = "SELECT SUM(price) OVER (PARTITION BY day) AS s, COUNT(*) OVER () AS n FROM quote"
    assert database.query(sql, dialect="mysql").warnings == ()


def test_rank_gives_ties_one_place_and_needs_no_warning(database: Database) -> None:
    assert (
        database.query("SELECT RANK() OVER (ORDER BY code) AS n FROM quote", dialect="mysql").warnings == ()
    )


def test_warnings_arrive_with_the_result(database: Database) -> None:
    result = database.query("SELECT code, price FROM quote GROUP BY code", dialect="mysql")
    assert {warning.partition(":")[0] for warning in result.warnings} == {"open", "bare_column"}


@pytest.mark.parametrize(
    ("sql", "line", "column"),
    [
        ("SELECT code,\n  WEIGHT_STRING(code) FROM quote", 2, 3),
        ("SELECT code FROM quote\nWHERE UPPER(note) = 'X'", 2, 7),  # only the data say so: ß has no capital
        ("SELECT @n := @n + 1 FROM quote, (SELECT @n := 0) v", 1, 8),
        ("SELECT SUM(price * 1e0) FROM quote WHERE day > '2024-02-30'", 1, 42),
        ("SELECT table_name FROM information_schema.tables", 1, 24),
        ("SELECT DATE_ADD('2024-01-01', INTERVAL @k := @k + 1 DAY)", 1, 40),
    ],
)
def test_what_is_refused_has_its_place(database: Database, sql: str, line: int, column: int) -> None:
    with pytest.raises(UnsupportedSyntax) as caught:
        database.query(sql, dialect="mysql")
    place = caught.value.place
    assert place is not None
    assert (place.line, place.column) == (line, column)


@pytest.mark.parametrize(
    ("sql", "reason", "hint"),
    [
        ("SELECT prize FROM quote", "unknown_column", "Did you mean price?"),
        (
            "SELECT q.code FROM quote q JOIN cheep c ON c.code = q.code",
            "unknown_table",
            "Did you mean cheap?",
        ),
        ("SELECT (SELECT code FROM quote)", "query_error", None),  # more than one row
        ("SELECT code FROM quote WHERE", "syntax_error", None),
    ],
)
def test_what_mysql_rejects_too_is_the_candidates_error(
    database: Database, sql: str, reason: str, hint: str | None
) -> None:
    with pytest.raises(QueryError) as caught:
        database.query(sql, dialect="mysql")
    assert not isinstance(caught.value, UnsupportedSyntax)
    assert caught.value.reason == reason
    assert hint is None or hint in str(caught.value.hint)


def test_overlays_replace_tables_under_translated_statements(path: Path) -> None:
    with connect(path, overlays={"quote": "SELECT * FROM quote WHERE day < '2024-02-01'"}) as database:
        assert rows(database, "SELECT COUNT(*), MAX(q.code) FROM quote q WHERE q.code = 'A'") == [(1, "a")]
        assert rows(database, "WITH quote AS (SELECT 7 AS code) SELECT code FROM quote") == [(7,)]
