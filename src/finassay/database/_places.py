"""Errors of engines as ours: where in the statement, and which names were meant."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from finassay.core import Place
from finassay.database._types import QueryError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SOURCE = "<sql>"
_LISTED = 20


def place_at(sql: str, offset: int) -> Place:
    """Return the place of a character offset (0-based) in a statement."""
    offset = max(0, min(offset, len(sql)))
    start = sql.rfind("\n", 0, offset) + 1
    end = sql.find("\n", offset)
    text = sql[start : len(sql) if end < 0 else end].rstrip("\r")
    return Place(_SOURCE, sql.count("\n", 0, offset) + 1, offset - start + 1, text)


def place_of_line(sql: str, line: int, column: int | None) -> Place:
    """Return the place of a one-based line and column, with the line's text."""
    lines = sql.split("\n")
    text = lines[line - 1].rstrip("\r") if 0 < line <= len(lines) else ""
    return Place(_SOURCE, line, column, text)


def place_of_fragment(sql: str, fragment: str, first_line: int = 1) -> Place | None:
    """Return where a fragment that an engine quotes stands at or after a line, or None."""
    if not fragment:
        return None
    start = sum(len(line) + 1 for line in sql.split("\n")[: first_line - 1])
    offset = sql.find(fragment, start)
    if offset < 0:
        offset = sql.find(fragment)
    return None if offset < 0 else place_at(sql, offset)


def place_of_word(sql: str, word: str) -> Place | None:
    """Return the first place of an identifier as a whole word, whatever its case, or None."""
    match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sql, re.IGNORECASE)
    return place_at(sql, match.start()) if match else None


def syntax_error(message: str, place: Place | None, hint: str | None = None) -> QueryError:
    """Return a syntax error."""
    return QueryError(f"Syntax error: {message}", place=place, reason="syntax_error", hint=hint)


def unknown_table(name: str, sql: str, tables: Sequence[str]) -> QueryError:
    """Return the error for a table that does not exist, naming those that do."""
    bare = name.rpartition(".")[2]
    close = difflib.get_close_matches(bare.lower(), [table.lower() for table in tables], n=3, cutoff=0.6)
    meant = [table for table in tables if table.lower() in close]
    shown = ", ".join(tables[:_LISTED]) + (f", … ({len(tables)} in all)" if len(tables) > _LISTED else "")
    hint = f"Did you mean {' or '.join(meant)}? " if meant else ""
    hint += f"Tables here: {shown}." if tables else "This database has no tables."
    return QueryError(
        f"There is no table {name}.", place=place_of_word(sql, bare), reason="unknown_table", hint=hint
    )


def unknown_column(name: str, sql: str, columns: Mapping[str, Sequence[str]]) -> QueryError:
    """Return the error for a column that does not exist; ``columns`` maps the tables that were read to theirs."""
    bare = name.rpartition(".")[2]
    every = {column.lower(): column for names in columns.values() for column in names}
    close = [every[match] for match in difflib.get_close_matches(bare.lower(), every, n=3, cutoff=0.6)]
    shown = "; ".join(
        f"{table}: {', '.join(names[:_LISTED])}{', …' if len(names) > _LISTED else ''}"
        for table, names in columns.items()
    )
    hint = f"Did you mean {' or '.join(close)}? " if close else ""
    hint += f"Columns: {shown}." if shown else ""
    place = place_of_word(sql, name) or place_of_word(sql, bare)
    return QueryError(f"There is no column {name}.", place=place, reason="unknown_column", hint=hint or None)
