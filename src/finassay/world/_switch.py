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

_REVIEW = timedelta(days=21)  # within which what is announced at an anchor takes effect


@dataclass(frozen=True)
class Switch:
    """A question in SQL, read rightly and wrongly: ``:c`` is the day, ``:close`` its 16:00, ``:next`` the next day.

    Members that are announced are those of ``:soon``, three weeks later.
    """

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


def _kinds(more: str) -> str:
    """Return the kinds and benchmarks of funds in effect, with what else is asked of them."""
    return (
        f"SELECT ID FROM mf_jyfundtype WHERE EFFECTIVEDATE <= :c{more}"  # noqa: S608 - our own text
        f" UNION ALL SELECT ID FROM mf_benchmarkallocation WHERE EXCUTEDATE <= :c{more}"
    )


def _assets(order: str, more: str) -> str:
    """Return total assets of the periods filed by c, in the first or last version of those asked for."""
    return (
        "SELECT COMPANYCODE, ENDDATE, 0, TOTALASSETS FROM (SELECT b.COMPANYCODE, b.ENDDATE, b.TOTALASSETS,"  # noqa: S608
        f" ROW_NUMBER() OVER (PARTITION BY b.COMPANYCODE, b.ENDDATE ORDER BY b.INFOPUBLDATE {order}, b.ID {order})"
        " AS place FROM lc_balancesheetall b JOIN (SELECT DISTINCT COMPANYCODE, ENDDATE FROM lc_balancesheetall"
        " WHERE INFOPUBLDATE < :next) k ON k.COMPANYCODE = b.COMPANYCODE AND k.ENDDATE = b.ENDDATE"
        f" WHERE b.IFMERGED = 1{more}) r WHERE place = 1"
    )


def _profit(when: str) -> str:
    """Return net income of the periods filed by c, by the last filing about the period itself of those asked for."""
    return (
        "SELECT cik, period_end, quarters, value FROM (SELECT f.cik, f.period_end, f.quarters, f.value,"  # noqa: S608
        " ROW_NUMBER() OVER (PARTITION BY f.cik, f.period_end, f.quarters ORDER BY f.accepted_at DESC) AS place"
        " FROM us_fact f JOIN us_filing t ON t.accession = f.accession AND t.period_end = f.period_end"
        " JOIN (SELECT DISTINCT cik, period_end FROM us_filing WHERE accepted_at < :next) k"
        " ON k.cik = f.cik AND k.period_end = f.period_end"
        f" WHERE f.tag = 'NetIncomeLoss' AND {'f.' + when if when != 'TRUE' else when}) r WHERE place = 1"
    )


_PERIODS = "SELECT COMPANYCODE, MAX(ENDDATE) FROM lc_balancesheetall WHERE {when} GROUP BY COMPANYCODE"
_US_PERIODS = "SELECT cik, MAX(period_end) FROM us_filing WHERE {when} GROUP BY cik"
_DEFAULTS = "SELECT INNERCODE, DEFAULTDATE FROM bond_default WHERE INFOPUBLDATE < :next"
_ENDS = "SELECT INNERCODE, {end} FROM bond_basicinfo WHERE LISTEDDATE <= :c"
_LAST = """SELECT INNERCODE, PERSONALCODE FROM (SELECT INNERCODE, PERSONALCODE, {rank}() OVER (PARTITION BY INNERCODE
 ORDER BY INFOPUBLDATE DESC) AS place FROM mf_fundmanagernew WHERE INFOPUBLDATE < :next) r WHERE place = 1"""
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
    Switch(
        "net_value_unrecorded",
        "SELECT INNERCODE, TRADINGDAY FROM mf_fundnetvalueretrans WHERE TRADINGDAY = :c AND INSERTTIME < :next",
        "SELECT INNERCODE, TRADINGDAY FROM mf_fundnetvalueretrans WHERE TRADINGDAY = :c",
    ),
    Switch("fund_kind_unrecorded", _kinds(" AND INSERTTIME < :next"), _kinds("")),
    Switch("tied", _LAST.format(rank="RANK"), _LAST.format(rank="ROW_NUMBER")),
    Switch(
        "report_not_filed",
        f"{_PERIODS.format(when='INFOPUBLDATE < :next')} UNION ALL {_US_PERIODS.format(when='accepted_at < :next')}",
        f"{_PERIODS.format(when='ENDDATE <= :c')} UNION ALL {_US_PERIODS.format(when='period_end <= :c')}",
    ),
    Switch("versions_compete", _assets("DESC", " AND INFOPUBLDATE < :next"), _assets("ASC", "")),
    Switch(
        "revised_later",
        f"{_assets('DESC', ' AND INFOPUBLDATE < :next')} UNION ALL {_profit('accepted_at < :next')}",
        f"{_assets('DESC', '')} UNION ALL {_profit('TRUE')}",
    ),
    Switch("amendment_pending", _profit("accepted_at < :next"), _profit("TRUE")),
    Switch(
        "delisted_before",
        f"{_STATUS} (1, 3, 6)",
        "SELECT INNERCODE FROM secumain WHERE SECUCATEGORY = 1 AND LISTEDDATE <= :c",
    ),
    Switch("renamed_later", _TREATED, "SELECT INNERCODE FROM secumain WHERE SECUABBR LIKE '%ST%'"),
    Switch(
        "review_pending",
        f"{_MEMBERS} AND (OUTDATE IS NULL OR OUTDATE > :c)",
        f"{_MEMBERS.replace('INDATE <= :c', 'INDATE < :soon')} AND (OUTDATE IS NULL OR OUTDATE >= :soon)",
    ),
    Switch(
        "default_revoked",
        f"{_DEFAULTS} AND (REVOKEDATE IS NULL OR REVOKEDATE > :c)",
        f"{_DEFAULTS} AND REVOKEDATE IS NULL",
    ),
    Switch(
        "bond_called_later",
        _ENDS.format(end="CASE WHEN EARLYMATURITYDATE <= :c THEN EARLYMATURITYDATE ELSE ENDDATE END"),
        _ENDS.format(end="COALESCE(EARLYMATURITYDATE, ENDDATE)"),
    ),
    Switch(
        "accepted_after_close",
        "SELECT accession FROM us_filing WHERE accepted_at >= :c AND accepted_at < :close",
        "SELECT accession FROM us_filing WHERE accepted_at >= :c AND accepted_at < :next",
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
    midnight = datetime.combine(day, time())
    close = midnight + timedelta(hours=16)
    moments = {
        ":next": midnight + timedelta(days=1),
        ":close": close,
        ":soon": midnight + _REVIEW,
        ":c": midnight,
    }
    for name, moment in moments.items():
        sql = sql.replace(name, stamp.format(moment))
    columns = [column.to_pylist() for column in database.query(sql).table.columns]
    return set(zip(*columns, strict=True))
