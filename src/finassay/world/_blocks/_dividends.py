"""The calendar of dividends: plan, approval, implementation, ex-date; the amounts follow from the price at the plan."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._events import Approval, EventType, Implementation, Plan
from finassay.world._numerics import exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._universe import Issuer


# Of the price, in cash: 752 of 778 drops are no larger (R2), and 21 of the others, beyond .16, are of bonus shares
MOST = 0.08


@dataclass(frozen=True, slots=True)
class Intended:
    """A dividend before its amount is known: its days, the intended yield, bonus shares per 10 shares."""

    period_end: date
    planned: date
    decided: date
    approved: bool
    announced: date
    record: date
    ex: date
    pay: date
    yield_: float
    bonus: int
    planted: bool = False


def intended_dividends(seed: int, issuer: Issuer) -> list[Intended]:
    """Draw the dividends of a share: .79 ex-right events a year, June 36%, median yield 1.47% (R2, n 777)."""
    rng = stream(seed, Purpose.DIVIDEND, issuer.entity)
    found = []
    for year in range(START.year - 1, END.year):
        for interim in (False, True):
            u, z = rng.random(8), float(rng.standard_normal())
            pays = (0.25 if interim else 0.97) if issuer.pays else (0.02 if interim else 0.06)
            period = date(year, 6, 30) if interim else date(year, 12, 31)
            if u[0] > pays or issuer.listed > period - timedelta(days=90):
                continue
            bonus = 3 + int(u[6] * 6) if u[5] < 0.045 and not interim else 0
            found.append(_intended(period, [float(x) for x in u], z, bonus))
    return [plan for plan in found if START < plan.ex < END]


def _intended(period: date, u: list[float], z: float, bonus: int) -> Intended:
    calendar = sessions()
    interim = period.month == 6
    planned = calendar.shift(period + timedelta(days=int(28 + 30 * u[1] if interim else 72 + 47 * u[1])), 0)
    decided = calendar.shift(planned + timedelta(days=int(16 + 22 * u[2])), 0)
    announced = calendar.shift(decided + timedelta(days=int(8 + 36 * u[3])), 0)
    record = calendar.shift(announced, 4 + int(3 * u[4]))
    ex = calendar.shift(record, 1)
    yield_ = min(MOST, float(exp([-4.22 + 0.75 * z])[0]))
    return Intended(period, planned, decided, u[7] > 0.05, announced, record, ex, ex, yield_, bonus)


def dividend_events(seed: int, recorder: Recorder, plans: list[tuple[Intended, int]]) -> None:
    """Tell dividends with their cash (fen per 10 shares); one that the meeting rejects ends there."""
    for plan, cash in plans:
        if plan.planted:
            with recorder.planting(stream(seed, Purpose.TRAP, recorder.entity, plan.planned.toordinal())):
                _tell(recorder, plan, cash)
        else:
            _tell(recorder, plan, cash)


def _tell(recorder: Recorder, plan: Intended, cash: int) -> None:
    planned = recorder.tell(
        EventType.DIVIDEND_PLAN,
        Plan(plan.period_end, cash, plan.bonus),
        valid=plan.planned,
        disclosed=plan.planned,
    )
    decided = recorder.tell(
        EventType.DIVIDEND_APPROVED,
        Approval(plan.approved),
        valid=plan.decided,
        disclosed=plan.decided,
        supersedes=planned,
    )
    if plan.approved:
        recorder.tell(
            EventType.DIVIDEND_IMPLEMENTED,
            Implementation(plan.record, plan.pay),
            valid=plan.ex,
            disclosed=plan.announced,
            supersedes=decided,
        )
