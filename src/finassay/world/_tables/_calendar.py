"""qt_tradingdaynew: every calendar day of every market, with the ends of weeks, months, quarters and years."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._calendar import LAST, calendar_days, sessions
from finassay.world._tables._statement_rows import vendor_columns
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    import pyarrow as pa

_MARKETS = {83: "XSHG", 90: "XSHG", 18: "XSHG", 72: "XHKG", 77: "XNYS"}
_FIRST = date(2013, 1, 1)
_NUMBER = 95
Array = npt.NDArray[Any]


def qt_tradingdaynew(view: View) -> pa.Table:
    """Return the calendar, published in advance to the end of the snapshot's year."""
    spec = view.catalog.table("qt_tradingdaynew")
    last = min(date(view.snapshot.year, 12, 31), LAST)
    days = calendar_days(_FIRST, last)
    parts = [_market(market, exchange, days) for market, exchange in _MARKETS.items()]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    written = np.array([datetime(day.year - 1, 12, 20, 20) for day in days], dtype="datetime64[s]")  # noqa: DTZ001
    written = np.tile(written, len(parts))
    columns |= vendor_columns(view, "qt_tradingdaynew", columns["ID"], written, written)
    return arrow_table(spec, columns, columns["ID"].size)


def _market(market: int, exchange: str, days: list[date]) -> dict[str, Array]:
    calendar = sessions(exchange)
    marked = {"IFTRADINGDAY": {day for day in days if day in calendar}}
    marked |= _ends([day for day in days if day in calendar])
    return {
        "ID": (_NUMBER << 56) | (market << 32) | np.array([day.toordinal() for day in days]),
        "TRADINGDATE": np.array(days, dtype="datetime64[us]"),
        "SECUMARKET": np.full(len(days), market),
        **{name: np.array([1 if day in found else 2 for day in days]) for name, found in marked.items()},
    }


def _ends(days: list[date]) -> dict[str, set[date]]:
    """Find the last trading days of the periods; the very last day ends its year, for the calendar does."""
    groups: dict[str, list[tuple[int, int]]] = {
        "IFWEEKEND": [(day.isocalendar().year, day.isocalendar().week) for day in days],
        "IFMONTHEND": [(day.year, day.month) for day in days],
        "IFQUARTEREND": [(day.year, (day.month - 1) // 3) for day in days],
        "IFYEAREND": [(day.year, 0) for day in days],
    }
    found = {}
    for name, keys in groups.items():
        following = [*keys[1:], (0, 0)]
        found[name] = {day for day, a, b in zip(days, keys, following, strict=True) if a != b}
    return found
