"""Two outputs: the same answer or not, against a comparison row by row that leaves nothing to chance."""

from __future__ import annotations

import datetime as dt
import time
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from finassay.audit._compare import differ
from finassay.audit._subject import Output
from finassay.audit._unmatched import last_decimals, unmatched

NUMBERS = st.one_of(
    st.none(),
    st.sampled_from(
        [0.0, -0.0, 1.0, 2.5, 1e-310, 9.9999999999, 99999999999.5, -3.0, float("inf"), float("nan")]
    ),
    st.floats(width=64),
)
KINDS = {
    pa.float64(): NUMBERS,
    pa.int64(): st.one_of(st.none(), st.integers(-3, 3)),
    pa.decimal128(12, 3): st.one_of(st.none(), st.decimals(-9, 9, places=3)),
    pa.string(): st.one_of(st.none(), st.sampled_from(["", "a", "中"])),
    pa.date32(): st.one_of(st.none(), st.sampled_from([dt.date(2024, 1, 1), dt.date(2024, 1, 2)])),
    pa.bool_(): st.one_of(st.none(), st.booleans()),
    pa.list_(pa.int64()): st.one_of(st.none(), st.lists(st.integers(0, 1), max_size=2)),
}


def spelled(cell: Any) -> tuple[str, str]:
    if isinstance(cell, int | float | Decimal) and not isinstance(cell, bool):
        number = float(cell)
        return ("n", "0" if number == 0 else f"{number:.10g}")
    return ("" if cell is None else type(cell).__name__, str(cell))


def counted(table: pa.Table) -> Counter[tuple[tuple[str, str], ...]]:
    columns = [column.to_pylist() for column in table.columns]
    return Counter(tuple(map(spelled, row)) for row in zip(*columns, strict=True))


@settings(max_examples=60)
@given(st.data())
def test_the_rows_that_one_side_has_more_of_are_found(data: st.DataObject) -> None:
    kinds = data.draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=4))
    row = st.tuples(*(KINDS[kind] for kind in kinds))
    shared = data.draw(st.lists(row, max_size=8))
    tables = []
    for _ in range(2):
        rows = data.draw(st.permutations(shared + data.draw(st.lists(row, max_size=4))))
        columns = [pa.array([r[i] for r in rows], kind) for i, kind in enumerate(kinds)]
        tables.append(pa.Table.from_arrays(columns, names=["x"] * len(kinds)))  # names may repeat
    one, other = tables
    left, right = unmatched(one, other)
    assert counted(left) == counted(one) - counted(other)
    assert counted(right) == counted(other) - counted(one)
    assert (
        unmatched(one.take(pa.array(range(one.num_rows)[::-1], pa.int64())), other)[0].num_rows
        == left.num_rows
    )


def output(**columns: Any) -> Output:
    return Output({"result": pa.table(columns)})


def test_types_of_numbers_do_not_count() -> None:
    whole = pa.array([1, 2, None], pa.int64())
    for other in (pa.array([2.0, 1.0, None]), pa.array([Decimal(2), Decimal("1.000"), None])):
        assert differ(output(a=whole), output(a=other)) is None
    assert differ(output(a=pa.array([None, None, None])), output(a=whole)) is not None
    assert differ(output(a=pa.array([True, False])), output(a=pa.array([1, 0]))) is not None


def test_noise_that_moves_rows_is_no_difference() -> None:
    # Sorted by the first column, the rows come in another order on each side.
    one = output(a=[0.1 + 0.2, 0.3], b=["x", "y"])
    other = output(a=[0.3, 0.1 + 0.2], b=["x", "y"])
    assert differ(one, other) is None


def test_the_last_decimal_is_the_column_s_own() -> None:
    rounded = pa.chunked_array([pa.array([1.25, 3.5, None])])
    assert last_decimals(rounded, pa.chunked_array([pa.array([1.26, 0.0, 1.0])])) == 0.01
    assert last_decimals(pa.chunked_array([pa.array([1 / 3])]), rounded) == 0.0
    assert differ(output(a=[1.25, 3.5]), output(a=[1.26, 3.5])) is None
    assert differ(output(a=[1.25, 3.5]), output(a=[1.27, 3.5])) is not None


def test_the_first_rows_of_a_difference_do_not_depend_on_the_order() -> None:
    random = np.random.default_rng(7)
    rows = np.arange(3000)
    shuffled = random.permutation(rows)
    changed = [
        differ(output(a=order, b=order * 2), output(a=order, b=order * 3)) for order in (rows, shuffled)
    ]
    assert changed[0] == changed[1]
    assert changed[0] is not None
    assert changed[0].missing == tuple(f"{n} | {2 * n}" for n in range(1, 6))


def test_a_million_rows_take_seconds() -> None:
    random = np.random.default_rng(11)
    numbers = random.normal(size=(6, 1_000_000))
    table = pa.table(
        {f"x{i}": column for i, column in enumerate(numbers)}
        | {"code": pa.array(random.integers(0, 5000, 1_000_000)).cast(pa.string())}
    )
    shuffled = table.take(random.permutation(1_000_000))
    began = time.process_time()
    assert differ(Output({"r": table}), Output({"r": shuffled})) is None
    assert time.process_time() - began < 30  # row by row it takes minutes


def test_tables_without_rows_or_chunks_are_compared() -> None:
    """A frame without rows: its days are days, its whole numbers may be floats on the other side."""
    days = pa.chunked_array([], pa.timestamp("us"))
    one = pa.table({"day": days, "n": pa.chunked_array([], pa.int64())})
    other = pa.table({"day": days, "n": pa.chunked_array([], pa.float64())})
    assert differ(Output({"result": one}), Output({"result": other})) is None
