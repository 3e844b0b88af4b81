"""What is planted in the lives of bonds: payments that come late, and conversion prices announced ahead (world.md, 5).

Both move the daily values of their bonds, which are made again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING

from finassay.world._blocks._bonds_credit import Payment, missed_payment
from finassay.world._blocks._bonds_universe import RISKY, near
from finassay.world._blocks._plant import LARGE, anchors
from finassay.world._blocks._plant_told import Told
from finassay.world._config import END
from finassay.world._events import Event, EventType, Nothing
from finassay.world._events_bonds import BondTerms, ConvertPrice, CreditShock, Debtor, Placement
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    import numpy as np

    from finassay.world._blocks._bonds_universe import Owner
    from finassay.world._config import WorldConfig

GRANT, CANCEL = "股权激励", "限制性股票回购注销"
_MONTH = timedelta(days=31)
_CALM = timedelta(days=11)  # around what is planted
_DAY = timedelta(days=1)


def called_owners(config: WorldConfig, owners: tuple[Owner, ...]) -> frozenset[int]:
    """Return the debtors that call a bond in the weeks before the snapshot, if one of theirs is on the market."""
    able = [owner.entity for owner in owners if owner.kind in RISKY]
    order = stream(config.seed, Purpose.TRAP, 0, 7).permutation(len(able))
    return frozenset(able[int(n)] for n in order[: _wanted(config, 30, 12)])


def _wanted(config: WorldConfig, large: int, small: int) -> int:
    return large if config.scale >= LARGE else small


@dataclass
class _Due:
    """A coupon that falls due: its day, the bond's issue, and what is paid."""

    day: date
    issue: Event
    payment: Payment


def plant_defaults(config: WorldConfig, events: list[Event]) -> tuple[list[Event], frozenset[int]]:
    """Add coupons that are missed before an anchor and paid after it; return all events, and the debtors concerned.

    A coupon that is paid within three months lasts for two or three anchors.
    """
    told = Told(config.seed, events)
    due = _coupons(told)
    cures = {e.supersedes: e.valid_from for e in told.of(EventType.BOND_REVOKE)}
    shown = [(e.valid_from, cures.get(e.event_id, date.min)) for e in told.of(EventType.BOND_DEFAULT)]
    wanted, debtors, last = _wanted(config, 3, 1), set[int](), dict[int, date]()
    for number, day in enumerate(anchors(config.snapshot)):
        rng = stream(config.seed, Purpose.TRAP, number, 5)
        missing = wanted - sum(start <= day < end for start, end in shown)
        near_by = [coupon for coupon in due if day - 2 * _MONTH <= coupon.day < day]
        mixed = [near_by[int(n)] for n in rng.permutation(len(near_by))]
        # The last month first, and debtors that have paid for half a year
        for coupon in sorted(mixed, key=lambda one: (one.day < day - _MONTH, _recent(one, last, day))):
            terms = coupon.issue.payload
            assert isinstance(terms, BondTerms)  # noqa: S101 - by its type
            if missing <= 0 or last.get(terms.debtor, date.min) > day - _MONTH:
                continue
            end = _miss(told, rng, coupon, day, config.snapshot)
            shown.append((coupon.day, end))
            debtors.add(terms.debtor)
            last[terms.debtor] = end
            missing -= 1
    return list(told.events.values()), frozenset(debtors)


def _recent(coupon: _Due, last: dict[int, date], day: date) -> bool:
    terms = coupon.issue.payload
    assert isinstance(terms, BondTerms)  # noqa: S101 - by its type
    return last.get(terms.debtor, date.min) > day - 6 * _MONTH


def _coupons(told: Told) -> list[_Due]:
    """Return the coupons of bonds of companies that never were in distress, without the last one."""
    kinds = {e.entity: e.payload.kind for e in told.of(EventType.DEBTOR) if isinstance(e.payload, Debtor)}
    troubled = {e.entity for e in told.of(EventType.CREDIT_SHOCK) if _distress(e)}
    size = {
        e.entity: e.payload.size for e in told.of(EventType.BOND_PLACED) if isinstance(e.payload, Placement)
    }
    ends = {e.entity: e.disclosed_at.date() for e in told.of(EventType.BOND_CALL)}
    found = []
    for issue in told.of(EventType.BOND_ISSUE):
        terms = issue.payload
        assert isinstance(terms, BondTerms)  # noqa: S101 - by its type
        if kinds[terms.debtor] not in RISKY or terms.debtor in troubled or issue.entity not in size:
            continue
        until = min(terms.maturity, ends.get(issue.entity, END)) - timedelta(days=100)
        interest = size[issue.entity] * terms.coupon // 1_000_000
        for year in range(terms.value_date.year + 1, until.year + 1):
            day = date(year, terms.value_date.month, min(terms.value_date.day, 28))
            if day < until:
                found.append(_Due(day, issue, Payment(day, 0, 0, interest)))
    return found


def _distress(event: Event) -> bool:
    return isinstance(event.payload, CreditShock) and event.payload.distress


def _miss(told: Told, rng: np.random.Generator, coupon: _Due, day: date, snapshot: date) -> date:
    """Tell the notice on every code, and that it was paid after all; return from when on that holds."""
    terms = coupon.issue.payload
    assert isinstance(terms, BondTerms)  # noqa: S101 - by its type
    notice = min(near(coupon.day + timedelta(days=int(rng.random() ** 2 * 6)), 0), near(day, 0))
    paid = near(min(day + timedelta(days=40 + int(rng.random() * 45)), snapshot - timedelta(days=24)), 0)
    for inner, _, _ in terms.codes:
        missed = told.add(
            rng,
            EventType.BOND_DEFAULT,
            coupon.issue.entity,
            missed_payment(coupon.payment, inner),
            (coupon.day, notice),
            causes=(coupon.issue,),
        )
        told.add(
            rng,
            EventType.BOND_REVOKE,
            coupon.issue.entity,
            Nothing(),
            (near(paid, 1), paid),
            supersedes=missed,
        )
    return near(paid, 1)


@dataclass
class _Convertible:
    """A convertible that was issued: its span, its prices by their days, and the days that it must be quiet about."""

    entity: int
    issue: Event
    start: date
    end: date
    prices: list[tuple[date, date, int]]
    decided: list[date] = field(default_factory=list)
    back: int = 0  # the price to which the next anchor returns

    def quiet(self, low: date, high: date) -> bool:
        """Whether it trades, and nothing is told of its price or its end, in a span of days."""
        days = [day for told, held, _ in self.prices for day in (told, held)] + self.decided
        return self.start < low and high < self.end and not any(low <= day <= high for day in days)

    def price(self, day: date) -> int:
        """Return the conversion price on a day, in fen."""
        return max((held, told, price) for told, held, price in self.prices if held <= day)[2]


def plant_prices(config: WorldConfig, events: list[Event]) -> list[Event]:
    """Return the events of convertibles with conversion prices announced before an anchor that hold after it.

    A grant of shares to staff lowers a price by some fen; a month later what was not vested is cancelled, and the price
    is as before: nothing else that happens to the bond is touched.
    """
    told = Told(config.seed, events)
    bonds = _convertibles(told)
    days, wanted = anchors(config.snapshot), _wanted(config, 3, 2)
    for number, day in enumerate(days):
        rng = stream(config.seed, Purpose.TRAP, number, 6)
        for bond in bonds:
            if bond.back:
                _announce(told, rng, bond, day, bond.back, CANCEL)
                bond.back = 0
        known = sum(t <= day < held for bond in bonds for t, held, _ in bond.prices)
        following = days[number + 1] if number + 1 < len(days) else END
        mixed = [bonds[int(n)] for n in rng.permutation(len(bonds))]
        # To the next anchor where nothing else happens until then, or for three weeks
        for until in (following + _CALM, day + timedelta(days=20)):
            for bond in mixed:
                if known >= wanted or bond.back or not bond.quiet(day - _CALM, until):
                    continue
                price = bond.price(day)
                _announce(told, rng, bond, day, price - max(3, price * 4 // 1000), GRANT)
                if until > following:
                    bond.back = price
                else:
                    _announce(told, rng, bond, day + timedelta(days=11), price, CANCEL)
                known += 1
        # Where too few are on the market: a further grant of one that changes anyhow, in force a session later
        for bond in mixed:
            ahead = [(held, t) for t, held, _ in bond.prices if t <= day < held]
            if known < wanted and ahead and bond.quiet(max(ahead)[0] + _DAY, following + _CALM):
                bond.back = bond.back or bond.price(max(ahead)[0])
                _grant_again(told, rng, bond, day, max(ahead))
                known += 1
    return list(told.events.values())


def _announce(
    told: Told, rng: np.random.Generator, bond: _Convertible, day: date, price: int, why: str
) -> None:
    ahead, wait = rng.random(2)
    days = (near(day, 1 + int(wait * wait * 3)), near(day - timedelta(days=int(ahead * ahead * 5)), 0))
    told.add(rng, EventType.CONVERT_PRICE, bond.entity, ConvertPrice(price, why), days, causes=(bond.issue,))
    bond.prices.append((days[1], days[0], price))


def _grant_again(
    told: Told, rng: np.random.Generator, bond: _Convertible, day: date, last: tuple[date, date]
) -> None:
    """Announce a lower price with the last one that was announced, for the session after the one it holds from."""
    held, announced = last
    price = bond.price(held)
    step = max(2, price * 3 // 1000)
    # Another one than holds at the anchor, which the step before may have been
    lower = price - (step if price - step != bond.price(day) else 2 * step)
    days = (near(held, 1), announced)
    told.add(
        rng, EventType.CONVERT_PRICE, bond.entity, ConvertPrice(lower, GRANT), days, causes=(bond.issue,)
    )
    bond.prices.append((announced, days[0], lower))


def _convertibles(told: Told) -> list[_Convertible]:
    """Return the convertibles that were listed, with what is told of them."""
    found = {}
    issues = {e.entity: e for e in told.of(EventType.BOND_ISSUE)}
    for listing in told.of(EventType.BOND_LIST):
        terms = issues[listing.entity].payload
        assert isinstance(terms, BondTerms)  # noqa: S101 - by its type
        found[listing.entity] = _Convertible(
            listing.entity, issues[listing.entity], terms.value_date, min(terms.maturity, END), []
        )
    for event in told.of(EventType.CONVERT_PRICE):
        if isinstance(event.payload, ConvertPrice) and event.entity in found:
            price = (event.disclosed_at.date(), event.valid_from, event.payload.price)
            found[event.entity].prices.append(price)
    for kind in (EventType.CONVERT_CALL, EventType.BOND_CALL):
        for event in told.of(kind):
            if event.entity in found:
                bond = found[event.entity]
                bond.decided.append(event.disclosed_at.date())
                bond.end = min(bond.end, event.disclosed_at.date())
    return list(found.values())
