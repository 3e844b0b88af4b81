"""The default agent: it calls tools, several in a turn if it likes, until it submits."""

from __future__ import annotations

from inspect_ai.agent import Agent, AgentPrompt, AgentState, AgentSubmit, agent, react

from finassay.harness._desk import desk
from finassay.harness._guidance import read_guidance, read_prompt, system_prompt
from finassay.harness._tools import submit, toolbox


@agent
def react_sql(guidance: str = "pit") -> Agent:
    """Reason and act with tool calls, over Inspect's own loop."""
    how = read_guidance(guidance)

    async def execute(state: AgentState) -> AgentState:
        here = desk()
        prompt = system_prompt(here.suite, here.task, how, "tools")
        inner = react(
            prompt=AgentPrompt(
                instructions=prompt, handoff_prompt=None, assistant_prompt=None, submit_prompt=None
            ),
            tools=toolbox(),
            submit=AgentSubmit(tool=submit(), name="submit", answer_only=True, keep_in_messages=True),
            on_continue=read_prompt("continue", here.task.language),
        )
        return await inner(state)

    return execute
