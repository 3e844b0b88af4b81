"""User variables: set by SET before the query, or once in a derived table."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from finassay.database._mysql import _values as v
from finassay.database._mysql._convert import to_int, to_text
from finassay.database._mysql._scope import Context, Scope
from finassay.database._mysql._values import Type, Value, quote

if TYPE_CHECKING:
    from finassay.database._mysql._query import Queries

_SETTLED = (
    exp.EQ,
    exp.NEQ,
    exp.LT,
    exp.LTE,
    exp.GT,
    exp.GTE,
    exp.NullSafeEQ,
    exp.Between,
    exp.Interval,
    exp.In,
)


def kept(value: Value) -> Value:
    """Return what a variable keeps of a value that SET gives it, so that its type is known to the next statement.

    Dates become text; a decimal keeps every digit it holds, and shows them (``SET @x = 1/3`` is 0.333333333).
    """
    kind = value.type
    if kind.kind == "null":
        return Value("CAST(NULL AS VARCHAR)", v.STRING)
    if kind.temporal:
        return to_text(value)
    if kind.kind == "str":
        return replace(value, type=Type("str", collation=kind.collation), explicit=False)
    if kind.kind == "bool":
        return to_int(value)
    if kind.kind == "dec":
        return replace(value, type=Type("dec", kind.digits, kind.held, kind.held, origin="kept"), real="")
    return replace(value, type=v.DOUBLE) if kind.kind == "dbl" else value


def session(queries: Queries, assignments: list[Any]) -> None:
    """Read the ``SET @x = …`` in front of a query into `queries`; a SET sees what those before it gave, not itself."""
    for statement in assignments:
        place = Context(Scope(), variables=dict(queries.session))
        for each in statement.expressions:
            queries.session[each.this.this.name] = kept(queries.expressions.value(each.expression, place))
            queries.assigned[each.this.this.name] = each.expression


def _unsettled(value: Value) -> Value | None:
    """Return what a variable set in a derived table reads as; None where it is not translated.

    It holds dates as text. A number is one, or its text, depending on what the session did before: it is marked, and
    warned about where the two differ.
    """
    if value.type.kind in {"null", "str"}:
        return value
    if value.type.kind in {"date", "datetime"}:
        return to_text(value)
    if isinstance(value.literal, (int, Decimal)):
        text = str(value.literal)
        return Value(quote(text), Type("str", origin="variable"), literal=text)
    return None


def same_either_way(node: Any) -> bool:
    """Whether a number in a variable reads the same as a number and as text where `node` stands."""
    while isinstance(node.parent, exp.Paren):
        node = node.parent
    return isinstance(node.parent, _SETTLED)


def one_row_tables(node: Any) -> list[Any]:
    """Return the SELECTs without FROM among the tables of a SELECT."""
    tables = [join.this for join in node.args.get("joins") or ()]
    if node.args.get("from_") is not None:
        tables.append(node.args["from_"].this)
    inner = [table.this for table in tables if isinstance(table, exp.Subquery)]
    return [each for each in inner if isinstance(each, exp.Select) and each.args.get("from_") is None]


def assignments_of(select: Any) -> list[Any]:
    """Return the assignments that are columns of a SELECT."""
    columns = [each.this if isinstance(each, exp.Alias) else each for each in select.expressions]
    return [each.unnest() for each in columns if isinstance(each.unnest(), exp.PropertyEQ)]


def assigned_variables(queries: Queries, node: Any) -> dict[str, Value]:
    """Return the user variables a SELECT sets to constants in a derived table, as ``(SELECT @x := 1) AS v``.

    MariaDB evaluates such a one-row table before the rest. Any other assignment is refused: its result depends on the
    order in which the server visits rows and clauses.
    """
    found: dict[str, Value] = {}
    for target in (each for table in one_row_tables(node) for each in assignments_of(table)):
        variable = target.this.this.name
        sets = [a for a in node.root().find_all(exp.PropertyEQ) if a.this.this.name == variable]
        if len(sets) > 1 or variable in found:
            queries.source.unsupported(
                f"user variable @{variable} that changes from row to row",
                queries.expressions.start(next(each for each in sets if each is not target)),
                "Use ROW_NUMBER(), LAG() or SUM() OVER (…).",
            )
        value = _unsettled(queries.expressions.value(target.expression, Context(Scope())))
        if value is None:
            queries.source.unsupported(
                f"user variable @{variable} that is not a date, a text or a plain number",
                queries.expressions.start(target),
            )
        found[variable] = value
    return found


def constant_assignment(node: Any, target: Any) -> bool:
    """Whether a SELECT without rows assigns a variable that nothing else in the statement names."""
    variable = target.this.this.name
    named = [each for each in node.root().find_all(exp.Parameter) if each.this.name == variable]
    source = node.args.get("from_")
    return len(named) == 1 and (source is None or source.this.name.upper() == "DUAL")


def sets_variables(node: Any, variables: Any) -> bool:
    """Whether a SELECT is the one-row table that sets variables."""
    columns = [each.this if isinstance(each, exp.Alias) else each for each in node.expressions]
    only = all(isinstance(each.unnest(), exp.PropertyEQ) for each in columns)
    return node.args.get("from_") is None and only and bool(variables)
