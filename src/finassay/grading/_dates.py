"""Dates as printed in English and Chinese; a date that can be read in two ways is refused."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import Literal

from finassay.grading._chinese import NUMERAL_CHARACTERS, read_numeral
from finassay.grading._clock import MICROSECONDS, is_finer, read_time, split_time
from finassay.grading._fold import fold
from finassay.grading._missing import is_missing, plain
from finassay.grading._unparsed import Refusal, Unparsed, raw_text

DateOrder = Literal["ymd", "mdy", "dmy"]

_MONTH_NAMES = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
                "november", "december")  # fmt: skip
MONTHS = {
    **{name: number for number, name in enumerate(_MONTH_NAMES, 1)},
    **{name[:3]: number for number, name in enumerate(_MONTH_NAMES, 1)},
    "sept": 9,
}
YEAR = r"((?:1[89]|2[01])\d\d)"  # 1800 to 2199
MONTH = rf"({'|'.join(sorted(MONTHS, key=len, reverse=True))})\.?"
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = (
    r"(mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\.?"
)
_CHINESE_WEEKDAYS = {
    **{str(n + 1): n for n in range(6)},
    **{name: n for n, name in enumerate("一二三四五六日")},
    "天": 6,
}
_WEEKDAY_FIRST = re.compile(rf"{_WEEKDAY},? (?=\S)")
_WEEKDAY_LAST = re.compile(rf" ?\(?(?:星期|周|礼拜)([1-6一二三四五六日天])\)?$|(?: ?\(|, ?| ){_WEEKDAY}\)?$")
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR_FIRST = re.compile(rf"{YEAR}([-/.])(\d{{1,2}})\2(\d{{1,2}})")
_COMPACT = re.compile(rf"{YEAR}(\d{{2}})(\d{{2}})")
_CHINESE = re.compile(rf"{YEAR} ?年 ?(\d{{1,2}}) ?月 ?(\d{{1,2}}) ?[日号]?")
_MONTH_FIRST = re.compile(rf"{MONTH}[ -]?{_DAY} ?[, -] ?{YEAR}")
_DAY_FIRST = re.compile(rf"{_DAY}[ -]?(?:of )?{MONTH} ?[, -] ?{YEAR}")
_YEAR_THEN_NAME = re.compile(rf"{YEAR}[ -]{MONTH}[ -]{_DAY}")
_YEAR_LAST = re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{1,2}}|{YEAR})")
_CHINESE_NUMERALS = re.compile(
    rf"(?<!\d)[{''.join(sorted(NUMERAL_CHARACTERS))}]+(?!\d)|(?<=\d{{4}})[一二三四](?=季)"
)


def parse_date(raw: object, *, order: DateOrder | None = None) -> date:
    """Read one calendar date.

    ``2021-12-31``, ``2021/12/31``, ``20211231``, ``2021年12月31日``, ``二〇二一年十二月三十一日``, ``Dec. 31, 2021``,
    ``31 December 2021``, and each of them with a possible time after it (the date as printed).

    Parameters
    ----------
    raw : object
        Text, an eight-digit integer, or a Python, NumPy, pandas or Arrow date.
    order : {"ymd", "mdy", "dmy"}, optional
        How ``03/04/2021`` is to be read. Without it such a date is refused, unless only one reading exists (31/12/2021,
        07/07/2021). Two-digit years need it too; they are 1970 to 2069.

    Returns
    -------
    datetime.date

    Raises
    ------
    Unparsed
        ``missing``, ``wrong_type``, ``too_long``, ``not_a_date``, ``ambiguous_date``, ``invalid_date``
        (30 February, 25:00).
    """
    try:
        if is_missing(raw):
            raise Refusal("missing", "the value is missing")
        value = plain(raw)
        found = _from_object(value) or read_date(printed(value), order)
        if found is None:
            raise Refusal("not_a_date", "no known form of a date")
    except Refusal as refusal:
        raise Unparsed("a date", raw_text(raw), refusal.reason, refusal.detail) from None
    return found


def parse_datetime(raw: object, *, order: DateOrder | None = None) -> datetime:
    """Read one calendar date with its time of day: ``2021/1/1 9:30``, ``2021年1月1日 9:30:00``, ``2021-01-01T09:30Z``.

    Parameters
    ----------
    raw : object
        Text, or a Python, NumPy, pandas or Arrow date or date-time. A date alone is its midnight.
    order : {"ymd", "mdy", "dmy"}, optional
        As in `parse_date`.

    Returns
    -------
    datetime.datetime
        With a time zone exactly when the value states one; nothing is converted.

    Raises
    ------
    Unparsed
        As `parse_date`; ``invalid_date`` also for an impossible time (25:00, 24:00, 9:60) and for a text that states a
        fraction finer than a microsecond.
    """
    try:
        if is_missing(raw):
            raise Refusal("missing", "the value is missing")
        value = plain(raw)
        if isinstance(value, datetime):
            if getattr(value, "nanosecond", 0):  # of pandas
                raise Refusal("invalid_date", MICROSECONDS)
            return value
        day = _from_object(value)
        found = datetime.combine(day, time()) if day else _read_datetime(printed(value), order)
    except Refusal as refusal:
        raise Unparsed("a date with a time", raw_text(raw), refusal.reason, refusal.detail) from None
    return found


def _read_datetime(text: str, order: DateOrder | None) -> datetime:
    day = read_date(text, order)
    if day is None:
        raise Refusal("not_a_date", "no known form of a date")
    clock = split_time(text)[1]
    if clock and is_finer(clock):
        raise Refusal("invalid_date", MICROSECONDS)
    return datetime.combine(day, read_time(clock) if clock else time())


def _from_object(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else None


def printed(value: object) -> str:
    """Return folded lower-case text with Chinese numerals as digits (二〇二一年三季报 becomes 2021年3季报)."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Refusal("wrong_type", f"a {type(value).__name__} is not a date")
    return _CHINESE_NUMERALS.sub(_as_digits, fold(raw_text(value)).casefold())


def _as_digits(match: re.Match[str]) -> str:
    try:
        return str(read_numeral(match.group())[0])
    except ValueError:
        return match.group()


def read_date(text: str, order: DateOrder | None = None) -> date | None:
    """Return the date that a whole folded text is, or None if it has no form of a date; refuse an ambiguous one.

    A time beside it has to be possible, a day of the week the right one.
    """
    text, clock = split_time(text)
    if clock:
        read_time(clock)
    text, weekday = _split_weekday(text)
    day = _read_day(text, order)
    if day and weekday not in {None, day.weekday()}:
        raise Refusal("invalid_date", f"{day} is another day of the week")
    return day


def _split_weekday(text: str) -> tuple[str, int | None]:
    """Return the text without the name of a day of the week, and its number from Monday, 0."""
    match = _WEEKDAY_FIRST.match(text) or _WEEKDAY_LAST.search(text)
    if match is None:
        return text, None
    name = next(group for group in match.groups() if group)
    number = _WEEKDAYS.index(name[:3]) if name.isascii() and name.isalpha() else _CHINESE_WEEKDAYS[name]
    return text[: match.start()] + text[match.end() :], number


def _read_day(text: str, order: DateOrder | None) -> date | None:
    for pattern, places in ((_YEAR_FIRST, (1, 3, 4)), (_COMPACT, (1, 2, 3)), (_CHINESE, (1, 2, 3))):
        if match := pattern.fullmatch(text):
            year, month, day = (int(match.group(place)) for place in places)
            return make_date(year, month, day)
    if match := _MONTH_FIRST.fullmatch(text):
        return make_date(int(match[3]), MONTHS[match[1]], int(match[2]))
    if match := _DAY_FIRST.fullmatch(text):
        return make_date(int(match[3]), MONTHS[match[2]], int(match[1]))
    if match := _YEAR_THEN_NAME.fullmatch(text):
        return make_date(int(match[1]), MONTHS[match[2]], int(match[3]))
    if match := _YEAR_LAST.fullmatch(text):
        return _short_parts(match[1], int(match[3]), match[4], order)
    return None


def _short_parts(printed_first: str, second: int, last: str, order: DateOrder | None) -> date:
    first, year_first = int(printed_first), order == "ymd" and len(last) <= 2
    if len(last) <= 2 and (order is None or len(printed_first if year_first else last) != 2):
        raise Refusal("ambiguous_date", "a two-digit year needs the order of day, month and year")
    if year_first:
        return make_date(full_year(printed_first), second, int(last))
    year = full_year(last)
    if order == "mdy":
        return make_date(year, first, second)
    if order == "dmy":
        return make_date(year, second, first)
    if first <= 12 and second <= 12 and first != second:
        raise Refusal("ambiguous_date", f"day {first} of month {second}, or day {second} of month {first}")
    return make_date(year, *((second, first) if first > 12 else (first, second)))


def full_year(digits: str) -> int:
    """Return the year of four digits, or of two: 1970 to 2069."""
    year = int(digits)
    if len(digits) > 2:
        return year
    return year + (1900 if year >= 70 else 2000)


def make_date(year: int, month: int, day: int) -> date:
    """Return a date of the calendar, or refuse."""
    try:
        return date(year, month, day)
    except ValueError as error:
        raise Refusal("invalid_date", str(error)) from None
