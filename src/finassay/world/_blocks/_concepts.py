"""Concepts of the market: when they come up and are given up, and which shares belong to them."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import TYPE_CHECKING

from finassay.world._blocks._recorder import Recorder
from finassay.world._calendar import sessions
from finassay.world._config import END
from finassay.world._events import Event, EventType, Nothing
from finassay.world._events_company import Concept, ConceptMember
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    import numpy as np

    from finassay.world._blocks._universe import Issuer

FIRST_ENTITY = 0xC00000
CONCEPTS = (
    "人工智能", "新能源汽车", "芯片国产化", "工业互联网", "云计算", "数字货币", "氢能源", "储能", "光伏",
    "智能穿戴", "医美", "养老", "种业", "特高压", "军民融合", "跨境电商", "元宇宙", "固态电池", "机器人",
    "低空经济", "创新药", "网络安全", "碳中和", "预制菜",
)  # fmt: skip
RETIRED = (5, 9, 16)  # the last ones of a fashion
MEMBERS = 0.022  # of all issuers, in one concept; at least 8
_LEAVE, _BACK_DATED, _RETURN = 0.09, 0.15, 0.3  # a year; of inclusions; of leavers


def concept_events(seed: int, issuers: tuple[Issuer, ...], events: list[Event]) -> list[Event]:
    """Tell the concepts of a world and their members, some back-dated, some back after they had left."""
    listings = {event.entity: event for event in events if event.type is EventType.LIST}
    found: list[Event] = []
    for number, name in enumerate(CONCEPTS):
        recorder = Recorder(seed, FIRST_ENTITY + number)
        _concept(stream(seed, Purpose.CONCEPT, number), number, name, issuers, listings, recorder)
        found += recorder.events
    return found


def _concept(
    rng: np.random.Generator,
    number: int,
    name: str,
    issuers: tuple[Issuer, ...],
    listings: dict[int, Event],
    recorder: Recorder,
) -> None:
    began = sessions().shift(date(2014, 1, 2) + timedelta(days=int(rng.random() * 3000)), 0)
    told = sessions().before(began)
    concept = recorder.tell(
        EventType.CONCEPT_OPEN, Concept(8000 + number, name), valid=began, disclosed=told, prompt=True
    )
    ended = None
    if number in RETIRED:
        ended = sessions().shift(min(began + timedelta(days=1500), date(2023, 11, 1)), number)
    size = max(8, round(MEMBERS * len(issuers)))
    for entity in sorted({int(rng.integers(len(issuers))) for _ in range(size)}):
        issuer = issuers[entity]
        last = ended or END
        joins = max(began, issuer.listed + timedelta(days=40)) + timedelta(days=int(rng.exponential(500)))
        while joins < last - timedelta(days=60) and issuer.entity in listings:
            joins = _episode(rng, recorder, (concept, listings[issuer.entity]), issuer, joins, last)
    if ended is not None:
        _close(recorder, concept, ended)


def _episode(
    rng: np.random.Generator,
    recorder: Recorder,
    causes: tuple[Event, Event],
    issuer: Issuer,
    day: date,
    last: date,
) -> date:
    """Tell one membership; returns the day on which the share might come back."""
    calendar = sessions()
    day = calendar.shift(day, 0)
    published = calendar.shift(day, 3 + int(rng.integers(15))) if rng.random() < _BACK_DATED else day
    u = rng.random(2)
    entered = recorder.tell(
        EventType.CONCEPT_IN,
        ConceptMember(issuer.entity, issuer.inner),
        valid=day,
        disclosed=published,
        at=time(19),
        causes=causes,
    )
    leaves = day + timedelta(days=90 + int(rng.exponential(365 / _LEAVE)))
    if leaves >= last - timedelta(days=30):
        return END
    leaves = calendar.shift(leaves, 0)
    recorder.tell(
        EventType.CONCEPT_OUT,
        Nothing(),
        valid=leaves,
        disclosed=calendar.before(leaves),
        at=time(19),
        supersedes=entered,
    )
    return leaves + timedelta(days=60 + int(u[1] * 400)) if u[0] < _RETURN else END


def _close(recorder: Recorder, concept: Event, ended: date) -> None:
    told = sessions().before(ended)
    closed = recorder.tell(
        EventType.CONCEPT_CLOSE, Nothing(), valid=ended, disclosed=told, at=time(19), supersedes=concept
    )
    gone = {event.supersedes for event in recorder.events if event.type is EventType.CONCEPT_OUT}
    for event in [e for e in recorder.events if e.type is EventType.CONCEPT_IN and e.event_id not in gone]:
        recorder.tell(
            EventType.CONCEPT_OUT,
            Nothing(),
            valid=ended,
            disclosed=told,
            at=time(19),
            supersedes=event,
            causes=(closed,),
        )
