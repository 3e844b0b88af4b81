"""Sets: counts done by hand."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finassay.core import InputError
from finassay.grading import Undefined, compare_sets, kendall_tau, ndcg, rank_biased_overlap, top_k_overlap


def test_one_missing_and_two_extra() -> None:
    verdict = compare_sets(["a", "b", "c"], ["b", "c", "d", "e"])
    assert verdict.precision == 2 / 4
    assert verdict.recall == 2 / 3
    assert verdict.f1 == 2 * 2 / (3 + 4)
    assert (verdict.missing, verdict.extra) == (("a",), ("d", "e"))
    assert not verdict.equal


def test_order_and_repeats_do_not_matter() -> None:
    assert compare_sets(["a", "b"], ["b", "a", "a"]).equal


def test_what_an_empty_set_leaves_undefined_is_none() -> None:
    assert compare_sets(["a"], []).precision is None
    assert compare_sets(["a"], []).recall == 0
    assert compare_sets([], ["a"]).recall is None
    both = compare_sets([], [])
    assert both.equal
    assert (both.precision, both.recall, both.f1) == (None, None, None)


@pytest.mark.parametrize("member", [["a"], {"a": 1}, {"a"}, np.array([1, 2])])
def test_what_cannot_be_a_member_is_refused_on_either_side(member: object) -> None:
    for sides in (([member], ["a"]), (["a"], ["b", member])):
        with pytest.raises(Undefined, match="no single value") as refused:
            compare_sets(*sides)
        assert refused.value.reason == "unhashable_member"
    with pytest.raises(Undefined, match="no single value"):
        top_k_overlap([member], ["a"], 1)
    with pytest.raises(Undefined, match="no single value"):
        rank_biased_overlap(["a"], [member])
    with pytest.raises(Undefined, match="no single value"):
        ndcg({"a": 1.0}, [member])


@pytest.mark.parametrize("side", [None, 5])
def test_what_is_no_series_of_members_is_refused(side: object) -> None:
    with pytest.raises(InputError, match="series of members"):
        compare_sets(["a"], side)  # type: ignore[arg-type]


def test_a_list_of_names_states_no_ranks() -> None:
    with pytest.raises(InputError, match="mapping"):
        kendall_tau(["a", "b"], ["b", "a"])  # type: ignore[arg-type]


CELLS = st.one_of(
    st.none(), st.booleans(), st.floats(), st.text(), st.dates(), st.decimals(), st.complex_numbers()
)
MEMBERS = st.lists(CELLS | st.tuples(CELLS) | st.tuples(st.lists(CELLS, max_size=1)), max_size=4)


@given(MEMBERS, MEMBERS)
def test_any_members_give_a_verdict_or_a_refusal(reference: list[object], candidate: list[object]) -> None:
    with suppress(Undefined):
        assert compare_sets(reference, candidate).equal == (set(reference) == set(candidate))


def test_a_missing_member_is_refused() -> None:
    with pytest.raises(Undefined) as error:
        compare_sets(["a", None], ["a"])
    assert error.value.reason == "missing_member"
