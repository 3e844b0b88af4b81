"""Whether a statement takes the version that counted: the shapes in which that is written, and two that are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.audit._static_scopes import Derived, Scan, Scope, own, projected
from finassay.audit._static_values import UNSAID
from finassay.audit._types import Requirement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from finassay.audit._certificate import Obligation
    from finassay.audit._static_rules import Rules

_A1, _A3 = Requirement.DISCLOSURE, Requirement.VERSION


def version_obligation(rules: Rules, scan: Scan, *, ends_tested: bool) -> Obligation | None:
    """Return what is owed to a table in versions: the last one that was known, ranked before anything is left out.

    A table of which an ASOF join takes the row that comes next owes that it was known (A1), in versions or not.
    """
    assert scan.table is not None  # noqa: S101 - asked of tables of the catalog
    versions = scan.table.versions
    if (asof := _asof(scan)) is not None and (column := _taken_next(rules, scan, asof)) is not None:
        why = f"The ASOF join takes the row whose {column} comes next: what it is joined to did not know it."
        return rules.make(scan, _A1, "availability", "open", asof, why)
    if versions is None or scan.name in rules.contract.history:
        return None
    latest = rules.contract.rule(scan.name) == "latest"
    for scope in rules.statement.scopes:
        for node, first, desc, groups in _rankings(scope):
            if not rules.bounds.is_column(first, scope, (scan, versions.order[0])):
                continue
            if not _per(rules, scan, scope, groups):
                continue
            if desc is not latest:
                why = f"{'The first' if latest else 'The last'} version by {versions.order[0]} is taken."
                proven = not rules.lenient and not rules.handed_on and _kept_first(rules, scope, node)
                proven = proven and _whole(rules, scan, scope, groups)
                return rules.make(scan, _A3, "version", "violated" if proven else "open", node, why)
            filtered = _filtered(rules, scan, scope)
            if filtered is not None:
                condition, column = filtered
                why = f"{column} is tested before the ranking: a version that was replaced comes back."
                proven = not rules.lenient and _whole(rules, scan, scope, groups)
                return rules.make(scan, _A3, "rank", "violated" if proven else "open", condition, why)
            why = f"The {'last' if latest else 'first'} version by {versions.order[0]} is taken."
            return rules.make(scan, _A3, "version", "discharged", node, why)
    other = _other_shape(rules, scan)
    if other is not None:
        why = f"No later version by {versions.order[0]} is left."
        return rules.make(scan, _A3, "version", "discharged", other, why)
    if ends_tested and scan.table.disjoint is not None:
        return None  # of intervals that do not overlap, the one that holds is the version
    why = f"Which version counts is not seen: none is taken by {', '.join(versions.order)}."
    return rules.make(scan, _A3, "version", "open", scan.node, why)


def _rankings(scope: Scope) -> Iterator[tuple[exp.Expr, exp.Expr, bool, list[exp.Expr] | None]]:
    """Yield (node, what ranks, descending, groups) for windows, DISTINCT ON and ORDER BY … LIMIT 1."""
    from sqlglot import exp

    select = scope.select
    qualify = select.args.get("qualify")
    for item in [*select.expressions, *([qualify.this] if qualify is not None else [])]:
        for part in own(item):
            if isinstance(part, exp.Window) and isinstance(
                part.this, exp.RowNumber | exp.Rank | exp.DenseRank | exp.FirstValue
            ):
                order = part.args.get("order")
                if order is not None:
                    first = order.expressions[0]
                    yield part, first.this, bool(first.args.get("desc")), part.args.get("partition_by") or []
    order, distinct, limit = (select.args.get(key) for key in ("order", "distinct", "limit"))
    if order is None:
        return
    if distinct is not None and distinct.args.get("on") is not None:
        groups = list(distinct.args["on"].expressions)
        for item in order.expressions[len(groups) :][:1]:
            yield item, item.this, bool(item.args.get("desc")), groups
    elif limit is not None and limit.expression is not None and limit.expression.name == "1":
        yield order, order.expressions[0].this, bool(order.expressions[0].args.get("desc")), None


def _other_shape(rules: Rules, scan: Scan) -> exp.Expr | None:
    """Return what takes the last version without a ranking: no later one exists, the greatest date, ASOF."""
    from sqlglot import exp

    assert scan.table is not None  # noqa: S101 - asked of tables of the catalog
    assert scan.table.versions is not None  # noqa: S101
    key = (scan, scan.table.versions.order[0])
    if (asof := _asof(scan)) is not None:
        return asof
    for scope in rules.statement.scopes:
        for part in (p for item in scope.select.expressions for p in own(item)):
            if isinstance(part, exp.ArgMax) and rules.bounds.is_column(part.expression, scope, key):
                return part
    for condition in rules.bounds.conditions:
        node, scope = condition.node, condition.scope
        if not isinstance(node, exp.Binary | exp.In):
            continue
        if isinstance(node, exp.GT | exp.LT | exp.GTE | exp.LTE):
            sides = rules.statement.bases(node.this, scope), rules.statement.bases(node.expression, scope)
            scans = [
                {b.scan for b in side if b.column == key[1] and b.scan.name == scan.name} for side in sides
            ]
            if scans[0] and scans[1] and scans[0] != scans[1] and scan in scans[0] | scans[1]:
                return node
        if isinstance(node, exp.EQ | exp.In) and _greatest(rules, node, scope, key):
            return node
    return None


def _asof(scan: Scan) -> exp.Join | None:
    """Return the ASOF join that takes one row of a scan for each of another."""
    from sqlglot import exp

    join = scan.node.find_ancestor(exp.Join)
    found = join is not None and join.args.get("method") == "ASOF" and join.this is scan.node
    return join if found else None


def _taken_next(rules: Rules, scan: Scan, asof: exp.Join) -> str | None:
    """Return the date of which an ASOF join takes the next after another in place of the last before it, if so."""
    from sqlglot import exp

    assert scan.table is not None  # noqa: S101 - asked of tables of the catalog
    known_by = scan.table.availability.column if scan.table.availability else None
    dates = {known_by, scan.table.versions.order[0] if scan.table.versions else None} - {None}
    for condition in rules.bounds.conditions:
        node = condition.node
        if (
            not isinstance(node, exp.GT | exp.GTE | exp.LT | exp.LTE)
            or node.find_ancestor(exp.Join) is not asof
        ):
            continue
        greater, less = (node.this, node.expression)
        if isinstance(node, exp.LT | exp.LTE):
            greater, less = less, greater
        own = {b.column for b in rules.statement.bases(greater, condition.scope) if b.scan is scan and b.bare}
        rest = {b.scan for b in rules.statement.bases(less, condition.scope)}
        if own & dates and scan not in rest:
            return min(own & dates)
    return None


def _greatest(rules: Rules, node: exp.Expr, scope: Scope, key: tuple[Scan, str]) -> bool:
    """Whether a condition sets a date of the versions to the greatest of the same table."""
    from sqlglot import exp

    pairs = [(node.this, node.expression), (node.expression, node.this)] if isinstance(node, exp.EQ) else []
    if isinstance(node, exp.In) and node.args.get("query") is not None:
        pairs = [(node.this, node.args["query"])]
    for _, other in pairs:
        maxima = [m for m in _maxima(rules, other, scope) if (m[0].name, m[1]) == (key[0].name, key[1])]
        named = {(b.scan, b.column) for b in rules.statement.bases(node, scope)}
        if maxima and (key in named or key[0] in {m[0] for m in maxima}):
            return True
    return False


def _maxima(rules: Rules, node: exp.Expr, scope: Scope) -> Iterator[tuple[Scan, str]]:
    """Yield the columns whose MAX an expression gives, itself or through a query."""
    from sqlglot import exp

    for part in own(node):
        if isinstance(part, exp.Max):
            yield from ((b.scan, b.column) for b in rules.statement.bases(part.this, scope))
        if isinstance(part, exp.Column):
            place = scope.find(part)
            source = place[0].sources[place[1]] if place else None
            for branch, inner in projected(source, part.name) if isinstance(source, Derived) else ():
                yield from _maxima(rules, inner, branch)
        if isinstance(part, exp.Subquery | exp.In):
            query = part.this if isinstance(part, exp.Subquery) else part.args.get("query")
            for branch in scope.inner.get(id(query), []):
                for item in branch.projections():
                    yield from _maxima(rules, item, branch)


def _per(rules: Rules, scan: Scan, scope: Scope, groups: list[exp.Expr] | None) -> bool:
    """Whether rows are ranked within what versions are of, or within less where a condition fixes the rest."""
    assert scan.table is not None  # noqa: S101 - asked of tables of the catalog
    assert scan.table.versions is not None  # noqa: S101
    if groups is None:
        return True
    named = {b.column for group in groups for b in rules.statement.bases(group, scope) if b.scan is scan}
    return bool(named) and named <= set(scan.table.key) | set(scan.table.versions.per)


def _whole(rules: Rules, scan: Scan, scope: Scope, groups: list[exp.Expr] | None) -> bool:
    """Whether only versions of one thing are ranked together: groups and fixed values tell things apart."""
    from sqlglot import exp

    assert scan.table is not None  # noqa: S101 - asked of tables of the catalog
    assert scan.table.versions is not None  # noqa: S101
    apart = {b.column for g in groups or [] for b in rules.statement.bases(g, scope) if b.scan is scan}
    for condition in rules.bounds.conditions:
        node = condition.node
        if (
            isinstance(node, exp.EQ)
            and rules.statement.value(node.expression, condition.scope, {}) is not UNSAID
        ):
            apart |= {
                b.column
                for b in rules.statement.bases(node.this, condition.scope)
                if b.scan is scan and b.bare
            }
    return set(scan.table.versions.per) <= apart


def _kept_first(rules: Rules, scope: Scope, window: exp.Expr) -> bool:
    """Whether rank one is kept, and groups are those of the versions."""
    from sqlglot import exp

    if not isinstance(window, exp.Window):
        return True
    names = {item.alias_or_name for item in scope.select.expressions if any(p is window for p in own(item))}
    for condition in rules.bounds.conditions:
        node = condition.node
        if not isinstance(node, exp.EQ) or rules.statement.value(node.expression, condition.scope, {}) != 1:
            continue
        if isinstance(node.this, exp.Column) and node.this.name in names:
            return True
        if isinstance(node.this, exp.Window) and condition.scope is scope:
            return True
    return False


def _filtered(rules: Rules, scan: Scan, scope: Scope) -> tuple[exp.Expr, str] | None:
    """Return a condition on a value that versions may change, tested before or with the ranking."""
    from sqlglot import exp

    assert scan.table is not None  # noqa: S101 - asked of tables of the catalog
    assert scan.table.versions is not None  # noqa: S101
    fixed = {*scan.table.key, *scan.table.versions.per, *scan.table.versions.unique}
    for condition in rules.bounds.conditions:
        node = condition.node
        if condition.late or not isinstance(node, exp.EQ | exp.In | exp.Like):
            continue
        bases = rules.statement.bases(node.this, condition.scope)
        if len(bases) != 1 or bases[0].scan is not scan or not bases[0].bare:
            continue
        base, inside = bases[0], condition.scope
        if scan.table.columns[base.column].role != "payload" or base.column in fixed:
            continue
        sides = node.expressions if isinstance(node, exp.In) else [node.expression]
        if not sides or any(rules.statement.value(side, inside, {}) is UNSAID for side in sides):
            continue
        if inside is scope or _within(rules, scope, inside, scan):
            return node, base.column
    return None


def _within(rules: Rules, outer: Scope, inner: Scope, scan: Scan) -> bool:
    """Whether a scope lies between a ranking and the scan."""
    return any(
        base.scan is scan and inner in base.path
        for item in outer.select.expressions
        for base in rules.statement.bases(item, outer)
    )
