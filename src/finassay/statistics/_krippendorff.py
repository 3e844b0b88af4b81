"""Krippendorff's alpha: any number of raters, gaps, nominal, ordinal or interval labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from finassay.core import Undefined
from finassay.statistics._agreement import Agreement, Estimate, Resampling, conclude
from finassay.statistics._arguments import one_of
from finassay.statistics._bootstrap import CONFIDENCE, RESAMPLES, FloatArray, Seed, divide
from finassay.statistics._ratings import need_ratings

if TYPE_CHECKING:
    from finassay.statistics._ratings import Ratings

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
_Distance: TypeAlias = Callable[[FloatArray], FloatArray]


def krippendorff_alpha(
    ratings: Ratings,
    *,
    level: Level = "nominal",
    clusters: Sequence[Hashable] | None = None,
    seed: Seed | None = None,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Agreement:
    """Krippendorff's alpha from coincidences (Krippendorff 2004, *Content Analysis*, chapter 11).

    Parameters
    ----------
    ratings : Ratings
        Gaps are allowed; an item with one rating is not used.
    level : {"nominal", "ordinal", "interval"}
        What distance between labels means; interval needs numeric labels.
    clusters, seed, resamples
        With clusters (one per item, at its simplest the item's number) the interval is a percentile cluster
        bootstrap; without, there is none, for alpha has no standard error of its own.
    confidence : float, default 0.95
        Nominal coverage.

    Returns
    -------
    Agreement
        `observed` and `expected` are 1 minus the disagreements of nominal alpha; of other levels 1 minus
        disagreement over its largest possible value.

    Raises
    ------
    Undefined
        ``no_pairs``; ``one_class``: a single class was used, expected disagreement is 0.
    InputError
        Interval level on labels that are not numbers.
    """
    need_ratings(ratings)
    counts = ratings.counts
    kept = counts.sum(axis=1) >= 2
    if not kept.any():
        raise Undefined("no item was rated by two raters.", reason="no_pairs")
    counts = counts[kept]
    q = counts.shape[1]
    raters = counts.sum(axis=1)[:, None, None]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(q)
    rows = (pairs / (raters - 1)).reshape(len(counts), q * q)
    distance = _distance(ratings, level)

    def disagreements(totals: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        together = totals.reshape(-1, q, q)
        used = together.sum(axis=2)
        delta = distance(used)
        size = used.sum(axis=1)
        observed = (together * delta).sum(axis=(1, 2)) / size
        expected = np.einsum("bi,bij,bj->b", used, delta, used) / (size * (size - 1))
        return observed, expected, delta.max(axis=(1, 2))

    def statistic(totals: FloatArray) -> FloatArray:
        observed, expected, _ = disagreements(totals)
        return np.asarray(1 - divide(observed, expected))

    observed, expected, largest = (float(part[0]) for part in disagreements(rows.sum(axis=0, keepdims=True)))
    if expected <= 1e-12:
        raise Undefined(
            "Krippendorff's alpha is undefined: every pairable rating is of one class, no disagreement is expected.",
            hint="Report raw agreement with the class table, or rate items that span the classes.",
            reason="one_class",
        )
    estimate = Estimate(
        coefficient="krippendorff_alpha",
        weights=level,
        rows=rows,
        kept=kept,
        statistic=statistic,
        observed=1 - observed / largest,
        expected=1 - expected / largest,
        standard_error=None,
        quantile="none",
    )
    return conclude(estimate, ratings, Resampling(clusters, seed, resamples, confidence))


def _distance(ratings: Ratings, level: Level) -> _Distance:
    one_of("level", level, ("nominal", "ordinal", "interval"))
    if level == "ordinal":
        return _ordinal
    if level == "nominal":
        fixed = 1 - np.eye(len(ratings.categories))
    else:
        values = ratings.numeric_categories("interval alpha")
        fixed = np.subtract.outer(values, values) ** 2
    return lambda used: np.broadcast_to(fixed, (len(used), *fixed.shape))


def _ordinal(used: FloatArray) -> FloatArray:
    # Squared number of ratings between two ranks, half of each end counted.
    middle = np.cumsum(used, axis=1) - used / 2
    return np.asarray((middle[:, :, None] - middle[:, None, :]) ** 2)
