"""`finassay world`: build a research world, say what one is, verify it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from datetime import date
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
from finassay.core import ExitCode, InputError

if TYPE_CHECKING:
    from finassay.world import Fact, Verification, WorldInfo

app = typer.Typer(name="world", help="Build a research world whose truth is known.", no_args_is_help=True)

ExecutorOption = Annotated[
    str, typer.Option("--executor", help="serial, loky, loky:4, ray, ray:4, ray://host:port.")
]


@app.callback()
def _group() -> None:
    """Build a research world whose truth is known."""


@app.command("build")
def build_command(
    to: Annotated[
        str,
        typer.Option("--to", help="duckdb:///file, mysql:// or postgresql:// database, or a Parquet folder."),
    ],
    scale: Annotated[float, typer.Option("--scale", help="Size; 1 has 5,000 issuers.")] = 0.05,
    seed: Annotated[int, typer.Option("--seed", help="Of every random stream.")] = 20260430,
    snapshot: Annotated[
        str, typer.Option("--snapshot", help="The day at whose end the vendor is looked at.")
    ] = "2026-04-30",
    blocks: Annotated[
        str | None,
        typer.Option(
            "--blocks", help="A part: equities,macro,bonds,funds,us,documents; with what it is made from."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is at the target.")] = False,
    executor: ExecutorOption = "loky",
    form: FormatOption = Format.TEXT,
) -> None:
    """Simulate an economy and write its database as a vendor would keep it."""
    with reporting(form):
        from finassay.executor import open_executor
        from finassay.world import SMALLEST, WorldConfig, build_world

        config = WorldConfig(scale, seed, _day(snapshot))
        if scale < SMALLEST:
            write_message(
                f"finassay: scale {scale:g} is below {SMALLEST:g}: a world has at least {config.issuers} companies, "
                f"as at {SMALLEST:g}, and takes as long"
            )
        if blocks is not None:
            config = replace(config, blocks=tuple(name.strip() for name in blocks.split(",")))
        with open_executor(executor) as runner:
            built = build_world(config, to, runner, force=force)
    if form is Format.JSON:
        write_json({"schema_version": 1, "url": built.url, **_as_dict(built.info), "rows": built.rows})
        return
    lines = [f"{name}: {rows:,} rows" for name, rows in built.rows.items()]
    write_text("\n".join([*lines, f"content hash {built.info.content_hash}"]))
    write_message(f"finassay: wrote {built.url}, {sum(built.rows.values()):,} rows")


@app.command("info")
def info_command(
    url: Annotated[str, typer.Argument(help="The world: a database URL, or a folder of Parquet.")],
    form: FormatOption = Format.TEXT,
) -> None:
    """Say what a world is: scale, seed, snapshot, blocks and content hash; and what each of its tables holds."""
    with reporting(form):
        from finassay.database import connect
        from finassay.world import world_info, world_tables

        with connect(url) as database:
            info = _as_dict(world_info(database))
            tables = world_tables(database)
    if form is Format.JSON:
        shown = [{**asdict(t), "first": _iso(t.first), "last": _iso(t.last)} for t in tables]
        write_json({"schema_version": 1, **info, "tables": shown})
        return
    lines = [
        f"{key.replace('_', ' ')}: {value}"
        for key, value in {**info, "blocks": ", ".join(info["blocks"])}.items()
    ]
    lines += [
        f"{t.block:<10} {t.name:<26} {t.rows:>12,} rows"
        f"  {len(t.empty):>3} of {t.columns:>3} columns NULL throughout"
        + (f"  {t.dated_by} {_iso(t.first)} to {_iso(t.last)}" if t.first else "")
        for t in tables
    ]
    write_text("\n".join(lines))


@app.command("verify")
def verify_command(
    url: Annotated[str, typer.Argument(help="The world: a database URL, or a folder of Parquet.")],
    questions: Annotated[
        int, typer.Option("--questions", min=1, help="Random as-of questions per family.")
    ] = 1000,
    facts: Annotated[
        bool,
        typer.Option("--facts", help="Measure the acceptance facts too: each with its value and limits."),
    ] = False,
    executor: ExecutorOption = "loky",
    form: FormatOption = Format.TEXT,
) -> None:
    """Check content, catalog, invariants and the oracle's answers: 0 if all hold, else 1. Facts decide nothing."""
    with reporting(form):
        from finassay.database import connect
        from finassay.executor import open_executor
        from finassay.world import verify_world

        with connect(url) as database, open_executor(executor) as runner:
            found = verify_world(database, runner, questions=questions, facts=facts)
    if form is Format.JSON:
        measured = [
            {**asdict(fact), "band": fact.band, "met": fact.met, "verdict": fact.verdict}
            for fact in found.facts
        ]
        checks = [asdict(check) for check in found.checks]
        head = {"schema_version": 1, **_as_dict(found.info), "passed": found.passed}
        write_json({**head, "checks": checks, "facts": measured})
    else:
        write_text(_as_text(found))
    exit_with(ExitCode.OK if found.passed else ExitCode.FAILED)


@app.command("traps")
def traps_command(
    url: Annotated[str, typer.Argument(help="The world: a database URL, or a folder of Parquet.")],
    anchor: Annotated[
        str | None, typer.Option("--anchor", help="A last session of a month: list its traps one by one.")
    ] = None,
    mechanism: Annotated[str | None, typer.Option("--mechanism", help="Only this one.")] = None,
    executor: ExecutorOption = "loky",
    form: FormatOption = Format.TEXT,
) -> None:
    """List what a program that reads the wrong date, state or version gets wrong. The world is simulated again."""
    with reporting(form):
        from finassay.database import connect
        from finassay.executor import open_executor
        from finassay.world import MECHANISMS, Traps, simulate, world_info

        known = [found.name for found in MECHANISMS]
        if mechanism is not None and mechanism not in known:
            raise InputError(f"There is no mechanism {mechanism!r}.", hint=f"There are {', '.join(known)}.")
        day = None if anchor is None else _day(anchor, "--anchor")
        with connect(url) as database:
            info = world_info(database)
        with open_executor(executor) as runner:
            traps = Traps(simulate(info.config, runner))
        found = [] if day is None else [t for t in traps.at(day) if mechanism in (None, t.mechanism)]
        coverage = [c for c in traps.coverage() if mechanism in (None, c.mechanism)]
    if form is Format.JSON:
        write_json(
            {
                "schema_version": 1,
                "anchors": [day.isoformat() for day in traps.anchors],
                "coverage": [asdict(one) for one in coverage],
                "traps": [
                    {
                        key: _iso(value) if isinstance(value, date) else value
                        for key, value in asdict(one).items()
                    }
                    for one in found
                ],
            }
        )
        return
    lines = [
        f"{t.mechanism:<22} {t.entity:<12} {t.event:<16} valid {t.valid}  disclosed {t.disclosed}"
        f"  recorded {t.recorded}{f'  ended {t.ended}' if t.ended else ''}{'  planted' if t.planted else ''}"
        f"  {t.table}: {t.where}"
        for t in found
    ]
    if day is None:
        lines = [
            f"{c.mechanism:<22} {c.wrong:<36} quota {c.quota:>3}  met at {c.met:>3} of {c.anchors}  least {c.least:>4}"
            f"  median {c.median:>7g}  planted {c.planted:>4.0%}"
            for c in coverage
        ]
    write_text("\n".join(lines))


def _day(text: str, option: str = "--snapshot") -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{option} is {text!r}, not a date.", hint="Write it as 2026-04-30.") from error


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _as_dict(info: WorldInfo) -> dict[str, Any]:
    return {**asdict(info), "snapshot": info.snapshot.isoformat()}


def _fact_as_text(fact: Fact) -> str:
    low, high = fact.band
    band = (
        f", {low:.3g} to {high:.3g} with two standard errors" if (low, high) != (fact.low, fact.high) else ""
    )
    verdict = "MISS" if fact.verdict == "miss" else fact.verdict
    return (
        f"{verdict:<5} fact {fact.number}, {fact.name}: {fact.value:.3f}, expected {fact.low:g} to {fact.high:g}{band} "
        f"(n {fact.n:,})"
    )


def _as_text(found: Verification) -> str:
    lines = [f"{'pass' if check.passed else 'FAIL'}  {check.name}: {check.detail}" for check in found.checks]
    lines += [_fact_as_text(fact) for fact in found.facts]
    if found.facts:
        counts = Counter(fact.verdict for fact in found.facts)
        lines.append(
            f"{counts['met']} of {len(found.facts)} facts in the range that holds from scale 0.2 on, {counts['near']} "
            f"beyond it by less than two standard errors of so few cases, {counts['miss']} by more"
        )
    return "\n".join(lines)
