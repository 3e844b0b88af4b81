"""Cluster bootstrap of any statistic of column totals: whole tasks are resampled, with all their rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from finassay.core import InputError, Undefined, shown
from finassay.statistics._arguments import check_confidence, finite, names, whole
from finassay.statistics._result import Result

FloatArray: TypeAlias = npt.NDArray[np.float64]
Statistic: TypeAlias = Callable[[FloatArray], FloatArray]
Seed: TypeAlias = int | np.random.Generator
Method: TypeAlias = Literal["percentile", "bca"]

RESAMPLES = 10_000
CONFIDENCE = 0.95
_MOST_RESAMPLES = 10_000_000
_DRAWS_AT_ONCE = 1 << 16  # a block of draws stays in the processor cache
_UNDEFINED_SHARE = 0.05  # beyond this the defined resamples no longer stand for all of them


@dataclass(frozen=True)
class BootstrapInterval(Result):
    """A statistic with its cluster-bootstrap interval.

    Attributes
    ----------
    value : float
        The statistic on all rows.
    low, high : float
        The interval.
    standard_error : float
        Standard deviation of the resampled values.
    confidence : float
        Nominal coverage, in (0, 1).
    method : str
        ``"percentile"`` or ``"bca"``.
    rows, clusters : int
        How many there were.
    resamples : int
        How many were drawn.
    undefined : int
        How many of them had no value (a denominator of 0) and were left out.
    seed : int or None
        The integer seed; None where a generator was passed.
    """

    value: float
    low: float
    high: float
    standard_error: float
    confidence: float
    method: str
    rows: int
    clusters: int
    resamples: int
    undefined: int
    seed: int | None


@dataclass(frozen=True)
class Resampled:
    """The draws behind an interval."""

    value: float
    draws: FloatArray
    sums: FloatArray
    undefined: int


def ratio(totals: FloatArray) -> FloatArray:
    """Divide the first column of totals by the second.

    Parameters
    ----------
    totals : ndarray of shape (resamples, 2)
        Numerators and denominators.

    Returns
    -------
    ndarray of shape (resamples,)
        The ratios; NaN where a denominator is 0.
    """
    try:
        totals = np.asarray(totals)
    except ValueError as error:  # rows of several lengths
        raise InputError(f"a ratio needs totals of shape (resamples, 2): {error}.") from error
    if totals.dtype.kind not in "biuf" or totals.ndim != 2 or totals.shape[1] < 2:
        raise InputError(
            f"a ratio needs totals of shape (resamples, 2), got {totals.dtype} of shape {totals.shape}.",
            hint="Give each row its numerator and its denominator, or another statistic.",
        )
    return divide(totals[:, 0], totals[:, 1])


def divide(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide elementwise; NaN where the denominator is 0 to rounding."""
    result = np.full(np.shape(numerator), np.nan)
    np.divide(numerator, denominator, out=result, where=np.abs(denominator) > 1e-12)
    return result


def cluster_bootstrap(
    rows: npt.ArrayLike,
    clusters: Sequence[Hashable],
    statistic: Statistic = ratio,
    *,
    seed: Seed,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    method: Method = "percentile",
) -> BootstrapInterval:
    """Bootstrap a statistic of column totals by resampling clusters with all their rows.

    The result depends on the data, the seed and nothing else: neither the order of the rows nor the names of the
    clusters. Draws come from ``Generator(PCG64(seed))``; totals of whole numbers are exact, so such results are
    equal on every machine.

    Parameters
    ----------
    rows : array_like of shape (n, m)
        What each row adds to the totals; for a rate: right (0 or 1) and 1.
    clusters : sequence of hashable, length n
        The cluster of each row, usually its task.
    statistic : callable, default a ratio of two columns
        Maps totals of shape (resamples, m) to values of shape (resamples,); NaN where undefined.
    seed : int or numpy.random.Generator
        Source of the draws.
    resamples : int, default 10 000
        How many to draw, 100 to 10 million.
    confidence : float, default 0.95
        Nominal coverage.
    method : {"percentile", "bca"}
        BCa corrects bias and skewness (Efron 1987), its acceleration from the jackknife over clusters.

    Returns
    -------
    BootstrapInterval

    Raises
    ------
    Undefined
        ``no_items``; ``one_cluster``; ``no_variation`` (every cluster says the same, an interval of width 0 would be
        false certainty); ``too_many_undefined_resamples`` (over 5%); or the statistic has no value on all rows.
    InputError
        A row holds NaN, a cluster is missing, or lengths differ. A NaN is never dropped: decide what it counts as.
    """
    confidence = check_confidence(confidence)
    if not isinstance(method, str) or method not in ("percentile", "bca"):
        raise InputError(f'the method is "percentile" or "bca", not {shown(method)}.')
    drawn = resample(rows, clusters, statistic, seed=seed, resamples=resamples)
    if np.ptp(drawn.draws) <= 1e-12:
        raise Undefined(
            f"the cluster bootstrap saw no variation: all {len(drawn.sums)} clusters give the same value.",
            hint="Report the value with its counts; an interval of width 0 would be false certainty.",
            reason="no_variation",
        )
    tails = _bca_tails(drawn, statistic, confidence) if method == "bca" else _tails(confidence)
    low, high = np.quantile(drawn.draws, tails)
    return BootstrapInterval(
        value=drawn.value,
        low=float(low),
        high=float(high),
        standard_error=float(np.std(drawn.draws, ddof=1)),
        confidence=confidence,
        method=method,
        rows=len(clusters),
        clusters=len(drawn.sums),
        resamples=resamples,
        undefined=drawn.undefined,
        seed=seed if isinstance(seed, int) else None,
    )


def resample(
    rows: npt.ArrayLike, clusters: Sequence[Hashable], statistic: Statistic, *, seed: Seed, resamples: int
) -> Resampled:
    """Draw the statistic from resampled clusters; see `cluster_bootstrap`."""
    (resamples,) = whole(resamples=resamples)
    if not 100 <= resamples <= _MOST_RESAMPLES:
        raise InputError(
            f"a bootstrap needs at least 100 resamples, got {resamples}; at most {_MOST_RESAMPLES:,}."
        )
    if not callable(statistic):
        raise InputError(f"the statistic must be a function of totals, got {type(statistic).__name__}.")
    sums = _cluster_sums(finite("rows", rows, dimensions=2), names("clusters", clusters))
    value = float(_of_totals(statistic, sums.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        raise Undefined(
            "the statistic has no value on the whole sample (a denominator is 0).", reason="no_items"
        )
    if len(sums) < 2:
        raise Undefined(
            "a cluster bootstrap needs at least two clusters, got one: nothing varies between resamples.",
            hint="Resample a finer unit, or add tasks.",
            reason="one_cluster",
        )
    draws = _of_totals(statistic, _resampled_totals(sums, resamples, generator(seed)))
    defined = draws[~np.isnan(draws)]
    undefined = resamples - len(defined)
    if undefined > _UNDEFINED_SHARE * resamples:
        raise Undefined(
            f"the statistic has no value in {undefined} of {resamples} resamples; the rest would not stand for all.",
            hint="Too few clusters carry the denominator, or a second class: add tasks.",
            reason="too_many_undefined_resamples",
        )
    return Resampled(value, defined, sums, undefined)


def _of_totals(statistic: Statistic, totals: FloatArray) -> FloatArray:
    """Apply a statistic, which is the caller's: one number for each row of totals, NaN where it has no value."""
    found = np.asarray(statistic(totals))
    if found.shape != (len(totals),) or found.dtype.kind not in "biuf":
        raise InputError(
            f"the statistic must return one number per row of totals, shape ({len(totals)},); got {found.dtype} of "
            f"shape {found.shape}."
        )
    if np.isinf(found).any():
        raise InputError("the statistic is infinite; it must be finite, or NaN where it has no value.")
    return found.astype(np.float64)


def generator(seed: Seed) -> np.random.Generator:
    """Return the generator itself, or ``Generator(PCG64(seed))`` of an integer seed."""
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(
            f"a seed is a whole number from 0 on, or a generator; got {shown(seed)}.",
            hint="Pass seed=20261012.",
        )
    return np.random.Generator(np.random.PCG64(int(seed)))


def _cluster_sums(rows: FloatArray, clusters: Sequence[Hashable]) -> FloatArray:
    if len(rows) != len(clusters):
        raise InputError(
            f"rows must have one cluster each; got {len(rows)} rows and {len(clusters)} clusters."
        )
    if len(rows) == 0:
        raise Undefined("there are no rows to resample.", reason="no_items")
    numbers: dict[Hashable, int] = {}
    codes = np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters])
    # Rows and then clusters are put in an order of their own values, so that neither the order of the
    # rows nor the names of the clusters can change a draw, not even through rounding.
    order = np.lexsort((*rows.T, codes))
    starts = np.searchsorted(codes[order], np.arange(len(numbers)))
    sums = np.add.reduceat(rows[order], starts, axis=0)
    return np.asarray(sums[np.lexsort(tuple(sums.T))], dtype=np.float64)


def _resampled_totals(sums: FloatArray, resamples: int, rng: np.random.Generator) -> FloatArray:
    clusters = len(sums)
    totals = np.empty((resamples, sums.shape[1]))
    block = max(1, _DRAWS_AT_ONCE // clusters)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = rng.integers(0, clusters, size=(size, clusters))
        drawn += np.arange(size)[:, None] * clusters
        times = np.bincount(drawn.ravel(), minlength=size * clusters).reshape(size, clusters)
        totals[start : start + size] = times.astype(np.float64) @ sums
    return totals


def _tails(confidence: float) -> tuple[float, float]:
    return (1 - confidence) / 2, (1 + confidence) / 2


def _bca_tails(drawn: Resampled, statistic: Statistic, confidence: float) -> tuple[float, float]:
    from scipy.special import ndtr, ndtri

    without_one = _of_totals(statistic, drawn.sums.sum(axis=0) - drawn.sums)
    pull = without_one.mean() - without_one
    pull = pull / (
        np.abs(pull).max() or 1.0
    )  # the acceleration has no unit; cubes of large scores leave float64
    spread = float((pull**2).sum())
    acceleration = float((pull**3).sum()) / (6 * spread**1.5) if spread else np.nan
    below = ((drawn.draws < drawn.value).mean() + (drawn.draws <= drawn.value).mean()) / 2
    if not (np.isfinite(acceleration) and 0 < below < 1):
        raise Undefined(
            "BCa is undefined here: the jackknife has no value, or all resamples fall on one side of the estimate.",
            hint='Use method="percentile".',
            reason="no_variation",
        )
    bias = float(ndtri(below))
    ends = [bias + float(ndtri(tail)) for tail in _tails(confidence)]
    if not all(np.isfinite(end) and acceleration * end < 1 for end in ends):
        raise Undefined(
            "BCa is undefined here: the data are too skewed for an interval of this confidence.",
            hint='Use method="percentile", or a lower confidence.',
            reason="no_variation",
        )
    low, high = (float(ndtr(bias + end / (1 - acceleration * end))) for end in ends)
    return low, high
