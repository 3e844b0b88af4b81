"""The cluster bootstrap: whole tasks are resampled; the data and the seed decide, nothing else."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats._resampling import BootstrapResult

from finassay.core import InputError
from finassay.statistics import Undefined, cluster_bootstrap
from finassay.statistics._bootstrap import ratio, resample


def scores(tasks: int, runs: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """Right or wrong in each run, from tasks of different difficulty."""
    rng = np.random.default_rng(seed)
    right = rng.random((tasks, runs)) < rng.beta(1, 2, size=(tasks, 1))
    rows = np.column_stack([right.ravel(), np.ones(tasks * runs)]).astype(float)
    return rows, [f"task_{task}" for task in range(tasks) for _ in range(runs)]


def test_draws_are_those_of_pcg64_over_sorted_clusters() -> None:
    """The stated definition, written out: draw cluster numbers, add up the rows of each."""
    rows, tasks = scores(30, 4, seed=3)
    sums = rows.reshape(30, 4, 2).sum(axis=1)
    sums = sums[np.lexsort((sums[:, 0], sums[:, 1]))]
    rng = np.random.Generator(np.random.PCG64(11))
    expected = []
    for _ in range(500):
        chosen = sums[rng.integers(0, 30, size=30)]
        expected.append(chosen[:, 0].sum() / chosen[:, 1].sum())
    drawn = resample(rows, tasks, ratio, seed=11, resamples=500)
    np.testing.assert_array_equal(drawn.draws, expected)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_equal_scipy_on_the_same_draws(method: str) -> None:
    rows, tasks = scores(40, 5, seed=1)
    drawn = resample(rows, tasks, ratio, seed=5, resamples=2000)
    known = BootstrapResult(confidence_interval=None, bootstrap_distribution=drawn.draws, standard_error=None)
    expected = stats.bootstrap(
        (drawn.sums[:, 0], drawn.sums[:, 1]),
        lambda right, n, axis=-1: right.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        n_resamples=0,
        bootstrap_result=known,
        method=method,
    )
    found = cluster_bootstrap(rows, tasks, seed=5, resamples=2000, method=method)  # type: ignore[arg-type]
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval), abs=1e-12)
    assert found.standard_error == pytest.approx(float(expected.standard_error), abs=1e-12)


def test_it_agrees_with_scipy_on_other_draws() -> None:
    rows, tasks = scores(100, 9, seed=2)
    sums = rows.reshape(100, 9, 2).sum(axis=1)
    found = cluster_bootstrap(rows, tasks, seed=7)
    expected = stats.bootstrap(
        (sums[:, 0], sums[:, 1]),
        lambda right, n, axis=-1: right.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        n_resamples=9999,
        method="percentile",
        rng=np.random.default_rng(8),
    ).confidence_interval
    # Monte Carlo error of a 2.5% quantile of 10,000 draws is about 0.027 standard errors; allow six of them.
    assert found.low == pytest.approx(expected.low, abs=6 * 0.027 * found.standard_error * 2**0.5)
    assert found.high == pytest.approx(expected.high, abs=6 * 0.027 * found.standard_error * 2**0.5)


@given(st.permutations(range(24)), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_neither_row_order_nor_task_names_change_the_interval(order: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = np.column_stack([rng.random(24), np.ones(24)])
    tasks = [row // 4 for row in range(24)]
    names = {task: f"{rng.integers(10**6)}-{task}" for task in range(6)}
    plain = cluster_bootstrap(rows, tasks, seed=seed, resamples=200)
    mixed = cluster_bootstrap(rows[order], [names[tasks[row]] for row in order], seed=seed, resamples=200)
    # The full-sample value may differ by rounding in the last digit; the draws may not.
    assert plain.to_dict() == mixed.to_dict()


def test_duplicating_every_row_of_every_task_changes_nothing() -> None:
    """Copies of runs add rows but no tasks, so they must not narrow the interval."""
    rows, tasks = scores(25, 3, seed=4)
    once = cluster_bootstrap(rows, tasks, seed=1, resamples=500)
    twice = cluster_bootstrap(np.vstack([rows, rows]), tasks * 2, seed=1, resamples=500)
    assert (once.low, once.high) == (twice.low, twice.high)
    naive = cluster_bootstrap(np.vstack([rows, rows]), list(range(150)), seed=1, resamples=500)
    assert naive.standard_error < once.standard_error


def test_a_generator_may_be_passed_and_advances() -> None:
    rows, tasks = scores(25, 3, seed=4)
    rng = np.random.Generator(np.random.PCG64(9))
    first = cluster_bootstrap(rows, tasks, seed=rng, resamples=300)
    second = cluster_bootstrap(rows, tasks, seed=rng, resamples=300)
    assert first.seed is None
    assert first.low == cluster_bootstrap(rows, tasks, seed=9, resamples=300).low
    assert (first.low, first.high, first.standard_error) != (second.low, second.high, second.standard_error)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_coverage_is_near_nominal_where_rows_are_not_independent(method: str) -> None:
    """300 samples of 60 tasks x 5 runs with known mean 1/3: coverage 95% ± 3 binomial standard errors, less 1.5."""
    covered = 0
    for sample in range(300):
        rows, tasks = scores(60, 5, seed=1000 + sample)
        found = cluster_bootstrap(rows, tasks, seed=sample, resamples=600, method=method)  # type: ignore[arg-type]
        covered += found.low <= 1 / 3 <= found.high
    assert 0.95 - 0.015 - 3 * (0.95 * 0.05 / 300) ** 0.5 <= covered / 300 <= 0.99


def test_ten_thousand_resamples_of_3672_rows_take_under_a_second() -> None:
    rows, tasks = scores(408, 9, seed=6)
    cluster_bootstrap(rows, tasks, seed=1, resamples=100)
    started = time.process_time()
    cluster_bootstrap(rows, tasks, seed=1)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("rows", "clusters", "reason"),
    [
        ([], [], "no_items"),
        ([[1, 1], [0, 1]], ["a", "a"], "one_cluster"),
        ([[1, 1], [1, 1], [1, 1]], ["a", "b", "c"], "no_variation"),
        ([[0, 0], [0, 0]], ["a", "b"], "no_items"),
        ([[1, 1], [0, 0], [0, 0]], ["a", "b", "c"], "too_many_undefined_resamples"),
    ],
)
def test_what_is_undefined_is_refused(rows: list[list[float]], clusters: list[str], reason: str) -> None:
    with pytest.raises(Undefined) as refusal:
        cluster_bootstrap(np.reshape(rows, (-1, 2)), clusters, seed=1)
    assert refusal.value.reason == reason


@pytest.mark.parametrize(
    ("rows", "clusters", "message"),
    [
        ([[1, 1], [np.nan, 1]], ["a", "b"], "the value nan of row 1 is not finite"),
        ([[1, 1]], ["a", "b"], "one cluster each"),
        ([[1, 1], [0, 1]], ["a", None], "clusters: member 1 names nothing"),
        ([[1, 1], [0, 1]], ["a", float("nan")], "clusters: member 1 names nothing"),
    ],
)
def test_bad_rows_are_named(rows: list[list[float]], clusters: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cluster_bootstrap(rows, clusters, seed=1)  # type: ignore[arg-type]


def test_resamples_without_a_value_are_counted_not_hidden() -> None:
    # Three of 12 tasks carry the denominator; a resample misses them all with chance 0.75**12 = 3.2%.
    rows = [[1, 1], [0, 1], [1, 2]] + [[0, 0]] * 9
    found = cluster_bootstrap(rows, range(12), seed=3)
    assert found.undefined == pytest.approx(10_000 * 0.75**12, rel=0.2)


def test_too_few_resamples_are_refused() -> None:
    with pytest.raises(InputError, match="at least 100 resamples, got 10"):
        cluster_bootstrap([[1, 1], [0, 1]], ["a", "b"], seed=1, resamples=10)


@pytest.mark.parametrize("seed", [None, -1, 1.5, True])
def test_a_seed_is_a_whole_number_or_a_generator(seed: object) -> None:
    with pytest.raises(InputError, match="a seed is a whole number"):
        cluster_bootstrap([[1.0, 1.0], [0.0, 1.0], [1.0, 1.0]], ["a", "b", "c"], seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["x", "BCA", ""])
def test_a_method_that_does_not_exist_is_refused(method: str) -> None:
    with pytest.raises(InputError, match='"percentile" or "bca"'):
        cluster_bootstrap([[1.0, 1.0], [0.0, 1.0], [1.0, 1.0]], ["a", "b", "c"], seed=1, method=method)  # type: ignore[arg-type]
