"""Funds and share classes as the vendor knew them at the snapshot; rows for every class of a fund."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from finassay.world._events import Event, EventType
from finassay.world._events_funds import FundClass, FundOpen
from finassay.world._tables._view import Row, day_after

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from finassay.temporal import Table
    from finassay.world._tables._view import View

Array = npt.NDArray[Any]
EPOCH = datetime.fromisoformat("1970-01-01")
_OF_FUND = 1 << 31  # in the number of a class's row that tells of an event of its fund
_BY_CLASS = range(EventType.FUND_ADVISER, EventType.OVERSEAS_INDEX)


class FundIndex:
    """Funds by entity with their classes, the main one first, and their ends, as recorded by the snapshot."""

    def __init__(self, view: View) -> None:
        self.opened = {event.entity: event for event in view.ledger.of(EventType.FUND_OPEN)}
        self.closed = {event.entity: event for event in view.ledger.of(EventType.FUND_CLOSE)}
        found: dict[int, list[Event]] = defaultdict(list)
        for event in view.ledger.of(EventType.FUND_CLASS):
            found[event.entity & ~3].append(event)
        self.classes = {fund: sorted(events, key=lambda e: e.entity) for fund, events in found.items()}

    def fund(self, entity: int) -> FundOpen:
        """Return what a fund is."""
        payload = self.opened[entity].payload
        assert isinstance(payload, FundOpen)  # noqa: S101 - by its type
        return payload


@dataclass(frozen=True)
class Part:
    """What an event of a fund says of one of its share classes.

    Attributes
    ----------
    event : Event
        The fund's or the class's own.
    who : FundClass
        The class.
    number : int
        The row's number.
    first : datetime.date
        From when it holds for the class; not before the class itself.
    told_at : datetime.datetime
        Since when that is public; not before the class is.
    after : Event or None
        What ended the event.
    opened : Event
        The event of the class.
    """

    event: Event
    who: FundClass
    number: int
    first: date
    told_at: datetime
    after: Event | None
    opened: Event

    @property
    def told(self) -> date:
        """The day of `told_at`."""
        return self.told_at.date()

    def row(self, values: Mapping[str, Any], *later: Event | None) -> Row:
        """Return the row of the class with its number and INNERCODE; `later` events were written into it."""
        own: dict[str, Any] = {"ID": self.number, "INNERCODE": self.who.inner}
        written = [event for event in later if event is not None]
        if self.opened.recorded_at > self.event.recorded_at:
            own["INSERTTIME"] = self.opened.recorded_at
            written.append(self.opened)
        return Row(self.event, {**own, **values}, tuple(written))


def parts(view: View, kind: EventType, index: FundIndex | None = None) -> Iterator[Part]:
    """Yield what the events of a kind say of each class they concern.

    A class that opens after an event is told of it then; not at all if the event has ended before.
    """
    index = index or FundIndex(view)
    for event in view.ledger.of(kind):
        after = view.next_of(event)
        for opened in index.classes.get(event.entity & ~3, ()):
            if event.entity & 3 and opened.entity != event.entity:
                continue
            if after is not None and after.valid_from <= opened.valid_from > event.valid_from:
                continue
            assert isinstance(opened.payload, FundClass)  # noqa: S101 - by its type
            number = event.event_id
            if not event.entity & 3:  # away from the numbers of the class's own events
                number += ((opened.entity & 3) << 32) + _OF_FUND
            first = max(event.valid_from, opened.valid_from)
            told = max(event.disclosed_at, opened.disclosed_at)
            yield Part(event, opened.payload, number, first, told, after, opened)


def event_number(number: int) -> int:
    """Return the number of the event that a row number names; those of classes and legs differ from their event's."""
    if number >> 56 not in _BY_CLASS or not number & _OF_FUND:
        return number
    return number & ~(3 << 32) & ~(0xFF << 24)


def end_of(after: Event | None, recorded: bool = False) -> date | None:
    """Return the end of a row that another succeeds: dated after the day it became public (W2).

    Parameters
    ----------
    after : Event or None
        The successor.
    recorded : bool
        The time of recording stands for the disclosure.
    """
    if after is None:
        return None
    public = (after.recorded_at if recorded else after.disclosed_at).date()
    return max(after.valid_from, day_after(public))


def stamped(spec: Table, numbers: Array, recorded: Array) -> dict[str, Array]:
    """Return the row numbers and the vendor's times of rows that arrays hold; `recorded` counts seconds since 1970."""
    written = recorded.astype("datetime64[s]").astype("datetime64[us]")
    found: dict[str, Array] = {spec.row_id[0]: numbers}
    for name, column in spec.columns.items():
        if column.role in ("recorded", "updated"):
            found[name] = recorded * 100_000 + numbers % 99_991 if column.format == "other" else written
    return found


def moment_of(view: View) -> int:
    """Return the snapshot's last second since 1970."""
    return int((view.world.config.moment - EPOCH) / timedelta(seconds=1))


def days_of(days: Array) -> Array:
    """Return days since 1970 as the vendor stores them."""
    return days.astype("datetime64[D]").astype("datetime64[us]")
