"""The switch test: a question per mechanism, read rightly and wrongly; the answers must differ (world.md, 5).

Questions are put at the end of day `c`: what was public before the next day is known. Answers are sets of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finassay.database import Database

__all__ = ["SWITCHES", "Switch", "switched"]


@dataclass(frozen=True)
class Switch:
    """A question: SQL that reads it rightly and wrongly, with ``:c`` the day and ``:next`` the day after."""

    mechanism: str
    right: str
    wrong: str


_ALERTS = "SELECT INNERCODE FROM cs_riskalert WHERE RISKALERTTYPE IN (1, 5) AND IMPLANNOUCEDATE < :next"
_TREATED = f"{_ALERTS} AND IMPLEMENTDATE <= :c AND NOT COALESCE(REMOVEDATE <= :c AND REMOVEINFOPUBLDATE < :next, FALSE)"
_STATUS = """SELECT INNERCODE FROM (SELECT INNERCODE, CHANGETYPE, ROW_NUMBER() OVER (PARTITION BY INNERCODE
 ORDER BY CHANGEDATE DESC, INSERTTIME DESC, ID DESC) AS place FROM lc_liststatus WHERE CHANGEDATE <= :c
 AND INSERTTIME < :next) r WHERE place = 1 AND CHANGETYPE IN"""
_INDUSTRY = """SELECT COMPANYCODE, FIRSTINDUSTRYCODE FROM (SELECT COMPANYCODE, FIRSTINDUSTRYCODE, ROW_NUMBER() OVER
 (PARTITION BY COMPANYCODE ORDER BY {order} DESC, INSERTTIME DESC, ID DESC) AS place FROM {table}
 WHERE STANDARD = 38 AND INFOPUBLDATE < :next{more}) r WHERE place = 1"""
_MEMBERS = "SELECT INDEXINNERCODE, SECUINNERCODE FROM lc_indexcomponent WHERE INDATE <= :c"
_HALTS = "SELECT INNERCODE FROM lc_suspendresumption WHERE SUSPENDDATE <= :c AND INFOPUBLDATE < :next"
_MANAGERS = "SELECT INNERCODE, PERSONALCODE FROM mf_fundmanagernew WHERE ACCESSIONDATE <= :c"
_RATINGS = "SELECT MAINCODE, CRDATE, CRCODE FROM bond_bdcreditgrading WHERE CRDATE <= :c"
_PRICES = """SELECT INNERCODE, CONVERTPRICE FROM (SELECT INNERCODE, CONVERTPRICE, ROW_NUMBER() OVER (PARTITION BY
 INNERCODE ORDER BY VALIDDATE DESC, INFOPUBLDATE DESC, ID DESC) AS place FROM bond_conbdconvertprice
 WHERE INFOPUBLDATE < :next{more}) r WHERE place = 1"""

# Tables whose rows were reloaded, and when a row became known
_KNOWN = {
    "lc_suspendresumption": "INFOPUBLDATE",
    "cs_riskalert": "IMPLANNOUCEDATE",
    "lc_exgindustry": "INFOPUBLDATE",
    "lc_stibexgindustry": "INFOPUBLDATE",
}


def _rows(instead: dict[str, str]) -> str:
    """Return the rows known at c, by their numbers; or by another column instead."""
    parts = [
        f"SELECT ID FROM {table} WHERE {instead.get(column, column)} < :next"  # noqa: S608 - our own names
        for table, column in _KNOWN.items()
    ]
    return " UNION ALL ".join(parts)


SWITCHES = (
    Switch("st_pending", _TREATED, _TREATED.replace("IMPLEMENTDATE <= :c AND ", "")),
    Switch("st_removed_later", _TREATED, f"{_ALERTS} AND IMPLEMENTDATE <= :c AND REMOVEDATE IS NULL"),
    Switch("delisting_period", f"{_STATUS} (1, 3)", f"{_STATUS} (1, 3, 6)"),
    Switch(
        "delisted_later",
        f"{_STATUS} (1, 3, 6)",
        "SELECT INNERCODE FROM secumain WHERE SECUCATEGORY = 1 AND LISTEDSTATE = 1 AND LISTEDDATE <= :c",
    ),
    Switch(
        "halt_open",
        f"{_HALTS} AND (RESUMPTIONDATE IS NULL OR RESUMPTIONDATE > :c)",
        f"{_HALTS} AND RESUMPTIONDATE IS NULL",
    ),
    Switch(
        "industry_changed",
        _INDUSTRY.format(table="lc_exgindustry", order="INFOPUBLDATE", more=""),
        "SELECT COMPANYCODE, FIRSTINDUSTRYCODE FROM lc_exgindustry WHERE STANDARD = 38 AND CANCELDATE IS NULL"
        " AND INFOPUBLDATE < :next",
    ),
    Switch(
        "industry_pending",
        _INDUSTRY.format(table="lc_stibexgindustry", order="EFFECTIVEDATE", more=" AND EFFECTIVEDATE <= :c"),
        _INDUSTRY.format(table="lc_stibexgindustry", order="INFOPUBLDATE", more=""),
    ),
    Switch(
        "member_left_later",
        f"{_MEMBERS} AND (OUTDATE IS NULL OR OUTDATE > :c)",
        f"{_MEMBERS} AND OUTDATE IS NULL",
    ),
    Switch(
        "dividend_planned",
        "SELECT INNERCODE, ENDDATE FROM lc_dividend WHERE DIVIDENDIMPLEMENTDATE < :next",
        "SELECT INNERCODE, ENDDATE FROM lc_dividend WHERE EVENTPROCEDURE = 3 AND ADVANCEDATE < :next",
    ),
    Switch("reloaded", _rows({}), _rows(dict.fromkeys(_KNOWN.values(), "INSERTTIME"))),
    Switch("manager_undisclosed", f"{_MANAGERS} AND INFOPUBLDATE < :next", _MANAGERS),
    Switch(
        "manager_left_later",
        f"{_MANAGERS} AND INFOPUBLDATE < :next AND (DIMISSIONDATE IS NULL OR DIMISSIONDATE > :c)",
        f"{_MANAGERS} AND INFOPUBLDATE < :next AND DIMISSIONDATE IS NULL",
    ),
    Switch("rating_undisclosed", f"{_RATINGS} AND INFOPUBLDATE < :next", _RATINGS),
    Switch("conversion_pending", _PRICES.format(more=" AND VALIDDATE <= :c"), _PRICES.format(more="")),
    Switch(
        "macro_unreleased",
        "SELECT INDICATORCODE, ENDDATE FROM c_ed_macroindicatordata WHERE INFOPUBLDATE < :next",
        "SELECT INDICATORCODE, ENDDATE FROM c_ed_macroindicatordata WHERE ENDDATE <= :c",
    ),
)


def switched(database: Database, switch: Switch, day: date) -> bool:
    """Return whether the two readings of a question differ on a day.

    Raises
    ------
    QueryError
        If the database is of a part that lacks a table.
    """
    return _answer(database, switch.right, day) != _answer(database, switch.wrong, day)


def _answer(database: Database, sql: str, day: date) -> set[tuple[object, ...]]:
    stamp = "TIMESTAMP '{}'"
    for name, moment in ((":next", day + timedelta(days=1)), (":c", day)):
        sql = sql.replace(name, stamp.format(datetime.combine(moment, time())))
    columns = [column.to_pylist() for column in database.query(sql).table.columns]
    return set(zip(*columns, strict=True))
