"""What the oracle knows of the US side, from the ledger alone."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from finassay.world._events import Event, EventType
from finassay.world._events_us import UsDividend, UsFiling, UsListing, UsMember, UsSecurity

if TYPE_CHECKING:
    from finassay.temporal import Cutoff

_LISTINGS = (EventType.US_LIST, EventType.US_RENAME, EventType.US_MOVE, EventType.US_DELIST)


class UsOracle:
    """Answers about US securities, filings and series; a part of the oracle.

    Every US table says when its rows became public, so both modes answer alike.
    """

    _events: dict[tuple[EventType, int], list[Event]]
    _after: dict[int, Event]

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
        return f"{last.valid_from} {last.disclosed_at.date()}"


def _in_force(event: Event, cutoff: Cutoff) -> bool:
    return event.valid_from <= cutoff.day and event.disclosed_at < cutoff.instant
