"""The scorer: run the submitted program, compare its table with the reference, and say why it is not equal."""

from __future__ import annotations

import json
import math
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from finassay.core import GoldError
from finassay.execution import Outcome, Run, Submission
from finassay.grading import compare_tables
from finassay.harness._desk import desk
from finassay.harness._steps import kept_submission, recorded
from finassay.harness._suite import ResearchTask

TOOLS_ABSENT = "finassay:tools_absent"


@scorer(metrics=[])
def table_scorer() -> Scorer:
    """Score a submission: 1 where its table equals the reference under the task's contract, else 0.

    There is no metric: Inspect drops errors from denominators, and finassay counts every sample in its results store.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - references stay out of logs
        if state.store.get(TOOLS_ABSENT):
            return _said(
                math.nan, "tools_absent", "The agent had none of our tools at its first call of the model."
            )
        submission = kept_submission()
        if submission is None:
            return _said(0.0, "no_submission", "Nothing was submitted.")
        here = desk()
        run = await here.run(Submission(**{**submission, "result_vars": tuple(submission["result_vars"])}))
        try:
            return judge(here.task, run, json.dumps(submission, ensure_ascii=False))
        except GoldError as error:
            return _said(math.nan, "gold_error", str(error))

    return score


def judge(task: ResearchTask, run: Run, answer: str) -> Score:
    """Compare what a submitted program returned with the reference.

    Raises
    ------
    GoldError
        If the reference itself breaks the contract.
    """
    error = run.trace.error
    if run.trace.outcome is not Outcome.OK or not run.tables:
        said = f"{error.reason}: {error.message}" if error else "It returned no table."
        return _said(0.0, "program_failed", said, answer)
    verdict = compare_tables(task.reference(), run.tables[0].table, task.output)
    status = "equal" if verdict.equal else "different"
    return _said(float(verdict.equal), status, verdict.to_text(5), answer, list(verdict.reasons))


def _said(
    value: float, status: str, why: str, answer: str | None = None, reasons: list[str] | None = None
) -> Score:
    steps = recorded()
    told: dict[str, Any] = {"status": status, "reasons": reasons or [], "steps": len(steps)}
    return Score(value=value, answer=answer, explanation=why, metadata=told)
