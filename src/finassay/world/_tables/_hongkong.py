"""hk_secumain and qt_hkdailyquote: the Hong Kong shares of companies that are listed on the mainland too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._hongkong import EXCHANGE, discount
from finassay.world._calendar import sessions
from finassay.world._config import START
from finassay.world._events import Event, EventType
from finassay.world._events_company import HongKong
from finassay.world._tables._statement_rows import vendor_columns
from finassay.world._tables._view import Row, View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

Array = npt.NDArray[Any]
_HONG_KONG, _BOARD, _CATEGORY, _CURRENCY = 72, 9, 3, 110
_RATE = 0.87  # yuan per Hong Kong dollar, about which the price there is set
_LOT = 500
_NUMBER = 92  # of the rows' numbers, beside those of the mainland's quotes


def hk_secumain(view: View) -> pa.Table:
    """One row per share; the state is that of the snapshot."""
    rows = []
    for event in view.ledger.of(EventType.HK_LIST):
        who = event.payload
        assert isinstance(who, HongKong)  # noqa: S101 - by its type
        share = view.security(event.entity)
        end = view.next_of(event)
        values = {
            "INNERCODE": who.inner,
            "COMPANYCODE": share.company,
            "SECUCODE": who.code,
            "CHINAME": share.name,
            "CHINAMEABBR": who.abbreviation,
            "SECUABBR": who.abbreviation,
            "ENGNAME": share.english,
            "SECUMARKET": _HONG_KONG,
            "SECUCATEGORY": _CATEGORY,
            "LISTEDDATE": event.valid_from,
            "LISTEDSECTOR": _BOARD,
            "LISTEDSTATE": 5 if end is not None and end.valid_from <= view.snapshot else 1,
            "DELISTINGDATE": end.valid_from if end else None,
            "TRADINGUNIT": float(_LOT),
            "TRACURRUNIT": _CURRENCY,
        }
        rows.append(Row(event, values, (end,) if end else ()))
    return view.table("hk_secumain", rows)


def qt_hkdailyquote(view: View) -> Iterator[pa.Table]:
    """Yield quotes on the sessions of Hong Kong, also while the mainland is closed or the share halted there."""
    spec = view.catalog.table("qt_hkdailyquote")
    yield arrow_table(spec, {}, 0)
    for event in sorted(view.ledger.of(EventType.HK_LIST), key=lambda e: e.entity):
        columns = _quotes(view, event)
        if columns["ID"].size:
            yield arrow_table(spec, columns, columns["ID"].size)


def _quotes(view: View, event: Event) -> dict[str, Array]:
    who, end = event.payload, view.next_of(event)
    assert isinstance(who, HongKong)  # noqa: S101 - by its type
    days = sessions(EXCHANGE).array
    first = np.datetime64(max(event.valid_from, START))
    last = np.datetime64(view.snapshot)
    there = (days >= first) & (days <= last)
    if end is not None:
        there &= days < np.datetime64(end.valid_from)
    quotes = view.world.quotes
    mine = slice(*np.searchsorted(quotes.entity, [event.entity, event.entity + 1]))
    mainland, closes = sessions().array[quotes.session[mine]], quotes.close[mine]
    place = np.searchsorted(mainland, days, side="right") - 1
    there &= place >= 0
    rows = np.flatnonzero(there)
    ratio = discount(view.world.config.seed, event.entity)[rows] / _RATE
    close = np.maximum(1, np.rint(closes[place[rows]] * ratio)).astype(np.int64)
    before = np.r_[close[:1], close[:-1]]
    volume = quotes.volume[mine][place[rows]] // 4 // _LOT * _LOT + _LOT
    number = np.int64(_NUMBER) << 56 | np.int64(event.entity) << 32 | rows
    day = days[rows].astype("datetime64[s]") + np.timedelta64(18 * 3600 + 600, "s")
    return {
        "ID": number,
        "INNERCODE": np.full_like(number, who.inner),
        "TRADINGDAY": days[rows].astype("datetime64[us]"),
        "PREVCLOSEPRICE": before / 100,
        "OPENPRICE": before / 100,
        "HIGHPRICE": np.maximum(before, close) / 100,
        "LOWPRICE": np.minimum(before, close) / 100,
        "CLOSEPRICE": close / 100,
        "CHANGE": (close - before) / 100,
        "CHANGEPCT": np.rint((close / before - 1.0) * 1e6) / 1e4,
        "TURNOVERVOLUME": volume,
        "TURNOVERVALUE": volume * close / 100,
        "LOT": np.full_like(number, _LOT),
        "CURRENCYUNITCODE": np.full_like(number, _CURRENCY),
        **vendor_columns(view, "qt_hkdailyquote", number, day, day),
    }
