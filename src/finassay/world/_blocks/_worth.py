"""What a share is worth by its company's books, and how prices are drawn towards it.

Returns alone would carry prices away from the books without limit. A pull of .2% of the distance a session, two fifths
of it in a year, is too slow to be seen among daily moves, and keeps the ratios of price to book and to earnings as they
are from one year to the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._market import window
from finassay.world._blocks._periods import QUARTERS, period_end, quarter_of
from finassay.world._calendar import sessions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from finassay.world._blocks._prices import ExRight, Ints
    from finassay.world._blocks._universe import Issuer
    from finassay.world._numerics import Floats

PULL = 0.002  # of the distance, per session
_MOST = 0.01  # in a session
_LEAST = 300.0  # fen a share: what a listing alone is worth (assumed; shells were bought for more)


def fair_prices(issuers: Sequence[Issuer], worth: Floats, rights: Sequence[ExRight]) -> Floats:
    """Return what a share is worth on each session, in fen, (sessions, F).

    Of the books of the last quarter but one at the start of a quarter, of the last at its end: as they become known.
    """
    first, stop = window()
    days = sessions().days[first:stop]
    quarters = np.array([quarter_of(day) for day in days])
    starts = [period_end(int(q) - 1) for q in quarters]
    spans = [(period_end(int(q)) - start).days for q, start in zip(quarters, starts, strict=True)]
    part = np.array([(day - start).days for day, start in zip(days, starts, strict=True)]) / np.array(spans)
    at = np.clip(quarters - 1, 1, QUARTERS - 1)
    whole = worth[:, at - 1] + (worth[:, at] - worth[:, at - 1]) * part
    fair: Floats = np.maximum(whole.T / outstanding(issuers, rights, stop - first), _LEAST)
    return fair


def outstanding(issuers: Sequence[Issuer], rights: Sequence[ExRight], length: int) -> Floats:
    """Return the shares of each session as bonus shares and rights issues make them, (sessions, F)."""
    found: Floats = np.ones((length, len(issuers))) * np.array([issuer.shares for issuer in issuers])
    for right in sorted(rights, key=lambda right: right.ex):
        if 0 <= right.ex < length and right.bonus:
            column = found[right.ex :, right.column]
            column[:] = np.rint(column * (10 + right.bonus) / 10)
    return found


def pull(fair: Floats, price: Ints | Floats) -> Floats:
    """Return the simple return by which prices are drawn to what shares are worth.

    Twice the hyperbolic sine of half the log distance: the farther away, the more than in proportion.
    """
    drawn: Floats = np.clip(PULL * (fair - price) / np.sqrt(fair * price), -_MOST, _MOST)
    return drawn
