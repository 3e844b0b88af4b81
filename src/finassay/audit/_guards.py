"""The guards of a statement: conditions on dates of the catalog; and the statement without one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from sqlglot import exp

    from finassay.database import Dialect
    from finassay.temporal import AsOf


@dataclass(frozen=True)
class Mutant:
    """A statement without one of its guards, or with one that lets later rows in; `number` tells which.

    `columns` are those that the guard tests, in small letters.
    """

    guard: str
    line: int | None
    sql: str
    number: int
    columns: frozenset[str]


def mutants(sql: str, dialect: Dialect, tables: list[AsOf]) -> list[Mutant]:
    """Return the statement once without each guard: a conjunct that bounds a time from above, or tests an end.

    A conjunct that asks for one day guards too: without it, all later days are let in. Lower bounds guard nothing: a
    row that is too old was known. Nor do periods: what they say is not when.
    """
    import sqlglot
    from sqlglot import exp

    times, ends = _columns(tables)
    found = []
    for number, guard in enumerate(conjuncts(sqlglot.parse_one(sql, read=dialect))):
        if _weaker(guard, times, ends) is None:
            continue
        lines = [n.meta["line"] for n in guard.find_all(exp.Identifier) if "line" in n.meta]
        text, shown = without(sql, dialect, tables, [number]), guard.sql(dialect=dialect)
        found.append(Mutant(shown, min(lines, default=None), text, number, frozenset(_names(guard))))
    return found


def without(sql: str, dialect: Dialect, tables: list[AsOf], numbers: Collection[int]) -> str:
    """Return the statement without several of its guards."""
    import sqlglot

    times, ends = _columns(tables)
    tree = sqlglot.parse_one(sql, read=dialect)
    for number, guard in list(enumerate(conjuncts(tree))):
        weaker = _weaker(guard, times, ends) if number in numbers else None
        if weaker is not None:
            guard.replace(weaker)
    return tree.sql(dialect=dialect)


def _weaker(node: exp.Expr, times: set[str], ends: set[str]) -> exp.Expr | None:
    """Return what takes a guard's place; None where the conjunct guards nothing."""
    from sqlglot import exp

    return exp.true() if is_guard(node, times, ends) else _from_then_on(node, times)


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


def conjuncts(tree: exp.Expr) -> Iterator[exp.Expr]:
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


def is_guard(node: exp.Expr, times: set[str], ends: set[str]) -> bool:
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


def _from_then_on(node: exp.Expr, times: set[str]) -> exp.Expr | None:
    """Return ``day >= x`` for ``day = x`` of a time; None for another conjunct."""
    from sqlglot import exp

    if not isinstance(node, exp.EQ) or any(node.find_all(exp.Subquery)):
        return None
    for time, value in ((node.this, node.expression), (node.expression, node.this)):
        if isinstance(time, exp.Column) and time.name.lower() in times and not _names(value):
            return exp.GTE(this=time.copy(), expression=value.copy())
    return None


def _names(node: exp.Expr) -> set[str]:
    from sqlglot import exp

    return {column.name.lower() for column in node.find_all(exp.Column)}
