"""The truth of the solvers' programs is what two readers said alone, or how their disagreement was settled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from finassay.audit._bench import SOLVER
from finassay.audit._corpus import Labelled, read_corpus
from finassay.temporal._yaml import parse

CORPUS = Path(__file__).parents[2] / "corpus"
PROGRAMS = {one.id: one for one in read_corpus(CORPUS).programs if SOLVER in one.truth.style}


def labels(name: str) -> dict[str, Any]:
    path = CORPUS / "solvers" / f"{name}.yaml"
    return dict(parse(path.read_text(encoding="utf-8"), name)[0])


ONE, TWO, SETTLED = labels("labels_one"), labels("labels_two"), labels("settled")


def test_there_are_at_least_sixty_and_each_was_labelled_twice() -> None:
    assert len(PROGRAMS) >= 60
    assert set(ONE) == set(TWO) == set(PROGRAMS)


def test_what_is_settled_was_in_dispute() -> None:
    disputed = {name for name in ONE if set(ONE[name]["violates"]) != set(TWO[name]["violates"])}
    assert set(SETTLED) == disputed


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_truth_is_what_the_readers_say(program: Labelled) -> None:
    said = SETTLED.get(program.id, ONE[program.id])
    assert set(program.truth.violates) == set(said["violates"])
