"""Whether two outputs are the same answer: rows with their multiplicity, floats up to their last decimal."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from finassay.audit._unmatched import last_decimals, unmatched

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from finassay.audit._subject import Output

_SHOWN = 5
_MOST_PAIRS = 4_000_000
_Row = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Difference:
    """What differs between two outputs: rows that only one of them has, as text; at most five of each."""

    missing: tuple[str, ...]
    added: tuple[str, ...]


def differ(expected: Output, found: Output) -> Difference | None:
    """Return the difference between two outputs, None where they are the same answer.

    Order counts for nothing: a program states its order, and ties in it are the engine's. Numbers agree that are
    equal to nine significant digits, or that a column with a fixed number of decimals gives with at most one unit of
    the last of them apart; whole numbers have none. NULL equals NULL and NaN equals NaN.
    """
    if expected.tables.keys() != found.tables.keys():
        return Difference(tuple(expected.tables), tuple(found.tables))
    for name, table in expected.tables.items():
        other = found.tables[name]
        if table.column_names != other.column_names:
            return Difference((", ".join(table.column_names),), (", ".join(other.column_names),))
        difference = _rows(table, other)
        if difference is not None:
            return difference
    return None


def same_place(expected: pa.Table, found: pa.Table) -> bool:
    """Whether tables with the same rows have them in the same order."""
    if expected.equals(found):
        return True
    units = [last_decimals(*pair) for pair in zip(expected.columns, found.columns, strict=True)]
    return all(
        all(map(_same, one, other, units))
        for one, other in zip(_listed(expected), _listed(found), strict=True)
    )


def agree(one: Any, other: Any) -> bool:
    """Whether two values are equal, numbers to nine significant digits."""
    return _same(_cell(one), _cell(other), 0.0)


def row_text(row: Iterable[Any]) -> str:
    """Return a row as a line of text."""
    return _text(tuple(map(_cell, row)))


def _rows(expected: pa.Table, found: pa.Table) -> Difference | None:
    if expected.equals(found):
        return None
    left, right = unmatched(expected, found)
    if not left.num_rows and not right.num_rows:
        return None
    if left.num_rows == right.num_rows and left.num_rows * right.num_rows <= _MOST_PAIRS:
        units = [last_decimals(*pair) for pair in zip(expected.columns, found.columns, strict=True)]
        only_left, only_right = _unpaired(_keys(left), _keys(right), units)
        if not only_left and not only_right:
            return None
    else:  # they differ whatever is paired
        only_left, only_right = _keys(left.slice(0, _SHOWN)), _keys(right.slice(0, _SHOWN))
    return Difference(tuple(map(_text, only_left[:_SHOWN])), tuple(map(_text, only_right[:_SHOWN])))


def _keys(table: pa.Table) -> list[_Row]:
    """Return the rows, in an order that does not depend on theirs."""
    return sorted(_listed(table))


def _listed(table: pa.Table) -> Iterator[_Row]:
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return (tuple(map(_cell, row)) for row in rows)


def _cell(value: Any) -> tuple[str, Any]:
    """Return a value that can be ordered among any others."""
    if value is None:
        return ("", "")
    if isinstance(value, bool):
        return ("b", value)
    if isinstance(value, int | float | Decimal):
        number = float(value)
        return ("nan", "") if number != number else ("n", number)
    return (type(value).__name__, str(value))


def _same(a: tuple[str, Any], b: tuple[str, Any], unit: float) -> bool:
    if a == b:
        return True
    if not a[0] == b[0] == "n":
        return False
    apart = abs(a[1] - b[1])
    return bool(apart <= 1e-9 * max(abs(a[1]), abs(b[1]), 1e-6) or apart <= unit * (1 + 1e-6))


def _unpaired(left: list[_Row], right: list[_Row], units: list[float]) -> tuple[list[_Row], list[_Row]]:
    """Take away the rows that agree up to the last decimal, each with one of the others."""
    rest = list(right)
    alone: list[_Row] = []
    for row in left:
        if len(alone) == _SHOWN:
            break
        partner = next((n for n, other in enumerate(rest) if all(map(_same, row, other, units))), None)
        if partner is None:
            alone.append(row)
        else:
            del rest[partner]
    return alone, rest


def _text(row: _Row) -> str:
    return " | ".join(
        "NULL" if kind == "" else "NaN" if kind == "nan" else f"{value:.10g}" if kind == "n" else str(value)
        for kind, value in row
    )
