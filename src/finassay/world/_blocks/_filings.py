"""When companies report: lags, forecasts ahead of reports, restatements, missed deadlines (world.md, 2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._periods import FIRST_REPORT, QUARTERS, SEASONS, YEARS, period_end, season
from finassay.world._blocks._versions import COMMON_CONTROL, ERROR, POLICY
from finassay.world._calendar import sessions
from finassay.world._config import END
from finassay.world._draws import normal_quantile
from finassay.world._events import Event, EventType, Halt, Nothing
from finassay.world._numerics import Floats, exp
from finassay.world._strata import strata
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from finassay.world._blocks._economy import Economy
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._universe import Issuer

# Days after the period's end at the 1, 5, 25, 50, 75, 95 and 99% of a standard normal rank (S4), by season
_RANKS = (-2.326, -1.645, -0.674, 0.0, 0.674, 1.645, 2.326)
_KNOTS = {
    1: (13, 18, 24, 27, 29, 30, 30),
    2: (20, 29, 46, 54, 58, 61, 62),
    3: (15, 20, 24, 28, 30, 31, 31),
    4: (35, 54, 82, 96, 112, 120, 121),
}
_STATUTORY = {1: (4, 30), 2: (8, 31), 3: (10, 31), 4: (4, 30)}
PERSISTENCE = 0.42  # of a company's rank: .39 between the annual reports of two years, rounded to days
LOSS_SHIFT = 0.68  # ranks: 13 days
MISSED = 0.003  # annual deadlines a year (assumed)
AT_NOON = 0.10  # published over the lunch break, the others in the evening
COMMON_CONTROL_RATE, ERROR_RATE, POLICY_RATE = 0.030, 0.038, 0.09  # per company and year
FORECAST_RATES = (0.10, 0.92)  # of reports that do not and do meet the rule: 30.7% of companies (S5)
REVISED = 0.016
_OWN_ANNOUNCEMENT = 0.7  # of errors; the others come out with the next report
_EVENING = time(18, 0)
_LATE_REASON = "未在法定期限内披露定期报告"


@dataclass(frozen=True, slots=True)
class Filing:
    """A report before its figures: quarter, minute, the day of a forecast, the restatement that comes with it."""

    quarter: int
    at: datetime
    surprise: float
    forecast: date | None = None
    revised: date | None = None


@dataclass(frozen=True, slots=True)
class Restating:
    """A restatement before it is told: kind, size, first period, the report that knows of it, a day of its own."""

    kind: int
    share: float
    first: int
    until: int
    day: date | None = None


@dataclass(frozen=True)
class Schedule:
    """What a company will file."""

    filings: tuple[Filing, ...]
    restatings: tuple[Restating, ...]


def schedule(seed: int, issuer: Issuer, row: int, economy: Economy, recorder: Recorder) -> Schedule:
    """Draw a company's filings; one that misses a deadline is halted, which is told here."""
    rng = stream(seed, Purpose.REPORT, issuer.entity)
    z, u = rng.standard_normal((QUARTERS, 2)), rng.random((QUARTERS, 8))
    own = float(normal_quantile(np.array(strata(seed, Purpose.REPORT, issuer.entity, 1)))[0])
    profit = _year_to_date(economy.provisional[row])
    ahead = np.clip(exp(2.89 + 0.72 * z[:, 1]), 3, 80)
    last = _last_day(recorder.events)
    filings: list[Filing] = []
    for quarter in range(FIRST_REPORT, QUARTERS):
        day, late = _day(quarter, own, z[quarter], u[quarter], profit[quarter] < 0)
        at = datetime.combine(day, _minute(u[quarter, 1]))
        if filings and filings[-1].at > at:  # one after the other, at the earliest together
            at = filings[-1].at
        if at.date() <= issuer.listed:
            continue
        if at.date() >= last:
            break
        if late:
            _halt(recorder, quarter, at.date(), issuer)
        floor = filings[-1].at.date() if filings else issuer.listed
        told = _forecast(quarter, at, profit, u[quarter], float(ahead[quarter]), floor)
        revised = _revision(told, at, u[quarter])
        filings.append(Filing(quarter, at, float(economy.surprise[row, quarter]), told, revised))
    return Schedule(tuple(filings), tuple(_restatings(seed, issuer, filings)))


def _year_to_date(quarters: Floats) -> Floats:
    out = quarters.copy()
    for first in range(1, out.size, 4):
        out[first : first + 4] = np.cumsum(out[first : first + 4])
    return out


def _last_day(events: list[Event]) -> date:
    ends = [e.valid_from for e in events if e.type is EventType.DELIST]
    return min([END, *(day - timedelta(days=2) for day in ends)])


def _minute(u: float) -> time:
    return time(12, 0) if u < AT_NOON else time(17, 30 + int((u - AT_NOON) * 33))


def _day(quarter: int, own: float, z: Floats, u: Floats, loss: bool) -> tuple[date, bool]:
    """Return the day of a report, and whether the deadline was missed."""
    kind, end = season(quarter), period_end(quarter)
    rank = float(np.sqrt(PERSISTENCE)) * own + float(np.sqrt(1.0 - PERSISTENCE)) * float(z[0])
    rank += LOSS_SHIFT if loss and kind == 4 else 0.0
    lag = float(np.interp(rank, _RANKS, _KNOTS[kind]))
    month, day = _STATUTORY[kind]
    limit = date(end.year + (kind == 4), month, day)
    if kind == 4 and u[0] < MISSED:
        return sessions().shift(limit + timedelta(days=20 + int(u[2] * 45)), 0), True
    return _publication(min(limit, end + timedelta(days=int(lag + 0.5))), limit), False


def _publication(day: date, limit: date) -> date:
    """Return the next day of publication, a session or the Saturday after one; by the deadline at the latest."""
    calendar = sessions()
    if day.weekday() == 5 and day - timedelta(days=1) in calendar:
        return day
    following = calendar.shift(day, 0)
    return following if following <= limit else calendar.before(limit + timedelta(days=1))


def _halt(recorder: Recorder, quarter: int, filed: date, issuer: Issuer) -> None:
    """Halt trading from the first session after the missed deadline to the first after the report."""
    calendar = sessions()
    start = calendar.at_or_after(date(YEARS[quarter] + 1, 5, 1))
    stop = calendar.at_or_after(filed + timedelta(days=1))
    ends = {e.supersedes: e.valid_from for e in recorder.events if e.type is EventType.RESUME}
    for event in recorder.events:
        if event.type is EventType.HALT:
            until = ends.get(event.event_id, END)
            if event.valid_from <= calendar.days[stop + 2] and until >= calendar.days[start - 2]:
                return
    if calendar.days[start] <= issuer.listed + timedelta(days=30):
        return
    halt = recorder.tell(
        EventType.HALT,
        Halt(_LATE_REASON),
        valid=calendar.days[start],
        disclosed=calendar.days[start - 1],
        at=_EVENING,
    )
    recorder.tell(
        EventType.RESUME,
        Nothing(),
        valid=calendar.days[stop],
        disclosed=calendar.days[stop - 1],
        supersedes=halt,
        at=_EVENING,
    )


def _forecast(
    quarter: int, at: datetime, profit: Floats, u: Floats, ahead: float, floor: date
) -> date | None:
    """Return the day of a forecast where the rule asks for one: a loss, a turn, or a change by more than half."""
    base, now = profit[quarter - 4], profit[quarter]
    due = bool(now < 0 or base <= 0 or abs(now / base - 1.0) > 0.5)
    if u[3] > FORECAST_RATES[due]:
        return None
    day = sessions().before(at.date() - timedelta(days=int(ahead) - 1))
    return day if day > max(floor, period_end(quarter) - timedelta(days=25)) else None


def _revision(told: date | None, at: datetime, u: Floats) -> date | None:
    if told is None or u[4] >= REVISED:
        return None
    day = sessions().before(told + (at.date() - told) // 2)
    return day if told < day < at.date() else None


def _restatings(seed: int, issuer: Issuer, filings: list[Filing]) -> Iterable[Restating]:
    """At most one restatement a year, known with one of the reports of the year."""
    rng = stream(seed, Purpose.REPORT, issuer.entity, 1)
    filed = {filing.quarter: filing for filing in filings}
    for year in range(int(YEARS[FIRST_REPORT]) + 1, int(YEARS[-1]) + 1):
        u, z = rng.random(6), float(rng.standard_normal())
        first_quarter = 4 * (year - 2011) - 3
        rates = np.cumsum([COMMON_CONTROL_RATE, ERROR_RATE, POLICY_RATE])
        kind = next(
            (k for k, rate in zip((COMMON_CONTROL, ERROR, POLICY), rates, strict=True) if u[0] < rate), 0
        )
        until = first_quarter if kind == POLICY else first_quarter + int(u[1] * 4)
        # What changes is known at the next filing only if one was there before
        if not kind or until not in filed or until - 1 not in filed:
            continue
        days = [filed[q].at.date() for q in (until - 1, until, until + 1) if q in filed]
        if len(set(days)) < len(days):  # two reports of one day must not show one period twice
            continue
        yield _restating(kind, until, filed, u, z)


def _restating(kind: int, until: int, filed: dict[int, Filing], u: Floats, z: float) -> Restating:
    if kind == COMMON_CONTROL:
        part = 0.04 + 0.30 * float(u[2]) * float(u[2])
        return Restating(kind, round(part / (1.0 + part), 6), 0, until)
    if kind == POLICY:
        return Restating(kind, round(0.5 + 0.5 * float(u[2]), 6), until - int(SEASONS[until]) - 3, until)
    size = round(float(np.clip(exp([-3.5 + 0.8 * z])[0], 0.004, 0.25)) * (1 if u[3] < 0.8 else -1), 6)
    before, after = filed[until - 1].at.date(), filed[until].at.date()
    calendar = sessions()
    low, high = calendar.at_or_after(before) + 4, calendar.at_or_after(after) - 2
    day = calendar.days[low + int(u[4] * (high - low))] if u[5] < _OWN_ANNOUNCEMENT and high > low else None
    return Restating(kind, size, max(1, until - 1 - int(u[2] * 6)), until, day)
