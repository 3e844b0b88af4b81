"""No valid program of the tuned half is flagged: a sample here, all of them in `make bench-audit`."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from finassay.audit import Subject, Verdict, audit, certificate_text
from finassay.audit._corpus import Labelled, read_corpus
from finassay.database import connect
from finassay.execution import load_submission
from finassay.executor import open_executor
from finassay.temporal import load_catalog
from finassay.world import WorldConfig, build_world

CORPUS = Path(__file__).parents[2] / "corpus"
SEED = 20261130


def drawn(mode: str, count: int) -> list[Labelled]:
    valid = [
        one
        for one in read_corpus(CORPUS).programs
        if one.half == "tuned" and not one.violating and one.mode == mode
    ]
    picked = np.random.default_rng(SEED).permutation(len(valid))[:count]
    return [valid[index] for index in picked]


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The world that the corpus was written for."""
    url = f"duckdb:///{tmp_path_factory.mktemp('corpus')}/world.duckdb"
    with open_executor("loky:2") as executor:
        build_world(WorldConfig(0.05, 20260430, date(2026, 4, 30)), url, executor)
    return url


# About fifteen seconds of a processor each; the first one also builds the world.
@pytest.mark.timeout(1800)
@pytest.mark.jail
@pytest.mark.parametrize("program", [*drawn("sql", 3), *drawn("python", 1)], ids=lambda program: program.id)
def test_a_valid_program_is_not_flagged(program: Labelled, world: str) -> None:
    subject = Subject(load_submission(program.path), world, program.dialect)
    found = audit(subject, load_catalog("gildata"), program.task.contract)
    assert found.verdict is not Verdict.FAIL, certificate_text(found)
    assert found.scenarios, certificate_text(found)


def test_every_task_has_an_answer(world: str) -> None:
    """Of a task without rows nothing can be told: no program reacts to anything."""
    tasks = {one.task.says.id: one.task for one in read_corpus(CORPUS).programs}
    silent = []
    with connect(world) as database:
        for name, task in tasks.items():
            sql = load_submission(task.reference).sql_code
            assert sql is not None
            if not database.query(sql, dialect=task.says.dialect).table.num_rows:
                silent.append(name)
    assert silent == []
