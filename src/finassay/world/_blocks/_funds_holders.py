"""Who holds a fund at half-years: institutions and individuals by class, and investors above a fifth of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._calendar import quarter_ends
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._funds_market import Ints

ENTERS, LEAVES = 0.07, 0.22  # a large holder, at a half-year
MOSTLY_INSTITUTIONS = 0.35  # of classes


@dataclass(frozen=True)
class LargeHolders:
    """Investors above a fifth of a fund, per quarter end (row) and slot (column): ratio in 1e-4 percent, 0 for none.

    `nature` is 1 for institutions, 2 individuals, 3 products; `split` tells records in two periods.
    """

    ratio: Ints
    nature: Ints
    split: Ints


def holder_structure(seed: int, entity: int) -> tuple[Floats, Floats]:
    """Return per quarter end the institutions' share of a class (0 to 1), and the units of a mean account."""
    rng = stream(seed, Purpose.FUND_HOLDER, entity)
    u, z = rng.random(3), rng.standard_normal((2, len(quarter_ends())))
    base = 0.62 + 0.37 * float(u[1]) if u[0] < MOSTLY_INSTITUTIONS else 0.35 * float(u[1] * u[1])
    walk = np.cumsum(0.03 * z[0])
    share = np.clip(base + walk * min(base, 1.0 - base + 0.02) * 4, 0.0, 0.9999)
    mean = exp(9.2 + 1.0 * (float(u[2]) - 0.5) * 3 + 5.5 * share + np.cumsum(0.03 * z[1]))
    return share, mean


def large_holders(seed: int, entity: int) -> LargeHolders:
    """Draw the large holders of a fund: up to three, who enter, stay for some reports and leave."""
    rng = stream(seed, Purpose.FUND_HOLDER, entity, 1)
    quarters = len(quarter_ends())
    u, natures, splits = rng.random((quarters, 3)), rng.random(3), rng.random((quarters, 3))
    sizes = rng.random((quarters, 3))
    ratio, inside = np.zeros((quarters, 3), dtype=np.int64), np.zeros(3, dtype=bool)
    for quarter in range(0, quarters, 2):
        inside = np.where(inside, u[quarter] >= LEAVES, u[quarter] < ENTERS * np.array([2.0, 1.0, 0.5]))
        room = 98.0
        for slot in np.flatnonzero(inside):
            size = 20.0 + 55.0 * float(sizes[quarter, slot] ** 2)
            if size < room:
                ratio[quarter, slot] = round(size * 10_000)
                room -= size
    nature = np.where(natures < 0.75, 1, np.where(natures < 0.85, 2, 3)).astype(np.int64)
    return LargeHolders(ratio, nature, (splits < 0.1).astype(np.int64))
