"""qt_tradingdaynew: every calendar day of every market, with the ends of weeks, months, quarters and years."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from finassay.world._calendar import LAST, calendar_days, sessions
from finassay.world._tables._view import View, arrow_table, vendor_times

if TYPE_CHECKING:
    import pyarrow as pa

_MARKETS = {83: "XSHG", 90: "XSHG", 18: "XSHG", 72: "XHKG", 77: "XNYS"}
_FIRST = date(2013, 1, 1)
_NUMBER = 95


def qt_tradingdaynew(view: View) -> pa.Table:
    """Return the calendar, published in advance to the end of the snapshot's year."""
    spec = view.catalog.table("qt_tradingdaynew")
    last = min(date(view.snapshot.year, 12, 31), LAST)
    days = calendar_days(_FIRST, last)
    rows: list[dict[str, Any]] = []
    for market, exchange in _MARKETS.items():
        calendar = sessions(exchange)
        ends = _ends([day for day in days if day in calendar])
        for day in days:
            number = (_NUMBER << 56) | (market << 32) | day.toordinal()
            written = datetime.combine(date(day.year - 1, 12, 20), time(20))
            rows.append(
                {
                    "ID": number,
                    "TRADINGDATE": day,
                    "IFTRADINGDAY": 1 if day in calendar else 2,
                    "SECUMARKET": market,
                    **{column: 1 if day in found else 2 for column, found in ends.items()},
                    **vendor_times(spec, written, written, number),
                }
            )
    return arrow_table(spec, {name: [row[name] for row in rows] for name in rows[0]}, len(rows))


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
