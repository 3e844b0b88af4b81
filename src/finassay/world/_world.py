"""The simulation: blocks of issuers in parallel, then the indices over all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from finassay.world._blocks._bonds import FixedIncome, fixed_income, simulate_fixed_income
from finassay.world._blocks._columns import joined
from finassay.world._blocks._companies import Companies, again, with_capital
from finassay.world._blocks._competitors import competitor_events
from finassay.world._blocks._concepts import concept_events
from finassay.world._blocks._conversions import conversions, convertibles_of
from finassay.world._blocks._convertibles import offered
from finassay.world._blocks._deals import deal_events
from finassay.world._blocks._dividends import Intended, dividend_events, intended_dividends
from finassay.world._blocks._documents_cn import cn_news_events, story_moves, told_moves
from finassay.world._blocks._funds_life import BOND_LEG
from finassay.world._blocks._funds_values import FundValues, fund_values, fund_world_events
from finassay.world._blocks._indices import IndexQuotes, index_events, index_quotes
from finassay.world._blocks._industries import industry_events
from finassay.world._blocks._life import life_events
from finassay.world._blocks._market import Factors, factors
from finassay.world._blocks._neeq import Neeq, neeq_again, simulate_neeq
from finassay.world._blocks._plant import Planted, lives_of, plan, plant, planted_dividend
from finassay.world._blocks._plant_told import missing_revisions, plant_funds
from finassay.world._blocks._prices import (
    JUMP_SIZE,
    JUMPS_PER_YEAR,
    ExRight,
    Quotes,
    quote_block,
    rights_of,
    states_of,
)
from finassay.world._blocks._recorder import Recorder
from finassay.world._blocks._shares import intended_rights
from finassay.world._blocks._statements import Statements, joined_statements
from finassay.world._blocks._universe import Issuer, universe
from finassay.world._blocks._us_block import UsWorld, us_counterfactual, us_world
from finassay.world._blocks._vendor import reload_events, touch_rows
from finassay.world._blocks._versions import Versions
from finassay.world._config import BLOCK, END, WorldConfig
from finassay.world._events import Event, EventType
from finassay.world._events_company import Rights
from finassay.world._ledger import Ledger

if TYPE_CHECKING:
    from datetime import date

    from finassay.executor import Executor


@dataclass(frozen=True)
class World:
    """A simulated economy.

    Attributes
    ----------
    config : WorldConfig
        What it is a function of.
    issuers : tuple of Issuer
        The companies and the traits of their shares.
    ledger : Ledger
        Everything that happened, beyond the snapshot too. What is natural does not hang on the snapshot.
    quotes : Quotes
        Daily quotes of every share.
    indices : list of IndexQuotes
        Daily levels of every index.
    fixed_income : FixedIncome
        Daily values of curves, the money market, bonds and convertibles.
    statements : Statements
        Statements of every company, as they truly were.
    funds : FundValues
        Net values, sizes, holdings and reports of funds; indices abroad.
    us : UsWorld
        The US side: quotes, statements, macro vintages, the Treasury curve.
    neeq : Neeq
        Companies, quotes and statements of the NEEQ.
    restatements : tuple of Event
        All of Chinese companies: a counterfactual world has those of the world that it was made from, as filings
        before a restatement that never came state the error all the same.
    """

    config: WorldConfig
    issuers: tuple[Issuer, ...]
    ledger: Ledger
    quotes: Quotes
    indices: list[IndexQuotes]
    fixed_income: FixedIncome
    statements: Statements
    funds: FundValues
    us: UsWorld
    neeq: Neeq
    restatements: tuple[Event, ...]

    def versions(self, statements: Statements, kind: EventType) -> Versions:
        """Return what statements read at any filing, restatements being events of one type."""
        events = (event for event in self.restatements if event.type is kind)
        return Versions(statements, events, self.ledger.of(kind))


def simulate(config: WorldConfig, executor: Executor) -> World:
    """Simulate an economy; equal for every executor and number of workers.

    Raises
    ------
    JobError
        If a block fails.
    """
    issuers = universe(config)
    market = factors(config.seed)
    lives = executor.map(partial(lives_of, config.seed), _blocks(issuers), label="lives")
    planted = plan(config, issuers, [life for part in lives for life in part])
    offers = offered(config.seed, issuers)
    items = [
        (block, {i.entity: planted.get(i.entity, []) for i in block}, offers) for block in _blocks(issuers)
    ]
    parts = executor.map(partial(_block, config.seed, market), items, label="issuers")
    events = [event for part in parts for event in part[0]]
    quotes = joined([part[1] for part in parts])
    events += index_events(config, issuers, quotes, events)
    events += concept_events(config.seed, issuers, events)
    events += competitor_events(config.seed, issuers, events)
    indices = index_quotes(quotes, events)
    convertible = [event for part in parts for event in part[3]]
    told, bonds = simulate_fixed_income(config, market, issuers, quotes, events, convertible, executor)
    events += told
    statements = joined_statements([part[2] for part in parts])
    events += deal_events(config.seed, issuers, statements, quotes, events)
    events += plant_funds(config, fund_world_events(config))
    funds = fund_values(config, market, quotes, bonds.money.levels[BOND_LEG][:, 2], events, executor)
    us, us_events = us_world(config, executor, missing_revisions(config, events))
    events += us_events
    neeq, neeq_events = simulate_neeq(config, market, issuers, statements, events, executor)
    events += neeq_events
    events += reload_events(config.seed, config.snapshot, events)
    ledger = Ledger(events)
    restated = tuple(ledger.of(EventType.RESTATEMENT, EventType.NEEQ_RESTATEMENT))
    return World(config, issuers, ledger, quotes, indices, bonds, statements, funds, us, neeq, restated)


def counterfactual(world: World, event_id: int, executor: Executor) -> World:
    """Return the world in which an event and its descendants never were.

    All draws stay as they are; quotes are those that follow from the remaining events.

    Raises
    ------
    InputError
        If there is no such event.
    """
    ledger = world.ledger.without(event_id)
    market = factors(world.config.seed)
    blocks = [(block, _of(block, world.ledger), _of(block, ledger)) for block in _blocks(world.issuers)]
    parts = executor.map(partial(_requote, world.config.seed, market), blocks, label="quotes")
    quotes, statements = joined([part[0] for part in parts]), joined_statements([part[1] for part in parts])
    indices = index_quotes(quotes, list(ledger.events))
    bonds = fixed_income(world.config, market, quotes, ledger.events, executor)
    funds = fund_values(
        world.config, market, quotes, bonds.money.levels[BOND_LEG][:, 2], ledger.events, executor
    )
    return replace(
        world,
        ledger=ledger,
        quotes=quotes,
        indices=indices,
        fixed_income=bonds,
        statements=statements,
        funds=funds,
        us=us_counterfactual(world.config.seed, world.us, ledger, executor),
        neeq=neeq_again(world.neeq, world.config.seed, market, ledger, executor),
    )


def _blocks(issuers: tuple[Issuer, ...]) -> list[tuple[Issuer, ...]]:
    return [issuers[n : n + BLOCK] for n in range(0, len(issuers), BLOCK)]


def _of(issuers: tuple[Issuer, ...], ledger: Ledger) -> list[Event]:
    """Return the events of the companies of a block."""
    found: dict[int, list[Event]] = {issuer.entity: [] for issuer in issuers}
    for event in ledger.events:
        if event.entity in found:
            found[event.entity].append(event)
    return [event for events in found.values() for event in events]


def _block(
    seed: int,
    market: Factors,
    item: tuple[tuple[Issuer, ...], dict[int, list[Planted]], dict[int, tuple[int, date]]],
) -> tuple[list[Event], Quotes, Statements, list[Event]]:
    issuers, planted, offers = item
    recorders = [Recorder(seed, issuer.entity) for issuer in issuers]
    for issuer, recorder in zip(issuers, recorders, strict=True):
        more = planted[issuer.entity]
        life_events(seed, issuer, recorder)
        plant(seed, issuer, recorder, more)
        industry_events(seed, issuer, recorder, [change for change in more if change.kind == "industry"])
    companies = Companies(seed, issuers, recorders)
    states = states_of(issuers, [event for recorder in recorders for event in recorder.events])
    for n, (issuer, recorder) in enumerate(zip(issuers, recorders, strict=True)):
        moves = story_moves(seed, issuer, JUMPS_PER_YEAR, JUMP_SIZE)
        cn_news_events(seed, issuer, recorder, states.trading[:, n], moves)
    stories = told_moves(issuers, [event for recorder in recorders for event in recorder.events])
    intended = [
        (n, plan)
        for n, issuer in enumerate(issuers)
        for plan in _plans(seed, issuer, recorders[n], planted[issuer.entity])
    ]
    plans = [(n, plan, most) for n, plan in intended if (most := companies.affordable(n, plan)) > 0]
    # A plan that the meeting rejects has an amount too, and no ex-date
    placed = [(ExRight.of(n, plan, most), plan.approved) for n, plan, most in plans]
    rights = [right if approved else replace(right, ex=-1) for right, approved in placed]
    offered = [
        (n, *offer)
        for n, issuer in enumerate(issuers)
        for offer in intended_rights(seed, issuer, [p.ex for k, p in intended if k == n], _last(recorders[n]))
    ]
    rights += [ExRight.offer(*offer) for offer in offered]
    news, worth = companies.news + stories, companies.economy.worth
    quotes, cash = quote_block(seed, issuers, market, states, rights, news, worth)
    for n, recorder in enumerate(recorders):
        mine = [(plan, cash[k]) for k, (column, plan, _) in enumerate(plans) if column == n]
        dividend_events(seed, recorder, mine)
    for (n, told_on, ex, ratio), paid in zip(offered, cash[len(plans) :], strict=True):
        offer = Rights(ratio, -paid // ratio)
        recorders[n].tell(EventType.RIGHTS_ISSUE, offer, valid=ex, disclosed=told_on)
    convertible = convertibles_of(seed, issuers, recorders, quotes, offers)
    quotes, statements = companies.tell(quotes, [conversions(events) for events in convertible])
    for issuer, recorder in zip(issuers, recorders, strict=True):
        touch_rows(seed, issuer.entity, recorder)
    told = [event for recorder in recorders for event in recorder.events]
    return told, quotes, statements, [event for events in convertible for event in events]


def _plans(seed: int, issuer: Issuer, recorder: Recorder, planted: list[Planted]) -> list[Intended]:
    """Dividends of a share up to its delisting: none goes ex within a month of it."""
    plans = intended_dividends(seed, issuer)
    plans += [planted_dividend(seed, issuer.entity, more) for more in planted if more.kind == "dividend"]
    return [plan for plan in plans if plan.ex > issuer.listed and plan.ex < _last(recorder)]


def _last(recorder: Recorder) -> date:
    """Return the day before which a share goes ex: its delisting is announced, or the economy nearly over."""
    kinds = (EventType.DELIST_PERIOD, EventType.DELIST)
    ends = [event.disclosed_at.date() for event in recorder.events if event.type in kinds]
    return min([END, *ends])


def _requote(
    seed: int, market: Factors, item: tuple[tuple[Issuer, ...], list[Event], list[Event]]
) -> tuple[Quotes, Statements]:
    issuers, original, events = item
    news, worth, statements = again(seed, issuers, original, events)
    states, rights = states_of(issuers, events), rights_of(issuers, events)
    news = news + told_moves(issuers, events)
    quotes, _ = quote_block(seed, issuers, market, states, rights, news, worth)
    return with_capital(quotes, events), statements
