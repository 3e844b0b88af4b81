"""What a table told at a cutoff: which rows were known, which held, which version counted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from finassay.core import InputError
from finassay.temporal._predicate import (
    All,
    Before,
    Missing,
    Not,
    Predicate,
    all_of,
    holds,
    holds_each,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.temporal._cutoff import Cutoff
    from finassay.temporal._table import Table

VersionRule = Literal["latest", "first"]
Row = TypeVar("Row", bound=Mapping[str, Any])


class AvailabilityUnknown(InputError):
    """The data do not say when rows became known, and no proxy is allowed: no answer, so no certificate."""

    reason = "availability_unknown"


@dataclass(frozen=True)
class AsOf:
    """A table as of a cutoff.

    The rules are those of task_families.md, 0.1 and pit_audit.md, 2.1:

    * A row is *knowable* if its availability lies strictly before the cutoff. NULL availability is never known.
    * A row is *applicable* if it is knowable, its interval has started on D, and it has not ended on D as far as is
      known. An end that was not public at the cutoff reads as open.
    * Among knowable rows that have started, the last in version order is *selected*, **then** its end is tested: an
      ended last version does not revive the one before it. Without `versions`, every applicable row is selected.

    Intervals are half-open and tested by calendar day.

    Parameters
    ----------
    table : Table
        Its catalog entry.
    cutoff : Cutoff
        The as-of date and boundary.
    proxies : collection of str
        Recording columns that the contract allows as availability.
    rule : {"latest", "first"}
        The version that counts: the last in version order known at the cutoff, or the first ever (首次披露值).
    name : str
        The table's name, for messages.
    """

    table: Table
    cutoff: Cutoff
    proxies: Collection[str] = ()
    rule: VersionRule = "latest"
    name: str = field(default="the table", compare=False)

    # --- conditions

    @cached_property
    def knowable(self) -> Predicate:
        """The condition of a knowable row.

        Raises
        ------
        AvailabilityUnknown
            If the catalog names no availability and the contract allows no proxy.
        """
        available = self.table.availability
        if available and available.proxy and available.proxy in self.proxies:
            return self._before(available.proxy)
        if available and available.always:
            return All()
        if available and available.column:
            if available.ahead:
                return Before(available.column, self.cutoff.day_end, self._format(available.column))
            return self._before(available.column, available.lag_days)
        proxy = available.proxy if available else None
        raise AvailabilityUnknown(
            f"The data do not say when rows of {self.name} became known.",
            hint=f"Let the contract allow the recording time {proxy} as a proxy (recording_proxies)."
            if proxy
            else "Nothing can be certified over this table.",
        )

    @cached_property
    def started(self) -> Predicate:
        """The condition of a row whose interval has started on D; always true without an interval."""
        valid = self.table.valid
        if valid is None:
            return All()
        return Before(valid.start, self.cutoff.day_end, self._format(valid.start))

    @cached_property
    def end_known(self) -> Predicate:
        """The condition of an end that was public at the cutoff.

        Without a disclosure of its own (W2) that is an end up to D. With one, a scheduled end after D is known too; an
        undisclosed end (NULL) is not.
        """
        valid = self.table.valid
        if valid is None or valid.end is None:
            return Not(All())
        if valid.end_known is None:
            return self._end_past
        return all_of(Not(self._open), self._before(valid.end_known.column, valid.end_known.lag_days))

    @cached_property
    def ended(self) -> Predicate:
        """The condition of a row that has ended on D, and whose end was public."""
        if self.table.valid is None or self.table.valid.end is None:
            return Not(All())
        return all_of(self._end_past, self.end_known)

    @cached_property
    def applicable(self) -> Predicate:
        """The condition of a row that is knowable, has started and has not ended."""
        parts = [self.knowable, self.started]
        if self.table.valid is not None and self.table.valid.end is not None:
            parts.append(Not(self.ended))
        return all_of(*parts)

    @cached_property
    def hidden(self) -> Mapping[str, Predicate | None]:
        """Columns whose values are not shown as of the cutoff, with the condition under which one *is* shown.

        None: never. Current state and update times always; recording times unless they are an allowed proxy or order
        the versions; ends and their companions until the end is known; staged columns until they are disclosed.
        """
        hidden: dict[str, Predicate | None] = {}
        order = self.table.versions.order if self.table.versions else ()
        for name, column in self.table.columns.items():
            if column.role in ("current_state", "updated") or (
                column.role == "recorded" and name not in self.proxies and name not in order
            ):
                hidden[name] = None
            elif column.disclosed_by:
                hidden[name] = self._before(column.disclosed_by)
        valid = self.table.valid
        if valid and valid.end:
            known = valid.end_known
            companions = (valid.end, *((known.column,) if known else ()), *valid.with_end)
            # A column already hidden for good stays so; the availability itself is never hidden.
            own = self.table.availability.column if self.table.availability else None
            hidden |= {name: self.end_known for name in companions if name not in hidden and name != own}
        return hidden

    # --- answers for rows as mappings

    def is_knowable(self, row: Mapping[str, Any]) -> bool:
        """Whether the row was known at the cutoff."""
        return holds(self.knowable, row)

    def is_applicable(self, row: Mapping[str, Any]) -> bool:
        """Whether the row was known and held on D."""
        return holds(self.applicable, row)

    def known(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row as it read at the cutoff: what was not known is None. The row itself is knowable."""
        return {name: value if self._shown(name, row) else None for name, value in row.items()}

    def select(self, rows: Iterable[Row]) -> list[Row]:
        """Return the selected rows, in the order given.

        Rows that tie in version order are all returned. An empty input gives an empty list.
        """
        started = [row for row in rows if holds(all_of(self.knowable, self.started), row)]
        versions = self.table.versions
        if versions is not None:
            best: dict[tuple[Any, ...], Any] = {}
            pick = max if self.rule == "latest" else min
            for row in started:
                group, rank = _cells(row, versions.per), _rank(row, versions.order)
                best[group] = pick(best.get(group, rank), rank)
            started = [
                row for row in started if best[_cells(row, versions.per)] == _rank(row, versions.order)
            ]
        return [row for row in started if not holds(self.ended, row)]

    # --- answers for Arrow tables

    def knowable_mask(self, rows: pa.Table) -> pa.Array:
        """Return for each row whether it was known at the cutoff."""
        return holds_each(self.knowable, rows)

    def applicable_mask(self, rows: pa.Table) -> pa.Array:
        """Return for each row whether it was known and held on D."""
        return holds_each(self.applicable, rows)

    def selected_mask(self, rows: pa.Table) -> pa.Array:
        """Return for each row whether it is selected; see `select`."""
        import pyarrow as pa
        import pyarrow.compute as pc

        started = holds_each(all_of(self.knowable, self.started), rows)
        versions = self.table.versions
        if versions is not None:
            best = _best(
                rows.select(list(versions.per)),
                rows.select(list(versions.order)),
                started.to_numpy(zero_copy_only=False),
                self.rule,
            )
            started = pa.array(best)
        return pc.and_(started, pc.invert(holds_each(self.ended, rows)))

    def known_table(self, rows: pa.Table) -> pa.Table:
        """Return the knowable rows as they read at the cutoff (K_c): what was not known is NULL."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kept = rows.filter(holds_each(self.knowable, rows))
        for index, name in enumerate(kept.column_names):
            if name not in self.hidden:
                continue
            shown = self.hidden[name]
            kind = kept.schema.field(index).type
            nothing = pa.nulls(kept.num_rows, type=kind)
            values = (
                nothing
                if shown is None
                else pc.if_else(holds_each(shown, kept), kept.column(index), pa.scalar(None, type=kind))
            )
            kept = kept.set_column(index, pa.field(name, kind), values)
        return kept

    # --- inside

    def _format(self, column: str) -> Any:
        return self.table.columns[column].format

    def _before(self, column: str, lag_days: int = 0) -> Before:
        return Before(column, self.cutoff.instant - timedelta(days=lag_days), self._format(column))

    @cached_property
    def _open(self) -> Missing:
        valid = self.table.valid
        assert valid is not None  # noqa: S101 - asked of intervals with an end only
        assert valid.end is not None  # noqa: S101
        return Missing(valid.end, valid.open, self._format(valid.end))

    @cached_property
    def _end_past(self) -> Predicate:
        valid = self.table.valid
        assert valid is not None  # noqa: S101 - asked of intervals with an end only
        assert valid.end is not None  # noqa: S101
        midnight = self.cutoff.day_end - timedelta(days=1 if valid.inclusive else 0)
        past = Before(valid.end, midnight, self._format(valid.end))
        return all_of(Not(self._open), past) if valid.open else past

    def _shown(self, name: str, row: Mapping[str, Any]) -> bool:
        if name not in self.hidden:
            return True
        shown = self.hidden[name]
        return shown is not None and holds(shown, row)


def _cells(row: Mapping[str, Any], names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def _rank(row: Mapping[str, Any], names: tuple[str, ...]) -> tuple[tuple[bool, Any], ...]:
    """Return a key that sorts None below everything."""
    return tuple((row[name] is not None, row[name] if row[name] is not None else 0) for name in names)


def _best(per: pa.Table, order: pa.Table, among: Any, rule: VersionRule) -> Any:
    """Return for each row whether it is in `among` and no other such row of its group ranks beyond it."""
    import numpy as np

    chosen = np.flatnonzero(among)
    best = np.zeros(per.num_rows, dtype=bool)
    if len(chosen) == 0:
        return best
    group = _groups(per.take(chosen))
    keys = [_rank_of(column) for column in order.take(chosen).columns]
    sorted_rows = np.lexsort((*reversed(keys), group))
    changes = np.flatnonzero(np.diff(group[sorted_rows]))
    ends = np.append(changes, len(chosen) - 1) if rule == "latest" else np.append(0, changes + 1)
    top = np.empty(group.max() + 1, dtype=np.int64)
    top[group[sorted_rows[ends]]] = sorted_rows[ends]
    # Ties stay: every row that equals the first or last of its group in all keys.
    best[chosen] = np.logical_and.reduce([key == key[top[group]] for key in keys])
    return best


def _groups(table: pa.Table) -> Any:
    """Return a whole number per row that is equal exactly where all columns are, NULL included."""
    import pyarrow as pa

    group = _codes(table.column(0))
    for column in table.columns[1:]:
        codes = _codes(column)
        group = _codes(pa.chunked_array([group * (codes.max() + 1) + codes]))
    return group


def _rank_of(column: Any) -> Any:
    """Return a whole number per row that orders as the values do; NULL is the lowest."""
    import numpy as np
    import pyarrow.compute as pc

    encoded = _encoded(column, nulls="mask")
    values = encoded.dictionary
    rank = np.zeros(len(values) + 1, dtype=np.int64)  # the last stands for NULL
    rank[pc.sort_indices(values).to_numpy()] = np.arange(1, len(values) + 1)
    return rank[encoded.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)]


def _codes(column: Any) -> Any:
    """Return a whole number per row that is equal exactly where the values are, NULL included."""
    import numpy as np

    return np.asarray(_encoded(column, nulls="encode").indices, dtype=np.int64)


def _encoded(column: Any, nulls: str) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    encoded = column.combine_chunks().dictionary_encode(null_encoding=nulls)
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    return encoded
