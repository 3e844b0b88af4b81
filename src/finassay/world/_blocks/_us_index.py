"""The US large-cap index, reviewed every quarter, and the fund that tracks it: members, levels, prices."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._recorder import Recorder
from finassay.world._blocks._us_market import us_window
from finassay.world._blocks._us_prices import UsQuotes
from finassay.world._calendar import sessions
from finassay.world._config import END, START, WorldConfig
from finassay.world._events import Event, EventType, Nothing
from finassay.world._events_us import UsListing, UsMember, UsSecurity
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._us_universe import UsIssuer
    from finassay.world._numerics import Floats

INDEX, FUND = 0x6D0001, 0x6D0002
INDEX_CODE = "US300"
_FUND, _EXCHANGE = "LRGE", "NYSE Arca"
SIZE = 300  # at scale 1, of about 640 listed
LEAVES, ENTERS = 1.25, 0.85  # ranks, in sizes of the index: a member may fall, another must rise (assumed)
_AHEAD = 6  # sessions between announcement and effect
_EVENING = time(17, 15)
_FOUNDED = date(2004, 1, 5)
_WITHIN = 0.4  # of the members' ranges is the index's: their highs fall on different minutes
_START_LEVEL = 2000.0


@dataclass
class _Book:
    recorder: Recorder
    opened: Event
    size: int
    members: dict[int, Event]


def us_index_events(
    config: WorldConfig, issuers: tuple[UsIssuer, ...], quotes: UsQuotes, events: list[Event]
) -> list[Event]:
    """Tell the index, its fund, its members and its reviews; a member that is delisted is replaced."""
    book, fund = _founded(config)
    ranking = _Ranking(issuers, quotes, events)
    first = us_window()[0]
    start = sessions("XNYS").days[first]
    for entity in ranking.order(0, at_start=True)[: book.size]:
        _enter(book, ranking, entity, start, sessions("XNYS").shift(start, -_AHEAD))
    happenings = [(day, 1, 0) for day in _review_days()]
    happenings += [(event.valid_from, 0, entity) for entity, event in ranking.ends.items()]
    for day, kind, entity in sorted(happenings):
        if kind:
            _review(book, ranking, day)
        elif entity in book.members:
            _replace(book, ranking, day, entity)
    return [*book.recorder.events, *fund.events]


def _founded(config: WorldConfig) -> tuple[_Book, Recorder]:
    told = _FOUNDED - timedelta(days=20)
    index, fund = Recorder(config.seed, INDEX), Recorder(config.seed, FUND)
    for recorder, number, kind, symbol, name in (
        (index, 790_001, "index", INDEX_CODE, "US Large Cap 300 Index"),
        (fund, 790_002, "etf", _FUND, "Large Cap 300 Index Trust"),
    ):
        who = UsSecurity(number, None, kind, symbol, name, _EXCHANGE, None, None, None)
        recorder.tell(EventType.US_SECURITY, who, valid=_FOUNDED, disclosed=told, prompt=True)
    listing = UsListing(_FUND, "Large Cap 300 Index Trust", _EXCHANGE, "initial listing")
    fund.tell(EventType.US_LIST, listing, valid=_FOUNDED, disclosed=told, prompt=True)
    opened = index.tell(EventType.US_INDEX_OPEN, Nothing(), valid=_FOUNDED, disclosed=told, prompt=True)
    return _Book(index, opened, config.index_size(SIZE), {}), fund


def _review_days() -> list[date]:
    """Return the Mondays after the third Fridays of March, June, September and December."""
    found = []
    for year in range(START.year, END.year + 1):
        for month in (3, 6, 9, 12):
            day = date(year, month, 1)
            friday = day + timedelta(days=(4 - day.weekday()) % 7 + 14)
            found.append(sessions("XNYS").shift(friday + timedelta(days=3), 0))
    return [day for day in found if START + timedelta(days=20) < day < END]


class _Ranking:
    """Market values over the quarter before a day, and which stocks are leaving the market."""

    def __init__(self, issuers: tuple[UsIssuer, ...], quotes: UsQuotes, events: list[Event]) -> None:
        self.issuers = {issuer.entity: issuer for issuer in issuers}
        self.base = issuers[0].entity
        first, stop = us_window()
        values = np.zeros((stop - first, len(issuers)))
        # Integers of a thousand dollars: sums of them are exact in any order
        values[quotes.session - first, quotes.entity - self.base] = np.rint(
            quotes.close * quotes.shares / 1e7
        )
        zero = np.zeros((1, len(issuers)))
        self.sums = np.concatenate([zero, np.cumsum(values, axis=0)])
        self.days = np.concatenate([zero, np.cumsum(values > 0, axis=0)])
        self.listings = {event.entity: event for event in events if event.type is EventType.US_LIST}
        self.ends = {event.entity: event for event in events if event.type is EventType.US_DELIST}

    def there(self, entity: int, day: date) -> bool:
        """Whether a stock is still listed on a day: one that is not does not come into the index, whatever was said."""
        return entity not in self.ends or day < self.ends[entity].valid_from

    def order(self, end: int, *, at_start: bool = False) -> list[int]:
        """Entities that may be members by what is known after so many sessions, the largest first."""
        end = 1 if at_start else max(1, end)
        low = max(0, end - 63)
        days = self.days[end] - self.days[low]
        mean = (self.sums[end] - self.sums[low]) / np.maximum(days, 1.0)
        day = sessions("XNYS").days[us_window()[0] + end - 1]
        found = [
            entity
            for entity in self.issuers
            if days[entity - self.base] >= (1 if at_start else 20)
            and not (entity in self.ends and self.ends[entity].disclosed_at.date() <= day)
        ]
        return sorted(found, key=lambda entity: (-float(mean[entity - self.base]), entity))


def _review(book: _Book, ranking: _Ranking, day: date) -> None:
    """Members far down make room for those that have risen, or for the best of the others."""
    calendar = sessions("XNYS")
    told = calendar.shift(day, -_AHEAD)
    order = ranking.order(calendar.at_or_after(told) - us_window()[0])
    place = {entity: n for n, entity in enumerate(order)}
    gone = [
        e for e in book.members if place.get(e, len(order)) >= LEAVES * book.size and e not in ranking.ends
    ]
    able = [e for e in order if e not in book.members and ranking.there(e, day)]
    risen = [e for e in order[: int(ENTERS * book.size)] if e in able]
    others = [e for e in able if e not in risen]
    entrants = (risen + others)[: max(0, book.size - len(book.members) + max(len(gone), len(risen)))]
    room = book.size - len(book.members)
    # One that enters on this day too stays: no membership ends on the day of its beginning
    known = [
        e
        for e, entered in book.members.items()
        if entered.valid_from < day and entered.disclosed_at.date() <= told
    ]
    lowest = sorted(known, key=lambda e: (-place.get(e, len(order)), e))
    for entity in lowest[: max(0, len(entrants) - room)]:
        _leave(book, entity, day, told)
    for entity in entrants:
        _enter(book, ranking, entity, day, told)


def _replace(book: _Book, ranking: _Ranking, day: date, entity: int) -> None:
    calendar = sessions("XNYS")
    told = max(ranking.ends[entity].disclosed_at.date(), calendar.shift(day, -_AHEAD))
    order = ranking.order(calendar.at_or_after(told) - us_window()[0])
    _leave(book, entity, day, told)
    reserve = [e for e in order if e not in book.members and ranking.there(e, day)]
    if reserve:
        _enter(book, ranking, reserve[0], day, told)


def _enter(book: _Book, ranking: _Ranking, entity: int, day: date, told: date) -> None:
    book.members[entity] = book.recorder.tell(
        EventType.US_INDEX_IN,
        UsMember(ranking.issuers[entity].security, entity),
        valid=day,
        disclosed=told,
        at=_EVENING,
        causes=(book.opened, ranking.listings[entity]),
    )


def _leave(book: _Book, entity: int, day: date, told: date) -> None:
    book.recorder.tell(
        EventType.US_INDEX_OUT,
        Nothing(),
        valid=day,
        disclosed=told,
        at=_EVENING,
        supersedes=book.members.pop(entity),
    )


def us_index_quotes(seed: int, quotes: UsQuotes, events: list[Event]) -> UsQuotes:
    """Return the index, chained on its members' values, and its fund at a tenth of it, as quotes."""
    first, stop = us_window()
    length = stop - first
    inside = _membership(events, quotes)
    part = quotes.take(inside)
    sums = {name: _sums(part, name, length) for name in ("reference", "open", "high", "low", "close")}
    levels = _levels(sums)
    noise = stream(seed, Purpose.US_QUOTE, FUND).standard_normal(length)
    members = np.bincount(part.session - first, minlength=length)
    volume = np.rint(members * 2e5 * (1 + 0.25 * np.clip(noise, -3, 3))).astype(np.int64)
    found = []
    for entity, scale, traded in ((INDEX, 1.0, np.zeros(length, dtype=np.int64)), (FUND, 0.1, volume)):
        ticks = {name: np.rint(value * scale * 100).astype(np.int64) * 100 for name, value in levels.items()}
        before = np.concatenate([ticks["reference"][:1], ticks["close"][:-1]])
        found.append(
            UsQuotes(
                np.full(length, entity, dtype=np.int64),
                np.arange(first, stop, dtype=np.int64),
                before,
                ticks["open"],
                ticks["high"],
                ticks["low"],
                ticks["close"],
                before,
                traded,
                np.full(length, 1e8),
                np.ones(length),
            )
        )
    index, fund = found
    return UsQuotes(*(np.concatenate([getattr(index, n), getattr(fund, n)]) for n in UsQuotes.__match_args__))


def _sums(part: UsQuotes, name: str, length: int) -> Floats:
    """Values of the members by session, in whole thousands of dollars: exact in any order."""
    values = np.rint(getattr(part, name) * part.shares / 1e7)
    return np.bincount(part.session - us_window()[0], values, length).astype(np.float64)


def _levels(sums: dict[str, Floats]) -> dict[str, Floats]:
    length = sums["close"].size
    out = {name: np.empty(length) for name in sums}
    level = _START_LEVEL
    for t in range(length):
        base = sums["reference"][t] or 1.0
        out["reference"][t] = level
        o, c, h, w = (sums[name][t] / base for name in ("open", "close", "high", "low"))
        top, bottom = max(o, c), min(o, c)
        out["open"][t], out["close"][t] = level * o, level * c
        out["high"][t] = level * (top + _WITHIN * max(0.0, h - top))
        out["low"][t] = level * (bottom - _WITHIN * max(0.0, bottom - w))
        level = float(np.rint(level * c * 1e4) / 1e4) or level
    return out


def _membership(events: list[Event], quotes: UsQuotes) -> npt.NDArray[np.bool_]:
    """Whether each quote is of a member of that day."""
    at = sessions("XNYS").at_or_after
    outs = {e.supersedes: at(e.valid_from) for e in events if e.type is EventType.US_INDEX_OUT}
    spans: dict[int, list[tuple[int, int]]] = {}
    for event in events:
        if isinstance(event.payload, UsMember):
            stop = outs.get(event.event_id, 1 << 30)
            spans.setdefault(event.payload.entity, []).append((at(event.valid_from), stop))
    found = np.zeros(quotes.entity.size, dtype=bool)
    starts = np.searchsorted(quotes.entity, sorted(spans))
    ends = np.searchsorted(quotes.entity, sorted(spans), side="right")
    for entity, low, high in zip(sorted(spans), starts, ends, strict=True):
        days = quotes.session[low:high]
        for begin, stop in spans[entity]:
            found[low:high] |= (days >= begin) & (days < stop)
    return found
