"""Run every benchmark of this folder and write what they print to docs/reference/benchmarks.md."""

from __future__ import annotations

import ast
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "reference" / "benchmarks.md"


def main() -> int:
    """Write the page; where a benchmark fails, leave the old page and say so."""
    machine = f"{os.cpu_count()} processors ({platform.machine()}), {platform.system()}"
    method = "Written by `make benchmarks`; the scripts are in `benchmarks/`, the method is in each one's first lines."
    parts = ["# Benchmarks\n", f"{method} {machine}, Python {platform.python_version()}.\n"]
    for script in sorted(HERE.glob("bench_*.py")):
        print(f"{script.name} ...", file=sys.stderr)
        done = subprocess.run([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print(
                f"{script.name} failed (exit {done.returncode}); {PAGE.name} is left as it was",
                file=sys.stderr,
            )
            return 1
        summary = (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or "").partition("\n\n")[
            0
        ]
        parts += [
            f"## {script.stem.removeprefix('bench_').replace('_', ' ').capitalize()}\n",
            f"{summary}\n",
            done.stdout,
        ]
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
