"""The differential check: a program must go where a reference goes, and may differ in what is no matter of time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from finassay.audit import Certificate, Subject, Verdict, audit, certificate_text, read_certificate, replay
from finassay.cli import app
from finassay.core import InputError
from finassay.execution import Submission
from finassay.temporal import Catalog, catalog_yaml, parse_contract

PROFITS = """
SELECT FIRM, PROFIT FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY PUBLISHED DESC, ID DESC) AS n
  FROM report WHERE PERIOD = DATE '2024-03-31' AND PUBLISHED < DATE '2024-07-01') WHERE n = 1"""
ALERTED = """
SELECT FIRM FROM alert WHERE ANNOUNCED <= DATE '2024-06-30' AND STARTS <= DATE '2024-06-30'
  AND NOT COALESCE(ENDS <= DATE '2024-06-30' AND END_ANNOUNCED <= DATE '2024-06-30', FALSE)"""
# The task: profits of the firms that have no alert. Firms 5 to 9 have one on 2024-06-30.
RIGHT = f"SELECT FIRM, PROFIT FROM ({PROFITS}) WHERE FIRM NOT IN ({ALERTED})"
SOURCES = "sources: [report, alert]"


def judged(
    market: str, catalog: Catalog, sql: str, *, reference: str | None = RIGHT, contract: str = SOURCES
) -> Certificate:
    task = parse_contract(f"contract: test\nas_of: {{date: 2024-06-30}}\n{contract}")
    right = Submission("sql", sql_code=reference, source="right.sql") if reference else None
    subject = Subject(Submission("sql", sql_code=sql, source="study"), market)
    return audit(subject, catalog, task, reference=right)


def of(found: Certificate, code: str) -> Verdict | None:
    asked: dict[Any, Verdict] = {requirement.value: v for requirement, v in found.requirements.items()}
    return asked.get(code)


def test_a_program_that_follows_passes(market: str, catalog: Catalog) -> None:
    found = judged(market, catalog, RIGHT.replace("NOT IN", "NOT IN /* the same */"))
    assert found.verdict is Verdict.PASS, certificate_text(found)
    assert of(found, "A4") is Verdict.PASS
    assert found.reference is not None
    assert found.reference.differences == []
    assert {run.table for run in found.reference.traps if run.program == "moved"} == {"report", "alert"}
    assert not [
        run for run in found.reference.traps if run.reference == "moved"
    ]  # where the program does not


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT FIRM, PROFIT FROM ({PROFITS}) WHERE FIRM NOT IN (5, 6, 7, 8, 9)",  # right on these data
        PROFITS,
    ],
    ids=["right on the data as they are", "wrong at once"],
)
def test_a_source_that_is_left_out_is_an_omission_with_one_row(
    market: str, catalog: Catalog, sql: str
) -> None:
    found = judged(market, catalog, sql)
    assert found.verdict is Verdict.FAIL, certificate_text(found)
    assert {name for name, verdict in found.requirements.items() if verdict is Verdict.FAIL} == {"A4"}
    [witness] = found.witnesses
    assert witness.table == "alert"
    assert witness.row is not None, "one row is enough for the reference to move"
    assert "the reference's output changes, and the program's does not" in certificate_text(found)


def test_a_source_that_is_read_and_has_no_say_is_an_omission(market: str, catalog: Catalog) -> None:
    idle = f"SELECT FIRM, PROFIT FROM ({PROFITS}) WHERE FIRM NOT IN (5, 6, 7, 8, 9) AND EXISTS (SELECT 1 FROM alert)"
    found = judged(market, catalog, idle)
    assert of(found, "A4") is Verdict.FAIL, certificate_text(found)
    without = judged(market, catalog, idle, reference=None)
    assert (without.verdict, without.reasons) == (Verdict.UNKNOWN, ["source_without_effect"])


def test_without_a_reference_a_source_that_is_not_read_is_unknown(market: str, catalog: Catalog) -> None:
    found = judged(market, catalog, PROFITS, reference=None)
    assert (found.verdict, found.reasons) == (Verdict.UNKNOWN, ["source_not_read"])
    assert of(found, "A4") is Verdict.UNKNOWN


def test_the_sources_are_those_of_the_reference_where_the_contract_names_none(
    market: str, catalog: Catalog
) -> None:
    assert of(judged(market, catalog, PROFITS, contract=""), "A4") is Verdict.FAIL
    assert of(judged(market, catalog, PROFITS, contract="sources: [report]"), "A4") is Verdict.PASS
    assert of(judged(market, catalog, PROFITS, contract="", reference=None), "A4") is None


def test_a_constant_reacts_to_nothing(market: str, catalog: Catalog) -> None:
    constant = "SELECT 1 AS FIRM, 10.0 AS PROFIT WHERE (SELECT COUNT(*) FROM report, alert) > 0"
    found = judged(market, catalog, constant)
    assert found.verdict is Verdict.UNKNOWN
    assert "unresponsive" in found.reasons


# A total over no rows is NULL for one and 0 for the other, and a mean is rounded: no matter of time
TOTALS = (
    "SELECT f AS FIRM, {total} AS total FROM range(25) t(f) LEFT JOIN ({rows}) r ON r.FIRM = f GROUP BY f"
)


def test_functional_differences_are_told_and_no_verdict(market: str, catalog: Catalog) -> None:
    reference = TOTALS.format(total="SUM(PROFIT)", rows=RIGHT)
    found = judged(
        market,
        catalog,
        TOTALS.format(total="COALESCE(SUM(PROFIT), 0)", rows=RIGHT),
        reference=reference,
    )
    assert found.verdict is Verdict.PASS, certificate_text(found)
    assert found.reference is not None
    [difference] = found.reference.differences
    assert "NULL" in difference
    assert "functional difference" in certificate_text(found)


def test_a_reference_that_leaks_proves_nothing(market: str, catalog: Catalog) -> None:
    leaking = RIGHT.replace("AND PUBLISHED < DATE '2024-07-01'", "")
    found = judged(market, catalog, PROFITS, reference=leaking)
    assert found.witnesses == []
    assert "reference_leaks" in found.reasons


@pytest.mark.parametrize("sql", ["SELECT NOTHING FROM report", "SELECT RANDOM() AS r FROM report"])
def test_a_reference_that_cannot_be_used_is_bad_input(market: str, catalog: Catalog, sql: str) -> None:
    with pytest.raises(InputError, match=r"right\.sql cannot be used"):
        judged(market, catalog, RIGHT, reference=sql)


def test_a_certificate_carries_its_reference_and_is_replayed_with_it(market: str, catalog: Catalog) -> None:
    found = read_certificate(judged(market, catalog, PROFITS).model_dump_json())
    assert found.reference is not None
    assert found.reference.program.sql_code == RIGHT
    assert found.hashes.reference == found.reference.program.digest()
    assert replay(found, market, catalog).confirmed
    document = json.loads(found.model_dump_json())
    document["reference"]["program"]["sql_code"] = PROFITS
    forged = Certificate.model_validate(document)
    forged = forged.model_copy(update={"digest": forged.content_digest()})
    assert "reference" in replay(forged, market, catalog).refusals[0]


PYTHON = """
from db_connector import query_to_dataframe
from datetime import date
d = query_to_dataframe("SELECT * FROM report")
d = d[(d.PERIOD == date(2024, 3, 31)) & (d.PUBLISHED < date(2024, 7, 1))]
d = d.sort_values(["PUBLISHED", "ID"]).drop_duplicates("FIRM", keep="last")
result = d[~d.FIRM.isin([5, 6, 7, 8, 9])][["FIRM", "PROFIT"]]
"""


@pytest.mark.jail
def test_a_reference_in_sql_judges_a_program_in_python(market: str, catalog: Catalog) -> None:
    task = parse_contract(f"contract: test\nas_of: {{date: 2024-06-30}}\n{SOURCES}")
    right = Submission("sql", sql_code=RIGHT, source="right.sql")
    subject = Subject(Submission("python", python_code=PYTHON, source="study.py"), market)
    found = audit(subject, catalog, task, reference=right)
    assert {witness.requirement for witness in found.witnesses} == {"A4"}, certificate_text(found)


def test_the_command_takes_a_reference_and_finds_those_beside_programs(
    market: str, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    research, own = tmp_path / "research", tmp_path / "small.yaml"
    research.mkdir()
    own.write_text(catalog_yaml(catalog), encoding="utf-8")
    (research / "ranks.sql").write_text(PROFITS)
    (research / "ranks.reference.sql").write_text(RIGHT)
    (research / "ranks.contract.yaml").write_text(
        f"contract: ranks\nas_of: {{date: 2024-06-30}}\n{SOURCES}\n"
    )
    run, options = CliRunner().invoke, ["--db", market, "--catalog", str(own), "--format", "json"]
    alone = run(app, ["audit", str(research / "ranks.sql"), *options])
    assert alone.exit_code == 1, alone.output
    assert json.loads(alone.output)["requirements"]["A4"] == "FAIL"
    folder = run(app, ["audit", str(research), "--executor", "serial", *options])
    [program] = json.loads(folder.stdout)["programs"]
    assert (program["program"], program["requirements"]["A4"]) == ("ranks.sql", "FAIL")
    other = tmp_path / "other.sql"
    other.write_text(PROFITS)
    told = ["--reference", str(research / "ranks.reference.sql"), "--as-of", "2024-06-30"]
    given = run(app, ["audit", *told, str(other), *options])
    assert json.loads(given.output)["requirements"]["A4"] == "FAIL", given.output
