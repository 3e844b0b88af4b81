"""Which US filings are amended; which are planted to come late or to be amended besides (world.md, 2.3 and 5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING

from finassay.world._blocks._plant import LARGE, anchors
from finassay.world._blocks._recorder import Recorder
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


@dataclass
class UsPlanted:
    """What is chosen for the filings of a company, by quarter.

    Attributes
    ----------
    late, amended : dict of int to date
        Planted: the day of a late filing, of an amendment.
    natural : dict of int to Amended
        Amendments that were drawn.
    """

    late: dict[int, date] = field(default_factory=dict)
    amended: dict[int, date] = field(default_factory=dict)
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
            planted = self.planted
            taken = k in planted.late or k in planted.amended or k in planted.natural
            if low <= end <= high and end > self.issuer.listed + timedelta(days=30) and not taken:
                return None if interim and end.month == self.issuer.year_end else k
        return None


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
    """Let a filing of before an anchor be amended on its morrow, or up to half a year later."""
    near, spread = rng.random(2)
    ahead = 1 + int(spread * 2) if near < 1 / 3 else 100 + int(spread * 70)
    told = min(day + timedelta(days=ahead), snapshot - timedelta(days=24 + int(spread * 12)))
    for filer in _alive(rng, filers, day):
        k = filer.quarter(day - timedelta(days=260), day - _FILED, interim=False)
        if k is not None and k + 1 not in filer.planted.late:
            filer.planted.amended[k] = told
            return [(filer.ends[k] + _FILED, told)]
    return []
