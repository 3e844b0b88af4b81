"""c_ed_indicatormain, and c_ed_macroindicatordata, in which a revision replaces the row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._events import Event, EventType
from finassay.world._events_bonds import MacroSeries, Release
from finassay.world._tables._view import Row, View

if TYPE_CHECKING:
    from datetime import date

    import pyarrow as pa

_SOURCES = {3: "国家统计局", 4: "国家统计局"}


def c_ed_indicatormain(view: View) -> pa.Table:
    """Macro series; their state and last period are those of the snapshot."""
    last: dict[int, date] = {}
    for release in view.ledger.of(EventType.CN_RELEASE):
        last[release.entity] = max(last.get(release.entity, release.valid_from), release.valid_from)
    rows = []
    for event in view.ledger.of(EventType.CN_SERIES):
        series = event.payload
        assert isinstance(series, MacroSeries)  # noqa: S101 - by its type
        values = {
            "INDICATORCODE": series.code,
            "INDICATORNAME": series.name,
            "INFOSOURCE": _SOURCES[series.frequency],
            "POWERNUMBER": series.power,
            "INDISTATE": 2 if series.stopped else 1,
            "BEGINDATE": series.first,
            "ENDDATE": last.get(event.entity),
            "UNITCODE": series.unit,
            "UNITCODEREPORT": series.unit,
            "DISCLOSUREFREQUENCY": series.frequency,
        }
        rows.append(Row(event, values))
    return view.table("c_ed_indicatormain", rows)


def c_ed_macroindicatordata(view: View) -> pa.Table:
    """One row per series and period, with the last value recorded and the day of its release."""
    series = {event.entity: event.payload for event in view.ledger.of(EventType.CN_SERIES)}
    rows = []
    for event in view.ledger.of(EventType.CN_RELEASE):
        if event.supersedes is not None:
            continue
        of = series[event.entity]
        assert isinstance(of, MacroSeries)  # noqa: S101 - by its type
        versions = [event, *_later(view, event)]
        last = versions[-1].payload
        assert isinstance(last, Release)  # noqa: S101 - by its type
        values = {
            "INDICATORCODE": of.code,
            "INFOPUBLDATE": max(version.disclosed_at.date() for version in versions),
            "ENDDATE": last.period,
            "DATAVALUE": last.value,
            "POWERNUMBER": of.power,
        }
        rows.append(Row(event, values, tuple(versions[1:])))
    return view.table("c_ed_macroindicatordata", rows)


def _later(view: View, event: Event) -> list[Event]:
    found = []
    following = view.next_of(event)
    while following is not None:
        found.append(following)
        following = view.next_of(following)
    return found
