"""The desk of a sample: its task, its schema, and a place where its programs run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store

from finassay.core import InternalError
from finassay.execution import Run, Submission
from finassay.harness._benches import leave, run_program
from finassay.harness._schema import Schema
from finassay.harness._suite import ResearchTask, Suite, load_suite

if TYPE_CHECKING:
    from finassay.harness._suite import Language

SAMPLE = "finassay:sample"


@dataclass(frozen=True)
class Desk:
    """What the tools of one sample work on."""

    uuid: str
    suite: Suite
    task: ResearchTask

    @property
    def schema(self) -> Schema:
        """The tables and columns of the suite's database, described in the language of the task."""
        return _schema(self.suite.name, self.task.language)

    async def run(self, submission: Submission) -> Run:
        """Run a program apart from our process; its own failures are its outcome."""
        return await run_program(self.suite.url, self.uuid, submission)


@solver
def sit_down() -> Solver:
    """Note which sample runs here, where tools and scripted models find it: in its store."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - what a solver takes
        named = {name: str(state.metadata[name]) for name in ("suite", "task")}
        store().set(SAMPLE, {"uuid": state.uuid, "epoch": state.epoch, **named})
        return state

    return solve


def sample() -> dict[str, Any]:
    """Return which sample runs here: ``suite``, ``task``, ``epoch``, ``uuid``.

    Raises
    ------
    InternalError
        Outside a sample of a finassay task.
    """
    found: dict[str, Any] | None = store().get(SAMPLE)
    if found is None:
        raise InternalError("There is no sample here: the tools of finassay work inside its own tasks.")
    return found


def desk() -> Desk:
    """Return the desk of the sample that runs here."""
    here = sample()
    suite = load_suite(here["suite"])
    return Desk(here["uuid"], suite, suite.task(here["task"]))


async def close_desk(state: TaskState) -> None:
    """End what runs for a sample that is over."""
    await to_thread.run_sync(leave, state.uuid)


@cache
def _schema(suite: str, language: Language) -> Schema:
    from finassay.database import connect

    loaded = load_suite(suite)
    with connect(loaded.url) as database:
        return Schema(tuple(database.tables()), loaded.catalog, language)
