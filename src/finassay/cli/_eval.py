"""`finassay eval`: run a suite with a model and an agent, and keep a row for every sample."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from finassay.cli._output import Format, FormatOption, exit_with, reporting, write_json, write_text
from finassay.core import ExitCode, InputError

if TYPE_CHECKING:
    from finassay.harness import Estimate, Evaluation


class GuidanceName(StrEnum):
    """Whether the agent is told how to stay point-in-time."""

    PIT = "pit"
    NONE = "none"


def eval_command(
    suite: Annotated[str, typer.Argument(help="The suite, as smoke.")],
    model: Annotated[
        str, typer.Option(help="provider/name, as Inspect writes it; finassay-scripted/reference needs none.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder for logs and rows.")],
    agent: Annotated[str, typer.Option(help="What drives the model.")] = "react_sql",
    guidance: Annotated[
        GuidanceName, typer.Option(help="Point-in-time guidance in prompts and background files.")
    ] = GuidanceName.PIT,
    limit: Annotated[int | None, typer.Option(min=1, help="The first so many samples.")] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often each sample is run.")] = 1,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    model_arg: Annotated[
        list[str] | None, typer.Option("-M", "--model-arg", help="NAME=VALUE for the model's provider.")
    ] = None,
    messages: Annotated[int | None, typer.Option(min=1, help="Most messages of a sample.")] = None,
    tokens: Annotated[int | None, typer.Option(min=1, help="Most tokens of a sample.")] = None,
    seconds: Annotated[int | None, typer.Option(min=1, help="Most seconds of a sample.")] = None,
    cost: Annotated[
        float | None, typer.Option(min=0, help="Most US dollars of a sample; needs --prices.")
    ] = None,
    prices: Annotated[
        Path | None,
        typer.Option(help="YAML of prices: MODEL: {input: …, output: …}, dollars per million tokens."),
    ] = None,
    agent_arg: Annotated[
        list[str] | None, typer.Option("-A", "--agent-arg", help="NAME=VALUE for the agent.")
    ] = None,
    retries: Annotated[int, typer.Option(min=0, help="Further tries of a request to the model.")] = 3,
    cache: Annotated[bool, typer.Option("--cache", help="Take replies from Inspect's cache.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in --out: only what broke or is missing.")
    ] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print what the run will take, and run nothing.")
    ] = False,
    form: FormatOption = Format.TEXT,
) -> None:
    """Evaluate a model on a suite. Exit code 3 where samples broke or are missing: the rate is not settled."""
    with reporting(form):
        from finassay.harness import EvaluationPlan, evaluate
        from finassay.harness import estimate as estimated

        plan = EvaluationPlan(
            suite=suite,
            model=model,
            folder=str(out),
            agent=agent,
            guidance=guidance.value,
            limit=limit,
            epochs=epochs,
            jobs=jobs,
            model_args=_arguments(model_arg or []),
            messages=messages,
            tokens=tokens,
            seconds=seconds,
            cost=cost,
            prices=str(prices) if prices else None,
            agent_args=",".join(agent_arg or []),
            retries=retries,
            cache=cache,
        )
        if estimate:
            _show_estimate(estimated(plan), form)
            return
        done = evaluate(plan, resume=resume)
    _show(done, out, form)
    exit_with(ExitCode.OK if done.complete else ExitCode.UNKNOWN)


def _arguments(given: list[str]) -> dict[str, Any]:
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"Expected NAME=VALUE for -M, but it was {text!r}.", reason="bad_argument")
        found[name] = value
    return found


def _show_estimate(found: Estimate, form: Format) -> None:
    if form is Format.JSON:
        write_json({"schema_version": 1, **asdict(found)})
        return
    cost = "unknown without --prices" if found.cost_usd is None else f"about {found.cost_usd:.2f} US dollars"
    write_text(
        f"{found.samples} samples, {found.turns} turns assumed of each: about {found.tokens_in:,} tokens to read and "
        f"{found.tokens_out:,} to write; cost {cost}."
    )


def _show(done: Evaluation, out: Path, form: Format) -> None:
    last = done.last.values()
    if form is Format.JSON:
        write_json(
            {
                "schema_version": 1,
                "right": done.right,
                "samples": len(last),
                "outcomes": dict(sorted(done.outcomes.items())),
                "complete": done.complete,
                "rows": str(done.rows_file),
                "logs": str(out / "logs"),
            }
        )
        return
    for row in sorted(last, key=lambda row: (row.sample, row.epoch)):
        score = row.headline("audited")
        shown = "-" if score is None else f"{score:g}"
        write_text(f"{row.sample:<24} {row.epoch:>2}  {row.outcome:<8} {row.status:<18} {shown}")
    outcomes = ", ".join(f"{count} {name}" for name, count in sorted(done.outcomes.items()))
    write_text(f"\n{done.right}/{len(last)} right ({outcomes})")
    write_text(f"rows: {done.rows_file}\nlogs: {out / 'logs'}  (inspect view --log-dir …)")
    if not done.complete:
        write_text("Some samples broke or are missing: finassay eval --resume runs these again.")
