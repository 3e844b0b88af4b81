"""qt_pricelimit and qt_performance: limits, and performance over windows that end on the day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._shares import CapitalByDay
from finassay.world._events import EventType
from finassay.world._tables._quotes import daily_columns, seen_parts
from finassay.world._tables._statement_context import over
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from finassay.world._blocks._prices import Ints, Quotes
    from finassay.world._numerics import Floats

Array = npt.NDArray[Any]
_NO_LIMIT = 10**8
_WINDOWS = {"RW": 5, "RM": 21, "R3M": 62, "R6M": 122, "R12M": 243}  # trading days of the share


def qt_pricelimit(view: View) -> Iterator[pa.Table]:
    """Yield the limits of every day on which a share is listed; none on the first days after listing."""
    for quotes in seen_parts(view):
        bounded = quotes.upper < _NO_LIMIT
        lots = np.full(quotes.entity.size, 100, dtype=np.int64)
        columns = {
            "INNERCODE": _inner(view)[quotes.entity],
            "PREVCLOSEPRICE": quotes.previous / 100,
            "PRICECEILING": np.where(bounded, quotes.upper / 100, np.nan),
            "PRICEFLOOR": np.where(bounded, quotes.lower / 100, np.nan),
            "BUYNUMUNIT": lots,
            "SELLNUMUNIT": np.ones_like(lots),
            **daily_columns(view, "qt_pricelimit", quotes.entity, quotes.session),
        }
        yield arrow_table(view.catalog.table("qt_pricelimit"), columns, quotes.entity.size)


def qt_performance(view: View) -> Iterator[pa.Table]:
    """Yield the performance of every day on which a share trades."""
    capital = CapitalByDay(view.ledger.of(EventType.SHARE_CHANGE))
    for quotes in seen_parts(view, view.world.quotes.traded):
        total, tradable = capital.on(quotes.entity, quotes.session)
        close = quotes.close / 100
        columns = {
            "INNERCODE": _inner(view)[quotes.entity],
            "PREVCLOSEPRICE": quotes.previous / 100,
            "OPENPRICE": quotes.open / 100,
            "HIGHPRICE": quotes.high / 100,
            "LOWPRICE": quotes.low / 100,
            "CLOSEPRICE": close,
            "TURNOVERVOLUME": quotes.volume.astype(np.float64),
            "TURNOVERVALUE": quotes.value / 100,
            "CHANGEPCT": (quotes.close / quotes.previous - 1.0) * 100,
            "RANGEPCT": (quotes.high - quotes.low) / quotes.previous * 100,
            "TURNOVERRATE": 100 * over(quotes.volume, tradable),
            "AVGPRICE": over(quotes.value / 100, quotes.volume),
            "TOTALMV": close * total,
            "NEGOTIABLEMV": close * tradable,
            **_windows(quotes, tradable),
            **daily_columns(view, "qt_performance", quotes.entity, quotes.session),
        }
        yield arrow_table(view.catalog.table("qt_performance"), columns, quotes.entity.size)


def _windows(quotes: Quotes, tradable: Ints) -> dict[str, Floats]:
    """Return change and turnover over windows of the share's own trading days, NaN until they are full."""
    row = np.arange(quotes.entity.size)
    first = np.searchsorted(quotes.entity, quotes.entity)  # the share's first row
    value, volume = _sums(quotes.value), _sums(quotes.volume)
    back = quotes.close * quotes.factor
    found: dict[str, Floats] = {}
    for name, days in _WINDOWS.items():
        start = row - days
        full = start >= first
        base = np.maximum(start, 0)
        traded = np.where(full, volume[row + 1] - volume[base + 1], 0)
        found[f"CHANGEPCT{name}"] = 100 * (over(back, back[base], full) - 1.0)
        found[f"TURNOVERVALUE{name}"] = np.where(full, (value[row + 1] - value[base + 1]) / 100, np.nan)
        found[f"TURNOVERVOLUME{name}"] = np.where(full, traded.astype(np.float64), np.nan)
        found[f"TURNOVERRATE{name}"] = 100 * over(traded, tradable, full)
    return found


def _sums(values: Ints) -> Ints:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(values)])


def _inner(view: View) -> Array:
    return np.array([0, *(issuer.inner for issuer in view.world.issuers)], dtype=np.int64)
