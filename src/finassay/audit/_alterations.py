"""What is done to a table, as SELECTs: values, ends, dates of disclosure changed, versions added."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from finassay.audit._columns import DAY, literal
from finassay.audit._kinds import is_text
from finassay.audit._recurring import Recurring
from finassay.audit._types import NAME_MARK
from finassay.database import replace_tables
from finassay.temporal import Not, all_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from finassay.database import Dialect

_BETWEEN = re.compile(r"[%|^$]+")  # the words of a pattern
_MOST_WORDS = 40
_HOLE = "finassay_hole"  # where a SELECT goes


class Alterations(Recurring):
    """The alterations that the families of scenarios are made of."""

    def _known_values(self) -> dict[str, tuple[str, str]]:
        return {name: (self._sql(self.view.knowable), value) for name, value in self._payload().items()}

    def _over(self, text: str, altered: str) -> str:
        """Let a SELECT of the table read the altered table in its place."""
        return _nested(text, self.table.source.name, altered, self.dialect)

    @cached_property
    def _unseen(self) -> dict[str, str]:
        """Columns never shown as of the cutoff, with another value; flags of the interval change with its end."""
        found = {}
        for name, shown in self.view.hidden.items():
            if shown is None and name not in self._flags:
                found[name] = self._across(name) or self._other(name)
        return found

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

    def _restaged(self) -> dict[str, tuple[str, str]]:
        """Empty the stages that were not disclosed in every other row; where there is none yet, it is on the cutoff."""
        changes: dict[str, tuple[str, str]] = {}
        for name, shown in self.view.hidden.items():
            column = self.table.spec.columns.get(name)
            if shown is None or column is None or column.disclosed_by is None or name not in self.table.names:
                continue
            own, info = self._column(name), self._info(self.table.names[name])
            empty = own if column.max_null == 0 else "NULL"
            filled = f"CASE WHEN {own} IS NULL THEN {self._some(name)} WHEN {self._every_other} THEN {empty}"
            changes[name] = (self._sql(Not(shown)), self._typed(f"{filled} ELSE {own} END", info.type))
        return changes

    def _renamed(self) -> dict[str, tuple[str, str]]:
        """Give names a word that the program speaks of, or take it away: a test of it comes out otherwise.

        Half of those that get one have the mark before it, so that the letters a program prints of names show it.
        """
        changes: dict[str, tuple[str, str]] = {}
        words = _words(self.spoken)
        cases = " ".join(f"WHEN {place} THEN {literal(word)}" for place, word in enumerate(words))
        given = f"CASE {self._part(len(words))} {cases} END" if words else None
        word = given or literal("".join(words))
        for name in self._names:
            own = plain = self._column(name)
            for one in sorted(words, key=len, reverse=True):
                plain = f"REPLACE({plain}, {literal(one)}, '')"
            spoken = ", ".join(map(literal, self.spoken))
            picked = f"{own} NOT IN ({spoken})" if spoken else f"{own} IS NOT NULL"
            value = f"CONCAT({word}, '{NAME_MARK}', {own}, {word})"
            if words:
                first = f"CONCAT('{NAME_MARK}', {own}, {word}, '{NAME_MARK}')"
                value = (
                    f"CASE WHEN {plain} <> {own} THEN CONCAT('{NAME_MARK}', {plain}, '{NAME_MARK}') "
                    f"WHEN {self._every_other} THEN {first} ELSE {value} END"
                )
            changes[name] = (picked, value)
        return changes

    @cached_property
    def _names(self) -> list[str]:
        """The columns of an entity that are printed as they read today, and are no state of any day."""
        if self.table.spec.kind != "entity":
            return []
        columns = [
            (n, self.table.names.get(n))
            for n, c in self.table.spec.columns.items()
            if c.role == "presentation"
        ]
        kinds = [(name, self._info(spelled).arrow_type) for name, spelled in columns if spelled]
        return [name for name, kind in kinds if is_text(kind)]

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
                changes[name] = (picked, self._no_end if name == valid.end else "NULL")
            elif name == valid.end:
                changes[name] = (picked, self._date(name, self.view.cutoff.day_end))
            elif name == known:
                changes[name] = (picked, self._date(name, self.view.cutoff.instant))
        for flag, while_open in self._flags.items():
            value = self._flag(flag, while_open, is_open=not ended)
            if value is not None:
                changes[flag] = (picked, value)
        return changes

    def _expired(self) -> dict[str, tuple[str, str]]:
        valid = self.table.spec.valid
        assert valid is not None  # noqa: S101 - families with an end only
        assert valid.end is not None  # noqa: S101
        day = self.view.cutoff.day_end - DAY
        picked = f"{self._sql(self.view.applicable)} AND {self._part(5)} = 0"
        changes = {valid.end: (picked, self._date(valid.end, day - DAY if valid.inclusive else day))}
        if valid.end_known:
            lag = timedelta(days=valid.end_known.lag_days)
            column = valid.end_known.column
            changes[column] = (picked, self._date(column, self.view.cutoff.instant - DAY - lag))
        for flag, while_open in self._flags.items():
            value = self._flag(flag, while_open, is_open=False)
            if value is not None:
                changes[flag] = (picked, value)
        return changes

    @cached_property
    def _may_be_late(self) -> bool:
        """Whether a row can be disclosed later, with the dates that are stated to follow.

        An entity is not announced after what other tables tell of it already.
        """
        spec = self.table.spec
        if spec.kind == "entity":
            return False
        if self._available is None or self._ahead or spec.columns[self._available].role == "market_date":
            return False
        if spec.valid is not None and spec.valid.start == self._available and spec.versions is not None:
            return False  # a later version begins later
        return all(self._writes_dates(name) for name in self._followers(self._available))

    def _writes_dates(self, name: str) -> bool:
        """Whether a moment can be written into a column."""
        format_ = self.table.spec.columns[name].format
        return self._is_date(name) if format_ == "native" else format_ != "other"

    @property
    def _may_be_undated(self) -> bool:
        """Whether the catalog lets the column be empty that says when a row was known, and no later date tells it."""
        if self._available is None or self._followed(self._available):
            return False
        return self.table.spec.columns[self._available].max_null != 0

    @cached_property
    def _end_may_be_late(self) -> bool:
        valid = self.table.spec.valid
        return (
            valid is not None and valid.end_known is not None and not self._followed(valid.end_known.column)
        )

    def _followed(self, name: str) -> bool:
        return bool(self._followers(name))

    def _followers(self, name: str) -> list[str]:
        """Return the columns that are stated to come after a date, and those after these."""
        found = [name]
        for one in found:  # which grows
            for order in (d.order for d in self.table.spec.dependencies if one in d.order):
                found += [after for after in order[order.index(one) + 1 :] if after not in found]
        return found[1:]

    def _moved(self, moment: datetime, picked: str) -> dict[str, tuple[str, str]]:
        """Move the time at which rows were known, and what is stated to follow not before."""
        available = self._available
        assert available is not None  # noqa: S101 - families with an availability only
        known = {available: (picked, self._date(available, moment - self._lag))}
        return known | self._not_before(self._followers(available), moment, picked)

    def _not_before(self, names: Iterable[str], moment: datetime, picked: str) -> dict[str, tuple[str, str]]:
        """Move dates to a moment, where they lie before it."""
        then = {name: self._date(name, moment) for name in names}
        return {name: (f"{picked} AND {self._column(name)} < {text}", text) for name, text in then.items()}

    @property
    def _still(self) -> str:
        """A further condition of intervals that are told on the day they begin: they have not ended."""
        valid = self.table.spec.valid
        told_at_start = valid is not None and valid.end is not None and valid.start == self._available
        return f" AND {self._sql(Not(self.view.ended))}" if told_at_start and not self._ahead else ""

    def _begun_later(self) -> dict[str, tuple[str, str]]:
        """Let a fifth of the rows begin the day after the as-of date, and what is stated to follow not before."""
        return self._moved(self.view.cutoff.day_end, self._fifths((2,)))

    def _fewer(self, rest: tuple[int, int], touched: str) -> str:
        """Return the table without some fifths of the known rows, from one to another."""
        known = self._sql(self.view.knowable)
        picked = f"{self._part(5)} BETWEEN {rest[0]} AND {rest[1]}"
        return f"{self._all} WHERE NOT ({known}{touched} AND {picked})"

    def _late(self, picked: str, changed: tuple[int, ...]) -> dict[str, tuple[str, str]]:
        """Disclose known rows right on the cutoff, some fifths of these with other values."""
        values = {
            name: (f"{self._fifths(changed)}{self._still}", value) for name, value in self._payload().items()
        }
        return {**values, **self._moved(self.view.cutoff.instant, picked)}

    @cached_property
    def _staged(self) -> dict[str, str]:
        """The conditions under which each column that a later date discloses is shown, of known rows."""
        columns = self.table.spec.columns
        return {
            name: f"{self._sql(self.view.knowable)} AND {self._sql(shown)}"
            for name, shown in self.view.hidden.items()
            if shown is not None and name in self.table.names and columns[name].disclosed_by is not None
        }

    @cached_property
    def _stages_may_be_late(self) -> bool:
        """Whether stages may be open yet: their columns may be empty, and their dates can be moved."""
        columns = self.table.spec.columns
        dates = {columns[name].disclosed_by or "" for name in self._staged}
        after = {later for name in dates for later in self._followers(name)}
        staged = all(columns[name].max_null != 0 for name in self._staged)
        return bool(dates) and staged and all(self._writes_dates(name) for name in dates | after)

    def _late_stages(self) -> dict[str, tuple[str, str]]:
        """Let stages of every other row be disclosed right on the cutoff, with other values."""
        values = self._payload()
        changes = {
            n: (f"{self._staged[n]} AND {self._every_other}", values[n]) for n in self._staged if n in values
        }
        return changes | self._stage_dates()

    def _stage_dates(self) -> dict[str, tuple[str, str]]:
        """Move the dates of stages to the cutoff, and what is stated to follow not before."""
        columns = self.table.spec.columns
        changes: dict[str, tuple[str, str]] = {}
        for name in {columns[name].disclosed_by or "": None for name in self._staged}:
            shown = self._staged.get(name, self._sql(self.view.knowable))
            names = (name, *self._followers(name))
            picked = f"{shown} AND {self._every_other}"
            changes |= self._not_before(names, self.view.cutoff.instant, picked)
        return changes

    def _without_stages(self) -> dict[str, tuple[str, str]]:
        """Empty what is then not disclosed; dates that were told before their day are moved here too."""
        emptied = {n: (f"{when} AND {self._every_other}", "NULL") for n, when in self._staged.items()}
        return self._stage_dates() | emptied

    def _undated(self) -> dict[str, tuple[str, str]]:
        """Leave a fifth of the known rows without a date of disclosure: nobody knows that they were known."""
        assert self._available is not None  # noqa: S101 - families with an availability only
        return {self._available: (self._fifths((2,)), "NULL")}

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
        moment = self.view.cutoff.instant - 2 * DAY
        names = [self._available]
        names += [
            n for n, c in self.table.spec.columns.items() if c.role == "recorded" and n != self._available
        ]
        native = [n for n in names if self.table.spec.columns[n].format == "native"]
        return {name: (self._unknown, self._date(name, moment)) for name in native}

    def _pending(self, rests: tuple[int, ...], *, changed: bool = False) -> dict[str, tuple[str, str]]:
        valid = self.table.spec.valid
        assert valid is not None  # noqa: S101 - families with an interval only
        picked = f"{self._sql(self.view.applicable)} AND {self._part(3)} IN ({', '.join(map(str, rests))})"
        changes: dict[str, tuple[str, str]] = {}
        if valid.end is not None:
            picked += f" AND {self._open}"
            changes = self._ends(picked, ended=False)
        values = {name: (picked, value) for name, value in self._payload().items()} if changed else {}
        return values | changes | {valid.start: (picked, self._date(valid.start, self.view.cutoff.day_end))}

    @property
    def _last_day(self) -> datetime:
        """The last moment without a time of day that was known."""
        return self.view.cutoff.day_end - DAY

    @cached_property
    def _timed(self) -> bool:
        """Whether the availability has room for a time of day, and the day counts whole."""
        import pyarrow as pa

        if self._available is None or self.view.cutoff.boundary != "eod":
            return False
        spelled = self.table.names[self._available]
        kind = next(c.arrow_type for c in self.table.info.columns if c.name == spelled)
        return bool(pa.types.is_timestamp(kind))

    @cached_property
    def _may_be_older(self) -> bool:
        """Whether a day earlier makes a row an older version, and breaks no order of dates that is stated."""
        spec = self.table.spec
        return (
            spec.versions is not None
            and spec.versions.order[0] == self._available
            and spec.valid is None
            and spec.columns[spec.versions.order[0]].format == "native"
        )

    def _with_older(self, touched: str) -> str:
        """Add to each version that counts one that was disclosed a day before, with other values."""
        assert self._available is not None  # noqa: S101 - families of versions only
        own = self._column(self._available)
        info = next(c for c in self.table.info.columns if c.name == self.table.names[self._available or ""])
        earlier = self._typed(f"{own} - INTERVAL '1' DAY", info.type)
        before = [
            name
            for order in (d.order for d in self.table.spec.dependencies if self._available in d.order)
            for name in order[: order.index(self._available)]
        ]
        allowed = "".join(f" AND {earlier} >= {self._column(name)}" for name in before)
        added = self._added(earlier, self._payload(), earlier, self._chosen, older=True)
        return f"{self._all} UNION ALL {added} {touched}{allowed}"

    def _added(
        self, when: str, values: Mapping[str, str], recorded: str, chosen: str, *, older: bool = False
    ) -> str:
        """Return a SELECT of the rows that count, under new numbers, with other values; conditions may follow."""
        spec = self.table.spec
        values = {**values, **self._anew(self._number, older=older)}
        values[spec.row_id[0]] = f"{self._number} + {self._span}"
        for name, column in spec.columns.items():
            if column.role == "recorded" and name != self._available and column.format == "native":
                values[name] = recorded
        values[self._available or ""] = when
        if spec.valid is not None:
            values[spec.valid.start] = when
        return f"SELECT {self._with(values)} FROM ({chosen}) AS chosen WHERE TRUE"  # noqa: S608 - our own names

    def _with_versions(
        self, touched: str, *, late: bool, instead: Mapping[str, str] | None = None, close: bool = True
    ) -> str:
        """Add a version to each group that has one at the cutoff: disclosed from the cutoff on, or just before it."""
        assert self._available is not None  # noqa: S101 - families of versions only
        available = self._available
        moment = self.view.cutoff.instant - self._lag - (timedelta() if late else DAY)
        when = self._date(available, moment)
        if late and self.table.spec.columns[available].format == "native":
            when = self._spread(available, moment, self._part(3))
        after = self._date(available, moment + 366 * DAY if late else moment)
        values = self._payload() | dict(instead or {})
        chosen = self._chosen
        versions = self.table.spec.versions
        if not late and versions and available in versions.unique:  # no two versions are of one time
            chosen = f"SELECT * FROM ({chosen}) AS chosen WHERE {self._column(available)} < {when}"  # noqa: S608
        closed = self._closed(when, chosen) if close else {}
        return (
            f"{self._changed(closed, touched)} UNION ALL {self._added(when, values, after, chosen)}{touched}"
        )

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


def _words(spoken: tuple[str, ...]) -> list[str]:
    """Return the words of a program's texts: those of its patterns first, then the shortest."""
    texts = sorted(spoken, key=lambda text: ("%" not in text, len(text), text))
    words = (word for text in texts for word in _BETWEEN.split(text) if any(map(str.isalpha, word)))
    return list(dict.fromkeys(words))[:_MOST_WORDS]


def _nested(text: str, name: str, altered: str, dialect: Dialect) -> str:
    """Return a SELECT with another one in place of a table."""
    return _around(text, name, dialect).replace(_HOLE, altered)


@lru_cache(maxsize=64)  # the normal form of a table is the same for all its alterations
def _around(text: str, name: str, dialect: Dialect) -> str:
    """Return a SELECT with a mark in place of a table."""
    return replace_tables(
        text, dialect, lambda table: f"({_HOLE}) AS altered" if table.name == name else None
    )
