"""As-of questions about daily values: R-VAL, R-CRV, prices of shares of both markets."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from finassay.world._blocks._curves import CURVES, TENORS
from finassay.world._blocks._us_market import TENORS as US_TENORS
from finassay.world._calendar import sessions
from finassay.world._config import START
from finassay.world._events import Event, EventType
from finassay.world._events_bonds import BondListing, BondTerms
from finassay.world._events_neeq import NeeqShare
from finassay.world._family import Family, first, looked_up

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from finassay.world._world import World

    Thing = tuple[int, int]

_DAY = "CAST(CAST({column} AS DATE) AS VARCHAR)"
_WHOLE = "CAST(CAST(ROUND({number}) AS BIGINT) AS VARCHAR)"
_RECENT = "{column} < q.c AND {column} > q.d - INTERVAL '30' DAY"
_SPARSE = 40  # one in so many valuations that are late or not recommended is asked about
_GRID = (0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 30.0)  # tenors that worlds of all sizes keep


def _last(table: str, key: str, day: str, number: str) -> str:
    """Return SQL for the last of a thing's daily values, with its day."""
    answer = f"{_DAY.format(column=f't.{day}')} || ' ' || {_WHOLE.format(number=number)}"
    recent = _RECENT.format(column=f"t.{day}")
    return first(answer=answer, table=table, match=f"{key} AND {recent}", order=f"t.{day} DESC")


def _of_day(table: str, match: str, day: str, number: str) -> str:
    """Return SQL for the value of the day, where the day comes first in the table's index: a range finds no index."""
    return f"""
SELECT q.n, {_WHOLE.format(number=number)} AS answer FROM q JOIN {table} t ON t.{day} = q.d AND {match}
 AND t.{day} < q.c AND {number} IS NOT NULL"""  # noqa: S608 - our own words


_VALUE = first(
    answer=f"""CASE WHEN t.CREDIBILITYCODE = 1 THEN {_DAY.format(column="t.ENDDATE")} || ' ' ||
    {_WHOLE.format(number="t.VPYIELD * 10000")} || ' ' || {_WHOLE.format(number="t.VALUEFULLPRICE * 10000")} END""",
    table="bond_cbvaluationall",
    match=f"t.INNERCODE = q.k AND {_RECENT.format(column='t.ENDDATE')} AND t.INSERTTIME < q.c",
    order="t.ENDDATE DESC, t.CREDIBILITYCODE, t.YIELDCODE, t.INSERTTIME DESC, t.ID DESC",
)
_CURVE = _of_day(
    "bond_cbyieldcurve",
    "t.CURVECODE = q.k AND t.YIELDTYPECODE = 1 AND t.YEARSTOMATURITY = q.i / 100.0",
    "ENDDATE",
    "t.YIELDVALUE * 10000",
)
# STAR has a table of its own; of a union of both MariaDB would make a table without a key
_QUOTES = ", ".join(
    looked_up(
        f"{_DAY.format(column='t.TRADINGDAY')} || ' ' || {_WHOLE.format(number='t.CLOSEPRICE * 100')}",
        table,
        f"t.INNERCODE = q.k AND {_RECENT.format(column='t.TRADINGDAY')}",
        "t.TRADINGDAY DESC",
    )
    for table in ("qt_dailyquote", "lc_stibdailyquote")
)
_CLOSE = f"""
SELECT q.n, COALESCE({_QUOTES}) AS answer FROM q"""  # noqa: S608 - our own words
_BACKWARD = _last("qt_performancedata", "t.INNERCODE = q.k", "TRADINGDAY", "t.BACKWARDPRICE * 10000")
_NEEQ_CLOSE = _last("nq_dailyquote", "t.INNERCODE = q.k", "TRADINGDAY", "t.CLOSEPRICE * 100")
_FIXING = _of_day("bond_baseratereference", "q.k = 7", "ENDDATE", "t.B1W * 10000")
_TERMS = first(
    answer=f"""{_DAY.format(column="t.VALUEDATE")} || ' ' || {_DAY.format(column="t.ENDDATE")} || ' ' ||
    {_WHOLE.format(number="t.COUPONRATE * 10000")}""",
    table="bond_basicinfo",
    match="t.INNERCODE = q.k AND t.INITIALINFOPUBLDATE < q.c",
    order="t.ID",
)
_CONVERTIBLE = _last("bond_conbdexchangequote", "t.INNERCODE = q.k", "TRADINGDAY", "t.CLOSEPRICE * 1000")
_INDEX = _last("qt_indexquote", "t.INNERCODE = q.k", "TRADINGDAY", "t.CLOSEPRICE * 10000")
_US_CURVE = _of_day("us_yield_curve", "t.tenor_years = q.i / 100.0", "curve_day", "t.par_yield * 10000")
_WEIGHTS = f""", l AS (SELECT q.n, t.ENDDATE, t.INNERCODE,
  RANK() OVER (PARTITION BY q.n ORDER BY t.ENDDATE DESC) AS place FROM q JOIN lc_indexcomponentsweight t
  ON t.INDEXCODE = q.k AND t.ENDDATE < q.c AND t.ENDDATE > q.d - INTERVAL '45' DAY)
SELECT n, {_DAY.format(column="MAX(ENDDATE)")} || ' ' || CAST(COUNT(*) AS VARCHAR) || ' ' ||
  {_WHOLE.format(number="SUM(INNERCODE)")} AS answer FROM l WHERE place = 1 GROUP BY n"""  # noqa: S608 - our own words
_US_CLOSE = _last("us_price_daily", "t.security_id = q.k", "trading_day", "t.close * 10000")


def _inners(world: World) -> list[Thing]:
    issues = (event.payload for event in world.ledger.of(EventType.BOND_ISSUE))
    return sorted(
        (inner, 0) for terms in issues if isinstance(terms, BondTerms) for inner, _, _ in terms.codes
    )


def _listing(_: World, event: Event) -> Thing | None:
    return (event.payload.inner, 0) if isinstance(event.payload, BondListing) else None


def _bond_edges(world: World) -> Iterator[tuple[Thing, date]]:
    """Yield ends and exercises of bonds, and some of the days whose valuation is late or not recommended."""
    terms = {e.entity: e.payload for e in world.ledger.of(EventType.BOND_ISSUE)}
    for bond in terms.values():
        if isinstance(bond, BondTerms):
            for day in (bond.maturity, bond.exercise):
                if day is not None:
                    yield (bond.codes[0][0], 0), day
    values = world.fixed_income.bonds
    odd = (values.late | (values.recommended == 0)).nonzero()[0][::_SPARSE].tolist()
    for row in odd:
        bond = terms[int(values.entity[row])]
        if isinstance(bond, BondTerms):
            yield (bond.codes[-1][0], 0), sessions().days[int(values.session[row])]


def _nodes(_: World) -> list[Thing]:
    return [(number, round(tenor * 100)) for number, *_ in CURVES for tenor in _GRID]


def _curve_edges(world: World) -> Iterator[tuple[Thing, date]]:
    """Yield the days without a curve, and one day in a hundred."""
    first_day = sessions().at_or_after(START)
    for place, there in enumerate(world.fixed_income.curves.there):
        for n in range(there.size):
            if not there[n] or n % 100 == place:
                tenor = round(_GRID[n % len(_GRID)] * 100)
                yield (CURVES[place][0], tenor), sessions().days[first_day + n]


def _indices(world: World) -> list[Thing]:
    return [(index.inner, 0) for index in world.indices]


def _month_ends(world: World) -> Iterator[tuple[Thing, date]]:
    days = sessions().days[sessions().at_or_after(START) :]
    for day, following in pairwise(days):
        if day.month != following.month:
            for thing in _indices(world):
                yield thing, day


def _convertibles(world: World) -> list[Thing]:
    issues = (event.payload for event in world.ledger.of(EventType.BOND_ISSUE))
    return sorted((terms.main, 0) for terms in issues if isinstance(terms, BondTerms) and terms.kind == 401)


def _convertible(world: World, event: Event) -> Thing | None:
    """Return the convertible that an event is about, if it is about one."""
    issue = world.ledger.by_id.get((int(EventType.BOND_ISSUE) << 56) | (event.entity << 32))
    terms = issue.payload if issue is not None else None
    return (terms.main, 0) if isinstance(terms, BondTerms) and terms.kind == 401 else None


def _neeq(world: World) -> list[Thing]:
    return [(who.share.inner, who.share.entity) for who in world.neeq.members]


def _neeq_share(world: World, event: Event) -> Thing | None:
    opened = world.ledger.by_id.get((int(EventType.NEEQ_SECURITY) << 56) | (event.entity << 32))
    share = opened.payload if opened is not None else None
    return (share.inner, event.entity) if isinstance(share, NeeqShare) else None


def _fixings(_: World) -> list[Thing]:
    return [(7, 0)]


def _all_month_ends(world: World) -> Iterator[tuple[Thing, date]]:
    yield from (((7, 0), day) for thing, day in _month_ends(world) if thing == _indices(world)[0])


def _listed_bond(_: World, event: Event) -> Thing | None:
    terms = event.payload
    return (terms.codes[0][0], 0) if isinstance(terms, BondTerms) else None


def _us_nodes(_: World) -> list[Thing]:
    return [(0, round(tenor * 100)) for tenor in _GRID]


def _us_edges(_: World) -> Iterator[tuple[Thing, date]]:
    """Yield one session in twenty, each with another tenor."""
    days = sessions("XNYS").days[sessions("XNYS").at_or_after(START) :: 20]
    for n, day in enumerate(days):
        yield (0, round(_GRID[n % len(_GRID)] * 100)), day


_CURVE_PLACE = {number: place for place, (number, *_) in enumerate(CURVES)}


def _shares(world: World) -> list[Thing]:
    return [(issuer.inner, 0) for issuer in world.issuers]


def _share(world: World, event: Event) -> Thing | None:
    return world.issuers[event.entity - 1].inner, 0


def _securities(world: World) -> list[Thing]:
    return [(issuer.security, issuer.entity) for issuer in world.us.issuers]


def _security(world: World, event: Event) -> Thing | None:
    place = event.entity - world.us.issuers[0].entity
    issuers = world.us.issuers
    return (issuers[place].security, event.entity) if 0 <= place < len(issuers) else None


_TRADING = (
    *(EventType.LIST, EventType.HALT, EventType.RESUME, EventType.DELIST),
    *(EventType.DIVIDEND_IMPLEMENTED, EventType.RIGHTS_ISSUE),
)
DAILY_FAMILIES = (
    Family(
        "terms of a bond",
        _TERMS,
        lambda oracle, q: oracle.bond_terms(q.key, q.cutoff),
        (EventType.BOND_ISSUE,),
        _inners,
        _listed_bond,
    ),
    Family(
        "valuation of a bond",
        _VALUE,
        lambda oracle, q: oracle.bond_value(q.key, q.cutoff),
        (EventType.BOND_LIST,),
        _inners,
        _listing,
        _bond_edges,
    ),
    Family(
        "yield curve",
        _CURVE,
        lambda oracle, q: oracle.curve_yield(_CURVE_PLACE[q.key], TENORS.index(q.index / 100), q.cutoff),
        (),
        _nodes,
        edges=_curve_edges,
    ),
    Family("close", _CLOSE, lambda oracle, q: oracle.close(q.key, q.cutoff), _TRADING, _shares, _share),
    Family(
        "backward price",
        _BACKWARD,
        lambda oracle, q: oracle.backward_price(q.key, q.cutoff),
        _TRADING,
        _shares,
        _share,
    ),
    Family(
        "convertible close",
        _CONVERTIBLE,
        lambda oracle, q: oracle.convertible_close(q.key, q.cutoff),
        (EventType.BOND_LIST, EventType.CONVERT_CALL, EventType.CONVERT_PRICE),
        _convertibles,
        _convertible,
    ),
    Family(
        "index close",
        _INDEX,
        lambda oracle, q: oracle.index_close(q.key, q.cutoff),
        (),
        _indices,
        edges=_month_ends,
    ),
    Family(
        "weights of an index",
        _WEIGHTS,
        lambda oracle, q: oracle.weighed(q.key, q.cutoff),
        (),
        _indices,
        edges=_month_ends,
    ),
    Family(
        "fixing of a week",
        _FIXING,
        lambda oracle, q: oracle.fixing("B1W", q.cutoff),
        (),
        _fixings,
        edges=_all_month_ends,
    ),
    Family(
        "close on the NEEQ",
        _NEEQ_CLOSE,
        lambda oracle, q: oracle.neeq_close(q.index, q.cutoff),
        (EventType.NEEQ_SECURITY, EventType.NEEQ_DELIST, EventType.NEEQ_IMPLEMENTED),
        _neeq,
        _neeq_share,
    ),
    Family(
        "us yield curve",
        _US_CURVE,
        lambda oracle, q: oracle.us_yield(US_TENORS.index(q.index / 100), q.cutoff),
        (),
        _us_nodes,
        edges=_us_edges,
    ),
    Family(
        "us price",
        _US_CLOSE,
        lambda oracle, q: oracle.us_close(q.index, q.cutoff),
        (EventType.US_LIST, EventType.US_DELIST, EventType.US_DIVIDEND, EventType.US_SPLIT),
        _securities,
        _security,
    ),
)
