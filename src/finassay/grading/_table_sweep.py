"""Groups of similar rows in which one column of numbers decides: a sweep over its sorted values pairs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.grading._table_pairs import NumberPair

if TYPE_CHECKING:
    from finassay.grading._table_pairs import ColumnPair

    Ints = np.ndarray[Any, np.dtype[np.int64]]
    Bools = np.ndarray[Any, np.dtype[np.bool_]]


def deciding_columns(
    pairs: list[ColumnPair], rows_left: Ints, rows_right: Ints, group: tuple[Ints, Ints]
) -> tuple[Ints, Bools]:
    """Return per group the place of a column in which its cells may be unequal, and whether there are several.

    Groups are of rows with the same `clusters`. Where no column decides, all rows of a group are equal: the first
    column stands for it.
    """
    size = int(max(group[0].max(), group[1].max())) + 1
    place = np.zeros(size, dtype=np.int64)
    count = np.zeros(size, dtype=np.int64)
    for number, pair in enumerate(pairs):
        decides = pair.decides(rows_left, rows_right, group, size)
        place[decides] = number
        count += decides
        if not isinstance(pair, NumberPair):
            count += decides  # codes without a market are in no order: no sweep
    return place, count > 1


def sweep(
    pair: ColumnPair, rows_left: Ints, rows_right: Ints, group_left: Ints, group_right: Ints
) -> tuple[Ints, Ints]:
    """Return a maximum matching of the rows that are equal in one column, inside groups.

    What a cell may be equal to is an interval of the other side's sorted cells, and both its ends grow with the cell:
    the first two that are equal may always be paired.
    """
    order_left = np.lexsort((pair.ordering(0, rows_left), group_left))
    order_right = np.lexsort((pair.ordering(1, rows_right), group_right))
    i, j = rows_left[order_left], rows_right[order_right]
    group_i, group_j = group_left[order_left], group_right[order_right]
    low, high, position = pair.window(i, j, group_i, group_j)
    j = j[position]
    low, high = trim(pair, i, j, low, high)
    taken_left, taken_right = [], []
    at = 0
    for row, (first, end) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        at = max(at, first)
        if at < end:
            taken_left.append(row)
            taken_right.append(at)
            at += 1
    return i[np.array(taken_left, dtype=np.int64)], j[np.array(taken_right, dtype=np.int64)]


def trim(pair: ColumnPair, i: Ints, j: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Draw in the ends of each window, which is a little wide, to the first and the last equal cell."""
    low, high = low.copy(), high.copy()
    for ends, step, shift in ((low, 1, 0), (high, -1, -1)):
        active = np.flatnonzero(low < high)
        while len(active):
            unequal = ~pair.equal(i[active], j[ends[active] + shift])
            ends[active[unequal]] += step
            active = active[unequal]
            active = active[low[active] < high[active]]
    return low, high
