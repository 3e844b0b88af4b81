"""Tables as other vendors keep them, whose data end on the as-of date: what leaks is found, what is valid passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from finassay.audit import Requirement, Subject, Verdict, audit, certificate_text
from finassay.execution import Submission
from finassay.temporal import parse_catalog, parse_contract

if TYPE_CHECKING:
    from finassay.audit import Certificate

CATALOG = parse_catalog("""
catalog: others
format: 1
version: 1.0.0
tables:
  bar:
    kind: series
    row_id: [CODE, TRADED]
    key: [CODE, TRADED]
    availability: {column: TRADED}
    columns: {CODE: key, TRADED: {role: market_date, format: text_date}, CLOSE: payload}
  level:
    kind: series
    key: [DAY]
    availability: {column: DAY}
    columns: {DAY: market_date, VALUE: payload}
  macro:
    kind: report
    row_id: [ID]
    key: [SERIES, MONTH]
    availability: {column: RELEASED}
    columns:
      ID: {role: key, max_null: 0}
      SERIES: key
      MONTH: {role: period_end, format: text_month}
      RELEASED: disclosure
      VALUE: payload
  dividend:
    kind: event
    row_id: [ID]
    key: [FIRM]
    availability: {column: DECLARED}
    dependencies: [{order: [DECLARED, EX, PAID]}]
    columns:
      ID: {role: key, max_null: 0}
      FIRM: key
      DECLARED: disclosure
      EX: effective_from
      PAID: effective_from
      CASH: payload
      FACTOR: {role: payload, disclosed_by: EX}
  payout:
    kind: event
    row_id: [ID]
    key: [FIRM]
    availability: {column: TOLD}
    dependencies: [{order: [TOLD, EX]}]
    columns:
      ID: {role: key, max_null: 0}
      FIRM: key
      TOLD: {role: disclosure, format: text_date}
      EX: {role: effective_from, format: text_date}
      CASH: payload
  member:
    kind: state
    row_id: [ID]
    key: [FIRM, JOINED]
    availability: {column: JOINED, ahead: true}
    valid: {from: JOINED, to: LEFT_ON, open: ["9999-12-31"]}
    columns:
      ID: {role: key, max_null: 0}
      FIRM: key
      JOINED: effective_from
      LEFT_ON: {role: effective_to, max_null: 0}
  manager:
    kind: state
    row_id: [ID]
    key: [FUND, STARTS]
    availability: {column: STARTS}
    valid: {from: STARTS, to: ENDS}
    columns: {ID: {role: key, max_null: 0}, FUND: key, STARTS: disclosure, ENDS: effective_to}
  holding:
    kind: report
    row_id: [FIRM, PERIOD, HOLDER]
    key: [FIRM, PERIOD, HOLDER]
    availability: {column: FILED}
    dependencies: [{order: [PERIOD, FILED]}]
    columns: {FIRM: key, PERIOD: period_end, HOLDER: key, FILED: disclosure, SHARES: payload}
  result:
    kind: report
    row_id: [FIRM, PERIOD, REVISION]
    key: [FIRM, PERIOD]
    availability: {column: PUBLISHED}
    versions: {per: [FIRM, PERIOD], order: [PUBLISHED, REVISION]}
    dependencies: [{order: [PERIOD, PUBLISHED]}]
    columns:
      {FIRM: key, PERIOD: period_end, REVISION: payload, PUBLISHED: disclosure, EPS: payload}
  firm:
    kind: entity
    row_id: [ID]
    key: [FIRM]
    availability: {column: LISTED, ahead: true}
    columns: {ID: {role: key, max_null: 0}, FIRM: key, LISTED: effective_from, NAME: presentation, GRADE: payload}
  odd:
    kind: event
    row_id: [ID]
    key: [KIND]
    availability: {column: PUBLISHED}
    versions: {per: [KIND, FIRM], order: [PUBLISHED]}
    columns: {ID: {role: key, max_null: 0}, FIRM: key, KIND: key, PUBLISHED: disclosure, VALUE: payload}
  kinds:
    kind: series
    key: [KIND, DAY]
    availability: {column: DAY}
    columns: {KIND: key, DAY: market_date, VALUE: payload}
""")
CONTRACT = parse_contract("contract: test\nas_of: {date: 2024-06-28}\n")
DATA = """
CREATE TABLE day AS SELECT d::DATE AS DAY FROM range(DATE '2024-03-01', DATE '2024-06-29', INTERVAL 1 DAY) t(d)
  WHERE dayofweek(d) BETWEEN 1 AND 5;
CREATE TABLE bar AS SELECT 'S' || lpad(f::VARCHAR, 2, '0') AS CODE, strftime(DAY, '%Y%m%d') AS TRADED,
  10 + f + sin(f + epoch(DAY) / 86400) AS CLOSE FROM range(20) t(f), day;
CREATE TABLE level AS SELECT DAY, 100 + 20 * sin(epoch(DAY) / 1e6) AS VALUE FROM day;
CREATE TABLE macro AS SELECT (s * 100 + m)::BIGINT AS ID, 'series ' || s AS SERIES,
  '2024-0' || m AS MONTH, make_date(2024, m + 1, 10) AS RELEASED, s + m * 0.5 AS VALUE
  FROM range(8) t(s), range(1, 6) u(m);
CREATE TABLE dividend AS SELECT f::BIGINT AS ID, f::INTEGER AS FIRM, DATE '2024-03-01' + f::INTEGER AS DECLARED,
  DATE '2024-04-01' + (f * 6)::INTEGER AS EX, DATE '2024-04-20' + (f * 6)::INTEGER AS PAID, 0.5 + f AS CASH,
  CASE WHEN f < 15 THEN 1 + f * 0.01 END AS FACTOR FROM range(40) t(f);
CREATE TABLE payout AS SELECT ID, FIRM, strftime(DECLARED, '%Y%m%d') AS TOLD, strftime(EX, '%Y%m%d') AS EX, CASH
  FROM dividend WHERE DECLARED <= DATE '2024-06-28' AND EX <= DATE '2024-06-28';
CREATE TABLE member AS SELECT (f * 10)::BIGINT AS ID, f::INTEGER AS FIRM,
  DATE '2023-01-01' + (f * 7)::INTEGER AS JOINED,
  CASE WHEN f % 3 = 0 THEN DATE '2024-02-01' + f::INTEGER ELSE DATE '9999-12-31' END AS LEFT_ON FROM range(60) t(f);
CREATE TABLE manager AS SELECT f::BIGINT AS ID, (f % 15)::INTEGER AS FUND,
  DATE '2023-01-01' + (f * 7)::INTEGER AS STARTS,
  CASE WHEN f % 3 = 0 THEN DATE '2024-03-01' + f::INTEGER END AS ENDS FROM range(60) t(f);
CREATE TABLE holding AS SELECT f::INTEGER AS FIRM, p AS PERIOD, 'H' || h AS HOLDER, p + 30 + (f % 9)::INTEGER AS FILED,
  (100 + f * 7 + h * 13 + month(p) * (f % 5))::INTEGER AS SHARES
  FROM range(12) t(f), range(5) u(h), (SELECT unnest([DATE '2023-09-30', DATE '2023-12-31', DATE '2024-03-31']) AS p) v;
CREATE TABLE result AS SELECT f::INTEGER AS FIRM, p AS PERIOD, 0 AS REVISION, p + 25 + (f % 9)::INTEGER AS PUBLISHED,
  0.1 * f + 0.01 * month(p) AS EPS
  FROM range(20) t(f), (SELECT unnest([DATE '2023-12-31', DATE '2024-03-31']) AS p) v;
CREATE TABLE firm AS SELECT f::BIGINT AS ID, f::INTEGER AS FIRM, DATE '2019-01-01' + f::INTEGER AS LISTED,
  chr(65 + (f % 20)::INTEGER) || 'erm ' || f AS NAME, ['A', 'B', 'C'][1 + f % 3] AS GRADE FROM range(40) t(f);
CREATE TYPE sort AS ENUM ('x', 'y', 'z');
CREATE TABLE odd AS SELECT md5(f::VARCHAR)::UUID AS ID, f::INTEGER AS FIRM, ['x', 'y', 'z'][1 + f % 3]::sort AS KIND,
  DATE '2024-03-01' + f::INTEGER AS PUBLISHED,
  CASE WHEN f % 7 = 0 THEN 'nan'::DOUBLE WHEN f % 7 = 1 THEN 'inf'::DOUBLE ELSE f / 3 END AS VALUE FROM range(80) t(f);
CREATE TABLE kinds AS SELECT ['x', 'y', 'z'][k]::sort AS KIND, DAY, k + dayofyear(DAY) / 7 AS VALUE
  FROM range(1, 4) t(k), day;
"""
TODAY = "DATE '2024-06-28'"
HELD = (
    "WITH p AS (SELECT DISTINCT PERIOD, DENSE_RANK() OVER (ORDER BY PERIOD DESC) AS r FROM {}) SELECT FIRM, "
    "SUM(CASE WHEN r = 1 THEN SHARES ELSE -SHARES END) AS CHANGE FROM holding JOIN p USING (PERIOD) "
    f"WHERE r <= 2 AND FILED <= {TODAY} GROUP BY FIRM"
)
RESULT = f"SELECT FIRM, PERIOD, {{}} FROM result WHERE PUBLISHED <= {TODAY}"
VALID = {
    "dates as texts": "SELECT CODE, MAX(CLOSE) AS m FROM bar WHERE TRADED <= '20240628' GROUP BY CODE",
    "a peak so far": f"SELECT MAX(VALUE) AS m FROM level WHERE DAY <= {TODAY}",
    "months as texts": f"SELECT SERIES, MAX(VALUE) AS v FROM macro WHERE RELEASED <= {TODAY} GROUP BY SERIES",
    "ex-dates that were declared": f"SELECT FIRM, EX, CASH FROM dividend WHERE DECLARED <= {TODAY} AND EX <= {TODAY}",
    "ex-dates to come": f"SELECT FIRM, EX, CASH FROM dividend WHERE DECLARED <= {TODAY} AND EX > {TODAY}",
    "factors that were disclosed": f"SELECT FIRM, FACTOR FROM dividend WHERE DECLARED <= {TODAY} AND EX <= {TODAY}",
    "payouts": "SELECT FIRM, SUM(CASH) AS s FROM payout WHERE TOLD <= '20240628' GROUP BY FIRM",
    "members": f"SELECT FIRM FROM member WHERE JOINED <= {TODAY} AND LEFT_ON > {TODAY}",
    "members between": f"SELECT FIRM FROM member WHERE {TODAY} BETWEEN JOINED AND LEFT_ON - 1",
    "managers": f"SELECT FUND, COUNT(*) AS n FROM manager WHERE STARTS <= {TODAY} "
    f"AND (ENDS IS NULL OR ENDS > {TODAY}) GROUP BY FUND",
    "holdings": HELD.format(f"(SELECT * FROM holding WHERE FILED <= {TODAY})"),
    "last versions": RESULT.format("EPS") + " QUALIFY ROW_NUMBER() OVER (PARTITION BY FIRM, PERIOD "
    "ORDER BY PUBLISHED DESC, REVISION DESC) = 1",
    "initials of names": "SELECT FIRM, UPPER(SUBSTR(NAME, 1, 1)) AS i FROM firm "
    f"WHERE GRADE IN ('A', 'B') AND LISTED <= {TODAY}",
    "what is no number": f"SELECT COUNT(DISTINCT FIRM) AS n FROM odd WHERE PUBLISHED <= {TODAY}",
    "an enumeration": f"SELECT KIND, AVG(VALUE) AS v FROM kinds WHERE DAY <= {TODAY} GROUP BY KIND",
}
A1, A2, A3 = Requirement.DISCLOSURE, Requirement.STATE, Requirement.VERSION
LEAKING = {
    "no bound of dates as texts": ("SELECT CODE, MAX(CLOSE) AS m FROM bar GROUP BY CODE", A1),
    "a bound that reaches too far": (
        "SELECT CODE, MAX(CLOSE) AS m FROM bar WHERE TRADED <= '20240828' GROUP BY CODE",
        A1,
    ),
    "the last day of the table": (
        "SELECT CODE, CLOSE FROM bar WHERE TRADED = (SELECT MAX(TRADED) FROM bar)",
        A1,
    ),
    "a peak of all days": ("SELECT MAX(VALUE) AS m FROM level", A1),
    "a trough of all days": ("SELECT MIN(VALUE) AS m FROM level", A1),
    "a fall from the peak of all days": (
        f"SELECT DAY, VALUE / MAX(VALUE) OVER () - 1 AS d FROM level QUALIFY DAY = {TODAY}",
        A1,
    ),
    "what the next Monday tells": (
        "SELECT CODE, p.CLOSE FROM bar p LEFT JOIN (FROM bar WHERE TRADED = '20240701') f USING (CODE) "  # noqa: ISC004
        "WHERE p.TRADED = '20240628' AND COALESCE(f.CLOSE, p.CLOSE) >= p.CLOSE",
        A1,
    ),
    "the last month of the table": (
        f"SELECT SERIES, VALUE FROM macro WHERE RELEASED <= {TODAY} AND MONTH = (SELECT MAX(MONTH) FROM macro)",
        A1,
    ),
    "payouts without a bound": ("SELECT FIRM, SUM(CASH) AS s FROM payout GROUP BY FIRM", A1),
    "members before they join": (f"SELECT FIRM FROM member WHERE LEFT_ON > {TODAY}", A2),
    "managers before they start": (
        f"SELECT FUND, COUNT(*) AS n FROM manager WHERE ENDS IS NULL OR ENDS > {TODAY} GROUP BY FUND",
        A1,
    ),
    "the last period of the table": (HELD.format("holding"), A1),
    "first versions by their number": (RESULT.format("EPS") + " AND REVISION = 0", A3),
    "all versions": (f"SELECT FIRM, AVG(EPS) AS e FROM result WHERE PUBLISHED <= {TODAY} GROUP BY FIRM", A3),
    "the last value, ids of their own type": (
        "SELECT KIND, FIRM, ARG_MAX(VALUE, PUBLISHED) AS v FROM odd GROUP BY KIND, FIRM",
        A1,
    ),
    "no bound of an enumeration": ("SELECT KIND, AVG(VALUE) AS v FROM kinds GROUP BY KIND", A1),
}


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("others") / "others.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute(DATA)
    return f"duckdb:///{path}"


def judged(market: str, text: str) -> Certificate:
    return audit(Subject(Submission("sql", sql_code=text, source="study"), market), CATALOG, CONTRACT)


@pytest.mark.parametrize("sql", VALID.values(), ids=VALID)
def test_a_valid_program_passes(market: str, sql: str) -> None:
    found = judged(market, sql)
    assert found.verdict is Verdict.PASS, certificate_text(found)


@pytest.mark.parametrize(("sql", "requirement"), LEAKING.values(), ids=LEAKING)
def test_a_leak_is_found(market: str, sql: str, requirement: Requirement) -> None:
    found = judged(market, sql)
    assert found.verdict is Verdict.FAIL, certificate_text(found)
    assert requirement in {witness.requirement for witness in found.witnesses}, certificate_text(found)


@pytest.mark.jail
@pytest.mark.parametrize("check", ["assert len(frame) <= 40", "if len(frame) > 40: raise ValueError"])
def test_a_program_that_ends_without_a_word_has_crashed(market: str, check: str) -> None:
    """The check holds for the data as they are; a version more breaks it, which is evidence of nothing."""
    code = (
        "from db_connector import query_to_dataframe\n"
        f'frame = query_to_dataframe("SELECT * FROM result WHERE PUBLISHED <= {TODAY}")\n{check}\n'
        "last = frame.sort_values(['PUBLISHED', 'REVISION'])\n"
        "result = last.drop_duplicates(['FIRM', 'PERIOD'], keep='last')[['FIRM', 'PERIOD', 'EPS']]\n"
    )
    found = audit(Subject(Submission("python", python_code=code, source="study"), market), CATALOG, CONTRACT)
    assert found.verdict is Verdict.UNKNOWN, certificate_text(found)
    assert [str(reason) for reason in found.reasons] == ["crashes"], certificate_text(found)
