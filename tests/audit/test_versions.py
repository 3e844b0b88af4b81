"""Versions that are empty, or older than the one that counts; and what the data never have, which is only a warning."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from finassay.audit import Certificate, Subject, Verdict, audit, certificate_text
from finassay.execution import Submission
from finassay.temporal import Catalog, parse_catalog, parse_contract

CATALOG = """
catalog: notes
format: 1
version: 1.0.0
tables:
  note:
    kind: report
    row_id: [ID]
    key: [FIRM, PERIOD]
    availability: {column: SAID}
    versions: {per: [FIRM, PERIOD], order: [SAID, ID]}
    dependencies: [{order: [PERIOD, SAID]}]
    columns:
      ID: {role: key, max_null: 0}
      FIRM: key
      PERIOD: period_end
      SAID: disclosure
      SALES: payload
      STAFF: payload
"""
# Ten firms, one period, two versions each. SALES is missing in some first versions, STAFF never. Numbers do not follow
# the order of disclosure: the later version has the lower one.
TABLE = """
CREATE TABLE note AS
  SELECT 100 + f AS ID, f::INTEGER AS FIRM, DATE '2024-03-31' AS PERIOD, TIMESTAMP '2024-04-20' AS SAID,
    CASE WHEN f < 4 THEN NULL ELSE 10 * f END::INTEGER AS SALES, (100 + f)::INTEGER AS STAFF FROM range(10) t(f)
  UNION ALL
  SELECT f, f, DATE '2024-03-31', TIMESTAMP '2024-05-20', 10 * f + 5, 200 + f FROM range(10) t(f)
"""
BOUND = "SAID < DATE '2024-07-01'"
RANKED = """SELECT FIRM, {column} FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY {order}) AS n FROM note WHERE {where}) WHERE n = 1"""


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("notes") / "notes.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute(TABLE)
    return f"duckdb:///{path}"


@pytest.fixture(scope="module")
def spoken() -> Catalog:
    return parse_catalog(CATALOG)


def of(
    notes: str, spoken: Catalog, column: str, order: str = "SAID DESC, ID DESC", where: str = BOUND
) -> Certificate:
    sql = RANKED.format(column=column, order=order, where=where)
    task = parse_contract("contract: test\nas_of: {date: 2024-06-30}\n")
    return audit(Subject(Submission("sql", sql_code=sql, source="study"), notes), spoken, task)


@pytest.mark.parametrize("column", ["SALES", "STAFF"])
def test_the_last_version_passes_whatever_it_holds(notes: str, spoken: Catalog, column: str) -> None:
    found = of(notes, spoken, column)
    assert found.verdict is Verdict.PASS, certificate_text(found)
    assert {run.family for run in found.scenarios} >= {"later_version_empty", "older_version_added"}
    assert not [line for line in found.warnings if "L3" in line]


def test_the_last_value_that_is_there_is_no_version(notes: str, spoken: Catalog) -> None:
    # The answer is right on these data: no last version is empty
    found = of(notes, spoken, "SALES", where=f"{BOUND} AND SALES IS NOT NULL")
    assert [(w.requirement.value, w.family, w.level) for w in found.witnesses] == [
        ("A3", "later_version_empty", "L1")
    ], certificate_text(found)


def test_a_column_that_is_never_empty_gives_a_warning_only(notes: str, spoken: Catalog) -> None:
    found = of(notes, spoken, "STAFF", where=f"{BOUND} AND STAFF IS NOT NULL")
    assert found.verdict is Verdict.PASS, certificate_text(found)
    [warning] = [line for line in found.warnings if "L3" in line]
    assert "A3 note: a version with NULLs is added to each" in warning
    assert [run.family for run in found.scenarios if run.stress and run.outcome == "differs"] == [
        "later_version_null"
    ]


def test_a_time_of_day_in_a_column_of_dates_is_a_warning_only(notes: str, spoken: Catalog) -> None:
    found = of(notes, spoken, "STAFF", where="SAID <= TIMESTAMP '2024-06-30'")
    assert found.verdict is Verdict.PASS, certificate_text(found)
    assert any("A1 note: rows are disclosed in the afternoon" in line for line in found.warnings)


def test_the_greatest_number_is_not_the_last_version(notes: str, spoken: Catalog) -> None:
    found = of(notes, spoken, "STAFF", order="ID DESC")
    assert found.requirements["A3"] is Verdict.FAIL  # type: ignore[index]
    assert "older_version_added" in {run.family for run in found.scenarios if run.outcome == "differs"}
