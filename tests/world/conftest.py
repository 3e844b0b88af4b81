"""One small world, in memory and as a DuckDB file, for all tests of this folder."""

from __future__ import annotations

import pytest

from finassay.database import connect
from finassay.executor import open_executor
from finassay.world import build_world
from support.worlds import CONFIG


@pytest.fixture(scope="session")
def serial():
    with open_executor("serial") as executor:
        yield executor


@pytest.fixture(scope="session")
def built(tmp_path_factory, serial):
    return build_world(CONFIG, f"duckdb:///{tmp_path_factory.mktemp('world')}/small.duckdb", serial)


@pytest.fixture(scope="session")
def world(built):
    return built.world


@pytest.fixture(scope="session")
def database(built):
    with connect(built.path) as opened:
        yield opened
