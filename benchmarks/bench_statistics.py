"""Time of 10,000 cluster resamples of 3,672 rows (408 tasks x 9 runs), against the two usual ways to do it.

Run: python benchmarks/bench_statistics.py. It prints a Markdown table; all rows come from the same run and data.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from scipy import stats

from finassay.statistics import Ratings, cluster_bootstrap, cohen_kappa, gwet_ac

TASKS, RUNS, RESAMPLES, REPEATS = 408, 9, 10_000, 5


def sample() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    right = rng.random((TASKS, RUNS)) < rng.beta(0.5, 1.3, size=(TASKS, 1))
    return right.ravel().astype(float), np.repeat(np.arange(TASKS), RUNS)


def ours(right: np.ndarray, tasks: np.ndarray) -> tuple[float, float]:
    rows = np.column_stack([right, np.ones(len(right))])
    found = cluster_bootstrap(rows, tasks.tolist(), seed=1, resamples=RESAMPLES)
    return found.low, found.high


def loop(right: np.ndarray, tasks: np.ndarray) -> tuple[float, float]:
    """The plain way: per resample, gather the rows of the drawn tasks and take their mean."""
    rng = np.random.default_rng(2)
    members = [np.flatnonzero(tasks == task) for task in range(TASKS)]
    draws = np.empty(RESAMPLES)
    for index in range(RESAMPLES):
        chosen = rng.integers(0, TASKS, TASKS)
        draws[index] = right[np.concatenate([members[task] for task in chosen])].mean()
    return tuple(np.quantile(draws, [0.025, 0.975]))


def scipy_bootstrap(right: np.ndarray, tasks: np.ndarray) -> tuple[float, float]:
    """scipy.stats.bootstrap on the sums of each task, vectorised."""
    sums = np.bincount(tasks, right), np.bincount(tasks).astype(float)
    interval = stats.bootstrap(
        sums,
        lambda x, n, axis=-1: x.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(3),
    ).confidence_interval
    return interval.low, interval.high


def timed(functions: Sequence[Callable[[], object]]) -> list[tuple[float, object]]:
    """Median seconds and result of each, the rounds interleaved so that other load hits all alike."""
    times: list[list[float]] = [[] for _ in functions]
    results: list[object] = [None] * len(functions)
    for _ in range(REPEATS):
        for index, function in enumerate(functions):
            started = time.perf_counter()
            results[index] = function()
            times[index].append(time.perf_counter() - started)
    return [(statistics.median(seconds), result) for seconds, result in zip(times, results, strict=True)]


def main() -> None:
    right, tasks = sample()
    ours(right, tasks)
    print(f"{RESAMPLES:,} cluster resamples, {len(right):,} rows, {TASKS} tasks; median of {REPEATS}\n")
    print("| method | seconds | against ours | 95% interval |")
    print("|---|---|---|---|")
    methods = {
        "finassay cluster_bootstrap": ours,
        "scipy.stats.bootstrap on task sums": scipy_bootstrap,
        "numpy loop over resamples": loop,
    }
    timings = timed([partial(method, right, tasks) for method in methods.values()])
    for name, (seconds, interval) in zip(methods, timings, strict=True):
        print(
            f"| {name} | {seconds:.3f} | {seconds / timings[0][0]:.1f}x | {interval[0]:.4f}–{interval[1]:.4f} |"
        )

    rng = np.random.default_rng(4)
    pairs = np.column_stack([right, np.where(rng.random(len(right)) < 0.1, 1 - right, right)]).astype(int)
    ratings = Ratings.of(pairs.tolist(), [0, 1])
    coefficients = {"Cohen's kappa": cohen_kappa, "Gwet's AC1": gwet_ac}
    timings = timed([partial(c, ratings, clusters=tasks.tolist(), seed=1) for c in coefficients.values()])
    for name, (seconds, found) in zip(coefficients, timings, strict=True):
        print(f"| {name} with cluster bootstrap | {seconds:.3f} | | {found.low:.4f}–{found.high:.4f} |")


if __name__ == "__main__":
    main()
