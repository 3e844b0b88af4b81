"""Evaluate models and agents: suites as Inspect tasks, tools, agents, sandboxes, and result rows from Inspect's logs.

The only room that imports `inspect_ai`, and it does so where it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from finassay.harness._agents import AGENTS
    from finassay.harness._estimate import Estimate, estimate
    from finassay.harness._evaluate import Evaluation, EvaluationPlan, evaluate
    from finassay.harness._guidance import GUIDANCE, Guidance, guided, system_prompt
    from finassay.harness._ingest import read_eval_rows
    from finassay.harness._schema import Schema
    from finassay.harness._suite import ResearchTask, Suite, load_suite, suites

__all__ = [
    "AGENTS",
    "GUIDANCE",
    "Estimate",
    "Evaluation",
    "EvaluationPlan",
    "Guidance",
    "ResearchTask",
    "Schema",
    "Suite",
    "estimate",
    "evaluate",
    "guided",
    "load_suite",
    "read_eval_rows",
    "suites",
    "system_prompt",
]

_PLACES = {
    "_agents": ("AGENTS",),
    "_estimate": ("Estimate", "estimate"),
    "_evaluate": ("Evaluation", "EvaluationPlan", "evaluate"),
    "_guidance": ("GUIDANCE", "Guidance", "guided", "system_prompt"),
    "_ingest": ("read_eval_rows",),
    "_schema": ("Schema",),
    "_suite": ("ResearchTask", "Suite", "load_suite", "suites"),
}


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
