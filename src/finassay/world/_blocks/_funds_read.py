"""What the ledger says of each fund, placed in the window of sessions: the input of everything that a fund earns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from finassay.world._blocks._market import window
from finassay.world._calendar import sessions
from finassay.world._events import EventType, Member
from finassay.world._events_funds import (
    FundBenchmark,
    FundClass,
    FundFee,
    FundManager,
    FundOpen,
    FundPayout,
    FundTarget,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from finassay.world._events import Event


@dataclass
class ClassLife:
    """A share class: its entity, the event's payload, its first session in the window, its service fee in 0.01%."""

    entity: int
    payload: FundClass
    first: int
    service: int = 0


@dataclass
class FundLife:
    """A fund from `first` to before `stop`, positions in the window; steps are (position, value), ascending.

    `managers` are (person, first position, position after the last).
    """

    entity: int
    opened: FundOpen
    first: int
    stop: int
    young: bool
    classes: list[ClassLife] = field(default_factory=list)
    managers: list[tuple[int, int, int]] = field(default_factory=list)
    fees: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    payouts: list[tuple[int, FundPayout]] = field(default_factory=list)
    targets: list[tuple[int, int]] = field(default_factory=list)
    benchmarks: list[tuple[int, tuple[tuple[int, int], ...]]] = field(default_factory=list)


def position(day: date) -> int:
    """Return the position in the window of the first session not before a day; negative before the window."""
    return sessions().at_or_after(day) - window()[0]


def fund_lives(events: Iterable[Event]) -> list[FundLife]:
    """Read the funds of a ledger that live inside the window, by entity; a fund without a class is left out."""
    length = window()[1] - window()[0]
    lives: dict[int, FundLife] = {}
    rest: list[Event] = []
    outs: dict[int, int] = {}
    for event in events:
        if event.type is EventType.FUND_OPEN:
            assert isinstance(event.payload, FundOpen)  # noqa: S101 - by its type
            at = position(event.valid_from)
            lives[event.entity] = FundLife(event.entity, event.payload, max(0, at), length, at > 0)
        elif event.type is EventType.MANAGER_OUT:
            outs[event.supersedes or 0] = position(event.valid_from)
        elif event.entity >> 20 == 2:
            rest.append(event)
    classes: dict[int, ClassLife] = {}
    for event in sorted(rest, key=lambda event: (event.type, event.valid_from, event.seq)):
        life = lives.get(event.entity & ~3)
        if life is not None:
            _read(life, event, classes, outs)
    found = [lives[entity] for entity in sorted(lives)]
    for life in found:
        life.classes.sort(key=lambda part: part.entity)
    return [life for life in found if life.classes and life.first < life.stop]


def _read(life: FundLife, event: Event, classes: dict[int, ClassLife], outs: dict[int, int]) -> None:
    payload, at = event.payload, position(event.valid_from)
    if isinstance(payload, FundClass):
        classes[event.entity] = ClassLife(event.entity, payload, max(0, at))
        life.classes.append(classes[event.entity])
    elif event.type is EventType.FUND_CLOSE:
        life.stop = min(life.stop, max(0, at))
    elif isinstance(payload, FundManager):
        life.managers.append((payload.person, at, outs.get(event.event_id, life.stop)))
    elif isinstance(payload, FundFee) and payload.kind in (1, 2):
        life.fees.setdefault(payload.kind, []).append((at, payload.rate))
    elif isinstance(payload, FundFee) and payload.kind == 3 and event.entity in classes:
        classes[event.entity].service = payload.rate
    elif isinstance(payload, FundPayout):
        life.payouts.append((at, payload))
    elif isinstance(payload, FundBenchmark):
        life.benchmarks.append((at, payload.legs))
    elif isinstance(payload, FundTarget):
        life.targets.append((at, payload.index))


def memberships(events: Iterable[Event]) -> dict[int, list[tuple[int, int, int]]]:
    """Return spells of membership by the vendor's number of the index: (share's entity, first, stop)."""
    numbers, ins, outs = {}, [], {}
    length = window()[1] - window()[0]
    for event in events:
        if event.type is EventType.INDEX_OPEN:
            numbers[event.entity] = event.payload.inner  # type: ignore[union-attr]
        elif event.type is EventType.INDEX_IN:
            ins.append(event)
        elif event.type is EventType.INDEX_OUT:
            outs[event.supersedes] = position(event.valid_from)
    found: dict[int, list[tuple[int, int, int]]] = {}
    for event in ins:
        assert isinstance(event.payload, Member)  # noqa: S101 - by its type
        spell = (event.payload.security, position(event.valid_from), outs.get(event.event_id, length))
        found.setdefault(numbers[event.entity], []).append(spell)
    return found
