"""Mutants: programs with one temporal fault, made mechanically from valid ones; SQL here, Python beside it."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from finassay.core import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from finassay.audit._corpus import Code
    from finassay.audit._mutations_sql import Edit
    from finassay.database import Dialect
    from finassay.temporal import Catalog, Contract

OPERATORS = {
    "guard_dropped": "a bound on when rows were known, or began, is taken away",
    "end_test_dropped": "a test of an interval's end is taken away",
    "cutoff_day": "a cutoff is moved by a day",
    "cutoff_year": "a cutoff is moved by a year",
    "boundary": "a bound takes in its own day, or no longer does",
    "order_flipped": "an order of versions is turned round",
    "valid_time": "when a row was known is replaced by what it is about",
    "current_state_added": "rows are asked how they stand today",
    "current_state_instead": "the test of an end is replaced by the state of today",
    "rank_removed": "the version that counts is no longer picked",
    "payload_before_rank": "a condition on a value moves before the ranking",
    "source_dropped": "a source that the task requires is no longer read",
}


@dataclass(frozen=True)
class Mutation:
    """A program with one fault.

    Attributes
    ----------
    program : str
        What it was made from.
    operator : str
        How; one of `OPERATORS`.
    line : int or None
        Where, in the original, from 1.
    expected : tuple of str
        The types of violation that it may be; one of them is right.
    says : str
        What was changed, in the words of the program.
    text : str
        The whole program.
    """

    program: str
    operator: str
    line: int | None
    expected: tuple[Code, ...]
    says: str
    text: str

    @property
    def id(self) -> str:
        """Its name: stable as long as its text is, whatever other mutants there are."""
        return f"{self.program}#{self.operator}-{hashlib.sha256(self.text.encode()).hexdigest()[:8]}"


def mutations(
    program: str, text: str, dialect: Dialect, catalog: Catalog, contract: Contract
) -> tuple[Mutation, ...]:
    """Return the mutants of a program, each text once, in the order of the operators and of the lines.

    Parameters
    ----------
    program : str
        Its name; the ending says whether it is SQL (``.sql``), Python (``.py``) or a notebook (``.ipynb``).
    text : str
        What it says.
    dialect : {"duckdb", "mysql", "postgres"}
        What its SQL is written in.
    catalog : Catalog
        What the times in the tables mean.
    contract : Contract
        The dates and the sources of its task.

    Raises
    ------
    InputError
        If it cannot be read, or is of another kind.
    """
    kind = program.rpartition(".")[2]
    if kind == "sql":
        found = _of_sql(text, dialect, catalog, contract)
    elif kind == "py":
        found = _of_python(text, dialect, catalog, contract)
    elif kind == "ipynb":
        found = _of_notebook(text, dialect, catalog, contract)
    else:
        raise InputError(f"Mutants are made of .sql, .py and .ipynb programs, not of {program}.")
    ranks = {name: rank for rank, name in enumerate(OPERATORS)}
    unique = {edit.text: edit for edit in reversed(list(found))}
    unique.pop(text, None)
    listed = sorted(unique.values(), key=lambda edit: (ranks[edit.operator], edit.line or 0, edit.text))
    return tuple(
        Mutation(program, edit.operator, edit.line, edit.expected, edit.says, edit.text) for edit in listed
    )


def _of_sql(text: str, dialect: Dialect, catalog: Catalog, contract: Contract) -> Iterator[Edit]:
    from finassay.audit._mutations_sql import edits_of

    yield from edits_of(text, dialect, catalog, contract)


def _of_python(text: str, dialect: Dialect, catalog: Catalog, contract: Contract) -> Iterator[Edit]:
    from finassay.audit._mutations_python import edits_of_python

    yield from edits_of_python(text, dialect, catalog, contract)


def _of_notebook(text: str, dialect: Dialect, catalog: Catalog, contract: Contract) -> Iterator[Edit]:
    """Mutate one cell at a time; lines are those of the cell."""
    from finassay.audit._mutations_python import edits_of_python

    try:
        cells = json.loads(text)["cells"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"The notebook cannot be read: {error}.") from error
    for number, cell in enumerate(cells):
        if cell.get("cell_type") != "code":
            continue
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        if re.search(r"^\s*[%!]", source, re.MULTILINE):
            continue  # it is no Python
        for edit in edits_of_python(source, dialect, catalog, contract):
            changed = json.loads(text)
            changed["cells"][number]["source"] = edit.text
            whole = json.dumps(changed, ensure_ascii=False, indent=1)
            yield replace(edit, text=whole)


def as_table(found: Iterable[Mutation]) -> list[dict[str, object]]:
    """Return mutants as rows for machines, without their texts."""
    return [
        {
            "id": one.id,
            "program": one.program,
            "operator": one.operator,
            "line": one.line,
            "expected": list(one.expected),
            "says": one.says,
        }
        for one in found
    ]
