"""`finassay results`: what became of the samples of runs, whoever made them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from finassay.cli._output import (
    Format,
    FormatOption,
    exit_with,
    reporting,
    write_json,
    write_text,
)
from finassay.core import ExitCode, InputError, MissingExtraError

if TYPE_CHECKING:
    from finassay.results import ResultRow

app = typer.Typer(
    name="results",
    help="Read runs of any format, sum them up, compare and verify them.",
    no_args_is_help=True,
)

ForceOption = Annotated[bool, typer.Option("--force", help="Write over a file that says something else.")]
ToOption = Annotated[Path, typer.Option("--to", help="The Parquet file to write.")]
ExpectedOption = Annotated[
    Path | None,
    typer.Option(
        "--expected",
        help="The ids of all samples of the suite: a data set in JSONL, or text with one per line.",
    ),
]


@app.callback()
def _group() -> None:
    """Read runs of any format, sum them up, compare and verify them."""


@app.command("ingest")
def ingest_command(
    path: Annotated[
        Path,
        typer.Argument(
            help="A folder with preds.json and .traj files; preds.json; JSONL or JSON; CSV of audit labels; "
            ".eval logs of `finassay eval`, which need no option but --to."
        ),
    ],
    to: ToOption,
    suite: Annotated[
        str | None, typer.Option("--suite", help="buysideflow, bizfinbench, findeepindicator or smoke.")
    ] = None,
    suite_version: Annotated[
        str | None,
        typer.Option("--suite-version", help="Of its tasks: runs of different versions are never compared."),
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", help="The run's name; by default that of its file.")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", help="By default what the source says.")] = None,
    agent: Annotated[str | None, typer.Option("--agent", help="By default what the source says.")] = None,
    guidance: Annotated[str | None, typer.Option("--guidance", help="pit or none.")] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", help="Of scores that come without one: paper or audited.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--from", help="swe-agent, predictions or labels; by default found out.")
    ] = None,
    expected: ExpectedOption = None,
    force: ForceOption = False,
    form: FormatOption = Format.TEXT,
) -> None:
    """Read a run, or the labels of an audit, into a file of result rows, and say what it lacks."""
    with reporting(form):
        from finassay.cli._results_text import counted, summary_text, write_notes
        from finassay.results import read_rows, summarise, write_rows

        notes: list[str] = []
        said = {"suite": suite, "suite_version": suite_version, "run": run, "model": model, "agent": agent}
        said |= {"guidance": guidance, "profile": profile}
        if _is_log(path):
            rows = _log_rows(
                path, {**said, "from": kind, "expected": None if expected is None else str(expected)}
            )
        else:
            rows = _rows(path, said, kind, expected, notes.append)
        written = write_rows(rows, to, force=force)
        found = summarise(read_rows(to))
    write_notes(notes)
    if form is Format.JSON:
        head = {"schema_version": 1, "file": str(to), "rows": written.rows, "notes": notes}
        write_json({**head, "summary": found.model_dump(mode="json")})
    else:
        write_text(f"{summary_text(found)}\n\n{counted(written.rows, 'row')} in {to}")


def _is_log(path: Path) -> bool:
    return path.suffix == ".eval" or (path.is_dir() and next(path.glob("**/*.eval"), None) is not None)


def _log_rows(path: Path, said: dict[str, str | None]) -> Iterator[ResultRow]:
    """Read Inspect's logs, which say themselves what they are of."""
    if given := [name.replace("_", "-") for name, value in said.items() if value is not None]:
        raise InputError(
            f"{path} is a log of Inspect, which says itself what it is of.", hint=f"Leave out --{given[0]}."
        )
    if find_spec("inspect_ai") is None:
        raise MissingExtraError("Reading .eval logs", "evals")
    from finassay.harness import read_eval_rows

    return read_eval_rows(path)


def _rows(
    path: Path,
    said: dict[str, str | None],
    kind: str | None,
    expected: Path | None,
    tell: Callable[[str], None],
) -> Iterator[ResultRow]:
    """Read a plain format."""
    from finassay.results import Kind, RunFacts, ingest, read_expected

    suite, version = said.pop("suite"), said.pop("suite_version")
    if suite is None or version is None:
        raise InputError(
            f"{path} does not say which suite it is of.",
            hint="Give --suite and --suite-version.",
            reason="no_suite",
        )
    if kind is not None and kind not in list(Kind):
        raise InputError(f"There is no format {kind!r}.", hint=f"--from takes {', '.join(Kind)}.")
    ids = None if expected is None else read_expected(expected)
    facts = RunFacts(suite, version, **said)
    return ingest(path, facts, kind=None if kind is None else Kind(kind), expected=ids, tell=tell)


@app.command("show")
def show_command(
    path: Annotated[Path, typer.Argument(help="A file of result rows, or a folder of them.")],
    expected: ExpectedOption = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Sum up runs: rates with their counts and intervals, outcomes, steps, tokens, cost."""
    with reporting(form):
        from finassay.cli._results_text import summary_text
        from finassay.results import read_expected, read_rows, summarise

        found = summarise(read_rows(path), expected=None if expected is None else read_expected(expected))
    if form is Format.JSON:
        write_json(found.model_dump(mode="json"))
    else:
        write_text(summary_text(found))


@app.command("merge")
def merge_command(
    paths: Annotated[list[Path], typer.Argument(help="Files of result rows, and folders of them.")],
    to: ToOption,
    force: ForceOption = False,
    form: FormatOption = Format.TEXT,
) -> None:
    """Merge files of result rows into one; the same row counts once, two that contradict each other are refused."""
    with reporting(form):
        from finassay.cli._results_text import counted
        from finassay.results import merge

        written = merge(paths, to, force=force)
    if form is Format.JSON:
        write_json({"schema_version": 1, "file": str(to), **written._asdict()})
    else:
        same = f", {counted(written.duplicates, 'row')} more said the same" if written.duplicates else ""
        write_text(f"{counted(written.rows, 'row')} in {to}{same}")


@app.command("verify")
def verify_command(
    paths: Annotated[list[Path], typer.Argument(help="Files of result rows, and folders of them.")],
    expected: ExpectedOption = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Verify files: schema, hashes, keys, outcomes against scores, missing samples; 1 where something is not right."""
    with reporting(form):
        from finassay.cli._results_text import verification_text
        from finassay.results import read_expected, verify

        found = verify(paths, expected=None if expected is None else read_expected(expected))
    if form is Format.JSON:
        write_json(found.model_dump(mode="json"))
    else:
        write_text(verification_text(found))
    exit_with(ExitCode.OK if found.clean else ExitCode.FAILED)


@app.command("diff")
def diff_command(
    a: Annotated[Path, typer.Argument(help="A file of result rows, or a folder of them.")],
    b: Annotated[Path, typer.Argument(help="Another one, or the same.")],
    run_a: Annotated[
        str | None, typer.Option("--run-a", help="The run of A, where it holds several.")
    ] = None,
    run_b: Annotated[
        str | None, typer.Option("--run-b", help="The run of B, where it holds several.")
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Compare two runs of one version of a suite, sample by sample."""
    with reporting(form):
        from finassay.cli._results_text import difference_text
        from finassay.results import diff

        found = diff(a, b, run_a=run_a, run_b=run_b)
    if form is Format.JSON:
        write_json(found.model_dump(mode="json"))
    else:
        write_text(difference_text(found))
