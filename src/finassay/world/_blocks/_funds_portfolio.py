"""Stock portfolios: chosen at each quarter's end, held through the quarter, listed as they then are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._funds_market import quarter_positions
from finassay.world._blocks._indices import capped
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._funds_market import Holdable, Ints
    from finassay.world._blocks._funds_read import FundLife

_MOST = 110  # names of an active fund
_NEW_BROOM = 0.6  # of the names go in the quarter after a manager has left


@dataclass(frozen=True)
class Held:
    """A list at the end of a quarter: positions of shares and shares of net assets, largest first."""

    quarter: int
    names: Ints
    weights: Floats


@dataclass
class Portfolio:
    """The stock part of a fund: its value from one, per session; its lists; yuan traded per yuan at each quarter."""

    value: Floats
    held: list[Held]
    traded: dict[int, float]


@dataclass(frozen=True)
class Manner:
    """How a fund picks: number of names, tilt to large shares, turnover a quarter, relative weights by rank."""

    count: int
    tilt: float
    turnover: float
    slots: Floats

    @staticmethod
    def of(u: Floats) -> Manner:
        """Draw a manner: 30 to 100 names, of which the first ten have a third to a half."""
        slots = exp(-(0.012 + 0.035 * float(u[2])) * np.arange(_MOST))
        return Manner(30 + int(70 * u[0]), 0.2 + 0.8 * float(u[1]), 0.12 + 0.28 * float(u[3]), slots)


def portfolio(
    seed: int,
    life: FundLife,
    market: Holdable,
    shares: Floats,
    manner: Manner,
    styles: list[tuple[int, float]],
) -> Portfolio:
    """Run the stock part of a fund over its life.

    Parameters
    ----------
    seed : int
        The world's.
    life : FundLife
        The fund; with a target it holds the members of that index.
    market : Holdable
        What there is.
    shares : numpy.ndarray of float64
        Stocks of net assets, by quarter.
    manner : Manner
        How it picks.
    styles : list of (int, float)
        From which session its managers add which tilt; each change is a new broom.

    Returns
    -------
    Portfolio
        `value` covers the sessions from `life.first` to before `life.stop`.
    """
    ends = quarter_positions()
    draws = stream(seed, Purpose.FUND_PICK, life.entity).random((len(ends) + 1, 3, 2 * _MOST))
    value = np.ones(life.stop - life.first)
    result = Portfolio(value, [], {})
    names, weights = np.zeros(0, dtype=np.int64), np.zeros(0)
    start = life.first
    for quarter, end in enumerate(ends):
        stop = min(end, life.stop - 1)
        if stop <= start:
            continue
        names, weights, traded = _rebalanced(
            life, market, manner, styles, start, names, weights, draws[quarter]
        )
        growth = market.growth[names, start : stop + 1]
        parts = growth * (weights / growth[:, 0])[:, None]
        total = np.sum(parts, axis=0)
        value[start - life.first : stop + 1 - life.first] = value[start - life.first] * total
        weights = parts[:, -1] / total[-1]
        share = float(shares[quarter])
        result.traded[quarter] = traded * share
        if stop == end:
            order = np.argsort(-weights, kind="stable")
            order = order[market.listed[names[order], end]]
            result.held.append(Held(quarter, names[order], weights[order] * share))
        start = stop
    return result


def _rebalanced(
    life: FundLife,
    market: Holdable,
    manner: Manner,
    styles: list[tuple[int, float]],
    at: int,
    names: Ints,
    weights: Floats,
    draws: Floats,
) -> tuple[Ints, Floats, float]:
    """Return the names and weights from a session on, and what was traded for it as a share of the stock part."""
    target = [index for day, index in life.targets if day <= at]
    if target:
        chosen = market.index(target[-1], at)
        chosen = (
            chosen if chosen.size else market.ranked(at)[:20]
        )  # a small world's index may have no members
        if life.opened.investment == 8 and chosen.size > 20:  # an enhanced index leaves some out
            chosen = chosen[draws[2, : chosen.size] > 0.25] if chosen.size <= draws.shape[1] else chosen
        size = market.cap[chosen, at]
        size = np.where(size > 0, size, np.median(size[size > 0]) if np.any(size > 0) else 1.0)
        size = size * capped(size)
        fresh = size / np.sum(size)
    else:
        chosen = _picked(market, manner, styles, at, names, weights, draws)
        slots = manner.slots[: chosen.size]
        fresh = slots / np.sum(slots)
    moved = np.zeros(market.cap.shape[0])
    moved[names] = -weights
    moved[chosen] += fresh
    return chosen, fresh, float(np.sum(np.abs(moved)))


def _picked(
    market: Holdable,
    manner: Manner,
    styles: list[tuple[int, float]],
    at: int,
    names: Ints,
    weights: Floats,
    draws: Floats,
) -> Ints:
    """Keep most names in their order and fill up with new ones, which enter anywhere in it."""
    ranked = market.ranked(at)
    count = min(manner.count, max(1, ranked.size // 2))
    current = [style for style in styles if style[0] <= at]
    tilt = min(1.0, max(0.0, manner.tilt + (current[-1][1] if current else 0.0)))
    fresh = bool(current) and current[-1][0] > at - 60
    leave = max(manner.turnover, _NEW_BROOM if fresh and names.size else 0.0)
    order = names[np.argsort(-weights, kind="stable")]
    stays = (market.cap[order, at] > 0) & (draws[0, : order.size] >= leave)
    kept = order[stays][:count]
    u = draws[1]
    pool = ranked[np.minimum((ranked.size * u * (tilt * u + 1.0 - tilt)).astype(np.int64), ranked.size - 1)]
    # The first mention of each share that is not kept: later mentions are overwritten by earlier ones
    first = np.full(market.cap.shape[0], -1)
    first[pool[::-1]] = np.arange(pool.size - 1, -1, -1)
    first[kept] = -1
    added = pool[first[pool] == np.arange(pool.size)][: count - kept.size]
    keys = np.concatenate([np.arange(kept.size, dtype=np.float64), draws[2, : added.size] * count])
    chosen: Ints = np.concatenate([kept, added])[np.argsort(keys, kind="stable")]
    return chosen
