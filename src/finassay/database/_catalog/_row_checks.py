"""Checks of single rows: each is a condition that no row should meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.temporal import DATE_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finassay.database._catalog._findings import Severity
    from finassay.database._catalog._probe import Probe
    from finassay.temporal import Column

_FAR = "2099-01-01"


@dataclass(frozen=True)
class RowCheck:
    """A condition that no row should meet, and what it means if one does."""

    severity: Severity
    check: str
    columns: tuple[str, ...]
    at_fault: str
    message: str
    path: tuple[str | int, ...]


def row_checks(probe: Probe) -> Iterator[RowCheck]:
    """Yield every check of single rows that the catalog entry implies."""
    for name, column in probe.spec.columns.items():
        yield from _domain(probe, name, column)
        yield from _readable(probe, name, column)
        yield from _stage(probe, name, column)
    yield from _availability(probe)
    yield from _interval(probe)
    yield from _ahead(probe)
    yield from _dependencies(probe)


def _domain(probe: Probe, name: str, column: Column) -> Iterator[RowCheck]:
    quoted, path = probe.quoted(name), ("columns", name)
    codes = probe.catalog.codes(column)
    if codes is not None:
        inside = _in_codes(probe, name, list(codes))
        fault = f"{quoted} IS NOT NULL AND NOT ({inside})"
        message = f"{name} holds a value outside its code list ({', '.join(codes)})"
        yield RowCheck("error", "unknown_code", (name,), fault, message, (*path, "codes"))
    if column.min is not None:
        message = f"{name} is below its minimum {column.min:g}"
        yield RowCheck("error", "out_of_range", (name,), f"{quoted} < {column.min}", message, (*path, "min"))
    if column.max is not None:
        message = f"{name} is above its maximum {column.max:g}"
        yield RowCheck("error", "out_of_range", (name,), f"{quoted} > {column.max}", message, (*path, "max"))


def _in_codes(probe: Probe, name: str, codes: list[str]) -> str:
    import pyarrow as pa

    spelled = probe.table.names[name]
    kind = next(column.arrow_type for column in probe.table.info.columns if column.name == spelled)
    quoted = probe.quoted(name)
    if pa.types.is_boolean(kind):
        return " OR ".join(quoted if code == "true" else f"NOT {quoted}" for code in codes)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return f"{quoted} IN ({probe.literals(codes)})"
    numeric = [code for code in codes if code.lstrip("-").isdigit()]
    return f"{quoted} IN ({', '.join(numeric)})" if numeric else "1 = 0"


def _readable(probe: Probe, name: str, column: Column) -> Iterator[RowCheck]:
    if column.role in DATE_ROLES and column.format not in ("native", "other"):
        fault = f"{probe.quoted(name)} IS NOT NULL AND {probe.day(name)} IS NULL"
        message = f"{name} holds a value that is no {column.format}"
        yield RowCheck("error", "unreadable_date", (name,), fault, message, ("columns", name))


def _stage(probe: Probe, name: str, column: Column) -> Iterator[RowCheck]:
    by = column.disclosed_by
    if by and by != name:
        fault = f"{probe.quoted(name)} IS NOT NULL AND {probe.quoted(by)} IS NULL"
        message = f"{name} is there although {by}, which discloses it, is NULL: it would never be shown"
        yield RowCheck("warning", "never_disclosed", (name, by), fault, message, ("columns", name))


def _availability(probe: Probe) -> Iterator[RowCheck]:
    spec = probe.spec
    available = spec.availability.column if spec.availability else None
    stated = {pair for d in spec.dependencies for pair in _pairs(d.order)}
    if not available:
        return
    for period in (name for name in spec.by_role("period_end", "market_date") if name != available):
        if (period, available) not in stated and probe.is_date(period):
            message = f"{available} lies before {period}: known before the period was over"
            yield RowCheck(
                "error", "negative_lag", (period, available),
                f"{probe.day(available)} < {probe.day(period)}", message, ("availability", "column"),
            )  # fmt: skip
    for recorded in spec.by_role("recorded"):
        if probe.is_date(recorded) and not spec.availability.ahead:
            message = (
                f"{recorded} lies before {available}: the vendor had the row before the disclosure it states"
            )
            yield RowCheck(
                "info", "recorded_early", (available, recorded),
                f"{probe.day(recorded)} < {probe.day(available)}", message, ("columns", recorded),
            )  # fmt: skip


def _interval(probe: Probe) -> Iterator[RowCheck]:
    valid = probe.spec.valid
    if valid is None or valid.end is None:
        return
    there = f"NOT ({probe.missing_end()})"
    start, end = probe.day(valid.start), probe.day(valid.end)
    path, columns = ("valid", "to"), (valid.start, valid.end)
    message = f"{valid.end} lies before {valid.start}"
    yield RowCheck("error", "interval_reversed", columns, f"{there} AND {end} < {start}", message, path)
    if not valid.inclusive:
        message = f"{valid.end} equals {valid.start}: the state never held; is {valid.end} its last day ('inclusive')?"
        yield RowCheck("warning", "interval_empty", columns, f"{there} AND {end} = {start}", message, path)
    message = f"{valid.end} lies beyond 2098: if it means not ended, list it in 'open'"
    far = f"{there} AND {end} >= CAST('{_FAR}' AS DATE)"
    yield RowCheck("warning", "open_value", (valid.end,), far, message, path)
    if valid.end_known and valid.end_known.column != valid.end:
        known = valid.end_known.column
        message = f"{valid.end} is there although {known} is NULL: the end would read as open for ever"
        fault = f"{there} AND {probe.quoted(known)} IS NULL"
        yield RowCheck(
            "warning", "end_undisclosed", (valid.end, known), fault, message, ("valid", "end_known")
        )


def _ahead(probe: Probe) -> Iterator[RowCheck]:
    spec = probe.spec
    if not (spec.availability and spec.availability.ahead):
        return
    column = spec.availability.column
    for recorded in spec.by_role("recorded"):
        message = (
            f"{column} is said to lie after the day it became public (W1), but the row was recorded later"
        )
        fault = f"{probe.day(recorded)} >= {probe.day(column)}"
        yield RowCheck("error", "w1", (column, recorded), fault, message, ("availability", "ahead"))


def _dependencies(probe: Probe) -> Iterator[RowCheck]:
    for index, dependency in enumerate(probe.spec.dependencies):
        path = ("dependencies", index)
        if dependency.order:
            pairs = [p for p in _pairs(dependency.order) if all(map(probe.is_date, p))]
            fault = " OR ".join(f"{probe.day(first)} > {probe.day(second)}" for first, second in pairs)
            message = f"dates are out of order: {' <= '.join(dependency.order)}"
            if fault:
                yield RowCheck("error", "date_order", dependency.order, fault, message, path)
        if dependency.together:
            nulls = [f"{probe.quoted(name)} IS NULL" for name in dependency.together]
            fault = f"({' OR '.join(nulls)}) AND NOT ({' AND '.join(nulls)})"
            message = f"{', '.join(dependency.together)} are not NULL together"
            yield RowCheck("error", "not_together", dependency.together, fault, message, path)
        if dependency.flag:
            yield _flag(probe, dependency.flag, dependency.while_open, path)


def _flag(probe: Probe, flag: str, while_open: tuple[str, ...], path: tuple[str | int, ...]) -> RowCheck:
    valid = probe.spec.valid
    missing = probe.missing_end()
    open_ = f"({probe.quoted(flag)} IS NOT NULL AND ({_in_codes(probe, flag, list(while_open))}))"
    # An end after the snapshot is scheduled: the flag, which describes the snapshot, still says open.
    touched = [name for name in probe.spec.by_role("recorded", "updated") if _dated(probe, name)]
    ended = f"NOT ({missing})"
    if touched:
        last = _latest_day(probe, touched)
        ended += f" AND {probe.day(valid.end)} <= {last}"
    fault = f"(({missing}) AND NOT {open_}) OR ({ended} AND {open_})"
    codes = " or ".join(while_open)
    message = f"{flag} and {valid.end} disagree: {flag} is {codes} exactly while {valid.end} is not reached"
    return RowCheck("error", "flag_disagrees", (flag, valid.end), fault, message, path)


def _latest_day(probe: Probe, columns: list[str]) -> str:
    """Return the latest day in any of the columns, as a scalar subquery."""
    parts = [f"SELECT max({probe.day(name)}) AS d FROM {probe.source}" for name in columns]  # noqa: S608
    return f"(SELECT max(d) FROM ({' UNION ALL '.join(parts)}) AS touched)"  # noqa: S608


def _dated(probe: Probe, name: str) -> bool:
    import pyarrow as pa

    spelled = probe.table.names[name]
    kind = next(column.arrow_type for column in probe.table.info.columns if column.name == spelled)
    native = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    return bool(native) == (probe.spec.columns[name].format == "native") and probe.is_date(name)


def _pairs(order: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(order[i], later) for i in range(len(order)) for later in order[i + 1 :]]
