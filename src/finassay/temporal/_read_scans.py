"""Find the tables that a SQL program reads without a plain bound on the day their rows became known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

    from finassay.temporal._catalog import Catalog
    from finassay.temporal._table import Table

_ISO = re.compile(r"((?:19|20)\d\d)-?(\d\d)-?(\d\d)(?:[ T]00:00(?::00(?:\.0+)?)?)?")


def parsed_day(text: str) -> date | None:
    """Return the day that a literal spells, midnight included; None if it spells none."""
    match = _ISO.fullmatch(text)
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


def open_scans(trees: list[exp.Expr], catalog: Catalog) -> Iterator[str]:
    """Yield why the bounds of a program do not say what it may know: one reason for each table that is read openly.

    A table is bounded where its availability column, bare, is compared with a date in a condition that holds for every
    row that is read: joined by AND at the top of WHERE, or of ON where the join drops what does not meet it. A
    condition under NOT, OR or CASE, on a function of the column, or in another branch of a UNION bounds nothing.
    """
    from sqlglot import exp
    from sqlglot.optimizer.scope import traverse_scope

    constants = _constants(trees)
    for tree in trees:
        query = tree if isinstance(tree, exp.Query) else tree.find(exp.Query)
        if isinstance(tree, exp.Set | exp.Use):
            continue
        if query is None or isinstance(tree, exp.Update | exp.Delete | exp.Merge):
            yield f"“{tree.sql()[:40]}” is no query"
            continue
        for scope in traverse_scope(query):
            sources = {name.lower(): source for name, source in scope.sources.items()}
            tables = {name: source for name, source in sources.items() if isinstance(source, exp.Table)}
            specs = {name: _spec(catalog, table.name) for name, table in tables.items()}
            if not isinstance(scope.expression, exp.Select):
                continue
            bounded = set(_bounded(scope.expression, sources, specs, constants))
            for name, table in tables.items():
                spec = specs[name]
                if spec is None:
                    yield f"the catalog does not know {table.name}"
                elif _needs(spec) and name not in bounded:
                    yield f"{table.name} is read without a plain bound on the day its rows became known"


def _spec(catalog: Catalog, name: str) -> Table | None:
    known = catalog.find(name)
    return catalog.tables[known] if known else None


def _needs(spec: Table) -> bool:
    return bool(spec.availability and spec.availability.column)


def _constants(trees: list[exp.Expr]) -> set[str]:
    """Return the names that a program gives to a date exactly once: ``SET @d = '…'``, ``SELECT DATE '…' AS d``."""
    from sqlglot import exp

    names: Counter[str] = Counter()
    for tree in trees:
        for item in tree.find_all(exp.SetItem):
            if isinstance(item.this, exp.EQ):
                names[item.this.this.name.lower()] += 1 if _literal(item.this.expression) else 2
        for alias in tree.find_all(exp.Alias):
            names[alias.alias.lower()] += 1 if _literal(alias.this) else 2
    return {name for name, count in names.items() if count == 1}


def _literal(node: exp.Expr | None) -> str | None:
    """Return the text of a literal date, plain or cast; None for anything that is computed."""
    from sqlglot import exp

    while isinstance(node, exp.Cast | exp.Paren | exp.Date | exp.TsOrDsToDate | exp.DateStrToDate):
        node = node.this
    if isinstance(node, exp.Literal) and node.is_string and parsed_day(node.name):
        return str(node.name)
    return None


def _bounded(
    select: exp.Select,
    sources: Mapping[str, object],
    specs: Mapping[str, Table | None],
    constants: set[str],
) -> Iterator[str]:
    """Yield the sources of a query whose rows are all bounded by a condition on their availability column."""
    from sqlglot import exp

    where = select.args.get("where")
    for condition in _conjuncts(where.this if where else None):
        if name := _bounds(condition, sources, specs, constants):
            yield name
    for join in select.args.get("joins") or []:
        inner = not join.side and (join.kind or "INNER") in ("INNER", "CROSS") and not join.method
        own = join.this.alias_or_name.lower() if isinstance(join.this, exp.Table) else None
        for condition in _conjuncts(join.args.get("on")):
            name = _bounds(condition, sources, specs, constants)
            if name and (inner or (join.side == "LEFT" and name == own)):
                yield name


def _conjuncts(node: exp.Expr | None) -> Iterator[exp.Expr]:
    from sqlglot import exp

    if isinstance(node, exp.Paren):
        yield from _conjuncts(node.this)
    elif isinstance(node, exp.And):
        yield from _conjuncts(node.this)
        yield from _conjuncts(node.expression)
    elif node is not None:
        yield node


def _bounds(
    condition: exp.Expr,
    sources: Mapping[str, object],
    specs: Mapping[str, Table | None],
    constants: set[str],
) -> str | None:
    """Return the source that a condition bounds, where it compares its bare availability column with a date."""
    from sqlglot import exp

    if isinstance(condition, exp.Between):
        column, limit, takes_in = condition.this, condition.args["high"], True
    elif isinstance(condition, exp.LT | exp.LTE | exp.EQ):
        column, limit = condition.this, condition.expression
        takes_in = not isinstance(condition, exp.LT)
    elif isinstance(condition, exp.GT | exp.GTE):
        column, limit, takes_in = condition.expression, condition.this, isinstance(condition, exp.GTE)
    else:
        return None
    if not isinstance(column, exp.Column) or not _fixed(limit, sources, constants):
        return None
    name = _source(column, sources, specs)
    spec = specs.get(name) if name else None
    available = spec.availability if spec else None
    if spec is None or available is None or (available.column or "").lower() != column.name.lower():
        return None
    # With a lag the bound is not the day of knowledge; `<= '2024-06-28'` leaves out what came later that day.
    if available.lag_days or (
        takes_in and (spec.granularity == "intraday" or ":" in (_literal(limit) or ""))
    ):
        return None
    return name


def _fixed(limit: exp.Expr, sources: Mapping[str, object], constants: set[str]) -> bool:
    """Whether a limit is a date that stands there: a literal, a constant with one value, a place for a parameter."""
    from sqlglot import exp

    if isinstance(limit, exp.Column):  # of a subquery or a CTE that holds constants
        derived = limit.table and not isinstance(sources.get(limit.table.lower()), exp.Table | None)
        return bool(derived) and limit.name.lower() in constants
    if isinstance(limit, exp.Parameter):
        return limit.name.lower() in constants
    return isinstance(limit, exp.Placeholder) or _literal(limit) is not None


def _source(
    column: exp.Column, sources: Mapping[str, object], specs: Mapping[str, Table | None]
) -> str | None:
    if column.table:
        return column.table.lower() if column.table.lower() in specs else None
    if len(sources) == 1:
        return next(iter(specs), None)
    having = [
        name
        for name, spec in specs.items()
        if spec and any(own.lower() == column.name.lower() for own in spec.columns)
    ]
    return (
        having[0] if len(having) == 1 and len(sources) == len(specs) and None not in specs.values() else None
    )
