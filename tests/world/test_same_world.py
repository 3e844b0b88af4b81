"""Equal scale, seed and snapshot give equal content: with more workers, and without wide SIMD."""

from __future__ import annotations

import pickle
from datetime import date

import pyarrow as pa
import pytest

from finassay.executor import open_executor
from finassay.temporal import load_catalog
from finassay.world import (
    EventType,
    Origin,
    WorldConfig,
    build_world,
    content_hash,
    materialise,
    simulate,
)
from support.worlds import CONFIG, without_wide_simd


def digest(config: WorldConfig, executor) -> str:
    return content_hash(materialise(simulate(config, executor)), load_catalog("gildata"))


@pytest.mark.parametrize("workers", [2, 4])
def test_more_workers_build_the_same(built, workers, tmp_path):
    with open_executor(f"loky:{workers}") as executor:
        other = build_world(CONFIG, str(tmp_path / "parquet"), executor)
    assert other.info.content_hash == built.info.content_hash
    assert list(other.rows.items()) == list(built.rows.items())


def test_without_wide_simd_it_is_the_same(built):
    code = f"""
from datetime import date
from finassay.executor import open_executor
from finassay.temporal import load_catalog
from finassay.world import (
    EventType,
    Origin,
    WorldConfig,
    build_world,
    content_hash,
    materialise,
    simulate,
)
config = WorldConfig({CONFIG.scale}, {CONFIG.seed}, date.fromisoformat("{CONFIG.snapshot}"))
with open_executor("serial") as executor:
    print(content_hash(materialise(simulate(config, executor)), load_catalog("gildata")))
"""
    assert without_wide_simd(code) == built.info.content_hash


def test_another_seed_is_another_world(built, serial):
    other = WorldConfig(CONFIG.scale, CONFIG.seed + 1, CONFIG.snapshot)
    assert digest(other, serial) != built.info.content_hash


def test_what_is_natural_does_not_depend_on_the_snapshot(world, serial):
    """What is planted does: by the snapshot the traps of the last anchors must show."""
    later = simulate(WorldConfig(CONFIG.scale, CONFIG.seed, date(2025, 6, 30)), serial)
    for kind in (EventType.LIST, EventType.ST_ON, EventType.RENAME, EventType.US_DELIST, EventType.FUND_OPEN):
        own, other = ([e for e in w.ledger.of(kind) if e.origin is Origin.NATURAL] for w in (world, later))
        assert own == other


def test_events_come_out_of_another_process_as_they_went_in(world):
    sent = pickle.loads(pickle.dumps(world.ledger.events))
    assert sent == world.ledger.events
    assert {type(event.payload) for event in sent} == {type(event.payload) for event in world.ledger.events}


def test_the_ledger_is_in_its_total_order(world):
    table = world.ledger.to_arrow()
    assert table.num_rows == len(world.ledger)
    order = list(zip(table["recorded_at"].to_pylist(), table["event_id"].to_pylist(), strict=True))
    assert order == sorted(order)
    assert table.schema.field("event_id").type == pa.uint64()


def test_ids_are_type_entity_and_number(world):
    for event in world.ledger.events[:500]:
        assert event.event_id >> 56 == event.type
        assert event.event_id >> 32 & 0xFFFFFF == event.entity
        assert event.event_id & 0xFFFFFFFF == event.seq


def test_every_parent_is_in_the_ledger_and_was_disclosed_no_later(world):
    for event in world.ledger.events:
        for parent in event.parents:
            assert world.ledger.by_id[parent].disclosed_at <= event.disclosed_at
