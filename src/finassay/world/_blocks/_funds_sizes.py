"""Sizes of funds at quarter ends: returns and flows; departures of managers cost flows (world.md, 2.4 and 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._columns import Columns, joined
from finassay.world._blocks._funds_market import quarter_positions
from finassay.world._calendar import quarter_ends
from finassay.world._numerics import Floats, exp, log
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._funds_market import Ints
    from finassay.world._blocks._funds_read import ClassLife, FundLife

MEDIAN, SPREAD = (
    19.96,
    1.69,
)  # of the log of net assets in yuan that a fund tends to; 18.8% are below 50 million (F1)
MEMORY = 0.97  # a quarter
FLOW, FLOW_SCALE = (
    -0.02,
    0.060,
)  # median, and scale of t with three degrees: IQR of the change -8.3 to 4.3% (F1)
DEPARTURE = -0.06  # log flow in the quarter of a departure and the next one
WINDING_UP = -0.25  # in each of the last four quarters
SMALLEST = 200_000_000  # fen
REVISED = 0.01  # of sizes are recorded again (task_families.md, 5)


@dataclass(frozen=True)
class SizeBook(Columns):
    """Net assets per share class and quarter end, ordered by class, quarter and version.

    Attributes
    ----------
    fund, entity, quarter : numpy.ndarray of int64
        Position of the fund, share class, position of the quarter.
    net, combined : numpy.ndarray of int64
        Fen, of the class and of all classes; the classes sum up to `combined` exactly.
    first_net, first_combined : numpy.ndarray of int64
        The same as first recorded.
    revised : numpy.ndarray of int64
        Days after which the right ones are recorded; 0 where they are right from the start.
    total : numpy.ndarray of int64
        (fund, quarter) net assets in fen, 0 where the fund does not live.
    """

    fund: Ints
    entity: Ints
    quarter: Ints
    net: Ints
    combined: Ints
    first_net: Ints
    first_combined: Ints
    revised: Ints
    total: Ints


def fund_sizes(seed: int, fund: int, life: FundLife, value: Floats) -> SizeBook:
    """Return the sizes of a fund; `value` is its net value per session of its life."""
    ends = np.array(quarter_positions())
    rng = stream(seed, Purpose.FUND_SIZE, life.entity)
    z, shocks, shares, u = (
        rng.standard_normal(2),
        rng.standard_t(3.0, ends.size),
        rng.random(6),
        rng.random((2, ends.size)),
    )
    quarters = np.flatnonzero((ends < life.stop) & (ends >= life.first))
    total = np.zeros(ends.size, dtype=np.int64)
    total[quarters] = _path(life, value, quarters, ends, z, shocks)
    rows = [
        (part.entity, quarter, split)
        for quarter in quarters
        for part, split in _classes(life, int(total[quarter]), int(ends[quarter]), shares)
    ]
    entity = np.array([row[0] for row in rows], dtype=np.int64)
    quarter = np.array([row[1] for row in rows], dtype=np.int64)
    net = np.array([row[2] for row in rows], dtype=np.int64)
    order = np.lexsort((quarter, entity))
    entity, quarter, net = entity[order], quarter[order], net[order]
    revised = np.where(u[0][quarter] < REVISED, 5 + (u[1][quarter] * 55).astype(np.int64), 0)
    wrong = np.where(revised > 0, np.where(quarter % 3 == 0, 0.95, 1.06), 1.0)
    combined = total[quarter]
    return SizeBook(
        np.full(entity.size, fund),
        entity,
        quarter,
        net,
        combined,
        np.rint(net * wrong).astype(np.int64),
        np.rint(combined * wrong).astype(np.int64),
        revised,
        total[None, :],
    )


def joined_sizes(parts: list[SizeBook]) -> SizeBook:
    """Return the sizes of several funds as one book."""
    if not parts:
        empty = np.zeros(0, dtype=np.int64)
        none = np.zeros((0, len(quarter_ends())), dtype=np.int64)
        return SizeBook(empty, empty, empty, empty, empty, empty, empty, empty, none)
    return joined(parts)


def _path(life: FundLife, value: Floats, quarters: Ints, ends: Ints, z: Floats, shocks: Floats) -> Ints:
    """Let log net assets revert to the fund's own level, moved by its return and by flows."""
    if not quarters.size:
        return np.zeros(0, dtype=np.int64)
    level = log(value[ends[quarters] - life.first])
    target = MEDIAN + SPREAD * float(z[0]) + FLOW / (1.0 - MEMORY) * (0.0 if life.young else 0.5)
    now = target + (0.0 if life.young else 0.53 * float(z[1]))
    path = np.empty(quarters.size)
    left = [high for _, _, high in life.managers if high < life.stop]
    for n, quarter in enumerate(quarters):
        back = int(ends[quarter - 1]) if quarter else 0
        earned = 0.5 * float(level[n] - level[n - 1]) if n else 0.0
        gone = sum(back - 61 <= high <= int(ends[quarter]) for high in left)
        ending = WINDING_UP if life.stop - int(ends[quarter]) < 243 and life.stop < int(ends[-1]) else 0.0
        now += (
            (1.0 - MEMORY) * (target - now)
            + FLOW
            + FLOW_SCALE * max(-12.0, min(12.0, float(shocks[quarter])))
            + earned
            + DEPARTURE * min(gone, 2)
            + ending
        )
        path[n] = now
    return np.maximum(SMALLEST, np.rint(exp(np.minimum(path, 27.5)) * 100)).astype(np.int64)


def _classes(life: FundLife, total: int, at: int, u: Floats) -> list[tuple[ClassLife, int]]:
    """Split the whole among the classes open by then; the main one takes what is left to the fen."""
    others = [(n, part) for n, part in enumerate(life.classes) if n and part.first <= at]
    found = []
    left = total
    for n, part in others:
        grown = min(1.0, (at - part.first + 20) / 400)
        share = int(total * (0.06 + (0.44 if n == 1 else 0.2) * float(u[n])) * grown)
        found.append((part, share))
        left -= share
    return [(life.classes[0], left), *found]
