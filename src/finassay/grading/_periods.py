"""Periods: years, fiscal years, halves, quarters, months, cumulative and trailing spans, from first to last day."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from finassay.grading._dates import MONTH, MONTHS, YEAR, _from_object, full_year, printed, read_date
from finassay.grading._missing import is_missing, plain
from finassay.grading._unparsed import Refusal, Unparsed, raw_text

PeriodKind = Literal["day", "month", "quarter", "half", "year", "fiscal_year", "ytd", "ttm"]


@dataclass(frozen=True)
class Period:
    """A span of time, both days included.

    Attributes
    ----------
    start, end : date
        First and last day.
    kind : str
        ``day``, ``month``, ``quarter``, ``half``, ``year``, ``fiscal_year``, ``ytd`` (cumulative from the start of a
        year: 三季报 is nine months) or ``ttm`` (trailing twelve months).
    estimate : bool
        Whether the label says that its figures are estimates: ``2021E``. ``2021A`` (actual) is 2021.
    """

    start: date
    end: date
    kind: PeriodKind
    estimate: bool = False


def parse_period(raw: object, *, fiscal_year_end: int | None = None) -> Period:
    """Read one period.

    ``2021``, ``2021年``, ``FY2021``, ``FY2018/19``, ``Q3'21``, ``3Q21``, ``2021Q3``, ``Q4 FY2018``, ``H1 2021``,
    ``2021年上半年``, ``2021年报``, ``2021年三季报`` (nine months), ``2021年1-9月``, ``9M21``, ``2021-12``,
    ``December 2021``, ``TTM 2021-09-30``, ``three months ended March 31, 2020``, ``year ended September 30, 2019``,
    ``2021年末``, and every date of `parse_date`.

    Parameters
    ----------
    raw : object
        Text, a year or an eight-digit date as an integer, or a date.
    fiscal_year_end : int, optional
        The month (1 to 12) at whose end the entity's fiscal year ends. Only labels that say "fiscal" use it, and need
        it; a bare ``2021`` or ``Q3 2021`` is of the calendar. A fiscal year bears the number of the year in which it
        ends; a 52/53-week year is represented by its month end.

    Returns
    -------
    Period

    Raises
    ------
    Unparsed
        ``missing``, ``wrong_type``, ``too_long``, ``not_a_period``, ``fiscal_year_end_unknown``, ``ambiguous_period``,
        ``ambiguous_date``, ``invalid_date``, ``range``.
    """
    try:
        if is_missing(raw):
            raise Refusal("missing", "the value is missing")
        value = plain(raw)
        day = _from_object(value)
        found = Period(day, day, "day") if day else _read(printed(value), fiscal_year_end)
    except Refusal as refusal:
        raise Unparsed("a period", raw_text(raw), refusal.reason, refusal.detail) from None
    return found


def _read(text: str, fiscal_year_end: int | None) -> Period:
    day = read_date(text)
    if day:
        return Period(day, day, "day")
    for pattern, build in _CALENDAR_FORMS:
        if match := pattern.fullmatch(text):
            return build(*(group for group in match.groups() if group is not None))
    for pattern, of_year in _FISCAL_FORMS:
        if match := pattern.fullmatch(text):
            return _fiscal(of_year, [group for group in match.groups() if group is not None], fiscal_year_end)
    for pattern, reason, why in _REFUSED_FORMS:
        if pattern.fullmatch(text):
            raise Refusal(reason, why)
    return _read_ending(text, fiscal_year_end)


# ---- spans of whole months ----

_BY_LENGTH: dict[int, PeriodKind] = {1: "month", 3: "quarter", 6: "half", 12: "year"}


def _months(year: int, first: int, count: int, kind: PeriodKind | None = None, shift: int = 0) -> Period:
    """Return `count` months from month `first` of a year that starts `shift` months after January."""
    start = year * 12 + first - 1 + shift
    last_year, last_month = divmod(start + count - 1, 12)
    end = date(last_year, last_month + 1, monthrange(last_year, last_month + 1)[1])
    return Period(date(start // 12, start % 12 + 1, 1), end, kind or _BY_LENGTH.get(count, "ytd"))


def _year(year: str) -> Period:
    return _months(full_year(year), 1, 12)


def _month(year: str, month: str) -> Period:
    number = MONTHS.get(month) or int(month)
    if not 1 <= number <= 12:
        two_years = number == (int(year) + 1) % 100  # 2018-19
        raise Refusal("range" if two_years else "invalid_date", f"there is no month {number}")
    return _months(int(year), number, 1)


def _quarter(year: str, quarter: str) -> Period:
    return _months(full_year(year), 3 * _ordinal(quarter) - 2, 3)


def _half(year: str, half: str) -> Period:
    return _months(full_year(year), 6 * _ordinal(half) - 5, 6)


def _cumulative(year: str, months: str) -> Period:
    count = int(months)
    if not 1 <= count <= 12:
        raise Refusal("invalid_date", f"a year has no {count} months")
    return _months(full_year(year), 1, count)


def _year_end(year: str) -> Period:
    day = date(int(year), 12, 31)
    return Period(day, day, "day")


_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
    "上": 1,
    "下": 2,
}


def _ordinal(text: str) -> int:
    return _ORDINALS.get(text) or int(text)


def _swapped(build: Callable[[str, str], Period]) -> Callable[..., Period]:
    return lambda second, first: build(first, second)


_SHORT_YEAR = rf"(?:'?(\d{{2}})|{YEAR})"
_APART = r"(?: of | ?- ?| )"
_OF_YEAR = rf"(?:{_APART}?'(\d{{2}})|{_APART}(\d{{2}})|(?:{_APART}|/)?{YEAR})"  # never Q321
_NTH_QUARTER = r"(first|second|third|fourth|1st|2nd|3rd|4th) quarter"
_NTH_HALF = r"(first|second|1st|2nd) half"

_CALENDAR_FORMS: tuple[tuple[re.Pattern[str], Callable[..., Period]], ...] = tuple(
    (re.compile(pattern), build)
    for pattern, build in (
        (rf"(?:cy|calendar(?: year)?)? ?{YEAR}(?: ?年度?| ?a)?", _year),
        (rf"(?:cy|calendar(?: year)?)? ?{YEAR} ?e", lambda year: replace(_year(year), estimate=True)),
        (rf"{YEAR} ?年(?:全年|年度)", _year),
        (rf"{YEAR} ?年?(?:度)?(?:年报|年度报告)|{YEAR} ?年度?报告?", _year),
        (rf"{YEAR} ?年?[-/]? ?q([1-4])|(\d{{2}})q([1-4])|{YEAR} ?年? ?第?([1-4])季度?|{YEAR} ?年? ?(1)季报", _quarter),
        (rf"q([1-4]){_OF_YEAR}|([1-4])q ?{_SHORT_YEAR}|{_NTH_QUARTER},?(?: of)? {YEAR}", _swapped(_quarter)),
        (rf"{YEAR} ?年?[-/]? ?h([12])|(\d{{2}})h([12])|{YEAR} ?年? ?([上下])半年度?", _half),
        (rf"h([12]){_OF_YEAR}|([12])h ?{_SHORT_YEAR}|{_NTH_HALF},?(?: of)? {YEAR}", _swapped(_half)),
        (rf"{YEAR} ?年?(?:中报|半年报|半年度?|半年度报告|中期|中期报告)", lambda year: _half(year, "1")),
        (rf"{YEAR} ?年?前([123])季度|{YEAR} ?年?(3)季报|{YEAR} ?年?第?(3)季度报告",
         lambda year, quarters: _cumulative(year, str(3 * int(quarters)))),
        (rf"{YEAR} ?年? ?(?:1|01) ?月? ?[-~至到—] ?(\d{{1,2}}) ?月(?:份)?|{YEAR} ?年?前(\d{{1,2}})个?月", _cumulative),
        (rf"(\d{{1,2}})m ?{_SHORT_YEAR}", _swapped(_cumulative)),
        (rf"{YEAR} (\d{{1,2}})m", _cumulative),
        (rf"{YEAR}[-/.](\d{{1,2}})|{YEAR}(\d{{2}})|{YEAR} ?年 ?(\d{{1,2}}) ?月份?|{YEAR}[ -]{MONTH}", _month),
        (rf"{MONTH}[ ,-]*(?:of )?{YEAR}|(\d{{1,2}})/{YEAR}", _swapped(_month)),
        (rf"{MONTH} ?'(\d{{2}})", lambda month, year: _month(str(full_year(year)), month)),
        (rf"{YEAR} ?年(?:末|底|年末|年底)|(?:the )?end of {YEAR}|year[- ]end {YEAR}", _year_end),
    )
)  # fmt: skip

# ---- fiscal years: they need to know when the year ends ----

_FY = rf"(?:fy|fiscal(?: year)?) ?{_SHORT_YEAR}"


def _fiscal_year(year: int, shift: int) -> Period:
    return _months(year, 1, 12, "fiscal_year", shift)


def _fiscal(of_year: Callable[..., Period], groups: list[str], fiscal_year_end: int | None) -> Period:
    if fiscal_year_end is None:
        raise Refusal(
            "fiscal_year_end_unknown",
            "pass fiscal_year_end, the month at whose end the fiscal year ends",
        )
    if fiscal_year_end not in range(1, 13):
        raise ValueError(f"fiscal_year_end is a month from 1 to 12, not {fiscal_year_end!r}")
    return of_year(*groups, shift=fiscal_year_end - 12)


def _two_years(first: str, second: str, shift: int) -> Period:
    end = full_year(second)
    if end != full_year(first) + 1:
        raise Refusal("range", "a fiscal year spans two years that follow each other")
    return _fiscal_year(end, shift)


_FISCAL_FORMS: tuple[tuple[re.Pattern[str], Callable[..., Period]], ...] = tuple(
    (re.compile(pattern), of_year)
    for pattern, of_year in (
        (rf"{_FY}|{YEAR} ?(?:财年|财政年度|会计年度)|{YEAR} fiscal(?: year)?",
         lambda year, shift: _fiscal_year(full_year(year), shift)),
        (rf"(?:fy|fiscal(?: year)?) ?{_SHORT_YEAR}[/-](\d{{2}}|\d{{4}})", _two_years),
        (rf"q([1-4]),? ?(?:of )?{_FY}|([1-4])q ?{_FY}|fiscal q([1-4]) {_SHORT_YEAR}|{_NTH_QUARTER},?(?: of)? {_FY}",
         lambda quarter, year, shift: _months(full_year(year), 3 * _ordinal(quarter) - 2, 3, None, shift)),
        (rf"{_FY},? ?-?q([1-4])",
         lambda year, quarter, shift: _months(full_year(year), 3 * int(quarter) - 2, 3, None, shift)),
        (rf"{_FY},? ?-?h([12])",
         lambda year, half, shift: _months(full_year(year), 6 * int(half) - 5, 6, None, shift)),
        (rf"h([12]),? ?(?:of )?{_FY}|{_NTH_HALF},?(?: of)? {_FY}",
         lambda half, year, shift: _months(full_year(year), 6 * _ordinal(half) - 5, 6, None, shift)),
    )
)  # fmt: skip

_REFUSED_FORMS = tuple(
    (re.compile(pattern), reason, why)
    for pattern, reason, why in (
        (rf"{YEAR} ?年?[24]季报", "ambiguous_period", "one quarter (funds) or cumulative (companies)"),
        (rf"{MONTH}[ -]?\d{{2}}", "ambiguous_period", "a day of the month, or a year of two digits"),
        (
            rf"{YEAR} ?年? ?(?:[-/~至到—]|to|and) ?(?:{YEAR}|\d{{2}}) ?年?",
            "range",
            "two years are not one period",
        ),
    )
)

# ---- spans that end on a stated day ----

_COUNTS: dict[str, tuple[int, PeriodKind]] = {
    "month": (1, "month"),
    "quarter": (3, "quarter"), "three months": (3, "quarter"), "3 months": (3, "quarter"),
    "half year": (6, "half"), "six months": (6, "half"), "6 months": (6, "half"),
    "nine months": (9, "ytd"), "9 months": (9, "ytd"),
    "year": (12, "fiscal_year"), "fiscal year": (12, "fiscal_year"),
    "twelve months": (12, "ttm"), "12 months": (12, "ttm"), "trailing twelve months": (12, "ttm"),
}  # fmt: skip
_ENDED = re.compile(
    rf"(?:for )?(?:the )?({'|'.join(sorted(_COUNTS, key=len, reverse=True))}) (?:ended|ending) (?:on )?(.+)"
)
_TRAILING = re.compile(
    r"(?:ttm|ltm) ?(?:to |ended |at |as of |截至)?(.+)|(?:截至)?(.+?) ?(?:的)?(?:ttm|ltm|前?12个月)"
)
_INSTANT = re.compile(r"(?:as of|as at|at|on|截至|截止) ?(.+?)(?:末|止)?|(.+[日号月])[末底]")

_SPAN = re.compile(r"[^\d]*\d.*(?:至|到|~|—| - | to | through ).*\d.*")


def _read_ending(text: str, fiscal_year_end: int | None) -> Period:
    if match := _ENDED.fullmatch(text):
        count, kind = _COUNTS[match[1]]
        return _ending(_last_day(match[2], fiscal_year_end), count, kind)
    if match := _TRAILING.fullmatch(text):
        return _ending(_last_day(match[1] or match[2], fiscal_year_end), 12, "ttm")
    if match := _INSTANT.fullmatch(text):
        day = _last_day(match[1] or match[2], fiscal_year_end)
        return Period(day, day, "day")
    if _SPAN.fullmatch(text):
        raise Refusal("range", "it states two ends, which is not one named period")
    raise Refusal("not_a_period", "no known form of a period")


def _last_day(text: str, fiscal_year_end: int | None) -> date:
    if _ENDED.fullmatch(text) or _TRAILING.fullmatch(text) or _INSTANT.fullmatch(text):
        raise Refusal("not_a_period", "no known form of a period")
    return _read(text.strip(), fiscal_year_end).end


def _ending(end: date, months: int, kind: PeriodKind) -> Period:
    """Return the span of whole months that ends on a day: to 31 March, three months are from 1 January."""
    following = end + timedelta(days=1)
    index = following.year * 12 + following.month - 1 - months
    year, month = divmod(index, 12)
    day = min(following.day, monthrange(year, month + 1)[1])
    return Period(date(year, month + 1, day), end, kind)
