"""The entry: one MySQL statement in, one DuckDB statement out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Translation:
    """A translated statement.

    Attributes
    ----------
    sql : str
        The statement in DuckDB's SQL; it needs a connection that went through `setup`.
    warnings : tuple of str
        What a reader should know, each ``code: text``: ``open`` and ``bare_column`` (MySQL leaves the result open),
        ``clock`` (the result changes from run to run), ``qualifier`` (a database name was read as the one connected
        to).
    """

    sql: str
    warnings: tuple[str, ...] = ()


def translate(
    sql: str,
    *,
    schema: Mapping[str, Mapping[str, str]] | None = None,
    params: Sequence[Any] = (),
    keys: Mapping[str, Sequence[Sequence[str]]] | None = None,
) -> Translation:
    """Translate a MySQL-dialect query to DuckDB.

    Parameters
    ----------
    sql : str
        One SELECT, with WITH, UNION and the like; comments, a final semicolon, and ``SET @x = …;`` in front of it are
        fine.
    schema : mapping of table to (mapping of column to type), optional
        Declared types in MySQL's or DuckDB's words, such as ``DECIMAL(19,4)``, of every table of the database: one that
        is not in it does not exist. What MySQL computes depends on the types of columns, so without a schema every
        column is refused.
    params : sequence
        Values for the ``?`` markers, in order. They are read as the literals MySQL's drivers make of them.
    keys : mapping of table to sequence of sequences of column names, optional
        Primary and unique keys without NULL, so that an ORDER BY that holds one is not warned about.

    Returns
    -------
    Translation
        The statement and its warnings.

    Raises
    ------
    UnsupportedSyntax
        For anything that is not known to give MySQL's result, with line and column.
    QueryError
        For a statement MySQL would reject: syntax, unknown or ambiguous names.
    """
    from finassay.database._mysql._grammar import parse
    from finassay.database._mysql._lexer import read_source
    from finassay.database._mysql._query import Queries
    from finassay.database._mysql._variables import session

    source = read_source(sql)
    assignments, tree = parse(source, params)
    queries = Queries(source, schema, keys)
    session(queries, assignments)
    query = queries.query(tree, None, "top")
    return Translation(query.sql, tuple(queries.warnings))
