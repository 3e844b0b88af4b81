"""Statements in the strings of a Python program, and what it asks of the clock and of today's state itself."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from finassay.audit._certificate import Obligation
from finassay.audit._types import Requirement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finassay.temporal import Catalog

_COMMENTS = r"\s*(?:/\*.*?\*/\s*|--[^\n]*\n\s*)*"
_SELECT = re.compile(
    _COMMENTS + r"(?:select\b.*\bfrom\b|(?:with|create|set)\b.*\bselect\b)", re.IGNORECASE | re.DOTALL
)
_NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)  # what `ast.parse` raises
_CLOCKS = frozenset({"today", "now", "utcnow", "localtime", "gmtime"})
_TESTS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "isin", "is_in", "between", "is_between"})
_ASOF = {"merge_asof": "direction", "join_asof": "strategy"}
_CLOCK_OWNERS = frozenset({"date", "datetime", "Timestamp", "time", "dt", "pd"})


def statements_of(source: str) -> Iterator[tuple[str, int]]:
    """Yield the statements in a program's strings, each with its line; parts of f-strings are those that are constant.

    An f-string with a part that is not constant yields nothing: its statement is known only when it runs. A text that
    is only kept, under a name that nothing reads, is no statement.
    """
    try:
        tree = ast.parse(source)
    except _NO_PYTHON:
        return  # `python_obligations` says so
    constants = _constants(tree)
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    apart = inside | documents | _kept(tree)
    for node in ast.walk(tree):
        if id(node) in apart or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        text = _text(node, constants)
        if text is not None and _SELECT.match(text):
            yield text, node.lineno


def python_obligations(source: str, catalog: Catalog) -> Iterator[Obligation]:
    """Yield what the program itself owes: open, since what it does with a value is not told by its text."""
    try:
        tree = ast.parse(source)
    except _NO_PYTHON as error:
        yield _unreadable(source, error)
        return
    today = _today(catalog)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_clock(node):
            yield _open(node, "", Requirement.DISCLOSURE, "clock", "The machine's clock is no as-of date.")
        if isinstance(node, ast.Call) and (how := _taken_next(node)):
            why = f"It takes the row that comes next ({how}): what it is joined to did not know it."
            yield _open(node, "", Requirement.DISCLOSURE, "availability", why)
        if isinstance(node, ast.Compare | ast.Call):
            for name in dict.fromkeys(_compared(node)):
                if name.lower() in today:
                    why = f"{name} says how things stand today."
                    yield _open(node, today[name.lower()], Requirement.STATE, "current_state", why)


def _kept(tree: ast.AST) -> set[int]:
    """Return the nodes that are assigned to names which nothing reads; what a call is given is no longer kept."""
    read: set[str] = set()
    stored: list[tuple[list[ast.expr], ast.expr]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            read.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            read.add(node.value)  # __all__, getattr
        elif isinstance(node, ast.Assign):
            stored.append((node.targets, node.value))
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            stored.append(([node.target], node.value))
    found: set[int] = set()
    if read & {"globals", "locals", "vars", "eval", "exec"}:
        return found
    for targets, value in stored:
        names = {
            t.id if isinstance(t, ast.Name) else t.attr if isinstance(t, ast.Attribute) else None
            for t in targets
        }
        if None in names or names & read:
            continue
        waiting: list[ast.AST] = [value]
        while waiting:
            part = waiting.pop()
            if not isinstance(part, ast.Call | ast.NamedExpr):
                found.add(id(part))
                waiting += ast.iter_child_nodes(part)
    return found


def _constants(tree: ast.AST) -> dict[str, str]:
    """Return the names that are given one text, once."""
    found: dict[str, list[str | None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, []).append(None)
        if isinstance(node, ast.arg):
            found.setdefault(node.arg, []).append(None)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = node.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str | int):
                name = node.targets[0].id
                if found[name] == [None]:
                    found[name] = [str(value.value)]
    return {name: texts[0] for name, texts in found.items() if len(texts) == 1 and texts[0] is not None}


def _text(node: ast.Constant | ast.JoinedStr, constants: dict[str, str]) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    parts: list[str] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        elif isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Constant):
            if part.format_spec is not None or part.conversion != -1:
                return None
            parts.append(str(part.value.value))
        elif (
            isinstance(part, ast.FormattedValue)
            and isinstance(part.value, ast.Name)
            and part.value.id in constants
        ):
            parts.append(constants[part.value.id])
        else:
            return None
    return "".join(parts)


def _is_clock(node: ast.Call) -> bool:
    func = node.func
    if not isinstance(func, ast.Attribute) or func.attr not in _CLOCKS:
        return False
    owner = func.value
    name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
    return name in _CLOCK_OWNERS


def _taken_next(node: ast.Call) -> str | None:
    """Return how `merge_asof` of pandas or `join_asof` of polars looks ahead, if it does."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in _ASOF:
        return None
    for keyword in node.keywords:
        value = keyword.value
        if (
            keyword.arg == _ASOF[name]
            and isinstance(value, ast.Constant)
            and value.value in ("forward", "nearest")
        ):
            return f"{keyword.arg}={value.value!r}"
    return None


def _today(catalog: Catalog) -> dict[str, str]:
    """Return the columns that say how things stand today in every table that has them; with the table, if one."""
    roles: dict[str, set[str]] = {}
    owner: dict[str, str] = {}
    for table, spec in catalog.tables.items():
        for name, column in spec.columns.items():
            roles.setdefault(name.lower(), set()).add(column.role)
            owner[name.lower()] = table if owner.get(name.lower(), table) == table else ""
    return {name: owner[name] for name, found in roles.items() if found == {"current_state"}}


def _compared(node: ast.Compare | ast.Call) -> Iterator[str]:
    """Yield the columns that an expression tests: by an operator, a method, or in the text of a `query`."""
    if isinstance(node, ast.Compare):
        for side in (node.left, *node.comparators):
            yield from _column(side)
    elif isinstance(node.func, ast.Attribute) and node.func.attr in _TESTS:
        for side in (node.func.value, *node.args):
            yield from _column(side)
    elif isinstance(node.func, ast.Attribute) and node.func.attr in ("query", "eval") and node.args:
        text = node.args[0]
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            yield from _tested_in(text.value)


def _column(node: ast.expr) -> Iterator[str]:
    """Yield the name of a column: `df.X`, `df["X"]`, `pl.col("X")`."""
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        yield str(node.slice.value)
    elif isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in ("col", "column"):
            yield str(node.args[0].value)


def _tested_in(text: str) -> Iterator[str]:
    """Yield the names that the text of `DataFrame.query` tests; its @ and backquotes are no Python."""
    try:
        tree = ast.parse(re.sub(r"[@`]", "", text).strip(), mode="eval")
    except _NO_PYTHON:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            names = (node.left, *node.comparators)
            yield from (side.id for side in names if isinstance(side, ast.Name))
        if isinstance(node, ast.Compare | ast.Call):
            yield from _compared(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TESTS:
            yield from (side.id for side in (node.func.value, *node.args) if isinstance(side, ast.Name))


def _unreadable(source: str, error: Exception) -> Obligation:
    """Return the obligation of a program that is not Python: nothing is known of it."""
    line, column = 1, 1
    what = str(error) or type(error).__name__
    if isinstance(error, SyntaxError):
        line, column, what = error.lineno or 1, error.offset or 1, error.msg
    lines = source.splitlines()
    return Obligation(
        table="",
        requirement=Requirement.DISCLOSURE,
        rule="unreadable",
        status="open",
        line=line,
        column=max(column, 1),
        text=lines[line - 1].strip()[:80] if 0 < line <= len(lines) else "",
        why=f"It was not read, for it is not Python: {what}.",
    )


def _open(node: ast.expr, table: str, requirement: Requirement, rule: str, why: str) -> Obligation:
    return Obligation.model_validate(
        {
            "table": table,
            "requirement": requirement,
            "rule": rule,
            "status": "open",
            "line": node.lineno,
            "column": node.col_offset + 1,
            "text": ast.unparse(node)[:200],
            "why": why,
        }
    )
