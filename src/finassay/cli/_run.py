"""`finassay run`: run a research program in the jail, on a real database, and keep what it did."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from finassay.cli._output import Format, FormatOption, exit_with, reporting, write_json, write_text
from finassay.core import InputError

# A limit has to be a number that the kernel takes.
_LONGEST_S = 1e7
_SIZES = (1 << 20, 1 << 50)


class JailName(StrEnum):
    """The jails to choose from."""

    AUTO = "auto"
    BWRAP = "bwrap"
    NONE = "none"


class DialectName(StrEnum):
    """The languages of statements."""

    DUCKDB = "duckdb"
    MYSQL = "mysql"
    POSTGRES = "postgres"


def run_command(
    program: Annotated[Path, typer.Argument(help="A .sql, .py, .ipynb or submission .json file.")],
    db: Annotated[
        str, typer.Option("--db", help="duckdb:///file, mysql://…, postgresql://…, a folder, a file.")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="Folder for trace.json and the results.")] = None,
    dialect: Annotated[
        DialectName | None, typer.Option(help="What the SQL is written in. [default: the engine's own]")
    ] = None,
    python: Annotated[
        Path | None,
        typer.Option(help="A virtual environment or interpreter with the program's own packages."),
    ] = None,
    mount: Annotated[
        list[str] | None,
        typer.Option(
            help="A file or folder the program may read, beside it under its own name; or SOURCE:/target."
        ),
    ] = None,
    result_var: Annotated[
        list[str] | None, typer.Option(help="Variable to collect. [default: result]")
    ] = None,
    jail: Annotated[
        JailName, typer.Option(help="What isolates a Python program; none is no isolation at all.")
    ] = JailName.AUTO,
    timeout: Annotated[
        float, typer.Option(min=0.1, max=_LONGEST_S, help="Seconds for the whole program.")
    ] = 120.0,
    memory: Annotated[str, typer.Option(help="Memory, for example 512M or 4G.")] = "4G",
    query_timeout: Annotated[
        float, typer.Option(min=0.1, max=_LONGEST_S, help="Seconds for one statement.")
    ] = 60.0,
    max_rows: Annotated[int, typer.Option(min=1, help="Most rows of a result.")] = 5_000_000,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files in the output folder.")] = False,
    form: FormatOption = Format.TEXT,
) -> None:
    """Run a research program safely on a database, and print its results and what it asked."""
    with reporting(form):
        from finassay.cli._run_text import run_as_text
        from finassay.database import QueryPolicy
        from finassay.execution import (
            Limits,
            Submission,
            check_output_folder,
            find_jail,
            load_submission,
            parse_mounts,
            run,
            write_run,
        )

        submission: Submission = load_submission(program, result_vars=tuple(result_var or ()))
        if out is not None:
            if Path(db).is_dir() and out.resolve() == Path(db).resolve():
                message = (
                    f"The results cannot go to {out}: it is the database, whose tables they would become."
                )
                raise InputError(message, hint="Choose another folder for --out.", reason="output_exists")
            check_output_folder(out, force=force)
        done = run(
            submission,
            db,
            dialect=dialect.value if dialect else None,
            policy=QueryPolicy(max_rows=max_rows, timeout_s=query_timeout),
            limits=Limits(wall_s=timeout, cpu_s=timeout, memory=_bytes(memory)),
            jail=None if submission.mode == "sql" else find_jail(jail.value),
            python=python,
            mounts=parse_mounts(mount or []),
        )
        if out is not None:
            write_run(done, out, force=force)
    if form is Format.JSON:
        write_json(done.trace.model_dump(mode="json"))
    else:
        write_text(run_as_text(done, out))
    exit_with(done.trace.exit_code)


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", text.strip(), re.IGNORECASE)
    if found is None:
        message = f"Expected a size such as 512M or 4G for --memory, but it was '{text}'."
        raise InputError(message, reason="bad_size")
    power = " KMGT".index(found.group(2).upper() or " ")
    size = float(found.group(1)) * 1024**power
    if not _SIZES[0] <= size <= _SIZES[1]:
        message = f"Expected between 1M and 1024T for --memory, but it was '{text}'."
        raise InputError(message, hint="A program needs some hundred megabytes.", reason="bad_size")
    return int(size)
