"""Market and sector factors: GARCH(1,1) with Student-t shocks, scaled to their moments (world.md, 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._industries import SECTORS
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._numerics import Floats

YEAR = 243  # sessions
MARKET_VOLATILITY = 0.225
MARKET_DRIFT = 0.021
SECTOR_VOLATILITY = 0.0085


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


def factors(seed: int) -> Factors:
    """Draw the factors of a world."""
    first, stop = window()
    length = stop - first
    market = garch(student(stream(seed, Purpose.MARKET, 0), 6.0, length)[:, None], 0.08, 0.90)[:, 0]
    shocks = [student(stream(seed, Purpose.SECTOR, k), 6.0, length) for k in range(len(SECTORS))]
    sectors = garch(np.stack(shocks, axis=1), 0.08, 0.90)
    return Factors(
        _scaled(market, MARKET_DRIFT / YEAR, MARKET_VOLATILITY / np.sqrt(YEAR)),
        np.stack([_scaled(sectors[:, k], 0.0, SECTOR_VOLATILITY) for k in range(len(SECTORS))], axis=1),
    )


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
