"""`finassay db`: look at a database as every other command sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from finassay.cli._output import (
    Format,
    FormatOption,
    exit_with,
    reporting,
    write_json,
    write_message,
    write_text,
)
from finassay.core import worst_exit_code

if TYPE_CHECKING:
    from finassay.database import TableInfo

app = typer.Typer(name="db", help="Look at a database.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Look at a database."""


@app.command("info")
def info_command(
    url: Annotated[str, typer.Argument(help="duckdb:///file, mysql://…, postgresql://…, a folder, a file.")],
    counts: Annotated[
        bool,
        typer.Option(
            "--counts/--no-counts", help="Count the rows of every table, or only where they are known."
        ),
    ] = True,
    form: FormatOption = Format.TEXT,
) -> None:
    """List the tables of a database with their rows and columns, and the engine and its dialect.

    A file of a folder that cannot be read is named with what is wrong with it, the exit code is then 2.
    """
    with reporting(form):
        from finassay.database import connect

        with connect(url) as database:
            head = {"url": database.url, "dialect": database.dialect, "engine": database.version}
            faults = database.unreadable()
            tables = database.tables(count=counts)
            if faults and not tables:
                raise faults[0]
    if form is Format.JSON:
        shown = {"tables": [_as_dict(table) for table in tables], "unreadable": [f.as_dict() for f in faults]}
        write_json({"schema_version": 1, **head, **shown})
    else:
        write_text(_as_text(head, tables))
    for fault in faults:
        write_message(f"finassay: {fault}")
    exit_with(worst_exit_code([fault.exit_code for fault in faults]))


def _as_dict(table: TableInfo) -> dict[str, Any]:
    return {
        "schema": table.schema,
        "name": table.name,
        "kind": table.kind,
        "rows": table.rows,
        "primary_key": list(table.primary_key),
        "columns": [
            {
                "name": column.name,
                "type": column.type,
                "arrow_type": str(column.arrow_type),
                "nullable": column.nullable,
                "comment": column.comment,
            }
            for column in table.columns
        ],
    }


def _as_text(head: dict[str, str], tables: list[TableInfo]) -> str:
    lines = [head["url"], f"{head['engine']}, dialect {head['dialect']}, {_counted(len(tables), 'table')}"]
    for table in tables:
        rows = "rows not counted" if table.rows is None else _counted(table.rows, "row")
        kind = " (view)" if table.kind == "view" else ""
        lines += ["", f"{table.schema}.{table.name}{kind}: {rows}, {_counted(len(table.columns), 'column')}"]
        width = max((len(column.name) for column in table.columns), default=0)
        lines += [_column_line(table, i, width) for i in range(len(table.columns))]
    return "\n".join(lines)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _column_line(table: TableInfo, index: int, width: int) -> str:
    column = table.columns[index]
    key = "  key" if column.name in table.primary_key else ""
    null = "" if column.nullable else "  not null"
    comment = f"  {column.comment}" if column.comment else ""
    return f"  {column.name:<{width}}  {column.type}{key}{null}{comment}"
