"""Chinese macro series: monthly and quarterly values, their releases, and revisions of activity series once a year.

Moments of CPI, PPI, M2 and unemployment are measured on final values (world.md, 2.4); the others, the days of release
and the revisions are assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._recorder import Recorder
from finassay.world._calendar import sessions
from finassay.world._config import END
from finassay.world._events import EventType
from finassay.world._events_bonds import MacroSeries, Release
from finassay.world._numerics import exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._events import Event
    from finassay.world._numerics import Floats

FIRST_ENTITY = 0xBC0000
FIRST = date(2011, 1, 1)  # of the values; tables that start in 2016 have five years of history
PERCENT, YUAN, POINTS, DOLLARS = 1, 2, 3, 4
REVISION = 0.15  # standard deviation of a revision, in points (assumed)
_REVISED = 0.6  # of the months of the year before, in a series that is revised
_AT = {"morning": time(9, 30), "ten": time(10, 0), "afternoon": time(17, 0)}


@dataclass(frozen=True)
class Spec:
    """A series: the vendor's code and name; mean, persistence and shock of its values; when and how it is released."""

    code: int
    name: str
    mean: float
    persistence: float
    shock: float
    lags: tuple[int, int]  # days after the period's end
    at: str = "ten"
    unit: int = PERCENT
    power: int = 0
    places: int = 1
    quarterly: bool = False
    revised: bool = False
    no_january: bool = False  # January comes with February
    stopped: bool = False
    growth: float = 0.0  # loading on the common cycle
    of: int = 0  # the series it is computed from
    how: str = ""  # "year": twelve monthly rates; "level": grows by another's rate


CPI, CORE, PPI, M1, M2, CREDIT, PMI = 1, 2, 3, 4, 5, 6, 7
SERIES = (
    Spec(1001, "CPI:当月同比", 0, 0, 0, (9, 12), "morning", of=1101, how="year"),
    Spec(1002, "核心CPI:当月同比", 1.3, 0.95, 0.14, (9, 12), "morning"),
    Spec(1003, "PPI:当月同比", 0, 0, 0, (9, 12), "morning", of=1103, how="year"),
    Spec(1004, "M1:期末同比", 6.5, 0.97, 1.15, (10, 15), "afternoon"),
    Spec(1005, "M2:期末同比", 10.0, 0.97, 0.62, (10, 15), "afternoon"),
    Spec(1006, "社会融资规模存量:期末同比", 11.0, 0.975, 0.38, (10, 15), "afternoon"),
    Spec(1007, "制造业PMI", 50.2, 0.80, 0.42, (0, 1), "morning", POINTS, growth=0.15),
    Spec(1008, "制造业PMI:新订单", 50.3, 0.80, 0.70, (0, 1), "morning", POINTS, growth=0.20),
    Spec(1009, "非制造业商务活动指数", 53.0, 0.80, 0.80, (0, 1), "morning", POINTS, growth=0.15),
    Spec(1010, "规模以上工业增加值:当月同比", 5.8, 0.80, 0.60, (14, 18), revised=True, no_january=True, growth=0.3),
    Spec(1011, "社会消费品零售总额:当月同比", 7.0, 0.85, 0.90, (14, 18), revised=True, no_january=True, growth=0.3),
    Spec(1012, "固定资产投资完成额:累计同比", 6.0, 0.95, 0.50, (14, 18), revised=True, no_january=True, growth=0.1),
    Spec(1013, "GDP:不变价:当季同比", 5.9, 0.85, 0.35, (15, 20), quarterly=True, revised=True, growth=0.2),
    Spec(1014, "城镇调查失业率", 5.1, 0.84, 0.15, (14, 18)),
    Spec(1015, "出口金额:美元:当月同比", 6.0, 0.70, 5.0, (7, 14), revised=True, growth=0.6),
    Spec(1016, "进口金额:美元:当月同比", 5.0, 0.70, 6.0, (7, 14), revised=True, growth=0.6),
    Spec(1101, "CPI:环比", 0.16, 0.15, 0.494, (9, 12), "morning"),
    Spec(1103, "PPI:环比", 0.05, 0.68, 0.433, (9, 12), "morning"),
    Spec(1105, "M2:期末值", 780_000.0, 0, 0, (10, 15), "afternoon", YUAN, 8, 2, of=1005, how="level"),
    Spec(1106, "社会融资规模存量:期末值", 80.0, 0, 0, (10, 15), "afternoon", YUAN, 12, 2, of=1006, how="level"),
    Spec(1107, "官方外汇储备", 32_000.0, 0.97, 300.0, (7, 7), "afternoon", DOLLARS, 8, 2),
    Spec(1108, "社会消费品零售总额:实际当月同比", 6.0, 0.85, 0.9, (14, 18), no_january=True, stopped=True, growth=0.3),
)  # fmt: skip


@cache
def months() -> tuple[date, ...]:
    """Return the last days of the months from the first value to the end of the economy."""
    firsts = [date(FIRST.year + n // 12, n % 12 + 1, 1) for n in range(12 * (END.year - FIRST.year + 2))]
    return tuple(b - timedelta(days=1) for b in firsts[1:] if b - timedelta(days=1) <= END)


def macro_events(seed: int) -> list[Event]:
    """Tell the series, their releases and revisions, up to the end of the economy."""
    values: dict[int, Floats] = {}
    for n, spec in sorted(enumerate(SERIES, start=1), key=lambda item: bool(item[1].how)):
        values[spec.code] = _values(seed, n, spec, values)
    return [
        event for n, spec in enumerate(SERIES, start=1) for event in _told(seed, n, spec, values[spec.code])
    ]


def _values(seed: int, number: int, spec: Spec, others: dict[int, Floats]) -> Floats:
    """Return a series by month, rounded as it is published."""
    if spec.how == "year":
        return _yearly(others[spec.of], spec.places)
    if spec.how == "level":
        return _level(others[spec.of], spec)
    length = len(months())
    cycle = stream(seed, Purpose.CN_MACRO, 0).standard_normal(length)
    shocks = stream(seed, Purpose.CN_MACRO, number).standard_normal(length)
    found = np.empty(length)
    state, wave = 0.0, 0.0
    for t in range(length):
        state = spec.persistence * state + spec.shock * float(shocks[t])
        wave = 0.85 * wave + float(cycle[t])
        found[t] = spec.mean + state + spec.growth * wave
    return np.round(found, spec.places)


def _yearly(monthly: Floats, places: int) -> Floats:
    """Compound twelve monthly rates; the first year has no value."""
    found = np.full(monthly.size, np.nan)
    for t in range(11, monthly.size):
        total = 1.0
        for rate in monthly[t - 11 : t + 1]:
            total *= 1.0 + float(rate) / 100.0
        found[t] = (total - 1.0) * 100.0
    return np.round(found, places)


def _level(rates: Floats, spec: Spec) -> Floats:
    """Grow a level by its published yearly rate, from an even first year."""
    found = np.empty(rates.size)
    for t in range(rates.size):
        if t < 12:
            found[t] = spec.mean * float(exp([0.008 * t])[0])
        else:
            found[t] = found[t - 12] * (1.0 + float(rates[t]) / 100.0)
        found[t] = np.round(found[t], spec.places)
    return found


def _told(seed: int, number: int, spec: Spec, values: Floats) -> list[Event]:
    recorder = Recorder(seed, FIRST_ENTITY + number)
    rng = stream(seed, Purpose.CN_MACRO, number, 1)
    periods = months()
    missing = int(rng.integers(72, len(periods) - 18))  # one month that nobody published
    u = rng.random((len(periods), 3))
    z = rng.standard_normal(len(periods))
    frequency = 4 if spec.quarterly else 3
    payload = MacroSeries(
        spec.code, spec.name, spec.unit, spec.power, frequency, _first(spec, values), spec.stopped
    )
    recorder.tell(EventType.CN_SERIES, payload, valid=_first(spec, values), disclosed=FIRST, prompt=True)
    first: dict[int, Event] = {}
    for t, period in enumerate(periods):
        if _skipped(spec, period) or np.isnan(values[t]) or (t == missing and not spec.quarterly):
            continue
        told = _release_day(spec, period, [float(x) for x in u[t]])
        if told > END:
            break
        surprise = _surprise(spec, values, t)
        first[t] = recorder.tell(
            EventType.CN_RELEASE,
            Release(period, float(values[t]), 0, surprise),
            valid=period,
            disclosed=told,
            at=_AT[spec.at],
        )
    if spec.revised:
        _revise(recorder, spec, first, values, u[:, 2], z)
    return recorder.events


def _first(spec: Spec, values: Floats) -> date:
    known = (
        period
        for period, value in zip(months(), values, strict=True)
        if not _skipped(spec, period) and not np.isnan(value)
    )
    return next(known)


def _skipped(spec: Spec, period: date) -> bool:
    if spec.stopped and period > date(2019, 12, 31):
        return True
    return (spec.quarterly and period.month % 3 != 0) or (spec.no_january and period.month == 1)


def _release_day(spec: Spec, period: date, u: list[float]) -> date:
    """Return the day; a survey of managers comes on the last of the month, one in eight on the first of the next."""
    low, high = spec.lags
    if high == 1:
        return period + timedelta(days=int(u[0] < 0.125))
    return period + timedelta(days=low + int(u[0] * (high - low + 1)))


def _surprise(spec: Spec, values: Floats, t: int) -> float:
    """How far a value lies from what its last one led to expect, in standard deviations of its innovations."""
    if t == 0 or not spec.shock or np.isnan(values[t - 1]):
        return 0.0
    expected = spec.mean + spec.persistence * (float(values[t - 1]) - spec.mean)
    return float(np.round(np.clip((float(values[t]) - expected) / spec.shock, -4.0, 4.0), 3))


def _revise(
    recorder: Recorder, spec: Spec, first: dict[int, Event], values: Floats, u: Floats, z: Floats
) -> None:
    """Replace values of the year before, all on one day of the spring."""
    periods = months()
    for t, event in first.items():
        move = float(np.round(REVISION * float(z[t]), spec.places))
        spring = date(periods[t].year + 1, 3, 20) + timedelta(days=spec.code % 17)
        if u[t] >= _REVISED or not move or spring > END:
            continue
        day = sessions().shift(spring, 0)
        recorder.tell(
            EventType.CN_RELEASE,
            Release(periods[t], float(np.round(values[t] + move, spec.places)), 1, 0.0),
            valid=periods[t],
            disclosed=day,
            at=_AT[spec.at],
            supersedes=event,
        )
