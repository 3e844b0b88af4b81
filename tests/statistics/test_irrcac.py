"""AC1, AC2, Fleiss' kappa and alpha, with gaps and weights, against irrCAC in its own environment."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from finassay.statistics import Agreement, Ratings, Undefined, fleiss_kappa, gwet_ac, krippendorff_alpha

ROOT = Path(__file__).resolve().parents[2]
LEVELS = {"identity": "nominal", "quadratic": "interval"}  # squared distance on labels 0, 1, 2, …
CASES = 120


@pytest.fixture(scope="module")
def oracle() -> Path:
    """The interpreter of the environment that holds irrCAC."""
    stated = os.environ.get("FINASSAY_ORACLES")
    python = (Path(stated) if stated else ROOT / ".venv-oracles") / "bin" / "python"
    if not python.exists():
        if stated:
            pytest.fail(f"FINASSAY_ORACLES is set to {stated}, but {python} does not exist")
        pytest.skip(
            "irrCAC is not here: python3.11 -m venv .venv-oracles && "
            ".venv-oracles/bin/pip install --require-hashes -r requirements/oracles.txt"
        )
    return python


def ask(oracle: Path, cases: list[dict[str, Any]]) -> list[dict[str, dict[str, float]]]:
    done = subprocess.run(
        [str(oracle), str(ROOT / "scripts" / "irrcac_oracle.py")],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=False,
        timeout=55,
    )
    assert done.returncode == 0, done.stderr
    answer: list[dict[str, dict[str, float]]] = json.loads(done.stdout)
    return answer


def random_case(seed: int) -> dict[str, Any]:
    """Ratings with a common tendency per item, gaps, and often a label of the scale that nobody used."""
    rng = np.random.default_rng(seed)
    labels, items, raters = int(rng.integers(2, 6)), int(rng.integers(8, 60)), int(rng.integers(2, 6))
    truth = rng.choice(labels, size=(items, 1), p=rng.dirichlet(np.full(labels, 0.7)))
    own = rng.integers(0, labels, size=(items, raters))
    codes = np.where(rng.random((items, raters)) < 0.75, truth, own)
    gone = rng.random((items, raters)) < rng.choice([0.0, 0.1, 0.35])
    ratings = [
        [None if gap else int(code) for code, gap in zip(*row, strict=True)]
        for row in zip(codes, gone, strict=True)
    ]
    scale = list(range(labels + int(rng.integers(0, 2))))
    return {
        "ratings": ratings,
        "categories": scale,
        "weights": str(rng.choice(["identity", "linear", "quadratic"])),
    }


def compare_with(theirs: dict[str, float], ours: Agreement) -> None:
    assert ours.value == pytest.approx(theirs["value"], abs=1e-9)
    if ours.standard_error is not None and ours.low is not None:
        assert ours.standard_error == pytest.approx(theirs["standard_error"], abs=1e-9)
        # t quantiles of its old scipy differ from ours in the ninth digit
        assert (ours.low, ours.high) == pytest.approx((theirs["low"], theirs["high"]), abs=1e-7)


def test_random_ratings_with_gaps_weights_and_unused_labels(oracle: Path) -> None:
    compared = 0
    cases = [random_case(seed) for seed in range(CASES)]
    for case, theirs in zip(cases, ask(oracle, cases), strict=True):
        ratings = Ratings.of(case["ratings"], case["categories"])
        compare_with(theirs["gwet"], gwet_ac(ratings, weights=case["weights"]))
        try:
            compare_with(theirs["fleiss"], fleiss_kappa(ratings, weights=case["weights"]))
            if case["weights"] in LEVELS:
                level = LEVELS[case["weights"]]
                compare_with(theirs["krippendorff"], krippendorff_alpha(ratings, level=level))  # type: ignore[arg-type]
        except Undefined:
            continue  # a single class; irrCAC divides 0 by 0
        compared += 1
    assert compared > 0.9 * CASES


def test_the_golden_set(oracle: Path, golden_ratings: Ratings) -> None:
    """The printed numbers, from irrCAC itself: the reconstructed table is no artefact of our own formulas."""
    rows = golden_ratings.codes.tolist()
    plain, weighted = ask(
        oracle,
        [
            {"ratings": rows, "categories": [0, 1, 2], "weights": weights}
            for weights in ("identity", "quadratic")
        ],
    )
    assert round(plain["gwet"]["value"], 5) == 0.79712
    assert round(plain["gwet"]["standard_error"], 5) == 0.038
    assert round(weighted["gwet"]["value"], 5) == 0.85744
    assert round(weighted["gwet"]["standard_error"], 5) == 0.03639
    assert round(plain["fleiss"]["value"], 5) == 0.53312
    assert round(plain["krippendorff"]["value"], 5) == 0.53467


def test_ten_percent_missing(oracle: Path, golden_ratings: Ratings) -> None:
    """The specification's third number had 10% missing at random; its gaps are not given, so irrCAC gets ours."""
    rng = np.random.default_rng(10)
    for _ in range(5):
        gone = rng.random((100, 3)) < 0.1
        rows = [
            [None if gap else code for code, gap in zip(*pair, strict=True)]
            for pair in zip(golden_ratings.codes.tolist(), gone, strict=True)
        ]
        (theirs,) = ask(oracle, [{"ratings": rows, "categories": [0, 1, 2], "weights": "identity"}])
        compare_with(theirs["gwet"], gwet_ac(Ratings.of(rows, [0, 1, 2])))
