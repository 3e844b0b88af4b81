"""A model without a network: replies are computed, read from a file, or replayed from a recorded run."""

from __future__ import annotations

from collections import Counter
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from finassay.harness._desk import sample
from finassay.harness._moves import Move, as_output, usage
from finassay.harness._scripts import Turn, find_script

PROVIDER = "finassay-scripted"
_CHARS_PER_TOKEN = 4


class EndpointError(RuntimeError):
    """What a script says that an endpoint answered."""


class ScriptedModel(ModelAPI):
    """Gives the replies of a script; no network, no tokenizer, no waiting.

    Parameters
    ----------
    model_name : str
        The script's name: ``reference``, ``careless``, ``silent``, ``file``, ``replay``.
    script : str, optional
        Of ``file``: the YAML file of its moves.
    recording : str, optional
        Of ``replay``: the ``.eval`` log.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - the form that Inspect calls
        script: str | None = None,
        recording: str | None = None,
        **model_args: Any,  # noqa: ARG002 - Inspect passes what it was given
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self._script = find_script(model_name, script=script, recording=recording)
        self._turns: Counter[str] = Counter()

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - Inspect's name
        tools: list[ToolInfo],
        tool_choice: ToolChoice,  # noqa: ARG002 - a script knows what it calls
        config: GenerateConfig,  # noqa: ARG002 - nor does it draw anything
    ) -> ModelOutput:
        """Give the next reply of the sample that asks."""
        here = sample()
        number = self._turns[here["uuid"]]
        self._turns[here["uuid"]] += 1
        said = self._script(Turn(here["suite"], here["task"], here["epoch"], number, input))
        if not isinstance(said, Move):
            return said  # recorded, with what it used then
        if said.error is not None:
            raise EndpointError(said.error)
        output = as_output(said, self.model_name, tools, number)
        calls = output.message.tool_calls or []
        written = sum(map(tokens_of, [output.completion, *(str(call.arguments) for call in calls)]))
        output.usage = usage(sum(tokens_of(message.text) for message in input), written)
        return output

    async def count_text_tokens(self, text: str) -> int:
        """Count four characters as a token: no tokenizer is downloaded."""
        return tokens_of(text)

    def should_retry(self, ex: Exception) -> bool:
        """Try again what a script says that an endpoint answered, as a provider does."""
        return isinstance(ex, EndpointError)

    def connection_key(self) -> str:
        """All scripted models share nothing."""
        return self.model_name

    def max_connections(self) -> int:
        """As many as samples."""
        return 64


def tokens_of(text: str) -> int:
    """Return a count of tokens that needs no tokenizer."""
    return -(-len(text) // _CHARS_PER_TOKEN)


@modelapi(name=PROVIDER)
def finassay_scripted() -> type[ModelAPI]:
    """Register the scripted model with Inspect."""
    return ScriptedModel
