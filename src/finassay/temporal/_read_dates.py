"""Find the dates, and the windows of dates, months or years, that a text states in Chinese or English."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_NAMES = "|".join(f"{name}|{name[:3]}" for name in _MONTHS)
_DATE = re.compile(
    r"(?<![\d.])(?P<y>(?:19|20)\d\d)\s*(?P<s>[-/.年])\s*(?P<m>\d{1,2})\s*(?:(?P=s)|月)\s*(?P<d>\d{1,2})(?!\d)\s*(?:日(?![终末])|号)?"
    r"|(?<!\d)(?P<c>20\d{6})(?!\d)"
    rf"|\b(?P<mn>{_NAMES})\.?\s+(?P<md>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<my>20\d\d)"
    rf"|\b(?P<dd>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<dn>{_NAMES})\.?,?\s+(?P<dy>20\d\d)"
    r"|(?<![\d./])(?P<f1>\d{1,2})/(?P<f2>\d{1,2})/(?P<fy>20\d\d)(?!\d)"
    r"|(?P<zy>[二一][〇零○九0一二三四五六七八]{3})年(?P<zm>[一二三四五六七八九十]{1,2})月(?P<zd>[一二三四五六七八九十]{1,3})日(?![终末])?",
    re.IGNORECASE,
)
# The end of a year or a month, which the trading calendar or a person turns into a date.
_PERIOD = re.compile(
    r"(?P<y>20\d\d)\s*年\s*(?:(?P<m>\d{1,2})\s*月\s*)?(?:底|末|年末|最后一个交易日|收盘后)"
    rf"|(?:end|last trading day) of (?:(?P<mn>{_NAMES})\s+)?(?P<ey>20\d\d)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"^\s*(?:至|到|[-–—~～]|to|through|until)\s*$", re.IGNORECASE)


_YEAR = r"(?:19|20)\d\d"
_UNIT = (
    rf"(?:{_YEAR}\s*年?\s*(?:Q\s*[1-4]|第?[1-4一二三四]\s*季度?)|Q\s*[1-4]\s+{_YEAR}"
    rf"|{_YEAR}\s*年\s*\d{{1,2}}\s*月份?|{_YEAR}[-/.]\d{{1,2}}(?!\d)|(?:{_NAMES})\.?,?\s+{_YEAR}|{_YEAR}\s*年?)"
)
_WINDOW = re.compile(
    rf"(?<![0-9A-Za-z.\-/])(?P<a>{_UNIT}|{_YEAR}\s*年\s*\d{{1,2}})(?:[年月]?初)?"
    rf"(?P<j>\s*(?:至|到|[-–—~～]|\bto\b|\bthrough\b|\buntil\b|\bto the end of\b|\band\b)\s*)"
    rf"(?P<b>{_UNIT}|\d{{1,2}}\s*月)(?:[年月]?[底末])?(?!\d|\s*[-/.]\s*\d)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?:between|介于|在)\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Dated:
    day: date
    start: int
    end: int
    exact: bool
    since: date | None = None  # the first day of a month, quarter or year that stands for its last


Window = tuple[Dated, Dated]


def dates_in(text: str) -> list[Dated]:
    """Return the dates of a text, and the ends of years and months that it names."""
    return [*_days(text), *_ends(text)]


def _days(text: str) -> Iterator[Dated]:
    for match in _DATE.finditer(text):
        day = _day(match)
        if day:
            yield Dated(day, match.start(), match.end(), exact=True)


def _ends(text: str) -> Iterator[Dated]:
    for match in _PERIOD.finditer(text):
        year = int(match["y"] or match["ey"])
        month = int(match["m"]) if match["m"] else _month(match["mn"]) if match["mn"] else 12
        if 1 <= month <= 12:
            last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
            yield Dated(last, match.start(), match.end(), exact=False)


def odd_dates(text: str) -> list[str]:
    """Return what is written as a date and is none, such as 2024-02-30 or 05/06/2023."""
    return [match.group().strip() for match in _DATE.finditer(text) if _day(match) is None]


def _day(match: re.Match[str]) -> date | None:
    try:
        if match["c"]:
            return date(int(match["c"][:4]), int(match["c"][4:6]), int(match["c"][6:]))
        if match["y"]:
            return date(int(match["y"]), int(match["m"]), int(match["d"]))
        if match["mn"]:
            return date(int(match["my"]), _month(match["mn"]), int(match["md"]))
        if match["zy"]:
            return date(_digits(match["zy"]), _tens(match["zm"]), _tens(match["zd"]))
        if match["fy"]:
            return _slashed(int(match["f1"]), int(match["f2"]), int(match["fy"]))
        return date(int(match["dy"]), _month(match["dn"]), int(match["dd"]))
    except ValueError:
        return None


def _slashed(first: int, second: int, year: int) -> date | None:
    """Read 31/12/2023 and 12/31/2023; None for 05/06/2023, of which nobody knows which is the month."""
    if first != second and first <= 12 and second <= 12:
        return None
    return date(year, *sorted((first, second)))


def _digits(text: str) -> int:
    return int(
        "".join(
            "0"
            if c in "〇零○"
            else str("一二三四五六七八九".index(c) + 1)
            if c in "一二三四五六七八九"
            else c
            for c in text
        )
    )


def _tens(text: str) -> int:
    """Read 三, 十, 十二, 二十, 三十一."""
    tens, found, ones = text.rpartition("十")
    return (10 * (_digits(tens) if tens else 1) if found else 0) + (_digits(ones) if ones else 0)


def _month(name: str) -> int:
    return next(i for i, known in enumerate(_MONTHS, 1) if known.startswith(name.lower()[:3]))


_REPORTED_PERIOD = re.compile(
    rf"(?<![0-9A-Za-z.\-/])(?P<y>{_YEAR})\s*年?\s*(?:(?:第?(?P<q>[1-4一二三四])\s*季|Q\s*(?P<r>[1-4]))"
    r"|(?P<h>半年|中报|上半年|interim|half)|(?P<t>前三季)|(?P<f>年报|年度|全年|annual|full)|(?P<n>\s*年?底|\s*年?末))?(?![0-9])"
    rf"|Q\s*(?P<p>[1-4])\s*(?P<x>{_YEAR})",
    re.IGNORECASE,
)


def period_after(text: str, day: date, item: re.Pattern[str]) -> str | None:
    """Return the words of a period of reports that ends after a day; a bare year counts if `item` follows."""
    for match in _REPORTED_PERIOD.finditer(text):
        year = int(match["y"] or match["x"])
        quarter = match["q"] or match["r"] or match["p"]
        months = 3 * _digits(quarter) if quarter else 6 if match["h"] else 9 if match["t"] else 12
        whole = match["f"] or match["n"] or item.match(text[match.end() :].lstrip(" 的"))
        ends = date(year + months // 12, months % 12 + 1, 1) - timedelta(days=1)
        if year > day.year or (ends > day and (months < 12 or whole)):
            return match.group().strip()
    return None


def windows_in(text: str, dates: list[Dated]) -> list[Window]:
    """Return the windows of a text in their order: of dates, or from the first to the last day of months or years."""
    ordered = sorted(dates, key=lambda found: found.start)
    found = [
        (a, b)
        for a, b in itertools.pairwise(ordered)
        if a.day <= b.day and _joined(text[: a.start], text[a.end : b.start])
    ]
    taken = [*((a.start, b.end) for a, b in found), *((d.start, d.end) for d in dates if d.exact)]
    for match in _WINDOW.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in taken):
            continue
        if match["j"].strip().lower() == "and" and not _BETWEEN.search(text[: match.start()]):
            continue
        first, last = _unit(match["a"], last=False), _unit(match["b"], last=True, year=match["a"])
        since = _unit(match["b"], last=False, year=match["a"])
        if first and last and first <= last:
            ends = (
                Dated(first, match.start("a"), match.end("a"), exact=False),
                Dated(last, match.start("b"), match.end(), exact=False, since=since),
            )
            found.append(ends)
    return sorted(found, key=lambda window: window[0].start)


def _joined(before: str, gap: str) -> bool:
    if gap.strip().lower() in ("and", "与", "和"):
        return bool(_BETWEEN.search(before))
    return bool(_RANGE.match(gap))


def _unit(text: str, *, last: bool, year: str = "") -> date | None:
    """Return the first or last day of a year, quarter or month; `year` is where a lone month takes its year from."""
    own = re.search(r"(?:19|20)\d\d", text)
    stated = own or re.search(r"(?:19|20)\d\d", year)
    if stated is None:
        return None
    rest = text.replace(own.group(), "", 1) if own else text
    quarter = re.search(r"Q\s*([1-4])|([1-4一二三四])\s*季", rest, re.IGNORECASE)
    name = re.search(_NAMES, rest, re.IGNORECASE)
    number = re.search(r"\d{1,2}", rest)
    first, final = 1, 12
    if quarter:
        final = 3 * _digits(quarter[1] or quarter[2])
        first = final - 2
    elif name or number:
        first = final = _month(name.group()) if name else int(number.group()) if number else 0
    if not 1 <= first <= 12:
        return None
    if not last:
        return date(int(stated.group()), first, 1)
    return date(int(stated.group()) + final // 12, final % 12 + 1, 1) - timedelta(days=1)
