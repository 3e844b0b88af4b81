"""The step recorder: every call of a tool, in the sample's store, so that process scores do not hang on messages."""

from __future__ import annotations

from typing import Any

from inspect_ai.util import store

STEPS = "finassay:steps"
SUBMISSION = "finassay:submission"
ENDED = "finassay:ended"


def record(tool: str, arguments: dict[str, Any], **said: Any) -> None:
    """Note a call: its tool, its arguments, and what is said of how it ended (``ok``, ``reason``, ``rows``, …)."""
    kept = store()
    steps: list[dict[str, Any]] = list(kept.get(STEPS, []))
    steps.append({"step": len(steps) + 1, "tool": tool, "arguments": arguments, **said})
    kept.set(STEPS, steps)


def recorded() -> list[dict[str, Any]]:
    """Return the steps of this sample so far."""
    return list(store().get(STEPS, []))


def keep_submission(submission: dict[str, Any]) -> None:
    """Keep what was handed in; the first one counts."""
    if store().get(SUBMISSION) is None:
        store().set(SUBMISSION, submission)


def kept_submission() -> dict[str, Any] | None:
    """Return what was handed in, or None."""
    found: dict[str, Any] | None = store().get(SUBMISSION)
    return found


def end_because(status: str) -> None:
    """Note in a word of the results store why an agent ended its attempt without an answer."""
    store().set(ENDED, status)
