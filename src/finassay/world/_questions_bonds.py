"""As-of questions about bonds, debtors, convertibles and Chinese macro series, by the R-rules of task_families.md."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from finassay.world._events import Event, EventType
from finassay.world._events_bonds import (
    BondDefault,
    BondTerms,
    ConvertTerms,
    Debtor,
    MacroSeries,
    Release,
    Theme,
)
from finassay.world._family import Family

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from finassay.world._world import World

    Thing = tuple[int, int]

_FIRST = """, r AS (SELECT q.n, {answer} AS answer, ROW_NUMBER() OVER (PARTITION BY q.n ORDER BY {order}) AS place,
 {end} AS ending, q.d FROM q JOIN {table} t ON {match})
SELECT n, answer FROM r WHERE place = 1 AND (ending IS NULL OR ending > d)"""
_GRADE = "CAST(CAST(t.CRCODE AS BIGINT) AS VARCHAR)"
_RATED = "t.CRDATE DESC, t.INFOPUBLDATE DESC, t.ID DESC"
_NO_END = "CAST(NULL AS TIMESTAMP)"
_BOND_GRADE = _FIRST.format(
    answer=_GRADE,
    order=_RATED,
    end="t.RATINGEFFECTIVEENDDATE",
    table="bond_bdcreditgrading",
    match="t.MAINCODE = q.k AND t.CRTYPECODE = 1 AND t.INFOPUBLDATE < q.c AND t.CRDATE <= q.d",
)
_DEBTOR_GRADE = _FIRST.format(
    answer=_GRADE,
    order=_RATED,
    end="t.RATINGEFFECTIVEENDDATE",
    table="bond_comcreditgrading",
    match="t.COMPANYCODE = q.k AND t.CRTYPE = 1 AND t.INFOPUBLDATE < q.c AND t.CRDATE <= q.d",
)
_DEFAULT = """
SELECT DISTINCT q.n, 'yes' AS answer FROM q JOIN bond_default t ON t.INNERCODE = q.k AND t.INFOPUBLDATE < q.c
 AND (t.REVOKEDATE IS NULL OR t.REVOKEDATE > q.d)"""
_AMOUNT = _FIRST.format(
    answer="CAST(CAST(ROUND(t.TOTALSIZE * 10000) AS BIGINT) AS VARCHAR)",
    order="t.ENDDATE DESC, t.INFOPUBLDATE DESC, t.ID DESC",
    end=_NO_END,
    table="bond_size",
    match="t.MAINCODE = q.k AND t.ENDDATE <= q.d AND t.INFOPUBLDATE < q.c",
)
_PRICE = _FIRST.format(
    answer="CAST(CAST(ROUND(t.CONVERTPRICE * 100) AS BIGINT) AS VARCHAR)",
    order="t.VALIDDATE DESC, t.INFOPUBLDATE DESC, t.ID DESC",
    end=_NO_END,
    table="bond_conbdconvertprice",
    match="t.INNERCODE = q.k AND t.VALIDDATE <= q.d AND t.INFOPUBLDATE < q.c",
)
_CALLED = """
SELECT DISTINCT q.n, 'yes' AS answer FROM q JOIN bond_conbdcallinfo t ON t.INNERCODE = q.k AND t.CALLTYPE = 3
 AND t.INSERTTIME < q.c"""
_PUT = """
SELECT q.n, CAST(COUNT(*) AS VARCHAR) || ' ' || CAST(CAST(ROUND(MAX(t.PUTPRICE) * 10000) AS BIGINT) AS VARCHAR)
  AS answer FROM q JOIN bond_conbdputinfo t ON t.INNERCODE = q.k AND t.INSERTTIME < q.c
 AND t.PUTSTARTDATE <= q.d AND t.PUTENDDATE >= q.d GROUP BY q.n"""
_THEME = _FIRST.format(
    answer="CAST(CAST(t.CONNATURE AS BIGINT) AS VARCHAR)",
    order="t.BEGINDATE DESC, t.INSERTTIME DESC, t.ID DESC",
    end=_NO_END,
    table="bond_conceptnature",
    match="""t.INNERCODE = q.k AND t.CONCEPTTYPE = 40 AND t.BEGINDATE <= q.d AND t.INSERTTIME < q.c
  AND (t.ENDDATE IS NULL OR t.ENDDATE > q.d)""",
)
_INDUSTRY = _FIRST.format(
    answer="t.FIRSTINDUSTRYCODE",
    order="t.EFFECTIVEDATE DESC, t.INFOPUBLDATE DESC, t.ID DESC",
    end="t.CANCELDATE",
    table="bond_biindustry",
    match="t.COMPANYCODE = q.k AND t.STANDARD = 38 AND t.INFOPUBLDATE < q.c AND t.EFFECTIVEDATE <= q.d",
)
_MACRO = _FIRST.format(
    answer="CAST(CAST(ROUND(t.DATAVALUE * 100) AS BIGINT) AS VARCHAR)",
    order="t.INFOPUBLDATE DESC, t.ID DESC",
    end=_NO_END,
    table="c_ed_macroindicatordata",
    match="""t.INDICATORCODE = q.k AND t.INFOPUBLDATE < q.c
  AND EXTRACT(YEAR FROM t.ENDDATE) * 100 + EXTRACT(MONTH FROM t.ENDDATE) = q.i""",
)


def _text(value: int | None) -> str | None:
    return None if value is None else str(value)


def _pair(value: tuple[int, int] | None) -> str | None:
    return None if value is None else f"{value[0]} {value[1]}"


def _yes(value: bool) -> str | None:
    return "yes" if value else None


def _hundredths(value: float | None) -> str | None:
    return None if value is None else str(round(value * 100))


def _month(number: int) -> date:
    """Return the last day of a month given as year times 100 plus month."""
    year, month = number // 100, number % 100
    return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)


def _mains(world: World) -> list[Thing]:
    issues = (event.payload for event in world.ledger.of(EventType.BOND_ISSUE))
    return sorted((terms.main, 0) for terms in issues if isinstance(terms, BondTerms))


def _inners(world: World) -> list[Thing]:
    issues = (event.payload for event in world.ledger.of(EventType.BOND_ISSUE))
    return sorted(
        (inner, 0) for terms in issues if isinstance(terms, BondTerms) for inner, _, _ in terms.codes
    )


def _convertibles(world: World) -> list[Thing]:
    issues = (event.payload for event in world.ledger.of(EventType.BOND_ISSUE))
    return sorted((terms.main, 0) for terms in issues if isinstance(terms, BondTerms) and terms.kind == 401)


def _put_edges(world: World) -> Iterator[tuple[Thing, date]]:
    """Yield the days on which a put can first be made, and the last."""
    for event in world.ledger.of(EventType.CONVERT_TERMS):
        rule, thing = event.payload, _main_of(world, event)
        if isinstance(rule, ConvertTerms) and thing is not None:
            yield thing, rule.first
            yield thing, rule.last


def _companies(world: World) -> list[Thing]:
    debtors = (event.payload for event in world.ledger.of(EventType.DEBTOR))
    return sorted((debtor.company, 0) for debtor in debtors if isinstance(debtor, Debtor))


def _unlisted(world: World) -> list[Thing]:
    debtors = (event.payload for event in world.ledger.of(EventType.DEBTOR))
    return sorted(
        (debtor.company, 0) for debtor in debtors if isinstance(debtor, Debtor) and not debtor.stock
    )


def _releases(world: World) -> list[Thing]:
    return sorted({thing for e in world.ledger.of(EventType.CN_RELEASE) if (thing := _release_of(world, e))})


def _first(world: World, kind: EventType, entity: int) -> Event | None:
    """Return an entity's first event of a type, by its id."""
    return world.ledger.by_id.get((int(kind) << 56) | (entity << 32))


def _main_of(world: World, event: Event) -> Thing | None:
    issue = _first(world, EventType.BOND_ISSUE, event.entity)
    return (issue.payload.main, 0) if issue is not None and isinstance(issue.payload, BondTerms) else None


def _company_of(world: World, event: Event) -> Thing | None:
    debtor = _first(world, EventType.DEBTOR, event.entity)
    return (debtor.payload.company, 0) if debtor is not None and isinstance(debtor.payload, Debtor) else None


def _code_of(world: World, event: Event) -> Thing | None:
    """Return the code that a default or theme, or the end of one, is about."""
    begun = (
        event if isinstance(event.payload, BondDefault | Theme) else world.ledger.by_id[event.supersedes or 0]
    )
    return (begun.payload.inner, 0) if isinstance(begun.payload, BondDefault | Theme) else None


def _release_of(world: World, event: Event) -> Thing | None:
    series, release = _first(world, EventType.CN_SERIES, event.entity), event.payload
    if series is None or not isinstance(series.payload, MacroSeries) or not isinstance(release, Release):
        return None
    return series.payload.code, release.period.year * 100 + release.period.month


def _family(
    name: str,
    sql: str,
    ask: Callable[..., str | None],
    types: tuple[EventType, ...],
    where: tuple[Callable[[World], list[Thing]], Callable[[World, Event], Thing | None]],
) -> Family:
    return Family(name, sql, ask, types, *where)


BOND_FAMILIES = (
    _family(
        "bond grade",
        _BOND_GRADE,
        lambda oracle, q: _text(oracle.bond_grade(q.key, q.cutoff)),
        (EventType.BOND_RATING,),
        (_mains, _main_of),
    ),
    _family(
        "debtor grade",
        _DEBTOR_GRADE,
        lambda oracle, q: _text(oracle.debtor_grade(q.key, q.cutoff)),
        (EventType.DEBTOR_RATING,),
        (_companies, _company_of),
    ),
    _family(
        "bond default",
        _DEFAULT,
        lambda oracle, q: _yes(oracle.in_default(q.key, q.cutoff)),
        (EventType.BOND_DEFAULT, EventType.BOND_REVOKE),
        (_inners, _code_of),
    ),
    _family(
        "bond amount",
        _AMOUNT,
        lambda oracle, q: _text(oracle.outstanding(q.key, q.cutoff)),
        (EventType.BOND_SIZE,),
        (_mains, _main_of),
    ),
    _family(
        "conversion price",
        _PRICE,
        lambda oracle, q: _text(oracle.conversion_price(q.key, q.cutoff)),
        (EventType.CONVERT_PRICE,),
        (_convertibles, _main_of),
    ),
    _family(
        "convertible call",
        _CALLED,
        lambda oracle, q: _yes(oracle.called(q.key, q.cutoff)),
        (EventType.CONVERT_CALL,),
        (_convertibles, _main_of),
    ),
    Family(
        "convertible put",
        _PUT,
        lambda oracle, q: _pair(oracle.puts(q.key, q.cutoff)),
        (EventType.CONVERT_TERMS,),
        _convertibles,
        _main_of,
        _put_edges,
    ),
    _family(
        "bond theme",
        _THEME,
        lambda oracle, q: _text(oracle.theme(q.key, q.cutoff)),
        (EventType.THEME_IN, EventType.THEME_OUT),
        (_inners, _code_of),
    ),
    _family(
        "debtor industry",
        _INDUSTRY,
        lambda oracle, q: oracle.debtor_industry(q.key, q.cutoff),
        (EventType.DEBTOR_INDUSTRY,),
        (_unlisted, _company_of),
    ),
    _family(
        "macro value",
        _MACRO,
        lambda oracle, q: _hundredths(oracle.macro_value(q.key, _month(q.index), q.cutoff)),
        (EventType.CN_RELEASE,),
        (_releases, _release_of),
    ),
)
