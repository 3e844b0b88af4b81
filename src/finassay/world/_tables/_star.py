"""lc_stibdividend and lc_stibsuspendresume: STAR's own tables of dividends and halts, one row per disclosure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from finassay.world._events import Approval, Event, EventType, Halt, Implementation, Plan
from finassay.world._tables._view import Row, View

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

_STAR = 7


def lc_stibdividend(view: View) -> pa.Table:
    """Plan, decision and implementation of dividends of STAR shares, a row each."""
    rows = [row for plan in view.ledger.of(EventType.DIVIDEND_PLAN) for row in _stages(view, plan)]
    return view.table("lc_stibdividend", rows)


def _stages(view: View, planned: Event) -> Iterator[Row]:
    plan = planned.payload
    if not isinstance(plan, Plan) or view.security(planned.entity).board != _STAR:
        return
    values: dict[str, Any] = {
        "INNERCODE": view.security(planned.entity).inner,
        "ENDDATE": plan.period_end,
        "SCHEMENO": 1,
        "IFDIVIDEND": 1,
        "CASHDIVIRMB": plan.cash / 100,
        "BONUSSHARERATIO": float(plan.bonus),
    }
    event: Event | None = planned
    while event is not None:
        said = event.payload
        stage = 1 if isinstance(said, Plan) else 3
        if isinstance(said, Approval):
            stage = 2 if said.approved else 4
        if isinstance(said, Implementation):
            values |= {
                "RIGHTREGDATE": said.record_date,
                "EXDIVIDATE": event.valid_from,
                "TOACCOUNTDATE": said.pay_date,
                "ACTUALCASHDIVIRMB": plan.cash / 100,
            }
        yield Row(event, {**values, "INFOPUBLDATE": event.disclosed_at.date(), "EVENTPROCEDURE": stage})
        event = view.next_of(event)


def lc_stibsuspendresume(view: View) -> pa.Table:
    """Halts and resumptions of STAR shares, a row each."""
    rows = []
    for event in view.ledger.of(EventType.HALT, EventType.RESUME):
        if view.security(event.entity).board == _STAR:
            halted = isinstance(event.payload, Halt)
            values = {
                "INNERCODE": view.security(event.entity).inner,
                "INFOPUBLDATE": event.disclosed_at.date(),
                "SUSPENDRESUMPTYPE": 1 if halted else 2,
                "SUSPENDRESUMPDATE": event.valid_from,
                "SUSPENDRESUMPTIME": "09:30:00",
                "SUSPENDSTATEMENT": event.payload.reason if isinstance(event.payload, Halt) else "复牌",
                "IFEFFECTED": 1,
            }
            rows.append(Row(event, values))
    return view.table("lc_stibsuspendresume", rows)
