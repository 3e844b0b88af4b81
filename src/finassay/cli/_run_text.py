"""A run as a person reads it: the first rows of its tables, what it asked, how it ended."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from finassay.execution._report import python_values

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.execution import Run, Trace

PREVIEW_ROWS = 10
PREVIEW_COLUMNS = 12
_CELL = 40
_SOURCE = 100
_TAIL = 2000


def run_as_text(done: Run, out: Path | None) -> str:
    """Return the report of a run as plain text, without escape codes."""
    buffer = io.StringIO()
    console = Console(file=buffer, width=120, color_system=None, highlight=False, emoji=False)
    trace = done.trace
    for result in done.tables:
        console.print(escape(_title(result.name, result.table)))
        console.print(_preview(result.table))
        for note in result.notes:
            console.print(f"note: {escape(_printable(note))}")
    for figure in trace.figures:
        drawn = "with its data" if figure.data_file else "picture only"
        console.print(f"figure {escape(figure.name)}: {drawn}")
    if done.abstract is not None:
        console.print(f"abstract.txt: {escape(_printable(done.abstract[:500]))}")
    if trace.stdout:
        console.print(f"--- printed ---\n{escape(_printable(_tail(trace.stdout)))}")
    _queries(console, trace)
    _ending(console, trace)
    if out is not None:
        console.print(f"Written to {escape(str(out))}: trace.json and {len(trace.tables)} table(s).")
    return buffer.getvalue().rstrip("\n")


def _title(name: str, table: pa.Table) -> str:
    left_out = table.num_columns - PREVIEW_COLUMNS
    more = f", {left_out} of them not shown" if left_out > 0 else ""
    return f"{_printable(name)}: {table.num_rows:,} rows x {table.num_columns} columns{more}"


def _preview(table: pa.Table) -> Table:
    shown = table.slice(0, PREVIEW_ROWS)
    names = [_printable(column) for column in table.column_names[:PREVIEW_COLUMNS]]
    view = Table()
    for column, label in zip(table.columns, names, strict=False):
        numeric = any(mark in str(column.type) for mark in ("int", "float", "double", "decimal"))
        view.add_column(escape(label), justify="right" if numeric else "left", overflow="fold")
    values = [python_values(shown.column(k)) for k in range(len(names))]
    for row in zip(*values, strict=True):
        view.add_row(*(escape(_cell(value)) for value in row))
    if table.num_rows > PREVIEW_ROWS:
        view.add_row(*("…" for _ in names))
    return view


def _cell(value: object) -> str:
    if value is None:
        return "NULL"
    text = f"{value:.10g}" if isinstance(value, float) else str(value)
    text = _printable(text)
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"


def _printable(text: str) -> str:
    """Without control characters, which could move a terminal's cursor or change its title."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _tail(text: str) -> str:
    """Return the last lines of a text, and say where some are left out."""
    text = text.rstrip()
    if len(text) <= _TAIL:
        return text
    start = text.find("\n", len(text) - _TAIL) + 1 or len(text) - _TAIL
    return (
        f"… {start:,} characters before this are not shown; --out keeps them, in trace.json\n{text[start:]}"
    )


def _paragraph(text: str) -> str:
    """Return the first paragraph of a message: DuckDB adds advice about settings that a program does not have."""
    first, *more = re.split(r"\n\s*\n", text.strip(), maxsplit=1)
    return f"{first} …" if more else first


def _queries(console: Console, trace: Trace) -> None:
    console.print(f"{len(trace.queries)} statement(s) sent:")
    for query in trace.queries[:20]:
        text = _printable(" ".join(query.sql.split()))
        size = f"{query.rows:,} rows" if query.rows is not None else query.status
        short = text if len(text) <= 70 else text[:69] + "…"
        line = f"  {query.index:>3} {query.route:<9} {query.ms:>8.1f} ms  {size:>14}  {escape(short)}"
        console.print(line, soft_wrap=True)
        for warning in query.warnings:
            console.print(f"      warning: {escape(_printable(warning))}")
    if len(trace.queries) > 20:
        console.print(f"  … and {len(trace.queries) - 20} more")


def _pointed(text: str, column: int | None) -> list[str]:
    """Return the part of a source line around a column, and a caret under it; a Chinese character is two wide."""
    if column is None:
        return [text[:_SOURCE]]
    start = max(0, column - 1 - _SOURCE // 2)
    before = ("…" if start else "") + text[start : column - 1]
    after = text[column - 1 : start + _SOURCE]
    more = "…" if start + _SOURCE < len(text) else ""
    return [before + after + more, " " * cell_len(before) + "^"]


def _ending(console: Console, trace: Trace) -> None:
    error = trace.error
    if error is not None:
        console.print(f"{trace.outcome}: {error.reason}")
        where = f" at {error.source}:{error.line}" if error.line else ""
        kind = f"{error.type}: " if error.type else ""
        console.print(f"  {escape(kind + _paragraph(_printable(error.message)) + where)}", soft_wrap=True)
        if error.text:
            for line in _pointed(_printable(error.text), error.column):
                console.print(f"    {escape(line)}", soft_wrap=True)
    for warning in trace.warnings:
        console.print(f"warning: {escape(_printable(warning))}")
    kept_apart = "" if trace.jail.isolated else " (NOT isolated)"
    timings = trace.timings
    console.print(
        f"outcome {trace.outcome} in {timings.total_ms / 1000:.2f} s"
        f" (program {timings.run_ms / 1000:.2f} s), jail {trace.jail.name}{kept_apart},"
        f" {trace.database.engine} read as {trace.database.dialect}"
    )
