"""What the audit says of programs whose truth is known."""

from __future__ import annotations

import json
from collections.abc import Callable

import jsonschema
import pytest

from finassay.audit import Certificate, Verdict, certificate_schema, certificate_text

Audited = Callable[..., Certificate]

LATEST = """
SELECT FIRM, PROFIT FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY PUBLISHED DESC, ID DESC) AS n
  FROM report WHERE PERIOD = DATE '2024-03-31' AND PUBLISHED < DATE '2024-07-01') WHERE n = 1"""
ALERTED = """
SELECT FIRM FROM alert WHERE ANNOUNCED <= DATE '2024-06-30' AND STARTS <= DATE '2024-06-30'
  AND NOT COALESCE(ENDS <= DATE '2024-06-30' AND END_ANNOUNCED <= DATE '2024-06-30', FALSE)"""
SECTOR = """
SELECT FIRM, NAME FROM (
  SELECT *, RANK() OVER (PARTITION BY FIRM ORDER BY STARTS DESC, ID DESC) AS n
  FROM industry WHERE STARTS < DATE '2024-07-01')
WHERE n = 1 AND (ENDS IS NULL OR ENDS > DATE '2024-06-30')"""
OPEN = """
SELECT FIRM, NAME FROM industry
WHERE STARTS <= DATE '2024-06-30' AND (ENDS IS NULL OR ENDS > DATE '2024-06-30')"""
MEAN = "SELECT FIRM, AVG(CLOSE) AS close FROM price WHERE DAY <= DATE '2024-06-30' GROUP BY FIRM"

VALID = {
    "the latest version": LATEST,
    "the same with a subquery": """
        SELECT r.FIRM, r.PROFIT FROM report r WHERE r.PERIOD = DATE '2024-03-31' AND r.PUBLISHED <= DATE '2024-06-30'
        AND NOT EXISTS (SELECT 1 FROM report l WHERE l.FIRM = r.FIRM AND l.PERIOD = r.PERIOD
          AND l.PUBLISHED <= DATE '2024-06-30' AND (l.PUBLISHED, l.ID) > (r.PUBLISHED, r.ID))""",
    "alerts announced, begun, not known to have ended": ALERTED,
    "the industry that counts": SECTOR,
    "intervals that are disjoint need no ranking": OPEN,
    "prices to the day": MEAN,
    "two tables": f"SELECT a.FIRM, l.PROFIT FROM ({ALERTED}) a JOIN ({LATEST}) l USING (FIRM)",
}


@pytest.mark.parametrize("sql", VALID.values(), ids=VALID)
def test_a_valid_program_passes(audited: Audited, sql: str) -> None:
    found = audited(sql)
    assert found.verdict is Verdict.PASS, certificate_text(found)
    assert set(found.requirements.values()) == {Verdict.PASS}
    assert found.power is not None
    assert found.power.noticed == found.power.guards > 0


VIOLATIONS = {
    "no bound on disclosure": (LATEST.replace("AND PUBLISHED < DATE '2024-07-01'", ""), {"A1"}),
    "a day too late": (
        LATEST.replace("PUBLISHED < DATE '2024-07-01'", "PUBLISHED <= DATE '2024-07-01'"),
        {"A1"},
    ),
    "what has no date is let in": (
        LATEST.replace(
            "PUBLISHED < DATE '2024-07-01'", "NOT COALESCE(PUBLISHED >= DATE '2024-07-01', FALSE)"
        ),
        {"A1"},
    ),
    "the greatest of two dates, which is that which is there": (
        LATEST.replace("PUBLISHED < DATE '2024-07-01'", "greatest(PERIOD, PUBLISHED) < DATE '2024-07-01'"),
        {"A1"},
    ),
    "the period taken for the disclosure": (
        "SELECT FIRM, PROFIT FROM report WHERE PERIOD <= DATE '2024-06-30' AND PERIOD > DATE '2024-03-31'",
        {"A1", "A3"},
    ),
    "the first version": (LATEST.replace("DESC", "ASC"), {"A3"}),
    "the greatest value": (
        """SELECT FIRM, MAX(PROFIT) AS p FROM report
        WHERE PERIOD = DATE '2024-03-31' AND PUBLISHED < DATE '2024-07-01' GROUP BY 1""",
        {"A3"},
    ),
    "in force, but not announced": (
        ALERTED.replace("ANNOUNCED <= DATE '2024-06-30' AND STARTS", "STARTS"),
        {"A1"},
    ),
    "announced, but not in force": (ALERTED.replace("AND STARTS <= DATE '2024-06-30'", ""), {"A3"}),
    "alerts that are open today": (
        "SELECT FIRM FROM alert WHERE ANNOUNCED <= DATE '2024-06-30' AND ENDS IS NULL",
        {"A2", "A3"},
    ),
    "today's industry": (
        "SELECT FIRM, NAME FROM industry WHERE NOW = 1 AND STARTS <= DATE '2024-06-30'",
        {"A2"},
    ),
    "the industry tested before the ranking": (
        SECTOR.replace("WHERE STARTS", "WHERE NAME = 'bank' AND STARTS").replace(
            "AND (ENDS IS NULL OR ENDS > DATE '2024-06-30')", ""
        ),
        {"A3"},
    ),
    "ends forgotten": (SECTOR.replace("AND (ENDS IS NULL OR ENDS > DATE '2024-06-30')", ""), {"A3"}),
    "a column of the last touch": (
        "SELECT FIRM, MAX(TOUCHED) AS t FROM report WHERE PUBLISHED < DATE '2024-07-01' GROUP BY 1",
        {"A2"},
    ),
    "the last touch taken for the disclosure": (
        LATEST.replace("PUBLISHED <", "TOUCHED < DATE '2024-07-01' AND PUBLISHED <"),
        {"A2"},
    ),
    "next week's prices": (MEAN.replace("2024-06-30", "2024-07-02"), {"A1"}),
}


@pytest.mark.parametrize(("sql", "codes"), VIOLATIONS.values(), ids=VIOLATIONS)
def test_a_violation_fails_with_its_code_and_a_witness(audited: Audited, sql: str, codes: set[str]) -> None:
    found = audited(sql)
    assert found.verdict is Verdict.FAIL, certificate_text(found)
    assert {code.value for code, verdict in found.requirements.items() if verdict is Verdict.FAIL} == codes
    assert {witness.requirement.value for witness in found.witnesses} == codes
    for witness in found.witnesses:
        assert witness.missing or witness.added


def test_one_table_does_not_hide_another(audited: Audited) -> None:
    # A later version of its industry takes every firm out of the answer, whatever its reports say then
    found = audited(
        f"SELECT i.FIRM, l.PROFIT FROM ({SECTOR}) i JOIN ({LATEST}) l USING (FIRM) WHERE NAME = 'food'"
    )
    assert found.verdict is Verdict.PASS, certificate_text(found)
    tried = [run.tables for run in found.scenarios if run.family == "later_version_known"]
    assert tried == [["industry", "report"], ["industry"], ["report"]]


def test_the_witness_is_one_row_and_says_when_it_was_known(audited: Audited) -> None:
    (witness,) = audited(VIOLATIONS["no bound on disclosure"][0]).witnesses
    assert witness.row is not None
    # Firms 5 to 9 restated in July: each of the rows 205 to 209 is a proof on its own
    assert witness.row["ID"] in {"205", "206", "207", "208", "209"}
    assert witness.row["PUBLISHED"] == "2024-07-20"
    assert witness.level == "L0"
    firm, first, second = int(witness.row["FIRM"] or 0), "1", "3"  # 10 f + 1 at first, 10 f + 3 restated
    assert witness.missing == [f"{firm} | {firm}{second}"]
    assert witness.added == [f"{firm} | {firm}{first}"]


def test_a_leak_is_found_where_the_answer_is_right_on_the_data_as_they_are(audited: Audited) -> None:
    # Every firm of the table has its alert from day one, so the missing bound changes nothing today
    sql = ALERTED.replace("ANNOUNCED <= DATE '2024-06-30' AND STARTS", "FIRM < 10 AND STARTS")
    assert audited(sql).requirements["A1"] is Verdict.FAIL  # type: ignore[index]


UNKNOWN = {
    "no catalog": ("SELECT X FROM stranger", "", "table_not_catalogued"),
    "no availability": ("SELECT FIRM, MOOD FROM hearsay", "", "availability_unknown"),
    "no table": ("SELECT 1 AS x", "", "unresponsive"),
    "a constant": ("SELECT 1 AS x WHERE (SELECT COUNT(*) FROM report) > 0", "", "unresponsive"),
    "chance": (
        "SELECT FIRM, RANDOM() AS r FROM report WHERE PUBLISHED < DATE '2024-07-01'",
        "",
        "nondeterministic",
    ),
    "an error": ("SELECT NOTHING FROM report", "", "program_failed"),
    "a source that is not read": (MEAN, "sources: [report]", "source_not_read"),
    "an unconfirmed contract": (MEAN, "marks: [{field: as_of.date, mark: confirm}]", "unconfirmed_contract"),
}


@pytest.mark.parametrize(("sql", "contract", "reason"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_cannot_be_told_is_unknown_and_why(
    audited: Audited, sql: str, contract: str, reason: str
) -> None:
    found = audited(sql, contract=contract)
    assert found.verdict is Verdict.UNKNOWN, certificate_text(found)
    assert reason in found.reasons
    assert Verdict.PASS not in found.requirements.values() or reason == "no_guards"


def test_a_recording_time_counts_where_the_contract_allows_it(audited: Audited) -> None:
    allowed = "recording_proxies: [hearsay.RECORDED]"
    bounded = "SELECT FIRM, MOOD FROM hearsay WHERE RECORDED <= DATE '2024-06-30'"
    assert audited(bounded, contract=allowed).verdict is Verdict.PASS
    assert audited("SELECT FIRM, MOOD FROM hearsay", contract=allowed).verdict is Verdict.FAIL


def test_history_may_be_used_where_the_contract_says_so(audited: Audited) -> None:
    every = "SELECT FIRM, COUNT(*) AS versions FROM report WHERE PUBLISHED <= DATE '2024-06-30' GROUP BY 1"
    assert audited(every).requirements["A3"] is Verdict.FAIL  # type: ignore[index]
    assert audited(every, contract="history: [report]").verdict is Verdict.PASS


def test_a_mysql_program_is_audited_too(audited: Audited) -> None:
    sql = "SELECT FIRM, CLOSE FROM price WHERE DAY <= '2024-06-30' ORDER BY FIRM, DAY"
    assert audited(sql, dialect="mysql").verdict is Verdict.PASS
    assert audited(sql.replace("06-30", "07-01"), dialect="mysql").verdict is Verdict.FAIL


PYTHON = """
from db_connector import query_to_dataframe
from datetime import date
d = query_to_dataframe("SELECT * FROM report")
d = d[(d.PERIOD == date(2024, 3, 31)){bound}]
result = d.sort_values(["PUBLISHED", "ID"]).drop_duplicates("FIRM", keep="last")[["FIRM", "PROFIT"]]
"""


@pytest.mark.jail
@pytest.mark.parametrize(
    ("bound", "verdict"), [(" & (d.PUBLISHED < date(2024, 7, 1))", "PASS"), ("", "FAIL")]
)
def test_python_is_audited_by_what_it_does(audited: Audited, bound: str, verdict: str) -> None:
    found = audited(python=PYTHON.format(bound=bound))
    assert found.verdict == verdict, certificate_text(found)
    assert [table.name for table in found.tables] == ["report"]


def test_the_certificate_follows_its_schema(audited: Audited) -> None:
    found = audited(VIOLATIONS["today's industry"][0])
    jsonschema.validate(json.loads(found.model_dump_json()), certificate_schema())
    assert found == Certificate.model_validate_json(found.model_dump_json())
    assert found.hashes.database is not None


def test_two_audits_give_one_certificate(audited: Audited) -> None:
    assert audited(LATEST) == audited(LATEST)
