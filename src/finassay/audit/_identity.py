"""Whether the columns that a catalog says tell rows apart do so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finassay.database import Database, ResolvedTable

_SECONDS = 5.0


def repeated(table: ResolvedTable, database: Database) -> str | None:
    """Return a warning where several rows of a table have one row_id, or where that takes too long to tell.

    A primary key of these columns says that none have; else the table is counted once.
    """
    from finassay.database import QueryPolicy, QueryTimeout, identifier

    stored = [table.names[name] for name in table.spec.row_id]
    key = {name.lower() for name in table.info.primary_key}
    if not stored or (key and key <= {name.lower() for name in stored}):
        return None
    quoted = ", ".join(identifier(name, database.dialect) for name in stored)
    named = f"The row_id of {table.info.name} ({', '.join(stored)})"
    sql = (
        f"SELECT COUNT(*) FROM (SELECT 1 AS one FROM {identifier(table.info.name, database.dialect)} "  # noqa: S608
        f"GROUP BY {quoted} HAVING COUNT(*) > 1) AS repeated"
    )
    try:
        found = database.query(sql, policy=QueryPolicy(timeout_s=_SECONDS)).table
    except QueryTimeout:
        return f"{named} was not counted, which takes more than {_SECONDS:g} seconds: it may repeat."
    number = found.column(0)[0].as_py()
    if not number:
        return None
    return (
        f"{named} is not unique: {number} of its values stand in several rows, which it does not tell apart. "
        "Correct the catalog; `finassay catalog lint FILE --db URL` shows such rows."
    )
