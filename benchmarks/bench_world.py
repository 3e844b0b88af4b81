"""Building a world into DuckDB, against plain `CREATE TABLE AS` of as many random cells in the same run.

Run: python benchmarks/bench_world.py [--scales 0.05 0.2] [--workers 1 2]. Prints Markdown. A build is the command
line's, from a cold interpreter: simulation, tables, content hash and file. The plain table has 50 columns of random
doubles, is written by two threads, and is timed right after the builds. Memory is that of the largest process.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from finassay.temporal import load_catalog

COLUMNS = 50
LIMITS = {0.05: "3 x plain + 8 s", 0.2: "8 x plain", 1.0: "8 x plain"}


def build(scale: float, workers: int, folder: Path) -> tuple[float, float, dict[str, int], str]:
    """Return seconds, gigabytes of the largest process, rows by table and the content hash."""
    target = folder / f"{scale:g}-{workers}.duckdb"
    command = [
        sys.executable,
        "-m",
        "finassay",
        "world",
        "build",
        "--scale",
        f"{scale:g}",
        "--format",
        "json",
    ]
    command += ["--to", f"duckdb:///{target}", "--executor", f"loky:{workers}" if workers > 1 else "serial"]
    started = time.monotonic()
    with (folder / "out").open("w+") as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - started
        if status:
            raise SystemExit(f"{' '.join(command)} failed")
        out.seek(0)
        told = json.load(out)
    target.unlink()
    return seconds, usage.ru_maxrss / 1e6, told["rows"], told["content_hash"]


def plain(cells: int, folder: Path) -> float:
    """Return the seconds of writing as many random doubles."""
    target = folder / "plain.duckdb"
    listed = ", ".join(f"random() AS c{n}" for n in range(COLUMNS))
    started = time.monotonic()
    with duckdb.connect(str(target), config={"threads": 2}) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT {listed} FROM range({cells // COLUMNS})")
    seconds = time.monotonic() - started
    target.unlink()
    return seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--scales", type=float, nargs="+", default=[0.05])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    catalog = load_catalog("gildata")
    print("| scale | rows | cells | workers | build | plain | build / plain | limit | memory |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for scale in arguments.scales:
            found = {workers: build(scale, workers, Path(name)) for workers in arguments.workers}
            hashes = {content for _, _, _, content in found.values()}
            if len(hashes) != 1:
                raise SystemExit(f"the content hash depends on the workers: {hashes}")
            rows = next(iter(found.values()))[2]
            cells = sum(count * len(catalog.table(table).columns) for table, count in rows.items())
            base = plain(cells, Path(name))
            for workers, (seconds, memory, _, _) in found.items():
                size = f"{sum(rows.values()) / 1e6:.1f} M | {cells / 1e6:.0f} M"
                times = f"{seconds:.1f} s | {base:.1f} s | {seconds / base:.1f} | {LIMITS.get(scale, '')}"
                print(f"| {scale:g} | {size} | {workers} | {times} | {memory:.1f} GB |")
    print(f"\nLoad when done: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors.")


if __name__ == "__main__":
    main()
