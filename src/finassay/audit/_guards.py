"""The guards of a statement: conditions on dates of the catalog; and the statement without one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from finassay.database import Dialect
    from finassay.temporal import AsOf


@dataclass(frozen=True)
class Mutant:
    """A statement without one of its guards."""

    guard: str
    line: int | None
    sql: str


def mutants(sql: str, dialect: Dialect, tables: list[AsOf]) -> list[Mutant]:
    """Return the statement once without each guard: a conjunct that bounds a time from above, or tests an end.

    Lower bounds guard nothing: a row that is too old was known. Nor do periods: what they say is not when.
    """
    import sqlglot
    from sqlglot import exp

    times, ends = _columns(tables)
    tree = sqlglot.parse_one(sql, read=dialect)
    count = sum(1 for _ in _conjuncts(tree))
    found = []
    for number in range(count):
        copy = tree.copy()
        guard = next(node for n, node in enumerate(_conjuncts(copy)) if n == number)
        if not _guards(guard, times, ends):
            continue
        text = guard.sql(dialect=dialect)
        lines = [n.meta["line"] for n in guard.find_all(exp.Identifier) if "line" in n.meta]
        guard.replace(exp.true())
        found.append(Mutant(text, min(lines, default=None), copy.sql(dialect=dialect)))
    return found


def _columns(tables: list[AsOf]) -> tuple[set[str], set[str]]:
    """Return the columns that say when a row was known or began to hold, and those that say when it ended."""
    times: set[str] = set()
    ends: set[str] = set()
    for view in tables:
        spec = view.table
        available = spec.availability
        names = (
            [available.column, *([available.proxy] if available.proxy in view.proxies else [])]
            if available
            else []
        )
        if spec.valid is not None:
            names.append(spec.valid.start)
            known = spec.valid.end_known.column if spec.valid.end_known else None
            ends |= {name.lower() for name in (spec.valid.end, known) if name}
        times |= {name.lower() for name in names if name}
    return times, ends


def _conjuncts(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the conjuncts of every WHERE, ON, HAVING and QUALIFY, in the order of the tree."""
    from sqlglot import exp

    for clause in tree.find_all(exp.Where, exp.Having, exp.Qualify, exp.Join):
        condition = clause.args.get("on") if isinstance(clause, exp.Join) else clause.this
        waiting = [condition] if condition is not None else []
        while waiting:
            node = waiting.pop()
            if isinstance(node, exp.Paren) and isinstance(node.this, exp.And):
                node = node.this
            if isinstance(node, exp.And):
                waiting += [node.right, node.left]
            else:
                yield node


def _guards(node: exp.Expr, times: set[str], ends: set[str]) -> bool:
    from sqlglot import exp

    if any(node.find_all(exp.Subquery, exp.Exists, exp.Select)):
        return False  # its own conditions are guards of their own
    if _names(node) & ends:
        return True
    for test in node.find_all(exp.LT, exp.LTE, exp.Between, exp.GT, exp.GTE):
        bounded = test.expression if isinstance(test, exp.GT | exp.GTE) else test.this
        bound = test.this if isinstance(test, exp.GT | exp.GTE) else test.expression
        names, others = _names(bounded), set() if isinstance(test, exp.Between) else _names(bound)
        if (
            names & times and not others & times
        ):  # two times compared with one another are an order, not a bound
            return True
    return False


def _names(node: exp.Expr) -> set[str]:
    from sqlglot import exp

    return {column.name.lower() for column in node.find_all(exp.Column)}
