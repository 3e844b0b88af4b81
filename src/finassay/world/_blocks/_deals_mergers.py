"""Mergers by exchange of shares, from the first announcement to the new shares.

One that comes about is behind a placement that the company's capital shows: it absorbs a party that is not listed, and
its shareholders get the new shares. One with a listed party begins with a halt for a reorganisation and fails: at the
meeting, or without a word.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._industries import SECTORS
from finassay.world._blocks._periods import period_end, quarter_of
from finassay.world._blocks._shares import PLACEMENT
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._events import Approval, Event, EventType, Halt, Origin
from finassay.world._events_company import Report, ShareChange
from finassay.world._events_deals import Merger, MergerExchange, MergerScheme
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from finassay.world._blocks._prices import Quotes
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._universe import Issuer
    from finassay.world._numerics import Floats

COMPLETED = 0.60  # of placements are exchanges of shares (assumed)
PROPOSED = 0.80  # of halts for a reorganisation lead to a proposal to a listed party (assumed)
REASON = "筹划重大资产重组"
_AFTER_THE_HALT = time(18, 30)  # which is announced on the same evening
_FIRST = ("锦", "临", "云", "海", "平", "望", "清", "石", "双", "青")
_SECOND = ("城", "江", "阳", "曲", "原", "山", "河", "桥", "湖", "岭")


def merger_events(
    seed: int,
    issuers: Sequence[Issuer],
    quotes: Quotes,
    events: list[Event],
    recorders: dict[int, Recorder],
) -> None:
    """Tell the mergers of all companies; the placements behind those that come about get them as their cause.

    `events` are those of the companies; such a placement is replaced in its place by one that says so.
    """
    mergers = _Mergers(seed, issuers, quotes, events)
    last: dict[int, date] = {}  # of one company's mergers none begins before another's end
    for place, before in mergers.placements():
        change = events[place]
        done = mergers.complete(change, before, recorders[change.entity])
        if done is not None:
            events[place] = replace(change, cause_ids=(*change.cause_ids, done.event_id))
            last[change.entity] = max(last.get(change.entity, date.min), change.valid_from)
    taken = set(last)
    for halt in mergers.halts():
        if halt.entity not in taken and mergers.fail(halt, recorders[halt.entity]):
            taken.add(halt.entity)


class _Mergers:
    def __init__(self, seed: int, issuers: Sequence[Issuer], quotes: Quotes, events: Sequence[Event]) -> None:
        self.seed, self.issuers, self.quotes, self.events = seed, issuers, quotes, events
        self.gone: dict[int, date] = {}
        self.listings: dict[int, Event] = {}
        self.capital: dict[int, list[tuple[date, int, int]]] = {}  # day, place among the events, shares
        self.reports: dict[int, list[Event]] = {}
        for place, event in enumerate(events):
            if event.type is EventType.LIST:
                self.listings[event.entity] = event
            elif isinstance(event.payload, ShareChange):
                change = event.valid_from, place, event.payload.total
                self.capital.setdefault(event.entity, []).append(change)
            elif event.type in (EventType.DELIST, EventType.DELIST_PERIOD, EventType.ST_ON):
                day = event.disclosed_at.date()
                self.gone[event.entity] = min(self.gone.get(event.entity, day), day)
            elif isinstance(event.payload, Report) and event.payload.period_end.month == 12:
                self.reports.setdefault(event.entity, []).append(event)

    def placements(self) -> Iterator[tuple[int, int]]:
        """Yield the places of placements among the events, with the shares before them."""
        for _, changes in sorted(self.capital.items()):
            before = 0
            for _, place, total in sorted(changes):
                change = self.events[place].payload
                if isinstance(change, ShareChange) and change.kind == PLACEMENT:
                    yield place, before
                before = total

    def halts(self) -> Iterator[Event]:
        """Yield the halts for a reorganisation that nobody planted, in the order of days."""
        found = [
            event
            for event in self.events
            if isinstance(event.payload, Halt)
            and event.payload.reason == REASON
            and event.origin is Origin.NATURAL
        ]
        yield from sorted(found, key=lambda e: (e.disclosed_at, e.entity))

    def complete(self, change: Event, before: int, recorder: Recorder) -> Event | None:
        """Tell the merger behind a placement up to the exchange; None if the placement is for money."""
        rng = stream(self.seed, Purpose.MERGER, change.entity, change.valid_from.toordinal())
        u = rng.random(10)
        issuer = self.issuers[change.entity - 1]
        if u[0] >= COMPLETED:
            return None
        placed = change.payload
        assert isinstance(placed, ShareChange)  # noqa: S101 - by its type
        calendar, day = sessions(), change.valid_from
        met = calendar.shift(day, -70 - int(60 * u[1]))
        schemed = calendar.shift(met, -22 - int(20 * u[2]))
        first = calendar.shift(schemed, -25 - int(40 * u[3]))
        if first < max(issuer.listed + timedelta(days=60), START):
            return None
        issued = placed.total - before
        exchanged = max(1, int(issued / (0.3 + 1.2 * float(u[4]))))
        party = self._unlisted(issuer, first, exchanged, issued * placed.price, u)
        plan = recorder.tell(
            EventType.MERGER_PLAN, party, valid=first, disclosed=first, causes=(self.listings[change.entity],)
        )
        ratio = float(np.rint(issued / exchanged * 10_000) / 10_000)
        told = self._scheme(recorder, plan, ratio, schemed)
        told = self._meeting(recorder, told, met, approved=True)
        exchange = MergerExchange(
            issued, exchanged, calendar.shift(day, -8), calendar.shift(day, -7), calendar.shift(day, -4)
        )
        announced = calendar.shift(day, -12)
        return recorder.tell(
            EventType.MERGER_EXCHANGE, exchange, valid=exchange.begin, disclosed=announced, supersedes=told
        )

    def fail(self, halt: Event, recorder: Recorder) -> bool:
        """Tell a proposal to a listed party, of the sector if there is one; the meeting rejects it, or it rests."""
        issuer = self.issuers[halt.entity - 1]
        rng = stream(self.seed, Purpose.MERGER, halt.entity, halt.seq)
        u, pick = rng.random(6), rng.random()
        first = halt.disclosed_at.date()
        if (
            u[0] >= PROPOSED
            or first < START
            or first > END - timedelta(days=30)
            or not self._calm(issuer, first)
        ):
            return False
        others = [
            i for i in self.issuers if i is not issuer and self._calm(i, first) and self._year(i, first)
        ]
        others = [other for other in others if other.sector == issuer.sector] or others
        if not others:
            return False
        other = others[int(pick * len(others))]
        plan = recorder.tell(
            EventType.MERGER_PLAN,
            self._listed(issuer, other, first),
            valid=first,
            disclosed=first,
            causes=(halt, self.listings[other.entity]),
            at=_AFTER_THE_HALT,
        )
        schemed = sessions().shift(first, 25 + int(30 * u[1]))
        if u[2] < 0.2 or schemed > END - timedelta(days=10):
            return True
        ratio = (
            self._close(other, schemed) * (1.0 + 0.25 * float(u[3])) / max(1, self._close(issuer, schemed))
        )
        told = self._scheme(recorder, plan, max(0.0001, float(np.rint(ratio * 10_000) / 10_000)), schemed)
        met = sessions().shift(schemed, 25 + int(30 * u[4]))
        if u[5] < 0.6 and met < END - timedelta(days=10):
            self._meeting(recorder, told, met, approved=False)
        return True

    def _scheme(self, recorder: Recorder, plan: Event, ratio: float, day: date) -> Event:
        scheme = MergerScheme(ratio, period_end(quarter_of(day) - 1))
        return recorder.tell(EventType.MERGER_SCHEME, scheme, valid=day, disclosed=day, supersedes=plan)

    def _meeting(self, recorder: Recorder, scheme: Event, day: date, *, approved: bool) -> Event:
        return recorder.tell(
            EventType.MERGER_MEETING, Approval(approved), valid=day, disclosed=day, supersedes=scheme
        )

    def _calm(self, issuer: Issuer, day: date) -> bool:
        """Whether a share is listed, and comes to no harm for a year."""
        return issuer.listed < day - timedelta(days=200) and self.gone.get(issuer.entity, END) >= min(
            END, day + timedelta(days=400)
        )

    def _year(self, issuer: Issuer, day: date) -> Report | None:
        """Return the last annual report disclosed before a day."""
        told = [event for event in self.reports.get(issuer.entity, ()) if event.disclosed_at.date() < day]
        if not told:
            return None
        report = max(told, key=lambda event: (event.disclosed_at, event.seq)).payload
        return report if isinstance(report, Report) else None

    def _listed(self, issuer: Issuer, other: Issuer, day: date) -> Merger:
        report = self._year(other, day)
        assert report is not None  # noqa: S101 - the caller chose so
        shown = report.shown[0]
        founded = other.listed - timedelta(days=2000 + other.company % 3000)
        return Merger(
            issuer.entity, other.entity, other.name, founded, self._shares(other, day), other.sector,
            shown.period_end, shown.assets, shown.equity, shown.revenue, shown.profit,
        )  # fmt: skip

    def _shares(self, issuer: Issuer, day: date) -> int:
        known = [(when, place, total) for when, place, total in self.capital[issuer.entity] if when <= day]
        return max(known)[2]

    def _unlisted(self, issuer: Issuer, day: date, shares: int, worth: int, u: Floats) -> Merger:
        """Make up a party whose equity is .5 to .9 of what is paid for it."""
        equity = int(worth * (0.5 + 0.4 * float(u[5])))
        assets = int(equity * (1.4 + 1.2 * float(u[6])))
        revenue = int(assets * (0.3 + 0.6 * float(u[7])))
        number = issuer.entity * 37 + int(u[9] * 1000)
        name = f"{_FIRST[number % 10]}{_SECOND[number // 10 % 10]}{SECTORS[issuer.sector]}股份有限公司"
        return Merger(
            issuer.entity, 0, name, date(1992 + int(20 * u[8]), 1 + number % 12, 1 + number % 28), shares,
            issuer.sector, date(day.year - 1 - (day.month < 5), 12, 31), assets, equity, revenue,
            int(revenue * (0.02 + 0.1 * float(u[9]))),
        )  # fmt: skip

    def _close(self, issuer: Issuer, day: date) -> int:
        """Return the last close before a day, in fen."""
        key = np.searchsorted(self.quotes.entity, [issuer.entity, issuer.entity + 1])
        at = int(np.searchsorted(self.quotes.session[key[0] : key[1]], sessions().at_or_after(day)))
        return int(self.quotes.close[key[0] + max(0, at - 1)])
