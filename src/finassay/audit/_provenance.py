"""Which rows that were not known, or did not count, went into which output rows: evidence, not a detector (2.2, d)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.audit._carry import CARRIED, Untraceable, carrying
from finassay.audit._certificate import Provenance, Use
from finassay.audit._compare import differ, row_text
from finassay.audit._subject import Output
from finassay.audit._types import AS_IS, REMOVED, RESTATED, SCRAMBLED, THINNED, TO_COME, Family
from finassay.temporal import DATE_ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from finassay.audit._scenarios import Altered
    from finassay.audit._trial import Trial
    from finassay.database import Database

_SHOWN = 5
_TRACED = (REMOVED, THINNED, SCRAMBLED, RESTATED, TO_COME, AS_IS)


def provenance_of(
    trial: Trial,
    name: str,
    family: Family,
    base: Output,
    columns: Mapping[str, Sequence[str]],
    database: Database,
) -> Provenance | None:
    """Return the output rows over the unaltered data that used rows of a table which they must not have used.

    None where nothing is to be traced: of a Python program, whose witness row is the evidence, and of families that
    alter columns rather than whole rows.
    """
    table = trial.tables[name]
    if trial.runner.subject.submission.mode != "sql" or family not in _TRACED:
        return None
    marked = table.marked(CARRIED, counting=family == AS_IS)
    dialect, text = base.statements[0]
    try:
        carried = carrying(text, dialect, name, marked, table.dialect, columns)
    except Untraceable as why:
        return _untraced(f"The statement is not rewritten: {why}.")
    found = trial.runner.run(sql=carried.sql)
    if found.error is not None:
        return _untraced("The rewritten statement does not run.")
    plain = {
        key: whole.drop_columns([CARRIED]) if CARRIED in whole.column_names else whole
        for key, whole in found.tables.items()
    }
    if differ(base, Output(plain)) is not None:
        return _untraced("The rewritten statement gives another answer.")
    return _used(trial, table, found, database, grouped=carried.grouped)


def _untraced(why: str) -> Provenance:
    return Provenance(status="not_rewritten", why=why, rows=0, uses=[])


def _used(trial: Trial, table: Altered, found: Output, database: Database, *, grouped: bool) -> Provenance:
    judged = trial.scope.of_its_date(found) if trial.scope.column else found
    rows: list[tuple[str, str]] = []
    for whole in judged.tables.values():
        labels = [n for n in whole.column_names if n.lower() in trial.scope.labels or n == CARRIED]
        numbers = whole.column(CARRIED).to_pylist()
        texts = map(row_text, zip(*(c.to_pylist() for c in whole.drop_columns(labels).columns), strict=True))
        rows += [(text, str(n)) for text, n in zip(texts, numbers, strict=True) if n is not None]
    rows.sort()
    uses = [_use(trial, table, text, number, database, grouped=grouped) for text, number in rows[:_SHOWN]]
    return Provenance(status="traced", why=None, rows=len(rows), uses=uses)


def _use(trial: Trial, table: Altered, text: str, number: str, database: Database, *, grouped: bool) -> Use:
    day = trial.scope.cutoff.day.isoformat()
    # Which row of a group an aggregate takes its value from is not followed: it is one of those that went in.
    used = f"among the rows of its group for cut-off {day}" if grouped else f"used for cut-off {day}"
    row = database.query(table.row(int(number))).table.to_pylist()[0]
    spec = table.stored.spec
    dates = [n for n, c in spec.columns.items() if c.role in DATE_ROLES and c.role != "updated"]
    shown = {
        table.stored.names[name]: None if (cell := row[table.stored.names[name]]) is None else str(cell)
        for name in dict.fromkeys((*spec.row_id, *spec.key, *dates))
    }
    known = table.known_by
    named = number if table.table is table.stored else f"({table.called(row)})"
    told = f", disclosed {shown[table.stored.names[known]]}" if known in dates else ""
    return Use(output=text, row=shown, says=f"{table.stored.info.name} row {named}{told}, {used}")
