"""Rows without a key that are all within tolerance of each other: the matching is maximal, whatever the order."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from finassay.core import InputError
from finassay.grading import OutputContract, compare_tables

ONE = OutputContract.parse("columns: [{name: date, type: date}, {name: ret, type: number, decimals: 2}]")
TWO = OutputContract.parse(
    "columns: [{name: ret, type: number, decimals: 2}, {name: gap, type: number, decimals: 2}]"
)


def one_day(returns: np.ndarray) -> pa.Table:
    return pa.table({"date": [dt.date(2024, 1, 2)] * len(returns), "ret": returns})


def shuffled(table: pa.Table, seed: int) -> pa.Table:
    return table.take(pa.array(np.random.default_rng(seed).permutation(table.num_rows)))


def test_the_order_of_six_thousand_similar_rows_says_nothing() -> None:
    table = one_day(np.random.default_rng(1).normal(0, 0.001, 6000))
    assert compare_tables(table, shuffled(table, 2), ONE).equal


def test_noise_within_tolerance_and_one_wrong_row_among_similar_ones() -> None:
    rng = np.random.default_rng(3)
    returns = rng.normal(0, 0.001, 6000)
    near = returns + rng.uniform(-0.004, 0.004, 6000)
    assert compare_tables(one_day(returns), shuffled(one_day(near), 4), ONE).equal
    near[17] = 9.0
    counts = compare_tables(one_day(returns), shuffled(one_day(near), 4), ONE).rows
    assert (counts.matched, counts.wrong) == (5999, 1)


def test_rows_that_are_the_same_on_both_sides_need_no_matching_and_the_rest_is_refused() -> None:
    rng = np.random.default_rng(5)
    table = pa.table({"ret": rng.normal(0, 0.003, 6000), "gap": rng.normal(0, 0.003, 6000)})
    assert compare_tables(table, shuffled(table, 6), TWO).equal
    other = pa.table({"ret": rng.normal(0, 0.003, 6000), "gap": rng.normal(0, 0.003, 6000)})
    with pytest.raises(InputError) as refused:
        compare_tables(table, other, TWO)
    assert refused.value.reason == "too_many_similar_rows"


def maximum(left: list[tuple[int, ...]], right: list[tuple[int, ...]]) -> int:
    """Pair thousandths that differ by at most 5, by the matching of a second library."""
    equal = np.array([[all(abs(x - y) <= 5 for x, y in zip(a, b, strict=True)) for b in right] for a in left])
    return int((maximum_bipartite_matching(csr_array(equal.astype(int)), perm_type="column") >= 0).sum())


def table_of(rows: list[tuple[int, ...]]) -> pa.Table:
    names = ["ret", "gap"][: len(rows[0])]
    columns = {name: [row[k] / 1000 for row in rows] for k, name in enumerate(names)}
    if len(names) == 1:
        return one_day(np.array(columns["ret"]))
    return pa.table(columns)


def rows_of(width: int) -> st.SearchStrategy[list[tuple[int, ...]]]:
    return st.lists(st.tuples(*[st.integers(-9, 9)] * width), min_size=1, max_size=9)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([1, 2]).flatmap(lambda width: st.tuples(rows_of(width), rows_of(width))))
@example(([(0,), (4,)], [(0,), (-4,)]))  # 4 meets 0, so 0 has to meet -4
@example(([(0, 0), (4, 4)], [(0, 0), (-4, -4)]))
def test_as_many_rows_as_possible_are_equal(
    sides: tuple[list[tuple[int, ...]], list[tuple[int, ...]]],
) -> None:
    left, right = sides
    counts = compare_tables(table_of(left), table_of(right), ONE if len(left[0]) == 1 else TWO).rows
    assert counts.matched == maximum(left, right)
