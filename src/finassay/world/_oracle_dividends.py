"""What the oracle knows of dividends of A-shares, and of halts on STAR, from the ledger alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._events import Approval, Event, EventType, Plan

if TYPE_CHECKING:
    from finassay.temporal import Cutoff

_PLANNED, _APPROVED, _PAID, _CANCELLED = 1, 2, 3, 4


class DividendsOracle:
    """Answers about dividends and about halts that are told one row per disclosure; a part of the oracle.

    Each stage has a day of disclosure, so that both modes answer alike.
    """

    _events: dict[tuple[EventType, int], list[Event]]
    _after: dict[int, Event]
    _share: dict[int, int]

    def dividend(self, inner: int, cutoff: Cutoff) -> str | None:
        """Return the last period with a plan, its stage, cash in fen and bonus shares per 10 shares, and the ex-date.

        The ex-date is "-" until it is disclosed.
        """
        plans = [
            (event.payload.period_end, event.disclosed_at, event.seq, event, event.payload)
            for event in self._events.get((EventType.DIVIDEND_PLAN, self._share.get(inner, 0)), [])
            if isinstance(event.payload, Plan) and event.disclosed_at < cutoff.instant
        ]
        if not plans:
            return None
        period, _, _, planned, plan = max(plans, key=lambda row: row[:3])
        stage, ex = _PLANNED, "-"
        decided = self._after.get(planned.event_id)
        if decided is not None and decided.disclosed_at < cutoff.instant:
            stage = (
                _APPROVED
                if isinstance(decided.payload, Approval) and decided.payload.approved
                else _CANCELLED
            )
            paid = self._after.get(decided.event_id)
            if paid is not None and paid.disclosed_at < cutoff.instant:
                stage, ex = _PAID, str(paid.valid_from)
        return f"{period} {stage} {plan.cash} {plan.bonus} {ex}"

    def halted_by_notice(self, inner: int, cutoff: Cutoff) -> bool:
        """Whether a halt is in force on the day, and no resumption in force is disclosed."""
        for event in self._events.get((EventType.HALT, self._share.get(inner, 0)), []):
            if event.valid_from <= cutoff.day and event.disclosed_at < cutoff.instant:
                end = self._after.get(event.event_id)
                if end is None or end.valid_from > cutoff.day or end.disclosed_at >= cutoff.instant:
                    return True
        return False
