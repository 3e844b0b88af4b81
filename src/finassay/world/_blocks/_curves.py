"""Yield curves: Nelson-Siegel states of the treasury curve, spreads of the others over it, spot rates from par yields.

Treasury parameters are measured (world.md, 2.4); spreads are assumed. Yields are whole numbers of 1e-4 percent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._market import Factors, student, window
from finassay.world._calendar import sessions
from finassay.world._events import EventType
from finassay.world._events_bonds import Release
from finassay.world._numerics import exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from finassay.world._events import Event
    from finassay.world._numerics import Floats

Ints = npt.NDArray[np.int64]

TENORS = (0.0, 0.25, 0.5, 0.75, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0)
DECAY = 0.7308  # per year
FLOOR = 0.01  # percent
# Level, slope and curvature: mean in percent, daily persistence, shock in basis points
STATES = ((3.28, 0.9993, 2.34), (-1.16, 0.9950, 4.08), (-1.06, 0.9852, 9.42))
MACRO_MOVE = 0.8  # basis points of level per standard deviation of surprise (assumed)
_WATCHED = {1002: 0.6, 1006: 0.8, 1007: 1.0}  # series that move the curve, by how much
_WITH_EQUITY = 0.20  # correlation of the level's shock with the equity market
# The curves: the vendor's number and name, grade whose spread it has, basis points on top, kind
CURVES = (
    (10, "中债国债收益率曲线", "", 0.0),
    (195, "中债国开债收益率曲线", "CDB", 0.0),
    (196, "中债地方政府债收益率曲线(AAA)", "LOCAL", 0.0),
    (201, "中债中短期票据收益率曲线(AAA)", "AAA", 0.0),
    (202, "中债中短期票据收益率曲线(AA+)", "AA+", 0.0),
    (203, "中债中短期票据收益率曲线(AA)", "AA", 0.0),
    (204, "中债中短期票据收益率曲线(AA-)", "AA-", 0.0),
    (211, "中债城投债收益率曲线(AAA)", "AAA", 5.0),
    (212, "中债城投债收益率曲线(AA+)", "AA+", 9.0),
    (213, "中债城投债收益率曲线(AA)", "AA", 16.0),
    (221, "中债同业存单收益率曲线(AAA)", "AAA", -12.0),
)
SPREADS = {"": 0.0, "CDB": 16.0, "LOCAL": 22.0, "AAA": 40.0, "AA+": 65.0, "AA": 110.0, "AA-": 300.0}
MISSING = 0.01  # of the days of a curve beside the treasury's


@dataclass(frozen=True)
class Curves:
    """Daily curves over the sessions of the economy.

    Attributes
    ----------
    par, spot : numpy.ndarray of int64
        Yields to maturity and spot rates in 1e-4 percent, of shape (curves, sessions, tenors).
    there : numpy.ndarray of bool
        Whether a curve was published on a session, of shape (curves, sessions).
    credit : numpy.ndarray of float64
        By how much spreads are wider than their mean, a factor per session.
    """

    par: Ints
    spot: Ints
    there: npt.NDArray[np.bool_]
    credit: Floats


def curves(seed: int, factor: Factors, events: Iterable[Event]) -> Curves:
    """Simulate the curves of a world; releases of macro series move them."""
    treasury = _treasury(seed, factor, events)
    credit = credit_factor(seed)
    length = treasury.shape[0]
    par, spot, there = [], [], []
    for k, (_, _, grade, extra) in enumerate(CURVES):
        base = treasury
        if grade:
            noise = _slow(stream(seed, Purpose.SPREAD, k), length, 0.99, 0.12)[:, None]
            base = treasury + (spread_at(SPREADS[grade], credit[:, None], _GRID) + extra + noise) / 100.0
        a, b = bootstrapped(np.maximum(base, FLOOR))
        par.append(a)
        spot.append(b)
        drawn = stream(seed, Purpose.SPREAD, k, 1).random(length)
        there.append(drawn >= (MISSING if grade else 0.0))
    return Curves(np.stack(par), np.stack(spot), np.stack(there), credit)


def credit_factor(seed: int) -> Floats:
    """Return the common factor of credit spreads, about 1."""
    length = window()[1] - window()[0]
    return exp(_slow(stream(seed, Purpose.SPREAD, 1 << 20), length, 0.997, 0.012))


def spread_at(base: float | Floats, credit: Floats, years: Floats) -> Floats:
    """Return a spread in basis points: of its grade, times the common factor, rising with the term."""
    found: Floats = base * credit * (0.78 + 0.055 * np.minimum(years, 10.0))
    return found


_YEARLY = np.arange(1.0, 31.0)
_GRID = np.array([*TENORS[:4], *_YEARLY])  # where yields are needed to derive spot rates
_PLACES = [int(np.flatnonzero(tenor == _GRID)[0]) for tenor in TENORS]


def _treasury(seed: int, factor: Factors, events: Iterable[Event]) -> Floats:
    """Return treasury yields in percent, of shape (sessions, grid)."""
    length = factor.market.size
    rng = stream(seed, Purpose.CURVE, 0)
    raw = [student(rng, 5.0, length) for _ in STATES]
    market = (factor.market - np.sum(factor.market) / length) / np.sqrt(
        np.sum(factor.market * factor.market) / length
    )
    first = _WITH_EQUITY * market + float(np.sqrt(1.0 - _WITH_EQUITY**2)) * raw[0]
    # Correlations level-slope -.30, level-curvature -.29, slope-curvature -.44
    second = -0.30 * first + 0.9539 * raw[1]
    third = -0.29 * first - 0.5525 * raw[1] + 0.7814 * raw[2]
    bumps = _bumps(events, length)
    states = np.empty((length, 3))
    now = [mean for mean, _, _ in STATES]
    for t in range(length):
        for k, (shock, (mean, persistence, size)) in enumerate(
            zip((first[t], second[t], third[t]), STATES, strict=True)
        ):
            moved = mean + persistence * (now[k] - mean) + size / 100.0 * float(shock)
            now[k] = moved + (bumps[t] if k == 0 else 0.0)
            states[t, k] = now[k]
    scaled = DECAY * np.maximum(_GRID, 1e-6)
    decay = exp(-scaled)
    hump = (1.0 - decay) / scaled
    yields: Floats = states[:, :1] + states[:, 1:2] * hump + states[:, 2:] * (hump - decay)
    return np.maximum(yields, FLOOR)


def _bumps(events: Iterable[Event], length: int) -> Floats:
    """Percent by which surprises move the level on the first session from their release on."""
    start = window()[0]
    found = np.zeros(length)
    codes = {0xBC0000 + n: weight for n, weight in _watched().items()}
    for event in events:
        if (
            event.type is EventType.CN_RELEASE
            and event.entity in codes
            and isinstance(event.payload, Release)
        ):
            at = sessions().at_or_after(event.disclosed_at.date()) - start
            if 0 <= at < length:
                found[at] += MACRO_MOVE / 100.0 * codes[event.entity] * event.payload.surprise
    return found


def _watched() -> dict[int, float]:
    from finassay.world._blocks._macro_cn import SERIES

    return {n: _WATCHED[spec.code] for n, spec in enumerate(SERIES, start=1) if spec.code in _WATCHED}


def _slow(rng: np.random.Generator, length: int, persistence: float, shock: float) -> Floats:
    """Return a first-order autoregression from its mean 0."""
    found, now = [], 0.0
    for draw in (rng.standard_normal(length) * shock).tolist():
        now = persistence * now + draw
        found.append(now)
    return np.array(found)


def bootstrapped(yields: Floats) -> tuple[Ints, Ints]:
    """Return par yields and spot rates at the tenors from yields on the grid.

    Yearly coupons, discount factors one after the other. Where a factor would not be below the one before it, it is set
    just below, and the par yield follows from it. Below a year both rates are the same.

    Parameters
    ----------
    yields : numpy.ndarray
        Percent, of shape (sessions, grid).
    """
    short = len(_GRID) - len(_YEARLY)
    par = yields.copy()
    spot = yields.copy()
    before = 1.0 / (1.0 + np.maximum(yields[:, short - 1], FLOOR) / 100.0 * TENORS[short - 1])
    total = np.zeros(yields.shape[0])
    for n in range(len(_YEARLY)):
        rate = yields[:, short + n] / 100.0
        factor = (1.0 - rate * total) / (1.0 + rate)
        factor = np.minimum(factor, before * (1.0 - 2e-4))
        total = total + factor
        par[:, short + n] = (1.0 - factor) / total * 100.0
        spot[:, short + n] = (_root(1.0 / factor, n + 1) - 1.0) * 100.0
        before = factor
    return tuple(np.rint(part[:, _PLACES] * 1e4).astype(np.int64) for part in (par, spot))  # type: ignore[return-value]


def _root(values: Floats, n: int) -> Floats:
    """Return the n-th root."""
    from finassay.world._numerics import log

    return values if n == 1 else exp(log(values) / n)


def interpolated(par: Ints, session: Ints, years: Floats) -> Floats:
    """Return yields in percent at remaining terms, linear between tenors; `par` of shape (sessions, tenors)."""
    nodes = np.array(TENORS)
    right = np.clip(np.searchsorted(nodes, years, side="left"), 1, nodes.size - 1)
    low, high = nodes[right - 1], nodes[right]
    weight = (np.minimum(years, nodes[-1]) - low) / (high - low)
    a, b = par[session, right - 1], par[session, right]
    result: Floats = (a + (b - a) * weight) / 1e4
    return result
