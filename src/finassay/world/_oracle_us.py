"""What the oracle knows of the US side, from the ledger alone."""

from __future__ import annotations

from bisect import bisect_left
from calendar import monthrange
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from finassay.world._events import Event, EventType
from finassay.world._events_us import MacroRelease, UsDividend, UsFiling, UsListing, UsMember, UsSecurity
from finassay.world._oracle_beside import Beside

if TYPE_CHECKING:
    from finassay.temporal import Cutoff
    from finassay.world._blocks._us_filings import Correction

_LISTINGS = (EventType.US_LIST, EventType.US_RENAME, EventType.US_MOVE, EventType.US_DELIST)


class UsOracle(Beside):
    """Answers about US securities, filings and series; a part of the oracle.

    Every US table says when its rows became public, so both modes answer alike.
    """

    _events: dict[tuple[EventType, int], list[Event]]
    _after: dict[int, Event]

    _us_items = {"NetIncomeLoss": 13, "Assets": 40}  # noqa: RUF012 - places among the items of the statements

    @cached_property
    def _us(self) -> dict[int, int]:
        """Entities by the number of the security and by that of the filer."""
        found = {}
        for (kind, entity), (event, *_) in self._events.items():
            if kind is EventType.US_SECURITY and isinstance(event.payload, UsSecurity):
                found[event.payload.security] = entity
                if event.payload.cik is not None:
                    found[event.payload.cik] = entity
        return found

    def us_symbol(self, security: int, cutoff: Cutoff) -> str | None:
        """Return the symbol under which a security trades on the day; None where it is not listed."""
        known = [
            event
            for kind in _LISTINGS
            for event in self._events.get((kind, self._us.get(security, -1)), [])
            if event.valid_from <= cutoff.day and event.disclosed_at < cutoff.instant
        ]
        if not known:
            return None
        last = max(known, key=lambda e: (e.valid_from, e.disclosed_at))
        payload = last.payload
        ended = last.type is EventType.US_DELIST
        return None if ended or not isinstance(payload, UsListing) else payload.symbol

    def us_member(self, security: int, cutoff: Cutoff) -> bool:
        """Whether a security is a member of the large-cap index on the day, as far as was announced."""
        for event in self._us_members.get(security, ()):
            if _in_force(event, cutoff):
                end = self._after.get(event.event_id)
                if end is None or not _in_force(end, cutoff):
                    return True
        return False

    @cached_property
    def _us_members(self) -> dict[int, list[Event]]:
        found: dict[int, list[Event]] = {}
        for (kind, _), events in self._events.items():
            for event in events if kind is EventType.US_INDEX_IN else ():
                if isinstance(event.payload, UsMember):
                    found.setdefault(event.payload.security, []).append(event)
        return found

    def us_filing(self, cik: int, cutoff: Cutoff) -> str | None:
        """Return the filing that last reported a filer's latest known period: an amendment before its original."""
        known = [
            event
            for kind in (EventType.US_FILING, EventType.US_AMENDMENT)
            for event in self._events.get((kind, self._us.get(cik, -1)), [])
            if event.disclosed_at < cutoff.instant
        ]
        if not known:
            return None
        payload = max(known, key=lambda e: (e.valid_from, e.disclosed_at)).payload
        return payload.accession if isinstance(payload, UsFiling) else None

    def us_dividend(self, security: int, cutoff: Cutoff) -> str | None:
        """Return the number of the declared dividend with the last ex-date, of those that were not withdrawn."""
        known = [
            event
            for event in self._events.get((EventType.US_DIVIDEND, self._us.get(security, -1)), [])
            if event.disclosed_at < cutoff.instant
        ]
        standing = []
        for event in known:
            end = self._after.get(event.event_id)
            if end is None or end.disclosed_at >= cutoff.instant:
                standing.append(event)
        if not standing:
            return None
        last = max(standing, key=lambda e: (e.valid_from, e.disclosed_at, e.event_id))
        return str(last.payload.number) if isinstance(last.payload, UsDividend) else None

    def us_release(self, entity: int, cutoff: Cutoff) -> str | None:
        """Return the latest period of a series, and the day of its release, as far as was published."""
        known = [
            event
            for event in self._events.get((EventType.MACRO_RELEASE, entity), [])
            if event.disclosed_at < cutoff.instant
        ]
        if not known:
            return None
        last = max(known, key=lambda e: (e.valid_from, e.disclosed_at))
        release = last.payload
        assert isinstance(release, MacroRelease)  # noqa: S101 - by its type
        value = self._us_vintages[entity & 0xFF, release.vintage, last.valid_from]
        return f"{last.valid_from} {last.disclosed_at.date()} {round(value * 10_000)}"

    @cached_property
    def _us_vintages(self) -> dict[tuple[int, int, date], float]:
        """Values by series, release and period."""
        said = self.beside.us.macro.vintages
        periods = said.period.astype("datetime64[D]").tolist()
        keys = zip(said.series.tolist(), said.release.tolist(), periods, strict=True)
        return dict(zip(keys, said.value.tolist(), strict=True))

    def us_income(self, cik: int, cutoff: Cutoff) -> str | None:
        """Return the last two fiscal years known with their net income in dollars, each as stated last."""
        return self._us_stated(cik, "NetIncomeLoss", cutoff, annual=True)

    def us_assets(self, cik: int, cutoff: Cutoff) -> str | None:
        """Return the last two quarter ends known with the total assets in dollars, each as stated last."""
        return self._us_stated(cik, "Assets", cutoff, annual=False)

    def _us_stated(self, cik: int, item: str, cutoff: Cutoff, *, annual: bool) -> str | None:
        key = cik, item
        if key not in self._us_answers:
            known: dict[date, int] = {}
            answers: list[str | None] = [None]
            for event in self._us_filings(cik):
                known |= self._us_shown(event, item, annual=annual)
                last = sorted(known, reverse=True)[:2]
                answers.append(" ".join(f"{end} {known[end]}" for end in last) if last else None)
            self._us_answers[key] = answers
        count = bisect_left(self._us_filings(cik), cutoff.instant, key=lambda event: event.disclosed_at)
        return self._us_answers[key][count]

    @cached_property
    def _us_answers(self) -> dict[tuple[int, str], list[str | None]]:
        """What is known after each filing of a filer, of an item."""
        return {}

    def _us_filings(self, cik: int) -> list[Event]:
        kinds, entity = (EventType.US_FILING, EventType.US_AMENDMENT), self._us.get(cik, -1)
        events = [event for kind in kinds for event in self._events.get((kind, entity), [])]
        return sorted(events, key=lambda e: (e.disclosed_at, _accession(e)))

    def _us_shown(self, event: Event, item: str, *, annual: bool) -> dict[date, int]:
        """Return what a filing states of an item: income of its year and two before, or assets now and at the year end.

        The economy keeps the truth by quarters, and how earlier filings stated it otherwise.
        """
        filing = event.payload
        assert isinstance(filing, UsFiling)  # noqa: S101 - by its type
        last = filing.period
        quarter = 4 if filing.fiscal_period == "FY" else int(filing.fiscal_period[1:])
        if not annual:
            spans = [(end, 1) for end in (last, last - quarter)]
        else:
            spans = [(last - back, 4) for back in (0, 4, 8)] if quarter == 4 else []
        return {
            _months_before(event.valid_from, 3 * (last - end)): 1000
            * sum(self._us_quarter(event, item, n) for n in range(end - count + 1, end + 1))
            for end, count in spans
            if end - count + 1 >= 0
        }

    def _us_quarter(self, event: Event, item: str, quarter: int) -> int:
        us = self.beside.us
        place = self._us_items[item]
        value = int(us.statements.values[place, event.entity - us.issuers[0].entity, quarter])
        for change in self._us_changes.get(event.entity, ()):
            later = change.known > event.disclosed_at
            if later and place in change.items and 0 <= quarter - change.first < change.delta.shape[1]:
                value += int(change.delta[change.items.index(place), quarter - change.first])
        return value

    @cached_property
    def _us_changes(self) -> dict[int, list[Correction]]:
        found: dict[int, list[Correction]] = {}
        for change in self.beside.us.corrections:
            found.setdefault(change.entity, []).append(change)
        return found


def _accession(event: Event) -> str:
    return event.payload.accession if isinstance(event.payload, UsFiling) else ""


def _months_before(end: date, months: int) -> date:
    """Return the last day of the month so many months before."""
    year, month = divmod(end.year * 12 + end.month - 1 - months, 12)
    return date(year, month + 1, monthrange(year, month + 1)[1])


def _in_force(event: Event, cutoff: Cutoff) -> bool:
    return event.valid_from <= cutoff.day and event.disclosed_at < cutoff.instant
