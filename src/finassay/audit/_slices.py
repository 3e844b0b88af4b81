"""A slice of the entities of a heavy database: scenarios run on it first, and on all the data only where it differs.

A slice is a database like the whole, with fewer entities: a program that respects the cutoff respects it there. What a
slice shows is confirmed on the full data before it is said. Whether there is a slice follows from numbers of rows, and
which one from a hash of the entities' keys, never from a clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from finassay.audit._compare import Difference, differ
from finassay.audit._newcomers import entity_of
from finassay.database import OwnSelect, identifier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from finassay.audit._scenarios import Altered
    from finassay.audit._subject import Output
    from finassay.database import Database

HEAVY_ROWS = 2_000_000
SEED = 20260430
_PARTS = (20, 5)  # the second where a program gives nothing, or reacts to nothing, on the first
_LEAST = 20
_MOST = 2_000
_WORD = re.compile(r"[0-9]+|'[^']*'|\"[^\"]*\"")


@dataclass(frozen=True)
class Slice:
    """Some entities of a database.

    Attributes
    ----------
    says : str
        Which, in words.
    shown : mapping of str to (source, condition)
        The tables that carry the entity's key, and which of their rows are of the slice; others stay whole.
    """

    says: str
    shown: Mapping[str, tuple[str, str]]
    _bases: dict[int, tuple[Output, Output]] = field(default_factory=dict, compare=False)

    def over(self, altered: Mapping[str, str]) -> dict[str, str]:
        """Return the overlays that serve these altered tables, and all others, on the slice."""
        served = dict(altered)
        for name, (source, condition) in self.shown.items():
            rows = f"({altered[name]}) AS altered" if name in altered else source
            served[name] = OwnSelect(f"SELECT * FROM {rows} WHERE {condition}")  # noqa: S608 - our own names and literals
        return served

    def condition(self, name: str) -> str | None:
        """Return which rows of a table are on the slice; None where all are."""
        return self.shown[name][1] if name in self.shown else None

    def base(self, whole: Output, run: Callable[[dict[str, str]], Output]) -> Output:
        """Return what a program gives on the slice, run once for what it gives on the whole."""
        if id(whole) not in self._bases:
            self._bases[id(whole)] = (whole, run(self.over({})))
        return self._bases[id(whole)][1]


def slice_of(
    tables: Mapping[str, Altered], base: Output, run: Callable[[dict[str, str]], Output], database: Database
) -> Slice | None:
    """Return a slice on which a program answers and reacts; None where no table is heavy, or there is none.

    Parameters
    ----------
    tables : mapping of str to Altered
        What the program reads, by name.
    base : Output
        What it gives over the whole.
    run : callable
        Runs it over overlays.
    database : Database
        The unaltered data.
    """
    heavy = max(tables, key=lambda name: (_rows(tables[name]), name), default=None)
    if heavy is None or _rows(tables[heavy]) < HEAVY_ROWS:
        return None
    entity = entity_of(tables[heavy].stored)
    if entity is None:
        return None
    column = entity.lower()
    values = _values(tables[heavy], column, database)
    named = _named(base)
    for parts in _PARTS:
        chosen = _chosen(values, named, parts)
        if len(chosen) > _MOST or 2 * len(chosen) > len(values):
            break
        found = _slice(tables, heavy, column, chosen, len(values))
        if _serves(found, tables[heavy], heavy, base, run):
            return found
    return None


def _serves(
    found: Slice, table: Altered, heavy: str, base: Output, run: Callable[[dict[str, str]], Output]
) -> bool:
    """Whether a program answers on a slice where it answers on the whole, and reacts to the heavy table there."""
    small = found.base(base, run)
    if small.error is not None or small.tables.keys() != base.tables.keys():
        return False
    if any(base.tables[name].num_rows and not rows.num_rows for name, rows in small.tables.items()):
        return False
    families = (*reversed(table.traps), *table.families)
    outputs = (run(found.over({heavy: table.select(family)})) for family in families)
    return any(one.error is None and isinstance(differ(small, one), Difference) for one in outputs)


def _rows(table: Altered) -> int:
    return table.stored.info.rows or 0


def _spelled(table: Altered, column: str) -> str | None:
    spec = table.stored.spec
    own = next((n for n, c in spec.columns.items() if n.lower() == column and c.role == "key"), None)
    if own is None or spec.row_id == (own,):
        return None
    return identifier(table.stored.names[own], table.dialect)


def _values(table: Altered, column: str, database: Database) -> list[Any]:
    """Return the entities of a table in an order that a hash gives them."""
    name, source = _spelled(table, column), table.stored.source.sql(dialect=table.dialect)
    sql = f"SELECT DISTINCT {name} AS v FROM {source} WHERE {name} IS NOT NULL"  # noqa: S608 - our own names
    found: list[Any] = database.query(sql).table.column(0).to_pylist()
    return sorted(found, key=lambda value: (blake2b(f"{SEED}|{value}".encode()).digest(), str(value)))


def _named(base: Output) -> frozenset[str]:
    """Return the numbers and texts that stand in the statements: entities that a program asks for by name."""
    return frozenset(word.strip("'\"") for _, text in base.statements for word in _WORD.findall(text))


def _chosen(values: list[Any], named: frozenset[str], parts: int) -> list[Any]:
    first = max(_LEAST, -(-len(values) // parts))
    return [*values[:first], *(value for value in values[first:] if str(value) in named)]


def _slice(
    tables: Mapping[str, Altered], heavy: str, column: str, chosen: Iterable[Any], whole: int
) -> Slice:
    literals = [str(v) if not isinstance(v, str) else "'" + v.replace("'", "''") + "'" for v in chosen]
    shown = {
        name: (table.stored.source.sql(dialect=table.dialect), f"{spelled} IN ({', '.join(literals)})")
        for name, table in tables.items()
        if (spelled := _spelled(table, column)) is not None
    }
    says = (
        f"{len(literals):,} of {whole:,} values of {column} in {heavy}, the first by a hash of the value with the seed "
        f"{SEED} and those that the statements name, in {', '.join(shown)}; other tables whole"
    )
    return Slice(says, shown)
