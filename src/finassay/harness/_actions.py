"""Actions in text, for models without tool calls: one writer and one parser of ``Action: name(…)``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from finassay.core import CandidateError

# What each action takes, and which of it stands in fenced blocks behind the line.
_BLOCKS = {"sql": "sql_code", "python": "python_code"}
_HEAD = re.compile(
    r"^[ \t>*#]*action[ \t*]*[:：][ \t*`]*([A-Za-z_]\w*)[ \t]*(\{.*?\})?[ \t`*.。]*$",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"^[ \t]*```[ \t]*(\w*)[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Action:
    """An action: its name and its arguments."""

    name: str
    arguments: dict[str, Any]


def write_action(name: str, arguments: dict[str, Any]) -> str:
    """Return an action as text: its name, small arguments as JSON, programs in fenced blocks."""
    small = {key: value for key, value in arguments.items() if key not in _BLOCKS.values() and value}
    lines = [f"Action: {name} {json.dumps(small, ensure_ascii=False)}" if small else f"Action: {name}"]
    for language, key in _BLOCKS.items():
        if arguments.get(key):
            lines.append(f"```{language}\n{str(arguments[key]).rstrip()}\n```")
    return "\n".join(lines)


def parse_action(text: str) -> Action:
    """Read the action of a reply.

    Parameters
    ----------
    text : str
        A reply with one line ``Action: name {"argument": …}`` and, for programs, fenced blocks ``sql`` and ``python``.
        Of several actions the last is taken: what stands before it was thought about.

    Raises
    ------
    CandidateError
        With reason ``no_action`` or ``bad_action``; its message says to the model what was expected.
    """
    heads = list(_HEAD.finditer(text))
    if not heads:
        raise CandidateError(
            "No action was found in the reply.",
            hint='End with a line such as: Action: describe_columns {"table": "price"}',
            reason="no_action",
        )
    head = heads[-1]
    arguments: dict[str, Any] = {}
    if head[2]:
        try:
            arguments = json.loads(head[2])
        except json.JSONDecodeError as error:
            raise CandidateError(
                f"The arguments of {head[1]} are not JSON: {error.msg}.",
                hint='Write them on one line, as in: Action: describe_columns {"table": "price"}',
                reason="bad_action",
            ) from error
    for fence in _FENCE.finditer(text, head.end()):
        key = _BLOCKS.get(fence[1].lower())
        if key:
            arguments.setdefault(key, fence[2].strip("\n"))
    if "mode" not in arguments and any(key in arguments for key in _BLOCKS.values()):
        arguments["mode"] = "+".join(word for word, key in _BLOCKS.items() if arguments.get(key))
    return Action(head[1].lower(), arguments)
