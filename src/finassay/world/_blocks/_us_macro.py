"""US macro series with every vintage: first prints, monthly revisions, benchmark revisions (world.md, 2.4)."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._recorder import Recorder
from finassay.world._calendar import sessions
from finassay.world._config import END
from finassay.world._events import Event, EventType
from finassay.world._events_us import MacroRelease
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_ENTITY = 0x6F0000
FIRST_PERIOD = date(2003, 1, 31)


@dataclass(frozen=True)
class Series:
    """A series of the calendar of releases.

    Attributes
    ----------
    code, unit : str
        As in the table.
    quarterly : bool
        Else monthly.
    start : float
        Level before the first period; for a rate its mean.
    growth, deviation, memory : float
        Of its growth per period in percent (of a rate: of its level).
    noise : tuple of float
        Deviation of the revision at the second vintage and by the thirteenth, points of growth (M2; GDP: M1).
    lag : int
        Days from the end of the period to the first print.
    at : datetime.time
        Of the release.
    places : int
        Digits after the point.
    benchmark : tuple of (int, float)
        Month of the benchmark revision, and its chance in a year.
    effect : float
        Of one deviation of news on the log market, in percent.
    """

    code: str
    unit: str
    quarterly: bool
    start: float
    growth: float
    deviation: float
    memory: float
    noise: tuple[float, float]
    lag: int
    at: time
    places: int
    benchmark: tuple[int, float]
    effect: float


SERIES = (
    Series("GDP", "% annualised growth", True, 0, 2.3, 1.9, 0.35, (0.57, 0.66), 29, time(8, 30), 2, (9, 1.0), 0.20),
    Series("INDPRO", "index", False, 92, 0.10, 0.62, 0.15, (0.24, 0.38), 16, time(9, 15), 4, (6, 1.0), 0.06),
    Series("PAYEMS", "thousand persons", False, 130_000, .105, .09, .5, (.035, .075), 4, time(8, 30), 0, (2, .6), .28),
    Series("RETAIL", "million dollars", False, 300_000, .33, .85, -.2, (.35, .49), 15, time(8, 30), 0, (5, .85), .12),
    Series("CPI", "index", False, 182, 0.20, 0.20, 0.5, (0.021, 0.075), 12, time(8, 30), 3, (2, 0.3), -0.32),
    Series("M2", "billion dollars", False, 5_900, 0.50, 0.38, 0.4, (0.07, 0.17), 25, time(13, 0), 1, (2, 0.5), 0.0),
    Series("UNRATE", "%", False, 5.6, 0.0, 0.16, 0.985, (0.0, 0.0), 4, time(8, 30), 1, (1, 0.0), -0.10),
    Series("FEDFUNDS", "%", False, 2.1, 0.0, 0.14, 0.99, (0.0, 0.0), 1, time(16, 15), 2, (1, 0.0), 0.0),
)  # fmt: skip
RATES = ("UNRATE", "FEDFUNDS")
_GDP_LAGS = ((1, "second", 58.5), (2, "third", 87.0))
_GDP_REVISED = (0.57, 0.34)  # first to second, second to third
_GDP_LATEST = 1.43  # third to latest


@dataclass(frozen=True)
class Vintages:
    """Values as released: per row the series' place, the release's number, the period's last day, the value."""

    series: npt.NDArray[np.int64]
    release: npt.NDArray[np.int64]
    period: npt.NDArray[np.datetime64]
    value: Floats


@dataclass(frozen=True)
class UsMacro:
    """The releases and what they said; true growth of the economy per quarter, in percent annualised."""

    events: tuple[Event, ...]
    vintages: Vintages
    quarters: tuple[date, ...]
    growth: Floats


def us_macro(seed: int) -> UsMacro:
    """Simulate all series with their vintages, from 2003 to the end of the economy."""
    events: list[Event] = []
    rows: list[tuple[int, int, date, float]] = []
    quarters, growth = _periods(quarterly=True), np.zeros(0)
    for place, series in enumerate(SERIES):
        recorder = Recorder(seed, FIRST_ENTITY + place)
        rng = stream(seed, Purpose.US_MACRO, place)
        periods = _periods(quarterly=series.quarterly)
        truth, news = _truth(rng, series, len(periods))
        releases = _gdp(rng, truth, periods) if series.quarterly else _monthly(rng, series, truth, periods)
        if series.quarterly:
            growth = truth
        for number, release in enumerate(releases):
            surprise = (
                float(np.rint(news[release.last] * 1e4) / 1e4)
                if release.kind == "advance" and series.effect
                else 0.0
            )
            recorder.tell(
                EventType.MACRO_RELEASE,
                MacroRelease(series.code, number, release.kind, surprise),
                valid=periods[release.last],
                disclosed=release.day,
                at=series.at,
                prompt=True,
            )
            rows += [(place, number, periods[p], value) for p, value in release.values]
        events += recorder.events
    columns = [list(column) for column in zip(*rows, strict=True)]
    found = Vintages(
        np.array(columns[0], dtype=np.int64),
        np.array(columns[1], dtype=np.int64),
        np.array(columns[2], dtype="datetime64[D]"),
        np.array(columns[3], dtype=np.float64),
    )
    return UsMacro(tuple(events), found, tuple(quarters), growth)


@dataclass(frozen=True)
class _Release:
    day: date
    kind: str
    last: int
    values: list[tuple[int, float]]


def _periods(*, quarterly: bool) -> list[date]:
    found, year, month = [], FIRST_PERIOD.year, 3 if quarterly else 1
    while (day := date(year, month, monthrange(year, month)[1])) < END:
        found.append(day)
        month += 3 if quarterly else 1
        year, month = (year + 1, month - 12) if month > 12 else (year, month)
    return found


def _truth(rng: np.random.Generator, series: Series, count: int) -> tuple[Floats, Floats]:
    """Return final values of growth (or of a rate) and what was new in each, in deviations."""
    shocks = rng.standard_t(6, count) * float(np.sqrt(4 / 6))
    state, path = 0.0, np.empty(count)
    scale = (
        series.deviation * float(np.sqrt(1 - series.memory * series.memory))
        if series.code not in RATES
        else series.deviation
    )
    for p in range(count):
        state = series.memory * state + scale * float(shocks[p])
        path[p] = state
    if series.code in RATES:
        return np.maximum(0.05, series.start + path), shocks
    return series.growth + path, shocks


def _business(day: date) -> date:
    return sessions("XNYS").shift(day, 0)


def _unit(draws: Floats) -> Floats:
    """Return draws of unit deviation: some ninety quarters alone would miss it by a tenth."""
    scaled: Floats = draws / np.sqrt(np.sum(draws * draws) / draws.size)
    return scaled


def _gdp(rng: np.random.Generator, truth: Floats, periods: list[date]) -> list[_Release]:
    """Three releases of a quarter; in September the quarters of five years are revised, every fifth year all."""
    count = len(truth)
    first, second = (_unit(rng.standard_normal(count)) * size for size in _GDP_REVISED)
    later = rng.standard_normal((count, 5)) * (_GDP_LATEST / float(np.sqrt(5.0)))
    shown: dict[int, float] = {}
    done = np.zeros(count, dtype=np.int64)
    days: list[tuple[date, str, int]] = []
    for p, end in enumerate(periods):
        days.append((_business(end + timedelta(days=28 + int(rng.integers(2)))), "advance", p))
        for _, kind, lag in _GDP_LAGS:
            days.append((_business(end + timedelta(days=int(lag - 1 + rng.integers(2)))), kind, p))
    found = []
    for day, kind, p in sorted(days):
        if day >= END:
            continue
        values = {
            p: truth[p]
            + float(np.sum(later[p]))
            + {"advance": first[p] + second[p], "second": second[p]}.get(kind, 0.0)
        }
        annual = kind == "third" and periods[p].month == 6
        if annual:
            span = p if day.year % 5 == 3 else min(p, 20)
            for old in range(p - span, p):
                done[old] = min(5, done[old] + 1)
                values[old] = truth[old] + float(np.sum(later[old, done[old] :]))
        changed = [(q, float(np.rint(v * 100) / 100)) for q, v in sorted(values.items())]
        changed = [(q, v) for q, v in changed if shown.get(q) != v or q == p]
        shown.update(changed)
        found.append(_Release(day, "annual" if annual else kind, p, changed))
    return found


def _monthly(rng: np.random.Generator, series: Series, truth: Floats, periods: list[date]) -> list[_Release]:
    """One release a month: the new period, its neighbours revised, all of history at a benchmark."""
    count = len(truth)
    if series.code in RATES:
        return _rates(rng, series, truth, periods)
    at_once, in_all = series.noise
    rest = float(np.sqrt((in_all * in_all - at_once * at_once) / 2))
    noise = rng.standard_normal((count, 3)) * np.array([at_once, rest, rest])
    chance, shift = rng.random(count), rng.standard_normal(count) * 0.002
    base, benchmarked = 1.0, -1
    before = np.full(count, np.nan)
    found = []
    for p, day in _release_days(rng, series, periods):
        age = p - np.arange(p + 1)
        kind = "advance"
        if day.month == series.benchmark[0]:
            benchmarked = p - 2
            if chance[p] < series.benchmark[1]:
                kind, base = "benchmark", base * (1.0 + float(shift[p]))
        growth = truth[: p + 1] + noise[: p + 1, 0] * (age < 1) + noise[: p + 1, 1] * (age < 2)
        growth = growth + noise[: p + 1, 2] * (np.arange(p + 1) > benchmarked)
        level = series.start * base * exp(np.cumsum(growth) / 100.0)
        scale = 10.0**series.places
        shown = np.rint(level * scale) / scale
        moved = np.flatnonzero(shown != before[: p + 1])
        before[: p + 1] = shown
        found.append(_Release(day, kind, p, [(int(q), float(shown[q])) for q in moved]))
    return found


def _rates(rng: np.random.Generator, series: Series, truth: Floats, periods: list[date]) -> list[_Release]:
    """Print rates, which are final but for unemployment: rare corrections, new seasonal factors in January."""
    scale = 10.0**series.places
    first = np.rint(truth * scale) / scale
    corrected, seasonal = rng.random(len(truth)), rng.random((len(truth), 2))
    found, shown = [], first.copy()
    for p, day in _release_days(rng, series, periods):
        values = {p: float(shown[p])}
        if series.code == "UNRATE":
            if p and corrected[p] < 0.018:
                shown[p - 1] = values[p - 1] = float(np.rint((shown[p - 1] + 0.1) * 10) / 10)
            if day.month == 1:
                for q in range(max(0, p - 59), p):
                    if seasonal[q, 0] < 0.26 and p - q <= 12:
                        shown[q] = values[q] = float(
                            np.rint((shown[q] + (0.1 if seasonal[q, 1] < 0.5 else -0.1)) * 10) / 10
                        )
        found.append(_Release(day, "advance", p, sorted(values.items())))
    return found


def _release_days(
    rng: np.random.Generator, series: Series, periods: list[date]
) -> Iterator[tuple[int, date]]:
    """Payrolls and unemployment come on the first Friday, the others some days around their lag."""
    spread = rng.integers(-1, 3, len(periods))
    for p, end in enumerate(periods):
        if series.lag == 4:
            ahead = (4 - (end + timedelta(days=1)).weekday()) % 7 + 1
            day = _business(end + timedelta(days=ahead))
        else:
            day = _business(end + timedelta(days=max(1, series.lag + int(spread[p]))))
        if day < END:
            yield p, day
