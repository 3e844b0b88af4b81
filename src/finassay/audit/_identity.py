"""Whether the columns that a catalog says tell rows apart do so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finassay.database import Database, ResolvedTable

_MOST_ROWS = 5_000_000  # a bound of rows, not of seconds: the certificate is the same on any machine


def repeated(table: ResolvedTable, database: Database) -> str | None:
    """Return a warning where several rows of a table have one row_id, or where they are too many to tell.

    A primary key of these columns says that none have; else the table is counted once.
    """
    from finassay.database import identifier

    stored = [table.names[name] for name in table.spec.row_id]
    key = {name.lower() for name in table.info.primary_key}
    if not stored or (key and key <= {name.lower() for name in stored}):
        return None
    quoted = ", ".join(identifier(name, database.dialect) for name in stored)
    named = f"The row_id of {table.info.name} ({', '.join(stored)})"
    rows = f"FROM {identifier(table.info.name, database.dialect)}"
    if (many := _number(f"SELECT COUNT(*) {rows}", database)) > _MOST_ROWS:
        return f"{named} was not counted, for the table has {many:,} rows (at most {_MOST_ROWS:,}): it may repeat."
    number = _number(
        f"SELECT COUNT(*) FROM (SELECT 1 AS one {rows} GROUP BY {quoted} HAVING COUNT(*) > 1) AS repeated",  # noqa: S608
        database,
    )
    if not number:
        return None
    return (
        f"{named} is not unique: {number} of its values stand in several rows, which it does not tell apart. "
        "Correct the catalog; `finassay catalog lint FILE --db URL` shows such rows."
    )


def _number(sql: str, database: Database) -> int:
    return int(database.query(sql).table.column(0)[0].as_py())
