"""The acceptance facts of the US side (world.md, 7), measured on natural events up to the snapshot."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._us_index import INDEX
from finassay.world._blocks._us_macro import FIRST_ENTITY, SERIES
from finassay.world._blocks._us_market import TENORS, reaction, us_factors, us_window
from finassay.world._blocks._us_statements import PLACE
from finassay.world._calendar import sessions
from finassay.world._config import START
from finassay.world._events import Event, EventType, Origin
from finassay.world._events_us import News, UsFiling
from finassay.world._fact import Fact, median_error, of_rate, of_share
from finassay.world._facts_sectors import sector_share
from finassay.world._numerics import Floats, log
from finassay.world._tables._us_facts import stated

if TYPE_CHECKING:
    from finassay.world._world import World

Flags = npt.NDArray[np.bool_]

_YEAR = 252
_LARGE = 4.0
_PAIRS = 70  # stocks whose correlations are measured
_PEERS = 600 // 11 - 1  # of a stock in its sector, in the sample of world.md 2.1
_HEADLINES = ("Revenues", "NetIncomeLoss", "Assets")


def us_facts(world: World) -> list[Fact]:
    """Measure the facts of the US side."""
    sample = _Sample(world)
    return [
        *_filing_facts(world),
        *_amendment_facts(world),
        *_return_facts(sample),
        *_correlation_facts(world, sample),
        *_cause_facts(world, sample),
        *_volume_facts(sample),
        *_life_facts(world, sample),
        *_curve_facts(world),
        *_gdp_facts(world),
    ]


class _Sample:
    """Returns and volumes of stocks as matrices (session, stock), NaN where a stock is not listed."""

    def __init__(self, world: World) -> None:
        first, _ = us_window()
        last = sessions("XNYS").at_or_after(world.config.snapshot + timedelta(days=1))
        whole = world.us.quotes
        q = whole.take((whole.entity < INDEX) & (whole.session < last))
        shape = (last - first, len(world.us.issuers))
        self.returns, self.volume = np.full(shape, np.nan), np.full(shape, np.nan)
        t, k = q.session - first, q.entity - world.us.issuers[0].entity
        self.returns[t, k] = log(q.close / q.reference)
        self.volume[t, k] = log(q.volume / q.split)  # a split alone multiplies shares traded
        self.long = np.flatnonzero(np.sum(~np.isnan(self.returns), axis=0) >= 750)
        self.years = q.entity.size / _YEAR


def _natural(world: World, *types: EventType) -> list[Event]:
    """Events of some types that are recorded by the snapshot; none planted."""
    moment = world.config.moment
    return [e for e in world.ledger.of(*types) if e.origin is Origin.NATURAL and e.recorded_at <= moment]


def _filings(world: World, form: str) -> list[tuple[Event, UsFiling]]:
    """Original filings of a form about periods that ended since three years before the start, at most recent."""
    oldest = date(START.year - 3, START.month, 1)
    newest = world.config.snapshot - timedelta(days=130)  # late filers of later periods are still missing
    return [
        (e, e.payload)
        for e in _natural(world, EventType.US_FILING)
        if isinstance(e.payload, UsFiling) and e.payload.form == form and oldest <= e.valid_from <= newest
    ]


def _filing_facts(world: World) -> list[Fact]:
    annual, quarterly = _filings(world, "10-K"), _filings(world, "10-Q")
    if not annual or not quarterly:
        return []
    yearly = np.array([(p.filed - e.valid_from).days for e, p in annual], dtype=np.float64)
    lags = np.array([(p.filed - e.valid_from).days for e, p in quarterly], dtype=np.float64)
    by_year = {(e.entity, p.fiscal_year): lag for (e, p), lag in zip(annual, yearly.tolist(), strict=True)}
    pairs = [
        (lag, by_year[who, year + 1]) for (who, year), lag in by_year.items() if (who, year + 1) in by_year
    ]
    kept = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    persistence = _correlation(_ranks(kept[:, 0]), _ranks(kept[:, 1])) if len(pairs) > 2 else float("nan")
    return [
        Fact("1", "US median lag of 10-K, days", float(np.median(yearly)), 55, 65, yearly.size),
        Fact("2", "US median lag of 10-Q, days", float(np.median(lags)), 34, 40, lags.size),
        Fact("3", "US 95th percentile of it", float(np.quantile(lags, 0.95)), 0, 47, lags.size),
        Fact("8", "US rank persistence of the 10-K lag", persistence, 0.80, 0.92, len(pairs)),
    ]


def _amendment_facts(world: World) -> list[Fact]:
    originals = len(_natural(world, EventType.US_FILING))
    amendments = _natural(world, EventType.US_AMENDMENT)
    if not amendments:
        return []
    changes = [_changed(world, event) for event in amendments]
    moved = [change for change in changes if any(change.values())]
    profit = [abs(change["NetIncomeLoss"]) for change in moved if change["NetIncomeLoss"]]
    n = len(amendments)
    size = 100 * float(np.median(profit)) if profit else float("nan")
    share, error = 100 * len(moved) / n, 100 * median_error(profit)
    return [
        of_share("9", "US amendments per 100 originals", 100 * n / originals, 0.6, 1.4, originals),
        of_share("10", "US amendments that change a headline item, %", share, 44, 64, n),
        Fact("11", "US median change of net income by them, %", size, 15, 40, len(profit), (error, error)),
    ]


def _changed(world: World, amendment: Event) -> dict[str, float]:
    """Return by how much an amendment changes the headline items of its original, relatively."""
    original = world.ledger.by_id[amendment.supersedes or 0]
    us, who = world.us, amendment.entity - world.us.issuers[0].entity
    carried = tuple(c for c in us.corrections if c.carrier == amendment.event_id)
    values = us.statements.values[:, who]
    before, after = (stated(values, carried, event) for event in (original, amendment))
    assert isinstance(amendment.payload, UsFiling)  # noqa: S101 - by its type
    k = amendment.payload.period
    length = 4 if amendment.payload.form == "10-K/A" else 1
    found = {}
    for name in _HEADLINES:
        span = slice(k, k + 1) if name == "Assets" else slice(max(0, k + 1 - length), k + 1)
        old, new = (float(np.sum(v[PLACE[name], span])) for v in (before, after))
        found[name] = (new - old) / abs(old) if old else 0.0
    return found


def _return_facts(sample: _Sample) -> list[Fact]:
    n = int(sample.long.size)
    if not n:
        return []
    volatility, kurtosis, one, five = [], [], [], []
    for k in sample.long:
        r = _clean(sample.returns[:, k])
        d = r - np.mean(r)
        variance = float(np.mean(d * d))
        volatility.append(100 * float(np.sqrt(variance * _YEAR)))
        kurtosis.append(float(np.mean(d**4)) / variance**2 - 3)
        one.append(_correlation(r[:-1] ** 2, r[1:] ** 2))
        five.append(_correlation(r[:-5] ** 2, r[5:] ** 2))
    return [
        Fact("18", "US median annual volatility, %", float(np.median(volatility)), 22, 29, n),
        Fact("19", "US median excess kurtosis", float(np.median(kurtosis)), 3.5, 8, n),
        Fact("20", "US median autocorrelation of squared returns", float(np.median(one)), 0.05, 0.14, n),
        Fact("20", "US the same, lag 5", float(np.median(five)), 0.0, 1.0, n),
    ]


def _correlation_facts(world: World, sample: _Sample) -> list[Fact]:
    chosen = sample.long[:_PAIRS]
    pairs = []
    for n, a in enumerate(chosen):
        for b in chosen[n + 1 :]:
            both = ~np.isnan(sample.returns[:, a] + sample.returns[:, b])
            if np.sum(both) > 500:
                pairs.append(_correlation(sample.returns[both, a], sample.returns[both, b]))
    sectors = np.array([issuer.sector for issuer in world.us.issuers])
    shared = sector_share(sample.returns, sectors, sample.long, _PEERS)
    if not pairs:
        return []
    return [
        Fact("21", "US mean pair correlation", float(np.mean(pairs)), 0.27, 0.45, len(pairs)),
        Fact("22", "US sector share of variance, %", shared, 8, 13, int(sample.long.size)),
    ]


def _cause_facts(world: World, sample: _Sample) -> list[Fact]:
    """Measure the moves around filings, and how many of the largest moves nothing explains (world.md, 4)."""
    observed = ~np.isnan(sample.returns)
    factors = us_factors(world.config.seed, tuple(world.ledger.of(EventType.MACRO_RELEASE, EventType.NEWS)))
    sessions_seen = sample.returns.shape[0]
    who = world.us.issuers
    sigma, beta, gamma = (np.array([getattr(x, name) for x in who]) for name in ("sigma", "beta", "gamma"))
    common = beta * factors.market[:sessions_seen, None]
    common += gamma * factors.sectors[:sessions_seen, [issuer.sector for issuer in who]]
    z = (sample.returns - common) / sigma
    filed, told = np.zeros(z.shape, dtype=bool), np.zeros(z.shape, dtype=bool)
    first, base = us_window()[0], who[0].entity
    for event in world.ledger.of(EventType.US_FILING, EventType.NEWS):
        at, k = reaction(event) - first, event.entity - base
        if not (0 <= at < z.shape[0] and 0 <= k < z.shape[1]):
            continue
        if isinstance(event.payload, UsFiling):
            told[at, k] = True
            if event.origin is Origin.NATURAL:
                filed[max(0, at - 1) : at + 1, k] = True
            else:
                observed[max(0, at - 1) : at + 1, k] = False
        elif isinstance(event.payload, News) and event.payload.causal:
            told[at, k] = True
    squared = np.square(z)
    ratio = float(np.mean(squared[observed & filed]) / np.mean(squared[observed & ~filed]))
    large = observed & (np.abs(np.where(observed, z, 0.0)) > _LARGE)
    n = int(np.sum(large))
    return [
        Fact(
            "-",
            "US squared move on days -1 and 0 of filings over others (source: 2.8)",
            ratio,
            2.0,
            3.6,
            int(np.sum(filed)),
        ),
        Fact(
            "-",
            "US moves over 4 deviations without a cause, % (design: 30)",
            100 * float(np.sum(large & ~told)) / max(n, 1),
            20,
            45,
            n,
        ),
    ]


def _volume_facts(sample: _Sample) -> list[Fact]:
    n = int(sample.long.size)
    if not n:
        return []
    lagged, moved = [], []
    for k in sample.long:
        volume, size = _clean(sample.volume[:, k]), np.abs(_clean(sample.returns[:, k]))
        lagged.append(_correlation(volume[:-1], volume[1:]))
        moved.append(_correlation(volume, size))
    return [
        Fact("26", "US median autocorrelation of log volume", float(np.median(lagged)), 0.50, 0.70, n),
        Fact("26", "US median correlation of log volume and |r|", float(np.median(moved)), 0.35, 0.50, n),
    ]


def _life_facts(world: World, sample: _Sample) -> list[Fact]:
    ended = [e for e in _natural(world, EventType.US_DELIST) if e.valid_from <= world.config.snapshot]
    n = int(sample.years)
    rate = 100 * len(ended) / sample.years
    return [of_rate("28", "US stocks that vanish per 100 stock-years", rate, 6.6, 10.6, n, per=100)]


def _curve_facts(world: World) -> list[Fact]:
    days = sessions("XNYS").at_or_after(world.config.snapshot + timedelta(days=1)) - us_window()[0]
    curve = world.us.curve
    moves = 100 * np.diff(curve.par[:days, TENORS.index(10.0)])
    rising = int(np.sum(np.diff(curve.discount[:days], axis=1) >= 0))
    return [
        Fact("36", "US daily change of the 10-year yield, bp", float(np.std(moves)), 4.7, 6.3, moves.size),
        Fact("36", "US discount factors that do not fall", rising, 0, 0, days),
    ]


def _gdp_facts(world: World) -> list[Fact]:
    place = next(n for n, series in enumerate(SERIES) if series.code == "GDP")
    vintages = world.us.macro.vintages
    ours = vintages.series == place
    releases = {
        e.seq: e for e in _natural(world, EventType.MACRO_RELEASE) if e.entity == FIRST_ENTITY + place
    }
    prints: dict[date, list[tuple[int, float]]] = {}
    rows = zip(
        vintages.release[ours].tolist(),
        vintages.period[ours].tolist(),
        vintages.value[ours].tolist(),
        strict=True,
    )
    for release, period, value in rows:
        event = releases.get(release)
        if event is not None and event.valid_from == period:
            prints.setdefault(period, []).append(((event.disclosed_at.date() - period).days, value))
    whole = [sorted(found) for found in prints.values() if len(found) == 3]
    if not whole:
        return []
    days = [float(np.median([found[n][0] for found in whole])) for n in range(3)]
    revision = float(np.std([found[2][1] - found[0][1] for found in whole]))
    n = len(whole)
    return [
        Fact("37", "US days to the first release of GDP", days[0], 26, 32, n),
        Fact("37", "US days to the second", days[1], 55, 61, n),
        Fact("37", "US days to the third", days[2], 84, 90, n),
        Fact("37", "US revision from first to third, points", revision, 0.55, 0.85, n),
    ]


def _clean(series: Floats) -> Floats:
    return series[~np.isnan(series)]


def _ranks(values: Floats) -> Floats:
    """Ranks with ties at their mean."""
    ordered = np.sort(values)
    low, high = np.searchsorted(ordered, values), np.searchsorted(ordered, values, side="right")
    ranks: Floats = (low + high) / 2.0
    return ranks


def _correlation(a: Floats, b: Floats) -> float:
    a, b = a - np.mean(a), b - np.mean(b)
    return float(np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b)))
