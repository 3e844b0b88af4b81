"""Two runs on the same items: the exact McNemar test, and the difference with its cluster bootstrap and test."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from finassay.core import InputError, Undefined
from finassay.statistics._arguments import check_confidence, finite, whole
from finassay.statistics._bootstrap import (
    CONFIDENCE,
    RESAMPLES,
    FloatArray,
    Seed,
    divide,
    resample,
)
from finassay.statistics._result import Result
from finassay.statistics._sign_flip import sign_flip_p_value


@dataclass(frozen=True)
class McNemar(Result):
    """The exact McNemar test of two runs on the same items.

    Attributes
    ----------
    only_first, only_second : int
        Items that only one of the two got right: the test looks at nothing else.
    n : int
        All items.
    difference : float
        Rate of the first minus rate of the second.
    p_value : float
        Two-sided, exact; 1 where no item separates the two.
    """

    only_first: int
    only_second: int
    n: int
    difference: float
    p_value: float


def mcnemar(only_first: int, only_second: int, n: int) -> McNemar:
    """Test whether two runs differ on the same items, exactly (McNemar 1947, Psychometrika 12:153-157).

    Parameters
    ----------
    only_first, only_second : int
        Items right in one run and not in the other.
    n : int
        All items, one per independent unit: where tasks repeat, use `paired_difference`.

    Returns
    -------
    McNemar

    Raises
    ------
    Undefined
        ``no_pairs``: n is 0.
    InputError
        Counts that are negative, not whole, or exceed n.
    """
    only_first, only_second, n = whole(only_first=only_first, only_second=only_second, n=n)
    if min(only_first, only_second) < 0 or only_first + only_second > n:
        raise InputError(
            f"expected counts >= 0 with a sum of at most n; got {only_first}, {only_second}, n={n}."
        )
    if n == 0:
        raise Undefined("there are no pairs to compare.", reason="no_pairs")
    from scipy.stats import binomtest

    discordant = only_first + only_second
    p_value = float(binomtest(only_first, discordant).pvalue) if discordant else 1.0
    return McNemar(only_first, only_second, n, (only_first - only_second) / n, p_value)


@dataclass(frozen=True)
class PairedDifference(Result):
    """The difference of two mean scores on the same rows, with its cluster-bootstrap interval and a sign-flip test.

    Attributes
    ----------
    difference : float
        Mean of the first minus mean of the second.
    low, high : float or None
        Percentile interval; None where no cluster differs from another, and so nothing can be said of it.
    p_value : float or None
        Two-sided: the share of all ways to swap the two runs within clusters whose difference lies as far from 0; never
        below 2 / 2**clusters. None where the interval is.
    confidence : float
        Nominal coverage.
    rows, clusters, resamples : int
        Sizes.
    seed : int or None
        The integer seed; None where a generator was passed.
    """

    difference: float
    low: float | None
    high: float | None
    p_value: float | None
    confidence: float
    rows: int
    clusters: int
    resamples: int
    seed: int | None


def paired_difference(
    first: Sequence[float],
    second: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    seed: Seed,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> PairedDifference:
    """Bootstrap the difference of two runs, resampling tasks with all their rows of both runs together, and test it.

    The p-value is not the bootstrap's own, which rejects far too often with few tasks: it is the sign-flip test
    (Fisher 1935), which keeps its level with any number of tasks where the runs of a task may be swapped. It is exact
    up to 20 tasks that differ, and beyond where their differences repeat; else (b + 1) / (resamples + 1) over random
    signs.

    Parameters
    ----------
    first, second : sequence of float, length n
        Scores of the two runs on the same rows; a missing score must have been decided on before (0 in a headline).
    clusters : sequence of hashable, length n
        The task of each row.
    seed : int or numpy.random.Generator
        Source of the draws, and of random signs.
    resamples : int, default 10 000
        How many to draw of each.
    confidence : float, default 0.95
        Nominal coverage.

    Returns
    -------
    PairedDifference

    Raises
    ------
    Undefined
        ``no_items``, ``one_cluster``.
    InputError
        Lengths differ, or a score is NaN.
    """
    confidence = check_confidence(confidence)
    of_first, of_second = finite("first", first), finite("second", second)
    if len(of_first) != len(of_second):
        raise InputError(f"paired scores must have one length; got {len(of_first)} and {len(of_second)}.")
    scores = np.column_stack([of_first, of_second, np.ones(len(of_first))])
    drawn = resample(scores, clusters, _difference, seed=seed, resamples=resamples)
    low, high = np.quantile(drawn.draws, [(1 - confidence) / 2, (1 + confidence) / 2])
    varies = np.ptp(drawn.draws) > 1e-12
    p_value = sign_flip_p_value(
        drawn.sums[:, 0] - drawn.sums[:, 1],
        tolerance=1e-12 * float(np.abs(drawn.sums[:, :2]).sum()),
        seed=seed,
        resamples=resamples,
    )
    return PairedDifference(
        difference=drawn.value,
        low=float(low) if varies else None,
        high=float(high) if varies else None,
        p_value=p_value if varies else None,
        confidence=confidence,
        rows=len(scores),
        clusters=len(drawn.sums),
        resamples=resamples,
        seed=seed if isinstance(seed, int) else None,
    )


def _difference(totals: FloatArray) -> FloatArray:
    return divide(totals[:, 0] - totals[:, 1], totals[:, 2])
