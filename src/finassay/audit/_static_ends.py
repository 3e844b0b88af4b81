"""Whether a statement tests the ends of intervals as they were known: its conditions, tried on ends of every kind."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from finassay.audit._static_bounds import Bound
from finassay.audit._static_scopes import own
from finassay.audit._static_values import UNSAID
from finassay.audit._types import Requirement
from finassay.temporal import encode, holds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from finassay.audit._certificate import Obligation
    from finassay.audit._static_bounds import Condition
    from finassay.audit._static_rules import Rules
    from finassay.audit._static_scopes import Scan

_A2, _A3 = Requirement.STATE, Requirement.VERSION
_DAY = timedelta(days=1)


class Ends:
    """The end of the intervals of one scan."""

    def __init__(self, rules: Rules, scan: Scan) -> None:
        assert scan.table is not None  # noqa: S101 - asked of tables of the catalog
        self.rules, self.scan, self.table, self.valid = rules, scan, scan.table, scan.table.valid

    def obligations(self) -> Iterator[Obligation]:
        """Yield what is owed to the end of an interval: A2 that a later end is not used, A3 that an earlier one is."""
        if (
            self.valid is None
            or self.valid.end is None
            or self.table.columns[self.valid.end].format == "other"
        ):
            return
        yield from self._shown()
        conditions = [c for c in self.rules.bounds.conditions if self._mentions(c)]
        if not conditions:
            if not self._history:
                why = f"{self.valid.end} is not tested: an interval that had ended may be used."
                yield self._make(_A3, "open", self.scan.node, why)
            return
        yield from self._judged(conditions)

    @property
    def _history(self) -> bool:
        return self.scan.name in self.rules.contract.history

    def _judged(self, conditions: list[Condition]) -> Iterator[Obligation]:
        node = conditions[0].node
        day = self.rules.bounds.cutoff.day_end - _DAY
        last = day - (
            _DAY if self._inclusive else timedelta(0)
        )  # the end of an interval that ended on the day
        open_, past = self._holds(conditions, None), self._holds(conditions, last - 40 * _DAY)
        ended, later = self._holds(conditions, last), self._holds(conditions, day + 30 * _DAY)
        soon = self._holds(conditions, last + _DAY)
        far = self._holds(conditions, day + 4000 * _DAY)
        answers = (open_, past, ended, soon, later, far)
        end = self.valid.end if self.valid else ""
        if UNSAID in answers:
            yield self._make(_A3, "open", node, f"How this tests {end} cannot be told.")
        elif answers == (True, False, False, True, True, True) or (
            open_ is False and self._always_filled and answers[1:] == (False, False, True, True, True)
        ):
            why = f"{end} is tested as it was known on the day."
            yield self._make(_A2, "discharged", node, why)
            yield self._make(_A3, "discharged", node, why)
        elif open_ is later is far is soon:
            yield from self._not_later(node, answers, last)
        else:
            proven = not self._excused(conditions)
            why = f"Whether {end} is empty, or far away, was not known at the cutoff: later ends decide."
            yield self._make(_A2, "violated" if proven else "open", node, why)

    def _not_later(self, node: exp.Expr, answers: tuple[Any, ...], last: datetime) -> Iterator[Obligation]:
        """Judge a condition to which ends after the cutoff make no difference."""
        open_, past, ended = answers[:3]
        end = self.valid.end if self.valid else ""
        yield self._make(
            _A2, "discharged", node, f"Ends after the cutoff make no difference to the test of {end}."
        )
        if self._history or not open_:
            return
        if ended and not past and not holds(self.rules.views[self.scan.name].ended, self._row(last)):
            why = f"{end} is tested as it was known on the day, and the last day's was not."
            yield self._make(_A3, "discharged", node, why)
        elif ended and not past:
            overlap = self.table.disjoint is not None and self.table.disjoint.overlap_days > 0
            proven = not overlap and not self.rules.lenient and not self.rules.handed_on
            why = f"An interval whose {end} is the day itself no longer holds on it."
            yield self._make(_A3, "violated" if proven else "open", node, why)
        else:
            yield self._make(
                _A3, "open", node, f"Intervals that ended before the cutoff pass this test of {end}."
            )

    def _excused(self, conditions: list[Condition]) -> bool:
        """Whether another part of the statement may take the rows that this one leaves."""
        valid = self.valid
        scans = [scan for scan in self.rules.statement.scans if scan.name == self.scan.name]
        outer = any(alias in c.scope.optional for c in conditions for alias in self._tops(c))
        told = valid.end_known.column if valid is not None and valid.end_known is not None else None
        known = told is not None and any(told in self._columns(condition) for condition in conditions)
        return len(scans) > 1 or outer or known or self.rules.lenient or self._always_filled

    @property
    def _always_filled(self) -> bool:
        assert self.valid is not None  # noqa: S101 - asked of tables with intervals
        assert self.valid.end is not None  # noqa: S101
        return bool(self.valid.open) or self.table.columns[self.valid.end].max_null == 0

    @property
    def _inclusive(self) -> bool:
        return self.valid is not None and self.valid.inclusive

    def _holds(self, conditions: list[Condition], end: datetime | None) -> Any:
        """Return whether all conditions hold for an end."""
        given = {(self.scan, name): value for name, value in self._row(end).items()}
        truth: Any = True
        for condition in conditions:
            value = self.rules.statement.value(condition.node, condition.scope, given)
            if value is UNSAID:
                return UNSAID
            truth = truth and bool(value)
        return truth

    def _row(self, end: datetime | None) -> dict[str, Any]:
        """Return the columns of an end as stored; its disclosure lies before it where that was public."""
        assert self.valid is not None  # noqa: S101 - asked of tables with intervals
        assert self.valid.end is not None  # noqa: S101
        row = {self.valid.end: self._stored(self.valid.end, end)}
        known = self.valid.end_known
        if known is not None and known.column != self.valid.end:
            day = self.rules.bounds.cutoff.day_end - _DAY
            told = None if end is None else end - 20 * _DAY if end <= day else day + 20 * _DAY
            row[known.column] = self._stored(known.column, told)
        return row

    def _stored(self, column: str, moment: datetime | None) -> Any:
        return None if moment is None else encode(self.table.columns[column].format, moment)

    def _mentions(self, condition: Condition) -> bool:
        assert self.valid is not None  # noqa: S101 - asked of tables with intervals
        return self.valid.end in self._columns(condition)

    def _columns(self, condition: Condition) -> set[str]:
        found = self.rules.statement.bases(condition.node, condition.scope, rows=True)
        return {base.column for base in found if base.scan is self.scan}

    def _tops(self, condition: Condition) -> set[str]:
        found = self.rules.statement.bases(condition.node, condition.scope, rows=True)
        return {base.top[1] for base in found if base.scan is self.scan}

    def _shown(self) -> Iterator[Obligation]:
        """Yield the places where an end is shown that may not have been known."""
        from sqlglot import exp

        assert self.valid is not None  # noqa: S101 - asked of tables with intervals
        assert self.valid.end is not None  # noqa: S101
        rules = self.rules
        for scope in rules.statement.scopes:
            for item in scope.select.expressions if scope.root and not rules.handed_on else ():
                for base in rules.statement.bases(item, scope):
                    if (base.scan, base.column) != (self.scan, self.valid.end):
                        continue
                    reach = rules.bounds.of((self.scan, self.valid.end))
                    if isinstance(reach, Bound) and reach.within(rules.bounds.cutoff.day_end):
                        continue
                    chosen = any(isinstance(p, exp.Func | exp.Predicate | exp.Binary) for p in own(item))
                    label = item.alias_or_name in {name.lower() for name in rules.contract.labels}
                    proven = not (
                        chosen
                        or label
                        or rules.lenient
                        or self.valid.end_known is not None
                        or self._always_filled
                        or not base.bare
                    )
                    why = f"{self.valid.end} is shown: an end after the cutoff was not known."
                    yield self._make(_A2, "violated" if proven else "open", item, why)

    def _make(self, requirement: Requirement, status: str, node: exp.Expr, why: str) -> Obligation:
        return self.rules.make(self.scan, requirement, "end", status, node, why)
