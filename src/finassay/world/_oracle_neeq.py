"""What the oracle knows of the NEEQ, of competitors and of managers' pay, from the ledger alone."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from finassay.world._events import Approval, Event, EventType, Industry, Plan
from finassay.world._events_company import Report, Restatement
from finassay.world._events_neeq import Naming, NeeqShare

if TYPE_CHECKING:
    from datetime import date, datetime

    from finassay.temporal import Cutoff

_CORRECTED, _PERIODIC = 30, 20
_PLANNED, _APPROVED, _PAID, _CANCELLED = 1, 2, 3, 4


class NeeqOracle:
    """Answers about the NEEQ, competitors and pay; a part of the oracle.

    Ratios of the NEEQ have no day of disclosure: in the mode *recoverable* they count from their recording. Pay is
    overwritten: in that mode a year is there only from its last correction.
    """

    mode: str
    _events: dict[tuple[EventType, int], list[Event]]
    _after: dict[int, Event]
    _company: dict[int, int]

    @cached_property
    def _neeq(self) -> dict[int, int]:
        """Entities on the NEEQ by company."""
        pairs = (
            (events[0].payload, entity)
            for (kind, entity), events in self._events.items()
            if kind is EventType.NEEQ_SECURITY
        )
        return {who.company: entity for who, entity in pairs if isinstance(who, NeeqShare)}

    def _of_neeq(self, kind: EventType, company: int) -> list[Event]:
        entity = self._neeq.get(company)
        return [] if entity is None else self._events.get((kind, entity), [])

    def neeq_industry(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the level-1 code of the industry on the NEEQ, None if there is none yet."""
        known = [
            event
            for event in self._of_neeq(EventType.NEEQ_INDUSTRY, company)
            if event.valid_from <= cutoff.day and event.disclosed_at < cutoff.instant
        ]
        last = max(known, key=lambda e: (e.valid_from, e.disclosed_at), default=None)
        return last.payload.codes[0] if last is not None and isinstance(last.payload, Industry) else None

    def neeq_dividend(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the last period with a dividend, its stage and its cash in fen per 10 shares, as disclosed by then."""
        known = [
            event
            for event in self._of_neeq(EventType.NEEQ_PLAN, company)
            if event.disclosed_at < cutoff.instant and isinstance(event.payload, Plan)
        ]
        if not known:
            return None
        last = max(known, key=lambda e: e.payload.period_end if isinstance(e.payload, Plan) else e.valid_from)
        stage = _PLANNED
        decided = self._after.get(last.event_id)
        if decided is not None and decided.disclosed_at < cutoff.instant:
            approved = isinstance(decided.payload, Approval) and decided.payload.approved
            stage = _APPROVED if approved else _CANCELLED
            paid = self._after.get(decided.event_id)
            if paid is not None and paid.disclosed_at < cutoff.instant:
                stage = _PAID
        assert isinstance(last.payload, Plan)  # noqa: S101 - by the filter above
        return f"{last.payload.period_end} {stage} {last.payload.cash}"

    def neeq_ratios(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the largest period known and the owners' profit in it, in fen, as known last."""
        known = [
            row for row in self._said(company) if (row[1] if self._recorded else row[2]) < cutoff.instant
        ]
        if not known:
            return None
        period, *_, profit = max(
            known, key=lambda row: (row[0], row[1] if self._recorded else row[2], row[3])
        )
        return f"{period} {profit}"

    @property
    def _recorded(self) -> bool:
        return self.mode == "recoverable"

    @cached_property
    def _said_by(self) -> dict[int, list[tuple[date, datetime, datetime, int, int]]]:
        return {}

    def _said(self, company: int) -> list[tuple[date, datetime, datetime, int, int]]:
        if company not in self._said_by:
            self._said_by[company] = self._neeq_rows(company)
        return self._said_by[company]

    def _neeq_rows(self, company: int) -> list[tuple[date, datetime, datetime, int, int]]:
        """Return what filings say anew: period, recorded, disclosed, filing, profit."""
        changes = {
            change.payload.until: change.payload.first
            for change in self._of_neeq(EventType.NEEQ_RESTATEMENT, company)
            if isinstance(change.payload, Restatement)
        }
        causes = {change.event_id: change for change in self._of_neeq(EventType.NEEQ_RESTATEMENT, company)}
        seen: set[date] = set()
        done: set[tuple[date, date]] = set()
        found = []
        reports = self._of_neeq(EventType.NEEQ_REPORT, company)
        for event in sorted(reports, key=lambda e: (e.disclosed_at.date(), e.seq)):
            report = event.payload
            assert isinstance(report, Report)  # noqa: S101 - by its type
            until = report.period_end
            if report.form == _CORRECTED:
                cause = causes.get(event.cause_ids[0])
                until = cause.payload.until if cause and isinstance(cause.payload, Restatement) else until
            for shown in report.shown:
                period = shown.period_end
                again = until in changes and changes[until] <= period < until and (period, until) not in done
                if period not in seen or again:
                    found.append((period, event.recorded_at, event.disclosed_at, event.seq, shown.profit))
                    seen.add(period)
                    if again:
                        done.add((period, until))
        return found

    def competitors(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the companies that the last naming by then lists, as the sum of their numbers."""
        known = [e for e in self._namings.get(company, []) if e.disclosed_at < cutoff.instant]
        last = max(known, key=lambda e: (e.disclosed_at, e.seq), default=None)
        if last is None or not isinstance(last.payload, Naming):
            return None
        return str(sum(other.company for other in last.payload.named))

    @cached_property
    def _namings(self) -> dict[int, list[Event]]:
        found: dict[int, list[Event]] = {}
        for (kind, _), events in self._events.items():
            if kind is EventType.COMPETITORS and isinstance(events[0].payload, Naming):
                found[events[0].payload.company] = events
        return found

    def paid_year(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the last year whose pay is known."""
        entity = self._company.get(company, 0)
        told: dict[date, list[Event]] = {}
        for event in sorted(
            self._events.get((EventType.REPORT, entity), []), key=lambda e: (e.disclosed_at, e.seq)
        ):
            report = event.payload
            assert isinstance(report, Report)  # noqa: S101 - by its type
            if report.form == _PERIODIC and report.period_end.month == 12:
                told.setdefault(report.period_end, []).append(event)
            elif report.form == _CORRECTED:
                for shown in report.shown:
                    if shown.period_end in told:
                        told[shown.period_end].append(event)
        which = -1 if self._recorded else 0
        known = [period for period, events in told.items() if events[which].disclosed_at < cutoff.instant]
        return str(max(known)) if known else None
