"""The guards of a statement: conditions on dates of the catalog; and the statement without one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.audit._static_values import UNSAID, evaluate, moment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Set
    from datetime import datetime

    from sqlglot import exp

    from finassay.audit._scenarios import Altered
    from finassay.database import Dialect


@dataclass(frozen=True)
class Mutant:
    """A statement without one of its guards, or with one that lets later rows in; `number` tells which.

    `columns` are those that the guard tests, `owners` the tables that they are of as far as the text tells, all in
    small letters.
    """

    guard: str
    line: int | None
    sql: str
    number: int
    columns: frozenset[str]
    owners: frozenset[str]


def mutants(sql: str, dialect: Dialect, tables: list[Altered], decision: str | None = None) -> list[Mutant]:
    """Return the statement once without each guard: a conjunct that bounds a time from above, or tests an end.

    A conjunct that asks for one day guards too: without it, all later days are let in. Lower bounds guard nothing: a
    row that is too old was known. Nor do periods: what they say is not when. `decision` is the column that carries the
    dates of the decisions: a bound by it is one, though it may be made of times in the data.
    """
    import sqlglot
    from sqlglot import exp

    found = []
    tree = sqlglot.parse_one(sql, read=dialect)
    made = _made_of_times(tree, tables) - {(decision or "").lower()}
    for number, guard in enumerate(conjuncts(tree)):
        if _weaker(guard, tables, made) is None:
            continue
        lines = [n.meta["line"] for n in guard.find_all(exp.Identifier) if "line" in n.meta]
        text, shown = without(sql, dialect, tables, [number]), guard.sql(dialect=dialect)
        owners = {owner for column in guard.find_all(exp.Column) if (owner := _owner(column)) is not None}
        named = frozenset(_names(guard))
        found.append(Mutant(shown, min(lines, default=None), text, number, named, frozenset(owners)))
    return found


def without(sql: str, dialect: Dialect, tables: list[Altered], numbers: Collection[int]) -> str:
    """Return the statement without several of its guards."""
    import sqlglot

    tree = sqlglot.parse_one(sql, read=dialect)
    for number, guard in list(enumerate(conjuncts(tree))):
        weaker = _weaker(guard, tables) if number in numbers else None
        if weaker is not None:
            guard.replace(weaker)
    return tree.sql(dialect=dialect)


def _made_of_times(tree: exp.Expr, tables: list[Altered]) -> set[str]:
    """Return the names that a statement gives to what it makes of times: the first day of a call, say."""
    from sqlglot import exp

    times = {name for table in tables for name in _columns(table)[0]}
    found = {alias.alias.lower() for alias in tree.find_all(exp.Alias) if _names(alias.this) & times}
    return found - times


def _weaker(node: exp.Expr, tables: list[Altered], made: Set[str] = frozenset()) -> exp.Expr | None:
    """Return what takes a guard's place; None where the conjunct guards nothing."""
    from sqlglot import exp

    times: set[str] = set()
    ends: set[str] = set()
    for column in node.find_all(exp.Column):
        owner, name = _owner(column), column.name.lower()
        for table in [table for table in tables if table.view.name.lower() == owner] or tables:
            begins, stops = _columns(table)
            times |= {name} & begins
            ends |= {name} & stops
    last = max((table.view.cutoff.instant for table in tables), default=None)
    return exp.true() if is_guard(node, times, ends, last, made) else _from_then_on(node, times, last)


def _owner(column: exp.Column) -> str | None:
    """Return the table of the database that a column is of, in small letters; None where the text does not tell."""
    from sqlglot import exp

    select = column.find_ancestor(exp.Select)
    while select is not None:
        sources = [
            clause.this for clause in [select.args.get("from_"), *select.args.get("joins", [])] if clause
        ]
        named = [
            one for one in sources if not column.table or one.alias_or_name.lower() == column.table.lower()
        ]
        if len(named) == 1 and (column.table or len(sources) == 1):
            return str(named[0].name).lower() if isinstance(named[0], exp.Table) else None
        select = select.find_ancestor(exp.Select) if column.table else None
    return None


def _columns(table: Altered) -> tuple[set[str], set[str]]:
    """Return the columns that say when a row was known or began to hold, and those that say when it ended.

    An end that need not be tested is none: no scenario could notice that it is not. Nor is a start of a table whose
    history the task uses.
    """
    names: list[str | None] = []
    ends: list[str | None] = []
    view = table.view
    available, valid = view.table.availability, view.table.valid
    if (
        available
    ):  # where the contract lets a recording time stand for it, the column says what a row is about
        names.append(available.proxy if available.proxy in view.proxies else available.column)
    if valid is not None and not table.history:
        names.append(valid.start)
        if table.interval_counts:
            ends = [valid.end, valid.end_known.column if valid.end_known else None]
    return {name.lower() for name in names if name}, {name.lower() for name in ends if name}


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


def is_guard(
    node: exp.Expr,
    times: Set[str],
    ends: Set[str],
    last: datetime | None = None,
    made: Set[str] = frozenset(),
) -> bool:
    """Whether a conjunct bounds a time from above, by no moment after `last`, or tests an end.

    `made` are names of what the statement makes of times: to compare with them is an order, as with times themselves.
    """
    from sqlglot import exp

    if any(node.find_all(exp.Subquery, exp.Exists, exp.Select)):
        return False  # its own conditions are guards of their own
    if _names(node) & ends:
        return True
    for test in node.find_all(exp.LT, exp.LTE, exp.Between, exp.GT, exp.GTE):
        negated = _negated(test, node)
        if negated and isinstance(test, exp.Between):
            continue
        turned = isinstance(test, exp.GT | exp.GTE) != negated
        bounded, bound = (test.expression, test.this) if turned else (test.this, test.expression)
        if last is not None and _after(test.args["high"] if isinstance(test, exp.Between) else bound, last):
            continue  # the end of a window of decisions, which lets in what they could not know
        names, others = _names(bounded), set() if isinstance(test, exp.Between) else _names(bound)
        if names & times and not others & (
            times | made
        ):  # two times compared with one another are an order, not a bound
            return True
    return False


def _negated(test: exp.Expr, node: exp.Expr) -> bool:
    """Whether an odd number of NOTs stands before a comparison within a conjunct."""
    from sqlglot import exp

    count, above = 0, test
    while above is not node and above.parent is not None:
        above = above.parent
        count += isinstance(above, exp.Not)
    return count % 2 == 1


def _after(bound: exp.Expr, last: datetime) -> bool:
    """Whether an expression is, by its text, a moment after another."""
    said = moment(evaluate(bound, lambda _: UNSAID))
    return said is not None and said > last


def _from_then_on(node: exp.Expr, times: set[str], last: datetime | None) -> exp.Expr | None:
    """Return ``day >= x`` for ``day = x`` of a time, by no moment after `last`; None for another conjunct."""
    from sqlglot import exp

    if not isinstance(node, exp.EQ) or any(node.find_all(exp.Subquery)):
        return None
    for time, value in ((node.this, node.expression), (node.expression, node.this)):
        if isinstance(time, exp.Column) and time.name.lower() in times and not _names(value):
            if last is not None and _after(value, last):
                return None  # of a later outcome
            return exp.GTE(this=time.copy(), expression=value.copy())
    return None


def _names(node: exp.Expr) -> set[str]:
    from sqlglot import exp

    return {column.name.lower() for column in node.find_all(exp.Column)}
