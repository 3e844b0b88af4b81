"""A world as the vendor saw it at the snapshot, and how rows get the vendor's own columns from the catalog's roles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from finassay.core import InternalError
from finassay.world._events import Event, EventType, Name, Security, Touch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from finassay.temporal import Catalog, Table
    from finassay.world._ledger import Ledger
    from finassay.world._world import World

_EPOCH = datetime.fromisoformat("1970-01-01")
_EXACT = 2.0**53
_DECIMAL = re.compile(r"decimal\(\d+,(\d+)\)")


@dataclass(frozen=True)
class Row:
    """A row that an event began.

    Attributes
    ----------
    event : Event
        It gives the row its number and its time of insertion.
    values : mapping
        The columns with a meaning; the vendor's own follow from the roles.
    later : tuple of Event
        Events that were written into the row afterwards.
    """

    event: Event
    values: Mapping[str, Any]
    later: tuple[Event, ...] = ()


class View:
    """A world at its snapshot."""

    def __init__(self, world: World, catalog: Catalog) -> None:
        self.world = world
        self.catalog = catalog
        self.snapshot = world.config.snapshot
        self.ledger: Ledger = world.ledger.seen_at(world.config.moment)

    def prepare(self) -> None:
        """Look up what most tables need, lest each process that makes some of them do it again."""
        _ = self._ends, self._touches, self.securities

    @cached_property
    def securities(self) -> dict[int, Event]:
        """The event of each share, by entity."""
        return {event.entity: event for event in self.ledger.of(EventType.SECURITY)}

    def security(self, entity: int) -> Security:
        """Return who a share is."""
        payload = self.securities[entity].payload
        assert isinstance(payload, Security)  # noqa: S101 - by its type
        return payload

    @cached_property
    def _ends(self) -> dict[int, list[Event]]:
        found: dict[int, list[Event]] = {}
        for event in self.ledger.events:
            if event.supersedes is not None and event.type is not EventType.VENDOR_TOUCH:
                found.setdefault(event.supersedes, []).append(event)
        return found

    def next_of(self, event: Event) -> Event | None:
        """Return the event that supersedes or ends another, if the vendor has recorded it."""
        found = self._ends.get(event.event_id)
        return found[0] if found else None

    @cached_property
    def names(self) -> dict[int, str]:
        """The short names in use at the snapshot, by entity: the last renaming in effect."""
        found: dict[int, tuple[date, str]] = {}
        for event in self.ledger.of(EventType.RENAME):
            if event.valid_from <= self.snapshot and isinstance(event.payload, Name):
                name = (event.valid_from, event.payload.abbreviation)
                found[event.entity] = max(found.get(event.entity, name), name)
        return {entity: name for entity, (_, name) in found.items()}

    @cached_property
    def _touches(self) -> dict[int, list[Event]]:
        found: dict[int, list[Event]] = {}
        for event in self.ledger.of(EventType.VENDOR_TOUCH):
            assert isinstance(event.payload, Touch)  # noqa: S101 - by its type
            found.setdefault(event.payload.row, []).append(event)
        return found

    def table(self, name: str, rows: Iterable[Row]) -> pa.Table:
        """Return rows as a table with the columns of the catalog, those without a value NULL."""
        spec = self.catalog.table(name)
        complete = [self._complete(spec, row) for row in rows]
        given = {column for row in complete for column in row}
        columns = {column: [row.get(column) for row in complete] for column in given}
        return arrow_table(spec, columns, len(complete))

    def _complete(self, spec: Table, row: Row) -> dict[str, Any]:
        """Add the row's number, the vendor's times, and the flags that repeat whether the row has ended."""
        touches = self._touches.get(row.event.event_id, [])
        reloads = [t.recorded_at for t in touches if isinstance(t.payload, Touch) and t.payload.reload]
        inserted = max([row.event.recorded_at, *reloads])
        touched = max([inserted, *(e.recorded_at for e in (*row.later, *touches))])
        own = {spec.row_id[0]: row.event.event_id}
        own |= vendor_times(spec, inserted, touched, row.event.event_id)
        values = {**own, **row.values}
        if spec.valid and spec.valid.end:
            for flag in (d for d in spec.dependencies if d.flag):
                is_open = values.get(spec.valid.end) is None
                value = int(flag.while_open[0]) if is_open else 2
                text = arrow_type(spec.columns[str(flag.flag)].type) == arrow_type("text")
                values.setdefault(str(flag.flag), str(value) if text else value)
        return values


def vendor_times(spec: Table, inserted: datetime, touched: datetime, number: int) -> dict[str, Any]:
    """Return the columns of the roles ``recorded`` and ``updated``: times, a number that rises with the touch."""
    found: dict[str, Any] = {}
    for name, column in spec.columns.items():
        if column.role == "recorded":
            found[name] = inserted
        elif column.role == "updated" and column.format == "other":
            seconds = int((touched - _EPOCH).total_seconds())
            found[name] = seconds * 100_000 + number % 99_991
        elif column.role == "updated" and name in ("XGRQ", "UPDATETIME", "update_time"):
            found[name] = touched
    return found


def arrow_table(spec: Table, columns: Mapping[str, Any], rows: int) -> pa.Table:
    """Return columns in the order and types of the catalog; those not given are NULL throughout.

    Parameters
    ----------
    spec : Table
        The catalog's table.
    columns : mapping of str to list, numpy.ndarray or pyarrow.Array
        Values of length `rows`. NaN and NaT of an array are NULL; decimals are rounded to their places.
    rows : int
        How many.

    Raises
    ------
    InternalError
        If a column is not in the catalog, or one that is never NULL was not given or holds NULL.
    """
    import pyarrow as pa

    unknown = set(columns) - set(spec.columns)
    if unknown:
        raise InternalError(f"The catalog has no columns {', '.join(sorted(unknown))}.")
    arrays, fields = [], []
    for name, column in spec.columns.items():
        kind = arrow_type(column.type)
        fields.append(pa.field(name, kind))
        if name in columns:
            arrays.append(_array(columns[name], kind, places_of(column.type)))
            if column.max_null == 0 and arrays[-1].null_count:
                raise InternalError(
                    f"The column {name} is never NULL in the catalog, but the world left gaps."
                )
        elif column.max_null == 0 and rows:
            raise InternalError(
                f"The column {name} is never NULL in the catalog, but the world does not fill it."
            )
        else:
            arrays.append(_nulls(rows, kind))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def blank(spec: Table, rows: int, columns: pa.Table) -> pa.Table:
    """Return a table with all columns of the catalog, those not given NULL."""
    import pyarrow as pa

    given = dict(zip(columns.column_names, columns.columns, strict=True))
    kinds = {name: arrow_type(column.type) for name, column in spec.columns.items()}
    found = [given[name] if name in given else _nulls(rows, kind) for name, kind in kinds.items()]
    return pa.table(found, schema=pa.schema(list(kinds.items())))


@lru_cache(maxsize=16)
def _nulls(rows: int, kind: pa.DataType) -> pa.Array:
    """Return NULLs; the columns that a table does not fill share their memory."""
    import pyarrow as pa

    return pa.nulls(rows, kind)


def _array(values: Any, kind: pa.DataType, places: int | None) -> pa.Array:
    """Return a column; NaN of a NumPy array is NULL."""
    import pyarrow as pa

    if isinstance(values, list):
        array = pa.array([midnight(v) if type(v) is date else v for v in values], kind)
    elif isinstance(values, pa.Array):
        array = values
    else:
        array = pa.array(values, from_pandas=True)
    array = array if array.type == kind else array.cast(kind)
    return array if places is None or not pa.types.is_floating(kind) else _rounded(array, places)


def _rounded(array: pa.Array, places: int) -> pa.Array:
    """Round to what a decimal of so many places can hold, so that the database gives back the same double."""
    import pyarrow as pa

    valid, data = array.buffers()
    values = np.frombuffer(data or b"", np.float64)[: array.offset + len(array)]
    scaled = values * 10.0**places
    # Beyond 2**53 neighbouring doubles are further apart than the decimals
    near = np.where(np.abs(scaled) < _EXACT, np.rint(scaled) / 10.0**places, values)
    return pa.Array.from_buffers(
        array.type, len(array), [valid, pa.py_buffer(near)], array.null_count, array.offset
    )


def midnight(day: date) -> datetime:
    """Return a day as the vendor stores it."""
    return datetime.combine(day, time())


def arrow_type(declared: str | None) -> pa.DataType:
    """Return the type in which a column is kept and hashed: decimals without places are integers, others floats."""
    import pyarrow as pa

    text = declared or "text"
    if text == "datetime":
        return pa.timestamp("us")
    if text == "double":
        return pa.float64()
    places = places_of(text)
    if places is None:
        return pa.binary() if text == "longblob" else pa.string()
    return pa.int64() if places == 0 else pa.float64()


def places_of(declared: str | None) -> int | None:
    """Return the places of a decimal; None for other types."""
    match = _DECIMAL.fullmatch(declared or "")
    return None if match is None else int(match.group(1))


def day_after(day: date) -> date:
    """Return the next calendar day."""
    return day + timedelta(days=1)
