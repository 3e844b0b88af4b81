"""Rows that a statement takes away again are no violation that its text proves; those that it keeps are one."""

from __future__ import annotations

import pytest

from finassay.audit import Obligation, static_obligations
from finassay.execution import Submission
from finassay.temporal import Catalog, parse_contract

AT = parse_contract("contract: t\nas_of: {date: 2024-06-30}\n")


def found_in(catalog: Catalog, sql: str) -> list[Obligation]:
    return static_obligations(Submission("sql", sql_code=sql, source="x"), catalog, AT)


def violated(catalog: Catalog, sql: str) -> list[tuple[str, str]]:
    return [(one.table, one.rule) for one in found_in(catalog, sql) if one.status == "violated"]


LATER = "FROM report x WHERE x.PUBLISHED > DATE '2024-06-30'"
TAKEN = {
    "not exists": f"SELECT FIRM, PROFIT FROM report r WHERE NOT EXISTS (SELECT 1 {LATER} AND x.ID = r.ID)",
    "not exists, of known rows": (
        f"SELECT FIRM FROM report r WHERE r.PUBLISHED <= '2024-06-30' AND NOT EXISTS (SELECT 1 {LATER} AND x.ID = r.ID)"
    ),
    "exists is false": f"SELECT FIRM FROM report r WHERE EXISTS (SELECT 1 {LATER} AND x.ID = r.ID) = FALSE",
    "none counted": f"SELECT FIRM FROM report r WHERE (SELECT COUNT(*) {LATER} AND x.ID = r.ID) = 0",
    "not in": f"SELECT FIRM FROM report WHERE ID NOT IN (SELECT ID {LATER})",
    "none of all": f"SELECT FIRM FROM report WHERE ID <> ALL (SELECT ID {LATER})",
    "not known, written as not": (
        "SELECT FIRM FROM report WHERE ID NOT IN (SELECT ID FROM report WHERE NOT PUBLISHED <= '2024-06-30')"
    ),
    "of an earlier day": (
        "SELECT FIRM FROM report WHERE ID NOT IN (SELECT ID FROM report WHERE PUBLISHED > '2024-05-31')"
    ),
    "a date that is not read": (
        "SELECT FIRM FROM report WHERE ID NOT IN (SELECT ID FROM report WHERE PUBLISHED > my_date('30.06.2024'))"
    ),
    "by the date itself": "SELECT FIRM FROM report r WHERE NOT EXISTS (SELECT 1 WHERE r.PUBLISHED > DATE '2024-06-30')",
    "days of another table": (
        "SELECT FIRM, CLOSE FROM price WHERE DAY NOT IN (SELECT PUBLISHED FROM report WHERE "
        "PUBLISHED > '2024-06-30')"
    ),
    "an expression": f"WITH l AS (SELECT ID {LATER}) SELECT FIRM FROM report WHERE ID NOT IN (SELECT ID FROM l)",
    "what an expression marks": (
        "WITH m AS (SELECT ID, PUBLISHED > DATE '2024-06-30' AS later FROM report) "
        "SELECT FIRM FROM report WHERE ID NOT IN (SELECT ID FROM m WHERE later)"
    ),
    "a table that nobody knows": (
        "SELECT FIRM FROM report r WHERE NOT EXISTS (SELECT 1 FROM later_ones l WHERE l.ID = r.ID)"
    ),
    "left join": f"SELECT FIRM FROM report r LEFT JOIN (SELECT ID {LATER}) x ON x.ID = r.ID WHERE x.ID IS NULL",
    "left join, on the later": (
        "SELECT r.FIRM FROM report r LEFT JOIN report x ON x.ID = r.ID AND x.PUBLISHED > "
        "'2024-06-30' WHERE x.ID IS NULL"
    ),
    "right join": f"SELECT r.FIRM FROM (SELECT ID {LATER}) x RIGHT JOIN report r ON x.ID = r.ID WHERE x.ID IS NULL",
    "left join, summed": (
        "SELECT SUM(CASE WHEN x.ID IS NULL THEN PROFIT END) AS p FROM report r LEFT JOIN (SELECT "
        f"ID {LATER}) x ON x.ID = r.ID"
    ),
    "anti join": f"SELECT FIRM FROM report ANTI JOIN (SELECT ID {LATER}) x USING (ID)",
    "except": f"SELECT ID, FIRM, PROFIT FROM report EXCEPT SELECT ID, FIRM, PROFIT {LATER}",
    "except, in an expression": (
        f"WITH k AS (SELECT ID FROM report EXCEPT SELECT ID {LATER}) SELECT r.FIRM FROM report r JOIN k ON k.ID = r.ID"
    ),
    "intersect": "SELECT ID, FIRM FROM report INTERSECT SELECT ID, FIRM FROM report WHERE PUBLISHED <= '2024-06-30'",
    "intersect with nothing": "SELECT DAY FROM price INTERSECT SELECT PUBLISHED FROM report WHERE 1 = 0",
    "a branch of nothing": (
        "SELECT FIRM FROM report WHERE 1 = 0 UNION SELECT FIRM FROM report WHERE PUBLISHED <= '2024-06-30'"
    ),
    "nothing, from outside": "SELECT FIRM FROM (SELECT * FROM report) r WHERE FALSE",
    "joined with nothing": "SELECT FIRM FROM report CROSS JOIN (SELECT 1 AS a WHERE 1 = 0) n",
    "nothing demanded": "SELECT FIRM FROM report WHERE EXISTS (SELECT 1 FROM price WHERE 1 = 0)",
    "limit 0": "SELECT * FROM report LIMIT 0",
    "limit 0 of today's flag": "SELECT FIRM FROM industry WHERE NOW = 1 LIMIT 0",
    "limit 0 of a union": "SELECT FIRM FROM report UNION ALL SELECT FIRM FROM report LIMIT 0",
}


@pytest.mark.parametrize("sql", TAKEN.values(), ids=TAKEN)
def test_what_may_take_the_later_rows_away_proves_nothing(catalog: Catalog, sql: str) -> None:
    found = found_in(catalog, sql)
    assert [one.why for one in found if one.status == "violated" or one.rule == "unreadable"] == []
    assert "open" in {one.status for one in found}


KEPT = {
    "known rows are taken": (
        (
            "SELECT FIRM FROM report r WHERE NOT EXISTS (SELECT 1 FROM report x WHERE x.ID = r.ID AND "
            "x.PUBLISHED <= '2024-06-30')"
        ),
        ["report"],
    ),
    "a later version is taken for none": (
        (
            "SELECT FIRM FROM report r WHERE r.PUBLISHED <= '2024-06-30' AND NOT EXISTS "
            "(SELECT 1 FROM report x WHERE x.FIRM = r.FIRM AND x.PUBLISHED > r.PUBLISHED)"
        ),
        ["report"],
    ),
    "firms that report later are taken": (
        (
            "SELECT FIRM FROM report r WHERE r.PUBLISHED <= '2024-06-30' AND NOT EXISTS (SELECT 1 "
            f"{LATER} AND x.FIRM = r.FIRM)"
        ),
        ["report"],
    ),
    "later ones of another table are taken": (
        f"SELECT FIRM FROM price p WHERE DAY = '2024-06-28' AND NOT EXISTS (SELECT 1 {LATER} AND x.FIRM = p.FIRM)",
        ["report"],
    ),
    "some of the later are taken": (
        "SELECT FIRM FROM report WHERE ID NOT IN (SELECT ID FROM report WHERE PUBLISHED > '2024-12-31')",
        ["report", "report"],
    ),
    "no date takes them": (
        "SELECT FIRM FROM report WHERE FIRM NOT IN (SELECT FIRM FROM price WHERE DAY <= '2024-06-30')",
        ["report"],
    ),
    "another branch": (
        f"SELECT FIRM FROM report UNION ALL (SELECT FIRM FROM report WHERE ID NOT IN (SELECT ID {LATER}))",
        ["report"],
    ),
    "the later ones are found": (
        f"SELECT r.FIRM, x.PROFIT FROM report r LEFT JOIN (SELECT ID, PROFIT {LATER}) x ON x.ID = r.ID",
        ["report", "report"],
    ),
    "both sides without bound": (
        "SELECT FIRM FROM report INTERSECT SELECT FIRM FROM report",
        ["report", "report"],
    ),
    "a total over nothing is a row": (
        "SELECT FIRM FROM report CROSS JOIN (SELECT COUNT(*) AS n WHERE 1 = 0) n",
        ["report"],
    ),
    "today's flag": (
        f"SELECT FIRM FROM industry i WHERE NOW = 1 AND FIRM NOT IN (SELECT FIRM {LATER})",
        ["industry"],
    ),
}


@pytest.mark.parametrize(("sql", "tables"), KEPT.values(), ids=KEPT)
def test_what_is_kept_is_violated(catalog: Catalog, sql: str, tables: list[str]) -> None:
    assert [table for table, _ in violated(catalog, sql)] == tables


def test_it_says_why_it_is_open(catalog: Catalog) -> None:
    (one,) = [o for o in found_in(catalog, TAKEN["except"]) if o.rule == "availability"][:1]
    assert one.why.startswith("Nothing bounds PUBLISHED, so rows that were not yet known are used.")
    assert "cannot be told from the text" in one.why
    (empty,) = [o for o in found_in(catalog, TAKEN["limit 0 of today's flag"]) if o.rule == "current_state"]
    assert "LIMIT 0" in empty.why
