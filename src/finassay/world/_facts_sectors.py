"""How much of a share's variance its sector explains, by a figure that does not hang on how many shares there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from finassay.world._numerics import Floats

_LEAST = 500  # sessions that a share, and a pair, must have in common


def sector_share(
    returns: Floats, sectors: npt.NDArray[np.int64], shares: npt.NDArray[np.int64], peers: int
) -> float:
    """Return what the mean of so many peers in its sector adds to R squared beside the market, on average, in percent.

    A sector is seen through the mean of its other shares, which is blurred the more the fewer there are. So the mean
    correlation r of two shares of a sector is measured, net of the market and of what two shares of different sectors
    have in common (there is little but the error of the market's mean); the mean of n such peers then explains
    n r^2 / (1 + (n - 1) r) of what the market leaves over (Spearman and Brown).

    Parameters
    ----------
    returns : numpy.ndarray, (sessions, shares)
        Log returns, NaN where there is none.
    sectors : numpy.ndarray of int64, (shares,)
        The sector of each.
    shares : numpy.ndarray of int64
        Those that are long enough to be measured.
    peers : int
        How many peers the sample of world.md 2.1 has in a sector.

    Returns
    -------
    float
        NaN if no two shares of a sector have 500 sessions in common.
    """
    left, kept = _net_of_market(returns, shares)
    seen = ~np.isnan(left)
    filled = np.where(seen, left, 0.0)
    common = seen.T.astype(np.float64) @ seen
    product = filled.T @ filled
    scale = np.sqrt(((filled * filled).T @ seen) * (seen.T.astype(np.float64) @ (filled * filled)))
    correlation = product / np.maximum(scale, 1e-12)
    chosen = sectors[shares]
    upper = np.triu(np.ones(common.shape, dtype=bool), 1) & (common >= _LEAST)
    same = chosen[:, None] == chosen[None, :]
    if not np.any(upper & same):
        return float("nan")
    inside = float(np.mean(correlation[upper & same]) - np.mean(correlation[upper & ~same]))
    explained = peers * inside * inside / (1.0 + (peers - 1) * inside)
    return 100.0 * float(np.mean(kept)) * explained


def _net_of_market(returns: Floats, shares: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the returns of shares without what the mean of all explains, and the part of variance that is left."""
    seen = ~np.isnan(returns)
    market = np.sum(np.where(seen, returns, 0.0), axis=1) / np.maximum(np.sum(seen, axis=1), 1)
    left, kept = np.full((returns.shape[0], shares.size), np.nan), np.ones(shares.size)
    for place, k in enumerate(shares):
        rows = seen[:, k]
        own, x = returns[rows, k], market[rows] - np.mean(market[rows])
        own = own - np.mean(own)
        rest = own - x * (np.sum(x * own) / np.sum(x * x))
        left[rows, place] = rest
        kept[place] = np.sum(rest * rest) / np.sum(own * own)
    return left, kept
