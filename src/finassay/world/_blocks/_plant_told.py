"""What is planted among events that were told already: nothing but a table's own rows hangs on them (world.md, 5).

Where a mechanism needs more than there are at an anchor, an announcement is moved behind it, or an event is added.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from finassay.world._blocks._funds_life import other_kinds
from finassay.world._blocks._plant import LARGE, anchors
from finassay.world._blocks._recorder import Recorder
from finassay.world._calendar import sessions
from finassay.world._config import END
from finassay.world._events import Event, EventType, Nothing, Origin, Payload
from finassay.world._events_bonds import BondTerms, Rating
from finassay.world._events_funds import FundKind, FundManager, FundOpen
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    import numpy as np

    from finassay.world._config import WorldConfig

MACRO = 15
JOINT = 3  # the seat of a joint manager
_FOREVER = date.max - timedelta(days=400)


class Told:
    """Events that were told, by id and entity, and what is planted among them: an entity's numbers go on."""

    def __init__(self, seed: int, events: list[Event]) -> None:
        self.seed = seed
        self.events = {event.event_id: event for event in events}
        self.follows: dict[int, datetime] = {}
        self._next: dict[tuple[int, EventType], int] = {}
        for event in events:
            key = (event.entity, event.type)
            self._next[key] = max(self._next.get(key, 0), event.seq + 1)
            for parent in event.parents:
                told = self.follows.get(parent)
                self.follows[parent] = event.disclosed_at if told is None else min(told, event.disclosed_at)

    def of(self, kind: EventType) -> list[Event]:
        """Return the events of a type, in the order of their numbers."""
        return sorted((e for e in self.events.values() if e.type is kind), key=lambda e: e.event_id)

    def add(
        self,
        rng: np.random.Generator,
        kind: EventType,
        entity: int,
        payload: Payload,
        days: tuple[date, date],
        *,
        supersedes: Event | None = None,
        causes: tuple[Event, ...] = (),
        prompt: bool = False,
    ) -> Event:
        """Plant an event that holds and is disclosed on two days; one that it comes before in a chain is relinked."""
        recorder = Recorder(self.seed, entity)
        with recorder.planting(rng):
            told = recorder.tell(
                kind,
                payload,
                valid=days[0],
                disclosed=days[1],
                supersedes=supersedes,
                causes=causes,
                prompt=prompt,
            )
        told = replace(told, seq=self._next.get((entity, kind), 0))
        self._next[entity, kind] = told.seq + 1
        self.events[told.event_id] = told
        return told

    def relink(self, event: Event, before: Event) -> None:
        """Let an event follow another one than it did."""
        self.events[event.event_id] = replace(event, supersedes=before.event_id)

    def delay(self, event: Event, by: timedelta) -> None:
        """Move the disclosure of an event, unless what follows from it would come first."""
        told, recorded = event.disclosed_at + by, event.recorded_at + by
        self.events[event.event_id] = replace(
            event, disclosed_at=told, recorded_at=recorded, origin=Origin.SEEDED
        )

    def may_wait(self, event: Event, by: timedelta) -> bool:
        """Whether an announcement may come so much later."""
        follows = self.follows.get(event.event_id)
        return event.origin is Origin.NATURAL and (follows is None or event.disclosed_at + by < follows)


@dataclass(slots=True)
class _Gap:
    """A place in a chain where an event may be added: after one, before another, within a span of days."""

    before: Event
    after: Event | None
    low: date
    high: date

    def holds(self, day: date) -> bool:
        """Whether an event about a day fits."""
        return self.low < day - timedelta(days=20) and day + timedelta(days=20) < self.high


def plant_funds(config: WorldConfig, events: list[Event]) -> list[Event]:
    """Return the events of the fund trade in which every anchor has its managers and kinds that nobody knows of."""
    told = Told(config.seed, events)
    joint = _Joint(told)
    _managers(config, told, joint)
    _ties(config, told, joint)
    _kinds(config, told)
    return list(told.events.values())


def _wanted(config: WorldConfig, large: int, small: int) -> int:
    return large if config.scale >= LARGE else small


def _soon(day: date, rng: np.random.Generator) -> date:
    """Return a day after an anchor: in two of five cases the next one."""
    return day + timedelta(days=1 + int(rng.random() ** 2 * 5))


def _managers(config: WorldConfig, told: Told, joint: _Joint) -> None:
    """Delay announcements of managers who took office within a month of an anchor; then add joint managers."""
    wanted = _wanted(config, 7, 4)  # one more than is wanted: some are recorded late
    appointed = sorted(told.of(EventType.MANAGER_IN), key=lambda e: e.valid_from)
    days = [e.valid_from for e in appointed]
    for number, day in enumerate(anchors(config.snapshot)):
        rng = stream(config.seed, Purpose.TRAP, number, 1)
        low, high = bisect_right(days, day - timedelta(days=61)), bisect_right(days, day)
        near = [told.events[e.event_id] for e in appointed[low:high]]
        missing = wanted - sum(e.disclosed_at.date() > day for e in near)
        late = [e for e in near if e.valid_from < e.disclosed_at.date() <= day]
        for event in (late[n] for n in rng.permutation(len(late))):
            by = _soon(day, rng) - event.disclosed_at.date()
            if missing > 0 and event.valid_from >= day - timedelta(days=31) and told.may_wait(event, by):
                told.delay(event, by)
                missing -= 1
        for _ in range(max(0, missing)):
            joint.appoint(rng, day)


class _Joint:
    """Appoints managers to a further fund of their adviser for some months."""

    def __init__(self, told: Told) -> None:
        self.told = told
        closed = {e.entity: e.valid_from for e in told.of(EventType.FUND_CLOSE)}
        self.people = {e.entity: e for e in told.of(EventType.FUND_PERSON)}
        self.funds: dict[int, list[tuple[Event, date]]] = {}
        adviser: dict[int, int] = {}
        for event in told.of(EventType.FUND_OPEN):
            assert isinstance(event.payload, FundOpen)  # noqa: S101 - by its type
            adviser[event.entity] = event.payload.adviser
            self.funds.setdefault(event.payload.adviser, []).append((event, closed.get(event.entity, END)))
        out = {e.supersedes: e.valid_from for e in told.of(EventType.MANAGER_OUT)}
        self.posts: list[tuple[Event, date, int]] = []
        self.held: dict[
            int, dict[int, date]
        ] = {}  # by person and fund: since when they may be appointed again
        for event in told.of(EventType.MANAGER_IN):
            assert isinstance(event.payload, FundManager)  # noqa: S101 - by its type
            end = out.get(event.event_id, END)
            self.posts.append((event, end, adviser[event.entity]))
            self.held.setdefault(event.payload.person, {})[event.entity] = date.max

    def appoint(self, rng: np.random.Generator, day: date) -> None:
        """Add a manager to a fund: in office before the anchor, announced after it."""
        stay = timedelta(days=70 + int(rng.random() * 90))
        start = sessions().before(day - timedelta(days=int(rng.random() ** 2 * 12) - 1))
        found = self._free(rng, day, stay, 1)
        if found:
            opened, (person,) = found
            self._tell(rng, (start, _soon(day, rng)), day + stay, opened, person)

    def pair(self, rng: np.random.Generator, day: date) -> tuple[int, date] | None:
        """Add two managers to a fund, announced on one day before the anchor; return the fund and the day."""
        stay = timedelta(days=200 + int(rng.random() * 300))
        found = self._free(rng, day, stay, 2)
        if not found:
            return None
        opened, people = found
        start = sessions().before(day - timedelta(days=int(rng.random() * 12) - 1))
        for person in people:
            self._tell(rng, (start, start), day + stay, opened, person)
        return opened.entity, start

    def _free(
        self, rng: np.random.Generator, day: date, stay: timedelta, count: int
    ) -> tuple[Event, list[FundManager]] | None:
        """Return a fund, and so many managers in office elsewhere at its adviser who were not there for months.

        None returns to a fund that was or will be theirs by nature.
        """
        able: dict[int, list[FundManager]] = {}
        for post, end, adviser in self.posts:
            if post.valid_from < day - timedelta(days=90) and min(end, END) >= min(day + stay, END):
                assert isinstance(post.payload, FundManager)  # noqa: S101 - by its type
                able.setdefault(adviser, []).append(post.payload)
        funds = [
            (opened, adviser)
            for adviser in able
            for opened, end in self.funds[adviser]
            if opened.valid_from < day - timedelta(days=200) and end > day + stay + timedelta(days=60)
        ]
        for n in rng.permutation(len(funds)):
            opened, adviser = funds[int(n)]
            free = {
                p.person: p
                for p in able[adviser]
                if self.held[p.person].get(opened.entity, date.min) < day - timedelta(days=120)
            }
            if len(free) >= count:
                people = list(free.values())
                return opened, [people[int(k)] for k in rng.permutation(len(people))[:count]]
        return None

    def _tell(
        self,
        rng: np.random.Generator,
        days: tuple[date, date],
        until: date,
        opened: Event,
        who: FundManager,
    ) -> None:
        event = self.told.add(
            rng,
            EventType.MANAGER_IN,
            opened.entity,
            replace(who, number=JOINT),
            days,
            causes=(opened, self.people[who.person]),
        )
        stop = sessions().before(until)
        self.held[who.person][opened.entity] = stop
        if stop < END - timedelta(days=10):
            leave = (stop, stop - timedelta(days=1 + int(rng.random() * 6)))
            self.told.add(rng, EventType.MANAGER_OUT, opened.entity, Nothing(), leave, supersedes=event)


def _ties(config: WorldConfig, told: Told, joint: _Joint) -> None:
    """Let two managers of a fund be announced on one day, the last one on which any is."""
    wanted = _wanted(config, 3, 2)
    order = sorted((e.disclosed_at.date(), e.entity) for e in told.of(EventType.MANAGER_IN))
    last: dict[int, tuple[date, int]] = {}
    place = 0
    for number, day in enumerate(anchors(config.snapshot)):
        while place < len(order) and order[place][0] <= day:
            when, fund = order[place]
            same = fund in last and last[fund][0] == when
            last[fund] = (when, last[fund][1] + 1 if same else 1)
            place += 1
        rng = stream(config.seed, Purpose.TRAP, number, 9)
        for _ in range(wanted - sum(count > 1 for _, count in last.values())):
            added = joint.pair(rng, day)
            if added is not None:
                last[added[0]] = max(last.get(added[0], (date.min, 0)), (added[1], 2))


def _chains(told: Told, kind: EventType) -> list[tuple[Event, Event | None]]:
    """Return the events of a type, each with the one of the type that supersedes it."""
    after = {e.supersedes: e for e in told.of(kind) if e.supersedes is not None}
    return [(e, after.get(e.event_id)) for e in told.of(kind)]


def _kinds(config: WorldConfig, told: Told) -> None:
    """Add changes of a fund's kind that the vendor records after the anchor."""
    closed = {e.entity: e.valid_from for e in told.of(EventType.FUND_CLOSE)}
    gaps = [
        _Gap(
            before,
            after,
            max(before.valid_from, before.disclosed_at.date()) + timedelta(days=60),
            min((after.valid_from if after else END), closed.get(before.entity, END)) - timedelta(days=60),
        )
        for before, after in _chains(told, EventType.FUND_KIND)
    ]
    known = [
        (e.valid_from, e.recorded_at.date())
        for kind in (EventType.FUND_KIND, EventType.FUND_BENCHMARK)
        for e in told.of(kind)
        if e.valid_from < e.recorded_at.date()
    ]
    wanted = _wanted(config, 3, 1)
    for number, day in enumerate(anchors(config.snapshot)):
        rng = stream(config.seed, Purpose.TRAP, number, 2)
        missing = wanted - sum(valid <= day < recorded for valid, recorded in known)
        for gap in _open_gaps(rng, gaps, day, missing):
            now, then = _kind(gap.before), _kind(gap.after)
            kinds = [kind for kind in other_kinds(now) if kind != then]
            if not kinds or missing <= 0:
                continue
            start = sessions().before(day - timedelta(days=int(rng.random() ** 2 * 15) - 1))
            event = told.add(
                rng,
                EventType.FUND_KIND,
                gap.before.entity,
                FundKind(kinds[int(rng.random() * len(kinds))]),
                (start, _soon(day, rng)),
                supersedes=gap.before,
                prompt=True,
            )
            _close(told, gap, event, timedelta(days=60))
            missing -= 1


def _kind(event: Event | None) -> int:
    return event.payload.third if event is not None and isinstance(event.payload, FundKind) else 0


def _open_gaps(rng: np.random.Generator, gaps: list[_Gap], day: date, wanted: int) -> list[_Gap]:
    """Return places for events about a day, in a random order; none if none is wanted."""
    if wanted <= 0:
        return []
    found = [gap for gap in gaps if gap.holds(day)]
    return [found[int(n)] for n in rng.permutation(len(found))]


def _close(told: Told, gap: _Gap, event: Event, calm: timedelta) -> None:
    """Note an event that was added: what came next in the chain follows it."""
    if gap.after is not None:
        gap.after = told.events[gap.after.event_id]
        told.relink(gap.after, event)
    gap.before, gap.low = event, event.disclosed_at.date() + calm


def plant_ratings(config: WorldConfig, events: list[Event]) -> list[Event]:
    """Return the events of bonds in which every anchor has ratings of before that are published after it."""
    told = Told(config.seed, events)
    ends = _ends(told)
    gaps = []
    for before, after in _chains(told, EventType.BOND_RATING):
        rating = before.payload
        assert isinstance(rating, Rating)  # noqa: S101 - by its type
        if rating.term == 1 and rating.expires is None:
            low = max(before.valid_from, before.disclosed_at.date()) + timedelta(days=8)
            high = min(after.valid_from if after else END, ends[before.entity])
            gaps.append(_Gap(before, after, low, high))
    known = told.of(EventType.BOND_RATING)
    wanted = _wanted(config, 5, 3)  # one more than is wanted: some are recorded late
    for number, day in enumerate(anchors(config.snapshot)):
        rng = stream(config.seed, Purpose.TRAP, number, 3)
        missing = wanted - sum(e.valid_from <= day < e.disclosed_at.date() for e in known)
        for gap in _open_gaps(rng, gaps, day, missing)[: max(0, missing)]:
            payload = gap.before.payload
            assert isinstance(payload, Rating)  # noqa: S101 - by its type
            start = day - timedelta(days=int(rng.random() ** 2 * 3))
            event = told.add(
                rng,
                EventType.BOND_RATING,
                gap.before.entity,
                replace(payload, first=False),
                (start, min(_soon(day, rng), start + timedelta(days=5))),
                supersedes=gap.before,
                causes=tuple(told.events[cause] for cause in gap.before.cause_ids if cause in told.events),
            )
            _close(told, gap, event, timedelta(days=8))
    return list(told.events.values())


def _ends(told: Told) -> dict[int, date]:
    """Return the day from which on a bond is rated no more: called, repaid or in default."""
    found = {}
    for event in told.of(EventType.BOND_ISSUE):
        assert isinstance(event.payload, BondTerms)  # noqa: S101 - by its type
        found[event.entity] = event.payload.maturity
    for kind in (EventType.BOND_CALL, EventType.CONVERT_CALL, EventType.BOND_DEFAULT):
        for event in told.of(kind):
            found[event.entity] = min(found[event.entity], event.disclosed_at.date())
    return found


def postponed(config: WorldConfig, events: list[Event]) -> list[Event]:
    """Return the macro releases, some of them postponed: past periods are unreleased at every anchor.

    A month that ends on a holiday has ended after its last session, so its own series are not yet due.
    """
    told = Told(config.seed, events)
    releases = told.of(EventType.CN_RELEASE)
    spans = sorted((e.disclosed_at.date(), e.event_id) for e in releases)
    known = {e.event_id: (e.valid_from, e.disclosed_at.date()) for e in releases}
    for number, day in enumerate(anchors(config.snapshot)):
        rng = stream(config.seed, Purpose.TRAP, number, 4)
        last = day + timedelta(days=50)  # recorded before the first snapshot of which this is an anchor
        missing = MACRO - sum(first <= day < at <= last for first, at in known.values())
        low, high = (bisect_right(spans, (d, 1 << 63)) for d in (day - timedelta(days=24), day))
        near = [told.events[spans[n][1]] for n in range(low, high)]
        for n in rng.permutation(len(near)):
            event = near[int(n)]
            by = _soon(day, rng) - event.disclosed_at.date()
            if missing > 0 and event.supersedes is None and told.may_wait(event, by):
                told.delay(event, by)
                known[event.event_id] = (event.valid_from, event.disclosed_at.date() + by)
                missing -= 1
    return list(told.events.values())


def missing_revisions(config: WorldConfig, events: list[Event]) -> dict[date, int]:
    """Return by anchor how many revisions within half a year are missing, beside the restatements of companies."""
    days = sorted(e.disclosed_at.date() for e in events if e.type is EventType.RESTATEMENT)
    found = {}
    for day in anchors(config.snapshot):
        last = min(
            day + timedelta(days=180), config.snapshot - timedelta(days=24)
        )  # it must be recorded by then
        found[day] = _wanted(config, 20, 5) - (bisect_right(days, last) - bisect_right(days, day))
    return found
