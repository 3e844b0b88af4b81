"""The fixed-income side: macro series, curves, the money market, bonds and convertibles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._bonds_credit import Stock
from finassay.world._blocks._bonds_life import owner_events
from finassay.world._blocks._bonds_universe import FIRST_DEBTOR, MOST, Owner, owners
from finassay.world._blocks._bonds_values import BondValues, joined, values_of
from finassay.world._blocks._curves import Curves, curves
from finassay.world._blocks._curves_money import Money, index_events, money
from finassay.world._blocks._macro_cn import macro_events
from finassay.world._blocks._market import YEAR
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._events import Event, EventType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from finassay.executor import Executor
    from finassay.world._blocks._market import Factors
    from finassay.world._blocks._prices import Quotes
    from finassay.world._blocks._universe import Issuer
    from finassay.world._config import WorldConfig

_BLOCK = 32  # debtors per job
FIRST_BOND, LAST_BOND = 0xB00000, 0xB80000


@dataclass(frozen=True)
class FixedIncome:
    """What the fixed-income side has beside its events: daily values, all of which follow from seed and events."""

    curves: Curves
    money: Money
    bonds: BondValues


def simulate_fixed_income(
    config: WorldConfig,
    factor: Factors,
    issuers: tuple[Issuer, ...],
    quotes: Quotes,
    events: list[Event],
    executor: Executor,
) -> tuple[list[Event], FixedIncome]:
    """Tell the events of the fixed-income side, after those of the shares, and return the daily values."""
    seed = config.seed
    told = [*macro_events(seed), *index_events(seed)]
    curve = curves(seed, factor, told)
    debtors = owners(config, issuers, frozenset())
    shares = _shares(quotes, events, {owner.stock for owner in debtors} - {0})
    items = [(owner, shares.get(owner.stock)) for owner in debtors]
    blocks = [items[n : n + _BLOCK] for n in range(0, len(items), _BLOCK)]
    parts = executor.map(partial(_told, seed, _slim(curve)), blocks, label="bonds")
    told += [event for part in parts for event in part[0]]
    values = joined([part[1] for part in parts if part[1] is not None])
    return told, FixedIncome(curve, money(seed, curve), values)


def fixed_income(
    config: WorldConfig, factor: Factors, events: Iterable[Event], executor: Executor
) -> FixedIncome:
    """Return the daily values that follow from the events of a world."""
    seed = config.seed
    by_owner: dict[int, list[Event]] = {}
    told = list(events)
    for event in told:
        if FIRST_BOND <= event.entity < LAST_BOND + (1 << 16):
            bond = event.entity < LAST_BOND
            owner = FIRST_DEBTOR + (event.entity - FIRST_BOND) // MOST if bond else event.entity
            by_owner.setdefault(owner, []).append(event)
    curve = curves(seed, factor, told)
    lists = [by_owner[owner] for owner in sorted(by_owner)]
    blocks = [lists[n : n + _BLOCK] for n in range(0, len(lists), _BLOCK)]
    parts = executor.map(partial(_valued, seed, _slim(curve)), blocks, label="bonds")
    return FixedIncome(curve, money(seed, curve), joined([part for part in parts if part is not None]))


def _slim(curve: Curves) -> Curves:
    """Return the treasury curve and the credit factor alone, which is all that bonds need."""
    return replace(curve, par=curve.par[:1], spot=curve.spot[:0], there=curve.there[:0])


def _told(
    seed: int, curve: Curves, items: list[tuple[Owner, Stock | None]]
) -> tuple[list[Event], BondValues | None]:
    lists = [owner_events(seed, curve, item) for item in items]
    return [event for told in lists for event in told], _valued(seed, curve, lists)


def _valued(seed: int, curve: Curves, lists: list[list[Event]]) -> BondValues | None:
    parts = [part for events in lists if (part := values_of(seed, curve, events)) is not None]
    return joined(parts) if parts else None


def _shares(quotes: Quotes, events: list[Event], wanted: set[int]) -> dict[int, Stock]:
    """Return what the shares of listed debtors say: returns over a year at the start of quarters, alerts."""
    alerts: dict[int, list[Event]] = {}
    listed: dict[int, Event] = {}
    for event in events:
        if event.entity in wanted and event.type is EventType.ST_ON:
            alerts.setdefault(event.entity, []).append(event)
        elif event.entity in wanted and event.type is EventType.SECURITY:
            listed[event.entity] = event
    found = {}
    for entity in wanted:
        low, high = np.searchsorted(quotes.entity, [entity, entity + 1])
        price = quotes.close[low:high] * quotes.factor[low:high]
        found[entity] = Stock(
            _yearly(price, quotes.session[low:high]), tuple(alerts.get(entity, ())), listed[entity]
        )
    return found


def _yearly(
    price: np.ndarray[tuple[int], np.dtype[np.float64]], session: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> dict[date, float]:
    found = {}
    for year in range(START.year, END.year + 1):
        for month in (1, 4, 7, 10):
            day = date(year, month, 1)
            at = int(np.searchsorted(session, sessions().at_or_after(day)))
            if YEAR <= at < price.size:
                found[day] = float(price[at - 1] / price[at - YEAR] - 1.0)
    return found
