"""Run a suite with a model and an agent: one Inspect process per shard, one folder of logs, one file of rows."""

from __future__ import annotations

import json
import re
import secrets
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finassay.core import InputError, MissingExtraError
from finassay.harness._guidance import read_guidance
from finassay.harness._ingest import PROFILE, read_eval_rows
from finassay.harness._prices import read_price
from finassay.harness._resume import check_same, unfinished
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
        A YAML or JSON file of prices: model to ``{input: …, output: …}``, US dollars per million tokens.
    agent_args : str
        Options of the agent: ``native=true,max_steps=20``.
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
    agent_args: str = ""
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


def evaluate(plan: EvaluationPlan, *, resume: bool = False) -> Evaluation:
    """Run a plan and return its rows.

    Parameters
    ----------
    plan : EvaluationPlan
        What to run.
    resume : bool
        Go on with the run in the plan's folder: only samples that broke or are missing are run.

    Raises
    ------
    InputError
        If the suite, the agent, the guidance or the model is unknown, a key is missing, the folder holds another run,
        or a limit of cost has no price.
    MissingExtraError
        If inspect-ai is not installed.
    """
    check(plan)
    folder = Path(plan.folder)
    if resume:
        check_same(plan, folder)
        _resume(plan)
        return collect(folder)
    logs = folder / "logs"
    if logs.exists() and any(logs.iterdir()):
        raise InputError(
            f"{folder} holds a run already.",
            hint="Give another folder with --out, or go on with that run: --resume.",
            reason="output_exists",
        )
    logs.mkdir(parents=True, exist_ok=True)
    text = json.dumps(as_json(plan), indent=2, ensure_ascii=False)
    (folder / "plan.json").write_text(text, encoding="utf-8")
    _run_shards(plan, [f"{number}/{plan.jobs}" for number in range(1, plan.jobs + 1)])
    return collect(folder)


def as_json(plan: EvaluationPlan) -> dict[str, Any]:
    """Return a plan as JSON-ready values."""
    return asdict(plan)


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
    if plan.cost is not None and plan.prices is None:
        raise InputError(
            "A limit of cost needs the price of the model.", hint="Give --prices FILE.", reason="no_price"
        )
    if plan.prices is not None:
        read_price(Path(plan.prices), plan.model)
    if plan.agent == "human" and plan.jobs > 1:
        raise InputError("A person works in one process: leave out --jobs.", reason="bad_jobs")
    _model(plan)


def run_shard(plan: EvaluationPlan, shard: str) -> EvalLog:
    """Run a part of a plan in this process."""
    inspect = _inspect()
    from finassay.harness._benches import close_benches
    from finassay.harness._task import SUITE_TASKS

    task = SUITE_TASKS[plan.suite](
        agent=plan.agent,
        guidance=plan.guidance,
        shard=shard,
        limit=plan.limit,
        agent_args=plan.agent_args,
    )
    try:
        with _told():
            [log] = inspect.eval(
                task,
                model=_model(plan),
                epochs=plan.epochs,
                metadata={"run": plan.run, "shard": shard},
                log_format="eval",
                max_retries=plan.retries,
                cache=plan.cache,
                **_limits(plan),
                **_manner(plan),
            )
    finally:
        close_benches()
    found: EvalLog = log
    return found


def _resume(plan: EvaluationPlan) -> None:
    """Run again what broke; shards that left no log are run whole."""
    inspect = _inspect()
    from finassay.harness._benches import close_benches

    folder = Path(plan.folder)
    kept = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    broken, there = unfinished(folder / "logs")
    try:
        for path in broken:
            with _told():
                inspect.eval_retry(str(path), max_retries=plan.retries, **_manner(plan))
    finally:
        close_benches()
    missing = {f"{number}/{kept['jobs']}" for number in range(1, kept["jobs"] + 1)} - there
    _run_shards(replace(plan, run=kept["run"], jobs=kept["jobs"]), sorted(missing))


def _limits(plan: EvaluationPlan) -> dict[str, Any]:
    price = read_price(Path(plan.prices), plan.model) if plan.prices else None
    limits = {
        "message_limit": plan.messages,
        "token_limit": plan.tokens,
        "time_limit": plan.seconds,
        "cost_limit": plan.cost,
        "model_cost_config": {plan.model: price.for_inspect(plan.model)} if price else None,
    }
    return {name: value for name, value in limits.items() if value is not None}


def _manner(plan: EvaluationPlan) -> dict[str, Any]:
    return {
        "log_dir": str(Path(plan.folder) / "logs"),
        "display": "none",
        "log_realtime": False,
        "fail_on_error": False,
        "max_samples": 1 if plan.agent == "human" else _SAMPLES,
    }


def _model(plan: EvaluationPlan) -> Any:
    """Return the model, or say why it cannot be had."""
    _inspect()
    from inspect_ai.model import GenerateConfig, get_model

    config = GenerateConfig(max_retries=plan.retries)
    try:
        return get_model(plan.model, config=config, memoize=False, **plan.model_args)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"The model {plan.model!r} cannot be had: {_one_line(error)}",
            hint="Give provider/name, as openai/gpt-5.5, with the provider's key in the environment.",
            reason="unknown_model",
        ) from error


@contextmanager
def _told() -> Iterator[None]:
    """Turn what Inspect asks for before it starts into an error of input."""
    from inspect_ai._util.error import PrerequisiteError

    try:
        yield
    except PrerequisiteError as error:
        raise InputError(f"Inspect does not start: {_one_line(error)}", reason="bad_plan") from error


def _inspect() -> Any:
    try:
        import inspect_ai
    except ImportError as error:
        raise MissingExtraError("An evaluation", "evals") from error
    return inspect_ai


def _one_line(error: BaseException) -> str:
    """Return the text of an error on one line, without the marks of colour that Inspect writes for terminals."""
    text = re.sub(r"\[/?[a-z ]*\]", "", str(error))
    return " ".join(text.split())[:500] or type(error).__name__


def _run_shards(plan: EvaluationPlan, shards: list[str]) -> None:
    """Run shards, each in a process of its own where there are several; what a broken one leaves can be resumed."""
    if len(shards) <= 1:
        for shard in shards:
            run_shard(plan, shard)
        return
    command = [sys.executable, "-P", "-m", "finassay.harness._worker"]
    running = []
    for shard in shards:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)  # noqa: S603 - our own module
        assert process.stdin is not None  # noqa: S101 - a pipe was asked for
        process.stdin.write(json.dumps({"plan": as_json(plan), "shard": shard}))
        process.stdin.close()
        running.append(process)
    for process in running:
        process.wait()
