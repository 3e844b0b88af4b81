"""The acceptance facts of world.md, section 7, that the tables of this version carry, measured on a world."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._indices import swapped
from finassay.world._blocks._industries import REBASED
from finassay.world._blocks._market import YEAR, window
from finassay.world._calendar import sessions
from finassay.world._config import START
from finassay.world._events import Event, EventType, Index, Industry, Member, Origin, Plan
from finassay.world._events_company import Rights
from finassay.world._fact import Fact, of_rate
from finassay.world._facts_bonds import bond_facts
from finassay.world._facts_deals import deal_facts
from finassay.world._facts_funds import fund_facts
from finassay.world._facts_natural import Natural
from finassay.world._facts_neeq import neeq_facts
from finassay.world._facts_reports import report_facts
from finassay.world._facts_sectors import sector_share
from finassay.world._facts_us import us_facts
from finassay.world._numerics import Floats, log

if TYPE_CHECKING:
    from finassay.world._world import World

_PEERS = 600 // 31 - 1  # of a share in its sector, in the sample of world.md 2.1
_RATED = (
    EventType.DELIST,
    EventType.RENAME,
    EventType.INDUSTRY_SET,
    EventType.DIVIDEND_IMPLEMENTED,
    EventType.HALT,
)


class _Sample:
    """Returns and volumes as matrices (session, share), NaN where a share did not trade, up to the snapshot."""

    def __init__(self, world: World) -> None:
        first, _ = window()
        last = sessions().at_or_after(world.config.snapshot) + 1
        self.natural = Natural(world)
        seen = world.quotes.session < last
        self.all_years = _natural_years(world)
        q = world.quotes.take(seen & self.natural.rows(world.quotes))
        self.quotes = q
        shape = (last - first, len(world.issuers))
        self.returns, self.volume = np.full(shape, np.nan), np.full(shape, np.nan)
        t, k = (q.session - first)[q.traded], (q.entity - 1)[q.traded]
        self.returns[t, k] = log(q.close[q.traded] / q.previous[q.traded])
        self.volume[t, k] = log(np.maximum(q.volume[q.traded], 1))
        for issuer in world.issuers:  # the days without limits are no returns of a listed share
            if issuer.listed >= START:
                at = sessions().at_or_after(issuer.listed) - first
                self.returns[at : at + 6, issuer.entity - 1] = np.nan
        counts = np.sum(~np.isnan(self.returns), axis=0)
        self.long = np.flatnonzero(counts >= 750)
        self.years = q.entity.size / YEAR


def measure(world: World) -> list[Fact]:
    """Measure the facts on natural events, from the start of the window to the snapshot."""
    sample = _Sample(world)
    return [
        *_return_facts(sample),
        *_correlation_facts(world, sample),
        *_limit_facts(world, sample),
        *_volume_facts(sample),
        *_event_facts(world, sample),
        *_review_facts(world),
        *us_facts(world),
        *report_facts(world),
        *fund_facts(world),
        *bond_facts(world),
        *deal_facts(world),
        *neeq_facts(world),
    ]


def _clean(series: Floats) -> Floats:
    return series[~np.isnan(series)]


def _lagged(series: Floats, lag: int) -> float:
    a, b = series[:-lag], series[lag:]
    both = ~(np.isnan(a) | np.isnan(b))
    return _correlation(a[both], b[both])


def _correlation(a: Floats, b: Floats) -> float:
    a, b = a - np.mean(a), b - np.mean(b)
    return float(np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b)))


def _return_facts(sample: _Sample) -> list[Fact]:
    columns = [sample.returns[:, k] for k in sample.long]
    n = len(columns)
    if not n:
        return []
    volatility, kurtosis = [], []
    for column in columns:
        r = _clean(column)
        d = r - np.mean(r)
        variance = float(np.mean(d * d))
        volatility.append(100 * np.sqrt(variance * YEAR))
        kurtosis.append(float(np.mean(d**4)) / variance**2 - 3)
    one = float(np.median([_lagged(column * column, 1) for column in columns]))
    five = float(np.median([_lagged(column * column, 5) for column in columns]))
    return [
        Fact("17", "median annual volatility, %", float(np.median(volatility)), 36, 48, n),
        Fact("19", "median excess kurtosis", float(np.median(kurtosis)), 1.6, 4, n),
        Fact("20", "median autocorrelation of squared returns, lag 1", one, 0.15, 0.30, n),
        Fact("20", "the same, lag 5", five, 0.0, 1.0, n),
    ]


def _correlation_facts(world: World, sample: _Sample) -> list[Fact]:
    shares = [int(k) for k in sample.long[:80]]
    if len(shares) < 10:
        return []
    r = sample.returns[:, shares]
    pairs = []
    for a in range(len(shares)):
        for b in range(a + 1, len(shares)):
            both = ~(np.isnan(r[:, a]) | np.isnan(r[:, b]))
            if np.sum(both) > 500:
                pairs.append(_correlation(r[both, a], r[both, b]))
    sectors = np.array([issuer.sector for issuer in world.issuers])
    shared = sector_share(sample.returns, sectors, sample.long, _PEERS)
    return [
        Fact("21", "mean pair correlation", float(np.mean(pairs)), 0.22, 0.42, len(pairs)),
        Fact("22", "sector share of variance, %", shared, 5, 9, int(sample.long.size)),
    ]


def _limit_facts(world: World, sample: _Sample) -> list[Fact]:
    q = sample.quotes.take(sample.quotes.traded)
    bounded = q.upper < 10**8
    outside = int(np.sum((q.close > q.upper) | (q.close < q.lower) | (q.high > q.upper) | (q.low < q.lower)))
    boards = np.array([0, *(issuer.board for issuer in world.issuers)])
    main = bounded & (boards[q.entity] == 1)
    up, down = q.close == q.upper, q.close == q.lower
    following = (q.entity[1:] == q.entity[:-1]) & main[1:] & main[:-1]
    after_up = following & up[:-1]
    again = float(np.mean(up[1:][after_up])) if np.any(after_up) else float("nan")
    n = int(np.sum(main))
    return [
        Fact("23", "prices outside the limits", outside, 0, 0, int(q.entity.size)),
        Fact("24", "closes at the upper limit, main board, %", 100 * float(np.mean(up[main])), 0.8, 2.0, n),
        Fact("24", "closes at the lower limit, main board, %", 100 * float(np.mean(down[main])), 0.2, 0.9, n),
        Fact("25", "upper limit again the next day", again, 0.18, 0.30, int(np.sum(after_up))),
    ]


def _volume_facts(sample: _Sample) -> list[Fact]:
    if not sample.long.size:
        return []
    lagged, moved = [], []
    for k in sample.long:
        volume, size = sample.volume[:, k], np.abs(sample.returns[:, k])
        both = ~(np.isnan(volume) | np.isnan(size))
        lagged.append(_lagged(volume, 1))
        moved.append(_correlation(volume[both], size[both]))
    n = len(lagged)
    return [
        Fact("26", "median autocorrelation of log volume", float(np.median(lagged)), 0.74, 0.90, n),
        Fact("26", "median correlation of log volume and |r|", float(np.median(moved)), 0.35, 0.50, n),
    ]


def _natural_years(world: World) -> float:
    """Return the share-years that there would be without what was planted."""
    at, last = sessions().at_or_after, world.config.snapshot
    gone = {e.entity: e.valid_from for e in world.ledger.of(EventType.DELIST) if e.origin is Origin.NATURAL}
    spans = [
        at(min(gone.get(issuer.entity, last), last)) - at(max(issuer.listed, START))
        for issuer in world.issuers
        if issuer.listed < last
    ]
    return sum(spans) / YEAR


def _event_facts(world: World, sample: _Sample) -> list[Fact]:
    """Measure rates of what was drawn per share-year; those of dividends where nothing planted spoils results."""
    years, snapshot = sample.all_years, world.config.snapshot
    dated = [e for e in world.ledger.of(*_RATED) if START <= e.valid_from <= snapshot]
    inside = [e for e in dated if e.origin is Origin.NATURAL]

    def rate(kind: EventType) -> float:
        return 100 * sum(e.type is kind for e in inside) / years

    treated = _treated_days(world) / (years * YEAR)
    alerts = {e.event_id for e in world.ledger.of(EventType.ST_ON, EventType.ST_OFF)}
    renames = [e for e in inside if e.type is EventType.RENAME and not alerts & set(e.cause_ids)]
    changes = [e for e in inside if e.type is EventType.INDUSTRY_SET and _moved(world, e)]
    ex = [e for e in sample.natural.events(inside) if e.type is EventType.DIVIDEND_IMPLEMENTED]
    n = int(years)
    off, went = _references(world)
    return [
        of_rate("27", "delistings per 100 share-years", rate(EventType.DELIST), 0.24, 0.74, n, per=100),
        Fact("27", "share of days under special treatment, %", 100 * treated, 2, 5, n),
        of_rate(
            "28", "renames without ST per 100 share-years", 100 * len(renames) / years, 2.5, 5.0, n, per=100
        ),
        of_rate(
            "29",
            "level-1 industry changes per 100 share-years",
            100 * len(changes) / years,
            1.8,
            3.0,
            n,
            per=100,
        ),
        Fact("31", "ex-right events per share-year", len(ex) / sample.years, 0.59, 0.99, int(sample.years)),
        Fact("31", "reference prices of ex-rights off the formula", off, 0, 0, went),
        of_rate(
            "-", "halts per share-year (source: .063)", rate(EventType.HALT) / 100, 0.045, 0.085, n, per=1
        ),
    ]


def _references(world: World) -> tuple[int, int]:
    """Return how many reference prices are not (P - D + K r) / (1 + b + r), half up to a fen, of how many."""
    own = world.ledger.of(EventType.DIVIDEND_IMPLEMENTED, EventType.RIGHTS_ISSUE)
    q, off, went = world.quotes, 0, 0
    key = (q.entity.astype(np.int64) << 20) | q.session
    by_id = world.ledger.by_id
    for event in own:
        plan = by_id[by_id[event.supersedes].supersedes or 0].payload if event.supersedes else event.payload
        if isinstance(plan, Rights):
            cash, more = -plan.ratio * plan.price, plan.ratio
        else:
            assert isinstance(plan, Plan)  # noqa: S101 - by its type
            cash, more = plan.cash, plan.bonus
        at = int(np.searchsorted(key, (event.entity << 20) | sessions().at_or_after(event.valid_from)))
        if at == 0 or at >= key.size or q.entity[at - 1] != event.entity or q.entity[at] != event.entity:
            continue
        before, after = int(q.close[at - 1]), int(q.previous[at])
        top, bottom = max(10 * before - cash, 10), 10 + more
        went += 1
        off += after != (2 * top + bottom) // (2 * bottom)
    return off, went


def _treated_days(world: World) -> int:
    at, ends = sessions().at_or_after, {}
    for event in world.ledger.of(EventType.ST_OFF):
        ends[event.supersedes] = event.valid_from
    first, last = window()[0], at(world.config.snapshot)
    gone = {e.entity: e.valid_from for e in world.ledger.of(EventType.DELIST)}
    days = 0
    for event in world.ledger.of(EventType.ST_ON):
        if event.origin is not Origin.NATURAL:
            continue
        end = ends.get(event.event_id) or gone.get(event.entity) or date.max
        stop = last if end > world.config.snapshot else at(end)
        days += max(0, stop - max(first, at(event.valid_from)))
    return days


def _moved(world: World, event: Event) -> bool:
    """Whether an industry event changes level 1, outside the re-basing."""
    if event.supersedes is None or event.disclosed_at.date() == REBASED:
        return False
    before = world.ledger.by_id[event.supersedes].payload
    assert isinstance(before, Industry)  # noqa: S101 - by its type
    assert isinstance(event.payload, Industry)  # noqa: S101 - by its type
    return before.codes[0] != event.payload.codes[0]


def _review_facts(world: World) -> list[Fact]:
    """Count the swaps of the mid-cap index at its reviews, as a share of its size; fact 30."""
    opened = {e.entity: e.payload for e in world.ledger.of(EventType.INDEX_OPEN)}
    middle, payload = next((k, p) for k, p in opened.items() if isinstance(p, Index) and p.code == "000905")
    assert isinstance(payload, Index)  # noqa: S101 - by its type
    swaps: dict[date, int] = {}
    for event in world.ledger.of(EventType.INDEX_IN):
        member = event.payload
        if event.entity == middle and isinstance(member, Member) and not member.adhoc:
            swaps[event.valid_from] = swaps.get(event.valid_from, 0) + 1
    reviews = [day for day in sorted(swaps) if START < day <= world.config.snapshot]
    number = {day: 2 * (day.year - START.year) + day.month // 12 for day in reviews}
    off = sum(swaps[day] != swapped(payload.size, number[day]) for day in reviews)
    name = f"mid-cap reviews that do not swap a tenth of {payload.size}"
    return [Fact("30", name, off, 0, 0, len(reviews))]
