"""The US market and its sectors, moved by macro news and by policy; and the Treasury curve (world.md, 2.1 and 2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time

import numpy as np

from finassay.world._blocks._market import garch, garch_path, homing, student, usual
from finassay.world._blocks._recorder import Recorder
from finassay.world._blocks._us_macro import SERIES
from finassay.world._blocks._us_names import SECTORS
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._events import Event, EventType
from finassay.world._events_us import MacroRelease, News
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

YEAR = 252  # sessions
MARKET_VOLATILITY, MARKET_DRIFT = 0.155, 0.125  # the index drifts 14.1% with dividends (R5)
SECTOR_VOLATILITY = 0.0052  # .55% in world.md; so much gives the measured share of variance
_USUAL = ((3.5, 9.0), (0.15, 0.32), 8.0, 2.1)  # as of the Chinese market
POLICIES_PER_YEAR = 0.8  # per sector (assumed)
FIRST_SECTOR = 0x6E0000
TENORS = (1 / 12, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0, 30.0)
_DECAY = 0.7308
_MEANS = (2.77, -0.55, -0.89)
_MEMORY = (0.9981, 0.9987, 0.9937)
_SHOCKS = (0.0636, 0.0710, 0.1794)
_CORRELATION = (-0.87, -0.15, -0.10)  # level-slope, level-curvature, slope-curvature
_FLOOR = 0.01
_PER_SURPRISE = {"PAYEMS": 0.012, "CPI": 0.015, "GDP": 0.006}  # points of the level of the curve


@dataclass(frozen=True)
class UsFactors:
    """Daily log returns over the sessions of the economy: `market` (T), `sectors` (T, 11)."""

    market: Floats
    sectors: Floats


@dataclass(frozen=True)
class UsCurve:
    """The Treasury curve per session: par yields (T, 11) in percent, discount factors (T, 60) by half-years."""

    par: Floats
    discount: Floats


def us_window() -> tuple[int, int]:
    """Return the positions of the economy's first session in New York and of the one after its last."""
    calendar = sessions("XNYS")
    return calendar.at_or_after(START), calendar.at_or_after(END) + (1 if END in calendar else 0)


def us_factors(seed: int, events: tuple[Event, ...]) -> UsFactors:
    """Draw the factors; news of the macro releases and policies among the events move them."""
    first, stop = us_window()
    length = stop - first
    market = usual(lambda n: homing(garch_path(stream(seed, Purpose.US, 0, n), length, 0.13, 0.84)), _USUAL)
    shocks = [student(stream(seed, Purpose.US, 1 + k), 6.0, length) for k in range(len(SECTORS))]
    sectors = garch(np.stack(shocks, axis=1), 0.13, 0.84)
    deviation = MARKET_VOLATILITY / float(np.sqrt(YEAR))
    found = UsFactors(
        _scaled(market, deviation) + MARKET_DRIFT / YEAR,
        np.stack([_scaled(sectors[:, k], SECTOR_VOLATILITY) for k in range(len(SECTORS))], axis=1),
    )
    effect = {series.code: series.effect / 100 for series in SERIES}
    for event in events:
        at = reaction(event) - first
        if not 0 <= at < length:
            continue
        if isinstance(event.payload, MacroRelease):
            found.market[at] += effect[event.payload.series] * event.payload.surprise
        elif isinstance(event.payload, News) and event.payload.sector is not None:
            found.sectors[at, event.payload.sector] += event.payload.move
    return found


def reaction(event: Event) -> int:
    """Return the position of the session that first trades on an event: the next one after four o'clock."""
    calendar = sessions("XNYS")
    day = event.disclosed_at.date()
    at = calendar.at_or_after(day)
    return at + 1 if day in calendar and event.disclosed_at.time() >= time(16) else at


def policy_events(seed: int) -> list[Event]:
    """Tell the policies that move a whole sector."""
    first, stop = us_window()
    found = []
    for sector in range(len(SECTORS)):
        rng = stream(seed, Purpose.US, 100 + sector)
        recorder = Recorder(seed, FIRST_SECTOR + sector)
        now = first + 20
        while (now := now + 5 + int(rng.exponential(YEAR / POLICIES_PER_YEAR))) < stop - 5:
            move = float(np.rint(rng.standard_normal() * 0.022 * 1e6) / 1e6)
            day = sessions("XNYS").days[now]
            news = News("US", "policy", True, move, 0, sector)
            recorder.tell(EventType.NEWS, news, valid=day, disclosed=day, at=time(8, 45), prompt=True)
        found += recorder.events
    return found


def us_curve(seed: int, events: tuple[Event, ...]) -> UsCurve:
    """Draw the Treasury curve: Nelson-Siegel factors, AR(1) with shocks of five degrees of freedom."""
    first, stop = us_window()
    length = stop - first
    raw = [student(stream(seed, Purpose.US_CURVE, k), 5.0, length) for k in range(3)]
    ls, lc, sc = _CORRELATION
    second = float(np.sqrt(1 - ls * ls))
    a = (sc - ls * lc) / second
    third = float(np.sqrt(1 - lc * lc - a * a))
    shocks = np.stack(
        [raw[0], ls * raw[0] + second * raw[1], lc * raw[0] + a * raw[1] + third * raw[2]], axis=1
    )
    shocks = shocks * np.array(_SHOCKS)
    for event in events:
        at = reaction(event) - first
        if isinstance(event.payload, MacroRelease) and 0 <= at < length:
            shocks[at, 0] += _PER_SURPRISE.get(event.payload.series, 0.0) * event.payload.surprise
    mean, memory = np.array(_MEANS), np.array(_MEMORY)
    state, path = mean.copy(), np.empty((length, 3))
    for t in range(length):
        state = mean + memory * (state - mean) + shocks[t]
        path[t] = state
    return _priced(path)


def _priced(path: Floats) -> UsCurve:
    """Turn factors into discount factors that fall with the tenor, and these into par yields."""
    grid = np.array([1 / 12, 0.25, *(0.5 * n for n in range(1, 61))])
    fade = exp(-_DECAY * grid)
    slope = (1.0 - fade) / (_DECAY * grid)
    zero = path[:, :1] + path[:, 1:2] * slope + path[:, 2:] * (slope - fade)
    owed = np.maximum(zero, _FLOOR) / 100.0 * grid
    owed = np.maximum.accumulate(owed - 1e-5 * grid, axis=1) + 1e-5 * grid
    discount = exp(-owed)
    halves = discount[:, 2:]
    coupons = np.cumsum(halves, axis=1)
    par = np.empty((path.shape[0], len(TENORS)))
    for k, tenor in enumerate(TENORS):
        if tenor < 0.5:
            par[:, k] = (1.0 / discount[:, k] - 1.0) / tenor
        else:
            n = round(2 * tenor) - 1
            par[:, k] = 2.0 * (1.0 - halves[:, n]) / coupons[:, n]
    return UsCurve(np.maximum(np.rint(par * 1e4) / 100.0, 0.01), halves)


def _scaled(series: Floats, deviation: float) -> Floats:
    centred = series - np.sum(series) / series.size
    scaled: Floats = centred * (deviation / np.sqrt(np.sum(centred * centred) / series.size))
    return scaled
