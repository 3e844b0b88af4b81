"""Benchmarks of funds: the daily growth of their legs at the weights in force."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._funds_life import BOND_LEG, STOCKS
from finassay.world._blocks._funds_market import on_sessions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from finassay.world._blocks._funds_read import FundLife
    from finassay.world._blocks._indices import IndexQuotes
    from finassay.world._blocks._overseas import OverseasQuotes
    from finassay.world._numerics import Floats


def leg_growth(
    indices: Sequence[IndexQuotes], abroad: Sequence[OverseasQuotes], bonds: Floats
) -> dict[int, Floats]:
    """Return the daily growth of every index that may be a leg, by the vendor's number, over the window."""
    found = {index.inner: index.levels[:, 4] / index.levels[:, 0] - 1.0 for index in indices}
    for inner, level in [(BOND_LEG, bonds), *((quotes.inner, on_sessions(quotes)) for quotes in abroad)]:
        growth = np.zeros(level.size)
        growth[1:] = level[1:] / level[:-1] - 1.0
        found[inner] = growth
    return found


def benchmark_growth(lives: Sequence[FundLife], legs: dict[int, Floats]) -> Iterator[tuple[FundLife, Floats]]:
    """Yield the funds that hold stocks, with the growth of their benchmark on every session but their first."""
    for life in lives:
        if not STOCKS[life.opened.kind] or life.stop - life.first < 2:
            continue
        growth = np.zeros(life.stop - life.first - 1)
        for at, weights in life.benchmarks:
            start = max(0, at - life.first - 1)
            growth[start:] = 0.0
            for inner, weight in weights:
                growth[start:] += legs[inner][life.first + 1 + start : life.stop] * (weight / 100.0)
        yield life, growth
