"""lc_exgindustry and lc_stibexgindustry: a row per classification, its end written into it, a flag of today."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from finassay.world._events import Event, EventType, Industry
from finassay.world._tables._view import Row, View, day_after

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    import pyarrow as pa

_STAR = 7
_SOURCE = "申万宏源研究"


def lc_exgindustry(view: View) -> pa.Table:
    """Industries outside STAR; the day of publication is the start."""
    return view.table("lc_exgindustry", _rows(view, star=False))


def lc_stibexgindustry(view: View) -> pa.Table:
    """Industries of STAR companies, with an effective date of their own."""
    return view.table("lc_stibexgindustry", _rows(view, star=True))


def _rows(view: View, *, star: bool) -> Iterator[Row]:
    for event in view.ledger.of(EventType.INDUSTRY_SET):
        who = view.security(event.entity)
        if (who.board == _STAR) is not star:
            continue
        successor = view.next_of(event)
        assert isinstance(event.payload, Industry)  # noqa: S101 - by its type
        values: dict[str, Any] = {
            "COMPANYCODE": who.company,
            "INFOPUBLDATE": event.disclosed_at.date(),
            "INFOSOURCE": _SOURCE,
            "STANDARD": event.payload.standard,
            "INDUSTRY": int(event.payload.codes[2]),
            "CANCELDATE": None if successor is None else _end(successor),
        }
        if star:
            values["EFFECTIVEDATE"] = event.valid_from
        for level, code, name in zip(
            ("FIRST", "SECOND", "THIRD"), event.payload.codes, event.payload.names, strict=True
        ):
            values[f"{level}INDUSTRYCODE"] = code
            values[f"{level}INDUSTRYNAME"] = name
        yield Row(event, values, (successor,) if successor else ())


def _end(successor: Event) -> date:
    """Invariant W2: the end is dated after the day it became public, the earliest day that allows."""
    return max(successor.valid_from, day_after(successor.disclosed_at.date()))
