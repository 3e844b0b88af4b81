"""A window program over ten million rows: audited on a slice of the entities, against all of them in the same run.

Each audit runs in a process of its own, whose time by the clock, processor time and peak memory are told.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

from finassay.audit import Subject, _slices, audit
from finassay.execution import Submission
from finassay.temporal import parse_catalog, parse_contract

ROWS = 10_000_000
FIRMS = 5_000
CATALOG = """
catalog: slices
format: 1
version: 1.0.0
tables:
  price:
    kind: event
    row_id: [id]
    key: [firm, day]
    availability: {column: day}
    columns:
      id: {role: key, max_null: 0}
      firm: key
      day: market_date
      close: payload
"""
CONTRACT = """
contract: slices
format: 1
decisions: {every: month_end, from: 2023-07-31, to: 2024-06-30, column: decided}
"""
VALID = """
WITH moves AS (
    SELECT firm, day, close, close / LAG(close, 20) OVER w - 1 AS gain,
           AVG(close) OVER (PARTITION BY firm ORDER BY day ROWS BETWEEN 59 PRECEDING AND CURRENT ROW) AS mean
    FROM price WINDOW w AS (PARTITION BY firm ORDER BY day)
), decisions AS (
    SELECT CAST(LAST_DAY(month) AS DATE) AS decided
    FROM generate_series(DATE '2023-07-01', DATE '2024-06-01', INTERVAL 1 MONTH) AS m(month)
), latest AS (
    SELECT d.decided, v.*, ROW_NUMBER() OVER (PARTITION BY d.decided, v.firm ORDER BY v.day DESC) AS age
    FROM decisions AS d JOIN moves AS v ON v.day <= d.decided AND v.day > d.decided - INTERVAL 90 DAY
)
SELECT decided, firm, day, close, gain, mean FROM latest WHERE age = 1 ORDER BY decided, firm"""
PROGRAMS = {
    "valid": VALID,
    "mean of days to come": VALID.replace("59 PRECEDING AND CURRENT ROW", "39 PRECEDING AND 20 FOLLOWING"),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(*given.one)))
        return
    print(
        "| program | audited on | verdict | runs | clock s | processor s | memory MB | of all, by the clock |"
    )
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        url = table(Path(folder) / "price.duckdb")
        for program in PROGRAMS:
            whole, part = (measured(program, how, url) for how in ("all", "slice"))
            for how, row in (("all rows", whole), ("a slice", part)):
                share = row["wall"] / whole["wall"]
                told = f"{row['wall']:.1f} | {row['processor']:.1f} | {row['memory']:.0f} | {share:.2f}"
                print(f"| {program} | {how} | {row['verdict']} | {row['scenarios']} | {told} |", flush=True)


def measured(program: str, how: str, url: str) -> dict[str, Any]:
    """Audit in a process of its own."""
    command = [sys.executable, __file__, "--one", program, how, url]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found


def one(program: str, how: str, url: str) -> dict[str, Any]:
    """Audit a program in this process; return what it took."""
    if how == "all":
        _slices.HEAVY_ROWS = 10 * ROWS
    catalog, contract = parse_catalog(CATALOG), parse_contract(CONTRACT)
    submission = Submission("sql", sql_code=PROGRAMS[program], source=program)
    began = time.perf_counter()
    found = audit(Subject(submission, url), catalog, contract)
    assert (found.slice is None) == (how == "all"), found.slice
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        "verdict": " ".join([found.verdict.value, *sorted({w.requirement.value for w in found.witnesses})]),
        "scenarios": len(found.scenarios),
        "wall": time.perf_counter() - began,
        "processor": sum(usage.ru_utime + usage.ru_stime for usage in used),
        "memory": used[0].ru_maxrss / 1024,
    }


def table(path: Path) -> str:
    """Write prices of firms on every second day from 2017 to the end of 2027."""
    days = ROWS // FIRMS
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            f"CREATE TABLE price AS SELECT range AS id, CAST(range // {days} AS INTEGER) AS firm, "
            f"CAST(DATE '2017-01-01' + CAST(range % {days} * 2 AS INTEGER) AS DATE) AS day, "
            f"((range * 7919) % 100003) / 100.0 AS close FROM range({ROWS})"
        )
    return f"duckdb:///{path}"


if __name__ == "__main__":
    main()
