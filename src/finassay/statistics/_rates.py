"""Rates with their denominators: nothing drops out of them, whatever became of a sample."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from finassay.core import InputError, Undefined, shown
from finassay.statistics._arguments import check_confidence, listed, whole
from finassay.statistics._bootstrap import CONFIDENCE, RESAMPLES, Seed, cluster_bootstrap
from finassay.statistics._result import Result


class Outcome(StrEnum):
    """What became of a sample; only `CORRECT` counts as right, every one counts in the denominator.

    ``ERROR`` (the run broke) and ``UNSCORED`` (it was never judged) leave open what the answer was worth: they count
    as not right in the headline and as unknown in `Bounds`. ``LIMIT`` and ``REFUSED`` are the candidate's own.
    """

    CORRECT = "correct"
    INCORRECT = "incorrect"
    LIMIT = "limit"
    REFUSED = "refused"
    ERROR = "error"
    UNSCORED = "unscored"

    @property
    def is_unknown(self) -> bool:
        """Whether the answer might have been right: an error or an unscored sample."""
        return self in (Outcome.ERROR, Outcome.UNSCORED)


OutcomeLike: TypeAlias = "Outcome | str | bool | int | float | None"


def as_outcome(value: OutcomeLike) -> Outcome:
    """Read an outcome.

    Parameters
    ----------
    value : Outcome, str, bool, 0, 1, None or NaN
        True and 1 are correct, False and 0 incorrect, None and NaN unscored.

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        Any other value. A partial score such as 0.5 has no place in a rate: use `cluster_bootstrap` for its mean.
    """
    if (
        type(value).__name__ == "NAType" or value is None
    ):  # pandas' missing value equals nothing, not even itself
        return Outcome.UNSCORED
    if isinstance(value, float | np.floating) and math.isnan(value):
        return Outcome.UNSCORED
    if isinstance(value, str):
        if value in list(Outcome):
            return Outcome(value)
    elif isinstance(value, numbers.Number | np.bool_) and value in (0, 1):
        return Outcome.CORRECT if value == 1 else Outcome.INCORRECT
    raise InputError(
        f"an outcome must be one of {', '.join(Outcome)}, True, False, 1, 0, None or NaN; got {shown(value)}.",
        hint="For partial scores, bootstrap their mean with cluster_bootstrap instead of a rate.",
    )


@dataclass(frozen=True)
class Rate(Result):
    """A share with its counts and interval; prints as ``2/6 (33.3%, 95% CI 9.7–70.0%)``.

    Attributes
    ----------
    numerator, denominator : int
        Right, and all.
    low, high : float
        The interval, in [0, 1].
    method : str
        ``"wilson"``, ``"cluster_bootstrap"``, or ``"wilson_over_clusters"`` where all clusters agree.
    confidence : float
        Nominal coverage.
    unknown : int
        How many of the denominator are errors or unscored; they are not in the numerator.
    """

    numerator: int
    denominator: int
    low: float
    high: float
    method: str
    confidence: float
    unknown: int = 0
    derived = ("value",)

    @property
    def value(self) -> float:
        """Numerator over denominator."""
        return self.numerator / self.denominator

    @property
    def bounds(self) -> Bounds:
        """The rate if every unknown were wrong, and if every one were right."""
        wrong = self.denominator - self.numerator - self.unknown
        return bounds(self.numerator, wrong, self.unknown, confidence=self.confidence)

    def __str__(self) -> str:
        interval = f"{100 * self.low:.1f}–{100 * self.high:.1f}%"
        share = f"{self.numerator}/{self.denominator} ({100 * self.value:.1f}%"
        return f"{share}, {100 * self.confidence:g}% CI {interval})"


@dataclass(frozen=True)
class Bounds(Result):
    """What the rate would be with every unknown wrong, and with every one right; each with its Wilson interval."""

    worst: Rate
    best: Rate


def wilson_interval(
    numerator: int, denominator: int, *, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Score interval of a proportion (Wilson 1927, J. Am. Stat. Assoc. 22:209-212), without continuity correction.

    Parameters
    ----------
    numerator, denominator : int
        Right, and all.
    confidence : float, default 0.95
        Nominal coverage.

    Returns
    -------
    tuple of float
        Low and high, in [0, 1]; they contain the observed share.

    Raises
    ------
    Undefined
        ``no_items``: the denominator is 0.
    InputError
        A negative count, one that is not whole, or a numerator above the denominator.
    """
    confidence = check_confidence(confidence)
    numerator, denominator = whole(numerator=numerator, denominator=denominator)
    if not 0 <= numerator <= denominator:
        raise InputError(f"expected 0 <= numerator <= denominator, got {numerator}/{denominator}.")
    if denominator == 0:
        raise Undefined(
            "a rate over no items is undefined (0/0).",
            hint="Say that nothing was evaluated.",
            reason="no_items",
        )
    return _score_interval(numerator / denominator, denominator, confidence)


def _score_interval(share: float, count: int, confidence: float) -> tuple[float, float]:
    z = -NormalDist().inv_cdf((1 - confidence) / 2)
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count**2)) / (1 + z * z / count)
    # Rounding must not push a bound past the observed share, which lies on it at 0 and at 1.
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def proportion(numerator: int, denominator: int, *, confidence: float = CONFIDENCE) -> Rate:
    """Return a rate from its two counts, with its Wilson interval; raises as `wilson_interval` does."""
    low, high = wilson_interval(numerator, denominator, confidence=confidence)
    numerator, denominator = whole(numerator=numerator, denominator=denominator)
    return Rate(numerator, denominator, low, high, "wilson", confidence)


def rate(
    outcomes: Iterable[OutcomeLike],
    *,
    clusters: Sequence[Hashable] | None = None,
    seed: Seed | None = None,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Rate:
    """Share of right outcomes among all of them: errors, limits, refusals, None and NaN count as not right.

    Parameters
    ----------
    outcomes : iterable of outcome
        See `as_outcome`.
    clusters : sequence of hashable, optional
        The task of each outcome; with it the interval is a percentile cluster bootstrap, else Wilson's.
    seed : int or numpy.random.Generator
        Required with `clusters`.
    resamples : int, default 10 000
        Of the bootstrap.
    confidence : float, default 0.95
        Nominal coverage.

    Returns
    -------
    Rate
        Where all clusters agree (such as 0/24) a bootstrap would claim certainty: the interval is then Wilson's with
        one observation per cluster, and `method` says so.

    Raises
    ------
    Undefined
        ``no_items``, or ``one_cluster``.

    Examples
    --------
    >>> print(rate(["correct", True, "error", "error", float("nan"), "incorrect"]))
    2/6 (33.3%, 95% CI 9.7–70.0%)
    """
    read = [as_outcome(outcome) for outcome in listed("outcomes", outcomes)]
    right = sum(outcome is Outcome.CORRECT for outcome in read)
    unknown = sum(outcome.is_unknown for outcome in read)
    low, high = wilson_interval(right, len(read), confidence=confidence)
    method = "wilson"
    if clusters is not None:
        low, high, method = _clustered(read, clusters, seed, resamples, confidence)
    return Rate(right, len(read), low, high, method, confidence, unknown)


def _clustered(
    read: Sequence[Outcome],
    clusters: Sequence[Hashable],
    seed: Seed | None,
    resamples: int,
    confidence: float,
) -> tuple[float, float, str]:
    rows = [(float(outcome is Outcome.CORRECT), 1.0) for outcome in read]
    try:
        interval = cluster_bootstrap(
            rows, clusters, seed=need_seed(seed), resamples=resamples, confidence=confidence
        )
    except Undefined as refusal:
        if refusal.reason != "no_variation":
            raise
        share = sum(right for right, _ in rows) / len(rows)
        return *_score_interval(share, len(set(clusters)), confidence), "wilson_over_clusters"
    return interval.low, interval.high, "cluster_bootstrap"


def need_seed(seed: Seed | None) -> Seed:
    """Refuse a bootstrap without a stated seed."""
    if seed is None:
        raise InputError(
            "a bootstrap needs a seed, so that the interval can be reproduced.", hint="Pass seed=20261012."
        )
    return seed


def bounds(right: int, wrong: int, unknown: int, *, confidence: float = CONFIDENCE) -> Bounds:
    """Bound a rate under unknowns: worst counts them all as wrong, best as right, both over all items.

    Parameters
    ----------
    right, wrong, unknown : int
        Counts; their sum is the denominator of both bounds.
    confidence : float, default 0.95
        Of the Wilson interval around each.

    Returns
    -------
    Bounds

    Raises
    ------
    Undefined
        ``no_items``: the counts sum to 0.
    InputError
        A negative count, or one that is not whole.
    """
    right, wrong, unknown = whole(right=right, wrong=wrong, unknown=unknown)
    if min(right, wrong, unknown) < 0:
        raise InputError(f"counts must not be negative: right={right}, wrong={wrong}, unknown={unknown}.")
    total = right + wrong + unknown
    low, high = wilson_interval(right, total, confidence=confidence)
    worst = Rate(right, total, low, high, "wilson", confidence, unknown)
    return Bounds(worst, proportion(right + unknown, total, confidence=confidence))
