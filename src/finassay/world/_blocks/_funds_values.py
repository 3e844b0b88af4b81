"""What funds are worth: net values a unit, sizes, lists of holdings and the days of their reports, from the ledger.

All of it follows from the events of the ledger, the quotes and streams of each fund; nothing here is an event.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._funds_fof import FundsHeld, fund_of_funds
from finassay.world._blocks._funds_life import OVERSEAS_LEG, STOCKS, fund_events
from finassay.world._blocks._funds_market import SECTIONS, Holdable, holdable, quarter_positions
from finassay.world._blocks._funds_nav import NavBook, class_rows, joined_navs
from finassay.world._blocks._funds_portfolio import Manner, Portfolio, portfolio
from finassay.world._blocks._funds_read import FundLife, fund_lives
from finassay.world._blocks._funds_reports import Reports, fund_reports, joined_reports
from finassay.world._blocks._funds_sizes import SizeBook, fund_sizes, joined_sizes
from finassay.world._blocks._funds_universe import ABROAD, FLEXIBLE, FOF, MONEY, fund_trade
from finassay.world._blocks._market import YEAR, window
from finassay.world._blocks._overseas import overseas_events, overseas_quotes
from finassay.world._calendar import quarter_ends
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from finassay.executor import Executor
    from finassay.world._blocks._funds_market import Ints
    from finassay.world._blocks._market import Factors
    from finassay.world._blocks._overseas import OverseasQuotes
    from finassay.world._blocks._prices import Quotes
    from finassay.world._config import WorldConfig
    from finassay.world._events import Event

TOP = 10  # stocks of a quarterly list; one more is kept for a report that misses one
_BLOCK = 96  # funds per job, at least
_JOBS = 16  # at most: each is sent the prices of all shares
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


@dataclass(frozen=True)
class _Worth:
    """What one fund is worth, in parts that are joined later."""

    value: Floats
    sizes: SizeBook
    navs: list[NavBook]
    reports: Reports
    lists: Lists
    stocks: Ints
    sections: Ints
    traded: Ints


def fund_world_events(config: WorldConfig) -> list[Event]:
    """Tell the fund trade and the indices abroad, if they are among the blocks."""
    if "funds" not in config.blocks:
        return []
    return fund_events(config.seed, fund_trade(config)) + overseas_events(config.seed)


def fund_values(
    config: WorldConfig,
    market: Factors,
    quotes: Quotes,
    bonds: Floats,
    events: Sequence[Event],
    executor: Executor,
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
    executor : Executor
        Runs the blocks of funds; the result does not depend on it.
    """
    abroad = overseas_quotes(config.seed, market) if "funds" in config.blocks else ()
    lives = list(enumerate(fund_lives(events)))
    things = holdable(config.issuers, quotes, bonds, events, abroad)
    first = [row for row in lives if row[1].opened.kind != FOF]
    size = max(_BLOCK, -(-len(first) // _JOBS))
    blocks = [first[n : n + size] for n in range(0, len(first), size)]
    parts = executor.map(partial(_block, config.seed, things), blocks, label="funds")
    found = {n: worth for part in parts for n, worth in part.items()}
    held = _funds_of_funds(config.seed, lives, things, found)
    return _joined(tuple(life for _, life in lives), [found[n] for n, _ in lives], held, abroad)


def _block(seed: int, market: Holdable, lives: list[tuple[int, FundLife]]) -> dict[int, _Worth]:
    return {n: _worth(seed, n, _run(seed, life, market), market) for n, life in lives}


def _funds_of_funds(
    seed: int, lives: list[tuple[int, FundLife]], market: Holdable, found: dict[int, _Worth]
) -> FundsHeld:
    """Value the funds of funds, and add them to what was found of the others."""
    values = {life.entity: (life, found[n].value) for n, life in lives if n in found}
    late = [(n, life) for n, life in lives if n not in found]
    held, moves = fund_of_funds(seed, [life for _, life in late], values)
    for n, life in late:
        run = _Run(life, _net(seed, life, moves[life.entity], market), None)
        found[n] = _worth(seed, n, run, market)
    return held


def _worth(seed: int, number: int, run: _Run, market: Holdable) -> _Worth:
    sizes = fund_sizes(seed, number, run.life, run.value)
    return _Worth(
        run.value,
        sizes,
        [class_rows(seed, run.life, part, run.value) for part in run.life.classes],
        fund_reports(seed, number, run.life),
        *_lists(number, run, market, sizes.total[0]),
    )


def _joined(
    lives: tuple[FundLife, ...],
    found: list[_Worth],
    held: FundsHeld,
    abroad: tuple[OverseasQuotes, ...],
) -> FundValues:
    quarters = len(quarter_ends())
    stocks, sections, traded = (
        np.array([getattr(worth, name) for worth in found], dtype=np.int64).reshape(
            len(found), quarters, *rest
        )
        for name, *rest in (("stocks",), ("sections", len(SECTIONS)), ("traded",))
    )
    columns = [[getattr(worth.lists, column.name) for worth in found] for column in fields(Lists)]
    empty = np.zeros(0, dtype=np.int64)
    return FundValues(
        lives,
        joined_navs([part for worth in found for part in worth.navs]),
        joined_sizes([worth.sizes for worth in found]),
        joined_reports([worth.reports for worth in found]),
        Lists(*(np.concatenate([empty, *column]) for column in columns)),
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


def _lists(number: int, run: _Run, market: Holdable, total: Ints) -> tuple[Lists, Ints, Ints, Ints]:
    """Turn a fund's weights at quarter ends into shares held and their exact values; sum them up by quarter."""
    stocks, traded = (np.zeros(total.size, dtype=np.int64) for _ in range(2))
    sections = np.zeros((total.size, len(SECTIONS)), dtype=np.int64)
    rows: list[tuple[Ints, ...]] = [tuple(np.zeros(0, dtype=np.int64) for _ in range(5))]
    ends = quarter_positions()
    for held in run.part.held if run.part else ():
        quarter = held.quarter
        price = market.close[held.names, ends[quarter]]
        units = np.rint(held.weights * total[quarter] / price / 100).astype(np.int64) * 100
        keep = units > 0
        names, units, value = held.names[keep], units[keep], (units * price)[keep]
        stocks[quarter] = np.sum(value)
        # Whole fen: the sums are exact
        sections[quarter] = np.bincount(market.section[names, quarter], value, len(SECTIONS))
        order = np.lexsort((names, -value))
        shown = order if quarter % 2 == 0 else order[: TOP + 1]
        place = np.arange(1, shown.size + 1)
        rows.append((np.full(shown.size, quarter), place, names[shown] + 1, units[shown], value[shown]))
    for quarter, moved in run.part.traded.items() if run.part else ():
        traded[quarter] = int(moved * total[quarter])
    columns = [np.concatenate([row[k] for row in rows]) for k in range(5)]
    return Lists(np.full(columns[0].size, number), *columns), stocks, sections, traded
