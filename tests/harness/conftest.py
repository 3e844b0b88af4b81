"""Evaluations that several tests read: each is run once."""

from __future__ import annotations

import pytest

pytest.importorskip("inspect_ai")

from finassay.harness import Evaluation, EvaluationPlan, evaluate


def run(folder, *, resume=False, **plan) -> Evaluation:
    """Run the smoke suite into a folder."""
    given = {"suite": "smoke", "model": "finassay-scripted/reference", **plan}
    return evaluate(EvaluationPlan(folder=str(folder), **given), resume=resume)


@pytest.fixture(scope="session")
def careless(tmp_path_factory) -> tuple[Evaluation, object]:
    """All samples, with a model that makes mistakes and is right on every second task; and its folder."""
    folder = tmp_path_factory.mktemp("careless")
    return run(folder, model="finassay-scripted/careless"), folder


@pytest.fixture
def smoke():
    from finassay.harness import load_suite

    return load_suite("smoke")
