"""Faults in what a statement picks: the order of versions, the pick itself, states of today, sources left out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from finassay.audit._guards import conjuncts
from finassay.audit._mutations_sql import names_of, put

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from finassay.audit._mutations_sql import Edit, Editor, Meanings
    from finassay.temporal import Table as Spec


def orders(tree: exp.Expr, meanings: Meanings, edit: Editor) -> Iterator[Edit]:
    """Turn round each order by a time or a version: of windows, of picks, of extremes."""
    from sqlglot import exp

    times = {*meanings.times, *meanings.orders}
    for node in tree.find_all(exp.Ordered):
        query = node.find_ancestor(exp.Window, exp.Select, exp.AggFunc)
        picks = isinstance(query, exp.Window) or (query is not None and query.args.get("limit") is not None)
        if picks and names_of(node) & times:
            yield from edit("order_flipped", node, ("A3",), _turn)
    for kind, other in ((exp.Max, exp.Min), (exp.Min, exp.Max)):
        for found in tree.find_all(kind):
            if names_of(found) & times:
                yield from edit("order_flipped", found, ("A3",), put(other(this=found.this.copy())))


def _turn(node: exp.Expr) -> None:
    node.set("desc", not node.args.get("desc"))
    node.set("nulls_first", None)


def _is_pick(node: exp.Expr, windows: set[str]) -> bool:
    """Whether a condition picks the first of a ranking: rn = 1, rn <= 1."""
    from sqlglot import exp

    if not isinstance(node, exp.EQ | exp.LTE):
        return False
    one = isinstance(node.expression, exp.Literal) and node.expression.name == "1"
    ranked = bool(names_of(node.this) & windows) or node.this.find(exp.Window) is not None
    return one and ranked


def _windows(tree: exp.Expr) -> set[str]:
    from sqlglot import exp

    return {one.alias.lower() for one in tree.find_all(exp.Alias) if one.this.find(exp.Window) is not None}


def picks(tree: exp.Expr, edit: Editor) -> Iterator[Edit]:
    """Take each pick away."""
    windows = _windows(tree)
    for node in conjuncts(tree):
        if _is_pick(node, windows):
            yield from edit("rank_removed", node, ("A3",), partial(_unpick, windows=windows))


def _unpick(node: exp.Expr, windows: set[str]) -> None:
    """Take a pick away; a QUALIFY that is left without any ranking is no statement, so its rest goes to WHERE."""
    from sqlglot import exp

    qualify, select = node.find_ancestor(exp.Qualify, exp.Select), node.find_ancestor(exp.Select)
    node.replace(exp.true())
    if not isinstance(qualify, exp.Qualify) or select is None:
        return
    if qualify.find(exp.Window) is None and not names_of(qualify) & windows:
        rest = [one for one in conjuncts(select) if _within(one, qualify) and one != exp.true()]
        qualify.pop()
        for one in rest:
            select.where(one.copy(), copy=False)


def moved(tree: exp.Expr, edit: Editor) -> Iterator[Edit]:
    """Move a condition on a value from beside the pick to before the ranking."""
    from sqlglot import exp

    windows = _windows(tree)
    for node in conjuncts(tree):
        if not _is_pick(node, windows) or node.this.find(exp.Window) is not None:
            continue
        outer = node.find_ancestor(exp.Select)
        if outer is None:
            continue
        for other in conjuncts(outer):
            if other is node or other.find_ancestor(exp.Select) is not outer or not names_of(other):
                continue
            if _inner(outer, node, other) is not None:
                yield from edit("payload_before_rank", other, ("A3",), partial(_move, rank=node.sql()))


def _inner(outer: exp.Expr, pick: exp.Expr, other: exp.Expr) -> exp.Expr | None:
    """Return the query that ranks, if it also gives all that another condition tests, and the condition is no pick."""
    from sqlglot import exp

    if other.find(exp.Select) is not None or names_of(other) & names_of(pick):
        return None
    qualifiers = {column.table.lower() for column in other.find_all(exp.Column)}
    if len(qualifiers) != 1:
        return None
    (alias,) = qualifiers
    ranked = {column.table.lower() for column in pick.find_all(exp.Column)}
    if qualifiers != ranked:
        return None
    sources = [source for source in sources_of(outer) if not alias or source.alias_or_name.lower() == alias]
    if len(sources) != 1:
        return None
    query = query_of(sources[0])
    return query if query is not None and _given(query, other) is not None else None


def sources_of(select: exp.Expr) -> list[exp.Expr]:
    """Return what a query reads: tables, queries, names of queries."""
    start = select.args.get("from_") or select.args.get("from")
    return [*([start.this] if start is not None else []), *(j.this for j in select.args.get("joins") or [])]


def query_of(source: exp.Expr) -> exp.Expr | None:
    """Return the query that a source is, or names; None for a table, and for queries joined by UNION."""
    from sqlglot import exp

    if isinstance(source, exp.Subquery):
        return source.this if isinstance(source.this, exp.Select) else None
    root = source.root()
    for cte in root.find_all(exp.CTE):
        if cte.alias.lower() == source.name.lower() and isinstance(cte.this, exp.Select):
            return cte.this
    return None


def _given(query: exp.Expr, condition: exp.Expr) -> dict[str, exp.Expr] | None:
    """Return what the ranking query computes for each column of a condition; None where a ranking is among it."""
    from sqlglot import exp

    listed: dict[str, exp.Expr] = {}
    star = False
    for item in query.expressions:
        if isinstance(item, exp.Star) or item.find(exp.Star) is not None:
            star = True
        else:
            listed[item.alias_or_name.lower()] = item.this if isinstance(item, exp.Alias) else item
    found = {}
    for column in condition.find_all(exp.Column):
        name = column.name.lower()
        if name in listed:
            if listed[name].find(exp.Window, exp.AggFunc) is not None:
                return None
            found[name] = listed[name]
        elif star and len(sources_of(query)) == 1:
            found[name] = exp.column(column.name)
        else:
            return None
    return found


def _move(node: exp.Expr, rank: str) -> None:
    from sqlglot import exp

    outer = node.find_ancestor(exp.Select)
    assert outer is not None  # noqa: S101 - it was found in one
    pick = next(one for one in conjuncts(outer) if one.sql() == rank)
    query = _inner(outer, pick, node)
    assert isinstance(query, exp.Select)  # noqa: S101 - it was there before
    given = _given(query, node) or {}
    condition = node.copy()
    for column in list(condition.find_all(exp.Column)):
        column.replace(given[column.name.lower()].copy())
    query.where(condition, copy=False)
    node.replace(exp.true())


def states(tree: exp.Expr, specs: dict[str, Spec], edit: Editor) -> Iterator[Edit]:
    """Ask rows how they stand today: besides the other conditions, and in place of the test of an end."""
    from sqlglot import exp

    for table in tree.find_all(exp.Table):
        spec = specs.get(table.name.lower())
        flag = _flag(spec) if spec is not None else None
        select = table.find_ancestor(exp.Select)
        if spec is None or flag is None or select is None:
            continue
        column, value = flag
        asked = exp.EQ(
            this=exp.column(column, table=table.alias_or_name), expression=exp.Literal.number(value)
        )
        yield from edit("current_state_added", table, ("A2",), partial(_ask, asked=asked))
        ends = {spec.valid.end.lower()} if spec.valid is not None and spec.valid.end else set()
        for node in conjuncts(select):
            qualifiers = {c.table.lower() for c in node.find_all(exp.Column)}
            own = qualifiers <= {"", table.alias_or_name.lower()}
            if node.find_ancestor(exp.Select) is select and own and names_of(node) & ends:
                yield from edit("current_state_instead", node, ("A2",), put(asked))


def _flag(spec: Spec) -> tuple[str, str] | None:
    """Return a column of today's state and the value that most rows of today have."""
    for dependency in spec.dependencies:
        if dependency.flag:
            return dependency.flag, dependency.while_open[0]
    for name, column in spec.columns.items():
        if column.role == "current_state" and column.codes == "listing_state":
            return name, "1"
    return None


def _ask(table: exp.Expr, asked: exp.Expr) -> None:
    from sqlglot import exp

    select = table.find_ancestor(exp.Select)
    assert isinstance(select, exp.Select)  # noqa: S101 - it was found in one
    select.where(asked.copy(), copy=False)


def sources(tree: exp.Expr, required: set[str], edit: Editor) -> Iterator[Edit]:
    """Leave out a join to a required source, or a condition that looks into one."""
    from sqlglot import exp

    for join in tree.find_all(exp.Join):
        select = join.parent
        if not isinstance(select, exp.Select) or not _reads(join.this, tree) & required:
            continue
        if not _used(select, join):
            yield from edit("source_dropped", join, ("omission", "A1", "A2", "A3"), _drop_join)
    for node in conjuncts(tree):
        inner = node.find(exp.Exists, exp.In)
        if inner is not None and any(_reads(q, tree) & required for q in inner.find_all(exp.Select)):
            yield from edit("source_dropped", node, ("omission", "A1", "A2", "A3"), put(exp.true()))


def _reads(part: exp.Expr, tree: exp.Expr) -> set[str]:
    """Return the tables that a part of a statement reads, through the queries that it names."""
    from sqlglot import exp

    named = {cte.alias.lower(): cte.this for cte in tree.find_all(exp.CTE)}
    found: set[str] = set()
    waiting, seen = [part], set()
    while waiting:
        for table in waiting.pop().find_all(exp.Table):
            name = table.name.lower()
            if name in named and name not in seen:
                seen.add(name)
                waiting.append(named[name])
            elif name not in named:
                found.add(name)
    return found


def _used(select: exp.Expr, join: exp.Expr) -> bool:
    """Whether more than conditions of the query use what a join brings; names without a table count as used."""
    from sqlglot import exp

    alias = join.this.alias_or_name.lower()
    if join.args.get("using"):
        return True
    where = select.args.get("where")
    for column in select.find_all(exp.Column):
        if column.table.lower() not in ("", alias):
            continue
        inside = [node for node in (join, where) if node is not None and _within(column, node)]
        if not inside and column.find_ancestor(exp.Select) is select:
            return True
    return False


def _within(node: exp.Expr, outer: exp.Expr) -> bool:
    parent: exp.Expr | None = node
    while parent is not None and parent is not outer:
        parent = parent.parent
    return parent is outer


def _drop_join(join: exp.Expr) -> None:
    select, alias = join.parent, join.this.alias_or_name.lower()
    assert select is not None  # noqa: S101 - a join stands in a query
    from sqlglot import exp

    for node in list(conjuncts(select)):
        if any(column.table.lower() == alias for column in node.find_all(exp.Column)) and not _within(
            node, join
        ):
            node.replace(exp.true())
    join.pop()
