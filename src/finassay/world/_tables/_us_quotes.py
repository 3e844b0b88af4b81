"""us_price_daily, column by column from the simulated quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._calendar import sessions
from finassay.world._tables._us import PRICE_ROWS, evening, us_numbers
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

_ROWS = 200_000


def us_price_daily(view: View) -> Iterator[pa.Table]:
    """Yield prices as traded, of stocks, the index and its fund, up to the snapshot."""
    calendar = sessions("XNYS")
    whole = view.world.us.quotes
    quotes = whole.take(calendar.array[whole.session] <= np.datetime64(view.snapshot))
    order = np.argsort(quotes.entity, kind="stable")  # the index and its fund come after the stocks
    numbers = us_numbers(view)
    top = int(quotes.entity.max())
    security = np.zeros(top + 1, dtype=np.int64)
    for entity, who in numbers.items():
        security[entity] = who.security
    for start in range(0, order.size, _ROWS):
        part = quotes.take(order[start : start + _ROWS])
        days = calendar.array[part.session].astype("datetime64[us]")
        average = np.rint((part.open + part.high + part.low + 2 * part.close) / 5)
        columns = {
            "id": (np.int64(PRICE_ROWS) << 56) | (part.entity << 32) | part.session,
            "security_id": security[part.entity],
            "trading_day": days,
            "prev_close": part.previous / 1e4,
            "open": part.open / 1e4,
            "high": part.high / 1e4,
            "low": part.low / 1e4,
            "close": part.close / 1e4,
            "volume": part.volume,
            "value": np.rint(part.volume * (average / 1e4) * 100) / 100,
            "vwap": average / 1e4,
            "trades": part.volume // 180 + (part.volume > 0),
            "insert_time": evening(days),
            "update_time": evening(days),
        }
        yield arrow_table(view.catalog.table("us_price_daily"), columns, part.entity.size)
