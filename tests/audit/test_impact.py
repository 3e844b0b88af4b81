"""How an answer changes over what counted at the date: which rows, which cells, by how much."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from finassay.audit import Certificate, Subject, audit, certificate_text, replay
from finassay.cli import app
from finassay.execution import Submission
from finassay.temporal import Catalog, catalog_yaml, parse_contract

if TYPE_CHECKING:
    from finassay.audit._certificate import OutputImpact

LATEST = """
SELECT FIRM, PROFIT FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY PUBLISHED DESC, ID DESC) AS n
  FROM report WHERE PERIOD = DATE '2024-03-31'{bound}) WHERE n = 1"""
BOUND = " AND PUBLISHED < DATE '2024-07-01'"


def weighed(market: str, catalog: Catalog, sql: str, contract: str = "") -> Certificate:
    task = parse_contract(f"contract: test\nas_of: {{date: 2024-06-30}}\n{contract}")
    return audit(Subject(Submission("sql", sql_code=sql, source="study"), market), catalog, task, impact=True)


def only(found: Certificate) -> OutputImpact:
    assert found.impact is not None
    [one] = found.impact.outputs
    return one


def test_a_valid_answer_does_not_change(market: str, catalog: Catalog) -> None:
    found = only(weighed(market, catalog, LATEST.format(bound=BOUND)))
    assert found.same
    assert (found.rows_before, found.rows_after, found.both, found.key) == (20, 20, 20, ["FIRM"])


def test_changed_cells_are_counted_with_the_largest(market: str, catalog: Catalog) -> None:
    # Firms 5 to 9 restate in July: 10 f + 3 in place of 10 f + 1. One of them is off by 2, as are all.
    sql = LATEST.format(bound="").replace(
        "PROFIT FROM (", "CASE FIRM WHEN 7 THEN 2 * PROFIT ELSE PROFIT END AS p FROM ("
    )
    found = only(weighed(market, catalog, sql))
    assert (found.both, found.changed, found.dropped, found.added) == (20, 5, 0, 0)
    [column] = found.columns
    assert (column.column, column.cells) == ("p", 5)
    # 2 x (73 - 71) is more than 53 - 51
    assert (column.largest.row, column.largest.before, column.largest.after) == ("7", "146.00", "142.00")


def test_rows_that_go_and_come_are_told(market: str, catalog: Catalog) -> None:
    # Alerts 0 to 4 ended in time; 5 to 9 hold on 2024-06-30, of which 5 to 7 have an end that came later
    found = only(weighed(market, catalog, "SELECT FIRM FROM alert WHERE ENDS IS NULL"))
    assert (found.rows_before, found.rows_after, found.both) == (7, 5, 2)
    assert found.dropped_rows == ["10", "11", "12", "13", "14"], "announced in July"
    assert found.added_rows == ["5", "6", "7"]


def test_a_flag_of_today_reads_as_it_did_then(market: str, catalog: Catalog) -> None:
    # Firms 4 to 7 change their industry in August: on 2024-06-30 the old one was the present one
    found = only(weighed(market, catalog, "SELECT FIRM, NAME FROM industry WHERE NOW = 1"))
    assert (found.both, found.dropped, found.added, found.changed) == (20, 0, 0, 4)


def test_history_stays_where_the_contract_allows_it(market: str, catalog: Catalog) -> None:
    versions = "SELECT FIRM, COUNT(*) AS n FROM report WHERE PUBLISHED <= DATE '2024-06-30' GROUP BY 1"
    assert only(weighed(market, catalog, versions, "history: [report]")).same
    assert only(weighed(market, catalog, versions)).changed == 5, (
        "firms 0 to 4 had two versions of one quarter"
    )


def test_each_decision_is_weighed_by_itself(market: str, catalog: Catalog) -> None:
    sql = """SELECT d AS decided, FIRM, MAX(PROFIT) AS p
      FROM report, (VALUES (DATE '2024-04-30'), (DATE '2024-06-28')) t(d)
      WHERE PERIOD = DATE '2024-03-31' GROUP BY ALL"""
    task = parse_contract("contract: test\ndecisions: {dates: [2024-04-30, 2024-06-28], column: decided}\n")
    found = audit(Subject(Submission("sql", sql_code=sql, source="s"), market), catalog, task, impact=True)
    assert found.impact is not None
    # On 30 April none of the ten restatements was known, on 28 June five of them were
    assert [(one.as_of, one.changed) for one in found.impact.outputs] == [
        ("2024-04-30", 10),
        ("2024-06-28", 5),
    ]


def test_rows_without_a_key_are_compared_whole(market: str, catalog: Catalog) -> None:
    sql = "SELECT PROFIT::DOUBLE AS p FROM report WHERE PERIOD = DATE '2024-06-30'"
    found = only(weighed(market, catalog, sql))
    assert (found.key, found.both, found.dropped, found.added) == ([], 10, 10, 0)


def test_the_command_shows_it_as_text_json_and_html_and_it_is_replayed(
    market: str, catalog: Catalog, tmp_path: Path
) -> None:
    own, program = tmp_path / "small.yaml", tmp_path / "study.sql"
    own.write_text(catalog_yaml(catalog), encoding="utf-8")
    program.write_text(LATEST.format(bound=""))
    options = ["--db", market, "--catalog", str(own), "--as-of", "2024-06-30", "--impact"]
    shown = {
        form: CliRunner().invoke(app, ["audit", str(program), *options, "--format", form]).output
        for form in ("text", "json", "html")
    }
    assert "5 of 20 in both changed" in shown["text"]
    assert "5 of 20 in both changed" in shown["html"]
    found = Certificate.model_validate(json.loads(shown["json"]))
    assert only(found).changed == 5
    assert replay(found, market, catalog).confirmed
    assert "impact" in certificate_text(found)


@pytest.mark.parametrize("sql", ["SELECT FIRM FROM report ORDER BY FIRM LIMIT 3"])
def test_without_the_option_there_is_none(market: str, catalog: Catalog, sql: str) -> None:
    task = parse_contract("contract: test\nas_of: {date: 2024-06-30}\n")
    assert audit(Subject(Submission("sql", sql_code=sql, source="s"), market), catalog, task).impact is None
