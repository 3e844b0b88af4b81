"""How every command speaks: text or JSON on standard output, messages on standard error, one exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated, Any

import typer

from finassay.core import ExitCode, FinassayError, printable


class Format(StrEnum):
    """The forms of a command's output."""

    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="Output for people or for machines.")]


def write_text(text: str) -> None:
    """Write a line of output; what the terminal's encoding lacks is written as an escape."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def write_json(value: Any) -> None:
    """Write a JSON document, indented, with its text as it is."""
    write_text(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def write_message(text: str) -> None:
    """Write a message for a person, to standard error; it may hold names and texts of others."""
    sys.stderr.write(printable(text) + "\n")


@contextmanager
def reporting(form: Format) -> Iterator[None]:
    """Turn an error raised on purpose into a message and its exit code; leave others to `finassay.cli.main`."""
    try:
        yield
    except FinassayError as error:
        if form is Format.JSON:
            write_json({"error": error.as_dict(), "exit_code": int(error.exit_code)})
        write_message(f"finassay: {error}")
        raise typer.Exit(int(error.exit_code)) from error


def exit_with(code: ExitCode) -> None:
    """End the command with a code; nothing where all is well."""
    if code is not ExitCode.OK:
        raise typer.Exit(int(code))
