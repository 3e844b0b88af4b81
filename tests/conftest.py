"""Fixtures of every suite: the shared data, and real database servers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from support.servers import mariadb, postgres  # noqa: F401

ROOT = Path(__file__).resolve().parent.parent

# The same examples on every run, and no deadline, for a busy machine is not a bug; "explore" draws new ones
settings.register_profile("explore", deadline=None)
settings.register_profile("finassay", deadline=None, derandomize=True, database=None)
settings.load_profile("finassay")


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """Return a function from a path inside the shared data to the file, skipping the test where it is absent."""
    stated = os.environ.get("FINASSAY_SHARED")
    root = Path(stated) if stated else ROOT.parent / "shared"

    def find(name: str) -> Path:
        path = root / name
        if not path.exists():
            if stated:
                pytest.fail(f"FINASSAY_SHARED is set to {root}, but it has no {name}")
            pytest.skip(f"the shared data is not here (no {path}); set FINASSAY_SHARED to its folder")
        return path

    return find
