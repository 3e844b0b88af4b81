"""Orders and rankings against scipy, scikit-learn, and arithmetic by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau
from sklearn.metrics import ndcg_score

from finassay.core import InputError
from finassay.grading import Undefined, kendall_tau, ndcg, order_equal, rank_biased_overlap, top_k_overlap


def test_order() -> None:
    assert order_equal(["a", "b"], ("a", "b"))
    assert not order_equal(["a", "b"], ["b", "a"])


def test_tau_b_by_hand() -> None:
    # pairs: (a,b) agree, (a,c) agree, (b,c) tied on one side: (2 - 0) / sqrt(3 * 2)
    assert kendall_tau({"a": 1, "b": 2, "c": 2}, {"a": 1, "b": 2, "c": 3}) == pytest.approx(2 / math.sqrt(6))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=12))
def test_tau_is_scipys_where_it_is_defined(pairs: list[tuple[int, int]]) -> None:
    left, right = (dict(enumerate(side)) for side in zip(*pairs, strict=True))
    expected = kendalltau(list(left.values()), list(right.values())).statistic
    if math.isnan(expected):
        with pytest.raises(Undefined):
            kendall_tau(left, right)
    else:
        assert kendall_tau(left, dict(reversed(right.items()))) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        ({"a": 1}, {"a": 1}, "too_few_members"),
        ({"a": 1, "b": 2}, {"a": 1, "c": 2}, "different_members"),
        ({"a": 1, "b": 1}, {"a": 1, "b": 2}, "all_tied"),
        ({"a": 1, "b": math.nan}, {"a": 1, "b": 2}, "not_a_number"),
    ],
)
def test_where_tau_is_undefined(left: dict[str, float], right: dict[str, float], reason: str) -> None:
    with pytest.raises(Undefined) as error:
        kendall_tau(left, right)
    assert error.value.reason == reason


def test_top_k() -> None:
    assert top_k_overlap("abcd", "bacx", 2) == 1.0
    assert top_k_overlap("abcd", "axyz", 2) == 0.5
    assert top_k_overlap("abcd", "a", 2) == 0.5
    with pytest.raises(Undefined):
        top_k_overlap("a", "ab", 2)
    with pytest.raises(InputError):
        top_k_overlap("ab", "ab", 0)


def test_rank_biased_overlap() -> None:
    assert rank_biased_overlap("abc", "abc") == pytest.approx(1)
    assert rank_biased_overlap("abc", "xyz") == 0
    # by hand, p = 0.5: agreement 0/1 then 2/2; (1-p)/p * (0 + 1 * 0.25) + 1 * 0.25
    assert rank_biased_overlap("ab", "ba", p=0.5) == pytest.approx(0.5)
    # uneven, p = 0.5: "a" against "ab": s=1, l=2, X=(1,1): 1 * (0.5 + 0.25/2 + 1*(1)/(1*2)*0.25) + (0 + 1) * 0.25
    assert rank_biased_overlap("a", "ab", p=0.5) == pytest.approx(1.0)
    with pytest.raises(Undefined):
        rank_biased_overlap("aa", "ab")
    with pytest.raises(Undefined):
        rank_biased_overlap("", "ab")
    with pytest.raises(InputError):
        rank_biased_overlap("a", "a", p=1)


@given(
    st.permutations(range(6)),
    st.lists(st.integers(0, 4), min_size=6, max_size=6).filter(any),
    st.integers(1, 6),
)
def test_ndcg_is_scikit_learns(order: list[int], gains: list[int], k: int) -> None:
    scores = np.zeros(6)
    scores[list(order)] = np.arange(6, 0, -1)
    expected = ndcg_score([gains], [scores], k=k)
    assert ndcg(dict(enumerate(map(float, gains))), order, k) == pytest.approx(expected)


def test_where_ndcg_is_undefined() -> None:
    for relevance in ({}, {"a": 0.0}, {"a": -1.0}):
        with pytest.raises(Undefined):
            ndcg(relevance, ["a"])


@pytest.mark.parametrize("rank", [None, "third"])
def test_a_rank_that_is_no_number_is_undefined(rank: object) -> None:
    with pytest.raises(Undefined, match="not a number"):
        kendall_tau({1: rank, 2: 1.0}, {1: 1.0, 2: 2.0})  # type: ignore[dict-item]
