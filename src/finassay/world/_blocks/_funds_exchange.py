"""Prices of funds that trade on an exchange: the net value and a premium that comes and goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._market import window
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._funds_market import Ints
    from finassay.world._blocks._funds_nav import NavBook

LISTING_LAG = 20  # sessions from establishment to listing
_PREMIUM, _MEMORY = 0.0015, 0.85  # daily shock of the premium, and what is left of it a day later


@dataclass(frozen=True)
class ExchangeQuotes:
    """Quotes of one fund, per session from its listing.

    Attributes
    ----------
    session : numpy.ndarray of int64
        Positions among the exchange's sessions.
    previous, open, high, low, close : numpy.ndarray of int64
        Thousandths of a yuan; `previous` is the reference after payouts and splits.
    volume : numpy.ndarray of int64
        Units.
    net : numpy.ndarray of int64
        Net value of a unit, ten-thousandths of a yuan.
    """

    session: Ints
    previous: Ints
    open: Ints
    high: Ints
    low: Ints
    close: Ints
    volume: Ints
    net: Ints


def exchange_quotes(seed: int, entity: int, navs: NavBook, first: int) -> ExchangeQuotes:
    """Quote a share class from a session on.

    Parameters
    ----------
    seed : int
        The world's.
    entity : int
        The share class.
    navs : NavBook
        Its net values, without first versions that were corrected.
    first : int
        The position of its first session on the exchange.
    """
    length = window()[1] - window()[0]
    rng = stream(seed, Purpose.FUND_QUOTE, entity)
    z, u, level = rng.standard_normal((2, length)), rng.random((3, length)), float(rng.standard_normal())
    inside = navs.session >= first
    session, net = navs.session[inside].astype(np.int64), navs.unit[inside].astype(np.int64)
    place = session - window()[0]
    close = np.maximum(1, np.rint(net * (1.0 + _premium(z[0])[place]) / 10)).astype(np.int64)
    restored = navs.restored[inside]
    ratio = np.ones(net.size)
    ratio[1:] = (net[1:] / net[:-1]) / (restored[1:] / restored[:-1])
    before = np.r_[close[:1], close[:-1]]
    previous = np.maximum(1, np.rint(before * ratio)).astype(np.int64)
    opened = previous + np.rint((close - previous) * (0.6 * u[0, place] - 0.1)).astype(np.int64)
    high = np.maximum(opened, close) + np.rint(close * 0.006 * u[1, place]).astype(np.int64)
    low = np.maximum(1, np.minimum(opened, close) - np.rint(close * 0.006 * u[2, place]).astype(np.int64))
    volume = np.rint(exp(9.5 + 1.5 * level + 0.5 * z[1, place])).astype(np.int64) * 100
    return ExchangeQuotes(session, previous, opened, high, low, close, volume, net)


def _premium(shocks: Floats) -> Floats:
    path = np.empty(shocks.size)
    now = 0.0
    for t, shock in enumerate(shocks.tolist()):
        now = _MEMORY * now + _PREMIUM * shock
        path[t] = now
    return np.clip(path, -0.03, 0.03)
