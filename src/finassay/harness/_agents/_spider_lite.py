"""Actions in text, at most fifteen steps, and a memory of ten: for models without tool calls, or native with them."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    execute_tools,
    get_model,
)
from inspect_ai.tool import Tool, ToolCall

from finassay.core import CandidateError
from finassay.harness._actions import parse_action
from finassay.harness._agents._swe_sql import ENDS, first_action
from finassay.harness._desk import desk
from finassay.harness._guidance import read_guidance, read_prompt, system_prompt
from finassay.harness._steps import end_because, kept_submission
from finassay.harness._tools import bash, submit, toolbox


@agent
def spider_lite(guidance: str = "pit", max_steps: int = 15, memory: int = 10, native: bool = False) -> Agent:
    """Think and act in text, in the manner of Spider-Agent.

    Parameters
    ----------
    guidance : {"pit", "none"}
        Of prompt and background files.
    max_steps : int
        Turns before the attempt ends at the limit ``step_limit``.
    memory : int
        How many turns the model sees, behind the prompt and the task.
    native : bool
        Tool calls in place of actions in text.
    """
    how = read_guidance(guidance)

    async def execute(state: AgentState) -> AgentState:
        here = desk()
        tools = [*toolbox(), bash(), submit()]
        manner = "one_action" if native else "text_actions"
        prompt = system_prompt(here.suite, here.task, how, manner)
        state.messages.insert(0, ChatMessageSystem(content=prompt))
        given = len(state.messages)
        for _ in range(max_steps):
            seen = remembered(state.messages, given, memory)
            state.output = await get_model().generate(seen, tools if native else [])
            message = first_action(state.output.message)
            state.messages.append(message)
            if state.output.stop_reason in ENDS:
                return state
            if native and message.tool_calls:
                observed, _ = await execute_tools(state.messages, tools)
                state.messages.extend(observed)
            elif native:
                state.messages.append(ChatMessageUser(content=read_prompt("repair", here.task.language)))
            else:
                told = await act(message.text, tools, len(state.messages))
                state.messages.append(ChatMessageUser(content=f"Observation:\n{told}"))
            if kept_submission() is not None:
                return state
        end_because("step_limit")
        return state

    return execute


async def act(text: str, tools: Sequence[Tool], number: int) -> str:
    """Carry out the action of a reply, and return what is to be told of it."""
    try:
        action = parse_action(text)
    except CandidateError as error:
        return str(error)
    call = ToolCall(id=f"action_{number}", function=action.name, arguments=action.arguments)
    asked: list[ChatMessage] = [ChatMessageAssistant(content=text, tool_calls=[call])]
    observed, _ = await execute_tools(asked, list(tools))
    said = [
        message.error.message if message.role == "tool" and message.error else message.text
        for message in observed
    ]
    return "\n".join(said)


def remembered(messages: Sequence[ChatMessage], given: int, memory: int) -> list[ChatMessage]:
    """Return the prompt, the task, and the last turns, each from its reply on."""
    turns = [n for n, message in enumerate(messages) if n >= given and message.role == "assistant"]
    start = turns[-memory] if len(turns) > memory else given
    return [*messages[:given], *messages[start:]]
