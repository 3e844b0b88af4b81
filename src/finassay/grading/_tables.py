"""Tables under an output contract: whole rows with multiplicity, declared precision, order only where required."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.core import GoldError
from finassay.grading._diff import TableDiff
from finassay.grading._table_cells import plain_array
from finassay.grading._table_layout import arrange
from finassay.grading._table_order import misplaced
from finassay.grading._table_pairs import ColumnPair, TokenPair, pair_columns
from finassay.grading._table_rows import RowMatch, group_codes, match_rows
from finassay.grading._table_tokens import UNREADABLE, VALUE

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.grading._contract import OutputContract
    from finassay.grading._headers import HeaderMatch

    Ints = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class RowCounts:
    """Rows: of each table; matched whole; paired with a wrong cell; missing from the candidate; extra in it.

    Without the key's columns no row can be paired: all are missing and extra, and the diff lists none of them.
    """

    reference: int
    candidate: int
    matched: int
    wrong: int
    missing: int
    extra: int


@dataclass(frozen=True)
class CellCounts:
    """Cells outside the key (all cells where there is no key): as expected, wrong, missing, extra."""

    matched: int
    wrong: int
    missing: int
    extra: int

    @property
    def recall(self) -> float | None:
        """Matched cells over the reference's cells; None when it has none."""
        total = self.matched + self.wrong + self.missing
        return self.matched / total if total else None

    @property
    def precision(self) -> float | None:
        """Matched cells over the candidate's cells; None when it has none."""
        total = self.matched + self.wrong + self.extra
        return self.matched / total if total else None


@dataclass(frozen=True)
class TableVerdict:
    """Whether the candidate's table is the reference's, and if not, where.

    Attributes
    ----------
    equal : bool
        True exactly when `reasons` is empty.
    reasons : tuple of str
        ``duplicate_column``, ``missing_column``, ``extra_column``, ``column_order``, ``wrong_cell``, ``missing_row``,
        ``lost_duplicate``, ``extra_row``, ``added_duplicate``, ``row_order``.
    rows : RowCounts
    cells : CellCounts
    diff : TableDiff
    notes : tuple of str
        What was accepted and is worth knowing: columns ignored, another layout, units converted.
    """

    equal: bool
    reasons: tuple[str, ...]
    rows: RowCounts
    cells: CellCounts
    diff: TableDiff
    notes: tuple[str, ...] = ()

    def to_text(self, max_rows: int = 20) -> str:
        """Return the verdict, its counts and the differences as text."""
        head = "equal" if self.equal else f"different: {', '.join(self.reasons)}"
        rows, cells = self.rows, self.cells
        counts = [
            (
                f"rows: {rows.matched} of {rows.reference} matched, {rows.wrong} with wrong cells, "
                f"{rows.missing} missing, {rows.extra} extra"
            ),
            f"cells: {cells.matched} matched, {cells.wrong} wrong, {cells.missing} missing, {cells.extra} extra",
        ]
        notes = [f"note: {note}" for note in self.notes]
        return "\n".join([head, *counts, *notes, *([self.diff.to_text(max_rows)] if self.diff else [])])

    def to_json(self, max_cells: int = 1000) -> dict[str, object]:
        """Return the verdict as JSON-ready values (version 1 of the format)."""
        return {
            "version": 1, "equal": self.equal, "reasons": list(self.reasons), "rows": asdict(self.rows),
            "cells": asdict(self.cells), "notes": list(self.notes), "diff": self.diff.to_json(max_cells),
        }  # fmt: skip


def compare_tables(reference: pa.Table, candidate: pa.Table, contract: OutputContract) -> TableVerdict:
    """Compare a candidate's table with the reference under an output contract.

    Parameters
    ----------
    reference : pyarrow.Table
        The right answer. It must satisfy the contract itself.
    candidate : pyarrow.Table
        The table to judge: any column types; numbers and dates may be text.
    contract : OutputContract
        Columns, key, precision, order, layouts.

    Returns
    -------
    TableVerdict
        `equal` does not depend on the order of rows (unless the contract orders them) or columns, on how a stated unit
        is spelled, or on float noise (4 units in the last place, at most an eighth of a declared unit); rows are a
        multiset.

    Raises
    ------
    GoldError
        The reference breaks the contract: a column is missing, a cell cannot be read, an empty cell is forbidden, its
        rows are not in the required order.
    InputError
        ``too_many_similar_rows``: without a key, too many rows are within tolerance of each other.

    Notes
    -----
    Two numbers are equal when they differ by at most half a unit of the last declared decimal; without declared
    decimals, by the column's relative tolerance, of the reference's size (so which table is the reference matters at
    the boundary), or by 1e-12 where they are not of opposite signs. Integers, decimals and text too large for float64
    to resolve are compared exactly.
    """
    gold, gold_match, _ = arrange(reference, contract)
    _check_gold_headers(gold_match, contract)
    table, match, layout = arrange(candidate, contract)
    pairs = _pairs(gold, gold_match, table, match, contract)
    _check_gold_cells(pairs, contract)
    reasons, headers, notes = _header_findings(match, contract, layout)
    keys = [pairs[name] for name in contract.key if name in pairs]
    if pairs and len(keys) == len(contract.key):
        rows = match_rows(list(pairs.values()), keys)
    else:  # nothing says which row is which
        none = np.zeros(0, dtype=np.int64)
        rows = RowMatch(none, none, np.arange(gold.num_rows), np.arange(table.num_rows), known=False)
    return _verdict(contract, pairs, rows, gold.num_rows, table.num_rows, match, reasons, headers, notes)


# ---- headers ---------------------------------------------------------------------------------------------------------


def _check_gold_headers(match: HeaderMatch, contract: OutputContract) -> None:
    problems = [f"no column {name!r}" for name, _ in match.missing]
    problems += [f"column {name!r} twice" for name in match.duplicate]
    if contract.extra_columns == "forbidden":
        problems += [f"column {name!r} is not in the contract" for name in match.extra]
    if problems:
        raise GoldError(
            f"The reference table breaks its own contract: {'; '.join(problems)}.", reason="gold_columns"
        )


def _header_findings(
    match: HeaderMatch, contract: OutputContract, layout: str | None
) -> tuple[list[str], list[str], list[str]]:
    reasons: list[str] = []
    said: list[str] = []
    notes = [f"read in {layout} layout"] if layout else []
    notes += [f"column {name!r} is in {unit}" for name, unit in match.unit.items()]
    if match.duplicate:
        reasons.append("duplicate_column")
        said += [
            f"{name!r} is there more than once; which one is meant is not known" for name in match.duplicate
        ]
    if match.missing:
        reasons.append("missing_column")
        for name, near in match.missing:
            hint = f"; nearest: {', '.join(map(repr, near))}" if near else ""
            said.append(f"no column {name!r}{hint}")
    if match.extra and contract.extra_columns == "forbidden":
        reasons.append("extra_column")
        said += [f"{name!r} is not in the contract" for name in match.extra]
    elif match.extra:
        notes.append(f"ignored columns: {', '.join(match.extra)}")
    places = [match.position[c.name] for c in contract.columns if c.name in match.position]
    if contract.column_order == "declared" and places != sorted(places):
        reasons.append("column_order")
        said.append(f"columns must stand in the order {', '.join(c.name for c in contract.columns)}")
    return reasons, said, notes


def _pairs(
    gold: pa.Table, gold_match: HeaderMatch, table: pa.Table, match: HeaderMatch, contract: OutputContract
) -> dict[str, ColumnPair]:
    return {
        column.name: pair_columns(
            plain_array(gold.column(gold_match.position[column.name])),
            plain_array(table.column(match.position[column.name])),
            column,
            (gold_match.unit.get(column.name), match.unit.get(column.name)),
        )
        for column in contract.columns
        if column.name in match.position
    }


def _check_gold_cells(pairs: dict[str, ColumnPair], contract: OutputContract) -> None:
    for name, pair in pairs.items():
        side = pair.reference
        bad = np.flatnonzero(side.state == UNREADABLE)
        if len(bad):
            cell = side.shown(int(bad[0]))
            why = side.why.get(str(cell)) or side.why.get(None, "not_readable")
            raise GoldError(
                f"Row {bad[0] + 1} of the reference has {cell!r} in {name!r}: not a {pair.contract.type} ({why}).",
                hint="Correct the reference, or the column's type in the contract.",
                reason="gold_cell",
            )
        empty = np.flatnonzero(side.state != VALUE)
        if pair.contract.empties == "forbidden" and len(empty):
            raise GoldError(
                f"Row {empty[0] + 1} of the reference is empty in {name!r}, which the contract forbids.",
                reason="gold_cell",
            )
    if contract.order_by and all(item.column in pairs for item in contract.order_by):
        for pair in (pairs[item.column] for item in contract.order_by):
            if isinstance(pair, TokenPair) and pair.mixes_zones():
                raise GoldError(
                    f"The reference orders its rows by {pair.contract.name!r}, where some times state a zone and some "
                    "do not: which comes first would be a guess.",
                    hint="State the zone of every time, or of none.",
                    reason="gold_order",
                )
        n = len(next(iter(pairs.values())).reference.state)
        rows = np.arange(n)
        wrong = misplaced(contract, pairs, rows, rows)
        if len(wrong):
            raise GoldError(
                f"The reference's own rows are not in the order of the contract: row {wrong[0] + 1} stands too late.",
                hint="Text is ordered by code point; correct order_by or the reference.",
                reason="gold_order",
            )


# ---- the verdict -----------------------------------------------------------------------------------------------------


def _verdict(
    contract: OutputContract,
    pairs: dict[str, ColumnPair],
    match: RowMatch,
    n: int,
    m: int,
    headers: HeaderMatch,
    reasons: list[str],
    said: list[str],
    notes: list[str],
) -> TableVerdict:
    wrong, wrong_row = _wrong_cells(pairs, match)
    late = _late_rows(contract, pairs, match)
    counted = [c.name for c in contract.columns if c.name not in contract.key] or [
        c.name for c in contract.columns
    ]
    here = [name for name in counted if name in pairs]
    bad = sum(len(wrong[name][0]) for name in here if name in wrong)
    paired = len(match.reference)
    extra_cells = len(match.extra) * len(here)
    if contract.extra_columns == "forbidden":
        extra_cells += len(headers.extra) * m
    cells = CellCounts(
        matched=paired * len(here) - bad,
        wrong=bad,
        missing=len(match.missing) * len(here) + n * (len(counted) - len(here)),
        extra=extra_cells,
    )
    rows = RowCounts(
        n, m, paired - int(wrong_row.sum()), int(wrong_row.sum()), len(match.missing), len(match.extra)
    )
    if not match.known:  # the headers say it all: no row is lost, none is added
        match = replace(match, missing=match.missing[:0], extra=match.extra[:0])
    reasons = reasons + _row_reasons(pairs, match, bool(wrong), len(late) > 0)
    diff = TableDiff(
        headers=tuple(said),
        cell_count=sum(len(i) for i, _ in wrong.values()),
        missing=tuple(match.missing.tolist()),
        extra=tuple(match.extra.tolist()),
        misplaced=tuple(late.tolist()),
        _pairs=pairs,
        _key=contract.key if all(name in pairs for name in contract.key) else (),
        _wrong=wrong,
    )
    return TableVerdict(not reasons, tuple(reasons), rows, cells, diff, tuple(notes))


def _wrong_cells(
    pairs: dict[str, ColumnPair], match: RowMatch
) -> tuple[dict[str, tuple[Ints, Ints]], np.ndarray[Any, np.dtype[np.bool_]]]:
    wrong: dict[str, tuple[Ints, Ints]] = {}
    wrong_row = np.zeros(len(match.reference), dtype=bool)
    for name, pair in pairs.items() if not match.equal else ():
        bad = ~pair.equal(match.reference, match.candidate)
        if bad.any():
            wrong[name] = match.reference[bad], match.candidate[bad]
            wrong_row |= bad
    return wrong, wrong_row


def _late_rows(contract: OutputContract, pairs: dict[str, ColumnPair], match: RowMatch) -> Ints:
    if not (contract.order_by or contract.ties == "reference"):
        return match.candidate[:0]
    if any(item.column not in pairs for item in contract.order_by):
        return match.candidate[:0]
    return match.candidate[misplaced(contract, pairs, match.reference, match.candidate)]


def _row_reasons(pairs: dict[str, ColumnPair], match: RowMatch, wrong: bool, late: bool) -> list[str]:
    reasons = ["wrong_cell"] if wrong else []
    for rows, side, row_reason, copy_reason in (
        (match.missing, "reference", "missing_row", "lost_duplicate"),
        (match.extra, "candidate", "extra_row", "added_duplicate"),
    ):
        if len(rows):
            copies = _has_copy(pairs, rows, side)
            reasons += [row_reason] * bool((~copies).any()) + [copy_reason] * bool(copies.any())
    return reasons + ["row_order"] * late


def _has_copy(pairs: dict[str, ColumnPair], rows: Ints, side: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Say which of the rows occur more than once in their own table, cell for cell."""
    if not pairs:
        return np.zeros(len(rows), dtype=bool)
    sides = [getattr(pair, side) for pair in pairs.values()]
    everything = np.arange(len(sides[0].state))
    codes = [cells.identity(everything) for cells in sides]
    code = group_codes([(column, column[:0]) for column in codes])[0]
    return np.asarray(np.bincount(code)[code[rows]] > 1)
