"""Altered tables as SELECTs that take a table's place (pit_audit.md, 2.3): saturated, over all rows at once.

Everything is built from what the catalog says of the table. A SELECT reads the table itself and nothing else, so the
data stay where they are.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from finassay.audit._alterations import Alterations
from finassay.audit._columns import codes_of, domains_of, literal
from finassay.audit._newcomers import peers_of
from finassay.audit._types import (
    ALIVE,
    AS_IS,
    BACKDATED,
    CHANGED,
    CURRENT,
    EMPTIED,
    ENDED,
    EXPIRED,
    FUTURE,
    GAPS,
    INTRADAY,
    LATE,
    LATE_END,
    LATE_STAGES,
    LATE_TOO,
    MISSING,
    MISSING_TOO,
    NEW_ENDED,
    NEW_PENDING,
    NEWCOMERS,
    NULLED,
    OLDER,
    OVERLAP,
    PENDING,
    PENDING_TOO,
    REMOVED,
    RENAMED,
    REOPENED,
    RESTATED,
    SCRAMBLED,
    SUPERSEDED,
    THINNED,
    TO_COME,
    UNDATED,
    UNSTAGED,
    Family,
)
from finassay.database import OwnSelect, normal_view, selected_view
from finassay.temporal import AsOf, Not, all_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from finassay.database import Database, ResolvedTable
    from finassay.temporal import Catalog, Contract, Cutoff


_FIRST = (NEWCOMERS, NEW_PENDING, NEW_ENDED)
_ADDED = (
    RESTATED,
    SUPERSEDED,
    EMPTIED,
    OLDER,
    NULLED,
    OVERLAP,
)  # versions of rows, under numbers above the rest
_THIRDS = {PENDING: (1,), PENDING_TOO: (0, 2)}  # of the intervals that hold, which begin later
_NORMAL, _LATEST = "finassay_normal", "finassay_latest"


class Altered(Alterations):
    """A table at a cutoff, and the SELECTs that alter it."""

    @staticmethod
    def of(
        table: ResolvedTable,
        catalog: Catalog,
        contract: Contract,
        cutoff: Cutoff,
        database: Database,
        others: Iterable[ResolvedTable] = (),
        spoken: tuple[str, ...] = (),
    ) -> Altered:
        """Look at a table: the domains of its columns, and the version rule and proxies that the contract states.

        `others` are the tables of the audit, which may know more entities; `spoken` are the program's own texts.
        """
        name = table.info.name
        view = AsOf(table.spec, cutoff, contract.proxies(name), contract.rule(name), name)
        codes = {
            spelled: found
            for own, spelled in table.names.items()
            if (found := codes_of(table.spec.columns[own], catalog))
        }
        life = contract.life is not None and contract.life.table.lower() == name.lower()
        history = name.lower() in {one.lower() for one in contract.history}
        domains, nulls = domains_of(table, database)
        peers = peers_of(table, others, database.dialect)
        return Altered(table, view, database.dialect, domains, codes, nulls, life, history, peers, spoken)

    def at(self, cutoff: Cutoff) -> Altered:
        """Return the same table at another cutoff."""
        return replace(self, view=replace(self.view, cutoff=cutoff))

    @property
    def interval_counts(self) -> bool:
        """Whether it is judged when rows hold.

        A program that is told its entities need not ask whether they live: only where the contract says so must it.
        """
        return self.table.spec.valid is not None and (self.table.spec.kind != "entity" or self.life)

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """The families that mean something for the table."""
        spec = self.table.spec
        counts = self.interval_counts
        found = [AS_IS] if spec.versions or counts else []
        always = spec.availability is not None and spec.availability.always
        if not always:
            found += [REMOVED, SCRAMBLED, THINNED]
        elif any(shown is not None for shown in self.view.hidden.values()):
            found.append(SCRAMBLED)
        if self._may_go_on:
            found.append(TO_COME)
            found += [] if self._may_be_late else [GAPS]
        if self._may_have_newcomers:
            found += [NEWCOMERS] if self._may_begin_untold else []
            found += [NEW_PENDING] if counts and self._may_begin_later else []
            found += [NEW_ENDED] if counts and spec.valid and spec.valid.end else []
        if any(column.disclosed_by for column in spec.columns.values()):
            found.append(UNSTAGED)
        if self._names:
            found.append(RENAMED)
        if self._unseen:
            found.append(CURRENT)
        if spec.valid and spec.valid.end:
            found += [ENDED, REOPENED]
        # Of other entities it would be a false alarm: a listing may be judged from another table than their own.
        if self._ahead and (self.life or (counts and spec.kind != "entity")):
            found.append(FUTURE)
        if self._may_be_late:
            found += [LATE, LATE_TOO, *([UNDATED] if self._may_be_undated else [])]
        if self._stages_may_be_late:
            found.append(LATE_STAGES)
        if self._end_may_be_late:
            found.append(LATE_END)
        if counts and spec.valid and spec.valid.end:
            found.append(EXPIRED)
        own_start = spec.valid is not None and self._available != spec.valid.start
        if counts and own_start and not self._ahead:
            found += [PENDING, PENDING_TOO]
        start = spec.valid.start if spec.valid else None
        numbered = self._have_own_ids(self._available, start)
        if spec.versions and self._available and not self._ahead and numbered:
            found += [RESTATED, SUPERSEDED]
            if self._empty(known=True):
                found.append(EMPTIED)
            if self._may_be_older:
                found.append(OLDER)
            found += [NULLED] if self._empty(known=False) else []
            found += [OVERLAP] if spec.disjoint is not None and spec.valid is not None else []
        if self._may_be_late and self._timed and not self._followed(self._available or ""):
            found.append(INTRADAY)
        return tuple(found)

    @cached_property
    def traps(self) -> tuple[Family, ...]:
        """The alterations of what was known that a program which uses the table reacts to."""
        found = [family for family in (SUPERSEDED, EXPIRED, PENDING, FUTURE) if family in self.families]
        if self._payload():
            found.append(CHANGED)
        found += [MISSING, MISSING_TOO]  # a program may fail for want of one row, and react to others
        if self.table.spec.valid and self.table.spec.valid.end:
            found.append(ALIVE)
        role = self.table.spec.columns[self._available].role if self._available else None
        if self._available and role != "market_date" and not self._ahead:
            found.append(BACKDATED)
        return tuple(found)

    @cached_property
    def named(self) -> frozenset[str]:
        """The names of its columns, in small letters."""
        return frozenset(column.name.lower() for column in self.table.info.columns)

    def moving(self, column: str) -> tuple[Family, ...]:
        """Return the families that tell soonest whether a column (in small letters) is tested for an interval."""
        valid = self.table.spec.valid
        if valid is None or column == (self._available or "").lower():
            return ()
        known = valid.end_known.column if valid.end_known else None
        if column == valid.start.lower():
            return (AS_IS, PENDING, PENDING_TOO, NEW_PENDING)
        if column in {name.lower() for name in (valid.end, known) if name}:
            return (AS_IS, EXPIRED, NEW_ENDED, LATE_END)
        return ()

    def select(self, family: Family, only: tuple[Any, Any] | None = None) -> str:
        """Return the SELECT of a family, altering only rows whose number lies in a range (both ends included)."""
        return self._given(self._select(family, only))

    def _select(self, family: Family, only: tuple[Any, Any] | None = None) -> str:
        touched = (
            "" if only is None else f" AND {self._number} BETWEEN {literal(only[0])} AND {literal(only[1])}"
        )
        build = {
            REMOVED.name: lambda: f"{self._all} WHERE NOT ({self._unknown}{touched})",
            THINNED.name: lambda: f"{self._all} WHERE NOT ({self._unknown}{touched} AND {self._part(5)} < 2)",
            SCRAMBLED.name: lambda: self._changed(self._scrambled(), touched),
            TO_COME.name: lambda: self._with_recurring(touched),
            NEWCOMERS.name: lambda: self._newcomers(touched),
            NEW_PENDING.name: lambda: self._newcomers(touched, known=True),
            NEW_ENDED.name: lambda: self._newcomers(touched, known=True, ended=True),
            UNSTAGED.name: lambda: self._changed(self._restaged(), touched),
            RENAMED.name: lambda: self._changed(self._renamed(), touched),
            CURRENT.name: lambda: self._changed(
                {name: ("TRUE", alt) for name, alt in self._unseen.items()}, touched
            ),
            ENDED.name: lambda: self._changed(self._ends(self._open, ended=True), touched),
            REOPENED.name: lambda: self._changed(self._ends(self._open, ended=False), touched),
            RESTATED.name: lambda: self._with_versions(touched, late=True),
            SUPERSEDED.name: lambda: self._with_versions(touched, late=False),
            EMPTIED.name: lambda: self._with_versions(touched, late=False, instead=self._empty(known=True)),
            OLDER.name: lambda: self._with_older(touched),
            NULLED.name: lambda: self._with_versions(touched, late=False, instead=self._empty(known=False)),
            OVERLAP.name: lambda: self._with_versions(touched, late=False, close=False),
            INTRADAY.name: lambda: self._changed(
                self._moved(self._last_day + timedelta(hours=15), self._withheld(INTRADAY)), touched
            ),
            FUTURE.name: lambda: self._changed(self._begun_later(), touched),
            LATE.name: lambda: self._changed(self._late(self._withheld(LATE), changed=(3,)), touched),
            LATE_TOO.name: lambda: self._changed(
                self._late(self._withheld(LATE_TOO), changed=(0, 1)), touched
            ),
            GAPS.name: lambda: self._over(
                self._with_gaps(f"{self._withheld(GAPS)}{touched}"), self._without_peaks(touched)
            ),
            LATE_STAGES.name: lambda: self._changed(self._late_stages(), touched),
            UNDATED.name: lambda: self._changed(self._undated(), touched),
            LATE_END.name: lambda: self._changed(self._late_ends(), touched),
            EXPIRED.name: lambda: self._changed(self._expired(), touched),
            PENDING.name: lambda: self._changed(self._pending(_THIRDS[PENDING]), touched),
            PENDING_TOO.name: lambda: self._changed(
                self._pending(_THIRDS[PENDING_TOO], changed=True), touched
            ),
            AS_IS.name: lambda: self._all,
            CHANGED.name: lambda: self._changed(self._known_values(), touched),
            MISSING.name: lambda: self._fewer((0, 1), touched),
            MISSING_TOO.name: lambda: self._fewer((2, 4), touched),
            ALIVE.name: lambda: self._changed(self._ends(self._sql(self.view.ended), ended=False), touched),
            BACKDATED.name: lambda: self._changed(self._backdated(), touched),
        }
        return build[family.name]()

    def expected(self, family: Family, only: tuple[Any, Any] | None = None) -> str:
        """Return the table over which the output must be the same: what was known of it, or its normal form.

        With a range, only the rows of the range, and those that were added to them, are left out.
        """
        return self._given(self._expected(family, only))

    def _expected(self, family: Family, only: tuple[Any, Any] | None) -> str:
        touched = "" if only is None else f" AND {self._within(only)}"
        if family == LATE_END:
            return self._changed(self._ends(self._sql(self.view.ended), ended=False), touched)
        if family == INTRADAY:
            return self._changed(self._moved(self._last_day, self._withheld(INTRADAY)), touched)
        if family == LATE_STAGES:
            return self._changed(self._without_stages(), touched)
        if family == GAPS:
            return self._over(
                f"{self._all} WHERE NOT ({self._withheld(GAPS)}{touched})", self._without_peaks(touched)
            )
        if family.mode == "known":
            return f"{self._all} WHERE NOT ({self._withheld(family)}{touched})"
        rest = self._plain if only is None else self._normal_within(self._plain, only)
        return self._over(rest, self._select(family, only))

    @cached_property
    def _plain(self) -> str:
        """The table's normal form."""
        return normal_view(
            self.table, self.view.cutoff, self.dialect, proxies=self.view.proxies, rule=self.view.rule
        )

    def _within(self, only: tuple[Any, Any]) -> str:
        return f"{self._number} BETWEEN {literal(only[0])} AND {literal(only[1])}"

    def _normal_within(self, plain: str, only: tuple[Any, Any]) -> str:
        """Return the table without those rows of a range that are not in its normal form.

        Where the last version of a group has ended, the earlier ones must go with it: else one of them would count.
        """
        above = self._span
        touched = f"({self._within(only)} OR {self._within((only[0] + above, only[1] + above))})"
        stays = f"{self._number} IN (SELECT {self._number} FROM ({plain}) AS finassay_plain)"  # noqa: S608
        spec = self.table.spec
        if spec.versions is None or spec.valid is None or spec.valid.end is None:
            return f"{self._all} WHERE {stays} OR NOT {touched}"
        open_ended = spec.valid.model_copy(update={"end": None, "end_known": None, "with_end": ()})
        started = replace(self.table, spec=spec.model_copy(update={"valid": open_ended}))
        last = selected_view(
            started, self.view.cutoff, self.dialect, proxies=self.view.proxies, rule=self.view.rule
        )
        latest = f"{touched} AND {self._number} IN (SELECT {self._number} FROM ({last}) AS finassay_last)"  # noqa: S608
        cells = ", ".join(self._quoted(column.name) for column in self.table.info.columns)
        group = ", ".join(self._column(name) for name in spec.versions.per)
        told = (
            f"SELECT {cells}, CASE WHEN {stays} THEN 1 ELSE 0 END AS {_NORMAL}, "  # noqa: S608 - our own names
            f"CASE WHEN {latest} THEN 1 ELSE 0 END AS {_LATEST} FROM {self._from}"
        )
        grouped = (
            f"SELECT {cells}, {_NORMAL}, MAX({_LATEST}) OVER (PARTITION BY {group}) AS {_LATEST} "  # noqa: S608
            f"FROM ({told}) AS finassay_told"
        )
        kept = f"{_NORMAL} = 1 OR ({_LATEST} = 0 AND NOT {touched})"
        return f"SELECT {cells} FROM ({grouped}) AS finassay_grouped WHERE {kept}"  # noqa: S608 - our own names

    def contradictory(self) -> str | None:
        """Return the table with what other columns or tables rule out; None where nothing of the kind is known.

        A fifth of the entities is not yet there; or every known row was disclosed only after what the catalog says
        comes later, such as its own beginning.
        """
        if self._available is None:
            return None
        if self._ahead:
            return self.select(FUTURE)
        if not self._followed(self._available):
            return None
        known = self._sql(self.view.knowable)
        late = {self._available: (known, self._date(self._available, self.view.cutoff.instant - self._lag))}
        return self._given(self._changed(late, ""))

    def marked(self, column: str, *, counting: bool) -> str:
        """Return the table with one more column: the number of each row that was not known at the cutoff, else NULL.

        With `counting`, of each row that was known and did not count.
        """
        when = f"{self._sql(self.view.knowable)} AND NOT {self._counts}" if counting else self._unknown
        columns = ", ".join(self._quoted(c.name) for c in self.stored.info.columns)
        marked = f"SELECT {columns}, CASE WHEN {when} THEN {self._number} END AS {column} FROM {self._from}"  # noqa: S608 - our own names
        return self._given(marked, "*")

    def snapshot(self, *, history: bool) -> str:
        """Return what counted at the cutoff, as it read then: the selected rows, or with their history the known ones.

        What was not known is NULL; a flag that repeats whether an interval has ended says what it said then.
        """
        changes: dict[str, tuple[str, str]] = {}
        for name, shown in self.view.hidden.items():
            if name in self._flags:
                continue
            empty = self._no_end if self.table.spec.valid and name == self.table.spec.valid.end else "NULL"
            changes[name] = ("TRUE" if shown is None else self._sql(Not(shown)), empty)
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
        return self._given(self._over(self._changed(changes, ""), rows))

    @property
    def shuffled(self) -> str:
        """The same rows in another order, which no column tells."""
        cells = ", ".join(self._quoted(column.name) for column in self.stored.info.columns)
        rows = f"SELECT {cells} FROM {self.stored.source.sql(dialect=self.dialect)}"  # noqa: S608 - our own names
        if self.dialect == "mysql":  # which drops the order of a derived table that has no limit
            return f"{rows} ORDER BY MD5(CONCAT_WS(',', 'finassay', {cells})) LIMIT 18446744073709551615"
        if self.dialect == "postgres":
            return f"{rows} AS shuffled ORDER BY MD5('finassay' || CAST(shuffled AS text))"
        return OwnSelect(f"{rows} ORDER BY hash('finassay', {cells})")

    def occurs(self, family: Family) -> str | None:
        """Return a SELECT that has a row where the like of what a family does occurs in the table as it is.

        None where nothing of the kind can be looked for: of columns whose values are set anew.
        """
        if family in (RESTATED, SUPERSEDED, OLDER):
            versions = self.table.spec.versions
            if versions is None:
                return None
            group = ", ".join(self._column(name) for name in versions.per)
            several = f"SELECT 1 FROM {self._from} GROUP BY {group} HAVING COUNT(*) > 1 LIMIT 1"  # noqa: S608 - our own names
            return self._given(several, "1")
        valid = self.table.spec.valid
        where = {
            ENDED: self._sql(all_of(self.view.knowable, self.view.ended)),
            EXPIRED: self._sql(all_of(self.view.knowable, self.view.ended)),
            ALIVE: self._open,
            REOPENED: f"{self._column(valid.end)} IS NULL OR {self._column(valid.end)} = {self._no_end}"
            if valid and valid.end
            else None,
            LATE: self._unknown,
            LATE_TOO: self._unknown,
            GAPS: self._unknown,
            UNDATED: f"{self._column(self._available)} IS NULL" if self._available else None,
            BACKDATED: self._sql(self.view.knowable),
            FUTURE: self._unknown,
            LATE_STAGES: self._unknown,
            LATE_END: f"{self._open} AND {self._column(valid.end)} IS NOT NULL"
            if valid and valid.end
            else None,
            PENDING: self._sql(all_of(self.view.knowable, Not(self.view.started))),
            PENDING_TOO: self._sql(all_of(self.view.knowable, Not(self.view.started))),
            SCRAMBLED: self._sql(self.view.knowable),  # its values are those of other rows
            TO_COME: self._unknown,
            CHANGED: self._sql(self.view.knowable),
            EMPTIED: " OR ".join(f"{self._column(name)} IS NULL" for name in self._empty(known=True)) or None,
            MISSING: self._unknown,
            MISSING_TOO: self._unknown,
        }.get(family)
        return None if where is None else self._given(f"{self._all} WHERE {where} LIMIT 1")

    def candidates(self, family: Family, within: str | None = None) -> str:
        """Return a SELECT of the numbers of the rows that a family may alter, ascending, of those of a slice."""
        if family in _FIRST:
            new = f"SELECT {self._new_number} AS n FROM ({self._strangers}) AS strangers"  # noqa: S608
            return f"{self._given(new, 'n')} ORDER BY 1"
        valid = self.table.spec.valid
        if family in (REMOVED, THINNED, BACKDATED):
            where = self._unknown
        elif family in (CHANGED, MISSING, MISSING_TOO):
            where = self._sql(self.view.knowable)
        elif family in (LATE, LATE_TOO, GAPS, UNDATED, FUTURE, INTRADAY):
            where = self._withheld(family)
        elif family is LATE_STAGES:
            where = " OR ".join(self._staged.values())
        elif family is LATE_END:
            where = self._sql(all_of(self.view.knowable, self.view.ended))
        elif family in (ENDED, REOPENED):
            where = self._open
        elif family is AS_IS:
            where = f"{self._sql(self.view.knowable)} AND NOT {self._counts}"
        elif family is TO_COME:
            where = self._to_recur
        elif family in _ADDED:
            where = self._counts
        elif family is EXPIRED and valid is not None:
            where = self._expired()[valid.end or ""][0]
        elif family in _THIRDS and valid is not None:
            where = self._pending(_THIRDS[family])[valid.start][0]
        else:
            where = "TRUE"
        where = f"({where})" if within is None else f"{within} AND ({where})"
        rows = f"SELECT {self._number} AS n FROM {self._from} WHERE {where}"  # noqa: S608 - our own names
        return f"{self._given(rows, 'n')} ORDER BY 1"

    def _withheld(self, family: Family) -> str:
        """Return the condition of the known rows that a family hides: some fifths, or all rows of some entities too.

        Of intervals that are told on the day they begin, those alone that have not ended: none ends before it begins.
        """
        rests, parts = {LATE: ((2, 3), 0), LATE_TOO: ((0, 1, 4), 2), GAPS: ((2,), 3)}.get(family, ((2,), 0))
        picked = f"{self._part(5)} IN ({', '.join(map(str, rests))})"
        picked = f"({picked} OR {self._whole(parts)})" if parts else picked
        return f"{self._sql(self.view.knowable)} AND {picked}{self._still}"

    @property
    def _counts(self) -> str:
        """The condition of a row that counts at the cutoff."""
        return f"{self._number} IN (SELECT {self._number} FROM ({self._chosen}) AS chosen)"  # noqa: S608

    def row(self, number: Any) -> str:
        """Return a SELECT of one row."""
        return self._given(f"{self._all} WHERE {self._number} = {literal(number)}")

    def row_after(self, family: Family, number: Any) -> str:
        """Return a SELECT of the row as a family alters it alone; of the row that it adds, where it adds one."""
        altered = f"({self._select(family, (number, number))}) AS altered"
        which = f"= {literal(number)}"
        if adds(family):
            which = f"NOT IN (SELECT {self._number} FROM {self._from})"  # noqa: S608 - our own names
        return self._given(f"SELECT * FROM {altered} WHERE {self._number} {which}")  # noqa: S608 - our own names


def adds(family: Family) -> bool:
    """Whether a family adds rows."""
    return family in _ADDED or family in _FIRST or family is TO_COME
