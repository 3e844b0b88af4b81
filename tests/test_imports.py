"""`import finassay` and `finassay --help` load no heavy library."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "bt",
    "inspect_ai",
    "matplotlib",
    "pandas",
    "plotly",
    "polars",
    "ray",
    "scipy",
    "sqlalchemy",
    "statsmodels",
}


def loaded_by(*arguments: str) -> set[str]:
    """Return the top-level names of the modules that a fresh interpreter imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], check=True, capture_output=True, text=True
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


@pytest.mark.parametrize(
    "arguments",
    [
        ("-c", "import finassay"),
        ("-c", "import finassay.core, finassay.executor"),
        ("-m", "finassay", "--help"),
    ],
    ids=["import", "import of the first rooms", "help"],
)
def test_no_heavy_library_is_loaded(arguments):
    loaded = loaded_by(*arguments)
    assert "finassay" in loaded or "runpy" in loaded  # the list is not empty
    assert loaded & HEAVY == set()


def test_a_loaded_library_would_be_seen():
    assert "scipy" in loaded_by("-c", "import scipy")
