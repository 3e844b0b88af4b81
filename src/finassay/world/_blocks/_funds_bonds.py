"""Bonds that funds hold: the five largest at each quarter's end, out of the world's bonds then listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._calendar import quarter_ends
from finassay.world._events import EventType
from finassay.world._events_bonds import BondListing, BondTerms
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from finassay.world._blocks._funds_market import Ints
    from finassay.world._blocks._funds_read import FundLife
    from finassay.world._events import Event
    from finassay.world._numerics import Floats

LISTED = 5
_CONVERTIBLE = 400  # kinds above are not held by these funds
_KEPT = 4  # quarters that a place in the list keeps its bond


@dataclass(frozen=True)
class BondLists:
    """Bonds by fund, quarter and place: the vendor's number (0 for none), and millionths of the bond part."""

    inner: Ints
    weight: Ints


def bond_lists(seed: int, lives: Sequence[FundLife], events: Iterable[Event]) -> BondLists:
    """Choose the bonds of funds; the arrays have the shape (fund, quarter, 5), weights falling.

    A place in the list keeps its bond for a year, while that is listed.
    """
    codes, starts, stops = _spells(events)
    ends = np.array(quarter_ends(), dtype="datetime64[D]").astype(np.int64)
    inner = np.zeros((len(lives), ends.size, LISTED), dtype=np.int64)
    weight = np.zeros_like(inner)
    for fund, life in enumerate(lives):
        draws = stream(seed, Purpose.FUND_PICK, life.entity, 1).random((ends.size, LISTED, 2))
        sizes = 20_000 + (np.sort(draws[:, :, 1], axis=1)[:, ::-1] * 60_000).astype(np.int64)
        weight[fund] = sizes
        if codes.size:
            picks = draws[(np.arange(ends.size) + life.entity // 4) // _KEPT * _KEPT % ends.size, :, 0]
            inner[fund] = _listed(codes, starts, stops, ends, picks)
    return BondLists(inner, np.where(inner > 0, weight, 0))


def _spells(events: Iterable[Event]) -> tuple[Ints, Ints, Ints]:
    """Return the first codes of bonds with their first day and the one after their last, in days since 1970."""
    terms: dict[int, BondTerms] = {}
    called: dict[int, date] = {}
    listed: dict[int, tuple[int, date]] = {}
    for event in events:
        if event.type is EventType.BOND_ISSUE and isinstance(event.payload, BondTerms):
            terms[event.entity] = event.payload
        elif event.type is EventType.BOND_CALL:
            called[event.entity] = event.valid_from
        elif event.type is EventType.BOND_LIST and isinstance(event.payload, BondListing):
            listed.setdefault(event.entity, (event.payload.inner, event.valid_from))
    rows = [
        (listed[entity][0], listed[entity][1], called.get(entity, bond.maturity))
        for entity, bond in sorted(terms.items())
        if entity in listed and bond.kind < _CONVERTIBLE
    ]
    days = np.array([(a, b) for _, a, b in rows], dtype="datetime64[D]").astype(np.int64).reshape(-1, 2)
    return np.array([code for code, _, _ in rows], dtype=np.int64), days[:, 0], days[:, 1]


def _listed(codes: Ints, starts: Ints, stops: Ints, ends: Ints, picks: Floats) -> Ints:
    """Return the bond of every place: the first one listed from the drawn one on, each at most once a list."""
    found = np.zeros(picks.shape, dtype=np.int64)
    for quarter, end in enumerate(ends.tolist()):
        alive = np.flatnonzero((starts <= end) & (stops > end))
        if alive.size < LISTED:
            continue
        # Places look in the order of the bonds, each after the one before
        at = np.searchsorted(alive, np.sort((picks[quarter] * codes.size).astype(np.int64)))
        at = np.maximum.accumulate(at - np.arange(LISTED)) + np.arange(LISTED)
        found[quarter] = codes[alive[np.minimum(at, alive.size - LISTED + np.arange(LISTED))]]
    return found
