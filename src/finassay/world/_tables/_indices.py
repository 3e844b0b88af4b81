"""lc_indexcomponent and qt_indexquote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.world._blocks._market import window
from finassay.world._calendar import sessions
from finassay.world._events import EventType, Index, Member
from finassay.world._tables._quotes import daily_columns
from finassay.world._tables._view import Row, View, arrow_table

if TYPE_CHECKING:
    import pyarrow as pa


def lc_indexcomponent(view: View) -> pa.Table:
    """One row per membership; its end is written into it."""
    inner = {
        event.entity: event.payload.inner
        for event in view.ledger.of(EventType.INDEX_OPEN)
        if isinstance(event.payload, Index)
    }
    rows = []
    for event in view.ledger.of(EventType.INDEX_IN):
        assert isinstance(event.payload, Member)  # noqa: S101 - by its type
        end = view.next_of(event)
        values = {
            "INDEXINNERCODE": inner[event.entity],
            "SECUINNERCODE": event.payload.inner,
            "INDATE": event.valid_from,
            "OUTDATE": None if end is None else end.valid_from,
            "SECUMARKET": event.payload.market,
        }
        rows.append(Row(event, values, (end,) if end else ()))
    return view.table("lc_indexcomponent", rows)


def qt_indexquote(view: View) -> pa.Table:
    """Daily levels of the indices."""
    first, _ = window()
    last = sessions().at_or_after(view.snapshot)
    days = last - first + (1 if view.snapshot in sessions() else 0)
    parts: list[dict[str, Any]] = []
    for index in view.world.indices:
        levels = index.levels[:days]
        columns = {
            "INNERCODE": np.full(days, index.inner),
            "PREVCLOSEPRICE": levels[:, 0],
            "OPENPRICE": levels[:, 1],
            "HIGHPRICE": np.max(levels[:, 1:], axis=1),
            "LOWPRICE": np.min(levels[:, 1:], axis=1),
            "CLOSEPRICE": levels[:, 4],
            "TURNOVERVOLUME": index.volume[:days],
            "TURNOVERVALUE": index.value[:days],
            "CHANGEPCT": np.rint((levels[:, 4] / levels[:, 0] - 1.0) * 1e10) / 1e8,
        }
        session = np.arange(first, first + days)
        parts.append(columns | daily_columns(view, "qt_indexquote", np.full(days, index.entity), session))
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return arrow_table(view.catalog.table("qt_indexquote"), joined, days * len(parts))
