"""Daily quotes of convertibles: conversion value of the share, times a premium that falls with it (world.md, 2.4).

ln(1 + premium) = .226 - .516 z + .270 z^2 + u with z = ln(value / 100), u of deviation .131 and weekly persistence
.974; fitted to 148,452 bond-weeks (B4). Where conversion pays, u is narrower; after a call the premium vanishes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._blocks._market import window
from finassay.world._calendar import sessions
from finassay.world._events import Event, EventType
from finassay.world._events_bonds import BondTerms, ConvertCall, ConvertPrice
from finassay.world._numerics import Floats, exp, log
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from datetime import date

    from finassay.world._blocks._prices import Quotes

LEVEL, SLOPE, BEND = 0.226, -0.516, 0.270
DEVIATION, PERSISTENCE = 0.131, 0.99474  # a day: the fifth root of .974
PAR = 100_000  # 1e-3 yuan
_OWN = 0.005  # noise of a day that does not stay
_FLOOR = 78_000


@dataclass(frozen=True)
class ConvertQuotes:
    """Daily quotes, one element per convertible and session, ordered by both.

    Attributes
    ----------
    entity, session : numpy.ndarray of int64
        The convertible, and the position of the day among the exchange's sessions.
    previous, open, high, low, close : numpy.ndarray of int64
        1e-3 yuan for 100 yuan of par.
    volume : numpy.ndarray of int64
        Lots of ten bonds.
    price, stock : numpy.ndarray of int64
        Conversion price of the day and close of the share, in fen.
    """

    entity: Any
    session: Any
    previous: Any
    open: Any
    high: Any
    low: Any
    close: Any
    volume: Any
    price: Any
    stock: Any


def joined(parts: list[ConvertQuotes]) -> ConvertQuotes:
    """Return quotes of several convertibles as one."""
    names = [field.name for field in fields(ConvertQuotes)]
    empty = np.empty(0, dtype=np.int64)
    return ConvertQuotes(
        **{name: np.concatenate([empty, *(getattr(part, name) for part in parts)]) for name in names}
    )


def convertible_quotes(
    seed: int, events: list[Event], session: Any, close: Any, traded: Any
) -> ConvertQuotes:
    """Return the quotes of one convertible from its events and its share's sessions, closes and trading days."""
    terms = next(e.payload for e in events if e.type is EventType.BOND_ISSUE)
    assert isinstance(terms, BondTerms)  # noqa: S101 - by its type
    listed = next(e.valid_from for e in events if e.type is EventType.BOND_LIST)
    start, stop = window()
    call = next((e for e in events if e.type is EventType.CONVERT_CALL), None)
    low, high = _at(listed), _end(terms, events)
    rows = np.flatnonzero(traded & (session >= low) & (session < high))
    at = session[rows]
    z = _values_log(events, at, close[rows])
    rng = stream(seed, Purpose.CONVERTIBLE_QUOTE, events[0].entity)
    draws = rng.standard_normal((stop - start, 5))
    u = rng.random((stop - start, 2))
    slow = _slow(draws[:, 0])[at - start]
    premium = _premium(z, slow) + _OWN * draws[at - start, 1]
    if call is not None:
        since = np.maximum(at - _at(call.disclosed_at.date()), 0)
        kept = np.where(since > 0, exp(-0.35 * np.minimum(since, 40)), 1.0)
        premium = np.where(
            since > 0, np.minimum(premium, 0.02) * kept + 0.4 * _OWN * draws[at - start, 2], premium
        )
    price = np.maximum(np.rint(100_000.0 * exp(np.clip(z + premium, -3.0, 3.0))), _FLOOR).astype(np.int64)
    return _quoted(
        events[0].entity, at, price, draws[at - start], u[at - start], terms, (events, close[rows])
    )


def _at(day: date) -> int:
    return sessions().at_or_after(day)


def _end(terms: BondTerms, events: list[Event]) -> int:
    """Return the first session without trading."""
    ends = [_at(terms.maturity) - 8]
    for event in events:
        if isinstance(event.payload, ConvertCall):
            ends.append(_at(event.payload.last_trading) + 1)
        elif event.type is EventType.BOND_CALL:
            ends.append(_at(event.valid_from))
    return min(ends)


def prices_on(events: list[Event], session: Any) -> Any:
    """Return the conversion price in fen on sessions."""
    told = sorted(
        ((_at(e.valid_from), e.payload.price) for e in events if isinstance(e.payload, ConvertPrice)),
        key=lambda item: item[0],
    )
    places = np.searchsorted(np.array([at for at, _ in told]), session, side="right")
    return np.array([price for _, price in told])[np.maximum(places - 1, 0)]


def _values_log(events: list[Event], session: Any, close: Any) -> Floats:
    return log(close / prices_on(events, session)) if session.size else np.empty(0)


def _slow(shocks: Floats) -> Floats:
    now = float(shocks[0])
    scale = float(np.sqrt(1.0 - PERSISTENCE * PERSISTENCE))
    found = []
    for shock in (shocks * scale).tolist():
        now = PERSISTENCE * now + shock
        found.append(now)
    return np.array(found) * DEVIATION


def _premium(z: Floats, slow: Floats) -> Floats:
    """Return ln(1 + premium); the fit holds to a value of 165, beyond which it stays as it is there."""
    capped = np.clip(z, -1.2, 0.5)
    width = np.clip(1.0 - 2.6 * capped, 0.15, 1.0)
    found: Floats = LEVEL + SLOPE * capped + BEND * capped * capped + slow * width
    return found


def _quoted(
    entity: int, at: Any, close: Any, z: Floats, u: Floats, terms: BondTerms, rest: tuple[list[Event], Any]
) -> ConvertQuotes:
    events, stock = rest
    previous = np.r_[PAR, close[:-1]].astype(np.int64)[: close.size]
    size = np.abs(close - previous).astype(np.float64)
    opened = previous + np.rint((close - previous) * u[:, 0]).astype(np.int64)
    wide = np.rint(0.0035 * close * np.abs(z[:, 3]) + 0.15 * size).astype(np.int64)
    deep = np.rint(0.0035 * close * np.abs(z[:, 4]) + 0.15 * size).astype(np.int64)
    lots = terms.planned * 10.0
    turnover = exp(np.clip(-4.2 + 0.9 * z[:, 2] + 14.0 * size / previous, -9.0, 1.0))
    return ConvertQuotes(
        np.full(at.size, entity),
        at,
        previous,
        opened,
        np.maximum(opened, close) + wide,
        np.minimum(opened, close) - deep,
        close,
        np.maximum(np.rint(lots * turnover), 1.0).astype(np.int64),
        prices_on(events, at),
        stock.astype(np.int64),
    )


def stock_rows(quotes: Quotes, entity: int) -> slice:
    """Return the rows of a share among the quotes."""
    low, high = np.searchsorted(quotes.entity, [entity, entity + 1])
    return slice(int(low), int(high))
