"""Checks that compare rows with each other: uniqueness, overlap, what determines what, W2."""

# ruff: noqa: S608 - names are quoted by the dialect; the policy judges every statement
from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.database._catalog._dates import plus_days
from finassay.database._catalog._findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finassay.database._catalog._probe import Probe


def group_checks(probe: Probe, total: int) -> Iterator[Finding]:
    """Run every check that compares rows, and yield what is at fault."""
    spec = probe.spec
    yield from _unique(probe, total, "error", "row_id_not_unique", spec.row_id, ("row_id",))
    if spec.unique != spec.row_id:
        where = ("versions", "unique") if spec.versions else ("key",)
        yield from _unique(probe, total, "error", "key_not_unique", spec.unique, where)
    if spec.versions and spec.versions.unique:
        ties = tuple(dict.fromkeys((*spec.versions.per, *spec.versions.order)))
        if ties != spec.unique:
            yield from _unique(probe, total, "warning", "version_tie", ties, ("versions", "order"))
    for index, dependency in enumerate(spec.dependencies):
        for other in dependency.determines[1:]:
            yield from _determines(probe, total, dependency.determines[0], other, index)
    if spec.disjoint:
        yield from _overlap(probe)
        yield from _w2(probe)


def _unique(
    probe: Probe, total: int, severity: Severity, check: str, columns: tuple[str, ...], path: tuple[str, ...]
) -> Iterator[Finding]:
    if not columns:
        return
    listed = probe.listed(columns)
    groups = (
        f"(SELECT {listed}, count(*) AS n FROM {probe.source} GROUP BY {listed} HAVING count(*) > 1) AS g"
    )
    (count,) = probe.numbers(["sum(n)"], groups)
    if count:
        row = probe.rows(f"SELECT * FROM {groups} LIMIT 1")[0]
        example = dict(zip((*columns, "rows"), row.values(), strict=True))
        message = f"rows share their {', '.join(columns)}"
        yield Finding(
            severity, check, probe.name, columns, message, int(count), total, example, probe.place(*path)
        )


def _determines(probe: Probe, total: int, first: str, other: str, index: int) -> Iterator[Finding]:
    a, b = probe.quoted(first), probe.quoted(other)
    groups = (
        f"(SELECT {a}, min({b}) AS one, max({b}) AS another, count(*) AS n FROM {probe.source} WHERE {a} IS NOT NULL"
        f" GROUP BY {a} HAVING count(DISTINCT {b}) > 1) AS g"
    )
    (count,) = probe.numbers(["sum(n)"], groups)
    if count:
        row = list(probe.rows(f"SELECT * FROM {groups} LIMIT 1")[0].values())
        example = {first: row[0], f"one {other}": row[1], f"another {other}": row[2]}
        message = f"one {first} has several {other}"
        place = probe.place("dependencies", index)
        columns = (first, other)
        yield Finding(
            "error", "not_determined", probe.name, columns, message, int(count), total, example, place
        )


def _neighbours(probe: Probe, extra: str = "") -> str:
    """Return a subquery of intervals with the one that follows each, by start, within the group.

    If any two intervals of a group overlap, so do two neighbours: the end of the earlier lies beyond the start of the
    later, hence beyond every start in between.
    """
    spec = probe.spec
    start, end = probe.day(spec.valid.start), probe.day(spec.valid.end)
    beyond = plus_days(end, 1 if spec.valid.inclusive else 0, probe.database.dialect)
    order = ", ".join([start, *map(probe.quoted, spec.row_id)])
    window = f"OVER (PARTITION BY {probe.listed(spec.disjoint.per)} ORDER BY {order})"
    columns = probe.listed(dict.fromkeys((*spec.disjoint.per, spec.valid.start, spec.valid.end)))
    return (
        f"(SELECT {columns}, CASE WHEN {probe.missing_end()} THEN NULL ELSE {beyond} END AS ends_,"
        f" lead({start}) {window} AS next_{extra.replace('@', window)} FROM {probe.source}) AS neighbours"
    )


def _overlap(probe: Probe) -> Iterator[Finding]:
    spec, dialect = probe.spec, probe.database.dialect
    source = _neighbours(probe)
    slack = plus_days("next_", spec.disjoint.overlap_days, dialect)
    fault = f"next_ IS NOT NULL AND (ends_ IS NULL OR ends_ > {slack})"
    count, total = probe.numbers([f"sum(CASE WHEN {fault} THEN 1 ELSE 0 END)", "count(next_)"], source)
    if not count:
        return
    columns = tuple(dict.fromkeys((*spec.disjoint.per, spec.valid.start, spec.valid.end)))
    row = probe.rows(f"SELECT {probe.listed(columns)}, next_ FROM {source} WHERE {fault} LIMIT 1")[0]
    example = dict(zip((*columns, f"next {spec.valid.start}"), row.values(), strict=True))
    allowed = f" by more than {spec.disjoint.overlap_days} day(s)" if spec.disjoint.overlap_days else ""
    message = f"intervals of one {', '.join(spec.disjoint.per)} overlap{allowed}"
    place = probe.place("disjoint")
    yield Finding(
        "error", "intervals_overlap", probe.name, columns, message, int(count), int(total), example, place
    )


def _w2(probe: Probe) -> Iterator[Finding]:
    """Find ends caused by a successor that do not lie after the day the successor became public."""
    spec = probe.spec
    available = (spec.availability.column or spec.availability.proxy) if spec.availability else None
    if spec.valid.end_known or not available or spec.availability.ahead:
        return
    source = _neighbours(probe, f", lead({probe.day(available)}) @ AS public_")
    fault = "next_ IS NOT NULL AND ends_ >= next_ AND ends_ <= public_"
    count, total = probe.numbers([f"sum(CASE WHEN {fault} THEN 1 ELSE 0 END)", "count(next_)"], source)
    if not count:
        return
    columns = tuple(dict.fromkeys((*spec.disjoint.per, spec.valid.start, spec.valid.end)))
    row = probe.rows(f"SELECT {probe.listed(columns)}, next_, public_ FROM {source} WHERE {fault} LIMIT 1")[0]
    names = (*columns, f"next {spec.valid.start}", f"next {available}")
    message = (
        f"{spec.valid.end} lies on or before the day its successor became public: without a disclosure of its own it"
        " must lie after it (W2), or state 'end_known'"
    )
    place = probe.place("valid", "to")
    example = dict(zip(names, row.values(), strict=True))
    yield Finding("error", "w2", probe.name, columns, message, int(count), int(total), example, place)
