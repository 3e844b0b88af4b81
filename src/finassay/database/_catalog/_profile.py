"""What the values of a table look like: which columns hold dates, which identify rows, how dates lie to each other."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from finassay.temporal import DateFormat

    Days = npt.NDArray[np.datetime64]

SAMPLE_ROWS = 200_000
_TEXT_FORMATS: tuple[tuple[DateFormat, str], ...] = (
    ("iso_text", r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}.*)?"),
    ("text_date", r"(?:19|20)\d{6}"),
    ("text_month", r"\d{4}-(?:0\d|1[0-2])"),
    ("text_quarter", r"\d{4}q[1-4]"),
)
# A key of more columns tells nothing; repeated rows happen.
_LONGEST_KEY = 8
_NEARLY = 0.99
# More different whole numbers than this are amounts.
_FEW = 1000
_FIRST_YEAR, _LAST_YEAR = 1900, 2100


@dataclass(frozen=True)
class ColumnProfile:
    """A column: how its values are written, how many there are, and its days if they are dates.

    Attributes
    ----------
    name : str
        The column.
    kind : {"date", "float", "integer", "boolean", "text", "other"}
        What it holds.
    format : str
        How dates are written.
    nulls, distinct, rows : int
        NULLs, different values, rows of the sample.
    days : numpy array of datetime64[D] or None
        The days, NaT for NULL.
    timed : float
        Share of dates with a time of day.
    codes : numpy array of int64
        Equal exactly where values are.
    spaces : float
        Mean number of spaces of a text, 0 for codes.
    digits : float
        Mean number of digits of a text; of whole numbers, if all have as many.
    numbering : bool
        Whole numbers that mostly rise from row to row, or leave few gaps: a row number and not an amount.
    """

    name: str
    kind: str
    format: DateFormat
    nulls: int
    distinct: int
    rows: int
    codes: Any
    days: Any = field(default=None)
    timed: float = 0.0
    spaces: float = 0.0
    digits: float = 0.0
    numbering: bool = False

    @property
    def null_share(self) -> float:
        """Share of NULLs."""
        return self.nulls / self.rows if self.rows else 0.0

    @cached_property
    def there(self) -> Any:
        """The days that are there."""
        import numpy as np

        return self.days[~np.isnat(self.days)]

    @cached_property
    def at_last(self) -> float:
        """Share of rows that hold the greatest day: the mark of the end of a file, or of 9999-12-31."""
        return float((self.there == self.there.max()).mean()) if len(self.there) else 0.0

    @cached_property
    def period_share(self) -> float:
        """Share of days that begin or end a month."""
        import numpy as np

        if not len(self.there):
            return 0.0
        months = self.there.astype("datetime64[M]")
        first = self.there == months.astype("datetime64[D]")
        last = self.there + np.timedelta64(1, "D") == (months + np.timedelta64(1, "M")).astype(
            "datetime64[D]"
        )
        return float(max(first.mean(), last.mean()))

    @cached_property
    def weekend_share(self) -> float:
        """Share of Saturdays and Sundays."""
        if not len(self.there):
            return 0.0
        weekday = (self.there.astype("int64") + 3) % 7  # 1970-01-01 was a Thursday
        return float((weekday >= 5).mean())  # Saturday, Sunday


@dataclass(frozen=True)
class TableProfile:
    """A table: its columns by name, its rows in the sample, and a small set of columns that tells rows apart.

    `repeated` rows share their key with another row: at most one row in a hundred.
    """

    name: str
    rows: int
    columns: dict[str, ColumnProfile]
    key: tuple[str, ...]
    repeated: int = 0

    @property
    def dates(self) -> list[ColumnProfile]:
        """The columns that hold dates, in order."""
        return [column for column in self.columns.values() if column.kind == "date"]


def profile(name: str, table: pa.Table) -> TableProfile:
    """Profile a table from a sample of its rows."""
    columns = {column: _column(column, table.column(column)) for column in table.column_names}
    key = _key(list(columns.values()), table.num_rows)
    distinct = _groups([columns[name] for name in key])[1] if key else table.num_rows
    return TableProfile(name, table.num_rows, columns, key, table.num_rows - distinct)


def lags(first: ColumnProfile, second: ColumnProfile) -> Any:
    """Return the days from one date to another for rows that have both."""
    import numpy as np

    both = ~np.isnat(first.days) & ~np.isnat(second.days)
    return (second.days[both] - first.days[both]).astype("int64")


def _column(name: str, values: Any) -> ColumnProfile:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    rows, nulls = len(values), values.null_count
    codes = _codes(values)
    distinct = len(set(codes.tolist())) - (1 if nulls else 0)
    kind, format_, days, timed = _dates(values)
    spaces = digits = 0.0
    if kind == "text":
        texts = values.cast(pa.string())
        spaces = float(pc.mean(pc.count_substring(texts, pattern=" ")).as_py() or 0.0)
        digits = float(pc.mean(pc.count_substring_regex(texts, pattern=r"\d")).as_py() or 0.0)
    elif kind == "integer" and nulls < rows:
        lengths = {len(str(abs(int(value)))) for value in pc.unique(values.drop_null()).to_pylist()}
        digits = float(lengths.pop()) if len(lengths) == 1 else 0.0
    return ColumnProfile(
        name, kind, format_, nulls, distinct, rows, codes, days, timed, spaces, digits,
        numbering=kind == "integer" and _numbering(values),
    )  # fmt: skip


def _numbering(values: Any) -> bool:
    import numpy as np

    numbers = np.array([int(value) for value in values.drop_null().to_pylist()], dtype=object)
    if len(numbers) < 2:
        return False
    rising = float(np.mean(numbers[1:] > numbers[:-1]))
    return rising > 0.9 or int(max(numbers)) - int(min(numbers)) < 20 * len(numbers)


def _codes(values: Any) -> Any:
    import numpy as np
    import pyarrow as pa

    combined = values.combine_chunks()
    if isinstance(combined, pa.ChunkedArray):
        combined = pa.concat_arrays(combined.chunks) if combined.num_chunks else pa.array([], values.type)
    return np.asarray(combined.dictionary_encode(null_encoding="encode").indices, dtype=np.int64)


def _dates(values: Any) -> tuple[str, DateFormat, Any, float]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if pa.types.is_boolean(kind):
        return "boolean", "native", None, 0.0
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        moments = values.cast(pa.timestamp("us")).to_numpy().astype("datetime64[us]")
        days = moments.astype("datetime64[D]")
        there = ~np.isnat(moments)
        timed = float((moments[there] != days[there].astype("datetime64[us]")).mean()) if there.any() else 0.0
        return "date", "native", days, timed
    if pa.types.is_floating(kind) or (pa.types.is_decimal(kind) and kind.scale > 0):
        # A whole-number column with NULLs often arrives as floats.
        whole = (
            pc.all(pc.equal(values, pc.floor(values))).as_py()
            and not pc.any(pc.is_inf(values.cast(pa.float64()))).as_py()
        )
        if not whole or values.null_count == 0 or pc.count_distinct(values).as_py() > _FEW:
            return "float", "native", None, 0.0
        return "integer", "native", None, 0.0
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        days = _integer_days(values)
        return ("integer", "native", None, 0.0) if days is None else ("date", "integer_date", days, 0.0)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _text_days(values)
    return "other", "native", None, 0.0


def _integer_days(values: Any) -> Any:
    """Return the days of whole numbers like 20241224, or None if one of them is no such date."""
    import numpy as np

    there = values.drop_null()
    if not len(there):
        return None
    distinct = there.unique().to_pylist()
    parsed = {int(value): _day(f"{int(value):08d}") for value in distinct}
    if any(day is None for day in parsed.values()):
        return None
    return np.array(
        [parsed[int(v)] if v is not None else "NaT" for v in values.to_pylist()], dtype="datetime64[D]"
    )


def _text_days(values: Any) -> tuple[str, DateFormat, Any, float]:
    import numpy as np

    from finassay.temporal import decode

    distinct = [value for value in values.unique().to_pylist() if value]
    for format_, pattern in _TEXT_FORMATS if distinct else ():
        if not all(re.fullmatch(pattern, value) for value in distinct):
            continue
        try:
            moments = {value: decode(format_, value) for value in distinct}
        except ValueError:
            continue
        except Exception as error:
            if type(error).__name__ != "UnreadableDate":
                raise
            continue
        array = np.array([moments.get(v) if v else None for v in values.to_pylist()], dtype="datetime64[us]")
        days = array.astype("datetime64[D]")
        there = ~np.isnat(array)
        timed = float((array[there] != days[there].astype("datetime64[us]")).mean()) if there.any() else 0.0
        return "date", format_, days, timed
    return "text", "native", None, 0.0


def _day(digits: str) -> str | None:
    from datetime import date

    try:
        day = date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return None
    return day.isoformat() if _FIRST_YEAR <= day.year <= _LAST_YEAR else None


def _key(columns: Sequence[ColumnProfile], rows: int) -> tuple[str, ...]:
    """Return a small set of columns that (nearly) no two rows share, or none: one column, two, then greedily more."""
    usable = [c for c in columns if c.kind not in ("float", "other") and c.distinct > 1]
    usable.sort(key=_preference)
    if not rows:
        return ()
    for column in usable:
        if column.distinct == rows and (column.kind == "text" or column.numbering):
            return (column.name,)
    for first, second in itertools.combinations(usable[:12], 2):
        if _groups([first, second])[1] == rows:
            return _ordered(columns, {first.name, second.name})
    return _greedy(columns, usable, rows)


def _greedy(columns: Sequence[ColumnProfile], usable: list[ColumnProfile], rows: int) -> tuple[str, ...]:
    import numpy as np

    chosen: list[ColumnProfile] = []
    codes, count = np.zeros(rows, dtype=np.int64), 1
    while count < rows and len(chosen) < _LONGEST_KEY:
        rest = [c for c in usable if c not in chosen]
        best = max(rest, key=lambda c: _combined(codes, c.codes)[1], default=None)
        if best is None or _combined(codes, best.codes)[1] == count:
            break
        codes, count = _combined(codes, best.codes)
        chosen.append(best)
    if count < _NEARLY * rows:
        return ()
    for column in list(chosen):
        rest = [c for c in chosen if c is not column]
        if rest and _groups(rest)[1] == count:
            chosen = rest
    return _ordered(columns, {column.name for column in chosen})


def _preference(column: ColumnProfile) -> int:
    """Order candidates of a key: texts without spaces, dates, whole numbers, words."""
    if column.kind == "text":
        return 0 if column.spaces < 0.2 else 4
    return {"date": 1, "integer": 2}.get(column.kind, 3)


def _ordered(columns: Sequence[ColumnProfile], names: set[str]) -> tuple[str, ...]:
    return tuple(column.name for column in columns if column.name in names)


def _groups(columns: Sequence[ColumnProfile]) -> tuple[Any, int]:
    codes, count = columns[0].codes, columns[0].distinct
    for column in columns[1:]:
        codes, count = _combined(codes, column.codes)
    return codes, count


def _combined(left: Any, right: Any) -> tuple[Any, int]:
    import numpy as np

    values, inverse = np.unique(left * (int(right.max()) + 1) + right, return_inverse=True)
    return inverse.reshape(-1), len(values)


def grouped(columns: Sequence[ColumnProfile]) -> Any:
    """Return a whole number per row that is equal exactly where the columns are."""
    return _groups(columns)[0]
