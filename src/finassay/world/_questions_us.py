"""As-of questions about the US tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._blocks._us_macro import FIRST_ENTITY, SERIES
from finassay.world._events import Event, EventType
from finassay.world._events_us import UsMember
from finassay.world._family import Family

if TYPE_CHECKING:
    from finassay.world._world import World

_FIRST = """, r AS (SELECT q.n, {answer} AS answer, ROW_NUMBER() OVER (PARTITION BY q.n ORDER BY {order}) AS place
 FROM q JOIN {table} t ON {match})
SELECT n, answer FROM r WHERE place = 1 AND answer IS NOT NULL"""
_SYMBOL = _FIRST.format(
    answer="t.symbol",
    order="t.effective_date DESC, t.announced_at DESC, t.id DESC",
    table="us_listing_event",
    match="t.security_id = q.k AND t.effective_date <= q.d AND t.announced_at < q.c",
)
_MEMBER = """
SELECT DISTINCT q.n, 'yes' AS answer FROM q JOIN us_index_member t ON t.security_id = q.k AND t.index_code = 'US300'
 AND t.start_date <= q.d AND t.announced_at < q.c
 AND NOT COALESCE(t.end_date <= q.d AND t.end_announced_at < q.c, FALSE)"""
# No index begins with the filer: of distinct rows MariaDB makes a table with a key of its own
_FILING = _FIRST.format(
    answer="t.accession",
    order="t.period_end DESC, t.accepted_at DESC, t.accession DESC",
    table="(SELECT DISTINCT cik, period_end, accepted_at, accession FROM us_filing)",
    match="t.cik = q.k AND t.accepted_at < q.c",
)
_DIVIDEND = _FIRST.format(
    answer="CAST(t.action_no AS VARCHAR)",
    order="t.ex_date DESC, t.announced_at DESC, t.id DESC",
    table="us_corporate_action",
    match="""t.security_id = q.k AND t.announced_at < q.c AND t.action_type <> 'split' AND t.status = 'declared'
  AND NOT EXISTS (SELECT 1 FROM us_corporate_action w WHERE w.security_id = t.security_id AND w.action_no = t.action_no
   AND w.status = 'cancelled' AND w.announced_at < q.c)""",
)
_CODES = " ".join(f"WHEN {place} THEN '{series.code}'" for place, series in enumerate(SERIES))
# The last of the texts "period release value" is of the last period, and of it of the last release
_RELEASE = f"""
SELECT q.n, MAX(t.answer) AS answer FROM q JOIN (SELECT series, released_at,
  CAST(CAST(period_end AS DATE) AS VARCHAR) || ' ' || CAST(CAST(released_at AS DATE) AS VARCHAR) || ' ' ||
  CAST(CAST(ROUND(value * 10000) AS BIGINT) AS VARCHAR) AS answer,
  ROW_NUMBER() OVER (PARTITION BY series, released_at ORDER BY period_end DESC) AS place FROM us_macro_vintage) t
 ON t.place = 1 AND t.series = CASE q.k {_CODES} END AND t.released_at < q.c GROUP BY q.n"""  # noqa: S608 - our own words
# Of each period the value that was stated last; then the last two periods
_STATED = """, v AS (SELECT q.n, t.period_end AS e, t.value AS x, ROW_NUMBER() OVER (PARTITION BY q.n, t.period_end
  ORDER BY t.accepted_at DESC, t.accession DESC) AS place
 FROM q JOIN us_fact t ON t.cik = q.k AND t.tag = '{tag}' AND t.quarters = {quarters} AND t.accepted_at < q.c),
 s AS (SELECT n, CAST(CAST(e AS DATE) AS VARCHAR) || ' ' || CAST(CAST(ROUND(x) AS BIGINT) AS VARCHAR) AS told,
  ROW_NUMBER() OVER (PARTITION BY n ORDER BY e DESC) AS place FROM v WHERE place = 1)
SELECT n, MAX(CASE WHEN place = 1 THEN told END) || COALESCE(' ' || MAX(CASE WHEN place = 2 THEN told END), '')
  AS answer FROM s WHERE place <= 2 GROUP BY n"""
_INCOME = _STATED.format(tag="NetIncomeLoss", quarters=4)
_ASSETS = _STATED.format(tag="Assets", quarters=0)


def _securities(world: World) -> list[tuple[int, int]]:
    return [(issuer.security, 0) for issuer in world.us.issuers]


def _filers(world: World) -> list[tuple[int, int]]:
    return [(issuer.cik, 0) for issuer in world.us.issuers]


def _series(world: World) -> list[tuple[int, int]]:
    del world  # every world has the same
    return [(place, 0) for place in range(len(SERIES))]


def _security_of(world: World, event: Event) -> tuple[int, int] | None:
    place = event.entity - world.us.issuers[0].entity
    return (world.us.issuers[place].security, 0) if 0 <= place < len(world.us.issuers) else None


def _filer_of(world: World, event: Event) -> tuple[int, int] | None:
    return world.us.issuers[event.entity - world.us.issuers[0].entity].cik, 0


def _member_of(world: World, event: Event) -> tuple[int, int] | None:
    entered = event if isinstance(event.payload, UsMember) else world.ledger.by_id[event.supersedes or 0]
    return (entered.payload.security, 0) if isinstance(entered.payload, UsMember) else None


def _series_of(world: World, event: Event) -> tuple[int, int] | None:
    del world
    return event.entity - FIRST_ENTITY, 0


US_FAMILIES = (
    Family(
        "us symbol",
        _SYMBOL,
        lambda oracle, q: oracle.us_symbol(q.key, q.cutoff),
        (EventType.US_LIST, EventType.US_RENAME, EventType.US_MOVE, EventType.US_DELIST),
        _securities,
        _security_of,
    ),
    Family(
        "us membership",
        _MEMBER,
        lambda oracle, q: "yes" if oracle.us_member(q.key, q.cutoff) else None,
        (EventType.US_INDEX_IN, EventType.US_INDEX_OUT),
        _securities,
        _member_of,
    ),
    Family(
        "us filing",
        _FILING,
        lambda oracle, q: oracle.us_filing(q.key, q.cutoff),
        (EventType.US_FILING, EventType.US_AMENDMENT),
        _filers,
        _filer_of,
    ),
    Family(
        "us dividend",
        _DIVIDEND,
        lambda oracle, q: oracle.us_dividend(q.key, q.cutoff),
        (EventType.US_DIVIDEND, EventType.US_CANCEL),
        _securities,
        _security_of,
    ),
    Family(
        "us release",
        _RELEASE,
        lambda oracle, q: oracle.us_release(FIRST_ENTITY + q.key, q.cutoff),
        (EventType.MACRO_RELEASE,),
        _series,
        _series_of,
    ),
    Family(
        "us income",
        _INCOME,
        lambda oracle, q: oracle.us_income(q.key, q.cutoff),
        (EventType.US_FILING, EventType.US_AMENDMENT),
        _filers,
        _filer_of,
    ),
    Family(
        "us assets",
        _ASSETS,
        lambda oracle, q: oracle.us_assets(q.key, q.cutoff),
        (EventType.US_FILING, EventType.US_AMENDMENT),
        _filers,
        _filer_of,
    ),
)
