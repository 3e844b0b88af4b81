"""Daily quotes of the NEEQ: what a share is worth moves every day, but days with a trade are few."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._market import Factors, garch, student, window
from finassay.world._blocks._neeq_life import INNOVATION
from finassay.world._blocks._prices import ExRight, Flags, Ints, Quotes, by_day, fix_cash, go_ex
from finassay.world._blocks._worth import outstanding
from finassay.world._calendar import sessions
from finassay.world._events import Event, EventType
from finassay.world._events_neeq import Layer, NeeqEnd
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._neeq_universe import NeeqIssuer

DRIFT_PER_DAY = -0.0004
LIVELIER = 2.4  # the innovation layer: times the trades of the basic one
MADE = 0.45  # least chance of a trade under market makers
BOUNCE = 0.012  # deviation of a trade from what the share is worth
WIDEST = (50, 200)  # percent of the last close between which orders are taken
SMALL_LOTS = date(2020, 1, 13)  # from then on lots are of 100 shares, of 1,000 before
_ONE_DEAL = 1500  # shares below which a day has one price


@dataclass(frozen=True)
class _Days:
    """Per session and share: listed, open for trading, in the innovation layer."""

    listed: Flags
    open: Flags
    lively: Flags


def neeq_quotes(
    seed: int,
    factor: Factors,
    members: tuple[NeeqIssuer, ...],
    events: list[Event],
    rights: list[ExRight],
    news: Floats,
    first: Ints | None = None,
) -> tuple[Quotes, list[int], Ints]:
    """Simulate the shares of a block; quotes are of the sessions with a trade alone.

    Parameters
    ----------
    events : list of Event
        Listings, layers and ends among them; others are passed over.
    rights, news
        As for `quote_block`.
    first
        Prices at the listing, in fen, where they are drawn already.

    Returns
    -------
    Quotes
        `previous` is the close of the last trade, after ex-rights.
    list of int
        Cash of each ex-right, fen per 10 shares.
    numpy.ndarray of int64
        Prices at the listing.
    """
    days = _days(members, events)
    growth = exp(_moves(seed, members, factor, news))
    draws = _draws(seed, members, growth.shape[0])
    traded = days.open & (draws[0] < _chance(members, days))
    if first is None:
        first = _first(members, growth, days)
    path = _Path(members, first, growth, days, traded, exp(BOUNCE * draws[1]), rights)
    return _quoted(members, path, draws, traded), path.cash, first


def _days(members: tuple[NeeqIssuer, ...], events: list[Event]) -> _Days:
    first, stop = window()
    listed, open_, lively = (np.zeros((stop - first, len(members)), dtype=bool) for _ in range(3))
    column = {who.share.entity: n for n, who in enumerate(members)}

    def at(day: date) -> int:
        return max(0, sessions().at_or_after(day) - first)

    for event in sorted(events, key=lambda e: (e.valid_from, e.seq)):
        n = column[event.entity]
        if event.type is EventType.NEEQ_SECURITY:
            listed[at(event.valid_from) :, n] = open_[at(event.valid_from) :, n] = True
        elif isinstance(event.payload, Layer):
            lively[at(event.valid_from) :, n] = event.payload.layer == INNOVATION
    for event in events:
        if isinstance(event.payload, NeeqEnd):
            listed[at(event.valid_from) :, column[event.entity]] = False
            open_[at(event.payload.stopped) :, column[event.entity]] = False
    return _Days(listed, open_, lively)


def _moves(seed: int, members: tuple[NeeqIssuer, ...], factor: Factors, news: Floats) -> Floats:
    shares = [who.share for who in members]
    length = factor.market.size
    shocks = [student(stream(seed, Purpose.RETURN, share.entity), 4.6, length) for share in shares]
    sigma, beta, gamma = (np.array([getattr(s, name) for s in shares]) for name in ("sigma", "beta", "gamma"))
    own = (garch(np.stack(shocks, axis=1), 0.14, 0.80) + news) * sigma
    sector = factor.sectors[:, [share.sector for share in shares]]
    total = beta * factor.market[:, None] + gamma * sector + own + DRIFT_PER_DAY
    clipped: Floats = np.clip(total, -0.5, 0.5)
    return clipped


def _draws(seed: int, members: tuple[NeeqIssuer, ...], length: int) -> tuple[Floats, Floats, Floats]:
    """Return a uniform, a normal, and four more normal draws per session and share."""
    rng = [stream(seed, Purpose.NEEQ_QUOTE, who.share.entity) for who in members]
    return (
        np.stack([r.random(length) for r in rng], axis=1),
        np.stack([r.standard_normal(length) for r in rng], axis=1),
        np.stack([r.standard_normal((4, length)) for r in rng], axis=2),
    )


def _chance(members: tuple[NeeqIssuer, ...], days: _Days) -> Floats:
    activity = np.array([who.activity for who in members])
    made = np.array([who.maker for who in members])
    chance = np.where(days.lively, LIVELIER, 1.0) * activity
    likely: Floats = np.minimum(0.97, np.where(made, np.maximum(chance, MADE), chance))
    return likely


class _Path:
    """Walks through the sessions; the last price is in whole fen at every step."""

    def __init__(
        self,
        members: tuple[NeeqIssuer, ...],
        first: Ints,
        growth: Floats,
        days: _Days,
        traded: Flags,
        bounce: Floats,
        rights: list[ExRight],
    ) -> None:
        length, n = growth.shape
        self.cash = [right.cash or 0 for right in rights]
        price, worth = first.copy(), first.astype(np.float64)
        shares, factor = outstanding([who.share for who in members], rights, length), np.ones(n)
        self.reference, self.close = (np.empty((length, n), dtype=np.int64) for _ in range(2))
        self.factor, self.shares = np.empty((length, n)), np.empty((length, n))
        planned, due = by_day(rights)
        spent: dict[tuple[int, int], int] = {}
        for t in range(length):
            for k in due.get(t, ()):
                before = price[rights[k].column]
                go_ex(rights[k], self.cash[k], price, factor)
                worth[rights[k].column] *= price[rights[k].column] / before
            worth = np.where(days.listed[t], worth * growth[t], worth)
            low, high = np.maximum(1, (price * WIDEST[0] + 99) // 100), price * WIDEST[1] // 100
            close = np.clip(np.rint(worth * bounce[t]), low, high).astype(np.int64)
            self.reference[t] = price
            price = np.where(traded[t], close, price)
            self.close[t], self.factor[t], self.shares[t] = price, factor, shares[t]
            for k in planned.get(t, ()):
                if rights[k].cash is None:
                    column = rights[k].column
                    self.cash[k] = fix_cash(rights[k], int(price[column]), int(shares[t, column]), spent)


def _first(members: tuple[NeeqIssuer, ...], growth: Floats, days: _Days) -> Ints:
    """Return first prices, in fen: one that Beijing's first price follows from, where the share goes there."""
    found = np.array([who.share.price for who in members])
    for n, who in enumerate(members):
        if who.later is not None:
            moves = growth[days.open[:, n], n]
            grown = float(np.cumprod(moves)[-1]) if moves.size else 1.0
            found[n] = who.later.price * 0.9 / grown
    fen: Ints = np.rint(np.clip(found, 0.5, 300.0) * 100).astype(np.int64)
    return fen


def _quoted(
    members: tuple[NeeqIssuer, ...], path: _Path, draws: tuple[Floats, Floats, Floats], traded: Flags
) -> Quotes:
    """Volumes, and the prices around the close of days with more than one deal, share by share."""
    first, stop = window()
    opened, top, bottom, size = draws[2]
    lot = np.where(np.arange(first, stop) >= sessions().at_or_after(SMALL_LOTS), 100, 1000)[:, None]
    turnover = np.array([who.share.turnover for who in members]) * exp(np.clip(0.9 * size, -4.0, 4.0))
    volume = np.maximum(1, np.rint(np.minimum(turnover, 0.2) * path.shares / lot)).astype(np.int64) * lot
    one = volume < _ONE_DEAL
    low, high = np.maximum(1, (path.reference * WIDEST[0] + 99) // 100), path.reference * WIDEST[1] // 100
    start = np.clip(np.rint(path.close * exp(0.015 * opened)), low, high)
    highest = np.clip(np.rint(np.maximum(start, path.close) * exp(0.008 * np.abs(top))), low, high)
    lowest = np.clip(np.rint(np.minimum(start, path.close) * exp(-0.008 * np.abs(bottom))), low, high)
    prices = [np.where(one, path.close, value).astype(np.int64) for value in (start, highest, lowest)]
    value = volume * ((prices[0] + prices[1] + prices[2] + path.close) // 4)
    share, day = np.nonzero(traded.T)
    entity = np.array([who.share.entity for who in members], dtype=np.int64)
    yes = np.ones(share.size, dtype=bool)

    def flat(values: Ints) -> Ints:
        found: Ints = values.T[traded.T]
        return found

    return Quotes(
        entity[share],
        day.astype(np.int64) + first,
        flat(path.reference),
        flat(prices[0]),
        flat(prices[1]),
        flat(prices[2]),
        flat(path.close),
        flat(volume),
        flat(value),
        flat(high),
        flat(low),
        path.factor.T[traded.T],
        path.shares.T[traded.T],
        yes,
        yes,
    )
