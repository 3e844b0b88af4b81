"""How a program's answer changes where its tables hold only what counted at the cutoff: the normalised snapshot."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from itertools import combinations
from typing import TYPE_CHECKING, Any

from finassay.audit._certificate import CellChange, ColumnChange, Impact, OutputImpact
from finassay.audit._compare import agree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from finassay.audit._subject import Output
    from finassay.audit._trial import Trial

_SHOWN = 5
_MOST_KEYS = 3
_Row = tuple[Any, ...]


def impact_of(trials: Sequence[Trial], base: Output, read: Iterable[str]) -> Impact:
    """Run the program over the snapshot of each cutoff, and compare what it gives with what it gave."""
    outputs: list[OutputImpact] = []
    failures: list[str] = []
    for trial in trials:
        day = trial.scope.cutoff.day.isoformat()
        found = trial.runner.run(
            {name: table.snapshot(history=name in trial.history) for name, table in trial.tables.items()}
        )
        if found.error is not None:
            failures.append(f"{day}: the program failed over the snapshot: {found.error}")
            continue
        before, after = trial.scope.of_its_date(base), trial.scope.of_its_date(found)
        for name, table in before.tables.items():
            if name in after.tables:
                outputs.append(_compared(day, name, table, after.tables[name]))
            else:
                failures.append(f"{day}: over the snapshot there is no table {name}")
    left = sorted(set(read) - set(trials[-1].tables)) if trials else []
    return Impact(outputs=outputs, failures=failures, unchanged_tables=left)


def _compared(day: str, name: str, before: pa.Table, after: pa.Table) -> OutputImpact:
    columns = [column for column in before.column_names if column in after.column_names]
    left, right = _rows(before.select(columns)), _rows(after.select(columns))
    key = _key(before.select(columns), left, right)
    if key is None:
        return _whole_rows(day, name, left, right)
    ours, theirs = ({tuple(row[k] for k in key): row for row in rows} for rows in (left, right))
    both = [value for value in ours if value in theirs]
    dropped = [row for value, row in ours.items() if value not in theirs]
    added = [row for value, row in theirs.items() if value not in ours]
    changes = []
    touched: set[_Row] = set()
    for position, column in enumerate(columns):
        pairs = [(value, ours[value][position], theirs[value][position]) for value in both]
        other = [pair for pair in pairs if not agree(pair[1], pair[2])]
        if not other:
            continue
        touched |= {pair[0] for pair in other}
        row, was, now = max(other, key=lambda pair: _size(pair[1], pair[2]))
        largest = CellChange(row=_text(row), before=_cell(was), after=_cell(now))
        changes.append(ColumnChange(column=column, cells=len(other), largest=largest))
    return OutputImpact(
        as_of=day,
        output=name,
        key=[columns[k] for k in key],
        rows_before=len(left),
        rows_after=len(right),
        both=len(both),
        changed=len(touched),
        dropped=len(dropped),
        added=len(added),
        columns=changes,
        dropped_rows=[_text(row) for row in dropped[:_SHOWN]],
        added_rows=[_text(row) for row in added[:_SHOWN]],
    )


def _whole_rows(day: str, name: str, left: list[_Row], right: list[_Row]) -> OutputImpact:
    """Compare where no columns tell rows apart: a row is there, or it is not."""
    ours, theirs = Counter(map(_text, left)), Counter(map(_text, right))
    dropped, added = list((ours - theirs).elements()), list((theirs - ours).elements())
    return OutputImpact(
        as_of=day,
        output=name,
        key=[],
        rows_before=len(left),
        rows_after=len(right),
        both=len(left) - len(dropped),
        changed=0,
        dropped=len(dropped),
        added=len(added),
        columns=[],
        dropped_rows=dropped[:_SHOWN],
        added_rows=added[:_SHOWN],
    )


def _rows(table: pa.Table) -> list[_Row]:
    """Return the rows in an order of their own: that of a statement without ORDER BY is the engine's."""
    return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True), key=_text)


def _key(table: pa.Table, left: list[_Row], right: list[_Row]) -> tuple[int, ...] | None:
    """Return the fewest columns that tell the rows of both apart: texts and dates before whole numbers, no measures."""
    import pyarrow as pa

    kinds = [field.type for field in table.schema]
    exact = [
        n
        for n, kind in enumerate(kinds)
        if not (pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_nested(kind))
    ]
    exact.sort(key=lambda n: pa.types.is_integer(kinds[n]))
    for size in range(1, _MOST_KEYS + 1):
        for chosen in combinations(exact[:8], size):
            if all(
                len({tuple(row[k] for k in chosen) for row in rows}) == len(rows) for rows in (left, right)
            ):
                return chosen
    return None


def _size(before: Any, after: Any) -> float:
    """Return how large a change is: of numbers the distance; what is no number counts as more than any."""
    numbers = [
        float(value)
        for value in (before, after)
        if isinstance(value, int | float | Decimal) and value == value  # NaN is no number
    ]
    return abs(numbers[0] - numbers[1]) if len(numbers) == 2 else float("inf")


def _cell(value: Any) -> str | None:
    return None if value is None else str(value)


def _text(row: Iterable[Any]) -> str:
    return " | ".join("NULL" if value is None else str(value) for value in row)
