"""PostgreSQL statements on DuckDB: what both do the same way, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from finassay.database._places import place_at
from finassay.database._types import Translation, UnsupportedSyntax

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

# Functions that give the same value on both; `tests/database/test_from_postgres.py` compares them on the engines.
_SAME = frozenset(
    """Sum Avg Count Min Max Stddev StddevSamp StddevPop Variance VariancePop Corr CovarSamp CovarPop Abs Ceil Floor
    Sqrt Ln Exp Pow Coalesce Nullif Case If Cast Extract Upper Lower Length Trim Substring Replace Greatest Least
    RowNumber Rank DenseRank PercentRank CumeDist Ntile Lag Lead FirstValue LastValue And Or LogicalAnd LogicalOr
    Exists""".split()  # noqa: SIM905 - a long list is read as text
)
_INTEGERS = {"TINYINT", "SMALLINT", "INT", "BIGINT"}
_FRACTIONS = {"DECIMAL", "FLOAT", "DOUBLE"}


def from_postgres(sql: str, schema: Mapping[str, Mapping[str, str]] | None) -> Translation:
    """Translate a PostgreSQL statement to DuckDB.

    Parameters
    ----------
    sql : str
        The statement.
    schema : mapping of str to mapping of str to str or None
        Column types by table: a division needs to know whether it divides whole numbers.

    Returns
    -------
    Translation
        With a warning where a division by zero would be an error in PostgreSQL and is infinite in DuckDB.

    Raises
    ------
    UnsupportedSyntax
        For a function that is not known to agree, a division of unknown types, or other syntax DuckDB has not.
    """
    import sqlglot
    from sqlglot.errors import ErrorLevel, SqlglotError

    try:
        tree = sqlglot.parse_one(sql, read="postgres")
        _refuse_functions(sql, tree)
        warnings = _settle_divisions(sql, tree, schema or {})
        return Translation(tree.sql("duckdb", unsupported_level=ErrorLevel.RAISE), warnings)
    except SqlglotError as error:
        _refuse(sql, None, f"it uses what DuckDB has not ({error})")


def _refuse_functions(sql: str, tree: exp.Expr) -> None:
    from sqlglot import exp

    for node in tree.walk():
        if isinstance(node, exp.Func) and type(node).__name__ not in _SAME:
            name = node.name if isinstance(node, exp.Anonymous) else node.sql_name()
            _refuse(sql, node, f"{name.lower()} is not known to do the same in both")
        if isinstance(node, exp.RegexpLike | exp.SimilarTo | exp.JSONExtract | exp.AtTimeZone):
            _refuse(sql, node, f"{type(node).__name__} is not known to do the same in both")
        pattern = node.args.get("expression") if isinstance(node, exp.Like | exp.ILike) else None
        if pattern is not None and not (isinstance(pattern, exp.Literal) and "\\" not in pattern.name):
            _refuse(
                sql,
                node,
                "a LIKE pattern is not a literal, or has a backslash, which escapes in PostgreSQL only",
            )


def _settle_divisions(sql: str, tree: exp.Expr, schema: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
    """Make divisions of whole numbers those of DuckDB (//); both drop the fraction toward zero."""
    from sqlglot import exp

    divisions = list(tree.find_all(exp.Div))
    if not divisions:
        return ()
    warnings: tuple[str, ...] = ()
    for node, types in zip(divisions, _division_types(tree, schema), strict=True):
        if types <= _INTEGERS:
            node.replace(exp.IntDiv(this=node.this, expression=node.expression))
        elif types <= _INTEGERS | _FRACTIONS:
            warnings = ("Division by zero is an error in PostgreSQL; here it gives infinity or NULL.",)
        else:
            _refuse(
                sql, node, "the types of a division are unknown, and that of whole numbers drops the fraction"
            )
    return warnings


def _division_types(tree: exp.Expr, schema: Mapping[str, Mapping[str, str]]) -> list[set[str]]:
    from sqlglot import exp
    from sqlglot.optimizer.annotate_types import annotate_types
    from sqlglot.optimizer.qualify import qualify

    columns: dict[str, object] = {table: dict(types) for table, types in schema.items()}
    typed = qualify(
        tree.copy(),
        schema=columns,
        dialect="postgres",
        validate_qualify_columns=False,
        expand_alias_refs=False,
        expand_stars=False,
        quote_identifiers=False,
    )
    typed = annotate_types(typed, schema=columns, dialect="postgres")
    # In PostgreSQL the mean of whole numbers, and the sum of bigint, are numeric (Table 9.60 of its manual).
    for total in list(typed.find_all(exp.Sum, exp.Avg)):
        if isinstance(total, exp.Avg) or _type_name(total.this) not in {"SMALLINT", "INT"}:
            total.replace(exp.cast(total.copy(), "DECIMAL"))
    typed = annotate_types(typed, schema=columns, dialect="postgres")
    return [{_type_name(node.this), _type_name(node.expression)} for node in typed.find_all(exp.Div)]


def _type_name(node: exp.Expr) -> str:
    return (
        node.type.this.value if node.type is not None and not isinstance(node.type.this, str) else "UNKNOWN"
    )


def _refuse(sql: str, node: exp.Expr | None, why: str) -> NoReturn:
    start = next((part.meta["start"] for part in node.walk() if "start" in part.meta), None) if node else None
    raise UnsupportedSyntax(
        f"The statement cannot be translated from postgres to duckdb: {why}.",
        place=None if start is None else place_at(sql, int(start)),
        hint="Write it for DuckDB (dialect duckdb), or run it on a PostgreSQL server.",
    )
