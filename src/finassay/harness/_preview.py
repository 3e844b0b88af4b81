"""What an agent sees of a run: the first rows, a summary of each column, what was printed, the error; all capped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from finassay.execution import Outcome

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.execution import ResultTable, Run

ROWS = 20
CHARS = 15_000
_PRINTED = 4_000
_CELL = 200
_COLUMNS = 60


def preview(run: Run) -> str:
    """Return a run as text of at most 15,000 characters; what is left out is said."""
    parts = []
    if run.trace.outcome is not Outcome.OK:
        error = run.trace.error
        place = f" (line {error.line})" if error and error.line else ""
        what = f"{error.type or error.reason}: {error.message}{place}" if error else "no reason is known"
        parts.append(f"The program failed ({run.trace.outcome}). {what}")
    parts += [_table(table) for table in run.tables]
    if run.figures:
        parts.append(f"{len(run.figures)} figure(s)")
    parts += [f"note: {warning}" for warning in run.trace.warnings]
    for name, text in (("printed", run.trace.stdout), ("printed to stderr", run.trace.stderr)):
        if text.strip():
            parts.append(f"{name}:\n{cut(text, _PRINTED)}")
    return cut("\n\n".join(parts), CHARS)


def cut(text: str, most: int) -> str:
    """Return the beginning of a text that is too long, and how much there was."""
    return text if len(text) <= most else f"{text[:most]}\n… (cut: {len(text)} characters in all)"


def _table(result: ResultTable) -> str:
    table = result.table
    names = table.column_names[:_COLUMNS]
    shown = table.select(list(range(len(names)))).slice(0, ROWS)
    cells = zip(*(column.to_pylist() for column in shown.columns), strict=True)
    lines = [
        f"{result.name}: {table.num_rows} rows, {table.num_columns} columns",
        " | ".join(names),
        *(" | ".join(_cell(cell) for cell in row) for row in cells),
    ]
    if table.num_rows > ROWS:
        lines.append(f"… (the first {ROWS} of {table.num_rows} rows)")
    if table.num_columns > _COLUMNS:
        lines.append(f"… (the first {_COLUMNS} of {table.num_columns} columns)")
    if table.num_rows:
        lines += ["summary:", *(_summary(n, table.column(i)) for i, n in enumerate(names))]
    else:
        lines.append("no rows: is an empty table what was asked for?")
    lines += [f"note: {note}" for note in result.notes]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    return "" if value is None else cut(str(value), _CELL)


def _summary(name: str, column: pa.ChunkedArray) -> str:
    import pyarrow as pa
    import pyarrow.compute as pc

    said = [str(column.type), f"{column.null_count} empty"]
    kind = column.type
    ordered = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if (ordered or pa.types.is_temporal(kind)) and column.null_count < len(column):
        ends = pc.min_max(column).as_py()
        said.append(f"{ends['min']} to {ends['max']}")
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        said.append(f"{pc.count_distinct(column).as_py()} distinct")
    return f"  {name}: {', '.join(said)}"
