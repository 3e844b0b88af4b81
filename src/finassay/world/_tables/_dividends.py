"""lc_dividend: one row per plan, filled in as the meeting decides and the dividend is paid; without STAR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from finassay.world._events import Approval, Event, EventType, Implementation, Plan
from finassay.world._tables._view import Row, View

if TYPE_CHECKING:
    import pyarrow as pa

_STAR = 7
_STAGES = {1: "董事会预案", 2: "股东大会通过", 3: "实施", 4: "取消"}


def lc_dividend(view: View) -> pa.Table:
    """Dividends of shares outside STAR."""
    plans = view.ledger.of(EventType.DIVIDEND_PLAN)
    rows = [_row(view, plan) for plan in plans if view.security(plan.entity).board != _STAR]
    return view.table("lc_dividend", rows)


def _row(view: View, planned: Event) -> Row:
    plan = planned.payload
    assert isinstance(plan, Plan)  # noqa: S101 - by its type
    values: dict[str, Any] = {
        "INNERCODE": view.security(planned.entity).inner,
        "ENDDATE": plan.period_end,
        "PROPOSALSN": 1,
        "IFDIVIDEND": 1,
        "ADVANCEDATE": planned.disclosed_at.date(),
        "CASHDIVIRMB": plan.cash / 100,
        "BONUSSHARERATIO": float(plan.bonus),
        "PRICEUNIT": 142,
    }
    stage, last = 1, planned
    later: list[Event] = []
    decided = view.next_of(planned)
    if decided is not None and isinstance(decided.payload, Approval):
        later.append(decided)
        stage, last = (2 if decided.payload.approved else 4), decided
        values["SMDECIPUBLDATE"] = decided.disclosed_at.date()
        paid = view.next_of(decided)
        if paid is not None and isinstance(paid.payload, Implementation):
            later.append(paid)
            stage, last = 3, paid
            values |= {
                "DIVIDENDIMPLEMENTDATE": paid.disclosed_at.date(),
                "RIGHTREGDATE": paid.payload.record_date,
                "EXDIVIDATE": paid.valid_from,
                "TOACCOUNTDATE": paid.payload.pay_date,
                "ACTUALCASHDIVIRMB": plan.cash / 100,
            }
    values |= {
        "EVENTPROCEDURE": stage,
        "EVENTPROCEDUREDESC": _STAGES[stage],
        "LATESTINFOPUBLDATE": last.disclosed_at.date(),
    }
    return Row(planned, values, tuple(later))
