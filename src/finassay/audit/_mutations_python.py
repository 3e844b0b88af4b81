"""The mutants of a Python program: of the statements in its strings, and of its own comparisons and orders."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from finassay.audit._mutations_sql import Edit, Meanings, _days, edits_of, shifted
from finassay.audit._static_python import _SELECT
from finassay.core import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finassay.audit._corpus import Code
    from finassay.database import Dialect
    from finassay.temporal import Catalog, Contract

_HOLE = "__hole_{}__"  # what stands for a part of an f-string while its statement is changed
_TURNS = {"last": "first", "first": "last", "tail": "head", "head": "tail"}


def edits_of_python(source: str, dialect: Dialect, catalog: Catalog, contract: Contract) -> Iterator[Edit]:
    """Yield a program with one fault, for each fault that can be made in it.

    Raises
    ------
    InputError
        If it is no Python.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise InputError(f"The program is no Python: line {error.lineno}: {error.msg}.") from error
    days = _days(contract)
    yield from _statements(source, tree, dialect, catalog, contract)
    named = [
        catalog.tables[name]
        for word in sorted(set(re.findall(r"\w+", source.lower())))
        if (name := catalog.find(word)) is not None
    ]
    proxies = frozenset(p.lower() for name in catalog.tables for p in contract.proxies(name))
    meanings = Meanings.of(named, proxies)
    yield from _constants(source, tree, days)
    yield from _comparisons(source, tree, meanings)
    yield from _turned(source, tree, meanings)


def _statements(
    source: str, tree: ast.AST, dialect: Dialect, catalog: Catalog, contract: Contract
) -> Iterator[Edit]:
    """Mutate the statements in strings and f-strings."""
    for node in _strings(tree):
        text, holes = _with_holes(node)
        if not _SELECT.match(text):
            continue
        for spoken in dict.fromkeys((dialect, "duckdb", "mysql")):
            try:
                edits = list(edits_of(text, spoken, catalog, contract))
                break
            except InputError:
                edits = []
        for edit in edits:
            written = _written(edit.text, holes)
            if written is None:
                continue
            line = node.lineno + (edit.line or 1) - 1
            says = edit.says
            for word, part in holes.items():
                says = says.replace(word, part)
            yield replace(edit, text=_spliced(source, node, written), line=line, says=says)


def _strings(tree: ast.AST) -> list[ast.Constant | ast.JoinedStr]:
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = []
    for node in ast.walk(tree):
        if id(node) in inside or id(node) in documents:
            continue
        if isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str)
        ):
            found.append(node)
    return found


def _with_holes(node: ast.Constant | ast.JoinedStr) -> tuple[str, dict[str, str]]:
    """Return the text of a string, with a word in place of each part that is computed."""
    if isinstance(node, ast.Constant):
        return str(node.value), {}
    text, holes = "", dict[str, str]()
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value)
            continue
        word = _HOLE.format(len(holes))
        holes[word] = ast.unparse(ast.JoinedStr([part]))[2:-1]
        text += word
    return text, holes


def _written(text: str, holes: dict[str, str]) -> str | None:
    """Return a statement as a literal of Python, its computed parts put back; None where one was lost."""
    if not holes:
        return repr(text) if "\n" not in text else '"""' + text.replace("\\", "\\\\") + '"""'
    body = text.replace("\\", "\\\\").replace("{", "{{").replace("}", "}}")
    for word, part in holes.items():
        # sqlglot may have put the word in quotes of its own as a name; it is none
        body = body.replace(f'"{word}"', word).replace(f"`{word}`", word)
        body = body.replace(word, part)
    if '"""' in body or any('"' in part or "\\" in part for part in holes.values()):
        return None
    return f'f"""{body}"""'


def _spliced(source: str, node: ast.expr, new: str) -> str:
    lines = source.splitlines(keepends=True)
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    head = lines[first].encode()[: node.col_offset].decode()
    tail = lines[last].encode()[node.end_col_offset :].decode()
    return "".join(lines[:first]) + head + new + tail + "".join(lines[last + 1 :])


def _edit(source: str, node: ast.expr, new: str, operator: str, expected: tuple[Code, ...]) -> Edit:
    says = " ".join((ast.get_source_segment(source, node) or "").split())[:160]
    return Edit(operator, node.lineno, expected, says, _spliced(source, node, new))


def _constants(source: str, tree: ast.AST, days: frozenset[date]) -> Iterator[Edit]:
    """Move each cutoff outside of statements: text, or a date that is made from three numbers."""
    for string in _strings(tree):
        if isinstance(string, ast.Constant):
            for operator, text in (shifted(str(string.value), days) or {}).items():
                yield _edit(source, string, repr(text), operator, ("A1", "A2", "A3"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or len(node.args) != 3:
            continue
        numbers = [
            arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, int)
        ]
        try:
            day = date(*numbers)
        except (TypeError, ValueError):
            continue
        if day not in days:
            continue
        name = ast.unparse(node.func)
        for operator, new in (
            ("cutoff_day", day + timedelta(days=1)),
            ("cutoff_year", day + timedelta(days=365)),
        ):
            text = f"{name}({new.year}, {new.month}, {new.day})"
            yield _edit(source, node, text, operator, ("A1", "A2", "A3"))


def _comparisons(source: str, tree: ast.AST, meanings: Meanings) -> Iterator[Edit]:
    """Drop bounds on times, and let them take in their own day or no longer; compare what a row is about."""
    others = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or len(node.ops) != 1 or type(node.ops[0]) not in others:
            continue
        left, right = _named(node.left) & meanings.times, _named(node.comparators[0]) & meanings.times
        if bool(left) == bool(right):
            continue
        kind = type(node.ops[0])
        upper = bool(left) == (kind in (ast.Lt, ast.LtE))
        names = left | right
        if not upper and not names & meanings.ends:
            continue
        one, two = _source(source, node.left), _source(source, node.comparators[0])
        expected = meanings.expected(names)
        operator = "end_test_dropped" if names & meanings.ends else "guard_dropped"
        if operator == "guard_dropped":
            side = one if left else two
            yield _edit(source, node, f"({side} == {side})", operator, expected)
        late = (*expected, "A3") if "A3" not in expected else expected
        yield _edit(source, node, f"{one} {others[kind]} {two}", "boundary", late)
        for name in names:
            about = meanings.known.get(name)
            if about is not None:
                own, other = (one, two) if left else (two, one)
                changed = re.sub(rf"\b{name}\b", about, own, flags=re.IGNORECASE)
                sign = ast.unparse(ast.Compare(ast.Name("a"), node.ops, [ast.Name("b")]))[2:-2]
                text = f"{changed} {sign} {other}" if left else f"{other} {sign} {changed}"
                yield _edit(source, node, text, "valid_time", ("A1", "A2"))


def _named(node: ast.expr) -> set[str]:
    """Return the words in an expression that may name a column, in lower case."""
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute):
            found.add(part.attr.lower())
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            found.add(part.value.lower())
        if isinstance(part, ast.Name):
            found.add(part.id.lower())
    return found


def _source(source: str, node: ast.expr) -> str:
    text = ast.get_source_segment(source, node) or ast.unparse(node)
    return f"({text})" if isinstance(node, ast.BinOp | ast.BoolOp | ast.Compare | ast.IfExp) else text


def _turned(source: str, tree: ast.AST, meanings: Meanings) -> Iterator[Edit]:
    """Turn round what picks a version: keep=, head and tail, first and last, ascending=."""
    times = {*meanings.times, *meanings.orders}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        keywords = {word.arg: word for word in node.keywords}
        keep = keywords.get("keep")
        if (
            keep is not None
            and isinstance(keep.value, ast.Constant)
            and keep.value.value in ("first", "last")
        ):
            yield _edit(source, keep.value, repr(_TURNS[keep.value.value]), "order_flipped", ("A3",))
        attribute, chain = node.func.attr, _named(node.func.value)
        if attribute in _TURNS and (not node.args or ast.unparse(node.args[0]) == "1") and chain & times:
            text = _source(source, node.func.value) + f".{_TURNS[attribute]}"
            yield _edit(source, node.func, text, "order_flipped", ("A3",))
        for word in ("ascending", "descending"):
            given = keywords.get(word)
            if attribute in ("sort_values", "sort") and given is not None and _named(node) & times:
                flipped = re.sub(r"True|False", lambda m: str(m[0] == "False"), _source(source, given.value))
                yield _edit(source, given.value, flipped, "order_flipped", ("A3",))
