"""`finassay audit`: did a program use only what was knowable."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from finassay.cli._output import Format, FormatOption, exit_with, reporting, write_json, write_text
from finassay.cli._run import DialectName  # noqa: TC001 - typer reads annotations
from finassay.core import InputError


def audit_command(
    program: Annotated[Path, typer.Argument(help="A .sql, .py, .ipynb or submission .json file.")],
    db: Annotated[
        str, typer.Option("--db", help="duckdb:///file, mysql://…, postgresql://…, a folder, a file.")
    ],
    as_of: Annotated[
        datetime | None, typer.Option("--as-of", formats=["%Y-%m-%d"], help="The as-of date.")
    ] = None,
    catalog: Annotated[str, typer.Option(help="A shipped catalog's name, or a YAML file.")] = "gildata",
    contract: Annotated[Path | None, typer.Option(help="A contract; --as-of then may be left out.")] = None,
    dialect: Annotated[DialectName | None, typer.Option(help="What the SQL is written in.")] = None,
    out: Annotated[Path | None, typer.Option(help="A file for the certificate (JSON).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file.")] = False,
    form: FormatOption = Format.TEXT,
) -> None:
    """Audit a program for point-in-time validity: PASS (exit 0), FAIL (1) or UNKNOWN (3), with a witness."""
    with reporting(form):
        from finassay.audit import Subject, audit, certificate_text
        from finassay.execution import load_submission
        from finassay.temporal import AsOfDate, Contract, load_catalog, load_contract

        if out is not None and out.exists() and not force:
            raise InputError(f"{out} exists.", hint="Give --force to overwrite it.", reason="output_exists")
        if contract is not None:
            task = load_contract(contract)
            if as_of is not None and (task.as_of is None or task.as_of.date != as_of.date()):
                raise InputError(
                    f"--as-of says {as_of.date()}, the contract {task.as_of.date if task.as_of else 'no single date'}.",
                    hint="Leave --as-of out, or correct the contract.",
                    reason="contradiction",
                )
        elif as_of is not None:
            task = Contract(contract="as-of", as_of=AsOfDate(date=as_of.date()))
        else:
            raise InputError(
                "There is no date to audit at.", hint="Give --as-of 2024-12-24, or --contract FILE."
            )
        subject = Subject(load_submission(program), db, dialect.value if dialect else None)
        found = audit(subject, load_catalog(catalog), task)
        if out is not None:
            out.write_text(found.model_dump_json(indent=2) + "\n", encoding="utf-8")
    if form is Format.JSON:
        write_json(found.model_dump(mode="json"))
    else:
        write_text(certificate_text(found))
    exit_with(found.verdict.exit_code)
