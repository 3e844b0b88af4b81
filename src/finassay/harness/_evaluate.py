"""Run a suite with a model and an agent: one Inspect process per shard, one folder of logs, one file of rows."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finassay.core import InputError, MissingExtraError
from finassay.harness._guidance import read_guidance
from finassay.harness._ingest import PROFILE, read_eval_rows
from finassay.harness._suite import load_suite
from finassay.results import Outcome, ResultRow, write_rows

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

ROWS_FILE = "results.parquet"
_RETRIES = 3  # of a request to a model, before the sample is an error that can be resumed
_SAMPLES = 16  # at once, in each process


@dataclass(frozen=True)
class EvaluationPlan:
    """What to run.

    Attributes
    ----------
    suite, model, agent, guidance : str
        Which tasks, by whom. The model is Inspect's name of it: ``openai/gpt-5.5``, ``finassay-scripted/reference``.
    folder : str
        Where logs and rows go.
    limit : int or None
        The first so many samples of the suite.
    epochs : int
        How often the whole is repeated.
    jobs : int
        Processes.
    model_args : dict
        Of the model's provider.
    messages, tokens, seconds : int or None
        Limits of a sample.
    cost : float or None
        Limit of a sample in US dollars; it needs `prices`.
    prices : str or None
        A JSON or YAML file of prices, as Inspect reads it.
    retries : int
        How often a request to the model is tried again.
    cache : bool
        Whether replies are taken from Inspect's cache where the same was asked before.
    run : str
        The run's name in the rows.
    """

    suite: str
    model: str
    folder: str
    agent: str = "react_sql"
    guidance: str = "pit"
    limit: int | None = None
    epochs: int = 1
    jobs: int = 1
    model_args: dict[str, Any] = field(default_factory=dict)
    messages: int | None = None
    tokens: int | None = None
    seconds: int | None = None
    cost: float | None = None
    prices: str | None = None
    retries: int = _RETRIES
    cache: bool = False
    run: str = field(default_factory=lambda: f"run-{secrets.token_hex(6)}")


@dataclass(frozen=True)
class Evaluation:
    """What came of a plan.

    Attributes
    ----------
    rows : tuple of ResultRow
        One per attempt; a sample without one has a row that says so.
    rows_file : Path
        Where they lie.
    """

    rows: tuple[ResultRow, ...]
    rows_file: Path

    @property
    def last(self) -> dict[tuple[str, int], ResultRow]:
        """The last attempt of each sample and epoch: what a rate counts."""
        ordered = sorted(self.rows, key=lambda row: row.attempt)
        return {(row.sample, row.epoch): row for row in ordered}

    @property
    def right(self) -> int:
        """How many of them are scored and right."""
        return sum(
            row.outcome is Outcome.SCORED and (row.headline(PROFILE) or 0) >= 1 for row in self.last.values()
        )

    @property
    def outcomes(self) -> Counter[str]:
        """How many ended how."""
        return Counter(str(row.outcome) for row in self.last.values())

    @property
    def complete(self) -> bool:
        """Whether every sample has an attempt that did not break."""
        return not any(row.outcome is Outcome.ERROR or row.is_expected for row in self.last.values())


def evaluate(plan: EvaluationPlan) -> Evaluation:
    """Run a plan and return its rows.

    Raises
    ------
    InputError
        If the suite, the agent, the guidance or the model is unknown, a key is missing, the folder holds another run,
        or a cost limit has no prices.
    MissingExtraError
        If inspect-ai is not installed.
    """
    check(plan)
    folder = Path(plan.folder)
    logs = folder / "logs"
    if logs.exists() and any(logs.iterdir()):
        raise InputError(
            f"{folder} holds a run already.",
            hint="Give another folder with --out, or go on with that run: --resume.",
            reason="output_exists",
        )
    logs.mkdir(parents=True, exist_ok=True)
    (folder / "plan.json").write_text(
        json.dumps(asdict(plan), indent=2, ensure_ascii=False), encoding="utf-8"
    )
    if plan.jobs == 1:
        run_shard(plan, "1/1")
    else:
        _run_processes(plan)
    return collect(folder)


def collect(folder: Path) -> Evaluation:
    """Read the logs of a run's folder and write its rows."""
    rows = tuple(read_eval_rows(folder / "logs"))
    target = folder / ROWS_FILE
    write_rows(rows, target, force=True)
    return Evaluation(rows, target)


def check(plan: EvaluationPlan) -> None:
    """Say what is wrong with a plan before anything runs."""
    from finassay.harness._agents import find_agent

    _inspect()
    load_suite(plan.suite)
    read_guidance(plan.guidance)
    find_agent(plan.agent)
    _model(plan)


def run_shard(plan: EvaluationPlan, shard: str) -> EvalLog:
    """Run a part of a plan in this process."""
    inspect = _inspect()
    from finassay.harness._benches import close_benches
    from finassay.harness._task import suite_task

    task = suite_task(load_suite(plan.suite), plan.agent, plan.guidance, shard, limit=plan.limit)
    try:
        [log] = inspect.eval(
            task,
            model=_model(plan),
            epochs=plan.epochs,
            metadata={"run": plan.run},
            **_settings(plan),
        )
    finally:
        close_benches()
    found: EvalLog = log
    return found


def _settings(plan: EvaluationPlan) -> dict[str, Any]:
    limits = {
        "message_limit": plan.messages,
        "token_limit": plan.tokens,
        "time_limit": plan.seconds,
        "cost_limit": plan.cost,
        "model_cost_config": plan.prices,
    }
    return {
        "log_dir": str(Path(plan.folder) / "logs"),
        "log_format": "eval",
        "display": "none",
        "log_realtime": False,
        "fail_on_error": False,
        "max_samples": _SAMPLES,
        "max_retries": plan.retries,
        "cache": plan.cache,
        **{name: value for name, value in limits.items() if value is not None},
    }


def _model(plan: EvaluationPlan) -> Any:
    """Return the model, or say why it cannot be had."""
    _inspect()
    from inspect_ai.model import get_model

    try:
        return get_model(plan.model, **plan.model_args)
    except InputError:
        raise
    except Exception as error:  # providers raise errors of many kinds over a missing key or package
        raise InputError(
            f"The model {plan.model!r} cannot be had: {_first_line(error)}",
            hint="Give provider/name, as openai/gpt-5.5, with the provider's key in the environment.",
            reason="unknown_model",
        ) from error


def _inspect() -> Any:
    try:
        import inspect_ai
    except ImportError as error:
        raise MissingExtraError("An evaluation", "evals") from error
    return inspect_ai


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _run_processes(plan: EvaluationPlan) -> None:
    """Run each shard in a process of its own; samples that a broken one leaves are missing, and can be resumed."""
    command = [sys.executable, "-P", "-m", "finassay.harness._worker"]
    running = []
    for number in range(1, plan.jobs + 1):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)  # noqa: S603 - our own module
        assert process.stdin is not None  # noqa: S101 - a pipe was asked for
        process.stdin.write(json.dumps({"plan": asdict(plan), "shard": f"{number}/{plan.jobs}"}))
        process.stdin.close()
        running.append(process)
    for process in running:
        process.wait()
