"""What the oracle knows of companies' reports and share capital, from the ledger alone."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING

from finassay.world._events import Event, EventType
from finassay.world._events_company import (
    Concept,
    ConceptMember,
    Opinion,
    Report,
    Restatement,
    ShareChange,
    Shown,
)

if TYPE_CHECKING:
    from datetime import date

    from finassay.temporal import Cutoff

_CORRECTED = 30


class ReportsOracle:
    """Answers about statements, opinions and capital; a part of the oracle.

    Tables with one row per version say when each became public, so both modes answer alike. A table whose rows are
    overwritten has a period, in the mode *recoverable*, only from the filing that changed it last.
    """

    _events: dict[tuple[EventType, int], list[Event]]
    _after: dict[int, Event]
    _company: dict[int, int]
    mode: str

    def latest_report(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the largest period known, the owners' profit and that of twelve months, in fen, as last shown."""
        known = self._known(company, cutoff)
        if not known:
            return None
        period = max(known)
        now = known[period].profit
        return f"{period} {now} {self._twelve_months(known, period)}"

    def _twelve_months(self, known: dict[date, Shown], period: date) -> int | str:
        if period.month == 12:
            return known[period].profit
        year, base = period.replace(year=period.year - 1, month=12, day=31), _year_before(period)
        if year not in known or base not in known:
            return "-"
        return known[period].profit + known[year].profit - known[base].profit

    def year_end_equity(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the last year end known and the owners' equity then, in fen, as last shown."""
        shown = [s for event, s in self._year_ends(company) if event.disclosed_at < cutoff.instant]
        known = {figures.period_end: figures for figures in shown}
        if not known:
            return None
        period = max(known)
        return f"{period} {known[period].equity}"

    def opinion(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the last year with an opinion of the auditors known, and the opinion that stands."""
        known: dict[date, tuple[object, int]] = {}
        for event in self._of_company(company, EventType.REPORT, EventType.OPINION):
            said = event.payload
            given = said.opinion if isinstance(said, Report | Opinion) else 0
            if given and event.disclosed_at < cutoff.instant and isinstance(said, Report | Opinion):
                entry = (event.disclosed_at, given)
                known[said.period_end] = max(known.get(said.period_end, entry), entry)
        if not known:
            return None
        year = max(known)
        return f"{year} {known[year][1]}"

    def shares(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the shares outstanding on the day, as far as was known."""
        changes = [
            event
            for event in self._of_company(company, EventType.SHARE_CHANGE)
            if event.valid_from <= cutoff.day and event.disclosed_at < cutoff.instant
        ]
        if not changes:
            return None
        change = max(changes, key=lambda event: event.valid_from).payload
        return str(change.total) if isinstance(change, ShareChange) else None

    def in_concept(self, concept: int, inner: int, cutoff: Cutoff) -> bool:
        """Whether a share belongs to a concept on the day, its inclusion published and no end come yet."""
        for event in self._members.get((concept, inner), ()):
            if event.valid_from <= cutoff.day and event.disclosed_at < cutoff.instant:
                end = self._after.get(event.event_id)
                if end is None or end.valid_from > cutoff.day:
                    return True
        return False

    @cached_property
    def _members(self) -> dict[tuple[int, int], list[Event]]:
        codes = {
            entity: events[0].payload.code
            for (kind, entity), events in self._events.items()
            if kind is EventType.CONCEPT_OPEN and isinstance(events[0].payload, Concept)
        }
        found: dict[tuple[int, int], list[Event]] = {}
        for (kind, entity), events in self._events.items():
            for event in events if kind is EventType.CONCEPT_IN else ():
                if isinstance(event.payload, ConceptMember):
                    found.setdefault((codes[entity], event.payload.inner), []).append(event)
        return found

    def _of_company(self, company: int, *kinds: EventType) -> list[Event]:
        entity = self._company.get(company, -1)
        return [event for kind in kinds for event in self._events.get((kind, entity), [])]

    @cached_property
    def _filed(self) -> dict[int, list[tuple[Event, Shown]]]:
        return {}

    def _shown(self, company: int) -> list[tuple[Event, Shown]]:
        """Every figure shown, in the order of disclosure; of one minute, the report of the later period last."""
        if company not in self._filed:
            reports = self._of_company(company, EventType.REPORT)
            self._filed[company] = [
                (event, shown)
                for event in sorted(reports, key=lambda e: (e.disclosed_at, e.seq))
                if isinstance(event.payload, Report)
                for shown in event.payload.shown
            ]
        return self._filed[company]

    def _year_ends(self, company: int) -> list[tuple[Event, Shown]]:
        """Every balance sheet of a year end shown, in the order of disclosure."""
        found = [(event, shown) for event, shown in self._shown(company) if shown.period_end.month == 12]
        found += [
            (event, event.payload.opening)
            for event in self._of_company(company, EventType.REPORT)
            if isinstance(event.payload, Report) and event.payload.opening
        ]
        return sorted(found, key=lambda pair: (pair[0].disclosed_at, pair[0].seq))

    def _known(self, company: int, cutoff: Cutoff) -> dict[date, Shown]:
        """Return the figures last shown of every period; made once for all cutoffs between two filings."""
        shown = self._shown(company)
        count = bisect_left(shown, cutoff.instant, key=lambda pair: pair[0].disclosed_at)
        if (company, count) not in self._knowledge:
            self._knowledge[company, count] = {figures.period_end: figures for _, figures in shown[:count]}
        return self._knowledge[company, count]

    @cached_property
    def _knowledge(self) -> dict[tuple[int, int], dict[date, Shown]]:
        return {}

    @cached_property
    def _restatements(self) -> dict[int, list[Restatement]]:
        found: dict[int, list[Restatement]] = {}
        for (kind, entity), events in self._events.items():
            if kind is EventType.RESTATEMENT:
                found[entity] = [e.payload for e in events if isinstance(e.payload, Restatement)]
        return found

    def _rewrites(self, event: Event, period: date) -> bool:
        """Whether a filing restates a period: a correction, or the first report that knows of a restatement of it."""
        report = event.payload
        if not isinstance(report, Report):
            return False
        if report.form == _CORRECTED:
            return True
        return any(
            change.until == report.period_end and change.first <= period < change.until
            for change in self._restatements.get(event.entity, ())
        )


def _year_before(end: date) -> date:
    """Return the quarter end a year before another; those of February do not occur."""
    return end.replace(year=end.year - 1)
