"""Ties: where the order of rows that an ORDER BY leaves equal is part of the answer, and where no two are equal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finassay.database._mysql._scope import Context
    from finassay.database._mysql._values import Value

# What these give depends on the order of rows that the ORDER BY of their window leaves equal.
ROW_BY_ROW = frozenset({"ROW_NUMBER", "NTILE", "LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE", "NTH_VALUE"})


def identity(context: Context) -> frozenset[str] | None:
    """Return the expressions that together differ in every row of a place; None where nothing says so.

    The rows of a GROUP BY differ in its keys, those of a join in what the rows of its tables differ in. The keys of
    stored tables are not known.
    """
    if context.grouping is not None:
        if context.grouping.rollup:
            return None
        return frozenset(value.sql for value in context.grouping.keys.values())
    found: frozenset[str] = frozenset()
    for relation in context.scope.relations:
        if relation.unique is None:
            return None
        found |= relation.unique
    return found


def settled(context: Context, values: Iterable[Value]) -> bool:
    """Return whether no two rows of a place are equal in all `values`."""
    unique = identity(context)
    return unique is not None and unique <= {value.sql for value in values}


def same_rows(columns: Iterable[Value], values: Iterable[Value]) -> bool:
    """Return whether rows equal in `values` are equal in `columns` too, spelling included: their order is not seen."""
    listed, sorted_by = list(columns), {value.sql for value in values}
    return all(
        each.literal is not None
        or (each.sql in sorted_by and not (each.type.kind == "str" and each.type.collation != "binary"))
        for each in listed
    )
