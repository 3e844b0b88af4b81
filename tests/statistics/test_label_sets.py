"""Sets of labels: Jaccard agreement and co-occurrence, each with its denominator."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import jaccard_score
from sklearn.preprocessing import MultiLabelBinarizer

from finassay.core import InputError
from finassay.statistics import Undefined, co_occurrence, jaccard

LABELS = ["A1", "A2", "A3", "C2"]
sets = st.sets(st.sampled_from(LABELS))
pairs = st.lists(st.tuples(sets, sets), min_size=1, max_size=20)


def test_the_mean_over_items() -> None:
    # 1/2, 1/1, 0/2 and an empty pair
    first = [{"A1"}, {"A2"}, {"A1"}, set()]
    second = [{"A1", "A3"}, {"A2"}, {"A3"}, set()]
    assert jaccard(first, second, both_empty="agree").mean == pytest.approx((0.5 + 1 + 0 + 1) / 4)
    assert jaccard(first, second, both_empty="disagree").mean == pytest.approx((0.5 + 1 + 0 + 0) / 4)
    excluded = jaccard(first, second, both_empty="exclude")
    assert excluded.mean == pytest.approx((0.5 + 1 + 0) / 3)
    assert (excluded.items, excluded.both_empty) == (3, 1)


def test_identical_sets_are_counted_over_the_same_items() -> None:
    first, second = [{"A1"}, set(), {"A2"}], [{"A1"}, set(), {"A3"}]
    identical = jaccard(first, second, both_empty="agree").identical
    assert (identical.numerator, identical.denominator) == (2, 3)
    identical = jaccard(first, second, both_empty="exclude").identical
    assert (identical.numerator, identical.denominator) == (1, 2)


def test_an_unjudged_item_is_left_out_and_counted() -> None:
    found = jaccard([{"A1"}, None, {"A1"}], [{"A1"}, {"A1"}, None], both_empty="agree")
    assert (found.mean, found.items, found.undetermined) == (1.0, 1, 2)


@given(pairs, st.sampled_from(["agree", "disagree"]))
def test_it_equals_scikit_learn(items: list[tuple[set[str], set[str]]], both_empty: str) -> None:
    first, second = zip(*items, strict=True)
    coder = MultiLabelBinarizer(classes=LABELS)
    expected = jaccard_score(
        coder.fit_transform(first),
        coder.fit_transform(second),
        average="samples",
        zero_division=1.0 if both_empty == "agree" else 0.0,
    )
    assert jaccard(first, second, both_empty=both_empty).mean == pytest.approx(expected)  # type: ignore[arg-type]


@given(pairs)
def test_it_is_symmetric_and_bounded_by_identical_and_overlapping_sets(
    items: list[tuple[set[str], set[str]]],
) -> None:
    first, second = zip(*items, strict=True)
    found = jaccard(first, second, both_empty="agree")
    assert found.mean == jaccard(second, first, both_empty="agree").mean
    assert found.identical.value - 1e-12 <= found.mean <= 1


def test_what_cannot_be_averaged_is_refused() -> None:
    for first, both_empty in (([], "agree"), ([set()], "exclude"), ([None], "agree")):
        with pytest.raises(Undefined, match="no item is left"):
            jaccard(first, first, both_empty=both_empty)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected a set of labels, got str 'A1'"):
        jaccard(["A1"], ["A1"], both_empty="agree")  # type: ignore[list-item]
    with pytest.raises(InputError, match="as many items from both"):
        jaccard([set()], [], both_empty="agree")
    with pytest.raises(InputError, match="must be agree, disagree or exclude"):
        jaccard([set()], [set()], both_empty=1.0)  # type: ignore[arg-type]


def test_which_labels_occur_together() -> None:
    table = co_occurrence([{"A1", "A3"}, {"A1"}, {"A3", "C2"}, set(), {"A1", "A3", "C2"}], LABELS)
    assert table.counts == (
        (3, 0, 2, 1),
        (0, 0, 0, 0),
        (2, 0, 3, 2),
        (1, 0, 2, 2),
    )
    assert str(table.share("A1", "A3")).startswith("2/5 (40.0%")
    assert str(table.given("A3", "C2")).startswith("2/2 (100.0%")
    with pytest.raises(Undefined, match="0/0"):
        table.given("A1", "A2")


@given(st.lists(sets, max_size=20))
def test_the_table_is_symmetric_and_no_pair_exceeds_its_labels(items: list[set[str]]) -> None:
    table = co_occurrence(items, LABELS)
    for a in LABELS:
        assert table.count(a, a) == sum(a in item for item in items)
        for b in LABELS:
            assert table.count(a, b) == table.count(b, a) <= min(table.count(a, a), table.count(b, b))


def test_a_label_outside_the_taxonomy_is_named() -> None:
    with pytest.raises(InputError, match=r"item 1 has labels outside the taxonomy: \['Z9'\]"):
        co_occurrence([{"A1"}, {"Z9"}], LABELS)
