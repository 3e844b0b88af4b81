"""What the oracle knows of funds: from the ledger, and from the values that follow from it."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._calendar import quarter_ends, sessions
from finassay.world._events import Event, EventType
from finassay.world._events_funds import (
    FundBenchmark,
    FundClass,
    FundDealing,
    FundFee,
    FundKind,
    FundManager,
    FundTarget,
)
from finassay.world._oracle_beside import Beside

if TYPE_CHECKING:
    from datetime import date

    from finassay.temporal import Cutoff
    from finassay.world._blocks._funds_values import FundValues

_EPOCH = datetime.fromisoformat("1970-01-01")
_QUARTERLY = 1


class FundOracle(Beside):
    """Answers about share classes and their funds; a part of the oracle.

    Where a table has only a time of recording, the mode *recoverable* goes by that: classes, dealing, net values and
    sizes. Elsewhere both modes go by disclosures.
    """

    mode: str
    _moment: datetime
    _events: dict[tuple[EventType, int], list[Event]]
    _after: dict[int, Event]
    _share: dict[int, int]

    @cached_property
    def _share_classes(self) -> dict[int, Event]:
        """The events of share classes by the vendor's number."""
        return {
            event.payload.inner: event
            for (kind, _), events in self._events.items()
            for event in (events if kind is EventType.FUND_CLASS else ())
            if isinstance(event.payload, FundClass)
        }

    def fund_alive(self, inner: int, cutoff: Cutoff) -> bool:
        """Whether a share class is established and its fund not ended on the day."""
        opened = self._share_classes.get(inner)
        if opened is None or opened.valid_from > cutoff.day:
            return False
        ends = self._events.get((EventType.FUND_CLOSE, opened.entity & ~3), [])
        return not any(end.valid_from <= cutoff.day for end in ends)

    def fund_class(self, inner: int, cutoff: Cutoff) -> int | None:
        """Return the vendor's class of a share class at level 3."""
        event = self._last(EventType.FUND_KIND, inner, cutoff, by_record=True)
        return event.payload.third if event and isinstance(event.payload, FundKind) else None

    def fund_dealing(self, inner: int, cutoff: Cutoff) -> tuple[int, int] | None:
        """Return the state of purchases (1 open, 2 capped, 3 suspended) and the cap."""
        event = self._last(EventType.FUND_DEALING, inner, cutoff, by_record=True)
        state = event.payload if event else None
        return (state.purchase, state.cap) if isinstance(state, FundDealing) else None

    def fund_benchmark(self, inner: int, cutoff: Cutoff) -> int | None:
        """Return the index of the heaviest leg of the benchmark; of equal ones the first."""
        event = self._last(EventType.FUND_BENCHMARK, inner, cutoff)
        if event is None or not isinstance(event.payload, FundBenchmark):
            return None
        return max(enumerate(event.payload.legs), key=lambda leg: (leg[1][1], -leg[0]))[1][0]

    def fund_target(self, inner: int, cutoff: Cutoff) -> int | None:
        """Return the index that a fund tracks, None if none."""
        event = self._last(EventType.FUND_TARGET, inner, cutoff)
        return event.payload.index if event and isinstance(event.payload, FundTarget) else None

    def fund_fee(self, inner: int, kind: int, cutoff: Cutoff) -> int | None:
        """Return a fee of the fund (1 management, 2 custody) in hundredths of a percent."""
        opened = self._share_classes.get(inner)
        if opened is None:
            return None
        fees = self._events.get((EventType.FUND_FEE, opened.entity & ~3), [])
        mine = [fee for fee in fees if isinstance(fee.payload, FundFee) and fee.payload.kind == kind]
        event = self._latest(mine, opened, cutoff, by_record=False)
        return event.payload.rate if event and isinstance(event.payload, FundFee) else None

    def fund_managers(self, inner: int, cutoff: Cutoff) -> frozenset[int]:
        """Return the codes of the people in office, as far as their appointments were announced."""
        opened = self._share_classes.get(inner)
        found = set()
        for event in self._events.get((EventType.MANAGER_IN, opened.entity & ~3), []) if opened else ():
            end = self._after.get(event.event_id)
            gone = end is not None and end.valid_from <= cutoff.day
            began = max(event.valid_from, opened.valid_from) if opened else event.valid_from
            told = max(event.disclosed_at, opened.disclosed_at) if opened else event.disclosed_at
            if began <= cutoff.day and told < cutoff.instant and not gone:
                assert isinstance(event.payload, FundManager)  # noqa: S101 - by its type
                found.add(event.payload.code)
        return frozenset(found)

    def _last(self, kind: EventType, inner: int, cutoff: Cutoff, *, by_record: bool = False) -> Event | None:
        opened = self._share_classes.get(inner)
        if opened is None:
            return None
        events = self._events.get((kind, opened.entity & ~3), [])
        return self._latest(events, opened, cutoff, by_record=by_record)

    def _latest(self, events: list[Event], opened: Event, cutoff: Cutoff, *, by_record: bool) -> Event | None:
        """Return the last state that had begun and was known; a class begins with the state it is opened in."""

        def known(event: Event) -> datetime:
            if by_record and self.mode == "recoverable":
                return max(event.recorded_at, opened.recorded_at)
            return max(event.disclosed_at, opened.disclosed_at)

        def over(event: Event) -> bool:
            """Whether it had ended when the class was opened."""
            after = self._after.get(event.event_id)
            return after is not None and after.valid_from <= opened.valid_from > event.valid_from

        found = [
            event
            for event in events
            if max(event.valid_from, opened.valid_from) <= cutoff.day
            and known(event) < cutoff.instant
            and not over(event)
        ]
        return max(found, key=lambda e: (e.valid_from, e.recorded_at, e.seq)) if found else None

    def fund_nav(self, inner: int, cutoff: Cutoff) -> tuple[date, int] | None:
        """Return the last day with a known net value and the restored value in millionths of a yuan."""
        book, opened = self._values().navs, self._share_classes.get(inner)
        if opened is None:
            return None
        low, high = np.searchsorted(book.entity, [opened.entity, opened.entity + 1])
        rows = slice(int(low), int(high))
        days = sessions().days
        last = int(np.searchsorted(sessions().array, np.datetime64(cutoff.day), side="right"))
        known = book.recorded[rows] if self.mode == "recoverable" else book.published[rows]
        seen = (known < _seconds(cutoff.instant)) & (book.session[rows] < last)
        if self.mode == "recoverable":
            seen &= book.recorded[rows] <= _seconds(self._moment)
        places = np.flatnonzero(seen)
        if not places.size:
            return None
        place = int(low) + int(places[-1])
        return days[int(book.session[place])], int(book.restored[place])

    def fund_size(self, inner: int, cutoff: Cutoff) -> tuple[date, int] | None:
        """Return the last quarter end with a known size, and the combined size in fen.

        Sizes come with quarterly reports; one that is revised later reads differently until then.
        """
        values, opened = self._values(), self._share_classes.get(inner)
        if opened is None:
            return None
        reports, sizes = values.reports, values.sizes
        low, high = np.searchsorted(sizes.entity, [opened.entity, opened.entity + 1])
        limit = min(_seconds(cutoff.instant) - 1, _seconds(self._moment))
        best: tuple[date, int] | None = None
        if low == high:
            return None
        first, stop = np.searchsorted(reports.fund, [sizes.fund[low], sizes.fund[low] + 1])
        told = {
            int(reports.quarter[n]): int(reports.recorded[n])
            for n in range(int(first), int(stop))
            if reports.form[n] == 1 and reports.version[n] == 0
        }
        for row in range(int(low), int(high)):
            quarter = int(sizes.quarter[row])
            if told.get(quarter, limit + 1) > limit:
                continue
            right = told[quarter] + int(sizes.revised[row]) * 86_400 <= limit
            size = sizes.combined[row] if right else sizes.first_combined[row]
            best = (quarter_ends()[quarter], int(size))
        return best

    def fund_top_ten(self, inner: int, cutoff: Cutoff) -> tuple[date, tuple[int, ...]] | None:
        """Return the last period with a published quarterly list, and the ten largest stocks (entities) in order.

        The last publication of a period's report counts as a whole; one that is to be replaced misses its third name.
        """
        values, opened = self._values(), self._share_classes.get(inner)
        place = self._places.get(opened.entity & ~3 if opened else -1)
        if place is None:
            return None
        last = self._last_report(place, (_QUARTERLY,), cutoff)
        if last is None:
            return None
        rows = self._listed_stocks(place, last)[:10]
        names = tuple(int(share) for share in values.lists.share[rows])
        return (quarter_ends()[int(values.reports.quarter[last])], names) if names else None

    def _last_report(self, place: int, forms: tuple[int, ...], cutoff: Cutoff, since: int = 0) -> int | None:
        """Return the row of a fund's last report of some forms, of quarters from one on, by its last publication."""
        reports = self._values().reports
        day = (cutoff.instant - _EPOCH).days
        first, stop = np.searchsorted(reports.fund, [place, place + 1]).tolist()
        known = [
            n
            for n in range(first, stop)
            if reports.form[n] in forms
            and reports.quarter[n] >= since
            and reports.disclosed[n] < day
            and reports.recorded[n] <= _seconds(self._moment)
        ]
        return max(known, key=lambda n: (reports.quarter[n], reports.disclosed[n]), default=None)

    def _listed_stocks(self, place: int, report: int) -> list[int]:
        """Return the rows of the stocks that a report lists, in its order: one to be replaced misses the third."""
        reports, lists = self._values().reports, self._values().lists
        low, high = np.searchsorted(lists.fund, [place, place + 1]).tolist()
        mine = low + np.flatnonzero(lists.quarter[low:high] == reports.quarter[report])
        rows: list[int] = mine[np.argsort(lists.rank[mine])].tolist()
        if reports.wrong[report]:
            del rows[2:3]
        return rows

    def inner_of(self, share: int) -> int:
        """Return the vendor's number of a share, by its entity."""
        return self._inners[share]

    @cached_property
    def _inners(self) -> dict[int, int]:
        return {entity: inner for inner, entity in self._share.items()}

    @cached_property
    def _places(self) -> dict[int, int]:
        """The place of each fund among the values."""
        return {life.entity: n for n, life in enumerate(self._values().lives)}

    def _values(self) -> FundValues:
        return self.beside.funds


def _seconds(moment: datetime) -> int:
    return int((moment - _EPOCH) / timedelta(seconds=1))
