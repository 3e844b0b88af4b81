"""`finassay catalog`: check a temporal catalog against data, or draft one from data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
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
from finassay.core import ExitCode, InputError, Place

if TYPE_CHECKING:
    from finassay.database import Finding, LintReport, RoleScore, TableFacts

app = typer.Typer(name="catalog", help="Say what the time of every column means.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Say what the time of every column means."""


@app.command("lint")
def lint_command(
    file: Annotated[str, typer.Argument(help="A catalog file, or the name of a shipped catalog.")],
    url: Annotated[
        str, typer.Option("--db", help="The data: duckdb:///file, mysql://…, postgresql://…, a folder.")
    ],
    table: Annotated[
        list[str] | None, typer.Option("--table", help="Check only this table; may be repeated.")
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Check a catalog against data: 0 if they agree, 1 if they contradict each other."""
    with reporting(form):
        from finassay.database import connect, lint_catalog
        from finassay.temporal import load_catalog

        catalog = load_catalog(file)
        with connect(url) as database:
            report = lint_catalog(catalog, database, table)
    if form is Format.JSON:
        write_json(_as_dict(report))
    else:
        write_text(_as_text(report))
    exit_with(ExitCode.OK if report.clean else ExitCode.FAILED)


@app.command("propose")
def propose_command(
    url: Annotated[
        str, typer.Argument(help="The data: duckdb:///file, mysql://…, postgresql://…, a folder.")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="Write the draft to this file.")] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", help="A catalog written by hand: count the roles that the draft gets right."
        ),
    ] = None,
    table: Annotated[
        list[str] | None, typer.Option("--table", help="Draft only this table; may be repeated.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="The catalog's id.")] = "draft",
    form: FormatOption = Format.TEXT,
) -> None:
    """Draft a catalog from names, types and data; what could not be decided is marked, with the reason."""
    with reporting(form):
        from finassay.database import compare_roles, connect, propose_catalog, questions_of
        from finassay.temporal import catalog_yaml, load_catalog

        written = load_catalog(against) if against else None
        if out is not None and out.exists():
            raise InputError(f"{out} exists.", hint="Remove it, or give another file.")
        with connect(url) as database:
            draft = propose_catalog(database, name=name, tables=table)
        text = catalog_yaml(draft)
        if out is not None:
            try:
                out.write_text(text, encoding="utf-8")
            except OSError as error:
                raise InputError(f"{out} cannot be written: {error.strerror}.") from error
        scores = compare_roles(draft, written) if written else ()
        questions = list(questions_of(draft))
    if form is Format.JSON:
        values = draft.model_dump(mode="json", by_alias=True, exclude_unset=True)
        rows = [asdict(score) for score in scores]
        write_json({"schema_version": 1, "catalog": values, "open_questions": questions, "scores": rows})
        return
    if out is None and not scores:
        write_text(text.rstrip("\n"))
    if scores:
        write_text(_score_text(scores))
    write_message(f"finassay: {len(questions)} open questions" + (f" in {out}" if out else ""))


def _score_text(scores: Sequence[RoleScore]) -> str:
    lines = ["table: roles right, dates right, marked undecided, wrong without a mark"]
    lines += [
        f"{s.table}: {s.right}/{s.columns}, {s.dates_right}/{s.dates}, {s.undecided}, "
        + ("; ".join(s.wrong_and_sure) or "none")
        for s in scores
    ]
    right, columns = sum(s.right for s in scores), sum(s.columns for s in scores)
    dates_right, dates = sum(s.dates_right for s in scores), sum(s.dates for s in scores)
    undecided, wrong = sum(s.undecided for s in scores), sum(len(s.wrong_and_sure) for s in scores)
    return "\n".join([*lines, f"all: {right}/{columns}, {dates_right}/{dates}, {undecided}, {wrong}"])


def _as_dict(report: LintReport) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "catalog": report.catalog,
        "url": report.url,
        "clean": report.clean,
        "findings": [_finding(finding) for finding in report.findings],
        "tables": [_facts(facts) for facts in report.tables],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    place: Place | None = finding.place
    return {
        "severity": finding.severity,
        "check": finding.check,
        "table": finding.table,
        "columns": list(finding.columns),
        "message": finding.message,
        "count": finding.count,
        "total": finding.total,
        "example": {name: _plain(value) for name, value in finding.example.items()},
        "place": None
        if place is None
        else {"source": place.source, "line": place.line, "column": place.column},
    }


def _facts(facts: TableFacts) -> dict[str, Any]:
    return {
        "table": facts.table,
        "rows": facts.rows,
        "nulls": facts.nulls,
        "lags_in_days": [
            {
                "from": lag.earlier,
                "to": lag.later,
                "rows": lag.rows,
                "least": lag.least,
                "mean": round(lag.mean, 2),
                "greatest": lag.greatest,
                "negative": lag.negative,
            }
            for lag in facts.lags
        ],
    }


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def _as_text(report: LintReport) -> str:
    lines: list[str] = []
    for facts in report.tables:
        lines.append(f"{facts.table}: {facts.rows:,} rows, {len(facts.nulls)} columns catalogued")
        lines += [
            f"  {lag.earlier} to {lag.later}: {lag.least} to {lag.greatest} days, mean {lag.mean:.1f}"
            f" ({lag.negative:,}/{lag.rows:,} negative)"
            for lag in facts.lags
        ]
    lines += [_line(finding) for finding in report.findings]
    counts = {
        word: sum(finding.severity == word for finding in report.findings)
        for word in ("error", "warning", "known", "info")
    }
    verdict = "agree" if report.clean else "contradict each other"
    summary = ", ".join(f"{count} {word}" for word, count in counts.items())
    return "\n".join([*lines, f"The catalog {report.catalog} and {report.url} {verdict}: {summary}."])


def _line(finding: Finding) -> str:
    count = f" {finding.count:,}/{finding.total:,}" if finding.total else ""
    where = f"  ({finding.place.source}:{finding.place.line})" if finding.place else ""
    example = ", ".join(f"{name}={_plain(value)}" for name, value in finding.example.items())
    shown = f"\n    such as {example}" if example else ""
    return f"{finding.severity} {finding.check}: {finding.table}:{count} {finding.message}{where}{shown}"
