"""Whether two outputs are the same answer: rows with their multiplicity, floats up to their last decimal."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from finassay.audit._subject import Output

_SHOWN = 5
_MOST_DECIMALS = 8  # beyond it a number was not rounded
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


def agree(one: Any, other: Any) -> bool:
    """Whether two values are equal, numbers to nine significant digits."""
    return _same(_cell(one), _cell(other), 0.0)


def row_text(row: Iterable[Any]) -> str:
    """Return a row as a line of text."""
    return _text(tuple(map(_cell, row)))


def _rows(expected: pa.Table, found: pa.Table) -> Difference | None:
    if expected.equals(found):
        return None
    left, right = map(_keys, (expected, found))
    only_left, only_right = _without(left, right), _without(right, left)
    units = [_unit(*pair) for pair in zip(expected.columns, found.columns, strict=True)]
    only_left, only_right = _unpaired(only_left, only_right, units)
    if not only_left and not only_right:
        return None
    return Difference(tuple(map(_text, only_left[:_SHOWN])), tuple(map(_text, only_right[:_SHOWN])))


def _keys(table: pa.Table) -> list[_Row]:
    """Return the rows, in an order that does not depend on theirs."""
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return sorted(tuple(map(_cell, row)) for row in rows)


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


def _unit(expected: pa.ChunkedArray, found: pa.ChunkedArray) -> float:
    """Return one unit of the last decimal of a column; 0 where its numbers are whole, or have no last decimal."""
    import pyarrow as pa

    if pa.types.is_decimal(expected.type):
        return float(10.0**-expected.type.scale) if 0 < expected.type.scale <= _MOST_DECIMALS else 0.0
    if not pa.types.is_floating(expected.type):
        return 0.0
    decimals = 0
    for value in (*expected.to_pylist(), *found.to_pylist()):
        if value is None or value != value or value in (float("inf"), float("-inf")):
            continue
        decimals = max(decimals, next((n for n in range(_MOST_DECIMALS + 1) if round(value, n) == value), 99))
        if decimals > _MOST_DECIMALS:
            return 0.0
    return float(10.0**-decimals) if decimals else 0.0


def _same(a: tuple[str, Any], b: tuple[str, Any], unit: float) -> bool:
    if a == b:
        return True
    if not a[0] == b[0] == "n":
        return False
    apart = abs(a[1] - b[1])
    return bool(apart <= 1e-9 * max(abs(a[1]), abs(b[1]), 1e-6) or apart <= unit * (1 + 1e-6))


def _unpaired(left: list[_Row], right: list[_Row], units: list[float]) -> tuple[list[_Row], list[_Row]]:
    """Take away the rows that agree up to the last decimal, each with one of the others."""
    if len(left) != len(right) or len(left) * len(right) > _MOST_PAIRS:
        return left, right  # they differ whatever is paired
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


def _without(rows: list[_Row], others: list[_Row]) -> list[_Row]:
    """Return the rows that the others lack, cells of numbers rounded to what counts."""
    counts = Counter(map(_rounded, others))
    kept = []
    for row in rows:
        key = _rounded(row)
        if counts[key]:
            counts[key] -= 1
        else:
            kept.append(row)
    return kept


def _rounded(row: _Row) -> _Row:
    return tuple((kind, f"{value:.10g}" if kind == "n" else value) for kind, value in row)


def _text(row: _Row) -> str:
    return " | ".join(
        "NULL" if kind == "" else "NaN" if kind == "nan" else f"{value:.10g}" if kind == "n" else str(value)
        for kind, value in row
    )
