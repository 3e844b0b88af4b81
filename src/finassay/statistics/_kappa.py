"""Cohen's kappa of two raters, and Fleiss' kappa of many."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from finassay.core import InputError, Undefined
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


def cohen_kappa(
    ratings: Ratings,
    *,
    weights: Weights = "identity",
    clusters: Sequence[Hashable] | None = None,
    seed: Seed | None = None,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Agreement:
    """Cohen's kappa of two raters (Cohen 1960), weighted if asked (Cohen 1968).

    Parameters
    ----------
    ratings : Ratings
        Exactly two raters; items that either left out are not used.
    weights : {"identity", "linear", "quadratic"}
        Credit for near misses on an ordered scale.
    clusters, seed, resamples
        With clusters (one per item) the interval is a percentile cluster bootstrap, else normal with the standard
        error of Fleiss, Cohen, Everitt (1969).
    confidence : float, default 0.95
        Nominal coverage.

    Returns
    -------
    Agreement

    Raises
    ------
    Undefined
        ``no_pairs``; ``one_class``: both raters gave one and the same class throughout, chance agreement is 1.
    InputError
        Not exactly two raters.
    """
    need_ratings(ratings)
    if len(ratings.raters) != 2:
        raise InputError(
            f"Cohen's kappa takes two raters, got {len(ratings.raters)}.",
            hint="Use fleiss_kappa or gwet_ac.",
        )
    q = len(ratings.categories)
    matrix = weight_matrix(q, weights)
    kept = np.asarray((ratings.codes >= 0).all(axis=1), dtype=np.bool_)
    if not kept.any():
        raise Undefined("no item was rated by both raters.", reason="no_pairs")
    cells = ratings.codes[kept] @ np.array([q, 1])
    rows = (cells[:, None] == np.arange(q * q)).astype(np.float64)
    table = rows.mean(axis=0).reshape(q, q)
    first, second = table.sum(axis=1), table.sum(axis=0)
    observed, expected = float((matrix * table).sum()), float(first @ matrix @ second)
    _refuse_one_class("Cohen's kappa", expected, ratings)

    def statistic(totals: FloatArray) -> FloatArray:
        shares = totals.reshape(-1, q, q) / totals.sum(axis=1)[:, None, None]
        chance = np.einsum("bi,ij,bj->b", shares.sum(axis=2), matrix, shares.sum(axis=1))
        return divide(np.einsum("bij,ij->b", shares, matrix) - chance, 1 - chance)

    kappa = (observed - expected) / (1 - expected)
    pull = matrix - ((matrix @ second)[:, None] + (first @ matrix)[None, :]) * (1 - kappa)
    variance = float((table * pull**2).sum()) - (kappa - expected * (1 - kappa)) ** 2
    error = float(np.sqrt(max(0.0, variance) / len(rows))) / (1 - expected)
    estimate = Estimate("cohen_kappa", weights, rows, kept, statistic, observed, expected, error, "normal")
    return conclude(estimate, ratings, Resampling(clusters, seed, resamples, confidence))


def fleiss_kappa(
    ratings: Ratings,
    *,
    weights: Weights = "identity",
    clusters: Sequence[Hashable] | None = None,
    seed: Seed | None = None,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Agreement:
    """Fleiss' kappa of two or more raters (Fleiss 1971), with gaps and weights as in Gwet (2014).

    Parameters
    ----------
    ratings : Ratings
        Gaps are allowed; an item with one rating counts in the class shares only.
    weights : {"identity", "linear", "quadratic"}
        Credit for near misses on an ordered scale.
    clusters, seed, resamples
        With clusters (one per item) the interval is a percentile cluster bootstrap; else t with n - 1 degrees.
    confidence : float, default 0.95
        Nominal coverage.

    Returns
    -------
    Agreement

    Raises
    ------
    Undefined
        ``no_pairs``; ``one_class``: all raters gave one class throughout.
    """
    need_ratings(ratings)
    matrix = weight_matrix(len(ratings.categories), weights)
    rows, kept = item_rows(ratings, matrix)
    shares = rows[:, 3:].mean(axis=0)
    observed = float(rows[:, 2].sum() / rows[:, 1].sum())
    expected = float(shares @ matrix @ shares)
    _refuse_one_class("Fleiss' kappa", expected, ratings)

    def statistic(totals: FloatArray) -> FloatArray:
        pi = totals[:, 3:] / totals[:, :1]
        chance = np.einsum("bi,ij,bj->b", pi, matrix, pi)
        return divide(divide(totals[:, 2], totals[:, 1]) - chance, 1 - chance)

    error = linearized_error(rows, observed, expected, rows[:, 3:] @ matrix @ shares)
    estimate = Estimate("fleiss_kappa", weights, rows, kept, statistic, observed, expected, error, "t")
    return conclude(estimate, ratings, Resampling(clusters, seed, resamples, confidence))


def _refuse_one_class(name: str, expected: float, ratings: Ratings) -> None:
    if expected > 1 - 1e-12:
        used = [label for label, row in ratings.class_table.items() if any(row.values())]
        raise Undefined(
            f"{name} is undefined: every rating is {', '.join(used)}, so chance agreement is 1.",
            hint="Report raw agreement with the class table, or rate items that span the classes.",
            reason="one_class",
        )
