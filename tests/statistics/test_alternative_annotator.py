"""The alternative-annotator test, its epsilon curve, and judges that always say the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from finassay.core import InputError
from finassay.statistics import Ratings, Undefined, alternative_annotator_test

SCALE = [0, 1, 2]


def simulated(
    seed: int, items: int = 60, gaps: float = 0.0
) -> tuple[list[int], Ratings, list[list[int | None]]]:
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, size=items, p=[0.2, 0.3, 0.5])

    def noisy(error: float) -> np.ndarray:
        return np.where(rng.random(items) < error, rng.integers(0, 3, items), truth)

    codes = np.column_stack([noisy(0.15), noisy(0.25), noisy(0.2)])
    gone = rng.random(codes.shape) < gaps
    rows = [
        [None if g else int(c) for c, g in zip(*pair, strict=True)] for pair in zip(codes, gone, strict=True)
    ]
    return noisy(0.15).tolist(), Ratings.of(rows, SCALE), rows


def by_definition(
    judge: list[int], rows: list[list[int | None]], epsilon: float, rmse: bool
) -> dict[str, object]:
    """The test as the paper words it, item by item."""

    def closeness(mine: int, others: list[int]) -> float:
        if rmse:
            return -((sum((mine - other) ** 2 for other in others) / len(others)) ** 0.5)
        return sum(mine == other for other in others) / len(others)

    p_values, advantages = [], []
    for j in range(3):
        judge_wins, human_wins = [], []
        for item, row in enumerate(rows):
            others = [label for k, label in enumerate(row) if k != j and label is not None]
            if row[j] is None or not others:
                continue
            of_judge, of_human = closeness(judge[item], others), closeness(row[j], others)
            judge_wins.append(float(of_judge >= of_human))
            human_wins.append(float(of_human >= of_judge))
        gap = np.array(human_wins) - np.array(judge_wins)
        if len(gap) < 30:
            p_values.append(stats.wilcoxon(gap - epsilon, alternative="less").pvalue)
        else:
            p_values.append(stats.ttest_1samp(gap, epsilon, alternative="less").pvalue)
        advantages.append(np.mean(judge_wins))
    rejected = multipletests(p_values, alpha=0.05, method="fdr_by")[0]
    return {"winning": np.mean(rejected), "advantage": np.mean(advantages), "p": p_values}


@pytest.mark.parametrize("scoring", ["accuracy", "rmse"])
@pytest.mark.parametrize(("items", "gaps"), [(60, 0.0), (80, 0.2), (24, 0.0)])
def test_it_is_the_published_procedure(scoring: str, items: int, gaps: float) -> None:
    for seed in range(4):
        judge, humans, rows = simulated(seed, items, gaps)
        found = alternative_annotator_test(judge, humans, epsilon=0.15, scoring=scoring)  # type: ignore[arg-type]
        expected = by_definition(judge, rows, 0.15, rmse=scoring == "rmse")
        assert found.winning_rate == expected["winning"]
        assert found.advantage_probability == pytest.approx(expected["advantage"])
        assert [test.p_value for test in found.annotators] == pytest.approx(expected["p"])
        assert {test.test for test in found.annotators} == {"wilcoxon" if items < 30 else "t"}


def test_golden_a_judge_that_always_says_2_passes_at_02_and_fails_at_01(golden_ratings: Ratings) -> None:
    """Specification, section 5.4: winning rate 1.0 and advantage probability 0.90 at 0.2; winning rate 0.0 at 0.1."""
    for epsilon, winning_rate in ((0.2, 1.0), (0.1, 0.0)):
        found = alternative_annotator_test([2] * 100, golden_ratings, epsilon=epsilon)
        assert found.winning_rate == winning_rate
        assert round(found.advantage_probability, 2) == 0.90
        assert found.passed is (winning_rate >= 0.5)
        constant = found.baselines[2]
        assert (constant.label, constant.winning_rate, constant.passed) == ("2", winning_rate, found.passed)


def test_what_gives_the_constant_judge_away(golden_ratings: Ratings) -> None:
    found = alternative_annotator_test([2] * 100, golden_ratings, epsilon=0.2)
    # Majorities: 3 + 5 items of 0, 7 + 4 of 1, 65 + 11 + 5 of 2.
    assert {label: (r.numerator, r.denominator) for label, r in found.recall.items() if r} == {
        "0": (0, 8),
        "1": (0, 11),
        "2": (81, 81),
    }
    assert found.tied_items == 0
    # Votes: 0: 9 + 10 + 5; 1: 21 + 8 + 11; 2: 195 + 22 + 10 + 4 + 5
    assert found.class_balance == {"0": 24, "1": 40, "2": 236}
    assert [baseline.passed for baseline in found.baselines] == [False, False, True]


def test_advantages_by_hand() -> None:
    # Item 1: judge a, humans a a b. Against h1: others a, b: judge 1/2, h1 1/2: a tie. h2 likewise.
    #   Against h3 (b): others a, a: judge 1, h3 0: the judge. Item 2: judge b, humans a a a: the humans, three times.
    humans = Ratings.of([["a", "a", "b"], ["a", "a", "a"]], ["a", "b"])
    found = alternative_annotator_test(["a", "b"], humans, epsilon=0.1)
    assert [(t.judge_advantage, t.human_advantage) for t in found.annotators] == [
        (0.5, 1),
        (0.5, 1),
        (0.5, 0.5),
    ]
    assert found.advantage_probability == 0.5


def test_tied_majorities_are_in_no_recall() -> None:
    humans = Ratings.of([[0, 1, None], [0, 0, 1], [2, 1, 0], [1, 1, 1]], SCALE)
    found = alternative_annotator_test([0, 0, 0, 1], humans, epsilon=0.1)
    assert found.tied_items == 2
    assert found.recall["2"] is None
    assert str(found.recall["0"]).startswith("1/1")


@given(st.integers(0, 10**6), st.permutations(range(60)), st.permutations(range(3)))
@settings(max_examples=25, deadline=None)
def test_the_curve_rises_and_order_does_not_matter(seed: int, items: list[int], raters: list[int]) -> None:
    judge, humans, rows = simulated(seed)
    found = alternative_annotator_test(judge, humans, epsilon=0.1)
    rates = [rate for _, rate in found.curve]
    assert rates == sorted(rates)
    assert dict(found.curve)[0.1] == found.winning_rate
    assert 0 <= found.advantage_probability <= 1
    moved = Ratings.of([[rows[i][j] for j in raters] for i in items], SCALE)
    again = alternative_annotator_test([judge[i] for i in items], moved, epsilon=0.1)
    assert again.winning_rate == found.winning_rate
    assert again.advantage_probability == pytest.approx(found.advantage_probability)


def test_a_judge_that_repeats_a_human_ties_with_them_everywhere() -> None:
    _, humans, rows = simulated(3)
    found = alternative_annotator_test([row[0] for row in rows], humans, epsilon=0.1)
    assert (found.annotators[0].judge_advantage, found.annotators[0].human_advantage) == (1.0, 1.0)
    assert found.annotators[0].p_value == 0.0  # a difference of exactly 0 on every item is below 0.1
    at_zero = alternative_annotator_test([row[0] for row in rows], humans, epsilon=0.0)
    assert at_zero.annotators[0].p_value == 1.0  # and is not below 0


@pytest.mark.parametrize(
    ("judge", "epsilon", "message"),
    [
        ([0], 0.1, "the judge has 1 labels for 2 items"),
        ([0, None], 0.1, "item 1: the judge's label None is not on the scale"),
        ([0, 7], 0.1, "item 1: the judge's label 7 is not on the scale"),
        ([0, 1], 1.0, r"epsilon must lie in \[0, 1\), got 1.0"),
    ],
)
def test_bad_input_is_named(judge: list, epsilon: float, message: str) -> None:
    humans = Ratings.of([[0, 0, 1], [1, 1, 1]], SCALE)
    with pytest.raises(InputError, match=message):
        alternative_annotator_test(judge, humans, epsilon=epsilon)


def test_two_humans_or_a_lone_one_are_not_enough() -> None:
    with pytest.raises(InputError, match="at least three human annotators, got 2"):
        alternative_annotator_test([0], Ratings.of([[0, 1]], SCALE), epsilon=0.1)
    humans = Ratings.of([[0, 0, None], [1, 1, None], [None, None, 2]], SCALE)
    with pytest.raises(Undefined, match="rater_3 shares 0 items"):
        alternative_annotator_test([0, 1, 2], humans, epsilon=0.1)


def test_the_exact_signed_rank_test_is_scipys_and_does_not_enumerate_the_signs() -> None:
    """Ties and zeros are the rule here: a difference of two shares of items is -1, 0 or 1, less epsilon."""
    from finassay.statistics._alternative_annotator import _signed_rank_p_value

    rng = np.random.default_rng(7)
    for size in (3, 5, 8, 9):
        shifted = rng.choice([-1.0, 0.0, 0.5, 1.0], size) - 0.2
        expected = stats.wilcoxon(shifted, alternative="less").pvalue
        assert _signed_rank_p_value(shifted) == pytest.approx(expected, abs=1e-12)
    untied = rng.normal(size=29)
    expected = stats.wilcoxon(untied, alternative="less", method="exact").pvalue
    assert _signed_rank_p_value(untied) == pytest.approx(expected, rel=1e-12)
