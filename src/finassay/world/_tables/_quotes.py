"""qt_dailyquote, lc_stibdailyquote and qt_performancedata, column by column from the simulated quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._calendar import sessions
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.world._blocks._prices import Quotes

_STAR = 7
_NUMBERS = {"qt_dailyquote": 96, "lc_stibdailyquote": 97, "qt_performancedata": 98, "qt_indexquote": 99}
_NUMBERS |= {"lc_dindicesforvaluation": 95, "qt_pricelimit": 94, "qt_performance": 93, "nq_dailyquote": 92}
_NUMBERS |= {"cs_intensitytrendadj": 91}
_EVENING = np.timedelta64(18 * 3600 + 300, "s")
Array = npt.NDArray[Any]


def qt_dailyquote(view: View) -> pa.Table:
    """Raw quotes outside STAR."""
    return _quotes(view, "qt_dailyquote", star=False)


def lc_stibdailyquote(view: View) -> pa.Table:
    """Raw quotes of STAR."""
    return _quotes(view, "lc_stibdailyquote", star=True)


def daily_columns(view: View, name: str, entity: Array, session: Array) -> dict[str, Array]:
    """Return the day and the vendor's own columns: the row is written on the evening of its day and stays."""
    day = sessions().array[session].astype("datetime64[us]")
    written = day + _EVENING
    number = (np.int64(_NUMBERS[name]) << 56) | (entity.astype(np.int64) << 32) | session
    found: dict[str, Array] = {"ID": number, "TRADINGDAY": day}
    for column, spec in view.catalog.table(name).columns.items():
        if spec.role in ("recorded", "updated"):
            seconds = written.astype("datetime64[s]").astype(np.int64)
            found[column] = seconds * 100_000 + number % 99_991 if spec.format == "other" else written
    return found


def _seen(view: View, mask: npt.NDArray[np.bool_]) -> tuple[Quotes, Array]:
    """Quotes up to the snapshot under a mask, and the shares' numbers at the vendor."""
    last = np.datetime64(view.snapshot)
    quotes = view.world.quotes.take(mask & (sessions().array[view.world.quotes.session] <= last))
    return quotes, _by_entity(view, "inner")[quotes.entity]


def _by_entity(view: View, name: str) -> Array:
    issuers = view.world.issuers
    return np.array([0, *(getattr(issuer, name) for issuer in issuers)], dtype=np.int64)


def _quotes(view: View, name: str, *, star: bool) -> pa.Table:
    whole = view.world.quotes
    board = _by_entity(view, "board")[whole.entity]
    quotes, inner = _seen(view, ((board == _STAR) == star) & whole.kept)
    columns = {
        "INNERCODE": inner,
        "PREVCLOSEPRICE": quotes.previous / 100,
        "OPENPRICE": quotes.open / 100,
        "HIGHPRICE": quotes.high / 100,
        "LOWPRICE": quotes.low / 100,
        "CLOSEPRICE": quotes.close / 100,
        "TURNOVERVOLUME": quotes.volume,
        "TURNOVERVALUE": quotes.value / 100,
        "TURNOVERDEALS": quotes.volume // 1500 + (quotes.volume > 0),
        **daily_columns(view, name, quotes.entity, quotes.session),
    }
    return arrow_table(view.catalog.table(name), columns, quotes.entity.size)


def qt_performancedata(view: View) -> pa.Table:
    """Backward prices and marks of all boards, on the days on which a share trades."""
    quotes, inner = _seen(view, view.world.quotes.traded)
    bounded = quotes.upper < 10**8
    up, down = quotes.close == quotes.upper, (quotes.close == quotes.lower) & bounded
    touched = (quotes.high == quotes.upper) | ((quotes.low == quotes.lower) & bounded)
    columns = {
        "INNERCODE": inner,
        "CLOSEPRICE": quotes.close / 100,
        "CHANGEPCT": np.rint((quotes.close / quotes.previous - 1.0) * 1e6) / 1e4,
        "BACKWARDPRICE": np.rint(quotes.close * quotes.factor * 100) / 1e4,
        "RISINGUPDAYS": _runs(quotes, 1),
        "FALLINGDOWNDAYS": _runs(quotes, -1),
        "STOCKBOARD": _flag((quotes.high == quotes.low) & (up | down)),
        "LIMITBOARD": _flag(touched),
        "SURGEDLIMIT": _flag(up),
        "DECLINELIMIT": _flag(down),
        **daily_columns(view, "qt_performancedata", quotes.entity, quotes.session),
    }
    return arrow_table(view.catalog.table("qt_performancedata"), columns, quotes.entity.size)


def _flag(mask: npt.NDArray[np.bool_]) -> Array:
    return np.where(mask, 1, 2)


def _runs(quotes: Quotes, sign: int) -> Array:
    """Length of the run of moves of a sign that ends on the day, within a share."""
    moved = np.sign(quotes.close - quotes.previous) == sign
    place = np.arange(moved.size)
    fresh = np.r_[True, quotes.entity[1:] != quotes.entity[:-1]] if moved.size else moved
    broken = np.maximum.accumulate(np.where(~moved, place, np.where(fresh, place - 1, -1)))
    return place - broken
