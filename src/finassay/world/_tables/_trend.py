"""cs_intensitytrendadj: indicators of trend and strength on backward adjusted prices, a row per share and trading day.

A share's own trading days count, so halts leave no gap. Windows are NULL until they are full.
"""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._market import window
from finassay.world._calendar import sessions
from finassay.world._tables._quotes import daily_columns
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from finassay.world._blocks._prices import Flags, Ints, Quotes
    from finassay.world._numerics import Floats

Array = npt.NDArray[Any]
FIRST = date(
    2021, 1, 4
)  # the vendor keeps the table from here on; what it is computed from goes further back
CSI300 = 3001
_AVERAGES = (5, 10, 20, 30, 60, 120, 250)
_PLACES = {83: "SH", 90: "SZ", 18: "BJ"}
_SHARES = 64  # that are worked on at a time
_DAILY = 1  # cycle
_TICKS = 10_000.0  # of a yuan
_IN_YUAN = {f"MA{n}" for n in _AVERAGES} | {
    *("BBI", "DMA_DMA", "DMA_AMA", "EXPMA12", "EXPMA26", "MACD_DIFF", "MACD_DEA", "MACD_MACD"),
    *("MTM_MTM", "MTM_MTMMA", "TRIX_TR"),
}


def cs_intensitytrendadj(view: View) -> Iterator[pa.Table]:
    """Yield indicators of the daily cycle, shares whole."""
    spec, world = view.catalog.table("cs_intensitytrendadj"), view.world
    inner, market = (
        np.array([0, *(getattr(issuer, name) for issuer in world.issuers)]) for name in ("inner", "market")
    )
    codes = np.array(
        ["", *(f"{issuer.code}.{_PLACES[issuer.market]}" for issuer in world.issuers)], dtype=object
    )
    index = next(quotes.levels for quotes in world.indices if quotes.inner == CSI300)
    last = np.datetime64(view.snapshot)
    quotes = world.quotes
    seen = np.flatnonzero(quotes.traded & (sessions().array[quotes.session] <= last))
    places = np.searchsorted(quotes.entity[seen], np.arange(1, len(world.issuers) + _SHARES + 1, _SHARES))
    yield arrow_table(spec, {}, 0)
    for start, stop in pairwise(places.tolist()):
        part = quotes.take(seen[start:stop])
        kept = sessions().array[part.session] >= np.datetime64(FIRST)
        if kept.any():
            values = _indicators(part, index)
            entity, session = part.entity[kept], part.session[kept]
            columns = {name: column[kept] for name, column in values.items()}
            columns |= {
                "INNERCODE": inner[entity],
                "GILCODE": codes[entity],
                "INDEXCYCLE": np.full(entity.size, _DAILY),
                "SECUMARKET": market[entity],
                **daily_columns(view, "cs_intensitytrendadj", entity, session),
            }
            yield arrow_table(spec, columns, entity.size)


class _Grid:
    """Values of shares side by side: the k-th trading day of each in row k; below a share's last day, ones."""

    def __init__(self, entity: Ints) -> None:
        first = np.searchsorted(entity, entity)
        self._row = np.arange(entity.size) - first
        self._column = np.unique(entity, return_inverse=True)[1]
        self.shape = (int(self._row.max()) + 1, int(self._column.max()) + 1)

    def spread(self, flat: Floats) -> Floats:
        out = np.ones(self.shape)
        out[self._row, self._column] = flat
        return out

    def flat(self, grid: Floats) -> Floats:
        values: Floats = grid[self._row, self._column]
        return values


def _indicators(q: Quotes, index: Floats) -> dict[str, Floats]:
    grid = _Grid(q.entity)
    # Whole ten thousandths of a yuan, as in qt_performancedata: sums and differences are exact
    opened, high, low, close = (
        grid.spread(np.rint(p * q.factor * 100)) for p in (q.open, q.high, q.low, q.close)
    )
    day = index[q.session - window()[0]]
    rose, fell = (grid.spread(np.where(sign * (day[:, 4] - day[:, 1]) > 0, 1.0, 0.0)) for sign in (1, -1))
    found = {f"MA{n}": mean(close, n) for n in _AVERAGES}
    found |= _smoothed(close)
    found |= _movement(high, low, close)
    found |= _deviation(high, low)
    found |= _against(close > opened, close < opened, rose, fell)
    found |= _bottoming(close)
    found["BBI"] = (mean(close, 3) + mean(close, 6) + mean(close, 12) + mean(close, 24)) / 4.0
    found["DMA_DMA"] = mean(close, 10) - mean(close, 50)
    found["DMA_AMA"] = mean(found["DMA_DMA"], 10, 49)
    found["MTM_MTM"] = close - before(close, 12)
    found["MTM_MTMMA"] = mean(found["MTM_MTM"], 6, 12)
    found["PRICEOSC"] = 100.0 * (mean(close, 12) - mean(close, 26)) / mean(close, 12)
    return {name: grid.flat(values) / (_TICKS if name in _IN_YUAN else 1.0) for name, values in found.items()}


def before(values: Floats, rows: int) -> Floats:
    """Return what values were so many trading days before, NaN at first."""
    out = np.full_like(values, np.nan)
    out[rows:] = values[:-rows] if rows < values.shape[0] else values[:0]
    return out


def total(values: Floats, rows: int, empty: int = 0) -> Floats:
    """Return sums over a window of rows, NaN until it is full; the first `empty` rows of the values do not count."""
    sums = np.zeros((values.shape[0] + 1, values.shape[1]))
    np.cumsum(np.where(np.arange(values.shape[0])[:, None] < empty, 0.0, values), axis=0, out=sums[1:])
    out = np.full_like(values, np.nan)
    out[rows - 1 :] = sums[rows:] - sums[:-rows] if rows <= values.shape[0] else values[:0]
    out[: empty + rows - 1] = np.nan
    return out


def mean(values: Floats, rows: int, empty: int = 0) -> Floats:
    """Return the mean of the same."""
    return total(values, rows, empty) / rows


def _smoothed(close: Floats) -> dict[str, Floats]:
    """Return what is smoothed exponentially: a day's weight is 2 / (n + 1), from the first close on."""
    names = ("EXPMA12", "EXPMA26", "MACD_DEA", "TRIX_TR")
    fast, slow, signal, triple = (np.empty_like(close) for _ in names)
    a, b = close[0].copy(), close[0].copy()
    c, twice, thrice = np.zeros_like(a), a.copy(), a.copy()
    for t in range(close.shape[0]):
        a = (2.0 * close[t] + 11.0 * a) / 13.0
        b = (2.0 * close[t] + 25.0 * b) / 27.0
        c = (2.0 * (a - b) + 8.0 * c) / 10.0
        twice = (2.0 * a + 11.0 * twice) / 13.0
        thrice = (2.0 * twice + 11.0 * thrice) / 13.0
        fast[t], slow[t], signal[t], triple[t] = a, b, c, thrice
    difference = fast - slow
    trix = 100.0 * (triple / before(triple, 1) - 1.0)
    return {
        **dict(zip(names, (fast, slow, signal, triple), strict=True)),
        "MACD_DIFF": difference,
        "MACD_MACD": 2.0 * (difference - signal),
        "TRIX_TRIX": trix,
        "TRIX_TRMA": mean(trix, 20, 1),
    }


def _movement(high: Floats, low: Floats, close: Floats) -> dict[str, Floats]:
    """Wilder's directional movement over 14 days, with sums; the average over 6."""
    last = before(close, 1)
    up, down = high - before(high, 1), before(low, 1) - low
    true = np.maximum(np.maximum(high - low, np.abs(high - last)), np.abs(last - low))
    width = total(true, 14, 1)
    plus = 100.0 * _over(total(np.where((up > 0) & (up > down), up, 0.0), 14, 1), width)
    minus = 100.0 * _over(total(np.where((down > 0) & (down > up), down, 0.0), 14, 1), width)
    gap = 100.0 * _over(np.abs(plus - minus), plus + minus)
    average = mean(gap, 6, 14)
    return {
        "DMI_PDI": plus,
        "DMI_MDI": minus,
        "DMI_ADX": average,
        "DMI_ADXR": (average + before(average, 6)) / 2.0,
    }


def _deviation(high: Floats, low: Floats) -> dict[str, Floats]:
    """Directional deviation over 13 days; smoothed by 10 / 30, and averaged over 5."""
    moved = (high + low) - (before(high, 1) + before(low, 1))
    size = np.maximum(np.abs(high - before(high, 1)), np.abs(low - before(low, 1)))
    up = total(np.where(moved > 0, size, 0.0), 13, 1)
    down = total(np.where(moved < 0, size, 0.0), 13, 1)
    gap = _over(up - down, up + down)
    smooth = np.full_like(gap, np.nan)
    if gap.shape[0] > 13:
        now = gap[13]
        for t in range(13, gap.shape[0]):
            now = (10.0 * gap[t] + 20.0 * now) / 30.0
            smooth[t] = now
    return {"DDI_DDI": gap, "DDI_ADDI": smooth, "DDI_AD": mean(smooth, 5, 13)}


def _against(up: Flags, down: Flags, rose: Floats, fell: Floats) -> dict[str, Floats]:
    """Days that go with the index, of 7; those that rise while it falls, and fall while it rises, of 20."""
    same = np.where(up, rose, 0.0) + np.where(down, fell, 0.0)
    return {
        "MARKET_CSI300": mean(same, 7),
        "STRENGTH_CSI300": _over(total(np.where(up, fell, 0.0), 20), total(fell, 20), np.nan),
        "WEAKNESS_CSI300": _over(total(np.where(down, rose, 0.0), 20), total(rose, 20), np.nan),
    }


def _bottoming(close: Floats) -> dict[str, Floats]:
    """Days that do not fall to days that do, of 125; averaged over 5 and 20."""
    last = before(close, 1)
    kept, fell = np.where(close >= last, 1.0, 0.0), np.where(close < last, 1.0, 0.0)
    ratio = total(kept, 125, 1) / np.maximum(1.0, total(fell, 125, 1))
    return {"BOTTOMING_B": mean(ratio, 5, 125), "BOTTOMING_D": mean(ratio, 20, 125)}


def _over(top: Floats, bottom: Floats, otherwise: float = 0.0) -> Floats:
    """Return top / bottom, something else where the bottom is 0."""
    good = bottom != 0.0
    ratio: Floats = np.where(good, top / np.where(good, bottom, 1.0), otherwise)
    return ratio
