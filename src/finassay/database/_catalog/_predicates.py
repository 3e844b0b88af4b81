"""Conditions of `finassay.temporal` as SQL expressions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from finassay.temporal import All, AsOf, Before, Missing, Not

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlglot import exp

    from finassay.database._types import Dialect
    from finassay.temporal import Cutoff, Predicate, Table


def knowable_sql(
    table: Table, cutoff: Cutoff, dialect: Dialect, *, proxies: Collection[str] = (), alias: str | None = None
) -> str:
    """Return the condition of a row that was known at a cutoff, as text of SQL.

    Parameters
    ----------
    table : Table
        The catalog entry.
    cutoff : Cutoff
        As-of date and boundary.
    dialect : {"duckdb", "mysql", "postgres"}
        The engine's dialect.
    proxies : collection of str
        Recording columns that the contract allows as availability.
    alias : str, optional
        The table's name or alias in the statement.

    Returns
    -------
    str
        A condition that is true or false, never NULL.

    Raises
    ------
    AvailabilityUnknown
        If the catalog names no availability and no proxy is allowed.
    """
    return predicate_sql(AsOf(table, cutoff, proxies).knowable, dialect, alias=alias)


def predicate_sql(
    predicate: Predicate,
    dialect: Dialect,
    *,
    names: Mapping[str, str] | None = None,
    alias: str | None = None,
) -> str:
    """Return a condition of `finassay.temporal` as text of SQL; true or false, never NULL.

    ``names`` gives the database's spelling of columns, ``alias`` qualifies them.
    """
    return condition(predicate, names, alias).sql(dialect=dialect)


def condition(
    predicate: Predicate, names: Mapping[str, str] | None = None, alias: str | None = None
) -> exp.Expr:
    """Return a condition as a sqlglot expression in two-valued logic.

    Parameters
    ----------
    predicate : Predicate
        The condition.
    names : mapping of str to str, optional
        The database's spelling of columns.
    alias : str, optional
        Qualifies the columns.
    """
    from sqlglot import exp

    def visit(node: Predicate) -> exp.Expr:
        match node:
            case Before():
                column = column_of(node.column, names, alias)
                # A NULL column makes the comparison NULL, so the test for NULL comes with it: NOT stays two-valued.
                return exp.and_(
                    exp.not_(exp.Is(this=column.copy(), expression=exp.null())),
                    exp.LT(this=column, expression=literal(node.threshold)),
                )
            case Missing():
                column = column_of(node.column, names, alias)
                missing: exp.Expr = exp.Is(this=column.copy(), expression=exp.null())
                if not node.values:
                    return missing
                listed = [literal(value) for value in node.stored_values]
                return exp.paren(exp.or_(missing, exp.In(this=column, expressions=listed)))
            case Not():
                return exp.not_(exp.paren(visit(node.condition)))
            case All():
                return exp.and_(*map(visit, node.conditions)) if node.conditions else exp.true()

    return visit(predicate)


def column_of(name: str, names: Mapping[str, str] | None = None, alias: str | None = None) -> exp.Column:
    """Return a quoted column under the database's spelling of its name."""
    from sqlglot import exp

    spelled = (names or {}).get(name, name)
    return exp.column(spelled, table=alias, quoted=True)


def literal(value: Any) -> exp.Expr:
    """Return a date, a number or a text as a literal."""
    from sqlglot import exp

    if isinstance(value, datetime):
        text = exp.Literal.string(value.isoformat(sep=" "))
        return exp.cast(text, "TIMESTAMP")
    if isinstance(value, int):
        return exp.Literal.number(value)
    return exp.Literal.string(str(value))
