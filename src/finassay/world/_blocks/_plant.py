"""What is planted beside the natural lives of shares, so that every anchor has its traps (world.md, 5)."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._blocks._dividends import Intended, intended_dividends
from finassay.world._blocks._indices import INDICES
from finassay.world._blocks._industries import STAR_BOARD, industry_events
from finassay.world._blocks._life import ARRANGEMENT, life_events, plant_life
from finassay.world._blocks._recorder import Recorder
from finassay.world._calendar import sessions
from finassay.world._config import END, START, WorldConfig
from finassay.world._events import EventType
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from finassay.world._blocks._universe import Issuer
    from finassay.world._events import Event

LARGE = 0.2  # from this scale on quotas are the larger of the two
QUIET = timedelta(
    days=60
)  # between the last anchor and the snapshot, by which what shows only later must show
_TRIES = 400
_MANY = 100  # largest shares, among which half of what is planted does not show


@dataclass(frozen=True, slots=True)
class Planted:
    """An episode to be told: positions of sessions.

    Attributes
    ----------
    kind : str
        ``treatment``, ``delisting``, ``halt``, ``industry``, ``name`` or ``dividend``.
    told, start, end : int
        When it is announced, when it begins to hold, and when it ends (a delisting: is decided).
    """

    kind: str
    told: int
    start: int
    end: int


@dataclass(slots=True)
class Life:
    """What already happens to a share: intervals of sessions in which nothing else may begin, and what anchors see.

    `seen` has (told, start, end) by kind, ``gone`` among them; `listed` and `gone` are its first and last session;
    `paid` are the quarters for which a dividend is planted, which are not those of natural ones.
    """

    entity: int
    listed: int
    star: bool
    gone: int | None = None
    busy: list[tuple[int, int]] = field(default_factory=list)
    seen: dict[str, list[tuple[int, int, int]]] = field(default_factory=dict)
    paid: set[date] = field(default_factory=set)

    def add(self, kind: str, told: int, start: int, end: int) -> None:
        """Note an episode."""
        self.seen.setdefault(kind, []).append((told, start, end))

    def free(self, low: int, high: int) -> bool:
        """Whether the share is listed for a year and nothing begins in an interval."""
        return (
            self.listed + 243 < low
            and (self.gone is None or self.gone > high)
            and not any(a <= high and low <= b for a, b in self.busy)
        )


def anchors(last: date = END) -> list[date]:
    """Return the last session of each month, from a year after the start to 60 days before a day."""
    days = sessions().days
    low, high = (
        bisect_left(days, date(START.year + 1, START.month, START.day)),
        bisect_left(days, last - QUIET),
    )
    return [a for a, b in zip(days[low:high], days[low + 1 : high + 1], strict=True) if a.month != b.month]


def lives_of(seed: int, issuers: tuple[Issuer, ...]) -> list[Life]:
    """Return the natural lives of shares; the same draws tell them again later."""
    return [_life(seed, issuer) for issuer in issuers]


def _life(seed: int, issuer: Issuer) -> Life:
    recorder = Recorder(seed, issuer.entity)
    life_events(seed, issuer, recorder)
    industry_events(seed, issuer, recorder)
    at = sessions().at_or_after
    life = Life(issuer.entity, at(issuer.listed), issuer.board == STAR_BOARD)
    ends = {e.supersedes: e for e in recorder.events if e.supersedes is not None}
    forever = at(END)
    for event in recorder.events:
        start, told = at(event.valid_from), at(event.disclosed_at.date())
        end = at(ends[event.event_id].valid_from) if event.event_id in ends else forever
        _note(life, event, told, start, end)
    for plan in intended_dividends(seed, issuer):
        life.paid.add(plan.period_end)
        if plan.approved:
            life.add("dividend", at(plan.planned), at(plan.planned), at(plan.announced))
    if life.gone is not None:
        gone = life.gone
        life.seen = {
            kind: [(told, start, min(end, gone)) for told, start, end in seen if told < gone]
            for kind, seen in life.seen.items()
        }
    return life


def _note(life: Life, event: Event, told: int, start: int, end: int) -> None:
    if event.type is EventType.ST_ON:
        life.add("treatment", told, start, end)
        life.busy.append((told - 30, end + 60))
    elif event.type is EventType.HALT:
        life.add("halt", told, start, end)
        life.busy.append((start - 3, end + 3))
    elif event.type is EventType.RENAME:
        life.add("name", told, start, start)
        life.busy.append((told - 3, start + 3))
    elif event.type is EventType.DELIST_PERIOD:
        life.add("delisting", told, start, start + ARRANGEMENT + 3)
    elif event.type is EventType.DELIST:
        life.add("gone", told, start, start)
        life.gone = start
    elif event.type is EventType.INDUSTRY_SET and event.supersedes is not None:
        life.add("industry", told, start, end)


Seen = tuple[int, int, int]  # told, start, end


# Of numbers or of arrays


def _pending(told: Any, start: Any, end: Any, at: int, horizon: int) -> Any:
    del end, horizon
    return (told <= at) & (at < start)


def _open(told: Any, start: Any, end: Any, at: int, horizon: int) -> Any:
    del told, horizon
    return (start <= at) & (at < end)


def _between(told: Any, start: Any, end: Any, at: int, horizon: int) -> Any:
    del told, end
    return (min(at, horizon) < start) & (start <= max(at, horizon))


@dataclass(frozen=True)
class _Quota:
    """How many shares an anchor must expose, from scale .2 on and below it; what counts, and what is planted.

    What counts begins between the anchor and so many days later, or earlier where they are negative; a `late`
    one is for the last anchor before the snapshot.
    """

    kind: str
    large: int
    small: int
    exposed: Callable[[Any, Any, Any, int, int], Any]
    make: Callable[[np.random.Generator, Life, int], Planted | None]
    days: int = 0
    pool: str = ""
    late: bool = False

    def horizon(self, day: date, snapshot: date) -> int:
        """Return the session up to which it looks; nothing counts that the snapshot does not show."""
        return sessions().at_or_after(min(day + timedelta(days=self.days), snapshot))

    def wanted(self, day: date, config: WorldConfig) -> int:
        """Return how many an anchor needs."""
        if self.late and day <= config.snapshot - QUIET - timedelta(days=31):
            return 0
        return self.large if config.scale >= LARGE else self.small


def plan(config: WorldConfig, issuers: tuple[Issuer, ...], lives: list[Life]) -> dict[int, list[Planted]]:
    """Return what is planted, by entity: at each anchor as much as natural events leave of the quota."""
    by_size = sorted(range(len(issuers)), key=lambda n: (-issuers[n].price * issuers[n].shares, n))
    members = sum(config.index_size(size) for *_, size in INDICES)
    board = _Board(lives, by_size[: max(1, len(issuers) // 10)], by_size[:members])
    for number, day in enumerate(anchors(config.snapshot)):
        rng = stream(config.seed, Purpose.TRAP, number)
        for quota in _QUOTAS:
            at, horizon = sessions().at_or_after(day), quota.horizon(day, config.snapshot)
            board.top_up(rng, quota, quota.wanted(day, config), at, horizon)
    return board.planted


class _Board:
    """Lives with what is planted in them, anchor by anchor."""

    def __init__(self, lives: list[Life], largest: list[int], members: list[int]) -> None:
        self.lives = lives
        everywhere = list(range(len(lives)))
        star = [n for n in everywhere if lives[n].star]
        # In a small world nearly every large share is a member of an index, which loses it with its treatment
        small = [n for n in everywhere if n not in members] if len(largest) < _MANY else everywhere
        self.pools = {"": everywhere, "largest": largest, "members": members, "star": star, "treated": small}
        # Half of what is planted; in a small world less, lest its few largest shares be always in trouble
        self.large = min(0.5, len(largest) / _MANY)
        self.planted: dict[int, list[Planted]] = {}
        kinds = {quota.kind for quota in _QUOTAS}
        # A first row that no anchor sees: there may be no other
        self.natural = {
            kind: np.array([(0, 0, 0), *(seen for life in lives for seen in life.seen.get(kind, ()))])
            for kind in kinds
        }
        self.added: dict[str, list[Seen]] = {kind: [(0, 0, 0)] for kind in kinds}

    def top_up(self, rng: np.random.Generator, quota: _Quota, wanted: int, at: int, horizon: int) -> None:
        """Plant in lives drawn at random, a part of them of the largest, until so many are exposed."""
        found = 0
        for seen in (self.natural[quota.kind], np.array(self.added[quota.kind])):
            found += int(np.sum(quota.exposed(seen[:, 0], seen[:, 1], seen[:, 2], at, horizon)))
        for _ in range(_TRIES):
            large, place = rng.random(2)
            mixed = quota.pool in ("", "treated")
            pool = self.pools["largest" if mixed and large < self.large else quota.pool]
            if found >= wanted or not pool:
                return
            life = self.lives[pool[int(place * len(pool))]]
            planted = quota.make(rng, life, at)
            if planted is not None and quota.exposed(*_seen(planted)[quota.kind], at, horizon):
                self._plant(life, planted)
                found += 1

    def _plant(self, life: Life, planted: Planted) -> None:
        self.planted.setdefault(life.entity, []).append(planted)
        for kind, seen in _seen(planted).items():
            life.add(kind, *seen)
            if kind in self.added:
                self.added[kind].append(seen)
        if planted.kind == "dividend":
            life.paid.add(_period(planted.told))
        elif planted.kind == "halt":
            life.busy.append((planted.start - 3, planted.end + 3))
        elif planted.kind == "name":
            life.busy.append((planted.told - 3, planted.start + 3))
        elif planted.kind == "treatment":
            life.busy.append((planted.told - 30, planted.end + 60))
        elif planted.kind == "delisting":
            life.gone = planted.end + ARRANGEMENT + 9
            life.busy.append((planted.told - 30, 10**9))


def _seen(planted: Planted) -> dict[str, Seen]:
    """When it was told, holds from, and no longer, by kind; an arrangement follows the decision, with a new name."""
    told, start, end = planted.told, planted.start, planted.end
    if planted.kind == "delisting":
        gone = end + ARRANGEMENT + 9  # at the earliest
        return {"delisting": (end + 2, end + 9, gone), "gone": (gone, gone + 3, gone + 3)}
    return {planted.kind: (told, start, end)}


def _treatment(rng: np.random.Generator, life: Life, at: int) -> Planted | None:
    told = at - int(rng.random() * 1.5)
    start, end = told + 2 + int(rng.integers(2)), told + 60 + int(rng.random() * 60)
    fits = start > at and life.free(told - 5, end + 65)
    return Planted("treatment", told, start, end) if fits else None


def _delisting(rng: np.random.Generator, life: Life, at: int) -> Planted | None:
    """Draw special treatment of a year and its end: decided 10 to 14 sessions before the anchor, with nothing after."""
    decided = at - 10 - int(rng.integers(5))
    start = decided - 160 - int(rng.random() * 60)
    told = start - 2 - int(rng.integers(2))
    fits = life.gone is None and life.free(told - 5, 10**9)
    return Planted("delisting", told, start, decided) if fits else None


def _gone(rng: np.random.Generator, life: Life, at: int) -> Planted | None:
    """Draw a delisting shortly before the anchor, after special treatment of half a year or more."""
    decided = at - ARRANGEMENT - 13 - int(rng.integers(5))
    start = decided - 125 - int(rng.random() * 40)
    told = start - 2 - int(rng.integers(2))
    fits = life.gone is None and life.free(told - 5, 10**9)
    return Planted("delisting", told, start, decided) if fits else None


def _member(rng: np.random.Generator, life: Life, at: int) -> Planted | None:
    """Draw special treatment from the weeks after the anchor on, for which an index drops its member."""
    told = at + 1 + int(rng.random() * 10)
    start, end = told + 2 + int(rng.integers(2)), told + 60 + int(rng.random() * 60)
    return Planted("treatment", told, start, end) if life.free(told - 5, end + 65) else None


def _name(rng: np.random.Generator, life: Life, at: int) -> Planted | None:
    told = at + 1 + int(rng.random() * 15)
    return Planted("name", told, told + 3, told + 3) if life.free(told - 5, told + 8) else None


def _halt(rng: np.random.Generator, life: Life, at: int) -> Planted | None:
    start = at - int(rng.random() ** 2 * 8)
    end = at + 1 + int(rng.random() ** 2 * 8)
    return Planted("halt", start - 1, start, end) if life.free(start - 5, end + 5) else None


def _industry(rng: np.random.Generator, life: Life, at: int) -> Planted | None:
    """Draw a change within a month of the anchor, a third of them on its morrow."""
    day = at + 1 + (0 if rng.random() < 1 / 3 else int(rng.random() * 18))
    return _change(life, day, day)


def _early(rng: np.random.Generator, life: Life, at: int) -> Planted | None:
    """Draw a change on STAR, published up to ten sessions before the anchor and in force after it."""
    told = at - int(rng.random() ** 2 * 10)
    return _change(life, told, at + 1 + int(rng.random() * 6)) if life.star else None


def _change(life: Life, told: int, start: int) -> Planted | None:
    calm = all(
        min(abs(other - told), abs(held - start)) > 10 for other, held, _ in life.seen.get("industry", ())
    )
    listed = life.listed + 20 < told and (life.gone is None or life.gone > start + 60)
    return Planted("industry", told, start, start) if calm and listed else None


def _dividend(rng: np.random.Generator, life: Life, at: int) -> Planted | None:
    """Draw a dividend of one who else pays none for the period: planned at the anchor, and not yet implemented."""
    told, end = at - int(rng.random() * 15), at + 2 + int(rng.random() * 18)
    listed = not life.star and life.listed + 243 < told and (life.gone is None or life.gone > end + 60)
    others = [seen for seen in life.seen.get("dividend", ()) if seen[0] < end + 30 and told < seen[2] + 30]
    same = _period(told) in life.paid
    return Planted("dividend", told, told, end) if listed and not others and not same else None


def _period(told: int) -> date:
    """Return the end of the last year or half-year some weeks before a plan."""
    day = sessions().days[told] - timedelta(days=25)
    ends = [date(day.year - 1, 6, 30), date(day.year - 1, 12, 31), date(day.year, 6, 30)]
    return max(end for end in ends if end <= day)


_QUOTAS = (
    _Quota("treatment", 2, 1, _pending, _treatment, pool="treated"),
    _Quota("delisting", 2, 1, _open, _delisting),
    _Quota("gone", 8, 3, _between, _gone, days=-730),
    _Quota("gone", 8, 3, _between, _delisting, days=730),
    _Quota("treatment", 16, 6, _between, _member, days=30, pool="members", late=True),
    _Quota("halt", 6, 3, _open, _halt),  # one more than is wanted: two halts of a share may meet
    _Quota("industry", 20, 4, _between, _industry, days=90),
    _Quota("industry", 2, 1, _pending, _early, pool="star"),
    _Quota("dividend", 12, 6, _open, _dividend),  # far more than what is wanted: after a loss none is paid
    _Quota("name", 40, 8, _between, _name, days=3650),
)


def planted_dividend(seed: int, entity: int, planted: Planted) -> Intended:
    """Return a planted dividend before its amount is known."""
    u, days = stream(seed, Purpose.TRAP, entity, planted.told).random(3), sessions().days
    decided = max(planted.told + 1, planted.end - 2 - int(u[0] * 6))
    record = planted.end + 4 + int(u[1] * 3)
    return Intended(
        _period(planted.told),
        days[planted.told],
        days[decided],
        approved=True,
        announced=days[planted.end],
        record=days[record],
        ex=days[record + 1],
        pay=days[record + 1],
        yield_=0.004 + 0.01 * float(u[2]),
        bonus=0,
        planted=True,
    )


def plant(seed: int, issuer: Issuer, recorder: Recorder, planted: list[Planted]) -> None:
    """Tell the episodes of a life that were planned, in their order; industries and dividends come with their kin."""
    for episode in sorted(planted, key=lambda episode: episode.told):
        if episode.kind in ("treatment", "delisting", "halt", "name"):
            plant_life(stream(seed, Purpose.TRAP, issuer.entity, episode.start), issuer, recorder, episode)
