"""Whether two outputs are the same answer: rows with their multiplicity, floats up to their last decimal."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.audit._subject import Output

_SHOWN = 5


@dataclass(frozen=True)
class Difference:
    """What differs between two outputs: rows that only one of them has, as text; at most five of each."""

    missing: tuple[str, ...]
    added: tuple[str, ...]


def differ(expected: Output, found: Output) -> Difference | None:
    """Return the difference between two outputs, None where they are the same answer.

    Order counts for nothing: a program states its order, and ties in it are the engine's. Numbers agree that are
    equal to nine significant digits; NULL equals NULL and NaN equals NaN.
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


def _rows(expected: pa.Table, found: pa.Table) -> Difference | None:
    if expected.equals(found):
        return None
    left, right = sorted(map(_key, _tuples(expected))), sorted(map(_key, _tuples(found)))
    if len(left) == len(right) and all(map(_same_row, left, right)):
        return None
    only_left, only_right = _without(left, right), _without(right, left)
    return Difference(tuple(map(_text, only_left[:_SHOWN])), tuple(map(_text, only_right[:_SHOWN])))


def _tuples(table: pa.Table) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def _key(row: tuple[Any, ...]) -> tuple[tuple[str, Any], ...]:
    """Return a row whose cells can be ordered among any others."""
    return tuple(_cell(value) for value in row)


def _cell(value: Any) -> tuple[str, Any]:
    if value is None:
        return ("", "")
    if isinstance(value, bool):
        return ("b", value)
    if isinstance(value, int | float | Decimal):
        number = float(value)
        return ("nan", "") if number != number else ("n", number)
    return (type(value).__name__, str(value))


def _same_row(left: tuple[tuple[str, Any], ...], right: tuple[tuple[str, Any], ...]) -> bool:
    return all(
        a == b or (a[0] == b[0] == "n" and abs(a[1] - b[1]) <= 1e-9 * max(abs(a[1]), abs(b[1]), 1e-6))
        for a, b in zip(left, right, strict=True)
    )


def _without(rows: list[Any], others: list[Any]) -> list[Any]:
    """Return the rows that the others lack, cells of numbers rounded to what counts."""
    counts: dict[Any, int] = {}
    for row in others:
        counts[_rounded(row)] = counts.get(_rounded(row), 0) + 1
    kept = []
    for row in rows:
        key = _rounded(row)
        if counts.get(key, 0):
            counts[key] -= 1
        else:
            kept.append(row)
    return kept


def _rounded(row: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
    return tuple((kind, f"{value:.8g}" if kind == "n" else value) for kind, value in row)


def _text(row: tuple[tuple[str, Any], ...]) -> str:
    return " | ".join(
        "NULL" if kind == "" else "NaN" if kind == "nan" else f"{value:.10g}" if kind == "n" else str(value)
        for kind, value in row
    )
