"""The command line: one file per noun, thin, with heavy libraries imported only by the command that runs."""

from __future__ import annotations

import signal
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from finassay import __version__
from finassay.cli import (
    _asof,
    _audit,
    _audit_bench,
    _catalog,
    _contract,
    _db,
    _doctor,
    _eval,
    _lint_prompt,
    _results,
    _run,
    _verify,
    _world,
)
from finassay.cli._output import write_message, write_text
from finassay.core import ExitCode

__all__ = ["app", "main"]


class _Commands(TyperGroup):
    """Takes `audit bench CORPUS` for a command of two words; `audit ./bench` audits what is so called.

    So does `audit bench --db …`: a command of two words is one where a path follows it.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        words, rest = " ".join(args[:2]), args[2:]
        if words in self.commands and rest and (rest[0] == "--help" or not rest[0].startswith("-")):
            return words, self.commands[words], rest
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Commands,
    name="finassay",
    help="Did this analysis use only what was knowable at the time? Run, measure and audit investment research.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("run")(_run.run_command)
app.command("audit")(_audit.audit_command)
app.command("audit bench")(_audit_bench.bench_command)
app.command("audit mutate")(_audit_bench.mutate_command)
app.command("eval")(_eval.eval_command)
app.command("verify")(_verify.verify_command)
app.command("lint-prompt")(_lint_prompt.lint_prompt_command)
app.add_typer(_asof.app, name="asof")
app.add_typer(_catalog.app, name="catalog")
app.add_typer(_contract.app, name="contract")
app.add_typer(_db.app, name="db")
app.add_typer(_doctor.app, name="doctor")
app.add_typer(_results.app, name="results")
app.add_typer(_world.app, name="world")


def _print_version(wanted: bool) -> None:
    if wanted:
        write_text(f"finassay {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Run, measure and audit investment research."""


def main() -> None:
    """Run the command line and exit with a code of DESIGN.md, section 1."""
    signal.signal(signal.SIGTERM, _terminated)
    try:
        app()
    except KeyboardInterrupt:
        write_message("finassay: stopped.")
        sys.exit(130)
    except Exception as error:  # noqa: BLE001 - the last resort: our own failure, with a report to send
        report = _write_report(error)
        write_message(f"finassay: our own failure: {type(error).__name__}: {error}\n  Please send {report}.")
        sys.exit(int(ExitCode.INTERNAL))


def _terminated(*_: object) -> None:
    """End as Ctrl-C does, so that what is half written is removed."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    write_message("finassay: stopped.")
    sys.exit(128 + signal.SIGTERM)


def _write_report(error: BaseException) -> Path:
    handle = tempfile.NamedTemporaryFile(  # noqa: SIM115 - the file outlives the command, to be sent
        "w", prefix="finassay-report-", suffix=".txt", delete=False, encoding="utf-8"
    )
    with handle as stream:
        stream.write(f"finassay {__version__}, Python {sys.version}\n")
        stream.write("".join(traceback.format_exception(error)))
    return Path(handle.name)
