"""The NEEQ: its companies told by the rules of the A-shares, under types of events of their own.

A company of Beijing was on the NEEQ before: the same company under another share, with the same statements.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._columns import joined
from finassay.world._blocks._companies import affordable, with_capital
from finassay.world._blocks._dividends import dividend_events
from finassay.world._blocks._economy import Economy, economy
from finassay.world._blocks._filings import Schedule, schedule
from finassay.world._blocks._neeq_life import (
    begin,
    finish,
    kept,
    layer_events,
    neeq_dividends,
    neeq_industries,
)
from finassay.world._blocks._neeq_prices import neeq_quotes
from finassay.world._blocks._neeq_universe import NeeqIssuer, neeq_universe
from finassay.world._blocks._periods import quarter_of, season
from finassay.world._blocks._prices import ExRight, Ints, Quotes, rights_of
from finassay.world._blocks._recorder import Recorder
from finassay.world._blocks._reports import (
    planned_news,
    report_events,
    restatement_events,
    surprises,
    told_news,
)
from finassay.world._blocks._shares import share_events
from finassay.world._blocks._statements import Statements, joined_statements, statement_block
from finassay.world._blocks._vendor import touch_rows
from finassay.world._blocks._versions import Versions
from finassay.world._config import BLOCK, WorldConfig
from finassay.world._events import Event, EventType, Industry, Touch
from finassay.world._events_company import Report

if TYPE_CHECKING:
    from collections.abc import Iterable

    from finassay.executor import Executor
    from finassay.world._blocks._market import Factors
    from finassay.world._blocks._universe import Issuer
    from finassay.world._ledger import Ledger

# The rules of the A-shares tell events of these types; what has none here is not told of the NEEQ
KINDS = {
    EventType.NEEQ_SECURITY: EventType.NEEQ_SECURITY,
    EventType.NEEQ_LAYER: EventType.NEEQ_LAYER,
    EventType.DELIST: EventType.NEEQ_DELIST,
    EventType.INDUSTRY_SET: EventType.NEEQ_INDUSTRY,
    EventType.DIVIDEND_PLAN: EventType.NEEQ_PLAN,
    EventType.DIVIDEND_APPROVED: EventType.NEEQ_APPROVED,
    EventType.DIVIDEND_IMPLEMENTED: EventType.NEEQ_IMPLEMENTED,
    EventType.REPORT: EventType.NEEQ_REPORT,
    EventType.RESTATEMENT: EventType.NEEQ_RESTATEMENT,
    EventType.SHARE_CHANGE: EventType.NEEQ_CAPITAL,
    EventType.VENDOR_TOUCH: EventType.VENDOR_TOUCH,
}
_BACK = {there: here for here, there in KINDS.items()}
_TOUCHED = (
    EventType.INDUSTRY_SET,
    EventType.DIVIDEND_PLAN,
    EventType.DIVIDEND_APPROVED,
    EventType.DIVIDEND_IMPLEMENTED,
)
_OWN_ID = (1 << 56) - 1


@dataclass(frozen=True)
class Neeq:
    """The NEEQ of a world.

    Attributes
    ----------
    members : tuple of NeeqIssuer
        By entity: those that stay, then those that list in Beijing later.
    quotes : Quotes
        Of the sessions with a trade.
    statements : Statements
        Of those that stay; the others have theirs among the A-shares'.
    first : numpy.ndarray of int64
        Prices at the listing, in fen: drawn for the world as it is, and kept without an event that came later.
    """

    members: tuple[NeeqIssuer, ...]
    quotes: Quotes
    statements: Statements
    first: Ints


def simulate_neeq(
    config: WorldConfig,
    factor: Factors,
    issuers: tuple[Issuer, ...],
    statements: Statements,
    events: Iterable[Event],
    executor: Executor,
) -> tuple[Neeq, list[Event]]:
    """Simulate the NEEQ beside the A-shares, of which `events` and `statements` are."""
    members = neeq_universe(config, issuers)
    mine = _of_movers(members, events)
    items = [(block, _their(block, statements, mine)) for block in _blocks(members)]
    parts = executor.map(partial(_block, config.seed, factor), items, label="neeq")
    neeq = Neeq(
        members,
        joined([part[1] for part in parts]),
        joined_statements([part[2] for part in parts if part[2] is not None]),
        np.concatenate([part[3] for part in parts]),
    )
    return neeq, [event for part in parts for event in part[0]]


def neeq_again(neeq: Neeq, seed: int, factor: Factors, ledger: Ledger, executor: Executor) -> Neeq:
    """Return the NEEQ of a world of which only the events of a ledger remain; all draws stay as they are."""
    found: dict[int, list[Event]] = {who.share.entity: [] for who in neeq.members}
    for event in ledger.events:
        if event.entity in found:
            found[event.entity].append(event)
    prices = dict(zip((who.share.entity for who in neeq.members), neeq.first.tolist(), strict=True))
    items = [
        (
            block,
            [e for who in block for e in found[who.share.entity]],
            np.array([prices[who.share.entity] for who in block], dtype=np.int64),
        )
        for block in _blocks(neeq.members)
    ]
    parts = executor.map(partial(_again, seed, factor), items, label="neeq")
    return replace(
        neeq,
        quotes=joined([part[0] for part in parts]),
        statements=joined_statements([part[1] for part in parts if part[1] is not None]),
    )


def renamed(events: Iterable[Event], kinds: dict[EventType, EventType]) -> list[Event]:
    """Return events under other types, and ids that go with them; those of other types are left out."""

    def id_of(number: int) -> int:
        kind = EventType(number >> 56)
        return int(kinds.get(kind, kind)) << 56 | (number & _OWN_ID)

    found = []
    for event in events:
        if event.type in kinds:
            payload = event.payload
            if isinstance(payload, Touch):
                payload = Touch(id_of(payload.row), payload.reload)
            found.append(
                replace(
                    event,
                    type=kinds[event.type],
                    payload=payload,
                    supersedes=None if event.supersedes is None else id_of(event.supersedes),
                    cause_ids=tuple(id_of(number) for number in event.cause_ids),
                )
            )
    return found


@dataclass(frozen=True)
class _Beijing:
    """What a block of companies tells in Beijing: statements, restatements, the first event and industry of each."""

    statements: Statements
    restatements: list[Event]
    first: dict[int, Event]
    industry: dict[int, Industry]


def _blocks(members: tuple[NeeqIssuer, ...]) -> list[tuple[NeeqIssuer, ...]]:
    """Return blocks of companies of one kind."""
    stay = tuple(who for who in members if who.later is None)
    move = tuple(who for who in members if who.later is not None)
    return [part[n : n + BLOCK] for part in (stay, move) for n in range(0, len(part), BLOCK)]


def _of_movers(members: tuple[NeeqIssuer, ...], events: Iterable[Event]) -> dict[int, list[Event]]:
    found: dict[int, list[Event]] = {who.later.entity: [] for who in members if who.later}
    wanted = (EventType.SECURITY, EventType.INDUSTRY_SET, EventType.RESTATEMENT)
    for event in events:
        if event.type in wanted and event.entity in found:
            found[event.entity].append(event)
    return found


def _their(
    block: tuple[NeeqIssuer, ...], statements: Statements, mine: dict[int, list[Event]]
) -> _Beijing | None:
    if block[0].later is None:
        return None
    entities = np.array([who.later.entity for who in block if who.later], dtype=np.int64)
    rows = np.searchsorted(statements.entity, entities)
    names = Statements.__dataclass_fields__
    told = [event for entity in entities.tolist() for event in mine[entity]]
    return _Beijing(
        Statements(**{name: getattr(statements, name)[rows] for name in names}),
        [event for event in told if event.type is EventType.RESTATEMENT],
        {event.entity: event for event in told if event.type is EventType.SECURITY},
        {e.entity: e.payload for e in told if isinstance(e.payload, Industry) and e.seq == 0},
    )


def _block(
    seed: int, factor: Factors, item: tuple[tuple[NeeqIssuer, ...], _Beijing | None]
) -> tuple[list[Event], Quotes, Statements | None, Ints]:
    members, beijing = item
    shares = tuple(who.share for who in members)
    recorders = [Recorder(seed, share.entity) for share in shares]
    books = economy(seed, tuple(who.later or who.share for who in members), [])
    plans = [_life(seed, who, row, books, recorders[row], beijing) for row, who in enumerate(members)]
    dividends = [
        (row, plan, most)
        for row, who in enumerate(members)
        for plan in neeq_dividends(seed, who, recorders[row].events)
        if (most := affordable(books, row, plan)) > 0
    ]
    rights = [ExRight.of(row, plan, most) for row, plan, most in dividends]
    rights = [r if d[1].approved else replace(r, ex=-1) for r, d in zip(rights, dividends, strict=True)]
    news = surprises(shares, planned_news(shares, plans))
    quotes, cash, prices = neeq_quotes(seed, factor, members, _told(recorders), rights, news)
    for n, recorder in enumerate(recorders):
        mine = [(plan, cash[k]) for k, (row, plan, _) in enumerate(dividends) if row == n]
        dividend_events(seed, recorder, mine)
    statements = _figures(seed, shares, books, plans, recorders, quotes, beijing)
    for recorder in recorders:
        touch_rows(seed, recorder.entity, recorder, _TOUCHED)
    told = [e for n, recorder in enumerate(recorders) for e in _only_filed(recorder.events, plans[n])]
    quotes = with_capital(quotes, told) if beijing is None else quotes
    return renamed(told, KINDS), quotes, statements, prices


def _life(
    seed: int, who: NeeqIssuer, row: int, books: Economy, recorder: Recorder, beijing: _Beijing | None
) -> Schedule:
    """Tell listing, end, layers and industries; return the filings."""
    there = beijing is not None and who.later is not None
    entity = who.later.entity if who.later else 0
    begin(who, recorder)
    finish(seed, who, recorder, beijing.first[entity] if there and beijing else None)
    layer_events(seed, who, recorder, books.provisional[row])
    neeq_industries(seed, who, recorder, beijing.industry[entity] if there and beijing else None)
    return kept(schedule(seed, who.share, row, books, recorder), who, recorder.events)


def _figures(
    seed: int,
    shares: tuple[Issuer, ...],
    books: Economy,
    plans: list[Schedule],
    recorders: list[Recorder],
    quotes: Quotes,
    beijing: _Beijing | None,
) -> Statements | None:
    """Tell capital, restatements and reports; return the statements that are the block's own."""
    if beijing is None:
        for share, recorder, plan in zip(shares, recorders, plans, strict=True):
            share_events(seed, share, recorder, quotes)
            restatement_events(recorder, plan)
        statements = statement_block(shares, books, _told(recorders))
        versions = Versions(statements, _told(recorders))
    else:
        statements = beijing.statements
        versions = Versions(statements, beijing.restatements)
    for row, (share, recorder) in enumerate(zip(shares, recorders, strict=True)):
        report_events(seed, share, row, plans[row], versions, recorder)
    return statements if beijing is None else None


def _only_filed(events: Iterable[Event], plan: Schedule) -> Iterable[Event]:
    """Yield events; quarters that the company does not report are taken out of what a correction shows."""
    filed = {filing.quarter for filing in plan.filings}
    for event in events:
        report = event.payload
        if not isinstance(report, Report):
            yield event
            continue
        quarters = [quarter_of(s.period_end) for s in report.shown]
        asked = [q in filed or season(q) in (2, 4) for q in quarters]
        shown = tuple(s for s, yes in zip(report.shown, asked, strict=True) if yes)
        if shown:
            yield replace(event, payload=replace(report, period_end=shown[0].period_end, shown=shown))


def _told(recorders: list[Recorder]) -> list[Event]:
    return [event for recorder in recorders for event in recorder.events]


def _again(
    seed: int, factor: Factors, item: tuple[tuple[NeeqIssuer, ...], list[Event], Ints]
) -> tuple[Quotes, Statements | None]:
    members, remaining, first = item
    shares = tuple(who.share for who in members)
    events = renamed(remaining, _BACK)
    news = surprises(shares, told_news(events))
    quotes, *_ = neeq_quotes(seed, factor, members, events, rights_of(shares, events), news, first)
    if members[0].later is not None:
        return quotes, None
    return with_capital(quotes, events), statement_block(shares, economy(seed, shares, []), events)
