"""A notebook's cell as a program that stands alone: with the statements of earlier cells that it depends on."""

from __future__ import annotations

import ast
import re
import symtable
from typing import TYPE_CHECKING

from finassay.core import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from finassay.execution import Submission

_RESULT = "result"


def submission_of(cell: str, history: Sequence[str]) -> Submission:
    """Return a cell as a program that stands alone.

    A cell of SQL is one statement. A cell of Python is preceded by those statements of earlier cells that bind names it
    uses, and the names that these use, in their order; its last expression is the result, unless it binds ``result``.

    Raises
    ------
    InputError
        If it is neither.
    """
    from finassay.execution import Submission

    if re.match(r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*(?:SELECT|WITH)\b", cell, re.IGNORECASE | re.DOTALL):
        return Submission("sql", sql_code=cell, source="cell")
    try:
        tree = ast.parse(cell)
    except SyntaxError as error:
        raise InputError(
            f"The cell is no Python that stands alone, and no SELECT: {error.msg} (line {error.lineno}).",
            hint="Leave magics and shell commands to other cells.",
            reason="bad_cell",
        ) from error
    lines = cell.splitlines()
    if tree.body and isinstance(tree.body[-1], ast.Expr) and _RESULT not in _bound(cell):
        last = tree.body[-1]
        before = "\n".join(lines[: last.lineno - 1])
        cell = f"{before}\n{_RESULT} = (\n{ast.get_source_segment(cell, last.value)}\n)\n"
    needed = [*_needed(cell, history), cell]
    return Submission("python", python_code="\n".join(needed), source="cell")


def _needed(cell: str, history: Sequence[str]) -> list[str]:
    """Return the statements of earlier cells that a cell depends on, in their order."""
    statements = [statement for text in history for statement in _statements(text)]
    late: set[str] = set()  # what functions read is looked up when they are called: any binding may count
    while True:
        wanted, found = _free(cell), []
        for statement in reversed(statements):
            bound = _bound(statement)
            if (bound | _touched(statement)) & (wanted | late):
                # A name that is bound anew needs no older value.
                wanted = (wanted - bound) | _free(statement)
                found.append(statement)
        inner = {name for text in [*found, cell] for name in _free(text, inner=True)}
        if inner <= late:
            return found[::-1]
        late |= inner


def _statements(text: str) -> list[str]:
    """Return the statements of a cell, without magics; none where it is no Python."""
    kept = "\n".join(line for line in text.splitlines() if not re.match(r"\s*[%!?]", line))
    try:
        tree = ast.parse(kept)
    except SyntaxError:
        return []
    return [segment for node in tree.body if (segment := _segment(kept, node))]


def _segment(text: str, node: ast.stmt) -> str | None:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(one.lineno for one in decorators)])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])


def _free(code: str, *, inner: bool = False) -> set[str]:
    """Return the global names that code reads: anywhere, or inside its functions and classes only."""
    found: set[str] = set()

    def walk(table: symtable.SymbolTable) -> None:
        top = table.get_type() == "module"
        if not (top and inner):
            found.update(
                s.get_name() for s in table.get_symbols() if s.is_referenced() and (top or s.is_global())
            )
        for child in table.get_children():
            walk(child)

    walk(symtable.symtable(code, "<cell>", "exec"))
    return found


def _bound(code: str) -> set[str]:
    """Return the names that code binds at its top."""
    table = symtable.symtable(code, "<cell>", "exec")
    return {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}


def _touched(code: str) -> set[str]:
    """Return the names whose objects a statement may alter in place: ``frame["x"] = …``, ``rows.append(…)``."""
    found: set[str] = set()
    for node in ast.parse(code).body:
        if isinstance(node, ast.Expr):
            found |= _free(code)
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AugAssign)
            else []
        )
        found.update(name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))
    return found
