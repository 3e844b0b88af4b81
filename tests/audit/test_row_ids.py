"""Rows are numbered by the audit where their row id is no whole number: what is found does not hang on it."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import pytest
from tests.audit.conftest import CATALOG, TABLES

from finassay.audit import Certificate, Requirement, Subject, Verdict, audit, certificate_text
from finassay.execution import Submission
from finassay.temporal import parse_catalog, parse_contract

IDS = {
    "text": ("row_id: [ID]", "'r' || ID"),
    "two columns": ("row_id: [FIRM, ID]", "'r' || ID"),
    "none": ("", "'r' || ID"),
}
PUBLISHED, HOLDS = "PUBLISHED <= DATE '2024-06-30'", "STARTS <= DATE '2024-06-30'"
LAST = (
    "SELECT FIRM, PROFIT FROM report WHERE PERIOD = DATE '2024-03-31' AND {} "
    "QUALIFY ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY PUBLISHED {}) = 1"
)
ENDED = "ENDS <= DATE '2024-06-30' AND END_ANNOUNCED <= DATE '2024-06-30'"
ALERT = f"SELECT FIRM FROM alert WHERE {{}} AND NOT COALESCE({ENDED}, FALSE)"
INDUSTRY = "SELECT FIRM, NAME FROM industry WHERE {} AND (ENDS IS NULL OR ENDS > DATE '2024-06-30')"
FORESEEN = (
    f"SELECT FIRM FROM alert WHERE ANNOUNCED <= DATE '2024-06-30' AND {HOLDS} "
    "AND (ENDS IS NULL OR ENDS > DATE '2024-08-30')"
)

VALID = {
    "version": LAST.format(PUBLISHED, "DESC"),
    "alert": ALERT.format(f"ANNOUNCED <= DATE '2024-06-30' AND {HOLDS}"),
    "industry": INDUSTRY.format(HOLDS),
}
LEAKING = {
    "not yet published": (LAST.format("TRUE", "DESC"), Requirement.DISCLOSURE),
    "first version": (LAST.format(PUBLISHED, "ASC"), Requirement.VERSION),
    "not yet announced": (ALERT.format(HOLDS), Requirement.DISCLOSURE),
    "not yet begun": (ALERT.format("ANNOUNCED <= DATE '2024-06-30'"), Requirement.VERSION),
    "ends looked up later": (FORESEEN, Requirement.STATE),
    "ends forgotten": (f"SELECT FIRM, NAME FROM industry WHERE {HOLDS}", Requirement.VERSION),
}


@pytest.fixture(scope="module", params=IDS.values(), ids=IDS)
def judged(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Certificate]:
    """Audit a statement over the small vendor's tables, whose row ids are texts, of two columns, or not stated."""
    row_id, text = request.param
    path = tmp_path_factory.mktemp("ids") / "ids.duckdb"
    with duckdb.connect(str(path)) as db:
        for statement in TABLES.split(";"):
            db.execute(statement)
        for table in ("report", "alert", "industry"):
            db.execute(f"ALTER TABLE {table} ALTER ID TYPE VARCHAR USING {text}")
    catalog = parse_catalog(CATALOG.replace("    row_id: [ID]\n", f"    {row_id}\n" if row_id else ""))

    def run(sql: str) -> Certificate:
        contract = parse_contract("contract: ids\nformat: 1\nas_of: {date: 2024-06-30}\n")
        return audit(
            Subject(Submission("sql", sql_code=sql, source="s.sql"), f"duckdb:///{path}"), catalog, contract
        )

    return run


@pytest.mark.parametrize(("sql", "requirement"), LEAKING.values(), ids=LEAKING)
def test_a_violation_is_found_with_a_row(
    judged: Callable[[str], Certificate], sql: str, requirement: Requirement
) -> None:
    found = judged(sql)
    assert found.verdict is Verdict.FAIL, certificate_text(found)
    [witness] = [one for one in found.witnesses if one.requirement is requirement]
    assert "finassay_number" not in str(witness.row)
    assert witness.row or witness.altered, certificate_text(found)


@pytest.mark.parametrize("sql", VALID.values(), ids=VALID)
def test_a_valid_statement_passes(judged: Callable[[str], Certificate], sql: str) -> None:
    found = judged(sql)
    assert found.verdict is Verdict.PASS, certificate_text(found)
