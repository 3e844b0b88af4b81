"""Market and sector factors: GARCH(1,1) with Student-t shocks, scaled to their moments (world.md, 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._industries import SECTORS
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from finassay.world._numerics import Floats

YEAR = 243  # sessions
MARKET_VOLATILITY = 0.225
MARKET_DRIFT = 0.021
SECTOR_VOLATILITY = 0.0085
HOMING = 0.0025  # of the distance from the trend, per session: the index stays within a factor of two (R4)
# Excess kurtosis (6.2 is measured, R4), autocorrelation of squares, largest move of a day and of a year, in
# deviations, of the paths that are taken
USUAL = ((2.5, 9.0), (0.06, 0.25), 6.2, 1.9)
_PATHS = 64


@dataclass(frozen=True)
class Factors:
    """Daily log returns over the sessions of the economy: `market` (T), `sectors` (T, 31)."""

    market: Floats
    sectors: Floats


def window() -> tuple[int, int]:
    """Return the positions of the economy's first session and of the one after its last."""
    calendar = sessions()
    last = calendar.at_or_after(END)
    return calendar.at_or_after(START), last + (1 if END in calendar else 0)


@lru_cache(maxsize=4)
def factors(seed: int) -> Factors:
    """Draw the factors of a world."""
    first, stop = window()
    length = stop - first
    market = usual(
        lambda n: homing(garch_path(stream(seed, Purpose.MARKET, 0, n), length, 0.08, 0.90)), USUAL
    )
    shocks = [student(stream(seed, Purpose.SECTOR, k), 6.0, length) for k in range(len(SECTORS))]
    sectors = garch(np.stack(shocks, axis=1), 0.08, 0.90)
    return Factors(
        _scaled(market, MARKET_DRIFT / YEAR, MARKET_VOLATILITY / np.sqrt(YEAR)),
        np.stack([_scaled(sectors[:, k], 0.0, SECTOR_VOLATILITY) for k in range(len(SECTORS))], axis=1),
    )


Usual = tuple[tuple[float, float], tuple[float, float], float, float]


def usual(path: Callable[[int], Floats], bounds: Usual) -> Floats:
    """Return the first of several paths whose tails and clusters are usual, so that no fact hangs on the seed.

    Ten years of a heavy-tailed series have moments that differ widely from one draw to the next; one market moves all
    shares of a world, so no number of shares makes up for it.

    Parameters
    ----------
    path : callable
        Draws the path of a number.
    bounds : tuple
        Least and most excess kurtosis, and autocorrelation of squares at lag 1; largest move of a day, and of a year.
    """
    (least, most), (loose, tight), day, year = bounds
    found = path(0)
    for number in range(1, _PATHS):
        centred = found - np.sum(found) / found.size
        square = centred * centred
        variance = np.sum(square) / square.size
        heavy = np.sum(square * square) / square.size / (variance * variance) - 3.0
        excess = square - variance
        memory = np.sum(excess[1:] * excess[:-1]) / np.sum(excess * excess)
        calm = np.max(square) < day * day * variance and _largest_year(centred) < year * np.sqrt(
            YEAR * variance
        )
        if least < heavy < most and loose < memory < tight and calm:
            break
        found = path(number)
    return found


def _largest_year(moves: Floats) -> float:
    whole = moves[: moves.size // YEAR * YEAR].reshape(-1, YEAR)
    return float(np.max(np.abs(np.sum(whole, axis=1))))


def garch_path(rng: np.random.Generator, length: int, a: float, b: float) -> Floats:
    """Draw a GARCH(1,1) series of unit variance with Student-t shocks of six degrees of freedom."""
    found: Floats = garch(student(rng, 6.0, length)[:, None], a, b)[:, 0]
    return found


def homing(series: Floats) -> Floats:
    """Return a market's moves with a weak pull of its level towards its trend: no decade is all boom or bust."""
    out, level = np.empty_like(series), 0.0
    for t, move in enumerate(series.tolist()):
        out[t] = move - HOMING * level
        level += float(out[t])
    return out


def student(rng: np.random.Generator, freedom: float, length: int) -> Floats:
    """Draw Student-t shocks of unit variance."""
    return rng.standard_t(freedom, length) * float(np.sqrt((freedom - 2.0) / freedom))


def garch(shocks: Floats, a: float, b: float) -> Floats:
    """Return GARCH(1,1) series of unit variance from shocks of shape (T, n)."""
    result = np.empty_like(shocks)
    variance = np.ones(shocks.shape[1])
    for t in range(shocks.shape[0]):
        move = np.sqrt(variance) * shocks[t]
        result[t] = move
        variance = (1.0 - a - b) + a * (move * move) + b * variance
    return result


def _scaled(series: Floats, mean: float, deviation: float) -> Floats:
    centred = series - np.sum(series) / series.size
    scaled: Floats = centred * (deviation / np.sqrt(np.sum(centred * centred) / series.size)) + mean
    return scaled
