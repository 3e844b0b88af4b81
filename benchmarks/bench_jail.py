"""What the jail costs: a warm call against a plain fork, a cold start against plain imports.

Run: python benchmarks/bench_jail.py [ROUNDS]. It prints a Markdown table of medians with the lowest and highest; both
sides are measured in turns, so that whatever else the machine does falls on both. The plain fork runs the same program
in a process that holds the same modules, and reads what it prints through a pipe. "Back to back" also waits for the
jail to tidy up after the call before. The limits on the ratios are those the jail was built to.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from finassay.execution._jail import find_jail, remove_scratch
from finassay.execution._types import Call

PROGRAM = "import pandas as pd\nprint(pd.DataFrame({'close': [1.0, 2.0, 3.0]})['close'].mean())\n"
FORK_SERVER = """
import os, sys, time
import pandas, duckdb, numpy, pyarrow
code = sys.stdin.readline().encode().decode('unicode_escape')
print('ready', flush=True)
for line in sys.stdin:
    began = time.perf_counter()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writer, 1)
        exec(compile(code, 'program.py', 'exec'), {'__name__': '__main__'})
        sys.stdout.flush()
        os._exit(0)
    os.close(writer)
    said = b''
    while piece := os.read(reader, 65536):
        said += piece
    os.close(reader)
    os.waitpid(pid, 0)
    assert said == b'2.0\\n', said
    print(time.perf_counter() - began, flush=True)
"""


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    print("| what | jail, ms | plain, ms | ratio | at most |\n|---|---|---|---|---|")
    alone, back_to_back, plain = warm(rounds)
    row("warm call of a pandas program", alone, plain, "2.0")
    row("the same, back to back", back_to_back, plain, "2.0")
    row("cold start with pandas and duckdb", *cold(max(5, rounds // 4)), "1.3")


def row(name: str, jail: list[float], plain: list[float], most: str) -> None:
    ratio = statistics.median(jail) / statistics.median(plain)
    print(f"| {name} (n = {len(jail)}) | {shown(jail)} | {shown(plain)} | {ratio:.2f} | {most} |", flush=True)


def shown(seconds: list[float]) -> str:
    middle, low, high = (1000 * value for value in (statistics.median(seconds), min(seconds), max(seconds)))
    return f"{middle:.1f} ({low:.1f} to {high:.1f})"


def warm(rounds: int) -> tuple[list[float], list[float], list[float]]:
    """A call into a running jail, one right after it, and a fork of a process with the same modules loaded."""
    jail, back_to_back, plain = [], [], []
    scratch = Path(tempfile.mkdtemp())
    command = [sys.executable, "-c", FORK_SERVER]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    with server, find_jail("bwrap").start(python=Path(sys.executable), scratch=scratch) as session:
        server.stdin.write(PROGRAM.encode("unicode_escape").decode() + "\n")
        server.stdin.flush()
        assert server.stdout.readline() == "ready\n"
        for _ in range(rounds):
            server.stdin.write("\n")
            server.stdin.flush()
            plain.append(float(server.stdout.readline()))
            jail.append(timed(lambda: check(session.run(Call(PROGRAM)).stdout)))
            back_to_back.append(timed(lambda: check(session.run(Call(PROGRAM)).stdout)))
            time.sleep(0.02)
        server.stdin.close()
    remove_scratch(scratch)
    return jail[2:], back_to_back[2:], plain[2:]


def cold(rounds: int) -> tuple[list[float], list[float]]:
    """A jail from nothing to ready, and an interpreter that imports the same two modules."""
    jail, plain = [], []
    python = Path(sys.executable)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    for _ in range(rounds):
        command = [sys.executable, "-c", "import pandas, duckdb"]
        plain.append(timed(partial(subprocess.run, command, check=True, env=environment)))
        scratch = Path(tempfile.mkdtemp())
        found = find_jail("bwrap")
        began = time.perf_counter()
        session = found.start(python=python, scratch=scratch)
        jail.append(time.perf_counter() - began)
        session.close()
        remove_scratch(scratch)
    return jail, plain


def timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def check(said: str) -> None:
    assert said == "2.0\n", said


if __name__ == "__main__":
    main()
