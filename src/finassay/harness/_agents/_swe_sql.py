"""One action per turn, older observations out of sight, and a reply without an action asked for again."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    execute_tools,
    get_model,
)

from finassay.harness._desk import desk
from finassay.harness._guidance import read_guidance, read_prompt, system_prompt
from finassay.harness._steps import kept_submission
from finassay.harness._tools import bash, submit, toolbox

ENDS = ("content_filter", "model_length")


@agent
def swe_sql(guidance: str = "pit", window: int = 5, repairs: int = 3) -> Agent:
    """Act once per turn in the manner of SWE-agent.

    Parameters
    ----------
    guidance : {"pit", "none"}
        Of prompt and background files.
    window : int
        How many observations are shown whole; of older ones their length is told.
    repairs : int
        How often in a row a reply without an action is asked for again.
    """
    how = read_guidance(guidance)

    async def execute(state: AgentState) -> AgentState:
        here = desk()
        tools = [*toolbox(), bash(), submit()]
        prompt = system_prompt(here.suite, here.task, how, "one_action")
        state.messages.insert(0, ChatMessageSystem(content=prompt))
        missed = 0
        while missed <= repairs and kept_submission() is None:
            state.output = await get_model().generate(windowed(state.messages, window), tools)
            message = first_action(state.output.message)
            state.messages.append(message)
            if state.output.stop_reason in ENDS:
                break
            if not message.tool_calls:
                missed += 1
                state.messages.append(ChatMessageUser(content=read_prompt("repair", here.task.language)))
                continue
            missed = 0
            observed, _ = await execute_tools(state.messages, tools)
            state.messages.extend(observed)
        return state

    return execute


def first_action(message: ChatMessageAssistant) -> ChatMessageAssistant:
    """Return a reply with its first call alone."""
    calls = message.tool_calls or []
    return message if len(calls) <= 1 else message.model_copy(update={"tool_calls": calls[:1]})


def windowed(messages: Sequence[ChatMessage], window: int) -> list[ChatMessage]:
    """Return messages in which only the last observations are whole."""
    observed = [number for number, message in enumerate(messages) if isinstance(message, ChatMessageTool)]
    old = set(observed[: max(0, len(observed) - window)])
    return [
        message.model_copy(update={"content": f"(an older observation of {len(message.text)} characters)"})
        if number in old
        else message
        for number, message in enumerate(messages)
    ]
