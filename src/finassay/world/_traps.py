"""The traps of a world: what a program that reads the wrong date, state or version gets wrong (world.md, 5)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.core import InputError
from finassay.world._blocks._industries import STAR_BOARD
from finassay.world._blocks._plant import LARGE, anchors
from finassay.world._blocks._plant_us import us_anchors
from finassay.world._calendar import sessions
from finassay.world._events import Event, Origin, Security, Touch
from finassay.world._events import EventType as T
from finassay.world._traps_rows import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from finassay.world._ledger import Ledger
    from finassay.world._world import World

Days = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_CLOSE = time(16, 0)
_NEVER = 10**7
_EPOCH = date(1970, 1, 1).toordinal()


class _Dated:
    """Events as arrays of days: when each held, was disclosed and recorded, and was ended or replaced."""

    def __init__(self, events: list[Event], ends: dict[int, Event], ledger: Ledger) -> None:
        self.events = events
        self.valid = _days([e.valid_from for e in events])
        self.told = _days([e.disclosed_at.date() for e in events])
        self.recorded = _days([e.recorded_at.date() for e in events])
        self.evening = np.array([e.disclosed_at.time() >= _CLOSE for e in events], dtype=bool)
        after = [ends.get(e.event_id) for e in events]
        self.end = _days([None if e is None else e.valid_from for e in after])
        self.end_told = _days([None if e is None else e.disclosed_at.date() for e in after])
        self.owner = np.unique(np.array([e.entity for e in events], dtype=np.int64), return_inverse=True)[1]
        before = [ledger.by_id.get(e.supersedes or 0) for e in events]
        self.first_told = _days([None if e is None else e.disclosed_at.date() for e in before])
        self.first_valid = _days([None if e is None else e.valid_from for e in before])


class _Values:
    """Net values that were recorded on a later day than their own, beside the ledger: the same arrays of days."""

    def __init__(self, world: World) -> None:
        book = world.funds.navs
        day = sessions().array.astype("datetime64[D]").astype(np.int64)[book.session] + _EPOCH
        recorded = book.recorded // 86_400 + _EPOCH
        late = np.flatnonzero((recorded > day) & (recorded <= world.config.snapshot.toordinal()))
        self.valid, self.recorded, self.entity = day[late], recorded[late], book.entity[late]
        self.told = book.published[late] // 86_400 + _EPOCH


def _days(days: list[date | None] | list[date]) -> Days:
    return np.array([_NEVER if day is None else day.toordinal() for day in days], dtype=np.int64)


# Shapes of a trap at the anchor c


def undisclosed(x: _Dated, c: int) -> Flags:
    """Held at c, and was disclosed later."""
    return (x.valid <= c) & (c < x.told)


def unrecorded(x: _Dated | _Values, c: int) -> Flags:
    """Held at c, and was recorded later: the only sign where nothing says when it was disclosed."""
    return (x.valid <= c) & (c < x.recorded)


def pending(x: _Dated, c: int) -> Flags:
    """Was disclosed at c, and held only later."""
    return (x.told <= c) & (c < x.valid)


def standing(x: _Dated, c: int) -> Flags:
    """Held at c; its end was filled in later, and shows today."""
    return (x.valid <= c) & (c < x.end) & (x.end < _NEVER)


def staged(x: _Dated, c: int) -> Flags:
    """Was disclosed at c; the next stage was written into the row later."""
    return (x.told <= c) & (c < x.end_told) & (x.end_told < _NEVER)


def later(x: _Dated, c: int) -> Flags:
    """Came after c."""
    return c < x.valid


def within(days: int) -> Callable[[_Dated, int], Flags]:
    """Came within so many days after c, or before it where that is negative."""

    def shape(x: _Dated, c: int) -> Flags:
        low, high = (c, c + days) if days > 0 else (c + days, c)
        return (low < x.valid) & (x.valid <= high)

    return shape


def competing(x: _Dated, c: int) -> Flags:
    """Restate an earlier period, before c."""
    again = np.array([len(getattr(e.payload, "shown", (0, 0))) > 1 for e in x.events], dtype=bool)
    return again & (x.told <= c)


def revising(x: _Dated, c: int) -> Flags:
    """Change, within 180 days after c, what was disclosed at c."""
    known = (x.first_told <= c) | (x.first_told == _NEVER)
    found: Flags = (c < x.told) & (x.told <= c + 180) & known
    return found


def tied(x: _Dated, c: int) -> Flags:
    """Are the last that their entity disclosed by c, two or more on one day."""
    known = x.told <= c
    last = np.zeros(x.told.size, dtype=np.int64)
    np.maximum.at(last, x.owner[known], x.told[known])
    latest = known & (x.told == last[x.owner])
    found: Flags = latest & (np.bincount(x.owner[latest], minlength=x.told.size)[x.owner] > 1)
    return found


def evening(x: _Dated, c: int) -> Flags:
    """Was accepted on c after the close."""
    found: Flags = (x.told == c) & x.evening
    return found


def reloaded(x: _Dated, c: int) -> Flags:
    """Held at c in a row that a reload gave a later time of insertion."""
    mass = np.array([isinstance(e.payload, Touch) and e.payload.reload for e in x.events], dtype=bool)
    return mass & (x.first_valid <= c) & (c < x.recorded)


@dataclass(frozen=True)
class Mechanism:
    """A way to be wrong.

    Attributes
    ----------
    name, wrong : str
        What it is, and the reading that falls for it.
    shape : callable
        Which events are a trap at an anchor.
    types : tuple of EventType
        The events.
    large, small : int
        How many an anchor should have from scale .2 on, and below.
    ends : tuple of EventType
        The events that end or replace, where not every one does.
    months : tuple of int
        The months whose anchors can have any, where not all can.
    board : int
        The board that must have had two shares for two months, where one must.
    american : bool
        Whether only anchors that are sessions in New York can have any.
    """

    name: str
    wrong: str
    shape: Callable[[Any, int], Flags]
    types: tuple[T, ...]
    large: int
    small: int
    ends: tuple[T, ...] = ()
    months: tuple[int, ...] = ()
    board: int = 0
    american: bool = False


MECHANISMS = (
    Mechanism("manager_undisclosed", "effective means known", undisclosed, (T.MANAGER_IN,), 6, 3),
    Mechanism("manager_left_later", "today's incumbents", standing, (T.MANAGER_IN,), 6, 3, (T.MANAGER_OUT,)),
    Mechanism("report_not_filed", "period ended means filed", undisclosed, (T.REPORT, T.US_FILING), 4, 2),
    Mechanism("versions_compete", "any version", competing, (T.REPORT,), 100, 25),
    Mechanism("revised_later", "the last version", revising, (T.RESTATEMENT, T.US_AMENDMENT), 20, 5),
    Mechanism("st_pending", "announced means effective", pending, (T.ST_ON,), 2, 1),
    Mechanism("st_removed_later", "today's alerts", standing, (T.ST_ON,), 2, 1, (T.ST_OFF,)),
    Mechanism("delisting_period", "not delisted means tradable", standing, (T.DELIST_PERIOD,), 2, 1),
    Mechanism("delisted_before", "all that ever listed", within(-730), (T.DELIST,), 8, 3),
    Mechanism("delisted_later", "today's survivors", within(730), (T.DELIST,), 8, 3),
    Mechanism("halt_open", "today's halts", standing, (T.HALT,), 5, 2),
    Mechanism("industry_changed", "today's industry", within(90), (T.INDUSTRY_SET,), 20, 4),
    Mechanism(
        "industry_pending", "published means effective", pending, (T.INDUSTRY_SET,), 2, 1, board=STAR_BOARD
    ),
    Mechanism("review_pending", "announced means member", pending, (T.INDEX_IN,), 10, 3, months=(5, 11)),
    Mechanism("member_left_later", "today's members", standing, (T.INDEX_IN,), 10, 3),
    Mechanism("rating_undisclosed", "rated means published", undisclosed, (T.BOND_RATING,), 4, 2),
    Mechanism("default_revoked", "today's defaults", standing, (T.BOND_DEFAULT,), 3, 1, (T.BOND_REVOKE,)),
    Mechanism("conversion_pending", "announced means valid", pending, (T.CONVERT_PRICE,), 3, 2),
    Mechanism("bond_called_later", "today's end date", later, (T.BOND_CALL, T.CONVERT_CALL), 10, 3),
    Mechanism(
        "macro_unreleased", "period past means released", undisclosed, (T.CN_RELEASE, T.MACRO_RELEASE), 15, 15
    ),
    Mechanism(
        "fund_kind_unrecorded", "effective means known", unrecorded, (T.FUND_KIND, T.FUND_BENCHMARK), 3, 1
    ),
    Mechanism(
        "dividend_planned", "planned means paid", staged, (T.DIVIDEND_PLAN,), 5, 2, (T.DIVIDEND_IMPLEMENTED,)
    ),
    Mechanism("amendment_pending", "the last filing", revising, (T.US_AMENDMENT,), 6, 2),
    Mechanism(
        "accepted_after_close",
        "filed means before the close",
        evening,
        (T.US_FILING, T.US_AMENDMENT),
        6,
        2,
        american=True,
    ),
    Mechanism("renamed_later", "today's name", later, (T.RENAME, T.US_RENAME), 40, 8),
    Mechanism("net_value_unrecorded", "dated means known", unrecorded, (), 60, 15),
    Mechanism("tied", "the last disclosed is one", tied, (T.MANAGER_IN,), 3, 2),
    Mechanism("reloaded", "inserted means disclosed", reloaded, (T.VENDOR_TOUCH,), 100, 20),
)


@dataclass(frozen=True)
class Trap:
    """A trap: its mechanism, the anchor, its rows, the event behind it, its dates, and whether it was planted.

    `entity` is what people call it: the code of a share, a fund's main class or a bond, a symbol, a series. `where`
    finds the rows of `table` in SQL, by the numbers and dates that they show; a new short name stands in the share's.
    A net value is no event of the ledger: its `event_id` is 0.
    """

    mechanism: str
    anchor: date
    entity: str
    table: str
    where: str
    event_id: int
    event: str
    valid: date
    disclosed: date
    recorded: date
    ended: date | None
    planted: bool


@dataclass(frozen=True)
class Coverage:
    """How a mechanism fares over the anchors that can have it: the quota, how many meet it, least, median, planted."""

    mechanism: str
    wrong: str
    quota: int
    anchors: int
    met: int
    least: int
    median: float
    planted: float


class Traps:
    """The traps of a world at its snapshot.

    Parameters
    ----------
    world : World
        What happened. Only what the vendor had recorded by the snapshot counts.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.ledger = world.ledger.seen_at(world.config.moment)
        self.anchors = anchors(world.config.snapshot)

    def at(self, anchor: date) -> Iterator[Trap]:
        """Yield the traps of an anchor, mechanism by mechanism.

        Raises
        ------
        InputError
            If the day is no anchor.
        """
        if anchor not in self.anchors:
            raise InputError(
                f"{anchor} is no anchor.",
                hint=f"Anchors are the last sessions of the months from {self.anchors[0]} to {self.anchors[-1]}."
                if self.anchors
                else "The snapshot is too early for any: they begin a year after the start.",
            )
        for mechanism in MECHANISMS:
            dated = self._dated[mechanism.name]
            for n in np.flatnonzero(mechanism.shape(dated, anchor.toordinal())):
                if isinstance(dated, _Values):
                    yield self._value(mechanism, anchor, dated, int(n))
                else:
                    yield self._trap(mechanism, anchor, dated, int(n))

    def coverage(self) -> list[Coverage]:
        """Return how every mechanism fares."""
        return [self._coverage(mechanism) for mechanism in MECHANISMS]

    def count(self, name: str, anchor: date) -> int:
        """Return how many traps of a mechanism an anchor has."""
        mechanism = next(m for m in MECHANISMS if m.name == name)
        return int(np.sum(mechanism.shape(self._dated[name], anchor.toordinal())))

    @cached_property
    def _dated(self) -> dict[str, _Dated | _Values]:
        return {
            m.name: _Dated(self._of(m), self._ends(m), self.ledger) if m.types else _Values(self.world)
            for m in MECHANISMS
        }

    def due(self, mechanism: Mechanism) -> list[date]:
        """Return the anchors that should have traps of a mechanism."""
        since = date.min
        if mechanism.board:
            boards = [
                e.valid_from + timedelta(days=60)
                for e in self.ledger.of(T.SECURITY)
                if isinstance(e.payload, Security) and e.payload.board == mechanism.board
            ]
            since = max(sorted(boards)[:2], default=date.max)
        months = mechanism.months or range(1, 13)
        days = us_anchors(self.world.config.snapshot) if mechanism.american else self.anchors
        return [anchor for anchor in days if anchor >= since and anchor.month in months]

    def _ends(self, mechanism: Mechanism) -> dict[int, Event]:
        """Return what ended or replaced each event; a delisting ends its arrangement, a payment its plan."""
        found: dict[int, Event] = {}
        for event in self.ledger.events:
            ended = event.supersedes
            if event.type is T.DELIST:
                ended = next(iter(event.cause_ids), None)
            elif event.type is T.DIVIDEND_IMPLEMENTED and ended is not None:
                ended = self.ledger.by_id[ended].supersedes  # the plan that was approved
            wanted = event.type in mechanism.ends or not (mechanism.ends or event.type is T.VENDOR_TOUCH)
            if ended is not None and wanted:
                found.setdefault(ended, event)
        return found

    def _coverage(self, mechanism: Mechanism) -> Coverage:
        dated, due = self._dated[mechanism.name], self.due(mechanism)
        events = [] if isinstance(dated, _Values) else dated.events
        planted = np.array([event.origin is Origin.SEEDED for event in events], dtype=bool)
        masks = [mechanism.shape(dated, anchor.toordinal()) for anchor in due]
        counts = [int(np.sum(mask)) for mask in masks] or [0]
        quota = mechanism.large if self.world.config.scale >= LARGE else mechanism.small
        total = sum(counts)
        return Coverage(
            mechanism.name,
            mechanism.wrong,
            quota,
            len(due),
            sum(count >= max(quota, 1) for count in counts) if due else 0,
            min(counts),
            float(np.median(counts)),
            sum(int(np.sum(mask & planted)) for mask in masks) / total if total and events else 0.0,
        )

    def _value(self, mechanism: Mechanism, anchor: date, values: _Values, n: int) -> Trap:
        valid, told, recorded = (
            date.fromordinal(int(part[n])) for part in (values.valid, values.told, values.recorded)
        )
        at = self._places.net_value(int(values.entity[n]), valid)
        return Trap(
            mechanism.name,
            anchor,
            at.entity,
            at.table,
            at.where,
            0,
            "net_value",
            valid,
            told,
            recorded,
            None,
            planted=False,
        )

    def _trap(self, mechanism: Mechanism, anchor: date, dated: _Dated, n: int) -> Trap:
        event, end = dated.events[n], int(dated.end[n])
        at = self._places.of(event)
        return Trap(
            mechanism.name,
            anchor,
            at.entity,
            at.table,
            at.where,
            event.event_id,
            event.type.name.lower(),
            event.valid_from,
            event.disclosed_at.date(),
            event.recorded_at.date(),
            None if end == _NEVER else date.fromordinal(end),
            event.origin is Origin.SEEDED,
        )

    @cached_property
    def _places(self) -> Places:
        return Places(self.ledger)

    def _of(self, mechanism: Mechanism) -> list[Event]:
        """Return the events of a mechanism that show: a restatement does so in the reports of its day.

        What revises changes figures, which an amendment need not do.
        """
        found = list(self.ledger.of(*mechanism.types))
        if mechanism.shape is revising:
            found = [e for e in found if getattr(e.payload, "restates", True)]
        if T.RESTATEMENT not in mechanism.types:
            return found
        filed = {(e.entity, e.disclosed_at.date()) for e in self.ledger.of(T.REPORT)}
        return [e for e in found if e.type is not T.RESTATEMENT or (e.entity, e.disclosed_at.date()) in filed]
