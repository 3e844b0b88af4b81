"""Layouts other than the contract's own: transposed, long, wide. Tried only where the contract accepts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.grading._headers import HeaderMatch, match_headers

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.grading._contract import OutputContract


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
    """Fields stand in the first column; its header is the first field, or no field at all (``df.T.reset_index()``)."""
    import pyarrow as pa

    if table.num_columns < 2:
        return None
    names = [_text(value) for value in table.column(0).to_pylist()]
    rows = [table.column(place).to_pylist() for place in range(1, table.num_columns)]
    if not match_headers(names, contract).complete:
        names = [table.column_names[0], *names]
        rows = [[name, *row] for name, row in zip(table.column_names[1:], rows, strict=True)]
    columns = [_array([row[place] for row in rows]) for place in range(len(names))]
    return pa.table(columns, names=names)


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

    fields = [_text(name) for name in table.column(field).to_pylist()]
    names = list(dict.fromkeys(fields))
    wanted = [column.name for column in contract.columns if column.name not in contract.key]
    match = match_headers([table.column_names[k] for k in keys] + names, contract)
    if not match.complete or match.extra or len(names) != len(wanted):
        return None
    rows: dict[tuple[object, ...], dict[str, object]] = {}
    for name, cell, *key in zip(
        fields, table.column(value).to_pylist(), *(table.column(k).to_pylist() for k in keys), strict=True
    ):
        row = rows.setdefault(tuple(key), {})
        if name in row:  # two values for one cell: this is not the layout of a table with that key
            return None
        row[name] = cell
    columns = [_array([key[place] for key in rows]) for place in range(len(keys))]
    columns += [_array([row.get(name) for row in rows.values()]) for name in names]
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
    kept = [name for name in contract.key if name in found.position]
    columns = {name: table.column(found.position[name]).to_pylist() * len(places) for name in kept}
    columns[pivots[0]] = [table.column_names[place] for place in places for _ in range(table.num_rows)]
    columns[values[0]] = [cell for place in places for cell in table.column(place).to_pylist()]
    return pa.table([_array(cells) for cells in columns.values()], names=list(columns))


_TURNS = {"transposed": _transposed, "long": _long, "wide": _wide}


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _array(cells: list[object]) -> pa.Array:
    """Mixed cells become text: what each one says is read under its column's contract."""
    import pyarrow as pa

    try:
        return pa.array(cells)
    except (pa.ArrowException, OverflowError):
        return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
