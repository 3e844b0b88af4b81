"""From a difference over a whole table to one row that makes it (pit_audit.md, 2.4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from finassay.audit._certificate import Witness
from finassay.audit._scenarios import adds
from finassay.audit._types import AS_IS, REMOVED, REOPENED, SCRAMBLED, THINNED, TO_COME, Requirement
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
    from finassay.audit._trial import Trial
    from finassay.audit._types import Family
    from finassay.database import Database

AS_THEY_ARE = (REMOVED, THINNED, REOPENED, AS_IS)  # families that only leave out what is there
_PAIRED = ("known", "normal")
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
    that are found there make a difference on all the data. What must be compared with its normal form, or with what
    was known of it, takes two runs a time: it waits until the witness is kept (`shrunk`). With `halve` given, the
    output is compared with that over the unaltered table, whatever the family.
    """
    asked = _Asked(runner.run, table, family, scope, base, paired=halve is None and family.mode in _PAIRED)
    less = None
    if family.mode == "same" if halve is None else halve:
        less = _fewest(asked, runner, database, piece) if piece is not None else None
        less = less or _halve(asked, _numbers(table, family, database))
    only, found = less or (None, difference)
    return _witness(asked, only, found, database)


def witness_in(
    trial: Trial, name: str, family: Family, base: Output, difference: Difference, database: Database
) -> Witness:
    """Return a counterexample of a trial in one of its tables; see `witness_of`."""
    table = trial.tables[name]
    return witness_of(trial.runner, table, family, trial.scope, base, difference, database, piece=trial.piece)


def shrunk(
    witness: Witness,
    runner: Runner,
    table: Altered,
    family: Family,
    scope: Scope,
    base: Output,
    database: Database,
    *,
    piece: Slice | None = None,
) -> Witness:
    """Return a witness of a family whose output is compared with another one than the base, in as few rows as may be.

    At each step the program runs over the rows of a half as they are altered, and over what must be the same then; at
    most two runs for each halving, and two at the end.
    """
    if family.mode not in _PAIRED:
        return witness
    asked = _Asked(runner.run, table, family, scope, base, paired=True)
    if piece is not None:
        less = _fewest(asked, runner, database, piece)
    else:
        less = _halve(asked, _numbers(table, family, database))
    return witness if less is None else _witness(asked, *less, database)


@dataclass(frozen=True)
class _Asked:
    """What is asked of some rows of a table: does the output differ from what it must be when only these are altered.

    `paired`: it must be that over what is expected then; else, that over the unaltered table.
    """

    run: Callable[[dict[str, str]], Output]
    table: Altered
    family: Family
    scope: Scope
    base: Output
    paired: bool

    def __call__(self, only: tuple[Any, Any] | None) -> Difference | None:
        name = self.table.stored.info.name.lower()
        altered = self.table.select(self.family, only)
        found = self.base if self.family is AS_IS else self.run({name: altered})
        if found.error is not None:
            return None
        expected = self.base
        if self.paired:
            expected = self.run({name: self.table.expected(self.family, only)})
        if expected.error is not None:
            return None
        # Against the base all that was decided is judged; the names that are printed are free only to an audit's family
        judged = self.family if self.paired or self.family.mode == "same" else None
        return self.scope.differ(expected, found, judged)


def _witness(asked: _Asked, only: tuple[Any, Any] | None, found: Difference, database: Database) -> Witness:
    table, family = asked.table, asked.family
    one = only[0] if only is not None and only[0] == only[1] else None
    row = _row(table.row(one), database) if one is not None else None
    altered = None
    if one is not None and family is not AS_IS:
        altered = _changes(_row(table.row_after(family, one), database), row)
    overlay = table.select(family, only)
    return Witness(
        as_of=asked.scope.cutoff.day.isoformat(),
        requirement=_requirement(table, family, row),
        family=family.name,
        table=table.stored.info.name,
        says=_says(table, family, row, altered),
        row=row,
        shown=_shown(table, row, altered),
        altered=altered,
        missing=list(found.missing),
        added=list(found.added),
        overlay=overlay,
        instead=table.expected(family, only) if asked.paired else None,
        level="L0" if family in AS_THEY_ARE else "L2",
    )


def _says(
    table: Altered, family: Family, row: dict[str, str | None] | None, altered: dict[str, str | None] | None
) -> str:
    """Return what is done to the table; of a row that is added, also its number and that of the one it follows."""
    if altered is None or not adds(family):
        return family.says
    new = f"here the row {table.called({**(row or {}), **altered})}"
    of = "the like of" if family is TO_COME else "a version of"
    return f"{family.says} ({new}" + (")" if row is None else f", {of} {table.called(row)})")


def _shown(
    table: Altered, row: dict[str, str | None] | None, altered: dict[str, str | None] | None
) -> list[str]:
    """Return the columns that identify a row, that date it, and up to six of those that were altered."""
    if row is None:
        return []
    spec = table.stored.spec
    dates = [n for n, c in spec.columns.items() if c.role in DATE_ROLES and c.role != "updated"]
    changed = [name for name in altered or {} if name in row][:6]
    names = [table.stored.names[name] for name in (*spec.row_id, *spec.key, *dates)]
    return [name for name in dict.fromkeys((*names, *changed)) if row[name] is not None or name in changed]


def _numbers(
    table: Altered, family: Family, database: Database, piece: Slice | None = None
) -> pa.ChunkedArray | list[Any]:
    """Return the numbers of the rows that a family may alter, ascending."""
    within = None if piece is None else piece.condition(table.stored.info.name.lower())
    sql = table.candidates(family, within)
    return database.query(sql, policy=_POLICY).table.column(0)


def _fewest(
    asked: _Asked, runner: Runner, database: Database, piece: Slice
) -> tuple[tuple[Any, Any], Difference] | None:
    """Halve the rows of a slice, and see whether those that are left make a difference on all the data."""

    def run(overlays: dict[str, str]) -> Output:
        return runner.run(piece.over(overlays))

    small = replace(asked, run=run, base=piece.base(asked.base, runner.run))
    less = _halve(small, _numbers(asked.table, asked.family, database, piece))
    found = None if less is None else asked(less[0])
    return None if less is None or found is None else (less[0], found)


def _halve(asked: _Asked, numbers: pa.ChunkedArray | list[Any]) -> tuple[tuple[Any, Any], Difference] | None:
    """Halve the altered rows for as long as one half alone makes a difference; None where none does.

    Where the first half makes none, the second is taken to make it, and is asked only when it is halved no further: so
    each step asks once. Where it takes rows of both halves, that is seen at the end, and what was last seen stands.
    """
    low, high = 0, len(numbers) - 1
    seen: tuple[tuple[Any, Any], Difference] | None = None
    sure = False
    while low <= high and not (sure and low == high):
        middle = (low + high) // 2
        only = numbers[low].as_py(), numbers[middle].as_py()
        half = asked(only)
        if half is not None:
            high, seen, sure = middle, (only, half), True
        elif low == high:
            break
        else:
            low, sure = middle + 1, False
    return seen


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
    valid = table.stored.spec.valid
    if family not in (REMOVED, THINNED, SCRAMBLED) or row is None or valid is None:
        return family.requirement
    from datetime import date

    start = row.get(table.stored.names[valid.start])
    try:
        later = start is not None and date.fromisoformat(start[:10]) > table.view.cutoff.day
    except ValueError:
        later = False
    return Requirement.STATE if later else family.requirement
