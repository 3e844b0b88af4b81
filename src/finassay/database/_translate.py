"""Statements from one dialect into another, faithfully or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from finassay.database._types import Dialect, Translation, UnsupportedSyntax

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def translate(
    sql: str,
    source: Dialect = "mysql",
    target: Dialect = "duckdb",
    *,
    schema: Mapping[str, Mapping[str, str]] | None = None,
    params: Sequence[Any] = (),
    keys: Mapping[str, Sequence[Sequence[str]]] | None = None,
) -> Translation:
    """Translate a statement.

    Parameters
    ----------
    sql : str
        The statement, in ``source``.
    source, target : {"duckdb", "mysql", "postgres"}
        The dialects. Only DuckDB can be a target, other than a dialect itself.
    schema : mapping of str to mapping of str to str, optional
        Column types by table, which make some translations possible.
    params : sequence
        Values for the ``?`` markers of a MySQL statement, which become literals; other dialects keep their markers.
    keys : mapping of str to sequence of sequences of str, optional
        Primary and unique keys without NULL by table; an ORDER BY that holds one leaves no rows equal.

    Returns
    -------
    Translation
        The statement in ``target`` and warnings a reader should see.

    Raises
    ------
    UnsupportedSyntax
        If the pair has no translation, or the statement uses what the target cannot do the same way.
    """
    if source == target:
        return Translation(sql)
    if target != "duckdb":
        raise UnsupportedSyntax(
            f"There is no translation from {source} to {target}.", hint="Only DuckDB can be a target."
        )
    if source == "mysql":
        from finassay.database._mysql import translate as from_mysql

        found = from_mysql(sql, schema=schema, params=params, keys=keys)
        return Translation(found.sql, tuple(found.warnings))
    from finassay.database._from_postgres import from_postgres

    return from_postgres(sql, schema)
