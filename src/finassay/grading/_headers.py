"""Which column of a table is which column of the contract: names, aliases, units written in headers."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.grading._contract import fold_name
from finassay.grading._table_units import is_unit

if TYPE_CHECKING:
    from finassay.grading._contract import ColumnContract, OutputContract

_BRACKETED = re.compile(r"^(?P<base>.*\S)\s*[(\[【](?P<inside>[^()\[\]【】]+)[)\]】]\s*$", re.DOTALL)


@dataclass(frozen=True)
class HeaderMatch:
    """Where each column of the contract is, and what did not fit."""

    position: dict[str, int]
    unit: dict[str, str]
    missing: tuple[tuple[str, tuple[str, ...]], ...]
    extra: tuple[str, ...]
    duplicate: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every column was found once."""
        return not self.missing and not self.duplicate


def split_unit(name: str) -> tuple[str, str | None]:
    """Split ``"Revenue (USD millions)"`` into the name and the unit in brackets; no unit gives None."""
    found = _BRACKETED.match(unicodedata.normalize("NFKC", name))
    if found is None:
        return name, None
    inside = re.sub(r"^(?:in|unit|单位)\s*[::]?\s*", "", found["inside"].strip(), flags=re.IGNORECASE)
    return (found["base"], inside) if is_unit(inside) else (name, None)


def match_headers(headers: list[str], contract: OutputContract) -> HeaderMatch:
    """Find every column of the contract among the headers, by name or alias, with the unit a header states."""
    hits: dict[str, list[tuple[int, str | None]]] = {column.name: [] for column in contract.columns}
    by_name = {
        fold_name(name): column for column in contract.columns for name in (column.name, *column.aliases)
    }
    extra: list[str] = []
    for place, header in enumerate(headers):
        column, unit = _column_of(header, by_name)
        if column is None:
            extra.append(header)
        else:
            hits[column.name].append((place, unit))
    found = {name: places[0] for name, places in hits.items() if len(places) == 1}
    spare = [header for header in headers if header in extra]
    return HeaderMatch(
        position={name: place for name, (place, _) in found.items()},
        unit={name: unit for name, (_, unit) in found.items() if unit is not None},
        missing=tuple((name, _nearest(contract.column(name), spare)) for name, at in hits.items() if not at),
        extra=tuple(extra),
        duplicate=tuple(name for name, at in hits.items() if len(at) > 1)
        + tuple(name for name, n in Counter(extra).items() if n > 1),
    )


def _column_of(header: str, by_name: dict[str, ColumnContract]) -> tuple[ColumnContract | None, str | None]:
    """Full name first; then the name before a bracketed unit, where the column has a unit to convert to."""
    base, unit = split_unit(header)
    column = by_name.get(fold_name(header))
    if column is not None:
        return column, unit if column.unit is not None else None
    if unit is None:
        return None, None
    for name, candidate in by_name.items():
        if candidate.unit is not None and fold_name(base) in (name, fold_name(_bare_name(candidate, name))):
            return candidate, unit
    return None, None


def _bare_name(column: ColumnContract, folded: str) -> str:
    """Return the name without its own bracketed unit, for the name of the column that folds to `folded`."""
    for name in (column.name, *column.aliases):
        if fold_name(name) == folded:
            return split_unit(name)[0]
    return folded


def _nearest(column: ColumnContract, headers: list[str]) -> tuple[str, ...]:
    """Return up to three headers that look like the column, best first."""
    names = [fold_name(name) for name in (column.name, *column.aliases)]
    scored = [
        (max(difflib.SequenceMatcher(None, name, fold_name(header)).ratio() for name in names), header)
        for header in headers
    ]
    return tuple(header for score, header in sorted(scored, key=lambda s: (-s[0], s[1])) if score >= 0.5)[:3]
