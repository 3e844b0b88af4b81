"""A small vendor's database with its catalog: reports in versions, alerts with late ends, industries with a flag."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from finassay.audit import Certificate, Subject, audit
from finassay.execution import Submission
from finassay.temporal import Catalog, Contract, parse_catalog, parse_contract

CATALOG = """
catalog: small
format: 1
version: 1.0.0
tables:
  report:
    kind: report
    row_id: [ID]
    key: [FIRM, PERIOD]
    availability: {column: PUBLISHED}
    versions: {per: [FIRM, PERIOD], order: [PUBLISHED, ID]}
    dependencies: [{order: [PERIOD, PUBLISHED]}]
    columns:
      ID: {role: key, max_null: 0}
      FIRM: key
      PERIOD: period_end
      PUBLISHED: disclosure
      PROFIT: payload
      TOUCHED: updated
  alert:
    kind: state
    row_id: [ID]
    key: [FIRM, STARTS]
    availability: {column: ANNOUNCED}
    valid: {from: STARTS, to: ENDS, end_known: {column: END_ANNOUNCED}}
    dependencies: [{together: [ENDS, END_ANNOUNCED]}]
    columns:
      ID: {role: key, max_null: 0}
      FIRM: key
      ANNOUNCED: disclosure
      STARTS: effective_from
      ENDS: effective_to
      END_ANNOUNCED: disclosure
  industry:
    kind: state
    row_id: [ID]
    key: [FIRM, STARTS]
    availability: {column: STARTS}
    valid: {from: STARTS, to: ENDS}
    versions: {per: [FIRM], order: [STARTS, ID]}
    disjoint: {per: [FIRM]}
    dependencies: [{flag: NOW, while_open: [1]}]
    columns:
      ID: {role: key, max_null: 0}
      FIRM: key
      STARTS: disclosure
      ENDS: effective_to
      NAME: payload
      NOW: {role: current_state, codes: {"1": {en: "yes"}, "2": {en: "no"}}}
  price:
    kind: series
    key: [FIRM, DAY]
    availability: {column: DAY}
    columns: {FIRM: key, DAY: market_date, CLOSE: payload}
  hearsay:
    kind: event
    row_id: [ID]
    availability: {proxy: RECORDED}
    columns: {ID: key, FIRM: key, RECORDED: recorded, MOOD: payload}
"""


TABLES = """
CREATE TABLE report (
  ID BIGINT, FIRM INTEGER, PERIOD DATE, PUBLISHED DATE, PROFIT DECIMAL(12,2), TOUCHED TIMESTAMP);
INSERT INTO report
  SELECT 100 + f, f, DATE '2024-03-31', DATE '2024-04-20', 10 * f + 1, TIMESTAMP '2025-01-01' FROM range(20) t(f);
INSERT INTO report
  SELECT 200 + f, f, DATE '2024-03-31', CASE WHEN f < 5 THEN DATE '2024-05-20' ELSE DATE '2024-07-20' END,
    10 * f + 3, TIMESTAMP '2025-01-01' FROM range(10) t(f);
INSERT INTO report
  SELECT 300 + f, f, DATE '2024-06-30', CASE WHEN f < 10 THEN DATE '2024-06-30' ELSE DATE '2024-08-15' END,
    25 * f + 7, TIMESTAMP '2025-01-01' FROM range(20) t(f);
CREATE TABLE alert (ID BIGINT, FIRM INTEGER, ANNOUNCED DATE, STARTS DATE, ENDS DATE, END_ANNOUNCED DATE);
INSERT INTO alert
  SELECT f, f,
    CASE WHEN f < 10 THEN DATE '2024-02-01' ELSE DATE '2024-07-01' END,
    CASE WHEN f < 10 THEN DATE '2024-02-05' ELSE DATE '2024-06-20' END,
    CASE WHEN f < 5 THEN DATE '2024-05-01' WHEN f < 8 THEN DATE '2024-09-01' END,
    CASE WHEN f < 5 THEN DATE '2024-04-28' WHEN f < 8 THEN DATE '2024-08-28' END
  FROM range(15) t(f);
CREATE TABLE industry (ID BIGINT, FIRM INTEGER, STARTS DATE, ENDS DATE, NAME VARCHAR, NOW INTEGER);
INSERT INTO industry
  SELECT f, f, DATE '2020-01-01', CASE WHEN f < 4 THEN DATE '2024-03-01' WHEN f < 8 THEN DATE '2024-08-01' END,
    ['bank', 'steel', 'food', 'power'][1 + f % 4], CASE WHEN f < 8 THEN 2 ELSE 1 END
  FROM range(20) t(f);
INSERT INTO industry
  SELECT 50 + f, f, CASE WHEN f < 4 THEN DATE '2024-03-01' ELSE DATE '2024-08-01' END, NULL,
    ['steel', 'food', 'power', 'bank'][1 + f % 4], 1
  FROM range(8) t(f);
CREATE TABLE price AS
  SELECT f::INTEGER AS FIRM, DATE '2024-06-24' + d::INTEGER AS DAY, (10 + f + d / 4)::DOUBLE AS CLOSE
  FROM range(20) t(f), range(12) u(d);
CREATE TABLE hearsay AS
  SELECT f AS ID, f::INTEGER AS FIRM, DATE '2024-06-25' + f::INTEGER AS RECORDED, f AS MOOD FROM range(20) t(f);
CREATE TABLE stranger AS SELECT 1 AS X
"""


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return parse_catalog(CATALOG)


@pytest.fixture(scope="session")
def market(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Twenty firms. The as-of date of the tests is 2024-06-30: every table has rows on both sides of it.

    Of the reports on the second quarter 0 to 9 were out by then. Firms 0 to 4 restated the first quarter in May, 5 to 9
    in July. Alerts 0 to 9 were announced in time, and those of 0 to 4 ended in time. Firms 0 to 3 changed their
    industry in March, 4 to 7 will in August.
    """
    path = tmp_path_factory.mktemp("market") / "small.duckdb"
    with duckdb.connect(str(path)) as db:
        for statement in TABLES.split(";"):
            db.execute(statement)
    return f"duckdb:///{path}"


@pytest.fixture(scope="session")
def contract() -> Contract:
    return parse_contract("contract: test\nas_of: {date: 2024-06-30}\n")


@pytest.fixture(scope="session")
def audited(market: str, catalog: Catalog) -> Callable[..., Certificate]:
    """Audit a statement, or Python, under a contract at 2024-06-30 with further lines."""

    def run(
        sql: str | None = None, *, python: str | None = None, contract: str = "", **subject: Any
    ) -> Certificate:
        task = parse_contract(f"contract: test\nas_of: {{date: 2024-06-30}}\n{contract}")
        mode = "sql" if python is None else "python"
        submission = Submission(mode, sql_code=sql, python_code=python, source="study")  # type: ignore[arg-type]
        return audit(Subject(submission, market, **subject), catalog, task)

    return run
