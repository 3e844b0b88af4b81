"""US dividends and splits: when they are declared and go ex; amounts follow from statements and prices."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import TYPE_CHECKING

from finassay.world._blocks._us_market import us_window
from finassay.world._blocks._us_prices import Payout, Split
from finassay.world._blocks._us_statements import period_ends
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._events import EventType
from finassay.world._events_us import UsDividend, UsSplit
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._us_statements import Statements
    from finassay.world._blocks._us_universe import UsIssuer

POSTPONED = 0.006  # of dividends: declared, withdrawn, declared again (assumed)
_BY = 8  # sessions
_CONSIDERED = 0.30  # splits considered a year; the price decides (.034 happen, S7)
_SETTLED_SAME_DAY = date(2024, 5, 28)  # from then on the record day is the ex-day


@dataclass(frozen=True)
class Planned:
    """A dividend on the calendar: its days, whether it is special or was declared and withdrawn before, its payout."""

    declared: date
    at: time
    ex: date
    record: date
    pay: date
    special: bool
    postponed: bool
    payout: Payout


@dataclass(frozen=True)
class Considered:
    """A split on the calendar."""

    announced: date
    ex: date
    split: Split


def us_actions(
    seed: int, issuer: UsIssuer, column: int, last: date | None, statements: Statements
) -> tuple[list[Planned], list[Considered]]:
    """Draw the calendar of a company's dividends and splits up to its end."""
    rng = stream(seed, Purpose.US_ACTION, issuer.entity)
    stop = min(END, last or END)
    u = rng.random((len(period_ends(issuer.year_end)), 8))
    dividends = []
    for k, end in enumerate(period_ends(issuer.year_end)):
        draws = [float(x) for x in u[k]]
        base, special = int(statements.dividend[column, k]), int(statements.special[column, k])
        if base and k:
            dividends.append(_dividend(end, draws, base, column, special=False))
        if special and k:
            dividends.append(_dividend(end, draws[::-1], special, column, special=True))
    kept = [
        d for d in dividends if max(START, issuer.listed) + timedelta(days=25) < d.declared and d.pay < stop
    ]
    return kept, _splits(seed, issuer, column, stop, kept)


def _dividend(end: date, u: list[float], base: int, column: int, *, special: bool) -> Planned:
    """Place a dividend: declared three to six weeks before it is paid in the quarter, ex a fortnight before."""
    calendar = sessions("XNYS")
    pay = calendar.shift(end - timedelta(days=10 + int(40 * u[0])), 0)
    record = calendar.shift(pay, -9 - int(4 * u[1]))
    ex = record if record >= _SETTLED_SAME_DAY else calendar.shift(record, -1)
    declared = calendar.shift(ex, -10 - int(12 * u[2]))
    postponed = u[3] < POSTPONED
    first, _ = us_window()
    payout = Payout(column, calendar.at_or_after(declared) - first, calendar.at_or_after(ex) - first, base)
    at = time(7 + int(2 * u[4]), 0) if u[5] < 0.4 else time(16, 5 + int(40 * u[4]))
    return Planned(declared, at, ex, record, pay, special, postponed, payout)


def _splits(
    seed: int, issuer: UsIssuer, column: int, stop: date, dividends: list[Planned]
) -> list[Considered]:
    calendar, (first, _) = sessions("XNYS"), us_window()
    rng = stream(seed, Purpose.US_ACTION, issuer.entity, 1)
    found: list[Considered] = []
    now = max(first, calendar.at_or_after(issuer.listed)) + 60
    while (now := now + 60 + int(rng.exponential(252 / _CONSIDERED))) < calendar.at_or_after(stop) - 30:
        announced, ex = calendar.days[now], calendar.days[now + 12]
        # None between the declaration of a dividend and its ex-day: the amount would have to be stated anew
        if not any(d.declared <= ex and announced <= d.ex for d in dividends):
            found.append(Considered(announced, ex, Split(column, now - first, now + 12 - first)))
    return found


def us_action_events(recorder: Recorder, dividends: list[Planned], splits: list[Considered]) -> None:
    """Tell dividends and those splits that the price brought about; numbered by the day they were announced."""
    happened = [s for s in splits if s.split.ratio is not None]
    order: list[Planned | Considered] = [*dividends, *happened]
    order.sort(key=lambda action: action.declared if isinstance(action, Planned) else action.announced)
    number = 1
    for action in order:
        if isinstance(action, Planned):
            number += _tell_dividend(recorder, number, action)
        elif action.split.ratio is not None:
            split = UsSplit(number, *action.split.ratio)
            recorder.tell(
                EventType.US_SPLIT, split, valid=action.ex, disclosed=action.announced, at=time(16, 20)
            )
            number += 1


def _tell_dividend(recorder: Recorder, number: int, plan: Planned) -> int:
    """Tell a dividend; one that was postponed was declared and withdrawn before. Return how many were declared."""
    cash, calendar = plan.payout.cash or 0, sessions("XNYS")
    if plan.postponed:
        ex, record, pay, declared = (
            calendar.shift(day, -_BY) for day in (plan.ex, plan.record, plan.pay, plan.declared)
        )
        payload = UsDividend(number, plan.special, cash, record, pay)
        first = recorder.tell(EventType.US_DIVIDEND, payload, valid=ex, disclosed=declared, at=plan.at)
        back = calendar.shift(declared, 4)
        recorder.tell(
            EventType.US_CANCEL, payload, valid=back, disclosed=back, at=time(8, 0), supersedes=first
        )
        number += 1
    payload = UsDividend(number, plan.special, cash, plan.record, plan.pay)
    recorder.tell(EventType.US_DIVIDEND, payload, valid=plan.ex, disclosed=plan.declared, at=plan.at)
    return 2 if plan.postponed else 1
