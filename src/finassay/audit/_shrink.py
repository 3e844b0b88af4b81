"""From a difference over a whole table to one row that makes it (pit_audit.md, 2.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from finassay.audit._certificate import Witness
from finassay.audit._types import AS_IS, REMOVED, SCRAMBLED, THINNED, Requirement
from finassay.database import QueryPolicy
from finassay.temporal import DATE_ROLES

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from finassay.audit._compare import Difference
    from finassay.audit._scenarios import Altered
    from finassay.audit._scope import Scope
    from finassay.audit._slices import Slice
    from finassay.audit._subject import Output, Runner
    from finassay.audit._types import Family
    from finassay.database import Database

_POLICY = QueryPolicy(max_rows=1 << 40, timeout_s=600.0)  # numbers of rows, eight bytes each


def witness_of(
    runner: Runner,
    table: Altered,
    family: Family,
    scope: Scope,
    base: Output,
    difference: Difference,
    database: Database,
    *,
    halve: bool | None = None,
    piece: Slice | None = None,
) -> Witness:
    """Return a counterexample, altered in as few rows as halving finds; usually one.

    By default the rows are halved where the output must not change at all; on a slice, where there is one and the rows
    that are found there make a difference on all the data.
    """
    found, only = difference, None
    if family.mode == "same" if halve is None else halve:
        shrunk = _on_slice(runner, table, family, scope, base, database, piece) if piece is not None else None
        if shrunk is None and len(numbers := _numbers(table, family, database)):
            shrunk = _halve(runner.run, table, family, scope, base, numbers, difference)
        only, found = shrunk or (None, difference)
    one = only[0] if only is not None and only[0] == only[1] else None
    row = _row(table.row(one), database) if one is not None else None
    altered = _changes(_row(table.row_after(family, one), database), row) if one is not None else None
    return Witness(
        as_of=scope.cutoff.day.isoformat(),
        requirement=_requirement(table, family, row),
        family=family.name,
        table=table.table.info.name,
        says=family.says,
        row=row,
        shown=_shown(table, row, altered),
        altered=altered,
        missing=list(found.missing),
        added=list(found.added),
        overlay=table.select(family, only),
        instead=None
        if family.mode in ("same", "follow") or halve
        else table.expected(family, table.select(family, only)),
        level="L0" if family in (REMOVED, THINNED, AS_IS) else "L2",
    )


def _shown(
    table: Altered, row: dict[str, str | None] | None, altered: dict[str, str | None] | None
) -> list[str]:
    """Return the columns that identify a row, that date it, and up to six of those that were altered."""
    if row is None:
        return []
    spec = table.table.spec
    dates = [n for n, c in spec.columns.items() if c.role in DATE_ROLES and c.role != "updated"]
    changed = [name for name in altered or {} if name in row][:6]
    names = [table.table.names[name] for name in (*spec.row_id, *spec.key, *dates)]
    return [name for name in dict.fromkeys((*names, *changed)) if row[name] is not None or name in changed]


def _numbers(
    table: Altered, family: Family, database: Database, piece: Slice | None = None
) -> pa.ChunkedArray | list[Any]:
    """Return the numbers of the rows that a family may alter, ascending."""
    sql = table.candidates(family)
    if sql is None:
        return []
    if piece is not None:
        sql = piece.rows(table.table.info.name.lower(), sql)
    return database.query(sql, policy=_POLICY).table.column(0)


def _on_slice(
    runner: Runner,
    table: Altered,
    family: Family,
    scope: Scope,
    base: Output,
    database: Database,
    piece: Slice,
) -> tuple[tuple[Any, Any], Difference] | None:
    """Halve the rows of a slice, and see whether those that are left make a difference on all the data."""

    def run(overlays: dict[str, str]) -> Output:
        return runner.run(piece.over({name.lower(): text for name, text in overlays.items()}))

    name, small = table.table.info.name, piece.base(base, runner.run)
    numbers = _numbers(table, family, database, piece)
    first = run({name: table.select(family)})
    difference = None if first.error is not None else scope.differ(small, first)
    if difference is None or not len(numbers):
        return None
    only, _ = _halve(run, table, family, scope, small, numbers, difference)
    confirmed = runner.run({name: table.select(family, only)})
    found = None if confirmed.error is not None else scope.differ(base, confirmed)
    return None if found is None else (only, found)


def _halve(
    run: Callable[[dict[str, str]], Output],
    table: Altered,
    family: Family,
    scope: Scope,
    base: Output,
    numbers: pa.ChunkedArray | list[Any],
    difference: Difference,
) -> tuple[tuple[Any, Any], Difference]:
    """Halve the altered rows for as long as one half alone makes a difference."""

    def at(place: int) -> Any:
        return numbers[place].as_py()

    low, high, found = 0, len(numbers) - 1, difference
    while low < high:
        middle = (low + high) // 2
        for first, last in ((low, middle), (middle + 1, high)):
            output = run({table.table.info.name: table.select(family, (at(first), at(last)))})
            half = None if output.error is not None else scope.differ(base, output)
            if half is not None:
                low, high, found = first, last, half
                break
        else:
            break  # it takes rows of both halves
    return (at(low), at(high)), found


def _row(sql: str, database: Database) -> dict[str, str | None] | None:
    rows = database.query(sql).table.to_pylist()
    return {name: None if value is None else str(value) for name, value in rows[0].items()} if rows else None


def _changes(
    after: dict[str, str | None] | None, row: dict[str, str | None] | None
) -> dict[str, str | None] | None:
    """Return the columns that were changed in a row, or all of a row that was added; None where it was removed."""
    if after is None or row is None:
        return after
    return {name: value for name, value in after.items() if value != row.get(name)}


def _requirement(table: Altered, family: Family, row: dict[str, str | None] | None) -> Requirement:
    """Tell A1 from A2: a row of a state that starts after the as-of date is a state that did not hold yet (2.6)."""
    valid = table.table.spec.valid
    if family not in (REMOVED, THINNED, SCRAMBLED) or row is None or valid is None:
        return family.requirement
    from datetime import date

    start = row.get(table.table.names[valid.start])
    try:
        later = start is not None and date.fromisoformat(start[:10]) > table.view.cutoff.day
    except ValueError:
        later = False
    return Requirement.STATE if later else family.requirement
