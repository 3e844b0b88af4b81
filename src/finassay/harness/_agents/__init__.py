"""The agents, by name; each is an Inspect agent over the same tools and the same recorder."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from finassay.core import InputError

if TYPE_CHECKING:
    from inspect_ai.agent import Agent

AGENTS: dict[str, str] = {
    "react_sql": "calls tools until it submits; the default",
    "swe_sql": "one action per turn, windowed observations, repair of replies without an action",
    "spider_lite": "actions in text, 15 steps, a memory of 10",
    "human": "a person at the terminal",
}

# Agents that run commands beside programs: these run in a jail of the sample's own.
SANDBOXED = frozenset({"swe_sql", "spider_lite"})


def find_agent(name: str) -> Callable[..., Agent]:
    """Return the maker of an agent.

    Raises
    ------
    InputError
        If there is no agent of that name.
    """
    if name not in AGENTS:
        raise InputError(
            f"There is no agent {name!r}.", hint=f"Agents: {', '.join(AGENTS)}.", reason="unknown_agent"
        )
    module: Any = import_module(f"{__name__}._{name}")
    maker: Callable[..., Agent] = getattr(module, name)
    return maker
