"""1,000 jobs of 10 ms through `loky:2`, against joblib alone; and what a full cache saves.

Run: python benchmarks/bench_executor.py. It prints a Markdown table; all rows come from the same run, in turns, so that
other load hits all alike. A job sleeps: the figure is the overhead of the executor, not the speed of the processor.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import joblib

from finassay.executor import Executor, ResultCache, open_executor

JOBS, SECONDS, WORKERS, REPEATS = 1000, 0.01, 2, 6


def job(number: int) -> int:
    time.sleep(SECONDS)
    return number


def joblib_alone() -> list[int]:
    return joblib.Parallel(n_jobs=WORKERS)(joblib.delayed(job)(number) for number in range(JOBS))


def timed(work, *arguments: object) -> float:
    start = time.perf_counter()
    assert work(*arguments) == list(range(JOBS))
    return time.perf_counter() - start


def ours(executor: Executor, cache: ResultCache | None) -> list[int]:
    return executor.map(job, range(JOBS), label="benchmark", cache=cache)


def main() -> None:
    times: dict[str, list[float]] = {}
    with open_executor(f"loky:{WORKERS}") as executor, tempfile.TemporaryDirectory() as folder:
        for starting in (
            joblib_alone,
            lambda: ours(executor, None),
        ):  # start both pools, and let batches settle
            starting()
        for repeat in range(REPEATS):
            cache = ResultCache(Path(folder) / str(repeat))
            ways = [
                ("joblib alone", joblib_alone, ()),
                ("loky:2, no cache", ours, (executor, None)),
                ("loky:2, empty cache", ours, (executor, cache)),
            ]
            first = repeat % len(ways)  # each way comes first in its turn
            for name, work, arguments in [
                *ways[first:],
                *ways[:first],
                ("loky:2, full cache", ours, (executor, cache)),
            ]:
                times.setdefault(name, []).append(timed(work, *arguments))
    print(f"{JOBS:,} jobs of {SECONDS * 1000:.0f} ms, {WORKERS} workers, {REPEATS} rounds in turns.\n")
    print("| way | median seconds | lowest | highest | of joblib's time, median of the rounds |")
    print("|---|---|---|---|---|")
    for name, seconds in times.items():
        ratio = statistics.median(
            mine / theirs for mine, theirs in zip(seconds, times["joblib alone"], strict=True)
        )
        low, middle, high = min(seconds), statistics.median(seconds), max(seconds)
        print(f"| {name} | {middle:.3f} | {low:.3f} | {high:.3f} | {ratio:.2f} |")


if __name__ == "__main__":
    import bench_executor  # by name, so that its jobs have a code version and workers find them

    bench_executor.main()
