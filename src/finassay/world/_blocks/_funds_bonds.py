"""Bonds that funds hold: the five largest at each quarter's end, out of the world's bonds then listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._calendar import quarter_ends
from finassay.world._draws import uniform
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
_KEPT = 4  # quarters that a list keeps its bonds


@dataclass(frozen=True)
class BondLists:
    """Bonds by fund, quarter and place: the vendor's number (0 for none), and millionths of the bond part."""

    inner: Ints
    weight: Ints


def bond_lists(seed: int, lives: Sequence[FundLife], events: Iterable[Event]) -> BondLists:
    """Choose the bonds of funds; the arrays have the shape (fund, quarter, 5), weights falling.

    A list keeps its bonds for a year, while they are listed. Without one bond only the lists that held it are others:
    every bond has its own point on a circle, and every place of a list takes the first bond from its own point on.
    """
    bonds = _spells(seed, events)
    ends = np.array(quarter_ends(), dtype="datetime64[D]").astype(np.int64)
    inner = np.zeros((len(lives), ends.size, LISTED), dtype=np.int64)
    weight, points = np.zeros_like(inner), np.zeros(inner.shape)
    entities = np.array([life.entity for life in lives], dtype=np.int64)
    for fund, life in enumerate(lives):
        draws = stream(seed, Purpose.FUND_PICK, life.entity, 1).random((ends.size, LISTED, 2))
        weight[fund] = 20_000 + (np.sort(draws[:, :, 1], axis=1)[:, ::-1] * 60_000).astype(np.int64)
        points[fund] = draws[:, :, 0]
    for turn in range(_KEPT):  # funds choose in different quarters of the year
        funds = np.flatnonzero(entities // 4 % _KEPT == turn)
        for quarter, end in enumerate(ends.tolist()):
            chosen = max(0, (quarter + turn) // _KEPT * _KEPT - turn)
            there = (bonds.start <= ends[chosen]) & (bonds.stop > end)
            inner[funds, quarter] = _first(bonds.point[there], bonds.code[there], points[funds, chosen])
    return BondLists(inner, np.where(inner > 0, weight, 0))


@dataclass(frozen=True)
class _Bonds:
    """Bonds by their point from 0 to 1: first code, first day and the one after the last, in days since 1970."""

    point: Floats
    code: Ints
    start: Ints
    stop: Ints


def _spells(seed: int, events: Iterable[Event]) -> _Bonds:
    """Read the bonds that these funds hold."""
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
        (entity, listed[entity][0], listed[entity][1], called.get(entity, bond.maturity))
        for entity, bond in sorted(terms.items())
        if entity in listed and bond.kind < _CONVERTIBLE
    ]
    days = np.array([row[2:] for row in rows], dtype="datetime64[D]").astype(np.int64).reshape(-1, 2)
    numbers = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
    point = uniform(seed, numbers[:, 0], int(Purpose.FUND_PICK))
    order = np.argsort(point, kind="stable")
    return _Bonds(point[order], numbers[order, 1], days[order, 0], days[order, 1])


def _first(circle: Floats, codes: Ints, points: Floats) -> Ints:
    """Return the bond of every place (column) of lists (rows): the first from its point on that is not in the list."""
    found = np.zeros(points.shape, dtype=np.int64)
    taken = np.full(points.shape, -1, dtype=np.int64)
    for place in range(min(LISTED, circle.size)):
        at = np.searchsorted(circle, points[:, place]) % circle.size
        while np.any(again := np.any(taken[:, :place] == at[:, None], axis=1)):
            at = np.where(again, (at + 1) % circle.size, at)
        taken[:, place] = at
        found[:, place] = codes[at]
    return found
