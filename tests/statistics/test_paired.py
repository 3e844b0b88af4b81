"""Two runs on the same items, adjustment for many comparisons, comparison on the common subset."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

from finassay.core import InputError
from finassay.statistics import (
    Undefined,
    benjamini_yekutieli,
    cluster_bootstrap,
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


@pytest.mark.parametrize(("first", "second"), [([1, 0, 1], [1, 0, 1]), ([1, 1, 1], [0, 0, 0])])
def test_the_same_difference_in_every_task_has_neither_interval_nor_p_value(
    first: list[float], second: list[float]
) -> None:
    found = paired_difference(first, second, "abc", seed=1)
    assert found.difference == first[1] - second[1]
    assert (found.low, found.high, found.p_value) == (None, None, None)
    with pytest.raises(Undefined) as refusal:
        cluster_bootstrap([[a - b, 1] for a, b in zip(first, second, strict=True)], "abc", seed=1)
    assert refusal.value.reason == "no_variation"


@pytest.mark.parametrize(
    ("gaps", "expected"),
    [
        # +-3 +-2 +-1 is 6, 4, 2, 0, 0, -2, -4, -6: of 8 sums 2 lie at 6 or beyond, 4 at 4, 6 at 2, 8 at 0.
        ([3, 2, 1], 2 / 8),
        ([3, 2, -1], 4 / 8),
        ([-3, 2, -1], 6 / 8),
        ([3, -2, -1], 1.0),
        # +-2 +-2 +-1 is 5, 3, 1, -1, 1, -1, -3, -5.
        ([2, 2, 1], 2 / 8),
        ([2, 2, -1], 4 / 8),
        # A task without a difference has no sign: three such leave the two signs of +-3 +-2.
        ([3, 2, 0, 0, 0], 2 / 4),
    ],
)
def test_the_sign_flip_test_by_hand(gaps: list[float], expected: float) -> None:
    found = paired_difference(gaps, [0] * len(gaps), range(len(gaps)), seed=1)
    assert found.p_value == pytest.approx(expected, abs=1e-12)


scores = st.integers(-4, 4).map(float) | st.sampled_from([0.1, 0.2, 0.3, 1 / 3, -0.7])


@given(st.lists(st.tuples(scores, scores, scores, scores), min_size=2, max_size=9))
@settings(max_examples=40, deadline=None)
def test_the_sign_flip_test_equals_scipy_on_task_sums(
    rows: list[tuple[float, float, float, float]],
) -> None:
    """Two rows of each task; scipy swaps the task sums of the two runs in all 2**n ways."""
    first = [score for row in rows for score in row[:2]]
    second = [score for row in rows for score in row[2:]]
    tasks = [task for task in range(len(rows)) for _ in range(2)]
    found = paired_difference(first, second, tasks, seed=1, resamples=100)
    sums = np.array(rows).reshape(-1, 2, 2).sum(axis=2)

    def gap(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        return np.round((x - y).sum(axis=axis), 9)  # 0.1 + 0.2 ties with 0.3

    oracle = stats.permutation_test(
        (sums[:, 0], sums[:, 1]), gap, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    if found.p_value is None:
        assert np.ptp(sums[:, 0] - sums[:, 1]) < 1e-9
    else:
        assert found.p_value == pytest.approx(oracle.pvalue, abs=1e-12)


@given(st.integers(1, 300), st.integers(0, 300), st.integers(1, 50))
@settings(max_examples=30, deadline=None)
def test_with_one_binary_row_per_task_the_sign_flip_test_is_mcnemar(
    right: int, wrong: int, both: int
) -> None:
    first = [1] * right + [0] * wrong + [1] * both
    second = [0] * right + [1] * wrong + [1] * both
    found = paired_difference(first, second, range(len(first)), seed=1, resamples=100)
    assert found.p_value == pytest.approx(mcnemar(right, wrong, len(first)).p_value, rel=1e-9)


def p_values_of_all_signs(sizes: list[float]) -> list[float | None]:
    """One p-value for each equally likely outcome where the two runs of a task may be swapped."""
    return [
        paired_difference(
            [max(0, sign * size) for sign, size in zip(signs, sizes, strict=True)],
            [max(0, -sign * size) for sign, size in zip(signs, sizes, strict=True)],
            range(len(sizes)),
            seed=1,
            resamples=100,
        ).p_value
        for signs in product((1, -1), repeat=len(sizes))
    ]


@pytest.mark.parametrize(
    "sizes", [[2.0] * 3, [2.0] * 5, [2.0] * 8, [1.0, 2, 4, 8, 16, 32], [0.5, 0.5, 1, 3, 3]]
)
def test_the_level_is_kept_with_few_tasks_at_every_level(sizes: list[float]) -> None:
    """No simulation: of all 2**n outcomes under no difference at most a share a has a p-value of at most a."""
    found = p_values_of_all_signs(sizes)
    tested = [p for p in found if p is not None]
    for level in {*tested, 0.01, 0.05, 0.1}:
        assert sum(p <= level for p in tested) / len(found) <= level + 1e-12
    assert min(tested) >= 2 / 2 ** len(sizes) - 1e-12


def test_the_level_is_reached_where_no_two_outcomes_tie() -> None:
    """Sums of distinct powers of two are all distinct, so the p-values are 2/64, 4/64, ..., each from two outcomes."""
    found = p_values_of_all_signs([1, 2, 4, 8, 16, 32])
    assert sorted(p for p in found if p is not None) == pytest.approx(
        [2 * (1 + i // 2) / 64 for i in range(64)]
    )


MANY = [float(size if size % 3 else -size) for size in range(1, 31)]  # 30 distinct sizes: 2**30 signs


def test_beyond_enumeration_random_signs_are_seeded_and_near_the_exact_share() -> None:
    ways = {0: 1}  # of 2**30 sign assignments, how many have each sum
    for gap in map(int, MANY):
        sums = [(total + sign * gap, count) for total, count in ways.items() for sign in (1, -1)]
        ways = {}
        for total, count in sums:
            ways[total] = ways.get(total, 0) + count
    observed = abs(int(sum(MANY)))
    exact = sum(count for total, count in ways.items() if abs(total) >= observed) / 2**30
    found = [paired_difference(MANY, [0] * 30, range(30), seed=seed).p_value for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    for p_value in found:
        assert p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 10_000))
        assert p_value * 10_001 == pytest.approx(round(p_value * 10_001))  # (b + 1) / (m + 1)


def test_random_signs_never_give_a_p_value_of_zero_and_do_not_depend_on_order_or_side() -> None:
    # All signs equal: only 2 of 2**30 assignments reach the sum, so no draw does, and b = 0.
    sizes = [abs(gap) for gap in MANY]
    assert paired_difference(sizes, [0] * 30, range(30), seed=1, resamples=999).p_value == 1 / 1000
    forward = paired_difference(MANY, [0] * 30, range(30), seed=4).p_value
    assert forward == paired_difference(MANY[::-1], [0] * 30, range(30), seed=4).p_value
    assert forward == paired_difference([0] * 30, MANY, range(30), seed=4).p_value
    assert forward != paired_difference(MANY, [0] * 30, range(30), seed=np.random.default_rng(4)).p_value


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
    assert found.pairs[0].test == "sign_flip"
    assert found.rates["a"].method == "cluster_bootstrap"


def test_holm_counts_a_pair_that_could_not_be_tested() -> None:
    """Six tasks of two runs: a is always right, b never, c everywhere but in one run of the last task."""
    keys = [(task, epoch) for task in range(6) for epoch in range(2)]
    runs = {
        "a": dict.fromkeys(keys, True),
        "b": dict.fromkeys(keys, False),
        "c": {key: key != (5, 1) for key in keys},
    }
    pairs = compare(runs, task=lambda key: key[0], seed=1, resamples=500).pairs  # type: ignore[index]
    # a - b: 2 in every task. a - c: one task differs, p = 1. b - c: -2 five times and -1, p = 2/2**6.
    assert [pair.p_value for pair in pairs] == [None, 1.0, pytest.approx(2 / 64)]
    assert [pair.adjusted_p for pair in pairs] == [None, 1.0, pytest.approx(3 * 2 / 64)]
    assert pairs[0].low is None


def test_runs_without_a_common_row_are_refused_with_a_key_of_each() -> None:
    with pytest.raises(Undefined, match="no row is common to all 2 runs") as refusal:
        compare({"a": {"x_1": True}, "b": {"x-1": True}}, seed=1)
    assert refusal.value.reason == "no_overlap"
    assert "a: 'x_1'; b: 'x-1'" in str(refusal.value)
    with pytest.raises(InputError, match="at least two runs"):
        compare({"a": {"x": True}}, seed=1)
