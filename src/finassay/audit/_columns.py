"""A table at a cutoff, and its columns as expressions: the catalog's conditions, other values of a domain."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from finassay.audit._unmatched import is_number
from finassay.database import identifier, predicate_sql, selected_view
from finassay.temporal import AsOf, Not, Predicate, encode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from finassay.database import ColumnInfo, Database, Dialect, ResolvedTable
    from finassay.temporal import Catalog, Column

DAY = timedelta(days=1)
_YEAR = timedelta(days=365)


@dataclass(frozen=True)
class Columns:
    """A table at a cutoff, and its columns as expressions.

    Attributes
    ----------
    table : ResolvedTable
        The table and its catalog entry.
    view : AsOf
        What the catalog says of the cutoff.
    dialect : {"duckdb", "mysql", "postgres"}
        The engine's.
    domains : mapping of str to (least, greatest)
        The values that occur in each column.
    codes : mapping of str to tuple of str
        The code list of each column that has one.
    nulls : frozenset of str
        The columns that have NULLs.
    life : bool
        The contract says that the life of the task's entities is written here.
    peers : str or None
        A SELECT of the entities that other tables of the audit know, as ``finassay_entity``.
    spoken : tuple of str
        The texts that the program has in quotation marks: a name among them names one entity for good.
    """

    table: ResolvedTable
    view: AsOf
    dialect: Dialect
    domains: Mapping[str, tuple[Any, Any]]
    codes: Mapping[str, tuple[str, ...]]
    nulls: frozenset[str] = frozenset()
    life: bool = False
    peers: str | None = None
    spoken: tuple[str, ...] = ()

    @property
    def _from(self) -> str:
        return self.table.source.sql(dialect=self.dialect)

    @property
    def _all(self) -> str:
        return f"SELECT {', '.join(self._quoted(c.name) for c in self.table.info.columns)} FROM {self._from}"  # noqa: S608 - our own names

    def _quoted(self, name: str) -> str:
        return identifier(name, self.dialect)

    def _info(self, spelled: str) -> ColumnInfo:
        return next(column for column in self.table.info.columns if column.name == spelled)

    def _column(self, name: str) -> str:
        return self._quoted(self.table.names[name])

    def _sql(self, predicate: Predicate) -> str:
        return f"({predicate_sql(predicate, self.dialect, names=self.table.names)})"

    @cached_property
    def _number(self) -> str | None:
        """The column that numbers the rows: a whole-number row id of one column."""
        import pyarrow as pa

        if len(self.table.spec.row_id) != 1:
            return None
        spelled = self.table.names[self.table.spec.row_id[0]]
        kind = self._info(spelled).arrow_type
        whole = bool(pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0))
        return self._quoted(spelled) if whole else None

    @property
    def numbered(self) -> bool:
        """Whether a column numbers the rows."""
        return self._number is not None

    @property
    def known_by(self) -> str | None:
        """The catalog's name of the column that says when a row was known, or of what stands for it."""
        return self._available

    @cached_property
    def _available(self) -> str | None:
        """The catalog's name of the column that says when a row was known."""
        spec = self.table.spec.availability
        if spec is None:
            return None
        return spec.proxy if spec.proxy and spec.proxy in self.view.proxies else spec.column

    @property
    def _lag(self) -> timedelta:
        """How long after the time in that column a row was known: a recording time that stands for it has no lag."""
        spec = self.table.spec.availability
        return timedelta(days=spec.lag_days if spec and spec.column == self._available else 0)

    @property
    def _ahead(self) -> bool:
        spec = self.table.spec.availability
        return bool(spec and spec.ahead and spec.column == self._available)

    @cached_property
    def _flags(self) -> dict[str, tuple[str, ...]]:
        """Columns that repeat whether the interval has ended, with their values while it has not."""
        return {d.flag: d.while_open for d in self.table.spec.dependencies if d.flag}

    @property
    def _key_in_words(self) -> str | None:
        kind = "CHAR" if self.dialect == "mysql" else "VARCHAR"
        parts = [
            f"{literal(f'{comma}{self.table.names[name]} ')}, CAST({self._column(name)} AS {kind})"
            for comma, name in zip(("", *[", "] * 9), self.table.spec.key, strict=False)
        ]
        return f"CONCAT({', '.join(parts)})" if parts else None

    @cached_property
    def _unknown(self) -> str:
        return self._sql(Not(self.view.knowable))

    @property
    def _chosen(self) -> str:
        return selected_view(
            self.table, self.view.cutoff, self.dialect, proxies=self.view.proxies, rule=self.view.rule
        )

    def _payload(self) -> dict[str, str]:
        roles = ("payload", "current_state")
        return {
            n: self._other(n)
            for n, c in self.table.spec.columns.items()
            if c.role in roles and n not in self._flags
        }

    def _empty(self, *, known: bool) -> dict[str, str]:
        """Measures as NULL: those that are NULL in some row, or those that may be and never are."""
        columns = self.table.spec.columns
        return {
            name: "NULL"
            for name, column in columns.items()
            if column.role == "payload"
            and name not in self._flags
            and column.max_null != 0
            and (self.table.names[name] in self.nulls) is known
        }

    def _flag(self, name: str, while_open: tuple[str, ...], *, is_open: bool) -> str | None:
        import pyarrow as pa

        spelled = self.table.names[name]
        closed = [code for code in self.codes.get(spelled, ()) if code not in while_open]
        low, high = self.domains.get(spelled, (None, None))
        closed += [str(value) for value in (low, high) if value is not None and str(value) not in while_open]
        choice = while_open[:1] if is_open else closed[:1]
        if not choice:
            return None
        kind = self._info(spelled).arrow_type
        return literal(choice[0]) if pa.types.is_string(kind) or pa.types.is_large_string(kind) else choice[0]

    def _across(self, name: str) -> str | None:
        """Return an expression for a date's mirror image at the cutoff; None for other columns.

        A bound near the cutoff then lets in what it kept out, and an order is turned round. What stands for no date,
        such as 9999-12-31, stays; of the states of today that are missing, half lie before the cutoff then, half after.
        """
        import pyarrow as pa

        spelled = self.table.names[name]
        info = self._info(spelled)
        if not (pa.types.is_date(info.arrow_type) or pa.types.is_timestamp(info.arrow_type)):
            return None
        column, moment = self._quoted(spelled), self.view.cutoff.day_end
        first, last, turn = (self._date(name, moment + n * 60 * _YEAR) for n in (-1, 1, 0))
        if self.dialect == "mysql":
            mirrored = f"TIMESTAMPADD(SECOND, TIMESTAMPDIFF(SECOND, {column}, {turn}), {turn})"
        else:
            turn = f"CAST({turn} AS TIMESTAMP)"
            mirrored = f"{turn} + ({turn} - CAST({column} AS TIMESTAMP))"
        missing = ""
        if self._number and self.table.spec.columns[name].role == "current_state":
            before, after = (self._date(name, moment + n * DAY) for n in (-30, 30))
            missing = f"WHEN {column} IS NULL THEN CASE WHEN MOD({self._number}, 2) = 1 THEN {before} ELSE {after} END "
        text = f"CASE {missing}WHEN {column} BETWEEN {first} AND {last} THEN {mirrored} ELSE {column} END"
        return self._typed(text, info.type)

    def _other(self, name: str) -> str:
        """Return an expression for another value of the column's own domain; NULL stays NULL."""
        import pyarrow as pa

        spelled = self.table.names[name]
        column = self._quoted(spelled)
        info = self._info(spelled)
        codes = self.codes.get(spelled, ())
        kind = info.arrow_type
        textual = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        if len(codes) > 1:
            written = literal if textual else str
            cases = " ".join(
                f"WHEN {written(a)} THEN {written(b)}"
                for a, b in zip(codes, codes[1:] + codes[:1], strict=True)
            )
            return self._typed(f"CASE {column} {cases} ELSE {column} END", info.type)
        if pa.types.is_boolean(kind):
            return f"NOT {column}"
        if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
            return self._typed(f"{column} + INTERVAL '400' DAY", info.type)
        low, high = self.domains.get(spelled, (None, None))
        if low is None:
            return column
        if is_number(kind):
            mirrored = f"{literal(low)} + {literal(high)} - {column}"
            if self._number:  # half of them to the other end of the domain: some rise, some fall
                far = f"CASE WHEN {column} = {literal(low)} THEN {literal(high)} ELSE {literal(low)} END"
                odd = f"MOD({self._number}, 2) = 1 AND {column} IS NOT NULL"
                mirrored = f"CASE WHEN {odd} THEN {far} ELSE {mirrored} END"
            return self._typed(mirrored, info.type)
        if textual:
            first, last = literal(low), literal(high)
            return f"CASE WHEN {column} = {last} THEN {first} WHEN {column} IS NOT NULL THEN {last} END"
        return column

    def _with(self, values: Mapping[str, str]) -> str:
        """Return the columns of the table for a SELECT, some with other values."""
        stored = {self.table.names[name]: value for name, value in values.items() if name in self.table.names}
        columns = [(self._quoted(c.name), c.name) for c in self.table.info.columns]
        return ", ".join(f"{stored.get(name, quoted)} AS {quoted}" for quoted, name in columns)

    def _in_order(self, first: str | None, later: str | None) -> bool:
        """Whether an order of dates is stated in which one column comes before another."""
        orders = [d.order for d in self.table.spec.dependencies if first in d.order]
        return any(later in order[order.index(first or "") + 1 :] for order in orders)

    def _some(self, name: str) -> str:
        """Return a value of a column's own domain: of dates the cutoff, else the least; NULL where none is known."""
        import pyarrow as pa

        spelled = self.table.names[name]
        kind = self._info(spelled).arrow_type
        if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
            return self._date(name, self.view.cutoff.instant)
        low, _ = self.domains.get(spelled, (None, None))
        return "NULL" if low is None else literal(low)

    def _typed(self, text: str, kind: str) -> str:
        """Keep a column's type, where the engine has a cast to it."""
        return f"({text})" if self.dialect == "mysql" else f"CAST({text} AS {kind})"

    def _date(self, name: str, moment: datetime) -> str:
        """Return a moment in a column's own form."""
        value = encode(self.table.spec.columns[name].format, moment)
        spelled = self.table.names[name]
        info = self._info(spelled)
        return self._typed(literal(value), info.type)

    def _changed(self, changes: Mapping[str, tuple[str, str]], touched: str) -> str:
        """Return the table with `column: (condition, value)` applied to rows in the range."""
        stored = {self.table.names[name]: pair for name, pair in changes.items()}
        columns = []
        for column in self.table.info.columns:
            own = self._quoted(column.name)
            if column.name in stored:
                when, value = stored[column.name]
                own = f"CASE WHEN ({when}){touched} THEN {value} ELSE {own} END AS {own}"
            columns.append(own)
        return f"SELECT {', '.join(columns)} FROM {self._from}"  # noqa: S608 - our own names


def codes_of(column: Column, catalog: Catalog) -> tuple[str, ...]:
    if column.codes is None:
        return ()
    listed = catalog.code_lists.get(column.codes, {}) if isinstance(column.codes, str) else column.codes
    return tuple(listed) if len(listed) <= 40 else ()


def domains_of(table: ResolvedTable, database: Database) -> tuple[dict[str, tuple[Any, Any]], frozenset[str]]:
    """Return the least and greatest value of each column that has an order, and the columns with NULLs; one pass."""
    import pyarrow as pa

    def orders(kind: pa.DataType) -> bool:
        number = pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_floating(kind)
        return bool(number or pa.types.is_string(kind) or pa.types.is_large_string(kind))

    names = [column.name for column in table.info.columns]
    ordered = [column.name for column in table.info.columns if orders(column.arrow_type)]
    parts = [f"COUNT({identifier(n, database.dialect)})" for n in names]
    parts += [f"MIN({n}), MAX({n})" for n in (identifier(n, database.dialect) for n in ordered)]
    found = database.query(
        f"SELECT COUNT(*), {', '.join(parts)} FROM {table.source.sql(dialect=database.dialect)}"  # noqa: S608
    ).table
    rows, *values = [column[0].as_py() for column in found.columns]
    nulls = frozenset(name for name, count in zip(names, values, strict=False) if count < rows)
    ends = values[len(names) :]
    return {name: (ends[2 * i], ends[2 * i + 1]) for i, name in enumerate(ordered)}, nulls


def literal(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime | date):
        return f"TIMESTAMP '{value.isoformat(sep=' ') if isinstance(value, datetime) else value}'"
    return "'" + str(value).replace("'", "''") + "'"
