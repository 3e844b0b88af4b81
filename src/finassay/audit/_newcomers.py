"""Rows for entities that have none, such as the first default of a bond, disclosed from the cutoff on."""

# ruff: noqa: S608 - statements of our own names

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from finassay.audit._columns import DAY, Columns
from finassay.database import identifier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from finassay.database import Dialect, ResolvedTable


def entity_of(table: ResolvedTable) -> str | None:
    """Return the catalog's name of the column that says of which entity a row is: the first of its key, no date."""
    spec = table.spec
    names = [name for name in spec.key if spec.columns[name].role == "key" and spec.row_id != (name,)]
    return names[0] if names else None


def peers_of(table: ResolvedTable, others: Iterable[ResolvedTable], dialect: Dialect) -> str | None:
    """Return a SELECT of the entities that another table knows, one of entities before the rest; None without any."""
    entity = entity_of(table)
    if entity is None:
        return None
    knowing = [
        (other.spec.kind != "entity", other.info.name, own, other)
        for other in others
        if other.info.name != table.info.name
        for own in other.spec.key
        if own.lower() == entity.lower() and own not in other.spec.row_id[1:]
    ]
    if not knowing:
        return None
    _, _, own, other = min(knowing, key=lambda one: one[:2])
    column, source = identifier(other.names[own], dialect), other.source.sql(dialect=dialect)
    return f"SELECT DISTINCT {column} AS finassay_entity FROM {source} WHERE {column} IS NOT NULL"


class Newcomers(Columns):
    """The rows of entities that have none."""

    @property
    def _may_have_newcomers(self) -> bool:
        """Whether rows come to entities one by one, and other tables of the audit know more of them."""
        if self.peers is None or self._available is None or self._ahead:
            return False
        told = self._have_own_ids(entity_of(self.stored), self._available)
        return told and self.table.spec.kind not in ("entity", "snapshot")

    @property
    def _may_begin_untold(self) -> bool:
        """Whether such a row may have begun before it is told: no order of dates that is stated says otherwise."""
        valid = self.table.spec.valid
        return valid is None or not self._in_order(self._available, valid.start)

    @property
    def _may_begin_later(self) -> bool:
        """Whether such a row may be known before it begins: no order of dates that is stated says otherwise."""
        valid = self.table.spec.valid
        if valid is None or valid.start == self._available:
            return False
        return not self._in_order(valid.start, self._available)

    @property
    def _strangers(self) -> str:
        """A SELECT of the entities without a row, and the place of each among them."""
        entity = self._column(entity_of(self.stored) or "")
        known = f"SELECT {entity} FROM {self._from} WHERE {entity} IS NOT NULL"
        return (
            "SELECT finassay_entity, ROW_NUMBER() OVER (ORDER BY finassay_entity) AS finassay_place "
            f"FROM ({self.peers}) AS peers WHERE finassay_entity NOT IN ({known})"
        )

    @property
    def _new_number(self) -> str:
        spelled = self.table.names[self.table.spec.row_id[0]]
        high = self.domains.get(spelled, (0, 0))[1] or 0
        return self._typed(f"{int(high)} + finassay_place", self._info(spelled).type)

    def _newcomers(self, touched: str, *, known: bool = False, ended: bool = False) -> str:
        """Return the table with a row for each entity that has none, after the pattern of known rows in turn.

        It is disclosed from the cutoff on; or was known, and begins a day later or has ended on the as-of date.
        """
        spec, available = self.table.spec, self._available
        assert available is not None  # noqa: S101 - asked of tables with one only
        moment = self.view.cutoff.instant - self._lag - (3 * DAY if known else timedelta())
        when = self._date(available, moment)
        if spec.columns[available].format == "native" and not known:
            when = self._spread(available, moment, "MOD(finassay_place, 3)")
        values = {**self._anew("finassay_place"), entity_of(self.stored) or "": "finassay_entity"}
        values[spec.row_id[0]] = self._new_number
        values |= {n: when for n, c in spec.columns.items() if c.role == "recorded" and c.format == "native"}
        if spec.valid is not None:
            values |= self._interval(begun=ended or not known, ended=ended)
        values[available] = when
        patterns = (
            f"SELECT {', '.join(self._quoted(c.name) for c in self.table.info.columns)}, "
            f"ROW_NUMBER() OVER (ORDER BY {self._number}) AS finassay_pattern, COUNT(*) OVER () AS finassay_patterns "
            f"FROM {self._from} WHERE {self._sql(self.view.knowable)}"
        )
        added = (
            f"SELECT {self._with(values)} FROM ({self._strangers}) AS strangers JOIN ({patterns}) AS patterns "
            "ON finassay_pattern = 1 + MOD(finassay_place * 7919, finassay_patterns)"
        )
        return f"{self._all} UNION ALL SELECT * FROM ({added}) AS added WHERE TRUE{touched}"

    def _interval(self, *, begun: bool, ended: bool) -> dict[str, str]:
        """Return the interval of such a row: begun two days before the cutoff or after it, open or ended on the day."""
        valid = self.table.spec.valid
        assert valid is not None  # noqa: S101 - tables with an interval only
        cutoff = self.view.cutoff
        start = cutoff.instant - 3 * DAY if begun else cutoff.day_end
        values = {valid.start: self._date(valid.start, start)}
        known = valid.end_known.column if valid.end_known else None
        for name in (valid.end, known, *valid.with_end):
            if name:
                none = self._no_end if name == valid.end else "NULL"
                last = ended and name in (valid.end, known)
                values[name] = self._date(name, cutoff.day_end - DAY) if last else none
        for name, while_open in self._flags.items():
            value = self._flag(name, while_open, is_open=not ended)
            if value is not None:
                values[name] = value
        return values
