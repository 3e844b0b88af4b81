"""The acceptance facts of bonds, convertibles and curves (world.md, 7), on natural events up to the snapshot."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._convertibles import FIRST_CONVERTIBLE, FIRST_OWNER
from finassay.world._blocks._curves import TENORS
from finassay.world._blocks._market import window
from finassay.world._calendar import sessions
from finassay.world._events import Event, EventType, Origin
from finassay.world._events_bonds import ConvertPrice, Rating
from finassay.world._fact import Fact, jackknife, of_share
from finassay.world._facts_natural import Natural

if TYPE_CHECKING:
    from finassay.world._numerics import Floats
    from finassay.world._world import World

_BUCKETS = (0.0, 60.0, 80.0, 90.0, 100.0, 110.0, 130.0, 1e9)  # conversion value
_TEN_YEARS = TENORS.index(10.0)


def bond_facts(world: World) -> list[Fact]:
    """Measure the facts of bonds, convertibles and curves."""
    return [*_premium_facts(world), *_reset_facts(world), *_rating_facts(world), *_curve_facts(world)]


def _last(world: World) -> int:
    """Return the position of the last session up to the snapshot."""
    return sessions().at_or_after(world.config.snapshot) - (world.config.snapshot not in sessions())


def _premium_facts(world: World) -> list[Fact]:
    quotes = world.fixed_income.convertibles
    seen = quotes.session <= _last(world)
    value = 100.0 * quotes.stock[seen] / quotes.price[seen]
    premium: Floats = quotes.close[seen] / 10.0 / value - 100.0
    n = int(premium.size)
    if not n:
        return []
    middle = [
        float(np.median(premium[(value >= low) & (value < high)]))
        for low, high in pairwise(_BUCKETS)
        if np.any((value >= low) & (value < high))
    ]
    rising = sum(b >= a for a, b in pairwise(middle))
    bonds = quotes.entity[seen]  # thousands of quotes are of a few bonds, whose premiums move slowly
    error = jackknife(bonds, lambda kept: float(np.median(premium[kept])))
    errors = jackknife(bonds, lambda kept: 100 * float(np.mean(premium[kept] < 0)))
    return [
        Fact("34", "median conversion premium, %", float(np.median(premium)), 24, 36, n, (error, error)),
        Fact(
            "34",
            "negative conversion premiums, %",
            100 * float(np.mean(premium < 0)),
            1,
            6,
            n,
            (errors, errors),
        ),
        Fact("34", "buckets of conversion value whose median premium is not below the last", rising, 0, 0, n),
    ]


def _reset_facts(world: World) -> list[Fact]:
    """Count convertibles whose conversion price fell by 15%; the source has 50.4% of those since 1990."""
    prices: dict[int, list[tuple[object, int, int]]] = {}
    planted = Natural(world).spans
    for event in world.ledger.of(EventType.CONVERT_PRICE):
        if event.entity - FIRST_CONVERTIBLE in planted:
            continue
        if event.valid_from <= world.config.snapshot and isinstance(event.payload, ConvertPrice):
            prices.setdefault(event.entity, []).append((event.valid_from, event.seq, event.payload.price))
    spans = [(min(found)[2], max(found)[2]) for found in prices.values()]
    if not spans:
        return []
    share = 100 * sum(last <= 0.85 * first for first, last in spans) / len(spans)
    name = "convertibles with a price 15% below the first, % (source: 50)"
    return [of_share("-", name, share, 35, 62, len(spans))]


def _rating_facts(world: World) -> list[Fact]:
    """Compare each rating of a convertible's debtor with the one before it by the same agency."""
    down = up = summer = 0
    for event in world.ledger.of(EventType.DEBTOR_RATING):
        if event.entity < FIRST_OWNER or event.supersedes is None or event.origin is not Origin.NATURAL:
            continue
        if _of_plants(world, event):
            continue
        before, after = world.ledger.by_id[event.supersedes].payload, event.payload
        assert isinstance(before, Rating)  # noqa: S101 - by its type
        assert isinstance(after, Rating)  # noqa: S101 - by its type
        if before.grade != after.grade and event.valid_from <= world.config.snapshot:
            down, up = down + (after.grade < before.grade), up + (after.grade > before.grade)
            summer += event.valid_from.month in (6, 7)
    moves = down + up
    if not moves:
        return []
    upgrades = "upgrades of rating changes, % (3 to 9 downgrades each)"
    return [
        of_share("35", "rating changes in June and July, %", 100 * summer / moves, 45, 60, moves),
        of_share("35", upgrades, 100 * up / moves, 10, 25, moves),
    ]


def _of_plants(world: World, event: Event) -> bool:
    """Whether a rating shows a shock that a planted alert of the share brought."""
    shocks = [world.ledger.by_id[cause] for cause in event.cause_ids]
    alerts = [world.ledger.by_id[cause] for shock in shocks for cause in shock.cause_ids]
    return any(alert.origin is Origin.SEEDED for alert in alerts)


def _curve_facts(world: World) -> list[Fact]:
    curves = world.fixed_income.curves
    days = _last(world) - window()[0] + 1
    change = np.diff(curves.par[0, :days, _TEN_YEARS]) / 100.0
    centred = change - np.sum(change) / change.size
    deviation = float(np.sqrt(np.sum(centred * centred) / change.size))
    spot = curves.spot[:, :days] / 1e6
    rising = 0
    factor = np.ones(spot.shape[:2])
    for place, tenor in enumerate(TENORS[1:], start=1):
        following = _discount(spot[:, :, place], tenor)
        rising += int(np.sum(following >= factor))
        factor = following
    return [
        Fact(
            "36",
            "daily change of the 10-year yield, CN, basis points",
            deviation,
            1.85,
            2.65,
            int(change.size),
        ),
        Fact("36", "discount factors that do not fall with the term", rising, 0, 0, int(spot.size)),
    ]


def _discount(rate: Floats, years: float) -> Floats:
    found: Floats = (1.0 + rate) ** -years
    return found
