"""Daily quotes: returns from factors, themes, shocks; ticks, limits, halts, ex-rights; volumes (world.md, 2.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._columns import Columns
from finassay.world._blocks._documents_cn import is_story
from finassay.world._blocks._documents_cn import jumps as jumps_of
from finassay.world._blocks._market import Factors, garch, student, window
from finassay.world._blocks._universe import BEIJING, CHINEXT, MAIN, STAR, Issuer
from finassay.world._blocks._worth import fair_prices, outstanding, pull
from finassay.world._calendar import sessions
from finassay.world._events import Approval, Event, EventType, Implementation, Plan
from finassay.world._events_company import Rights
from finassay.world._numerics import Floats, exp, log
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._dividends import Intended

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

JUMPS_PER_YEAR, JUMP_SIZE = 6.5, 2.6  # beside those of reports
THEMES_PER_YEAR, THEME_EXIT, THEME_DRIFT = 1.2, 0.22, 0.06
PANICS_PER_YEAR, PANIC_EXIT, PANIC_DRIFT = 0.5, 0.30, -0.06
EPISODE_VOLATILITY = 0.05
DRIFT_PER_DAY = -0.0008
OFFERED = 70  # percent of the price at its announcement that a rights issue costs (assumed)
PAR = 100  # fen, the least; below it for twenty sessions a share would have to go
MOST = 0.6  # in a day, before limits
CARRIED = 0.7  # of the move that a limit cut off
PINNED = 0.6  # of closes within 1% of a limit
FREE_SESSIONS = 5  # without limits after listing
CHINEXT_WIDE = date(2020, 8, 24)
OVERNIGHT = 0.24  # share of the day's variance
VOLUME_PERSISTENCE, VOLUME_NOISE, VOLUME_SLOPE = 0.945, 0.165, 0.265
_NO_LIMIT = 10**9


@dataclass(frozen=True)
class Quotes(Columns):
    """Daily quotes, one element per share and session, ordered by share and session.

    Attributes
    ----------
    entity, session : numpy.ndarray of int64
        The share, and the position of the day among the exchange's sessions.
    previous, open, high, low, close : numpy.ndarray of int64
        Fen; `previous` is the reference after ex-rights.
    volume, value : numpy.ndarray of int64
        Shares; fen.
    upper, lower : numpy.ndarray of int64
        The day's limits in fen; without limits beyond any price.
    factor : numpy.ndarray of float64
        Cumulative product of close before and reference after each ex-right: close x factor is the backward price.
    shares : numpy.ndarray of float64
        Shares outstanding.
    traded, kept : numpy.ndarray of bool
        Whether the share traded; whether the vendor keeps a row for the day.
    """

    entity: Ints
    session: Ints
    previous: Ints
    open: Ints
    high: Ints
    low: Ints
    close: Ints
    volume: Ints
    value: Ints
    upper: Ints
    lower: Ints
    factor: Floats
    shares: Floats
    traded: Flags
    kept: Flags


@dataclass(frozen=True)
class ExRight:
    """What a share goes ex: days of plan and ex-date, cash per 10 shares in fen or a yield to fix it, bonus.

    `most` is what the company can pay of the `year` up to this dividend, in fen.
    """

    column: int
    planned: int
    ex: int
    bonus: int
    yield_: float
    cash: int | None = None
    most: int = 0
    year: int = 0
    rights: int = 0

    @staticmethod
    def offer(column: int, planned: date, ex: date, ratio: int) -> ExRight:
        """Place a rights issue whose price, a share of the one at its announcement, is yet to be fixed."""
        return replace(ExRight.placed(column, planned, ex, ratio, None), rights=ratio)

    @staticmethod
    def of(column: int, plan: Intended, most: int) -> ExRight:
        """Place a dividend whose amount the price will fix, up to what the company can afford."""
        placed = ExRight.placed(column, plan.planned, plan.ex, plan.bonus, None)
        return replace(placed, yield_=plan.yield_, most=most, year=plan.period_end.year)

    @staticmethod
    def placed(column: int, planned: date, ex: date, bonus: int, cash: int | None) -> ExRight:
        """Place a dividend in the window."""
        first, _ = window()
        at = sessions().at_or_after
        return ExRight(column, max(0, at(planned) - first), at(ex) - first, bonus, 0.0, cash)


def rights_of(issuers: tuple[Issuer, ...], events: list[Event]) -> list[ExRight]:
    """Read the dividends and rights issues that went ex from the events of a block."""
    column = {issuer.entity: n for n, issuer in enumerate(issuers)}
    by_id = {event.event_id: event for event in events}
    found = []
    for event in events:
        if isinstance(event.payload, Rights):
            ratio, paid, told = event.payload.ratio, event.payload.price, event.disclosed_at.date()
            found.append(ExRight.placed(column[event.entity], told, event.valid_from, ratio, -ratio * paid))
        if not isinstance(event.payload, Implementation):
            continue
        decided = by_id[event.supersedes or 0]
        assert isinstance(decided.payload, Approval)  # noqa: S101 - by its type
        plan = by_id[decided.supersedes or 0]
        assert isinstance(plan.payload, Plan)  # noqa: S101 - by its type
        placed = ExRight.placed(
            column[event.entity], plan.valid_from, event.valid_from, plan.payload.bonus, plan.payload.cash
        )
        found.append(placed)
    return found


@dataclass(frozen=True)
class States:
    """Per session and share of a block: listed, trading, under special treatment; sessions since listing."""

    active: Flags
    trading: Flags
    treated: Flags
    age: Ints


def states_of(issuers: tuple[Issuer, ...], events: list[Event]) -> States:
    """Read the days of trading of a block from its events."""
    first, stop = window()
    shape = (stop - first, len(issuers))
    active, halted, treated = (np.zeros(shape, dtype=bool) for _ in range(3))
    column = {issuer.entity: n for n, issuer in enumerate(issuers)}
    at = sessions().at_or_after
    ends = {e.supersedes: e for e in events if e.type in (EventType.RESUME, EventType.ST_OFF)}
    age = np.zeros(shape, dtype=np.int64)
    for event in events:
        if event.type is EventType.LIST:
            listed = at(event.valid_from) - first
            active[max(0, listed) :, column[event.entity]] = True
            age[:, column[event.entity]] = np.arange(shape[0]) - listed
    for event in events:
        if event.type in (EventType.HALT, EventType.ST_ON):
            end = ends.get(event.event_id)
            low = max(0, at(event.valid_from) - first)
            high = shape[0] if end is None else max(low, at(end.valid_from) - first)
            (halted if event.type is EventType.HALT else treated)[low:high, column[event.entity]] = True
        elif event.type is EventType.DELIST:
            active[at(event.valid_from) - first :, column[event.entity]] = False
    return States(active, active & ~halted, treated, age)


def quote_block(
    seed: int,
    issuers: tuple[Issuer, ...],
    factor: Factors,
    states: States,
    rights: list[ExRight],
    news: Floats,
    worth: Floats,
) -> tuple[Quotes, list[int]]:
    """Simulate a block.

    Parameters
    ----------
    news : numpy.ndarray of float64, (sessions, shares)
        Moves in daily deviations of a share's own.
    worth : numpy.ndarray of float64, (shares, quarters)
        What the companies are worth, in fen.

    Returns
    -------
    Quotes
        All days on which a share is listed.
    list of int
        Cash of each ex-right, fen per 10 shares: as given, or fixed by the price on the day of the plan.
    """
    moves, own = _moves(seed, issuers, factor, news)
    path = _walk(issuers, exp(moves), states, rights, worth, _uniforms(seed, issuers, 0))
    return _quoted(seed, issuers, path, own, states), path.cash


@dataclass(frozen=True)
class Parts:
    """What moves shares apart from news, in log returns per session and share: market, sector, their own, themes."""

    market: Floats
    sector: Floats
    own: Floats
    jumps: Floats
    themes: Floats


def parts_of(seed: int, issuers: tuple[Issuer, ...], factor: Factors) -> Parts:
    """Draw what moves the shares of some companies apart from news; jumps that news tells are left out."""
    length = factor.market.size
    shocks, jumps, themes = [], [], []
    for issuer in issuers:
        rng = stream(seed, Purpose.RETURN, issuer.entity)
        shocks.append(student(rng, 4.6, length))
        drawn = jumps_of(rng, length, JUMPS_PER_YEAR)
        jumps.append(np.where(is_story(seed, issuer.entity, drawn, JUMP_SIZE), 0.0, drawn))
        theme = _episodes(rng, length, THEMES_PER_YEAR, THEME_EXIT, THEME_DRIFT)
        themes.append(theme + _episodes(rng, length, PANICS_PER_YEAR, PANIC_EXIT, PANIC_DRIFT))
    sigma = np.array([issuer.sigma for issuer in issuers])
    beta = np.array([issuer.beta for issuer in issuers])
    gamma = np.array([issuer.gamma for issuer in issuers])
    return Parts(
        beta * factor.market[:, None],
        gamma * factor.sectors[:, [issuer.sector for issuer in issuers]],
        garch(np.stack(shocks, axis=1), 0.14, 0.80) * sigma,
        np.stack(jumps, axis=1) * JUMP_SIZE * sigma,
        np.stack(themes, axis=1),
    )


def _moves(seed: int, issuers: tuple[Issuer, ...], factor: Factors, news: Floats) -> tuple[Floats, Floats]:
    """Log returns before limits, and the daily volatility of a share's own."""
    part = parts_of(seed, issuers, factor)
    sigma = np.array([issuer.sigma for issuer in issuers])
    total = part.market + part.sector + part.own + part.jumps + news * sigma + part.themes + DRIFT_PER_DAY
    return np.clip(total, -MOST, MOST), np.broadcast_to(sigma, part.own.shape)


def _episodes(rng: np.random.Generator, length: int, per_year: float, leave: float, drift: float) -> Floats:
    """Draw the returns of a share's episodes, of geometric length; the number of draws is always the same."""
    starts, u, z = rng.random(length), rng.random(length), rng.standard_normal(length)
    now, inside = False, []
    for begins, stays in zip((starts < per_year / 243).tolist(), (u >= leave).tolist(), strict=True):
        now = stays if now else begins
        inside.append(now)
    return np.where(np.array(inside, dtype=bool), drift + EPISODE_VOLATILITY * z, 0.0)


def _uniforms(seed: int, issuers: tuple[Issuer, ...], part: int) -> Floats:
    length = window()[1] - window()[0]
    draws = [stream(seed, Purpose.QUOTE, issuer.entity, part).random(length) for issuer in issuers]
    return np.stack(draws, axis=1)


@dataclass(frozen=True)
class _Path:
    reference: Ints
    close: Ints
    upper: Ints
    lower: Ints
    wanted: Floats  # close without limits
    factor: Floats
    shares: Floats
    cash: list[int]


def _walk(
    issuers: tuple[Issuer, ...],
    growth: Floats,
    states: States,
    rights: list[ExRight],
    worth: Floats,
    pin: Floats,
) -> _Path:
    """Walk through the sessions: reference, limit, close. State is rounded to ticks at every step."""
    length, n = growth.shape
    price = np.rint(np.array([issuer.price for issuer in issuers]) * 100).astype(np.int64)
    fair, shares = fair_prices(issuers, worth, rights), outstanding(issuers, rights, length)
    carry, factor = np.ones(n), np.ones(n)
    cash = [right.cash or 0 for right in rights]
    planned, due = by_day(rights)
    spent: dict[tuple[int, int], int] = {}
    percent = _limits(issuers, states)
    out = _empty_path(length, n, cash)
    for t in range(length):
        for k in due.get(t, ()):
            go_ex(rights[k], cash[k], price, factor)
        wanted = price * growth[t] * carry * (1.0 + pull(fair[t], price))
        bounded = percent[t] > 0
        upper = np.where(bounded, (price * (100 + percent[t]) + 50) // 100, _NO_LIMIT)
        lower = np.where(bounded, np.maximum(1, (price * (100 - percent[t]) + 50) // 100), 1)
        close = np.clip(np.rint(wanted), lower, upper).astype(np.int64)
        sticky = pin[t] < PINNED
        close = np.where(sticky & (wanted >= upper * 0.99), upper, close)
        close = np.where(sticky & (wanted <= lower * 1.01), lower, close)
        close = np.maximum(close, np.minimum(PAR, upper))
        trading = states.trading[t]
        out.reference[t], out.upper[t], out.lower[t], out.wanted[t] = price, upper, lower, wanted
        cut = np.where(wanted > upper, wanted / upper, np.where(wanted < lower, wanted / lower, 1.0))
        carry = np.where(trading, np.clip(1.0 + CARRIED * (cut - 1.0), 0.5, 1.5), carry)
        price = np.where(trading, close, price)
        out.close[t], out.factor[t], out.shares[t] = price, factor, shares[t]
        for k in planned.get(t, ()):
            if rights[k].cash is None:
                column = rights[k].column
                if rights[k].rights:
                    cash[k] = -max(PAR, int(price[column]) * OFFERED // 100) * rights[k].rights
                else:
                    cash[k] = fix_cash(rights[k], int(price[column]), int(shares[t, column]), spent)
    return out


def _empty_path(length: int, n: int, cash: list[int]) -> _Path:
    ints = [np.empty((length, n), dtype=np.int64) for _ in range(4)]
    floats = [np.empty((length, n)) for _ in range(3)]
    return _Path(ints[0], ints[1], ints[2], ints[3], floats[0], floats[1], floats[2], cash)


def by_day(rights: list[ExRight]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Return which dividends are planned, and which go ex, on each session of the window."""
    planned: dict[int, list[int]] = {}
    due: dict[int, list[int]] = {}
    for k, right in enumerate(rights):
        planned.setdefault(right.planned, []).append(k)
        due.setdefault(right.ex, []).append(k)
    return planned, due


def fix_cash(right: ExRight, price: int, shares: int, spent: dict[tuple[int, int], int]) -> int:
    """Return the cash of a dividend, in fen per 10 shares: a yield on the price, as far as the year's profit goes.

    `spent` is what each share's earlier dividends of a year took; one that the meeting rejects takes nothing.
    """
    place = right.column, right.year
    wanted = int(right.yield_ * price * 10 + 0.5)
    cash = max(1, min(wanted, 10 * (right.most - spent.get(place, 0)) // shares))
    if right.ex >= 0:
        spent[place] = spent.get(place, 0) + cash * shares // 10
    return cash


def go_ex(right: ExRight, cash: int, price: Ints, factor: Floats) -> None:
    """Set the price to the reference (P - D + K r) / (1 + b + r), rounded half up to a fen (world.md, 3.7).

    Rights are new shares as a bonus is, and what is paid for them a negative dividend.
    """
    before = int(price[right.column])
    top, bottom = max(10 * before - cash, 10), 10 + right.bonus
    reference = (2 * top + bottom) // (2 * bottom)
    price[right.column] = reference
    factor[right.column] *= before / reference


def _limits(issuers: tuple[Issuer, ...], states: States) -> Ints:
    """Limits in percent per session and share; 0 where there is none."""
    first, stop = window()
    wide = np.arange(first, stop) >= sessions().at_or_after(CHINEXT_WIDE)
    boards = np.array([issuer.board for issuer in issuers])
    percent = np.where(boards == STAR, 20, np.where(boards == BEIJING, 30, 10)) * np.ones(
        (stop - first, 1), dtype=np.int64
    )
    percent = np.where((boards == CHINEXT) & wide[:, None], 20, percent)
    treated_5 = states.treated & ((boards == MAIN) | ((boards == CHINEXT) & ~wide[:, None]))
    percent = np.where(treated_5, 5, percent)
    return np.where(states.age < FREE_SESSIONS, 0, percent).astype(np.int64)


def _quoted(seed: int, issuers: tuple[Issuer, ...], path: _Path, own: Floats, states: States) -> Quotes:
    """Open, high, low and volume around the closes, then the listed days, share by share."""
    rng = [stream(seed, Purpose.QUOTE, issuer.entity, 1) for issuer in issuers]
    length = path.close.shape[0]
    normal = np.stack([r.standard_normal(length) for r in rng], axis=1)
    u = np.stack([1.0 - r.random((length, 2)) for r in rng], axis=2)
    base = path.reference.astype(np.float64)
    move = log(path.close / base)
    size = np.sqrt(np.maximum(own * own, 0.25 * move * move))
    opened = OVERNIGHT * move + float(np.sqrt(OVERNIGHT * (1 - OVERNIGHT))) * size * normal
    open_ = np.clip(np.rint(base * exp(opened)), path.lower, path.upper).astype(np.int64)
    swing = 2.0 * (1.0 - OVERNIGHT) * size * size
    at_open = log(open_ / base)
    ends, gap = at_open + move, (at_open - move) * (at_open - move)
    top = np.rint(base * exp((ends + np.sqrt(gap - swing * log(u[:, 0]))) / 2.0))
    bottom = np.rint(base * exp((ends - np.sqrt(gap - swing * log(u[:, 1]))) / 2.0))
    # Far beyond the limit nobody sells: one price all day
    stuck = ((path.wanted > path.upper * 1.03) | (path.wanted < path.lower * 0.97)) & (normal > 0)
    open_ = np.where(stuck, path.close, open_)
    high = np.maximum(np.clip(top, path.lower, path.upper).astype(np.int64), np.maximum(open_, path.close))
    low = np.minimum(np.clip(bottom, path.lower, path.upper).astype(np.int64), np.minimum(open_, path.close))
    high, low = np.where(stuck, path.close, high), np.where(stuck, path.close, low)
    volume = _volumes(seed, issuers, move / own, path.shares)
    value = volume * ((open_ + high + low + path.close) // 4)
    halted = ~states.trading
    for quoted in (open_, high, low):
        quoted[halted] = path.close[halted]
    volume[halted] = 0
    value[halted] = 0
    keep = states.trading | (_uniforms(seed, issuers, 2) < 0.5)
    columns = (path.reference, open_, high, low, path.close, volume, value, path.upper, path.lower)
    return _flat(issuers, columns, path, states, keep)


def _volumes(seed: int, issuers: tuple[Issuer, ...], z: Floats, shares: Floats) -> Ints:
    """Log volume = level + AR(1) + slope x |z|."""
    noise = [stream(seed, Purpose.QUOTE, issuer.entity, 3).standard_normal(z.shape[0]) for issuer in issuers]
    shocks = np.stack(noise, axis=1) * VOLUME_NOISE
    level = np.zeros(z.shape[1])
    path = np.empty_like(shocks)
    for t in range(z.shape[0]):
        level = VOLUME_PERSISTENCE * level + shocks[t]
        path[t] = level
    excess = np.minimum(np.abs(z), 4.0) - 0.8
    turnover = np.array([issuer.turnover for issuer in issuers]) * exp(path + VOLUME_SLOPE * excess)
    return np.maximum(1, np.rint(np.minimum(turnover, 0.5) * shares / 100)).astype(np.int64) * 100


def _flat(
    issuers: tuple[Issuer, ...], columns: tuple[Ints, ...], path: _Path, states: States, keep: Flags
) -> Quotes:
    listed = states.active.T
    share, day = np.nonzero(listed)
    entities = np.array([issuer.entity for issuer in issuers], dtype=np.int64)
    ints = [column.T[listed] for column in columns]
    return Quotes(
        entities[share],
        day.astype(np.int64) + window()[0],
        ints[0],
        ints[1],
        ints[2],
        ints[3],
        ints[4],
        ints[5],
        ints[6],
        ints[7],
        ints[8],
        path.factor.T[listed],
        path.shares.T[listed],
        states.trading.T[listed],
        keep.T[listed],
    )
