"""Sets: counts done by hand."""

from __future__ import annotations

import pytest

from finassay.grading import Undefined, compare_sets


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


def test_a_missing_member_is_refused() -> None:
    with pytest.raises(Undefined) as error:
        compare_sets(["a", None], ["a"])
    assert error.value.reason == "missing_member"
