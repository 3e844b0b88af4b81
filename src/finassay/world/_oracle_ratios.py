"""What the oracle knows of ratios, from the headline figures that filings showed; and of a share's valuation."""

from __future__ import annotations

from datetime import date, time, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._calendar import sessions
from finassay.world._draws import uniform
from finassay.world._events import Event, EventType
from finassay.world._events_company import Report, ShareChange, Shown
from finassay.world._oracle_beside import LOOK_BACK, Beside
from finassay.world._oracle_reports import ReportsOracle

if TYPE_CHECKING:
    from finassay.temporal import Cutoff

_PERIODIC = 20
_UNDATED = 0.005  # of the rows of single quarters whose day of disclosure the vendor lost (world.md, 1)
_CLOSE = time(15)

Filed = tuple[Event, int, Shown]  # a filing, the place of a period in it, the period's figures


class RatiosOracle(ReportsOracle, Beside):
    """Answers about ratios; a part of the oracle.

    An overwritten row has, in the mode *recoverable*, only the day of the filing that changed it last, and its value.
    """

    _share: dict[int, int]

    def overwritten_ratio(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the largest period of which the vendor's overwritten ratios are to be had, and the return on equity.

        In 1e-4 percent; "-" where there is no equity.
        """
        found = {
            period: told[2]
            for period, rows in self._written(company).items()
            if (told := self._stored(rows, cutoff)) is not None
        }
        return f"{max(found)} {_return(found[max(found)])}" if found else None

    def quarter_ratio(self, company: int, period: date, cutoff: Cutoff) -> str | None:
        """Return the owners' profit of a single quarter, in fen, and the return on equity, as overwritten.

        The vendor has lost the day of some rows: these are never to be had. The quarter before must have been shown.
        """
        rows = self._given(company).get(period, [])
        told = self._stored(rows, cutoff)
        if told is None or self._undated(rows[0]):
            return None
        filing, _, shown = told
        profit = shown.profit - self._before(company, filing, period)
        return f"{profit} {_percent(profit, shown.equity)}"

    def latest_ratio(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the largest period known and its return on equity as last shown."""
        known = self._known(company, cutoff)
        return f"{max(known)} {_return(known[max(known)])}" if known else None

    def year_profit(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the last year known and the owners' profit in it, in fen, as last shown."""
        known = {end: shown for end, shown in self._known(company, cutoff).items() if end.month == 12}
        return f"{max(known)} {known[max(known)].profit}" if known else None

    def valuation(self, inner: int, cutoff: Cutoff) -> str | None:
        """Return the last day on which a share was listed, its market value in fen, and price to book in 1e-4."""
        entity = self._share.get(inner, 0)
        quotes = self.beside.quotes
        low, high = np.searchsorted(quotes.entity, [entity, entity + 1]).tolist()
        until = sessions().at_or_after(cutoff.instant.date())  # the first session that is not known
        place = low + int(np.searchsorted(quotes.session[low:high], until)) - 1
        oldest = sessions().at_or_after(cutoff.day - timedelta(days=LOOK_BACK - 1))
        if place < low or int(quotes.session[place]) < oldest:
            return None
        session = int(quotes.session[place])
        changes = [
            (sessions().at_or_after(event.valid_from), event.payload.total)
            for event in self._events.get((EventType.SHARE_CHANGE, entity), [])
            if isinstance(event.payload, ShareChange)
        ]
        total = max((change for change in changes if change[0] <= session), default=(0, 0))[1]
        value = int(quotes.close[place]) * total
        equity = self._book(entity, session)
        ratio = "-" if not equity else str(round(value / equity * 10_000))
        return f"{sessions().days[session]} {value} {ratio}"

    def _book(self, entity: int, session: int) -> int:
        """Return the owners' equity of the largest period reported by the close of a session, 0 for none."""
        largest, book = date.min, 0
        for effective, period, shown in self._effective(entity):
            if effective <= session:
                largest = max(largest, period)
                book = next((s.equity for s in shown if s.period_end == largest), book)
        return book

    @cached_property
    def _effects(self) -> dict[int, list[tuple[int, date, tuple[Shown, ...]]]]:
        return {}

    def _effective(self, entity: int) -> list[tuple[int, date, tuple[Shown, ...]]]:
        """Return the filings of a company: the first session whose close comes after, its period, what it shows."""
        if entity not in self._effects:
            rows = []
            events = self._events.get((EventType.REPORT, entity), [])
            for event in sorted(events, key=lambda e: (e.disclosed_at, e.seq)):
                if isinstance(event.payload, Report):
                    day = event.disclosed_at.date()
                    day += timedelta(days=event.disclosed_at.time() >= _CLOSE)
                    report = event.payload
                    rows.append((sessions().at_or_after(day), report.period_end, report.shown))
            self._effects[entity] = rows
        return self._effects[entity]

    @cached_property
    def _writings(self) -> dict[int, dict[date, list[Filed]]]:
        return {}

    @cached_property
    def _quarters(self) -> dict[int, dict[date, list[Filed]]]:
        return {}

    def _written(self, company: int) -> dict[date, list[Filed]]:
        """Return per period the filings that wrote its overwritten row: the first, and those that restate it."""
        if company not in self._writings:
            self._writings[company] = {
                period: self._kept(rows, period) for period, rows in self._all(company).items()
            }
        return self._writings[company]

    def _given(self, company: int) -> dict[date, list[Filed]]:
        """Return the same per single quarter, from the first periodic report on that shows it with the one before."""
        if company not in self._quarters:
            shows, found = self._all(company), {}
            for period, rows in shows.items():
                before = shows.get(_quarter_before(period), [])
                since = (
                    date.min if period.month == 3 else min((_day(row) for row in before), default=date.max)
                )
                given = [row for row in rows if _day(row) >= since]
                begun = next((_day(row) for row in given if _form(row) == _PERIODIC), date.max)
                if given := [row for row in given if _day(row) >= begun]:
                    found[period] = self._kept(given, period)
            self._quarters[company] = found
        return self._quarters[company]

    def _all(self, company: int) -> dict[date, list[Filed]]:
        """Return per period the filings that show it, in the order of their days."""
        found: dict[date, list[Filed]] = {}
        for event in self._of_company(company, EventType.REPORT):
            if isinstance(event.payload, Report):
                for place, shown in enumerate(event.payload.shown):
                    found.setdefault(shown.period_end, []).append((event, place, shown))
        return {
            period: sorted(rows, key=lambda row: (_day(row), row[0].seq)) for period, rows in found.items()
        }

    def _kept(self, rows: list[Filed], period: date) -> list[Filed]:
        return [rows[0], *(row for row in rows[1:] if self._rewrites(row[0], period))]

    def _stored(self, rows: list[Filed], cutoff: Cutoff) -> Filed | None:
        """Return the writing that a reader finds: the last of those known, or of all if it is known."""
        if self.mode == "recoverable":
            rows = rows[-1:]
        known = [row for row in rows if row[0].disclosed_at < cutoff.instant]
        return known[-1] if known else None

    def _undated(self, first: Filed) -> bool:
        """Whether the vendor lost the day of a row: drawn by the row's number, no event tells it."""
        if self.mode != "recoverable":
            return False
        event, place, _ = first
        number = int(EventType.REPORT) << 56 | event.entity << 32 | event.seq << 4 | place
        return bool(uniform(self.beside.config.seed, np.array([number], dtype=np.int64), 9)[0] < _UNDATED)

    def _before(self, company: int, filing: Event, period: date) -> int:
        """Return the owners' profit up to the quarter before, as known when a filing was made."""
        if period.month == 3:
            return 0
        before = _quarter_before(period)
        known = [
            shown.profit
            for event, shown in self._shown(company)
            if shown.period_end == before
            and (event.disclosed_at, event.seq) <= (filing.disclosed_at, filing.seq)
        ]
        return known[-1]


def _day(row: Filed) -> date:
    return row[0].disclosed_at.date()


def _quarter_before(period: date) -> date:
    return period.replace(month=period.month - 2, day=1) - timedelta(days=1)


def _form(row: Filed) -> int:
    return row[0].payload.form if isinstance(row[0].payload, Report) else 0


def _return(shown: Shown) -> str:
    return _percent(shown.profit, shown.equity)


def _percent(top: int, bottom: int) -> str:
    """Return a percentage in 1e-4, "-" unless the bottom is positive."""
    return str(round(100.0 * top / bottom * 10_000)) if bottom > 0 else "-"
