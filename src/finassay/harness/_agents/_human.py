"""A person at the terminal in the place of a model, with the same tools: for baselines of people."""

from __future__ import annotations

import sys

from anyio import to_thread
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

from finassay.harness._agents._spider_lite import act
from finassay.harness._desk import desk
from finassay.harness._guidance import guided, read_guidance, read_prompt, system_prompt
from finassay.harness._steps import kept_submission
from finassay.harness._tools import submit, toolbox


@agent
def human(guidance: str = "pit") -> Agent:
    """Read actions from standard input, each ended by a line with a dot; the end of the input ends the attempt."""
    how = read_guidance(guidance)

    async def execute(state: AgentState) -> AgentState:
        here = desk()
        tools = [*toolbox(), submit()]
        _show(system_prompt(here.suite, here.task, how))
        _show(guided(read_prompt("text_actions", here.task.language), how))
        _show(state.messages[-1].text)
        while kept_submission() is None:
            _show("(an action, then a line with a dot)")
            text = await to_thread.run_sync(_read, abandon_on_cancel=True)
            if text is None:
                break
            state.messages.append(ChatMessageAssistant(content=text, source="generate"))
            told = await act(text, tools, len(state.messages))
            state.messages.append(ChatMessageUser(content=f"Observation:\n{told}"))
            _show(told)
        return state

    return execute


def _show(text: str) -> None:
    sys.stderr.write(f"{text}\n\n")


def _read() -> str | None:
    """Read up to a line with a dot; None where there is nothing more."""
    lines: list[str] = []
    for line in sys.stdin:
        if line.strip() == ".":
            return "".join(lines)
        lines.append(line)
    return "".join(lines) if any(line.strip() for line in lines) else None
