"""lc_sharestru: the share capital after each change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._events import EventType
from finassay.world._events_company import ShareChange
from finassay.world._tables._view import Row, View

if TYPE_CHECKING:
    import pyarrow as pa

_REASONS = {
    1: "首发上市",
    2: "增发",
    3: "配股",
    4: "送转股",
    5: "可转债转股",
    6: "回购注销",
    7: "限售股份上市",
}
_YUAN = 142


def lc_sharestru(view: View) -> pa.Table:
    """One row per change: totals, tradable and restricted shares from its day on."""
    rows = []
    for event in view.ledger.of(EventType.SHARE_CHANGE):
        change = event.payload
        assert isinstance(change, ShareChange)  # noqa: S101 - by its type
        locked = change.total - change.tradable
        values = {
            "COMPANYCODE": view.security(event.entity).company,
            "ENDDATE": event.valid_from,
            "INFOPUBLDATE": event.disclosed_at.date(),
            "TOTALSHARES": change.total,
            "ASHARES": change.total,
            "FLOATSHARE": change.tradable,
            "AFLOATS": change.tradable,
            "AFLOATLISTED": change.tradable,
            "NONRESTRICTEDSHARES": change.tradable,
            "NONRESISHARESJY": change.tradable,
            "RESTRICTEDSHARES": locked,
            "RESTRICTEDASHARES": locked,
            "CHANGETYPE": change.kind,
            "CHANGEREASON": _REASONS[change.kind],
            "PERVALUE": 1.0,
            "PARVALUECURRENCYUNIT": _YUAN,
        }
        rows.append(Row(event, values))
    return view.table("lc_sharestru", rows)
