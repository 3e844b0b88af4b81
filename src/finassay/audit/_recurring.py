"""Rows that come once more, later: at the end of the data nothing is left to remove or to change."""

# ruff: noqa: S608 - statements of our own names

from __future__ import annotations

from functools import cached_property

from finassay.audit._columns import literal
from finassay.audit._kinds import is_date, is_number, is_text
from finassay.audit._newcomers import Newcomers, entity_of
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
        return self._may_be_numbered_anew and all(self._is_date(name) for name in dates)

    def _is_date(self, name: str) -> bool:
        return is_date(self._info(self.table.names[name]).arrow_type)

    @property
    def _pace(self) -> str:
        """The time after which rows are there once more: a year; of quotes of days four weeks, to the same weekday."""
        quoted = self.table.spec.columns[self._available or ""].role == "market_date"
        return "INTERVAL '28' DAY" if quoted else "INTERVAL '1' YEAR"

    @property
    def _to_recur(self) -> str:
        """The condition of a known row that was not known yet had it come later."""
        bound = self._date(self._available or "", self.view.cutoff.instant - self._lag)
        return f"{self._sql(self.view.knowable)} AND {self._column(self._available or '')} + {self._pace} >= {bound}"

    def _with_recurring(self, touched: str, end: int = -1) -> str:
        """Return the table with the last known rows once more, later, in place of the rows that are not known.

        Their numbers are all at one end of the column's own domain, -1 the largest, 0 the least: a mean of many moves.
        A fifth of them are of entities that no other row has. Of single rows, those that are not known stay.
        """
        spec = self.table.spec
        values = self._anew(self._number) | self._payload() | self._extremes(end)
        for name, column in spec.columns.items():
            if column.role in DATE_ROLES and self._is_date(name):
                kind = self._info(self.table.names[name]).type
                values[name] = self._typed(f"{self._column(name)} + {self._pace}", kind)
        values |= self._stranger
        values[spec.row_id[0]] = f"{self._number} + {self._span}"
        known = self._all if touched else f"{self._all} WHERE NOT {self._unknown}"
        added = f"SELECT {self._with(values)} FROM {self._from} WHERE {self._to_recur}{touched}"
        return f"{known} UNION ALL {added}"

    def _extremes(self, end: int) -> dict[str, str]:
        """Return numbers without a code list as the least or the largest of their column; NULL stays NULL."""
        found = {}
        for name, column in self.table.spec.columns.items():
            spelled = self.table.names[name]
            info, ends = self._info(spelled), self.domains.get(spelled, (None, None))
            if column.role != "payload" or len(self.codes.get(spelled, ())) > 1 or ends[end] is None:
                continue
            if is_number(info.arrow_type):
                own = self._quoted(spelled)
                value = f"CASE WHEN {own} IS NOT NULL THEN {literal(ends[end])} END"
                found[name] = self._typed(value, info.type)
        return found

    def _with_gaps(self, gone: str) -> str:
        """Return the table without some known rows, and with later rows in place of those not known.

        What fills a gap from the next row that there is takes one that was not known.
        """
        return f"SELECT * FROM ({self._with_recurring('', end=0)}) AS altered WHERE NOT ({gone})"

    def _whole(self, parts: int) -> str:
        """Return the condition of the rows of one entity in so many; FALSE where rows are of no entity."""
        import pyarrow as pa

        name = entity_of(self.stored)
        kind = self._info(self.table.names[name]).arrow_type if name else pa.null()
        if pa.types.is_integer(kind):
            return (
                f"({self._column(name or '')} IS NOT NULL AND MOD({self._column(name or '')}, {parts}) = 1)"
            )
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
        elif is_number(info.arrow_type):
            return {}
        return {
            name: self._typed(f"CASE WHEN MOD({self._number}, 5) = 0 THEN {other} ELSE {own} END", info.type)
        }
