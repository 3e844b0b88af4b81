"""The truth of the authors' programs is what author and second reader both say, or how it was settled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from finassay.audit._bench import SOLVER
from finassay.audit._corpus import Labelled, read_corpus
from finassay.temporal._yaml import parse

CORPUS = Path(__file__).parents[2] / "corpus"
PROGRAMS = {one.id: one for one in read_corpus(CORPUS).programs if SOLVER not in one.truth.style}
FOR_ALL = "empty"  # the rule that was looked for in all programs, whatever the labels said


def labels(name: str) -> dict[str, Any]:
    path = CORPUS / "labels" / f"{name}.yaml"
    return dict(parse(path.read_text(encoding="utf-8"), name)[0])


SECOND, SETTLED = labels("second"), labels("settled")


def test_each_was_labelled_a_second_time() -> None:
    assert set(SECOND) == set(PROGRAMS)
    assert list(SECOND) == sorted(SECOND)
    assert all(set(said) == {"violates", "functional", "sure", "reason"} for said in SECOND.values())


def test_what_is_settled_was_in_dispute_or_unsure() -> None:
    unsure = {name for name, said in SECOND.items() if not said["sure"]}
    disputed = {name for name, one in SETTLED.items() if set(one["author"]) != set(SECOND[name]["violates"])}
    for_all = {name for name, one in SETTLED.items() if one["rule"] == FOR_ALL}
    assert unsure <= set(SETTLED) <= disputed | unsure | for_all


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_truth_is_what_both_say_or_what_was_settled(program: Labelled) -> None:
    said = SETTLED.get(program.id, SECOND[program.id])
    assert set(program.truth.violates) == set(said["violates"])
