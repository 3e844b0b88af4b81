"""At the end of the data nothing is left to remove or change: what may still come is added."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import pytest

from finassay.audit import Certificate, Requirement, Subject, Verdict, audit, certificate_text
from finassay.execution import Submission
from finassay.temporal import Catalog, parse_contract

AS_OF = "DATE '2024-06-30'"
BOUND = f"DAY <= {AS_OF}"
OUT = f"PUBLISHED <= {AS_OF}"
NEWEST = (
    "SELECT FIRM, PROFIT FROM report WHERE {} QUALIFY ROW_NUMBER() OVER "
    "(PARTITION BY FIRM, PERIOD ORDER BY PUBLISHED DESC, ID DESC) = 1"
)
PERIOD = NEWEST.format(f"{OUT} AND PERIOD = (SELECT MAX(PERIOD) FROM report{{}})")
# Every firm asked for has a row on the day, so over the data as they are nothing is filled
FILLED = "SELECT FIRM, (SELECT {}(CLOSE, DAY) FROM price p WHERE p.FIRM = f.FIRM AND p.DAY {} DATE '2024-06-28') AS c "
FILLED += "FROM (SELECT FIRM FROM price WHERE DAY = DATE '2024-06-20') f"

LEAKING = {
    "largest": "SELECT FIRM, MAX(CLOSE) AS c FROM price GROUP BY FIRM",
    "count": "SELECT COUNT(*) AS n FROM price",
    "firms": "SELECT COUNT(DISTINCT FIRM) AS n FROM price",
    "case": f"SELECT FIRM, MAX(CASE WHEN {BOUND} THEN CLOSE END) AS c FROM price GROUP BY FIRM",
    "filter": f"SELECT FIRM, MAX(CLOSE) FILTER (WHERE {BOUND}) AS c FROM price GROUP BY FIRM",
    "last": "SELECT FIRM, FIRST(CLOSE ORDER BY DAY DESC) AS c FROM price GROUP BY FIRM",
    "back": FILLED.format("ARG_MIN", ">="),
    "listed": NEWEST.format(f"{OUT} AND PERIOD = DATE '2024-03-31' AND FIRM IN (SELECT FIRM FROM price)"),
    "listed, price": NEWEST.format(
        f"{OUT} AND FIRM IN (SELECT FIRM FROM price) AND PERIOD = DATE '2023-12-31'"
    ),
    "listed, report": f"SELECT DISTINCT FIRM FROM price WHERE {BOUND} AND FIRM IN (SELECT FIRM FROM report)",
    "mean": "SELECT FIRM FROM price WHERE DAY = DATE '2024-06-28' AND CLOSE > (SELECT AVG(CLOSE) FROM price)",
    "quantile": (
        "SELECT FIRM FROM price WHERE DAY = DATE '2024-06-28' "
        "AND CLOSE > (SELECT QUANTILE_CONT(CLOSE, 0.9) FROM price)"
    ),
    "period": PERIOD.format(""),
    "month": NEWEST.format("MONTH(PUBLISHED) <= 6"),
    "half": NEWEST.format("PUBLISHED <= DATE '2025-03-31'"),
}
VALID = {
    "largest": f"SELECT FIRM, MAX(CLOSE) AS c FROM price WHERE {BOUND} GROUP BY FIRM",
    "count": f"SELECT COUNT(*) AS n FROM price WHERE {BOUND}",
    "firms": f"SELECT COUNT(DISTINCT FIRM) AS n FROM price WHERE {BOUND}",
    "case": f"SELECT FIRM, MAX(CASE WHEN CLOSE > 15 THEN CLOSE END) AS c FROM price WHERE {BOUND} GROUP BY FIRM",
    "last": f"SELECT FIRM, FIRST(CLOSE ORDER BY DAY DESC) AS c FROM price WHERE {BOUND} GROUP BY FIRM",
    "mean": (
        f"SELECT FIRM FROM price WHERE DAY = DATE '2024-06-28' AND CLOSE > (SELECT AVG(CLOSE) FROM price WHERE {BOUND})"
    ),
    "back": FILLED.format("ARG_MAX", "<="),
    "period": PERIOD.format(f" WHERE {OUT}"),
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Callable[[str], Certificate]:
    """Audit a statement over data that end on the as-of date."""
    path = tmp_path_factory.mktemp("end") / "end.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute(
            "CREATE TABLE price AS SELECT f::INTEGER AS FIRM, DATE '2024-05-06' + d::INTEGER AS DAY,"
            " (10 + f + d / 4)::DOUBLE AS CLOSE FROM range(20) t(f), range(54) u(d) WHERE f < 15 OR d < 20"
        )
        db.execute("DELETE FROM price WHERE FIRM > 17")
        db.execute(
            "CREATE TABLE report AS SELECT f * 3 + q AS ID, f::INTEGER AS FIRM,"
            " (DATE '2023-10-01' + INTERVAL 3 MONTH * q)::DATE - 1 AS PERIOD,"
            " (DATE '2023-10-01' + INTERVAL 3 MONTH * q)::DATE + 20 + f::INTEGER AS PUBLISHED,"
            " (10 * f + q)::DECIMAL(12,2) AS PROFIT, TIMESTAMP '2025-01-01' AS TOUCHED"
            " FROM range(20) t(f), range(3) u(q)"
        )

    def run(sql: str) -> Certificate:
        contract = parse_contract("contract: end\nformat: 1\nas_of: {date: 2024-06-30}\n")
        return audit(
            Subject(Submission("sql", sql_code=sql, source="s.sql"), f"duckdb:///{path}"), catalog, contract
        )

    return run


@pytest.mark.parametrize("sql", LEAKING.values(), ids=LEAKING)
def test_a_statement_without_a_bound_is_found(judged: Callable[[str], Certificate], sql: str) -> None:
    found = judged(sql)
    assert found.verdict is Verdict.FAIL, certificate_text(found)
    assert [witness.requirement for witness in found.witnesses] == [Requirement.DISCLOSURE]


@pytest.mark.parametrize("sql", VALID.values(), ids=VALID)
def test_the_same_with_its_bound_passes(judged: Callable[[str], Certificate], sql: str) -> None:
    found = judged(sql)
    assert found.verdict is Verdict.PASS, certificate_text(found)
