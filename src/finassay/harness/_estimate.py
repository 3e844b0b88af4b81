"""What a run will take, before it runs: tokens from its own prompts, and dollars where the price is known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.harness._guidance import read_guidance, system_prompt, task_prompt
from finassay.harness._prices import read_price
from finassay.harness._suite import load_suite

if TYPE_CHECKING:
    from finassay.harness._evaluate import EvaluationPlan

# Published runs of the source benchmark look at the schema about ten times and run a program three or four times.
TURNS = 15
OBSERVED = 900  # tokens that a turn adds to what the next one reads
WRITTEN = 250
TOOLS = 1_200  # the description of the tools
_ASCII_PER_TOKEN = 4


@dataclass(frozen=True)
class Estimate:
    """An expectation, not a bound: the limits of a sample are the bound.

    Attributes
    ----------
    samples : int
        With epochs.
    turns : int
        Assumed of each.
    tokens_in, tokens_out : int
        Of all.
    cost_usd : float or None
        None where no price is known.
    """

    samples: int
    turns: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


def estimate(plan: EvaluationPlan) -> Estimate:
    """Return what a plan will take if each sample takes fifteen turns and nothing is cached.

    Every turn reads the prompt and all that was said before it: the sum grows with the square of the turns.
    """
    suite, how = load_suite(plan.suite), read_guidance(plan.guidance)
    tasks = suite.tasks[: plan.limit]
    prompts = sum(tokens(system_prompt(suite, task, how) + task_prompt(task)) + TOOLS for task in tasks)
    before = (OBSERVED + WRITTEN) * TURNS * (TURNS - 1) // 2
    read = plan.epochs * (prompts * TURNS + before * len(tasks))
    written = plan.epochs * len(tasks) * TURNS * WRITTEN
    price = read_price(Path(plan.prices), plan.model) if plan.prices else None
    return Estimate(
        plan.epochs * len(tasks), TURNS, read, written, price.of(read, written) if price else None
    )


def tokens(text: str) -> int:
    """Count roughly: four characters of ASCII are a token, any other character is one."""
    plain = sum(character.isascii() for character in text)
    return -(-plain // _ASCII_PER_TOKEN) + len(text) - plain
