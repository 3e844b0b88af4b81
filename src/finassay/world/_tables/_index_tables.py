"""lc_indexbasicinfo, lc_indexcomponentsweight, lc_indexderivative, index_finindicator: what an index is made of."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._blocks._indices import capping, membership
from finassay.world._blocks._market import window
from finassay.world._blocks._periods import QUARTERS, period_end, season
from finassay.world._calendar import sessions
from finassay.world._config import START
from finassay.world._events import EventType, Index
from finassay.world._tables._funds_view import Array, days_of, moment_of, stamped
from finassay.world._tables._statement_context import Context, revenue
from finassay.world._tables._statement_rows import filed
from finassay.world._tables._view import Row, View, arrow_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

_WEIGHT, _DERIVED, _INDICATOR = 54, 55, 56  # numbers of types that no event has
_EVENING = 19 * 3600
_PUBLISHED = {
    1: (5, 8),
    2: (9, 6),
    3: (11, 7),
    4: (5, 8),
}  # month and day, by the quarter of the period (assumed)


def lc_indexbasicinfo(view: View) -> pa.Table:
    """Return the indices of shares; none has ended."""
    rows = []
    for event in view.ledger.of(EventType.INDEX_OPEN):
        index = event.payload
        assert isinstance(index, Index)  # noqa: S101 - by its type
        values: dict[str, Any] = {
            "INDEXCODE": index.inner,
            "PUBDATE": event.valid_from,
            "BASEDATE": START,
            "BASEPOINT": 1000.0,
            "COMPONENTSUM": index.size,
            "COMPONENTADPERIOD": 6,
            "SECUMARKET": 83,
            "CURRENCYCODE": 142,
        }
        rows.append(Row(event, values))
    return view.table("lc_indexbasicinfo", rows)


class _Made:
    """The members' values per session and share, in whole thousands of yuan: sums of them are exact."""

    def __init__(self, view: View) -> None:
        quotes, first = view.world.quotes, window()[0]
        self.view = view
        self.inside = membership(list(view.world.ledger.events), len(view.world.issuers))
        opened = sorted(view.ledger.of(EventType.INDEX_OPEN), key=lambda event: event.entity)
        self.opened = [(event.entity, event.payload) for event in opened]
        shape = (window()[1] - first, len(view.world.issuers))
        self.value = np.zeros(shape, dtype=np.int64)
        self.value[quotes.session - first, quotes.entity - 1] = np.rint(quotes.close * quotes.shares / 1e5)
        self.days = sessions().array[first : window()[1]].astype("datetime64[D]").astype(np.int64)

    def seen(self) -> int:
        """Return how many sessions the snapshot knows."""
        return int(np.searchsorted(self.days * 86_400 + _EVENING, moment_of(self.view), side="right"))


def lc_indexcomponentsweight(view: View) -> Iterator[pa.Table]:
    """Yield the members' weights at the last session of every month."""
    spec, made = view.catalog.table("lc_indexcomponentsweight"), _Made(view)
    numbers = np.array([issuer.inner for issuer in view.world.issuers], dtype=np.int64)
    months = made.days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    ends = np.flatnonzero(months[1:] != months[:-1])
    ends = ends[ends < made.seen()]
    for entity, index in made.opened:
        assert isinstance(index, Index)  # noqa: S101 - by its type
        value = np.where(made.inside[entity][ends], made.value[ends], 0)
        every = np.broadcast_to(ends[:, None], value.shape), np.arange(value.shape[1])[None, :]
        value = np.rint(value * capping(view.world.quotes, made.inside[entity]).on(*every)).astype(np.int64)
        day, share = np.nonzero(value)
        weight = value[day, share] / np.maximum(np.sum(value, axis=1), 1)[day]
        session = ends[day]
        number = (np.int64(_WEIGHT) << 56) | (np.int64(entity) << 32) | (session << 16) | share
        columns = {
            "INDEXCODE": np.full(day.size, index.inner),
            "INNERCODE": numbers[share],
            "ENDDATE": days_of(made.days[session]),
            "WEIGHT": weight * 100,
            **stamped(spec, number, made.days[session] * 86_400 + _EVENING),
        }
        yield arrow_table(spec, columns, day.size)


class _Known:
    """Figures of companies as last filed before a session: profit and revenue of twelve months, equity, in fen.

    A report of the evening counts from the next session, and an older period never replaces a younger one.
    """

    def __init__(self, view: View) -> None:
        source, first = filed(view), window()[0]
        shown = source.shown
        order = np.lexsort((shown.number, shown.period, shown.disclosed, shown.company))
        rows = shown.take(order)
        key = rows.company * 64 + rows.period
        rows = rows.take(key >= np.maximum.accumulate(key)) if key.size else rows
        day = rows.disclosed.astype("datetime64[D]") + np.timedelta64(1, "D")
        at = np.clip(np.searchsorted(sessions().array, day) - first, 0, window()[1] - first)
        entity = source.versions.statements.entity[rows.company] - 1
        place = np.zeros((len(view.world.issuers), window()[1] - first + 1), dtype=np.int64)
        np.maximum.at(place, (entity, at), np.arange(1, entity.size + 1))
        self.place = np.maximum.accumulate(place[:, :-1], axis=1).T
        figures: list[list[Array]] = [[np.zeros(0)] for _ in range(3)]
        for part in rows.parts():
            context = Context(source.versions, part.company, part.period, part.known)
            figures[0].append(context.twelve_months(lambda f: f.parent_profit))
            figures[1].append(context.twelve_months(revenue))
            figures[2].append(context.now.owners_equity.astype(np.float64))
        self.profit, self.revenue, self.equity = (_padded(np.concatenate(found)) for found in figures)


def _padded(values: Array) -> Array:
    """Put what nobody has filed yet before the values, as nothing."""
    found: Array = np.r_[0, np.nan_to_num(values).astype(np.int64)]
    return found


def lc_indexderivative(view: View) -> Iterator[pa.Table]:
    """Yield the daily valuation: the members' value over their profit, equity and revenue as filed by then."""
    spec, made, known = view.catalog.table("lc_indexderivative"), _Made(view), _Known(view)
    stop = made.seen()
    session = np.arange(stop)
    for entity, index in made.opened:
        assert isinstance(index, Index)  # noqa: S101 - by its type
        inside = made.inside[entity][:stop] & (made.value[:stop] > 0)
        place = np.where(inside, known.place[:stop], 0)
        value = np.sum(np.where(inside, made.value[:stop], 0), axis=1) * 1000.0
        profit, equity, sales = (
            np.sum(what[place], axis=1) / 100.0 for what in (known.profit, known.equity, known.revenue)
        )
        number = (np.int64(_DERIVED) << 56) | (np.int64(entity) << 32) | session
        recorded = made.days[:stop] * 86_400 + _EVENING
        columns = {
            "INDEXCODE": np.full(stop, index.inner),
            "TRADINGDAY": days_of(made.days[:stop]),
            "TOTALMV": value,
            "PE_TTM": _over(value, profit),
            "PB_LF": _over(value, equity),
            "PB_MRQ": _over(value, equity),
            "PS_TTM": _over(value, sales),
            "LOSSNC": np.sum((known.profit[place] < 0) & inside, axis=1),
            "INDEXNC": np.sum(inside, axis=1),
            **stamped(spec, number, recorded),
        }
        there = value > 0
        yield arrow_table(spec, {name: column[there] for name, column in columns.items()}, int(np.sum(there)))


def _over(top: Array, bottom: Array) -> Array:
    """Return a ratio; NaN where the denominator is not positive."""
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), np.nan)


def index_finindicator(view: View) -> pa.Table:
    """Return the figures of the members summed up, published some days after the last report is due."""
    spec, made, known = view.catalog.table("index_finindicator"), _Made(view), _Known(view)
    rows: list[tuple[Any, ...]] = []
    for entity, index in made.opened:
        assert isinstance(index, Index)  # noqa: S101 - by its type
        for quarter in range(QUARTERS):
            day = _published(quarter)
            if not START + timedelta(days=10) < day <= view.snapshot:
                continue
            at = int(np.searchsorted(made.days, np.datetime64(day).astype("datetime64[D]").astype(np.int64)))
            inside = made.inside[entity][at]
            place = known.place[at][inside]
            sums = [int(np.sum(what[place])) for what in (known.profit, known.equity, known.revenue)]
            losses, counted = int(np.sum(known.profit[place] < 0)), int(np.sum(place > 0))
            rows.append((entity, index.inner, quarter, day, *sums, losses, counted, int(np.sum(inside))))
    if not rows:
        return arrow_table(spec, {}, 0)
    table = np.array(
        [(*row[:3], (row[3] - date(1970, 1, 1)).days, *row[4:]) for row in rows], dtype=np.int64
    ).T
    entity_, inner, quarter_, day_, profit, equity, sales, losses_, counted_, size = table
    ends = np.array([period_end(n) for n in range(QUARTERS)], dtype="datetime64[D]").astype(np.int64)
    columns = {
        "INDEXCODE": inner,
        "INFOPUBLDATE": days_of(day_),
        "ENDDATE": days_of(ends[quarter_]),
        "ROETTM": 100 * _over(profit.astype(np.float64), equity.astype(np.float64)),
        "NETPROFITRATIOTTM": 100 * _over(profit.astype(np.float64), sales.astype(np.float64)),
        "NPPARENTCOMOWNERSTTM": profit / 100,
        "OPERATINGINCOMETTM": sales / 100,
        "INDEXNC": size,
        "CALCNC": counted_,
        "LOSSNC": losses_,
        **stamped(spec, (np.int64(_INDICATOR) << 56) | (entity_ << 32) | quarter_, day_ * 86_400 + 20 * 3600),
    }
    return arrow_table(spec, columns, inner.size)


def _published(quarter: int) -> date:
    """Return the session on which the figures of a quarter come out."""
    end = period_end(quarter)
    month, day = _PUBLISHED[season(quarter)]
    return sessions().shift(date(end.year + (month < end.month), month, day), 0)


INDEX_TABLES: dict[str, Callable[[View], pa.Table | Iterator[pa.Table]]] = {
    "lc_indexbasicinfo": lc_indexbasicinfo,
    "lc_indexcomponentsweight": lc_indexcomponentsweight,
    "lc_indexderivative": lc_indexderivative,
    "index_finindicator": index_finindicator,
}
