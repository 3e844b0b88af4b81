"""Tables of the catalog in SQL: types of the three dialects, keys and indexes; and Arrow in the catalog's types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from finassay.core import InternalError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pyarrow as pa

    from finassay.temporal import Column, Table

Dialect = Literal["duckdb", "mysql", "postgres"]
META = "finassay_meta"
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_TEXT = 2.0**45  # from so many units of its last place on, a number is read from its text
_WHOLE = (
    "decimal(19,0)"  # row numbers: as BIGINT pandas keeps every digit, a DECIMAL of 19 it rounds to a double
)
_TYPES: dict[Dialect, dict[str, str]] = {
    "duckdb": {"datetime": "TIMESTAMP", "double": "DOUBLE", "longblob": "BLOB"},
    "mysql": {"datetime": "DATETIME", "double": "DOUBLE", "longblob": "LONGBLOB", "longtext": "LONGTEXT"},
    "postgres": {"datetime": "TIMESTAMP", "double": "DOUBLE PRECISION", "longblob": "BYTEA"},
}


def named(name: str, dialect: Dialect) -> str:
    """Return a name in quotes; PostgreSQL's is in lower case, so that a statement without quotes finds it."""
    return f"`{name}`" if dialect == "mysql" else f'"{name.lower() if dialect == "postgres" else name}"'


def sql_type(column: Column, dialect: Dialect) -> str:
    """Return the SQL type of a column, with NOT NULL where the catalog says so."""
    declared = column.type or "text"
    if declared == _WHOLE:
        found = "BIGINT"
    elif declared.startswith("decimal"):
        found = declared.upper()
    elif declared in _TYPES[dialect]:
        found = _TYPES[dialect][declared]
    elif "char(" in declared and dialect != "duckdb":
        found = f"VARCHAR({declared.split('(')[1]}"
    else:
        found = "VARCHAR" if dialect == "duckdb" else "TEXT"
    return found + (" NOT NULL" if column.max_null == 0 else "")


def create_table(
    name: str,
    spec: Table,
    dialect: Dialect,
    *,
    schema: str | None = None,
    empty: Collection[str] = (),
) -> str:
    """Return CREATE TABLE; MySQL's clusters rows by their number, the others get their keys later or not at all.

    DuckDB keeps columns that are `empty` as the constant NULL of their type: a generated column takes no time to write
    and no room.
    """
    lines = [
        f"{named(column, dialect)} {sql_type(meaning, dialect)}"
        + (" GENERATED ALWAYS AS (NULL) VIRTUAL" if dialect == "duckdb" and column in empty else "")
        for column, meaning in spec.columns.items()
    ]
    if dialect == "mysql":
        lines.append(f"PRIMARY KEY ({_listed(spec.row_id, dialect)})")
    return f"CREATE TABLE {place(name, dialect, schema)} ({', '.join(lines)})"


def create_meta(dialect: Dialect, *, schema: str | None = None) -> str:
    """Return CREATE TABLE of the world's description."""
    return (
        f"CREATE TABLE {place(META, dialect, schema)}"
        f" ({named('key', dialect)} VARCHAR(50) PRIMARY KEY, {named('value', dialect)} VARCHAR(200) NOT NULL)"
    )


def place(name: str, dialect: Dialect, schema: str | None) -> str:
    """Return a table's name, within a schema where one is given."""
    return f"{named(schema, dialect)}.{named(name, dialect)}" if schema else named(name, dialect)


def indexes(spec: Table) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """Yield (unique, columns): the unique key, the business key, and when a row became known (DESIGN.md, 7)."""
    seen = {spec.row_id}
    known = (spec.availability.column, spec.availability.proxy) if spec.availability else ()
    wanted = [(True, spec.unique), (False, spec.key), *((False, (column,)) for column in known if column)]
    for unique, columns in wanted:
        if columns and not any(other[: len(columns)] == columns for other in seen):
            seen.add(columns)
            yield unique, columns


def create_indexes(name: str, spec: Table, dialect: Dialect, *, schema: str) -> list[str]:
    """Return the statements that add a table's keys and indexes to a server's table with rows."""
    found = [(unique, _listed(columns, dialect)) for unique, columns in indexes(spec)]
    where = place(name, dialect, schema)
    if dialect == "mysql":
        parts = [f"ADD {'UNIQUE ' if unique else ''}INDEX ({columns})" for unique, columns in found]
        return [f"ALTER TABLE {where} {', '.join(parts)}"] if parts else []
    keys = [f"ALTER TABLE {where} ADD PRIMARY KEY ({_listed(spec.row_id, dialect)})"]
    return keys + [
        f"CREATE {'UNIQUE ' if unique else ''}INDEX ON {where} ({columns})" for unique, columns in found
    ]


def _listed(columns: tuple[str, ...], dialect: Dialect) -> str:
    return ", ".join(named(column, dialect) for column in columns)


def decimals(part: pa.Table, spec: Table, *, least: float = 0.0) -> pa.Table:
    """Return a part with decimals in the precision and places of the catalog, as Arrow makes them exactly.

    Parameters
    ----------
    part : pyarrow.Table
        Rows with doubles.
    spec : Table
        The catalog's table.
    least : float
        Columns whose numbers all have fewer units of their last place are left as doubles: an engine's own cast, which
        multiplies, is then exact too.

    Raises
    ------
    InternalError
        If a value is too large for its column.
    """
    import pyarrow as pa

    columns = []
    for name, meaning in spec.columns.items():
        column, kind = part[name], decimal_type(meaning.type)
        largest = _largest(column, kind) if kind is not None and pa.types.is_floating(column.type) else -1.0
        if largest >= least and kind is not None:
            if largest >= 10.0**kind.precision:
                raise InternalError(
                    f"{name} is {meaning.type} in the catalog; a value has {largest:g} units."
                )
            column = _exact(column, kind)
        columns.append(column)
    return pa.table(columns, names=part.column_names)


def _exact(column: pa.ChunkedArray, kind: pa.DataType) -> pa.Array:
    """Return doubles as decimals: whole units of the last place, of 128 bits."""
    import numpy as np
    import pyarrow as pa

    whole = column.combine_chunks()
    array = whole if isinstance(whole, pa.Array) else pa.concat_arrays(whole.chunks)
    values = np.frombuffer(array.buffers()[1] or b"", np.float64)[array.offset : array.offset + len(array)]
    known = np.ones(len(array), dtype=bool) if not array.null_count else _bits(array.is_valid())
    units = np.where(known, values, 0.0) * 10.0**kind.scale
    far = np.flatnonzero(np.abs(units) >= _TEXT)
    units[far] = 0.0
    halves = np.empty((len(array), 2), dtype=np.int64)
    halves[:, 0] = np.rint(units)
    halves[:, 1] = halves[:, 0] >> 63
    if far.size:
        # Near the end of a double its shortest text is the number that was meant; its exact value has other last
        # places, and sums that hold to the fen would no longer hold.
        texts = array.take(pa.array(far)).cast(pa.string()).cast(kind)
        halves[far] = np.frombuffer(texts.buffers()[1], np.int64).reshape(-1, 2)
    mask = pa.array(known).buffers()[1] if array.null_count else None
    return pa.Array.from_buffers(kind, len(array), [mask, pa.py_buffer(halves)], array.null_count)


def _bits(flags: pa.BooleanArray) -> Any:
    import numpy as np

    packed = np.frombuffer(flags.buffers()[1], np.uint8)
    return np.unpackbits(packed, bitorder="little")[flags.offset : flags.offset + len(flags)].astype(bool)


def _largest(column: pa.ChunkedArray, kind: pa.DataType) -> float:
    """Return the largest number of a column in units of its last place."""
    import pyarrow.compute as pc

    ends = pc.min_max(column).as_py()
    sizes = [abs(end) for end in ends.values() if end is not None]
    return float(max(sizes, default=0.0) * 10.0 ** int(kind.scale))


def decimal_type(declared: str | None) -> pa.DataType | None:
    """Return the Arrow type of a decimal of the catalog; None for other types."""
    import pyarrow as pa

    match = _DECIMAL.fullmatch(declared or "")
    return None if match is None else pa.decimal128(int(match.group(1)), int(match.group(2)))


def filled(part: pa.Table) -> list[str]:
    """Return the columns that are not NULL throughout: the others need not be sent."""
    return [name for name in part.column_names if part[name].null_count < part.num_rows]
