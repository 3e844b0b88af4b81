"""Replay: the replies of a recorded run are given again, as long as the agent asks what it asked then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.core import InputError, hash_json

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ModelOutput

    from finassay.harness._scripts import Turn


@dataclass(frozen=True)
class Recorded:
    """A reply, and a hash of the messages that it answered."""

    asked: str
    output: ModelOutput


class Recording:
    """The replies of a run by task, epoch and turn."""

    def __init__(self, source: Path, replies: dict[tuple[str, int], list[Recorded]]) -> None:
        self._source, self._replies = source, replies

    def __call__(self, turn: Turn) -> ModelOutput:
        """Return the recorded reply of a turn.

        Raises
        ------
        InputError
            With reason ``not_recorded`` where the recording ends before, or the messages are others than then.
        """
        where = f"task {turn.task}, epoch {turn.epoch}, reply {turn.number + 1}"
        found = self._replies.get((turn.task, turn.epoch), [])
        if turn.number >= len(found):
            raise InputError(
                f"{self._source} holds no {where}: there are {len(found)} replies.", reason="not_recorded"
            )
        recorded = found[turn.number]
        if recorded.asked != asked(turn.messages):
            raise InputError(
                f"{where}: the agent asks something else than in {self._source}.",
                hint="Replay with the agent, guidance, suite version and epochs of the recording.",
                reason="not_recorded",
            )
        return recorded.output.model_copy(deep=True)


def asked(messages: Sequence[ChatMessage]) -> str:
    """Return a hash of messages: their roles, texts and calls, without ids and what a run draws anew."""
    told = []
    for message in messages:
        calls = [[call.function, call.arguments] for call in getattr(message, "tool_calls", None) or ()]
        text = message.text if message.role != "tool" else ""  # a tool's text may hold times
        told.append([message.role, text, calls])
    return hash_json(told)


def read_recording(path: Path) -> Recording:
    """Read the replies of an ``.eval`` log.

    Raises
    ------
    InputError
        If it cannot be read, or holds no reply.
    """
    from finassay.harness._log import samples_of

    replies: dict[tuple[str, int], list[Recorded]] = {}
    for sample in samples_of(path, events=True):
        events = [event for event in sample.events if event.event == "model" and event.error is None]
        replies[str(sample.id), sample.epoch] = [
            Recorded(asked(event.input), event.output) for event in events
        ]
    if not any(replies.values()):
        raise InputError(f"{path} holds no reply of a model.", reason="not_recorded")
    return Recording(path, replies)
