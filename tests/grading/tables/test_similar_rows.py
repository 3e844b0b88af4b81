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
from finassay.grading._table_matching import maximum_matching

ONE = OutputContract.parse("columns: [{name: date, type: date}, {name: ret, type: number, decimals: 2}]")
TWO = OutputContract.parse(
    "columns: [{name: ret, type: number, decimals: 2}, {name: gap, type: number, decimals: 2}]"
)

THREE = OutputContract.parse("""
columns:
  - {name: ret, type: number, decimals: 2}
  - {name: gap, type: number, decimals: 2}
  - {name: beta, type: number, decimals: 2}
""")


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


def three(cells: np.ndarray) -> pa.Table:
    return pa.table(dict(zip(("ret", "gap", "beta"), cells.T, strict=True)))


@pytest.mark.parametrize("spread", [0.002, 0.05])
def test_ten_thousand_rows_that_three_toleranced_columns_tell_apart(spread: float) -> None:
    """Every row has a partner by construction, less than half a cent away in each cell, and many others besides."""
    rng = np.random.default_rng(5)
    cells = rng.normal(0, spread, (10_000, 3))
    near = (cells + rng.uniform(-0.0049, 0.0049, cells.shape))[rng.permutation(10_000)]
    assert compare_tables(three(cells), three(near), THREE).equal
    near[17] = 9.0, 9.0, 9.0
    verdict = compare_tables(three(cells), three(near), THREE)
    assert (verdict.rows.matched, verdict.rows.missing, verdict.rows.extra) == (9_999, 1, 1)


def test_as_many_of_a_thousand_unlike_rows_are_equal_as_a_second_library_pairs() -> None:
    rng = np.random.default_rng(7)
    left, right = rng.normal(0, 0.008, (2, 1_000, 3))
    near = (np.abs(left[:, None, :] - right[None, :, :]) <= 0.005).all(axis=2)
    most = int((maximum_bipartite_matching(csr_array(near), perm_type="column") >= 0).sum())
    assert 900 < most < 1_000  # neither all nor none
    verdict = compare_tables(three(left), three(right), THREE)
    assert verdict.rows.matched == most


def test_what_is_beyond_half_a_gigabyte_of_pairs_is_refused() -> None:
    rng = np.random.default_rng(9)
    left, right = rng.normal(
        0, 0.001, (2, 50_000, 3)
    )  # 50,000 squared pairs, nearly all of them within tolerance
    with pytest.raises(InputError, match="Declare a key") as refused:
        compare_tables(three(left), three(right), THREE)
    assert refused.value.reason == "too_many_similar_rows"


CODES = ("1", "1.SZ", "1.SH")
CODE_AND_TWO = OutputContract.parse("""
columns: [{name: code, type: code}, {name: ret, type: number, decimals: 2}, {name: gap, type: number, decimals: 2}]
""")


def with_codes(rows: list[tuple[int, int, int]]) -> pa.Table:
    return table_of([row[1:] for row in rows]).add_column(
        0, "code", pa.array([CODES[row[0]] for row in rows])
    )


coded = st.lists(
    st.tuples(st.integers(0, 2), st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=12
)


@settings(max_examples=80, deadline=None)
@given(coded, coded)
@example([(0, 0, 0), (1, 4, 4)], [(1, 0, 0), (2, -4, -4)])  # 1.SZ meets 1.SZ only, so 1 has to meet 1.SH
def test_bits_pair_as_many_rows_as_a_list_of_the_pairs(
    left: list[tuple[int, int, int]], right: list[tuple[int, int, int]]
) -> None:
    equal = np.array([
        [(a[0] == b[0] or 0 in (a[0], b[0])) and max(abs(a[1] - b[1]), abs(a[2] - b[2])) <= 5 for b in right]
        for a in left
    ])  # fmt: skip
    most = int((maximum_bipartite_matching(csr_array(equal.astype(int)), perm_type="column") >= 0).sum())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("finassay.grading._table_matching._FEW_PAIRS", -1)  # bits for groups of any size
        by_bits = compare_tables(with_codes(left), with_codes(right), CODE_AND_TWO).rows.matched
    assert by_bits == compare_tables(with_codes(left), with_codes(right), CODE_AND_TWO).rows.matched == most


@settings(max_examples=150, deadline=None)
@given(
    st.integers(1, 20).flatmap(
        lambda m: st.lists(st.integers(0, 2**m - 1), max_size=20).map(lambda n: (n, m))
    )
)
def test_a_matching_of_sets_of_bits_is_a_maximum(graph: tuple[list[int], int]) -> None:
    neighbours, size = graph
    mates = maximum_matching(neighbours, size)
    paired = [(node, mate) for node, mate in enumerate(mates) if mate >= 0]
    assert all(neighbours[node] >> mate & 1 for node, mate in paired)
    assert len({mate for _, mate in paired}) == len(paired)
    dense = np.array([[bits >> k & 1 for k in range(size)] for bits in neighbours]).reshape(-1, size)
    most = int((maximum_bipartite_matching(csr_array(dense), perm_type="column") >= 0).sum())
    assert len(paired) == most


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


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([1, 2]).flatmap(lambda width: st.tuples(rows_of(width), rows_of(width))))
@example(([(-1,), (0,)], [(0,), (1,)]))  # 0 meets 1, so -1 has to meet 0
@example(([(-1, 0), (0, 0)], [(0, 0), (1, 0)]))
@example(([(0, 1), (1, -1)], [(0, -1), (1, 1)]))  # nothing but the sign tells them apart
def test_no_floor_pairs_numbers_of_opposite_signs(
    sides: tuple[list[tuple[int, ...]], list[tuple[int, ...]]],
) -> None:
    """Fifths of the floor of 1e-12: equal up to 5 of them, and never across zero."""

    def table(rows: list[tuple[int, ...]]) -> pa.Table:
        return pa.table(
            {f"v{k}": [n * 2e-13 for n in cells] for k, cells in enumerate(zip(*rows, strict=True))}
        )

    left, right = sides
    equal = np.array([[all(x * y >= 0 and abs(x - y) <= 5 for x, y in zip(a, b, strict=True)) for b in right]
                      for a in left])  # fmt: skip
    most = int((maximum_bipartite_matching(csr_array(equal.astype(int)), perm_type="column") >= 0).sum())
    contract = OutputContract.model_validate(
        {"columns": [{"name": f"v{k}", "type": "number"} for k in range(len(left[0]))]}
    )
    assert compare_tables(table(left), table(right), contract).rows.matched == most


POSITIVE = st.integers(1, 2).flatmap(
    lambda width: st.tuples(*[st.lists(st.tuples(*[st.integers(1, 30)] * width), min_size=1, max_size=9)] * 2)
)


@settings(max_examples=150, deadline=None)
@given(POSITIVE)
@example(([(10,), (13,)], [(13,), (10,)]))  # 13 is within 30 % of 10, and 10 of 13
@example(([(10,), (14,)], [(14,), (10,)]))  # 14 is not, though 10 is within 30 % of 14
def test_a_relative_tolerance_of_the_reference_pairs_as_many_rows_as_possible(
    sides: tuple[list[tuple[int, ...]], list[tuple[int, ...]]],
) -> None:
    left, right = sides
    equal = np.array([
        [all(10 * abs(x - y) <= 3 * x for x, y in zip(a, b, strict=True)) for b in right] for a in left
    ])  # fmt: skip
    most = int((maximum_bipartite_matching(csr_array(equal.astype(int)), perm_type="column") >= 0).sum())
    contract = OutputContract.model_validate(
        {"columns": [{"name": f"v{k}", "type": "number", "relative": 0.3} for k in range(len(left[0]))]}
    )
    tables = [pa.table({f"v{k}": list(map(float, cells)) for k, cells in enumerate(zip(*rows, strict=True))})
              for rows in sides]  # fmt: skip
    assert compare_tables(*tables, contract).rows.matched == most


def test_thousands_of_rows_that_nothing_but_a_tiny_sign_tells_apart() -> None:
    contract = OutputContract.parse("columns: [{name: a, type: number}, {name: b, type: number}]")
    signs = np.random.default_rng(11).choice([-1e-13, 1e-13], 6_000)
    table = pa.table({"a": np.zeros(6_000), "b": signs})
    assert compare_tables(table, shuffled(table, 12), contract).equal
