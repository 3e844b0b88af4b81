"""Two runs on the same items, adjustment for many comparisons, comparison on the common subset."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

from finassay.core import InputError
from finassay.statistics import (
    Undefined,
    benjamini_yekutieli,
    compare,
    holm,
    mcnemar,
    paired_difference,
)

discordant = st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(1, 50))
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(discordant)
def test_mcnemar_equals_statsmodels_and_exact_fractions(counts: tuple[int, int, int]) -> None:
    first, second, both = counts
    found = mcnemar(first, second, first + second + both)
    table = [[both, first], [second, 0]]
    assert found.p_value == pytest.approx(float(statsmodels_mcnemar(table, exact=True).pvalue), rel=1e-9)
    n, smaller = first + second, min(first, second)
    tail = Fraction(sum(math.comb(n, k) for k in range(smaller + 1)), 2**n)
    assert found.p_value == pytest.approx(float(min(Fraction(1), 2 * tail)), rel=1e-9)


@given(discordant)
def test_mcnemar_is_symmetric(counts: tuple[int, int, int]) -> None:
    first, second, both = counts
    n = first + second + both
    forward, backward = mcnemar(first, second, n), mcnemar(second, first, n)
    assert forward.p_value == backward.p_value
    assert forward.difference == -backward.difference


def test_mcnemar_without_a_discordant_item_finds_nothing() -> None:
    assert mcnemar(0, 0, 5).p_value == 1.0
    with pytest.raises(Undefined, match="no pairs"):
        mcnemar(0, 0, 0)
    with pytest.raises(InputError, match="at most n"):
        mcnemar(3, 3, 5)


@given(p_values)
def test_adjustments_equal_statsmodels(values: list[float]) -> None:
    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1], abs=1e-12)
    assert benjamini_yekutieli(values) == pytest.approx(multipletests(values, method="fdr_by")[1], abs=1e-12)


@given(p_values)
def test_adjustments_keep_order_and_never_lower_a_p_value(values: list[float]) -> None:
    for adjusted in (holm(values), benjamini_yekutieli(values)):
        by_p = [adjusted[index] for index in np.argsort(values, kind="stable")]
        assert by_p == sorted(by_p)
        assert all(p <= q <= 1 for p, q in zip(values, adjusted, strict=True))


@given(p_values.flatmap(lambda values: st.tuples(st.just(values), st.permutations(range(len(values))))))
def test_adjustments_follow_their_p_values(case: tuple[list[float], list[int]]) -> None:
    values, order = case
    for adjust in (holm, benjamini_yekutieli):
        moved = adjust([values[index] for index in order])
        assert moved == tuple(adjust(values)[index] for index in order)


def test_an_impossible_p_value_is_named() -> None:
    for adjust in (holm, benjamini_yekutieli):
        with pytest.raises(InputError, match="p-value 1 must lie in"):
            adjust([0.2, math.nan])
        assert adjust([]) == ()


def test_the_paired_bootstrap_has_the_standard_error_of_task_means() -> None:
    rng = np.random.default_rng(5)
    ability = rng.random(80)
    first = (rng.random((80, 6)) < ability[:, None]).astype(float)
    second = (rng.random((80, 6)) < 0.8 * ability[:, None]).astype(float)
    tasks = np.repeat(np.arange(80), 6).tolist()
    found = paired_difference(first.ravel().tolist(), second.ravel().tolist(), tasks, seed=1)
    gaps = (first - second).mean(axis=1)
    assert found.difference == pytest.approx(gaps.mean())
    half = 1.96 * gaps.std() / math.sqrt(80)
    assert (found.low, found.high) == pytest.approx((gaps.mean() - half, gaps.mean() + half), abs=0.15 * half)
    assert (found.rows, found.clusters) == (480, 80)


def test_swapping_the_runs_flips_the_interval() -> None:
    first, second = [1, 1, 1, 0, 1, 0, 1, 1], [0, 1, 0, 0, 1, 1, 0, 1]
    forward = paired_difference(first, second, range(8), seed=3)
    backward = paired_difference(second, first, range(8), seed=3)
    assert forward.difference == -backward.difference
    # Mirrored up to Monte Carlo error: differences move in steps of 1/8.
    assert forward.low == pytest.approx(-backward.high, abs=0.126)  # type: ignore[operator]


def test_the_bootstrap_test_keeps_its_level_where_nothing_differs() -> None:
    rejections = 0
    for sample in range(200):
        rng = np.random.default_rng(sample)
        right = (rng.random((2, 60)) < 0.5).astype(float)
        rejections += (
            paired_difference(*right.tolist(), range(60), seed=sample, resamples=400).p_value <= 0.05
        )
    # Level 5%: 200 trials, three binomial standard errors are 4.6 points.
    assert rejections / 200 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)


def test_equal_runs_have_no_interval_and_no_difference() -> None:
    found = paired_difference([1, 0, 1], [1, 0, 1], "abc", seed=1)
    assert (found.difference, found.low, found.high, found.p_value) == (0, None, None, 1.0)


def test_runs_are_compared_on_what_all_of_them_have() -> None:
    runs = {
        "a": {"t1": True, "t2": True, "t3": "error", "t4": True},
        "b": {"t1": False, "t2": True, "t3": True, "t5": True, "t6": True},
        "c": {"t3": None, "t2": False, "t1": False},
    }
    found = compare(runs, seed=1)
    assert (found.n, found.tasks) == (3, 3)
    assert found.dropped == {"a": 1, "b": 2, "c": 0}
    assert {name: (rate.numerator, rate.denominator) for name, rate in found.rates.items()} == {
        "a": (2, 3),
        "b": (2, 3),
        "c": (0, 3),
    }
    assert [(pair.first, pair.second, pair.only_first, pair.only_second) for pair in found.pairs] == [
        ("a", "b", 1, 1),
        ("a", "c", 2, 0),
        ("b", "c", 2, 0),
    ]
    assert found.rates["a"].unknown == 1
    # Exact: two discordant items, 2 * (1/2)**2 = 0.5; Holm: min(1, 3 * 0.5) = 1.
    assert [pair.p_value for pair in found.pairs] == [1.0, 0.5, 0.5]
    assert [pair.adjusted_p for pair in found.pairs] == [1.0, 1.0, 1.0]


@given(st.permutations(["t1", "t2", "t3", "t4", "t5"]))
@settings(max_examples=20, deadline=None)
def test_the_order_of_rows_does_not_matter(order: list[str]) -> None:
    first = {"t1": 1, "t2": 0, "t3": 1, "t4": 1, "t5": 0}
    second = {"t1": 0, "t2": 0, "t3": 1, "t4": 0, "t5": 1}
    plain = compare({"a": first, "b": second}, seed=2, resamples=200)
    mixed = compare({"a": {key: first[key] for key in order}, "b": second}, seed=2, resamples=200)
    assert plain.to_dict() == mixed.to_dict()


def test_with_repeated_runs_tasks_are_resampled_and_mcnemar_is_not_used() -> None:
    runs = {
        name: {(f"t{task}", epoch): (task + epoch) % divisor == 0 for task in range(30) for epoch in range(3)}
        for name, divisor in (("a", 2), ("b", 3))
    }
    found = compare(runs, task=lambda key: key[0], seed=1, resamples=500)  # type: ignore[index]
    assert (found.n, found.tasks) == (90, 30)
    assert found.pairs[0].test == "paired_cluster_bootstrap"
    assert found.rates["a"].method == "cluster_bootstrap"


def test_runs_without_a_common_row_are_refused_with_a_key_of_each() -> None:
    with pytest.raises(Undefined, match="no row is common to all 2 runs") as refusal:
        compare({"a": {"x_1": True}, "b": {"x-1": True}}, seed=1)
    assert refusal.value.reason == "no_overlap"
    assert "a: 'x_1'; b: 'x-1'" in str(refusal.value)
    with pytest.raises(InputError, match="at least two runs"):
        compare({"a": {"x": True}}, seed=1)
