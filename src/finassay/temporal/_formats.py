"""How a column writes its dates, and what it would write for a moment: columns compare as they are stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Literal, get_args

from finassay.core import InputError

DateFormat = Literal[
    "native", "integer_date", "text_date", "iso_text", "integer_month", "text_month", "text_quarter", "other"
]
DATE_FORMATS: tuple[DateFormat, ...] = get_args(DateFormat)


class UnreadableDate(InputError):
    """A value that its column's format does not allow."""

    reason = "unreadable_date"


@dataclass(frozen=True)
class _Format:
    stored: type
    encode: Callable[[datetime], Any]
    decode: Callable[[Any], datetime]


def encode(format_: DateFormat, instant: datetime) -> Any:
    """Return the value t of a column such that ``stored < t`` holds exactly for the dates before a moment.

    A month or a quarter stands for its last day: a period is known to be over only then. So every format is compared
    as it is stored, without conversion, which keeps indexes usable and odd values harmless.

    Parameters
    ----------
    format_ : str
        One of `DATE_FORMATS`.
    instant : datetime
        A midnight.

    Returns
    -------
    datetime, int or str
        In the column's own form. Text compares by code point.
    """
    if format_ == "other":
        raise ValueError("a column whose format is 'other' holds no dates; the catalog refuses to compare it")
    return _FORMATS[format_].encode(instant)


def decode(format_: DateFormat, value: Any, column: str = "") -> datetime | None:
    """Return the moment a stored value stands for: a date is its midnight, a month or quarter its last day.

    Parameters
    ----------
    format_ : str
        One of `DATE_FORMATS`.
    value : object
        A stored value; None gives None.
    column : str
        The column's name, for the message.

    Raises
    ------
    UnreadableDate
        If the value has another type, is no date, or has a time zone (the catalog's times are market-local).
    """
    if value is None:
        return None
    form = _FORMATS[format_]
    checked = stored(format_, value, column)
    try:
        return form.decode(checked)
    except (ValueError, OverflowError) as error:
        raise _unreadable(format_, value, column) from error


def stored(format_: DateFormat, value: Any, column: str = "") -> Any:
    """Return a value as it compares with `encode`'s; refuse one of another type."""
    if format_ == "native":
        if isinstance(value, datetime):
            if value.tzinfo is not None:
                raise _unreadable(format_, value, column)
            return value
        if isinstance(value, date):
            return datetime.combine(value, time())
        raise _unreadable(format_, value, column)
    wanted = _FORMATS[format_].stored
    if wanted is int and not isinstance(value, bool) and hasattr(value, "__int__"):
        try:
            if (number := int(value)) == value:
                return number
        except (ValueError, OverflowError) as error:  # NaN, infinity, text
            raise _unreadable(format_, value, column) from error
    if wanted is str and isinstance(value, str):
        return value
    raise _unreadable(format_, value, column)


def _unreadable(format_: DateFormat, value: Any, column: str) -> UnreadableDate:
    where = f"Column {column}" if column else "A date column"
    return UnreadableDate(
        f"{where} has the format {format_}, but a row holds {value!r} ({type(value).__name__}).",
        hint="Correct the column's 'format' in the catalog, or the value; times carry no time zone.",
    )


def _last_day(year: int, month: int) -> datetime:
    following = datetime(year + month // 12, month % 12 + 1, 1)  # noqa: DTZ001 - market-local
    return following - timedelta(days=1)


def _native(value: Any) -> datetime:
    moment: datetime = value
    return moment


def _integer_date(instant: datetime) -> int:
    return instant.year * 10_000 + instant.month * 100 + instant.day


def _read_integer_date(value: Any) -> datetime:
    return datetime.strptime(f"{value:08d}", "%Y%m%d")  # noqa: DTZ007 - market-local


def _read_text_month(value: Any) -> datetime:
    moment = datetime.strptime(value, "%Y-%m")  # noqa: DTZ007 - market-local
    return _last_day(moment.year, moment.month)


def _read_quarter(value: Any) -> datetime:
    if len(value) != len("2009q3") or value[4] != "q" or value[5] not in "1234":
        raise ValueError(value)
    return _last_day(int(value[:4]), int(value[5]) * 3)


def _iso(instant: datetime) -> str:
    if instant.time() == time():
        return instant.date().isoformat()
    raise ValueError(
        "iso_text compares with midnights only: '09:30' and '09:30:00' are one moment, two texts"
    )


_FORMATS: dict[DateFormat, _Format] = {
    "native": _Format(datetime, lambda instant: instant, _native),
    "integer_date": _Format(int, _integer_date, _read_integer_date),
    "text_date": _Format(
        str,
        lambda instant: f"{_integer_date(instant):08d}",
        lambda value: datetime.strptime(value, "%Y%m%d"),  # noqa: DTZ007 - market-local
    ),
    # '2009-08-07 09:10:00.0' < '2009-08-08' holds, '2009-08-08 00:00:00' < '2009-08-08' does not: shorter is smaller.
    "iso_text": _Format(str, _iso, datetime.fromisoformat),
    # The last day of month m lies before a midnight exactly when m lies before the month of that midnight.
    "integer_month": _Format(
        int,
        lambda instant: instant.year * 100 + instant.month,
        lambda value: _last_day(value // 100, value % 100),
    ),
    "text_month": _Format(str, lambda instant: f"{instant.year:04d}-{instant.month:02d}", _read_text_month),
    "text_quarter": _Format(
        str, lambda instant: f"{instant.year:04d}q{(instant.month - 1) // 3 + 1}", _read_quarter
    ),
}
