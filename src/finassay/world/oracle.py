"""The independent oracle: as-of answers from the ledger alone, without any code of the materialiser.

Two modes. *world*: what a reader of all disclosures knew at the cutoff. *recoverable*: the best answer that the
vendor's tables at the snapshot still allow (world.md, 1): what has only a recording time counts from that, an end
without a disclosure of its own counts from its day, and what was not recorded by the snapshot never happened.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from finassay.temporal import Cutoff
from finassay.world._calendar import sessions
from finassay.world._config import START
from finassay.world._events import Alert, Event, EventType, Index, Industry, Member, Security
from finassay.world._oracle_daily import DailyOracle
from finassay.world._oracle_deals import DealsOracle
from finassay.world._oracle_dividends import DividendsOracle
from finassay.world._oracle_fund_reports import FundReportsOracle
from finassay.world._oracle_neeq import NeeqOracle
from finassay.world._oracle_ratios import RatiosOracle
from finassay.world._oracle_us import UsOracle

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date, datetime

    from finassay.world._world import World

Mode = Literal["world", "recoverable"]
_LONGEST_MONTH = 30  # sessions, more than lie between the ends of two months

__all__ = ["Mode", "Oracle"]


class Oracle(
    UsOracle, FundReportsOracle, RatiosOracle, DailyOracle, DealsOracle, DividendsOracle, NeeqOracle
):
    """Answers questions about a cutoff.

    Parameters
    ----------
    events : iterable of Event
        The ledger's events, of any snapshot.
    snapshot : datetime.datetime
        The vendor's moment; in the mode *world* it plays no part.
    mode : {"world", "recoverable"}
        Which truth is asked for.
    economy : World, optional
        Needed for what is no event alone: daily values of the market and of funds, US figures.
    """

    def __init__(
        self, events: Iterable[Event], snapshot: datetime, mode: Mode, economy: World | None = None
    ) -> None:
        self.mode, self.economy, self._moment = mode, economy, snapshot
        visible = [e for e in events if mode == "world" or e.recorded_at <= snapshot]
        self._events: dict[tuple[EventType, int], list[Event]] = {}
        self._after: dict[int, Event] = {}
        self._share: dict[int, int] = {}
        self._company: dict[int, int] = {}
        self._index: dict[int, int] = {}
        for event in visible:
            self._events.setdefault((event.type, event.entity), []).append(event)
            if event.supersedes is not None and event.type is not EventType.VENDOR_TOUCH:
                self._after[event.supersedes] = event
            if isinstance(event.payload, Security):
                self._share[event.payload.inner] = event.entity
                self._company[event.payload.company] = event.entity
            elif isinstance(event.payload, Index):
                self._index[event.payload.inner] = event.entity

    def listed(self, inner: int, cutoff: Cutoff) -> bool:
        """Whether a share is listed on the day; the delisting arrangement counts as listed."""
        kinds = (EventType.LIST, EventType.DELIST_PERIOD, EventType.DELIST)
        changes = [
            event
            for kind in kinds
            for event in self._of(kind, self._share.get(inner))
            if event.valid_from <= cutoff.day and self._listing_known(event, cutoff)
        ]
        if not changes:
            return False
        return max(changes, key=lambda e: (e.valid_from, e.recorded_at)).type is not EventType.DELIST

    def listing_day(self, inner: int, cutoff: Cutoff) -> str | None:
        """Return the first day on which a share was listed, if it has come."""
        days = [event.valid_from for event in self._of(EventType.LIST, self._share.get(inner))]
        return str(min(days)) if days and min(days) <= cutoff.day else None

    def special_treatment(self, inner: int, cutoff: Cutoff) -> bool:
        """Whether a share is under special treatment on the day, imposed and not lifted as far as was known."""
        for event in self._of(EventType.ST_ON, self._share.get(inner)):
            if not isinstance(event.payload, Alert) or not self._began(event, cutoff):
                continue
            end = self._after.get(event.event_id)
            if end is None or not (end.valid_from <= cutoff.day and _disclosed(end, cutoff)):
                return True
        return False

    def industry(self, company: int, cutoff: Cutoff) -> str | None:
        """Return the level-1 code of a company's industry, None if it had none yet."""
        known = [
            e for e in self._of(EventType.INDUSTRY_SET, self._company.get(company)) if self._began(e, cutoff)
        ]
        if not known:
            return None
        payload = max(known, key=lambda e: (e.valid_from, e.disclosed_at)).payload
        return payload.codes[0] if isinstance(payload, Industry) else None

    def member(self, index: int, inner: int, cutoff: Cutoff) -> bool:
        """Whether a share is a member of an index on the day."""
        entered = self._entries.get((self._index.get(index, -1), inner), ())
        return any(self._inside(event, cutoff) for event in entered)

    def members(self, index: int, cutoff: Cutoff) -> frozenset[int]:
        """Return the members of an index on the day, by the vendor's numbers of the shares."""
        entered = self._of(EventType.INDEX_IN, self._index.get(index))
        members = ((event, event.payload) for event in entered if self._inside(event, cutoff))
        return frozenset(who.inner for _, who in members if isinstance(who, Member))

    def weighed(self, index: int, cutoff: Cutoff) -> str | None:
        """Return the last day of a month with weights of an index, the number of members, the sum of their codes."""
        after = sessions().at_or_after(cutoff.instant.date())
        days = sessions().days[after - _LONGEST_MONTH : after + 1]
        ends = [day for day, following in pairwise(days) if day.month != following.month and day >= START]
        if not ends:
            return None
        inside = self.members(index, Cutoff(ends[-1]))
        return f"{ends[-1]} {len(inside)} {sum(inside)}" if inside else None

    def _inside(self, event: Event, cutoff: Cutoff) -> bool:
        if event.valid_from > cutoff.day or not self._known_ahead(event, cutoff):
            return False
        end = self._after.get(event.event_id)
        return not (end is not None and end.valid_from <= cutoff.day and self._known_ahead(end, cutoff))

    @cached_property
    def _entries(self) -> dict[tuple[int, int], list[Event]]:
        """The entries into an index (entity) of a share (the vendor's number)."""
        found: dict[tuple[int, int], list[Event]] = {}
        for (kind, entity), events in self._events.items():
            for event in events if kind is EventType.INDEX_IN else ():
                if isinstance(event.payload, Member):
                    found.setdefault((entity, event.payload.inner), []).append(event)
        return found

    def halted(self, inner: int, cutoff: Cutoff) -> bool:
        """Whether trading in a share is halted on the day."""
        for event in self._of(EventType.HALT, self._share.get(inner)):
            if self._began(event, cutoff):
                end = self._after.get(event.event_id)
                if end is None or not (end.valid_from <= cutoff.day and self._known_ahead(end, cutoff)):
                    return True
        return False

    def _of(self, kind: EventType, entity: int | None) -> list[Event]:
        return [] if entity is None else self._events.get((kind, entity), [])

    def _began(self, event: Event, cutoff: Cutoff) -> bool:
        return event.valid_from <= cutoff.day and _disclosed(event, cutoff)

    def _known_ahead(self, event: Event, cutoff: Cutoff) -> bool:
        """Tables without a disclosure of it rely on its day alone."""
        return self.mode == "recoverable" or _disclosed(event, cutoff)

    def _listing_known(self, event: Event, cutoff: Cutoff) -> bool:
        if self.mode == "recoverable":
            return event.recorded_at < cutoff.instant
        return _disclosed(event, cutoff)


def _disclosed(event: Event, cutoff: Cutoff) -> bool:
    return event.disclosed_at < cutoff.instant


def boundaries(events: Iterable[Event]) -> set[date]:
    """Return every day on which something of these events begins, is disclosed or is recorded."""
    found: set[date] = set()
    for event in events:
        found |= {event.valid_from, event.disclosed_at.date(), event.recorded_at.date()}
    return found
