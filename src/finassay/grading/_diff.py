"""What is different between two tables, cell by cell, for a person to read."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.grading._table_pairs import ColumnPair, NumberPair
from finassay.grading._table_rows import group_codes
from finassay.grading._table_tokens import UNREADABLE, VALUE

if TYPE_CHECKING:
    Ints = np.ndarray[Any, np.dtype[np.int64]]
    Bools = np.ndarray[Any, np.dtype[np.bool_]]

_POWERS = (2, 3, 4, 6, 8, -2, -3, -4, -6, -8)


@dataclass(frozen=True)
class CellDifference:
    """One cell that is not what it should be.

    Attributes
    ----------
    row : str
        The key of the row (``"code=600519.SH, year=2024"``), with its number where the key repeats
        (``"k=a (row 5, 2 of the candidate)"``); without a key its number in the reference, from 1.
    column : str
        Name in the contract.
    expected, found : object
        The cells as they were written in the two tables.
    kind : str
        ``wrong_value``, ``wrong_sign``, ``wrong_scale``, ``wrong_unit``, ``missing_value``, ``unexpected_value``,
        ``unreadable`` or ``other_empty``.
    why : str
        The same in words.
    reference_row, candidate_row : int
        Where the two cells stand, from 1.
    """

    row: str
    column: str
    expected: object
    found: object
    kind: str
    why: str
    reference_row: int
    candidate_row: int


@dataclass(frozen=True)
class TableDiff:
    """All differences between a reference and a candidate.

    Attributes
    ----------
    headers : tuple of str
        What is wrong with columns, one sentence each.
    cell_count : int
        Cells that differ in paired rows.
    missing, extra : tuple of int
        Row numbers from 0 in the reference (missing) and in the candidate (extra).
    misplaced : tuple of int
        Row numbers from 0 in the candidate that stand after a row they must precede.
    """

    headers: tuple[str, ...]
    cell_count: int
    missing: tuple[int, ...]
    extra: tuple[int, ...]
    misplaced: tuple[int, ...]
    _pairs: dict[str, ColumnPair] = field(repr=False, default_factory=dict)
    _key: tuple[str, ...] = ()
    _wrong: dict[str, tuple[Ints, Ints]] = field(repr=False, default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.headers or self.cell_count or self.missing or self.extra or self.misplaced)

    def cells(self, limit: int | None = None) -> Iterator[CellDifference]:
        """Yield the cells that differ, in the order of the reference's rows; at most `limit`."""
        if not self._wrong:
            return
        names = list(self._wrong)
        rows = np.concatenate([self._wrong[name][0] for name in names])
        others = np.concatenate([self._wrong[name][1] for name in names])
        column = np.repeat(np.arange(len(names)), [len(self._wrong[name][0]) for name in names])
        for at in np.lexsort((column, rows))[:limit]:
            name = names[int(column[at])]
            i, j = int(rows[at]), int(others[at])
            yield _describe(self._pairs[name], i, j, self._place(i, j))

    def row_name(self, row: int, side: str) -> str:
        """Return how a row of ``"reference"`` or ``"candidate"`` is called: its key, or its number from 1.

        A key that repeats in either table says its row's number too.
        """
        number = f"row {row + 1}"
        if not self._key:
            return number
        name = ", ".join(
            f"{name}={_short(getattr(self._pairs[name], side).shown(row))}" for name in self._key
        )
        return f"{name} ({number})" if self._repeats[side][row] else name

    def _place(self, i: int, j: int) -> str:
        """Name a pair of rows; where a number is needed to know the one, also that of the other, if it is another."""
        name = self.row_name(i, "reference")
        if i == j or (self._key and not self._repeats["reference"][i]):
            return name
        other = f", {j + 1} of the candidate"
        return f"{name[:-1]}{other})" if self._key else name + other

    @cached_property
    def _repeats(self) -> dict[str, Bools]:
        """Say for each row of both sides whether its key is that of several rows of one side."""
        left, right = group_codes([self._pairs[name].clusters for name in self._key])
        size = int(max(left.max(initial=0), right.max(initial=0))) + 1
        several = np.maximum(np.bincount(left, minlength=size), np.bincount(right, minlength=size)) > 1
        return {"reference": several[left], "candidate": several[right]}

    def to_text(self, max_rows: int = 20) -> str:
        """Return the differences as aligned text: one line per cell, then lost, extra and misplaced rows.

        Parameters
        ----------
        max_rows : int
            Lines of each kind; what is left out is counted.
        """
        lines = [f"column: {sentence}" for sentence in self.headers]
        if self.cell_count:
            table: list[tuple[str, ...]] = [("row", "column", "expected", "was", "why")]
            table += [
                (d.row, d.column, _short(d.expected), _short(d.found), d.why) for d in self.cells(max_rows)
            ]
            lines += _aligned(table)
            lines += _left_out(self.cell_count, max_rows, "cells that differ")
        for rows, side, word in (
            (self.missing, "reference", "missing"), (self.extra, "candidate", "extra"),
            (self.misplaced, "candidate", "out of order"),
        ):  # fmt: skip
            lines += [f"{word}: {self._row_text(row, side)}" for row in rows[:max_rows]]
            lines += _left_out(len(rows), max_rows, f"rows {word}")
        return "\n".join(lines) or "no difference"

    def to_json(self, max_cells: int = 1000) -> dict[str, object]:
        """Return the differences as JSON-ready values; lists hold at most `max_cells` entries, counts are of all."""
        return {
            "headers": list(self.headers),
            "cell_count": self.cell_count,
            "cells": [_jsonable(asdict(cell)) for cell in self.cells(max_cells)],
            "missing_count": len(self.missing),
            "missing": [self.row_values(row, "reference") for row in self.missing[:max_cells]],
            "extra_count": len(self.extra),
            "extra": [self.row_values(row, "candidate") for row in self.extra[:max_cells]],
            "misplaced_count": len(self.misplaced),
            "misplaced": [row + 1 for row in self.misplaced[:max_cells]],
        }

    def row_values(self, row: int, side: str) -> dict[str, object]:
        """Return a row's number from 1 and its cells as JSON-ready values."""
        cells = {name: getattr(pair, side).shown(row) for name, pair in self._pairs.items()}
        return {"row": row + 1, "cells": _jsonable(cells)}

    def _row_text(self, row: int, side: str) -> str:
        cells = ", ".join(
            f"{name}={_short(getattr(pair, side).shown(row))}" for name, pair in self._pairs.items()
        )
        return f"row {row + 1} of the {side} ({cells})"


def _describe(pair: ColumnPair, i: int, j: int, row: str) -> CellDifference:
    expected, found = pair.reference.shown(i), pair.candidate.shown(j)
    kind, why = _cause(pair, i, j, found)
    return CellDifference(row, pair.contract.name, expected, found, kind, why, i + 1, j + 1)


def _cause(pair: ColumnPair, i: int, j: int, found: object) -> tuple[str, str]:
    left, right = int(pair.reference.state[i]), int(pair.candidate.state[j])
    if right == UNREADABLE:
        reason = pair.candidate.why.get(str(found)) or pair.candidate.why.get(None, "not_readable")
        kind = "wrong_unit" if reason in ("wrong_unit", "unit_mismatch", "unit_undeclared") else "unreadable"
        return kind, f"not a {pair.contract.type}{_in(pair)}: {reason}"
    if left == VALUE and right != VALUE:
        return "missing_value", "the cell is empty"
    if left != VALUE and right == VALUE:
        return "unexpected_value", "the cell should be empty"
    if left != right:
        return "other_empty", "another kind of empty cell (NULL, NaN and blank are distinct here)"
    if isinstance(pair, NumberPair):
        return _number_cause(pair, float(pair.reference.values[i]), float(pair.candidate.values[j]))
    return "wrong_value", f"another {pair.contract.type}"


def _number_cause(pair: ColumnPair, a: float, b: float) -> tuple[str, str]:
    slack = float(pair.slack(np.array([a]))[0])
    if min(a, b) < 0 < max(a, b) and abs(a + b) <= slack:
        return "wrong_sign", "the sign is the other one"
    for power in _POWERS:
        if abs(b) > slack and abs(a * 10.0**power - b) <= max(slack, 1e-9 * abs(b)):
            return "wrong_scale", f"10^{power} times the expected value, and no unit says so"
    relative = f", {abs(b - a) / abs(a):.3g} of it" if a else ""
    unit = f" {pair.contract.unit}" if pair.contract.unit else ""
    return "wrong_value", f"off by {b - a:.6g}{unit}{relative}; allowed {slack:.3g}"


def _in(pair: ColumnPair) -> str:
    return f" in {pair.contract.unit}" if pair.contract.unit else ""


def _short(value: object, width: int = 40) -> str:
    if value is None:
        return "NULL"
    text = (
        repr(value)
        if isinstance(value, str) and (not value.strip() or value != value.strip())
        else str(value)
    )
    text = text.replace("\n", "⏎")
    return text if len(text) <= width else text[: width - 1] + "…"


def _jsonable(values: dict[str, object]) -> dict[str, object]:
    return {
        name: value if value is None or isinstance(value, bool | int | str) else _number_or_text(value)
        for name, value in values.items()
    }


def _number_or_text(value: object) -> object:
    return value if isinstance(value, float) and np.isfinite(value) else str(value)


def _left_out(count: int, shown: int, what: str) -> list[str]:
    return [f"… and {count - shown} more {what}"] if count > shown else []


def _aligned(table: list[tuple[str, ...]]) -> list[str]:
    widths = [max(_width(line[place]) for line in table) for place in range(len(table[0]))]
    return [
        "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in table
    ]


def _width(text: str) -> int:
    """Columns on a terminal: East Asian wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
