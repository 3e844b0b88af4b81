"""The US side as a whole: macro and market first, blocks of companies in parallel, then the index and its fund."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._columns import joined
from finassay.world._blocks._plant_us import UsPlanted, us_plan
from finassay.world._blocks._recorder import Recorder
from finassay.world._blocks._us_actions import us_action_events, us_actions
from finassay.world._blocks._us_filings import Correction, us_filing_events
from finassay.world._blocks._us_index import us_index_events, us_index_quotes
from finassay.world._blocks._us_life import End, us_life_events
from finassay.world._blocks._us_macro import UsMacro, us_macro
from finassay.world._blocks._us_market import (
    UsCurve,
    UsFactors,
    policy_events,
    reaction,
    us_curve,
    us_factors,
    us_window,
)
from finassay.world._blocks._us_news import us_news_events
from finassay.world._blocks._us_prices import (
    Payout,
    Shock,
    Span,
    Split,
    UsQuotes,
    own_noise,
    us_quote_block,
)
from finassay.world._blocks._us_statements import QUARTERS, Statements, us_statements
from finassay.world._blocks._us_universe import UsIssuer, us_universe
from finassay.world._blocks._us_worth import us_fair_prices
from finassay.world._calendar import sessions
from finassay.world._config import BLOCK, WorldConfig
from finassay.world._events import Event, EventType
from finassay.world._events_us import News, UsDividend, UsFiling, UsSplit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from finassay.executor import Executor
    from finassay.world._ledger import Ledger
    from finassay.world._numerics import Floats

SURPRISE = 2.75  # move per deviation of surprise, in the stock's own deviations (S1 x R1, 2,649 filings)
_FIRST_QUARTER = (2012 - 2003) * 4 + 2  # of the statements, among those of the macro series


@dataclass(frozen=True)
class UsWorld:
    """The US side beside the ledger.

    Attributes
    ----------
    issuers : tuple of UsIssuer
        The companies.
    quotes : UsQuotes
        Daily quotes of every stock, then of the index and its fund.
    statements : Statements
        True statements, companies in the order of the issuers.
    corrections : tuple of Correction
        What filings before a certain one state otherwise.
    macro : UsMacro
        Series with their vintages.
    curve : UsCurve
        The Treasury curve.
    """

    issuers: tuple[UsIssuer, ...]
    quotes: UsQuotes
    statements: Statements
    corrections: tuple[Correction, ...]
    macro: UsMacro
    curve: UsCurve


def us_world(
    config: WorldConfig, executor: Executor, missing: Mapping[date, int] | None = None
) -> tuple[UsWorld, list[Event]]:
    """Simulate the US side; return it with its events. `missing`: how many revisions an anchor yet needs."""
    seed, issuers = config.seed, us_universe(config)
    macro = us_macro(seed)
    common = (*macro.events, *policy_events(seed))
    factors, curve = us_factors(seed, common), us_curve(seed, common)
    job = partial(_block, seed, factors, _economy(macro))
    planted = us_plan(config, issuers, missing or {})
    items = [(block, {i.entity: planted[i.entity] for i in block}) for block in _blocks(issuers)]
    parts = executor.map(job, items, label="US companies")
    events = [*common, *(event for part in parts for event in part.events)]
    quotes = joined([part.quotes for part in parts])
    events += us_index_events(config, issuers, quotes, events)
    quotes = joined([quotes, us_index_quotes(seed, quotes, events)])
    statements = _statements([part.statements for part in parts])
    corrections = tuple(c for part in parts for c in part.corrections)
    return UsWorld(issuers, quotes, statements, corrections, macro, curve), events


def us_counterfactual(seed: int, before: UsWorld, ledger: Ledger, executor: Executor) -> UsWorld:
    """Return the US side whose quotes follow from the events that remain.

    Corrections stay: without an amendment, what was filed before it states the error all the same.
    """
    common = tuple(ledger.of(EventType.MACRO_RELEASE, EventType.NEWS))
    factors, curve = us_factors(seed, common), us_curve(seed, common)
    by_entity: dict[int, list[Event]] = {}
    for event in ledger.events:
        by_entity.setdefault(event.entity, []).append(event)
    items = [
        (
            block,
            [event for issuer in block for event in by_entity.get(issuer.entity, ())],
            _part_of(before.statements, n * BLOCK, len(block)),
        )
        for n, block in enumerate(_blocks(before.issuers))
    ]
    quotes = joined(executor.map(partial(_requote, seed, factors), items, label="US quotes"))
    quotes = joined([quotes, us_index_quotes(seed, quotes, list(ledger.events))])
    return replace(before, quotes=quotes, curve=curve)


@dataclass(frozen=True)
class _Part:
    events: list[Event]
    quotes: UsQuotes
    statements: Statements
    corrections: list[Correction]


def _blocks(issuers: tuple[UsIssuer, ...]) -> list[tuple[UsIssuer, ...]]:
    return [issuers[n : n + BLOCK] for n in range(0, len(issuers), BLOCK)]


def _economy(macro: UsMacro) -> Floats:
    """Return what the economy adds to companies' growth by quarter: half of its deviation from the mean."""
    known = macro.growth[_FIRST_QUARTER : _FIRST_QUARTER + QUARTERS]
    found = np.zeros(QUARTERS)
    found[: known.size] = (known - 2.3) / 100 * 0.5
    return found


def _block(
    seed: int, factors: UsFactors, economy: Floats, item: tuple[tuple[UsIssuer, ...], dict[int, UsPlanted]]
) -> _Part:
    issuers, planted = item
    recorders = [Recorder(seed, issuer.entity) for issuer in issuers]
    ends = [us_life_events(seed, who, book) for who, book in zip(issuers, recorders, strict=True)]
    spans = [_span(who, end) for who, end in zip(issuers, ends, strict=True)]
    lasts = [None if end is None else sessions("XNYS").days[end.last] for end in ends]
    statements = us_statements(seed, issuers, economy, [_failing(end) for end in ends])
    own, tails = own_noise(seed, issuers)
    corrections, calendars = [], []
    for n, (issuer, recorder) in enumerate(zip(issuers, recorders, strict=True)):
        corrections += us_filing_events(
            seed, issuer, recorder, lasts[n], statements, n, planted[issuer.entity]
        )
        us_news_events(seed, issuer, recorder, spans[n], [tail for tail in tails if tail.column == n])
        calendars.append(us_actions(seed, issuer, n, lasts[n], statements))
    events = [event for recorder in recorders for event in recorder.events]
    quotes = us_quote_block(
        seed,
        issuers,
        factors,
        spans,
        own,
        _shocks(issuers, events),
        [plan.payout for dividends, _ in calendars for plan in dividends],
        [plan.split for _, splits in calendars for plan in splits],
        us_fair_prices(issuers, statements),
    )
    for recorder, (dividends, splits) in zip(recorders, calendars, strict=True):
        us_action_events(recorder, dividends, splits)
    events = [event for recorder in recorders for event in recorder.events]
    return _Part(events, quotes, statements, corrections)


def _span(issuer: UsIssuer, end: End | None) -> Span:
    first, stop = us_window()
    listed = max(0, sessions("XNYS").at_or_after(issuer.listed) - first)
    if end is None:
        return Span(listed, stop - first, stop - first)
    return Span(listed, end.last - first, end.news - first if end.merged else stop - first)


def _failing(end: End | None) -> int:
    """Return the quarter from which a company does badly that will fail: a year and a half before."""
    if end is None or end.merged:
        return QUARTERS
    day = sessions("XNYS").days[end.last]
    return max(5, (day.year - 2012) * 4 + (day.month - 9) // 3 - 6)


def _shocks(issuers: tuple[UsIssuer, ...], events: list[Event]) -> list[Shock]:
    """Return the moves that filings and news cause, on the session that first trades on them."""
    column = {issuer.entity: n for n, issuer in enumerate(issuers)}
    first = us_window()[0]
    found = []
    for event in events:
        k, payload = column[event.entity], event.payload
        if isinstance(payload, UsFiling) and event.type is EventType.US_FILING:
            move = SURPRISE * payload.surprise * issuers[k].sigma
            found.append(Shock(k, reaction(event) - first, float(np.clip(move, -0.7, 0.7)), 2))
        elif isinstance(payload, News) and payload.causal:
            found.append(Shock(k, reaction(event) - first, payload.move, payload.half_life))
    return found


def _requote(
    seed: int, factors: UsFactors, item: tuple[tuple[UsIssuer, ...], list[Event], Statements]
) -> UsQuotes:
    issuers, events, statements = item
    own, _ = own_noise(seed, issuers)
    column = {issuer.entity: n for n, issuer in enumerate(issuers)}
    at, first = sessions("XNYS").at_or_after, us_window()[0]
    cancelled = {event.supersedes for event in events if event.type is EventType.US_CANCEL}
    payouts, splits, ends = [], [], {}
    for event in events:
        k, payload = column[event.entity], event.payload
        ex = at(event.valid_from) - first
        if event.type is EventType.US_DIVIDEND and event.event_id not in cancelled:
            assert isinstance(payload, UsDividend)  # noqa: S101 - by its type
            payouts.append(Payout(k, -1, ex, 0, payload.cash))
        elif isinstance(payload, UsSplit):
            splits.append(Split(k, -1, ex, (payload.new, payload.old), given=True))
        elif event.type is EventType.US_DELIST:
            ends[k] = _end_of(event, events)
    listed = {event.entity for event in events if event.type is EventType.US_LIST}
    nothing = us_window()[1] - first
    spans = [
        _span(issuer, ends.get(n)) if issuer.entity in listed else Span(nothing, nothing, nothing)
        for n, issuer in enumerate(issuers)
    ]
    shocks, fair = _shocks(issuers, events), us_fair_prices(issuers, statements)
    return us_quote_block(seed, issuers, factors, spans, own, shocks, payouts, splits, fair)


def _end_of(event: Event, events: list[Event]) -> End:
    at = sessions("XNYS").at_or_after
    cause = next(other for other in events if other.event_id in event.cause_ids)
    assert isinstance(cause.payload, News)  # noqa: S101 - by its type
    return End(cause.payload.topic == "merger", at(cause.valid_from), at(event.valid_from))


_AXES = {"values": 1}  # along which the companies are; the first of the others


def _statements(parts: list[Statements]) -> Statements:
    names = [field.name for field in fields(Statements)]
    return Statements(
        **{name: np.concatenate([getattr(p, name) for p in parts], axis=_AXES.get(name, 0)) for name in names}
    )


def _part_of(whole: Statements, first: int, count: int) -> Statements:
    """Return the statements of some companies in a row."""
    rows, names = np.arange(first, first + count), [field.name for field in fields(Statements)]
    return Statements(
        **{name: np.take(getattr(whole, name), rows, axis=_AXES.get(name, 0)) for name in names}
    )
