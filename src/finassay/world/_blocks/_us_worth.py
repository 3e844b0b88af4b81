"""What US stocks are worth by their companies' books; prices are drawn there as the Chinese ones are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._us_market import us_window
from finassay.world._blocks._us_statements import PLACE, QUARTERS, RERATED, period_ends
from finassay.world._calendar import sessions
from finassay.world._numerics import exp

if TYPE_CHECKING:
    from finassay.world._blocks._us_statements import Statements
    from finassay.world._blocks._us_universe import UsIssuer
    from finassay.world._numerics import Floats

_TILT, _TILTED, _USUAL_MARGIN = (
    4.0,
    0.5,
    0.05,
)  # log of price to sales per unit of net margin, at most; usual margin
_CHEAPEST, _DEAREST = 0.7, 14.0  # price to book
_THIN = 0.10  # of assets: equity is counted as no less
_KNOWN = 60  # days after a quarter's end by which it is in the price


def us_fair_prices(issuers: tuple[UsIssuer, ...], statements: Statements) -> Floats:
    """Return what a stock is worth on each session, in dollars a share as of the start, (sessions, companies)."""
    first, stop = us_window()
    days = sessions("XNYS").array[first:stop]
    out = np.empty((stop - first, len(issuers)))
    worth = _worth(issuers, statements)
    years = (days - days[0]).astype(np.int64) / 365.25
    for n, issuer in enumerate(issuers):
        ends = np.array(period_ends(issuer.year_end), dtype="datetime64[D]") + np.timedelta64(_KNOWN, "D")
        at = np.clip(np.searchsorted(ends, days, side="right") - 1, 0, QUARTERS - 2)
        since, length = ((day - ends[at]).astype(np.int64) for day in (days, ends[at + 1]))
        part = np.clip(since / length, 0.0, 1.0)
        level = worth[n, at] + (worth[n, at + 1] - worth[n, at]) * part
        # The statements count shares from the first quarter on, quotes those of the listing
        start = at[min(int(np.searchsorted(days, np.datetime64(issuer.listed))), days.size - 1)]
        shares = issuer.shares * statements.shares[n, at] / statements.shares[n, start]
        out[:, n] = 1000.0 * level / shares * exp(RERATED * years)
    return out


def _worth(issuers: tuple[UsIssuer, ...], statements: Statements) -> Floats:
    """Return worth in thousands per company and quarter: a year's sales, the more so the more is earned on them."""

    def of(name: str) -> Floats:
        found: Floats = statements.values[PLACE[name]].astype(np.float64)
        return found

    def year(values: Floats) -> Floats:
        sums = np.cumsum(values, axis=1)
        found: Floats = sums.copy()
        found[:, 4:] = sums[:, 4:] - sums[:, :-4]
        found[:, :4] = sums[:, :4] * (4.0 / np.arange(1, 5))
        return found

    sales = np.maximum(year(of("Revenues")), 1.0)
    margin = year(of("NetIncomeLoss")) / sales
    multiple = np.array([issuer.price * issuer.shares / issuer.revenue for issuer in issuers])
    worth = multiple[:, None] * sales * exp(np.clip(_TILT * (margin - _USUAL_MARGIN), -_TILTED, _TILTED))
    book = np.maximum(of("StockholdersEquity"), _THIN * of("Assets"))
    bounded: Floats = np.clip(worth, _CHEAPEST * book, _DEAREST * book)
    return bounded
