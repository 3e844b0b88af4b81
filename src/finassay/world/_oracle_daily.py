"""What the oracle knows of daily values: bonds priced from their yields, curves, prices of shares of both markets."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._calendar import Sessions, sessions
from finassay.world._config import START
from finassay.world._events import EventType
from finassay.world._events_bonds import BondListing, BondTerms
from finassay.world._oracle_beside import LOOK_BACK, Beside
from finassay.world._oracle_bonds import BondOracle

if TYPE_CHECKING:
    from finassay.temporal import Cutoff

_WRITTEN, _NEXT_MORNING = time(18, 30), time(9, 15)  # when a valuation is recorded, and a late one
_YEAR = 365.25  # days between coupons
_SLACK = 0.004  # of a year, by which anniversaries differ from that
_INSTALMENTS = 5
_CLOSE = 4  # the place of the close among the levels of an index


class DailyOracle(BondOracle, Beside):
    """Answers about daily values; a part of the oracle.

    Values of the market are dated by their day alone, so both modes answer alike; valuations of bonds have a time of
    recording, which the mode *recoverable* goes by.
    """

    _share: dict[int, int]

    def bond_terms(self, inner: int, cutoff: Cutoff) -> str | None:
        """Return the first day of interest, the maturity and the coupon in 1e-4 percent of a bond that is announced."""
        found = self._traded.get(inner)
        if found is None:
            return None
        issue = self._events[EventType.BOND_ISSUE, self._bonds[inner]][0]
        terms, _ = found
        known = issue.disclosed_at < cutoff.instant
        return f"{terms.value_date} {terms.maturity} {terms.coupon}" if known else None

    def fixing(self, name: str, cutoff: Cutoff) -> str | None:
        """Return the fixing of the day, in 1e-4 percent, if there is one."""
        session = _of_day(cutoff, sessions())
        rate = np.nan if session is None else float(self.beside.fixed_income.money.fixings[name][session])
        return None if np.isnan(rate) else str(round(rate * 10_000))

    def neeq_close(self, entity: int, cutoff: Cutoff) -> str | None:
        """Return the last day on which a share on the NEEQ traded, and the close in fen."""
        quotes = self.beside.neeq.quotes
        place = _last(quotes, entity, None, cutoff, sessions())
        return None if place is None else f"{_day(quotes, place)} {int(quotes.close[place])}"

    def bond_value(self, inner: int, cutoff: Cutoff) -> str | None:
        """Return the last day with a valuation of a code, the recommended yield and full price, both in 1e-4.

        None where none of the day's is recommended.
        """
        found = self._traded.get(inner)
        if found is None:
            return None
        terms, listed = found
        values = self.beside.fixed_income.bonds
        entity = self._bonds[inner]
        low, high = np.searchsorted(values.entity, [entity, entity + 1]).tolist()
        place = low + int(np.searchsorted(values.session[low:high], _after(cutoff)))
        while (place := place - 1) >= low:
            day = sessions().days[int(values.session[place])]
            if day < listed or day <= cutoff.day - timedelta(days=LOOK_BACK):
                return None
            if self._valued_at(day, bool(values.late[place])) < cutoff.instant:
                return _priced(terms, day, values, place)
        return None

    def _valued_at(self, day: date, late: bool) -> datetime:
        if late and self.mode == "recoverable":
            return datetime.combine(day + timedelta(days=1), _NEXT_MORNING)
        return datetime.combine(day, _WRITTEN)

    @cached_property
    def _traded(self) -> dict[int, tuple[BondTerms, date]]:
        """Terms and the day of listing of every code of a bond that is listed."""
        found = {}
        for (kind, entity), events in self._events.items():
            for event in events if kind is EventType.BOND_LIST else ():
                terms = self._events[EventType.BOND_ISSUE, entity][0].payload
                if isinstance(event.payload, BondListing) and isinstance(terms, BondTerms):
                    found[event.payload.inner] = terms, event.valid_from
        return found

    def curve_yield(self, curve: int, tenor: int, cutoff: Cutoff) -> str | None:
        """Return the yield of the day of a curve at a tenor (by their places), in 1e-4 percent, if there is one."""
        curves, session = self.beside.fixed_income.curves, _of_day(cutoff, sessions())
        if session is None or not curves.there[curve, session]:
            return None
        return str(int(curves.par[curve, session, tenor]))

    def close(self, inner: int, cutoff: Cutoff) -> str | None:
        """Return the last day for which the vendor keeps a quote of a share, and the close in fen."""
        quotes = self.beside.quotes
        place = _last(quotes, self._share.get(inner, 0), quotes.kept, cutoff, sessions())
        return None if place is None else f"{_day(quotes, place)} {int(quotes.close[place])}"

    def backward_price(self, inner: int, cutoff: Cutoff) -> str | None:
        """Return the last day on which a share traded, and the close times all ex-rights so far, in 1e-4 yuan.

        Each ex-right multiplies by the close of the day before over the reference of the day.
        """
        quotes, entity = self.beside.quotes, self._share.get(inner, 0)
        place = _last(quotes, entity, quotes.traded, cutoff, sessions())
        if place is None:
            return None
        low = int(np.searchsorted(quotes.entity, entity))
        rights = self._rights(entity)
        factor = float(rights[place - low])
        return f"{_day(quotes, place)} {round(int(quotes.close[place]) * factor * 100)}"

    def _rights(self, entity: int) -> Any:
        if entity not in self._factors:
            quotes = self.beside.quotes
            low, high = np.searchsorted(quotes.entity, [entity, entity + 1]).tolist()
            before, reference = quotes.close[low : high - 1], quotes.previous[low + 1 : high]
            self._factors[entity] = np.cumprod(np.r_[1.0, before / reference])
        return self._factors[entity]

    @cached_property
    def _factors(self) -> dict[int, Any]:
        return {}

    def convertible_close(self, inner: int, cutoff: Cutoff) -> str | None:
        """Return the last day with a quote of a convertible, and the close in 1e-3 yuan."""
        quotes = self.beside.fixed_income.convertibles
        place = _last(quotes, self._bonds.get(inner, 0), None, cutoff, sessions())
        return None if place is None else f"{_day(quotes, place)} {int(quotes.close[place])}"

    def index_close(self, inner: int, cutoff: Cutoff) -> str | None:
        """Return the last session and the level of an index at its close, in 1e-4 points."""
        session, first = _after(cutoff) - 1, sessions().at_or_after(START)
        day = sessions().days[session]
        if session < first or day <= cutoff.day - timedelta(days=LOOK_BACK):
            return None
        levels = next(index.levels for index in self.beside.indices if index.inner == inner)
        return f"{day} {round(float(levels[session - first, _CLOSE]) * 10_000)}"

    def us_yield(self, tenor: int, cutoff: Cutoff) -> str | None:
        """Return the par yield of the day of the Treasury curve at a tenor (by its place), in 1e-4 percent."""
        session = _of_day(cutoff, sessions("XNYS"))
        return (
            None if session is None else str(round(float(self.beside.us.curve.par[session, tenor]) * 10_000))
        )

    def us_close(self, entity: int, cutoff: Cutoff) -> str | None:
        """Return the last day with a price of a US security, and the close in 1/10,000 of a dollar."""
        quotes = self.beside.us.quotes
        place = _last(quotes, entity, None, cutoff, sessions("XNYS"))
        if place is None:
            return None
        return f"{sessions('XNYS').days[int(quotes.session[place])]} {int(quotes.close[place])}"


def _of_day(cutoff: Cutoff, calendar: Sessions) -> int | None:
    """Return the place of the day among the economy's sessions, if it is one and is over at the cutoff."""
    if cutoff.day not in calendar or cutoff.day >= cutoff.instant.date():
        return None
    return calendar.at_or_after(cutoff.day) - calendar.at_or_after(START)


def _after(cutoff: Cutoff) -> int:
    """Return the position of the first session that is not over at a cutoff."""
    return sessions().at_or_after(cutoff.instant.date())


def _day(quotes: Any, place: int) -> date:
    return sessions().days[int(quotes.session[place])]


def _last(quotes: Any, entity: int, shown: Any, cutoff: Cutoff, calendar: Sessions) -> int | None:
    """Return the row of the last day known, of those shown, unless it is too old."""
    low, high = np.searchsorted(quotes.entity, [entity, entity + 1]).tolist()
    until = calendar.at_or_after(cutoff.instant.date())
    oldest = calendar.at_or_after(cutoff.day - timedelta(days=LOOK_BACK - 1))
    first, stop = (low + int(n) for n in np.searchsorted(quotes.session[low:high], [oldest, until]))
    places = np.arange(first, stop) if shown is None else first + np.flatnonzero(shown[first:stop])
    return int(places[-1]) if places.size else None


def _priced(terms: BondTerms, day: date, values: Any, place: int) -> str | None:
    basis = int(values.recommended[place])
    if not basis:
        return None
    rate = int((values.to_exercise if basis == 1 else values.to_maturity)[place])
    end = terms.exercise if basis == 1 else terms.maturity
    assert end is not None  # noqa: S101 - a yield to exercise has an option
    dirty, accrued = price(terms, rate / 1e6, day, end)
    return f"{day} {rate} {round((dirty - accrued) * 1e4) + round(accrued * 1e4)}"


def price(terms: BondTerms, rate: float, day: date, end: date) -> tuple[float, float]:
    """Return the full price and the accrued interest of 100 yuan of a bond, coupon by coupon, at a yearly rate.

    Coupons come at anniversaries of the end; a bond of less than a year pays its interest at the end. The last period
    counts simple interest. Instalments repay a fifth at the end and at each of the four anniversaries before it.
    """
    life = (terms.maturity - terms.value_date).days
    left = max((end - day).days, 1)
    if not terms.amortises:
        return _bullet(rate, terms.coupon / 1e4, left, life)
    ends = [left - n * _YEAR for n in range(_INSTALMENTS)]
    parts = [_bullet(rate, terms.coupon / 1e4, days, life) for days in ends if days >= 1]
    return sum(p for p, _ in parts) / _INSTALMENTS, sum(a for _, a in parts) / _INSTALMENTS


def _bullet(rate: float, coupon: float, days: float, life: int) -> tuple[float, float]:
    if life < 360:
        interest = coupon * life / 365
        return (100 + interest) / (1 + rate * days / 365), coupon * (life - days) / 365
    payments = max(int(np.ceil(days / _YEAR - _SLACK)), 1)
    first = min(max(days / _YEAR - (payments - 1), 0.0), 1.0)
    accrued = coupon * (1 - first)
    if payments == 1:
        return (100 + coupon) / (1 + rate * first), accrued
    flows = [coupon] * (payments - 1) + [coupon + 100]
    return sum(flow / (1 + rate) ** (first + n) for n, flow in enumerate(flows)), accrued
