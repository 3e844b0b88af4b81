"""References to tables of the database in a statement: those that no common table expression in scope hides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

    from finassay.database._types import Dialect

_COUNTING = re.compile(r"(tables|statistics|partitions|table_statistics|innodb_\w+)\Z")
_POSTGRES_COUNTING = re.compile(r"pg_(class|stat\w*)\Z")
_COUNTS = re.compile(
    r"\*|table_rows|_length|data_free|auto_increment|cardinality|_time\b|checksum|reltuples|relpages|pg_stat",
    re.IGNORECASE,
)  # their columns that hang on the rows


def table_references(tree: exp.Expr) -> list[exp.Table]:
    """Return the references by name to tables of the database, in the order of the text.

    A common table expression hides a table of its name from the statement it belongs to and from the expressions after
    it, not from itself, unless it is recursive.
    """
    from sqlglot import exp

    found: list[exp.Table] = []
    waiting: list[tuple[exp.Expr, frozenset[str]]] = [
        (tree, frozenset())
    ]  # a stack: conditions nest a thousand deep
    while waiting:
        node, hidden = waiting.pop()
        if isinstance(node, exp.Table) and _is_visible(node, hidden):
            found.append(node)
        with_ = node.args.get("with_")
        inside: list[tuple[exp.Expr, frozenset[str]]] = []
        if isinstance(with_, exp.With):
            inside = _expressions(with_, hidden)
            hidden |= {cte.alias.lower() for cte in with_.expressions}
        inside += [(child, hidden) for child in node.iter_expressions() if child is not with_]
        waiting += reversed(inside)
    return found


def row_statistics_read(sql: str, dialect: Dialect) -> tuple[str, ...]:
    """Return the server's own relations that a statement reads, and that tell how many rows tables have.

    All rows count there, those too that an overlay hides. Each is named once, with its schema, in lower case.
    """
    import sqlglot
    from sqlglot.errors import SqlglotError

    if not _COUNTS.search(sql):
        return ()
    try:
        trees = [tree for tree in sqlglot.parse(sql, read=dialect) if tree is not None]
    except SqlglotError:
        return ()  # `tables_read` says so
    found: list[str] = []
    for table in (table for tree in trees for table in table_references(tree)):
        schema, name = table.db.lower(), table.name.lower()
        if schema == "information_schema" and dialect == "mysql" and _COUNTING.match(name):
            found.append(f"{schema}.{name}")
        elif dialect == "postgres" and schema in ("", "pg_catalog") and _POSTGRES_COUNTING.match(name):
            found.append(f"pg_catalog.{name}")
    return tuple(dict.fromkeys(found))


def tables_read(sql: str, dialect: Dialect) -> tuple[str, ...]:
    """Return the names of the tables that a statement reads, each once, in lower case, in the order of the text.

    Raises
    ------
    QueryError
        With reason ``syntax_error`` if it is no statement of the dialect.
    """
    import sqlglot
    from sqlglot.errors import SqlglotError

    from finassay.database._types import QueryError

    try:
        trees = [tree for tree in sqlglot.parse(sql, read=dialect) if tree is not None]
    except SqlglotError as error:
        raise QueryError(
            f"The statement cannot be read as {dialect}: {without_colours(str(error))}.",
            reason="syntax_error",
        ) from error
    return tuple(dict.fromkeys(table.name.lower() for tree in trees for table in table_references(tree)))


def without_colours(message: str) -> str:
    """Return a message of sqlglot without the codes that underline a place on a terminal."""
    return re.sub(r"\x1b\[[0-9;]*m", "", message)


def _expressions(with_: exp.With, hidden: frozenset[str]) -> list[tuple[exp.Expr, frozenset[str]]]:
    """Return each common table expression with the names hidden in it."""
    names = [cte.alias.lower() for cte in with_.expressions]
    if with_.recursive:
        return [(cte.this, hidden | set(names)) for cte in with_.expressions]
    return [(cte.this, hidden | set(names[:i])) for i, cte in enumerate(with_.expressions)]


def _is_visible(table: exp.Table, hidden: frozenset[str]) -> bool:
    from sqlglot import exp

    return isinstance(table.this, exp.Identifier) and bool(table.db or table.name.lower() not in hidden)
