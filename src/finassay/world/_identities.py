"""Accounting and market identities of a built world: conditions that every row of a table keeps, as SQL.

Each is written as what would break it, so a count of 0 is the proof; it runs unchanged on every engine. Where a column
is NULL the row says nothing about the identity. Tolerances are those of the stored decimals, never wider.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.database import QueryPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from finassay.database import Database

_POLICY = QueryPolicy(timeout_s=600.0)


@dataclass(frozen=True)
class Identity:
    """A condition on the rows of a table, or on groups of them.

    Attributes
    ----------
    table : str
        The table.
    says : str
        The identity, in words.
    broken : str
        A condition that is true of a row that breaks it.
    source : str or None
        What the rows come from; None for the table itself.
    """

    table: str
    says: str
    broken: str
    source: str | None = None

    @property
    def sql(self) -> str:
        """The number of rows judged, and of those that break it."""
        rows = f"({self.source}) AS found" if self.source else self.table
        return f"SELECT COUNT(*) AS n, SUM(CASE WHEN {self.broken} THEN 1 ELSE 0 END) AS bad FROM {rows}"  # noqa: S608


@dataclass(frozen=True)
class Kept:
    """How far an identity holds: the rows that were judged, and those that break it."""

    identity: Identity
    rows: int
    broken: int


def _sum(table: str, total: str, *parts: str, apart: str = "0.00001") -> Identity:
    return Identity(
        table, f"{total} = {' + '.join(parts)}", f"ABS({total} - ({' + '.join(parts)})) > {apart}"
    )


def _bars(table: str, *, low: str, high: str, inside: tuple[str, ...]) -> Identity:
    outside = " OR ".join(f"{name} < {low} OR {name} > {high}" for name in inside)
    return Identity(table, f"{low} <= {', '.join(inside)} <= {high}", outside)


def _states(table: str, start: str, end: str) -> Identity:
    return Identity(table, f"{start} <= {end}", f"{end} < {start}")


_PRICES = ("OPENPRICE", "CLOSEPRICE")

# Spells of members; one that a review undid on the day on which it began has no length
_SPELLS = (
    "(SELECT INDEXINNERCODE, SECUINNERCODE, INDATE, OUTDATE FROM lc_indexcomponent "
    "WHERE OUTDATE IS NULL OR OUTDATE > INDATE)"
)
# Days on which an index has other members than before: who left and came back on one day changed nothing
_CHANGES = " UNION ".join(
    f"SELECT s.INDEXINNERCODE, s.{day} AS changed FROM {_SPELLS} s LEFT JOIN {_SPELLS} o "  # noqa: S608 - constants
    f"ON o.INDEXINNERCODE = s.INDEXINNERCODE AND o.SECUINNERCODE = s.SECUINNERCODE AND o.{other} = s.{day} "
    f"WHERE s.{day} IS NOT NULL AND o.INDEXINNERCODE IS NULL"
    for day, other in (("INDATE", "OUTDATE"), ("OUTDATE", "INDATE"))
)
# Weights are those of month ends; what each value has changed by since the last change of members leads back to it
_AT_CHANGE = (
    "SELECT MAX(part) / SUM(part) AS heaviest, COUNT(*) AS members FROM ("  # noqa: S608 - constants
    "SELECT w.INDEXCODE, w.ENDDATE, w.WEIGHT * b.TOTALMV / n.TOTALMV * COALESCE(p.PREVCLOSEPRICE / p.CLOSEPRICE, 1) "
    "AS part FROM lc_indexcomponentsweight w "
    "JOIN (SELECT e.INDEXCODE, e.ENDDATE, MAX(c.changed) AS changed "
    "FROM (SELECT DISTINCT INDEXCODE, ENDDATE FROM lc_indexcomponentsweight) e "
    f"JOIN ({_CHANGES}) c "
    "ON c.INDEXINNERCODE = e.INDEXCODE AND c.changed <= e.ENDDATE GROUP BY e.INDEXCODE, e.ENDDATE) x "
    "ON x.INDEXCODE = w.INDEXCODE AND x.ENDDATE = w.ENDDATE "
    "JOIN lc_dindicesforvaluation b ON b.INNERCODE = w.INNERCODE AND b.TRADINGDAY = x.changed "
    "JOIN lc_dindicesforvaluation n ON n.INNERCODE = w.INNERCODE AND n.TRADINGDAY = w.ENDDATE "
    "LEFT JOIN qt_performance p ON p.INNERCODE = w.INNERCODE AND p.TRADINGDAY = x.changed) found_at "
    "GROUP BY INDEXCODE, ENDDATE"
)

IDENTITIES: tuple[Identity, ...] = (
    _sum("lc_balancesheetall", "TOTALASSETS", "TOTALLIABILITY", "TOTALSHAREHOLDEREQUITY"),
    _sum("lc_balancesheetall", "TOTALLIABILITYANDEQUITY", "TOTALLIABILITY", "TOTALSHAREHOLDEREQUITY"),
    _sum("lc_balancesheetall", "TOTALSHAREHOLDEREQUITY", "SEWITHOUTMI", "MINORITYINTERESTS"),
    _sum("lc_balancesheetall", "TOTALASSETS", "TOTALCURRENTASSETS", "TOTALNONCURRENTASSETS"),
    _sum("lc_balancesheetall", "TOTALLIABILITY", "TOTALCURRENTLIABILITY", "TOTALNONCURRENTLIABILITY"),
    _sum("lc_maindatanew", "TOTALLIABILITYANDEQUITY", "TOTALLIABILITY", "TOTALSHAREHOLDEREQUITY"),
    _sum("lc_maindatanew", "NETPROFIT", "NPFROMPARENTCOMPANYOWNERS", "MINORITYPROFIT"),
    _sum("lc_maindatanew", "NETPROFIT", "TOTALPROFIT", "-INCOMETAXCOST"),
    _sum("lc_maindatanew", "TOTALPROFIT", "OPERATINGPROFIT", "NONOPERATINGINCOME", "-NONOPERATINGEXPENSE"),
    _sum(
        "lc_maindatanew",
        "CASHEQUIALENTINCREASE",
        "NETOPERATECASHFLOW",
        "NETINVESTCASHFLOW",
        "NETFINANCECASHFLOW",
        "EXCHANRATECHANGEEFFECT",
    ),
    Identity("lc_maindatanew", "a report comes after its period", "INFOPUBLDATE <= ENDDATE"),
    _sum("lc_sharestru", "TOTALSHARES", "RESTRICTEDSHARES", "NONRESTRICTEDSHARES"),
    _bars("qt_dailyquote", low="LOWPRICE", high="HIGHPRICE", inside=_PRICES),
    _bars("lc_stibdailyquote", low="LOWPRICE", high="HIGHPRICE", inside=_PRICES),
    _bars("qt_indexquote", low="LOWPRICE", high="HIGHPRICE", inside=_PRICES),
    Identity("qt_indexquote", "levels are positive", "LOWPRICE <= 0 OR PREVCLOSEPRICE <= 0"),
    Identity(
        "qt_indexquote",
        "every index has members on every session",
        "members = 0",
        "SELECT CASE WHEN EXISTS (SELECT 1 FROM lc_indexcomponent c WHERE c.INDEXINNERCODE = q.INNERCODE "
        "AND c.INDATE <= q.TRADINGDAY AND (c.OUTDATE IS NULL OR c.OUTDATE > q.TRADINGDAY)) THEN 1 ELSE 0 END "
        "AS members FROM qt_indexquote q",
    ),
    _bars("us_price_daily", low="low", high="high", inside=("open", "close", "vwap")),
    _bars("bond_conbdexchangequote", low="LOWPRICE", high="HIGHPRICE", inside=_PRICES),
    Identity(
        "qt_pricelimit",
        "no price beyond the day's limits",
        "HIGHPRICE > PRICECEILING OR LOWPRICE < PRICEFLOOR",
        "SELECT q.HIGHPRICE, q.LOWPRICE, p.PRICECEILING, p.PRICEFLOOR FROM qt_pricelimit p "
        "JOIN qt_dailyquote q ON q.INNERCODE = p.INNERCODE AND q.TRADINGDAY = p.TRADINGDAY",
    ),
    Identity(
        "qt_performance",
        "the same close as the day's quote",
        "a <> b",
        "SELECT p.CLOSEPRICE AS a, q.CLOSEPRICE AS b FROM qt_performance p "
        "JOIN qt_dailyquote q ON q.INNERCODE = p.INNERCODE AND q.TRADINGDAY = p.TRADINGDAY",
    ),
    _sum("bond_cbvaluationall", "VALUEFULLPRICE", "VALUECLEANPRICE", "ACCRUINTEREST", apart="0.0001"),
    Identity(
        "lc_indexcomponentsweight",
        "weights add up to 100",
        "ABS(total - 100) > 0.01",
        "SELECT SUM(WEIGHT) AS total FROM lc_indexcomponentsweight GROUP BY INDEXCODE, ENDDATE",
    ),
    Identity(
        "lc_indexcomponentsweight",
        "no member above a tenth when members change, or above 1.5 times its even part of fewer than 15",
        "heaviest > 0.1001 AND heaviest * members > 1.501",
        _AT_CHANGE,
    ),
    _sum("mf_holderinfo", "100", "INSTITUTIONHOLDRATIO", "INDIVIDUALHOLDRATIO", apart="0.01"),
    _states("lc_dividend", "RIGHTREGDATE", "EXDIVIDATE"),
    _states("lc_dividend", "ADVANCEDATE", "DIVIDENDIMPLEMENTDATE"),
    _states("cs_riskalert", "IMPLEMENTDATE", "REMOVEDATE"),
    Identity(
        "cs_riskalert",
        "no alert is told or begins before the listing",
        "IMPLEMENTDATE < LISTEDDATE OR IMPLANNOUCEDATE < LISTEDDATE",
        "SELECT a.IMPLEMENTDATE, a.IMPLANNOUCEDATE, s.LISTEDDATE FROM cs_riskalert a "
        "JOIN secumain s ON s.INNERCODE = a.INNERCODE",
    ),
    _states("lc_indexcomponent", "INDATE", "OUTDATE"),
    _states("mf_fundmanagernew", "ACCESSIONDATE", "DIMISSIONDATE"),
    _states("us_index_member", "start_date", "end_date"),
    Identity(
        "us_fact",
        "Assets = Liabilities + StockholdersEquity + MinorityInterest",
        "ABS(a - l - e - m) > 0.5",
        "SELECT MAX(CASE WHEN tag = 'Assets' THEN value END) AS a, "
        "MAX(CASE WHEN tag = 'Liabilities' THEN value END) AS l, "
        "MAX(CASE WHEN tag = 'StockholdersEquity' THEN value END) AS e, "
        "COALESCE(MAX(CASE WHEN tag = 'MinorityInterest' THEN value END), 0) AS m "
        "FROM us_fact WHERE quarters = 0 GROUP BY accession, period_end",
    ),
    Identity(
        "us_fact",
        "ProfitLoss = IncomeLossBeforeIncomeTaxes - IncomeTaxExpenseBenefit",
        "ABS(p - b + t) > 0.5",
        "SELECT MAX(CASE WHEN tag = 'ProfitLoss' THEN value END) AS p, "
        "MAX(CASE WHEN tag = 'IncomeLossBeforeIncomeTaxes' THEN value END) AS b, "
        "MAX(CASE WHEN tag = 'IncomeTaxExpenseBenefit' THEN value END) AS t "
        "FROM us_fact WHERE quarters > 0 GROUP BY accession, period_end, quarters",
    ),
)


def kept(database: Database, tables: Set[str]) -> Iterator[Kept]:
    """Judge every identity whose tables are there.

    Parameters
    ----------
    database : Database
        A built world.
    tables : set of str
        The tables that it has.
    """
    known = {identity.table for identity in IDENTITIES}
    for identity in IDENTITIES:
        if known.intersection(re.findall(r"\w+", identity.sql)) <= tables:
            found = database.query(identity.sql, policy=_POLICY).table.to_pylist()[0]
            yield Kept(identity, int(found["n"]), int(found["bad"] or 0))
