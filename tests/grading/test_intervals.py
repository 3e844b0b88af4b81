"""Intervals: the definitions, done by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finassay.core import InputError
from finassay.grading import (
    OutputContract,
    Undefined,
    compare_tables,
    coverage,
    covers,
    interval_score,
    kendall_tau,
    ndcg,
    rank_biased_overlap,
    top_k_overlap,
    within,
)


def test_a_closed_interval_covers_its_ends() -> None:
    assert covers((1, 2), 1)
    assert covers((1, 2), 2)
    assert not covers((1, 2), 2.0001)


def test_coverage() -> None:
    assert coverage([(0, 1), (0, 1), (2, 3)], [0.5, 2, 2.5]) == 2 / 3
    with pytest.raises(Undefined):
        coverage([], [])
    with pytest.raises(InputError):
        coverage([(0, 1)], [])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.5, 1.0),  # inside: the width
        (0.5, 1.0 + 2 / 0.1 * 0.5),  # 0.5 below
        (2.25, 1.0 + 2 / 0.1 * 0.25),  # 0.25 above
    ],
)
def test_interval_score(value: float, expected: float) -> None:
    assert interval_score((1, 2), value, alpha=0.1) == pytest.approx(expected)


def test_the_true_quantiles_score_best() -> None:
    draws = np.random.default_rng(1).normal(size=20_000)
    z = 1.6448536269514722  # 95th percentile of the normal
    scores = [np.mean([interval_score((-w, w), x, alpha=0.1) for x in draws]) for w in (0.7 * z, z, 1.3 * z)]
    assert min(scores) == scores[1]


def test_within() -> None:
    assert within(100, 100.5, relative=0.005)
    assert not within(100, 100.51, relative=0.005)
    assert not within(0, 1e-9, relative=0.5)
    assert within(0, 1e-9, absolute=1e-8)
    assert not within(5, -5, relative=0.5)
    assert not within(5, math.inf, relative=0.5)


@pytest.mark.parametrize(
    ("reference", "candidate", "tolerance"),
    [
        (10, 10.05, {"relative": 0.005}), (0.2, 0.201, {"relative": 0.005}), (0.6, 0.603, {"relative": 0.005}),
        (3, 3.015, {"relative": 0.005}), (7, 7.035, {"relative": 0.005}), (-1.1, -1.1055, {"relative": 0.005}),
        (10, 13, {"relative": 0.3}), (Decimal(10), Decimal(7), {"relative": 0.3}), (10, 9.95, {"relative": 0.005}),
        (0.3, 0.4, {"absolute": 0.1}), (0.7, 0.8, {"absolute": 0.1}), (2.675, 2.68, {"absolute": 0.005}),
        (0.1 + 0.2, 0.2, {"absolute": 0.1}),  # 0.30000000000000004: noise of arithmetic
        (np.float32(0.3), np.float32(0.4), {"absolute": 0.1}), (Fraction(3, 10), Decimal("0.4"), {"absolute": 0.1}),
        (10**30, 10**30 + 1, {"absolute": 1}),
    ],
)  # fmt: skip
def test_a_point_exactly_at_the_tolerance_is_within_it(
    reference: float, candidate: float, tolerance: dict[str, float]
) -> None:
    assert within(reference, candidate, **tolerance)


@pytest.mark.parametrize(
    ("reference", "candidate", "tolerance"),
    [
        (10, 10.0500001, {"relative": 0.005}), (0.3, 0.40000001, {"absolute": 0.1}),
        (10**30, 10**30 + 2, {"absolute": 1}), (10**17, 10**17 + 1, {}),  # which float64 cannot tell apart
        (1e16, 1e16 + 2, {"absolute": 1}),  # four units in the last place are 8 here, a quarter of 1 is not
        (0.3, 0.1 + 0.2, {}),  # no tolerance, no noise
        (100, 100.5025, {"relative": 0.005}),  # 100.5025 - 0.5 % is 99.999: a tolerance of the other side
        (1, 10**400, {"relative": 0.5}), (1, math.inf, {"absolute": 1e300}),
    ],
)  # fmt: skip
def test_a_point_beyond_the_tolerance_is_not(
    reference: float, candidate: float, tolerance: dict[str, float]
) -> None:
    assert not within(reference, candidate, **tolerance)


@given(
    st.integers(1, 10**7).map(lambda n: Decimal(n) / 1000),
    st.integers(0, 99).map(lambda n: Decimal(n) / 1000),
    st.sampled_from([-1, 1]),
    st.sampled_from([-1, 0, 1]),
)
def test_points_and_cells_at_the_boundary_of_one_relative_tolerance_agree(
    reference: Decimal, relative: Decimal, side: int, beyond: int
) -> None:
    """Half a millionth of the reference inside, exactly on and outside a boundary that decimals state exactly."""
    candidate = reference * (1 + side * (relative + beyond * Decimal("5e-7")))
    expected = beyond <= 0 if relative else beyond == 0
    contract = OutputContract.model_validate(
        {"columns": [{"name": "v", "type": "number", "relative": float(relative)}]}
    )
    for a, b in ((reference, candidate), (float(reference), float(candidate))):
        assert within(a, b, relative=float(relative)) is expected or relative == 0
        assert compare_tables(pa.table({"v": [a]}), pa.table({"v": [b]}), contract).equal is expected


def test_a_relative_tolerance_is_of_the_reference() -> None:
    contract = OutputContract.parse("columns: [{name: v, type: number, relative: 0.005}]")
    one, other = pa.table({"v": [100.0]}), pa.table({"v": [100.5025]})  # 0.5025: over 0.5, under 0.5025125
    assert not within(100, 100.5025, relative=0.005)
    assert within(100.5025, 100, relative=0.005)
    assert not compare_tables(one, other, contract).equal
    assert compare_tables(other, one, contract).equal


def test_what_is_undefined_is_refused() -> None:
    for call in (
        lambda: covers((2, 1), 1.5),
        lambda: covers((math.nan, 1), 0.5),
        lambda: interval_score((0, math.inf), 1, alpha=0.1),
        lambda: within(math.nan, 1, relative=0.1),
        lambda: within(1, math.nan, relative=0.1),
    ):
        with pytest.raises(Undefined):
            call()
    with pytest.raises(InputError):
        interval_score((0, 1), 1, alpha=0)
    with pytest.raises(InputError):
        within(1, 1, relative=-0.1)


@pytest.mark.parametrize("end", [None, "low"])
def test_an_end_that_is_no_number_is_undefined(end: object) -> None:
    with pytest.raises(Undefined) as refused:
        covers((end, 1.0), 1.0)  # type: ignore[arg-type]
    assert refused.value.reason == "not_a_number"
    with pytest.raises(Undefined):
        within(1.0, end)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "bad", [None, "0.5", "", True, math.nan, 10**400, Decimal("nan"), 1j, [], pd.NA], ids=str
)
def test_what_is_no_number_is_refused_and_never_read_as_one(bad: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: kendall_tau({1: bad, 2: bad}, {1: 1, 2: 2}),
        lambda: interval_score((1, 2), 3, bad),
        lambda: within(1, 1, relative=bad),
        lambda: within(1, 1, absolute=bad),
        lambda: within(bad, 1),
        lambda: interval_score((1, 2), bad, 0.1),
        lambda: interval_score((1, bad), 1, 0.1),
        lambda: top_k_overlap([1], [1], bad),  # 10**400: deeper than the ranking
        lambda: rank_biased_overlap([1], [1], bad),
        lambda: ndcg({1: bad}, [1]),
    ]
    for call in calls:
        with pytest.raises(InputError):
            call()


def test_numbers_at_the_ends_of_float64_give_no_infinity() -> None:
    with pytest.raises(Undefined, match="leaves float64"):
        interval_score((-1e308, 1e308), 0, 0.1)
    assert ndcg({1: 1e308, 2: 1e308}, [1, 2]) == 1.0
    with pytest.raises(InputError, match="p must be between"):
        rank_biased_overlap([1], [1], 5e-324)
    assert covers((Decimal("0.1"), Decimal("0.3")), Decimal("0.2"))
    with pytest.raises(Undefined, match="or no number 2"):
        covers((1, 3), "2")  # type: ignore[arg-type]


def test_no_relative_tolerance_reaches_across_zero() -> None:
    assert not within(100, -100, relative=3)
    assert within(100, -100, absolute=200)
    assert within(-100, -100.4, relative=0.005)
    assert within(0, -0.5, absolute=0.5)
