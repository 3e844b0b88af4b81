"""The append-only ledger: events in their total order, found by type, entity and id; and without one of them."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING

from finassay.core import InputError, InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    import pyarrow as pa

    from finassay.world._events import Event, EventType


class Ledger:
    """Events in the total order (recorded_at, event_id).

    Parameters
    ----------
    events : iterable of Event
        In any order.

    Raises
    ------
    InternalError
        If two events have one id, or an event is recorded before it was disclosed.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        self.events = tuple(sorted(events, key=lambda event: (event.recorded_at, event.event_id)))
        _check(self.events, self.by_id)

    @cached_property
    def by_id(self) -> dict[int, Event]:
        """The events by id."""
        return {event.event_id: event for event in self.events}

    @cached_property
    def _by_type(self) -> dict[EventType, tuple[Event, ...]]:
        found: dict[EventType, list[Event]] = {}
        for event in self.events:
            found.setdefault(event.type, []).append(event)
        return {kind: tuple(events) for kind, events in found.items()}

    def __len__(self) -> int:
        return len(self.events)

    def of(self, *types: EventType) -> Iterator[Event]:
        """Yield the events of the types, type by type, each in the total order."""
        for kind in types:
            yield from self._by_type.get(kind, ())

    def seen_at(self, snapshot: datetime) -> Ledger:
        """Return the events recorded by a moment, that moment included."""
        return self._where(lambda event: event.recorded_at <= snapshot)

    def descendants(self, event_id: int) -> frozenset[int]:
        """Return the ids of an event and of all that would not be without it.

        Raises
        ------
        InputError
            If there is no such event.
        """
        if event_id not in self.by_id:
            raise InputError(
                f"The ledger has no event {event_id}.", hint="Take an id from the ledger itself."
            )
        children: dict[int, list[int]] = {}
        for event in self.events:
            for parent in event.parents:
                children.setdefault(parent, []).append(event.event_id)
        found, waiting = {event_id}, [event_id]
        while waiting:
            new = [child for child in children.get(waiting.pop(), ()) if child not in found]
            found.update(new)
            waiting += new
        return frozenset(found)

    def without(self, event_id: int) -> Ledger:
        """Return the ledger of a world in which an event, and so its descendants, never was."""
        gone = self.descendants(event_id)
        return self._where(lambda event: event.event_id not in gone)

    def _where(self, holds: Callable[[Event], bool]) -> Ledger:
        """Return the ledger of some of the events: in order and checked they are already."""
        found = object.__new__(Ledger)
        found.events = tuple(event for event in self.events if holds(event))
        return found

    def to_arrow(self) -> pa.Table:
        """Return the ledger as a table, one row per event in the total order, payloads as JSON text."""
        import pyarrow as pa

        events = self.events
        columns = {
            "event_id": pa.array([e.event_id for e in events], pa.uint64()),
            "type": pa.array([e.type.name.lower() for e in events], pa.string()),
            "entity": pa.array([e.entity for e in events], pa.uint32()),
            "seq": pa.array([e.seq for e in events], pa.uint32()),
            "valid_from": pa.array([e.valid_from for e in events], pa.date32()),
            "valid_to": pa.array([e.valid_to for e in events], pa.date32()),
            "disclosed_at": pa.array([e.disclosed_at for e in events], pa.timestamp("s")),
            "recorded_at": pa.array([e.recorded_at for e in events], pa.timestamp("s")),
            "supersedes": pa.array([e.supersedes for e in events], pa.uint64()),
            "cause_ids": pa.array([list(e.cause_ids) for e in events], pa.list_(pa.uint64())),
            "origin": pa.array([e.origin.value for e in events], pa.string()),
            "payload": pa.array([_payload(e) for e in events], pa.string()),
        }
        return pa.table(columns)


def _payload(event: Event) -> str:
    return json.dumps(asdict(event.payload), ensure_ascii=False, sort_keys=True, default=str)


def _check(events: tuple[Event, ...], by_id: dict[int, Event]) -> None:
    if len(by_id) != len(events):
        raise InternalError(f"The ledger repeats {len(events) - len(by_id)} event ids.")
    for event in events:
        if event.recorded_at < event.disclosed_at:
            raise InternalError(f"Event {event.event_id} was recorded before it was disclosed.")
