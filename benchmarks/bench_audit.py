"""The audit: processor time of twenty programs, scenarios against plain runs and copies, comparison, memory.

``--db`` takes a world that is built already (scale 0.05); without it one is built. Programs are those of
``audit_programs/``; every ratio is of one run of this script. Each audit runs in a process of its own, whose processor
time (its jail's and broker's with it) and peak memory are counted: other load on the machine changes the wall time.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from finassay.audit import Subject, audit
from finassay.database import connect
from finassay.execution import load_submission
from finassay.temporal import load_catalog, load_contract

PROGRAMS = Path(__file__).resolve().parent / "audit_programs"
ROWS = 10_000_000
FIRMS = 5_000
SCENARIOS = 50
SELECTIVE = "SELECT firm, day, close FROM price WHERE firm = 4321 AND day < DATE '2024-07-01' ORDER BY day"
LATE = (
    "SELECT firm, day, CASE WHEN day >= DATE '2024-07-01' THEN close + {n} ELSE close END AS close FROM price"
)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--db", help="a built world of scale 0.05")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--only", help="programs whose name begins so")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(Path(given.one), given.db)))
        return
    with tempfile.TemporaryDirectory() as folder:
        programs(given.db or world(Path(folder)), given.only or "")
        overlays(Path(folder) / "price.duckdb")
    comparison()


def world(folder: Path) -> str:
    """Build the world that the programs run on."""
    path = folder / "core.duckdb"
    command = [
        sys.executable,
        "-m",
        "finassay",
        "world",
        "build",
        "--scale",
        "0.05",
        "--to",
        f"duckdb:///{path}",
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return f"duckdb:///{path}"


def one(program: Path, url: str) -> dict[str, Any]:
    """Audit a program in this process; return what it took."""
    beside = program.with_name(program.stem + ".contract.yaml")
    contract = load_contract(beside if beside.exists() else PROGRAMS / "common.yaml")
    catalog, submission = load_catalog("gildata"), load_submission(program)
    began, used = time.perf_counter(), processor()
    found = audit(Subject(submission, url), catalog, contract)
    return {
        "verdict": found.verdict.value,
        "codes": sorted({witness.requirement.value for witness in found.witnesses}),
        "scenarios": len(found.scenarios),
        "wall": time.perf_counter() - began,
        "processor": processor() - used,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def processor() -> float:
    """Return the seconds of this process and of those it started that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def programs(url: str, only: str) -> None:
    """Audit every program in a process of its own."""
    print("| program | verdict | scenarios | processor s | wall s | memory MB |\n|---|---|---|---|---|---|")
    found: dict[str, list[dict[str, Any]]] = {".sql": [], ".py": []}
    for program in sorted(p for p in PROGRAMS.iterdir() if p.suffix in found and p.name.startswith(only)):
        command = [sys.executable, __file__, "--one", str(program), "--db", url]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        row = json.loads(told)
        found[program.suffix].append(row)
        verdict = " ".join([row["verdict"], *row["codes"]])
        print(
            f"| {program.stem} | {verdict} | {row['scenarios']} | {row['processor']:.1f} | {row['wall']:.1f} "
            f"| {row['memory']:.0f} |",
            flush=True,
        )
    print("\n| programs | median processor s | limit | kept | most memory MB |\n|---|---|---|---|---|")
    for name, suffix, limit in (("SQL", ".sql", 5), ("Python", ".py", 20)):
        if rows := found[suffix]:
            median = statistics.median(row["processor"] for row in rows)
            memory = max(row["memory"] for row in rows)
            kept = "yes" if median < limit else "no"
            print(f"| {name} (n = {len(rows)}) | {median:.1f} | {limit} | {kept} | {memory:.0f} |")


def overlays(path: Path) -> None:
    """Fifty scenarios over ten million rows, against as many plain runs and one copy of the table for each."""
    with duckdb.connect(str(path)) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(
            f"CREATE TABLE price AS SELECT CAST(range // {ROWS // FIRMS} AS INTEGER) AS firm, "
            f"CAST(DATE '2017-01-01' + CAST(range % {ROWS // FIRMS} * 2 AS INTEGER) AS DATE) AS day, "
            f"((range * 7919) % 100003) / 100.0 AS close FROM range({ROWS})"
        )
    with connect(f"duckdb:///{path}") as database:
        expected = database.query(SELECTIVE).table
        plain = timed(lambda _: database.query(SELECTIVE))

        def scenario(n: int) -> None:
            database.replace({"price": LATE.format(n=n + 1)})
            assert database.query(SELECTIVE).table.equals(expected)

        altered = timed(scenario)
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"ATTACH '{path}' AS base (READ_ONLY)")
        source = LATE.format(n=1).replace("FROM price", "FROM base.price")
        copies = [
            clocked(lambda: connection.execute(f"CREATE OR REPLACE TABLE price AS {source}"))
            for _ in range(3)
        ]
    copied = statistics.median(copies) * SCENARIOS
    print(
        f"\n{SCENARIOS} scenarios of a selective statement over {ROWS:,} rows\n\n"
        "| way | seconds | of plain runs | limit | kept |\n|---|---|---|---|---|\n"
        f"| plain runs | {plain:.2f} | 1.0 | | |\n"
        f"| overlays | {altered:.2f} | {altered / plain:.1f} | 3 | {'yes' if altered <= 3 * plain else 'no'} |\n"
        f"| copies of the table (3 measured) | {copied:.1f} | {copied / plain:.1f} | 20 x overlays "
        f"| {'yes' if copied >= 20 * altered else 'no'} |"
    )


def timed(run: Callable[[int], object]) -> float:
    """Return the seconds of all scenarios together."""
    return clocked(lambda: [run(n) for n in range(SCENARIOS)])


def clocked(run: Callable[[], object]) -> float:
    """Return the seconds of a call."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def comparison() -> None:
    """Compare outputs of a million rows, shuffled, against sorting them as Python tuples."""
    from finassay.audit._compare import differ
    from finassay.audit._subject import Output

    random = np.random.default_rng(7)
    columns: dict[str, Any] = {f"x{i}": random.normal(size=1_000_000) for i in range(8)}
    table = pa.table({**columns, "code": pa.array(random.integers(0, 5000, 1_000_000)).cast(pa.string())})
    shuffled = table.take(random.permutation(table.num_rows))
    before = time.process_time()
    assert differ(Output({"r": table}), Output({"r": shuffled})) is None
    ours = time.process_time() - before
    before = time.process_time()
    left, right = (sorted(zip(*(c.to_pylist() for c in t.columns), strict=True)) for t in (table, shuffled))
    assert left == right
    plain = time.process_time() - before
    print(
        "\nTwo outputs of 1,000,000 rows x 9 columns, one shuffled\n\n| way | processor s |\n|---|---|\n"
        f"| differ | {ours:.1f} |\n| sorted Python tuples | {plain:.1f} |"
    )


if __name__ == "__main__":
    main()
