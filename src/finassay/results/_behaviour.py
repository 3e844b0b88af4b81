"""How an agent worked, by the source benchmark's measures: early submissions, navigation traps, runs per step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from finassay.results._final import counted
from finassay.results._measures import Measure, Model, Share, share
from finassay.statistics import Outcome

if TYPE_CHECKING:
    from finassay.results._row import ResultRow

SCHEMA_TOOLS = frozenset(
    {
        "describe_tables",
        "search_tables",
        "get_columns",
        "search_columns",
        "request_schema",
        "describe_columns",
    }
)
RUN_TOOL = "run_code"
TRAP = 6  # schema calls of a task that failed


class Behaviour(Model):
    """Of attempts that recorded their steps; specs of the release: ESR, NTR, ETL."""

    recorded: int = Field(description="Samples whose steps are known.")
    schema_calls: Measure
    run_code: Measure
    early_submissions: Share = Field(description="ESR: of all samples, those with steps and without a run.")
    run_per_step: Measure = Field(description="ETL: runs of code over steps, of each attempt with steps.")


def behaviour_of(rows: Sequence[ResultRow]) -> Behaviour | None:
    """Return how the agent worked; None where no row says its steps."""
    known = [row for row in rows if row.steps is not None]
    if not known:
        return None
    tasks = [row.task for row in rows]
    early = [Outcome.CORRECT if row.steps and not runs(row) else Outcome.INCORRECT for row in rows]
    return Behaviour(
        recorded=len(known),
        schema_calls=Measure.of(schema_calls(row) for row in known),
        run_code=Measure.of(runs(row) for row in known),
        early_submissions=share(early, tasks),
        run_per_step=Measure.of(runs(row) / row.steps for row in known if row.steps),
    )


def traps(rows: Sequence[ResultRow], profile: str) -> Share | None:
    """Return NTR: of all samples, those with six schema calls or more that failed; None where no row says its steps.

    What nobody judged and an error are unknown.
    """
    if all(row.steps is None for row in rows):
        return None
    return share([_trap(row, profile) for row in rows], [row.task for row in rows])


def _trap(row: ResultRow, profile: str) -> Outcome:
    found = counted(row, profile)
    if schema_calls(row) < TRAP or found is Outcome.CORRECT:
        return Outcome.INCORRECT
    return Outcome.UNSCORED if found.is_unknown else Outcome.CORRECT


def schema_calls(row: ResultRow) -> int:
    """Return how often an attempt asked for the schema."""
    return sum(count for tool, count in row.tool_calls.items() if tool in SCHEMA_TOOLS)


def runs(row: ResultRow) -> int:
    """Return how often an attempt ran code."""
    return row.tool_calls.get(RUN_TOOL, 0)
