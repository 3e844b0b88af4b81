"""JSON as MariaDB keeps it: text, whose scalars stay as they were written, and the functions that read it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(
    r'\s*(?:(?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*")'
    r"|(?P<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<word>true|false|null)|(?P<mark>[\[\]{},:]))",
    re.ASCII,
)
_STEP = re.compile(r'\.(?:(?P<key>\w+)|(?P<quoted>"[^"\\]*"))|\[(?P<place>\d+)\]|(?P<all>\[\*\]|\.\*)')


@dataclass(frozen=True)
class Node:
    """A JSON value: a scalar's text as written, or the members of an object (with keys as written) or an array."""

    kind: str
    text: str = ""
    members: tuple[tuple[str, Node], ...] = ()

    def loose(self) -> str:
        """Return its text with a blank after commas and colons, as MariaDB prints what it extracts."""
        return self.joined(", ", ": ")

    def joined(self, comma: str, colon: str) -> str:
        """Return its text with these between members, and between a key and its value."""
        if self.kind == "object":
            return (
                "{" + comma.join(f"{k}{colon}{each.joined(comma, colon)}" for k, each in self.members) + "}"
            )
        if self.kind == "array":
            return "[" + comma.join(each.joined(comma, colon) for _, each in self.members) + "]"
        return self.text

    def compact(self) -> str:
        """Return its text without blanks."""
        return self.joined(",", ":")

    def plain(self) -> Any:
        """Return it as Python's values, numbers as floats."""
        return json.loads(self.compact(), parse_int=float)


def read(text: str) -> Node | None:
    """Parse JSON; None where it is not valid."""
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            return None
        tokens.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    try:
        node, rest = _value(tokens, 0)
    except (IndexError, ValueError):
        return None
    return node if rest == len(tokens) else None


def _value(tokens: list[tuple[str, str]], at: int) -> tuple[Node, int]:
    kind, text = tokens[at]
    if kind != "mark":
        return Node(kind if kind != "word" else {"null": "null"}.get(text, "boolean"), text), at + 1
    if text not in "[{":
        raise ValueError(text)
    close = {"[": "]", "{": "}"}[text]
    members: list[tuple[str, Node]] = []
    at += 1
    while tokens[at] != ("mark", close):
        if members:
            at = _expect(tokens, at, ",")
        key = ""
        if text == "{":
            if tokens[at][0] != "string":
                raise ValueError(tokens[at])
            key, at = tokens[at][1], _expect(tokens, at + 1, ":")
        node, at = _value(tokens, at)
        members.append((key, node))
    return Node("object" if text == "{" else "array", members=tuple(members)), at + 1


def _expect(tokens: list[tuple[str, str]], at: int, mark: str) -> int:
    if tokens[at] != ("mark", mark):
        raise ValueError(tokens[at])
    return at + 1


# --- paths ------------------------------------------------------------------------------------------------------------
def steps(path: str) -> list[tuple[str, str]]:
    """Return the steps of a path such as ``$.a[0]``.

    Raises
    ------
    ValueError
        For a path that is not plain: names, places, ``[*]`` and ``.*``.
    """
    found, at = [], 1
    if not path.startswith("$"):
        raise ValueError(f"MySQL-dialect layer: the JSON path {path!r}")
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or match.lastgroup is None:
            raise ValueError(f"MySQL-dialect layer: the JSON path {path!r}")
        found.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    return found


def _follow(node: Node, path: str) -> list[Node]:
    found = [node]
    for kind, text in steps(path):
        found = [each for one in found for each in _step(one, kind, text)]
    return found


def _step(node: Node, kind: str, text: str) -> list[Node]:
    if kind == "all":
        wanted = "array" if text == "[*]" else "object"
        return [each for _, each in node.members] if node.kind == wanted else []
    if kind == "place":
        if node.kind != "array":
            raise ValueError("MySQL-dialect layer: a JSON path with a place in what is no array")
        return [each for _, each in node.members[int(text) : int(text) + 1]]
    key = text[1:-1] if kind == "quoted" else text
    return [each for own, each in node.members if node.kind == "object" and json.loads(own) == key][:1]


def _first(text: str, path: str) -> Node | None:
    node = read(text)
    found = _follow(node, path) if node is not None else []
    return found[0] if found else None


# --- functions --------------------------------------------------------------------------------------------------------
def extract(text: str, *paths: str) -> str | None:
    """Return ``JSON_EXTRACT``: one value, or an array of all where there are several paths or wildcards."""
    node = read(text)
    if node is None:  # NULL as text, 0 as a number
        raise ValueError("MySQL-dialect layer: JSON_EXTRACT from text that is not JSON")
    found = [each for path in paths for each in _follow(node, path)]
    if len(paths) == 1 and not any(kind == "all" for kind, _ in steps(paths[0])):
        return found[0].loose() if found else None
    return Node("array", members=tuple(("", each) for each in found)).loose() if found else None


def value(text: str, path: str) -> str | None:
    """Return ``JSON_VALUE``: a scalar as text; NULL for anything else."""
    node = _first(text, path)
    if node is None or node.kind in {"object", "array", "null"}:
        return None
    if node.kind == "boolean":
        return "1" if node.text == "true" else "0"
    return str(json.loads(node.text)) if node.kind == "string" else node.text


def unquote(text: str) -> str:
    """Return ``JSON_UNQUOTE``: what a JSON string says; any other text as it is."""
    node = read(text) if text.startswith('"') else None
    return str(json.loads(node.text)) if node is not None else text


def quote(text: str) -> str:
    """Return ``JSON_QUOTE``."""
    return json.dumps(text, ensure_ascii=False)


def length(text: str, path: str) -> int | None:
    """Return ``JSON_LENGTH``: of an array or object its members, of a scalar 1."""
    node = _first(text, path)
    if node is None:
        return None
    return len(node.members) if node.kind in {"object", "array"} else 1


def kind(text: str) -> str | None:
    """Return ``JSON_TYPE``."""
    node = read(text)
    if node is None:
        return None
    if node.kind == "number":
        return "INTEGER" if re.fullmatch(r"-?\d+", node.text) else "DOUBLE"
    return node.kind.upper()


def valid(text: str) -> bool:
    """Return ``JSON_VALID``."""
    return read(text) is not None


def depth(text: str) -> int | None:
    """Return ``JSON_DEPTH``."""

    def of(node: Node) -> int:
        return 1 + max((of(each) for _, each in node.members), default=0)

    node = read(text)
    return of(node) if node is not None else None


def keys(text: str, path: str) -> str | None:
    """Return ``JSON_KEYS``: of an object."""
    node = _first(text, path)
    if node is None or node.kind != "object":
        return None
    return "[" + ", ".join(dict.fromkeys(key for key, _ in node.members)) + "]"


def exists(text: str, path: str) -> bool:
    """Return ``JSON_EXISTS``."""
    if read(text) is None:
        raise ValueError("MySQL-dialect layer: JSON_EXISTS in text that is not JSON")
    return _first(text, path) is not None


def contains(text: str, wanted: str, path: str) -> bool | None:
    """Return ``JSON_CONTAINS``."""
    document, other = read(text), read(wanted)
    if document is None or other is None:
        raise ValueError("MySQL-dialect layer: JSON_CONTAINS of text that is not JSON")
    node = _first(text, path)
    return node is not None and _contains(node.plain(), other.plain())


def _contains(own: Any, other: Any) -> bool:
    if isinstance(own, list):
        if isinstance(other, list):
            return all(any(_contains(mine, each) for mine in own) for each in other)
        return any(_contains(mine, other) for mine in own)
    if isinstance(own, dict):
        named = isinstance(other, dict)
        return named and all(key in own and _contains(own[key], each) for key, each in other.items())
    return type(own) is type(other) and bool(own == other)


def contains_path(text: str, how: str, *paths: str) -> bool | None:
    """Return ``JSON_CONTAINS_PATH``."""
    node = read(text)
    if node is None:
        raise ValueError("MySQL-dialect layer: JSON_CONTAINS_PATH of text that is not JSON")
    found = [bool(_follow(node, path)) for path in paths]
    return any(found) if how.lower() == "one" else all(found)


def compact(text: str) -> str | None:
    """Return ``JSON_COMPACT``."""
    node = read(text)
    return node.compact() if node is not None else None


def loose(text: str) -> str | None:
    """Return ``JSON_LOOSE``."""
    node = read(text)
    return node.loose() if node is not None else None


# Name on the connection: the function, the types of its arguments, the type of its result.
JSON_SCALARS: dict[str, tuple[Callable[..., Any], tuple[str, ...], str]] = {
    "mysql_json_extract": (extract, ("VARCHAR", "VARCHAR"), "VARCHAR"),
    "mysql_json_extract_two": (extract, ("VARCHAR", "VARCHAR", "VARCHAR"), "VARCHAR"),
    "mysql_json_value": (value, ("VARCHAR", "VARCHAR"), "VARCHAR"),
    "mysql_json_unquote": (unquote, ("VARCHAR",), "VARCHAR"),
    "mysql_json_quote": (quote, ("VARCHAR",), "VARCHAR"),
    "mysql_json_length": (length, ("VARCHAR", "VARCHAR"), "BIGINT"),
    "mysql_json_type": (kind, ("VARCHAR",), "VARCHAR"),
    "mysql_json_valid": (valid, ("VARCHAR",), "BOOLEAN"),
    "mysql_json_depth": (depth, ("VARCHAR",), "BIGINT"),
    "mysql_json_keys": (keys, ("VARCHAR", "VARCHAR"), "VARCHAR"),
    "mysql_json_exists": (exists, ("VARCHAR", "VARCHAR"), "BOOLEAN"),
    "mysql_json_contains": (contains, ("VARCHAR", "VARCHAR", "VARCHAR"), "BOOLEAN"),
    "mysql_json_contains_path": (contains_path, ("VARCHAR", "VARCHAR", "VARCHAR"), "BOOLEAN"),
    "mysql_json_compact": (compact, ("VARCHAR",), "VARCHAR"),
    "mysql_json_loose": (loose, ("VARCHAR",), "VARCHAR"),
}
