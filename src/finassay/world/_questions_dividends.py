"""As-of questions about dividends of A-shares, by the stages that are disclosed, and about halts on STAR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._events import Event, EventType
from finassay.world._family import Family, first

if TYPE_CHECKING:
    from finassay.world._world import World

_STAR = 7
_DAY = "CAST(CAST({column} AS DATE) AS VARCHAR)"
_WHOLE = "CAST(CAST({number} AS BIGINT) AS VARCHAR)"
_AMOUNTS = " || ' ' || ".join(
    [_WHOLE.format(number="ROUND(t.CASHDIVIRMB * 100)"), _WHOLE.format(number="ROUND(t.BONUSSHARERATIO)")]
)
# One row per plan, filled in later: a stage counts once its own day is before the cutoff
_PAID = "t.DIVIDENDIMPLEMENTDATE < q.c"
_DIVIDEND = first(
    answer=f"""{_DAY.format(column="t.ENDDATE")} || ' ' || CASE WHEN {_PAID} THEN '3' WHEN t.SMDECIPUBLDATE < q.c
    AND t.EVENTPROCEDURE = 4 THEN '4' WHEN t.SMDECIPUBLDATE < q.c THEN '2' ELSE '1' END || ' ' || {_AMOUNTS} || ' '
    || CASE WHEN {_PAID} THEN {_DAY.format(column="t.EXDIVIDATE")} ELSE '-' END""",
    order="t.ENDDATE DESC, t.ADVANCEDATE DESC, t.ID DESC",
    table="lc_dividend",
    match="t.INNERCODE = q.k AND t.ADVANCEDATE < q.c",
)
# One row per stage
_ON_STAR = first(
    answer=f"""{_DAY.format(column="t.ENDDATE")} || ' ' || {_WHOLE.format(number="t.EVENTPROCEDURE")} || ' ' ||
    {_AMOUNTS} || ' ' || COALESCE({_DAY.format(column="t.EXDIVIDATE")}, '-')""",
    order="t.ENDDATE DESC, t.INFOPUBLDATE DESC, t.INSERTTIME DESC, t.ID DESC",
    table="lc_stibdividend",
    match="t.INNERCODE = q.k AND t.INFOPUBLDATE < q.c",
)
# The last notice in force tells; a resumption before a halt of the same day
_HALTED = first(
    answer="CASE WHEN t.SUSPENDRESUMPTYPE = 1 THEN 'yes' ELSE NULL END",
    order="t.SUSPENDRESUMPDATE DESC, t.SUSPENDRESUMPTYPE, t.INFOPUBLDATE DESC, t.ID DESC",
    table="lc_stibsuspendresume",
    match="t.INNERCODE = q.k AND t.SUSPENDRESUMPDATE <= q.d AND t.INFOPUBLDATE < q.c",
)


def _shares(world: World) -> list[tuple[int, int]]:
    return [(issuer.inner, 0) for issuer in world.issuers if issuer.board != _STAR]


def _share(world: World, event: Event) -> tuple[int, int] | None:
    issuer = world.issuers[event.entity - 1]
    return None if issuer.board == _STAR else (issuer.inner, 0)


def _star_shares(world: World) -> list[tuple[int, int]]:
    return [(issuer.inner, 0) for issuer in world.issuers if issuer.board == _STAR]


def _star_share(world: World, event: Event) -> tuple[int, int] | None:
    issuer = world.issuers[event.entity - 1]
    return (issuer.inner, 0) if issuer.board == _STAR else None


_STAGES = (EventType.DIVIDEND_PLAN, EventType.DIVIDEND_APPROVED, EventType.DIVIDEND_IMPLEMENTED)
DIVIDEND_FAMILIES = (
    Family(
        "dividend", _DIVIDEND, lambda oracle, q: oracle.dividend(q.key, q.cutoff), _STAGES, _shares, _share
    ),
    Family(
        "dividend on STAR",
        _ON_STAR,
        lambda oracle, q: oracle.dividend(q.key, q.cutoff),
        _STAGES,
        _star_shares,
        _star_share,
    ),
    Family(
        "halt on STAR",
        _HALTED,
        lambda oracle, q: "yes" if oracle.halted_by_notice(q.key, q.cutoff) else None,
        (EventType.HALT, EventType.RESUME),
        _star_shares,
        _star_share,
    ),
)
