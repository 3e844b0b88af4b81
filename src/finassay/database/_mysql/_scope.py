"""Names: the columns a FROM clause offers, and where an expression stands (row, group, HAVING, ORDER BY)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from finassay.database._mysql._values import Type, Value, name

# Of each table, the sets of columns that no two of its rows have alike
Keys = Mapping[str, Sequence[Sequence[str]]]
GROUP_ALIAS = "__grouped"
Plan = Literal["rows", "table", "kept"]


@dataclass(frozen=True)
class Relation:
    """A table or derived table of a FROM clause; `columns` is None where its types are not known.

    `keys` holds sets of columns (their text) that no two of its rows have alike; often none is known.
    """

    alias: str
    columns: tuple[tuple[str, Value], ...] | None
    keys: tuple[frozenset[str], ...] = ()


@dataclass(frozen=True)
class Scope:
    """What a FROM clause offers.

    Attributes
    ----------
    relations : tuple of Relation
        In the order of the clause.
    stars : tuple of (name, value)
        What ``*`` stands for: the merged columns of USING and NATURAL first.
    merged : mapping
        Columns that USING and NATURAL made one, by lower-case name.
    """

    relations: tuple[Relation, ...] = ()
    stars: tuple[tuple[str, Value], ...] = ()
    merged: Mapping[str, Value] = field(default_factory=dict)
    hidden: frozenset[tuple[str, str]] = frozenset()

    def unknown(self) -> list[str]:
        """Return the relations whose columns are not known."""
        return [relation.alias for relation in self.relations if relation.columns is None]

    def find(self, column: str, table: str | None) -> list[Value]:
        """Return the columns of a name: one if it is clear, several if ambiguous."""
        wanted = column.lower()
        if table is None and wanted in self.merged:
            return [self.merged[wanted]]
        found = []
        for relation in self.relations:
            if table is not None and relation.alias.lower() != table.lower():
                continue
            found += [value for each, value in relation.columns or () if each.lower() == wanted]
        return found

    def has_table(self, table: str) -> bool:
        """Return whether a table or alias of that name is in the clause."""
        return any(relation.alias.lower() == table.lower() for relation in self.relations)


@dataclass
class Grouping:
    """A GROUP BY being built: the query over the rows, whose columns the query over the groups reads.

    Attributes
    ----------
    keys : dict
        Expression over a row to (the value of the group, its column).
    slots : dict
        Aggregate over the rows to its column.
    rollup : bool
        Whether there are rows of subtotals.
    plan : str
        What MariaDB does with the groups; see `Aggregate`.
    sorted_keys : list
        What the groups are sorted by, over a row.
    """

    keys: dict[str, Value] = field(default_factory=dict)
    slots: dict[str, str] = field(default_factory=dict)
    rollup: bool = False
    plan: Plan = "rows"
    sorted_keys: list[str] = field(default_factory=list)

    def slot(self, sql: str) -> str:
        """Return the column of the grouped query that holds `sql`."""
        column = self.slots.setdefault(sql, f"g{len(self.slots)}")
        return f"{name(GROUP_ALIAS)}.{name(column)}"

    def last(self, value: Value) -> Value:
        """Return an expression of GROUP BY inside another one WITH ROLLUP.

        MariaDB computes it anew from the last row: in the rows of subtotals it is that of the last of their groups.
        """
        keys = ", ".join(f"n{at} := {k} IS NOT NULL, k{at} := {k}" for at, k in enumerate(self.sorted_keys))
        return value.retyped(self.slot(f"max(struct_pack({keys}, v := {value.sql})).v"), value.type)


@dataclass(frozen=True)
class Query:
    """A translated query.

    Its text, its columns, whether MariaDB would merge it into the query around it, and the places of the columns no two
    rows have alike (None: not known).
    """

    sql: str
    columns: tuple[tuple[str, Type], ...]
    mergeable: bool = False
    unique: tuple[int, ...] | None = None


Cte = tuple[str, tuple[tuple[str, Type], ...], tuple[int, ...] | None]  # name in DuckDB, columns, unique ones


@dataclass(frozen=True)
class Context:
    """Where an expression stands.

    Attributes
    ----------
    scope : Scope
        The columns at hand.
    parent : Context or None
        The query around, for correlated references.
    grouping : Grouping or None
        Set where the expression is over groups rather than rows.
    aliases : mapping
        The select list's names, lower case, to their expressions.
    alias_mode : str
        ``none``, ``first`` (HAVING) or ``last`` (GROUP BY, inside ORDER BY): whether aliases come before columns.
    windows : mapping
        Named windows.
    ctes : mapping
        Common table expressions, lower case, to (name in DuckDB, columns, unique columns).
    variables : mapping
        User variables set once in a derived table, to their constant values.
    """

    scope: Scope
    parent: Context | None = None
    grouping: Grouping | None = None
    aliases: Mapping[str, Any] = field(default_factory=dict)
    alias_mode: str = "none"
    windows: Mapping[str, Any] = field(default_factory=dict)
    ctes: Mapping[str, Cte] = field(default_factory=dict)
    variables: Mapping[str, Value] = field(default_factory=dict)
    group_names: frozenset[str] = frozenset()

    def over_rows(self) -> Context:
        """Return the same place, over the rows of a group instead of over groups."""
        return replace(self, grouping=None, alias_mode="none")
