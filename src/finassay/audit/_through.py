"""What a program reads behind the views, macros and functions of the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finassay.audit._report import Facts
    from finassay.database import Database, Definition, Dialect


def read_behind(
    facts: Facts,
    definitions: list[Definition],
    statements: tuple[tuple[Dialect, str], ...],
    database: Database,
) -> frozenset[str]:
    """Return the tables that statements read; what cannot be seen through makes the audit UNKNOWN.

    A view that the catalog describes is a table of its own.
    """
    from finassay.database import read_through

    own = [each.name for each in definitions if facts.catalog.find(each.name) is not None]
    found = read_through(statements, definitions, database.dialect, database.default_schema, kept=own)
    for name, why in found.hidden.items():
        facts.unknown(
            "definition_not_read",
            f"What {name} reads is not seen, so it was not altered: {why}. Read the tables in the statement.",
        )
    return found.tables
