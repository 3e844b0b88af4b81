"""Tables served from a replacement SELECT: the same statement over other rows, with no copy of the data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from finassay.database._names import identifier
from finassay.database._policy import check
from finassay.database._references import table_references
from finassay.database._types import DatabaseUnavailable, Dialect, QueryPolicy, QueryRefused
from finassay.database._words import without_schema, written_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlglot import exp

_ONLY = re.compile(r"\bONLY\b(?:\s|/\*(?:(?!\*/).)*\*/|--[^\n]*\n)*\Z", re.IGNORECASE | re.DOTALL)
_DESCENDANTS = re.compile(r"\s*\*")


def replace_tables(
    sql: str,
    dialect: Dialect,
    replacements: Callable[[exp.Table], str | None],
    tree: exp.Expr | None = None,
) -> str:
    """Replace table references in the text of a statement, and leave all other text as it is.

    Parameters
    ----------
    sql : str
        A checked statement.
    dialect : {"duckdb", "mysql", "postgres"}
        Its dialect.
    replacements : callable
        From a reference to the text that takes its place, or None to keep it.
    tree : sqlglot.exp.Expr, optional
        The statement as it was parsed before.

    Returns
    -------
    str
        The statement.

    Raises
    ------
    QueryRefused
        With reason ``overlay_impossible`` if a reference cannot be located in the text.
    """
    cuts: list[tuple[int, int, str]] = []
    for table in _references(sql, dialect) if tree is None else table_references(tree):
        text = replacements(table)
        if text is None:
            continue
        start, end = _span(sql, dialect, table)
        cuts.append((start, end, text))
    for start, end, text in sorted(cuts, reverse=True):
        sql = sql[:start] + text + sql[end:]
    return sql


def _references(sql: str, dialect: Dialect) -> list[exp.Table]:
    import sqlglot

    trees = [tree for tree in sqlglot.parse(sql, read=dialect) if tree is not None]
    return [table for tree in trees for table in table_references(tree)]


def _span(sql: str, dialect: Dialect, table: exp.Table) -> tuple[int, int]:
    """Return where a reference stands, with PostgreSQL's ``ONLY`` before and ``*`` after it."""
    parts = [part for part in table.parts if part.meta.get("start") is not None]
    if len(parts) != len(table.parts):
        message = (
            f"The table {table.name} cannot be replaced in this statement: its place in the text is unknown."
        )
        raise QueryRefused(
            message, reason="overlay_impossible", hint="Name the table plainly in FROM or JOIN."
        )
    start = min(int(part.meta["start"]) for part in parts)
    end = max(int(part.meta["end"]) for part in parts) + 1
    if dialect == "postgres":
        if table.args.get("only") and (before := _ONLY.search(sql, 0, start)):
            start = before.start()
        if after := _DESCENDANTS.match(sql, end):
            end = after.end()
    return start, end


class ServerOverlays:
    """Overlays on a server: each reference to a replaced table becomes a subquery under the table's name or alias.

    Views read the tables themselves, past the overlays: those that are not replaced are read as their texts, and where
    these cannot be read they are hidden, and refused. Of a sealed database, see `finassay.database._sealed`, whatever
    is not replaced is hidden.
    """

    def __init__(
        self, overlays: Mapping[str, str], dialect: Dialect, schema: str, *, sealed: bool = False
    ) -> None:
        self.texts = {name.lower(): text.rstrip().rstrip(";") for name, text in overlays.items()}
        self.sealed = sealed
        self._dialect = dialect
        self._schema = schema
        self._views: frozenset[str] = frozenset()  # that are hidden
        self._seen: dict[str, str] = {}  # texts of the others
        self._parents: frozenset[str] = frozenset()  # tables that others inherit from
        self._placed = False  # whether the texts are names of views
        for text in (
            () if sealed else self.texts.values()
        ):  # those of a sealed one are checked as they are placed
            check(text, dialect, QueryPolicy(), schema)

    def learn(
        self, kinds: Mapping[str, str], views: Mapping[str, str] | None = None, parents: Iterable[str] = ()
    ) -> None:
        """Take the kind (``table`` or ``view``) of each name of the schema, texts of views, and tables with parts.

        Raises
        ------
        DatabaseUnavailable
            If an overlay replaces none of them.
        """
        self._parents = frozenset(name.lower() for name in parents)
        known = {name.lower() for name in kinds}
        unknown = sorted(set(self.texts) - known)
        if unknown:
            message = f"An overlay replaces a table that does not exist: {', '.join(unknown)}."
            raise DatabaseUnavailable(message, hint=f"Tables: {', '.join(sorted(kinds))}.")
        hidden = {name.lower() for name, kind in kinds.items() if kind == "view"}
        self._seen = {name.lower(): text.strip().rstrip(";") for name, text in (views or {}).items()}
        if self.sealed:
            self._seen.clear()
        self._views = frozenset(hidden - set(self.texts) - self._seen.keys())

    def place(self, texts: Mapping[str, str], *, views: bool) -> None:
        """Put SELECTs in place of the overlays, or the names of views that stand for them."""
        self.texts, self._placed = {name.lower(): text for name, text in texts.items()}, views

    def hides(self, name: str) -> bool:
        """Whether a table or view is not served."""
        return name.lower() not in self.texts if self.sealed else name.lower() in self._views

    def apply(self, sql: str) -> str:
        """Return the statement over the replacements; refuse it if it reads a hidden view."""
        if not self.texts and not self.sealed:
            return sql
        known = self.texts.keys() | self._seen.keys()
        plain = without_schema(sql, self._dialect, self._schema, known)
        return replace_tables(written_out(plain, self._dialect), self._dialect, self._replacement)

    def _replacement(self, table: exp.Table) -> str | None:
        if table.db and table.db.lower() != self._schema.lower() and not self.sealed:
            return None
        if self.hides(table.name):
            if self.sealed:
                raise QueryRefused(f"{table.name} is not served.", reason="not_allowed")
            message = f"The view {table.name} reads its tables past the overlays."
            raise QueryRefused(
                message, reason="view_over_overlay", hint="Read its tables in the statement instead."
            )
        text = self.texts.get(table.name.lower())
        if text is None and table.name.lower() in self._seen:
            text = f"(\n{self.apply(self._seen[table.name.lower()])}\n)"
            return text + ("" if table.alias else f" AS {identifier(table.name, self._dialect)}")
        if text is None:
            return None
        if table.args.get("only") and table.name.lower() in self._parents:
            raise QueryRefused(
                f"ONLY {table.name} leaves out the rows of its parts, which the overlay of {table.name} has.",
                reason="overlay_impossible",
                hint="Leave ONLY out.",
            )
        name = identifier(table.name, self._dialect)
        return (text if self._placed else f"(\n{text}\n)") + ("" if table.alias else f" AS {name}")
