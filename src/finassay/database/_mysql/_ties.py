"""Ties: where the order of rows that an ORDER BY leaves equal is part of the answer, and where no two are equal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finassay.database._mysql._scope import Context
    from finassay.database._mysql._values import Value

# What these give depends on the order of rows that the ORDER BY of their window leaves equal.
ROW_BY_ROW = frozenset({"ROW_NUMBER", "NTILE", "LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE", "NTH_VALUE"})


_MOST = 64


def identities(context: Context) -> tuple[frozenset[str], ...]:
    """Return the sets of expressions that each differ in every row of a place; nothing where none is known.

    The rows of a GROUP BY differ in its keys, those of a join in what the rows of its tables differ in. Where a table
    declares a key, no two texts in it are equal under MySQL's collation either: MySQL could not hold the table.
    """
    if context.grouping is not None:
        if context.grouping.rollup:
            return ()
        return (frozenset(value.sql for value in context.grouping.keys.values()),)
    found: tuple[frozenset[str], ...] = (frozenset(),)
    for relation in context.scope.relations:
        found = tuple(known | key for known in found for key in relation.keys)[:_MOST]
    return found


def settled(unique: Iterable[frozenset[str]], values: Iterable[Value]) -> bool:
    """Return whether no two rows are equal in all `values`, since these hold one of the `unique` sets."""
    given = {value.sql for value in values}
    return any(key <= given for key in unique)


def same_rows(columns: Iterable[Value], values: Iterable[Value]) -> bool:
    """Return whether rows equal in `values` are equal in `columns` too, spelling included: their order is not seen."""
    listed, sorted_by = list(columns), {value.sql for value in values}
    return all(
        each.literal is not None
        or (each.sql in sorted_by and not (each.type.kind == "str" and each.type.collation != "binary"))
        for each in listed
    )
