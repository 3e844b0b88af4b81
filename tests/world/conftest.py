"""One small world, in memory and as a DuckDB file, for all tests of this folder."""

from __future__ import annotations

import pytest

from finassay.database import connect
from finassay.executor import open_executor
from finassay.world import EventType, build_world, counterfactual, oracles
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
def rebuilt(world, serial):
    """The world without a renaming, which has no effect: all values are computed again from the ledger."""
    return counterfactual(world, next(world.ledger.of(EventType.RENAME)).event_id, serial)


@pytest.fixture(scope="session")
def asked(world):
    """The oracle in both modes: made once, as it sorts all events."""
    return oracles(world)


@pytest.fixture(scope="session")
def database(built):
    with connect(built.path) as opened:
        yield opened
