"""A family of questions is worth its answers only if it sees a wrong row: one value, or one date, that was changed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

import duckdb
import pytest

from finassay.database import connect
from finassay.world import FAMILIES, answers
from finassay.world._blocks._us_macro import SERIES
from finassay.world._questions import _boundary_questions

FAMILY = {family.name: family for family in FAMILIES}


@dataclass(frozen=True)
class Place:
    """The row that answers a question (k, i at the boundary c of the day d), and how it is changed."""

    table: str
    match: str
    order: str
    value: str  # what becomes another value
    date: str  # what makes the row unknown, or over


_CODES = " ".join(f"WHEN {place} THEN '{series.code}'" for place, series in enumerate(SERIES))
_DISCLOSED = "INFOPUBLDATE = DATE '{c}'"
PLACES = {
    "overwritten ratios": Place(
        "lc_mainindexnew",
        "COMPANYCODE = {k} AND INFOPUBLDATE < DATE '{c}'",
        "ENDDATE DESC",
        "ROE = ROE + 0.0001",
        _DISCLOSED,
    ),
    "ratios of a quarter": Place(
        "lc_qfinancialindexnew",
        "COMPANYCODE = {k} AND year(ENDDATE) * 100 + month(ENDDATE) = {i} AND INFOPUBLDATE < DATE '{c}'",
        "ENDDATE DESC",
        "NPFROMPARENTCOMPANYOWNERS = NPFROMPARENTCOMPANYOWNERS + 0.01",
        "INFOPUBLDATE = NULL",
    ),
    "ratios on STAR": Place(
        "lc_stibmainindex",
        "COMPANYCODE = {k} AND INFOPUBLDATE < DATE '{c}'",
        "ENDDATE DESC, INFOPUBLDATE DESC, ID DESC",
        "ROE = ROE + 0.0001",
        _DISCLOSED,
    ),
    "derived ratios": Place(
        "fin_derivative",
        "COMPANYCODE = {k} AND INFOPUBLDATE < DATE '{c}'",
        "ENDDATE DESC, INFOPUBLDATE DESC, ID DESC",
        "ROE = ROE + 0.0001",
        _DISCLOSED,
    ),
    "derived profit of a year": Place(
        "lc_derivativedata",
        "COMPANYCODE = {k} AND month(ENDDATE) = 12 AND INFOPUBLDATE < DATE '{c}'",
        "ENDDATE DESC, INFOPUBLDATE DESC, ID DESC",
        "NPPARENTCOMPANYOWNERSTTM = NPPARENTCOMPANYOWNERSTTM + 0.01",
        _DISCLOSED,
    ),
    "valuation of a share": Place(
        "lc_dindicesforvaluation",
        "INNERCODE = {k} AND TRADINGDAY < DATE '{c}'",
        "TRADINGDAY DESC",
        "PB = PB + 0.0001",
        "TRADINGDAY = DATE '{c}'",
    ),
    "dividend": Place(
        "lc_dividend",
        "INNERCODE = {k} AND ADVANCEDATE < DATE '{c}'",
        "ENDDATE DESC, ADVANCEDATE DESC",
        "CASHDIVIRMB = CASHDIVIRMB + 0.01",
        "ADVANCEDATE = DATE '{c}'",
    ),
    "dividend on STAR": Place(
        "lc_stibdividend",
        "INNERCODE = {k} AND INFOPUBLDATE < DATE '{c}'",
        "ENDDATE DESC, INFOPUBLDATE DESC",
        "EVENTPROCEDURE = EVENTPROCEDURE + 1",
        _DISCLOSED,
    ),
    "halt on STAR": Place(
        "lc_stibsuspendresume",
        "INNERCODE = {k} AND SUSPENDRESUMPDATE <= DATE '{d}' AND INFOPUBLDATE < DATE '{c}'",
        "SUSPENDRESUMPDATE DESC, SUSPENDRESUMPTYPE",
        "SUSPENDRESUMPTYPE = 2",
        _DISCLOSED,
    ),
    "convertible put": Place(
        "bond_conbdputinfo",
        "INNERCODE = {k} AND INSERTTIME < DATE '{c}' AND DATE '{d}' BETWEEN PUTSTARTDATE AND PUTENDDATE",
        "PUTPRICE DESC",
        "PUTPRICE = PUTPRICE + 0.0001",
        "PUTENDDATE = DATE '{d}' - 1",
    ),
    "sales to the group": Place(
        "lc_relatedtrade",
        "COMPANYCODE = {k} AND ASSOCIATION = 1 AND TRADETYPE = 2 AND INFOPUBLDATE < DATE '{c}'",
        "ENDDATE DESC",
        "TRADESUM = TRADESUM + 0.01",
        _DISCLOSED,
    ),
    "us release": Place(
        "us_macro_vintage",
        f"series = CASE {{k}} {_CODES} END AND released_at < DATE '{{c}}'",
        "period_end DESC, released_at DESC",
        "value = value + 0.1",
        "released_at = DATE '{c}'",
    ),
    "us income": Place(
        "us_fact",
        "cik = {k} AND tag = 'NetIncomeLoss' AND quarters = 4 AND accepted_at < DATE '{c}'",
        "period_end DESC, accepted_at DESC",
        "value = value + 1",
        "accepted_at = DATE '{c}'",
    ),
    "us assets": Place(
        "us_fact",
        "cik = {k} AND tag = 'Assets' AND quarters = 0 AND accepted_at < DATE '{c}'",
        "period_end DESC, accepted_at DESC",
        "value = value + 1",
        "accepted_at = DATE '{c}'",
    ),
    "holders of a fund": Place(
        "mf_holderinfo",
        "INNERCODE = {k} AND INFOPUBLDATE < DATE '{c}'",
        "ENDDATE DESC, INFOPUBLDATE DESC",
        "INSTITUTIONHOLDRATIO = INSTITUTIONHOLDRATIO + 0.000001",
        _DISCLOSED,
    ),
    "stocks of a fund": Place(
        "mf_stockportfoliodetail",
        "INNERCODE = {k} AND INFOPUBLDATE < DATE '{c}'",
        "REPORTDATE DESC, INFOPUBLDATE DESC",
        "SHARESHOLDING = SHARESHOLDING + 1",
        _DISCLOSED,
    ),
    "assets of a fund": Place(
        "mf_assetallocationnew",
        "INNERCODE = {k} AND INFOPUBLDATE < DATE '{c}'",
        "REPORTDATE DESC, INFOPUBLDATE DESC",
        "MVOFSTOCK = MVOFSTOCK + 0.01",
        _DISCLOSED,
    ),
    "valuation of a bond": Place(
        "bond_cbvaluationall",
        "INNERCODE = {k} AND ENDDATE < DATE '{c}' AND INSERTTIME < DATE '{c}'",
        "ENDDATE DESC, CREDIBILITYCODE, YIELDCODE",
        "VALUEFULLPRICE = VALUEFULLPRICE + 0.0001",
        "INSERTTIME = DATE '{c}'",
    ),
    "yield curve": Place(
        "bond_cbyieldcurve",
        "CURVECODE = {k} AND YIELDTYPECODE = 1 AND YEARSTOMATURITY = {i} / 100 AND ENDDATE = DATE '{d}'",
        "ENDDATE DESC",
        "YIELDVALUE = YIELDVALUE + 0.0001",
        "ENDDATE = DATE '{c}'",
    ),
    "close": Place(
        "qt_dailyquote",
        "INNERCODE = {k} AND TRADINGDAY < DATE '{c}'",
        "TRADINGDAY DESC",
        "CLOSEPRICE = CLOSEPRICE + 0.01",
        "TRADINGDAY = DATE '{c}'",
    ),
    "backward price": Place(
        "qt_performancedata",
        "INNERCODE = {k} AND TRADINGDAY < DATE '{c}'",
        "TRADINGDAY DESC",
        "BACKWARDPRICE = BACKWARDPRICE + 0.0001",
        "TRADINGDAY = DATE '{c}'",
    ),
    "listing day": Place(
        "secumain",
        "INNERCODE = {k} AND LISTEDDATE <= DATE '{d}'",
        "LISTEDDATE",
        "LISTEDDATE = LISTEDDATE - INTERVAL 1 DAY",
        "LISTEDDATE = DATE '{d}' + 1",
    ),
    "terms of a bond": Place(
        "bond_basicinfo",
        "INNERCODE = {k} AND INITIALINFOPUBLDATE < DATE '{c}'",
        "ID",
        "COUPONRATE = COUPONRATE + 0.0001",
        "INITIALINFOPUBLDATE = DATE '{c}'",
    ),
    "fund target": Place(
        "mf_investtargetcriterion",
        "INNERCODE = {k} AND EXECUTEDATE <= DATE '{d}' AND INFOPUBLDATE < DATE '{c}'",
        "EXECUTEDATE DESC",
        "TRACEDINDEXCODE = TRACEDINDEXCODE + 1",
        _DISCLOSED,
    ),
    "sections of a fund": Place(
        "mf_industryportall",
        "INNERCODE = {k} AND INFOPUBLDATE < DATE '{c}'",
        "ENDDATE DESC, INFOPUBLDATE DESC",
        "MARKETVALUE = MARKETVALUE + 0.01",
        _DISCLOSED,
    ),
    "fixing of a week": Place(
        "bond_baseratereference",
        "ENDDATE = DATE '{d}'",
        "ENDDATE DESC",
        "B1W = B1W + 0.0001",
        "ENDDATE = DATE '{c}'",
    ),
    "close on the NEEQ": Place(
        "nq_dailyquote",
        "INNERCODE = {k} AND TRADINGDAY < DATE '{c}'",
        "TRADINGDAY DESC",
        "CLOSEPRICE = CLOSEPRICE + 0.01",
        "TRADINGDAY = DATE '{c}'",
    ),
    "convertible close": Place(
        "bond_conbdexchangequote",
        "INNERCODE = {k} AND TRADINGDAY < DATE '{c}'",
        "TRADINGDAY DESC",
        "CLOSEPRICE = CLOSEPRICE + 0.001",
        "TRADINGDAY = DATE '{c}'",
    ),
    "index close": Place(
        "qt_indexquote",
        "INNERCODE = {k} AND TRADINGDAY < DATE '{c}'",
        "TRADINGDAY DESC",
        "CLOSEPRICE = CLOSEPRICE + 0.0001",
        "TRADINGDAY = DATE '{c}'",
    ),
    "weights of an index": Place(
        "lc_indexcomponentsweight",
        "INDEXCODE = {k} AND ENDDATE < DATE '{c}'",
        "ENDDATE DESC",
        "INNERCODE = INNERCODE + 1",
        "ENDDATE = DATE '{c}'",
    ),
    "us yield curve": Place(
        "us_yield_curve",
        "tenor_years = {i} / 100 AND curve_day = DATE '{d}'",
        "curve_day DESC",
        "par_yield = par_yield + 0.0001",
        "curve_day = DATE '{c}'",
    ),
    "us price": Place(
        "us_price_daily",
        "security_id = {k} AND trading_day < DATE '{c}'",
        "trading_day DESC",
        "close = close + 0.0001",
        "trading_day = DATE '{c}'",
    ),
}


@pytest.fixture(scope="module")
def copy(built, tmp_path_factory):
    """A copy of the world that rows are changed in, one at a time."""
    path = tmp_path_factory.mktemp("tampered") / "world.duckdb"
    shutil.copyfile(built.path, path)
    return path


def answered(world, oracle, family, reader, place):
    """Return a question at a boundary that a row of the table answers, with the row's number."""
    for question in _boundary_questions(world, family):
        if family.ask(oracle, question) is not None:
            where = words(place.match, question)
            rows = reader.query(
                f"SELECT {number_of(place)} FROM {place.table} WHERE {where} ORDER BY {place.order} LIMIT 1"
            ).table
            if rows.num_rows:
                return question, int(rows.column(0)[0].as_py())
    raise AssertionError(f"no question of {family.name} has an answer")


def words(text, question):
    return text.format(
        k=question.key, i=question.index, d=question.cutoff.day, c=question.cutoff.instant.date()
    )


def number_of(place):
    return "id" if place.table.startswith("us_") else "ID"


def on(path, sql):
    with duckdb.connect(str(path)) as connection:
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize("name", PLACES)
def test_a_row_with_another_value_or_date_is_found_to_differ(world, asked, database, copy, name):
    family, place = FAMILY[name], PLACES[name]
    question, number = answered(world, asked.recoverable, family, database, place)
    expected = [family.ask(asked.recoverable, question)]
    assert answers(database, family, [question]) == expected
    for change in (place.value, place.date):
        column, which = change.split(" = ")[0], f"{number_of(place)} = {number}"
        [(before,)] = on(copy, f"SELECT {column} FROM {place.table} WHERE {which}")
        on(copy, f"UPDATE {place.table} SET {words(change, question)} WHERE {which}")
        with connect(f"duckdb:///{copy}") as tampered:
            assert answers(tampered, family, [question]) != expected, change
        literal = f"'{before}'" if hasattr(before, "year") else f"{before}"
        on(copy, f"UPDATE {place.table} SET {column} = {literal} WHERE {which}")
    with connect(f"duckdb:///{copy}") as restored:
        assert answers(restored, family, [question]) == expected
