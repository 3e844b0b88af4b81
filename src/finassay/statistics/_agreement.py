"""What every coefficient of agreement returns, and how its interval is found."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from finassay.core import InputError, Undefined
from finassay.statistics._arguments import check_confidence, names
from finassay.statistics._bootstrap import (
    FloatArray,
    Seed,
    Statistic,
    cluster_bootstrap,
)
from finassay.statistics._rates import need_seed
from finassay.statistics._result import Result

if TYPE_CHECKING:
    from finassay.statistics._ratings import Ratings

_ROUNDING = 1e-7  # the root of what is left when a variance of 0 is computed in doubles


@dataclass(frozen=True)
class Agreement(Result):
    """A chance-corrected coefficient of agreement.

    Attributes
    ----------
    coefficient : str
        ``cohen_kappa``, ``gwet_ac1``, ``gwet_ac2``, ``fleiss_kappa`` or ``krippendorff_alpha``.
    value : float
        1 is perfect, 0 is chance; with gaps it can fall below -1.
    standard_error : float or None
        None where there is no formula (alpha) or a single item.
    low, high : float or None
        The interval, cut at 1; None where undefined, as at perfect agreement, whose standard error is 0.
    confidence : float
        Nominal coverage.
    interval : str
        ``"normal"``, ``"t"``, ``"cluster_bootstrap"`` or ``"none"``.
    observed, expected : float
        Weighted agreement, and what chance gives. The value is (observed - expected) / (1 - expected).
    weights : str
        ``identity``, ``linear`` or ``quadratic``; of alpha its level of measurement.
    items : int
        Items with at least one rating.
    pairable : int
        Items with two or more: agreement is observed on these only.
    class_table : dict
        Per label, how often each rater gave it. Read the value with it: AC1 looks good on skewed labels, kappa bad.
    """

    coefficient: str
    value: float
    standard_error: float | None
    low: float | None
    high: float | None
    confidence: float
    interval: str
    observed: float
    expected: float
    weights: str
    items: int
    pairable: int
    class_table: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Resampling:
    """How a coefficient is bootstrapped: items of one cluster go together."""

    clusters: Sequence[Hashable] | None
    seed: Seed | None
    resamples: int
    confidence: float


@dataclass(frozen=True)
class Estimate:
    """A coefficient before its interval: what each item adds to the totals, and the value as a function of them."""

    coefficient: str
    weights: str
    rows: FloatArray
    kept: npt.NDArray[np.bool_]
    statistic: Statistic
    observed: float
    expected: float
    standard_error: float | None
    quantile: str


def conclude(estimate: Estimate, ratings: Ratings, resampling: Resampling) -> Agreement:
    """Attach the interval: of the standard error, or of the cluster bootstrap where clusters are given."""
    resampling = replace(resampling, confidence=check_confidence(resampling.confidence))
    value = float(estimate.statistic(estimate.rows.sum(axis=0, keepdims=True))[0])
    error, low, high, interval = _interval(estimate, value, resampling, len(ratings.codes))
    rated = (ratings.codes >= 0).sum(axis=1)
    return Agreement(
        coefficient=estimate.coefficient,
        value=value,
        standard_error=error,
        low=low,
        high=None if high is None else min(1.0, high),
        confidence=resampling.confidence,
        interval=interval,
        observed=estimate.observed,
        expected=estimate.expected,
        weights=estimate.weights,
        items=int((rated >= 1).sum()),
        pairable=int((rated >= 2).sum()),
        class_table=ratings.class_table,
    )


def _interval(
    estimate: Estimate, value: float, resampling: Resampling, items: int
) -> tuple[float | None, float | None, float | None, str]:
    if resampling.clusters is not None:
        clusters = names("clusters", resampling.clusters)
        if len(clusters) != items:
            raise InputError(f"expected one cluster per item, got {len(clusters)} for {items} items.")
        kept = [cluster for cluster, kept in zip(clusters, estimate.kept, strict=True) if kept]
        return _bootstrapped(estimate, kept, resampling)
    error = estimate.standard_error
    if error is None:
        return None, None, None, "none"
    if error < _ROUNDING:
        return 0.0, None, None, "none"
    from scipy import stats

    tail = (1 - resampling.confidence) / 2
    spread = (
        stats.norm.isf(tail) if estimate.quantile == "normal" else stats.t.isf(tail, len(estimate.rows) - 1)
    )
    return error, value - float(spread) * error, value + float(spread) * error, estimate.quantile


def _bootstrapped(
    estimate: Estimate, clusters: Sequence[Hashable], resampling: Resampling
) -> tuple[float | None, float | None, float | None, str]:
    try:
        boot = cluster_bootstrap(
            estimate.rows,
            clusters,
            estimate.statistic,
            seed=need_seed(resampling.seed),
            resamples=resampling.resamples,
            confidence=resampling.confidence,
        )
    except Undefined as refusal:
        if refusal.reason != "no_variation":
            raise
        return 0.0, None, None, "none"
    return boot.standard_error, boot.low, boot.high, "cluster_bootstrap"


def item_rows(ratings: Ratings, weights: FloatArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Per rated item: 1, whether it is pairable, its pairwise agreement, its share in each category.

    Returns the rows, shape (rated items, 3 + categories), and the mask of rated items.
    """
    counts = ratings.counts
    raters = counts.sum(axis=1)
    if not (raters >= 2).any():
        raise Undefined(
            "no item was rated by two raters, so agreement cannot be observed.",
            hint="Have at least some items rated twice.",
            reason="no_pairs",
        )
    rated = raters >= 1
    counts, raters = counts[rated], raters[rated]
    pairable = raters >= 2
    pairs = np.where(pairable, raters * (raters - 1), 1)
    agreeing = np.where(pairable, (counts * (counts @ weights - 1)).sum(axis=1) / pairs, 0.0)
    rows = np.column_stack([np.ones(len(counts)), pairable, agreeing, counts / raters[:, None]])
    return rows, rated


def linearized_error(rows: FloatArray, observed: float, expected: float, chance: FloatArray) -> float | None:
    """Return the standard error by linearization (Gwet 2008) that AC1, AC2 and Fleiss' kappa share.

    `chance` is each item's own expected agreement p_ei; see the reference page for the formula.
    """
    n = len(rows)
    if n < 2:
        return None
    pairable = rows[:, 1]
    value = (observed - expected) / (1 - expected)
    own = n / pairable.sum() * (rows[:, 2] - expected * pairable) / (1 - expected)
    adjusted = own - 2 * (1 - value) * (chance - expected) / (1 - expected)
    return float(np.sqrt(((adjusted - value) ** 2).sum() / (n * (n - 1))))
