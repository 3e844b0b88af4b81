"""Gwet's AC1 and AC2, with missing ratings."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from finassay.statistics._agreement import (
    Agreement,
    Estimate,
    Resampling,
    conclude,
    item_rows,
    linearized_error,
)
from finassay.statistics._bootstrap import CONFIDENCE, RESAMPLES, FloatArray, Seed, divide
from finassay.statistics._ratings import Ratings, Weights, need_ratings, weight_matrix


def gwet_ac(
    ratings: Ratings,
    *,
    weights: Weights = "identity",
    clusters: Sequence[Hashable] | None = None,
    seed: Seed | None = None,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Agreement:
    """Gwet's AC1 (identity weights) or AC2 (others): agreement that survives skewed classes.

    Gwet 2008, Br. J. Math. Stat. Psychol. 61:29-48; *Handbook of Inter-Rater Reliability*, 4th ed. (2014).

    Parameters
    ----------
    ratings : Ratings
        Two raters or more; gaps are allowed. Its scale fixes the number of categories, used or not.
    weights : {"identity", "linear", "quadratic"}
        Credit for near misses on an ordered scale.
    clusters, seed, resamples
        With clusters (one per item) the interval is a percentile cluster bootstrap; else t with n - 1 degrees.
    confidence : float, default 0.95
        Nominal coverage.

    Returns
    -------
    Agreement
        AC1 is defined even where all raters give one class throughout; it is then 1 with a standard error of 0.

    Raises
    ------
    Undefined
        ``no_pairs``: no item has two ratings.
    """
    need_ratings(ratings)
    matrix = weight_matrix(len(ratings.categories), weights)
    rows, kept = item_rows(ratings, matrix)
    q = len(ratings.categories)
    scale = float(matrix.sum()) / (q * (q - 1))
    shares = rows[:, 3:].mean(axis=0)
    observed = float(rows[:, 2].sum() / rows[:, 1].sum())
    expected = scale * float((shares * (1 - shares)).sum())

    def statistic(totals: FloatArray) -> FloatArray:
        pi = totals[:, 3:] / totals[:, :1]
        chance = scale * (pi * (1 - pi)).sum(axis=1)
        return np.asarray((divide(totals[:, 2], totals[:, 1]) - chance) / (1 - chance))

    estimate = Estimate(
        coefficient="gwet_ac1" if weights == "identity" else "gwet_ac2",
        weights=weights,
        rows=rows,
        kept=kept,
        statistic=statistic,
        observed=observed,
        expected=expected,
        standard_error=linearized_error(rows, observed, expected, scale * rows[:, 3:] @ (1 - shares)),
        quantile="t",
    )
    return conclude(estimate, ratings, Resampling(clusters, seed, resamples, confidence))
