"""`finassay contract`: draft the temporal contract of a task from its program and the words of its instruction."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from finassay.core import ExitCode, InputError

if TYPE_CHECKING:
    from finassay.temporal import SourceKind

app = typer.Typer(
    name="contract", help="Say at which dates a task decides and what it may use.", no_args_is_help=True
)

_KINDS: dict[str, SourceKind] = {
    ".sql": "sql",
    ".py": "python",
    ".ipynb": "notebook",
    ".txt": "text",
    ".md": "text",
}


@app.callback()
def _group() -> None:
    """Say at which dates a task decides and what it may use."""


@app.command("propose")
def propose_command(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Programs (.sql, .py, .ipynb), instructions (.txt, .md), or the words themselves."
        ),
    ],
    catalog: Annotated[
        str | None,
        typer.Option("--catalog", help="A catalog: tells disclosures from other dates in a program."),
    ] = None,
    dialect: Annotated[
        str, typer.Option("--dialect", help="The dialect of the SQL: mysql, duckdb, postgres.")
    ] = "mysql",
    name: Annotated[str, typer.Option("--name", help="The contract's id.")] = "draft",
    out: Annotated[Path | None, typer.Option("--out", help="Write the draft to this file.")] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Draft a contract, each field marked sure or confirm: 0 if all are sure, 3 if a person must confirm some."""
    with reporting(form):
        from finassay.temporal import contract_yaml, load_catalog, propose_contract

        known = load_catalog(catalog) if catalog else None
        read = [_source(text) for text in sources]
        contract = propose_contract(read, name=name, catalog=known, dialect=dialect)
        draft = contract_yaml(contract)
        if out is not None:
            if out.exists():
                raise InputError(f"{out} exists.", hint="Remove it, or give another file.")
            try:
                out.write_text(draft, encoding="utf-8")
            except OSError as error:
                raise InputError(f"{out} cannot be written: {error.strerror}.") from error
    if form is Format.JSON:
        values = contract.model_dump(mode="json", by_alias=True)
        write_json(
            {"schema_version": 1, "contract": values, "unconfirmed": [m.field for m in contract.unconfirmed]}
        )
    elif out is None:
        write_text(draft.rstrip("\n"))
    if contract.unconfirmed:
        fields = ", ".join(mark.field for mark in contract.unconfirmed)
        write_message(f"finassay: to be confirmed (change the mark to 'sure'): {fields}")
    exit_with(ExitCode.UNKNOWN if contract.unconfirmed else ExitCode.OK)


def _source(text: str) -> tuple[SourceKind, str]:
    path = Path(text)
    suffix = path.suffix.lower()
    if suffix not in _KINDS or "\n" in text:
        return "text", text
    try:
        return _KINDS[suffix], path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{text} cannot be read: {error.strerror}.", hint="Give a file that exists."
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{text} is not UTF-8 text.", hint="Save it as UTF-8.") from error
