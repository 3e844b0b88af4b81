"""The life of a debtor and its bonds: issues, listings, amounts, options, calls, ratings, defaults, themes."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import date, time, timedelta
from typing import TYPE_CHECKING

from finassay.world._blocks._bonds_credit import Payment, Stock, credit_events, missed_payment
from finassay.world._blocks._bonds_universe import (
    CITY,
    GRADES,
    INDUSTRY,
    LISTED,
    NUMBER_OF,
    RISKY,
    SHORT_GRADE,
    Bond,
    Owner,
    bonds_of,
    near,
)
from finassay.world._blocks._industries import industry
from finassay.world._blocks._recorder import Recorder
from finassay.world._blocks._vendor import touch_rows
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._events import Event, EventType, Nothing
from finassay.world._events_bonds import Amount, BondListing, Debtor, EarlyEnd, Placement, Rating, Theme
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._curves import Curves

ISSUED, CONVERTED, AMORTISED, PUT, REDEEMED = (
    10,
    30,
    40,
    50,
    60,
)  # the vendor's reasons of a change of the amount
CITY_THEME, INDUSTRY_THEME = 4041, 4042
PLAIN_HAZARD = 0.5  # of the hazards of convertibles
EARLY = 0.03  # of bonds are redeemed early without an option
_THEME_EXIT = 0.05  # of city issuers a year
_INDUSTRY_CHANGES = 0.024
_GUARANTEED = 0.06
_EVENING = time(18, 0)
_NOON = time(12, 0)


def owner_events(seed: int, curve: Curves, item: tuple[Owner, Stock | None, date | None]) -> list[Event]:
    """Tell a debtor and its bonds; a listed one first borrows half a year after its share is listed.

    If it has a day by which it calls, one of its bonds is redeemed in the weeks before that.
    """
    owner, stock, calls = item
    since = stock.security.valid_from + timedelta(days=180) if stock else date.min
    bonds = bonds_of(seed, owner, curve, since)
    return _OwnerLife(seed, owner, bonds, stock, calls).tell() if bonds else []


class _OwnerLife:
    def __init__(
        self, seed: int, owner: Owner, bonds: list[Bond], stock: Stock | None, calls: date | None
    ) -> None:
        self.seed, self.owner, self.bonds, self.stock = seed, owner, bonds, stock
        self.recorder = Recorder(seed, owner.entity)
        self.rng = stream(seed, Purpose.DEBTOR, owner.entity, 1)
        self.first = near(bonds[0].announced - timedelta(days=45), 0)
        self.lives = [BondLife(seed, owner, bond) for bond in bonds]
        if calls:
            next((life for life in self.lives if life.call(calls)), None)

    def tell(self) -> list[Event]:
        owner = self.owner
        payload = Debtor(owner.company, owner.name, owner.kind, owner.stock_inner)
        causes = (self.stock.security,) if self.stock else ()
        known = self.first - timedelta(days=1)
        root = self.recorder.tell(
            EventType.DEBTOR, payload, valid=known, disclosed=known, causes=causes, prompt=True
        )
        if not owner.stock:
            self._industries()
        last = min(END, max(bond.terms.maturity for bond in self.bonds))
        payments = [p for n, life in enumerate(self.lives) for p in life.payments(n)]
        credit = credit_events(
            self.recorder, self.rng, owner, PLAIN_HAZARD, (self.first, last), payments, self.stock
        )
        for n, life in enumerate(self.lives):
            missed = {m[0].day: m for m in credit.defaults if m[0].bond == n}
            life.tell(root, missed, self._theme_exit() if owner.kind == CITY else None)
            life.rate(credit.ratings, credit.others)
        touch_rows(self.seed, owner.entity, self.recorder)
        return [*self.recorder.events, *(e for life in self.lives for e in life.finished())]

    def _theme_exit(self) -> date | None:
        """Return the day on which a city issuer leaves the list, the same for all of its bonds."""
        u = stream(self.seed, Purpose.DEBTOR, self.owner.entity, 2).exponential(1.0 / _THEME_EXIT)
        day = START + timedelta(days=int(365 * u))
        return near(day, 0) if day < END else None

    def _industries(self) -> None:
        sector = self.owner.sector
        day = self.first
        last: Event | None = None
        while day < END:
            parts = [int(n) for n in self.rng.integers(0, 6, 2)]
            effective, spread = self.rng.random(2)
            start = near(day, -int(spread * 6) if effective < 0.3 and last else 0)
            last = self.recorder.tell(
                EventType.DEBTOR_INDUSTRY,
                industry(sector, parts[0] % 3, parts[1] % 2),
                valid=start,
                disclosed=near(day, 0),
                supersedes=last,
            )
            wait = 200 + int(self.rng.exponential(365.25 / _INDUSTRY_CHANGES))
            day, sector = day + timedelta(days=wait), int(self.rng.integers(0, 23))


class BondLife:
    """Tells the events of a bond."""

    def __init__(self, seed: int, owner: Owner, bond: Bond) -> None:
        self.seed, self.owner, self.bond = seed, owner, bond
        self.recorder = Recorder(seed, bond.entity)
        self.rng = stream(seed, Purpose.BOND, bond.entity, 1)
        self.early = self._early()
        self.planted = False
        self.stops = self.early[0] if self.early else bond.terms.maturity

    def _early(self) -> tuple[date, date] | None:
        """Return the day of an early redemption and of its announcement, if there will be one."""
        terms = self.bond.terms
        u, place, ahead = self.rng.random(3)
        day: date | None = None
        if terms.option == "call" and u < 0.80:
            day = terms.exercise
        elif u > 1.0 - EARLY and self.owner.kind in RISKY and terms.kind not in (304, 305):
            span = (terms.maturity - terms.value_date).days
            day = terms.value_date + timedelta(days=int(span * (0.35 + 0.45 * place)))
        if day is None or day >= END:
            return None
        return day, near(day - timedelta(days=22 + int(20 * ahead)), 0)

    def call(self, by: date) -> bool:
        """Plant an early redemption in the weeks before a day, if the bond is on the market then."""
        terms = self.bond.terms
        span = (terms.value_date + timedelta(days=400), terms.maturity - timedelta(days=100))
        if self.early or terms.option or terms.amortises or not span[0] < by < span[1]:
            return False
        ahead = int(stream(self.seed, Purpose.TRAP, self.bond.entity).random() * 25)
        self.early = (near(by - timedelta(days=8 + ahead), 0), near(by - timedelta(days=36 + ahead), 0))
        self.stops, self.planted = self.early[0], True
        return True

    def payments(self, place: int) -> list[Payment]:
        """Return the days on which the bond pays, and how much."""
        terms = self.bond.terms
        coupon = self.bond.size * terms.coupon // 1_000_000
        found = []
        end = self.early[0] if self.early else terms.maturity
        for year in range(terms.value_date.year + 1, end.year + 1):
            day = date(year, terms.value_date.month, min(terms.value_date.day, 28))
            if day < end:
                found.append(Payment(day, place, 0, coupon))
        return [*found, Payment(end, place, self.bond.size, coupon)]

    def tell(
        self, root: Event, missed: dict[date, tuple[Payment, date, Event, int]], leaves: date | None
    ) -> None:
        """Tell the bond from its announcement to its end; `leaves`: when a city issuer leaves the list."""
        for (inner, _, _), listing in zip(self.bond.terms.codes, self.begin(root), strict=True):
            self._theme(inner, listing.valid_from, listing, leaves)
        self._default(missed)
        self._repay(min(missed) if missed and not all(m[3] for m in missed.values()) else None)

    def begin(self, root: Event) -> list[Event]:
        """Tell the announcement, the result and the listings of its codes, which are returned."""
        bond, terms = self.bond, self.bond.terms
        self.issue = self.recorder.tell(
            EventType.BOND_ISSUE, terms, valid=bond.announced, disclosed=bond.announced, at=_NOON, causes=(root,),
            prompt=True,
        )  # fmt: skip
        placed = self.recorder.tell(
            EventType.BOND_PLACED, Placement(bond.size), valid=terms.issue_end, disclosed=terms.issue_end,
            supersedes=self.issue,
        )  # fmt: skip
        self.amount = bond.size
        self.sized = self.recorder.tell(
            EventType.BOND_SIZE, Amount(bond.size, bond.size, ISSUED), valid=terms.issue_end,
            disclosed=terms.issue_end, causes=(placed,),
        )  # fmt: skip
        return [
            self.recorder.tell(
                EventType.BOND_LIST, BondListing(inner, market), valid=listed,
                disclosed=sessions().before(listed), causes=(placed,), prompt=True,
            )
            for (inner, market, _), listed in zip(terms.codes, bond.listed, strict=True)
        ]  # fmt: skip

    def _theme(self, inner: int, listed: date, listing: Event, leaves: date | None) -> None:
        kind = self.owner.kind
        u = self.rng.random()
        if kind not in (CITY, LISTED, INDUSTRY) or (len(self.bond.terms.codes) > 1 and u < 0.3):
            return  # of a bond on two markets often one code alone has the theme
        nature = CITY_THEME if kind == CITY and (leaves is None or leaves > listed) else INDUSTRY_THEME
        begun = self.recorder.tell(
            EventType.THEME_IN, Theme(inner, nature), valid=listed, disclosed=listed, causes=(listing,)
        )
        if nature == CITY_THEME and leaves is not None and leaves < self.bond.terms.maturity:
            over = self.recorder.tell(
                EventType.THEME_OUT,
                Nothing(),
                valid=near(leaves, 1),
                disclosed=leaves,
                supersedes=begun,
            )
            self.recorder.tell(
                EventType.THEME_IN, Theme(inner, INDUSTRY_THEME), valid=near(leaves, 1),
                disclosed=leaves, causes=(over,),
            )  # fmt: skip

    def change(self, total: int, reason: int, day: date, told: date, causes: tuple[Event, ...] = ()) -> None:
        """Tell a change of the amount, unless it is after the end of the economy."""
        if max(day, told) > END or total == self.amount:
            return
        told = max(told, self.sized.disclosed_at.date())
        self.sized = self.recorder.tell(
            EventType.BOND_SIZE, Amount(total, total - self.amount, reason), valid=day, disclosed=told,
            causes=(self.sized, *causes),
        )  # fmt: skip
        self.amount = total

    def _repay(self, broken: date | None) -> None:
        """Tell what is repaid: by a put, in instalments, by a call or at maturity; nothing after a lasting default."""
        terms, rng = self.bond.terms, self.rng
        early = self.early
        if early and broken and broken <= early[0]:
            early = None
        end = early[0] if early else terms.maturity
        if terms.option == "put" and terms.exercise and (not early or terms.exercise < early[0]):
            share, lag = rng.random(2)
            if share > 0.35 and (broken is None or terms.exercise < broken):
                left = self.amount - int(self.amount * 0.9 * share) // 100 * 100
                self.change(left, PUT, terms.exercise, near(terms.exercise, int(5 * lag)))
        if terms.amortises:
            for n in range(4, 0, -1):
                day = date(terms.maturity.year - n, terms.maturity.month, min(terms.maturity.day, 28))
                told = near(day, int(rng.integers(-5, 7)))
                if day < end and (broken is None or day < broken):
                    self.change(self.bond.size * n // 5, AMORTISED, day, told)
        called: tuple[Event, ...] = ()
        if early:
            called = (self._call(early),)
        if broken is None or end < broken:
            self.change(0, REDEEMED, end, near(end, int(rng.integers(-3, 8))), called)

    def _call(self, early: tuple[date, date]) -> Event:
        own = stream(self.seed, Purpose.TRAP, self.bond.entity, 1)
        with self.recorder.planting(own) if self.planted else nullcontext():
            return self.recorder.tell(
                EventType.BOND_CALL,
                EarlyEnd(1_000_000),
                valid=early[0],
                disclosed=early[1],
                causes=(self.issue,),
            )

    def _default(self, missed: dict[date, tuple[Payment, date, Event, int]]) -> None:
        for payment, notice, cause, cure in missed.values():
            if notice >= END:
                continue
            for inner, _, _ in self.bond.terms.codes:
                told = self.recorder.tell(
                    EventType.BOND_DEFAULT, missed_payment(payment, inner), valid=payment.day, disclosed=notice,
                    at=_EVENING, causes=(self.issue, cause),
                )  # fmt: skip
                paid = near(notice + timedelta(days=cure), 0)
                if cure and paid < END:
                    self.recorder.tell(
                        EventType.BOND_REVOKE, Nothing(), valid=near(paid, 1), disclosed=paid,
                        supersedes=told,
                    )  # fmt: skip

    def rate(self, ratings: list[Event], others: list[Event]) -> None:
        """Tell the bond's own ratings: at its announcement, then with each of its debtor's while it lives."""
        terms = self.bond.terms
        if not terms.grade:
            return
        quits, better, both = self.rng.random(3)
        stops = 1 + int(2 * self.rng.random()) if quits < 0.06 else 99  # the last one states its last day
        short = terms.grade == SHORT_GRADE
        for agency, source in enumerate((ratings, others)):
            if agency and (both < 0.5 or short):
                continue
            self._chain(source, bool(better < _GUARANTEED), short, stops)

    def _chain(self, source: list[Event], better: bool, short: bool, stops: int) -> None:
        bond, end = self.bond, self.stops
        before = [e for e in source if e.disclosed_at.date() <= bond.announced]
        if not before:
            return
        last: Event | None = None
        told = 0
        for n, event in enumerate([before[-1], *(e for e in source if e.valid_from > bond.announced)]):
            day = event.valid_from if n else near(bond.announced, -1 - int(self.rng.integers(0, 8)))
            publ = event.disclosed_at.date() if n else bond.announced
            if day >= end or told >= stops or (short and n):
                break
            if n and day <= bond.announced + timedelta(days=60):
                continue
            payload = self._payload(event, better, short, n == 0, day if told + 1 == stops else None)
            last = self.recorder.tell(
                EventType.BOND_RATING, payload, valid=day, disclosed=publ, at=_EVENING, supersedes=last,
                causes=(self.issue, event),
            )  # fmt: skip
            told += 1

    def _payload(self, event: Event, better: bool, short: bool, first: bool, day: date | None) -> Rating:
        of = event.payload
        assert isinstance(of, Rating)  # noqa: S101 - by its type
        numbers = [NUMBER_OF[grade] for grade in GRADES]
        place = numbers.index(of.grade)
        grade = numbers[max(0, place - 1)] if better and place < 7 else of.grade
        expires = None if day is None else day + timedelta(days=365)
        return Rating(
            SHORT_GRADE if short else grade, of.outlook, of.agency, 2 if short else 1, first, expires
        )

    def finished(self) -> list[Event]:
        """Return the events, with the vendor's touches of their rows."""
        touch_rows(self.seed, self.bond.entity, self.recorder)
        return self.recorder.events
