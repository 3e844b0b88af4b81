"""Rates: what counts in the denominator, Wilson's interval, bounds under unknowns."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from finassay.core import InputError
from finassay.statistics import Outcome, Undefined, as_outcome, bounds, proportion, rate, wilson_interval

counts = st.integers(0, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def test_two_right_of_six_with_two_errors_and_a_nan_is_two_sixths() -> None:
    result = rate(["correct", True, "incorrect", "error", "error", math.nan])
    assert (result.numerator, result.denominator, result.unknown) == (2, 6, 3)
    assert result.value == pytest.approx(2 / 6)
    assert str(result).startswith("2/6 (33.3%, 95% CI ")


def test_a_rate_prints_its_counts_and_interval() -> None:
    # Wilson by hand for 2/6 at z = 1.959964: centre (1/3 + z²/12) / (1 + z²/6) = 0.39838, half-width 0.30168.
    z = 1.959964
    centre = (1 / 3 + z**2 / 12) / (1 + z**2 / 6)
    half = z * math.sqrt((1 / 3) * (2 / 3) / 6 + z**2 / 144) / (1 + z**2 / 6)
    expected = f"2/6 (33.3%, 95% CI {100 * (centre - half):.1f}–{100 * (centre + half):.1f}%)"
    assert str(proportion(2, 6)) == expected == "2/6 (33.3%, 95% CI 9.7–70.0%)"


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        (True, Outcome.CORRECT),
        (1, Outcome.CORRECT),
        (1.0, Outcome.CORRECT),
        (np.True_, Outcome.CORRECT),
        (0, Outcome.INCORRECT),
        (False, Outcome.INCORRECT),
        (None, Outcome.UNSCORED),
        (math.nan, Outcome.UNSCORED),
        (np.float64("nan"), Outcome.UNSCORED),
        ("error", Outcome.ERROR),
        ("limit", Outcome.LIMIT),
        (Outcome.REFUSED, Outcome.REFUSED),
    ],
)
def test_what_is_read_as_an_outcome(value: object, outcome: Outcome) -> None:
    assert as_outcome(value) is outcome  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0.5, "right", 2, -1, "Correct"])
def test_a_partial_score_or_unknown_word_is_not_an_outcome(value: object) -> None:
    with pytest.raises(InputError, match="an outcome must be one of"):
        as_outcome(value)  # type: ignore[arg-type]


def test_a_limit_and_a_refusal_are_wrong_an_error_is_unknown() -> None:
    result = rate(["correct", "limit", "refused", "error", None])
    assert (result.bounds.worst.numerator, result.bounds.best.numerator) == (1, 3)
    assert result.bounds.worst.denominator == result.bounds.best.denominator == 5


def test_bounds_count_every_unknown_as_wrong_then_as_right() -> None:
    found = bounds(right=2, wrong=1, unknown=3)
    assert (str(found.worst).split()[0], str(found.best).split()[0]) == ("2/6", "5/6")
    assert (found.worst.low, found.worst.high) == wilson_interval(2, 6)
    assert (found.best.low, found.best.high) == wilson_interval(5, 6)


@given(counts.filter(lambda c: c[1] > 0), st.floats(0.5, 0.999))
def test_wilson_equals_statsmodels(count: tuple[int, int], confidence: float) -> None:
    right, n = count
    expected = proportion_confint(right, n, alpha=1 - confidence, method="wilson")
    assert wilson_interval(right, n, confidence=confidence) == pytest.approx(expected, abs=1e-12)


@given(counts.filter(lambda c: c[1] > 0))
def test_wilson_contains_the_share_and_stays_in_the_unit_interval(count: tuple[int, int]) -> None:
    right, n = count
    low, high = wilson_interval(right, n)
    assert 0 <= low <= right / n <= high <= 1
    mirrored = wilson_interval(n - right, n)
    assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-12)


def test_a_rate_of_nothing_is_refused() -> None:
    for attempt in (lambda: rate([]), lambda: proportion(0, 0), lambda: bounds(0, 0, 0)):
        with pytest.raises(Undefined, match="0/0") as refusal:
            attempt()
        assert refusal.value.reason == "no_items"


@pytest.mark.parametrize(("right", "n"), [(-1, 5), (6, 5)])
def test_impossible_counts_are_refused(right: int, n: int) -> None:
    with pytest.raises(InputError, match="0 <= numerator <= denominator"):
        proportion(right, n)


def test_a_confidence_in_percent_is_refused() -> None:
    with pytest.raises(InputError, match=r"between 0 and 1 \(0.95 for 95%\), got 95"):
        proportion(1, 2, confidence=95)


def test_with_clusters_the_interval_is_wider_than_wilson_when_tasks_decide() -> None:
    # Nine identical runs of each of 40 tasks carry the information of 40 rows, not of 360.
    outcomes = [task % 4 == 0 for task in range(40) for _ in range(9)]
    tasks = [task for task in range(40) for _ in range(9)]
    clustered = rate(outcomes, clusters=tasks, seed=1)
    assert clustered.method == "cluster_bootstrap"
    assert (clustered.numerator, clustered.denominator) == (90, 360)
    # Standard error over tasks: sqrt(.25 * .75 / 40) = 0.0685, so a width near 3.92 * 0.0685 = 0.268.
    assert clustered.high - clustered.low == pytest.approx(3.92 * math.sqrt(0.25 * 0.75 / 40), rel=0.08)
    alone = rate(outcomes)
    assert clustered.high - clustered.low > 2 * (alone.high - alone.low)


@pytest.mark.parametrize(("outcomes", "share"), [([0] * 8, 0.0), ([1] * 8, 1.0), ([1, 0] * 4, 0.5)])
def test_where_all_tasks_agree_the_interval_is_of_one_observation_per_task(
    outcomes: list[int], share: float
) -> None:
    result = rate(outcomes, clusters=[0, 0, 1, 1, 2, 2, 3, 3], seed=1)
    assert result.method == "wilson_over_clusters"
    assert (result.low, result.high) == wilson_interval(round(4 * share), 4)


def test_clusters_need_a_seed() -> None:
    with pytest.raises(InputError, match="needs a seed"):
        rate([1, 0], clusters=["a", "b"])


def test_a_rate_is_plain_json() -> None:
    assert proportion(1, 4).to_dict() | {"low": 0, "high": 0} == {
        "numerator": 1,
        "denominator": 4,
        "low": 0,
        "high": 0,
        "method": "wilson",
        "confidence": 0.95,
        "unknown": 0,
        "value": 0.25,
    }


def test_importing_the_room_loads_no_heavy_library() -> None:
    code = "import sys, finassay.statistics; print([m for m in ('scipy', 'pandas', 'statsmodels') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_missing_value_of_pandas_is_unscored() -> None:
    import pandas as pd

    assert str(rate([True, pd.NA])) == str(rate([True, None]))
