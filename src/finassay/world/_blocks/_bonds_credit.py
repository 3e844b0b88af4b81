"""The credit of a debtor: latent shocks to its distance to default, defaults, the ratings that follow (world.md, 4).

Hazards by grade are measured on convertibles (world.md, 2.4), and halved for plain bonds; distress and default are
assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._bonds_universe import ABS, GRADES, NUMBER_OF, RATED, RISKY, Owner, near
from finassay.world._blocks._market import YEAR
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._events import Event, EventType
from finassay.world._events_bonds import BondDefault, CreditShock, Rating
from finassay.world._numerics import log

if TYPE_CHECKING:
    from finassay.world._blocks._prices import Quotes
    from finassay.world._blocks._recorder import Recorder

# Down and up per year by grade, AAA to A; below A as A (downgrades accelerate)
_DOWN = (0.020, 0.035, 0.050, 0.063, 0.096, 0.14)
_UP = (0.0, 0.022, 0.017, 0.017, 0.015, 0.012)
_DISTRESS = (0.0004, 0.001, 0.003, 0.007, 0.012, 0.02, 0.05, 0.20)  # a year, AAA to BBB+ and below
NOTCHES = (0.62, 0.87)  # one, or at most two
OFF_CYCLE = 0.08  # of shocks, whose rating does not wait for the yearly review
SUMMER = 0.92  # of yearly reviews, in June and July
DEFAULTS = 0.70  # of distress
REVOKED = 0.6  # of first defaults: paid after all (assumed; most of the rest miss several payments)
SECOND_AGENCY = 0.20
SECOND_LASTS = 730  # days for which a rating of the second agency says it holds: past the next one (assumed)
_LAGS = np.cumsum([0.22, 0.27, 0.20, 0.15, 0.10, 0.06])  # days from a rating to its publication: 0 to 5
AGENCIES = {101: "华信资信", 102: "联评国际", 103: "东方信评", 104: "大成信评", 105: "中远评级"}
_EVENING = time(18, 0)
_BROKEN = GRADES.index("C")


@dataclass(frozen=True, slots=True)
class Stock:
    """What the share of a debtor says of it: its number, return over a year by quarter, alerts and delisting."""

    returns: dict[date, float]
    alerts: tuple[Event, ...]
    security: Event


def stock_of(quotes: Quotes, entity: int, events: list[Event]) -> Stock:
    """Return what the share of a listed debtor says: returns over a year at the start of quarters, alerts."""
    rows = slice(*np.searchsorted(quotes.entity, [entity, entity + 1]).tolist())
    price, session = quotes.close[rows] * quotes.factor[rows], quotes.session[rows]
    returns = {}
    for year in range(START.year, END.year + 1):
        for month in (1, 4, 7, 10):
            day = date(year, month, 1)
            at = int(np.searchsorted(session, sessions().at_or_after(day)))
            if YEAR <= at < price.size:
                returns[day] = float(price[at - 1] / price[at - YEAR] - 1.0)
    alerts = tuple(event for event in events if event.type is EventType.ST_ON)
    security = next(event for event in events if event.type is EventType.SECURITY)
    return Stock(returns, alerts, security)


@dataclass(frozen=True, slots=True)
class Payment:
    """A payment of a bond: day, the bond's place, whether principal falls due, amounts in ten thousand yuan."""

    day: date
    bond: int
    principal: int
    interest: int


@dataclass(slots=True)
class _Move:
    """A change of grade that a rating will show from a day on."""

    day: date
    notches: int
    cause: Event
    floor: int = 0


@dataclass
class Credit:
    """What happened to a debtor: its main agency's ratings, and the payments that were missed."""

    ratings: list[Event]
    others: list[Event]
    defaults: list[
        tuple[Payment, date, Event, int]
    ]  # payment, day of the notice, cause, days to its cure (0 never)


def credit_events(
    recorder: Recorder,
    rng: np.random.Generator,
    owner: Owner,
    hazard: float,
    span: tuple[date, date],
    payments: list[Payment],
    stock: Stock | None,
    fates: tuple[float, float, float] | None = None,
) -> Credit:
    """Tell the shocks and ratings of a debtor; `hazard` scales the rates, 1 for convertibles and half for others.

    `fates` are uniform draws for its first downgrade and upgrade, and for whether the former waits for a review.
    """
    life = _Credit(recorder, rng, owner, hazard, span, payments, stock, fates)
    if owner.kind in RATED:
        life.shocks()
    return Credit(life.rate(), life.rate_again(), life.missed)


class _Credit:
    def __init__(
        self,
        recorder: Recorder,
        rng: np.random.Generator,
        owner: Owner,
        hazard: float,
        span: tuple[date, date],
        payments: list[Payment],
        stock: Stock | None,
        fates: tuple[float, float, float] | None,
    ) -> None:
        self.recorder, self.rng, self.owner, self.hazard = recorder, rng, owner, hazard
        self.first, self.last = span
        self.payments, self.stock = payments, stock
        self.grade = owner.grade
        self.moves: list[_Move] = []
        self.missed: list[tuple[Payment, date, Event, int]] = []
        self.main: list[Event] = []
        self.reviews = self._reviews()
        self.broken = False
        falls, rises, self.waits = fates or tuple(float(x) for x in rng.random(3))
        # A shock comes when the risk that has been run reaches an exponential draw
        self.falls, self.rises = -log(1.0 - falls), -log(1.0 - rises)

    def _reviews(self) -> list[date]:
        """Return the days of the yearly reviews, most of them in June and July."""
        found = []
        for year in range(self.first.year, self.last.year + 1):
            summer, place, other = self.rng.random(3)
            day = (
                date(year, 6, 1) + timedelta(days=int(place * 60))
                if summer < SUMMER
                else date(year, 8, 5) + timedelta(days=int(other * 110))
            )
            if self.first + timedelta(days=120) < day < self.last:
                found.append(near(day, 0))
        return found

    def shocks(self) -> None:
        """Draw the latent shocks, quarter by quarter."""
        alerts = {e.disclosed_at.date(): e for e in (self.stock.alerts if self.stock else ())}
        start = date(self.first.year, (self.first.month - 1) // 3 * 3 + 1, 1)
        while start < self.last and not self.broken:
            u = self.rng.random(8)
            following = _next_quarter(start)
            if start > self.first:
                self._quarter(start, [float(x) for x in u])
            for day, alert in alerts.items():
                if start <= day < following and not self.broken and u[6] < 0.25:
                    self._distress(day, [float(x) for x in u], alert)
            start = following

    def _quarter(self, start: date, u: list[float]) -> None:
        level = min(self.grade, len(_DOWN) - 1)
        fallen = self.stock.returns.get(start, 0.0) if self.stock else 0.0
        # A fall of the share raises leverage at market value
        scale = self.hazard * float(np.clip(1.0 - 1.2 * fallen, 0.4, 2.2))
        day = start + timedelta(days=int(u[3] * 88))
        self.falls -= _DOWN[level] * scale / 4.0
        self.rises -= _UP[level] * self.hazard / 4.0 if self.grade else 0.0
        if self.owner.kind in RISKY and u[0] < _DISTRESS[min(self.grade, len(_DISTRESS) - 1)] * scale / 2.0:
            self._distress(day, u, None)
        elif self.falls <= 0.0 and self.owner.kind in (*RISKY, ABS, "bank", "broker"):
            size = 1 if u[4] < NOTCHES[0] else 2 if u[4] < NOTCHES[1] else 3
            self.falls -= log(1.0 - u[1])
            self._shock(day, -size, [*u[:5], self.waits, *u[6:]])
            self.waits = u[5]
        elif self.rises <= 0.0 and self.grade:
            self.rises -= log(1.0 - u[2])
            self._shock(day, 1, u)

    def _shock(self, day: date, notches: int, u: list[float]) -> None:
        event = self.recorder.tell(
            EventType.CREDIT_SHOCK, CreditShock(notches), valid=day, disclosed=day, at=time(0)
        )
        acts = self._action_day(day, u)
        if acts is not None:
            self.moves.append(_Move(acts, -notches, event))
            self.grade = min(max(0, self.grade - notches), _BROKEN - 3)

    def _action_day(self, day: date, u: list[float]) -> date | None:
        if u[5] < OFF_CYCLE:
            return near(day + timedelta(days=12 + int(u[4] * 50)), 0)
        return next((review for review in self.reviews if review > day + timedelta(days=15)), None)

    def _distress(self, day: date, u: list[float], alert: Event | None) -> None:
        """Cut a debtor to BBB or below within weeks; most default on a payment afterwards."""
        event = self.recorder.tell(
            EventType.CREDIT_SHOCK,
            CreditShock(-6, distress=True),
            valid=day,
            disclosed=day,
            at=_EVENING if alert is not None else time(0),
            causes=() if alert is None else (alert,),
        )
        cut = near(day + timedelta(days=6 + int(40 * u[3])), 0)
        floor = 7 + int(5 * u[5])
        self.moves.append(_Move(cut, 6, event, floor))
        self.grade = max(self.grade, floor)
        if u[7] < DEFAULTS:
            self._default(event, day + timedelta(days=25 + int(240 * u[4])))

    def _default(self, cause: Event, after: date) -> None:
        """Miss the first payment after a day; if it is not paid after all, those of the two years that follow."""
        due = sorted(
            (p for p in self.payments if after < p.day < min(after + timedelta(days=900), END)),
            key=lambda payment: (payment.day, payment.bond),
        )
        cured = bool(self.rng.random() < REVOKED)
        until = due[0].day if cured and due else date.max
        seen: set[int] = set()
        for payment in due:
            if payment.bond in seen or payment.day > until:
                continue
            seen.add(payment.bond)
            wait, cure = self.rng.random(2)
            notice = near(payment.day + timedelta(days=int(20 * wait * wait)), 0)
            self.missed.append((payment, notice, cause, 8 + int(80 * cure) if cured else 0))
        if due:
            notice = self.missed[-len(seen)][1]
            self.moves.append(_Move(near(notice, 1 + int(2 * self.rng.random())), 12, cause, _BROKEN))
            self.broken = True

    def rate(self) -> list[Event]:
        """Tell the ratings of the main agency: the first, the yearly reviews, and those that do not wait for one."""
        if self.owner.kind not in RATED:
            return []
        agency = 101 + int(self.rng.integers(3))
        urgent = {move.day for move in self.moves} - set(self.reviews)
        days = [day for day in self.reviews if all(abs((day - other).days) > 20 for other in urgent)]
        for day in [self.first, *sorted(day for day in {*days, *urgent} if self.first < day < END)]:
            last = self.main[-1] if self.main else None
            if last is not None and day <= last.disclosed_at.date():
                continue
            done = last.valid_from if last is not None else date.min
            fresh = tuple(m.cause for m in self.moves if done < m.day <= day)
            self.main.append(self._tell(day, self._grade_on(day), agency, last, fresh))
        return self.main

    def _grade_on(self, day: date) -> int:
        grade = self.owner.grade
        for move in sorted(self.moves, key=lambda m: m.day):
            if move.day <= day:
                grade = min(max(grade + move.notches, move.floor, 0), _BROKEN)
        return grade

    def rate_again(self) -> list[Event]:
        """Tell the ratings of a second agency, weeks after the first one's."""
        second, gap, kinder = self.rng.random(), self.rng.random(40), self.rng.random() < 0.3
        found: list[Event] = []
        if second >= SECOND_AGENCY:
            return found
        for n, event in enumerate(self.main):
            day = near(event.valid_from + timedelta(days=12 + int(28 * gap[n % 40])), 0)
            if day >= min(self.last, END) or (
                found and day <= found[-1].disclosed_at.date() + timedelta(days=1)
            ):
                continue
            grade = max(0, self._grade_on(event.valid_from) - int(kinder))
            last, expires = found[-1] if found else None, day + timedelta(days=SECOND_LASTS)
            found.append(self._tell(day, grade, 104, last, (event,), expires))
        return found

    def _tell(
        self,
        day: date,
        grade: int,
        agency: int,
        last: Event | None,
        causes: tuple[Event, ...],
        expires: date | None = None,
    ) -> Event:
        lag, outlook = self.rng.random(2)
        told = day + timedelta(days=int(np.searchsorted(_LAGS, lag * 0.999999)))
        view = 3 if grade >= 7 or (outlook < 0.04 and grade) else 2
        return self.recorder.tell(
            EventType.DEBTOR_RATING,
            Rating(NUMBER_OF[GRADES[grade]], view, agency, 1, last is None, expires),
            valid=day,
            disclosed=told,
            at=_EVENING,
            supersedes=last,
            causes=tuple(c for c in causes if c.disclosed_at.date() <= told),
        )


def _next_quarter(day: date) -> date:
    return date(day.year + (day.month >= 10), (day.month + 2) % 12 + 1, 1)


def missed_payment(payment: Payment, inner: int) -> BondDefault:
    """Return what the notice of a missed payment says of a code."""
    return BondDefault(inner, 1 if payment.principal else 2, payment.principal, payment.interest)
