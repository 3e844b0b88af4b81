"""Intervals: the definitions, done by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from finassay.core import InputError
from finassay.grading import (
    Undefined,
    coverage,
    covers,
    interval_score,
    kendall_tau,
    ndcg,
    rank_biased_overlap,
    top_k_overlap,
    within,
)


def test_a_closed_interval_covers_its_ends() -> None:
    assert covers((1, 2), 1)
    assert covers((1, 2), 2)
    assert not covers((1, 2), 2.0001)


def test_coverage() -> None:
    assert coverage([(0, 1), (0, 1), (2, 3)], [0.5, 2, 2.5]) == 2 / 3
    with pytest.raises(Undefined):
        coverage([], [])
    with pytest.raises(InputError):
        coverage([(0, 1)], [])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.5, 1.0),  # inside: the width
        (0.5, 1.0 + 2 / 0.1 * 0.5),  # 0.5 below
        (2.25, 1.0 + 2 / 0.1 * 0.25),  # 0.25 above
    ],
)
def test_interval_score(value: float, expected: float) -> None:
    assert interval_score((1, 2), value, alpha=0.1) == pytest.approx(expected)


def test_the_true_quantiles_score_best() -> None:
    draws = np.random.default_rng(1).normal(size=20_000)
    z = 1.6448536269514722  # 95th percentile of the normal
    scores = [np.mean([interval_score((-w, w), x, alpha=0.1) for x in draws]) for w in (0.7 * z, z, 1.3 * z)]
    assert min(scores) == scores[1]


def test_within() -> None:
    assert within(100, 100.5, relative=0.005)
    assert not within(100, 100.51, relative=0.005)
    assert not within(0, 1e-9, relative=0.5)
    assert within(0, 1e-9, absolute=1e-8)
    assert not within(5, -5, relative=0.5)
    assert not within(5, math.inf, relative=0.5)


def test_what_is_undefined_is_refused() -> None:
    for call in (
        lambda: covers((2, 1), 1.5),
        lambda: covers((math.nan, 1), 0.5),
        lambda: interval_score((0, math.inf), 1, alpha=0.1),
        lambda: within(math.nan, 1, relative=0.1),
        lambda: within(1, math.nan, relative=0.1),
    ):
        with pytest.raises(Undefined):
            call()
    with pytest.raises(InputError):
        interval_score((0, 1), 1, alpha=0)
    with pytest.raises(InputError):
        within(1, 1, relative=-0.1)


@pytest.mark.parametrize("end", [None, "low"])
def test_an_end_that_is_no_number_is_undefined(end: object) -> None:
    with pytest.raises(Undefined) as refused:
        covers((end, 1.0), 1.0)  # type: ignore[arg-type]
    assert refused.value.reason == "not_a_number"
    with pytest.raises(Undefined):
        within(1.0, end)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "bad", [None, "0.5", "", True, math.nan, 10**400, Decimal("nan"), 1j, [], pd.NA], ids=str
)
def test_what_is_no_number_is_refused_and_never_read_as_one(bad: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: kendall_tau({1: bad, 2: bad}, {1: 1, 2: 2}),
        lambda: interval_score((1, 2), 3, bad),
        lambda: within(1, 1, relative=bad),
        lambda: within(1, 1, absolute=bad),
        lambda: within(bad, 1),
        lambda: interval_score((1, 2), bad, 0.1),
        lambda: interval_score((1, bad), 1, 0.1),
        lambda: top_k_overlap([1], [1], bad),  # 10**400: deeper than the ranking
        lambda: rank_biased_overlap([1], [1], bad),
        lambda: ndcg({1: bad}, [1]),
    ]
    for call in calls:
        with pytest.raises(InputError):
            call()


def test_numbers_at_the_ends_of_float64_give_no_infinity() -> None:
    with pytest.raises(Undefined, match="leaves float64"):
        interval_score((-1e308, 1e308), 0, 0.1)
    assert ndcg({1: 1e308, 2: 1e308}, [1, 2]) == 1.0
    with pytest.raises(InputError, match="p must be between"):
        rank_biased_overlap([1], [1], 5e-324)
    assert covers((Decimal("0.1"), Decimal("0.3")), Decimal("0.2"))
    with pytest.raises(Undefined, match="or no number 2"):
        covers((1, 3), "2")  # type: ignore[arg-type]
