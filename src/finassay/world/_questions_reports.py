"""As-of questions about statements, opinions and share capital."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._blocks._concepts import FIRST_ENTITY
from finassay.world._events import Event, EventType
from finassay.world._events_company import ConceptMember
from finassay.world._family import Family, first

if TYPE_CHECKING:
    from finassay.world._world import World

_STAR = 7
RETURN_ON_EQUITY = "COALESCE(CAST(CAST(ROUND(t.ROE * 10000) AS BIGINT) AS VARCHAR), '-')"
_FEN = "CAST(CAST(ROUND({column} * 100) AS BIGINT) AS VARCHAR)"
_DAY = "CAST(CAST({column} AS DATE) AS VARCHAR)"
# R-STMT, R-LATEST, R-TTM: of each period the last version disclosed, then the largest period, the year end before it,
# and its period a year before. Groups, and no table joined to itself: engines do not foresee how many rows that has
_VERSIONS = """, v AS (SELECT q.n, CAST(t.ENDDATE AS DATE) AS e, t.NPFROMPARENTCOMPANYOWNERS AS x, ROW_NUMBER() OVER
  (PARTITION BY q.n, t.ENDDATE ORDER BY t.INFOPUBLDATE DESC, t.INSERTTIME DESC, t.ID DESC) AS place
 FROM q JOIN lc_maindatanew t ON t.COMPANYCODE = q.k AND t.MARK = 1 AND t.INFOPUBLDATE < q.c),
 s AS (SELECT n, e, x, MAX(e) OVER (PARTITION BY n) AS m FROM v WHERE place = 1),
 g AS (SELECT n, m, MAX(CASE WHEN e = m THEN x END) AS x, MAX(CASE WHEN EXTRACT(YEAR FROM e) = EXTRACT(YEAR FROM m) - 1
   AND EXTRACT(MONTH FROM e) = 12 THEN x END) AS y, MAX(CASE WHEN EXTRACT(YEAR FROM e) = EXTRACT(YEAR FROM m) - 1
   AND EXTRACT(MONTH FROM e) = EXTRACT(MONTH FROM m) THEN x END) AS b FROM s GROUP BY n, m)"""
_LATEST = f"""{_VERSIONS}
SELECT n, CAST(m AS VARCHAR) || ' ' || {_FEN.format(column="x")} || ' ' ||
  COALESCE({_FEN.format(column="(CASE WHEN EXTRACT(MONTH FROM m) = 12 THEN x ELSE x + y - b END)")}, '-')
  AS answer FROM g"""  # noqa: S608 - our own words
_EQUITY = first(
    answer=f"{_DAY.format(column='t.ENDDATE')} || ' ' || {_FEN.format(column='t.SEWITHOUTMI')}",
    order="t.ENDDATE DESC, t.INFOPUBLDATE DESC, t.INSERTTIME DESC, t.ID DESC",
    table="lc_balancesheetall",
    match="t.COMPANYCODE = q.k AND t.IFMERGED = 1 AND t.INFOPUBLDATE < q.c AND EXTRACT(MONTH FROM t.ENDDATE) = 12",
)
_RATIOS = first(
    answer=f"{_DAY.format(column='t.ENDDATE')} || ' ' || {RETURN_ON_EQUITY}",
    order="t.ENDDATE DESC",
    table="lc_mainindexnew",
    match="t.COMPANYCODE = q.k AND t.INFOPUBLDATE < q.c",
)
_OPINION = first(
    answer=f"{_DAY.format(column='t.ENDDATE')} || ' ' || CAST(CAST(t.OPINIONTYPE AS BIGINT) AS VARCHAR)",
    order="t.ENDDATE DESC, t.INFOPUBLDATE DESC, t.ID DESC",
    table="lc_auditopinion",
    match="t.COMPANYCODE = q.k AND t.AUDITREPORTSTYPE = 1 AND t.INFOPUBLDATE < q.c",
)
_SHARES = first(
    answer="CAST(CAST(t.TOTALSHARES AS BIGINT) AS VARCHAR)",
    order="t.ENDDATE DESC, t.INFOPUBLDATE DESC, t.ID DESC",
    table="lc_sharestru",
    match="t.COMPANYCODE = q.k AND t.ENDDATE <= q.d AND t.INFOPUBLDATE < q.c",
)

_CONCEPT = """
SELECT DISTINCT q.n, 'yes' AS answer FROM q JOIN lc_coconcept t ON t.INNERCODE = q.k AND t.CONCEPTCODE = q.i
 AND t.INFOPUBLDATE < q.c AND t.INDATE <= q.d AND (t.OUTDATE IS NULL OR t.OUTDATE > q.d)"""


def _member(world: World, event: Event) -> tuple[int, int] | None:
    entered = event if event.supersedes is None else world.ledger.by_id[event.supersedes]
    concept = 8000 + event.entity - FIRST_ENTITY
    return (entered.payload.inner, concept) if isinstance(entered.payload, ConceptMember) else None


def _members(world: World) -> list[tuple[int, int]]:
    found = {_member(world, event) for event in world.ledger.of(EventType.CONCEPT_IN)}
    return sorted(pair for pair in found if pair)


def _companies(world: World) -> list[tuple[int, int]]:
    return [(issuer.company, 0) for issuer in world.issuers]


def _without_star(world: World) -> list[tuple[int, int]]:
    return [(issuer.company, 0) for issuer in world.issuers if issuer.board != _STAR]


def _company(world: World, event: Event) -> tuple[int, int] | None:
    return world.issuers[event.entity - 1].company, 0


def _outside_star(world: World, event: Event) -> tuple[int, int] | None:
    return None if world.issuers[event.entity - 1].board == _STAR else _company(world, event)


REPORT_FAMILIES = (
    Family(
        "latest report",
        _LATEST,
        lambda oracle, q: oracle.latest_report(q.key, q.cutoff),
        (EventType.REPORT,),
        _companies,
        _company,
    ),
    Family(
        "equity at the year end",
        _EQUITY,
        lambda oracle, q: oracle.year_end_equity(q.key, q.cutoff),
        (EventType.REPORT,),
        _companies,
        _company,
    ),
    Family(
        "overwritten ratios",
        _RATIOS,
        lambda oracle, q: oracle.overwritten_ratio(q.key, q.cutoff),
        (EventType.REPORT,),
        _without_star,
        _outside_star,
    ),
    Family(
        "audit opinion",
        _OPINION,
        lambda oracle, q: oracle.opinion(q.key, q.cutoff),
        (EventType.OPINION, EventType.REPORT),
        _companies,
        _company,
    ),
    Family(
        "share capital",
        _SHARES,
        lambda oracle, q: oracle.shares(q.key, q.cutoff),
        (EventType.SHARE_CHANGE,),
        _companies,
        _company,
    ),
    Family(
        "concept",
        _CONCEPT,
        lambda oracle, q: "yes" if oracle.in_concept(q.index, q.key, q.cutoff) else None,
        (EventType.CONCEPT_IN, EventType.CONCEPT_OUT),
        _members,
        _member,
    ),
)
