"""The acceptance facts of funds: 32 and 33 of world.md, section 7, the second part of 30, and the figures of 2.4."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._indices import membership
from finassay.world._blocks._market import window
from finassay.world._blocks._plant_told import JOINT
from finassay.world._calendar import quarter_ends, sessions
from finassay.world._config import START
from finassay.world._events import EventType, Index
from finassay.world._events_funds import FundBenchmark, FundManager
from finassay.world._fact import Fact, of_share, spread_of
from finassay.world._numerics import log

if TYPE_CHECKING:
    from finassay.world._numerics import Floats
    from finassay.world._world import World


def fund_facts(world: World) -> list[Fact]:
    """Measure the facts of a world's funds from the start of the window to the snapshot; none without funds."""
    if not world.funds.lives:
        return []
    return [
        *_nav_facts(world),
        *_manager_facts(world),
        *_size_facts(world),
        *_report_facts(world),
        *_weights(world),
    ]


def _nav_facts(world: World) -> list[Fact]:
    book = world.funds.navs
    days = sessions().array.astype("datetime64[D]").astype(np.int64)
    seen = days[book.session] <= _day(world)
    # Those of a corrected value are the vendor's second thoughts
    first = seen & ~np.r_[False, book.wrong[:-1]]
    late = book.recorded[first] // 86_400 >= days[book.session[first] + 1]
    shared = {part.entity: len(life.classes) > 1 for life in world.funds.lives for part in life.classes}
    multiple = np.array([shared[int(entity)] for entity in np.unique(book.entity)])
    counts = np.unique(book.entity[seen], return_counts=True)[1]
    known = np.isin(np.unique(book.entity), np.unique(book.entity[seen]))
    among = float(np.sum(counts[multiple[known]]) / np.sum(counts))
    alive = float(np.sum(seen) / len({*book.session[seen].tolist()})) / (10_000 * world.config.scale)
    n = int(np.sum(first))
    return [
        Fact(
            "32",
            "net values recorded on the next working day or later, %",
            100 * float(np.mean(late)),
            5.7,
            7.7,
            n,
        ),
        Fact("-", "rows of a fund with several classes, % (source: 77.9)", 100 * among, 73, 83, n),
        Fact("-", "codes alive of all (world.md 6: .55)", alive, 0.45, 0.65, int(np.sum(seen))),
    ]


def _manager_facts(world: World) -> list[Fact]:
    classes: dict[int, int] = {}
    for event in world.ledger.of(EventType.FUND_CLASS):
        classes[event.entity & ~3] = classes.get(event.entity & ~3, 0) + 1
    snapshot = world.config.snapshot
    # Those that were moved to be later still were late before; joint managers are planted
    told = [
        event
        for event in world.ledger.of(EventType.MANAGER_IN)
        if event.valid_from <= snapshot
        and isinstance(event.payload, FundManager)
        and event.payload.number != JOINT
    ]
    late = [event.disclosed_at.date() > event.valid_from for event in told]
    rows = sum(classes.get(event.entity, 0) for event in told if event.valid_from >= START)
    book = world.funds.navs
    days = sessions().array.astype("datetime64[D]").astype(np.int64)
    years = float(np.sum(days[book.session] <= _day(world))) / 243
    legs = [
        len(event.payload.legs)
        for event in world.ledger.of(EventType.FUND_BENCHMARK)
        if isinstance(event.payload, FundBenchmark)
    ]
    n = len(told)
    return [
        of_share(
            "33", "appointments announced after they take effect, %", 100 * float(np.mean(late)), 62, 68, n
        ),
        Fact("-", "appointments per code-year (source: .46)", rows / years, 0.36, 0.56, int(years)),
        Fact("-", "median benchmark legs (source: 2 or 3)", float(np.median(legs)), 2, 3, len(legs)),
    ]


def _size_facts(world: World) -> list[Fact]:
    total = world.funds.sizes.total
    known = [n for n, day in enumerate(quarter_ends()) if day <= world.config.snapshot]
    changes, small, spread = [], [], []
    for quarter in known:
        alive = total[:, quarter] > 0
        size = log(total[alive, quarter] / 100.0)
        small.append(float(np.mean(size < float(log(np.array([5e7]))[0]))))
        spread.append(float(np.sqrt(np.mean((size - np.mean(size)) ** 2))))
        if quarter:
            both = alive & (total[:, quarter - 1] > 0)
            changes.append(log(total[both, quarter] / total[both, quarter - 1]))
    moves = np.concatenate(changes) if changes else np.zeros(1)
    low, high = (100 * float(np.quantile(moves, q)) for q in (0.25, 0.75))
    n = int(np.sum(total[:, known] > 0))
    return [
        Fact("-", "deviation of log size (source: 1.77)", float(np.mean(spread)), 1.57, 1.97, n),
        Fact("-", "funds below 50 million, % (source: 18.8)", 100 * float(np.mean(small)), 13, 25, n),
        Fact("-", "quarterly size change, lower quartile, % (source: -8.3)", low, -11, -5.5, moves.size),
        Fact("-", "the same, upper quartile (source: 4.3)", high, 2, 7, moves.size),
    ]


def _report_facts(world: World) -> list[Fact]:
    reports = world.funds.reports
    ends = np.array(quarter_ends(), dtype="datetime64[D]").astype(np.int64)
    first = (reports.form == 1) & (reports.version == 0) & (reports.disclosed <= _day(world))
    lag = (reports.disclosed - ends[reports.quarter])[first]
    again = float(np.mean(reports.wrong[reports.version == 0]))
    return [
        Fact(
            "-",
            "median days to a quarterly report (source: 20 or 21)",
            float(np.median(lag)),
            20,
            21,
            lag.size,
        ),
        Fact(
            "-", "reports published again, % (quota: 2)", 100 * again, 1, 3, int(np.sum(reports.version == 0))
        ),
    ]


def _weights(world: World) -> list[Fact]:
    """Measure how evenly the mid-cap index is weighted at the ends of years: effective members over members."""
    first = window()[0]
    inside = membership(list(world.ledger.events), len(world.issuers))
    opened = next(
        event
        for event in world.ledger.of(EventType.INDEX_OPEN)
        if isinstance(event.payload, Index) and event.payload.code == "000905"
    )
    q = world.quotes
    value = np.zeros(inside[opened.entity].shape)
    value[q.session - first, q.entity - 1] = q.close * q.shares / 1e5
    found, without = [], []
    for day in quarter_ends()[2::4]:
        if day <= world.config.snapshot:
            at = int(np.searchsorted(sessions().array, np.datetime64(day), side="right")) - 1 - first
            worth = np.where(inside[opened.entity][at], value[at], 0.0)
            total, squares, count = np.sum(worth), np.sum(worth * worth), np.count_nonzero(worth)
            if count > 1:
                found.append(float(total * total / squares / count))
                # Without each company in turn
                left = (total - worth) ** 2 / (squares - worth * worth) / (count - (worth > 0))
                without.append(left)
    if not found:
        return []
    error = _two_ways(np.array(found), np.stack(without)[:, np.any(inside[opened.entity], axis=0)])
    name = "effective members of the mid-cap index over members, at ends of years"
    return [Fact("30", name, float(np.mean(found)), 0.63, 0.83, len(found), (error, error))]


def _two_ways(years: Floats, without: Floats) -> float:
    """Return the error of a mean over years, from its values without each company (column) in each year (row).

    Members stay for years, and a year's prices are all members': both are clusters, and what they share counts once
    (Cameron, Gelbach and Miller 2011).
    """
    if years.size < 2:
        return 0.0
    shift = (without - years[:, None]) / years.size
    cells = shift[shift != 0.0]
    left_out = (np.sum(years) - years) / (years.size - 1)
    companies, periods = spread_of(np.sum(shift, axis=0)), spread_of(left_out)
    return math.sqrt(max(companies**2 + periods**2 - spread_of(cells) ** 2, companies**2, periods**2))


def _day(world: World) -> int:
    return int(np.datetime64(world.config.snapshot).astype("datetime64[D]").astype(np.int64))
