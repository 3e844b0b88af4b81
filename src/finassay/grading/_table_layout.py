"""Layouts other than the contract's own: transposed, long, wide. Tried only where the contract accepts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.core import InputError
from finassay.grading._headers import HeaderMatch, match_headers, split_unit
from finassay.grading._missing import is_missing
from finassay.grading._table_cells import array_of, text_of, values_of
from finassay.grading._table_units import in_unit

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.grading._contract import OutputContract

_NO_NAMES = frozenset(
    {"", "index", "level_0", "unnamed: 0"}
)  # of an index, as pandas and its CSV files have it


def arrange(table: pa.Table, contract: OutputContract) -> tuple[pa.Table, HeaderMatch, str | None]:
    """Return the table in the contract's layout, where its columns are, and the layout it was found in."""
    match = match_headers(table.column_names, contract)
    if match.complete:
        return table, match, None
    for layout in contract.layouts:
        turned = _TURNS[layout](table, contract)
        if turned is not None:
            other = match_headers(turned.column_names, contract)
            if other.complete:
                return turned, other, layout
    return table, match, None


def _transposed(table: pa.Table, contract: OutputContract) -> pa.Table | None:
    """Fields stand in the first column; its header is the first field, or no field at all (``df.T.reset_index()``).

    A header that is no name (``df.set_index("code").T.reset_index()``) stands for the only field that is not in the
    column.
    """
    import pyarrow as pa

    if table.num_columns < 2:
        return None
    names = [_label(value) for value in values_of(table.column(0))]
    rows = [values_of(table.column(place)) for place in range(1, table.num_columns)]
    if not match_headers(names, contract).complete:
        names = [_first_field(table.column_names, names, contract), *names]
        rows = [[name, *row] for name, row in zip(table.column_names[1:], rows, strict=True)]
    columns = [array_of([row[place] for row in rows]) for place in range(len(names))]
    return pa.table(columns, names=names)


def _first_field(headers: list[str], names: list[str], contract: OutputContract) -> str:
    """Return the first header, or the field it stands for: pandas numbers rows, so 0, 1, 2 ... are no values of it."""
    missing = [name for name, _ in match_headers(names, contract).missing]
    numbered = headers[1:] == [str(place) for place in range(len(headers) - 1)]
    if headers[0].strip().casefold() in _NO_NAMES and len(missing) == 1 and not numbered:
        return missing[0]
    return headers[0]


def _long(table: pa.Table, contract: OutputContract) -> pa.Table | None:
    """Key columns, one column that names the field, one that holds its value: spread to one column per field."""
    keyed = match_headers(table.column_names, contract).position
    keys = [name for name in contract.key if name in keyed]
    others = [place for place in range(table.num_columns) if place not in keyed.values()]
    if len(keys) != len(contract.key) or not keys or len(others) != 2 or len(keyed) != len(keys):
        return None
    for field, value in (others, others[::-1]):
        spread = _spread(table, [keyed[name] for name in keys], field, value, contract)
        if spread is not None:
            return spread
    return None


def _spread(
    table: pa.Table, keys: list[int], field: int, value: int, contract: OutputContract
) -> pa.Table | None:
    import pyarrow as pa

    fields = [_label(name) for name in values_of(table.column(field))]
    names = list(dict.fromkeys(fields))
    wanted = [column.name for column in contract.columns if column.name not in contract.key]
    match = match_headers([table.column_names[k] for k in keys] + names, contract)
    if not match.complete or match.extra or len(names) != len(wanted):
        return None
    rows: dict[tuple[object, ...], dict[str, object]] = {}
    for name, cell, *key in zip(
        fields, values_of(table.column(value)), *(values_of(table.column(k)) for k in keys), strict=True
    ):
        row = rows.setdefault(tuple(key), {})
        if name in row:  # two values for one cell: this is not the layout of a table with that key
            return None
        row[name] = cell
    columns = [array_of([key[place] for key in rows]) for place in range(len(keys))]
    columns += [array_of([row.get(name) for row in rows.values()]) for name in names]
    return pa.table(columns, names=[table.column_names[k] for k in keys] + names)


def _wide(table: pa.Table, contract: OutputContract) -> pa.Table | None:
    """One key column is spread over the headers; the cells hold the contract's only value column."""
    import pyarrow as pa

    found = match_headers(table.column_names, contract)
    values = [column.name for column in contract.columns if column.name not in contract.key]
    absent = [name for name, _ in found.missing]
    pivots = [name for name in absent if name in contract.key]
    if len(values) != 1 or len(pivots) != 1 or set(absent) != {pivots[0], values[0]} or not found.extra:
        return None
    places = [place for place in range(table.num_columns) if place not in found.position.values()]
    spread = [split_unit(table.column_names[place]) for place in places]
    wanted = contract.column(values[0]).unit
    if wanted is None:
        spread = [(table.column_names[place], None) for place in places]
    cells = [
        [_restated(cell, unit, wanted) for cell in values_of(table.column(place))]
        for place, (_, unit) in zip(places, spread, strict=True)
    ]
    kept = [name for name in contract.key if name in found.position]
    columns = {name: values_of(table.column(found.position[name])) * len(places) for name in kept}
    columns[pivots[0]] = [name for name, _ in spread for _ in range(table.num_rows)]
    columns[values[0]] = [cell for column in cells for cell in column]
    return pa.table([array_of(cells) for cells in columns.values()], names=list(columns))


def _restated(cell: object, unit: str | None, wanted: str | None) -> object:
    """Express a cell under a header such as ``2024（万元）`` in the contract's unit: each header may state another."""
    if unit is None or cell is None:
        return cell
    text = text_of(cell)
    if is_missing(text):
        return cell
    try:
        return str(in_unit(text, unit, wanted))
    except InputError:
        return f"{text} {unit}"  # no number, or of another kind: refused where the cell is read


_TURNS = {"transposed": _transposed, "long": _long, "wide": _wide}


def _label(value: object) -> str:
    return "" if value is None else text_of(value)
