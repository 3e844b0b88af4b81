"""The same audit on MariaDB and PostgreSQL: altered tables are made by rewriting, nothing is written to the server."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from finassay.audit import Certificate, Subject, Verdict, audit, audit_folder, certificate_text, replay
from finassay.cli import app
from finassay.execution import Submission
from finassay.executor import ResultCache, open_executor
from finassay.temporal import Catalog, catalog_yaml, parse_contract
from support.loading import load_server, read_duckdb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.servers import Server

LATEST = """
SELECT FIRM, PROFIT FROM (
  SELECT r.*, ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY PUBLISHED DESC, ID DESC) AS n
  FROM report r WHERE PERIOD = '2024-03-31' AND PUBLISHED < '2024-07-01') AS ranked WHERE n = 1"""
OPEN = """
SELECT FIRM, NAME FROM industry WHERE STARTS <= '2024-06-30' AND (ENDS IS NULL OR ENDS > '2024-06-30')"""
CASES = {
    "latest version": (LATEST, set()),
    "no bound": (LATEST.replace("AND PUBLISHED < '2024-07-01'", ""), {"A1"}),
    "first version": (LATEST.replace("PUBLISHED DESC, ID DESC", "PUBLISHED, ID"), {"A3"}),
    "intervals": (OPEN, set()),
    "today's industry": ("SELECT FIRM, NAME FROM industry WHERE NOW = 1", {"A2"}),
}
HIGHS = "SELECT FIRM, MAX(CLOSE) AS c FROM price{} GROUP BY FIRM"
UNNUMBERED = {  # a table without a row id: the audit numbers its rows
    "prices": (HIGHS.format(" WHERE DAY <= '2024-06-30'"), set()),
    "all prices": (HIGHS.format(""), {"A1"}),
}


@pytest.fixture(scope="module", params=["mariadb", "postgres"])
def served(request: pytest.FixtureRequest, market: str) -> Iterator[tuple[Server, str]]:
    """A server with the tables of the small market, and the URL of one who may only read."""
    server: Server = request.getfixturevalue(request.param)
    # In PostgreSQL a name without quotes is in small letters
    tables = read_duckdb(market, "report", "industry", "price", lower=server.kind == "postgres")
    with server.database("audited") as name:
        load_server(server, name, tables)
        yield server, server.reader_url(name)


@pytest.fixture
def judged(served: tuple[Server, str], catalog: Catalog) -> Callable[[str], Certificate]:
    """Audit a statement on the server."""
    task = parse_contract("contract: test\nas_of: {date: 2024-06-30}\n")

    def run(sql: str) -> Certificate:
        return audit(Subject(Submission("sql", sql_code=sql, source="study"), served[1]), catalog, task)

    return run


def test_the_line_of_a_witness_has_places_for_user_and_password(
    served: tuple[Server, str], catalog: Catalog, tmp_path: Path
) -> None:
    """And nothing of either; filled in, it runs."""
    own, said = tmp_path / "small.yaml", tmp_path / "c.json"
    own.write_text(catalog_yaml(catalog), encoding="utf-8")
    task = parse_contract("contract: test\nas_of: {date: 2024-06-30}\n")
    study = Submission("sql", sql_code=CASES["no bound"][0], source="study")
    found = audit(Subject(study, served[1]), catalog, task).at(said, str(own))
    said.write_text(found.model_dump_json(), encoding="utf-8")
    scheme, _, rest = served[1].partition("://")
    login, _, place = rest.rpartition("@")
    line = found.witnesses[0].replay
    assert line.endswith(f" --db {scheme}://USER:PASSWORD@{place}")
    assert found.database == f"{scheme}://***@{place}"
    run = CliRunner().invoke
    shown = run(app, shlex.split(line.replace("USER:PASSWORD", login))[1:])
    assert (shown.exit_code, shown.output.split()[0]) == (0, "confirmed"), shown.output
    plain = run(app, ["verify", str(said), "--catalog", str(own)])
    assert plain.exit_code == 2
    assert f"--db {scheme}://USER:PASSWORD@{place}" in plain.output
    elsewhere = found.model_copy(update={"database": f"{scheme}://***@elsewhere/x", "digest": ""})
    elsewhere = elsewhere.model_copy(update={"digest": elsewhere.content_digest()})
    assert "command" in replay(elsewhere, served[1], catalog).refusals[0]


@pytest.mark.parametrize(("sql", "codes"), (CASES | UNNUMBERED).values(), ids=CASES | UNNUMBERED)
def test_a_server_gives_the_verdict_that_a_file_gives(
    served: tuple[Server, str], catalog: Catalog, sql: str, codes: set[str]
) -> None:
    task = parse_contract("contract: test\nas_of: {date: 2024-06-30}\n")
    found = audit(Subject(Submission("sql", sql_code=sql, source="study"), served[1]), catalog, task)
    assert {w.requirement for w in found.witnesses} == codes, certificate_text(found)
    assert found.verdict is (Verdict.FAIL if codes else Verdict.PASS)


@pytest.mark.parametrize(("sql", "codes"), CASES.values(), ids=CASES)
def test_the_names_of_the_very_database_are_those_of_its_tables(
    served: tuple[Server, str], catalog: Catalog, sql: str, codes: set[str]
) -> None:
    """`audited.public.report` in PostgreSQL, `audited.report` in MariaDB; before a column, too."""
    task = parse_contract("contract: test\nas_of: {date: 2024-06-30}\n")
    schemas = {"mariadb": ["audited"], "postgres": ["public", "audited.public", 'Audited."public"']}
    for schema in schemas[served[0].kind]:
        text = re.sub(r"FROM (\w+)(?= r\b| WHERE)", rf"FROM {schema}.\1", sql)
        text = re.sub(r"(?<=AND \()ENDS IS|(?<=WHERE )NOW\b", rf"{schema}.industry.\g<0>", text)
        assert text.count(schema) >= 1 + ("industry" in sql)
        found = audit(Subject(Submission("sql", sql_code=text, source="study"), served[1]), catalog, task)
        assert {w.requirement for w in found.witnesses} == codes, certificate_text(found)
        assert found.verdict is (Verdict.FAIL if codes else Verdict.PASS), certificate_text(found)


def test_a_name_of_another_database_is_refused(served: tuple[Server, str], catalog: Catalog) -> None:
    task = parse_contract("contract: test\nas_of: {date: 2024-06-30}\n")
    other = {"mariadb": "mysql", "postgres": "postgres.public"}[served[0].kind]
    text = OPEN.replace("FROM industry", f"FROM {other}.industry")
    found = audit(Subject(Submission("sql", sql_code=text, source="study"), served[1]), catalog, task)
    assert (found.verdict, found.reasons) == (Verdict.UNKNOWN, ["program_failed"]), certificate_text(found)
    assert f"The schema {other} may not be read" in found.notes[0]


@pytest.mark.parametrize("served", ["postgres"], indirect=True)  # MariaDB has no such form
def test_the_short_form_of_postgresql_is_a_select(judged: Callable[[str], Certificate]) -> None:
    """`TABLE industry` is `SELECT * FROM industry`, wherever a query may stand."""
    for text in ("TABLE industry", "table audited.public.industry", "SELECT * FROM (TABLE industry) AS t"):
        assert judged(text).verdict is Verdict.FAIL, text
    valid = judged(f"WITH x AS (TABLE industry) {OPEN.replace('FROM industry', 'FROM x')}")
    assert valid.verdict is Verdict.PASS, certificate_text(valid)


@pytest.mark.parametrize("served", ["postgres"], indirect=True)
def test_a_table_without_or_with_its_descendants_is_the_table(
    served: tuple[Server, str], judged: Callable[[str], Certificate]
) -> None:
    """`ONLY industry` and `industry *` of PostgreSQL; one that has parts is not altered, and says so."""
    names = (
        "ONLY industry",
        "only public.industry",
        "ONLY /* its own */ audited.public.industry",
        "industry *",
    )
    for name in names:
        valid = judged(OPEN.replace("FROM industry", f"FROM {name}"))
        assert valid.verdict is Verdict.PASS, certificate_text(valid)
        leaks = judged(f"SELECT r.firm FROM report AS r JOIN {name} AS i ON i.firm = r.firm WHERE i.now = 1")
        assert {w.requirement for w in leaks.witnesses} >= {"A2"}, certificate_text(leaks)
    assert judged("TABLE ONLY audited.public.industry").verdict is Verdict.FAIL
    server, _ = served
    server.execute("CREATE TABLE part (LIKE industry) INHERITS (industry)", database="audited")
    try:
        found = judged(OPEN.replace("FROM industry", "FROM ONLY industry"))
        assert found.verdict is Verdict.UNKNOWN, certificate_text(found)
    finally:
        server.execute("DROP TABLE part", database="audited")


def test_a_server_shuffles_rows_and_names_those_that_were_used(judged: Callable[[str], Certificate]) -> None:
    # Of one limit alone two orders of the rows may give the same ties, by the plan that the server has for them
    tied = [judged(OPEN.replace("FIRM, NAME", "FIRM") + f" ORDER BY NAME LIMIT {n}") for n in (1, 2, 3, 4)]
    assert (Verdict.UNKNOWN, ["nondeterministic"]) in [(one.verdict, one.reasons) for one in tied]
    [witness] = judged(CASES["no bound"][0]).witnesses
    assert witness.provenance is not None
    # Firms 5 to 9 restated on 20 July
    assert (witness.provenance.why, witness.provenance.rows) == (None, 5)
    assert (
        witness.provenance.uses[0].says == "report row 205, disclosed 2024-07-20, used for cut-off 2024-06-30"
    )


def test_a_changed_cell_on_a_server_refuses_the_certificate(
    served: tuple[Server, str], catalog: Catalog
) -> None:
    server, url = served
    task = parse_contract("contract: test\nas_of: {date: 2024-06-30}\n")
    found = audit(Subject(Submission("sql", sql_code=OPEN, source="study"), url), catalog, task)
    assert replay(found, url, catalog).confirmed
    server.execute("UPDATE industry SET name = 'water' WHERE firm = 12", database="audited")
    assert "data" in replay(found, url, catalog).refusals[0]
    server.execute("UPDATE industry SET name = 'bank' WHERE firm = 12", database="audited")
    assert replay(found, url, catalog).confirmed, "the rows are what they were, wherever they are stored now"


def test_a_folder_is_audited_again_once_a_cell_on_the_server_changed(
    served: tuple[Server, str], catalog: Catalog, tmp_path: Path
) -> None:
    server, url = served
    task = parse_contract("contract: test\nas_of: {date: 2024-06-30}\n")
    (tmp_path / "research").mkdir()
    (tmp_path / "research" / "one.sql").write_text("SELECT 1 AS one")  # reads nothing: UNKNOWN at once

    def kept() -> int:
        with open_executor("serial") as workers:
            cache = ResultCache(tmp_path / "cache")
            [found] = audit_folder(
                tmp_path / "research", url, catalog, executor=workers, cache=cache, contract=task
            )
        assert found.certificate is not None, found.error
        assert found.certificate.verdict is Verdict.UNKNOWN
        return len(list(cache.folder.rglob("*.result")))

    assert (kept(), kept()) == (1, 1)
    server.execute("UPDATE report SET profit = profit + 1 WHERE firm = 12", database="audited")
    assert kept() == 2
    server.execute("UPDATE report SET profit = profit - 1 WHERE firm = 12", database="audited")
    assert kept() == 2, "the rows are what they were"
