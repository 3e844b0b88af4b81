"""As-of questions put to both sides: SQL by the R-rules of task_families.md (0.2), and the oracle."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from finassay.database import QueryPolicy
from finassay.temporal import Boundary, Cutoff
from finassay.world._config import START
from finassay.world._events import Event, EventType, Index, Member
from finassay.world._family import Family, Question
from finassay.world._questions_bonds import BOND_FAMILIES
from finassay.world._questions_daily import DAILY_FAMILIES
from finassay.world._questions_deals import DEAL_FAMILIES
from finassay.world._questions_dividends import DIVIDEND_FAMILIES
from finassay.world._questions_fund_reports import FUND_REPORT_FAMILIES
from finassay.world._questions_funds import FUND_FAMILIES
from finassay.world._questions_neeq import NEEQ_FAMILIES
from finassay.world._questions_ratios import RATIO_FAMILIES
from finassay.world._questions_reports import REPORT_FAMILIES
from finassay.world._questions_us import US_FAMILIES
from finassay.world._streams import Purpose, stream
from finassay.world.oracle import Oracle, boundaries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np

    from finassay.database import Database, Dialect
    from finassay.world._world import World

_CHUNK = 5000  # questions in one statement
_COLUMNS = (("n", "BIGINT"), ("k", "BIGINT"), ("i", "BIGINT"), ("d", "DATE"), ("c", "DATE"))
_PATIENT = QueryPolicy(timeout_s=600.0)


@dataclass(frozen=True)
class Disagreement:
    """A question that SQL and the oracle answer differently."""

    family: str
    question: Question
    sql: str | None
    oracle: str | None


@dataclass(frozen=True)
class Agreement:
    """How a family fared: questions, those at a boundary, those on which the two modes differ, and disagreements."""

    family: str
    questions: int
    at_boundaries: int
    modes_differ: int
    disagreements: tuple[Disagreement, ...]


_RANKED = """, r AS (SELECT q.n, {answer} AS answer, ROW_NUMBER() OVER (PARTITION BY q.n ORDER BY {order}) AS place, {end} AS ending, q.d
 FROM q JOIN {table} t ON {match})
SELECT n, answer FROM r WHERE place = 1 AND (ending IS NULL OR ending > d)"""  # noqa: E501

_LISTED = _RANKED.format(
    answer="CASE WHEN t.CHANGETYPE IN (1, 3, 6) THEN 'yes' ELSE NULL END",
    order="t.CHANGEDATE DESC, t.INSERTTIME DESC, t.ID DESC",
    end="CAST(NULL AS TIMESTAMP)",
    table="lc_liststatus",
    match="t.INNERCODE = q.k AND t.CHANGEDATE <= q.d AND t.INSERTTIME < q.c",
)
_LISTING = """
SELECT q.n, CAST(CAST(t.LISTEDDATE AS DATE) AS VARCHAR) AS answer FROM q JOIN secumain t ON t.INNERCODE = q.k
 AND t.LISTEDDATE <= q.d"""
_TREATED = """
SELECT DISTINCT q.n, 'yes' AS answer FROM q JOIN cs_riskalert t ON t.INNERCODE = q.k
 AND t.RISKALERTTYPE IN (1, 5, 12, 14) AND t.IMPLANNOUCEDATE < q.c AND t.IMPLEMENTDATE <= q.d
 AND NOT COALESCE(t.REMOVEDATE <= q.d AND t.REMOVEINFOPUBLDATE < q.c, FALSE)"""
_HALTED = """
SELECT DISTINCT q.n, 'yes' AS answer FROM q JOIN lc_suspendresumption t ON t.INNERCODE = q.k
 AND t.SUSPENDDATE <= q.d AND t.INFOPUBLDATE < q.c AND (t.RESUMPTIONDATE IS NULL OR t.RESUMPTIONDATE > q.d)"""
_MEMBER = """
SELECT DISTINCT q.n, 'yes' AS answer FROM q JOIN lc_indexcomponent t ON t.SECUINNERCODE = q.k
 AND t.INDEXINNERCODE = q.i AND t.INDATE <= q.d AND (t.OUTDATE IS NULL OR t.OUTDATE > q.d)"""
_INDUSTRY = _RANKED.format(
    answer="t.FIRSTINDUSTRYCODE",
    order="t.EFFECTIVEDATE DESC, t.INFOPUBLDATE DESC, t.INSERTTIME DESC, t.ID DESC",
    end="t.CANCELDATE",
    table="""(SELECT COMPANYCODE, STANDARD, INFOPUBLDATE, INFOPUBLDATE AS EFFECTIVEDATE, CANCELDATE, FIRSTINDUSTRYCODE,
  INSERTTIME, ID FROM lc_exgindustry UNION ALL SELECT COMPANYCODE, STANDARD, INFOPUBLDATE, EFFECTIVEDATE, CANCELDATE,
  FIRSTINDUSTRYCODE, INSERTTIME, ID FROM lc_stibexgindustry)""",
    match="t.COMPANYCODE = q.k AND t.STANDARD = 38 AND t.INFOPUBLDATE < q.c AND t.EFFECTIVEDATE <= q.d",
)

FAMILIES = (
    Family(
        "listed",
        _LISTED,
        lambda oracle, q: _yes(oracle.listed(q.key, q.cutoff)),
        (EventType.LIST, EventType.DELIST_PERIOD, EventType.DELIST),
    ),
    Family(
        "listing day",
        _LISTING,
        lambda oracle, q: oracle.listing_day(q.key, q.cutoff),
        (EventType.LIST,),
    ),
    Family(
        "special treatment",
        _TREATED,
        lambda oracle, q: _yes(oracle.special_treatment(q.key, q.cutoff)),
        (EventType.ST_ON, EventType.ST_OFF),
    ),
    Family(
        "industry", _INDUSTRY, lambda oracle, q: oracle.industry(q.key, q.cutoff), (EventType.INDUSTRY_SET,)
    ),
    Family(
        "membership",
        _MEMBER,
        lambda oracle, q: _yes(oracle.member(q.index, q.key, q.cutoff)),
        (EventType.INDEX_IN, EventType.INDEX_OUT),
    ),
    Family(
        "halt",
        _HALTED,
        lambda oracle, q: _yes(oracle.halted(q.key, q.cutoff)),
        (EventType.HALT, EventType.RESUME),
    ),
    *US_FAMILIES,
    *FUND_FAMILIES,
    *REPORT_FAMILIES,
    *BOND_FAMILIES,
    *DEAL_FAMILIES,
    *NEEQ_FAMILIES,
    *RATIO_FAMILIES,
    *DIVIDEND_FAMILIES,
    *FUND_REPORT_FAMILIES,
    *DAILY_FAMILIES,
)


def _yes(value: bool) -> str | None:
    return "yes" if value else None


class Oracles(NamedTuple):
    """The oracle in its two modes: what the tables still allow, and what was known."""

    recoverable: Oracle
    truth: Oracle


def oracles(world: World) -> Oracles:
    """Return both oracles of a world."""
    events, moment = world.ledger.events, world.config.moment
    return Oracles(Oracle(events, moment, "recoverable", world), Oracle(events, moment, "world", world))


def compare(
    world: World, asked: Oracles, database: Database, family: Family, random_questions: int, most: int
) -> Agreement:
    """Ask random questions, and at most so many of those on both sides of every boundary; compare the answers."""
    draws = stream(world.config.seed, Purpose.QUESTION, FAMILIES.index(family))
    at_boundaries = list(dict.fromkeys(_boundary_questions(world, family)))
    if len(at_boundaries) > most:
        at_boundaries = [at_boundaries[int(n)] for n in draws.permutation(len(at_boundaries))[:most]]
    questions = [*_random_questions(world, family, draws, random_questions), *at_boundaries]
    by_sql = answers(database, family, questions)
    by_oracle = [family.ask(asked.recoverable, question) for question in questions]
    differ = sum(a != family.ask(asked.truth, q) for a, q in zip(by_oracle, questions, strict=True))
    triples = zip(questions, by_sql, by_oracle, strict=True)
    wrong = tuple(Disagreement(family.name, q, a, b) for q, a, b in triples if a != b)
    return Agreement(family.name, len(questions), len(at_boundaries), differ, wrong)


def answers(database: Database, family: Family, questions: list[Question]) -> list[str | None]:
    """Return the database's answers, None where it has none."""
    found: list[str | None] = [None] * len(questions)
    for start in range(0, len(questions), _CHUNK):
        asked = list(enumerate(questions[start : start + _CHUNK], start=start))
        source, text = _batch(database.dialect, asked)
        sql = f"WITH {source}{_in_dialect(family.sql, database.dialect)}"
        result = database.query(sql, policy=_PATIENT, params=[text])
        for number, answer in zip(*(column.to_pylist() for column in result.table.columns), strict=True):
            found[int(number)] = answer
    return found


def _batch(dialect: Dialect, asked: list[tuple[int, Question]]) -> tuple[str, str]:
    """Return the batch `q` of questions as SQL with its one parameter.

    Thousands of rows of literals take an engine and our own reading of the statement seconds to parse; as one text
    that the engine takes apart they take none.
    """
    rows = [(n, q.key, q.index, str(q.cutoff.day), str(q.cutoff.instant.date())) for n, q in asked]
    if dialect == "mysql":
        columns = ", ".join(f"{name} {kind} PATH '$[{place}]'" for place, (name, kind) in enumerate(_COLUMNS))
        return f"q AS (SELECT * FROM JSON_TABLE(?, '$[*]' COLUMNS({columns})) j)", json.dumps(rows)  # noqa: S608 - our own text
    split = "string_to_array" if dialect == "postgres" else "string_split"
    columns = ", ".join(
        f"CAST(split_part(s.line, ',', {place}) AS {kind}) AS {name}"
        for place, (name, kind) in enumerate(_COLUMNS, start=1)
    )
    source = f"SELECT unnest({split}(CAST(? AS VARCHAR), ';')) AS line"
    lines = ";".join(",".join(str(value) for value in row) for row in rows)
    return f"q AS (SELECT {columns} FROM ({source}) s)", lines  # noqa: S608 - our own text


@cache
def _in_dialect(sql: str, dialect: Dialect) -> str:
    """Return what follows the batch as the engine says it: MySQL joins texts and names types in its own way."""
    if dialect != "mysql":
        return sql
    from sqlglot import transpile

    head = "WITH q AS (SELECT 1)"
    return transpile(head + sql, read="duckdb", write="mysql")[0].removeprefix(head)


def _random_questions(
    world: World, family: Family, draws: np.random.Generator, count: int
) -> Iterator[Question]:
    things = _things(world, family)
    span = (world.config.snapshot - START).days
    for _ in range(count):
        key, index = things[int(draws.integers(len(things)))]
        boundary: Boundary = "eod" if draws.random() < 0.75 else "pre"
        yield Question(key, Cutoff(START + timedelta(days=int(draws.integers(span))), boundary), index)


def _things(world: World, family: Family) -> list[tuple[int, int]]:
    if family.things is not None:
        return family.things(world)
    if family.name == "industry":
        return [(issuer.company, 0) for issuer in world.issuers]
    if family.name != "membership":
        return [(issuer.inner, 0) for issuer in world.issuers]
    indices = _index_numbers(world)
    return [(issuer.inner, inner) for issuer in world.issuers for inner in indices.values()]


def _index_numbers(world: World) -> dict[int, int]:
    opened = world.ledger.of(EventType.INDEX_OPEN)
    return {e.entity: e.payload.inner for e in opened if isinstance(e.payload, Index)}


def _boundary_questions(world: World, family: Family) -> Iterator[Question]:
    """Ask around every event and edge of a family: the days before, of and after each date, at both boundaries."""
    concerns = family.concerns or _share_of(world, family)
    for event in world.ledger.of(*family.types):
        thing = concerns(world, event)
        if thing is not None:
            yield from _around(world, thing, boundaries([event]))
    for thing, day in family.edges(world) if family.edges is not None else ():
        yield from _around(world, thing, {day})


def _around(world: World, thing: tuple[int, int], days: set[date]) -> Iterator[Question]:
    beside = {day + timedelta(days=n) for day in days for n in (-1, 0, 1)}
    for day in sorted(beside):
        if START <= day <= world.config.snapshot:
            for boundary in ("eod", "pre"):
                yield Question(thing[0], Cutoff(day, boundary), thing[1])


def _share_of(world: World, family: Family) -> Callable[[World, Event], tuple[int, int] | None]:
    """Return how to find the share, or the company and the index, that an event concerns."""
    shares = {issuer.entity: issuer for issuer in world.issuers}
    indices = _index_numbers(world)

    def found(world: World, event: Event) -> tuple[int, int] | None:
        index = indices.get(event.entity, 0)
        if not index:
            issuer = shares[event.entity]
            return (issuer.company if family.name == "industry" else issuer.inner), 0
        entered = event if isinstance(event.payload, Member) else world.ledger.by_id[event.supersedes or 0]
        return (entered.payload.inner, index) if isinstance(entered.payload, Member) else None

    return found
