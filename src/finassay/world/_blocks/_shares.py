"""Share capital: listing, placements, bonus shares, conversions, cancelled buy-backs, unlockings (world.md, 3.7)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._periods import QUARTERS, period_end, quarter_of, season
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._events import Event, EventType, Implementation, Plan
from finassay.world._events_company import Rights, ShareChange
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from finassay.world._blocks._prices import Ints, Quotes
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._universe import Issuer
    from finassay.world._numerics import Floats

LISTING, PLACEMENT, RIGHTS, BONUS, CONVERSION, BUYBACK, UNLOCK = 1, 2, 3, 4, 5, 6, 7
PLACEMENTS_PER_YEAR, BUYBACKS_PER_YEAR = 0.04, 0.03  # assumed
RIGHTS_PER_YEAR = 0.03  # assumed
SOLD_AT_LISTING = 0.25
_DISCOUNT = 85  # percent of the last close that a placement pays
_LOCKED = timedelta(days=184)
PAR = 100  # fen


@dataclass(frozen=True, slots=True)
class Conversion:
    """Shares that a convertible turned into: the fall of its balance, how many, the price of each in fen."""

    event: Event
    shares: int
    price: int


@dataclass(frozen=True, slots=True)
class _Step:
    """A change before its size is known: day, kind, share of the capital, the event behind it, a conversion."""

    day: date
    kind: int
    size: float
    cause: Event | None = None
    conversion: Conversion | None = None
    price: int = 0


def share_events(
    seed: int, issuer: Issuer, recorder: Recorder, quotes: Quotes, conversions: Sequence[Conversion] = ()
) -> None:
    """Tell the changes of a company's share capital, in their order; each states the capital after it.

    What a convertible turned into is told with the fall of its balance; it was issued at the conversion price.
    """
    total, tradable = int(issuer.shares), _tradable_at_start(seed, issuer)
    rows = slice(*np.searchsorted(quotes.entity, [issuer.entity, issuer.entity + 1]))
    days, closes = quotes.session[rows], quotes.close[rows]
    told = recorder.events[0].disclosed_at.date()  # with the listing itself
    _tell(recorder, issuer.listed, told, ShareChange(LISTING, total, tradable))
    locked = 0
    for step in sorted(_steps(seed, issuer, recorder.events, conversions), key=lambda s: (s.day, s.kind)):
        price = 0
        at = sessions().at_or_after(step.day)
        if step.kind == PLACEMENT:
            before = int(np.searchsorted(days, at)) - 1
            if before < 0:
                continue
            price = max(1, int(closes[before]) * _DISCOUNT // 100)
            locked = int(total * step.size) // 100 * 100
            total += locked
        elif step.kind in (BONUS, RIGHTS):
            scale, price = step.size, step.price
            total, tradable = int(np.rint(total * scale)), int(np.rint(tradable * scale))
            locked = int(np.rint(locked * scale))
        elif step.conversion is not None:
            price = step.conversion.price
            total, tradable = total + step.conversion.shares, tradable + step.conversion.shares
        elif step.kind == BUYBACK:
            before = int(np.searchsorted(days, at)) - 1
            if before < 0:
                continue
            price = int(closes[before])
            gone = min(int(tradable * step.size), tradable) // 100 * 100
            total, tradable = total - gone, tradable - gone
        elif step.size < 0:  # the shares of the last placement
            tradable, locked = min(total, tradable + locked), 0
        else:
            tradable = max(tradable, min(total - locked, int(total * step.size)))
        ahead = step.day if step.kind == BUYBACK else sessions().shift(step.day, -3)
        cause = (step.cause,) if step.cause else ()
        told = max(ahead, step.cause.disclosed_at.date()) if step.cause else ahead
        _tell(recorder, step.day, told, ShareChange(step.kind, total, tradable, price), cause)


def _tell(
    recorder: Recorder, day: date, told: date, change: ShareChange, causes: tuple[Event, ...] = ()
) -> None:
    recorder.tell(EventType.SHARE_CHANGE, change, valid=day, disclosed=told, causes=causes)


def _tradable_at_start(seed: int, issuer: Issuer) -> int:
    u = float(stream(seed, Purpose.SHARES, issuer.entity, 1).random())
    old = (START - issuer.listed).days
    part = 0.75 + 0.25 * u if old > 3 * 365 else 0.35 + 0.25 * u if old > 365 else SOLD_AT_LISTING
    return int(issuer.shares * part) // 100 * 100


def _steps(
    seed: int, issuer: Issuer, events: list[Event], conversions: Sequence[Conversion]
) -> Iterable[_Step]:
    ends = [e.disclosed_at.date() for e in events if e.type in (EventType.DELIST_PERIOD, EventType.DELIST)]
    last = min([END, *(day - timedelta(days=10) for day in ends)])
    start = max(START, issuer.listed)
    found = list(_bonuses(events))
    taken = {step.day for step in found}
    turned = [_Step(one.event.valid_from, CONVERSION, 0.0, one.event, one) for one in conversions]
    for step in (*turned, *_unlockings(issuer), *_drawn(seed, issuer, start, last)):
        if not start < step.day < last and step.conversion is None:
            continue
        day = sessions().shift(step.day, 0)
        while day in taken:
            day = sessions().shift(day, 1)
        taken.add(day)
        found.append(replace(step, day=day))
    return found


def _bonuses(events: list[Event]) -> Iterable[_Step]:
    by_id = {event.event_id: event for event in events}
    for event in events:
        if isinstance(event.payload, Implementation):
            decided = by_id[event.supersedes or 0]
            plan = by_id[decided.supersedes or 0].payload
            if isinstance(plan, Plan) and plan.bonus:
                yield _Step(event.valid_from, BONUS, (10 + plan.bonus) / 10, event)
        elif isinstance(event.payload, Rights):
            ratio = (10 + event.payload.ratio) / 10
            yield _Step(event.valid_from, RIGHTS, ratio, event, price=event.payload.price)


def _unlockings(issuer: Issuer) -> Iterable[_Step]:
    if issuer.listed >= START - timedelta(days=3 * 365):
        yield _Step(issuer.listed + timedelta(days=366), UNLOCK, 0.55)
        yield _Step(issuer.listed + timedelta(days=3 * 365 + 2), UNLOCK, 0.96)


def _drawn(seed: int, issuer: Issuer, start: date, last: date) -> Iterable[_Step]:
    rng = stream(seed, Purpose.SHARES, issuer.entity)
    for kind, rate in ((PLACEMENT, PLACEMENTS_PER_YEAR), (BUYBACK, BUYBACKS_PER_YEAR)):
        day = start + timedelta(days=300)
        while (day := day + timedelta(days=int(rng.exponential(365 / rate)) + 400)) < last:
            u = float(rng.random())
            yield _Step(day, kind, 0.04 + 0.16 * u if kind == PLACEMENT else 0.005 + 0.02 * u)
            if kind == PLACEMENT:
                yield _Step(day + _LOCKED, UNLOCK, -1.0)


def intended_rights(
    seed: int, issuer: Issuer, taken: Sequence[date], last: date
) -> list[tuple[date, date, int]]:
    """Draw rights issues: announcement, ex-date, new shares per 10; none within two months of another ex-date."""
    rng = stream(seed, Purpose.SHARES, issuer.entity, 2)
    found: list[tuple[date, date, int]] = []
    day = max(START, issuer.listed) + timedelta(days=500)
    while (day := day + timedelta(days=int(rng.exponential(365 / RIGHTS_PER_YEAR)) + 400)) < last:
        ratio = 2 + int(rng.integers(2))
        told = sessions().shift(day, 0)
        ex = sessions().shift(told, 8)
        if ex < last and all(abs(ex - other) > timedelta(days=60) for other in taken):
            found.append((told, ex, ratio))
    return found


def capital_on(events: Iterable[Event], entity: Ints, session: Ints) -> tuple[Ints, Ints]:
    """Return total and tradable shares of shares (entity, session), 0 where nothing is told yet.

    Parameters
    ----------
    events : iterable of Event
        Changes of share capital; others are passed over.
    entity, session : numpy.ndarray of int64
        Equal shapes.
    """
    return CapitalByDay(events).on(entity, session)


class CapitalByDay:
    """Total and tradable shares by share and session; `events` as of `capital_on`."""

    def __init__(self, events: Iterable[Event]) -> None:
        at = sessions().at_or_after
        rows = sorted(
            (event.entity << 20 | at(event.valid_from), event.payload.total, event.payload.tradable)
            for event in events
            if isinstance(event.payload, ShareChange)
        )
        self._keys, self._total, self._tradable = (
            np.array([row[k] for row in rows], dtype=np.int64) for k in range(3)
        )

    def on(self, entity: Ints, session: Ints) -> tuple[Ints, Ints]:
        """See `capital_on`."""
        if not self._keys.size:
            return np.zeros_like(entity), np.zeros_like(entity)
        place = np.searchsorted(self._keys, (entity << 20) | session, side="right") - 1
        known = (place >= 0) & (self._keys[place] >> 20 == entity)
        return np.where(known, self._total[place], 0), np.where(known, self._tradable[place], 0)


@dataclass(frozen=True)
class Capital:
    """Share capital of F companies by quarter.

    `shares` at the end, `bonus` shares and net `cash` from shareholders (fen) within it; `weighted` shares since the
    start of the year, bonus shares counted from there; `scale`, by how much bonus shares have multiplied all since the
    beginning.
    """

    shares: Ints
    bonus: Ints
    cash: Ints
    weighted: Floats
    scale: Floats


def capital_of(issuers: tuple[Issuer, ...], events: list[Event]) -> Capital:
    """Read the capital of a block from its events; before a listing three quarters of it exist."""
    count = len(issuers)
    shape = (count, QUARTERS)
    shares, bonus, cash = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    weighted, scale = np.zeros(shape), np.ones(shape)
    mine: dict[int, list[Event]] = {}
    for event in events:
        if event.type is EventType.SHARE_CHANGE:
            mine.setdefault(event.entity, []).append(event)
    for n, issuer in enumerate(issuers):
        _fill(issuer, mine.get(issuer.entity, []), shares[n], bonus[n], cash[n], weighted[n])
    np.divide(shares, shares - bonus, out=scale, where=bonus > 0)
    growth = np.cumprod(scale, axis=1).astype(np.float64)
    return Capital(shares, bonus, cash, weighted, growth)


def _fill(
    issuer: Issuer, events: list[Event], shares: Ints, bonus: Ints, cash: Ints, weighted: Floats
) -> None:
    full = int(issuer.shares)
    old = issuer.listed < START
    now = full if old else full - int(full * SOLD_AT_LISTING)
    changes = sorted((event for event in events), key=lambda e: (e.valid_from, e.seq))
    steps: list[tuple[int, date, int, float]] = []  # quarter, day, shares after, scale of a bonus
    last = now
    for event in changes:
        change = event.payload
        assert isinstance(change, ShareChange)  # noqa: S101 - by its type
        if old and change.kind == LISTING:
            continue
        quarter = quarter_of(event.valid_from)
        new = change.total - last
        if 0 <= quarter < QUARTERS and new:
            if change.kind == BONUS:
                bonus[quarter] += new
            else:
                paid = change.price or int(issuer.price * 70)  # a new share costs 70% of its first price
                cash[quarter] += new * paid
            steps.append(
                (
                    quarter,
                    event.valid_from,
                    change.total,
                    change.total / last if change.kind == BONUS else 1.0,
                )
            )
        last = change.total
    _levels(now, steps, shares, weighted)


def _levels(now: int, steps: list[tuple[int, date, int, float]], shares: Ints, weighted: Floats) -> None:
    """Fill the level of each quarter end, and the average over the days of the year so far."""
    place, total = 0, 0.0
    for quarter in range(shares.size):
        if season(quarter) == 1 or quarter == 0:
            total = 0.0
        end, start = period_end(quarter), period_end(quarter - 1)
        at = start
        while place < len(steps) and steps[place][0] == quarter:
            _, day, after, scale = steps[place]
            total += now * (day - at).days
            total *= scale
            now, at, place = after, day, place + 1
        total += now * (end - at).days
        shares[quarter] = now
        length = (end - date(end.year - 1, 12, 31)).days if quarter else (end - start).days
        weighted[quarter] = total / length
