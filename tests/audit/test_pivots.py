"""PIVOT and UNPIVOT: the tables that only they read are scans like others, in the text and over altered data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from finassay.audit import Certificate, Obligation, Verdict, certificate_text, static_obligations
from finassay.execution import Submission

if TYPE_CHECKING:
    from finassay.temporal import Catalog, Contract

Audited = Callable[..., Certificate]
BOUND = "(SELECT FIRM, DAY, CLOSE FROM price WHERE DAY <= DATE '2024-06-30')"

LEAKS = {
    "a statement": "PIVOT price ON FIRM IN (1, 2) USING SUM(CLOSE) GROUP BY DAY",
    "without groups": "PIVOT price ON FIRM IN (1, 2) USING SUM(CLOSE)",
    "without values": "PIVOT price ON FIRM USING AVG(CLOSE) AS m, COUNT(*) AS n GROUP BY DAY",
    "in FROM": "SELECT * FROM (PIVOT price ON FIRM IN (1, 2) USING SUM(CLOSE) GROUP BY DAY) AS p",
    "behind a table": "SELECT * FROM price PIVOT (SUM(CLOSE) FOR FIRM IN (1, 2) GROUP BY DAY)",
    "in a CTE": "WITH p AS (PIVOT price ON FIRM IN (1, 2) USING SUM(CLOSE) GROUP BY DAY) SELECT * FROM p",
    "of a CTE": "WITH p AS (SELECT * FROM price) PIVOT p ON FIRM IN (1, 2) USING SUM(CLOSE) GROUP BY DAY",
    "of a pivot": (
        'SELECT * FROM (UNPIVOT (PIVOT price ON FIRM IN (1, 2) USING SUM(CLOSE) GROUP BY DAY) ON "1", "2" '
        "INTO NAME f VALUE c)"
    ),
    "joined": (
        "SELECT r.FIRM, SUM(p.v) AS s FROM report r JOIN (UNPIVOT price ON CLOSE INTO NAME n VALUE v) p "
        "ON p.FIRM = r.FIRM WHERE r.PUBLISHED < DATE '2024-05-01' GROUP BY r.FIRM"
    ),
    "put in rows": "UNPIVOT price ON CLOSE INTO NAME what VALUE v",
    "put in rows, behind a table": "SELECT DAY, SUM(v) AS s FROM price UNPIVOT (v FOR what IN (CLOSE)) GROUP BY DAY",
    "put in rows, all but": "UNPIVOT price ON COLUMNS(* EXCLUDE (FIRM, DAY)) INTO NAME what VALUE v",
}
VALID = {
    "bound within": f"PIVOT {BOUND} ON FIRM IN (1, 2) USING SUM(CLOSE) GROUP BY DAY",
    "bound within, behind it": f"SELECT * FROM {BOUND} AS q PIVOT (SUM(CLOSE) FOR FIRM IN (1, 2))",
    "bound without": (
        "SELECT * FROM price PIVOT (SUM(CLOSE) FOR FIRM IN (1, 2) GROUP BY DAY) AS p WHERE p.DAY <= DATE '2024-06-30'"
    ),
    "put in rows": "SELECT * FROM price UNPIVOT (v FOR what IN (CLOSE)) WHERE DAY <= DATE '2024-06-30'",
}


def obligations(sql: str, catalog: Catalog, contract: Contract) -> list[Obligation]:
    return static_obligations(Submission("sql", sql_code=sql, source="x"), catalog, contract, "duckdb")


@pytest.mark.parametrize("sql", LEAKS.values(), ids=LEAKS)
def test_a_table_without_a_bound_is_found(sql: str, catalog: Catalog, contract: Contract) -> None:
    found = obligations(sql, catalog, contract)
    assert ("price", "availability", "violated") in {(one.table, one.rule, one.status) for one in found}, (
        found
    )
    assert "unreadable" not in {one.rule for one in found}


@pytest.mark.parametrize("sql", LEAKS.values(), ids=LEAKS)
def test_so_it_is_over_altered_data(sql: str, audited: Audited) -> None:
    found = audited(sql)
    assert found.verdict is Verdict.FAIL, certificate_text(found)
    assert "price" in {witness.table for witness in found.witnesses}


@pytest.mark.parametrize("sql", VALID.values(), ids=VALID)
def test_one_that_is_bound_passes(sql: str, audited: Audited) -> None:
    found = audited(sql)
    assert found.verdict is Verdict.PASS, certificate_text(found)
    assert {(one.table, one.status) for one in found.obligations} == {("price", "discharged")}
    assert found.warnings == []


def test_the_place_is_that_of_the_text(catalog: Catalog, contract: Contract) -> None:
    found = obligations(
        "WITH p AS (SELECT 1)\nPIVOT price ON FIRM IN (1) USING SUM(CLOSE)", catalog, contract
    )
    assert [(one.line, one.text) for one in found] == [(2, "price")]


@pytest.mark.parametrize(
    ("sql", "status"),
    [
        (
            "PIVOT (SELECT * FROM industry WHERE NOW = 1) ON NAME IN ('bank') USING COUNT(*) GROUP BY FIRM",
            "violated",
        ),
        ("PIVOT industry ON NOW IN (1, 2) USING COUNT(*) GROUP BY FIRM", "open"),
        ("PIVOT industry ON NOW USING COUNT(*) GROUP BY FIRM", "violated"),
    ],
)
def test_so_is_a_state_of_today(sql: str, status: str, catalog: Catalog, contract: Contract) -> None:
    found = [one for one in obligations(sql, catalog, contract) if one.rule == "current_state"]
    assert (found[0].table, found[0].status) == ("industry", status)
    assert "NOW" in found[0].why


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("PIVOT stranger ON X USING COUNT(*)", "stranger, which the catalog does not know"),
        ("UNPIVOT price ON COLUMNS('C.*') INTO NAME n VALUE v", "by a pattern"),
        ("PIVOT (SELECT * FROM price JOIN report USING (FIRM)) ON FIRM USING SUM(CLOSE)", "several tables"),
    ],
)
def test_what_is_not_read_is_told(sql: str, why: str, catalog: Catalog, contract: Contract) -> None:
    found = obligations(sql, catalog, contract)
    assert [(one.rule, one.status) for one in found] == [("unreadable", "open")]
    assert why in found[0].why
