"""Acceptance facts of companies' reports (world.md, 7: 4 to 8 and 12 to 16), measured on the ledger and statements."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._parent import parent_of
from finassay.world._blocks._periods import FIRST_REPORT, QUARTERS, quarter_of, year_end_before
from finassay.world._blocks._reports import PERIODIC
from finassay.world._blocks._shares import BONUS, BUYBACK, CONVERSION, PLACEMENT
from finassay.world._blocks._statement_items import STOCKS, Figures
from finassay.world._events import Event, EventType
from finassay.world._events_bonds import Amount
from finassay.world._events_company import Forecast, Report, ShareChange
from finassay.world._fact import Fact, jackknife
from finassay.world._facts_natural import Natural

if TYPE_CHECKING:
    import numpy.typing as npt

    from finassay.world._blocks._prices import Ints
    from finassay.world._blocks._versions import Versions
    from finassay.world._numerics import Floats
    from finassay.world._world import World

_STATUTORY = {1: (4, 30), 2: (8, 31), 3: (10, 31), 4: (4, 30)}


def report_facts(world: World) -> list[Fact]:
    """Measure the facts of reports up to the snapshot."""
    reports = [
        event
        for event in world.ledger.of(EventType.REPORT)
        if event.disclosed_at.date() <= world.config.snapshot and _form(event) == PERIODIC
    ]
    if not reports:
        return []
    versions = world.versions(world.statements, EventType.RESTATEMENT)
    return [
        *_lag_facts(reports, Natural(world)),
        *_version_facts(world, reports, versions),
        *_identity_facts(world, reports, versions),
        *_capital_facts(world),
        *_forecast_facts(world, reports, Natural(world)),
    ]


def _form(event: Event) -> int:
    return event.payload.form if isinstance(event.payload, Report) else 0


def _report(event: Event) -> Report:
    assert isinstance(event.payload, Report)  # noqa: S101 - by its type
    return event.payload


def _lag_facts(reports: list[Event], natural: Natural) -> list[Fact]:
    lags: dict[int, list[int]] = {1: [], 2: [], 3: [], 4: []}
    annual: list[tuple[int, int, bool]] = []  # company, lag, loss
    by_year: dict[tuple[int, int], int] = {}
    late = 0
    for event in reports:
        end = _report(event).period_end
        lag, season = (event.disclosed_at.date() - end).days, end.month // 3
        lags[season].append(lag)
        late += event.disclosed_at.date() > date(end.year + (season == 4), *_STATUTORY[season])
        if season == 4 and natural.day(event.entity, end):
            annual.append((event.entity, lag, _report(event).shown[0].profit < 0))
            by_year[event.entity, end.year] = lag
    middle = {season: float(np.median(lags[season])) if lags[season] else float("nan") for season in lags}
    losses, error, lost = _later_by(annual)
    pairs = [(lag, by_year[k, y + 1]) for (k, y), lag in by_year.items() if (k, y + 1) in by_year]
    persistence = _rank_correlation(pairs) if len(pairs) > 10 else float("nan")
    loss_share = 100 * lost / max(1, len(annual))
    return [
        Fact("4", "median lag of CN annual reports, days", middle[4], 92, 104, len(lags[4])),
        Fact("5", "median lag of CN first-quarter reports, days", middle[1], 25, 29, len(lags[1])),
        Fact("5", "median lag of CN half-year reports, days", middle[2], 50, 58, len(lags[2])),
        Fact("5", "median lag of CN third-quarter reports, days", middle[3], 26, 30, len(lags[3])),
        Fact("6", "CN reports beyond the deadline, %", 100 * late / len(reports), 0, 0.5, len(reports)),
        Fact("7", "annual reports of loss-makers later by, days", losses, 8, 18, lost, (error, error)),
        Fact("8", "rank persistence of the annual lag, CN", persistence, 0.31, 0.47, len(pairs)),
        Fact("-", "annual reports with a loss, % (source: 9.7)", loss_share, 7, 14, len(annual)),
    ]


def _later_by(annual: list[tuple[int, int, bool]]) -> tuple[float, float, int]:
    """Return by how many days reports of a loss are later, in the median; the error of that; how many show a loss."""
    company, lag, loss = (np.array([row[k] for row in annual]) for k in range(3))
    loss = loss.astype(bool)

    def later(kept: npt.NDArray[np.bool_]) -> float:
        if not np.any(kept & loss) or not np.any(kept & ~loss):
            return float("nan")
        return float(np.median(lag[kept & loss]) - np.median(lag[kept & ~loss]))

    return later(np.ones(loss.size, dtype=bool)), jackknife(company, later), int(np.sum(loss))


def _rank_correlation(pairs: list[tuple[int, int]]) -> float:
    first, second = (_ranks(np.array([pair[k] for pair in pairs])) for k in range(2))
    a, b = first - np.mean(first), second - np.mean(second)
    return float(np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b)))


def _ranks(values: Ints) -> Floats:
    """Return mean ranks."""
    order = np.sort(values)
    low, high = np.searchsorted(order, values, "left"), np.searchsorted(order, values, "right")
    return (low + high) / 2.0


def _version_facts(world: World, reports: list[Event], versions: Versions) -> list[Fact]:
    """Competing rows of a period; facts that a comparative shows otherwise than they were first reported."""
    filed = {(event.entity, _report(event).period_end): event for event in reports}
    rows = {int(entity): n for n, entity in enumerate(world.statements.entity)}
    compared, possible = 0, 0
    places: list[tuple[int, int, int]] = []
    for (entity, end), event in filed.items():
        base = end.replace(year=end.year - 1)
        if (entity, base) in filed:
            possible += 1
            if any(shown.period_end == base for shown in _report(event).shown):
                compared += 1
                places.append((rows[entity], quarter_of(base), quarter_of(end)))
    if not places:
        return []
    company, period, known = (np.array([place[k] for place in places]) for k in range(3))
    first, last = (
        _all(versions.figures(company, period, period)),
        _all(versions.figures(company, period, known)),
    )
    there = first != 0
    differs = there & (np.abs(last - first) > 0.001 * np.abs(first))
    share = 100.0 * float(np.sum(differs)) / float(np.sum(there))
    return [
        Fact("12", "CN pairs with competing rows, %", 100 * compared / possible, 97, 100, possible),
        Fact("13", "CN repeated facts that differ by over .1%, %", share, 3.6, 6.6, int(np.sum(there))),
    ]


def _all(figures: Figures) -> Ints:
    """Return every item that a table may show, one column each."""
    totals = (
        figures.operating_profit,
        figures.total_profit,
        figures.net_profit,
        figures.parent_profit,
        figures.core_profit,
        figures.total_assets,
        figures.total_liabilities,
        figures.owners_equity,
        figures.operating_cash,
        figures.investing_cash,
        figures.financing_cash,
        figures.cash_increase,
    )
    return np.concatenate([figures.flows, figures.stocks, np.stack(totals, axis=1)], axis=1)


def _identity_facts(world: World, reports: list[Event], versions: Versions) -> list[Fact]:
    """Check every version that was ever shown, consolidated and of the parent, in fen."""
    rows = {int(entity): n for n, entity in enumerate(world.statements.entity)}
    places = {
        (rows[event.entity], quarter_of(shown.period_end), quarter_of(_report(event).period_end))
        for event in reports
        for shown in _report(event).shown
    }
    company, period, known = np.array(sorted(places), dtype=np.int64).T
    group = versions.figures(company, period, known)
    share = np.full(company.size, 0.6)
    parent = parent_of(group, share, np.zeros_like(company))
    wrong = broken(group) | broken(parent)
    quarters = sum_of_quarters(versions, company, period, known)
    twelve = _twelve_months(versions, company, period, known)
    n = company.size
    return [
        Fact("14", "versions that break an identity, CN", int(np.sum(wrong)), 0, 0, 2 * n),
        Fact("15", "single quarters that do not add up, CN", int(np.sum(quarters)), 0, 0, n),
        Fact("15", "twelve months that are no four quarters, CN", int(np.sum(twelve)), 0, 0, n),
    ]


def broken(figures: Figures) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return where statements break an identity of world.md 3.1 to 3.3, to the fen."""
    equity = figures.owners_equity + figures.stock("MINORITYINTERESTS")
    direct = (
        figures.cash_from_sales - figures.cash_for_goods - figures.cash_for_staff - figures.cash_for_taxes
    )
    retained = figures.parent_profit - figures.flow("DIVIDENDS", "APPROPRIATION", "BONUS")
    minority = figures.flow("MINORITYPROFIT") - figures.flow("MINORITYDIVIDENDS")
    return np.asarray(
        (figures.total_assets != figures.total_liabilities + equity)
        | (figures.cash_increase != figures.change("CASHEQUIVALENTS"))
        | (figures.operating_cash != direct + figures.other_operating_cash)
        | (figures.change("RETAINEDPROFIT") != retained)
        | (figures.change("MINORITYINTERESTS") != minority)
        | (figures.change("SURPLUSRESERVEFUND") != figures.flow("APPROPRIATION"))
    )


def sum_of_quarters(
    versions: Versions, company: Ints, period: Ints, known: Ints
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return where the single quarters of a year so far do not add up to it."""
    whole = versions.figures(company, period, known).flows
    total = np.zeros_like(whole)
    start = year_end_before(period)
    for step in range(1, 5):
        quarter = start + step
        part = versions.quarter(company, np.minimum(quarter, QUARTERS - 1), known).flows
        total += np.where((quarter <= period)[:, None], part, 0)
    return np.asarray(np.any(total != whole, axis=1))


def _twelve_months(
    versions: Versions, company: Ints, period: Ints, known: Ints
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return where year + year so far - a year before is not the sum of four single quarters, of profit."""
    ready = period >= FIRST_REPORT
    base, end = np.maximum(period - 4, 1), np.maximum(year_end_before(period), 0)
    now, before, year = (versions.figures(company, p, known).parent_profit for p in (period, base, end))
    sum_ = np.where(period % 4 == 0, now, now + year - before)
    four = np.zeros_like(now)
    for back in range(4):
        four += versions.quarter(company, np.maximum(period - back, 1), known).parent_profit
    return np.asarray(ready & (sum_ != four))


def _balances(world: World, event: Event, change: ShareChange, shares: int) -> bool:
    """Whether new shares at the conversion price are what the balance fell by, but for part of a share."""
    falls = (world.ledger.by_id[cause].payload for cause in event.cause_ids)
    fall = next(-f.change for f in falls if isinstance(f, Amount)) * 1_000_000  # of ten thousand yuan, in fen
    return shares * change.price <= fall < (shares + 1) * change.price


def _capital_facts(world: World) -> list[Fact]:
    """Roll the share capital forward, and hold it against the quotes and the paid-in capital."""
    wrong, changes = 0, 0
    last: dict[int, ShareChange] = {}
    for event in sorted(world.ledger.of(EventType.SHARE_CHANGE), key=lambda e: (e.entity, e.valid_from)):
        change = event.payload
        assert isinstance(change, ShareChange)  # noqa: S101 - by its type
        changes += 1
        before = last.get(event.entity)
        moved = 0 if before is None else change.total - before.total
        falls, rises = change.kind == BUYBACK, change.kind in (PLACEMENT, 3, BONUS, CONVERSION)
        wrong += (moved > 0 and not rises) or (moved < 0 and not falls)
        wrong += not 0 < change.tradable <= change.total
        wrong += change.kind == CONVERSION and not _balances(world, event, change, moved)
        last[event.entity] = change
    paid = world.statements.stocks[:, :, STOCKS.index("PAIDINCAPITAL")]
    wrong += int(np.sum(paid != world.statements.shares * 100))
    return [Fact("16", "changes of share capital that do not roll forward", wrong, 0, 0, changes + paid.size)]


def _forecast_facts(world: World, reports: list[Event], natural: Natural) -> list[Fact]:
    reports = [e for e in reports if natural.day(e.entity, e.valid_from)]
    forecasts = [
        e
        for e in world.ledger.of(EventType.FORECAST)
        if isinstance(e.payload, Forecast) and natural.day(e.entity, e.valid_from)
    ]
    first = {(e.entity, e.payload.period_end) for e in forecasts if isinstance(e.payload, Forecast)}
    filed = {(e.entity, _report(e).period_end): e.disclosed_at.date() for e in reports}
    told = [key for key in first if key in filed]
    ahead = [
        (filed[e.entity, e.payload.period_end] - e.disclosed_at.date()).days
        for e in forecasts
        if isinstance(e.payload, Forecast)
        and e.supersedes is None
        and (e.entity, e.payload.period_end) in filed
    ]
    share, middle = 100 * len(told) / len(filed), float(np.median(ahead)) if ahead else float("nan")
    return [
        Fact("-", "reports with a forecast before, % (source: 30.7)", share, 25, 36, len(filed)),
        Fact("-", "median days from forecast to report (source: 18)", middle, 14, 22, len(ahead)),
    ]
