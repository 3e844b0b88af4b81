"""The small vendor's market of the audit's tests, with its catalog as a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.conftest import CATALOG, market  # noqa: F401


@pytest.fixture(scope="session")
def catalog_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("catalog") / "small.yaml"
    path.write_text(CATALOG, encoding="utf-8")
    return path
