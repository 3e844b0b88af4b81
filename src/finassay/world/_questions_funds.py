"""As-of questions about funds: the rules R-FUND, R-CLS, R-MGR, R-NAV and R-SIZE of task_families.md (0.2), and more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._blocks._funds_universe import FIRST_INNER, FUND_BASE
from finassay.world._events import Event, EventType
from finassay.world._family import Family, first

if TYPE_CHECKING:
    from collections.abc import Callable

    from finassay.world._family import Question
    from finassay.world._world import World
    from finassay.world.oracle import Oracle

_ALIVE = """
SELECT DISTINCT q.n, 'yes' AS answer FROM q JOIN mf_fundarchives t ON t.INNERCODE = q.k
 AND t.ESTABLISHMENTDATE <= q.d AND (t.EXPIREDATE IS NULL OR t.EXPIREDATE > q.d)"""
_CLASS = first(
    answer="CAST(t.THIRDASSETCATCODE AS VARCHAR)",
    order="t.EFFECTIVEDATE DESC, t.INSERTTIME DESC, t.ID DESC",
    end="t.CANCELDATE",
    table="mf_jyfundtype",
    match="t.INNERCODE = q.k AND t.STANDARD = 75 AND t.EFFECTIVEDATE <= q.d AND t.INSERTTIME < q.c",
)
_MANAGERS = """
SELECT q.n, CAST(COUNT(DISTINCT t.PERSONALCODE) AS VARCHAR) || ' ' || CAST(MIN(t.PERSONALCODE) AS VARCHAR) AS answer
 FROM q JOIN mf_fundmanagernew t ON t.INNERCODE = q.k AND t.POSTNAME = 1 AND t.INFOPUBLDATE < q.c
 AND t.ACCESSIONDATE <= q.d AND (t.DIMISSIONDATE IS NULL OR t.DIMISSIONDATE > q.d) GROUP BY q.n"""
_DEALING = first(
    answer="t.APPLYINGTYPE || ' ' || CAST(CAST(COALESCE(t.LARGEAPPLYINGMAX, 0) AS BIGINT) AS VARCHAR)",
    order="t.ENDDATE DESC, t.INSERTTIME DESC, t.ID DESC",
    table="mf_purchaseandredeem",
    match="t.INNERCODE = q.k AND t.ENDDATE <= q.d AND t.INSERTTIME < q.c",
)
_BENCHMARK = first(
    answer="CAST(t.TRACEDINDEXCODE AS VARCHAR)",
    order="t.EXCUTEDATE DESC, t.MINIMUMWEIGHT DESC, t.SERIALNUMBER",
    table="mf_benchmarkallocation",
    match="""t.INNERCODE = q.k AND t.EXCUTEDATE <= q.d AND t.INFOPUBLDATE < q.c
 AND (t.CANCELDATE IS NULL OR t.CANCELDATE > q.d)""",
)
_TARGET = first(
    answer="CAST(t.TRACEDINDEXCODE AS VARCHAR)",
    order="t.EXECUTEDATE DESC, t.ID DESC",
    table="mf_investtargetcriterion",
    match="""t.INNERCODE = q.k AND t.EXECUTEDATE <= q.d AND t.INFOPUBLDATE < q.c
 AND (t.CANCELDATE IS NULL OR t.CANCELDATE > q.d)""",
)
_FEE = first(
    answer="CAST(CAST(ROUND(t.MAXCHARGERATE * 100) AS BIGINT) AS VARCHAR)",
    order="t.EXCUTEDATE DESC, t.ID DESC",
    table="mf_chargeratenew",
    match="""t.INNERCODE = q.k AND t.CHARGERATETYPE = 1 AND t.EXCUTEDATE <= q.d AND t.INFOPUBLDATE < q.c
 AND (t.CANCELDATE IS NULL OR t.CANCELDATE > q.d)""",
)
_NAV = first(
    answer="""CAST(CAST(t.TRADINGDAY AS DATE) AS VARCHAR) || ' '
 || CAST(CAST(ROUND(t.UNITNVRESTORED * 1000000) AS BIGINT) AS VARCHAR)""",
    order="t.TRADINGDAY DESC, t.INSERTTIME DESC, t.ID DESC",
    table="mf_fundnetvalueretrans",
    match="t.INNERCODE = q.k AND t.TRADINGDAY <= q.d AND t.INSERTTIME < q.c",
)
_SIZE = first(
    answer="""CAST(CAST(t.ENDDATE AS DATE) AS VARCHAR) || ' '
 || CAST(CAST(ROUND(t.COMBNVI * 100) AS BIGINT) AS VARCHAR)""",
    order="t.ENDDATE DESC, t.INSERTTIME DESC, t.ID DESC",
    table="mf_scaleanalysis",
    match="t.INNERCODE = q.k AND t.INSERTTIME < q.c",
)
_TOP = """, l AS (SELECT q.n, t.REPORTDATE, t.SERIALNUMBER * t.STOCKINNERCODE AS v,
 RANK() OVER (PARTITION BY q.n ORDER BY t.REPORTDATE DESC, t.INFOPUBLDATE DESC) AS place
 FROM q JOIN mf_keystockportfolio t ON t.INNERCODE = q.k AND t.INFOPUBLDATE < q.c)
SELECT n, CAST(CAST(MAX(REPORTDATE) AS DATE) AS VARCHAR) || ' ' || CAST(CAST(SUM(v) AS BIGINT) AS VARCHAR) AS answer
 FROM l WHERE place = 1 GROUP BY n"""
_PURCHASE = {1: "开放申购", 2: "限制大额申购", 3: "暂停申购"}


def _classes(world: World) -> list[tuple[int, int]]:
    return [(part.payload.inner, 0) for life in world.funds.lives for part in life.classes]


def _class_of(world: World, event: Event) -> tuple[int, int] | None:
    """Return one of the classes of an event's fund: another one for each of its events."""
    fund = event.entity & ~3
    places = [n for n in range(3) if _opening(fund + 1 + n) in world.ledger.by_id]
    if not places:
        return None
    return FIRST_INNER + fund - FUND_BASE + places[event.seq % len(places)], 0


def _opening(entity: int) -> int:
    return int(EventType.FUND_CLASS) << 56 | entity << 32


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _pair(value: tuple[object, object] | None) -> str | None:
    return None if value is None else f"{value[0]} {value[1]}"


def _managers(oracle: Oracle, q: Question) -> str | None:
    found = oracle.fund_managers(q.key, q.cutoff)
    return f"{len(found)} {min(found)}" if found else None


def _dealing(oracle: Oracle, q: Question) -> str | None:
    state = oracle.fund_dealing(q.key, q.cutoff)
    return None if state is None else f"{_PURCHASE[state[0]]} {state[1]}"


def _family(name: str, sql: str, ask: Callable[[Oracle, Question], str | None], *types: EventType) -> Family:
    return Family(name, sql, ask, types, _classes, _class_of)


def _stock_funds(world: World) -> list[tuple[int, int]]:
    held = world.funds.stocks.sum(axis=1) > 0
    return [
        (life.classes[0].payload.inner, 0) for life, any_ in zip(world.funds.lives, held, strict=True) if any_
    ]


def _main_of(world: World, event: Event) -> tuple[int, int] | None:
    del world
    return FIRST_INNER + (event.entity & ~3) - FUND_BASE, 0


def _top_ten(oracle: Oracle, q: Question) -> str | None:
    found = oracle.fund_top_ten(q.key, q.cutoff)
    if found is None:
        return None
    numbers = [oracle.inner_of(share) for share in found[1]]
    return f"{found[0]} {sum(rank * number for rank, number in enumerate(numbers, start=1))}"


FUND_FAMILIES = (
    _family(
        "fund alive",
        _ALIVE,
        lambda oracle, q: "yes" if oracle.fund_alive(q.key, q.cutoff) else None,
        EventType.FUND_CLASS,
        EventType.FUND_CLOSE,
    ),
    _family(
        "fund class",
        _CLASS,
        lambda oracle, q: _text(oracle.fund_class(q.key, q.cutoff)),
        EventType.FUND_KIND,
    ),
    _family("fund managers", _MANAGERS, _managers, EventType.MANAGER_IN, EventType.MANAGER_OUT),
    _family("fund dealing", _DEALING, _dealing, EventType.FUND_DEALING),
    _family(
        "fund benchmark",
        _BENCHMARK,
        lambda oracle, q: _text(oracle.fund_benchmark(q.key, q.cutoff)),
        EventType.FUND_BENCHMARK,
    ),
    _family(
        "fund target",
        _TARGET,
        lambda oracle, q: _text(oracle.fund_target(q.key, q.cutoff)),
        EventType.FUND_TARGET,
    ),
    _family(
        "fund fee",
        _FEE,
        lambda oracle, q: _text(oracle.fund_fee(q.key, 1, q.cutoff)),
        EventType.FUND_FEE,
    ),
    _family(
        "net value",
        _NAV,
        lambda oracle, q: _pair(oracle.fund_nav(q.key, q.cutoff)),
        EventType.FUND_CLASS,
        EventType.FUND_PAYOUT,
    ),
    _family(
        "fund size",
        _SIZE,
        lambda oracle, q: _pair(oracle.fund_size(q.key, q.cutoff)),
        EventType.FUND_CLASS,
        EventType.FUND_CLOSE,
    ),
    Family("top ten", _TOP, _top_ten, (EventType.FUND_OPEN, EventType.MANAGER_OUT), _stock_funds, _main_of),
)
