"""A file beside a program is data: nothing of ours imports it in the place of a library, in the jail's host least."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# Parts of the standard library and libraries that the host's processes load, early and late.
NAMES = [
    *("calendar", "types", "string", "random", "copy", "statistics"),
    *("numpy", "pandas", "sqlglot", "duckdb", "pyarrow", "cloudpickle"),
]
_STUDY = """
from db_connector import query_to_dataframe
result = query_to_dataframe("SELECT close FROM prices")
"""
_JOBS = """
def mean(values):
    import numpy, statistics
    return float(statistics.mean(values) + numpy.zeros(1)[0])
"""


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A folder full of modules that say so when they are executed, and a database of one row."""
    folder = tmp_path / "trap"
    (folder / "market").mkdir(parents=True)
    (folder / "market" / "prices.csv").write_text("symbol,close\nAAA,10.5\n")
    marker = tmp_path / "marker"
    for name in NAMES:
        code = f"with open({str(marker)!r}, 'a') as file:\n    print({name!r}, file=file)\n"
        (folder / f"{name}.py").write_text(code)
    return folder


def sprung(trap: Path) -> str:
    marker = trap.parent / "marker"
    return marker.read_text() if marker.exists() else ""


def finassay(trap: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = Path(sys.executable).with_name("finassay")
    return subprocess.run(
        [command, *arguments], cwd=trap, capture_output=True, text=True, timeout=50, check=False
    )


@pytest.mark.parametrize(
    ("name", "content", "jail"),
    [
        ("study.sql", "SELECT close FROM prices", "auto"),
        ("study.py", _STUDY, "auto"),
        ("study.py", _STUDY, "none"),
    ],
)
def test_a_run(trap: Path, name: str, content: str, jail: str) -> None:
    (trap / name).write_text(content)
    done = finassay(trap, "run", name, "--db", "market", "--jail", jail, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tables"][0]["head"] == [[10.5]]
    assert sprung(trap) == ""


@pytest.mark.parametrize("command", [["db", "info", "market"], ["doctor", "jail"]])
def test_a_command_that_starts_no_program(trap: Path, command: list[str]) -> None:
    done = finassay(trap, *command)
    assert done.returncode == 0, done.stderr
    assert sprung(trap) == ""


_MAP = """
import sys
from finassay.executor import ResultCache, open_executor
import jobs_of_mine
with open_executor({spec!r}) as executor:
    print(executor.map(jobs_of_mine.mean, [[1, 2], [3, 5]], label="means", cache=ResultCache({cache!r})))
"""


@pytest.mark.parametrize("spec", ["loky:2", pytest.param("ray:2", marks=pytest.mark.xdist_group("ray"))])
def test_an_executor_in_a_script_elsewhere(trap: Path, tmp_path: Path, spec: str) -> None:
    """The script's own modules are found in its workers, and those of the current folder are not."""
    if spec.startswith("ray"):
        pytest.importorskip("ray", reason="the extra 'ray' is not installed")
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "jobs_of_mine.py").write_text(_JOBS)
    (scripts / "main.py").write_text(_MAP.format(spec=spec, cache=str(tmp_path / "cache")))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(
        [sys.executable, scripts / "main.py"],
        cwd=trap,
        env=environment,
        capture_output=True,
        text=True,
        timeout=55,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("[1.5, 4.0]")
    assert sprung(trap) == ""
