"""The statements of the parent company alone: no minority, no goodwill, subsidiaries at cost (world.md, 3.5).

The parent keeps a share of every item; what it put into its subsidiaries is their cost. Consolidated figures less
these are the sum of the subsidiaries less what is eliminated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._statement_items import (
    ASSETS,
    FLOW,
    LIABILITIES,
    STOCK,
    Figures,
)

if TYPE_CHECKING:
    from finassay.world._blocks._prices import Ints
    from finassay.world._numerics import Floats

_OWN = ("PAIDINCAPITAL", "CAPITALRESERVEFUND", "SURPLUSRESERVEFUND")
_NONE = ("GOODWILL", "MINORITYINTERESTS", "OTHERCOMPOSITEINCOME")
_WHOLE = ("DIVIDENDS", "APPROPRIATION", "BONUS")
_ABSENT = ("MINORITYPROFIT", "MINORITYDIVIDENDS", "GOODWILLLOSS")


def parent_of(group: Figures, share: Floats, kept: Ints) -> Figures:
    """Return the parent's statements from the consolidated ones.

    Parameters
    ----------
    group : Figures
        Consolidated, N rows.
    share : numpy.ndarray of float64
        (N,), the parent's own share of the business.
    kept : numpy.ndarray of int64
        (N,), profits that the subsidiaries were founded with, in fen: part of their cost.
    """
    stocks, opening = _balance(group.stocks, share, kept), _balance(group.opening, share, kept)
    flows = np.rint(group.flows * share[:, None]).astype(np.int64)
    for name in _WHOLE:
        flows[:, FLOW[name]] = group.flows[:, FLOW[name]]
    for name in _ABSENT:
        flows[:, FLOW[name]] = 0
    flows[:, FLOW["IMPAIRMENT"]] -= np.rint(group.flow("GOODWILLLOSS") * share).astype(np.int64)
    retained = stocks[:, STOCK["RETAINEDPROFIT"]] - opening[:, STOCK["RETAINEDPROFIT"]]
    profit = retained + group.flow(*_WHOLE)
    # Dividends of the subsidiaries bring the profit to what retained earnings say
    flows[:, FLOW["INVESTINCOME"]] += profit - Figures(flows, stocks, opening).net_profit
    return Figures(flows, stocks, opening)


def _balance(group: Ints, share: Floats, kept: Ints) -> Ints:
    own = np.rint(group * share[:, None]).astype(np.int64)
    for name in _OWN:
        own[:, STOCK[name]] = group[:, STOCK[name]]
    for name in _NONE:
        own[:, STOCK[name]] = 0
    paid = group[:, STOCK["PAIDINCAPITAL"]] + group[:, STOCK["CAPITALRESERVEFUND"]]
    own[:, STOCK["LONGTERMEQUITYINVEST"]] += paid - np.rint(paid * share).astype(np.int64) + kept
    assets = np.sum(own[:, [STOCK[name] for name in ASSETS]], axis=1)
    owed = np.sum(own[:, [STOCK[name] for name in LIABILITIES]], axis=1)
    others = np.sum(own[:, [STOCK[name] for name in _OWN]], axis=1)
    own[:, STOCK["RETAINEDPROFIT"]] = assets - owed - others
    return own
