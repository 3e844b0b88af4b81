"""As-of questions about the NEEQ, competitors and managers' pay, by the R-rules of task_families.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._events import Event, EventType
from finassay.world._events_neeq import Naming, NeeqShare
from finassay.world._family import Family

if TYPE_CHECKING:
    from finassay.world._world import World

_DAY = "CAST(CAST({column} AS DATE) AS VARCHAR)"
_WHOLE = "CAST(CAST(ROUND({amount} * 100) AS BIGINT) AS VARCHAR)"
_INDUSTRY = """, r AS (SELECT q.n, q.d, t.FIRSTINDUSTRYCD AS answer, t.UNEFFECTDATE AS ending, ROW_NUMBER() OVER
  (PARTITION BY q.n ORDER BY t.EFFECTIVEDATE DESC, t.INFOPUBLDATE DESC, t.INSERTTIME DESC, t.ID DESC) AS place
 FROM q JOIN nq_exgindustry t ON t.COMPANYCODE = q.k AND t.INDUSTRYSTD = 38 AND t.INFOPUBLDATE < q.c
  AND t.EFFECTIVEDATE <= q.d)
SELECT n, answer FROM r WHERE place = 1 AND (ending IS NULL OR ending > d)"""
_DIVIDEND = f""", r AS (SELECT q.n, {_DAY.format(column="t.ENDDATE")} || ' ' ||
  CAST(CAST(t.EVENTPROCEDURE AS BIGINT) AS VARCHAR) || ' ' || {_WHOLE.format(amount="t.CASHDIVPRETAX")} AS answer,
  ROW_NUMBER() OVER (PARTITION BY q.n ORDER BY t.ENDDATE DESC, t.INFOPUBLDATE DESC, t.EVENTPROCEDURE DESC) AS place
 FROM q JOIN nq_dividend t ON t.COMPANYCODE = q.k AND t.INFOPUBLDATE < q.c)
SELECT n, answer FROM r WHERE place = 1"""  # noqa: S608 - our own words
_RATIOS = f""", r AS (SELECT q.n, {_DAY.format(column="t.ENDDATE")} || ' ' ||
  {_WHOLE.format(amount="t.NPPARENTCOMPANYOWNERS")} AS answer,
  ROW_NUMBER() OVER (PARTITION BY q.n ORDER BY t.ENDDATE DESC, t.INSERTTIME DESC, t.ID DESC) AS place
 FROM q JOIN nq_mainindexnew t ON t.COMPANYCODE = q.k AND t.MARK = 1 AND t.INSERTTIME < q.c)
SELECT n, answer FROM r WHERE place = 1"""  # noqa: S608 - our own words
_COMPETITORS = """, r AS (SELECT q.n, t.COMPETECOMPANYCODE AS other, RANK() OVER (PARTITION BY q.n
  ORDER BY t.INFOPUBLDATE DESC) AS place FROM q JOIN lc_competitor t ON t.COMPANYCODE = q.k AND t.INFOPUBLDATE < q.c)
SELECT n, CAST(CAST(SUM(other) AS BIGINT) AS VARCHAR) AS answer FROM r WHERE place = 1 GROUP BY n"""
_PAY = f"""
SELECT q.n, {_DAY.format(column="MAX(t.ENDDATE)")} AS answer FROM q JOIN lc_rewardstat t ON t.COMPANYCODE = q.k
 AND t.INFOPUBLDATE < q.c GROUP BY q.n"""  # noqa: S608 - our own words


def _members(world: World) -> list[tuple[int, int]]:
    return [(who.share.company, 0) for who in world.neeq.members]


def _member(world: World, event: Event) -> tuple[int, int] | None:
    first = world.ledger.by_id.get((int(EventType.NEEQ_SECURITY) << 56) | (event.entity << 32))
    return (first.payload.company, 0) if first and isinstance(first.payload, NeeqShare) else None


def _companies(world: World) -> list[tuple[int, int]]:
    return [(issuer.company, 0) for issuer in world.issuers]


def _company(world: World, event: Event) -> tuple[int, int] | None:
    return world.issuers[event.entity - 1].company, 0


def _naming(_: World, event: Event) -> tuple[int, int] | None:
    return (event.payload.company, 0) if isinstance(event.payload, Naming) else None


NEEQ_FAMILIES = (
    Family(
        "industry on the NEEQ",
        _INDUSTRY,
        lambda oracle, q: oracle.neeq_industry(q.key, q.cutoff),
        (EventType.NEEQ_INDUSTRY,),
        _members,
        _member,
    ),
    Family(
        "dividend on the NEEQ",
        _DIVIDEND,
        lambda oracle, q: oracle.neeq_dividend(q.key, q.cutoff),
        (EventType.NEEQ_PLAN, EventType.NEEQ_APPROVED, EventType.NEEQ_IMPLEMENTED),
        _members,
        _member,
    ),
    Family(
        "ratios on the NEEQ",
        _RATIOS,
        lambda oracle, q: oracle.neeq_ratios(q.key, q.cutoff),
        (EventType.NEEQ_REPORT,),
        _members,
        _member,
    ),
    Family(
        "competitors",
        _COMPETITORS,
        lambda oracle, q: oracle.competitors(q.key, q.cutoff),
        (EventType.COMPETITORS,),
        _companies,
        _naming,
    ),
    Family(
        "pay of managers",
        _PAY,
        lambda oracle, q: oracle.paid_year(q.key, q.cutoff),
        (EventType.REPORT,),
        _companies,
        _company,
    ),
)
