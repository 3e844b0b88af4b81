"""Where a statement may take away the rows that it does not bound: set differences, and parts that give no row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.audit._static_bounds import Bound
from finassay.audit._static_scopes import Derived, Scan, own
from finassay.audit._static_values import UNSAID
from finassay.temporal import DATE_ROLES, encode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from sqlglot import exp

    from finassay.audit._static_bounds import Bounds, Condition
    from finassay.audit._static_scopes import Base, Scope


@dataclass
class Removals:
    """What a statement takes away after it has read it.

    Attributes
    ----------
    limits : mapping of Scan to (str or None, datetime or None)
        The column that says when a row was known, and the moment before which it must lie.
    """

    bounds: Bounds
    limits: Mapping[Scan, tuple[str | None, datetime | None]]

    def __post_init__(self) -> None:
        self.scopes = self.bounds.statement.scopes
        self.empty = {scan for scope in self.scopes if self._gives_nothing(scope) for scan in _scans([scope])}
        self.doubted = self._doubted()

    def _doubted(self) -> set[Scan]:
        """Return the scans whose later rows a difference or an intersection may leave out."""
        found: set[Scan] = set()
        for scope in self.scopes:
            for taken, conditions, scans in self._taken(scope):
                from_ = set(_scans([scope])) - scans
                found |= self._difference(from_, scans, _conditions(self.bounds, taken) + conditions)
        for operation, left, right in self.bounds.statement.operations:
            sides = set(_scans(left)), set(_scans(right))
            if operation.key == "except":
                found |= self._difference(sides[0], sides[1], _conditions(self.bounds, right))
            elif operation.key == "intersect":
                for one, other in (sides, sides[::-1]):
                    if any(scan in self.empty or self._bounded(scan) for scan in other):
                        found |= one
        # What remains of a table may be joined with the table itself
        for root in (scope for scope in self.scopes if scope.root):
            within = set(_scans([root]))
            names = {scan.name for scan in within & found}
            found |= {scan for scan in within if scan.name in names}
        return found

    def _difference(self, from_: set[Scan], taken: set[Scan], conditions: list[Condition]) -> set[Scan]:
        """Return the scans of which nothing is proven where rows are taken from others under conditions."""
        unknown = any(scan.table is None for scan in taken)
        if not unknown and not any(self._late(condition, from_) for condition in conditions):
            return set()
        open_ = {scan for scan in from_ if scan.table is not None and not self._bounded(scan)}
        if open_:
            return open_ | taken
        # From known rows, a later one with the same number takes nothing
        numbers = {
            base.scan
            for condition in conditions
            for base in self._bases(condition)
            if base.scan.table is not None and base.column in base.scan.table.row_id
        }
        names = {scan.name for scan in from_}
        return {scan for scan in taken if scan.name in names and scan in numbers}

    def _taken(self, scope: Scope) -> Iterator[tuple[list[Scope], list[Condition], set[Scan]]]:
        """Yield what a scope may take rows away by: its scopes, the conditions of its join, and its scans."""
        for inner in scope.inner.values():
            if not any(branch.semi for branch in inner) and _asks_existence(inner):
                yield inner, [], set(_scans(inner))
        for alias in scope.optional:
            source = scope.sources.get(alias)
            branches = source.branches if isinstance(source, Derived) else []
            scans = {source} if isinstance(source, Scan) else set(_scans(branches))
            if scans and (self._anti(scope, alias) or self._asked(scope, alias)):
                on = [c for c in self.bounds.conditions if c.scope is scope and _of_join(c, alias)]
                yield branches, on, scans

    def _anti(self, scope: Scope, alias: str) -> bool:
        joins = scope.select.args.get("joins") or []
        return any(join.kind == "ANTI" and join.this.alias_or_name == alias for join in joins)

    def _asked(self, scope: Scope, alias: str) -> bool:
        """Whether a scope asks for what an outer join has not found."""
        from sqlglot import exp

        tests = [c.node for c in self.bounds.conditions if c.scope is scope and not _of_join(c, alias)]
        choices = (exp.Predicate, exp.Case, exp.If, exp.Coalesce, exp.Filter)
        tests += [p for item in scope.select.expressions for p in own(item) if isinstance(p, choices)]
        columns = [part for test in tests for part in own(test) if isinstance(part, exp.Column)]
        return any(scope.find(column) == (scope, alias) for column in columns)

    def _late(self, condition: Condition, from_: set[Scan]) -> bool:
        """Whether a condition holds for all that was not known, or whether that cannot be told."""
        bases = self._bases(condition)
        apart = not ({base.scan for base in bases} & from_ and {base.scan for base in bases} - from_)
        for base in {(b.scan, b.column): b for b in bases}.values():
            assert base.scan.table is not None  # noqa: S101 - bases are columns of the catalog
            spec = base.scan.table.columns[base.column]
            if spec.role not in DATE_ROLES or spec.format == "other":
                continue
            limit = self.limits[base.scan][1] or self.bounds.cutoff.day_end
            values = [
                self.bounds.statement.value(
                    condition.node, condition.scope, {(base.scan, base.column): encode(spec.format, day)}
                )
                for day in self.bounds.grid(base.scan)
                if day >= limit
            ]
            if UNSAID in values:
                if apart:
                    return True
            elif all(values):
                return True
        return False

    def _bases(self, condition: Condition) -> list[Base]:
        return self.bounds.statement.bases(condition.node, condition.scope)

    def _bounded(self, scan: Scan) -> bool:
        column, limit = self.limits.get(scan, (None, None))
        if column is None or limit is None:
            return scan.table is not None
        reach = self.bounds.of((scan, column))
        return isinstance(reach, Bound) and reach.within(limit)

    def _gives_nothing(self, scope: Scope) -> bool:
        """Whether no row passes a scope, so that what it reads does not matter."""
        if scope.empty:
            return True
        for condition in self.bounds.conditions:
            if condition.scope is scope and condition.only is None and not self._bases(condition):
                value = self.bounds.statement.value(condition.node, scope, {})
                if value is not UNSAID and not value:
                    return True
        sources = [
            source.branches
            for alias, source in scope.sources.items()
            if isinstance(source, Derived) and source.branches and alias not in scope.optional
        ]
        demanded = [inner for inner in scope.inner.values() if inner and inner[0].semi]
        return any(
            all(self._gives_nothing(branch) and not _one_row(branch) for branch in branches)
            for branches in sources + demanded
        )


def _scans(scopes: list[Scope]) -> Iterator[Scan]:
    """Yield the scans of scopes and of all that they use."""
    for scope in _within(scopes):
        yield from (source for source in scope.sources.values() if isinstance(source, Scan))


def _within(scopes: list[Scope]) -> Iterator[Scope]:
    for scope in scopes:
        yield scope
        for source in scope.sources.values():
            if isinstance(source, Derived):
                yield from _within(source.branches)
        for inner in scope.inner.values():
            yield from _within(inner)


def _conditions(bounds: Bounds, scopes: list[Scope]) -> list[Condition]:
    within = list(_within(scopes))
    return [condition for condition in bounds.conditions if condition.scope in within]


def _of_join(condition: Condition, alias: str) -> bool:
    """Whether a condition is one under which an outer join finds the rows of a source."""
    return condition.only is not None and (not condition.only or alias in condition.only)


def _asks_existence(branches: list[Scope]) -> bool:
    """Whether a query is asked only whether it has rows, or has a value: EXISTS, IN, ALL, ANY, a count."""
    from sqlglot import exp

    select: exp.Expr | None = branches[0].select
    while isinstance(select, exp.Select | exp.SetOperation | exp.Subquery):
        select = select.parent
    if isinstance(select, exp.Exists | exp.In | exp.All | exp.Any):
        return True
    return any(isinstance(part, exp.Count) for item in branches[0].projections() for part in own(item))


def _one_row(scope: Scope) -> bool:
    """Whether a scope gives a row even where it reads none: a total without groups."""
    from sqlglot import exp

    return scope.select.args.get("group") is None and any(
        isinstance(part, exp.AggFunc) for item in scope.select.expressions for part in own(item)
    )
