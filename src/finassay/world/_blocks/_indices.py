"""Indices: members by rule over one-year average market value, reviewed in June and December; cap-weighted levels."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._market import window
from finassay.world._blocks._recorder import Recorder
from finassay.world._calendar import sessions
from finassay.world._config import END, START, WorldConfig
from finassay.world._events import Event, EventType, Index, Member, Nothing

if TYPE_CHECKING:
    from finassay.world._blocks._prices import Quotes
    from finassay.world._blocks._universe import Issuer
    from finassay.world._numerics import Floats

FIRST_ENTITY = 0xE00000
# Number, trading code, short name, members at scale 1
INDICES = (
    (1, "000300", "沪深300", 300),
    (2, "000905", "中证500", 500),
    (3, "000852", "中证1000", 1000),
)
LARGEST = 0.10  # of an index when its members change: one giant would be most of a small world's
_ANNOUNCED = 10  # sessions before it takes effect, and no later than the month before
_FOUNDED = date(2014, 12, 15)
_MINIMUM_AGE = 60


@dataclass
class _Book:
    """An index while its reviews are told: who is in, since which event."""

    payload: Index
    recorder: Recorder
    opened: Event
    members: dict[int, Event]


def index_inner(number: int) -> int:
    """Return the vendor's number of an index."""
    return 3000 + number


def index_events(
    config: WorldConfig, issuers: tuple[Issuer, ...], quotes: Quotes, events: list[Event]
) -> list[Event]:
    """Tell the indices, their members and their reviews; a member that is delisted leaves before it and is replaced."""
    ranks = _Ranking(issuers, quotes, events)
    books = [_open(config, number) for number in INDICES]
    first = _review_days()[0]
    order = ranks.order(first, at_start=True)
    for book in books:
        chosen, order = order[: book.payload.size], order[book.payload.size :]
        for entity in chosen:
            _enter(book, ranks, entity, first)
    happenings = [(day, 1, n) for n, day in enumerate(_review_days()[1:])]
    leave = {(day, 0, entity): told for entity, (day, told) in ranks.leaving.items()}
    leave |= {(day, 0, entity): told for entity, day, told in _dropped(events)}
    for day, kind, entity in sorted([*happenings, *leave]):
        others = {other for when, _, other in leave if when == day}
        if kind:
            _review(books, ranks, day, entity, others)
        else:
            _replace(books, ranks, day, entity, leave[day, 0, entity], others)
    return [event for book in books for event in book.recorder.events]


def _open(config: WorldConfig, row: tuple[int, str, str, int]) -> _Book:
    number, code, name, members = row
    recorder = Recorder(config.seed, FIRST_ENTITY + number)
    payload = Index(index_inner(number), code, name, config.index_size(members))
    opened = recorder.tell(
        EventType.INDEX_OPEN, payload, valid=_FOUNDED, disclosed=_FOUNDED - timedelta(days=30), prompt=True
    )
    return _Book(payload, recorder, opened, {})


def _review_days() -> list[date]:
    """Return the Mondays after the second Fridays of June and December, from the last one before the window on."""
    found = [_monday(year, month) for year in range(START.year - 1, END.year + 1) for month in (6, 12)]
    return [day for day in found if date(START.year - 1, 12, 1) < day < END]


def _monday(year: int, month: int) -> date:
    """Return the session after the second Friday of a month."""
    day = date(year, month, 1)
    friday = day + timedelta(days=(4 - day.weekday()) % 7 + 7)
    return sessions().shift(friday + timedelta(days=3), 0)


def _announced(day: date) -> date:
    """Return when changes of a day are announced."""
    return min(sessions().shift(day, -_ANNOUNCED), sessions().before(day.replace(day=1)))


def _dropped(events: list[Event]) -> list[tuple[int, date, date]]:
    """Shares that leave for special treatment after the second Friday of the next month, and the day that is told."""
    found = []
    for event in events:
        if event.type is EventType.ST_ON and START < event.disclosed_at.date() < END - timedelta(days=62):
            told = event.disclosed_at.date()
            day = _monday(told.year + (told.month == 12), told.month % 12 + 1)
            found.append((event.entity, day, max(told, sessions().shift(day, -_ANNOUNCED))))
    return found


class _Ranking:
    """Market values over the year before a day, from the quotes; who is leaving the market, and who may be chosen."""

    def __init__(self, issuers: tuple[Issuer, ...], quotes: Quotes, events: list[Event]) -> None:
        self.issuers = {issuer.entity: issuer for issuer in issuers}
        first, stop = window()
        values = np.zeros((stop - first, len(issuers)))
        # Integers of a thousand yuan: sums of them are exact in any order
        cap = np.rint(quotes.close * quotes.shares / 1e5)
        values[quotes.session - first, quotes.entity - 1] = cap
        zero = np.zeros((1, len(issuers)))
        self.sums = np.concatenate([zero, np.cumsum(values, axis=0)])
        self.days = np.concatenate([zero, np.cumsum(values > 0, axis=0)])
        self.listings = {event.entity: event for event in events if event.type is EventType.LIST}
        self.leaving = _leaving(events)
        self.treated = _treated(events)

    def order(self, effective: date, at_start: bool = False) -> list[int]:
        """Entities that may be members, largest first, as known when the review is announced."""
        first, _ = window()
        end = 1 if at_start else max(1, sessions().at_or_after(_announced(effective)) - first)
        low = max(0, end - 243)
        days = self.days[end] - self.days[low]
        mean = (self.sums[end] - self.sums[low]) / np.maximum(days, 1.0)
        day = sessions().days[first + end - 1]
        found = []
        for entity in self.issuers:
            enough = days[entity - 1] >= (1 if at_start else _MINIMUM_AGE)
            gone = entity in self.leaving and self.leaving[entity][1] <= day
            treated = any(a <= day and (b is None or day < b) for a, b in self.treated.get(entity, ()))
            if enough and not gone and not treated:
                found.append(entity)
        return sorted(found, key=lambda entity: (-float(mean[entity - 1]), entity))


def _leaving(events: list[Event]) -> dict[int, tuple[date, date]]:
    """By share: the day it leaves every index (its arrangement or delisting), and the day that was disclosed."""
    found: dict[int, tuple[date, date]] = {}
    for event in events:
        if event.type in (EventType.DELIST_PERIOD, EventType.DELIST):
            day = (event.valid_from, event.disclosed_at.date())
            found[event.entity] = min(found.get(event.entity, day), day)
    return found


def _treated(events: list[Event]) -> dict[int, list[tuple[date, date | None]]]:
    ends = {e.supersedes: e.disclosed_at.date() for e in events if e.type is EventType.ST_OFF}
    found: dict[int, list[tuple[date, date | None]]] = {}
    for event in events:
        if event.type is EventType.ST_ON:
            span = (event.disclosed_at.date(), ends.get(event.event_id))
            found.setdefault(event.entity, []).append(span)
    return found


def swapped(size: int, number: int) -> int:
    """Return how many members are exchanged at a review: a tenth (50 of 500 in 9 of 9, L6); of 25 two or three."""
    return (number + 1) * size // 10 - number * size // 10


def _review(books: list[_Book], ranks: _Ranking, day: date, number: int, leaving: set[int]) -> None:
    """Swap a tenth of every index: the promoted and the lowest leave, the best of the others enter.

    Places that were left empty because the reserve had nobody are filled too. Who came in for another on this day
    stays, for no membership ends on the day of its beginning; who leaves on it does not come back.
    """
    order = [entity for entity in ranks.order(day) if entity not in leaving]
    fresh = {e for book in books for e, event in book.members.items() if event.valid_from >= day}
    place = {entity: n for n, entity in enumerate(order)}
    worst = len(order)
    taken: set[int] = set()  # members of a larger index after this review
    for book in books:
        size = book.payload.size
        swaps = swapped(size, number)
        members = set(book.members)
        promoted = members & taken
        by_fit = sorted(members - promoted - fresh, key=lambda e: (-place.get(e, worst), -e))
        leavers = list(promoted) + by_fit[: max(0, swaps - len(promoted))]
        pool = [e for e in order if e not in members and e not in taken and e not in fresh]
        empty = size - len(members)
        entrants = pool[: len(leavers) + empty]
        leavers = leavers[: max(0, len(entrants) - empty)]
        for entity in sorted(leavers):
            _leave(book, entity, day)
        for entity in sorted(entrants):
            _enter(book, ranks, entity, day)
        taken |= set(book.members)


def _replace(
    books: list[_Book], ranks: _Ranking, day: date, entity: int, told: date, leaving: set[int]
) -> None:
    """Let the best of the others take the place of a member; a smaller index that loses it so fills its own place.

    Nobody enters who leaves the market on that day, or has just come into an index.
    """
    place = next((n for n, book in enumerate(books) if entity in book.members), None)
    if place is None:
        return
    order = [e for e in ranks.order(day) if e not in leaving]
    _leave(books[place], entity, day, told)
    while place is not None:
        above = {e for book in books[: place + 1] for e in book.members}
        below = {e: event for book in books[place + 1 :] for e, event in book.members.items()}
        fresh = {
            e for e, event in below.items() if event.valid_from >= day or event.disclosed_at.date() > told
        }
        best = next((e for e in order if e not in above and e not in fresh), None)
        if best is None:
            return
        source = next((n for n, book in enumerate(books) if best in book.members), None)
        if source is not None:
            _leave(books[source], best, day, told)
        _enter(books[place], ranks, best, day, told)
        place = source


def _enter(book: _Book, ranks: _Ranking, entity: int, day: date, told: date | None = None) -> None:
    issuer = ranks.issuers[entity]
    book.members[entity] = book.recorder.tell(
        EventType.INDEX_IN,
        Member(entity, issuer.inner, issuer.market, told is not None),
        valid=day,
        disclosed=told or _announced(day),
        at=time(18, 0),
        causes=(book.opened, ranks.listings[entity]),
    )


def _leave(book: _Book, entity: int, day: date, told: date | None = None) -> None:
    # Who came in for another on the day of a review, as was told after it, is told to leave no earlier
    member = book.members.pop(entity)
    book.recorder.tell(
        EventType.INDEX_OUT,
        Nothing(),
        valid=day,
        disclosed=max(told or _announced(day), member.disclosed_at.date()),
        at=time(18, 0),
        supersedes=member,
    )


@dataclass(frozen=True)
class IndexQuotes:
    """Levels of one index per session of the window: previous, open, high, low, close; volume, value in fen."""

    entity: int
    inner: int
    levels: Floats
    volume: Floats
    value: Floats


def index_quotes(quotes: Quotes, events: list[Event]) -> list[IndexQuotes]:
    """Chain the capped value of the day's members on their reference prices, from 1,000 points at the start."""
    first, _ = window()
    inside = membership(events, int(quotes.entity.max()))
    found = []
    # In one order whatever order the events come in
    for opened in sorted((e for e in events if e.type is EventType.INDEX_OPEN), key=lambda e: e.entity):
        spells = inside[opened.entity]
        part = quotes.take(spells[quotes.session - first, quotes.entity - 1])
        day = part.session - first
        factor = capping(quotes, spells).on(day, part.entity - 1)
        rows = {}
        for name in ("previous", "open", "high", "low", "close"):
            # Whole thousands of yuan below 2**53: the sum does not depend on its order
            value = np.rint(getattr(part, name) * part.shares / 1e5 * factor)
            rows[name] = _sums(day, value)
        assert isinstance(opened.payload, Index)  # noqa: S101 - by its type
        volume = _sums(day, part.volume.astype(np.float64))
        value = _sums(day, np.rint(part.value / 100))
        found.append(IndexQuotes(opened.entity, opened.payload.inner, _levels(rows), volume, value))
    return found


@dataclass(frozen=True)
class Capping:
    """What part of its value each share (column) counts with, from each session (row) on which members changed."""

    changes: npt.NDArray[np.int64]
    factors: Floats

    def on(self, day: npt.NDArray[np.int64], share: npt.NDArray[np.int64]) -> Floats:
        """Return the factors of shares on sessions of the window."""
        row = np.maximum(np.searchsorted(self.changes, day, side="right") - 1, 0)
        found: Floats = self.factors[row, share]
        return found


def capping(quotes: Quotes, inside: npt.NDArray[np.bool_]) -> Capping:
    """Return the factors of an index's members, which hold from one change of the members to the next."""
    first, _ = window()
    changed = np.any(inside[1:] != inside[:-1], axis=1)
    changes = np.concatenate([[0], np.flatnonzero(changed) + 1])
    rows = np.flatnonzero(np.isin(quotes.session, changes + first))
    day, share = quotes.session[rows] - first, quotes.entity[rows] - 1
    values = np.zeros((changes.size, inside.shape[1]))
    value = np.rint(quotes.previous[rows] * quotes.shares[rows] / 1e5)
    values[np.searchsorted(changes, day), share] = np.where(inside[day, share], value, 0.0)
    return Capping(changes, np.stack([capped(row) for row in values]))


def capped(values: Floats) -> Floats:
    """Return the factors that leave no value more than a tenth of all; of few, one and a half times their part."""
    count = int(np.count_nonzero(values))
    most = max(LARGEST, 1.5 / max(count, 1))
    order = np.argsort(-values, kind="stable")
    rest = float(np.sum(values))
    level = np.inf
    for n, at in enumerate(order[:count].tolist()):
        room = 1.0 - most * n
        if room <= most or values[at] <= most * rest / room:
            level = most * rest / room
            break
        rest -= float(values[at])
    return np.where(values > level, level / np.maximum(values, 1.0), 1.0)


def _sums(day: npt.NDArray[np.int64], values: Floats) -> Floats:
    first, stop = window()
    sums: Floats = np.bincount(day, values, stop - first).astype(np.float64)
    return sums


def _levels(rows: dict[str, Floats]) -> Floats:
    length = rows["close"].size
    out = np.empty((length, 5))
    level = 1000.0
    for t in range(length):
        base = rows["previous"][t] or 1.0
        out[t, 0] = level
        for k, name in enumerate(("open", "high", "low", "close"), start=1):
            out[t, k] = np.rint(level * (rows[name][t] / base) * 1e4) / 1e4
        level = float(out[t, 4]) or level
    return out


def membership(events: list[Event], issuers: int) -> dict[int, npt.NDArray[np.bool_]]:
    """Return by index (entity) which share (column) is a member on which session of the window (row)."""
    first, stop = window()
    at = sessions().at_or_after
    outs = {e.supersedes: e for e in events if e.type is EventType.INDEX_OUT}
    inside: dict[int, npt.NDArray[np.bool_]] = {}
    for event in events:
        if event.type is EventType.INDEX_OPEN:
            inside[event.entity] = np.zeros((stop - first, issuers), dtype=bool)
    for event in events:
        if isinstance(event.payload, Member):
            end = outs.get(event.event_id)
            low, high = max(0, at(event.valid_from) - first), stop if end is None else at(end.valid_from)
            high = high if end is None else max(0, high - first)
            inside[event.entity][low:high, event.payload.security - 1] = True
    return inside
