"""Funds of funds: which funds they hold at the end of each quarter, and what that earns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._funds_market import quarter_positions
from finassay.world._blocks._funds_universe import MONEY
from finassay.world._draws import uniform
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from finassay.world._blocks._funds_market import Ints
    from finassay.world._blocks._funds_read import FundLife

FUNDS, SEASONED = 12, 60  # held; sessions since establishment
INVESTED = 0.88  # of net assets
_OTHER_CLASS = 0.35  # of holdings are of another class than the main one
_STAYS = 0.75  # from quarter to quarter


@dataclass(frozen=True)
class FundsHeld:
    """Funds held at quarter ends: entity of the holder, quarter, rank from 1, number of the class held, weight.

    `weight` counts millionths of net assets.
    """

    holder: Ints
    quarter: Ints
    rank: Ints
    inner: Ints
    weight: Ints


def fund_of_funds(
    seed: int, lives: list[FundLife], values: Mapping[int, tuple[FundLife, Floats]]
) -> tuple[FundsHeld, dict[int, Floats]]:
    """Return what funds of funds hold, and their daily returns before fees.

    Parameters
    ----------
    seed : int
        The world's.
    lives : list of FundLife
        The funds of funds.
    values : mapping
        By entity the other funds and their values per session of their lives.
    """
    columns: list[list[int]] = [[], [], [], [], []]
    moves = {}
    for life in lives:
        moves[life.entity] = _one(seed, life, values, columns)
    return FundsHeld(*(np.array(column, dtype=np.int64) for column in columns)), moves


def _one(
    seed: int, life: FundLife, values: Mapping[int, tuple[FundLife, Floats]], columns: list[list[int]]
) -> Floats:
    ends = quarter_positions()
    draws = stream(seed, Purpose.FUND_PICK, life.entity).random((len(ends) + 1, 2, 4 * FUNDS))
    moves = np.zeros(life.stop - life.first)
    start, names = life.first, list[int]()
    for quarter, end in enumerate(ends):
        stop = min(end, life.stop - 1)
        if stop <= start:
            continue
        names = _chosen(values, names, (start, stop), draws[quarter, 0], (seed, life.entity << 8 | quarter))
        if names:
            slots = exp(-0.06 * np.arange(len(names)))
            weights = INVESTED * slots / np.sum(slots)
            paths = [
                values[name][1][start - values[name][0].first : stop + 1 - values[name][0].first]
                for name in names
            ]
            parts = np.stack([w * path / path[0] for w, path in zip(weights, paths, strict=True)])
            total = np.sum(parts, axis=0) + (1.0 - INVESTED)
            moves[start + 1 - life.first : stop + 1 - life.first] = total[1:] / total[:-1] - 1.0
            if stop == end:
                _listed(
                    life, quarter, names, values, parts[:, -1] / total[-1], draws[quarter, 1], end, columns
                )
        start = stop
    return moves


def _chosen(
    values: Mapping[int, tuple[FundLife, Floats]],
    names: list[int],
    span: tuple[int, int],
    draws: Floats,
    key: tuple[int, int],
) -> list[int]:
    """Keep most and fill up, out of the funds that are seasoned and do not end within the quarter.

    Each fund has a draw of its own for the choice, whose seed and salt are the key: without it only those change that
    held it.
    """
    start, stop = span

    def fits(entity: int) -> bool:
        life = values[entity][0]
        return life.first + (SEASONED if life.young else 0) <= start and life.stop > stop + 1

    free = [entity for entity in values if fits(entity) and values[entity][0].opened.kind != MONEY]
    kept = [name for n, name in enumerate(names) if fits(name) and draws[n] < _STAYS]
    order = np.argsort(uniform(key[0], np.array(free, dtype=np.int64), key[1]), kind="stable")
    fresh = [free[n] for n in order.tolist() if free[n] not in kept]
    return kept + fresh[: FUNDS - len(kept)]


def _listed(
    life: FundLife,
    quarter: int,
    names: list[int],
    values: Mapping[int, tuple[FundLife, Floats]],
    weights: Floats,
    draws: Floats,
    at: int,
    columns: list[list[int]],
) -> None:
    order = sorted(range(len(names)), key=lambda n: (-float(weights[n]), names[n]))
    for rank, n in enumerate(order, start=1):
        open_classes = [part for part in values[names[n]][0].classes if part.first <= at]
        other = len(open_classes) > 1 and draws[names[n] // 4 % draws.size] < _OTHER_CLASS
        inner = open_classes[1 if other else 0].payload.inner
        row = (life.entity, quarter, rank, inner, round(float(weights[n]) * 1e6))
        for column, item in zip(columns, row, strict=True):
            column.append(item)
