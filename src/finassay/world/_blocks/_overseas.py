"""Indices of markets abroad: levels from factors of their own (world.md, 2.1); benchmark legs refer to them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._funds_universe import OVERSEAS_BASE
from finassay.world._blocks._market import garch, student
from finassay.world._blocks._recorder import Recorder
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._events import Event, EventType
from finassay.world._events_funds import OverseasIndex
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._market import Factors

# Vendor's number, code, name, market, currency, exchange; yearly volatility and drift; share of the Chinese factor
INDICES = (
    (OverseasIndex(3401, "HSI", "恒生指数", 72, 110), "XHKG", 0.19, 0.01, 0.55),
    (OverseasIndex(3402, "SPX", "标普500", 77, 502), "XNYS", 0.155, 0.141, 0.0),
    (OverseasIndex(3403, "NDX", "纳斯达克100", 77, 502), "XNYS", 0.21, 0.17, 0.0),
)
_START_LEVEL = (20_000.0, 2_060.0, 4_300.0)
_PUBLISHED = date(2000, 1, 4)
_YEAR = 250


@dataclass(frozen=True)
class OverseasQuotes:
    """Daily levels of an index abroad: the days, and previous close, open, high, low, close in hundredths."""

    inner: int
    days: np.ndarray[tuple[int], np.dtype[np.datetime64]]
    levels: np.ndarray[tuple[int, int], np.dtype[np.int64]]


def overseas_events(seed: int) -> list[Event]:
    """Tell the indices."""
    events = []
    for number, (payload, *_) in enumerate(INDICES):
        recorder = Recorder(seed, OVERSEAS_BASE + number)
        before = _PUBLISHED - timedelta(days=1)
        recorder.tell(EventType.OVERSEAS_INDEX, payload, valid=_PUBLISHED, disclosed=before, prompt=True)
        events += recorder.events
    return events


def overseas_quotes(seed: int, market: Factors) -> tuple[OverseasQuotes, ...]:
    """Draw the levels; the US indices share three quarters of their variance, Hong Kong follows the Chinese factor."""
    calendar = sessions()
    shared = _returns(seed, 9, len(_days("XNYS")), 0.155)
    found = []
    for number, (payload, exchange, volatility, drift, chinese) in enumerate(INDICES):
        days = _days(exchange)
        own = _returns(seed, number, len(days), volatility)
        if exchange == "XNYS":
            moves = 0.87 * shared * (volatility / 0.155) + 0.49 * own
        else:
            at = np.searchsorted(calendar.array, days)
            first = calendar.at_or_after(START)
            same = (calendar.array[at] == days) & (at - first < market.market.size)
            factor = np.where(same, market.market[np.clip(at - first, 0, market.market.size - 1)], 0.0)
            moves = chinese * factor + 0.8 * own
        levels = _levels(stream(seed, Purpose.OVERSEAS, number, 1), moves + drift / _YEAR, number)
        found.append(OverseasQuotes(payload.inner, days, levels))
    return tuple(found)


def _days(exchange: str) -> np.ndarray[tuple[int], np.dtype[np.datetime64]]:
    array = sessions(exchange).array
    inside = (array >= np.datetime64(START)) & (array <= np.datetime64(END))
    return array[inside]


def _returns(seed: int, number: int, length: int, volatility: float) -> Floats:
    shocks = student(stream(seed, Purpose.OVERSEAS, number), 5.0, length)
    return garch(shocks[:, None], 0.12, 0.84)[:, 0] * (volatility / float(np.sqrt(_YEAR)))


def _levels(
    rng: np.random.Generator, moves: Floats, number: int
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return levels in hundredths; open, high and low scatter around the move of the day."""
    u = rng.random((moves.size, 3))
    close = np.rint(_START_LEVEL[number] * 100 * exp(np.cumsum(np.clip(moves, -0.15, 0.15)))).astype(np.int64)
    previous = np.r_[np.int64(_START_LEVEL[number] * 100), close[:-1]]
    opened = previous + np.rint((close - previous) * (0.8 * u[:, 0] - 0.1)).astype(np.int64)
    high = np.maximum(opened, close) + np.rint(close * 0.006 * u[:, 1]).astype(np.int64)
    low = np.minimum(opened, close) - np.rint(close * 0.006 * u[:, 2]).astype(np.int64)
    return np.stack([previous, opened, high, low, close], axis=1)
