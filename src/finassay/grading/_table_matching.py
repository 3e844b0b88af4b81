"""Large groups of similar rows: a maximum matching that keeps one bit per pair of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.grading._table_pairs import NumberPair
from finassay.grading._table_sweep import trim

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from finassay.grading._table_pairs import ColumnPair

    Ints = np.ndarray[Any, np.dtype[np.int64]]
    Bools = np.ndarray[Any, np.dtype[np.bool_]]

_FEW_PAIRS = 2_000  # so few are cheaper to list
_SPARSE = 500  # a pair that is listed costs as much as some 500 bits
MOST_BITS = 4_000_000_000
"""Bits kept at once, half a gigabyte: a group of 44,000 rows on each side."""


def dense_groups(
    pairs: Sequence[ColumnPair], rows_left: Ints, rows_right: Ints, group: tuple[Ints, Ints]
) -> Bools:
    """Say which groups have so many pairs of rows within tolerance that bits are cheaper than a list of them."""
    size = int(max(group[0].max(), group[1].max())) + 1
    n, m = (np.bincount(side, minlength=size).astype(np.float64) for side in group)
    close = np.full(size, np.inf)
    for pair in pairs:
        low, high, _ = pair.window(rows_left, rows_right, *group)
        close = np.minimum(close, np.bincount(group[0], weights=high - low, minlength=size))
    return np.asarray((close > _FEW_PAIRS) & (close > n * m / _SPARSE) & (m * (n + m) <= MOST_BITS))


def match_group(pairs: Sequence[ColumnPair], rows_left: Ints, rows_right: Ints) -> tuple[Ints, Ints]:
    """Return a maximum matching of the equal rows of one group, whose rows have the same `clusters`."""
    i = rows_left[np.argsort(pairs[0].ordering(0, rows_left), kind="stable")]
    j = rows_right[np.argsort(pairs[0].ordering(1, rows_right), kind="stable")]
    neighbours = [(1 << len(j)) - 1] * len(i)
    for pair in pairs:
        equal = _in_window(pair, i, j) if isinstance(pair, NumberPair) else _by_code(pair, i, j)
        neighbours = [known & more for known, more in zip(neighbours, equal, strict=True)]
    mates = np.array(maximum_matching(neighbours, len(j)), dtype=np.int64)
    paired = np.flatnonzero(mates >= 0)
    return i[paired], j[mates[paired]]


def _in_window(pair: NumberPair, i: Ints, j: Ints) -> Iterator[int]:
    """Per row of the left the equal cells of the right, as bits: what stands between two places of the sorted cells."""
    low, high, position = pair.window(i, j, np.zeros_like(i), np.zeros_like(j))
    low, high = trim(pair, i, j[position], low, high)
    first = [0]  # the bits of the first k cells
    for place in position.tolist():
        first.append(first[-1] | 1 << place)
    return (first[max(a, b)] ^ first[a] for a, b in zip(low.tolist(), high.tolist(), strict=True))


def _by_code(pair: ColumnPair, i: Ints, j: Ints) -> Iterator[int]:
    """Per row of the left the equal cells of the right, as bits, for cells that have codes."""
    left, right = pair.sameness(i, j)
    first = tuple(np.unique(codes, return_index=True)[1] for codes in (left, right))
    rows = dict.fromkeys(right[first[1]].tolist(), 0)
    for place, code in enumerate(right.tolist()):
        rows[code] |= 1 << place
    equal: dict[int, int] = {}
    for at in first[0]:
        same = pair.equal(np.full(len(first[1]), i[at]), j[first[1]])
        equal[int(left[at])] = sum(rows[int(code)] for code in right[first[1][same]])
    return (equal[code] for code in left.tolist())


def maximum_matching(neighbours: Sequence[int], size: int) -> list[int]:
    """Return for each left node the right node it is paired with, or -1, in a maximum matching.

    The algorithm of Hopcroft and Karp (1973, SIAM J. Comput. 2:225-231): in each round, the shortest augmenting paths,
    as many as have no node in common. Here the bits of an integer are a set of right nodes, `neighbours` of each left
    one.
    """
    left, right = [-1] * len(neighbours), [-1] * size
    free = (1 << size) - 1
    while layers := _layers(neighbours, left, right, free):
        for start in [node for node, mate in enumerate(left) if mate < 0]:
            path = _path(neighbours, right, layers, start)
            for node, mate in path:
                left[node], right[mate] = mate, node
            if path:
                free ^= 1 << path[-1][1]
    return left


def _layers(neighbours: Sequence[int], left: list[int], right: list[int], free: int) -> list[int]:
    """Return the right nodes at each distance from the free left ones, up to the first free ones; none if none are."""
    unseen = (1 << len(right)) - 1
    front = [node for node, mate in enumerate(left) if mate < 0]
    layers: list[int] = []
    while front:
        reached = 0
        for node in front:
            reached |= neighbours[node]
        reached &= unseen
        if reached & free:
            return [*layers, reached & free]
        layers.append(reached)
        unseen ^= reached
        front = [right[mate] for mate in _places(reached)]
    return []


def _places(bits: int) -> list[int]:
    octets = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(octets, bitorder="little")).tolist()


def _path(
    neighbours: Sequence[int], right: list[int], layers: list[int], start: int
) -> list[tuple[int, int]]:
    """Return an augmenting path through the layers as pairs to be made; nodes that were tried leave the layers."""
    nodes, mates = [start], list[int]()
    while nodes:
        layer = len(mates)
        options = neighbours[nodes[-1]] & layers[layer]
        if not options:
            nodes.pop()
            mates = mates[:-1]
            continue
        bit = options & -options
        layers[layer] ^= bit
        mates.append(bit.bit_length() - 1)
        if len(mates) == len(layers):
            return list(zip(nodes, mates, strict=True))
        nodes.append(right[mates[-1]])
    return []
