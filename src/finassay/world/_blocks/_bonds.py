"""The fixed-income side: macro series, curves, the money market, bonds and convertibles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.world._blocks._curves import Curves, curves
from finassay.world._blocks._curves_money import Money, index_events, money
from finassay.world._blocks._macro_cn import macro_events

if TYPE_CHECKING:
    from collections.abc import Iterable

    from finassay.world._blocks._market import Factors
    from finassay.world._config import WorldConfig
    from finassay.world._events import Event


@dataclass(frozen=True)
class FixedIncome:
    """What the fixed-income side has beside its events: daily values, all of which follow from seed and events."""

    curves: Curves
    money: Money


def fixed_income_events(config: WorldConfig) -> list[Event]:
    """Tell the macro series and the bond indices."""
    return [*macro_events(config.seed), *index_events(config.seed)]


def fixed_income(config: WorldConfig, factor: Factors, events: Iterable[Event]) -> FixedIncome:
    """Return the daily values that follow from the events of a world."""
    curve = curves(config.seed, factor, events)
    return FixedIncome(curve, money(config.seed, curve))
