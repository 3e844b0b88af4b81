"""Which competitors companies name in some annual reports: peers of their industry at the time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._recorder import Recorder
from finassay.world._blocks._reports import PERIODIC
from finassay.world._events import Event, EventType, Industry
from finassay.world._events_company import Report
from finassay.world._events_neeq import Competitor, Naming
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from finassay.world._blocks._universe import Issuer

FIRST_ENTITY = 0x7C0000  # and the entity of the share
IN_ANNUAL_REPORT = 0.25  # of annual reports name competitors anew (assumed)
FEWEST, MOST = 2, 5
_LEVELS = 3


class _Peers:
    """Spells of companies in industries, as arrays of ordinal days."""

    def __init__(self, events: Iterable[Event]) -> None:
        sets, ends, listed, gone = [], {}, {}, {}
        for event in events:
            if event.type is EventType.INDUSTRY_SET:
                sets.append(event)
                if event.supersedes is not None:
                    ends[event.supersedes] = event
            elif event.type is EventType.LIST:
                listed[event.entity] = event.valid_from.toordinal()
            elif event.type is EventType.DELIST:
                gone[event.entity] = event.disclosed_at.toordinal()
        self.sets = sorted(sets, key=lambda e: (e.entity, e.seq))
        never = 10**7
        told = [e.disclosed_at.toordinal() for e in self.sets]
        start = [
            max(listed.get(e.entity, never), e.valid_from.toordinal(), day)
            for e, day in zip(self.sets, told, strict=True)
        ]
        after = [ends.get(e.event_id) for e in self.sets]
        end = [never if e is None else max(e.valid_from, e.disclosed_at.date()).toordinal() for e in after]
        last = [gone.get(e.entity, never) for e in self.sets]
        self.start, self.end = np.array(start), np.minimum(np.array(end), np.array(last))
        self.entity = np.array([e.entity for e in self.sets])
        codes = [e.payload.codes[0] if isinstance(e.payload, Industry) else "" for e in self.sets]
        self.sector = np.array([int(code) for code in codes])

    def own(self, entity: int, day: int) -> Event | None:
        """Return the industry of a company as known on a day."""
        low, high = np.searchsorted(self.entity, [entity, entity + 1])
        known = [
            n
            for n in range(int(low), int(high))
            if self.sets[n].disclosed_at.toordinal() < day and self.sets[n].valid_from.toordinal() <= day
        ]
        return self.sets[known[-1]] if known else None

    def of(self, industry: Event, day: int) -> list[Event]:
        """Return the industries of the other companies of a sector that were listed the day before."""
        assert isinstance(industry.payload, Industry)  # noqa: S101 - by its type
        there = (self.start < day) & (day < self.end) & (self.sector == int(industry.payload.codes[0]))
        return [self.sets[n] for n in np.flatnonzero(there & (self.entity != industry.entity)).tolist()]


def competitor_events(seed: int, issuers: tuple[Issuer, ...], events: list[Event]) -> list[Event]:
    """Tell the competitors that companies name; a naming replaces the company's last one."""
    peers = _Peers(events)
    who = {issuer.entity: issuer for issuer in issuers}
    reports: dict[int, list[Event]] = {}
    for event in events:
        filed = event.payload
        if isinstance(filed, Report) and filed.form == PERIODIC and filed.period_end.month == 12:
            reports.setdefault(event.entity, []).append(event)
    found: list[Event] = []
    for issuer in issuers:
        recorder = Recorder(seed, FIRST_ENTITY + issuer.entity)
        rng = stream(seed, Purpose.COMPETITOR, issuer.entity)
        last: Event | None = None
        for report in sorted(reports.get(issuer.entity, []), key=lambda e: (e.disclosed_at, e.seq)):
            chance, count, shuffle = rng.random(), rng.random(), int(rng.integers(1 << 30))
            if chance < IN_ANNUAL_REPORT:
                last = _name(peers, who, issuer, report, count, shuffle, recorder, last) or last
        found += recorder.events
    return found


def _name(
    peers: _Peers,
    who: dict[int, Issuer],
    issuer: Issuer,
    report: Event,
    count: float,
    shuffle: int,
    recorder: Recorder,
    last: Event | None,
) -> Event | None:
    day = report.disclosed_at.toordinal()
    industry = peers.own(issuer.entity, day)
    if industry is None:
        return None
    others = peers.of(industry, day)
    # A pick of its own for each: who else is there moves nobody else's place
    rank = sorted(others, key=lambda e: ((e.entity * 2_654_435_761 ^ shuffle) % 1_000_003, e.entity))
    chosen = rank[: FEWEST + int(count * (MOST - FEWEST + 1))]
    if not chosen:
        return None
    named = tuple(_competitor(industry, peer, who[peer.entity]) for peer in chosen)
    return recorder.tell(
        EventType.COMPETITORS,
        Naming(issuer.company, issuer.name, named),
        valid=report.disclosed_at.date(),
        disclosed=report.disclosed_at.date(),
        at=report.disclosed_at.time(),
        supersedes=last,
        causes=(report, industry, *chosen),
    )


def _competitor(own: Event, peer: Event, issuer: Issuer) -> Competitor:
    """Name a competitor, with the narrowest industry that both belong to."""
    mine, theirs = own.payload, peer.payload
    assert isinstance(mine, Industry) and isinstance(theirs, Industry)  # noqa: S101, PT018 - by their types
    shared = [n for n in range(_LEVELS) if mine.codes[n] == theirs.codes[n]]
    level = shared[-1]
    return Competitor(issuer.company, issuer.name, level + 1, mine.codes[level], mine.names[level])
