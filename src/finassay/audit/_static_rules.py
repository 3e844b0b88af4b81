"""The obligations of a statement: what it owes each table that it reads, and whether its text shows that it pays."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from finassay.audit._certificate import Obligation
from finassay.audit._static_bounds import Bound, Bounds
from finassay.audit._static_ends import Ends
from finassay.audit._static_removals import Removals
from finassay.audit._static_scopes import Derived, Scan, Scope, own, projected
from finassay.audit._static_values import UNSAID
from finassay.audit._static_versions import version_obligation
from finassay.audit._types import Requirement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from finassay.audit._static_scopes import Base, Statement
    from finassay.temporal import AsOf, Contract

_A1, _A2, _A3 = Requirement.DISCLOSURE, Requirement.STATE, Requirement.VERSION
_OF_ROWS = ("availability", "rank", "end")  # what is owed to rows, which a set difference may take away
_TODAY = ("current_state", "updated")
_CLOCKS = frozenset(
    {
        *("now", "sysdate", "curdate", "current_date", "getdate", "today", "unix_timestamp", "utc_timestamp"),
        *("clock_timestamp", "statement_timestamp", "transaction_timestamp", "utc_date", "systimestamp"),
        *("get_current_timestamp", "current_localtimestamp", "currentdate", "currenttimestamp"),
        *("currentdatetime", "localtimestamp", "utctimestamp", "utcdate"),
    }
)


@dataclass
class Rules:
    """The rules over one statement.

    Attributes
    ----------
    lenient : bool
        Later rows may be used legitimately (labels, decisions), so a late or missing bound proves nothing.
    handed_on : bool
        A program goes on with the result: it may still leave out what was not known.
    """

    statement: Statement
    bounds: Bounds
    contract: Contract
    source: str
    lenient: bool = False
    handed_on: bool = False
    views: dict[str, AsOf] = field(default_factory=dict)

    def __post_init__(self) -> None:
        limits = {scan: self.available(scan) for scan in self.statement.scans if scan.table is not None}
        self.removals = Removals(self.bounds, limits)

    def all(self) -> Iterator[Obligation]:
        """Yield the obligations, table by table in the order of the text."""
        for scan in self.statement.scans:
            if scan.table is None:
                yield self.make(
                    scan, _A1, "availability", "open", scan.node, "The catalog does not know the table."
                )
                continue
            yield from self._availability(scan)
            yield from self._stages(scan)
            ends = list(Ends(self, scan).obligations())
            yield from ends
            yield from self._start(scan)
            tested = any((e.requirement, e.status) == (_A3, "discharged") for e in ends)
            found = version_obligation(self, scan, ends_tested=tested)
            if found is not None:
                yield found
        yield from self._today()
        yield from self._printed()
        yield from self._clocks()

    def make(
        self,
        scan: Scan | None,
        requirement: Requirement,
        rule: Any,
        status: Any,
        node: exp.Expr | None,
        why: str,
    ) -> Obligation:
        """Return an obligation with its place in the text."""
        if status == "violated" and scan in self.removals.empty:
            status, why = "open", f"{why} A condition that never holds, or a LIMIT 0, lets no row of it pass."
        elif status == "violated" and scan in self.removals.doubted and rule in _OF_ROWS:
            status = "open"
            why = f"{why} Whether another part of the statement takes these rows away cannot be told from the text."
        line, column = self._place(node)
        said = node.unalias() if node is not None else None
        text = "" if said is None else str(said.meta.get("text") or said.sql())
        if scan is not None and (line is None or said is scan.node):
            line, column = self._place(scan.node)
            text = said.name if said is not None else ""  # also of a column that a star stands for
        return Obligation(
            table=scan.name if scan else "",
            requirement=requirement,
            rule=rule,
            status=status,
            line=line,
            column=column,
            text=text if len(text) <= 200 else text[:197] + "...",
            why=why,
        )

    def _place(self, node: exp.Expr | None) -> tuple[int | None, int | None]:
        starts = (
            [part.meta["start"] for part in node.walk() if "start" in part.meta] if node is not None else []
        )
        if not starts:
            return None, None
        before = self.source[: min(starts)]
        return before.count("\n") + 1, len(before) - before.rfind("\n")

    # --- A1

    def _availability(self, scan: Scan) -> Iterator[Obligation]:
        view = self.views[scan.name]
        column, limit = self.available(scan)
        if view.table.availability is not None and view.table.availability.always and column is None:
            return
        if column is None or limit is None:
            why = "The data do not say when its rows became known."
            yield self.make(scan, _A1, "availability", "open", scan.node, why)
            return
        key = (scan, column)
        reach = self.bounds.of(key)
        if isinstance(reach, Bound) and reach.within(limit):
            why = f"{column} is bounded by the cutoff."
            yield self.make(scan, _A1, "availability", "discharged", reach.said, why)
            return
        yield self._unbounded(scan, column, reach)

    def _unbounded(self, scan: Scan, column: str, reach: Bound | str) -> Obligation:
        key = (scan, column)
        blocked = self.bounds.blocked.get(key)
        odd = self.bounds.odd.get(key)
        node: exp.Expr = scan.node
        proven = not self.lenient and not self.handed_on
        if blocked is not None and not isinstance(reach, Bound):
            node, reason = blocked
            proven = proven and reason == "rank" and odd is None
            why = f"{column} is bounded after the {reason}: later rows have already taken part in it."
            rule = "rank" if reason == "rank" else "availability"
            return self.make(scan, _A1, rule, "violated" if proven else "open", node, why)
        if isinstance(reach, Bound):
            node = reach.said if reach.said is not None else node
            proven = proven and reach.exact and not self._dimension(scan)
            spec = scan.table.availability if scan.table else None
            lag = spec.lag_days if spec and spec.column == column else 0
            late = f"; it is known {lag} day(s) later" if lag else ""
            why = f"{column} may reach past the cutoff, {self.bounds.cutoff}{late}."
        else:
            proven = proven and not self._dimension(scan) and not self._excused(scan, column)
            why = f"Nothing bounds {column}, so rows that were not yet known are used."
        if odd is not None:
            node, proven = odd, False
            why = f"Whether this bounds {column} cannot be told."
        return self.make(scan, _A1, "availability", "violated" if proven else "open", node, why)

    def available(self, scan: Scan) -> tuple[str | None, Any]:
        """Return the column that says when a row was known, and the moment before which it must lie."""
        assert scan.table is not None  # noqa: S101 - asked of tables of the catalog
        spec, view = scan.table.availability, self.views[scan.name]
        if spec is None:
            return None, None
        if spec.proxy and spec.proxy in view.proxies:
            return spec.proxy, self.bounds.cutoff.instant
        if spec.ahead:
            return spec.column, self.bounds.cutoff.day_end
        return spec.column, self.bounds.cutoff.instant - timedelta(days=spec.lag_days)

    def _dimension(self, scan: Scan) -> bool:
        """Whether the table only lists entities: what joins with it decides which of them take part."""
        return scan.table is not None and scan.table.kind in ("entity", "snapshot")

    def _excused(self, scan: Scan, column: str) -> bool:
        """Whether something else may bound the rows: another date of knowledge, or only the earliest are taken."""
        assert scan.table is not None  # noqa: S101 - asked of tables of the catalog
        others = scan.table.by_role("disclosure", "recorded", "market_date", "updated")
        if any(isinstance(self.bounds.of((scan, other)), Bound) for other in others if other != column):
            return True
        if any((scan, other) in self.bounds.odd for other in others):
            return True
        return any(self._earliest(scope, (scan, column)) for scope in self.statement.scopes)

    def _earliest(self, scope: Scope, key: tuple[Scan, str]) -> bool:
        from sqlglot import exp

        for part in (p for item in scope.select.expressions for p in own(item)):
            if isinstance(part, exp.Min | exp.ArgMin) and key in {
                (b.scan, b.column) for b in self.statement.bases(part, scope)
            }:
                return True
            if isinstance(part, exp.Window) and self._ascends(part.args.get("order"), scope, key):
                return True
        limited = scope.select.args.get("limit") or scope.select.args.get("distinct")
        return bool(limited) and self._ascends(scope.select.args.get("order"), scope, key)

    def _ascends(self, order: exp.Expr | None, scope: Scope, key: tuple[Scan, str]) -> bool:
        return order is not None and any(
            not item.args.get("desc") and self.bounds.is_column(item.this, scope, key)
            for item in order.expressions
        )

    def _stages(self, scan: Scan) -> Iterator[Obligation]:
        """Values of a later stage need the bound of the date that disclosed them."""
        assert scan.table is not None  # noqa: S101 - asked of tables of the catalog
        dates = {
            c.disclosed_by
            for name, c in scan.table.columns.items()
            if c.disclosed_by and self._used(scan, name)
        }
        for date in sorted(filter(None, dates)):
            reach = self.bounds.of((scan, date))
            limit = self.bounds.cutoff.instant
            done = isinstance(reach, Bound) and reach.within(limit)
            why = f"Values that {date} disclosed are used; it is {'bounded' if done else 'not seen to be bounded'}."
            yield self.make(scan, _A1, "stage", "discharged" if done else "open", scan.node, why)

    def _used(self, scan: Scan, column: str) -> bool:
        return any(
            (base.scan, base.column) == (scan, column)
            for scope in self.statement.scopes
            if scope.root
            for item in scope.select.expressions
            for base in self.statement.bases(item, scope)
        )

    # --- A3

    def _start(self, scan: Scan) -> Iterator[Obligation]:
        assert scan.table is not None  # noqa: S101 - asked of tables of the catalog
        valid, spec = scan.table.valid, scan.table.availability
        if (
            valid is None
            or (spec is not None and spec.column == valid.start)
            or scan.name in self.contract.history
        ):
            return
        reach = self.bounds.of((scan, valid.start))
        if isinstance(reach, Bound) and reach.within(self.bounds.cutoff.day_end):
            why = f"{valid.start} is bounded by the day of the cutoff."
            yield self.make(scan, _A3, "start", "discharged", reach.said, why)
            return
        node = reach.said if isinstance(reach, Bound) else None
        why = f"{valid.start} may lie after the cutoff: the row was announced, and did not hold yet."
        yield self.make(scan, _A3, "start", "open", node or scan.node, why)

    # --- A2: what is true today

    def _today(self) -> Iterator[Obligation]:
        seen: set[tuple[int, str, int]] = set()
        for condition in self.bounds.conditions:
            for base in self._current(condition.node, condition.scope):
                proven = self._tested(condition.node, base, condition.scope)
                yield from self._once(seen, base, condition.node, proven=proven, use="is tested")
        for scope in self.statement.scopes:
            for node in self._ranks(scope):
                for base in self._current(node, scope):
                    yield from self._once(seen, base, node, proven=base.bare, use="ranks rows")
            for item in scope.select.expressions if scope.root and not self.handed_on else ():
                chosen = any(self._choice(part) for part in own(item))
                for base in self._current(item, scope):
                    if item.alias_or_name in self._labels or (base.scan, base.column) in self.bounds.odd:
                        chosen = True
                    yield from self._once(seen, base, item, proven=not chosen, use="is shown")

    def _printed(self) -> Iterator[Obligation]:
        """Names and texts without history may be shown, and say nothing of the day when they are tested."""
        seen: set[tuple[int, str, str]] = set()
        tests = [(condition.node, condition.scope) for condition in self.bounds.conditions]
        tests += [(node, scope) for scope in self.statement.scopes for node in self._cases(scope)]
        for node, scope in tests:
            for base in self.statement.bases(node, scope):
                assert base.scan.table is not None  # noqa: S101 - bases are columns of the catalog
                key = (id(base.scan), base.column, node.sql())
                if base.scan.table.columns[base.column].role != "presentation" or key in seen:
                    continue
                seen.add(key)
                why = f"{base.column} is tested as if it said the state of the day; it is the text printed today."
                yield self.make(base.scan, _A2, "current_state", "open", node, why)

    def _cases(self, scope: Scope) -> Iterator[exp.Expr]:
        """Yield what a scope tests outside of its conditions: CASE, IF, FILTER."""
        from sqlglot import exp

        places = [*scope.select.expressions, scope.select.args.get("group"), scope.select.args.get("order")]
        for part in (p for item in places if item is not None for p in own(item)):
            if isinstance(part, exp.Case | exp.If) and part.this is not None:
                yield part.this
            elif isinstance(part, exp.Filter):
                yield part.expression.this

    @property
    def _labels(self) -> set[str]:
        return {name.lower() for name in self.contract.labels}

    def _once(
        self, seen: set[tuple[int, str, int]], base: Base, node: exp.Expr, *, proven: bool, use: str
    ) -> Iterator[Obligation]:
        key = (id(base.scan), base.column, id(node))
        if key in seen:
            return
        seen.add(key)
        assert base.scan.table is not None  # noqa: S101 - bases are columns of the catalog
        role = base.scan.table.columns[base.column].role
        what = "how things stand today" if role == "current_state" else "when the vendor touched the row"
        proven = proven and role != "recorded" and not self.lenient
        if role == "recorded":
            what = "when the vendor wrote the row, which the contract does not allow as a date"
        status = "violated" if proven else "open"
        yield self.make(
            base.scan, _A2, "current_state", status, node, f"{base.column} {use}; it says {what}."
        )

    def _current(self, node: exp.Expr, scope: Scope) -> list[Base]:
        """Return the columns of today's state that an expression reads."""
        found = []
        for base in self.statement.bases(node, scope):
            assert base.scan.table is not None  # noqa: S101 - bases are columns of the catalog
            role = base.scan.table.columns[base.column].role
            hidden = self.views[base.scan.name].hidden
            if role in (*_TODAY, "recorded") and base.column in hidden and hidden[base.column] is None:
                found.append(base)
        return found

    def _tested(self, node: exp.Expr, base: Base, scope: Scope) -> bool:
        """Whether a condition compares the column itself with constants, and can come out either way."""
        from sqlglot import exp

        assert base.scan.table is not None  # noqa: S101 - bases are columns of the catalog
        test = node.this.unnest() if isinstance(node, exp.Not) else node
        if not isinstance(test, exp.Predicate) or base.top[1] in base.top[0].optional:
            return False
        sides = [test.this, *(test.expressions if isinstance(test, exp.In) else [test.expression])]
        itself = [side for side in sides if self.bounds.is_column(side, scope, (base.scan, base.column))]
        others = [self.statement.value(side, scope, {}) for side in sides if side not in itself]
        if len(itself) != 1 or not others or UNSAID in others:
            return False
        spec, key = base.scan.table.columns[base.column], (base.scan, base.column)
        if isinstance(test, exp.Is):
            return spec.max_null != 0 and spec.codes is None
        answers = {bool(self.statement.value(node, scope, {key: code})) for code in self.codes(*key)}
        return len(answers) != 1

    def codes(self, scan: Scan, column: str) -> set[str]:
        """Return the codes of a column that the catalog lists itself."""
        found = scan.table.columns[column].codes if scan.table is not None else None
        return set(found) if isinstance(found, dict) else set()

    def _ranks(self, scope: Scope) -> Iterator[exp.Expr]:
        """Yield what rows are ranked by first: in windows, and where only some of them are kept."""
        from sqlglot import exp

        qualify = scope.select.args.get("qualify")
        parts = [*scope.select.expressions, *([qualify.this] if qualify is not None else [])]
        orders = [w.args.get("order") for item in parts for w in own(item) if isinstance(w, exp.Window)]
        if scope.select.args.get("limit") or scope.select.args.get("distinct"):
            orders.append(scope.select.args.get("order"))
        for order in orders:
            if order is not None:
                yield order.expressions[0].this

    def _choice(self, part: exp.Expr) -> bool:
        from sqlglot import exp

        return isinstance(part, exp.Case | exp.If | exp.Coalesce | exp.Predicate | exp.Window | exp.Filter)

    # --- the clock

    def _clocks(self) -> Iterator[Obligation]:
        seen: set[int] = set()
        for condition in self.bounds.conditions:
            for clock in self._clock(condition.node, condition.scope):
                seen.add(id(clock))
                bounded = any(
                    isinstance(reach := self.bounds.of((b.scan, b.column)), Bound)
                    and reach.within(self.bounds.cutoff.day_end)
                    for b in self.statement.bases(condition.node, condition.scope)
                )
                chosen = any(self._choice_of_clock(part) for part in own(condition.node))
                proven = not bounded and not chosen and not self.lenient
                why = "The machine's clock is no as-of date."
                yield self.make(None, _A1, "clock", "violated" if proven else "open", condition.node, why)
        for scope in self.statement.scopes:
            for part in (p for item in scope.select.expressions for p in own(item)):
                if _is_clock(part) and id(part) not in seen:
                    yield self.make(
                        None, _A1, "clock", "open", part, "The result depends on the machine's clock."
                    )

    def _choice_of_clock(self, part: exp.Expr) -> bool:
        from sqlglot import exp

        return isinstance(part, exp.Case | exp.If | exp.Coalesce | exp.Least | exp.Greatest | exp.Or)

    def _clock(self, node: exp.Expr, scope: Scope) -> Iterator[exp.Expr]:
        """Yield the clock functions that a condition depends on, itself or through a query without tables."""
        from sqlglot import exp

        for part in own(node):
            if _is_clock(part):
                yield part
            if not isinstance(part, exp.Column):
                continue
            place = scope.find(part)
            source = place[0].sources[place[1]] if place else None
            for branch, inner in projected(source, part.name) if isinstance(source, Derived) else ():
                if not branch.sources:
                    yield from self._clock(inner, branch)


def _is_clock(node: exp.Expr) -> bool:
    from sqlglot import exp

    if not isinstance(node, exp.Func):
        return False
    name = str(node.this).lower() if isinstance(node, exp.Anonymous) else node.key.replace("_", "")
    if name == "unix_timestamp" and node.expressions:
        return False
    return name in _CLOCKS
