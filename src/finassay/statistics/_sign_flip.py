"""The sign-flip test: how often is a sum of task differences as far from 0 when their signs are drawn."""

from __future__ import annotations

import math

import numpy as np

from finassay.statistics._bootstrap import FloatArray, Seed, generator

_MOST_SUMS = 1 << 20  # up to 20 differing tasks are always enumerated
_SIGNS_AT_ONCE = 1 << 20


def sign_flip_p_value(differences: FloatArray, *, tolerance: float, seed: Seed, resamples: int) -> float:
    """Return the two-sided p-value of a sum of differences whose signs are exchangeable (Fisher 1935).

    The share of all sign assignments whose sum lies at least as far from 0 as the observed one. Exact where the
    distinct counts of signs are at most 2**20, and (b + 1) / (resamples + 1) over random signs otherwise; in both
    cases P(p <= a) <= a for every a where the two runs of each task may be swapped.

    Parameters
    ----------
    differences : ndarray of shape (tasks,)
        Of each task, the sum of its differences. Zeros change nothing: they have no sign.
    tolerance : float
        Sums that differ by no more are ties.
    seed : int or numpy.random.Generator
        Of random signs; not used where the test is exact.
    resamples : int
        How many random signs.

    Returns
    -------
    float
        In (0, 1]; 1 where no task differs.
    """
    sizes, counts = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    least = abs(float(differences.sum())) - tolerance
    if math.prod((counts + 1).tolist()) <= _MOST_SUMS:
        return _exact(sizes, counts, least)
    beyond = _count_beyond(np.repeat(sizes, counts), least, generator(seed), resamples)
    return (beyond + 1) / (resamples + 1)


def _exact(sizes: FloatArray, counts: np.ndarray[tuple[int], np.dtype[np.int64]], least: float) -> float:
    """Of tasks with differences of one size only the number of plus signs matters, and that is binomial."""
    from scipy.stats import binom

    sums, shares = np.zeros(1), np.ones(1)
    for size, count in zip(sizes, counts, strict=True):
        plus = np.arange(count + 1)
        sums = np.add.outer(sums, size * (2 * plus - count)).ravel()
        shares = np.multiply.outer(shares, binom.pmf(plus, count, 0.5)).ravel()
    return min(1.0, float(shares[np.abs(sums) >= least].sum()))


def _count_beyond(sizes: FloatArray, least: float, rng: np.random.Generator, resamples: int) -> int:
    beyond = 0
    block = max(1, _SIGNS_AT_ONCE // len(sizes))
    for start in range(0, resamples, block):
        plus = rng.integers(0, 2, size=(min(block, resamples - start), len(sizes)), dtype=np.int8)
        sums = (2.0 * plus - 1.0) @ sizes
        beyond += int(np.count_nonzero(np.abs(sums) >= least))
    return beyond
