"""The temporal meaning of one table: when a row is known, when it holds, which version counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self, get_args

from pydantic import Field, model_validator

from finassay.temporal._column import DATE_ROLES, Column, Described, Role, Strict

Kind = Literal["entity", "event", "state", "report", "series", "snapshot"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Roles whose date says something about when a row could be seen.
_AVAILABLE: frozenset[Role] = frozenset({"disclosure", "market_date", "effective_from", "recorded"})


class Availability(Strict):
    """When a row can be seen: strictly before the cutoff.

    Attributes
    ----------
    column : str or None
        The date: a disclosure, a market date, a day of collection.
    lag_days : int
        Days added to it, an assumption where the true lag is not recorded.
    ahead : bool
        The dates of `column` lie after the day they became public (invariant W1 of task_families.md, 0.1): an index
        change is announced before it takes effect. A date up to and including D is then known under both boundaries,
        and a later one is not relied upon.
    always : bool
        The row was known at any date: trading calendars published in advance, code lists.
    proxy : str or None
        A recording column that may stand in for the disclosure, only where the contract allows it; it then replaces
        `column`.
    """

    column: str | None = None
    lag_days: int = Field(default=0, ge=0)
    ahead: bool = False
    always: bool = False
    proxy: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.always and (self.column or self.proxy):
            raise ValueError("'always' excludes 'column' and 'proxy'")
        if (self.lag_days or self.ahead) and not self.column:
            raise ValueError("'lag_days' and 'ahead' need a 'column'")
        if self.lag_days and self.ahead:
            raise ValueError("'lag_days' and 'ahead' exclude each other")
        return self


class KnownEnd(Strict):
    """When the end of an interval became public: a column, and days added to it."""

    column: str
    lag_days: int = Field(default=0, ge=0)


class Interval(Strict):
    """When the state of a row holds: from `start` on, up to and without `end`, tested by calendar day.

    Attributes
    ----------
    start : str
        Key ``from``: the first day.
    end : str or None
        Key ``to``: the first day on which it no longer holds; NULL means not ended.
    inclusive : bool
        The vendor's `end` is the last day on which it still holds.
    open : tuple of int or str
        Values of `end`, as stored, that also mean not ended: ``9999-12-31``, the last day of the file.
    end_known : KnownEnd or None
        When the end became public. None states invariant W2 of task_families.md, 0.1: ends are dated after the day they
        became public, so an end up to D is known under both boundaries, and a later one reads as open.
    with_end : tuple of str
        Columns filled together with the end: a reason, the disclosure of the end.
    """

    start: str = Field(alias="from")
    end: str | None = Field(default=None, alias="to")
    inclusive: bool = False
    open: tuple[int | str, ...] = ()
    end_known: KnownEnd | None = None
    with_end: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.end is None and (self.inclusive or self.open or self.end_known or self.with_end):
            raise ValueError("'inclusive', 'open', 'end_known' and 'with_end' need a 'to'")
        return self


class Versions(Strict):
    """Rows that compete, of which one counts.

    Attributes
    ----------
    per : tuple of str
        Rows with equal values here are versions of one thing: (company, period) of a report, (company, standard) of an
        industry. NULL equals NULL.
    order : tuple of str
        Ascending: the last one counts. NULL is the lowest. Ties are broken by nothing: all of them stay, and the lint
        reports them.
    unique : tuple of str
        Columns whose values no two rows share; by default `per` and `order` together.
    """

    per: tuple[str, ...] = Field(min_length=1)
    order: tuple[str, ...] = Field(min_length=1)
    unique: tuple[str, ...] = ()


class Disjoint(Strict):
    """Intervals that do not overlap among rows with equal `per`, but for `overlap_days` days on a changeover."""

    per: tuple[str, ...] = Field(min_length=1)
    overlap_days: int = Field(default=0, ge=0)


class Dependency(Strict):
    """An agreement between columns of a row; exactly one of the four is stated.

    Attributes
    ----------
    flag : str or None
        A column that repeats whether the interval has ended: its values are in `while_open` exactly when the end is
        NULL or open. It describes the snapshot, so its role is ``current_state``.
    while_open : tuple of str
        Values of `flag` for rows that have not ended.
    order : tuple of str
        Dates that never decrease from left to right where they are there: planned, approved, implemented.
    together : tuple of str
        Columns that are NULL together.
    determines : tuple of str
        The first column's value fixes the others': a code and its name.
    """

    flag: str | None = None
    while_open: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    determines: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _text_codes(cls, value: Any) -> Any:
        if isinstance(value, dict) and isinstance(value.get("while_open"), list):
            return {**value, "while_open": [str(code) for code in value["while_open"]]}
        return value

    @model_validator(mode="after")
    def _one_of_four(self) -> Self:
        stated = [n for n in ("flag", "order", "together", "determines") if getattr(self, n)]
        if len(stated) != 1:
            raise ValueError(
                f"state one of flag, order, together, determines; found {', '.join(stated) or 'none'}"
            )
        if bool(self.flag) != bool(self.while_open):
            raise ValueError("'flag' and 'while_open' go together")
        if any(len(getattr(self, name)) == 1 for name in stated if name != "flag"):
            raise ValueError(f"'{stated[0]}' needs at least two columns")
        return self

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it speaks of."""
        return (self.flag,) if self.flag else self.order or self.together or self.determines


class KnownIssue(Described):
    """A defect of the data that was looked at: up to `rows` findings of a check are reported, and are no failure."""

    check: str
    rows: int = Field(ge=1)


class OpenQuestion(Strict):
    """A field of a drafted table that could not be decided, and why."""

    field: str
    reason: str


class Table(Described):
    """The temporal meaning of a table.

    Attributes
    ----------
    kind : str
        ``entity`` (one row per security, fund, person), ``event`` (something happened), ``state`` (holds over an
        interval), ``report`` (figures of a period, in versions), ``series`` (a dated value), ``snapshot`` (true today,
        no history).
    row_id : tuple of str
        Columns that tell any two rows apart; left out if the table has none.
    key : tuple of str
        The business key: what a row is about, without its version.
    granularity : {"date", "intraday"}
        Whether the availability column holds days or times of day.
    availability : Availability or None
        None: the data do not say when a row became known. Nothing can then be certified over it.
    valid : Interval or None
        When the row's state holds; None for rows that hold for their own date or period.
    versions : Versions or None
        How competing rows are settled; None: rows do not compete.
    overwritten : bool
        The vendor replaces a row when a newer version comes: earlier versions are gone.
    disjoint : Disjoint or None
        Intervals that do not overlap.
    columns : mapping of str to Column
        Every column of the table, in its order.
    others : Column or None
        The meaning of columns not listed, for tables with hundreds of figures.
    dependencies : tuple of Dependency
        Agreements between columns of a row.
    known_issues : tuple of KnownIssue
        Defects of the data that were looked at.
    open_questions : tuple of OpenQuestion
        What a draft leaves open.
    """

    kind: Kind
    row_id: tuple[str, ...] = Field(default=(), min_length=1)
    key: tuple[str, ...] = Field(default=(), min_length=1)
    granularity: Literal["date", "intraday"] = "date"
    availability: Availability | None = None
    valid: Interval | None = None
    versions: Versions | None = None
    overwritten: bool = False
    disjoint: Disjoint | None = None
    columns: dict[str, Column] = Field(min_length=1)
    others: Column | None = None
    dependencies: tuple[Dependency, ...] = ()
    known_issues: tuple[KnownIssue, ...] = ()
    open_questions: tuple[OpenQuestion, ...] = ()

    @property
    def unique(self) -> tuple[str, ...]:
        """Columns whose values no two rows share: those of the versions, else the key; empty if nothing is stated."""
        if self.versions is None:
            return self.key
        return self.versions.unique or tuple(dict.fromkeys((*self.versions.per, *self.versions.order)))

    def by_role(self, *roles: Role) -> tuple[str, ...]:
        """Return the listed columns with one of the roles, in order."""
        return tuple(name for name, column in self.columns.items() if column.role in roles)

    def mentions(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield (path inside the table, column name) for every place that names a column."""
        for field in ("row_id", "key"):
            yield from (((field, i), name) for i, name in enumerate(getattr(self, field)))
        if self.availability:
            yield from _named("availability", self.availability, ("column", "proxy"))
        if self.valid:
            yield ("valid", "from"), self.valid.start
            if self.valid.end:
                yield ("valid", "to"), self.valid.end
            if self.valid.end_known:
                yield ("valid", "end_known", "column"), self.valid.end_known.column
            yield from ((("valid", "with_end", i), name) for i, name in enumerate(self.valid.with_end))
        for part, fields in (("versions", ("per", "order", "unique")), ("disjoint", ("per",))):
            owner = getattr(self, part)
            for field in fields if owner else ():
                yield from (((part, field, i), name) for i, name in enumerate(getattr(owner, field)))
        for index, dependency in enumerate(self.dependencies):
            yield from ((("dependencies", index), name) for name in dependency.columns)
        for name, column in self.columns.items():
            if column.disclosed_by:
                yield ("columns", name, "disclosed_by"), column.disclosed_by

    def problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield (path inside the table, what is wrong) for contradictions between the parts."""
        for path, name in self.mentions():
            if name not in self.columns:
                yield path, f"column {name} is not listed in 'columns'"
        yield from self._role_problems()
        if self.kind == "state" and self.valid is None:
            yield ("kind",), "a state needs 'valid': the column from which it holds"
        if self.disjoint and (self.valid is None or self.valid.end is None):
            yield ("disjoint",), "'disjoint' needs intervals: 'valid' with 'from' and 'to'"
        if any(d.flag for d in self.dependencies) and (self.valid is None or self.valid.end is None):
            yield ("dependencies",), "'flag' needs an interval with an end: 'valid' with 'to'"
        if self.overwritten and self.versions is not None:
            yield ("overwritten",), "an overwritten table keeps no versions: leave 'versions' out"

    def _role_problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        roles = {name: column.role for name, column in self.columns.items()}
        yield from self._availability_problems(roles)
        for path, name in self._dated():
            if name in roles and roles[name] not in DATE_ROLES:
                yield path, f"{name} is used as a date but has the role {roles[name]}"
            if name in roles and self.columns[name].format == "other":
                yield path, f"{name} is used as a date but has the format 'other'"
        for index, name in enumerate(self.versions.order if self.versions else ()):
            if roles.get(name) in ("updated", "current_state"):
                yield (
                    ("versions", "order", index),
                    f"{name} has the role {roles[name]}: it changes when the vendor touches the row",
                )
        for name in self.key:
            if roles.get(name) in ("updated", "current_state", "presentation"):
                yield ("key",), f"{name} has the role {roles[name]}; a key does not change"

    def _availability_problems(self, roles: dict[str, Role]) -> Iterator[tuple[tuple[str | int, ...], str]]:
        available = self.availability
        if available and available.column in roles:
            role = roles[available.column]
            if role == "recorded":
                yield (
                    ("availability", "column"),
                    f"{available.column} is a recording time: it is a 'proxy', which a contract must allow",
                )
            elif role not in _AVAILABLE and not (role == "period_end" and available.lag_days):
                yield (
                    ("availability", "column"),
                    f"{available.column} has the role {role}, which says nothing about when a row became known",
                )
        if available and available.proxy in roles and roles[available.proxy] != "recorded":
            yield (
                ("availability", "proxy"),
                f"{available.proxy} has the role {roles[available.proxy]}; a proxy is 'recorded'",
            )

    def _dated(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        dated = {
            ("availability", "column"),
            ("availability", "proxy"),
            ("valid", "from"),
            ("valid", "to"),
            ("valid", "end_known", "column"),
        }
        for path, name in self.mentions():
            if path in dated or path[-1] == "disclosed_by":
                yield path, name


def _named(part: str, owner: Strict, fields: tuple[str, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for field in fields:
        name = getattr(owner, field)
        if name:
            yield (part, field), name
