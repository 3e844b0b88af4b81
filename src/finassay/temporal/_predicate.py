"""Conditions on a row in two-valued logic, that Python, Arrow and SQL answer alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from finassay.core import InputError
from finassay.temporal._formats import DateFormat, UnreadableDate, encode, stored

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Before:
    """The column holds a date before a midnight; false where it is NULL."""

    column: str
    midnight: datetime
    format: DateFormat = "native"

    @property
    def threshold(self) -> Any:
        """The bound in the column's own form: the condition is ``column < threshold``."""
        return encode(self.format, self.midnight)


@dataclass(frozen=True)
class Missing:
    """The column is NULL, or holds one of the values that mean the same."""

    column: str
    values: tuple[int | str, ...] = ()
    format: DateFormat = "native"

    @property
    def stored_values(self) -> tuple[Any, ...]:
        """`values` in the column's own form."""
        if self.format != "native":
            return self.values
        return tuple(_moment(value, self.column) for value in self.values)


@dataclass(frozen=True)
class Not:
    """The condition does not hold."""

    condition: Predicate


@dataclass(frozen=True)
class All:
    """Every condition holds; true if there are none."""

    conditions: tuple[Predicate, ...] = ()


Predicate = Before | Missing | Not | All


def all_of(*conditions: Predicate) -> Predicate:
    """Return the conjunction, without nesting or needless parts."""
    flat: list[Predicate] = []
    for condition in conditions:
        flat += condition.conditions if isinstance(condition, All) else (condition,)
    flat = list(dict.fromkeys(flat))
    return flat[0] if len(flat) == 1 else All(tuple(flat))


def columns_of(predicate: Predicate) -> tuple[str, ...]:
    """Return the columns that a condition reads, each once."""
    if isinstance(predicate, Before | Missing):
        return (predicate.column,)
    if isinstance(predicate, Not):
        return columns_of(predicate.condition)
    return tuple(dict.fromkeys(name for part in predicate.conditions for name in columns_of(part)))


def holds(predicate: Predicate, row: Mapping[str, Any]) -> bool:
    """Answer a condition for one row.

    Raises
    ------
    InputError
        If the row lacks a column, or a value does not fit its column's format (`UnreadableDate`).
    """
    match predicate:
        case Before(column, _, format_):
            value = _value(row, column)
            return value is not None and bool(stored(format_, value, column) < predicate.threshold)
        case Missing(column, _, format_):
            value = _value(row, column)
            return value is None or (
                bool(predicate.values) and stored(format_, value, column) in predicate.stored_values
            )
        case Not(condition):
            return not holds(condition, row)
        case All(conditions):
            return all(holds(condition, row) for condition in conditions)


def holds_each(predicate: Predicate, table: pa.Table) -> pa.Array:
    """Answer a condition for each row of an Arrow table.

    Returns
    -------
    pyarrow.BooleanArray
        As long as the table, without NULLs.

    Raises
    ------
    InputError
        If the table lacks a column, or a column's type does not fit its format (`UnreadableDate`).
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    match predicate:
        case Before(column, _, format_):
            values = _comparable(table, column, format_)
            bound = pa.scalar(predicate.threshold, type=values.type)
            return _plain(pc.fill_null(pc.less(values, bound), fill_value=False))
        case Missing(column, _, format_):
            missing = pc.is_null(_arrow_column(table, column))
            if predicate.values:
                values = _comparable(table, column, format_)
                accepted = pa.array(predicate.stored_values, type=values.type)
                missing = pc.or_(missing, pc.fill_null(pc.is_in(values, accepted), fill_value=False))
            return _plain(missing)
        case Not(condition):
            return pc.invert(holds_each(condition, table))
        case All(conditions):
            result = pa.array(np.ones(table.num_rows, dtype=bool))
            for condition in conditions:
                result = pc.and_(result, holds_each(condition, table))
            return result


def _plain(values: Any) -> Any:
    import pyarrow as pa

    if not isinstance(values, pa.ChunkedArray):
        return values
    combined = values.combine_chunks()
    return pa.concat_arrays(combined.chunks) if isinstance(combined, pa.ChunkedArray) else combined


def _value(row: Mapping[str, Any], column: str) -> Any:
    try:
        return row[column]
    except KeyError:
        raise _no_column(column, list(row)) from None


def _arrow_column(table: pa.Table, column: str) -> Any:
    if table.column_names.count(column) != 1:
        raise _no_column(column, table.column_names)
    return table.column(column)


def _no_column(column: str, names: list[str]) -> InputError:
    return InputError(
        f"The rows have no column {column}, which the catalog needs; they have {', '.join(map(str, names))}.",
        hint="Select the column too, or correct the catalog.",
        reason="column_missing",
    )


def _comparable(table: pa.Table, column: str, format_: DateFormat) -> Any:
    import pyarrow as pa

    values = _arrow_column(table, column)
    kind = values.type
    if pa.types.is_null(kind):
        kind = {"native": pa.timestamp("us")}.get(format_, pa.string())
        return values.cast(kind if "integer" not in format_ else pa.int64())
    zoned = pa.types.is_timestamp(kind) and kind.tz is not None
    if format_ == "native" and (pa.types.is_date(kind) or pa.types.is_timestamp(kind)) and not zoned:
        return values.cast(pa.timestamp("us"), safe=False)
    numbers = pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_floating(kind)
    if format_.startswith("integer") and numbers:
        try:
            return values.cast(pa.int64())
        except pa.ArrowInvalid as error:  # NaN, infinity, a fraction
            raise UnreadableDate(
                f"Column {column} has the format {format_}, but a row holds no whole number: {error}.",
                hint="Correct the column's 'format' in the catalog, or the value.",
            ) from error
    texts = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind)
    if "text" in format_ and texts:
        return values.cast(pa.string())
    raise UnreadableDate(
        f"Column {column} has the format {format_}, but its type is {kind}.",
        hint="Correct the column's 'format' in the catalog.",
    )


def _moment(value: int | str, column: str) -> datetime:
    try:
        return datetime.fromisoformat(str(value))
    except ValueError as error:
        message = f"Column {column} is a date; {value!r} is none (expected '9999-12-31')."
        raise UnreadableDate(message, hint="Correct 'open' in the catalog.") from error
