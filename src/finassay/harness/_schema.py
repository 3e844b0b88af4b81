"""What an agent may know of a database before it asks: tables and columns with their temporal roles, in pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from finassay.core import CandidateError

if TYPE_CHECKING:
    from finassay.database import ColumnInfo, TableInfo
    from finassay.harness._suite import Language
    from finassay.temporal import Catalog, Column, Described, Table

PAGE = 60


@dataclass(frozen=True)
class Schema:
    """Describe and search the tables and columns of a database, with what the catalog says of their times.

    Attributes
    ----------
    tables : tuple of TableInfo
        The database's own tables.
    catalog : Catalog
        What their columns mean; a table that it does not know is shown with its types alone.
    language : {"zh", "en"}
        The language of descriptions.
    """

    tables: tuple[TableInfo, ...]
    catalog: Catalog
    language: Language

    def describe_tables(self, names: Sequence[str] = (), page: int = 1) -> str:
        """Return a line per table: its description, kind, and the column that says when a row became known."""
        wanted = [self._table(name) for name in names] or list(self.tables)
        return _paged([self._table_line(table) for table in wanted], page, "tables")

    def search_tables(self, keywords: Sequence[str], page: int = 1) -> str:
        """Return the tables whose name or description holds one of the words."""
        lines = [self._table_line(table) for table in self.tables]
        return _paged([line for line in lines if _holds(line, keywords)], page, "tables")

    def describe_columns(self, name: str, page: int = 1) -> str:
        """Return every column of a table: type, temporal role, unit, description, codes; with the table's times."""
        table = self._table(name)
        return "\n".join([*self._head(table), _paged(self._lines[table.name], page, "columns")])

    def search_columns(self, keywords: Sequence[str], tables: Sequence[str] = (), page: int = 1) -> str:
        """Return the columns, of some tables or of all, whose name, description or codes hold one of the words."""
        within = [self._table(name) for name in tables] or list(self.tables)
        told = (f"{table.name}.{line}" for table in within for line in self._lines[table.name])
        lines = [line for line in told if _holds(line.partition(".")[2], keywords)]
        return _paged(lines, page, "columns")

    @cached_property
    def _lines(self) -> dict[str, list[str]]:
        """The line of each column by table: thousands, which every search goes through."""
        return {
            table.name: [self._column_line(table, column) for column in table.columns]
            for table in self.tables
        }

    def _table(self, name: str) -> TableInfo:
        for table in self.tables:
            if table.name.lower() == name.strip().lower():
                return table
        raise CandidateError(
            f"There is no table {name.strip()!r}.",
            hint="search_tables finds tables by words.",
            reason="no_table",
        )

    def _meaning(self, table: TableInfo) -> Table | None:
        found = self.catalog.find(table.name)
        return self.catalog.tables[found] if found else None

    def _table_line(self, table: TableInfo) -> str:
        meaning = self._meaning(table)
        if meaning is None:
            return table.name
        return f"{table.name}: {self._said(meaning)} [{meaning.kind}; {_known(meaning)}]"

    def _head(self, table: TableInfo) -> list[str]:
        meaning = self._meaning(table)
        if meaning is None:
            return [f"{table.name}: not in the catalog; only its types are known"]
        lines = [self._table_line(table), f"key: {', '.join(meaning.key) or '-'}"]
        if meaning.valid:
            end = meaning.valid.end or "-"
            last = "last day it holds" if meaning.valid.inclusive else "first day it no longer holds"
            lines.append(f"holds from {meaning.valid.start} to {end} ({last}; empty: not ended)")
        if meaning.versions:
            lines.append(
                f"versions per ({', '.join(meaning.versions.per)}): the last by {', '.join(meaning.versions.order)}"
            )
        return lines

    def _column_line(self, table: TableInfo, column: ColumnInfo) -> str:
        meaning = self._meaning(table)
        known = _column(meaning, column.name) if meaning else None
        if known is None:
            return f"{column.name} {column.type}"
        said = [f"{column.name} {known.type or column.type} [{known.role}]", self._said(known)]
        if known.unit:
            said.append(f"unit {known.unit}")
        if known.format not in ("native", "other"):
            said.append(f"written as {known.format}")
        if known.disclosed_by:
            said.append(f"disclosed by {known.disclosed_by}")
        if codes := self.catalog.codes(known):
            said.append("codes " + ", ".join(f"{code}={self._said(text)}" for code, text in codes.items()))
        return "; ".join(part for part in said if part)

    def _said(self, thing: Described) -> str:
        return (thing.zh or thing.en) if self.language == "zh" else (thing.en or thing.zh)


def _column(table: Table, name: str) -> Column | None:
    found = next((known for known in table.columns if known.lower() == name.lower()), None)
    return table.columns[found] if found else table.others


def _known(table: Table) -> str:
    """Say when a row of a table can be seen."""
    when = table.availability
    if when is None:
        return "when a row became known is not recorded"
    if when.always or not when.column:
        return "known at any time"
    lag = f" plus {when.lag_days} days" if when.lag_days else ""
    return f"known from {when.column}{lag}" + (", announced before it" if when.ahead else "")


def _holds(line: str, keywords: Iterable[str]) -> bool:
    low = line.lower()
    return any(word.strip().lower() in low for word in keywords if word.strip())


def _paged(lines: Sequence[str], page: int, what: str) -> str:
    """Return one page, and say how much more there is; nothing is left out silently."""
    pages = max(1, -(-len(lines) // PAGE))
    if not 1 <= page <= pages:
        raise CandidateError(f"There is no page {page}: these are {pages} pages.", reason="no_page")
    shown = lines[(page - 1) * PAGE : page * PAGE]
    if not lines:
        return f"no {what}"
    more = "" if pages == 1 else f"\n({len(lines)} {what}; page {page} of {pages})"
    return "\n".join(shown) + more
