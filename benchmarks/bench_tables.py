"""Comparing tables of 1,000,000 cells: processor time against per-cell pandas loops of the same run, and memory.

Run: python benchmarks/bench_tables.py [--rows 100000]. Prints Markdown.
"""

from __future__ import annotations

import argparse
import gc
import math
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from finassay.grading import OutputContract, compare_tables

CONTRACT = OutputContract.parse("""
columns:
  - {name: code, type: text}
  - {name: date, type: date}
  - {name: revenue, type: number, decimals: 2}
  - {name: margin, type: number, decimals: 4}
  - {name: pe, type: number}
  - {name: amount, type: number, decimals: 2}
  - {name: volume, type: integer}
  - {name: industry, type: text}
  - {name: note, type: text}
  - {name: printed, type: number, decimals: 3}
key: [code, date]
""")
KEY = ["code", "date"]
FORMATTED = OutputContract.parse("""
columns:
  - {name: code, type: text}
  - {name: date, type: date}
  - {name: amount, type: number, unit: 元, decimals: 2}
  - {name: growth, type: number, unit: percent, decimals: 2}
  - {name: total, type: number, unit: 元, decimals: 2}
key: [code, date]
""")
ODD = ("¥{:,.2f}万", "约{:,.2f}万元", "人民币{:,.2f}万元")


def make(rows: int) -> pa.Table:
    """Numbers, decimals, integers, dates, text, and numbers printed as text, with some cells missing."""
    rng = np.random.default_rng(7)
    days = np.datetime64("2024-01-01") + np.arange(rows) % 250
    amount = pa.array(
        [Decimal(int(v)).scaleb(-2) for v in rng.integers(0, 10**12, rows)], pa.decimal128(18, 2)
    )
    return pa.table({
        "code": pa.array([f"{v:06d}.SH" for v in np.arange(rows) // 250]),
        "date": pa.array(days.astype("datetime64[D]")),
        "revenue": pa.array(rng.normal(1e6, 1e5, rows), mask=rng.random(rows) < 0.02),
        "margin": rng.normal(0.2, 0.1, rows),
        "pe": rng.lognormal(3, 1, rows),
        "amount": amount,
        "volume": rng.integers(0, 10**9, rows),
        "industry": pa.array(np.array(["银行", "电子", "医药生物", "计算机"])[rng.integers(0, 4, rows)]),
        "note": pa.array([f"note {v}" for v in rng.integers(0, rows, rows)]),
        "printed": pa.array([f"{v:.3f}" for v in rng.normal(0, 100, rows)]),
    })  # fmt: skip


def variants(table: pa.Table) -> dict[str, tuple[pa.Table, bool]]:
    rng = np.random.default_rng(8)
    order = pa.array(rng.permutation(table.num_rows))
    noisy = table.set_column(4, "pe", pa.array(np.asarray(table["pe"]) * (1 + 1e-13)))
    wrong = np.asarray(table["margin"]).copy()
    wrong[rng.choice(len(wrong), len(wrong) // 100, replace=False)] += 0.5
    return {
        "equal, same order": (noisy, True),
        "equal, rows shuffled": (noisy.take(order), True),
        "1% of one column wrong, rows shuffled": (
            table.set_column(3, "margin", pa.array(wrong)).take(order),
            False,
        ),
    }


def formatted(rows: int, odd: float) -> tuple[pa.Table, pa.Table]:
    """Return a table of numbers and the same printed with separators, percent signs and units, all texts distinct.

    A share `odd` of the last column is printed in ways that no regular expression reads: each takes a parse of its own.
    """
    rng = np.random.default_rng(9)
    keys = make(rows).select(KEY)
    amount, growth = np.round(rng.uniform(0, 1e9, rows), 2), np.round(rng.normal(0, 1e4, rows), 2)
    total = np.round(rng.uniform(0, 1e6, rows), 2)
    ways = np.where(rng.random(rows) < odd, rng.integers(0, len(ODD), rows), -1)
    words = [f"{v:,.2f}万元" if way < 0 else ODD[way].format(v) for v, way in zip(total, ways, strict=True)]
    printed = [
        pa.array([f"{v:,.2f}" for v in amount]),
        pa.array([f"{v:.2f}%" for v in growth]),
        pa.array(words),
    ]
    plain = [pa.array(amount), pa.array(growth), pa.array(total * 10_000)]
    return tuple(  # type: ignore[return-value]
        pa.table([*keys.columns, *columns], names=FORMATTED_NAMES) for columns in (plain, printed)
    )


FORMATTED_NAMES = [column.name for column in FORMATTED.columns]


def cell_equal(a: object, b: object, tolerance: float) -> bool:
    if a is None or b is None or a is pd.NaT or b is pd.NaT:
        return a is b
    if isinstance(a, (float, int, Decimal)) and isinstance(b, (float, int, Decimal)):
        x, y = float(a), float(b)
        return (math.isnan(x) and math.isnan(y)) or abs(x - y) <= tolerance
    return a == b


TOLERANCE = {
    "revenue": 0.005,
    "margin": 0.00005,
    "pe": 1e-9,
    "amount": 0.005,
    "volume": 0.0,
    "printed": 0.0005,
}


def loop_at(a: pd.DataFrame, b: pd.DataFrame) -> int:
    """The usual loop: both frames sorted by key, then `.at` for every cell (of a tenth of the rows: it is slow)."""
    a = a.sort_values(KEY).reset_index(drop=True)
    b = b.sort_values(KEY).reset_index(drop=True)
    wrong = 0
    for row in range(len(a) // 10):
        for name in a.columns:
            wrong += not cell_equal(a.at[row, name], b.at[row, name], TOLERANCE.get(name, 0.0))  # noqa: PD008
    return wrong


def loop_tuples(a: pd.DataFrame, b: pd.DataFrame) -> int:
    """The fastest per-cell loop pandas has: sorted by key, then `itertuples` side by side."""
    a, b = a.sort_values(KEY), b.sort_values(KEY)
    tolerances = [TOLERANCE.get(name, 0.0) for name in a.columns]
    wrong = 0
    for left, right in zip(
        a.itertuples(index=False, name=None), b.itertuples(index=False, name=None), strict=True
    ):
        for x, y, tolerance in zip(left, right, tolerances, strict=True):
            wrong += not cell_equal(x, y, tolerance)
    return wrong


def seconds(run: Callable[[], object], times: int = 1) -> float:
    best = math.inf
    for _ in range(times):
        gc.collect()
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


def peak_memory(rows: int, name: str) -> None:
    """In a process of its own: growth of resident memory while comparing, over the bytes of the two tables."""
    table = make(rows)
    candidate, equal = variants(table)[name]
    candidate = candidate.combine_chunks()
    compare_tables(table.slice(0, 100), candidate.slice(0, 100), CONTRACT)  # imports are not the comparison's
    gc.collect()
    before, peak, done = resident(), 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.001):
            peak = max(peak, resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    verdict = compare_tables(table, candidate, CONTRACT)
    done.set()
    watcher.join()
    assert verdict.equal is equal
    print((peak - before) / (table.nbytes + candidate.nbytes))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory:
        peak_memory(arguments.rows, arguments.memory)
        return
    table = make(arguments.rows)
    print(f"{table.num_rows:,} rows x {table.num_columns} columns, {table.nbytes / 2**20:.0f} MiB a table\n")
    print(
        "| candidate | compare_tables | .at loop (x10) | ratio | itertuples loop | ratio | peak memory / both |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, (candidate, equal) in variants(table).items():
        measure(arguments.rows, name, table, candidate.combine_chunks(), equal)
    print(f"\n{arguments.rows:,} rows, three columns of formatted text against numbers\n")
    print("| candidate | compare_tables | a text cell |")
    print("|---|---|---|")
    for odd in (0.0, 0.01, 0.1):
        measure_formatted(arguments.rows, odd)


def measure(rows: int, name: str, table: pa.Table, candidate: pa.Table, equal: bool) -> None:
    """Seconds of processor time, so that other work on the machine does not count."""
    ours = seconds(lambda: compare_tables(table, candidate, CONTRACT), times=3)
    verdict = compare_tables(table, candidate, CONTRACT)
    assert verdict.equal is equal, verdict.to_text()
    a, b = (frame.to_pandas() for frame in (table, candidate))
    a["printed"], b["printed"] = a["printed"].astype(float), b["printed"].astype(float)
    slow, fast = 10 * seconds(lambda: loop_at(a, b)), seconds(lambda: loop_tuples(a, b))
    command = [sys.executable, __file__, "--rows", str(rows), "--memory", name]
    memory = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    print(
        f"| {name} | {ours * 1000:.0f} ms | {slow:.0f} s | 1/{slow / ours:.0f} "
        f"| {fast:.2f} s | 1/{fast / ours:.1f} | {memory:.1f} |",
        flush=True,
    )


def measure_formatted(rows: int, odd: float) -> None:
    reference, candidate = formatted(rows, odd)
    verdict = compare_tables(reference, candidate, FORMATTED)
    assert verdict.equal, verdict.to_text()
    taken = seconds(lambda: compare_tables(reference, candidate, FORMATTED), times=2)
    label = f"1,234.56, 12.34%, 1,234.56万元; {odd:.0%} of the last in odd forms"
    print(f"| {label} | {taken:.2f} s | {taken / (3 * rows) * 1e6:.1f} µs |", flush=True)


if __name__ == "__main__":
    main()
