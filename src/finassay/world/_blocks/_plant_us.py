"""Which US filings are amended; which are planted to come late, or to be amended besides (world.md, 2.3 and 5)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from finassay.world._blocks._plant import LARGE, anchors
from finassay.world._blocks._recorder import Recorder
from finassay.world._blocks._us_filings import CLOSE, usual_times
from finassay.world._blocks._us_life import us_life_events
from finassay.world._blocks._us_statements import period_ends
from finassay.world._calendar import sessions
from finassay.world._config import END
from finassay.world._strata import spread
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from finassay.world._blocks._us_universe import UsIssuer
    from finassay.world._config import WorldConfig

_FILED = timedelta(days=135)  # after which all but a few late filers have filed
_FIRST = 3  # quarter that is filed
_COMPANIES = 10  # of which one, at most, has something planted that is accepted after the close of an anchor
_NEAR = 3  # days from an anchor to filings that are moved to it
_MOVED = 0.01  # of filings, at most
_USUAL = timedelta(days=60)  # from a period's end to its filing
AMENDED = 0.010  # of originals (S1, 212 pairs)
RESTATES = 0.54  # of amendments


@dataclass(frozen=True, slots=True)
class Amended:
    """An amendment that was drawn: uniform draws for its gap, whether it restates, by how much, and which way."""

    gap: float
    restates: bool
    size: float
    way: float


@dataclass(frozen=True, slots=True)
class Again:
    """An amendment that is planted: its day, the minute if it comes after the close, and whether it restates."""

    day: date
    minute: time | None
    restates: bool


@dataclass
class UsPlanted:
    """What is chosen for the filings of a company, by quarter.

    Attributes
    ----------
    late : dict of int to date
        Planted: the day of a late filing.
    evening : dict of int to datetime
        Filings moved after the close of an anchor.
    amended : dict of int to Again
        Amendments that are planted.
    natural : dict of int to Amended
        Amendments that were drawn.
    """

    late: dict[int, date] = field(default_factory=dict)
    evening: dict[int, datetime] = field(default_factory=dict)
    amended: dict[int, Again] = field(default_factory=dict)
    natural: dict[int, Amended] = field(default_factory=dict)


@dataclass(frozen=True)
class _Filer:
    """A company, the ends of its quarters, and the day it is gone."""

    issuer: UsIssuer
    ends: list[date]
    last: date
    planted: UsPlanted

    def quarter(self, low: date, high: date, *, interim: bool) -> int | None:
        """Return the last quarter that ended in a span, is filed, and in which nothing is planted yet."""
        for k in range(len(self.ends) - 1, _FIRST - 1, -1):
            end = self.ends[k]
            if low <= end <= high and end > self.issuer.listed + timedelta(days=30) and not self.taken(k):
                return None if interim and end.month == self.issuer.year_end else k
        return None

    def taken(self, k: int) -> bool:
        """Whether something is planted, or amended, in a quarter."""
        planted = self.planted
        return any(k in part for part in (planted.late, planted.evening, planted.amended, planted.natural))


def us_anchors(snapshot: date) -> list[date]:
    """Return the anchors on which US filings are accepted: in China they are the last sessions of months."""
    return [day for day in anchors(snapshot) if day in sessions("XNYS")]


def us_plan(
    config: WorldConfig, issuers: tuple[UsIssuer, ...], missing: Mapping[date, int]
) -> dict[int, UsPlanted]:
    """Return what is planted, by company.

    Parameters
    ----------
    config : WorldConfig
        The world's.
    issuers : tuple of UsIssuer
        The companies.
    missing : mapping of date to int
        By anchor, how many figures must yet be revised within half a year.
    """
    filers = [_filer(config.seed, issuer) for issuer in issuers]
    _draw(config.seed, filers)
    pending: list[tuple[date, date]] = []
    for number, day in enumerate(anchors(config.snapshot)):
        rng = stream(config.seed, Purpose.TRAP, number, 8)
        if _quiet(day):
            _delay(rng, filers, day, 5 if config.scale >= LARGE else 3)
        wanted = max(7 if config.scale >= LARGE else 3, missing.get(day, 0) + 1)
        known = sum(first <= day < told <= day + timedelta(days=180) for first, told in pending)
        for _ in range(wanted - known):
            pending += _amend(rng, filers, day, config.snapshot)
    _evenings(config, filers)
    return {filer.issuer.entity: filer.planted for filer in filers}


def _filer(seed: int, issuer: UsIssuer) -> _Filer:
    end = us_life_events(seed, issuer, Recorder(seed, issuer.entity))
    last = date.max if end is None else sessions("XNYS").days[end.last]
    return _Filer(issuer, period_ends(issuer.year_end), last, UsPlanted())


def _draw(seed: int, filers: list[_Filer]) -> None:
    """Choose the filings that are amended: every hundredth of the world's, in the order of their periods."""
    filings = [
        (end, filer, k)
        for filer in filers
        for k, end in enumerate(filer.ends)
        if k >= _FIRST
        and filer.issuer.listed <= end + timedelta(days=45)
        and end + _USUAL < min(filer.last, END)
    ]
    rng = stream(seed, Purpose.TRAP, 0, 10)
    mixed = [filings[int(n)] for n in rng.permutation(len(filings))]
    mixed.sort(key=lambda filing: filing[0])
    part, restating = float(rng.random()), 0
    for place, n in enumerate(range(int(rng.random() / AMENDED), len(mixed), round(1 / AMENDED))):
        _, filer, k = mixed[n]
        restates = (part + place * RESTATES) % 1.0 < RESTATES
        gap, *_ = spread(seed, Purpose.US_FILING, place)
        size, way, *_ = spread(seed, Purpose.US_STATEMENT, restating)
        filer.planted.natural[k] = Amended(gap, restates, size, way)
        restating += restates


def _quiet(day: date) -> bool:
    """Whether hardly a report is due on a day: none of the periods that ended lately, or of the last quarter."""
    ended = (day + timedelta(days=1)).month != day.month
    return day.month in (5, 8, 11) or (day.month % 3 == 0 and not ended)


def _alive(rng: np.random.Generator, filers: list[_Filer], day: date) -> list[_Filer]:
    """Return those that are listed for long before and after a day, in a random order, the large half first."""
    found = [
        f
        for f in filers
        if f.issuer.listed < day - timedelta(days=240) and f.last > day + timedelta(days=220)
    ]
    mixed = [found[int(n)] for n in rng.permutation(len(found))]
    half = mixed[: len(mixed) // 2]
    return sorted(half, key=lambda f: f.issuer.category) + mixed[len(mixed) // 2 :]


def _delay(rng: np.random.Generator, filers: list[_Filer], day: date, wanted: int) -> None:
    """Let quarterly reports of long ago come in the days after an anchor."""
    for filer in _alive(rng, filers, day):
        k = filer.quarter(day - timedelta(days=115), day - timedelta(days=55), interim=True)
        if wanted > 0 and k is not None:
            filer.planted.late[k] = day + timedelta(days=1 + int(rng.random() ** 2 * 9))
            wanted -= 1


def _amend(
    rng: np.random.Generator, filers: list[_Filer], day: date, snapshot: date
) -> list[tuple[date, date]]:
    """Let a filing of before an anchor be amended on its morrow, or after the close of a later one."""
    near, spread, minute = rng.random(3)
    later = [c for c in us_anchors(snapshot) if 100 <= (c - day).days <= 170]
    if near < 1 / 3:
        again = Again(day + timedelta(days=1 + int(spread * 2)), None, restates=True)
    elif later:
        again = Again(later[int(spread * len(later))], _evening(minute), restates=True)
    else:
        again = Again(snapshot - timedelta(days=24 + int(spread * 12)), None, restates=True)
    for filer in _alive(rng, filers, day):
        k = filer.quarter(day - timedelta(days=260), day - _FILED, interim=False)
        if k is not None and k + 1 not in filer.planted.late:
            filer.planted.amended[k] = again
            return [(filer.ends[k] + _FILED, again.day)]
    return []


def _evenings(config: WorldConfig, filers: list[_Filer]) -> None:
    """Plant what is accepted after the close of anchors that lack it: filings of days near by, then amendments.

    Of all filings few are moved, for it changes how late companies file; such amendments change no figure.
    """
    days = us_anchors(config.snapshot)
    times = [usual_times(config.seed, filer.issuer, filer.last, filer.planted) for filer in filers]
    usual = [
        (moment, filer, k, found[k - 1].date() if k - 1 in found else date.min)
        for filer, found in zip(filers, times, strict=True)
        for k, moment in found.items()
    ]
    again = [a for filer in filers for a in filer.planted.amended.values()]
    moments = [moment for moment, *_ in usual] + [
        datetime.combine(a.day, a.minute) for a in again if a.minute
    ]
    there = Counter(moment.date() for moment in moments if moment.time() >= CLOSE)
    moved = 0
    for number, day in enumerate(days):
        rng = stream(config.seed, Purpose.TRAP, number, 11)
        alive = _alive(rng, filers, day)
        if rng.random() < 0.5:  # as often of any size as of the large ones
            alive = [alive[int(n)] for n in rng.permutation(len(alive))]
        wanted = min(6 if config.scale >= LARGE else 2, len(alive) // _COMPANIES) - there[day]
        near = [
            (abs((moment.date() - day).days), n)
            for n, (moment, filer, k, before) in enumerate(usual)
            if abs((moment.date() - day).days) <= _NEAR
            and before < day
            and not (moment.date() == day and moment.time() >= CLOSE)
            and not filer.taken(k)
        ]
        allowed = int(_MOVED * len(usual) * (number + 1) / len(days))
        for _, n in sorted(near):
            _, filer, k, _ = usual[n]
            if wanted > 0 and moved < allowed and filer.planted.evening.keys().isdisjoint((k - 1, k + 1)):
                filer.planted.evening[k] = datetime.combine(day, _evening(rng.random()))
                wanted, moved = wanted - 1, moved + 1
        for filer in alive:
            last = filer.quarter(day - timedelta(days=260), day - _FILED, interim=False)
            if wanted > 0 and last is not None:
                filer.planted.amended[last] = Again(day, _evening(rng.random()), restates=False)
                wanted -= 1


def _evening(part: float) -> time:
    """Return a minute after the close in which what is accepted is still dated of the day."""
    minute = int(part * 90)
    return time(16 + minute // 60, minute % 60)
