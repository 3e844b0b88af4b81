"""Times of day beside a date, in English and Chinese: 14:30, 2:30 p.m., 14时30分, 下午2点半, and their time zones."""

from __future__ import annotations

import re
from datetime import UTC, time, timedelta, timezone

from finassay.grading._unparsed import Refusal

MICROSECONDS = "a time is read to the microsecond"
_MORNING, _AFTERNOON = ("上午", "早上", "凌晨", "清晨"), ("下午", "傍晚", "晚上", "中午")
_PART = "|".join((*_MORNING, *_AFTERNOON))
_CLOCK = (
    rf"(?P<part>{_PART})? ?(?P<hour>\d{{1,2}})(?:"
    r":(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"| ?[时時点點](?: ?(?P<minutes>\d{1,2}) ?分(?: ?(?P<seconds>\d{1,2}) ?秒)?|(?P<half>半)|整)?"
    r"|(?= ?[ap]\.?m)"
    r")(?: ?(?P<noon>[ap])\.?m\.?)?"
)
_ZONE = (
    r"(?P<utc>z|utc|gmt)|(?P<zone>[+-])(?P<zone_hour>\d{2}):?(?P<zone_minute>\d{2})"
    r"|(?:utc|gmt)(?P<sign>[+-])(?P<hours>\d{1,2})"
)
_LAST = re.compile(rf"(?:,? at |, ?|[t ]|(?<=[日号)])|(?<=\d)(?={_PART})) ?{_CLOCK} ?(?:{_ZONE})?$")
_FIRST = re.compile(rf"^{_CLOCK}(?:,? on |, ?| )(?=\S)")


def split_time(text: str) -> tuple[str, re.Match[str] | None]:
    """Return a folded lower-case text without its time of day, and the time as `read_time` takes it."""
    if match := _LAST.search(text):
        return text[: match.start()], match
    if match := _FIRST.match(text):
        return text[match.end() :], match
    return text, None


def read_time(match: re.Match[str]) -> time:
    """Return the time of day, cut off at the microsecond; refuse an impossible one (25:00, 14:30 p.m.)."""
    found = {name: digits for name, digits in match.groupdict().items() if digits}
    minute = int(found.get("minute") or found.get("minutes") or (30 if "half" in found else 0))
    second = int(found.get("second") or found.get("seconds") or 0)
    microsecond = int(found.get("fraction", "")[:6].ljust(6, "0"))
    try:
        return time(_hour(found), minute, second, microsecond, _zone(found))
    except ValueError as error:
        raise Refusal("invalid_date", str(error)) from None


def is_finer(match: re.Match[str]) -> bool:
    """Say whether the time states a part of a microsecond."""
    return bool((match.groupdict().get("fraction") or "")[6:].strip("0"))


def _hour(found: dict[str, str]) -> int:
    hour, part = int(found["hour"]), found.get("part")
    if "noon" in found:
        if not 1 <= hour <= 12 or part:
            raise ValueError(f"hour {hour} has no a.m. or p.m.")
        return hour % 12 + (12 if found["noon"] == "p" else 0)
    if part in _AFTERNOON and hour < 12:
        if part == "中午" and hour > 2:
            raise ValueError(f"{part} is no part of the day that has an hour {hour}")
        return hour + 12
    if (part in _MORNING and hour > 11) or (part == "晚上" and hour == 12):
        raise ValueError(f"{part}{hour} may be noon or midnight, or is neither")
    return hour


def _zone(found: dict[str, str]) -> timezone | None:
    if "utc" in found:
        return UTC
    sign = found.get("zone") or found.get("sign")
    if sign is None:
        return None
    minutes = int(found.get("zone_minute", 0))
    if minutes > 59:
        raise ValueError("the minutes of a time zone must be in 0..59")
    offset = timedelta(hours=int(found.get("zone_hour") or found["hours"]), minutes=minutes)
    return timezone(-offset if sign == "-" else offset)
