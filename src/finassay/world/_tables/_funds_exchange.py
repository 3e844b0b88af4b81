"""qt_fundsperformancehis: daily quotes of funds on an exchange."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._funds_exchange import exchange_quotes
from finassay.world._calendar import sessions
from finassay.world._events import EventType
from finassay.world._tables._funds_nav import in_parts
from finassay.world._tables._funds_profile import listing_day
from finassay.world._tables._funds_view import Array, FundIndex, days_of, moment_of, parts, stamped

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from finassay.world._tables._view import View

_QUOTES = 53  # number of a type that no event has
_EVENING = 18 * 3600 + 600


def qt_fundsperformancehis(view: View) -> Iterator[pa.Table]:
    """Yield the quotes of exchange-traded and listed funds, from their listing to their end."""
    spec = view.catalog.table("qt_fundsperformancehis")
    return in_parts(spec, _funds(view))


def _funds(view: View) -> Iterator[dict[str, Array]]:
    spec, index, book = view.catalog.table("qt_fundsperformancehis"), FundIndex(view), view.world.funds.navs
    days = sessions().array.astype("datetime64[D]").astype(np.int64)
    for part in sorted(parts(view, EventType.FUND_CLASS, index), key=lambda part: part.event.entity):
        listed = listing_day(index, part)
        if listed is None:
            continue
        entity = part.event.entity
        low, high = np.searchsorted(book.entity, [entity, entity + 1])
        navs = book.take(slice(low, high))
        navs = navs.take(~navs.wrong)
        q = exchange_quotes(view.world.config.seed, entity, navs, sessions().at_or_after(listed))
        recorded = days[q.session] * 86_400 + _EVENING
        shown = recorded <= moment_of(view)
        number = (np.int64(_QUOTES) << 56) | (np.int64(entity) << 32) | q.session
        columns = {
            "INNERCODE": np.full(q.session.size, part.who.inner),
            "TRADINGDAY": days_of(days[q.session]),
            "PREVCLOSEPRICE": q.previous / 1e3,
            "OPENPRICE": q.open / 1e3,
            "HIGHPRICE": q.high / 1e3,
            "LOWPRICE": q.low / 1e3,
            "CLOSEPRICE": q.close / 1e3,
            "CHANGEOFPRICE": (q.close - q.previous) / 1e3,
            "CHANGEPCT": (q.close / q.previous - 1.0) * 100,
            "TURNOVERVOLUME": q.volume / 1e4,
            "TURNOVERVALUE": q.volume * ((q.high + q.low) / 2e3),
            "DISCOUNT": q.net / 1e4 - q.close / 1e3,
            "DISCOUNTRATIO": (q.close * 10 / q.net - 1.0) * 100,
            **stamped(spec, number, recorded),
        }
        yield {name: column[shown] for name, column in columns.items()}
