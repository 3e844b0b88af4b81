"""Whether the candidate's rows stand in an order that the contract allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.grading._table_rows import group_codes
from finassay.grading._table_tokens import VALUE

if TYPE_CHECKING:
    from finassay.grading._contract import OutputContract
    from finassay.grading._table_pairs import ColumnPair

    Ints = np.ndarray[Any, np.dtype[np.int64]]
    Bools = np.ndarray[Any, np.dtype[np.bool_]]


def misplaced(contract: OutputContract, pairs: dict[str, ColumnPair], i: Ints, j: Ints) -> Ints:
    """Return the places (in `i` and `j`, pairs of rows) whose candidate row stands after one it must precede.

    The reference's values of the paired rows decide: two rows may stand either way where they differ by no more than
    the tolerance; the next column of the order binds only where the values before it are equal. Missing values stand
    at either end.
    """
    walk = np.argsort(j, kind="stable")
    rows = i[walk]
    used = [(pairs[item.column], item.descending) for item in contract.order_by]
    best = _inversions(used, rows, contract, missing_first=False)
    if best.any():
        other = _inversions(used, rows, contract, missing_first=True)
        best = other if other.sum() < best.sum() else best
    return np.asarray(walk[best])


def _inversions(
    used: list[tuple[ColumnPair, bool]], rows: Ints, contract: OutputContract, missing_first: bool
) -> Bools:
    wrong = np.zeros(len(rows), dtype=bool)
    group = np.zeros(len(rows), dtype=np.int64)
    for pair, descending in used:
        rank, reach = _ranks(pair, rows, descending, missing_first)
        wrong |= _after_higher(group, rank, reach)
        group = group_codes([(group, group[:0]), (rank, rank[:0])])[0]
    if contract.ties == "reference":
        wrong |= _after_higher(group, rows, np.zeros(len(rows), dtype=np.int64))
    return wrong


def _after_higher(group: Ints, rank: Ints, slack: Ints) -> Bools:
    """Mark the rows that come after a row of the same group whose rank is higher by more than the slack."""
    if not len(rank):
        return np.zeros(0, dtype=bool)
    order = np.argsort(group, kind="stable")
    span = int(rank.max()) + 1
    highest = np.maximum.accumulate(group[order] * span + rank[order]) - group[order] * span
    wrong = np.zeros(len(rank), dtype=bool)
    wrong[order] = highest > rank[order] + slack[order]
    return wrong


def _ranks(pair: ColumnPair, rows: Ints, descending: bool, missing_first: bool) -> tuple[Ints, Ints]:
    """Return each row's dense rank from zero and how many ranks above it are still within tolerance."""
    present = pair.reference.state[rows] == VALUE
    values = pair.sortable(rows)[present]
    values = -values if descending else values
    levels, rank = np.unique(values, return_inverse=True)
    reach = np.searchsorted(levels, levels + pair.slack(levels), side="right") - 1 - np.arange(len(levels))
    out = np.full(len(rows), 0 if missing_first else len(levels) + 1, dtype=np.int64)
    out[present] = rank + 1
    slack = np.zeros(len(rows), dtype=np.int64)
    slack[present] = reach[rank]
    return out, slack
