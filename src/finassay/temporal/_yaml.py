"""YAML read as what it says (no dates, no yes/no booleans), with the line of every value, and no doubled keys."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.constructor import SafeConstructor

from finassay.core import InputError, Place

Path = tuple[str | int, ...]


class DocumentError(InputError):
    """A catalog or a contract that cannot be read: its message names the file, the line and the field."""

    reason = "bad_document"


@dataclass(frozen=True)
class Source:
    """The text of a document and the place of each of its values."""

    name: str
    lines: tuple[str, ...] = ()
    marks: dict[Path, tuple[int, int]] = field(default_factory=dict)
    parts: dict[Path, Source] = field(default_factory=dict)  # values that other files hold

    def place(self, path: Path) -> Place | None:
        """Return the place of a value, or of the nearest one around it; None if the text is unknown."""
        for inner, part in self.parts.items():
            if path[: len(inner)] == inner:
                return part.place(path[len(inner) :])
        for length in range(len(path), -1, -1):
            mark = self.marks.get(path[:length])
            if mark is not None:
                line, column = mark
                return Place(self.name, line + 1, column + 1, self.lines[line].rstrip("\n"))
        return None


def dotted(path: Path) -> str:
    """Return a path as text: ``tables.secumain.columns.ID.role``, ``dates[2]``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def parse(text: str, name: str) -> tuple[Any, Source]:
    """Return the values of a YAML or JSON document and their source.

    Raises
    ------
    DocumentError
        If it is not YAML, is empty, or states a key twice.
    """
    source = Source(name, tuple(text.splitlines()) or ("",))
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise _not_yaml(error, source) from error
    if node is None:
        raise DocumentError(f"{name} is empty.", hint="Write a mapping with the keys of the format.")
    return _build(node, (), source), source


# A catalog has tens of thousands of values; PyYAML's parser in C, where it is built, reads them ten times faster.
if yaml.__with_libyaml__:
    from yaml import CSafeLoader as _SafeLoader
else:
    from yaml import SafeLoader as _SafeLoader  # type: ignore[assignment]

_TEXT = "tag:yaml.org,2002:str"


class _Loader(_SafeLoader):
    """SafeLoader that leaves dates as text: a date is read by the field that wants one."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(("timestamp", "bool"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


_DEEPEST = 40


def _build(node: yaml.Node, path: Path, source: Source) -> Any:
    if len(path) > _DEEPEST:
        raise DocumentError(
            f"{source.name} is nested more than {_DEEPEST} deep: an alias (*) names what it stands in.",
            hint="Write the values out.",
            place=source.place(path[:1]),
        )
    source.marks[path] = (node.start_mark.line, node.start_mark.column)
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, source)
    if isinstance(node, yaml.SequenceNode):
        return [_build(item, (*path, index), source) for index, item in enumerate(node.value)]
    return _scalar(node)


def _mapping(node: yaml.MappingNode, path: Path, source: Source) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = str(key_node.value)
        if key in found:
            source.marks[(*path, key)] = (key_node.start_mark.line, key_node.start_mark.column)
            message = f"{dotted((*path, key))} is stated twice in {source.name}."
            raise DocumentError(message, hint="Keep one of them.", place=source.place((*path, key)))
        found[key] = _build(value_node, (*path, key), source)
        # The line of a field is the line of its name.
        source.marks[(*path, key)] = (key_node.start_mark.line, key_node.start_mark.column)
    return found


def _scalar(node: yaml.Node) -> Any:
    plain = isinstance(node, yaml.ScalarNode) and not node.style
    if plain and node.value in ("true", "false"):
        return node.value == "true"
    if node.tag == _TEXT:
        return node.value
    # A constructor of its own: PyYAML keeps constructed nodes in it.
    value: Hashable = SafeConstructor().construct_object(node)
    return value


def _not_yaml(error: yaml.YAMLError, source: Source) -> DocumentError:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    place = None
    if mark is not None and mark.line < len(source.lines):
        place = Place(source.name, mark.line + 1, mark.column + 1, source.lines[mark.line])
    return DocumentError(
        f"{source.name} is not YAML: {problem}.", hint="Mind the indentation and the colons.", place=place
    )
