"""How far in time the rows of each scan reach: bounds from conditions, carried along what compares columns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from finassay.audit._static_scopes import Derived, Scan, Scope, own, projected
from finassay.audit._static_values import UNSAID, moment
from finassay.temporal import DATE_ROLES, encode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from finassay.audit._static_scopes import Base, Statement
    from finassay.temporal import Cutoff

_ROUNDS = 6
_DAY = timedelta(days=1)
_STEPS = (-4000, -400, -100, -31, -7, -2, -1, 0, 1, 2, 4, 7, 31, 100, 400, 4000)
Reach = Literal["none", "odd"]


@dataclass(frozen=True)
class Bound:
    """Everything lies before a moment, or at it where `closed`.

    Attributes
    ----------
    said : sqlglot expression or None
        The condition that says so.
    exact : bool
        Rows that reach it pass, not only none beyond it.
    """

    moment: datetime
    closed: bool
    said: exp.Expr | None = field(default=None, compare=False)
    exact: bool = field(default=True, compare=False)

    def within(self, limit: datetime) -> bool:
        """Whether everything lies strictly before a moment."""
        return self.moment < limit if self.closed else self.moment <= limit

    def beyond(self, other: Bound) -> bool:
        """Whether it lets in more than another bound."""
        return (self.moment, self.closed) > (other.moment, other.closed)


@dataclass(frozen=True)
class Condition:
    """A conjunct of a WHERE, ON, HAVING or QUALIFY.

    Attributes
    ----------
    late : bool
        It is tested after grouping or ranking.
    only : frozenset of str or None
        The sources whose rows it restricts, where an outer join keeps the others.
    """

    node: exp.Expr
    scope: Scope
    late: bool = False
    only: frozenset[str] | None = None

    def restricts(self, base: Base) -> bool:
        """Whether rows of a scan that fail it are left out of everything."""
        place, alias = base.top
        if place is not self.scope:
            return self.scope.semi and place is self.scope.above and not self.late
        return self.only is None or alias in self.only


Column = tuple[Scan, str]


@dataclass
class Bounds:
    """What is known of how far the columns of the scans reach."""

    statement: Statement
    cutoff: Cutoff
    conditions: list[Condition] = field(default_factory=list)
    best: dict[Column, Bound] = field(default_factory=dict)
    odd: dict[Column, exp.Expr] = field(default_factory=dict)
    blocked: dict[Column, tuple[exp.Expr, str]] = field(default_factory=dict)

    def solve(self) -> None:
        """Read every condition, and carry bounds along those that compare columns, until nothing new is learned."""
        self.conditions = [c for scope in self.statement.scopes for c in _conditions(scope)]
        relations = []
        for condition in self.conditions:
            found = list(_relations(condition.node))
            free = [sides for sides in found if not self._constant(condition, sides)]
            relations.append((condition, free))
            if not found or len(free) < len(found):
                self._sample(condition)
        self._choices()
        for _ in range(_ROUNDS):
            before = (dict(self.best), len(self.odd))
            for condition, found in relations:
                for lesser, greater, strict in found:
                    self._relate(condition, lesser, greater, strict=strict)
            if before == (self.best, len(self.odd)):
                break

    # --- conditions on one column and what is constant

    def _constant(self, condition: Condition, sides: tuple[exp.Expr, exp.Expr, bool]) -> bool:
        """Whether one side of a comparison is the same for all rows."""
        return any(self.statement.value(side, condition.scope, {}) is not UNSAID for side in sides[:2])

    def grid(self, scan: Scan) -> list[datetime]:
        """Return moments around the cutoff at which conditions are tried, ascending."""
        lag = scan.table.availability.lag_days if scan.table and scan.table.availability else 0
        starts = {self.cutoff.instant, self.cutoff.day_end, self.cutoff.instant - timedelta(days=lag)}
        days = {start + timedelta(days=step) for start in starts for step in _STEPS}
        times = {start + timedelta(seconds=1) for start in starts} | {start + _DAY / 2 for start in starts}
        return sorted(days | times)

    def _sample(self, condition: Condition) -> None:
        """Try a condition at each moment for each date column in it."""
        statement = self.statement
        bases = statement.bases(condition.node, condition.scope, rows=True)
        for base in {(b.scan, b.column): b for b in bases}.values():
            assert base.scan.table is not None  # noqa: S101 - bases are columns of the catalog
            spec = base.scan.table.columns[base.column]
            if spec.role not in DATE_ROLES or spec.format == "other":
                continue
            key, answers = (base.scan, base.column), []
            days = self.grid(base.scan)
            if spec.format != "native":
                days = sorted({day.replace(hour=0, minute=0, second=0) for day in days})
            for day in days:
                value = statement.value(condition.node, condition.scope, {key: encode(spec.format, day)})
                answers.append((day, value))
            empty = statement.value(condition.node, condition.scope, {key: None})
            if empty is True and answers[-1][1] is not True and spec.max_null != 0:
                self._mark(base, condition.node)  # lets in rows without a date
            else:
                self._learn(condition, base, answers)

    def _learn(self, condition: Condition, base: Base, answers: list[tuple[datetime, object]]) -> None:
        """Take a bound from the moments at which a condition holds."""
        key = (base.scan, base.column)
        last = next((n for n in range(len(answers) - 1, -1, -1) if _holds(answers[n][1])), -1)
        if last == len(answers) - 1:
            if answers[last][1] is UNSAID:
                self._mark(base, condition.node)
            return  # it holds however late: no bound from above
        bound = Bound(answers[last + 1][0], closed=False, said=condition.node)
        if answers[last][1] is UNSAID and last >= 0 and not bound.within(self.cutoff.instant):
            self._mark(base, condition.node)
        self._refine(condition, base, bound, key)

    def _choices(self) -> None:
        """Mark what is compared outside of conditions: a CASE, a FILTER; whether that bounds anything is not told."""
        from sqlglot import exp

        for scope in self.statement.scopes:
            for item in scope.select.expressions:
                for part in own(item):
                    if isinstance(part, exp.Predicate | exp.Case | exp.If | exp.Filter | exp.Least):
                        for base in self.statement.bases(part, scope):
                            self.odd.setdefault((base.scan, base.column), part)

    # --- conditions between columns

    def _relate(self, condition: Condition, lesser: exp.Expr, greater: exp.Expr, *, strict: bool) -> None:
        from sqlglot import exp

        if isinstance(lesser, exp.Tuple) and isinstance(greater, exp.Tuple):
            # Rows compare by their first cells, unless these are equal
            self._relate(condition, lesser.expressions[0], greater.expressions[0], strict=False)
            return
        if not _grows(greater):  # it may fall as its columns rise, and so bound them
            for base in self.statement.bases(greater, condition.scope, rows=True):
                self._mark(base, condition.node)
        if isinstance(lesser, exp.Tuple):
            branches = condition.scope.inner.get(id(_query(greater)), [])
            for branch in branches if len(branches) == 1 else []:
                for left, right in zip(lesser.expressions, branch.projections(), strict=False):
                    self._carry(condition, left, right, branch, strict=strict)
            return
        self._carry(condition, lesser, greater, condition.scope, strict=strict)

    def _carry(
        self, condition: Condition, lesser: exp.Expr, greater: exp.Expr, scope: Scope, *, strict: bool
    ) -> None:
        """Bound the columns of one side by the reach of the other, which stands in `scope`."""
        bases = self.statement.bases(lesser, condition.scope, rows=True)
        if not bases:
            return
        self._identify(condition, bases, self._bases_of(greater, scope))
        reach = self.reach(greater, scope)
        if reach == "none":
            return
        for base in bases:
            bound = _untouched(lesser, reach, strict=strict) if isinstance(reach, Bound) else None
            if bound is None:
                self._mark(base, condition.node)
            else:
                self._refine(condition, base, bound, (base.scan, base.column))

    def _identify(self, condition: Condition, bases: list[Base], others: list[Base]) -> None:
        """Rows with the same number in the same table are one row, whose bounds are one."""
        for base in bases:
            table = base.scan.table
            if table is None or table.row_id != (base.column,) or not condition.restricts(base):
                continue
            for twin in others:
                if twin.scan is base.scan or (twin.scan.name, twin.column) != (base.scan.name, base.column):
                    continue
                for (scan, column), bound in list(self.best.items()):
                    if scan is twin.scan:
                        self._refine(condition, base, bound, (base.scan, column))

    def _bases_of(self, node: exp.Expr, scope: Scope) -> list[Base]:
        from sqlglot import exp

        if isinstance(node, exp.Query):
            branches = scope.inner.get(id(_query(node)), [])
            return [b for branch in branches for b in self.statement.bases(branch.projections()[0], branch)]
        return self.statement.bases(node, scope)

    def reach(self, node: exp.Expr, scope: Scope) -> Bound | Reach:
        """Return how far an expression reaches: a bound, "none", or "odd" where that cannot be told."""
        from sqlglot import exp

        said = self.statement.value(node, scope, {})
        if said is not UNSAID:
            day = moment(said)
            return "odd" if day is None else Bound(day, closed=True)
        match node:
            case exp.Column():
                return self._column_reach(node, scope)
            case exp.Query():
                branches = scope.inner.get(id(_query(node)), [])
                if branches and len(branches[0].projections()) == 1:
                    return _worst(self.reach(b.projections()[0], b) for b in branches)
                return "odd"
            case exp.Window():
                return self.reach(node.this, scope)
            case (
                exp.Paren()
                | exp.Cast()
                | exp.TsOrDsToDate()
                | exp.Date()
                | exp.Max()
                | exp.Min()
                | exp.AnyValue()
                | exp.FirstValue()
                | exp.LastValue()
                | exp.Lag()
                | exp.Lead()
                | exp.DateTrunc()
                | exp.TimestampTrunc()
            ):
                return self.reach(node.this, scope)
            case exp.Coalesce() | exp.Greatest():
                return _worst(self.reach(part, scope) for part in (node.this, *node.expressions))
            case exp.Least():
                found = [self.reach(part, scope) for part in (node.this, *node.expressions)]
                bounds = [bound for bound in found if isinstance(bound, Bound)]
                return _least(bounds) if bounds else _worst(found)
            case exp.Add() | exp.Sub() | exp.DateAdd() | exp.DateSub():
                return self._shifted(node, scope)
        return "odd"

    def _shifted(self, node: exp.Expr, scope: Scope) -> Bound | Reach:
        """Return the reach of a date moved by a constant, by moving the reach of the date."""
        from sqlglot import exp

        start = self.reach(node.this, scope)
        if not isinstance(start, Bound):
            return start
        copy = node.copy()
        copy.set("this", exp.cast(exp.Literal.string(start.moment.isoformat(" ")), "timestamp"))
        day = moment(self.statement.value(copy, scope, {}))
        return "odd" if day is None else Bound(day, start.closed, start.said, exact=False)

    def _column_reach(self, node: exp.Column, scope: Scope) -> Bound | Reach:
        place = scope.find(node)
        source = place[0].sources[place[1]] if place else None
        if isinstance(source, Scan):
            spelled = source.columns.get(node.name)
            if spelled is None:
                return "odd"
            return self.of((source, spelled))
        if not isinstance(source, Derived):
            return "odd"
        if source.rows:
            index = source.names.index(node.name) if node.name in source.names else None
            return "odd" if index is None else _worst(self.reach(row[index], scope) for row in source.rows)
        return _worst(self.reach(inner, branch) for branch, inner in projected(source, node.name))

    def of(self, key: Column) -> Bound | Reach:
        """Return how far a column of a scan reaches; one that must lie after another bounds it too."""
        found = self.best.get(key)
        if found is None and key[0].table is not None:
            for dependency in key[0].table.dependencies:
                if key[1] in dependency.order:
                    later = dependency.order[dependency.order.index(key[1]) + 1 :]
                    found = next((b for name in later if (b := self.best.get((key[0], name)))), found)
        return found or ("odd" if key in self.odd else "none")

    # --- recording

    def _mark(self, base: Base, node: exp.Expr) -> None:
        self.odd.setdefault((base.scan, base.column), node)

    def _refine(self, condition: Condition, base: Base, bound: Bound, key: Column) -> None:
        if not condition.restricts(base):
            self._mark(base, condition.node)
            return
        if bound.said is None:
            bound = replace(bound, said=condition.node)
        for scope in (condition.scope, *base.path) if condition.late else base.path:
            reason = self.crosses(scope, (base.scan, key[1]))
            if reason is not None:
                self.blocked.setdefault(key, (condition.node, reason))
                return
        known = self.best.get(key)
        if known is None or known.beyond(bound):
            self.best[key] = bound

    def crosses(self, scope: Scope, key: Column) -> str | None:
        """Say why a condition on a column cannot be moved before what a scope does; None if it can.

        It can where every window is one of rows of the same value, or of rows up to it, and where groups are of it.
        """
        from sqlglot import exp

        select = scope.select
        distinct = select.args.get("distinct")
        if select.args.get("limit") or select.args.get("offset") or (distinct and distinct.args.get("on")):
            return "limit"
        group = select.args.get("group")
        if group is not None and not any(self.is_column(part, scope, key) for part in group.expressions):
            return "group"
        if group is None and any(select.find_all(exp.AggFunc)) and self._aggregated(scope):
            return "group"
        clauses = [*select.expressions, select.args.get("qualify")]
        windows = [w for c in clauses if c is not None for w in own(c) if isinstance(w, exp.Window)]
        reasons = [reason for window in windows if (reason := self._window(window, scope, key))]
        return "rank" if "rank" in reasons else reasons[0] if reasons else None

    def _aggregated(self, scope: Scope) -> bool:
        from sqlglot import exp

        return any(
            isinstance(part, exp.AggFunc) and not isinstance(part.parent, exp.Window | exp.IgnoreNulls)
            for item in scope.select.expressions
            for part in own(item)
            if not part.find_ancestor(exp.Window)
        )

    def _window(self, window: exp.Window, scope: Scope, key: Column) -> str | None:
        from sqlglot import exp

        if any(self.is_column(part, scope, key) for part in window.args.get("partition_by") or []):
            return None
        order = window.args.get("order")
        first = order.expressions[0] if order is not None else None
        if first is None or not self.is_column(first.this, scope, key):
            return "window"
        spec = window.args.get("spec")
        ends = str(spec.args.get("end") or "CURRENT ROW").upper() if spec is not None else "CURRENT ROW"
        following = (
            ends == "UNBOUNDED" or str(spec.args.get("end_side") if spec else "").upper() == "FOLLOWING"
        )
        ahead = isinstance(window.this, exp.Lead | exp.PercentRank | exp.CumeDist | exp.Ntile)
        if not first.args.get("desc"):
            return "window" if following or ahead else None
        ranks = isinstance(window.this, exp.RowNumber | exp.Rank | exp.DenseRank | exp.FirstValue)
        return "rank" if ranks else "window"

    def is_column(self, node: exp.Expr, scope: Scope, key: Column) -> bool:
        """Whether an expression is a column of a scan and nothing else."""
        return any(
            base.bare and (base.scan, base.column) == key for base in self.statement.bases(node, scope)
        )


def _holds(value: object) -> bool:
    """Whether a condition may hold: anything but false or NULL."""
    return not (value is None or value is False or value == 0)


def _query(node: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    while isinstance(node, exp.Subquery):
        node = node.this
    return node


def _worst(found: Iterator[Bound | Reach] | list[Bound | Reach]) -> Bound | Reach:
    worst: Bound | None = None
    unbounded = False
    for one in found:
        if one == "odd":
            return "odd"
        if isinstance(one, Bound):
            worst = one if worst is None or one.beyond(worst) else worst
        else:
            unbounded = True
    return worst if worst is not None and not unbounded else "none"


def _grows(node: exp.Expr) -> bool:
    """Whether an expression is a date that is passed on or moved, so that it does not fall where the date rises."""
    from sqlglot import exp

    if isinstance(node, exp.Column | exp.Query | exp.Literal):
        return True
    if isinstance(
        node, exp.Paren | exp.Cast | exp.TsOrDsToDate | exp.Date | exp.DateTrunc | exp.TimestampTrunc
    ):
        return _grows(node.this)
    if isinstance(node, exp.Add | exp.Sub | exp.DateAdd | exp.DateSub):
        return _grows(node.this) and node.expression.find(exp.Column) is None
    return node.find(exp.Column) is None


def _least(bounds: list[Bound]) -> Bound:
    return min(bounds, key=lambda bound: (bound.moment, bound.closed))


def _untouched(node: exp.Expr, bound: Bound, *, strict: bool) -> Bound | None:
    """Return the bound of the column in `node`, which is no later than `bound`; None for another shape."""
    from sqlglot import exp

    if strict:
        bound = replace(bound, closed=False)
    if isinstance(node, exp.Column):
        return bound
    if isinstance(node, exp.Paren):
        return _untouched(node.this, bound, strict=False)
    cut = isinstance(node, exp.TsOrDsToDate | exp.Date) or (
        isinstance(node, exp.Cast) and node.to.this.value in ("DATE", "DATE32")
    )
    if cut:
        midnight = bound.moment.replace(hour=0, minute=0, second=0, microsecond=0)
        whole = bound.moment == midnight and not bound.closed
        day = replace(bound, moment=midnight if whole else midnight + _DAY, closed=False)
        return _untouched(node.this, day, strict=False)
    if isinstance(node, exp.Cast) and node.to.this.value.startswith(("TIMESTAMP", "DATETIME")):
        return _untouched(node.this, bound, strict=False)
    return None


def _conditions(scope: Scope) -> Iterator[Condition]:
    """Yield the conjuncts of a scope."""
    select = scope.select
    for key, late in (("where", False), ("having", True), ("qualify", True)):
        clause = select.args.get(key)
        if clause is not None:
            yield from (Condition(part, scope, late) for part in conjuncts(clause.this))
    joins = list(select.args.get("joins") or [])
    from_ = select.args.get("from_")
    for source in [from_.this if from_ is not None else None, *(join.this for join in joins)]:
        joins += (source.args.get("joins") or []) if source is not None else []
    for join in joins:
        on = join.args.get("on")
        if on is None:
            continue
        alias = join.this.alias_or_name
        only: frozenset[str] | None = None
        if join.side == "LEFT" or join.kind == "ANTI":
            only = frozenset({alias})
        elif join.side == "RIGHT":
            only = frozenset(scope.sources) - {alias}
        elif join.side == "FULL":
            only = frozenset()
        yield from (Condition(part, scope, only=only) for part in conjuncts(on))


def conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the conjuncts of a condition, in the order of the text."""
    from sqlglot import exp

    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.Paren):
            waiting.append(part.this)
        elif isinstance(part, exp.And):
            waiting += [part.right, part.left]
        else:
            yield part


def _relations(node: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr, bool]]:
    """Yield (lesser, greater, strictly) for what a conjunct says of two sides."""
    from sqlglot import exp

    match node:
        case exp.LT() | exp.LTE():
            yield node.this, node.expression, isinstance(node, exp.LT)
        case exp.GT() | exp.GTE():
            yield node.expression, node.this, isinstance(node, exp.GT)
        case exp.Between():
            yield node.this, node.args["high"], False
            yield node.args["low"], node.this, False
        case exp.EQ() | exp.NullSafeEQ():
            yield from _equal(node.this, node.expression)
        case exp.In() if node.args.get("query") is not None:
            yield node.this, node.args["query"], False
        case exp.Not() if isinstance(node.this.unnest(), exp.GT | exp.GTE | exp.LT | exp.LTE):
            test = node.this.unnest()
            strict = isinstance(test, exp.GTE | exp.LTE)
            sides = (test.this, test.expression)
            yield (*(sides if isinstance(test, exp.GT | exp.GTE) else sides[::-1]), strict)


def _equal(left: exp.Expr, right: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr, bool]]:
    from sqlglot import exp

    if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
        for one, other in zip(left.expressions, right.expressions, strict=False):
            yield from _equal(one, other)
        return
    yield left, right, False
    yield right, left, False
