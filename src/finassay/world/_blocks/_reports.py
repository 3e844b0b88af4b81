"""Tells the filings of companies with their figures: reports, forecasts, restatements, opinions, prospectuses."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._market import window
from finassay.world._blocks._periods import QUARTERS, period_end, quarter_of, season
from finassay.world._calendar import sessions
from finassay.world._config import END
from finassay.world._events import Event, EventType
from finassay.world._events_company import Forecast, Opinion, Report, Restatement, Shown
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from finassay.world._blocks._filings import Filing, Schedule
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._universe import Issuer
    from finassay.world._blocks._versions import Versions
    from finassay.world._numerics import Floats

PROSPECTUS, PERIODIC, CORRECTED = 10, 20, 30
REACTION = 1.5  # daily deviations of its own that a surprise of one moves a share by
UNSHOWN = 0.007  # of comparatives that a vendor does not find: .993 of pairs compete
AMENDED_OPINION = 0.015


def restatement_events(recorder: Recorder, plan: Schedule) -> None:
    """Tell the restatements of a company: with the report that knows of them, or on a day of their own."""
    filed = {filing.quarter: filing for filing in plan.filings}
    for item in plan.restatings:
        report = filed[item.until].at
        day, at = (item.day, time(18, 10)) if item.day else (report.date(), report.time())
        recorder.tell(
            EventType.RESTATEMENT,
            Restatement(item.kind, period_end(item.first), period_end(item.until), item.share),
            valid=period_end(item.first),
            disclosed=day,
            at=at,
        )


def surprises(issuers: tuple[Issuer, ...], news: Iterable[tuple[int, datetime, float]]) -> Floats:
    """Return how far filings move shares, in daily deviations of their own, (sessions, F).

    A filing over lunch moves the price of its day, one after the close that of the next session.
    """
    first, stop = window()
    out = np.zeros((stop - first, len(issuers)))
    column = {issuer.entity: n for n, issuer in enumerate(issuers)}
    for entity, at, surprise in news:
        open_yet = at.time() < time(15)
        session = sessions().at_or_after(at.date() if open_yet else at.date() + timedelta(days=1))
        if 0 <= session - first < stop - first:
            out[session - first, column[entity]] += REACTION * surprise
    return out


def planned_news(issuers: tuple[Issuer, ...], plans: list[Schedule]) -> Iterable[tuple[int, datetime, float]]:
    """Yield what will move prices: the forecast where there is one, else the report."""
    for issuer, plan in zip(issuers, plans, strict=True):
        for filing in plan.filings:
            at = datetime.combine(filing.forecast, time(18, 20)) if filing.forecast else filing.at
            yield issuer.entity, at, filing.surprise


def told_news(events: Iterable[Event]) -> Iterable[tuple[int, datetime, float]]:
    """Yield what moves prices according to the ledger."""
    for event in events:
        if isinstance(event.payload, Report | Forecast) and event.payload.surprise:
            yield event.entity, event.disclosed_at, event.payload.surprise


def report_events(
    seed: int, issuer: Issuer, row: int, plan: Schedule, versions: Versions, recorder: Recorder
) -> None:
    """Tell all filings of a company, with what they show."""
    rng = stream(seed, Purpose.REPORT, issuer.entity, 2)
    contents = list(_contents(issuer, row, plan, versions, recorder, rng.random(QUARTERS)))
    shown = _shown(
        versions, row, [(period, known) for _, _, known, periods in contents for period in periods]
    )
    filings = {filing.quarter: filing for filing in plan.filings}
    causes = {e.payload.until: e for e in recorder.events if isinstance(e.payload, Restatement)}
    place = 0
    for at, form, known, periods in contents:
        part = tuple(shown[place : place + len(periods)])
        place += len(periods)
        if form == PERIODIC:
            _periodic(recorder, filings[known], *_with_opening(known, part), rng.random(8))
        else:
            cause = (causes[period_end(known)],) if form == CORRECTED else ()
            _file(recorder, Report(part[0].period_end, form, part), at, cause)


def _with_opening(quarter: int, shown: tuple[Shown, ...]) -> tuple[tuple[Shown, ...], Shown | None]:
    """Take the last year end off what an interim report shows, unless it is there as a restated period too."""
    if quarter % 4 == 0 or any(shown[-1].period_end == other.period_end for other in shown[:-1]):
        return (shown, None) if quarter % 4 == 0 else (shown[:-1], None)
    return shown[:-1], shown[-1]


def _file(recorder: Recorder, report: Report, at: datetime, causes: tuple[Event, ...] = ()) -> Event:
    return recorder.tell(
        EventType.REPORT, report, valid=report.period_end, disclosed=at.date(), at=at.time(), causes=causes
    )


def _periodic(
    recorder: Recorder, filing: Filing, shown: tuple[Shown, ...], opening: Shown | None, u: Floats
) -> None:
    """Tell a report, the forecast ahead of it, and now and then another opinion of the auditors after it."""
    own, before = shown[0], shown[1].profit if len(shown) > 1 else None
    if filing.forecast:
        first = _forecast(own, before, u, 1.0 if filing.revised is None else 0.55)
        told = _announce(recorder, first, filing.forecast, filing.surprise, None)
        if filing.revised:
            _announce(recorder, _forecast(own, before, u, 1.0), filing.revised, 0.0, told)
    opinion = _opinion(own.profit < 0, float(u[2])) if season(filing.quarter) == 4 else 0
    surprise = 0.0 if filing.forecast else filing.surprise
    report = _file(recorder, Report(own.period_end, PERIODIC, shown, opinion, surprise, opening), filing.at)
    if opinion and u[3] < AMENDED_OPINION:
        day = sessions().shift(filing.at.date() + timedelta(days=15 + int(u[4] * 150)), 0)
        if day < END:
            other = Opinion(own.period_end, 3 if opinion == 1 else 1)
            recorder.tell(
                EventType.OPINION, other, valid=own.period_end, disclosed=day, supersedes=report, at=time(19)
            )


def _announce(
    recorder: Recorder, forecast: Forecast, day: date, surprise: float, before: Event | None
) -> Event:
    return recorder.tell(
        EventType.FORECAST,
        replace(forecast, surprise=surprise),
        valid=forecast.period_end,
        disclosed=day,
        at=time(18, 20),
        supersedes=before,
    )


def _forecast(own: Shown, before: int | None, u: Floats, factor: float) -> Forecast:
    """Return a range around the profit in whole 100,000 yuan, and its kind by profit and base."""
    width = (0.04 + 0.12 * float(u[0])) * abs(own.profit)
    middle = own.profit * factor
    unit = 10_000_000
    low = int(np.floor((middle - width * (0.3 + float(u[1]))) / unit)) * unit
    high = int(np.ceil((middle + width * (1.3 - float(u[1]))) / unit)) * unit
    if own.profit < 0:
        kind = "首亏" if before is not None and before > 0 else "续亏"
    elif before is None or before <= 0:
        kind = "扭亏"
    else:
        kind = "预增" if own.profit > before else "预减"
    return Forecast(own.period_end, kind, low, high)


def _opinion(loss: bool, u: float) -> int:
    """Draw 1 unqualified to 5 disclaimer; losses raise doubts (assumed)."""
    doubt = 0.16 if loss else 0.022
    if u >= doubt:
        return 1
    part = u / doubt
    return 2 if part < 0.5 else 3 if part < 0.85 else 5


def _contents(
    issuer: Issuer, row: int, plan: Schedule, versions: Versions, recorder: Recorder, u: Floats
) -> Iterable[tuple[datetime, int, int, list[int]]]:
    """Yield minute, form, knowledge and periods of every filing, the period itself first.

    The last period of an interim report is the year end whose balance sheet it shows.
    """
    found: list[tuple[datetime, int, int, list[int]]] = []
    first = plan.filings[0].quarter if plan.filings else QUARTERS
    listed = recorder.events[0].disclosed_at
    ready = quarter_of(listed.date() - timedelta(days=100)) - 1  # the last quarter that ended before that
    if ready >= 4 and plan.filings and plan.filings[0].at.date() > issuer.listed and first > 6:
        last = min(ready, first - 1)
        years = [q for q in range(last - last % 4, 3, -4) if q <= last][:3]
        periods = list(dict.fromkeys([last, *years]))
        found.append((listed, PROSPECTUS, last, periods))
    for filing in plan.filings:
        quarter = filing.quarter
        extra = [p for p in versions.restated(row, quarter) if p != quarter - 4]
        compared = [quarter - 4] if extra or u[quarter] >= UNSHOWN else []
        opening = [quarter - season(quarter)] if quarter % 4 else []  # the last year end
        found.append((filing.at, PERIODIC, quarter, [quarter, *compared, *extra, *opening]))
    for item in plan.restatings:
        if item.day:
            periods = versions.restated(row, item.until)[::-1]
            found.append((datetime.combine(item.day, time(18, 15)), CORRECTED, item.until, periods))
    yield from sorted(found, key=lambda row: (row[0], row[2], row[1]))


def _shown(versions: Versions, row: int, pairs: list[tuple[int, int]]) -> list[Shown]:
    period, known = (np.array([pair[k] for pair in pairs], dtype=np.int64) for k in range(2))
    figures = versions.figures(np.full(period.size, row), period, known)
    columns = (figures.flow("REVENUE"), figures.parent_profit, figures.total_assets, figures.owners_equity)
    values = zip(*(column.tolist() for column in columns), strict=True)
    return [Shown(period_end(int(p)), *v) for p, v in zip(period, values, strict=True)]
