"""`finassay catalog`: check a temporal catalog against data, or draft one from data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from finassay.cli._output import Format, FormatOption, exit_with, reporting, write_json, write_text
from finassay.core import ExitCode, Place

if TYPE_CHECKING:
    from finassay.database import Finding, LintReport, TableFacts

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
