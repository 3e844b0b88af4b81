"""The mutants of a statement, by its tree (see `_mutations.py`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, TypeAlias

from finassay.core import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlglot import exp

    from finassay.audit._corpus import Code
    from finassay.database import Dialect
    from finassay.temporal import Catalog, Contract
    from finassay.temporal import Table as Spec


Change: TypeAlias = "Callable[[exp.Expr], None]"  # of a node in a copy of the tree
Editor: TypeAlias = "Callable[[str, exp.Expr, tuple[Code, ...], Change], Iterator[Edit]]"


@dataclass(frozen=True)
class Edit:
    """A changed text: how it was changed, where, what type of violation that is, and what was there."""

    operator: str
    line: int | None
    expected: tuple[Code, ...]
    says: str
    text: str


@dataclass(frozen=True)
class Meanings:
    """What the columns of the tables that a program reads mean, by lower-case name.

    Attributes
    ----------
    known : mapping of str to str or None
        Columns that say when a row was known, with what the row is about: a period, a start, a market date; None where
        the tables do not agree on it.
    starts, ends, orders : frozenset of str
        Columns where an interval starts and ends, and that order versions.
    """

    known: dict[str, str | None]
    starts: frozenset[str]
    ends: frozenset[str]
    orders: frozenset[str]

    @staticmethod
    def of(tables: list[Spec], proxies: frozenset[str]) -> Meanings:
        known: dict[str, str | None] = {}
        starts: set[str] = set()
        ends: set[str] = set()
        orders: set[str] = set()
        for spec in tables:
            for name, about in known_of(spec, proxies).items():
                # Where the tables disagree, a name alone does not tell what a row is about
                known[name] = about if known.get(name, about) == about else None
            if spec.valid is not None:
                starts.add(spec.valid.start.lower())
                ends |= {
                    n.lower()
                    for n in (spec.valid.end, spec.valid.end_known and spec.valid.end_known.column)
                    if n
                }
            orders |= {n.lower() for n in (spec.versions.order if spec.versions else ()) if n != "ID"}
        return Meanings(known, frozenset(starts - known.keys()), frozenset(ends), frozenset(orders))

    def expected(self, names: set[str]) -> tuple[Code, ...]:
        """Return the types of violation that follow from a bound on one of the columns."""
        if names & self.ends:
            return ("A2", "A3")
        if names & self.starts:
            return ("A2", "A3") if not names & self.known.keys() else ("A1", "A2", "A3")
        return ("A1", "A2")

    @property
    def times(self) -> set[str]:
        return {*self.known, *self.starts, *self.ends}


def known_of(spec: Spec, proxies: frozenset[str]) -> dict[str, str | None]:
    """Return the columns of a table that say when a row was known, each with what the row is about."""
    available = spec.availability
    names = [available.column] if available else []
    if available and available.proxy and available.proxy.lower() in proxies:
        names.append(available.proxy)
    return {name.lower(): _about(spec, name) for name in names if name}


def _about(spec: Spec, available: str) -> str | None:
    """Return the column that says what a row is about: its start, its period, its day of trading."""
    if spec.valid is not None and spec.valid.start != available:
        return spec.valid.start
    for role in ("period_end", "market_date"):
        for name, column in spec.columns.items():
            if column.role == role and name != available:
                return name
    return None


def edits_of(
    sql: str, dialect: Dialect, catalog: Catalog, contract: Contract, days: frozenset[date] | None = None
) -> Iterator[Edit]:
    """Yield a statement with one fault, for each fault that can be made in it; texts may repeat.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(sql, read=dialect)
    except (SqlglotError, RecursionError) as error:
        message = f"The statement cannot be read as {dialect}: {str(error).splitlines()[0]}"
        raise InputError(message, reason="unreadable") from error
    specs = {
        table.name.lower(): catalog.tables[name]
        for table in tree.find_all(exp.Table)
        if (name := catalog.find(table.name)) is not None
    }
    proxies = frozenset(n.lower() for table in specs for n in contract.proxies(table))
    meanings = Meanings.of(list(specs.values()), proxies)
    cutoffs = days if days is not None else _days(contract)
    original = tree.sql(dialect=dialect)

    def edit(operator: str, at: exp.Expr, expected: tuple[Code, ...], change: Change) -> Iterator[Edit]:
        """Change a copy of the tree at the place of a node."""
        place = _path(at)
        copy = tree.copy()
        change(_follow(copy, place))
        text = copy.sql(dialect=dialect, pretty=True)
        if copy.sql(dialect=dialect) != original:
            yield Edit(operator, _line(at), expected, " ".join(at.sql(dialect=dialect).split())[:160], text)

    from finassay.audit import _mutations_sql_rank as ranks

    yield from _conditions(tree, meanings, edit)
    yield from _dates(tree, meanings, cutoffs, edit)
    yield from _bounds(tree, meanings, edit)
    yield from _columns(tree, specs, proxies, edit)
    yield from ranks.orders(tree, meanings, edit)
    yield from ranks.picks(tree, edit)
    yield from ranks.moved(tree, edit)
    yield from ranks.states(tree, specs, edit)
    yield from ranks.sources(tree, {name.lower() for name in contract.sources}, edit)


def _days(contract: Contract) -> frozenset[date]:
    """Return the dates of the contract, each with the day after it, which bounds it from above."""
    stated = [contract.as_of.date] if contract.as_of else []
    if contract.decisions is not None:
        stated += [*contract.decisions.dates, *(d for d in (contract.decisions.end,) if d)]
    return frozenset(day + timedelta(days=n) for day in stated for n in (0, 1))


def _conditions(tree: exp.Expr, meanings: Meanings, edit: Editor) -> Iterator[Edit]:
    """Take away each conjunct that guards."""
    from sqlglot import exp

    from finassay.audit._guards import conjuncts, is_guard

    for node in conjuncts(tree):
        join = node.find_ancestor(exp.Join, exp.Select)
        if (
            isinstance(join, exp.Join)
            and join.method == "ASOF"
            and isinstance(node, exp.LTE | exp.LT | exp.GTE | exp.GT)
        ):
            continue  # without it there is no such join
        if is_guard(node, {*meanings.known, *meanings.starts}, set(meanings.ends)):
            names = names_of(node)
            operator = "end_test_dropped" if names & meanings.ends else "guard_dropped"
            yield from edit(operator, node, meanings.expected(names), put(exp.true()))


def _dates(tree: exp.Expr, meanings: Meanings, days: frozenset[date], edit: Editor) -> Iterator[Edit]:
    """Move each date that is a cutoff."""
    from sqlglot import exp

    for node in tree.find_all(exp.Literal):
        moved = shifted(node.name, days)
        if moved is None:
            continue
        test = node.find_ancestor(exp.Predicate)
        names = names_of(test) if test is not None else set()
        expected = meanings.expected(names) if names else ("A1", "A2", "A3")
        for operator, text in moved.items():
            literal = exp.Literal.string(text) if node.is_string else exp.Literal.number(text)
            yield from edit(operator, node, expected, put(literal))


def shifted(text: str, days: frozenset[date]) -> dict[str, str] | None:
    """Return a cutoff a day and a year later, in its own form; None for any other text."""
    found = re.fullmatch(r"(\d{4})(-?)(\d\d)\2(\d\d)((?:[ T]00:00:00)?)", text)
    if found is None:
        return None
    try:
        day = date(int(found[1]), int(found[3]), int(found[4]))
        year = day.replace(year=day.year + 1)
    except ValueError:
        return None
    if day not in days:
        return None
    mark, tail = found[2], found[5]
    form = f"%Y{mark}%m{mark}%d"
    return {
        "cutoff_day": (day + timedelta(days=1)).strftime(form) + tail,
        "cutoff_year": year.strftime(form) + tail,
    }


def _bounds(tree: exp.Expr, meanings: Meanings, edit: Editor) -> Iterator[Edit]:
    """Let each bound on a time take in its own day, or no longer."""
    from sqlglot import exp

    others = {exp.LT: exp.LTE, exp.LTE: exp.LT, exp.GT: exp.GTE, exp.GTE: exp.GT}
    for node in tree.find_all(*others):
        left, right = names_of(node.this) & meanings.times, names_of(node.expression) & meanings.times
        if bool(left) == bool(right):
            continue  # no time, or two of them: an order, not a bound
        upper = bool(left) == isinstance(node, exp.LT | exp.LTE)
        if not upper and not (left | right) & meanings.ends:
            continue  # too old is no fault
        other = others[type(node)]
        expected = meanings.expected(left | right)
        if isinstance(node, exp.LTE | exp.GTE) and not (left | right) & meanings.ends:
            expected = (*expected, "A3") if "A3" not in expected else expected  # news of the day are left out
        yield from edit(
            "boundary",
            node,
            expected,
            put(other(this=node.this.copy(), expression=node.expression.copy())),
        )


def _columns(tree: exp.Expr, specs: dict[str, Spec], proxies: frozenset[str], edit: Editor) -> Iterator[Edit]:
    """Compare what a row is about where it was compared when it was known."""
    from sqlglot import exp

    from finassay.audit._mutations_sql_names import beside

    known = {table: known_of(spec, proxies) for table, spec in specs.items()}
    names = {name for some in known.values() for name in some}
    for node in tree.find_all(exp.Column):
        inside = node.find_ancestor(exp.Predicate, exp.Ordered, exp.Window)
        compared = isinstance(inside, exp.LT | exp.LTE | exp.GT | exp.GTE | exp.Between)
        if node.name.lower() not in names or not compared:
            continue  # to ask whether it is there, or the same, bounds nothing
        about = beside(node, specs, known)
        if about is not None:
            yield from edit(
                "valid_time", node, ("A1", "A2"), put(exp.column(about, table=node.args.get("table")))
            )


def names_of(node: exp.Expr | None) -> set[str]:
    """Return the names of the columns in a part of a statement, in lower case."""
    from sqlglot import exp

    return {column.name.lower() for column in node.find_all(exp.Column)} if node is not None else set()


def put(new: exp.Expr) -> Change:
    """Return the change that puts something else in a node's place."""

    def change(node: exp.Expr) -> None:
        node.replace(new.copy())

    return change


def _path(node: exp.Expr) -> list[tuple[str, int | None]]:
    steps: list[tuple[str, int | None]] = []
    while node.parent is not None:
        steps.append((str(node.arg_key), node.index))
        node = node.parent
    return steps[::-1]


def _follow(tree: exp.Expr, path: list[tuple[str, int | None]]) -> exp.Expr:
    for key, index in path:
        tree = tree.args[key] if index is None else tree.args[key][index]
    return tree


def _line(node: exp.Expr) -> int | None:
    from sqlglot import exp

    lines = [found.meta["line"] for found in node.find_all(exp.Identifier) if "line" in found.meta]
    parent = node.parent
    while not lines and parent is not None:
        lines = [n.meta["line"] for n in parent.find_all(exp.Identifier) if "line" in n.meta]
        parent = parent.parent
    return min(lines, default=None)
