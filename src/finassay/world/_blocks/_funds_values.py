"""What funds are worth: net values a unit, sizes, lists of holdings and the days of their reports, from the ledger.

All of it follows from the events of the ledger, the quotes and streams of each fund; nothing here is an event.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._funds_fof import FundsHeld, fund_of_funds
from finassay.world._blocks._funds_life import OVERSEAS_LEG, STOCKS, fund_events
from finassay.world._blocks._funds_market import Holdable, holdable, quarter_ends, quarter_positions
from finassay.world._blocks._funds_nav import NavBook, class_rows, joined_navs
from finassay.world._blocks._funds_portfolio import Manner, Portfolio, portfolio
from finassay.world._blocks._funds_read import FundLife, fund_lives
from finassay.world._blocks._funds_reports import Reports, fund_reports, joined_reports
from finassay.world._blocks._funds_sizes import SizeBook, fund_sizes, joined_sizes
from finassay.world._blocks._funds_universe import ABROAD, FLEXIBLE, FOF, MONEY, fund_trade
from finassay.world._blocks._market import YEAR, window
from finassay.world._blocks._overseas import overseas_events, overseas_quotes
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from finassay.world._blocks._funds_market import Ints
    from finassay.world._blocks._market import Factors
    from finassay.world._blocks._overseas import OverseasQuotes
    from finassay.world._blocks._prices import Quotes
    from finassay.world._config import WorldConfig
    from finassay.world._events import Event

SKILL = 0.03  # yearly deviation of what a manager adds (assumed)
TILT = 0.25  # deviation of a manager's taste for large shares


@dataclass(frozen=True)
class Lists:
    """Stocks held at quarter ends, by fund (position among `lives`), quarter and rank from 1.

    Attributes
    ----------
    fund, quarter, rank, share : numpy.ndarray of int64
        `share` is the entity of the stock. Half-years have all ranks, other quarters 11.
    units, value : numpy.ndarray of int64
        Shares held; fen.
    """

    fund: Ints
    quarter: Ints
    rank: Ints
    share: Ints
    units: Ints
    value: Ints


@dataclass(frozen=True)
class FundValues:
    """Everything that funds are worth.

    Attributes
    ----------
    lives : tuple of FundLife
        The funds that the arrays count, by position.
    navs : NavBook
        Net values per share class and session.
    sizes : SizeBook
        Net assets per share class and quarter end.
    reports : Reports
        When each report was published and recorded.
    lists : Lists
        Stocks held.
    held : FundsHeld
        Funds held by funds of funds.
    stocks, sections, traded : numpy.ndarray of int64
        Per fund and quarter: value of all stocks in fen; the same by the regulator's section; value traded in fen.
    abroad : tuple of OverseasQuotes
        Daily levels of the indices abroad.
    """

    lives: tuple[FundLife, ...]
    navs: NavBook
    sizes: SizeBook
    reports: Reports
    lists: Lists
    held: FundsHeld
    stocks: Ints
    sections: Ints
    traded: Ints
    abroad: tuple[OverseasQuotes, ...]


@dataclass
class _Run:
    """A fund while it is valued: gross value from one, and its stock part."""

    life: FundLife
    value: Floats
    part: Portfolio | None


def fund_world_events(config: WorldConfig) -> list[Event]:
    """Tell the fund trade and the indices abroad, if they are among the blocks."""
    if "funds" not in config.blocks:
        return []
    return fund_events(config.seed, fund_trade(config)) + overseas_events(config.seed)


def fund_values(
    config: WorldConfig, market: Factors, quotes: Quotes, bonds: Floats, events: Sequence[Event]
) -> FundValues:
    """Value all funds of a ledger.

    Parameters
    ----------
    config : WorldConfig
        The world's.
    market : Factors
        The Chinese market, which the one in Hong Kong follows.
    quotes : Quotes
        Of the shares.
    bonds : numpy.ndarray
        Total return of all bonds, per session.
    events : sequence of Event
        The ledger's.
    """
    abroad = overseas_quotes(config.seed, market) if "funds" in config.blocks else ()
    return _valued(config.seed, holdable(config.issuers, quotes, bonds, events, abroad), events, abroad)


def _valued(
    seed: int, market: Holdable, events: Sequence[Event], abroad: tuple[OverseasQuotes, ...]
) -> FundValues:
    lives = fund_lives(events)
    runs = [_run(seed, life, market) for life in lives if life.opened.kind != FOF]
    by_entity = {run.life.entity: run for run in runs}
    values = {entity: (run.life, run.value) for entity, run in by_entity.items()}
    held, parts = fund_of_funds(seed, [life for life in lives if life.opened.kind == FOF], values)
    for life in lives:
        if life.opened.kind == FOF:
            net = _net(seed, life, parts[life.entity], market)
            by_entity[life.entity] = _Run(life, net, None)
    ordered = [by_entity[life.entity] for life in lives]
    sizes = [fund_sizes(seed, n, run.life, run.value) for n, run in enumerate(ordered)]
    navs = [class_rows(seed, run.life, part, run.value) for run in ordered for part in run.life.classes]
    reports = [fund_reports(seed, n, run.life) for n, run in enumerate(ordered)]
    book = joined_sizes(sizes)
    lists, stocks, sections, traded = _lists(ordered, market, book)
    return FundValues(
        tuple(lives),
        joined_navs(navs),
        book,
        joined_reports(reports),
        lists,
        held,
        stocks,
        sections,
        traded,
        abroad,
    )


def _run(seed: int, life: FundLife, market: Holdable) -> _Run:
    kind, share = life.opened.kind, STOCKS[life.opened.kind]
    u = stream(seed, Purpose.FUND_TRAIT, life.entity).random(8)
    span = slice(life.first, life.stop)
    part = None
    if kind == MONEY:
        rates = 0.026 - 0.011 * np.arange(window()[1] - window()[0]) / (window()[1] - window()[0])
        moves = rates[span] / YEAR
    elif kind == ABROAD:
        level = market.abroad[OVERSEAS_LEG - int(u[0] < 0.4)]
        moves = 0.93 * _changes(level[span])
    elif share:
        shares = _shares(seed, life, share)
        part = portfolio(seed, life, market, shares, Manner.of(u), _styles(seed, life))
        daily = shares[_quarter_of_session()[span]]
        moves = daily * _changes(part.value) + (1.0 - daily) * _changes(market.bonds[span])
    else:
        length = 0.4 + 0.9 * float(u[0]) if kind != 130401 else 0.2
        moves = _changes(market.bonds[span]) * length + (1.0 - length) * 0.025 / YEAR
    return _Run(life, _net(seed, life, moves, market), part)


def _shares(seed: int, life: FundLife, share: float) -> Floats:
    """Return stocks of net assets by quarter: index funds stay put, flexible ones move most."""
    shocks = stream(seed, Purpose.FUND_TRAIT, life.entity, 1).standard_normal(len(quarter_ends()) + 1)
    if life.targets:
        return np.full(shocks.size, share)
    wide = 0.06 if life.opened.kind == FLEXIBLE else 0.025
    now, path = 0.0, np.empty(shocks.size)
    for quarter, shock in enumerate(shocks.tolist()):
        now = 0.85 * now + wide * shock
        path[quarter] = min(0.945, max(0.02, share * (1.0 + now)))
    return path


@cache
def _quarter_of_session() -> Ints:
    """Return the quarter to whose end each session of the window leads."""
    found: Ints = np.searchsorted(
        np.array(quarter_positions()), np.arange(window()[1] - window()[0]), side="left"
    )
    return found.astype(np.int64)


def _changes(level: Floats) -> Floats:
    moves = np.zeros(level.size)
    moves[1:] = level[1:] / level[:-1] - 1.0
    return moves


def _net(seed: int, life: FundLife, moves: Floats, market: Holdable) -> Floats:
    """Add skill and noise, take the fees, and chain from one unit; funds older than the window start elsewhere."""
    rng = stream(seed, Purpose.FUND_NAV, life.entity)
    start, noise = float(rng.standard_normal()), rng.standard_normal(market.bonds.size)
    scale = (
        0.0
        if life.opened.kind == MONEY
        else 0.0003
        if life.targets or not STOCKS[life.opened.kind]
        else 0.0011
    )
    total = moves + scale * noise[life.first : life.stop]
    total = total + (_skill(seed, life) - _fees(life)) / YEAR
    total[0] = 0.0
    first = 1.0 if life.young or life.opened.kind == MONEY else float(exp([0.12 + 0.25 * start])[0])
    value: Floats = (first * np.cumprod(1.0 + np.maximum(total, -0.5))).astype(np.float64, copy=False)
    return value


def _fees(life: FundLife) -> Floats:
    found = np.zeros(life.stop - life.first)
    for steps in life.fees.values():
        for at, rate in steps:
            found[max(0, at - life.first) :] += rate / 10_000 - (
                0.0 if at == steps[0][0] else _before(steps, at)
            )
    return found


def _before(steps: list[tuple[int, int]], at: int) -> float:
    return next(rate for day, rate in reversed(steps) if day < at) / 10_000


def _skill(seed: int, life: FundLife) -> Floats:
    """Average what the managers in office add a year; index funds and those without stocks have none."""
    found = np.zeros(life.stop - life.first)
    if life.targets or not STOCKS[life.opened.kind]:
        return found
    count = np.zeros(found.size)
    for person, low, high in life.managers:
        inside = slice(max(0, low - life.first), max(0, high - life.first))
        found[inside] += SKILL * _taste(seed, person)[0] * STOCKS[life.opened.kind]
        count[inside] += 1
    return found / np.maximum(count, 1)


def _styles(seed: int, life: FundLife) -> list[tuple[int, float]]:
    """Return the tilt from each arrival on: that of the newest manager in office."""
    return [
        (max(at, 0), TILT * _taste(seed, person)[1])
        for person, at, _ in sorted(life.managers, key=lambda m: m[1])
    ]


def _taste(seed: int, person: int) -> tuple[float, float]:
    skill, tilt = stream(seed, Purpose.FUND_PERSON, person, 2).standard_normal(2)
    return float(skill), float(tilt)


def _lists(runs: list[_Run], market: Holdable, sizes: SizeBook) -> tuple[Lists, Ints, Ints, Ints]:
    """Turn weights at quarter ends into shares held and their exact values."""
    quarters = len(quarter_ends())
    stocks, traded = (np.zeros((len(runs), quarters), dtype=np.int64) for _ in range(2))
    sections = np.zeros((len(runs), quarters, 14), dtype=np.int64)
    columns: list[list[Ints]] = [[], [], [], [], [], []]
    ends = quarter_positions()
    for fund, run in enumerate(runs):
        if run.part is None:
            continue
        for held in run.part.held:
            net = sizes.total[fund, held.quarter]
            if not net:
                continue
            price = market.close[held.names, ends[held.quarter]]
            units = np.rint(held.weights * net / price / 100).astype(np.int64) * 100
            keep = units > 0
            names, units, value = held.names[keep], units[keep], (units * price)[keep]
            order = np.lexsort((names, -value))
            stocks[fund, held.quarter] = np.sum(value)
            section = market.section[names, held.quarter]
            sections[fund, held.quarter] = np.bincount(section, value, sections.shape[2])  # whole fen: exact
            shown = order if held.quarter % 2 == 0 else order[:11]
            rows = (
                np.full(shown.size, fund),
                np.full(shown.size, held.quarter),
                np.arange(1, shown.size + 1),
                names[shown] + 1,
                units[shown],
                value[shown],
            )
            for column, part in zip(columns, rows, strict=True):
                column.append(part.astype(np.int64))
        for quarter, moved in run.part.traded.items():
            traded[fund, quarter] = int(moved * sizes.total[fund, quarter])
    joined = [np.concatenate(column) if column else np.zeros(0, dtype=np.int64) for column in columns]
    return Lists(*joined), stocks, sections, traded
