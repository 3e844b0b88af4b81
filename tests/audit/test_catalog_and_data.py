"""A catalog that contradicts the data: what its formats cannot read is bad input, a row_id that repeats a warning."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest
from typer.testing import CliRunner

from finassay.audit import Certificate, Subject, Verdict, audit, certificate_text
from finassay.cli import app
from finassay.core import InputError
from finassay.database import connect
from finassay.execution import Submission, as_of_views
from finassay.temporal import Catalog, Contract, Cutoff, catalog_yaml, parse_catalog
from support.loading import load_server, read_duckdb

from .conftest import CATALOG, TABLES

if TYPE_CHECKING:
    from support.servers import Server

SQL = "SELECT FIRM, MAX(CLOSE) AS TOP FROM price WHERE DAY <= '2024-06-30' GROUP BY FIRM"


def judged(sql: str, url: str, catalog: Catalog, contract: Contract) -> Certificate:
    return audit(Subject(Submission("sql", sql_code=sql, source="study"), url), catalog, contract)


def stating(format_: str) -> Catalog:
    """The catalog with a format for the day of a price."""
    stated = f"DAY: {{role: market_date, format: {format_}}}"
    return parse_catalog(CATALOG.replace("DAY: market_date", stated))


@pytest.fixture(scope="module")
def with_texts(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The market with days as texts."""
    path = tmp_path_factory.mktemp("texts") / "texts.duckdb"
    with duckdb.connect(str(path)) as own:
        for statement in TABLES.split(";"):
            own.execute(statement)
        own.execute("CREATE OR REPLACE TABLE price AS SELECT * REPLACE (DAY::VARCHAR AS DAY) FROM price")
    return f"duckdb:///{path}"


@pytest.mark.parametrize("format_", ["integer_date", "text_date", "iso_text", "text_quarter"])
def test_a_format_that_the_type_does_not_hold(market: str, contract: Contract, format_: str) -> None:
    with pytest.raises(InputError, match=f"column DAY of the table price has the format {format_}") as raised:
        judged(SQL, market, stating(format_), contract)
    assert raised.value.reason == "type_does_not_fit"
    assert "the database has it as DATE" in raised.value.message
    assert "finassay catalog lint" in (raised.value.hint or "")
    with connect(market) as database, pytest.raises(InputError, match="column DAY of the table price"):
        as_of_views(database, stating(format_), Cutoff(contract.as_of.date))  # type: ignore[union-attr]


@pytest.mark.parametrize("format_", ["native", "integer_date"])
def test_a_text_where_the_catalog_says_a_date(
    with_texts: str, contract: Contract, tmp_path: Path, format_: str
) -> None:
    with pytest.raises(InputError, match=f"has the format {format_}; the database has it as VARCHAR"):
        judged(SQL, with_texts, stating(format_), contract)
    assert judged(SQL, with_texts, stating("iso_text"), contract).verdict is Verdict.PASS
    own, program = tmp_path / "small.yaml", tmp_path / "study.sql"
    own.write_text(catalog_yaml(stating(format_)), encoding="utf-8")
    program.write_text(SQL, encoding="utf-8")
    words = ["audit", str(program), "--db", with_texts, "--as-of", "2024-06-30", "--catalog", str(own)]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 2
    assert all(word in shown.output for word in ("price", "DAY", format_, "VARCHAR", "catalog lint")), (
        shown.output
    )


def test_a_row_id_that_repeats_is_told(market: str, catalog: Catalog, contract: Contract) -> None:
    """The reports of two quarters have their firm alone for an id."""
    sql = "SELECT FIRM, MAX(PERIOD) AS LAST FROM report WHERE PUBLISHED < '2024-07-01' GROUP BY FIRM"
    wrong = parse_catalog(re.sub(r"(kind: report\n    row_id: )\[ID\]", r"\1[FIRM]", CATALOG))
    found = judged(sql, market, wrong, contract)
    [said] = [warning for warning in found.warnings if "is not unique" in warning]
    assert said.startswith(
        "The row_id of report (FIRM) is not unique: 20 of its values stand in several rows"
    )
    right = judged(sql, market, catalog, contract)
    assert not [warning for warning in right.warnings if "row_id" in warning], certificate_text(right)


def test_a_row_id_of_more_rows_than_are_counted_is_told(
    market: str, catalog: Catalog, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound is of rows: one of seconds would make two certificates of one program on two machines."""
    monkeypatch.setattr("finassay.audit._identity._MOST_ROWS", 10)
    found = judged(
        "SELECT COUNT(*) AS N FROM report WHERE PUBLISHED < '2024-07-01'", market, catalog, contract
    )
    [said] = [warning for warning in found.warnings if "row_id" in warning]
    assert re.match(
        r"The row_id of report \(ID\) was not counted, for the table has \d+ rows \(at most 10\)", said
    )


@pytest.mark.servers
@pytest.mark.parametrize("engine", ["mariadb", "postgres"])
def test_a_primary_key_says_that_none_repeats(
    engine: str, request: pytest.FixtureRequest, market: str, catalog: Catalog, contract: Contract
) -> None:
    server: Server = request.getfixturevalue(engine)
    tables = read_duckdb(market, "report", lower=True)
    sql = "SELECT firm, MAX(period) AS last FROM report WHERE published < '2024-07-01' GROUP BY firm"
    with server.database("numbered") as name:
        load_server(server, name, tables)
        assert "row_id" not in " ".join(judged(sql, server.reader_url(name), catalog, contract).warnings)
        server.execute("UPDATE report SET id = 100 WHERE id = 101", database=name)
        told = " ".join(judged(sql, server.reader_url(name), catalog, contract).warnings)
        assert "The row_id of report (id) is not unique: 1 of its values" in told
        server.execute(
            "DELETE FROM report WHERE id = 100", "ALTER TABLE report ADD PRIMARY KEY (id)", database=name
        )
        assert "row_id" not in " ".join(judged(sql, server.reader_url(name), catalog, contract).warnings)
