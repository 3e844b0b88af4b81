"""The life of convertibles: issue on a listed share, conversion prices, resets, calls, conversion (world.md, 2.4).

A reset follows a share below 85% of the conversion price on 15 of 30 sessions, a call one above 130% on 15 of 30;
whether the company acts is assumed, so that the measured shares of resets and early ends come out.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._blocks._bonds_credit import Stock, credit_events
from finassay.world._blocks._bonds_life import CONVERTED, REDEEMED, BondLife
from finassay.world._blocks._bonds_universe import (
    FIRST_DEBTOR,
    GRADES,
    LISTED,
    NUMBER_OF,
    SHANGHAI,
    SHENZHEN,
    Bond,
    Owner,
    near,
    years_on,
)
from finassay.world._blocks._recorder import Recorder
from finassay.world._blocks._universe import BEIJING
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._events import Event, EventType, Plan
from finassay.world._events_bonds import BondTerms, ConvertCall, ConvertPrice, ConvertTerms, Debtor, EarlyEnd
from finassay.world._events_company import Rights
from finassay.world._numerics import exp
from finassay.world._strata import spread, strata
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._universe import Issuer

FIRST_CONVERTIBLE = 0xB90000
FIRST_OWNER = FIRST_DEBTOR + 0x8000
FIRST_INNER = 45_000_000
KIND = 401
SHARE = 0.30  # of the shares that may: about 270 convertibles live at scale 1
WATCHED, NEEDED = 30, 15  # sessions of the triggers
RESET_LEVEL, CALL_LEVEL = 85, 130  # percent of the conversion price
RESETS, CALLS = 0.50, 0.50  # of triggers on which the company acts (assumed)
EARLY = 8  # convertibles that are announced in 2016
ISSUE_PREMIUM = 1.10  # of the first conversion price over the share, and up to .1 more (assumed)
_QUIET_RESET, _QUIET_CALL = 125, 85  # sessions for which it promises not to
_HAZARD = 1.0
_GRADES = np.cumsum((0.05, 0.12, 0.36, 0.30, 0.17))
_COUPON = 3000  # of the first year, in 1e-4 percent
AT_MATURITY = 1_100_000
_EVENING, _LATE_EVENING = time(18, 0), time(19, 30)
REASONS = {"first": "初始转股价", "dividend": "权益分派", "rights": "配股", "reset": "向下修正"}


@dataclass(frozen=True)
class Share:
    """A share as its convertible sees it: sessions, closes in fen, whether it traded; its ex-rights and its end."""

    issuer: Issuer
    place: int  # among all that are offered
    announced: date
    session: Any
    close: Any
    traded: Any
    shares: Any
    rights: tuple[tuple[Event, Event], ...]  # implementation and plan
    end: Event | None
    stock: Stock


def candidates(seed: int, issuers: tuple[Issuer, ...]) -> tuple[tuple[Issuer, date], ...]:
    """Return the issuers of convertibles, and the day each announces it.

    They are spread evenly over all issuers. Those of old companies are spread evenly over the window, and the first
    of them issue in 2016: even a small world has some on the market at any time.
    """
    found, draws = {}, {}
    for issuer in issuers:
        u = strata(seed, Purpose.CONVERTIBLE, issuer.entity, 2)
        announced = _window(issuer, u[1])
        if issuer.board != BEIJING and u[0] < SHARE and announced is not None:
            found[issuer], draws[issuer] = announced, u
    old = sorted(
        (i for i in found if i.listed < START - timedelta(days=400)), key=lambda i: (draws[i][0], i.entity)
    )
    for n, issuer in enumerate(old):
        place = (n - EARLY + draws[issuer][1]) / max(1, len(old) - EARLY)
        early = near(START + timedelta(days=62 + 13 * n), 0)
        found[issuer] = early if n < EARLY else _between(place)
    return tuple(found.items())


def offered(seed: int, issuers: tuple[Issuer, ...]) -> dict[int, tuple[int, date]]:
    """Return, by issuer, the place of its convertible among all, and the day it announces it."""
    days = sorted((day, issuer.entity) for issuer, day in candidates(seed, issuers))
    return {entity: (place, day) for place, (day, entity) in enumerate(days)}


def _between(place: float) -> date:
    """Return the day at a place, 0 to 1, of the time in which convertibles are announced."""
    low, high = START + timedelta(days=60), END - timedelta(days=90)
    return near(low + timedelta(days=int(place * (high - low).days)), 0)


def _window(issuer: Issuer, u: float) -> date | None:
    """Return the day of announcement: at least a year after the listing, evenly up to the end of the economy."""
    low = max(issuer.listed + timedelta(days=400), START + timedelta(days=60))
    high = END - timedelta(days=90)
    return near(low + timedelta(days=int(u * (high - low).days)), 0) if low < high else None


def convertible_events(seed: int, share: Share) -> list[Event]:
    """Tell a convertible with its debtor; nothing if the share does not trade then, or is in trouble."""
    announced = share.announced
    at = int(np.searchsorted(share.session, sessions().at_or_after(announced)))
    # Three years of profits come before an offer
    troubled = any(
        announced - timedelta(days=3 * 365) < e.disclosed_at.date() < announced for e in share.stock.alerts
    )
    ends = share.end is not None and share.end.disclosed_at.date() < announced + timedelta(days=200)
    if at < 30 or at >= share.close.size - 40 or troubled or ends:
        return []
    return _Convertible(seed, share, announced, at).tell()


class _Convertible:
    def __init__(self, seed: int, share: Share, announced: date, at: int) -> None:
        issuer = share.issuer
        self.seed, self.share, self.at = seed, share, at
        self.rng = stream(seed, Purpose.CONVERTIBLE, issuer.entity, 1)
        u, z = self.rng.random(6), self.rng.standard_normal(2)
        self.grade = int(np.searchsorted(_GRADES, float(u[0]) * 0.999999))
        self.price = _fen(
            max(_mean(share.close, at, 20), int(share.close[at - 1])), ISSUE_PREMIUM + 0.1 * float(u[1])
        )
        self.owner = Owner(
            FIRST_OWNER + issuer.entity, issuer.company, issuer.name, LISTED, self.grade, issuer.sector,
            issuer.entity, issuer.inner, 1,
        )  # fmt: skip
        self.bond = self._bond(announced, float(z[0]), [float(x) for x in u])
        self.life = BondLife(seed, self.owner, self.bond)
        self.life.early = None
        self.prices: list[Event] = []

    def _bond(self, announced: date, z: float, u: list[float]) -> Bond:
        issuer = self.share.issuer
        cap = float(self.share.close[self.at] * self.share.shares[self.at]) / 1e6  # ten thousand yuan
        size = (
            int(np.clip(float(exp([0.8 * z])[0]) * 80_000, 20_000, max(20_000.0, 0.3 * cap))) // 1000 * 1000
        )
        start = near(announced, 2)
        value = near(start, 0)
        code = 110_000 + issuer.entity if issuer.market == SHANGHAI else 123_000 + issuer.entity
        market = SHANGHAI if issuer.market == SHANGHAI else SHENZHEN
        terms = BondTerms(
            main=FIRST_INNER + issuer.entity,
            codes=((FIRST_INNER + issuer.entity, market, str(code)),),
            name=f"{issuer.abbreviation[:2]}转债",
            kind=KIND,
            debtor=self.owner.entity,
            planned=size,
            coupon=_COUPON,
            issue_start=start,
            issue_end=near(start, 3),
            value_date=value,
            maturity=years_on(value, 6 if u[2] < 0.92 else 5),
            option="",
            exercise=None,
            amortises=False,
            grade=NUMBER_OF[GRADES[self.grade]],
        )
        return Bond(
            FIRST_CONVERTIBLE + issuer.entity, terms, announced, size, (near(start, 12 + int(10 * u[3])),)
        )

    def tell(self) -> list[Event]:
        recorder = Recorder(self.seed, self.owner.entity)
        known = self.bond.announced - timedelta(days=60)
        root = recorder.tell(
            EventType.DEBTOR,
            Debtor(self.owner.company, self.owner.name, LISTED, self.owner.stock_inner),
            valid=known,
            disclosed=known,
            causes=(self.share.stock.security,),
            prompt=True,
        )
        self.life.begin(root)
        self._rules()
        end = self._live()
        span = (near(known, 1), min(END, end))
        falls, rises, waits, *_ = spread(self.seed, Purpose.CONVERTIBLE, self.share.place)
        fates = (falls, rises, waits)
        credit = credit_events(recorder, self.rng, self.owner, _HAZARD, span, [], self.share.stock, fates)
        self.life.stops = end
        self.life.rate(credit.ratings, credit.others)
        return [*recorder.events, *self.life.finished()]

    def _rules(self) -> None:
        terms, issuer = self.bond.terms, self.share.issuer
        self.first = near(terms.issue_end + timedelta(days=183), 0)
        last = terms.maturity - timedelta(days=1)
        years = terms.maturity.year - terms.value_date.year
        spans = [
            (self.first, last, 0),
            (self.first, last, 0),
            (terms.maturity, terms.maturity, AT_MATURITY),
            (years_on(terms.value_date, years - 2), years_on(terms.value_date, years - 1), 1_000_000),
            (years_on(terms.value_date, years - 1), last, 1_000_000),
            (self.first, last, 1_000_000),
        ]
        for part, (low, high, price) in enumerate(spans):
            payload = ConvertTerms(terms.main, issuer.inner, part, low, high, price)
            self._tell(EventType.CONVERT_TERMS, payload, low, self.bond.announced, (self.life.issue,))
        self._price(self.price, "first", terms.value_date, self.bond.announced, (self.life.issue,))

    def _tell(
        self,
        kind: EventType,
        payload: Any,
        day: date,
        told: date,
        causes: tuple[Event, ...],
        at: time = _EVENING,
    ) -> Event:
        return self.life.recorder.tell(kind, payload, valid=day, disclosed=told, at=at, causes=causes)

    def _price(self, price: int, reason: str, day: date, told: date, causes: tuple[Event, ...]) -> None:
        """Tell a conversion price; one that was announced before it is no cause of it, but its root is."""
        payload = ConvertPrice(price, REASONS[reason])
        self.prices.append(self._tell(EventType.CONVERT_PRICE, payload, day, told, causes, _LATE_EVENING))
        self.price = price

    def _live(self) -> date:
        """Follow the share, session by session, to the end of the convertible; returns its day."""
        share, terms = self.share, self.bond.terms
        calendar = sessions()
        low = int(np.searchsorted(share.session, calendar.at_or_after(self.bond.listed[0])))
        first = calendar.at_or_after(self.first)
        last = calendar.at_or_after(terms.maturity)
        gone = calendar.at_or_after(share.end.valid_from) if share.end else 1 << 30
        rights = {calendar.at_or_after(impl.valid_from): (impl, plan) for impl, plan in share.rights}
        below: deque[bool] = deque(maxlen=WATCHED)
        above: deque[bool] = deque(maxlen=WATCHED)
        quiet_reset = quiet_call = 0
        vote: int | None = None
        dear = total = 0
        chances = self.rng.random((share.close.size, 3)).tolist()
        *_, reset_first, call_first = spread(self.seed, Purpose.CONVERTIBLE, share.place)
        session, closes, traded = share.session.tolist(), share.close.tolist(), share.traded.tolist()
        for n in range(low, share.close.size):
            now, close = session[n], closes[n]
            if now >= gone:
                return self._lost()
            if now >= last:
                self.life.change(0, REDEEMED, terms.maturity, near(terms.maturity, 2))
                return terms.maturity
            if now in rights:
                self._adjust(*rights[now])
            if not traded[n]:
                continue
            below.append(close * 100 < RESET_LEVEL * self.price)
            above.append(close * 100 >= CALL_LEVEL * self.price)
            dear, total = dear + (close * 100 >= 115 * self.price), total + 1
            u = chances[n]
            if vote is not None and now >= vote:
                self._reset(n, calendar.days[now], u[1], rights)
                vote = None
            if now >= quiet_reset and vote is None and last - now > 60 and sum(below) >= NEEDED:
                acts, reset_first = reset_first < RESETS, u[0]
                vote = now + 16 + int(5 * u[1]) if acts else None
                quiet_reset = now + (_QUIET_RESET + 20 if acts else 60 + int(70 * u[1]))
            if now >= max(first, quiet_call) and sum(above) >= NEEDED:
                acts, call_first = call_first < CALLS, u[2]
                if acts:
                    return self._call(now, calendar.days[now], u[0])
                quiet_call = now + _QUIET_CALL + int(60 * u[0])
            if calendar.days[now].month != calendar.days[now + 1].month and calendar.days[now].month % 3 == 0:
                self._convert(calendar.days[now], dear / total if now > first else 0.0, u[1])
                dear = total = 0
        return terms.maturity

    def _adjust(self, implemented: Event, planned: Event) -> None:
        """Follow an ex-right: (price - cash + paid for rights) / (1 + new shares), half up, announced with it."""
        plan = planned.payload
        if isinstance(plan, Rights):
            cash, more = -plan.ratio * plan.price, plan.ratio
        else:
            assert isinstance(plan, Plan)  # noqa: S101 - by its type
            cash, more = plan.cash, plan.bonus
        top, bottom = max(10 * self.price - cash, 10), 10 + more
        price = (2 * top + bottom) // (2 * bottom)
        told = implemented.disclosed_at.date()
        if price != self.price and told >= self.prices[-1].disclosed_at.date():
            reason = "rights" if isinstance(plan, Rights) else "dividend"
            self._price(price, reason, implemented.valid_from, told, (self.life.issue, implemented))

    def _reset(self, n: int, day: date, u: float, rights: dict[int, tuple[Event, Event]]) -> None:
        """Vote on a reset: not below the mean of twenty sessions nor the last close; none beside an ex-right."""
        close = self.share.close
        floor = max(_mean(close, n, 20), int(close[n - 1]))
        price = _fen(floor, 1.0 + 0.10 * u * u)
        now = int(self.share.session[n])
        beside = any(now - 8 <= at <= now + 25 for at in rights)
        if price * 100 < 97 * self.price and not beside and day < END - timedelta(days=5):
            self._price(price, "reset", near(day, 1), day, (self.life.issue,))

    def _call(self, now: int, day: date, u: float) -> date:
        """Call the convertible: trading ends three sessions before the redemption, most of it is converted."""
        redeemed = near(day, 20 + int(8 * u))
        last = near(day, sessions().at_or_after(redeemed) - now - 3)
        price = 1_000_000 + 25 * (day.timetuple().tm_yday % 120)
        call = self._tell(EventType.CONVERT_CALL, ConvertCall(last, price), redeemed, day, (self.life.issue,))
        left = int(self.life.amount * (0.002 + 0.02 * u))
        self.life.change(left, CONVERTED, last, near(redeemed, 1), (call,))
        self.life.change(0, REDEEMED, redeemed, near(redeemed, 2), (call,))
        return redeemed

    def _lost(self) -> date:
        """End trading with the share's own delisting."""
        end = self.share.end
        assert end is not None  # noqa: S101 - asked before
        told = end.disclosed_at.date()
        self._tell(
            EventType.BOND_CALL, EarlyEnd(0), end.valid_from, told, (self.life.issue, end), _LATE_EVENING
        )
        return end.valid_from

    def _convert(self, day: date, dear: float, u: float) -> None:
        """Tell what was converted in a quarter, known days after its end: more, the longer conversion paid."""
        part = dear * (0.08 + 0.45 * u) if dear > 0.02 else 0.0004 * u
        left = self.life.amount - int(self.life.amount * part)
        self.life.change(left, CONVERTED, day, near(day, 1 + int(3 * u)))


def _fen(price: int, factor: float) -> int:
    return int(np.rint(price * factor))


def _mean(close: Any, n: int, length: int) -> int:
    low = max(0, n - length)
    return int(np.rint(float(np.sum(close[low:n])) / max(1, n - low)))
