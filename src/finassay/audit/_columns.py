"""A table at a cutoff, and its columns as expressions: the catalog's conditions, other values of a domain."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from finassay.audit._kinds import is_date, is_number, is_text
from finassay.database import ColumnInfo, OwnSelect, ResolvedTable, identifier, predicate_sql, selected_view
from finassay.temporal import AsOf, Column, Not, Predicate, encode

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from sqlglot import exp

    from finassay.database import Database, Dialect
    from finassay.temporal import Catalog

DAY = timedelta(days=1)
_YEAR = timedelta(days=365)
_BARE = re.compile(
    r"-?\d+(\.\d+)?|true|false", re.IGNORECASE
)  # codes that are written without quotation marks
_NUMBER, _NUMBERED = "finassay_number", "finassay_numbered"


class NumberedTable(ResolvedTable):
    """A table whose rows the audit numbers, in the order of their row id: its number is a column of its own.

    It is read from a common table expression, which `Columns._given` puts before each SELECT.
    """

    @property
    def source(self) -> exp.Table:
        """The expression that numbers the rows."""
        from sqlglot import exp

        return exp.Table(this=exp.to_identifier(_NUMBERED, quoted=True))


def numbered(table: ResolvedTable) -> ResolvedTable:
    """Return the table with a number for each row; the table itself where its row id is one whole number."""
    import pyarrow as pa

    kinds = [
        c.arrow_type for c in table.info.columns if c.name in {table.names[n] for n in table.spec.row_id}
    ]
    if len(kinds) == 1 and (
        pa.types.is_integer(kinds[0]) or (pa.types.is_decimal(kinds[0]) and kinds[0].scale == 0)
    ):
        return table
    number = ColumnInfo(_NUMBER, "BIGINT", pa.int64(), nullable=False)
    columns = {**table.spec.columns, _NUMBER: Column(role="key", max_null=0)}
    return NumberedTable(
        replace(table.info, columns=(*table.info.columns, number)),
        table.spec.model_copy(update={"row_id": (_NUMBER,), "columns": columns}),
        {**table.names, _NUMBER: _NUMBER},
    )


@dataclass(frozen=True)
class Columns:
    """A table at a cutoff, and its columns as expressions.

    Attributes
    ----------
    stored : ResolvedTable
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
    history : bool
        The contract says that its history is used: when its rows hold is not judged.
    peers : str or None
        A SELECT of the entities that other tables of the audit know, as ``finassay_entity``.
    spoken : tuple of str
        The texts that the program has in quotation marks: a name among them names one entity for good.
    """

    stored: ResolvedTable
    view: AsOf
    dialect: Dialect
    domains: Mapping[str, tuple[Any, Any]]
    codes: Mapping[str, tuple[str, ...]]
    nulls: frozenset[str] = frozenset()
    life: bool = False
    history: bool = False
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
    def table(self) -> ResolvedTable:
        """The table with one whole number for each row."""
        return numbered(self.stored)

    @cached_property
    def _number(self) -> str:
        """The column that numbers the rows."""
        return self._column(self.table.spec.row_id[0])

    def _part(self, parts: int) -> str:
        """Return which of so many parts a row falls into, by its number."""
        return part(self._number, parts)

    @property
    def _every_other(self) -> str:
        """The condition of one row in two."""
        return f"{self._part(2)} = 0"

    @property
    def _span(self) -> int:
        """How much higher the number of an added row is than that of the row it was made after."""
        low, high = self.domains.get(self.table.names[self.table.spec.row_id[0]], (0, 0))
        return int(high or 0) - int(low or 0) + 1

    def _fifths(self, rests: tuple[int, ...]) -> str:
        """Return the condition of some fifths of the known rows."""
        return f"{self._sql(self.view.knowable)} AND {self._part(5)} IN ({', '.join(map(str, rests))})"

    def _given(self, text: str, columns: str | None = None) -> OwnSelect:
        """Return a SELECT over the table as it may be run: of the table's own columns, or those that are named."""
        if self.table is self.stored:
            return OwnSelect(text)
        own = [self._quoted(column.name) for column in self.stored.info.columns]
        first = [self._column(name) for name in self.stored.spec.row_id]
        # A row id may repeat, whatever the catalog says; then the other columns decide
        rest = [self._quoted(c.name) for c in self.stored.info.columns if _ordered(c.arrow_type, dates=True)]
        order = ", ".join(dict.fromkeys((*first, *rest)))
        source = self.stored.source.sql(dialect=self.dialect)
        return OwnSelect(
            f"WITH {self._from} AS (SELECT {', '.join(own)}, ROW_NUMBER() OVER (ORDER BY {order}) AS {self._number} "  # noqa: S608 - our own names
            f"FROM {source}) SELECT {columns or ', '.join(own)} FROM ({text}) AS finassay_given"
        )

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

    @cached_property
    def _unknown(self) -> str:
        return self._sql(Not(self.view.knowable))

    @cached_property
    def _chosen(self) -> str:
        return selected_view(
            self.table, self.view.cutoff, self.dialect, proxies=self.view.proxies, rule=self.view.rule
        )

    def _payload(self) -> dict[str, str]:
        roles = ("payload", "current_state")
        return {
            n: self._other(n)
            for n, c in self.table.spec.columns.items()
            if c.role in roles and n not in self._flags and n not in self.stored.spec.row_id
        }

    @property
    def _no_end(self) -> str:
        """What stands for the end of an interval that is open: NULL, or a date such as 9999-12-31."""
        valid = self.table.spec.valid
        if valid is None or valid.end is None or not valid.open:
            return "NULL"
        return self._typed(literal(valid.open[0]), self._info(self.table.names[valid.end]).type)

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

        spelled = self.table.names[name]
        closed = [code for code in self.codes.get(spelled, ()) if code not in while_open]
        low, high = self.domains.get(spelled, (None, None))
        closed += [str(value) for value in (low, high) if value is not None and str(value) not in while_open]
        choice = while_open[:1] if is_open else closed[:1]
        if not choice:
            return None
        kind = self._info(spelled).arrow_type
        return _code(choice[0], textual=is_text(kind))

    def _across(self, name: str) -> str | None:
        """Return an expression for a date's mirror image at the cutoff; None for other columns.

        A bound near the cutoff then lets in what it kept out, and an order is turned round. What stands for no date,
        such as 9999-12-31, stays; of the states of today that are missing, half lie before the cutoff then, half after.
        """
        spelled = self.table.names[name]
        info = self._info(spelled)
        if not is_date(info.arrow_type):
            return None
        column, moment = self._quoted(spelled), self.view.cutoff.day_end
        first, last, turn = (self._date(name, moment + n * 60 * _YEAR) for n in (-1, 1, 0))
        if self.dialect == "mysql":
            mirrored = f"TIMESTAMPADD(SECOND, TIMESTAMPDIFF(SECOND, {column}, {turn}), {turn})"
        else:
            turn = f"CAST({turn} AS TIMESTAMP)"
            mirrored = f"{turn} + ({turn} - CAST({column} AS TIMESTAMP))"
        missing = ""
        if self.table.spec.columns[name].role == "current_state":
            before, after = (self._date(name, moment + n * DAY) for n in (-30, 30))
            missing = (
                f"WHEN {column} IS NULL THEN CASE WHEN {self._part(2)} = 1 THEN {before} ELSE {after} END "
            )
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
        textual = is_text(kind)
        if len(codes) > 1:
            written = [_code(code, textual=textual) for code in codes]
            pairs = zip(written, written[1:] + written[:1], strict=True)
            cases = " ".join(f"WHEN {one} THEN {other}" for one, other in pairs)
            return self._typed(f"CASE {column} {cases} ELSE {column} END", info.type)
        if pa.types.is_boolean(kind):
            return f"NOT {column}"
        if is_date(kind):
            return self._typed(f"{column} + INTERVAL '400' DAY", info.type)
        low, high = self.domains.get(spelled, (None, None))
        if low is None:
            return column
        if is_number(kind):
            # Of four, one falls to the least of the domain and one rises to the largest, or back where it is there
            ends = literal(low), literal(high)
            falls, rises = (f"CASE WHEN {column} = {a} THEN {b} ELSE {a} END" for a, b in (ends, ends[::-1]))
            odd = f"WHEN {column} IS NULL THEN NULL WHEN {self._part(4)} = 1 THEN {falls} "
            odd += f"WHEN {self._part(4)} = 3 THEN {rises} "
            return self._typed(f"CASE {odd}ELSE {ends[0]} + {ends[1]} - {column} END", info.type)
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
        spelled = self.table.names[name]
        kind = self._info(spelled).arrow_type
        if is_date(kind):
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

    def _spread(self, name: str, moment: datetime, third: str) -> str:
        """Return a moment in a column's own form, in turn with nine days and a year later."""
        first, soon, late = (self._date(name, moment + days * DAY) for days in (0, 9, 366))
        return f"CASE {third} WHEN 0 THEN {first} WHEN 1 THEN {soon} ELSE {late} END"

    def _takes_texts(self, name: str) -> bool:
        """Whether any text can be written into a column: not where the engine lists or reads what it takes."""
        info = self._info(self.table.names[name])
        return is_text(info.arrow_type) and not info.type.upper().startswith(("ENUM", "SET", "UUID", "INET"))

    def _have_own_ids(self, *different: str | None) -> bool:
        """Whether rows that are added, other than all rows in these columns, can have row ids of their own."""
        row_id = self.stored.spec.row_id
        return (
            self.table is self.stored or not row_id or bool(self._anew("0") or set(different) & set(row_id))
        )

    def _anew(self, number: str, *, older: bool = False) -> dict[str, str]:
        """Return another row id: a text with a number behind it; the number of a version above the rest, or below."""
        spec = self.stored.spec
        if self.table is self.stored:
            return {}
        if len(spec.row_id) == 1:
            [name] = spec.row_id
            other = f"CONCAT({self._column(name)}, '+', {number})"
            if self._info(self.stored.names[name]).type.upper() == "UUID":
                return {name: f"CAST(MD5({other}) AS UUID)"}
            return {name: other} if self._takes_texts(name) else {}
        for name in spec.versions.order if spec.versions and self._available not in spec.row_id else ():
            low, high = self.domains.get(self.stored.names[name], (None, None))
            if name in spec.row_id and isinstance(low, int) and isinstance(high, int):
                sign = "-" if older else "+"
                return {name: f"{self._column(name)} {sign} {high - low + 1}"}
        return {}

    def called(self, row: Mapping[str, Any]) -> str:
        """Return the row id of a row in words."""
        names = [self.stored.names[name] for name in self.stored.spec.row_id or self.stored.spec.key]
        return ", ".join(f"{name} {row.get(name)}" for name in names)

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
    names = [column.name for column in table.info.columns]
    ordered = [column.name for column in table.info.columns if _ordered(column.arrow_type)]
    parts = [f"COUNT({identifier(n, database.dialect)})" for n in names]
    parts += [f"MIN({n}), MAX({n})" for n in (_finite(table, n, database.dialect) for n in ordered)]
    found = database.query(
        f"SELECT COUNT(*), {', '.join(parts)} FROM {table.source.sql(dialect=database.dialect)}"  # noqa: S608
    ).table
    rows, *values = [column[0].as_py() for column in found.columns]
    nulls = frozenset(name for name, count in zip(names, values, strict=False) if count < rows)
    ends = values[len(names) :]
    found_ends = {name: (ends[2 * i], ends[2 * i + 1]) for i, name in enumerate(ordered)}
    return {**found_ends, _NUMBER: (1, rows)}, nulls


def _finite(table: ResolvedTable, name: str, dialect: Dialect) -> str:
    """Return a column without what is no number and what is infinite, which no literal can write."""
    import pyarrow as pa

    column = identifier(name, dialect)
    kind = next(c.arrow_type for c in table.info.columns if c.name == name)
    return f"CASE WHEN ABS({column}) < 1e308 THEN {column} END" if pa.types.is_floating(kind) else column


def _ordered(kind: pa.DataType, *, dates: bool = False) -> bool:
    """Whether values of a type have an order: numbers and texts, and dates where they are asked for."""
    import pyarrow as pa

    if is_date(kind):
        return dates
    return is_text(kind) or (is_number(kind) and not pa.types.is_null(kind))


def _code(code: str, *, textual: bool) -> str:
    """Return a code of a catalog as its column has it: bare where it is a number, for a catalog is no SQL."""
    return code if not textual and _BARE.fullmatch(code) else literal(code)


def part(number: str, parts: int) -> str:
    """Return which of so many parts a whole number falls into; numbers in steps of ten fall into all of five too."""
    return f"MOD(MOD(MOD(ABS({number}), 1009) * 613, 1009), {parts})"


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
