"""Money market fixings, central parities and bond indices: daily series that follow the curves. All assumed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._curves import CURVES, Curves, interpolated
from finassay.world._blocks._market import student, window
from finassay.world._blocks._recorder import Recorder
from finassay.world._calendar import sessions
from finassay.world._events import EventType
from finassay.world._events_bonds import BondIndex
from finassay.world._numerics import exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._events import Event
    from finassay.world._numerics import Floats

FIRST_INDEX = 0xBC1000
RATES = ("FR001", "FR007", "FR014", "FDR001", "FDR007", "FDR014", "GC001", "GC007", "B0", "B1W", "B2W", "B1M")
STRESS_PER_YEAR, STRESS_EXIT = 7.0, 0.28
LPR_REFORM = date(2019, 8, 20)
# Currency, yuan per 100 units at the start, daily volatility, pull to the start
CURRENCIES = (
    (502, 648.0, 0.0021, 0.0012),
    (300, 740.0, 0.0042, 0.0015),
    (116, 6.05, 0.0048, 0.0010),
    (303, 945.0, 0.0047, 0.0015),
)
HONG_KONG, DOLLAR = 110, 502
_PEG = 7.80  # Hong Kong dollars per US dollar
# Vendor's number, code, name, curve, years; the last three are quoted on the exchange
INDICES = (
    (4101, "CBA00101", "中债-新综合指数", 195, 4.5),
    (4102, "CBA00601", "中债-国债总指数", 10, 7.0),
    (4103, "CBA02501", "中债-国开行债券总指数", 195, 4.0),
    (4104, "CBA02701", "中债-信用债总指数", 202, 2.5),
    (4105, "CBA00621", "中债-国债总指数(1-3年)", 10, 2.0),
    (4106, "CBA00651", "中债-国债总指数(7-10年)", 10, 8.5),
    (4201, "000012", "国债指数", 10, 5.0),
    (4202, "000013", "企债指数", 202, 3.5),
    (4203, "000022", "公司债指数", 203, 3.0),
)
ON_EXCHANGE = 4200


@dataclass(frozen=True)
class Money:
    """Daily series over the sessions of the economy.

    Attributes
    ----------
    fixings : dict of str to numpy.ndarray
        Rates in percent, by the vendor's column; NaN where none was published.
    parities : dict of int to numpy.ndarray
        Yuan per 100 units of a currency.
    levels : dict of int to numpy.ndarray
        By index: full price, clean price and total return, of shape (sessions, 3).
    yields : dict of int to numpy.ndarray
        By index: its yield in percent.
    """

    fixings: dict[str, Floats]
    parities: dict[int, Floats]
    levels: dict[int, Floats]
    yields: dict[int, Floats]


def money(seed: int, curve: Curves) -> Money:
    """Simulate the money market, the currencies and the bond indices of a world."""
    levels, yields = {}, {}
    for inner, _, _, number, years in INDICES:
        levels[inner], yields[inner] = _index(curve, number, years)
    return Money(_fixings(seed, curve), _parities(seed), levels, yields)


def index_events(seed: int) -> list[Event]:
    """Tell the bond indices."""
    found: list[Event] = []
    for inner, code, name, _, _ in INDICES:
        recorder = Recorder(seed, FIRST_INDEX + inner - 4000)
        market = 83 if inner > ON_EXCHANGE else 89
        payload = BondIndex(inner, code, name, market)
        day = date(2007, 12, 17)
        recorder.tell(
            EventType.BOND_INDEX, payload, valid=day, disclosed=day - timedelta(days=20), prompt=True
        )
        found += recorder.events
    return found


def _fixings(seed: int, curve: Curves) -> dict[str, Floats]:
    """Short rates: the short end of the treasury curve, stress episodes, and dear money at the ends of months."""
    first, stop = window()
    length = stop - first
    base = curve.par[0, :, 1] / 1e4 - 0.25
    rng = stream(seed, Purpose.FIXING, 0)
    starts, leaves, sizes = rng.random(length), rng.random(length), rng.standard_exponential(length)
    noise = {name: rng.standard_normal(length) for name in RATES}
    gaps = rng.random((len(RATES), length))
    stress, slow = np.zeros(length), np.zeros(length)
    now = drift = 0.0
    for t in range(length):
        if now and leaves[t] < STRESS_EXIT:
            now = 0.0
        elif not now and starts[t] < STRESS_PER_YEAR / 243:
            now = 0.35 + 0.55 * float(sizes[t])
        drift = 0.96 * drift + 0.045 * float(noise["B1M"][t])
        stress[t], slow[t] = now, drift
    turn = _turns(first, length)
    found: dict[str, Floats] = {}
    for k, name in enumerate(RATES):
        term, load, season, size, quiet = _TRAITS[name]
        rate = base + slow + term + load * stress + season * turn + size * noise[name]
        found[name] = np.rint(np.maximum(rate, 0.3) * 1e4) / 1e4
        if not quiet:
            found[name] = np.where(gaps[k] < 0.006, np.nan, found[name])
    return found | _prime(curve, first)


# Term premium, load on stress and on the turn of the month, noise, never missing
_TRAITS = {
    "FR001": (0.00, 1.00, 0.10, 0.05, True),
    "FR007": (0.38, 1.10, 0.45, 0.05, True),
    "FR014": (0.55, 1.05, 0.50, 0.06, False),
    "FDR001": (-0.06, 0.55, 0.05, 0.03, False),
    "FDR007": (0.18, 0.50, 0.20, 0.03, False),
    "FDR014": (0.36, 0.50, 0.25, 0.05, False),
    "GC001": (0.15, 1.50, 0.60, 0.25, False),
    "GC007": (0.45, 1.30, 0.70, 0.15, False),
    "B0": (0.01, 1.00, 0.10, 0.05, True),
    "B1W": (0.39, 1.10, 0.45, 0.06, True),
    "B2W": (0.57, 1.05, 0.50, 0.07, False),
    "B1M": (0.80, 0.90, 0.40, 0.10, False),
}


def _turns(first: int, length: int) -> Floats:
    """1 on the last session of a quarter, .5 on that of another month, half of it the day before."""
    days = sessions().days[first : first + length + 1]
    found = np.zeros(length)
    for t in range(length):
        if days[t].month != days[t + 1].month:
            size = 1.0 if days[t].month % 3 == 0 else 0.5
            found[t] = size
            found[max(0, t - 1)] = max(found[max(0, t - 1)], size / 2)
    return found


def _prime(curve: Curves, first: int) -> dict[str, Floats]:
    """Loan prime rates: fixed on the 20th, in steps of five basis points, from the reform on; before, one rate."""
    length = curve.par.shape[1]
    one, five = np.full(length, 4.30), np.full(length, np.nan)
    year = curve.par[0, :, 4] / 1e4
    now = (4.25, 4.85)
    month = (0, 0)
    for t in range(length):
        day = sessions().days[first + t]
        if day < LPR_REFORM:
            continue
        if day.day >= 20 and (day.year, day.month) != month:
            month = (day.year, day.month)
            level = float(np.sum(year[max(0, t - 120) : t + 1])) / (t + 1 - max(0, t - 120))
            step = float(np.rint((level + 1.5) * 20) / 20)
            now = (step, step + 0.6)
        one[t], five[t] = now
    return {"LPR1Y": np.round(one, 2), "LPR5Y": np.round(five, 2)}


def _parities(seed: int) -> dict[int, Floats]:
    length = window()[1] - window()[0]
    found = {}
    for currency, start, volatility, pull in CURRENCIES:
        rng = stream(seed, Purpose.CURRENCY, currency)
        shocks = student(rng, 6.0, length) * volatility
        path = np.empty(length)
        now = 0.0
        for t in range(length):
            now = (1.0 - pull) * now + float(shocks[t])
            path[t] = now
        found[currency] = np.round(start * exp(path), 4)
    rng = stream(seed, Purpose.CURRENCY, HONG_KONG)
    peg = _PEG * exp(0.0008 * np.clip(rng.standard_normal(length), -2.5, 2.5))
    found[HONG_KONG] = np.round(found[DOLLAR] / peg, 4)
    return found


def _index(curve: Curves, number: int, years: float) -> tuple[Floats, Floats]:
    """Chain a par bond of constant term: price change by duration and convexity, carry by calendar days."""
    row = next(k for k, spec in enumerate(CURVES) if spec[0] == number)
    length = curve.par.shape[1]
    first = window()[0]
    when = sessions().array[first : first + length].astype(np.int64)
    rate = interpolated(curve.par[row], np.arange(length), np.full(length, years)) / 100.0
    growth = exp(-years * rate)
    duration = (1.0 - growth) / rate
    change = np.diff(rate)
    price = -duration[:-1] * change + 0.5 * duration[:-1] * (duration[:-1] + 1.0) * change * change
    carry = rate[:-1] * np.diff(when) / 365.0
    levels = np.empty((length, 3))
    levels[0] = 100.0
    for t in range(1, length):
        accrued = 0.10 * float(carry[t - 1])  # interest between two coupons, paid out on the average
        for k, gain in enumerate(
            (float(price[t - 1]) + accrued, float(price[t - 1]), float(price[t - 1] + carry[t - 1]))
        ):
            levels[t, k] = np.rint(levels[t - 1, k] * (1.0 + gain) * 1e4) / 1e4
    return levels, np.round(rate * 100.0, 4)


def duration_of(yields: Floats, years: float) -> Floats:
    """Return the modified duration of par bonds of a term, from yields in percent."""
    rate = yields / 100.0
    found: Floats = (1.0 - exp(-years * rate)) / rate
    return found
