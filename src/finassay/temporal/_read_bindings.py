"""Tell which names of a Python program keep one stated value: bound once, under no condition, and not changed."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef
# Calls that give back what they are given: a date in another type, a list as a list.
_DATE_CALLS = frozenset(
    {"Timestamp", "to_datetime", "fromisoformat", "strptime", "str", "date", "datetime64"}
)
_LIST_CALLS = frozenset(
    {"list", "tuple", "sorted", "enumerate", "to_datetime", "DatetimeIndex", "len", "print"}
)
# A window that ends at a date starts before it; any other arithmetic may move the date itself.
_START = re.compile(r"start|begin|from|since|look_?back|window|first|lower|earliest|ago", re.IGNORECASE)


class Bindings:
    """The names of a program, how often each is bound, and the parents of its nodes."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self.functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
        self.bound = Counter(name for node in ast.walk(tree) for name in _names_bound(node))

    def is_plain(self, name: str) -> bool:
        """Whether a name is bound once, by an assignment that always runs."""
        if self.bound[name] != 1:
            return False
        return any(
            isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Store)
            and isinstance(self.parents[node], ast.Assign | ast.AnnAssign)
            and self._always_runs(self.parents[node])
            for node in ast.walk(self.tree)
        )

    def is_default(self, name: str) -> bool:
        """Whether a name is only the parameter of a function that is called, and every call leaves it out."""
        owners = [function for function in self.functions if name in _parameters(function)]
        if self.bound[name] != 1 or len(owners) != 1:
            return False
        calls = self.arguments(owners[0], name)
        return bool(calls) and all(value is None for value in calls)

    def arguments(self, function: Function, name: str) -> list[ast.expr | None]:
        """Return what each use of a function gives a parameter: None where it leaves it out, itself where unknown."""
        given: list[ast.expr | None] = []
        order = _parameters(function)
        for node in ast.walk(self.tree):
            if not (
                isinstance(node, ast.Name) and node.id == function.name and isinstance(node.ctx, ast.Load)
            ):
                continue
            call = self.parents[node]
            if not isinstance(call, ast.Call) or call.func is not node:
                given.append(node)  # handed on: who calls it is not said
                continue
            keyword = next((k.value for k in call.keywords if k.arg in (name, None)), None)
            starred = next((a for a in call.args if isinstance(a, ast.Starred)), None)
            place = order.index(name)
            given.append(keyword or starred or (call.args[place] if place < len(call.args) else None))
        return given

    def is_date_kept(self, name: str) -> bool:
        """Whether no arithmetic on a date gives anything but the start of a window."""
        for use in self._uses(name):
            node = self.parents[use]
            if isinstance(node, ast.BinOp | ast.AugAssign | ast.UnaryOp):
                target = self.parents[node]
                names = target.targets if isinstance(target, ast.Assign) else []
                if not (names and all(isinstance(n, ast.Name) and _START.search(n.id) for n in names)):
                    return False
        return True

    def is_list_kept(self, name: str) -> bool:
        """Whether every use of a list goes through the whole of it."""
        return all(self._goes_through(use) for use in self._uses(name))

    def is_text_kept(self, node: ast.expr) -> bool:
        """Whether a string is used as it stands: not joined, formatted or replaced, nor is the name it is given."""
        parent = self.parents[node]
        if isinstance(parent, ast.BinOp | ast.Attribute | ast.AugAssign):
            return False
        if not isinstance(parent, ast.Assign | ast.AnnAssign):
            return True
        targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
        for target in targets:
            if not isinstance(target, ast.Name) or self.bound[target.id] != 1:
                return False
            if any(isinstance(self.parents[use], ast.BinOp | ast.Attribute) for use in self._uses(target.id)):
                return False
        return True

    def is_same_date(self, node: ast.expr | None, names: set[str]) -> bool:
        """Whether an expression is one of these names, as it stands or in another type."""
        if isinstance(node, ast.Name):
            return node.id in names
        if isinstance(node, ast.Call) and node.args:
            return called(node) in _DATE_CALLS and self.is_same_date(node.args[0], names)
        return False

    def _uses(self, name: str) -> Iterator[ast.Name]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                yield node

    def _always_runs(self, node: ast.AST) -> bool:
        while (parent := self.parents.get(node)) is not None:
            if isinstance(parent, ast.If) and "__main__" in ast.unparse(parent.test):
                pass
            elif not isinstance(parent, ast.Module | Function | ast.ClassDef):
                return False
            node = parent
        return True

    def _goes_through(self, use: ast.expr) -> bool:
        node: ast.AST = use
        parent = self.parents[node]
        while isinstance(parent, ast.Call) and node in parent.args and called(parent) in _LIST_CALLS:
            if called(parent) in ("len", "print"):
                return True
            node, parent = parent, self.parents[parent]
        if isinstance(parent, ast.comprehension):
            return parent.iter is node and not parent.ifs
        if not (isinstance(parent, ast.For) and parent.iter is node):
            return False
        own = {part.id for part in ast.walk(parent.target) if isinstance(part, ast.Name)}
        for part in (inner for statement in parent.body for inner in ast.walk(statement)):
            if isinstance(part, ast.Break | ast.Continue | ast.Return):
                return False
            if isinstance(part, ast.If | ast.IfExp) and own & {
                n.id for n in ast.walk(part.test) if isinstance(n, ast.Name)
            }:
                return False
        return True


def called(node: ast.Call) -> str:
    """Return the last name of what is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _parameters(function: Function) -> list[str]:
    """Return the parameters of a function, those that a call may give by place first."""
    arguments = function.args
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _names_bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).split(".")[0]
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield node.attr
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            yield node.slice.value
        elif isinstance(node.value, ast.Name):
            yield node.value.id
    elif isinstance(node, ast.Call) and called(node) in ("setattr", "setdefault", "update"):
        yield from (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))
