"""What `audit bench` holds the audit against: an output check, and truncate-and-rerun. The third is `_lexical.py`."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from finassay.audit._scenarios import Altered
from finassay.audit._types import REMOVED

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from finassay.audit._scope import Scope
    from finassay.audit._subject import Output, Runner
    from finassay.database import Database
    from finassay.temporal import Catalog, Contract, Cutoff

_RELATIVE = 1e-6


def same_answer(reference: pa.Table, found: pa.Table) -> bool:
    """Whether a program gives the answer of the reference, judged as a person would judge it.

    Rows count with their multiplicity and in any order. Columns are matched by name where both tables have the same
    names, else by position. Numbers agree to a millionth; a day is a day as a date, as a time at midnight and as text.
    """
    if len(reference) == len(found) == 0:
        return True
    if reference.num_columns != found.num_columns or len(reference) != len(found):
        return False
    names = [name.lower() for name in reference.column_names]
    others = [name.lower() for name in found.column_names]
    order = [others.index(name) for name in names] if sorted(names) == sorted(others) else range(len(names))
    left = sorted(_rows(reference, range(len(names))), key=_coarse)
    right = sorted(_rows(found, order), key=_coarse)
    return all(map(_agree, left, right))


def _rows(table: pa.Table, order: Iterable[int]) -> list[tuple[tuple[int, float, str], ...]]:
    columns = [[_plain(cell) for cell in table.column(index).to_pylist()] for index in order]
    return list(zip(*columns, strict=True))


def _plain(cell: Any) -> tuple[int, float, str]:
    """Return a cell as something that has an order among all others: nothing, a number, a text."""
    if cell is None or cell != cell:
        return (0, 0.0, "")
    if isinstance(cell, bool | int | float | Decimal):
        return (1, float(cell), "")
    if isinstance(cell, datetime | date):
        return (2, 0.0, cell.isoformat().replace("T00:00:00", ""))
    return (2, 0.0, str(cell).strip().replace(" 00:00:00", "").replace("T00:00:00", ""))


def _coarse(row: tuple[tuple[int, float, str], ...]) -> list[tuple[int, float, str]]:
    """Order rows so that noise in a number does not move them."""
    return [(kind, float(f"{number:.5g}"), text) for kind, number, text in row]


def _agree(left: tuple[tuple[int, float, str], ...], right: tuple[tuple[int, float, str], ...]) -> bool:
    return all(
        a == b or (a[0] == b[0] == 1 and abs(a[1] - b[1]) <= _RELATIVE * max(abs(a[1]), abs(b[1]), _RELATIVE))
        for a, b in zip(left, right, strict=True)
    )


def altered_tables(
    names: Iterable[str], catalog: Catalog, contract: Contract, cutoff: Cutoff, database: Database
) -> dict[str, Altered]:
    """Return the tables among `names` that the database has and the catalog can date, ready to be altered."""
    from finassay.database import resolve_table
    from finassay.temporal import AvailabilityUnknown

    infos = {info.name.lower(): info for info in database.tables()}
    found = {}
    for name in sorted(set(names) & infos.keys()):
        if catalog.find(infos[name].name) is None:
            continue
        table = Altered.of(resolve_table(catalog, infos[name]), catalog, contract, cutoff, database)
        try:
            table.view.knowable  # noqa: B018 - asks whether it can be told
        except AvailabilityUnknown:
            continue
        found[name] = table
    return found


def truncated_differs(runner: Runner, base: Output, scope: Scope, tables: dict[str, Altered]) -> bool | None:
    """Whether the output changes when every row that was unknown at the last cutoff is cut off (prefix causality).

    None where the program fails over what is left, which says nothing.
    """
    cut = {name: table.select(REMOVED) for name, table in tables.items() if REMOVED in table.families}
    if not cut:
        return False
    found = runner.run(cut)
    return None if found.error is not None else scope.differ(base, found, REMOVED) is not None
