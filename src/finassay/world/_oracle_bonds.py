"""What the oracle knows of bonds, their debtors, convertibles and Chinese macro series, from the ledger alone."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from finassay.world._events import Event, EventType, Industry
from finassay.world._events_bonds import (
    Amount,
    BondDefault,
    BondTerms,
    ConvertPrice,
    ConvertTerms,
    Debtor,
    MacroSeries,
    Rating,
    Release,
    Theme,
)

if TYPE_CHECKING:
    from datetime import date

    from finassay.temporal import Cutoff

_PUTS = (3, 4, 5)  # parts of the rules of a convertible


class BondOracle:
    """Answers about bonds, debtors and macro series; a part of the oracle."""

    mode: str
    _events: dict[tuple[EventType, int], list[Event]]
    _after: dict[int, Event]

    @cached_property
    def _bonds(self) -> dict[int, int]:
        """Entities of bonds by each of their numbers."""
        found: dict[int, int] = {}
        for (kind, entity), events in self._events.items():
            terms = events[0].payload
            if kind is EventType.BOND_ISSUE and isinstance(terms, BondTerms):
                found |= dict.fromkeys((terms.main, *(inner for inner, _, _ in terms.codes)), entity)
        return found

    @cached_property
    def _debtors(self) -> dict[int, int]:
        """Entities of debtors by company."""
        pairs = ((e[0].payload, key[1]) for key, e in self._events.items() if key[0] is EventType.DEBTOR)
        return {payload.company: entity for payload, entity in pairs if isinstance(payload, Debtor)}

    @cached_property
    def _cn_series(self) -> dict[int, int]:
        pairs = ((e[0].payload, key[1]) for key, e in self._events.items() if key[0] is EventType.CN_SERIES)
        return {payload.code: entity for payload, entity in pairs if isinstance(payload, MacroSeries)}

    def _of_bond(self, kind: EventType, entity: int | None) -> list[Event]:
        return [] if entity is None else self._events.get((kind, entity), [])

    def bond_grade(self, main: int, cutoff: Cutoff) -> int | None:
        """Return the long-term grade of a bond: the last rating in force and published, if it has not run out."""
        return _grade(self._of_bond(EventType.BOND_RATING, self._bonds.get(main)), cutoff)

    def debtor_grade(self, company: int, cutoff: Cutoff) -> int | None:
        """Return the grade of a debtor."""
        return _grade(self._of_bond(EventType.DEBTOR_RATING, self._debtors.get(company)), cutoff)

    def in_default(self, inner: int, cutoff: Cutoff) -> bool:
        """Whether a default of a code was noticed, and not revoked as far as was known."""
        for event in self._of_bond(EventType.BOND_DEFAULT, self._bonds.get(inner)):
            missed = event.payload
            if isinstance(missed, BondDefault) and missed.inner == inner and _published(event, cutoff):
                end = self._after.get(event.event_id)
                if end is None or not (end.valid_from <= cutoff.day and _published(end, cutoff)):
                    return True
        return False

    def outstanding(self, main: int, cutoff: Cutoff) -> int | None:
        """Return the amount outstanding of a bond in ten thousand yuan, by the last change that was published."""
        last = _latest(self._of_bond(EventType.BOND_SIZE, self._bonds.get(main)), cutoff)
        return last.payload.total if last is not None and isinstance(last.payload, Amount) else None

    def conversion_price(self, inner: int, cutoff: Cutoff) -> int | None:
        """Return the conversion price on the day, in fen."""
        last = _latest(self._of_bond(EventType.CONVERT_PRICE, self._bonds.get(inner)), cutoff)
        return last.payload.price if last is not None and isinstance(last.payload, ConvertPrice) else None

    def called(self, inner: int, cutoff: Cutoff) -> bool:
        """Whether a convertible has been called; the table says only when the vendor recorded it."""
        calls = self._of_bond(EventType.CONVERT_CALL, self._bonds.get(inner))
        return any(self._bond_known(event, cutoff) for event in calls)

    def puts(self, inner: int, cutoff: Cutoff) -> tuple[int, int] | None:
        """Return how many put clauses of a convertible run on the day, and the highest price, in 1e-4 yuan."""
        rules = [
            event.payload
            for event in self._of_bond(EventType.CONVERT_TERMS, self._bonds.get(inner))
            if isinstance(event.payload, ConvertTerms)
            and event.payload.part in _PUTS
            and self._bond_known(event, cutoff)
        ]
        prices = [rule.price for rule in rules if rule.first <= cutoff.day <= rule.last]
        return (len(prices), max(prices)) if prices else None

    def theme(self, inner: int, cutoff: Cutoff) -> int | None:
        """Return the theme of a code on the day; the table says only when the vendor recorded it."""
        found = [
            event
            for event in self._of_bond(EventType.THEME_IN, self._bonds.get(inner))
            if isinstance(event.payload, Theme)
            and event.payload.inner == inner
            and event.valid_from <= cutoff.day
            and self._bond_known(event, cutoff)
            and not self._theme_over(event, cutoff)
        ]
        last = max(found, key=lambda e: (e.valid_from, e.seq), default=None)
        return last.payload.nature if last is not None and isinstance(last.payload, Theme) else None

    def _bond_known(self, event: Event, cutoff: Cutoff) -> bool:
        if self.mode == "recoverable":
            return event.recorded_at < cutoff.instant
        return _published(event, cutoff)

    def _theme_over(self, event: Event, cutoff: Cutoff) -> bool:
        """Whether a theme has ended; its end is stored with a day after the one on which it was recorded."""
        end = self._after.get(event.event_id)
        if end is None or end.valid_from > cutoff.day:
            return False
        return end.recorded_at.date() < cutoff.day if self.mode == "recoverable" else _published(end, cutoff)

    def debtor_industry(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the level-1 code of the industry of a debtor without a share."""
        last = _latest(self._of_bond(EventType.DEBTOR_INDUSTRY, self._debtors.get(company)), cutoff)
        return last.payload.codes[0] if last is not None and isinstance(last.payload, Industry) else None

    def macro_value(self, code: int, period: date, cutoff: Cutoff) -> float | None:
        """Return the value of a series for a period.

        The table keeps the last value alone, under the day of its release: before that day it has none.
        """
        releases = self._of_bond(EventType.CN_RELEASE, self._cn_series.get(code))
        versions = [e for e in releases if e.valid_from == period]
        if self.mode == "recoverable" and not all(_published(e, cutoff) for e in versions):
            return None
        known = [e for e in versions if _published(e, cutoff)]
        last = max(known, key=lambda e: e.disclosed_at, default=None)
        return last.payload.value if last is not None and isinstance(last.payload, Release) else None


def _published(event: Event, cutoff: Cutoff) -> bool:
    return event.disclosed_at < cutoff.instant


def _latest(events: list[Event], cutoff: Cutoff) -> Event | None:
    """Return the last event in force on the day among those published; of one day, the one published last."""
    known = [e for e in events if e.valid_from <= cutoff.day and _published(e, cutoff)]
    return max(known, key=lambda e: (e.valid_from, e.disclosed_at.date(), e.seq), default=None)


def _grade(events: list[Event], cutoff: Cutoff) -> int | None:
    long = [e for e in events if isinstance(e.payload, Rating) and e.payload.term == 1]
    last = _latest(long, cutoff)
    if last is None or not isinstance(last.payload, Rating):
        return None
    ended = last.payload.expires is not None and last.payload.expires <= cutoff.day
    return None if ended else last.payload.grade
