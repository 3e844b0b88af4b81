"""Altered tables as SELECTs that take a table's place (pit_audit.md, 2.3): saturated, over all rows at once.

Everything is built from what the catalog says of the table. A SELECT reads the table itself and nothing else, so the
data stay where they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from finassay.audit._types import (
    ALIVE,
    AS_IS,
    BACKDATED,
    CHANGED,
    CURRENT,
    ENDED,
    EXPIRED,
    FUTURE,
    LATE,
    LATE_END,
    MISSING,
    PENDING,
    REMOVED,
    REOPENED,
    RESTATED,
    SCRAMBLED,
    SUPERSEDED,
    THINNED,
    Family,
)
from finassay.database import normal_view, predicate_sql, selected_view
from finassay.temporal import AsOf, Not, Predicate, all_of, encode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from finassay.database import Database, Dialect, ResolvedTable
    from finassay.temporal import Catalog, Column, Contract, Cutoff

_DAY = timedelta(days=1)
_YEAR = timedelta(days=365)


@dataclass(frozen=True)
class Altered:
    """A table at a cutoff, and the SELECTs that alter it.

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
    life : bool
        The contract says that the life of the task's entities is written here.
    """

    table: ResolvedTable
    view: AsOf
    dialect: Dialect
    domains: Mapping[str, tuple[Any, Any]]
    codes: Mapping[str, tuple[str, ...]]
    life: bool = False

    @staticmethod
    def of(
        table: ResolvedTable, catalog: Catalog, contract: Contract, cutoff: Cutoff, database: Database
    ) -> Altered:
        """Look at a table: the domains of its columns, and the version rule and proxies that the contract states."""
        name = table.info.name
        view = AsOf(table.spec, cutoff, contract.proxies(name), contract.rule(name), name)
        codes = {
            spelled: found
            for own, spelled in table.names.items()
            if (found := _codes(table.spec.columns[own], catalog))
        }
        life = contract.life is not None and contract.life.table.lower() == name.lower()
        return Altered(table, view, database.dialect, _domains(table, database), codes, life)

    def at(self, cutoff: Cutoff) -> Altered:
        """Return the same table at another cutoff."""
        return replace(self, view=replace(self.view, cutoff=cutoff))

    # --- which families apply, and their SELECTs

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """The families that mean something for the table."""
        spec = self.table.spec
        found = [AS_IS] if spec.versions or spec.valid else []
        always = spec.availability is not None and spec.availability.always
        if not always:
            found += [REMOVED, SCRAMBLED, *([THINNED] if self._number else [])]
        elif any(shown is not None for shown in self.view.hidden.values()):
            found.append(SCRAMBLED)
        if self._unseen:
            found.append(CURRENT)
        if spec.valid and spec.valid.end:
            found += [ENDED, REOPENED]
        # Elsewhere it would be a false alarm: a listing may be judged from another table than the entity's own.
        if self._number and self._ahead and self.life:
            found.append(FUTURE)
        if self._number and self._may_be_late:
            found.append(LATE)
        if self._number and self._end_may_be_late:
            found.append(LATE_END)
        if self._number and spec.valid and spec.valid.end:
            found.append(EXPIRED)
        own_start = spec.valid is not None and self._available != spec.valid.start
        if self._number and own_start and not self._ahead:
            found.append(PENDING)
        if spec.versions and self._number and self._available and not self._ahead:
            found += [RESTATED, SUPERSEDED]
        return tuple(found)

    @cached_property
    def traps(self) -> tuple[Family, ...]:
        """The alterations of what was known that a program which uses the table reacts to."""
        found = [family for family in (SUPERSEDED, EXPIRED, PENDING, FUTURE) if family in self.families]
        if self._payload():
            found.append(CHANGED)
        if self._number:
            found.append(MISSING)
        if self.table.spec.valid and self.table.spec.valid.end:
            found.append(ALIVE)
        role = self.table.spec.columns[self._available].role if self._available else None
        if self._available and role != "market_date" and not self._ahead:
            found.append(BACKDATED)
        return tuple(found)

    def select(self, family: Family, only: tuple[Any, Any] | None = None) -> str:
        """Return the SELECT of a family, altering only rows whose number lies in a range (both ends included)."""
        touched = (
            "" if only is None else f" AND {self._number} BETWEEN {_literal(only[0])} AND {_literal(only[1])}"
        )
        build = {
            REMOVED.name: lambda: f"{self._all} WHERE NOT ({self._unknown}{touched})",
            THINNED.name: lambda: (
                f"{self._all} WHERE NOT ({self._unknown}{touched} AND MOD({self._number}, 5) < 2)"
            ),
            SCRAMBLED.name: lambda: self._changed(self._scrambled(), touched),
            CURRENT.name: lambda: self._changed(
                {name: ("TRUE", alt) for name, alt in self._unseen.items()}, touched
            ),
            ENDED.name: lambda: self._changed(self._ends(self._open, ended=True), touched),
            REOPENED.name: lambda: self._changed(self._ends(self._open, ended=False), touched),
            RESTATED.name: lambda: self._with_versions(touched, late=True),
            SUPERSEDED.name: lambda: self._with_versions(touched, late=False),
            FUTURE.name: lambda: self._changed(self._moved(self.view.cutoff.day_end), touched),
            LATE.name: lambda: self._changed(self._moved(self.view.cutoff.instant), touched),
            LATE_END.name: lambda: self._changed(self._late_ends(), touched),
            EXPIRED.name: lambda: self._changed(self._expired(), touched),
            PENDING.name: lambda: self._changed(self._pending(), touched),
            AS_IS.name: lambda: self._all,
            CHANGED.name: lambda: self._changed(self._known_values(), touched),
            MISSING.name: lambda: (
                f"{self._all} WHERE NOT ({self._sql(self.view.knowable)}{touched} AND MOD({self._number}, 5) < 2)"
            ),
            ALIVE.name: lambda: self._changed(self._ends(self._sql(self.view.ended), ended=False), touched),
            BACKDATED.name: lambda: self._changed(self._backdated(), touched),
        }
        return build[family.name]()

    def expected(self, family: Family, altered: str) -> str:
        """Return the table over which the output must be the same: what was known of it, or its normal form."""
        if family == LATE_END:
            return self._changed(self._ends(self._sql(self.view.ended), ended=False), "")
        if family.mode == "known":
            return f"{self._all} WHERE NOT ({self._fifth(2)})"
        plain = normal_view(
            self.table, self.view.cutoff, self.dialect, proxies=self.view.proxies, rule=self.view.rule
        )
        return self._over(plain, altered)

    def _known_values(self) -> dict[str, tuple[str, str]]:
        return {name: (self._sql(self.view.knowable), value) for name, value in self._payload().items()}

    def unstarted(self) -> str | None:
        """Return the table with a fifth of its entities not yet there; None for other tables."""
        return self.select(FUTURE) if self._number and self._ahead else None

    def _over(self, text: str, altered: str) -> str:
        """Let a SELECT of the table read the altered table in its place."""
        import sqlglot
        from sqlglot import exp

        tree = sqlglot.parse_one(text, read=self.dialect)
        for reference in list(tree.find_all(exp.Table)):
            if reference.name == self.table.info.name:
                inner = sqlglot.parse_one(altered, read=self.dialect)
                reference.replace(
                    exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier("altered")))
                )
        return tree.sql(dialect=self.dialect)

    def marked(self, column: str, *, counting: bool) -> str | None:
        """Return the table with one more column: the number of each row that was not known at the cutoff, else NULL.

        With `counting`, of each row that was known and did not count. Rows without a number have their key in words;
        None for a table that has neither.
        """
        told = self._number or self._key_in_words
        if told is None or (counting and not self._number):
            return None
        when = self._unknown
        if counting:
            chosen = selected_view(
                self.table, self.view.cutoff, self.dialect, proxies=self.view.proxies, rule=self.view.rule
            )
            counted = f"SELECT {self._number} FROM ({chosen}) AS chosen"  # noqa: S608 - our own names
            when = f"{self._sql(self.view.knowable)} AND NOT {self._number} IN ({counted})"
        number = f"CASE WHEN {when} THEN {told} END AS {column}"
        columns = ", ".join(self._quoted(c.name) for c in self.table.info.columns)
        return f"SELECT {columns}, {number} FROM {self._from}"  # noqa: S608 - our own names

    @property
    def numbered(self) -> bool:
        """Whether a column numbers the rows."""
        return self._number is not None

    @property
    def _key_in_words(self) -> str | None:
        kind = "CHAR" if self.dialect == "mysql" else "VARCHAR"
        parts = [
            f"{_literal(f'{comma}{self.table.names[name]} ')}, CAST({self._column(name)} AS {kind})"
            for comma, name in zip(("", *[", "] * 9), self.table.spec.key, strict=False)
        ]
        return f"CONCAT({', '.join(parts)})" if parts else None

    def snapshot(self, *, history: bool) -> str:
        """Return what counted at the cutoff, as it read then: the selected rows, or with their history the known ones.

        What was not known is NULL; a flag that repeats whether an interval has ended says what it said then.
        """
        changes: dict[str, tuple[str, str]] = {}
        for name, shown in self.view.hidden.items():
            if name in self._flags:
                continue
            changes[name] = ("TRUE" if shown is None else self._sql(Not(shown)), "NULL")
        ended = self._sql(self.view.ended)
        for name, while_open in self._flags.items():
            still = self._flag(name, while_open, is_open=True) or "NULL"
            closed = self._flag(name, while_open, is_open=False) or "NULL"
            changes[name] = ("TRUE", f"CASE WHEN {ended} THEN {closed} ELSE {still} END")
        rows = f"{self._all} WHERE {self._sql(self.view.knowable)}"
        if not history:
            rows = selected_view(
                self.table, self.view.cutoff, self.dialect, proxies=self.view.proxies, rule=self.view.rule
            )
        return self._over(self._changed(changes, ""), rows)

    @property
    def shuffled(self) -> str:
        """The same rows in another order, which no column tells."""
        cells = ", ".join(self._quoted(column.name) for column in self.table.info.columns)
        if self.dialect == "mysql":  # which drops the order of a derived table that has no limit
            return f"{self._all} ORDER BY MD5(CONCAT_WS(',', 'finassay', {cells})) LIMIT 18446744073709551615"
        if self.dialect == "postgres":
            return f"{self._all} AS shuffled ORDER BY MD5('finassay' || CAST(shuffled AS text))"
        return f"{self._all} ORDER BY hash('finassay', {cells})"

    def occurs(self, family: Family) -> str | None:
        """Return a SELECT that has a row where the like of what a family does occurs in the table as it is.

        None where nothing of the kind can be looked for: of columns whose values are set anew.
        """
        if family in (RESTATED, SUPERSEDED):
            versions = self.table.spec.versions
            if versions is None:
                return None
            group = ", ".join(self._column(name) for name in versions.per)
            return f"SELECT 1 FROM {self._from} GROUP BY {group} HAVING COUNT(*) > 1 LIMIT 1"  # noqa: S608 - our own names
        valid = self.table.spec.valid
        where = {
            ENDED: self._sql(all_of(self.view.knowable, self.view.ended)),
            EXPIRED: self._sql(all_of(self.view.knowable, self.view.ended)),
            ALIVE: self._open,
            REOPENED: f"{self._column(valid.end)} IS NULL" if valid and valid.end else None,
            LATE: self._unknown,
            BACKDATED: self._sql(self.view.knowable),
            FUTURE: self._unknown,
            LATE_END: f"{self._open} AND {self._column(valid.end)} IS NOT NULL"
            if valid and valid.end
            else None,
            PENDING: self._sql(all_of(self.view.knowable, Not(self.view.started))),
            SCRAMBLED: self._sql(self.view.knowable),  # its values are those of other rows
            CHANGED: self._sql(self.view.knowable),
            MISSING: self._unknown,
        }.get(family)
        return None if where is None else f"{self._all} WHERE {where} LIMIT 1"

    # --- rows of a family, for shrinking

    def candidates(self, family: Family) -> str | None:
        """Return a SELECT of the numbers of the rows that a family may alter, ascending; None without numbers."""
        if not self._number:
            return None
        where = "TRUE"
        if family in (REMOVED, THINNED, BACKDATED):
            where = self._unknown
        elif family in (CHANGED, MISSING):
            where = self._sql(self.view.knowable)
        return f"SELECT {self._number} AS n FROM {self._from} WHERE {where} ORDER BY 1"  # noqa: S608 - our own names

    def row(self, number: Any) -> str:
        """Return a SELECT of one row."""
        return f"{self._all} WHERE {self._number} = {_literal(number)}"

    def row_after(self, family: Family, number: Any) -> str:
        """Return a SELECT of the row as a family alters it alone; of the row that it adds, where it adds one."""
        altered = f"({self.select(family, (number, number))}) AS altered"
        which = f"= {_literal(number)}"
        if family in (RESTATED, SUPERSEDED):
            which = f"NOT IN (SELECT {self._number} FROM {self._from})"  # noqa: S608 - our own names
        return f"SELECT * FROM {altered} WHERE {self._number} {which}"  # noqa: S608 - our own names

    # --- parts

    @property
    def _from(self) -> str:
        return self.table.source.sql(dialect=self.dialect)

    @property
    def _all(self) -> str:
        return f"SELECT {', '.join(self._quoted(c.name) for c in self.table.info.columns)} FROM {self._from}"  # noqa: S608 - our own names

    def _quoted(self, name: str) -> str:
        quote = "`" if self.dialect == "mysql" else '"'
        return quote + name.replace(quote, quote * 2) + quote

    def _column(self, name: str) -> str:
        return self._quoted(self.table.names[name])

    def _sql(self, predicate: Predicate) -> str:
        return f"({predicate_sql(predicate, self.dialect, names=self.table.names)})"

    @cached_property
    def _unknown(self) -> str:
        return self._sql(Not(self.view.knowable))

    @cached_property
    def _number(self) -> str | None:
        """The column that numbers the rows: a whole-number row id of one column."""
        import pyarrow as pa

        if len(self.table.spec.row_id) != 1:
            return None
        spelled = self.table.names[self.table.spec.row_id[0]]
        kind = next(c.arrow_type for c in self.table.info.columns if c.name == spelled)
        whole = bool(pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0))
        return self._quoted(spelled) if whole else None

    @cached_property
    def _available(self) -> str | None:
        """The catalog's name of the column that says when a row was known."""
        spec = self.table.spec.availability
        if spec is None:
            return None
        return spec.proxy if spec.proxy and spec.proxy in self.view.proxies else spec.column

    @property
    def _ahead(self) -> bool:
        return bool(self.table.spec.availability and self.table.spec.availability.ahead)

    @cached_property
    def _flags(self) -> dict[str, tuple[str, ...]]:
        """Columns that repeat whether the interval has ended, with their values while it has not."""
        return {d.flag: d.while_open for d in self.table.spec.dependencies if d.flag}

    @cached_property
    def _unseen(self) -> dict[str, str]:
        """Columns never shown as of the cutoff, with another value; flags of the interval change with its end."""
        found = {}
        for name, shown in self.view.hidden.items():
            if shown is None and name not in self._flags:
                found[name] = self._across(name) or self._other(name)
        return found

    def _across(self, name: str) -> str | None:
        """Return an expression for a date's mirror image at the cutoff; None for other columns.

        A bound near the cutoff then lets in what it kept out, and an order is turned round. What stands for no date,
        such as 9999-12-31, stays; of the states of today that are missing, half lie before the cutoff then, half after.
        """
        import pyarrow as pa

        spelled = self.table.names[name]
        info = next(c for c in self.table.info.columns if c.name == spelled)
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
            before, after = (self._date(name, moment + n * _DAY) for n in (-30, 30))
            missing = f"WHEN {column} IS NULL THEN CASE WHEN MOD({self._number}, 2) = 1 THEN {before} ELSE {after} END "
        text = f"CASE {missing}WHEN {column} BETWEEN {first} AND {last} THEN {mirrored} ELSE {column} END"
        return self._typed(text, info.type)

    def _other(self, name: str) -> str:
        """Return an expression for another value of the column's own domain; NULL stays NULL."""
        import pyarrow as pa

        spelled = self.table.names[name]
        column = self._quoted(spelled)
        info = next(c for c in self.table.info.columns if c.name == spelled)
        codes = self.codes.get(spelled, ())
        kind = info.arrow_type
        textual = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        if len(codes) > 1:
            literal = (lambda code: _literal(str(code))) if textual else str
            cases = " ".join(
                f"WHEN {literal(a)} THEN {literal(b)}"
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
        if pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_floating(kind):
            mirrored = f"{_literal(low)} + {_literal(high)} - {column}"
            if self._number:  # half of them to the other end of the domain: some rise, some fall
                far = f"CASE WHEN {column} = {_literal(low)} THEN {_literal(high)} ELSE {_literal(low)} END"
                odd = f"MOD({self._number}, 2) = 1 AND {column} IS NOT NULL"
                mirrored = f"CASE WHEN {odd} THEN {far} ELSE {mirrored} END"
            return self._typed(mirrored, info.type)
        if textual:
            first, last = _literal(low), _literal(high)
            return f"CASE WHEN {column} = {last} THEN {first} WHEN {column} IS NOT NULL THEN {last} END"
        return column

    def _typed(self, text: str, kind: str) -> str:
        """Keep a column's type, where the engine has a cast to it."""
        return f"({text})" if self.dialect == "mysql" else f"CAST({text} AS {kind})"

    def _date(self, name: str, moment: datetime) -> str:
        """Return a moment in a column's own form."""
        value = encode(self.table.spec.columns[name].format, moment)
        spelled = self.table.names[name]
        info = next(c for c in self.table.info.columns if c.name == spelled)
        return self._typed(_literal(value), info.type)

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

    def _payload(self) -> dict[str, str]:
        roles = ("payload", "current_state")
        return {
            n: self._other(n)
            for n, c in self.table.spec.columns.items()
            if c.role in roles and n not in self._flags
        }

    def _scrambled(self) -> dict[str, tuple[str, str]]:
        """Values of unknown rows, and stages that were not yet disclosed."""
        always = self.table.spec.availability is not None and self.table.spec.availability.always
        changes = {} if always else {name: (self._unknown, value) for name, value in self._payload().items()}
        valid = self.table.spec.valid
        ends = (
            {valid.end, *valid.with_end, valid.end_known.column if valid.end_known else None}
            if valid
            else set()
        )
        for name, shown in self.view.hidden.items():
            if shown is not None and name not in ends and name in self.table.names:
                changes[name] = (self._sql(Not(shown)), self._other(name))
        return changes

    @cached_property
    def _open(self) -> str:
        """The condition of a known row whose end was not known."""
        return self._sql(all_of(self.view.knowable, Not(self.view.end_known)))

    def _ends(self, picked: str, *, ended: bool) -> dict[str, tuple[str, str]]:
        """Set the ends of rows after the cutoff, or remove them; flags and companions follow."""
        valid = self.table.spec.valid
        assert valid is not None  # noqa: S101 - families with an end only
        assert valid.end is not None  # noqa: S101
        changes: dict[str, tuple[str, str]] = {}
        known = valid.end_known.column if valid.end_known else None
        for name in dict.fromkeys((valid.end, *((known,) if known else ()), *valid.with_end)):
            if not ended:
                changes[name] = (picked, "NULL")
            elif name == valid.end:
                changes[name] = (picked, self._date(name, self.view.cutoff.day_end))
            elif name == known:
                changes[name] = (picked, self._date(name, self.view.cutoff.instant))
        for flag, while_open in self._flags.items():
            value = self._flag(flag, while_open, is_open=not ended)
            if value is not None:
                changes[flag] = (picked, value)
        return changes

    def _flag(self, name: str, while_open: tuple[str, ...], *, is_open: bool) -> str | None:
        import pyarrow as pa

        spelled = self.table.names[name]
        closed = [code for code in self.codes.get(spelled, ()) if code not in while_open]
        low, high = self.domains.get(spelled, (None, None))
        closed += [str(value) for value in (low, high) if value is not None and str(value) not in while_open]
        choice = while_open[:1] if is_open else closed[:1]
        if not choice:
            return None
        kind = next(c.arrow_type for c in self.table.info.columns if c.name == spelled)
        return (
            _literal(choice[0]) if pa.types.is_string(kind) or pa.types.is_large_string(kind) else choice[0]
        )

    def _expired(self) -> dict[str, tuple[str, str]]:
        valid = self.table.spec.valid
        assert valid is not None  # noqa: S101 - families with an end only
        assert valid.end is not None  # noqa: S101
        day = self.view.cutoff.day_end - _DAY
        picked = f"{self._sql(self.view.applicable)} AND MOD({self._number}, 5) = 0"
        changes = {valid.end: (picked, self._date(valid.end, day - _DAY if valid.inclusive else day))}
        if valid.end_known:
            lag = timedelta(days=valid.end_known.lag_days)
            column = valid.end_known.column
            changes[column] = (picked, self._date(column, self.view.cutoff.instant - _DAY - lag))
        for flag, while_open in self._flags.items():
            value = self._flag(flag, while_open, is_open=False)
            if value is not None:
                changes[flag] = (picked, value)
        return changes

    @cached_property
    def _may_be_late(self) -> bool:
        """Whether a row's disclosure can be moved alone: no date of the row is stated to follow it, nor to equal it."""
        spec = self.table.spec
        if self._available is None or self._ahead or spec.columns[self._available].role == "market_date":
            return False
        if spec.valid is not None and spec.valid.start == self._available:
            return False
        return not self._followed(self._available)

    @cached_property
    def _end_may_be_late(self) -> bool:
        valid = self.table.spec.valid
        return (
            valid is not None and valid.end_known is not None and not self._followed(valid.end_known.column)
        )

    def _followed(self, name: str) -> bool:
        orders = [d.order for d in self.table.spec.dependencies if name in d.order]
        return any(order.index(name) < len(order) - 1 for order in orders)

    def _moved(self, moment: datetime) -> dict[str, tuple[str, str]]:
        """Move the time at which a fifth of the known rows were known."""
        assert self._available is not None  # noqa: S101 - families with an availability only
        lag = timedelta(days=self.table.spec.availability.lag_days if self.table.spec.availability else 0)
        return {self._available: (self._fifth(2), self._date(self._available, moment - lag))}

    def _fifth(self, rest: int) -> str:
        """Return the condition of a fifth of the known rows."""
        return f"{self._sql(self.view.knowable)} AND MOD({self._number}, 5) = {rest}"

    def _late_ends(self) -> dict[str, tuple[str, str]]:
        valid = self.table.spec.valid
        assert valid is not None  # noqa: S101 - families with an end only
        assert valid.end_known is not None  # noqa: S101
        lag = timedelta(days=valid.end_known.lag_days)
        name = valid.end_known.column
        known = self._sql(all_of(self.view.knowable, self.view.ended))
        return {name: (known, self._date(name, self.view.cutoff.instant - lag))}

    def _backdated(self) -> dict[str, tuple[str, str]]:
        """Let every unknown row have been known the day before the cutoff."""
        assert self._available is not None  # noqa: S101 - asked of tables with one only
        moment = self.view.cutoff.instant - 2 * _DAY
        names = [self._available]
        names += [
            n for n, c in self.table.spec.columns.items() if c.role == "recorded" and n != self._available
        ]
        native = [n for n in names if self.table.spec.columns[n].format == "native"]
        return {name: (self._unknown, self._date(name, moment)) for name in native}

    def _pending(self) -> dict[str, tuple[str, str]]:
        valid = self.table.spec.valid
        assert valid is not None  # noqa: S101 - families with an interval only
        picked = f"{self._sql(self.view.applicable)} AND MOD({self._number}, 3) = 1"
        changes: dict[str, tuple[str, str]] = {}
        if valid.end is not None:
            picked += f" AND {self._open}"
            changes = self._ends(picked, ended=False)
        return changes | {valid.start: (picked, self._date(valid.start, self.view.cutoff.day_end))}

    def _with_versions(self, touched: str, *, late: bool) -> str:
        """Add a version to each group that has one at the cutoff: disclosed from the cutoff on, or just before it."""
        assert self._available is not None  # noqa: S101 - families of versions only
        available = self._available
        lag = timedelta(days=self.table.spec.availability.lag_days if self.table.spec.availability else 0)
        moment = self.view.cutoff.instant - lag - (timedelta() if late else _DAY)
        when = self._date(available, moment)
        if late and self.table.spec.columns[available].format == "native":
            later = self._date(available, moment + 9 * _DAY)
            when = f"CASE WHEN MOD({self._number}, 3) = 0 THEN {when} ELSE {later} END"
        low, high = self.domains.get(self.table.names[self.table.spec.row_id[0]], (0, 0))
        spec = self.table.spec
        values = dict(self._payload())
        values[spec.row_id[0]] = f"{self._number} + {int(high) - int(low) + 1}"
        values[available] = when
        for name, column in spec.columns.items():
            if column.role == "recorded" and name != available and column.format == "native":
                values[name] = self._date(name, moment + 9 * _DAY if late else moment)
        if spec.valid is not None:
            values[spec.valid.start] = when
        stored = {self.table.names[name]: value for name, value in values.items()}
        columns = ", ".join(
            f"{stored.get(c.name, self._quoted(c.name))} AS {self._quoted(c.name)}"
            for c in self.table.info.columns
        )
        chosen = selected_view(
            self.table, self.view.cutoff, self.dialect, proxies=self.view.proxies, rule=self.view.rule
        )
        before = self._changed(self._closed(when, chosen), touched)
        return f"{before} UNION ALL SELECT {columns} FROM ({chosen}) AS chosen WHERE TRUE{touched}"  # noqa: S608

    def _closed(self, when: str, chosen: str) -> dict[str, tuple[str, str]]:
        """Where intervals are disjoint, end the predecessors on the day the added version starts."""
        valid = self.table.spec.valid
        if self.table.spec.disjoint is None or valid is None or valid.end is None:
            return {}
        picked = f"{self._number} IN (SELECT {self._number} FROM ({chosen}) AS chosen)"  # noqa: S608
        changes = {valid.end: (picked, when)}
        for flag, while_open in self._flags.items():
            value = self._flag(flag, while_open, is_open=False)
            if value is not None:
                changes[flag] = (picked, value)
        return changes


def _codes(column: Column, catalog: Catalog) -> tuple[str, ...]:
    if column.codes is None:
        return ()
    listed = catalog.code_lists.get(column.codes, {}) if isinstance(column.codes, str) else column.codes
    return tuple(listed) if len(listed) <= 40 else ()


def _domains(table: ResolvedTable, database: Database) -> dict[str, tuple[Any, Any]]:
    """Return the least and the greatest value of each column that has an order, in one pass over the table."""
    import pyarrow as pa

    def orders(kind: pa.DataType) -> bool:
        number = pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_floating(kind)
        return bool(number or pa.types.is_string(kind) or pa.types.is_large_string(kind))

    names = [column.name for column in table.info.columns if orders(column.arrow_type)]
    if not names:
        return {}
    quote = "`" if database.dialect == "mysql" else '"'
    parts = ", ".join(f"MIN({quote}{n}{quote}), MAX({quote}{n}{quote})" for n in names)
    found = database.query(f"SELECT {parts} FROM {table.source.sql(dialect=database.dialect)}").table  # noqa: S608
    values = [column[0].as_py() for column in found.columns]
    return {name: (values[2 * i], values[2 * i + 1]) for i, name in enumerate(names)}


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime | date):
        return f"TIMESTAMP '{value.isoformat(sep=' ') if isinstance(value, datetime) else value}'"
    return "'" + str(value).replace("'", "''") + "'"
