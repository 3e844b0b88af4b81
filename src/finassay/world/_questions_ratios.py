"""As-of questions about ratios by version and of single quarters, and about valuations of shares."""

from __future__ import annotations

from calendar import monthrange
from datetime import date
from typing import TYPE_CHECKING

from finassay.world._events import Event, EventType
from finassay.world._events_company import Report
from finassay.world._family import Family, first
from finassay.world._questions_reports import RETURN_ON_EQUITY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finassay.world._world import World

_STAR = 7
_DAY = "CAST(CAST({column} AS DATE) AS VARCHAR)"
_FEN = "CAST(CAST(ROUND({column} * 100) AS BIGINT) AS VARCHAR)"
_PERIOD = _DAY.format(column="t.ENDDATE")
# R-STMT of an overwritten table: the stored row, if its day is known and before the cutoff
_QUARTER = first(
    answer=f"{_FEN.format(column='t.NPFROMPARENTCOMPANYOWNERS')} || ' ' || {RETURN_ON_EQUITY}",
    order="t.ID",
    table="lc_qfinancialindexnew",
    match="""t.COMPANYCODE = q.k AND t.MARK = 1 AND t.INFOPUBLDATE < q.c
  AND EXTRACT(YEAR FROM t.ENDDATE) * 100 + EXTRACT(MONTH FROM t.ENDDATE) = q.i""",
)
_ON_STAR = first(
    answer=f"{_PERIOD} || ' ' || {RETURN_ON_EQUITY}",
    order="t.ENDDATE DESC, t.INFOPUBLDATE DESC, t.INSERTTIME DESC, t.ID DESC",
    table="lc_stibmainindex",
    match="t.COMPANYCODE = q.k AND t.IFMERGED = 1 AND t.INFOPUBLDATE < q.c",
)
_DERIVED = first(
    answer=f"{_PERIOD} || ' ' || {RETURN_ON_EQUITY}",
    order="t.ENDDATE DESC, t.INFOPUBLDATE DESC, t.INSERTTIME DESC, t.ID DESC",
    table="fin_derivative",
    match="t.COMPANYCODE = q.k AND t.MARK = 1 AND t.INFOPUBLDATE < q.c",
)
# The sum over twelve months of a year end is that year's figure
_YEAR = first(
    answer=f"{_PERIOD} || ' ' || {_FEN.format(column='t.NPPARENTCOMPANYOWNERSTTM')}",
    order="t.ENDDATE DESC, t.INFOPUBLDATE DESC, t.ID DESC",
    table="lc_derivativedata",
    match="t.COMPANYCODE = q.k AND EXTRACT(MONTH FROM t.ENDDATE) = 12 AND t.INFOPUBLDATE < q.c",
)
_VALUATION = first(
    answer=f"{_DAY.format(column='t.TRADINGDAY')} || ' ' || {_FEN.format(column='t.TOTALMV')} || ' '"
    " || COALESCE(CAST(CAST(ROUND(t.PB * 10000) AS BIGINT) AS VARCHAR), '-')",
    order="t.TRADINGDAY DESC",
    table="lc_dindicesforvaluation",
    match="t.INNERCODE = q.k AND t.TRADINGDAY < q.c AND t.TRADINGDAY > q.d - INTERVAL '30' DAY",
)


def _quarters(world: World) -> Iterator[tuple[tuple[int, int], date]]:
    """Yield companies and quarters with each day on which a filing shows them, given or not."""
    for event in world.ledger.of(EventType.REPORT):
        issuer = world.issuers[event.entity - 1]
        if issuer.board != _STAR and isinstance(event.payload, Report):
            for figures in event.payload.shown:
                end = figures.period_end
                yield (issuer.company, end.year * 100 + end.month), event.disclosed_at.date()


def _quarter_end(number: int) -> date:
    """Return the last day of a month given as year times 100 plus month."""
    return date(number // 100, number % 100, monthrange(number // 100, number % 100)[1])


def _star_company(world: World, event: Event) -> tuple[int, int] | None:
    issuer = world.issuers[event.entity - 1]
    return (issuer.company, 0) if issuer.board == _STAR else None


def _star_companies(world: World) -> list[tuple[int, int]]:
    return [(issuer.company, 0) for issuer in world.issuers if issuer.board == _STAR]


def _share(world: World, event: Event) -> tuple[int, int] | None:
    return world.issuers[event.entity - 1].inner, 0


def _companies(world: World) -> list[tuple[int, int]]:
    return [(issuer.company, 0) for issuer in world.issuers]


def _company(world: World, event: Event) -> tuple[int, int] | None:
    return world.issuers[event.entity - 1].company, 0


def _shares(world: World) -> list[tuple[int, int]]:
    return [(issuer.inner, 0) for issuer in world.issuers]


RATIO_FAMILIES = (
    Family(
        "ratios of a quarter",
        _QUARTER,
        lambda oracle, q: oracle.quarter_ratio(q.key, _quarter_end(q.index), q.cutoff),
        (),
        lambda world: sorted({thing for thing, _ in _quarters(world)}),
        edges=_quarters,
    ),
    Family(
        "ratios on STAR",
        _ON_STAR,
        lambda oracle, q: oracle.latest_ratio(q.key, q.cutoff),
        (EventType.REPORT,),
        _star_companies,
        _star_company,
    ),
    Family(
        "derived ratios",
        _DERIVED,
        lambda oracle, q: oracle.latest_ratio(q.key, q.cutoff),
        (EventType.REPORT,),
        _companies,
        _company,
    ),
    Family(
        "derived profit of a year",
        _YEAR,
        lambda oracle, q: oracle.year_profit(q.key, q.cutoff),
        (EventType.REPORT,),
        _companies,
        _company,
    ),
    Family(
        "valuation of a share",
        _VALUATION,
        lambda oracle, q: oracle.valuation(q.key, q.cutoff),
        (EventType.REPORT, EventType.SHARE_CHANGE, EventType.LIST, EventType.DELIST, EventType.HALT),
        _shares,
        _share,
    ),
)
