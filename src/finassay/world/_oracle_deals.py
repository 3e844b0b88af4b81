"""What the oracle knows of deals, from the ledger alone: lists of partners, owners, plans of holders, mergers."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._draws import uniform
from finassay.world._events import Approval, Event, EventType
from finassay.world._events_company import Report
from finassay.world._events_deals import HolderPlan, Merger, MergerExchange, MergerScheme

if TYPE_CHECKING:
    from datetime import date

    from finassay.temporal import Cutoff

_PROSPECTUS, _PERIODIC, _CORRECTED = 10, 20, 30
_CUSTOMER, _WEIGHTS = 2, (1.0, 0.62, 0.39, 0.24, 0.15)


class DealsOracle:
    """Answers about partners, owners, plans and mergers; a part of the oracle."""

    _events: dict[tuple[EventType, int], list[Event]]
    _company: dict[int, int]
    mode: str

    def partners_year(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the last year whose suppliers and customers are to be had.

        A correction overwrites the list and its day, so that in the mode *recoverable* the year is lost until then.
        """
        told: dict[date, list[Event]] = {}
        for event, report in self._reports(company):
            for place, shown in enumerate(report.shown):
                own = place == 0 or report.form != _PERIODIC
                if own and shown.period_end.month == 12:
                    told.setdefault(shown.period_end, []).append(event)
        choose = max if self.mode == "recoverable" else min
        known = [
            year for year, events in told.items() if choose(e.disclosed_at for e in events) < cutoff.instant
        ]
        return str(max(known)) if known else None

    def related_year(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the last year whose related parties an annual report has stated."""
        known = [
            report.period_end
            for event, report in self._reports(company)
            if report.form == _PERIODIC
            and report.period_end.month == 12
            and event.disclosed_at < cutoff.instant
        ]
        return str(max(known)) if known else None

    def sales_to_group(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the last year whose sales to the controlling group an annual report states, and their sum in fen."""
        known = {
            report.period_end: report.shown[0].revenue
            for event, report in self._reports(company)
            if report.form == _PERIODIC
            and report.period_end.month == 12
            and event.disclosed_at < cutoff.instant
        }
        place = self._company.get(company, 0) - 1
        for year in sorted(known, reverse=True):
            amount = round(known[year] * _part_of_group(place, year))
            if amount > 0:
                return f"{year} {amount}"
        return None

    def owners_version(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the last half year whose chain of owners is known, and the day of the version that stands."""
        known = [
            (report.shown[0].period_end, event.disclosed_at)
            for event, report in self._reports(company)
            if report.form in (_PERIODIC, _CORRECTED)
            and report.shown[0].period_end.month in (6, 12)
            and event.disclosed_at < cutoff.instant
        ]
        if not known:
            return None
        end, at = max(known)
        return f"{end} {at.date()}"

    def open_plans(self, company: int, cutoff: Cutoff) -> str | None:
        """Return how many plans and promises of holders run on the day, by what their last version known says."""
        last: dict[tuple[int, int, date], tuple[object, HolderPlan]] = {}
        for event in self._deals.get(company, ()):
            plan = event.payload
            if isinstance(plan, HolderPlan) and event.disclosed_at < cutoff.instant:
                key, entry = (plan.holder, plan.kind, plan.first), (event.disclosed_at, plan)
                if key not in last or event.disclosed_at >= last[key][0]:  # type: ignore[operator]
                    last[key] = entry
        running = sum(plan.begin <= cutoff.day <= plan.end for _, plan in last.values())
        return str(running) if running else None

    def merger_stage(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the first day of the last merger known and how far it is: 1 announced to 5 new shares, 9 rejected."""
        found = None
        for event in self._deals.get(company, ()):
            if isinstance(event.payload, Merger) and event.disclosed_at < cutoff.instant:
                entry = (event.disclosed_at.date(), self._stage(event, cutoff))
                found = max(found or entry, entry)
        return None if found is None else f"{found[0]} {found[1]}"

    def _stage(self, planned: Event, cutoff: Cutoff) -> int:
        stage, waiting = 1, [planned.event_id]
        while waiting:
            for event in self._following.get(waiting.pop(), ()):
                if event.disclosed_at >= cutoff.instant:
                    continue
                said = event.payload
                if isinstance(said, Approval) and not said.approved:
                    return 9
                order = (MergerScheme, Approval, MergerExchange)
                stage = max(stage, order.index(type(said)) + 2 if isinstance(said, order) else 5)
                waiting.append(event.event_id)
        return stage

    def _reports(self, company: int) -> list[tuple[Event, Report]]:
        events = self._events.get((EventType.REPORT, self._company.get(company, -1)), [])
        return [(event, event.payload) for event in events if isinstance(event.payload, Report)]

    @cached_property
    def _deals(self) -> dict[int, list[Event]]:
        """Plans and mergers by the vendor's number of the company."""
        companies = {entity: company for company, entity in self._company.items()}
        found: dict[int, list[Event]] = {}
        for (kind, _), events in self._events.items():
            for event in events if kind in (EventType.HOLDER_PLAN, EventType.MERGER_PLAN) else ():
                if isinstance(event.payload, HolderPlan | Merger):
                    found.setdefault(companies.get(event.payload.company, -1), []).append(event)
        return found

    @cached_property
    def _following(self) -> dict[int, list[Event]]:
        """The stages of mergers by the one before, and the new shares by the exchange."""
        found: dict[int, list[Event]] = {}
        stages = (EventType.MERGER_SCHEME, EventType.MERGER_MEETING, EventType.MERGER_EXCHANGE)
        exchanges = set()
        for (kind, _), events in self._events.items():
            for event in events if kind in stages else ():
                found.setdefault(event.supersedes or 0, []).append(event)
                exchanges.add(event.event_id)
        for (kind, _), events in self._events.items():
            for event in events if kind is EventType.SHARE_CHANGE else ():
                for cause in exchanges.intersection(event.cause_ids):
                    found.setdefault(cause, []).append(event)
        return found


@cache
def _part_of_group(company: int, end: date) -> float:
    """Return the part of a year's revenue that comes from the controlling group, below that of the fifth customer.

    Who trades with whom is drawn once for all, and no event (`company` counts from 0): half of the companies sell to
    their group, in six years out of seven.
    """
    period = 4 * (end.year - 2011)
    firm, party = company * 4 + _CUSTOMER, company * 16 * 4 + _CUSTOMER
    if _drawn(party, 38) >= 0.5 or _drawn(party * 64 + period, 39) >= 0.86:
        return 0.0
    whole = (0.12 + 0.55 * _drawn(firm, 35) ** 2) * (0.9 + 0.2 * _drawn(firm * 64 + period, 36))
    weights = [w * (0.85 + 0.3 * _drawn((firm * 64 + period) * 8 + n, 37)) for n, w in enumerate(_WEIGHTS)]
    fifth = whole * weights[-1] / sum(weights)
    return fifth * (0.05 + 0.9 * _drawn(party * 64 + period, 60))


def _drawn(number: int, salt: int) -> float:
    return float(uniform(1, np.array([number], dtype=np.int64), salt)[0])
