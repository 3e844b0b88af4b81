"""The rows that only one of two tables has, column by column: what has to be looked at one by one is then little."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from finassay.audit._kinds import is_number

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Codes = npt.NDArray[np.int64]

_DIGITS = 10
_MOST_DECIMALS = 8  # beyond it a number was not rounded
_EXPONENTS = 400  # above any of a float


def unmatched(one: pa.Table, other: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the rows of each table that the other lacks, with their multiplicity, in an order of their content.

    Numbers count as equal whose ten significant digits are the same, whatever their types.

    Parameters
    ----------
    one, other : pyarrow.Table
        With as many columns each.
    """
    import numpy as np

    rows = one.num_rows
    codes = np.zeros(rows + other.num_rows, np.int64)
    for pair in zip(one.columns, other.columns, strict=True):
        column = _numbered(_codes(*pair))
        codes = _numbered(codes * (int(column.max(initial=0)) + 1) + column)
    kinds = int(codes.max(initial=-1)) + 1
    surplus = np.bincount(codes[:rows], minlength=kinds) - np.bincount(codes[rows:], minlength=kinds)
    left, right = _surplus(codes[:rows], surplus), _surplus(codes[rows:], -surplus)
    return _ordered(one.take(left)), _ordered(other.take(right))


def last_decimals(one: pa.ChunkedArray, other: pa.ChunkedArray) -> float:
    """Return one unit of the last decimal of a column; 0 where its numbers are whole, or have no last decimal."""
    import numpy as np
    import pyarrow as pa

    if pa.types.is_decimal(one.type):
        return float(10.0**-one.type.scale) if 0 < one.type.scale <= _MOST_DECIMALS else 0.0
    if not pa.types.is_floating(one.type):
        return 0.0
    numbers = np.concatenate([_floats(column) for column in (one, other) if is_number(column.type)])
    numbers = numbers[np.isfinite(numbers)]
    for decimals in range(_MOST_DECIMALS + 1):
        numbers = numbers[np.round(numbers, decimals) != numbers]
        if not len(numbers):
            return float(10.0**-decimals) if decimals else 0.0
    return 0.0


def _surplus(codes: Codes, surplus: Codes) -> Codes:
    """Return the places of rows of which there are more than on the other side, as many as there are more."""
    import numpy as np

    places = np.flatnonzero(surplus[codes] > 0)
    order = places[np.argsort(codes[places], kind="stable")]
    found = codes[order]
    nth = np.arange(len(found)) - np.searchsorted(found, found)  # which of its kind each one is
    return np.sort(order[nth < surplus[found]])


def _ordered(table: pa.Table) -> pa.Table:
    """Sort rows by their content, as far as its types have an order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    named = table.rename_columns([f"c{i}" for i in range(table.num_columns)])
    kinds = (pa.types.is_nested, pa.types.is_dictionary, pa.types.is_null)
    keys = [(f.name, "ascending") for f in named.schema if not any(kind(f.type) for kind in kinds)]
    return table.take(pc.sort_indices(named, sort_keys=keys)) if keys and table.num_rows > 1 else table


def _numbered(codes: Codes) -> Codes:
    """Give distinct codes numbers from zero, so that two columns of them can be combined."""
    import numpy as np
    import pyarrow as pa

    return np.asarray(pa.array(codes).dictionary_encode().indices, np.int64)


def _codes(one: pa.ChunkedArray, other: pa.ChunkedArray) -> Codes:
    """Return a number for each cell of two columns, the same for equal cells."""
    import numpy as np

    if is_number(one.type) and is_number(other.type):
        return np.concatenate([_digits(one), _digits(other)])
    joined = _joined(one, other)
    if joined is None:
        return _spelled(one.to_pylist() + other.to_pylist())
    # NULL is number 0; a float's NULL is apart from its NaN in `_digits`
    return np.asarray(joined.combine_chunks().dictionary_encode().indices.fill_null(-1), np.int64) + 1


def _floats(column: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    import numpy as np
    import pyarrow as pa

    return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), np.float64)


def _digits(column: pa.ChunkedArray) -> Codes:
    """Return the first digits and the exponent of numbers in one whole number each; NULL, NaN, 0 have their own."""
    import numpy as np

    numbers = _floats(column)
    null = np.asarray(column.is_null())
    finite = np.isfinite(numbers) & (numbers != 0)
    value = np.where(finite, numbers, 1.0)
    exponent = np.floor(np.log10(np.abs(value)))
    # In two steps: ten to the power of what is left overflows for the smallest numbers.
    half = np.trunc((_DIGITS - 1 - exponent) / 2)
    digits = np.rint(value * 10.0**half * 10.0 ** (_DIGITS - 1 - exponent - half))
    over = np.abs(digits) >= 10.0**_DIGITS
    digits, exponent = np.where(over, digits / 10, digits), exponent + over
    found = ((exponent + _EXPONENTS) * 4 * 10.0**_DIGITS + digits).astype(np.int64)
    special = np.select([null, np.isnan(numbers), numbers == np.inf, numbers == -np.inf], [0, 1, 2, 3], 4)
    return np.asarray(np.where(finite, found, special), np.int64)


def _joined(one: pa.ChunkedArray, other: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return two columns as one, where Arrow says of their cells which are equal."""
    import pyarrow as pa

    plain = (
        pa.types.is_boolean,
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_date,
        pa.types.is_timestamp,
    )
    if one.type != other.type or not any(kind(one.type) for kind in plain):
        return None
    return pa.chunked_array([*one.chunks, *other.chunks], one.type)


def _spelled(cells: list[Any]) -> Codes:
    import numpy as np

    seen: dict[tuple[str, str], int] = {}
    return np.asarray([seen.setdefault(_spelling(cell), len(seen)) for cell in cells], np.int64)


def _spelling(cell: Any) -> tuple[str, str]:
    if cell is None:
        return ("", "")
    if isinstance(cell, int | float | Decimal) and not isinstance(cell, bool):
        return ("n", f"{float(cell):.{_DIGITS}g}")
    return (type(cell).__name__, str(cell))
