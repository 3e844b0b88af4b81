"""qt_dailyquote, lc_stibdailyquote and qt_performancedata, column by column from the simulated quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._calendar import sessions
from finassay.world._tables._view import View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from finassay.world._blocks._prices import Quotes

_PART = 100_000
_STAR = 7
_NUMBERS = {"qt_dailyquote": 96, "lc_stibdailyquote": 97, "qt_performancedata": 98, "qt_indexquote": 99}
_NUMBERS |= {"lc_dindicesforvaluation": 95, "qt_pricelimit": 94, "qt_performance": 93, "nq_dailyquote": 92}
_NUMBERS |= {"cs_intensitytrendadj": 91}
_EVENING = np.timedelta64(18 * 3600 + 300, "s")
Array = npt.NDArray[Any]


def qt_dailyquote(view: View) -> Iterator[pa.Table]:
    """Yield raw quotes outside STAR."""
    return _quotes(view, "qt_dailyquote", star=False)


def lc_stibdailyquote(view: View) -> Iterator[pa.Table]:
    """Yield raw quotes of STAR."""
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


def seen_parts(view: View, mask: npt.NDArray[np.bool_] | bool = True) -> Iterator[Quotes]:
    """Yield the quotes up to the snapshot under a mask, shares whole."""
    whole = view.world.quotes
    rows = np.flatnonzero((sessions().array[whole.session] <= np.datetime64(view.snapshot)) & mask)
    entity = whole.entity[rows]
    start = 0
    while start < rows.size:
        stop = min(start + _PART, rows.size)
        if stop < rows.size:
            stop = int(np.searchsorted(entity, entity[stop], side="left"))
        yield whole.take(rows[start:stop])
        start = stop


def _by_entity(view: View, name: str) -> Array:
    issuers = view.world.issuers
    return np.array([0, *(getattr(issuer, name) for issuer in issuers)], dtype=np.int64)


def _quotes(view: View, name: str, *, star: bool) -> Iterator[pa.Table]:
    whole, spec, inner = view.world.quotes, view.catalog.table(name), _by_entity(view, "inner")
    board = _by_entity(view, "board")[whole.entity]
    yield arrow_table(spec, {}, 0)
    for quotes in seen_parts(view, ((board == _STAR) == star) & whole.kept):
        yield arrow_table(spec, _raw(view, name, quotes, inner[quotes.entity]), quotes.entity.size)


def _raw(view: View, name: str, quotes: Quotes, inner: Array) -> dict[str, Array]:
    return {
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


def qt_performancedata(view: View) -> Iterator[pa.Table]:
    """Yield backward prices and marks of all boards, on the days on which a share trades."""
    spec, inner = view.catalog.table("qt_performancedata"), _by_entity(view, "inner")
    for quotes in seen_parts(view, view.world.quotes.traded):
        yield arrow_table(spec, _marks(view, quotes, inner[quotes.entity]), quotes.entity.size)


def _marks(view: View, quotes: Quotes, inner: Array) -> dict[str, Array]:
    bounded = quotes.upper < 10**8
    up, down = quotes.close == quotes.upper, (quotes.close == quotes.lower) & bounded
    touched = (quotes.high == quotes.upper) | ((quotes.low == quotes.lower) & bounded)
    return {
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


def _flag(mask: npt.NDArray[np.bool_]) -> Array:
    return np.where(mask, 1, 2)


def _runs(quotes: Quotes, sign: int) -> Array:
    """Length of the run of moves of a sign that ends on the day, within a share."""
    moved = np.sign(quotes.close - quotes.previous) == sign
    place = np.arange(moved.size)
    fresh = np.r_[True, quotes.entity[1:] != quotes.entity[:-1]] if moved.size else moved
    broken = np.maximum.accumulate(np.where(~moved, place, np.where(fresh, place - 1, -1)))
    return place - broken
