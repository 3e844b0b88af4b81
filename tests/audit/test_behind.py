"""Programs that read views, or call macros and functions of the database: what lies behind is audited, or told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from finassay.audit import Certificate, Subject, Verdict, audit, certificate_text, replay
from finassay.execution import Submission
from support.loading import load_server, read_duckdb

from .conftest import TABLES

if TYPE_CHECKING:
    from finassay.temporal import Catalog, Contract
    from support.servers import Server

MADE = """;
CREATE VIEW v AS SELECT FIRM, DAY, CLOSE FROM price;
CREATE VIEW tops (F, TOP) AS SELECT FIRM, MAX(CLOSE) FROM v GROUP BY FIRM;
CREATE VIEW known_tops AS SELECT FIRM, MAX(CLOSE) AS TOP FROM v WHERE DAY <= DATE '2024-06-30' GROUP BY FIRM;
CREATE VIEW strangers AS SELECT X FROM stranger;
CREATE MACRO twice(x) AS x * 2;
CREATE MACRO top(f) AS (SELECT MAX(CLOSE) FROM price WHERE FIRM = f);
CREATE MACRO top_at(f, d) AS (SELECT MAX(CLOSE) FROM price WHERE FIRM = f AND DAY <= d);
CREATE MACRO rows_of() AS TABLE SELECT * FROM price;
CREATE MACRO added(a, b := 3) AS a + b
"""
HELD = "FROM industry WHERE STARTS <= '2024-06-30' AND (ENDS IS NULL OR ENDS > '2024-06-30')"
VALID = {
    "view": "SELECT FIRM, MAX(CLOSE) AS TOP FROM v WHERE DAY <= DATE '2024-06-30' GROUP BY FIRM",
    "bound in the view": "SELECT FIRM, TOP FROM known_tops",
    "macro": "SELECT FIRM, twice(MAX(CLOSE)) AS TOP FROM price WHERE DAY <= DATE '2024-06-30' GROUP BY FIRM",
    "table macro": "SELECT FIRM, MAX(CLOSE) AS TOP FROM rows_of() WHERE DAY <= DATE '2024-06-30' GROUP BY FIRM",
    "reading macro": f"SELECT FIRM, top_at(FIRM, DATE '2024-06-30') AS TOP {HELD}",
}
LEAKS = {
    "view": "SELECT FIRM, MAX(CLOSE) AS TOP FROM v GROUP BY FIRM",
    "view of a view": "SELECT F, TOP FROM tops",
    "macro": "SELECT FIRM, twice(MAX(CLOSE)) AS TOP FROM price GROUP BY FIRM",
    "table macro": "SELECT FIRM, MAX(CLOSE) AS TOP FROM rows_of() GROUP BY FIRM",
    "reading macro": f"SELECT FIRM, top(FIRM) AS TOP {HELD}",
}


@pytest.fixture(scope="module")
def defined(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("defined") / "small.duckdb"
    with duckdb.connect(str(path)) as own:
        own.execute(TABLES + MADE)
    return f"duckdb:///{path}"


def judged(url: str, catalog: Catalog, contract: Contract, sql: str) -> Certificate:
    return audit(Subject(Submission("sql", sql_code=sql, source="study"), url), catalog, contract)


@pytest.mark.parametrize("sql", VALID.values(), ids=VALID)
def test_a_valid_program_passes(defined: str, catalog: Catalog, contract: Contract, sql: str) -> None:
    found = judged(defined, catalog, contract, sql)
    assert found.verdict is Verdict.PASS, certificate_text(found)
    assert "price" in [table.name for table in found.tables]


@pytest.mark.parametrize("sql", LEAKS.values(), ids=LEAKS)
def test_a_leak_behind_is_found(defined: str, catalog: Catalog, contract: Contract, sql: str) -> None:
    found = judged(defined, catalog, contract, sql)
    assert ("A1", "price") in {(w.requirement, w.table) for w in found.witnesses}, certificate_text(found)
    assert replay(found, defined, catalog).confirmed


def test_python_sees_the_same_through_the_connector_and_the_file(
    defined: str, catalog: Catalog, contract: Contract
) -> None:
    name = defined.rpartition("/")[2]
    path = f"/run/finassay/database/{name}"
    by_file = f"import duckdb\nresult = duckdb.connect('{path}', read_only=True).sql(SQL).df()"
    by_connector = "from db_connector import query_to_dataframe\nresult = query_to_dataframe(SQL)"
    for way in (by_connector, by_file):
        for sql, verdict in ((VALID["view"], Verdict.PASS), (LEAKS["reading macro"], Verdict.FAIL)):
            code = way.replace("SQL", repr(sql))
            program = Submission("python", python_code=code, source="study")
            found = audit(Subject(program, defined), catalog, contract)
            assert found.verdict is verdict, certificate_text(found)


def test_what_is_not_seen_through_is_named(defined: str, catalog: Catalog, contract: Contract) -> None:
    bound = "FROM price WHERE DAY <= DATE '2024-06-30' GROUP BY FIRM"
    found = judged(defined, catalog, contract, f"SELECT FIRM, added(MAX(CLOSE)) AS TOP {bound}")
    assert (found.verdict, found.reasons[0]) == (Verdict.UNKNOWN, "definition_not_read"), certificate_text(
        found
    )
    assert "the macro added" in found.notes[0]
    lost = judged(defined, catalog, contract, "SELECT X FROM strangers")
    assert (lost.verdict, lost.reasons) == (Verdict.UNKNOWN, ["table_not_catalogued"]), certificate_text(lost)
    assert "stranger" in lost.notes[0]


@pytest.mark.servers
@pytest.mark.parametrize("engine", ["mariadb", "postgres"])
def test_views_and_functions_of_a_server(
    engine: str, request: pytest.FixtureRequest, market: str, catalog: Catalog, contract: Contract
) -> None:
    server: Server = request.getfixturevalue(engine)
    tables = read_duckdb(market, "price", "industry", lower=True)
    with server.database("defined") as name:
        load_server(server, name, tables)
        server.execute(
            "CREATE VIEW v AS SELECT firm, day, close FROM price",
            "CREATE VIEW tops AS SELECT firm, MAX(close) AS top FROM v GROUP BY firm",
            database=name,
        )
        top = "SELECT MAX(close) FROM price WHERE firm = f"
        if engine == "mariadb":
            server.execute(
                f"CREATE FUNCTION top(f INT) RETURNS DOUBLE READS SQL DATA RETURN ({top})",
                "CREATE FUNCTION twice(x DOUBLE) RETURNS DOUBLE DETERMINISTIC RETURN 2 * x",
                f"GRANT EXECUTE ON {name}.* TO reader@'%'",
                database=name,
            )
        else:
            server.execute(
                f"CREATE FUNCTION top(f int) RETURNS float LANGUAGE sql AS '{top}'",
                "CREATE FUNCTION twice(x float) RETURNS float LANGUAGE sql AS 'SELECT 2 * x'",
                "CREATE MATERIALIZED VIEW held AS SELECT * FROM price",
                database=name,
            )
        url = server.reader_url(name)
        for sql, verdict in (
            (
                "SELECT firm, MAX(close) AS top FROM v WHERE day <= DATE '2024-06-30' GROUP BY firm",
                Verdict.PASS,
            ),
            ("SELECT firm, top FROM tops", Verdict.FAIL),
        ):
            found = judged(url, catalog, contract, sql)
            assert found.verdict is verdict, certificate_text(found)
        hidden = [("the function top", f"SELECT firm, top(firm) AS t {HELD.lower()}")]
        plain = "SELECT firm, twice(MAX(close)) AS t FROM v WHERE day <= '2024-06-30' GROUP BY firm"
        if engine == "mariadb":  # which shows the text of a function to its owner alone
            hidden.append(("the function twice", plain))
        else:
            assert judged(url, catalog, contract, plain).verdict is Verdict.PASS
            known = "SELECT firm, MAX(close) AS top FROM held WHERE day <= '2024-06-30' GROUP BY firm"
            hidden.append(("the view held", known))
        for what, sql in hidden:
            found = judged(url, catalog, contract, sql)
            assert found.verdict is Verdict.UNKNOWN, certificate_text(found)
            assert (found.reasons[0], what in found.notes[0]) == ("definition_not_read", True), found.notes
