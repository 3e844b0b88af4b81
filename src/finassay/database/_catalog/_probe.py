"""One catalogued table of a database, with short ways to ask about it in its engine's SQL."""

# ruff: noqa: S608 - names are quoted by the dialect, values are literals; the policy judges every statement
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from finassay.database._catalog._dates import day
from finassay.database._catalog._predicates import condition, literal
from finassay.database._types import QueryPolicy
from finassay.temporal import Missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from finassay.core import Place
    from finassay.database._catalog._views import ResolvedTable
    from finassay.database._engine import Database
    from finassay.temporal import Catalog, Predicate

_POLICY = QueryPolicy(timeout_s=600)


@dataclass(frozen=True)
class Probe:
    """A table under examination."""

    catalog: Catalog
    name: str
    table: ResolvedTable
    database: Database

    @property
    def spec(self) -> Any:
        """The catalog entry."""
        return self.table.spec

    @cached_property
    def source(self) -> str:
        """The table in a FROM clause."""
        return str(self.table.source.sql(dialect=self.database.dialect))

    def quoted(self, column: str) -> str:
        """Return a column of the catalog, or a name of a statement's own, as the engine quotes it."""
        from sqlglot import exp

        spelled = self.table.names.get(column, column)
        return str(exp.to_identifier(spelled, quoted=True).sql(dialect=self.database.dialect))

    def listed(self, columns: Iterable[str]) -> str:
        """Return columns separated by commas."""
        return ", ".join(map(self.quoted, columns))

    def day(self, column: str) -> str:
        """Return the calendar day of a date column."""
        return day(self.quoted(column), self.spec.columns[column].format, self.database.dialect)

    def is_date(self, column: str) -> bool:
        """Whether the column's format can be read as a date."""
        return bool(self.spec.columns[column].format != "other")

    def sql(self, predicate: Predicate) -> str:
        """Return a condition of `finassay.temporal`."""
        return str(condition(predicate, self.table.names).sql(dialect=self.database.dialect))

    def missing_end(self) -> str:
        """Return the condition of an interval without an end."""
        valid = self.spec.valid
        return self.sql(Missing(valid.end, valid.open, self.spec.columns[valid.end].format))

    def literals(self, values: Iterable[Any]) -> str:
        """Return literals separated by commas."""
        return ", ".join(literal(value).sql(dialect=self.database.dialect) for value in values)

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """Run a statement of our own and return its rows."""
        return [dict(row) for row in self.database.query(sql, policy=_POLICY).table.to_pylist()]

    def numbers(self, expressions: Sequence[str], source: str | None = None) -> list[Any]:
        """Return one value per aggregate expression, NULL as 0."""
        if not expressions:
            return []
        named = ", ".join(f"{text} AS x{i}" for i, text in enumerate(expressions))
        row = self.rows(f"SELECT {named} FROM {source or self.source}")[0]
        return [row[f"x{i}"] or 0 for i in range(len(expressions))]

    def example(self, where: str, columns: Iterable[str], source: str | None = None) -> dict[str, Any]:
        """Return the columns of one row for which a condition holds."""
        wanted = list(dict.fromkeys((*self.spec.row_id, *self.spec.key, *columns)))
        found = self.rows(f"SELECT {self.listed(wanted)} FROM {source or self.source} WHERE {where} LIMIT 1")
        return dict(zip(wanted, found[0].values(), strict=True)) if found else {}

    def place(self, *path: str | int) -> Place | None:
        """Return the line of the catalog for a field of this table."""
        return self.catalog.place("tables", self.name, *path)
