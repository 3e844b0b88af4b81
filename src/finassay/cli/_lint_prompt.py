"""`finassay lint-prompt`: find instructions that induce violations."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from finassay.cli._output import Format, FormatOption, exit_with, reporting, write_json, write_text
from finassay.core import ExitCode, InputError, printable


def lint_prompt_command(
    files: Annotated[list[Path], typer.Argument(help="Prompts: text, Markdown, in Chinese or English.")],
    catalog: Annotated[str, typer.Option(help="A shipped catalog's name, or a YAML file.")] = "gildata",
    form: FormatOption = Format.TEXT,
) -> None:
    """Find instructions that make a careful program violate; 1 if one does, 0 if there are none, or risks only."""
    with reporting(form):
        from finassay.audit import lint_prompt
        from finassay.temporal import load_catalog

        known = load_catalog(catalog)
        found = [(path, one) for path in files for one in lint_prompt(_text(path), known)]
    if form is Format.JSON:
        write_json(
            {"schema_version": 1, "findings": [{"file": str(path), **asdict(one)} for path, one in found]}
        )
    else:
        for path, one in found:
            line = f"{path}:{one.line}:{one.column}: {one.severity} {one.rule}: {one.text}"
            write_text(printable(f"{line}\n  {one.why} {one.instead}"))
        violations = sum(one.severity == "violation" for _, one in found)
        write_text(f"{violations} violation(s), {len(found) - violations} risk(s) in {len(files)} file(s)")
    exit_with(ExitCode.FAILED if any(one.severity == "violation" for _, one in found) else ExitCode.OK)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text.", hint="Save it as UTF-8.", reason="not_text") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", reason="no_such_file") from error
