"""As-of questions about partners, related parties, owners, plans of holders and mergers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._blocks._economy import GENERAL
from finassay.world._events import Event, EventType
from finassay.world._events_deals import HolderPlan, Merger
from finassay.world._family import Family, first

if TYPE_CHECKING:
    from finassay.world._world import World

_DAY = "CAST(CAST({column} AS DATE) AS VARCHAR)"
_OWNERS = first(
    answer=f"{_DAY.format(column='t.ENDDATE')} || ' ' || {_DAY.format(column='t.INFOPUBLDATE')}",
    table="lc_equitypenetrate",
    match="t.COMPANYCODE = q.k AND t.INFOPUBLDATE < q.c",
    order="t.ENDDATE DESC, t.INFOPUBLDATE DESC, t.ID DESC",
)
_PLANS = """, r AS (SELECT q.n, q.d, t.PROMISEBEGINDATE AS b, t.PROMISEENDDATE AS e, ROW_NUMBER() OVER (PARTITION BY
  q.n, t.INITIALINFOPUBLDATE, t.SHSN, t.TRANSFERPLANTYPE ORDER BY t.INFOPUBLDATE DESC, t.INSERTTIME DESC, t.ID DESC)
  AS place FROM q JOIN lc_transferplan t ON t.COMPANYCODE = q.k AND t.INFOPUBLDATE < q.c)
SELECT n, CAST(COUNT(*) AS VARCHAR) AS answer FROM r WHERE place = 1 AND b <= d AND e >= d GROUP BY n"""
# The stages disclosed by then; what the meeting decided is known with its announcement
_MERGER = f""", r AS (SELECT q.n, {_DAY.format(column="t.INITIALINFOPUBLDATE")} || ' ' || CAST(CASE
  WHEN t.SMDECIPUBLDATE < q.c AND t.CHANGETYPE = 2 THEN 9 WHEN t.SHARECHANGEPUBLDATE < q.c THEN 5
  WHEN t.ANOUNCEMENTPUBLDATE < q.c THEN 4 WHEN t.SMDECIPUBLDATE < q.c THEN 3 WHEN t.PRESCHEMEPUBLDATE < q.c THEN 2
  ELSE 1 END AS VARCHAR) AS answer,
  ROW_NUMBER() OVER (PARTITION BY q.n ORDER BY t.INITIALINFOPUBLDATE DESC, t.ID DESC) AS place
 FROM q JOIN lc_merger t ON t.COMPANYCODE = q.k AND t.INITIALINFOPUBLDATE < q.c)
SELECT n, answer FROM r WHERE place = 1"""  # noqa: S608 - our own words


_SALES = f""", l AS (SELECT q.n, t.ENDDATE, t.TRADESUM,
  RANK() OVER (PARTITION BY q.n ORDER BY t.ENDDATE DESC) AS place FROM q JOIN lc_relatedtrade t
  ON t.COMPANYCODE = q.k AND t.ASSOCIATION = 1 AND t.TRADETYPE = 2 AND t.INFOPUBLDATE < q.c)
SELECT n, {_DAY.format(column="MAX(ENDDATE)")} || ' ' || CAST(CAST(ROUND(SUM(TRADESUM) * 100) AS BIGINT) AS VARCHAR)
  AS answer FROM l WHERE place = 1 GROUP BY n"""  # noqa: S608 - our own words


def _last_year(table: str) -> str:
    match = "t.COMPANYCODE = q.k AND t.INFOPUBLDATE < q.c"
    return first(_DAY.format(column="t.ENDDATE"), table, match, "t.ENDDATE DESC")


def _companies(world: World) -> list[tuple[int, int]]:
    return [(issuer.company, 0) for issuer in world.issuers]


def _general(world: World) -> list[tuple[int, int]]:
    """Banks, brokers and insurers name no suppliers."""
    template = world.statements.template.tolist()
    return [(i.company, 0) for i, kind in zip(world.issuers, template, strict=True) if kind == GENERAL]


def _company(world: World, event: Event) -> tuple[int, int] | None:
    return world.issuers[event.entity - 1].company, 0


def _general_company(world: World, event: Event) -> tuple[int, int] | None:
    general = world.statements.template[event.entity - 1] == GENERAL
    return _company(world, event) if general else None


def _of_deal(world: World, event: Event) -> tuple[int, int] | None:
    """Return the company of a plan, or of any stage of a merger."""
    while event.supersedes is not None:
        event = world.ledger.by_id[event.supersedes]
    said = event.payload
    return (world.issuers[said.company - 1].company, 0) if isinstance(said, HolderPlan | Merger) else None


def _of_merger(world: World, event: Event) -> tuple[int, int] | None:
    """Return the company of a stage, or of the new shares that an exchange brought."""
    if event.type is EventType.SHARE_CHANGE:
        causes = [world.ledger.by_id[cause].type for cause in event.cause_ids]
        return _company(world, event) if EventType.MERGER_EXCHANGE in causes else None
    return _of_deal(world, event)


def _merging(world: World) -> list[tuple[int, int]]:
    found = {_of_deal(world, event) for event in world.ledger.of(EventType.MERGER_PLAN)}
    return sorted(pair for pair in found if pair) or _companies(world)


DEAL_FAMILIES = (
    Family(
        "suppliers and customers",
        _last_year("lc_suppcustdetail"),
        lambda oracle, q: oracle.partners_year(q.key, q.cutoff),
        (EventType.REPORT,),
        _general,
        _general_company,
    ),
    Family(
        "related parties",
        _last_year("lc_relationship"),
        lambda oracle, q: oracle.related_year(q.key, q.cutoff),
        (EventType.REPORT,),
        _companies,
        _company,
    ),
    Family(
        "sales to the group",
        _SALES,
        lambda oracle, q: oracle.sales_to_group(q.key, q.cutoff),
        (EventType.REPORT,),
        _general,
        _general_company,
    ),
    Family(
        "chain of owners",
        _OWNERS,
        lambda oracle, q: oracle.owners_version(q.key, q.cutoff),
        (EventType.REPORT,),
        _companies,
        _company,
    ),
    Family(
        "plans of holders",
        _PLANS,
        lambda oracle, q: oracle.open_plans(q.key, q.cutoff),
        (EventType.HOLDER_PLAN,),
        _companies,
        _of_deal,
    ),
    Family(
        "mergers",
        _MERGER,
        lambda oracle, q: oracle.merger_stage(q.key, q.cutoff),
        (
            EventType.MERGER_PLAN,
            EventType.MERGER_SCHEME,
            EventType.MERGER_MEETING,
            EventType.MERGER_EXCHANGE,
            EventType.SHARE_CHANGE,
        ),
        _merging,
        _of_merger,
    ),
)
