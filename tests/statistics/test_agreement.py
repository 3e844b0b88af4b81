"""Agreement coefficients against golden numbers, scikit-learn, statsmodels, krippendorff, and their own invariances."""

from __future__ import annotations

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from finassay.core import InputError
from finassay.statistics import (
    Agreement,
    Ratings,
    Undefined,
    agreement,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
)

SCALE = [0, 1, 2]
label = st.sampled_from(SCALE)
gap = st.sampled_from([*SCALE, *SCALE, None])


def matrices(cells: st.SearchStrategy[int | None], raters: int) -> st.SearchStrategy[list[list[int | None]]]:
    return st.lists(st.lists(cells, min_size=raters, max_size=raters), min_size=3, max_size=25)


def defined(attempt: object, *args: object, **options: object) -> Agreement:
    """Run the coefficient, and leave the example out where it is undefined."""
    try:
        return attempt(*args, **options)  # type: ignore[operator, no-any-return]
    except Undefined:
        assume(False)
        raise


# Golden numbers of the indicator specification, section 5.4


def test_golden_gwet(golden_ratings: Ratings) -> None:
    ac1, ac2 = gwet_ac(golden_ratings), gwet_ac(golden_ratings, weights="quadratic")
    assert (ac1.coefficient, round(ac1.value, 5), round(ac1.standard_error or 0, 5)) == (
        "gwet_ac1",
        0.79712,
        0.038,
    )
    assert (ac2.coefficient, round(ac2.value, 5), round(ac2.standard_error or 0, 5)) == (
        "gwet_ac2",
        0.85744,
        0.03639,
    )
    assert round(ac1.observed, 3) == 0.833


def test_golden_fleiss_alpha_and_kappa(golden_ratings: Ratings) -> None:
    assert round(fleiss_kappa(golden_ratings).value, 5) == 0.53312
    assert round(krippendorff_alpha(golden_ratings).value, 5) == 0.53467
    pair = Ratings(golden_ratings.codes[:, :2], golden_ratings.categories, golden_ratings.raters[:2])
    assert round(cohen_kappa(pair).value, 5) == 0.58824


def test_high_agreement_on_skewed_classes_kappa_says_none_ac1_says_much(skewed_pair: Ratings) -> None:
    # p_o = .94; kappa: p_e = .97² + .03² = .9418; AC1: p_e = 2 * .97 * .03 = .0582
    kappa, ac1 = cohen_kappa(skewed_pair), gwet_ac(skewed_pair)
    assert kappa.value == pytest.approx((0.94 - 0.9418) / (1 - 0.9418))
    assert ac1.value == pytest.approx((0.94 - 0.0582) / (1 - 0.0582))
    assert (round(kappa.value, 2), round(ac1.value, 2)) == (-0.03, 0.94)
    assert kappa.class_table == {"a": {"rater_1": 97, "rater_2": 97}, "b": {"rater_1": 3, "rater_2": 3}}


# Second libraries


@given(matrices(label, 2), st.sampled_from(["identity", "linear", "quadratic"]))
@settings(max_examples=150, deadline=None)
def test_cohen_equals_scikit_learn_and_statsmodels(rows: list[list[int]], weights: str) -> None:
    found = defined(cohen_kappa, Ratings.of(rows, SCALE), weights=weights)
    first, second = np.array(rows).T
    expected = cohen_kappa_score(
        first, second, labels=SCALE, weights=None if weights == "identity" else weights
    )
    assert found.value == pytest.approx(expected, abs=1e-12)
    table = np.zeros((3, 3))
    np.add.at(table, (first, second), 1)
    options = {} if weights == "identity" else {"weights": np.arange(3), "wt": weights}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # their square root of a variance that rounds below 0
        theirs = cohens_kappa(table, **options)
    assert found.value == pytest.approx(theirs.kappa, abs=1e-12)
    assert found.standard_error == pytest.approx(max(0, theirs.var_kappa) ** 0.5, abs=1e-7)
    if found.low is not None:
        assert (found.low, found.high) == pytest.approx(
            (theirs.kappa_low, min(1, theirs.kappa_upp)), abs=1e-7
        )


@given(matrices(label, 4))
@settings(max_examples=80, deadline=None)
def test_fleiss_equals_statsmodels(rows: list[list[int]]) -> None:
    found = defined(fleiss_kappa, Ratings.of(rows, SCALE))
    table = aggregate_raters(np.array(rows), n_cat=3)[0]
    assert found.value == pytest.approx(statsmodels_fleiss(table), abs=1e-12)


@given(matrices(gap, 3), st.sampled_from(["nominal", "ordinal", "interval"]))
@settings(max_examples=150, deadline=None)
def test_alpha_equals_krippendorff_with_gaps(rows: list[list[int | None]], level: str) -> None:
    found = defined(krippendorff_alpha, Ratings.of(rows, SCALE), level=level)
    data = np.array(rows, dtype=float).T
    expected = krippendorff.alpha(data, level_of_measurement=level, value_domain=SCALE)
    assert found.value == pytest.approx(expected, abs=1e-10)
    assert found.value == pytest.approx((found.observed - found.expected) / (1 - found.expected))


def test_interval_alpha_uses_the_values_of_the_labels() -> None:
    rows = [[1, 10], [1, 1], [10, 100], [100, 100], [1, 100]]
    expected = krippendorff.alpha(np.array(rows, dtype=float).T, level_of_measurement="interval")
    assert krippendorff_alpha(Ratings.of(rows, [1, 10, 100]), level="interval").value == pytest.approx(
        expected
    )
    with pytest.raises(InputError, match="interval alpha needs numeric labels"):
        krippendorff_alpha(Ratings.of([["a", "b"]], ["a", "b"]), level="interval")


# Properties

coefficients = st.sampled_from([gwet_ac, fleiss_kappa, krippendorff_alpha])


@given(matrices(gap, 3), coefficients, st.randoms(use_true_random=False))
@settings(max_examples=80, deadline=None)
def test_items_raters_and_nominal_labels_may_be_permuted(
    rows: list[list[int | None]], coefficient: object, random: object
) -> None:
    plain = defined(coefficient, Ratings.of(rows, SCALE))
    names = dict(zip(SCALE, random.sample(["x", "y", "z"], 3), strict=True))  # type: ignore[attr-defined]
    order = random.sample(range(3), 3)  # type: ignore[attr-defined]
    moved = [[None if row[j] is None else names[row[j]] for j in order] for row in rows]
    random.shuffle(moved)  # type: ignore[attr-defined]
    found = coefficient(Ratings.of(moved, ["x", "y", "z"]))  # type: ignore[operator]
    assert found.value == pytest.approx(plain.value, abs=1e-12)
    if plain.standard_error is not None:
        assert found.standard_error == pytest.approx(plain.standard_error, abs=1e-7)


@given(matrices(gap, 3), coefficients)
@settings(max_examples=80, deadline=None)
def test_values_are_at_most_one_and_intervals_hold_them(
    rows: list[list[int | None]], coefficient: object
) -> None:
    found = defined(coefficient, Ratings.of(rows, SCALE))
    assert found.value <= 1 + 1e-12
    if found.low is not None and found.high is not None:
        assert found.low <= found.value <= found.high + 1e-12 <= 1 + 1e-12


@given(matrices(gap, 3), st.sampled_from(["linear", "quadratic"]))
@settings(max_examples=50, deadline=None)
def test_on_two_labels_weights_make_no_difference(rows: list[list[int | None]], weights: str) -> None:
    binary = [[None if cell is None else cell % 2 for cell in row] for row in rows]
    ratings = Ratings.of(binary, [0, 1])
    plain = defined(gwet_ac, ratings)
    assert gwet_ac(ratings, weights=weights).value == plain.value  # type: ignore[arg-type]


def test_the_scale_counts_labels_that_nobody_used() -> None:
    """The same ratings on a scale of 2 and of 5: with q labels, chance agreement is sum pi (1 - pi) / (q - 1)."""
    rows = [["a", "a"]] * 6 + [["a", "b"]] * 2 + [["b", "b"]] * 2
    spread = 2 * (14 / 20) * (6 / 20)
    for scale in (["a", "b"], ["a", "b", "c", "d", "e"]):
        expected = spread / (len(scale) - 1)
        found = gwet_ac(Ratings.of(rows, scale))
        assert found.expected == pytest.approx(expected)
        assert found.value == pytest.approx((0.8 - expected) / (1 - expected))


def test_an_item_rated_once_informs_chance_but_not_agreement() -> None:
    # Three pairs, two of them agreeing, and one lone "b": shares a = (1 + 1 + .5) / 4, b = (0 + 0 + .5 + 1) / 4.
    found = gwet_ac(Ratings.of([["a", "a"], ["a", "a"], ["a", "b"], ["b", None]], ["a", "b"]))
    assert (found.items, found.pairable) == (4, 3)
    assert found.observed == pytest.approx(2 / 3)
    assert found.expected == pytest.approx(2 * (2.5 / 4) * (1.5 / 4))


# Clustered intervals


def test_a_clustered_interval_resamples_tasks() -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 100)
    rows, tasks = [], []
    for task in range(100):
        first = int(truth[task]) ^ int(rng.random() < 0.1)
        second = int(truth[task]) ^ int(rng.random() < 0.1)
        rows += [[first, second]] * 2
        tasks += [task] * 2
    ratings = Ratings.of(rows, [0, 1])
    clustered = cohen_kappa(ratings, clusters=tasks, seed=20261012)
    assert clustered.interval == "cluster_bootstrap"
    # Two equal submissions per task double the rows, not the information: the error is that of 100 items.
    single = cohen_kappa(Ratings.of(rows[::2], [0, 1]))
    assert clustered.standard_error == pytest.approx(single.standard_error, rel=0.1)
    assert clustered.value == pytest.approx(single.value)


@pytest.mark.parametrize("coefficient", [gwet_ac, fleiss_kappa])
def test_the_bootstrap_over_items_agrees_with_the_formula(
    coefficient: object, golden_ratings: Ratings
) -> None:
    formula = coefficient(golden_ratings)  # type: ignore[operator]
    boot = coefficient(golden_ratings, clusters=range(100), seed=1)  # type: ignore[operator]
    assert boot.value == formula.value
    assert boot.standard_error == pytest.approx(formula.standard_error, rel=0.1)


def test_alpha_has_an_interval_only_by_resampling(golden_ratings: Ratings) -> None:
    assert krippendorff_alpha(golden_ratings).interval == "none"
    boot = krippendorff_alpha(golden_ratings, clusters=range(100), seed=1)
    assert boot.low is not None
    assert boot.low < 0.53467 < (boot.high or 0)
    # Fleiss' kappa and alpha differ by 1/N only, and so do their errors.
    assert boot.standard_error == pytest.approx(fleiss_kappa(golden_ratings).standard_error, rel=0.1)


# What is undefined


@pytest.mark.parametrize("coefficient", [cohen_kappa, fleiss_kappa, krippendorff_alpha])
def test_one_class_has_no_chance_corrected_agreement(coefficient: object) -> None:
    with pytest.raises(Undefined) as refusal:
        coefficient(Ratings.of([["no", "no"]] * 5, ["no", "yes"]))  # type: ignore[operator]
    assert refusal.value.reason == "one_class"
    assert "Report raw agreement with the class table" in str(refusal.value)


def test_ac1_of_one_class_is_one_without_an_interval() -> None:
    found = gwet_ac(Ratings.of([["no", "no"]] * 5, ["no", "yes"]))
    assert (found.value, found.standard_error, found.low, found.high, found.interval) == (
        1,
        0,
        None,
        None,
        "none",
    )


def test_one_constant_rater_gives_kappa_zero() -> None:
    # p_o = .8 = p_e = .8 * 1 + .2 * 0
    found = cohen_kappa(Ratings.of([["a", "a"]] * 8 + [["b", "a"]] * 2, ["a", "b"]))
    assert found.value == pytest.approx(0)


@pytest.mark.parametrize("coefficient", [cohen_kappa, fleiss_kappa, krippendorff_alpha, gwet_ac])
def test_without_a_pair_there_is_no_agreement(coefficient: object) -> None:
    for rows in ([], [["a", None], [None, "b"]], [["a", float("nan")]]):
        with pytest.raises(Undefined) as refusal:
            coefficient(Ratings.of(rows, ["a", "b"], raters=["h1", "h2"]))  # type: ignore[operator]
        assert refusal.value.reason == "no_pairs"


def test_a_report_lists_what_is_undefined_beside_what_is_not() -> None:
    report = agreement(Ratings.of([["no", "no"]] * 5, ["no", "yes"]))
    assert set(report.coefficients) == {"gwet_ac1"}
    assert report.undefined == {"cohen_kappa": "one_class", "krippendorff_alpha": "one_class"}
    assert report.to_dict()["class_table"] == {
        "no": {"rater_1": 5, "rater_2": 5},
        "yes": {"rater_1": 0, "rater_2": 0},
    }


def test_a_report_of_three_raters_uses_fleiss(golden_ratings: Ratings) -> None:
    assert set(agreement(golden_ratings).coefficients) == {"gwet_ac1", "fleiss_kappa", "krippendorff_alpha"}
    assert set(agreement(golden_ratings, weights="quadratic").coefficients) == {
        "gwet_ac2",
        "fleiss_kappa",
        "krippendorff_alpha",
    }


@pytest.mark.parametrize(
    ("rows", "categories", "raters", "message"),
    [
        ([["a", "c"]], ["a", "b"], None, r"item 0, rater_2: label 'c' is not on the scale \['a', 'b'\]"),
        ([["a", "b"], ["a"]], ["a", "b"], None, "item 1 has 1 ratings where 2 raters are named"),
        ([["a"]], ["a", "b"], None, "at least two raters, got 1"),
        ([["a", "a"]], ["a"], None, "at least two distinct labels"),
        ([["a", "a"]], ["a", "a", "b"], None, "at least two distinct labels"),
    ],
)
def test_bad_ratings_are_named(rows: list, categories: list, raters: None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Ratings.of(rows, categories, raters)


def test_cohen_takes_two_raters_and_a_cluster_per_item(golden_ratings: Ratings) -> None:
    with pytest.raises(InputError, match="takes two raters, got 3"):
        cohen_kappa(golden_ratings)
    with pytest.raises(InputError, match="one cluster per item, got 3 for 100 items"):
        gwet_ac(golden_ratings, clusters=[1, 2, 3], seed=1)
