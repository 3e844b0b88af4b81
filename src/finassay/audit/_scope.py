"""What of an output a cutoff judges: the rows of its own decisions, without the columns of later outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from finassay.audit._compare import Difference, differ
from finassay.audit._kinds import is_text
from finassay.audit._order import reordered
from finassay.audit._subject import Output
from finassay.audit._types import NAME_MARK, RENAMED, Requirement
from finassay.core import InputError
from finassay.temporal import Cutoff

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.audit._types import Family
    from finassay.temporal import Contract

MOST_DATES = 12


@dataclass(frozen=True)
class Scope:
    """A cutoff and the part of an output that it judges.

    Attributes
    ----------
    cutoff : Cutoff
        Of the scenarios.
    labels : frozenset of str
        Columns that hold later outcomes; they are not compared.
    column : str or None
        The column that carries the decision date of a row; None where the cutoff is that of the whole output.
    """

    cutoff: Cutoff
    labels: frozenset[str] = frozenset()
    column: str | None = None

    def differ(self, expected: Output, found: Output, family: Family | None = None) -> Difference | None:
        """Return how two outputs differ in what is judged.

        Rows of earlier decisions are judged too: what was unknown at this cutoff was unknown to them. Not so where a
        family puts superseded or ended rows before the cutoff: those may have counted for an earlier decision.
        """
        exact = family is not None and family.requirement is Requirement.VERSION
        left, right = self._judged(expected, exact=exact), self._judged(found, exact=exact)
        if family is RENAMED:
            left, right = _unnamed(left, right)
        return differ(left, right)

    def reordered(self, expected: Output, found: Output, family: Family) -> bool:
        """Whether the rows that are judged of two outputs, the same answer, come in another order."""
        if family is RENAMED:  # its names are not compared
            return False
        exact = family.requirement is Requirement.VERSION
        return reordered(self._judged(expected, exact=exact), self._judged(found, exact=exact))

    def of_its_date(self, output: Output) -> Output:
        """Return what of an output was decided at this cutoff, without the columns of later outcomes."""
        return self._judged(output, exact=True)

    def _judged(self, output: Output, *, exact: bool) -> Output:
        if not self.labels and self.column is None:
            return output
        return Output(
            {name: self._part(table, exact=exact) for name, table in output.tables.items()}, output.error
        )

    def _part(self, table: pa.Table, *, exact: bool) -> pa.Table:
        import pyarrow as pa

        column = _found(table, self.column) if self.column is not None else None
        if column is not None:
            last = self.cutoff.day
            days = [decision_day(cell) for cell in table.column(column).to_pylist()]
            # A row without a readable date is judged at every cutoff: it may hide nothing.
            keep = [day is None or (day == last if exact else day <= last) for day in days]
            table = table.filter(pa.array(keep, pa.bool_()))
        return table.drop_columns([name for name in table.column_names if name.lower() in self.labels])


def scopes_of(contract: Contract, base: Output) -> list[Scope]:
    """Return the cutoffs to audit at, ascending: the as-of date over all, and up to twelve decision dates.

    The dates of a rhythm are those that the output carries. Of more than twelve the first, the last and ten between
    them are taken, evenly by their number.

    Raises
    ------
    InputError
        If there are decision dates and no output table has the column that carries them.
    """
    labels = frozenset(name.lower() for name in contract.labels)
    whole = [Scope(contract.cutoff, labels)] if contract.cutoff else []
    decisions = contract.decisions
    if decisions is None:
        return whole
    if decisions.column is None:
        if whole:
            return whole
        raise InputError(
            "The contract has decision dates, and does not say which output column carries them.",
            hint="Give decisions.column, or an as_of date for the whole output.",
            reason="decision_column_missing",
        )
    tables = [table for table in base.tables.values() if _found(table, decisions.column)]
    if not tables:
        raise InputError(
            f"No output table has the column {decisions.column!r}, which carries the decision dates.",
            hint=f"Columns: {', '.join(sorted({n for t in base.tables.values() for n in t.column_names}))}.",
            reason="decision_column_missing",
        )
    cutoffs = contract.decision_cutoffs
    if not cutoffs:
        found = {
            decision_day(cell) for t in tables for cell in t.column(_found(t, decisions.column)).to_pylist()
        }
        first, last = decisions.start or date.min, decisions.end or date.max
        days = sorted(day for day in found if day is not None and first <= day <= last)
        cutoffs = tuple(Cutoff(day, decisions.boundary) for day in days)
    return [*whole, *(Scope(cutoff, labels, decisions.column) for cutoff in _spread(cutoffs))]


def labels_without(contract: Contract, base: Output) -> list[str]:
    """Return the labels of a contract that no output table has."""
    return [
        name for name in contract.labels if not any(_found(table, name) for table in base.tables.values())
    ]


def rows_after_all(contract: Contract, base: Output) -> list[date]:
    """Return the dates of rows after the last decision, which no cutoff judges; earlier ones are judged at the next."""
    decisions = contract.decisions
    if decisions is None or decisions.column is None or contract.cutoff is not None:
        return []
    last = max((cutoff.day for cutoff in contract.decision_cutoffs), default=decisions.end or date.max)
    found = {
        decision_day(cell)
        for table in base.tables.values()
        if (name := _found(table, decisions.column)) is not None
        for cell in table.column(name).to_pylist()
    }
    return sorted(day for day in found if day is not None and day > last)


def _spread(cutoffs: tuple[Cutoff, ...]) -> list[Cutoff]:
    if len(cutoffs) <= MOST_DATES:
        return list(cutoffs)
    step = (len(cutoffs) - 1) / (MOST_DATES - 1)
    return [cutoffs[round(number * step)] for number in range(MOST_DATES)]


def decision_day(cell: Any) -> date | None:
    """Read a date from a cell: a date, a time, 2024-12-24, 20241224; None where it is none of these."""
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    text = str(cell).strip()
    try:
        return date.fromisoformat(text[:10] if "-" in text else text)
    except ValueError:
        return None


def _unnamed(left: Output, right: Output) -> tuple[Output, Output]:
    """Leave out the columns in which changed names are printed: printing them is free, testing them is not."""
    import pyarrow.compute as pc

    def printed(table: pa.Table, name: str) -> bool:
        column = table.column(name)
        if not is_text(column.type):
            return False
        return bool(pc.any(pc.match_substring(column, NAME_MARK)).as_py())

    names = {
        (key, name)
        for key, table in right.tables.items()
        for name in set(table.column_names)
        if table.column_names.count(name) == 1 and printed(table, name)
    }

    def rest(output: Output) -> Output:
        kept = {
            key: table.drop_columns([name for name in table.column_names if (key, name) in names])
            for key, table in output.tables.items()
        }
        return Output(kept, output.error)

    return rest(left), rest(right)


def _found(table: pa.Table, column: str | None) -> str | None:
    """Return a column's spelling in a table; None where it is not there."""
    return next(
        (name for name in table.column_names if column is not None and name.lower() == column.lower()), None
    )
