"""One reply of a scripted model, and its two forms: a call of a tool, or an action in text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage
from inspect_ai.tool import ToolCall, ToolInfo
from pydantic import BaseModel, ConfigDict, Field

from finassay.harness._actions import write_action


class Move(BaseModel):
    """What a scripted model does in one turn.

    Attributes
    ----------
    text : str
        What it says.
    call : str or None
        The tool that it calls.
    arguments : dict
        Of the call.
    stop : str or None
        Why it stopped, where not for a call or at an end: ``content_filter``, ``max_tokens``, ``model_length``.
    error : str or None
        An error of the endpoint in place of a reply.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = ""
    call: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    stop: Literal["content_filter", "max_tokens", "model_length"] | None = None
    error: str | None = None


def as_output(move: Move, model: str, tools: Sequence[ToolInfo], turn: int) -> ModelOutput:
    """Return a move as a model's output: by the tools it was given, or as text where it was given none."""
    name = _tool_name(move.call, tools) if move.call else None
    text, calls = move.text, []
    if name is not None:
        calls = [ToolCall(id=f"call_{turn}", function=name, arguments=move.arguments)]
    elif move.call:
        text = f"{move.text}\n{write_action(move.call, move.arguments)}".strip()
    reason = move.stop or ("tool_calls" if calls else "stop")
    message = ChatMessageAssistant(content=text, tool_calls=calls or None, model=model, source="generate")
    return ModelOutput(model=model, choices=[ChatCompletionChoice(message=message, stop_reason=reason)])


def _tool_name(call: str, tools: Sequence[ToolInfo]) -> str | None:
    """Find a tool by its name; bridged tools have a prefix, as ``mcp__finassay__run_code``."""
    names = [tool.name for tool in tools]
    return next((n for n in names if n == call), next((n for n in names if n.endswith(f"__{call}")), None))


def usage(read: int, written: int) -> ModelUsage:
    """Return what a reply used."""
    return ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
