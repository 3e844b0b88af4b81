"""`finassay doctor`: check something a user has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from finassay.cli._output import Format, FormatOption, exit_with, reporting, write_json, write_text
from finassay.core import ExitCode

if TYPE_CHECKING:
    from finassay.execution._doctor import Examination

app = typer.Typer(help="Check something you have.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Check something you have."""


@app.command("jail")
def jail_command(
    python: Annotated[
        Path | None,
        typer.Option(help="Interpreter or virtual environment that programs run in; default: this one."),
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Say what isolation this machine can give, by starting a jail and attacking it. Exit 0 with a jail, else 3."""
    from finassay.execution._doctor import examine

    with reporting(form):
        found = examine(python)
        if form is Format.JSON:
            write_json(found.as_dict())
        else:
            write_text(describe(found))
        exit_with(ExitCode.OK if found.available else ExitCode.UNKNOWN)


def describe(found: Examination) -> str:
    """Return the examination as text."""
    lines = [f"{name:<13} {found.machine[name]}" for name in ("system", "kernel", "architecture")]
    for tried in found.machine.get("bubblewrap", ()):
        said = "works" if tried["failure"] is None else tried["failure"]
        lines.append(f"{'bubblewrap':<13} {tried['version']} {tried['path']}: {said}")
    lines += [f"{name:<13} {value}" for name, value in found.jail.items() if name != "jail"]
    if found.attacks:
        lines += ["", *(f"  {'held  ' if held else 'FAILED'} {name}" for name, held in found.attacks.items())]
    if found.problem is not None:
        lines += [
            "",
            str(found.problem["message"]),
            *([f"  {found.problem['hint']}"] if found.problem["hint"] else []),
        ]
    lines += ["", *found.advice] if found.advice else []
    verdict = "Programs can be jailed here." if found.available else "Programs cannot be jailed here."
    return "\n".join([*lines, "", verdict])
