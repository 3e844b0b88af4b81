"""Programs that decide at many dates: each row may depend on nothing after its own date, labels may."""

from __future__ import annotations

from datetime import UTC, date, datetime

import duckdb
import pytest

from finassay.audit import Certificate, Subject, Verdict, audit, certificate_text
from finassay.audit._scope import MOST_DATES, Scope, decision_day, scopes_of
from finassay.audit._subject import Output
from finassay.execution import Submission
from finassay.temporal import Catalog, Cutoff, parse_contract

DATES = ("2024-04-30", "2024-05-31", "2024-06-28", "2024-07-31")
CALENDAR = "(VALUES " + ", ".join(f"(DATE '{day}')" for day in DATES) + ") c(decided)"
LATEST = f"""
SELECT decided, FIRM, PROFIT FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY decided, FIRM ORDER BY PUBLISHED DESC, ID DESC) AS n
  FROM {CALENDAR} JOIN report ON PUBLISHED <= decided AND PERIOD = DATE '2024-03-31') WHERE n = 1"""
PERIODS = LATEST.replace("PUBLISHED <= decided", "PERIOD <= decided")
FIRST = LATEST.replace("PUBLISHED DESC, ID DESC", "PUBLISHED, ID")
STATED = f"decisions: {{dates: [{', '.join(DATES)}], column: decided}}"
RHYTHM = "decisions: {every: month_end, from: 2024-04-01, to: 2024-07-31, column: DECIDED}"


def judged(market: str, catalog: Catalog, sql: str, contract: str) -> Certificate:
    task = parse_contract(f"contract: sequence\n{contract}\n")
    return audit(Subject(Submission("sql", sql_code=sql, source="study"), market), catalog, task)


@pytest.mark.parametrize("contract", [STATED, RHYTHM], ids=["stated dates", "dates that the output carries"])
def test_each_date_is_a_cutoff_of_its_own(market: str, catalog: Catalog, contract: str) -> None:
    found = judged(market, catalog, LATEST, contract)
    assert found.verdict is Verdict.PASS, certificate_text(found)
    assert found.as_of == list(DATES)
    assert {run.as_of for run in found.scenarios} == set(DATES)
    assert (found.sequence, found.label) == (Verdict.PASS, None)


@pytest.mark.parametrize(
    ("sql", "code"), [(PERIODS, "A1"), (FIRST, "A3")], ids=["period end", "first version"]
)
def test_a_violation_at_one_of_the_dates_is_found(market: str, catalog: Catalog, sql: str, code: str) -> None:
    found = judged(market, catalog, sql, STATED)
    assert found.verdict is Verdict.FAIL
    assert [w.requirement for w in found.witnesses if w.requirement == code], certificate_text(found)
    assert all(w.as_of in DATES for w in found.witnesses)
    assert found.sequence is Verdict.FAIL


def test_a_bound_at_the_last_date_is_no_bound_for_the_others(market: str, catalog: Catalog) -> None:
    sql = LATEST.replace("PUBLISHED <= decided", f"PUBLISHED <= DATE '{DATES[-1]}'")
    found = judged(market, catalog, sql, STATED)
    assert found.verdict is Verdict.FAIL
    assert found.witnesses[0].as_of < DATES[-1]


LABELLED = """
SELECT FIRM, arg_max(CLOSE, DAY) FILTER (DAY <= DATE '2024-06-30') AS close,
       arg_max(CLOSE, DAY) / arg_max(CLOSE, DAY) FILTER (DAY <= DATE '2024-06-30') - 1 AS outcome
FROM price GROUP BY FIRM HAVING COUNT(*) FILTER (DAY <= DATE '2024-06-30') > 0"""


def test_a_label_may_depend_on_what_came_after_and_nothing_else_may(market: str, catalog: Catalog) -> None:
    at = "as_of: {date: 2024-06-30}\n"
    assert judged(market, catalog, LABELLED, at).verdict is Verdict.FAIL
    labelled = judged(market, catalog, LABELLED, f"{at}labels: [Outcome]")
    assert labelled.witnesses == [], certificate_text(labelled)
    assert labelled.labels == ["Outcome"]
    assert (labelled.sequence, labelled.label is Verdict.FAIL) == (None, False)
    chosen = f"SELECT FIRM, close, outcome FROM ({LABELLED}) ORDER BY outcome, FIRM LIMIT 5"
    found = judged(market, catalog, chosen, f"{at}labels: [Outcome]")
    assert found.verdict is Verdict.FAIL, "firms are picked by what came after"
    assert found.label is Verdict.FAIL


def test_dates_that_no_column_carries_are_unknown(market: str, catalog: Catalog) -> None:
    no_column = judged(market, catalog, LATEST, STATED.replace("column: decided", "column: day"))
    assert (no_column.verdict, no_column.reasons) == (Verdict.UNKNOWN, ["decision_column_missing"])
    unsaid = judged(market, catalog, LATEST, STATED.replace(", column: decided", ""))
    assert unsaid.reasons == ["decision_column_missing"]
    none = judged(market, catalog, LATEST, RHYTHM.replace("2024-0", "2023-0"))
    assert none.reasons == ["no_decisions"]


def test_of_many_dates_the_first_the_last_and_some_between_are_taken() -> None:
    days = duckdb.sql(
        "SELECT DATE '2020-01-31' + INTERVAL (m) MONTH AS d FROM range(60) t(m)"
    ).to_arrow_table()
    contract = parse_contract("contract: c\ndecisions: {every: month_end, column: d}\n")
    found = [scope.cutoff.day for scope in scopes_of(contract, Output({"result": days}))]
    assert (found[0], found[-1], len(found)) == (date(2020, 1, 31), date(2024, 12, 31), MOST_DATES)
    assert found == sorted(set(found))


def test_rows_of_earlier_decisions_are_judged_but_not_by_the_normal_form() -> None:
    before = Output({"result": duckdb.sql("SELECT DATE '2024-01-31' AS d, 1 AS x").to_arrow_table()})
    after = Output({"result": duckdb.sql("SELECT DATE '2024-01-31' AS d, 2 AS x").to_arrow_table()})
    from finassay.audit._types import AS_IS, REMOVED

    scope = Scope(Cutoff(date(2024, 2, 29)), column="d")
    assert scope.differ(before, after, REMOVED) is not None
    assert scope.differ(before, after, AS_IS) is None
    assert Scope(Cutoff(date(2023, 12, 31)), column="d").differ(before, after, REMOVED) is None


@pytest.mark.parametrize(
    ("cell", "day"),
    [
        (date(2024, 12, 24), date(2024, 12, 24)),
        (datetime(2024, 12, 24, 15, tzinfo=UTC), date(2024, 12, 24)),
        ("2024-12-24", date(2024, 12, 24)),
        ("2024-12-24 00:00:00", date(2024, 12, 24)),
        (20241224, date(2024, 12, 24)),
        ("20241224", date(2024, 12, 24)),
        (None, None),
        ("soon", None),
    ],
)
def test_a_decision_date_may_be_written_in_many_ways(cell: object, day: date | None) -> None:
    assert decision_day(cell) == day
