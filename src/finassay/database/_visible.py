"""Catalogs of the engine show what lies in the allowed schemas: each reference becomes a subquery."""

# ruff: noqa: S608 - names and conditions are our own, schemas are literals
from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.database._files import literal
from finassay.database._metadata import METADATA_SCHEMAS, RELATIONS, metadata_name
from finassay.database._overlays import replace_tables
from finassay.database._references import table_references
from finassay.database._types import Dialect, QueryRefused

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlglot import exp


def only_allowed_rows(
    sql: str, tree: exp.Expr, engine: Dialect, allowed: Collection[str], default_schema: str
) -> str:
    """Return a statement in which each relation of a catalog shows what lies in allowed schemas only.

    Parameters
    ----------
    sql : str
        A checked statement in the engine's dialect.
    tree : sqlglot.exp.Expr
        What `check` made of it.
    engine : {"duckdb", "mysql", "postgres"}
        The engine that will run it.
    allowed : collection of str
        The schemas that may be read.
    default_schema : str
        Where names without a schema are looked up.

    Raises
    ------
    QueryRefused
        With reason ``schema_not_allowed`` where the relation stands in a place that cannot be rewritten.
    """
    from sqlglot import exp

    def is_metadata(table: exp.Table) -> bool:
        return metadata_name(table, engine, default_schema) in RELATIONS[engine]

    wanted = [
        table
        for table in table_references(tree)
        if is_metadata(table) and not isinstance(table.parent, exp.Describe)
    ]
    if not wanted:
        return sql
    schemas = ", ".join(literal(name) for name in sorted({*allowed, *METADATA_SCHEMAS[engine]}))
    replaced: list[exp.Table] = []

    def limited(table: exp.Table) -> str | None:
        name = metadata_name(table, engine, default_schema)
        if name not in RELATIONS[engine] or table.find_ancestor(exp.Query) is None:
            return None
        replaced.append(table)
        condition = RELATIONS[engine][name].format(schemas=schemas)
        quote = "`" if engine == "mysql" else ""
        alias = "" if table.alias else f" AS {quote}{table.name}{quote}"
        return f"(SELECT * FROM {name} WHERE {condition}){alias}"

    limited_sql = replace_tables(sql, engine, limited)
    if len(replaced) != len(wanted):
        name = f"{wanted[0].db}.{wanted[0].name}".strip(".")
        raise QueryRefused(
            f"{name} cannot be limited to the allowed schemas in this statement.",
            reason="schema_not_allowed",
            hint="Read it in a plain SELECT.",
        )
    return limited_sql
