"""The fixed-income side: macro series, curves, the money market, bonds and convertibles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from finassay.world._blocks._bonds_credit import Stock, stock_of
from finassay.world._blocks._bonds_life import owner_events
from finassay.world._blocks._bonds_universe import FIRST_BOND, FIRST_DEBTOR, MOST, Owner, owners
from finassay.world._blocks._bonds_values import BondValues, replaced, values_of
from finassay.world._blocks._bonds_values import joined as joined_values
from finassay.world._blocks._convertibles import (
    FIRST_CONVERTIBLE,
    FIRST_OWNER,
    candidates,
)
from finassay.world._blocks._convertibles_quotes import ConvertQuotes, convertible_quotes, joined, stock_rows
from finassay.world._blocks._curves import Curves, curves
from finassay.world._blocks._curves_money import Money, index_events, money
from finassay.world._blocks._macro_cn import macro_events
from finassay.world._blocks._plant_bonds import called_owners, plant_defaults, plant_prices
from finassay.world._blocks._plant_told import plant_ratings, postponed
from finassay.world._events import Event, EventType

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from finassay.executor import Executor
    from finassay.world._blocks._market import Factors
    from finassay.world._blocks._prices import Ints, Quotes
    from finassay.world._blocks._universe import Issuer
    from finassay.world._config import WorldConfig

_BLOCK = 32  # debtors per job
_WATCHED = frozenset((EventType.SECURITY, EventType.ST_ON))


@dataclass(frozen=True)
class FixedIncome:
    """What the fixed-income side has beside its events: daily values, all of which follow from seed and events.

    Attributes
    ----------
    curves : Curves
        Yield curves.
    money : Money
        Fixings, central parities, bond indices.
    bonds : BondValues
        Yields and deals of bonds.
    convertibles : ConvertQuotes
        Quotes of convertibles.
    """

    curves: Curves
    money: Money
    bonds: BondValues
    convertibles: ConvertQuotes


def simulate_fixed_income(
    config: WorldConfig,
    factor: Factors,
    issuers: tuple[Issuer, ...],
    quotes: Quotes,
    events: list[Event],
    convertible: list[Event],
    executor: Executor,
) -> tuple[list[Event], FixedIncome]:
    """Tell the events of the fixed-income side, after those of the shares, and return the daily values.

    The convertibles are those that were told with their companies.
    """
    seed = config.seed
    told = postponed(config, [*macro_events(seed), *index_events(seed)])
    curve = curves(seed, factor, told)
    debtors = owners(config, issuers, frozenset(issuer.entity for issuer, _ in candidates(seed, issuers)))
    own = _by_entity(events, {owner.stock for owner in debtors} - {0})
    calls = called_owners(config, debtors)
    items = [
        (
            owner,
            stock_of(quotes, owner.stock, own[owner.stock]) if owner.stock else None,
            config.snapshot if owner.entity in calls else None,
        )
        for owner in debtors
    ]
    parts = executor.map(partial(_told, seed, _slim(curve)), _blocks(items), label="bonds")
    converted = plant_prices(config, convertible)
    plain, missed = plant_defaults(config, [event for part in parts for event in part[0]])
    told += plant_ratings(config, [*plain, *converted])
    values = joined_values([part[1] for part in parts])
    if missed:
        owed = [events for owner, events in _by_owner(plain).items() if owner in missed]
        again = executor.map(partial(_valued, seed, _slim(curve)), _blocks(owed), label="bonds in default")
        values = replaced(values, joined_values(again))
    quoted = _quotes(seed, quotes, converted, executor)
    return told, FixedIncome(curve, money(seed, curve), values, quoted)


def fixed_income(
    config: WorldConfig, factor: Factors, quotes: Quotes, events: Iterable[Event], executor: Executor
) -> FixedIncome:
    """Return the daily values that follow from the events and the shares' quotes of a world."""
    seed = config.seed
    told = list(events)
    curve = curves(seed, factor, told)
    owed = list(_by_owner(told).values())
    parts = executor.map(partial(_valued, seed, _slim(curve)), _blocks(owed), label="bonds")
    quoted = _quotes(seed, quotes, told, executor)
    return FixedIncome(curve, money(seed, curve), joined_values(parts), quoted)


def _by_owner(events: Iterable[Event]) -> dict[int, list[Event]]:
    """Return the events of plain bonds and their debtors, by debtor in ascending order."""
    found: dict[int, list[Event]] = {}
    for event in events:
        if FIRST_BOND <= event.entity < FIRST_OWNER:
            bond = event.entity < FIRST_DEBTOR
            owner = FIRST_DEBTOR + (event.entity - FIRST_BOND) // MOST if bond else event.entity
            found.setdefault(owner, []).append(event)
    return dict(sorted(found.items()))


def _quotes(seed: int, quotes: Quotes, events: Iterable[Event], executor: Executor) -> ConvertQuotes:
    """Return the quotes of all convertibles whose issue is among the events."""
    own: dict[int, list[Event]] = {}
    for event in events:
        if FIRST_CONVERTIBLE <= event.entity < FIRST_CONVERTIBLE + (1 << 16):
            own.setdefault(event.entity, []).append(event)
    items = []
    for entity in sorted(own):
        if any(event.type is EventType.BOND_LIST for event in own[entity]):
            rows = stock_rows(quotes, entity - FIRST_CONVERTIBLE)
            items.append((own[entity], quotes.session[rows], quotes.close[rows], quotes.traded[rows]))
    return joined(executor.map(partial(_quoted, seed), _blocks(items), label="convertibles' quotes"))


def _blocks(items: list[Any]) -> list[list[Any]]:
    return [items[n : n + _BLOCK] for n in range(0, len(items), _BLOCK)]


def _slim(curve: Curves) -> Curves:
    """Return the treasury curve and the credit factor alone, which is all that bonds need."""
    return replace(curve, par=curve.par[:1], spot=curve.spot[:0], there=curve.there[:0])


def _told(
    seed: int, curve: Curves, items: list[tuple[Owner, Stock | None, date | None]]
) -> tuple[list[Event], BondValues]:
    lists = [owner_events(seed, curve, item) for item in items]
    return [event for told in lists for event in told], _valued(seed, curve, lists)


def _valued(seed: int, curve: Curves, lists: list[list[Event]]) -> BondValues:
    return joined_values([values_of(seed, curve, events) for events in lists if events])


def _quoted(seed: int, items: list[tuple[list[Event], Ints, Ints, Ints]]) -> ConvertQuotes:
    return joined([convertible_quotes(seed, *item) for item in items])


def _by_entity(events: list[Event], wanted: set[int]) -> dict[int, list[Event]]:
    found: dict[int, list[Event]] = {entity: [] for entity in wanted}
    for event in events:
        if event.type in _WATCHED and event.entity in wanted:
            found[event.entity].append(event)
    return found
