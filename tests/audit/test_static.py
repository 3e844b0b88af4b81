"""What the text of a statement shows: violations with their obligation, and nothing against valid statements."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import jsonschema
import pyarrow as pa
import pytest
from tests.audit.conftest import CATALOG
from tests.audit.test_audit import ALERTED, LATEST, MEAN, OPEN, SECTOR
from tests.audit.test_audit import VALID as AUDITED_VALID
from tests.audit.test_audit import VIOLATIONS as AUDITED_VIOLATIONS
from typer.testing import CliRunner

from finassay.audit import Certificate, Obligation, Verdict, certificate_text, static_obligations
from finassay.cli import app
from finassay.database import ColumnInfo, Dialect, TableInfo, resolve_table, selected_view
from finassay.execution import Submission
from finassay.temporal import (
    DATE_ROLES,
    AvailabilityUnknown,
    Boundary,
    Catalog,
    Cutoff,
    load_catalog,
    parse_catalog,
    parse_contract,
    shipped_catalogs,
)

# A second vendor: dates as whole numbers, months as text, open ends far away, a list that counts as a whole
FURTHER = """
  holder:
    kind: report
    key: [FIRM, PERIOD, RANK]
    availability: {column: PUBLISHED}
    versions: {per: [FIRM, PERIOD], order: [PUBLISHED], unique: [FIRM, PERIOD, PUBLISHED, RANK]}
    columns: {FIRM: key, PERIOD: period_end, PUBLISHED: disclosure, RANK: payload, NAME: presentation, SHARE: payload}
  listing:
    kind: entity
    key: [FIRM]
    availability: {column: LISTED, ahead: true}
    columns: {FIRM: key, CODE: key, NAME: presentation, LISTED: effective_from, STATE: current_state}
  member:
    kind: state
    key: [INDEX, FIRM, SINCE]
    availability: {column: SINCE, ahead: true}
    valid: {from: SINCE, to: UNTIL, open: [99991231]}
    columns:
      INDEX: key
      FIRM: key
      SINCE: {role: effective_from, format: integer_date}
      UNTIL: {role: effective_to, format: integer_date, max_null: 0}
  macro:
    kind: series
    availability: {column: MONTH, lag_days: 20}
    columns: {MONTH: {role: period_end, format: text_month}, VALUE: payload}
  holiday:
    kind: series
    availability: {always: true}
    columns: {DAY: market_date, OPEN: payload}
"""


@pytest.fixture(scope="module")
def known() -> Catalog:
    return parse_catalog(CATALOG + FURTHER)


def obligations(
    known: Catalog, sql: str, dialect: str | None = None, contract: str = "", boundary: str = "eod"
) -> list[Obligation]:
    text = f"contract: t\nas_of: {{date: 2024-06-30, boundary: {boundary}}}\n{contract}"
    submission = Submission("sql", sql_code=sql, source="x")
    return static_obligations(submission, known, parse_contract(text), dialect)  # type: ignore[arg-type]


# Under the headings: what a lexical checker flags, or an incautious scope analysis
VALID = {
    **AUDITED_VALID,
    "before the next day": "SELECT CLOSE FROM price WHERE DAY < '2024-07-01'",
    "the next day worked out": "SELECT CLOSE FROM price WHERE DAY < DATE '2024-06-30' + INTERVAL 1 DAY",
    "the last second": "SELECT CLOSE FROM price WHERE DAY <= TIMESTAMP '2024-06-30 23:59:59'",
    "between": "SELECT CLOSE FROM price WHERE DAY BETWEEN '2024-01-01' AND '2024-06-30'",
    "not after": "SELECT CLOSE FROM price WHERE NOT (DAY > '2024-06-30')",
    "not out of a range": "SELECT CLOSE FROM price WHERE NOT (DAY < '2024-01-01' OR DAY > '2024-06-30')",
    "sides exchanged": "SELECT CLOSE FROM price WHERE '2024-06-30' >= DAY",
    "days by name": "SELECT CLOSE FROM price WHERE DAY IN ('2024-06-28', '2024-06-27')",
    "one day": "SELECT CLOSE FROM price WHERE DAY = '2024-06-28'",
    "cast to a date": "SELECT CLOSE FROM price WHERE CAST(DAY AS DATE) <= DATE '2024-06-30'",
    "by year": "SELECT CLOSE FROM price WHERE YEAR(DAY) <= 2023",
    "as text": "SELECT CLOSE FROM price WHERE DATE_FORMAT(DAY, '%Y%m%d') <= '20240630'",
    "by month": "SELECT CLOSE FROM price WHERE DATE_TRUNC('month', DAY) <= DATE '2024-06-01'",
    "by a pattern": "SELECT CLOSE FROM price WHERE CAST(DAY AS VARCHAR) LIKE '2024-05-%'",
    "two ranges": (
        "SELECT CLOSE FROM price WHERE DAY BETWEEN '2024-01-01' AND '2024-01-31' OR DAY "
        "BETWEEN '2024-05-01' AND '2024-05-31'"
    ),
    "days between": "SELECT CLOSE FROM price WHERE DATEDIFF('2024-06-30', DAY) >= 0",
    "null or later is out": "SELECT CLOSE FROM price WHERE IF(DAY IS NULL, 1, DAY > '2024-06-30') = 0",
    "a parameter expression": (
        "WITH p AS (SELECT DATE '2024-06-30' AS d) SELECT CLOSE FROM price, p WHERE DAY <= p.d"
    ),
    "a parameter, cross joined": (
        "WITH p AS (SELECT '2024-06-30' AS d) SELECT CLOSE FROM price CROSS JOIN p WHERE DAY "
        "< DATE_ADD(p.d, INTERVAL 1 DAY)"
    ),
    "a parameter in a subquery": (
        "WITH p AS (SELECT DATE '2024-06-30' AS d) SELECT CLOSE FROM price WHERE DAY <= (SELECT d FROM p)"
    ),
    "parameters of parameters": (
        "WITH p AS (SELECT DATE '2024-06-01' AS a), q AS (SELECT a + INTERVAL 29 DAY AS d "
        "FROM p) SELECT CLOSE FROM price, q WHERE DAY <= q.d"
    ),
    "values": (
        "SELECT CLOSE FROM price JOIN (VALUES (DATE '2024-05-31'), (DATE '2024-06-28')) AS "
        "v(d) ON price.DAY = v.d"
    ),
    "a variable": "SET @d = '2024-06-30'; SELECT CLOSE FROM price WHERE DAY <= @d",
    "the last day of a known series": (
        "SELECT FIRM, CLOSE FROM price WHERE DAY = (SELECT MAX(DAY) FROM price WHERE DAY <= '2024-06-30')"
    ),
    "its last day by firm": (
        "SELECT p.FIRM, CLOSE FROM price p JOIN (SELECT FIRM, MAX(DAY) AS last FROM price "
        "WHERE DAY <= '2024-06-30' GROUP BY FIRM) m ON p.FIRM = m.FIRM AND p.DAY = m.last"
    ),
    "its last day as a pair": (
        "SELECT FIRM, CLOSE FROM price WHERE (FIRM, DAY) IN (SELECT FIRM, MAX(DAY) FROM price "
        "WHERE DAY <= '2024-06-30' GROUP BY FIRM)"
    ),
    "its last day, correlated": (
        "SELECT FIRM, CLOSE FROM price p WHERE DAY = (SELECT MAX(q.DAY) FROM price q WHERE "
        "q.FIRM = p.FIRM AND q.DAY < '2024-07-01')"
    ),
    "days of a bounded calendar": (
        "SELECT CLOSE FROM price JOIN holiday h ON price.DAY = h.DAY WHERE h.DAY <= "
        "'2024-06-30' AND h.OPEN = 1"
    ),
    "days in a bounded calendar": (
        "SELECT CLOSE FROM price WHERE DAY IN (SELECT DAY FROM holiday WHERE DAY <= '2024-06-30')"
    ),
    "days that exist in a bounded calendar": (
        "SELECT CLOSE FROM price p WHERE EXISTS (SELECT 1 FROM holiday h WHERE h.DAY = p.DAY "
        "AND h.DAY <= '2024-06-30')"
    ),
    "rows by number": (
        "SELECT r.FIRM, r.PROFIT FROM report r JOIN (SELECT MAX(ID) AS ID FROM report WHERE "
        "PUBLISHED <= '2024-06-30' GROUP BY FIRM) l ON r.ID = l.ID"
    ),
    "bounded outside a plain subquery": (
        "SELECT FIRM FROM (SELECT FIRM, DAY, CLOSE FROM price) x WHERE x.DAY <= '2024-06-30'"
    ),
    "bounded outside a chain of expressions": (
        "WITH a AS (SELECT * FROM price), b AS (SELECT FIRM, DAY AS d, CLOSE FROM a) SELECT "
        "FIRM FROM b WHERE d <= '2024-06-30'"
    ),
    "bounded outside a trailing window": (
        "SELECT FIRM, m FROM (SELECT FIRM, DAY, AVG(CLOSE) OVER (PARTITION BY FIRM ORDER BY "
        "DAY ROWS BETWEEN 19 PRECEDING AND CURRENT ROW) AS m FROM price) x WHERE DAY = "
        "'2024-06-28'"
    ),
    "bounded outside a lag": (
        "SELECT FIRM, CLOSE / before - 1 FROM (SELECT FIRM, DAY, CLOSE, LAG(CLOSE) OVER "
        "(PARTITION BY FIRM ORDER BY DAY) AS before FROM price) x WHERE DAY <= '2024-06-30'"
    ),
    "bounded outside a cross-section": (
        "SELECT FIRM FROM (SELECT FIRM, DAY, RANK() OVER (PARTITION BY DAY ORDER BY CLOSE "
        "DESC) AS n FROM price) x WHERE n <= 10 AND DAY = '2024-06-28'"
    ),
    "bounded after grouping by the day": (
        "SELECT DAY, AVG(CLOSE) FROM price GROUP BY DAY HAVING DAY <= '2024-06-30'"
    ),
    "a conditional sum": (
        "SELECT FIRM, SUM(CASE WHEN DAY <= '2024-06-30' THEN CLOSE END) FROM price GROUP BY FIRM"
    ),
    "a filtered sum": "SELECT FIRM, AVG(CLOSE) FILTER (WHERE DAY <= '2024-06-30') FROM price GROUP BY FIRM",
    "the first day of a series": "SELECT FIRM, MIN(DAY) FROM price GROUP BY FIRM",
    "asof": (
        "SELECT p.FIRM, r.PROFIT FROM price p ASOF JOIN report r ON p.FIRM = r.FIRM AND p.DAY "
        ">= r.PUBLISHED WHERE p.DAY = DATE '2024-06-28'"
    ),
    "reports before each day": (
        "SELECT p.FIRM, (SELECT r.PROFIT FROM report r WHERE r.FIRM = p.FIRM AND r.PUBLISHED "
        "<= p.DAY ORDER BY r.PUBLISHED DESC LIMIT 1) FROM price p WHERE p.DAY <= '2024-06-30'"
    ),
    "a lateral join": (
        "SELECT p.FIRM, l.PROFIT FROM price p JOIN LATERAL (SELECT PROFIT FROM report r WHERE "
        "r.FIRM = p.FIRM AND r.PUBLISHED <= p.DAY ORDER BY r.PUBLISHED DESC LIMIT 1) l ON "
        "TRUE WHERE p.DAY = '2024-06-28'"
    ),
    "bounded where it is joined": (
        "SELECT l.NAME, r.PROFIT FROM listing l LEFT JOIN report r ON r.FIRM = l.FIRM AND "
        "r.PUBLISHED <= '2024-06-30'"
    ),
    "a list of names": (
        "SELECT l.NAME, p.CLOSE FROM listing l JOIN price p ON p.FIRM = l.FIRM WHERE p.DAY = '2024-06-28'"
    ),
    "a name": "SELECT NAME FROM listing WHERE CODE = '600000'",
    "distinct on": (
        "SELECT DISTINCT ON (FIRM) FIRM, PROFIT FROM report WHERE PUBLISHED <= DATE "
        "'2024-06-30' ORDER BY FIRM, PUBLISHED DESC, ID DESC"
    ),
    "qualify": (
        "SELECT FIRM, PROFIT FROM report WHERE PUBLISHED < DATE '2024-07-01' QUALIFY "
        "ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY PUBLISHED DESC, ID DESC) = 1"
    ),
    "arg max": (
        "SELECT FIRM, ARG_MAX(PROFIT, PUBLISHED) FROM report WHERE PUBLISHED <= DATE "
        "'2024-06-30' GROUP BY FIRM"
    ),
    "ends replaced by a day far away": (
        "SELECT FIRM, NAME FROM industry WHERE STARTS <= '2024-06-30' AND COALESCE(ENDS, "
        "'9999-12-31') > '2024-06-30'"
    ),
    "ends, denied": (
        "SELECT FIRM, NAME FROM industry WHERE STARTS <= '2024-06-30' AND NOT COALESCE(ENDS "
        "<= '2024-06-30', FALSE)"
    ),
    "ends by a case": (
        "SELECT FIRM FROM industry WHERE STARTS <= '2024-06-30' AND CASE WHEN ENDS IS NULL "
        "THEN 1 WHEN ENDS > '2024-06-30' THEN 1 ELSE 0 END = 1"
    ),
    "ends by two branches": (
        "SELECT FIRM FROM industry WHERE STARTS <= '2024-06-30' AND ENDS IS NULL UNION ALL "
        "SELECT FIRM FROM industry WHERE STARTS <= '2024-06-30' AND ENDS > '2024-06-30'"
    ),
    "those that ended": (
        "SELECT FIRM, ENDS FROM industry WHERE STARTS <= '2024-06-30' AND ENDS <= '2024-06-30'"
    ),
    "no alert, by an outer join": (
        "SELECT r.FIRM FROM report r LEFT JOIN alert a ON a.FIRM = r.FIRM AND a.ANNOUNCED <= "
        "'2024-06-30' AND a.ENDS <= '2024-06-30' WHERE r.PUBLISHED <= '2024-06-30' AND a.ENDS "
        "IS NULL"
    ),
    "open ends far away": "SELECT FIRM FROM member WHERE SINCE <= 20240630 AND UNTIL > 20240630",
    "months": "SELECT VALUE FROM macro WHERE MONTH <= '2024-05'",
    "months, strictly": "SELECT VALUE FROM macro WHERE MONTH < '2024-06'",
    "today's flag that excludes nothing": (
        "SELECT FIRM FROM industry WHERE NOW IN (1, 2) AND STARTS <= '2024-06-30' AND (ENDS "
        "IS NULL OR ENDS > '2024-06-30')"
    ),
    "today's flag in an unused column": (
        "SELECT FIRM, NAME FROM (SELECT * FROM industry) i WHERE STARTS <= '2024-06-30' AND "
        "(ENDS IS NULL OR ENDS > '2024-06-30')"
    ),
    "an unused expression": (
        "WITH every AS (SELECT * FROM price) SELECT CLOSE FROM price WHERE DAY <= '2024-06-30'"
    ),
    "ties broken by the last touch": LATEST.replace("ID DESC", "TOUCHED DESC"),
    "a bound besides the clock": "SELECT CLOSE FROM price WHERE DAY <= '2024-06-30' AND DAY <= CURRENT_DATE",
    "a stamp": "SELECT NOW() AS made, CLOSE FROM price WHERE DAY <= '2024-06-30'",
    "words that look like the clock": (
        "SELECT 'now()' AS today FROM price WHERE DAY <= '2024-06-30' -- CURRENT_DATE"
    ),
    "the parts of a list": (
        "SELECT FIRM, NAME FROM (SELECT *, RANK() OVER (PARTITION BY FIRM ORDER BY PUBLISHED "
        "DESC) n FROM holder WHERE PERIOD = '2024-03-31' AND RANK = 1 AND PUBLISHED <= "
        "'2024-06-30') x WHERE n = 1"
    ),
    "a value tested after the ranking": LATEST + " AND PROFIT = 31",
    "a view": "CREATE VIEW v AS SELECT * FROM price WHERE DAY <= '2024-06-30'; SELECT FIRM, CLOSE FROM v",
    "an unknown table of days": "SELECT CLOSE FROM price JOIN my_days d ON price.DAY = d.day",
    "a marker": "SELECT CLOSE FROM price WHERE DAY <= ?",
    "a recursion": (
        "WITH RECURSIVE d AS (SELECT DATE '2024-01-31' AS day UNION ALL SELECT day + INTERVAL "
        "1 MONTH FROM d WHERE day < DATE '2024-05-31') SELECT CLOSE FROM price JOIN d ON "
        "price.DAY = d.day"
    ),
    "another schema's name": "SELECT p.CLOSE FROM jydb.price AS p WHERE p.DAY <= '2024-06-30'",
    "using": (
        "SELECT r.FIRM, CLOSE FROM report r JOIN price USING (FIRM) WHERE PUBLISHED <= "
        "'2024-06-30' AND DAY <= '2024-06-30'"
    ),
    "a pair before another": "SELECT CLOSE FROM price WHERE (DAY, FIRM) <= ('2024-06-30', 3)",
    "an age": "SELECT CLOSE FROM price WHERE AGE(TIMESTAMP '2024-06-30', DAY) >= INTERVAL '0'",
    "the first report there ever was": "SELECT FIRM FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY FIRM "
    "ORDER BY PUBLISHED) AS n FROM report WHERE PUBLISHED <= '2024-06-30') x WHERE n = 1",
    "no earlier day": "SELECT a.FIRM FROM price a, price b WHERE a.DAY = '2024-06-28' AND b.DAY < a.DAY",
    "a flag that is there": OPEN + " AND NOW IS NOT NULL",
    "a column of an unknown table": "SELECT * FROM (SELECT g, SUM(n) AS s FROM t GROUP BY g) r ORDER BY s, g",
    "a column that the catalog lacks": "SELECT b FROM (SELECT b FROM report WHERE PUBLISHED <= '2024-06-30') q",
    "no table": "SELECT 1",
}


@pytest.mark.parametrize("sql", VALID.values(), ids=VALID)
def test_a_valid_statement_has_no_violated_obligation(known: Catalog, sql: str) -> None:
    assert [one for one in obligations(known, sql) if one.status == "violated"] == []


PLAIN = (
    *AUDITED_VALID,
    "before the next day",
    "a parameter expression",
    "the last day of a known series",
    "asof",
)


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_statement_discharges_every_obligation(known: Catalog, name: str) -> None:
    open_ = [one for one in obligations(known, VALID[name]) if one.status != "discharged"]
    assert [one for one in open_ if one.rule != "version"] == []


FAR = "A1 availability price"
LATE = "A1 availability report"
VIOLATIONS = {
    "no bound": ("SELECT CLOSE FROM price", FAR),
    "a lower bound alone": ("SELECT CLOSE FROM price WHERE DAY >= '2024-01-01'", FAR),
    "the next day": ("SELECT CLOSE FROM price WHERE DAY <= '2024-07-01'", FAR),
    "the next day worked out": (
        "SELECT CLOSE FROM price WHERE DAY <= DATE '2024-06-30' + INTERVAL 1 DAY",
        FAR,
    ),
    "before the day after": (
        "SELECT CLOSE FROM price WHERE DAY < DATE_ADD('2024-06-30', INTERVAL 2 DAY)",
        FAR,
    ),
    "a year too far": ("SELECT CLOSE FROM price WHERE DAY BETWEEN '2024-01-01' AND '2024-12-31'", FAR),
    "the whole year": ("SELECT CLOSE FROM price WHERE YEAR(DAY) = 2024", FAR),
    "a day that is yet to come": ("SELECT CLOSE FROM price WHERE DAY = '2024-07-02'", FAR),
    "one of the days": ("SELECT CLOSE FROM price WHERE DAY IN ('2024-06-28', '2024-07-01')", FAR),
    "a parameter too late": (
        "WITH p AS (SELECT DATE '2024-07-31' AS d) SELECT CLOSE FROM price, p WHERE DAY <= p.d",
        FAR,
    ),
    "a variable too late": ("SET @d = '2024-07-31'; SELECT CLOSE FROM price WHERE DAY <= @d", FAR),
    "values too late": (
        "SELECT CLOSE FROM price JOIN (VALUES (DATE '2024-06-28'), (DATE '2024-07-31')) AS v(d) ON price.DAY = v.d",
        FAR,
    ),
    "the last day there is": ("SELECT CLOSE FROM price WHERE DAY = (SELECT MAX(DAY) FROM price)", FAR),
    "the last day of each": (
        (
            "SELECT p.FIRM, CLOSE FROM price p JOIN (SELECT FIRM, MAX(DAY) AS last FROM price GROUP BY FIRM) m "
            "ON p.FIRM = m.FIRM AND p.DAY = m.last"
        ),
        FAR,
    ),
    "a calendar without a bound": (
        "SELECT CLOSE FROM price JOIN holiday h ON price.DAY = h.DAY WHERE h.OPEN = 1",
        FAR,
    ),
    "a view without a bound": ("CREATE VIEW v AS SELECT * FROM price; SELECT FIRM, CLOSE FROM v", FAR),
    "a branch without a bound": (
        "SELECT FIRM FROM price WHERE DAY <= '2024-06-30' UNION SELECT FIRM FROM price WHERE CLOSE > 9",
        FAR,
    ),
    "an average over all": ("SELECT FIRM, AVG(CLOSE) FROM price GROUP BY FIRM", FAR),
    "a bound on the other table": (
        "SELECT r.FIRM, CLOSE FROM report r JOIN price p ON p.FIRM = r.FIRM WHERE r.PUBLISHED <= '2024-06-30'",
        FAR,
    ),
    "a bound that an outer join ignores": (
        "SELECT p.CLOSE FROM price p LEFT JOIN report r ON r.FIRM = p.FIRM AND r.PUBLISHED <= '2024-06-30'",
        FAR,
    ),
    "no bound on disclosure": (LATEST.replace("AND PUBLISHED < DATE '2024-07-01'", ""), LATE),
    "the period for the disclosure": (LATEST.replace("AND PUBLISHED <", "AND PERIOD <"), LATE),
    "a later version that is not out yet": (
        VALID["the same with a subquery"].replace("AND l.PUBLISHED <= DATE '2024-06-30' AND", "AND"),
        LATE,
    ),
    "one of two copies": (
        "SELECT a.FIRM FROM report a JOIN report b ON a.FIRM = b.FIRM WHERE a.PUBLISHED <= '2024-06-30'",
        LATE,
    ),
    "ranked before the bound": (
        (
            "SELECT FIRM, PROFIT FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY PUBLISHED DESC) AS n "
            "FROM report) x WHERE n = 1 AND PUBLISHED <= '2024-06-30'"
        ),
        "A1 rank report",
    ),
    "qualified before the bound": (
        (
            "SELECT FIRM, PROFIT FROM report QUALIFY ROW_NUMBER() OVER (PARTITION BY FIRM ORDER BY PUBLISHED DESC) = 1 "
            "AND PUBLISHED <= DATE '2024-06-30'"
        ),
        "A1 rank report",
    ),
    "the first version": (LATEST.replace("DESC", "ASC"), "A3 version report"),
    "the industry tested before the ranking": (
        SECTOR.replace("WHERE STARTS", "WHERE NAME = 'bank' AND STARTS"),
        "A3 rank industry",
    ),
    "the industry tested inside": (
        SECTOR.replace("FROM industry", "FROM (SELECT * FROM industry WHERE NAME IN ('bank', 'steel')) i"),
        "A3 rank industry",
    ),
    "in force, but not announced": (
        ALERTED.replace("ANNOUNCED <= DATE '2024-06-30' AND", ""),
        "A1 availability alert",
    ),
    "alerts that are open today": (
        "SELECT FIRM FROM alert WHERE ANNOUNCED <= '2024-06-30' AND ENDS IS NULL",
        "A2 end alert",
    ),
    "industries that are open today": (
        "SELECT FIRM FROM industry WHERE STARTS <= '2024-06-30' AND ENDS IS NULL",
        "A2 end industry",
    ),
    "the same from outside": (
        "SELECT FIRM FROM (SELECT * FROM industry WHERE STARTS <= '2024-06-30') i WHERE i.ENDS IS NULL",
        "A2 end industry",
    ),
    "those that end later": (
        "SELECT FIRM FROM industry WHERE STARTS <= '2024-06-30' AND ENDS > '2024-06-30'",
        "A2 end industry",
    ),
    "that last another year": (
        OPEN.replace("ENDS > DATE '2024-06-30'", "ENDS > DATE '2025-06-30'"),
        "A2 end industry",
    ),
    "that ended on the day": (OPEN.replace("ENDS > ", "ENDS >= "), "A3 end industry"),
    "ends shown": (OPEN.replace("FIRM, NAME", "FIRM, ENDS"), "A2 end industry"),
    "today's flag": (
        "SELECT FIRM FROM industry WHERE NOW = 1 AND STARTS <= '2024-06-30'",
        "A2 current_state industry",
    ),
    "today's flag from outside": (
        "WITH i AS (SELECT * FROM industry WHERE STARTS <= '2024-06-30') SELECT FIRM FROM i WHERE i.NOW = 1",
        "A2 current_state industry",
    ),
    "today's flag, denied": (
        "SELECT FIRM FROM industry WHERE NOT (NOW = 2) AND STARTS <= '2024-06-30'",
        "A2 current_state industry",
    ),
    "today's state in a join": (
        "SELECT CLOSE FROM price p JOIN listing l ON l.FIRM = p.FIRM AND STATE IN (1, 3) WHERE DAY = '2024-06-28'",
        "A2 current_state listing",
    ),
    "today's state shown": (
        "SELECT p.CLOSE, l.STATE FROM price p JOIN listing l ON l.FIRM = p.FIRM WHERE p.DAY = '2024-06-28'",
        "A2 current_state listing",
    ),
    "everything shown": ("SELECT * FROM industry WHERE STARTS <= '2024-06-30'", "A2 current_state industry"),
    "the last touch shown": (
        "SELECT FIRM, MAX(TOUCHED) AS t FROM report WHERE PUBLISHED < '2024-07-01' GROUP BY 1",
        "A2 current_state report",
    ),
    "ranked by the last touch": (LATEST.replace("PUBLISHED DESC", "TOUCHED DESC"), "A2 current_state report"),
    "bounded by the last touch": (
        "SELECT FIRM FROM report WHERE PUBLISHED <= '2024-06-30' AND TOUCHED <= '2024-06-30'",
        "A2 current_state report",
    ),
    "the clock": ("SELECT CLOSE FROM price WHERE DAY <= CURRENT_DATE", "A1 clock "),
    "the clock of MySQL": (
        "SELECT CLOSE FROM price WHERE DAY > DATE_SUB(CURDATE(), INTERVAL 30 DAY)",
        "A1 clock ",
    ),
    "the clock as a parameter": (
        "WITH p AS (SELECT NOW() AS d) SELECT CLOSE FROM price, p WHERE DAY <= p.d",
        "A1 clock ",
    ),
    "months too late": ("SELECT VALUE FROM macro WHERE MONTH <= '2024-07'", "A1 availability macro"),
    "members, too late": (
        "SELECT FIRM FROM member WHERE SINCE <= 20240701 AND UNTIL > 20240630",
        "A1 availability member",
    ),
    "a quarter's worth of rows": (
        MEAN.replace("WHERE DAY <= DATE '2024-06-30'", "WHERE DAY > DATE '2024-03-31'"),
        FAR,
    ),
}


@pytest.mark.parametrize(("sql", "expected"), VIOLATIONS.values(), ids=VIOLATIONS)
def test_a_violation_is_found_with_its_obligation(known: Catalog, sql: str, expected: str) -> None:
    found = obligations(known, sql)
    assert expected in {f"{o.requirement} {o.rule} {o.table}" for o in found if o.status == "violated"}, found


MYSQL = {
    "SELECT CLOSE FROM price WHERE DAY < '2024-06-30' + INTERVAL 1 DAY": "discharged",
    "SELECT CLOSE FROM price WHERE DATE(DAY) <= STR_TO_DATE('2024-06-30', '%Y-%m-%d')": "discharged",
    "SELECT CLOSE FROM price WHERE DAY <= 20240630": "discharged",
    "SELECT CLOSE FROM price WHERE DAY <= LAST_DAY('2024-06-05')": "discharged",
    "SELECT CLOSE FROM price WHERE DAY <= LAST_DAY('2024-07-05')": "violated",
    "SELECT CLOSE FROM price WHERE DAY < ADDDATE('2024-06-30', 3)": "violated",
}
POSTGRES = {
    "SELECT close FROM price WHERE day < DATE '2024-06-30' + 1": "discharged",
    "SELECT close FROM price WHERE day::date <= '2024-06-30'::date": "discharged",
    "SELECT close FROM price WHERE day <= to_date('20240630', 'YYYYMMDD')": "discharged",
    "SELECT close FROM price WHERE day < TIMESTAMP '2024-06-30' + INTERVAL '1 day'": "discharged",
    "SELECT close FROM price WHERE EXTRACT(YEAR FROM day) <= 2023": "discharged",
    "SELECT close FROM price WHERE day <= make_date(2024, 12, 31)": "violated",
    "SELECT close FROM price WHERE day < DATE '2024-06-30' + 2": "violated",
}
DUCKDB = {
    "SELECT CLOSE FROM price WHERE DAY <= DATE '2024-06-01' + 29": "discharged",
    "SELECT CLOSE FROM price WHERE strftime(DAY, '%Y-%m') <= '2024-06'": "discharged",
    "FROM price SELECT CLOSE WHERE DAY <= DATE '2024-06-30'": "discharged",
    "SELECT CLOSE FROM price WHERE strftime(DAY, '%Y-%m') <= '2024-07'": "violated",
    "SELECT CLOSE FROM price WHERE DAY <= DATE '2024-06-30' + 1": "violated",
}
DIALECTS = [
    (dialect, sql, status)
    for dialect, cases in (("mysql", MYSQL), ("postgres", POSTGRES), ("duckdb", DUCKDB))
    for sql, status in cases.items()
]


@pytest.mark.parametrize(("dialect", "sql", "status"), DIALECTS)
def test_dates_are_worked_out_in_every_dialect(known: Catalog, dialect: str, sql: str, status: str) -> None:
    assert [one.status for one in obligations(known, sql, dialect)] == [status]


@pytest.mark.parametrize(
    ("bound", "eod", "pre"),
    [
        ("DAY <= '2024-06-29'", "discharged", "discharged"),
        ("DAY < '2024-06-30'", "discharged", "discharged"),
        ("DAY <= '2024-06-30'", "discharged", "violated"),  # before the open, the day itself is unknown
        ("DAY < '2024-07-01'", "discharged", "violated"),
        ("DAY <= '2024-07-01'", "violated", "violated"),
    ],
)
def test_the_boundary_counts(known: Catalog, bound: str, eod: str, pre: str) -> None:
    sql = f"SELECT CLOSE FROM price WHERE {bound}"
    assert [one.status for one in obligations(known, sql)] == [eod]
    assert [one.status for one in obligations(known, sql, boundary="pre")] == [pre]


def test_a_lag_is_added(known: Catalog) -> None:
    # The last day of May and 20 days are 20 June; those of June are 20 July
    may, june = (f"SELECT VALUE FROM macro WHERE MONTH <= '2024-{month}'" for month in ("05", "06"))
    assert [one.status for one in obligations(known, may)] == ["discharged"]
    assert [one.status for one in obligations(known, june)] == ["violated"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT CLOSE FROM price WHERE FIRM = 3 OR DAY <= '2024-06-30'",
        "SELECT CLOSE FROM price WHERE my_function(DAY)",
        "SELECT CLOSE FROM price WHERE DAY <= (SELECT MAX(day) FROM settings)",
        "SELECT CLOSE FROM price WHERE DAY <= :as_of",
        "SELECT FIRM FROM (SELECT FIRM, MAX(DAY) AS d FROM price GROUP BY FIRM) x WHERE d <= '2024-06-30'",
        "SELECT X FROM stranger",
        "SELECT MOOD FROM hearsay",
        "SELECT CLOSE FROM price WHERE DAY IS NULL OR DAY <= '2024-06-30'",
        "PIVOT stranger ON FIRM USING SUM(CLOSE)",
        "SELECT FROM WHERE (",
    ],
)
def test_what_cannot_be_told_is_open(known: Catalog, sql: str) -> None:
    assert {one.status for one in obligations(known, sql, "duckdb")} == {"open"}


def test_an_obligation_says_where_and_why(known: Catalog) -> None:
    sql = "SELECT FIRM\nFROM industry i\nWHERE STARTS <= '2024-06-30'\n  AND i.NOW = 1"
    (one,) = [o for o in obligations(known, sql) if o.status == "violated"]
    # i.NOW begins in the seventh column of the fourth line
    assert (one.table, one.line, one.column, one.text) == ("industry", 4, 7, "i.NOW = 1")
    assert one.why == "NOW is tested; it says how things stand today."


def test_later_outcomes_are_allowed_where_the_contract_has_labels(known: Catalog) -> None:
    sql = "SELECT FIRM, CLOSE AS later FROM price WHERE DAY = '2024-07-05'"
    assert [one.status for one in obligations(known, sql)] == ["violated"]
    assert [one.status for one in obligations(known, sql, contract="labels: [later]")] == ["open"]


def test_history_may_be_used_where_the_contract_says_so(known: Catalog) -> None:
    first = LATEST.replace("DESC", "ASC")
    assert "violated" in {one.status for one in obligations(known, first)}
    assert {one.status for one in obligations(known, first, contract="history: [report]")} == {"discharged"}
    assert {one.status for one in obligations(known, first, contract="version: first")} == {"discharged"}


def test_a_recording_time_bounds_where_it_is_allowed(known: Catalog) -> None:
    sql = "SELECT MOOD FROM hearsay WHERE RECORDED <= '2024-06-30'"
    allowed = "recording_proxies: [hearsay.RECORDED]"
    assert {one.status for one in obligations(known, sql)} == {"open"}
    assert [one.status for one in obligations(known, sql, contract=allowed)] == ["discharged"]


def test_a_required_source_that_is_not_read_is_open(known: Catalog) -> None:
    found = obligations(known, MEAN, contract="sources: [alert, price]")
    assert [(one.table, one.rule, one.status) for one in found if one.rule == "source"] == [
        ("alert", "source", "open")
    ]


PYTHON = """
from db_connector import query_to_dataframe
from datetime import date
AS_OF = "2024-06-30"
d = query_to_dataframe("SELECT * FROM report")
p = query_to_dataframe(f\"\"\"
    SELECT FIRM, CLOSE FROM price
    WHERE DAY <= '{AS_OF}'
\"\"\")
"""


def python(known: Catalog, source: str) -> list[Obligation]:
    contract = parse_contract("contract: t\nas_of: {date: 2024-06-30}\n")
    return static_obligations(Submission("python", python_code=source, source="x"), known, contract)


def test_python_may_leave_out_later_what_its_statements_take(known: Catalog) -> None:
    found = {(one.table, one.rule): one for one in python(known, PYTHON)}
    assert found["report", "availability"].status == "open"
    assert found["price", "availability"].status == "discharged"
    assert found["price", "availability"].line == 8  # the line of the file, not of the statement
    assert "violated" not in {one.status for one in found.values()}


def test_python_cannot_take_back_a_test_of_todays_state(known: Catalog) -> None:
    source = PYTHON + 'query_to_dataframe("SELECT FIRM FROM industry WHERE NOW = 1")\n'
    assert [one.table for one in python(known, source) if one.status == "violated"] == ["industry"]


def test_what_python_does_itself_is_open(known: Catalog) -> None:
    source = PYTHON + "x = i[i.NOW == 1]\ny = x[x['DAY'] <= date.today()]\n"
    assert {
        (o.rule, o.status, o.line) for o in python(known, source) if o.rule in ("clock", "current_state")
    } == {
        ("current_state", "open", 10),
        ("clock", "open", 11),
    }


# --- the command


def audit_static(*arguments: str | Path) -> tuple[int, str]:
    found = CliRunner().invoke(app, ["audit", "--static", *map(str, arguments)])
    return found.exit_code, found.stdout


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {
        "catalog.yaml": CATALOG + FURTHER,
        "good.sql": MEAN,
        "bad.sql": "-- today's flag\n" + VIOLATIONS["today's flag"][0],
        "open.sql": "SELECT X FROM stranger",
        "study.py": PYTHON,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return {name: tmp_path / name for name in texts}


def test_the_command_needs_no_database_and_fails_on_a_violation_alone(files: dict[str, Path]) -> None:
    options = ("--catalog", files["catalog.yaml"], "--as-of", "2024-06-30")
    code, text = audit_static(files["good.sql"], files["open.sql"], files["study.py"], *options)
    assert code == 0
    assert "0 violated" in text
    code, text = audit_static(files["good.sql"], files["bad.sql"], *options)
    assert code == 1
    assert "bad.sql:2:33: violated A2 current_state industry: NOW = 1" in text
    assert audit_static(files["bad.sql"].parent, *options)[0] == 1  # a folder


def test_the_command_speaks_json(files: dict[str, Path]) -> None:
    code, text = audit_static(
        files["bad.sql"], "--catalog", files["catalog.yaml"], "--as-of", "2024-06-30", "--format", "json"
    )
    found = json.loads(text)
    assert (code, found["exit_code"], found["violated"]) == (1, 1, 1)
    schema = Obligation.model_json_schema()
    for one in found["files"][0]["obligations"]:
        jsonschema.validate(one, schema)


def test_the_command_says_what_it_lacks(files: dict[str, Path]) -> None:
    assert audit_static(files["good.sql"], "--catalog", files["catalog.yaml"])[0] == 2  # no date
    found = CliRunner().invoke(app, ["audit", str(files["good.sql"]), "--as-of", "2024-06-30"])
    assert found.exit_code == 2  # no database
    assert "--static" in found.stderr


def test_no_violation_is_proven_in_the_example_of_the_shipped_catalog() -> None:
    catalog = load_catalog("gildata")
    sql = """
        SELECT m.INNERCODE, m.NAME FROM mf_fundmanagernew m
        WHERE m.INFOPUBLDATE < '2024-12-25' AND m.ACCESSIONDATE <= '2024-12-24'
          AND (m.DIMISSIONDATE IS NULL OR m.DIMISSIONDATE > '2024-12-24')"""
    contract = parse_contract("contract: t\nas_of: {date: 2024-12-24}\n")
    submission = Submission("sql", sql_code=sql, source="x")
    assert {one.status for one in static_obligations(submission, catalog, contract)} == {"discharged"}
    todays = Submission("sql", sql_code=sql + " AND m.INCUMBENT = 1", source="x")
    (found,) = [o for o in static_obligations(todays, catalog, contract) if o.status == "violated"]
    assert (found.requirement, found.rule, found.table) == ("A2", "current_state", "mf_fundmanagernew")


# --- what the catalog itself calls selected, as SQL


def selections() -> Iterator[tuple[str, str, Dialect, Boundary]]:
    """Yield every second table of the shipped catalogs, in turn in each dialect and under each boundary."""
    dialects: tuple[Dialect, ...] = ("mysql", "duckdb", "postgres")
    boundaries: tuple[Boundary, ...] = ("eod", "pre")
    tables = [(name, table) for name in shipped_catalogs() for table in load_catalog(name).tables]
    for number, (name, table) in enumerate(tables[::2]):
        yield name, table, dialects[number % 3], boundaries[number // 3 % 2]


def test_the_rows_that_the_catalog_selects_are_never_accused() -> None:
    counted: Counter[str] = Counter()
    catalogs = {name: load_catalog(name) for name in shipped_catalogs()}
    for name, table, dialect, boundary in selections():
        spec = catalogs[name].tables[table]
        kinds = {"native": pa.timestamp("us"), "integer_date": pa.int64(), "integer_month": pa.int64()}
        columns = [
            ColumnInfo(
                name, "", kinds.get(c.format, pa.string()) if c.role in DATE_ROLES else pa.string(), True
            )
            for name, c in spec.columns.items()
        ]
        info = TableInfo(table, "main", tuple(columns), None)
        cutoff = Cutoff(date(2024, 12, 24), boundary)
        try:
            view = selected_view(resolve_table(catalogs[name], info), cutoff, dialect)
        except AvailabilityUnknown:
            continue
        contract = parse_contract(f"contract: t\nas_of: {{date: 2024-12-24, boundary: {boundary}}}\n")
        submission = Submission("sql", sql_code=f"SELECT COUNT(*) AS n FROM ({view}) AS x", source="x")
        found = static_obligations(submission, catalogs[name], contract, dialect)
        counted += Counter(one.status for one in found if one.rule != "version")
        assert counted.keys() == {"discharged"}, (table, dialect, boundary, found)
    assert counted["discharged"] > 50


# --- on the certificate


def test_what_no_witness_confirms_is_a_warning(audited: Callable[..., Certificate]) -> None:
    # Every report of the first quarter of 2023 would be out; there are none, so no scenario can show the missing bound
    found = audited(
        "SELECT FIRM, CLOSE FROM price WHERE DAY <= DATE '2024-06-30' AND (FIRM < 5 OR DAY IS NULL)"
    )
    assert found.verdict is Verdict.PASS
    assert {one.status for one in found.obligations} == {"discharged"}
    assert found.warnings == []
    openly = audited(
        "SELECT FIRM, AVG(CLOSE) FILTER (WHERE DAY <= DATE '2024-06-30') AS c FROM price GROUP BY FIRM "
        "HAVING COUNT(*) FILTER (WHERE DAY <= DATE '2024-06-30') > 0"
    )
    assert openly.verdict is not Verdict.FAIL
    assert [one.status for one in openly.obligations] == ["open"]
    assert len(openly.warnings) == 1
    assert "warning: A1 price" in certificate_text(openly)


def test_what_a_witness_confirms_is_none(audited: Callable[..., Certificate]) -> None:
    found = audited(VIOLATIONS["today's flag"][0].replace("'2024-06-30'", "DATE '2024-06-30'"))
    assert found.verdict is Verdict.FAIL
    assert "violated" in {one.status for one in found.obligations}
    assert not [warning for warning in found.warnings if warning.startswith("A2")]


@pytest.mark.parametrize("sql", AUDITED_VIOLATIONS.values(), ids=AUDITED_VIOLATIONS)
def test_the_text_never_accuses_of_what_the_audit_does_not_find(
    known: Catalog, sql: tuple[str, set[str]]
) -> None:
    # The codes are those that the scenarios confirm in test_audit.py
    found = {o.requirement for o in obligations(known, sql[0]) if o.status == "violated"}
    assert found <= sql[1]
