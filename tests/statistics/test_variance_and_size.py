"""Variance split into task and run, and the number of items that settles a difference."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import power_proportions_2indep, samplesize_proportions_2indep_onetail

from finassay.core import InputError
from finassay.statistics import (
    Undefined,
    design_effect,
    items_needed,
    mcnemar_power,
    pairs_needed,
    variance_split,
)


def test_the_split_by_hand_with_unequal_runs() -> None:
    # a: 1, 3 (mean 2); b: 5, 7, 9 (mean 7); c: 4. N = 6, mean 29/6.
    # within = (2 + 8) / (6 - 3) = 10/3
    # between = (2 (2-29/6)² + 3 (7-29/6)² + (4-29/6)²) / 2 = (16.0556 + 14.0833 + 0.6944) / 2 = 15.41667
    # n0 = (6 - 14/6) / 2 = 11/6
    found = variance_split([1, 3, 5, 7, 9, 4], list("aabbbc"))
    between = (2 * (2 - 29 / 6) ** 2 + 3 * (7 - 29 / 6) ** 2 + (4 - 29 / 6) ** 2) / 2
    assert found.run == pytest.approx(10 / 3)
    assert found.runs_per_task == pytest.approx(11 / 6)
    assert found.task == pytest.approx((between - 10 / 3) / (11 / 6))
    assert found.icc == pytest.approx(found.task / (found.task + 10 / 3))
    assert (found.tasks, found.rows, found.note) == (3, 6, "")


def test_the_split_equals_the_mixed_model_on_balanced_data() -> None:
    rng = np.random.default_rng(2)
    tasks = np.repeat(np.arange(40), 5)
    scores = 0.5 + rng.normal(0, 0.3, 40)[tasks] + rng.normal(0, 0.2, 200)
    model = smf.mixedlm("score ~ 1", pd.DataFrame({"score": scores}), groups=tasks).fit(reml=True)
    found = variance_split(scores.tolist(), tasks.tolist())
    assert found.run == pytest.approx(float(model.scale), rel=1e-4)
    assert found.task == pytest.approx(float(model.cov_re.iloc[0, 0]), rel=1e-3)


def test_a_negative_component_is_reported_as_zero_with_a_note() -> None:
    # Every task has the mean 0.5: between = 0, within = 2 * 0.5 / 2 = 0.5, the estimate is -0.5 / 2 = -0.25.
    found = variance_split([0, 1, 1, 0], list("aabb"))
    assert (found.task, found.run, found.icc) == (0.0, 0.5, 0.0)
    assert "-0.25" in found.note


@given(st.integers(0, 10**6), st.floats(-5, 5), st.floats(0.1, 10))
@settings(max_examples=30, deadline=None)
def test_the_split_shifts_and_scales(seed: int, shift: float, scale: float) -> None:
    rng = np.random.default_rng(seed)
    scores, tasks = rng.random(20), rng.integers(0, 5, 20).tolist()
    plain = variance_split(scores.tolist(), tasks)
    moved = variance_split((shift + scale * scores).tolist(), tasks)
    assert moved.task == pytest.approx(scale**2 * plain.task, abs=1e-9)
    assert moved.run == pytest.approx(scale**2 * plain.run, abs=1e-9)


@pytest.mark.parametrize(
    ("scores", "tasks", "reason"),
    [([], [], "no_items"), ([1, 0], "aa", "one_task"), ([1, 0, 1], "abc", "one_run_per_task")],
)
def test_a_split_that_cannot_be_made_is_refused(scores: list[float], tasks: str, reason: str) -> None:
    with pytest.raises(Undefined) as refusal:
        variance_split(scores, list(tasks))
    assert refusal.value.reason == reason


def test_constant_scores_have_no_intraclass_correlation() -> None:
    assert variance_split([1, 1, 1, 1], list("aabb")).icc is None


def test_a_missing_score_is_refused_not_dropped() -> None:
    with pytest.raises(InputError, match="of row 1 is not finite"):
        variance_split([1, math.nan, 0], list("aab"))


@pytest.mark.parametrize(("runs", "icc", "effect"), [(1, 0.7, 1), (9, 0, 1), (9, 1, 9), (9, 0.5, 5)])
def test_design_effect(runs: float, icc: float, effect: float) -> None:
    assert design_effect(runs, icc) == effect


@pytest.mark.parametrize(("first", "second"), [(0.3, 0.35), (0.27, 0.37), (0.9, 0.95), (0.5, 0.1)])
def test_unpaired_size_and_power_equal_statsmodels(first: float, second: float) -> None:
    found = items_needed(first, second)
    expected = samplesize_proportions_2indep_onetail(first - second, second, power=0.8, alpha=0.05)
    assert found.n == math.ceil(expected)
    power = power_proportions_2indep(first - second, second, found.n, alpha=0.05).power
    assert found.power == pytest.approx(power, abs=2e-3)  # statsmodels adds the negligible far tail


def test_exact_power_by_enumeration_of_all_tables() -> None:
    """Twelve pairs, 0.35 only first and 0.1 only second: sum the chance of every table that the test rejects."""
    n, only_first, only_second = 12, 0.35, 0.1
    power = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            if b + c and binomtest(b, b + c).pvalue <= 0.05:
                ways = math.comb(n, b) * math.comb(n - b, c)
                power += ways * only_first**b * only_second**c * (1 - only_first - only_second) ** (n - b - c)
    assert mcnemar_power(n, only_first - only_second, only_first + only_second) == pytest.approx(
        power, abs=1e-12
    )


def test_paired_size_reaches_its_power_in_simulation() -> None:
    size = pairs_needed(0.1, 0.3)
    rng = np.random.default_rng(1)
    # 0.2 only first, 0.1 only second
    tables = rng.multinomial(size.n, [0.2, 0.1, 0.7], size=2000)
    rejected = np.mean([binomtest(int(b), int(b + c)).pvalue <= 0.05 for b, c, _ in tables])
    assert size.power >= 0.8
    assert rejected == pytest.approx(size.power, abs=3.5 * math.sqrt(0.8 * 0.2 / 2000))


def test_paired_size_is_a_little_above_connors_formula() -> None:
    # (1.95996 sqrt(.2) + .84162 sqrt(.2 - .0025))² / .0025 = 625.4...
    connor = (1.959964 * math.sqrt(0.2) + 0.841621 * math.sqrt(0.2 - 0.05**2)) ** 2 / 0.05**2
    found = pairs_needed(0.05, 0.2)
    assert connor < found.n < 1.08 * connor
    assert mcnemar_power(math.floor(connor), 0.05, 0.2) < 0.8
    assert pairs_needed(-0.05, 0.2) == found


def test_the_level_of_the_exact_test_never_exceeds_alpha() -> None:
    for n in (5, 20, 100, 500):
        assert mcnemar_power(n, 0.0, 0.3) <= 0.05


def test_the_design_effect_multiplies() -> None:
    assert items_needed(0.3, 0.35, design_effect=2).n == 2 * items_needed(0.3, 0.35).n


def test_what_no_number_of_items_settles_is_refused() -> None:
    for attempt in (lambda: pairs_needed(0, 0.2), lambda: items_needed(0.3, 0.3)):
        with pytest.raises(Undefined, match="a difference of 0"):
            attempt()
    with pytest.raises(InputError, match="discordance must lie between"):
        pairs_needed(0.3, 0.2)
    with pytest.raises(InputError, match="more than 1,000,000 items"):
        pairs_needed(0.0005, 0.5)


def test_a_run_that_wins_every_discordant_item_needs_six_of_them() -> None:
    """2 (1/2)^6 = 0.03125 is the first exact p-value below 0.05; with certain discordance six pairs suffice."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mcnemar_power(5, 1.0, 1.0) == 0.0
        assert mcnemar_power(6, 1.0, 1.0) == pytest.approx(1.0)
