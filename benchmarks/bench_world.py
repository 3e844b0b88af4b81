"""Building a world into DuckDB, against plain `CREATE TABLE AS` of as many random cells in the same run.

Run: python benchmarks/bench_world.py [--scales 0.05 0.2] [--workers 1 2]. Prints Markdown. A build is the command
line's, from a cold interpreter: simulation, tables, content hash and file. The plain table has 50 columns of random
doubles, is written by two threads, and is timed right after the builds. Processor seconds tell more than seconds on a
machine that others use too; memory is that of all processes together, what they share counted once (Linux alone).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import duckdb

from finassay.temporal import load_catalog

COLUMNS = 50
LIMITS = {0.05: "3 x plain + 8 s", 0.2: "8 x plain", 1.0: "8 x plain"}
EVERY = 0.25  # seconds between two looks at the processes
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Build:
    """What a build took: seconds, processor seconds and gigabytes of all its processes; and what it gave."""

    seconds: float
    cpu: float
    memory: float
    rows: dict[str, int]
    content: str


class Watch(threading.Thread):
    """Looks at a process and its descendants until it ends."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__()
        self._process = process
        self._cpu: dict[int, float] = {}
        self.memory = 0.0

    def run(self) -> None:
        """Keep the most memory, and the last processor time of each process."""
        while self._process.poll() is None:
            began = time.monotonic()
            self.memory = max(self.memory, sum(self._look(pid) for pid in family(self._process.pid)))
            time.sleep(max(EVERY, 10 * (time.monotonic() - began)))  # the kernel counts pages on our time

    @property
    def cpu(self) -> float:
        """Processor seconds of all processes, up to the last look at each."""
        return sum(self._cpu.values())

    def _look(self, pid: int) -> float:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            self._cpu[pid] = (int(fields[11]) + int(fields[12])) / TICKS
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1e6
        except OSError:  # it has just ended
            return 0.0


def family(root: int) -> list[int]:
    """Return a process and its descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def build(scale: float, workers: int, folder: Path) -> Build:
    """Build a world as the command line does."""
    target = folder / f"{scale:g}-{workers}.duckdb"
    command = [sys.executable, "-m", "finassay", "world", "build", "--format", "json"]
    command += ["--scale", f"{scale:g}", "--to", f"duckdb:///{target}"]
    command += ["--executor", f"loky:{workers}" if workers > 1 else "serial"]
    started = time.monotonic()
    with (folder / "out").open("w+b") as out:
        process = subprocess.Popen(command, stdout=out)
        watch = Watch(process)
        watch.start()
        status = process.wait()
        seconds = time.monotonic() - started
        watch.join()
        if status:
            raise SystemExit(f"{' '.join(command)} failed")
        out.seek(0)
        told = json.load(out)
    target.unlink()
    return Build(seconds, watch.cpu, watch.memory, told["rows"], told["content_hash"])


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
    print("| scale | rows | cells | workers | build | processor | plain | build / plain | limit | memory |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for scale in arguments.scales:
            found = {workers: build(scale, workers, Path(name)) for workers in arguments.workers}
            hashes = {made.content for made in found.values()}
            if len(hashes) != 1:
                raise SystemExit(f"the content hash depends on the workers: {hashes}")
            rows = next(iter(found.values())).rows
            cells = sum(count * len(catalog.table(table).columns) for table, count in rows.items())
            base = plain(cells, Path(name))
            for workers, made in found.items():
                size = f"{sum(rows.values()) / 1e6:.1f} M | {cells / 1e6:.0f} M | {workers}"
                times = f"{made.seconds:.1f} s | {made.cpu:.1f} s | {base:.1f} s | {made.seconds / base:.1f}"
                limit = LIMITS.get(scale, "")
                print(f"| {scale:g} | {size} | {times} | {limit} | {made.memory:.1f} GB |", flush=True)
    print(f"\nLoad when done: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors.")


if __name__ == "__main__":
    main()
