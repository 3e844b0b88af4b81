"""Rows that come once more, later: at the end of the data nothing is left to remove or to change."""

# ruff: noqa: S608 - statements of our own names

from __future__ import annotations

from functools import cached_property
from typing import Any

from finassay.audit._columns import literal, part
from finassay.audit._kinds import is_date, is_number, is_text
from finassay.audit._newcomers import Newcomers, entity_of
from finassay.database import moved
from finassay.temporal import DATE_ROLES

_DATED = ("period_end", "market_date", "disclosure")  # dates that tell one row of an entity from another


class Recurring(Newcomers):
    """The rows of a year or of four weeks, once more."""

    @cached_property
    def _may_go_on(self) -> bool:
        """Whether rows come one after the other, each with a date: no state that another one ends, no plan ahead."""
        spec = self.table.spec
        if self._available is None or self._ahead or spec.valid is not None or spec.kind == "entity":
            return False
        dates = {self._available, *(n for n in spec.key if spec.columns[n].role in _DATED)}
        return self._have_own_ids(*dates) and all(self._later(name) for name in dates)

    def _is_date(self, name: str) -> bool:
        return is_date(self._info(self.table.names[name]).arrow_type)

    @property
    def _pace(self) -> tuple[int, str]:
        """The time after which rows are there once more: a year; of quotes of days four weeks, to the same weekday."""
        quoted = self.table.spec.columns[self._available or ""].role == "market_date"
        return (28, "DAY") if quoted else (1, "YEAR")

    def _later(self, name: str) -> str | None:
        """Return a date a pace later, as the column writes dates; None where that cannot be told."""
        format_ = self.table.spec.columns[name].format
        if format_ == "native" and not self._is_date(name):
            return None
        later = moved(self._column(name), format_, self._pace, self.dialect)
        return later and self._typed(later, self._info(self.table.names[name]).type)

    @property
    def _to_recur(self) -> str:
        """The condition of a known row that was not known yet had it come later."""
        bound = self._date(self._available or "", self.view.cutoff.instant - self._lag)
        return f"{self._sql(self.view.knowable)} AND {self._later(self._available or '')} >= {bound}"

    def _with_recurring(self, touched: str, *, both: bool = False) -> str:
        """Return the table with the last known rows once more, later, in place of the rows that are not known.

        Their numbers are the largest of the column's own domain: a mean of many moves. With `both`, half are the least.
        A fifth of them are of entities that no other row has. Of single rows, those that are not known stay.
        """
        spec = self.table.spec
        values = self._anew(self._number) | self._payload() | self._extremes(both=both)
        for name, column in spec.columns.items():
            if column.role in DATE_ROLES and (later := self._later(name)):
                values[name] = later
        values |= self._stranger
        values[spec.row_id[0]] = f"{self._number} + {self._span}"
        known = self._all if touched else f"{self._all} WHERE NOT {self._unknown}"
        added = f"SELECT {self._with(values)} FROM {self._from} WHERE {self._to_recur}{touched}"
        return f"{known} UNION ALL {added}"

    def _extremes(self, *, both: bool) -> dict[str, str]:
        """Return numbers without a code list as the largest of their column, or half of them the least; NULL stays."""
        found = {}
        for name, (low, high) in self._measures.items():
            info, own = self._info(self.table.names[name]), self._column(name)
            value = literal(high)
            if both:
                # Of eleven: entities seldom have rows by the eleven, so that each has some of both on a day
                value = f"CASE WHEN {self._part(11)} < 5 THEN {literal(low)} ELSE {value} END"
            found[name] = self._typed(f"CASE WHEN {own} IS NOT NULL THEN {value} END", info.type)
        return found

    @cached_property
    def _measures(self) -> dict[str, tuple[Any, Any]]:
        """The numbers without a code list that differ, with the least and the largest of each."""
        found = {}
        for name, column in self.table.spec.columns.items():
            spelled = self.table.names[name]
            low, high = self.domains.get(spelled, (None, None))
            if column.role != "payload" or len(self.codes.get(spelled, ())) > 1 or low is None or low == high:
                continue
            if is_number(self._info(spelled).arrow_type):
                found[name] = low, high
        return found

    def _with_gaps(self, gone: str) -> str:
        """Return the table without some known rows, and with later rows in place of those not known.

        What fills a gap from the next row that there is takes one that was not known.
        """
        return f"SELECT * FROM ({self._with_recurring('', both=True)}) AS altered WHERE NOT ({gone})"

    def _without_peaks(self, touched: str) -> str:
        """Return the table with a middle value in place of the least and the largest: later rows exceed the rest."""
        changes = {}
        for name, (low, high) in self._measures.items():
            middle = (low + high) // 2 if isinstance(low, int) else low / 2 + high / 2
            value = self._typed(literal(middle), self._info(self.table.names[name]).type)
            changes[name] = (f"{self._column(name)} IN ({literal(low)}, {literal(high)})", value)
        return self._changed(changes, touched)

    def _whole(self, parts: int) -> str:
        """Return the condition of the rows of one entity in so many; FALSE where rows are of no entity."""
        import pyarrow as pa

        name = entity_of(self.stored)
        kind = self._info(self.table.names[name]).arrow_type if name else pa.null()
        if pa.types.is_integer(kind):
            return f"({self._column(name or '')} IS NOT NULL AND {part(self._column(name or ''), parts)} = 1)"
        if is_text(kind):
            first = ", ".join(literal(digit) for digit in "0123456789abcdef"[: 16 // parts])
            own = self._column(name or "")
            return f"({own} IS NOT NULL AND SUBSTRING(MD5({own}), 1, 1) IN ({first}))"
        return "FALSE"

    @property
    def _stranger(self) -> dict[str, str]:
        """The entity of a row, or of every fifth another one that no row has."""
        import pyarrow as pa

        name = entity_of(self.stored)
        low, high = self.domains.get(self.table.names[name], (None, None)) if name else (None, None)
        if name is None or low is None or high is None:
            return {}
        own, info = self._column(name), self._info(self.table.names[name])
        other = f"CONCAT({own}, '+')"
        if pa.types.is_integer(info.arrow_type):
            if 2 * int(high) - int(low) + 1 >= 1 << (info.arrow_type.bit_width - 1):
                return {}
            other = f"{own} + {int(high) - int(low) + 1}"
        elif not self._takes_texts(name):
            return {}
        return {name: self._typed(f"CASE WHEN {self._part(5)} = 0 THEN {other} ELSE {own} END", info.type)}
