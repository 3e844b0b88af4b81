"""A suite as an Inspect task: samples, agent, scorer, limits. References stay out of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from finassay.core import InputError
from finassay.harness._agents import SANDBOXED, find_agent
from finassay.harness._desk import close_desk, sit_down
from finassay.harness._guidance import read_guidance, task_prompt
from finassay.harness._scorer import table_scorer
from finassay.harness._suite import Suite, load_suite

# What a research task may take where nobody says otherwise.
MESSAGES = 200
SECONDS = 1800


def suite_task(
    suite: Suite,
    agent: str = "react_sql",
    guidance: str = "pit",
    shard: str = "1/1",
    *,
    limit: int | None = None,
    **options: Any,
) -> Task:
    """Return a suite as an Inspect task.

    Parameters
    ----------
    suite : Suite
        The tasks.
    agent : str
        One of `AGENTS`.
    guidance : {"pit", "none"}
        Whether prompts and background files hold point-in-time guidance.
    shard : str
        ``K/N``: every N-th sample from the K-th on, for N processes.
    limit : int, optional
        Of the first so many samples of the suite.
    **options : Any
        Of the agent.
    """
    how = read_guidance(guidance)
    try:
        solver = find_agent(agent)(guidance=str(how), **options)
    except TypeError as error:
        raise InputError(f"The agent {agent} does not take this: {error}", reason="bad_argument") from error
    number, count = _shard(shard)
    samples = [
        Sample(
            id=one.id,
            input=task_prompt(one),
            metadata={
                "suite": suite.name,
                "task": one.id,
                "language": one.language,
                "as_of": one.as_of.isoformat(),
                "guidance": str(how),
            },
        )
        for one in suite.tasks[:limit][number - 1 :: count]
    ]
    return Task(
        name=suite.name,
        dataset=MemoryDataset(samples, name=suite.name),
        setup=sit_down(),
        solver=solver,
        scorer=table_scorer(),
        cleanup=close_desk,
        sandbox="bwrap_session" if agent in SANDBOXED else None,
        message_limit=MESSAGES,
        time_limit=SECONDS,
        fail_on_error=False,
        version=suite.version,
        metadata={
            "finassay": 1,
            "suite": suite.name,
            "suite_version": suite.version,
            "suite_sha256": suite.sha256,
            "suite_samples": [one.id for one in suite.tasks],
            "agent": agent,
            "guidance": str(how),
            "shard": shard,
        },
    )


@task
def smoke(
    agent: str = "react_sql",
    guidance: str = "pit",
    shard: str = "1/1",
    limit: int | None = None,
    agent_args: str = "",
) -> Task:
    """Twelve tiny tasks over an invented database: they try the harness, and say nothing of a model."""
    return suite_task(load_suite("smoke"), agent, guidance, shard, limit=limit, **read_options(agent_args))


SUITE_TASKS: dict[str, Callable[..., Task]] = {"smoke": smoke}


def read_options(text: str) -> dict[str, Any]:
    """Read options of an agent: ``native=true,max_steps=20``.

    Raises
    ------
    InputError
        If a part is no ``NAME=VALUE``.
    """
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            raise InputError(f"Expected NAME=VALUE for an agent, but it was {part!r}.", reason="bad_argument")
        found[name.strip()] = yaml.safe_load(value)
    return found


def _shard(text: str) -> tuple[int, int]:
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise InputError(f"Expected a shard such as 1/4, but it was {text!r}.", reason="bad_shard")
    return int(number), int(count)
