"""Stages that a row gets later, and names that read as they do today: neither says anything of the as-of date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from finassay.audit import Subject, Verdict, audit, certificate_text
from finassay.execution import Submission
from finassay.temporal import parse_catalog, parse_contract

if TYPE_CHECKING:
    from pathlib import Path

    from finassay.audit import Certificate

CATALOG_TEXT = """
catalog: staged
format: 1
version: 1.0.0
tables:
  plan:
    kind: event
    row_id: [ID]
    key: [FIRM]
    availability: {column: PLANNED}
    columns:
      ID: {role: key, max_null: 0}
      FIRM: key
      PLANNED: disclosure
      CASH: payload
      PAID: {role: disclosure, disclosed_by: PAID}
      PER: {role: payload, disclosed_by: PAID}
  firm:
    kind: entity
    row_id: [ID]
    key: [FIRM]
    availability: {column: LISTED, ahead: true}
    columns:
      ID: {role: key, max_null: 0}
      FIRM: key
      LISTED: effective_from
      NAME: presentation
"""
CATALOG = parse_catalog(CATALOG_TEXT)
ORDER = "dependencies: [{order: [PLANNED, PAID]}]"
CONTRACT = parse_contract("contract: test\nas_of: {date: 2024-06-30}\n")


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Forty plans of March, all paid in July but for every fourth, which was paid in May; forty firms, nine ST."""
    path = tmp_path_factory.mktemp("staged") / "staged.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute("""
            CREATE TABLE plan AS SELECT f::BIGINT AS ID, f::INTEGER AS FIRM,
              DATE '2024-03-01' AS PLANNED, 0.5 + f AS CASH,
              CASE WHEN f % 4 = 0 THEN DATE '2024-05-10' ELSE DATE '2024-07-10' END AS PAID, f + 0.25 AS PER
            FROM range(40) t(f);
            CREATE TABLE firm AS SELECT f::BIGINT AS ID, f::INTEGER AS FIRM, DATE '2019-01-01' + f::INTEGER AS LISTED,
              CASE WHEN f > 30 THEN 'ST' ELSE '' END || 'Firm ' || f AS NAME
            FROM range(40) t(f)""")
    return f"duckdb:///{path}"


def judged(market: str, text: str, mode: str = "sql") -> Certificate:
    code = {"sql_code": text} if mode == "sql" else {"python_code": text}
    return audit(Subject(Submission(mode, source="study", **code), market), CATALOG, CONTRACT)  # type: ignore[arg-type]


PLANNED = "SELECT FIRM, CASH FROM plan WHERE PLANNED <= DATE '2024-06-30'"
LISTED = "SELECT FIRM{more} FROM firm WHERE LISTED <= DATE '2024-06-30'"
VALID = {
    "plans that were paid": f"{PLANNED} AND PAID <= DATE '2024-06-30'",
    "a name that is printed": LISTED.format(more=", NAME"),
    "a name that is printed with its code": LISTED.format(more=", FIRM || ' ' || NAME AS label"),
}
STAGED = {
    "plans that have a day of payment": f"{PLANNED} AND PAID IS NOT NULL",
    "plans that are paid later": f"{PLANNED} AND PAID > DATE '2024-06-30'",
    "whether it is paid": PLANNED.replace("CASH", "PAID IS NOT NULL AS paid"),
    "firms with a payment": PLANNED.replace("FIRM, CASH", "FIRM")
    + " GROUP BY FIRM HAVING MAX(PER) IS NOT NULL",
}
NAMED = {
    "no ST": LISTED.format(more="") + " AND NAME NOT LIKE '%ST%'",
    "no Chinese mark of a delisting": LISTED.format(more="")
    + " AND NAME NOT LIKE '退市%' AND NAME NOT LIKE '%(退)'",
    "an American one": LISTED.format(more="") + " AND UPPER(NAME) NOT LIKE '% IN BANKRUPTCY'",
    "ST as a column": LISTED.format(more=", NAME LIKE 'ST%' AS st"),
}


@pytest.mark.parametrize("sql", VALID.values(), ids=VALID)
def test_what_was_disclosed_and_what_is_printed_is_free(market: str, sql: str) -> None:
    found = judged(market, sql)
    assert found.verdict is Verdict.PASS, certificate_text(found)


@pytest.mark.parametrize(
    ("sql", "code", "family"),
    [
        *((sql, "A1", "stages_changed") for sql in STAGED.values()),
        *((sql, "A2", "names_changed") for sql in NAMED.values()),
    ],
    ids=[*STAGED, *NAMED],
)
def test_what_was_not_is_found(market: str, sql: str, code: str, family: str) -> None:
    found = judged(market, sql)
    assert found.verdict is Verdict.FAIL, certificate_text(found)
    assert (code, family) in {(w.requirement.value, w.family) for w in found.witnesses}


@pytest.mark.jail
def test_a_frame_that_drops_what_is_not_paid(market: str) -> None:
    text = f"""
from db_connector import query_to_dataframe
frame = query_to_dataframe("{PLANNED.replace("CASH", "CASH, PER")}")
result = frame.dropna(subset=["PER"])[["FIRM", "CASH"]]
"""
    found = judged(market, text, "python")
    assert [(w.requirement.value, w.family) for w in found.witnesses] == [("A1", "stages_changed")]


def test_a_name_that_the_program_asks_for_is_one_firm_for_good(market: str) -> None:
    found = judged(market, LISTED.format(more="") + " AND NAME IN ('Firm 3', 'STFirm 32')")
    assert found.witnesses == [], certificate_text(found)


def test_rows_after_the_last_decision_are_told(market: str) -> None:
    contract = parse_contract(
        "contract: test\nformat: 1\ndecisions: {dates: [2024-04-30, 2024-06-28], column: day}\n"
    )
    one = "SELECT DATE '{0}' AS day, FIRM FROM plan WHERE PLANNED <= DATE '{0}'"
    sql = " UNION ALL ".join(one.format(day) for day in ("2024-04-30", "2024-06-28"))
    late = f"{sql} UNION ALL SELECT DATE '2024-07-31', FIRM FROM plan WHERE PAID IS NOT NULL"
    valid, found = (
        audit(Subject(Submission("sql", sql_code=text, source="study"), market), CATALOG, contract)
        for text in (sql, late)
    )
    assert valid.verdict is Verdict.PASS, certificate_text(valid)
    assert found.verdict is Verdict.UNKNOWN
    assert "rows_after_all" in found.reasons


ALL_PAID = {
    "no bound": ("SELECT FIRM, CASH FROM plan", Verdict.FAIL),
    "three weeks too long": ("SELECT FIRM, CASH FROM plan WHERE PLANNED <= DATE '2024-07-20'", Verdict.FAIL),
    "what is paid": (f"{PLANNED} AND PER > 3", Verdict.FAIL),
    "that it is paid": (PLANNED.replace("CASH", "PAID IS NOT NULL AS paid"), Verdict.FAIL),
    "a bound": (PLANNED, Verdict.PASS),
    "paid by then": (f"{PLANNED} AND PAID <= DATE '2024-06-30' AND PER > 3", Verdict.PASS),
}


@pytest.mark.parametrize(("sql", "verdict"), ALL_PAID.values(), ids=ALL_PAID)
def test_what_the_data_have_in_time_may_come_late_with_what_follows_it(
    tmp_path: Path, sql: str, verdict: Verdict
) -> None:
    """All plans were told and paid before the as-of date; the catalog says that a payment follows its plan."""
    path = tmp_path / "paid.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute(
            "CREATE TABLE plan AS SELECT f::BIGINT AS ID, f::INTEGER AS FIRM, DATE '2023-03-01' AS PLANNED,"
            " 0.5 + f AS CASH, DATE '2023-05-10' AS PAID, f + 0.25 AS PER FROM range(40) t(f)"
        )
    text = CATALOG_TEXT.replace(
        "availability: {column: PLANNED}", f"{ORDER}\n    availability: {{column: PLANNED}}"
    )
    subject = Subject(Submission("sql", sql_code=sql, source="study"), f"duckdb:///{path}")
    found = audit(subject, parse_catalog(text), CONTRACT)
    assert found.verdict is verdict, certificate_text(found)
