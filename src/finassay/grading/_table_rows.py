"""Which row of the candidate is which row of the reference: by key, or by whole rows, with multiplicity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.core import InputError
from finassay.grading._table_matching import dense_groups, match_group
from finassay.grading._table_sweep import deciding_columns, sweep

if TYPE_CHECKING:
    from finassay.grading._table_pairs import ColumnPair

    Ints = np.ndarray[Any, np.dtype[np.int64]]
    Bools = np.ndarray[Any, np.dtype[np.bool_]]

MOST_PAIRS = 20_000_000
"""Pairs of similar rows that are looked at; beyond it the verdict is refused, not guessed."""

_MOST_ASSIGNED = 1_000_000


@dataclass(frozen=True)
class RowMatch:
    """Pairs of row numbers, and the rows of either side without a partner.

    `equal` where all pairs are known equal; not `known` where nothing says which row is which: no row has a partner.
    """

    reference: Ints
    candidate: Ints
    missing: Ints
    extra: Ints
    equal: bool = False
    known: bool = True


def match_rows(pairs: list[ColumnPair], keys: list[ColumnPair]) -> RowMatch:
    """Pair the rows of two tables.

    As many equal rows as possible are paired (a maximum matching, since tolerance equality is not transitive); what is
    left is paired so that the fewest cells differ: among rows of one key, or, without a key, where half of them agree.
    """
    n, m = (len(pairs[0].reference.state), len(pairs[0].candidate.state))
    if n == m:
        rows = np.arange(n)
        if all(pair.equal(rows, rows).all() for pair in pairs):
            return RowMatch(rows, rows, rows[:0], rows[:0], equal=True)
    left, right = group_codes([pair.clusters for pair in (keys or pairs)])
    alone_left, alone_right, shared = _singles(left, right)
    same = _rows_equal(keys or pairs, alone_left, alone_right)
    taken = [(alone_left[same], alone_right[same])]
    rest_left, rest_right = np.flatnonzero(shared[left]), np.flatnonzero(shared[right])
    if len(rest_left) and len(rest_right):
        taken.append(_match_groups(pairs, rest_left, rest_right, left, right))
    i, j = (np.concatenate([pair[side] for pair in taken]) for side in (0, 1))
    i, j = _pair_leftovers(pairs, keys, i, j, (left, right))
    order = np.argsort(i, kind="stable")
    i, j = i[order], j[order]
    return RowMatch(i, j, _others(n, i), _others(m, j))


def _others(size: int, taken: Ints) -> Ints:
    free = np.ones(size, dtype=bool)
    free[taken] = False
    return np.flatnonzero(free)


def group_codes(columns: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    """Combine code columns into one dense code per row, equal exactly where all codes are equal."""
    n = len(columns[0][0])
    total = np.zeros(n + len(columns[0][1]), dtype=np.int64)
    span = 1
    for left, right in columns:
        code = np.concatenate([left, right])
        code = code - code.min(initial=0)
        width = int(code.max(initial=0)) + 1
        if span * width > 2**62:
            total = np.unique(total, return_inverse=True)[1].astype(np.int64)
            span = int(total.max(initial=0)) + 1
        total = total * width + code
        span *= width
    if span > 4 * len(total) + 1024:
        total = np.unique(total, return_inverse=True)[1].astype(np.int64)
    return total[:n], total[n:]


def _singles(left: Ints, right: Ints) -> tuple[Ints, Ints, Bools]:
    """Pair the groups with one row on each side; mark the codes of the groups that hold more."""
    size = int(max(left.max(initial=-1), right.max(initial=-1))) + 1
    counts = np.bincount(left, minlength=size), np.bincount(right, minlength=size)
    single = (counts[0] == 1) & (counts[1] == 1)
    shared = (counts[0] > 0) & (counts[1] > 0) & ~single
    where = np.zeros(size, dtype=np.int64)
    where[right] = np.arange(len(right))
    i = np.flatnonzero(single[left])
    return i, where[left[i]], shared


def _rows_equal(pairs: list[ColumnPair], i: Ints, j: Ints) -> Bools:
    same = np.ones(len(i), dtype=bool)
    for pair in pairs:
        at = np.flatnonzero(same)
        same[at] = pair.equal(i[at], j[at])
    return same


# ---- groups with several rows ----------------------------------------------------------------------------------------


def _match_groups(
    pairs: list[ColumnPair], rows_left: Ints, rows_right: Ints, left: Ints, right: Ints
) -> tuple[Ints, Ints]:
    """Return a maximum matching of equal rows inside groups of the same code.

    Where one column at most decides in a group, a sweep over its sorted values is a maximum matching. Elsewhere rows
    that are the same on both sides are paired first; only if that leaves a row over, all pairs of the group are looked
    at, since a row may have to give its twin away (0 and 0.8, 0 and -0.8 within 1).
    """
    columns = [(left[rows_left], right[rows_right])]
    columns += [(pair.clusters[0][rows_left], pair.clusters[1][rows_right]) for pair in pairs]
    group = group_codes(columns)
    by, several = deciding_columns(pairs, rows_left, rows_right, group)
    taken = [
        sweep(pair, rows_left[a], rows_right[b], group[0][a], group[1][b])
        for place, pair in enumerate(pairs)
        if len(a := np.flatnonzero((by[group[0]] == place) & ~several[group[0]]))
        and len(b := np.flatnonzero((by[group[1]] == place) & ~several[group[1]]))
    ]
    a, b = np.flatnonzero(several[group[0]]), np.flatnonzero(several[group[1]])
    if len(a) and len(b):
        taken.append(_match_twins_first(pairs, rows_left[a], rows_right[b], (group[0][a], group[1][b])))
    i, j = (np.concatenate([one[side] for one in taken] or [rows_left[:0]]) for side in (0, 1))
    same = _rows_equal(pairs, i, j)
    return i[same], j[same]


def _match_twins_first(
    pairs: list[ColumnPair], rows_left: Ints, rows_right: Ints, group: tuple[Ints, Ints]
) -> tuple[Ints, Ints]:
    size = int(max(group[0].max(), group[1].max())) + 1
    a, b = _twins(pairs, rows_left, rows_right, group)
    same = _rows_equal(pairs, rows_left[a], rows_right[b])
    a, b = a[same], b[same]
    rest_a, rest_b = _others(len(rows_left), a), _others(len(rows_right), b)
    more_i, more_j = _match_all(
        pairs, rows_left[rest_a], rows_right[rest_b], (group[0][rest_a], group[1][rest_b])
    )
    i, j = np.concatenate([rows_left[a], more_i]), np.concatenate([rows_right[b], more_j])
    code = np.zeros(int(rows_left.max()) + 1, dtype=np.int64)
    code[rows_left] = group[0]
    found = np.bincount(code[i], minlength=size)
    most = np.minimum(*(np.bincount(side, minlength=size) for side in group))
    done = found == most
    again_a, again_b = np.flatnonzero(~done[group[0]]), np.flatnonzero(~done[group[1]])
    kept = done[code[i]]
    again = _match_all(pairs, rows_left[again_a], rows_right[again_b], (group[0][again_a], group[1][again_b]))
    return np.concatenate([i[kept], again[0]]), np.concatenate([j[kept], again[1]])


def _twins(
    pairs: list[ColumnPair], rows_left: Ints, rows_right: Ints, group: tuple[Ints, Ints]
) -> tuple[Ints, Ints]:
    """Pair rows whose cells are the same, each with one row of the other side."""
    code = np.concatenate(group_codes([group, *(pair.sameness(rows_left, rows_right) for pair in pairs)]))
    n = len(rows_left)
    order = np.argsort(code, kind="stable")
    ordered = code[order]
    begin = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    left = np.bincount(ordered[order < n], minlength=int(ordered[-1]) + 1)
    right = np.bincount(ordered[order >= n], minlength=len(left))
    copies = np.minimum(left, right)[ordered[begin]]
    offset = np.arange(int(copies.sum())) - np.repeat(np.cumsum(copies) - copies, copies)
    start = (
        np.repeat(begin, copies) + offset
    )  # a stable order: the left rows of a code stand before the right ones
    skip = np.repeat(left[ordered[begin]], copies)
    return order[start], order[start + skip] - n


def _match_all(
    pairs: list[ColumnPair], rows_left: Ints, rows_right: Ints, group: tuple[Ints, Ints]
) -> tuple[Ints, Ints]:
    """Look at all pairs that may be equal, and return a maximum matching of those that are."""
    if not len(rows_left) or not len(rows_right):
        return rows_left[:0], rows_right[:0]
    dense = dense_groups(pairs, rows_left, rows_right, group)
    rest_left, rest_right = np.flatnonzero(~dense[group[0]]), np.flatnonzero(~dense[group[1]])
    taken = [
        _match_listed(
            pairs, rows_left[rest_left], rows_right[rest_right], (group[0][rest_left], group[1][rest_right])
        )
    ]
    order = tuple(np.argsort(side, kind="stable") for side in group)
    for code in np.flatnonzero(dense):
        left, right = (
            rows[by[slice(*np.searchsorted(side[by], [code, code + 1]))]]
            for rows, by, side in zip((rows_left, rows_right), order, group, strict=True)
        )
        taken.append(match_group(pairs, left, right))
    i, j = (np.concatenate([one[side] for one in taken]) for side in (0, 1))
    return i, j


def _match_listed(
    pairs: list[ColumnPair], rows_left: Ints, rows_right: Ints, group: tuple[Ints, Ints]
) -> tuple[Ints, Ints]:
    if not len(rows_left) or not len(rows_right):
        return rows_left[:0], rows_right[:0]
    kinds = _identical_rows(pairs, rows_left, rows_right, group)
    count = tuple(np.bincount(kind) for kind in kinds)
    first = tuple(np.unique(kind, return_index=True)[1] for kind in kinds)
    a, b = _expand(group[0][first[0]], group[1][first[1]], pairs, rows_left[first[0]], rows_right[first[1]])
    same = _rows_equal(pairs, rows_left[first[0]][a], rows_right[first[1]][b])
    a, b = a[same], b[same]
    flow = _flow(a, b, count[0], count[1])
    members = tuple(np.argsort(kind, kind="stable") for kind in kinds)
    starts = tuple(np.concatenate([[0], np.cumsum(n)])[:-1].astype(np.int64) for n in count)
    return tuple(  # type: ignore[return-value]
        rows[member[_deal(edge, flow, start)]]
        for rows, member, edge, start in zip((rows_left, rows_right), members, (a, b), starts, strict=True)
    )


def _identical_rows(
    pairs: list[ColumnPair], rows_left: Ints, rows_right: Ints, group: tuple[Ints, Ints]
) -> tuple[Ints, Ints]:
    """Give identical rows of a side the same number, so that copies are matched as one."""
    out = []
    for side, rows in ((0, rows_left), (1, rows_right)):
        columns = [(group[side], group[side][:0])]
        for pair in pairs:
            cells = pair.reference if side == 0 else pair.candidate
            codes = cells.identity(rows)
            columns.append((codes, codes[:0]))
        code = group_codes(columns)[0]
        out.append(np.unique(code, return_inverse=True)[1].astype(np.int64))
    return out[0], out[1]


def _expand(
    left: Ints, right: Ints, pairs: list[ColumnPair], rows_left: Ints, rows_right: Ints
) -> tuple[Ints, Ints]:
    """Return the pairs of distinct rows that may be equal: one group, close in the column that tells most apart."""
    windows = [(pair, *pair.window(rows_left, rows_right, left, right)) for pair in pairs]
    column, low, high, position = min(windows, key=lambda window: int((window[2] - window[1]).sum()))
    lengths = high - low
    if int(lengths.sum()) > MOST_PAIRS:
        raise InputError(
            f"{int(lengths.sum())} pairs of rows are within tolerance in {column.contract.name!r}, the column that "
            f"tells most rows apart; at most {MOST_PAIRS} are compared",
            hint="Declare a key in the output contract, or a finer precision.",
            reason="too_many_similar_rows",
        )
    a = np.repeat(np.arange(len(left)), lengths)
    offset = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return a, position[np.repeat(low, lengths) + offset]


def _flow(a: Ints, b: Ints, count_left: Ints, count_right: Ints) -> Ints:
    """Return how many copies go along each edge in a maximum matching of rows with multiplicity."""
    flow = np.zeros(len(a), dtype=np.int64)
    lonely = (np.bincount(a, minlength=len(count_left))[a] == 1) & (
        np.bincount(b, minlength=len(count_right))[b] == 1
    )
    flow[lonely] = np.minimum(count_left[a[lonely]], count_right[b[lonely]])
    hard = np.flatnonzero(~lonely)
    if len(hard):
        flow[hard] = _maximum_flow(a[hard], b[hard], count_left, count_right)
    return flow


def _maximum_flow(a: Ints, b: Ints, count_left: Ints, count_right: Ints) -> Ints:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    nodes_a, a = np.unique(a, return_inverse=True)
    nodes_b, b = np.unique(b, return_inverse=True)
    p, q = len(nodes_a), len(nodes_b)
    source, sink = p + q, p + q + 1
    heads = np.concatenate([np.full(p, source), a, p + np.arange(q)])
    tails = np.concatenate([np.arange(p), p + b, np.full(q, sink)])
    room = np.minimum(count_left[nodes_a][a], count_right[nodes_b][b])
    capacity = np.concatenate([count_left[nodes_a], room, count_right[nodes_b]]).astype(np.int32)
    graph = csr_array((capacity, (heads, tails)), shape=(p + q + 2, p + q + 2))
    result = maximum_flow(graph, source, sink).flow
    return np.asarray(result[a, p + b]).ravel().astype(np.int64)


def _deal(edge: Ints, flow: Ints, start: Ints) -> Ints:
    """Give each unit of flow its own copy of the row at the end of its edge."""
    ends = np.repeat(edge, flow)
    order = np.argsort(ends, kind="stable")
    ordered = ends[order]
    fresh = np.concatenate([[True], ordered[1:] != ordered[:-1]]) if len(ordered) else np.zeros(0, dtype=bool)
    begin = np.flatnonzero(fresh)
    run = np.arange(len(ordered)) - np.repeat(begin, np.diff(np.append(begin, len(ordered))))
    out = np.empty(len(ends), dtype=np.int64)
    out[order] = start[ordered] + run
    return out


# ---- rows that have no equal -----------------------------------------------------------------------------------------


def _pair_leftovers(
    pairs: list[ColumnPair], keys: list[ColumnPair], i: Ints, j: Ints, groups: tuple[Ints, Ints]
) -> tuple[Ints, Ints]:
    """Pair what is left so that the fewest cells differ: a wrong cell reads better than a lost and an extra row."""
    n, m = len(pairs[0].reference.state), len(pairs[0].candidate.state)
    left, right = _others(n, i), _others(m, j)
    if not len(left) or not len(right):
        return i, j
    codes = (groups[0][left], groups[1][right]) if keys else (np.zeros_like(left), np.zeros_like(right))
    most = len(pairs) if keys else len(pairs) // 2
    left, right = (
        rows[np.argsort(code, kind="stable")] for rows, code in zip((left, right), codes, strict=True)
    )
    sorted_codes = np.sort(codes[0]), np.sort(codes[1])
    for code in np.intersect1d(*codes):
        rows, columns = (
            side[slice(*np.searchsorted(order, [code, code + 1]))]
            for side, order in zip((left, right), sorted_codes, strict=True)
        )
        if len(rows) * len(columns) <= _MOST_ASSIGNED:
            added = _fewest_wrong_cells(pairs, keys, rows, columns, most)
            i, j = np.concatenate([i, added[0]]), np.concatenate([j, added[1]])
    return i, j


def _fewest_wrong_cells(
    pairs: list[ColumnPair], keys: list[ColumnPair], rows: Ints, columns: Ints, most: int
) -> tuple[Ints, Ints]:
    from scipy.optimize import linear_sum_assignment

    a, b = np.repeat(rows, len(columns)), np.tile(columns, len(rows))
    wrong = np.sum([~pair.equal(a, b) for pair in pairs], axis=0)
    wrong[~_rows_equal(keys, a, b)] = len(pairs) + 1  # another key is another row
    cost = wrong.reshape(len(rows), len(columns))
    at, to = linear_sum_assignment(cost)
    good = cost[at, to] <= most
    return rows[at[good]], columns[to[good]]
