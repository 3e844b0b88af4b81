"""Functions of single values that DuckDB has no like of, called by translated statements."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from finassay.database._mysql._general_ci import fold
from finassay.database._mysql._json_text import JSON_SCALARS
from finassay.database._mysql._regex import search

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LARGEST = (1 << 64) - 1


def refuse(what: str) -> ValueError:
    """Return the error of what the data need and is not reproduced."""
    return ValueError(f"MySQL-dialect layer: {what}")


# --- numbers and digests --------------------------------------------------------------------------------------------
def conv(text: str, from_base: int, to_base: int) -> str | None:
    """Return ``CONV(text, from_base, to_base)``: in 64 bits, signed where a base is negative."""
    source, target = abs(from_base), abs(to_base)
    if not (2 <= source <= 36 and 2 <= target <= 36) or text == "":
        return None
    allowed = _DIGITS[:source]
    match = re.match(rf"\s*([+-]?)([{allowed}]*)", text, re.IGNORECASE)
    sign, digits = match.groups() if match else ("", "")
    number = min(int(digits, source) if digits else 0, _LARGEST)
    if len(digits) > 64 or number == _LARGEST:
        raise refuse("CONV of a number beyond 64 bits")
    number = (-number if sign == "-" else number) % (1 << 64)
    negative = to_base < 0 and number >> 63
    return ("-" if negative else "") + _in_base((1 << 64) - number if negative else number, target)


def _in_base(number: int, base: int) -> str:
    out = ""
    while number:
        number, digit = divmod(number, base)
        out = _DIGITS[digit] + out
    return out or "0"


def crc32(text: str) -> int:
    """Return ``CRC32(text)``."""
    return zlib.crc32(text.encode())


def sha2(text: str, bits: int) -> str | None:
    """Return ``SHA2(text, bits)``; NULL for a length that does not exist."""
    name = {0: "sha256", 224: "sha224", 256: "sha256", 384: "sha384", 512: "sha512"}.get(bits)
    return hashlib.new(name, text.encode()).hexdigest() if name else None


def decimal_text(text: str) -> str:
    """Return the number a text starts with, in plain digits."""
    match = re.match(r"\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?)", text, re.ASCII)
    return format(Decimal(match.group(1)), "f") if match else "0"


def double_text(number: float) -> str:
    """Return a DOUBLE as the server prints it: with an exponent beyond fifteen digits before or after the point."""
    sign, digits, exponent = Decimal(repr(number)).as_tuple()
    shown = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + int(exponent)
    if (point > 15 and len(shown) <= point) or point < -14:
        text = shown[0] + ("." + shown[1:] if shown[1:] else "") + f"e{point - 1}"
    elif point <= 0:
        text = "0." + "0" * -point + shown
    else:
        text = shown.ljust(point, "0")[:point] + ("." + shown[point:] if shown[point:] else "")
    return "-" * sign + text


def inet_aton(text: str) -> int | None:
    """Return ``INET_ATON(text)`` of four numbers; NULL where it is no address."""
    parts = text.split(".")
    if not all(part.isascii() and part.isdigit() and int(part) < 256 for part in parts):
        return None
    if len(parts) != 4:
        raise refuse("INET_ATON of a short address")
    return int.from_bytes(bytes(map(int, parts)), "big")


def inet_ntoa(number: int) -> str | None:
    """Return ``INET_NTOA(number)``."""
    return ".".join(map(str, number.to_bytes(4, "big"))) if 0 <= number < 1 << 32 else None


# --- text -------------------------------------------------------------------------------------------------------------
def quote_text(text: str) -> str:
    """Return ``QUOTE(text)``."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\0", "\\0").replace("\x1a", "\\Z")
    return f"'{escaped}'"


def soundex(text: str) -> str:
    """Return ``SOUNDEX(text)``: longer than four letters where the text is, as the server has it."""
    if not text.isascii():
        raise refuse("SOUNDEX of letters beyond ASCII")
    letters = [char for char in text.upper() if char.isalpha()]
    codes = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "01230120022455012623010202", strict=True))
    if not letters:
        return ""
    out, last = letters[0], codes[letters[0]]
    for char in letters[1:]:
        if codes[char] not in {"0", last}:
            out += codes[char]
            last = codes[char]
    return out.ljust(4, "0")


def locate(needle: str, text: str, start: int) -> int:
    """Return ``LOCATE(needle, text, start)``: by weight, where as many bytes as `needle` has are alike."""
    wanted, size = fold(needle), len(needle.encode())
    for at in range(start - 1, len(text) - len(needle) + 1):
        found = text[at : at + len(needle)]
        if fold(found) == wanted and len(found.encode()) == size:
            return at + 1
    return 0


def ordinal(text: str) -> int:
    """Return ``ORD(text)``: the bytes of the first character as a number."""
    return int.from_bytes(text[:1].encode(), "big")


@cache
def _gbk_places() -> dict[str, int]:
    """Read the place of every character in the order of ``gbk_chinese_ci``, the server's own ``WEIGHT_STRING``."""
    text = Path(__file__).with_name("gbk_order.txt").read_text(encoding="utf-8")
    return {char: place for place, char in enumerate(text.replace("\n", ""))}


def gbk_key(text: str) -> str:
    """Return a key that sorts as ``CONVERT(text USING gbk)``: pinyin of Chinese characters, case and end blanks apart.

    What GBK does not have is a question mark.
    """
    places = _gbk_places()
    found = (
        char.upper() if char.isascii() else chr(0x100 + places[char]) if char in places else "?"
        for char in text
    )
    return "".join(found).rstrip(" ") + " "


# --- dates ------------------------------------------------------------------------------------------------------------
_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december"]  # fmt: skip
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
# Specifier: the field it gives and the digits it takes.
_FIELDS = {
    "Y": ("year", 4), "y": ("year", 2), "m": ("month", 2), "c": ("month", 2), "d": ("day", 2), "e": ("day", 2),
    "H": ("hour", 2), "k": ("hour", 2), "h": ("hour", 2), "I": ("hour", 2), "l": ("hour", 2), "i": ("minute", 2),
    "s": ("second", 2), "S": ("second", 2), "j": ("yearday", 3), "f": ("micro", 6), "w": ("weekday", 1),
}  # fmt: skip
_NAMES = {
    "M": ("month", _MONTHS, 0),
    "b": ("month", _MONTHS, 3),
    "W": ("weekday", _DAYS, 0),
    "a": ("weekday", _DAYS, 3),
}


def expand(pattern: str) -> str:
    """Return a format with ``%T`` and ``%r`` written out."""
    return pattern.replace("%T", "%H:%i:%S").replace("%r", "%I:%i:%S %p")


def str_to_date(text: str, pattern: str) -> str | None:
    """Return what ``STR_TO_DATE(text, pattern)`` reads, as ``YYYY-MM-DD HH:MM:SS.ffffff``; NULL where it reads nothing.

    As the server's ``extract_date_time``: blanks before a part are skipped, and a text that ends early or goes on after
    the format is read as far as it goes.
    """
    fields: dict[str, int] = {}
    rest = text
    for plain, specifier in re.findall(r"([^%])|%(.)", expand(pattern), re.DOTALL):
        rest = rest.lstrip()
        if not rest:
            break
        if specifier and specifier != "%":
            read = _read(specifier, rest, fields)
            if read is None:
                return None
            rest = rest[read:]
        elif specifier or not plain.isspace():
            if rest[0] != (plain or "%"):
                return None
            rest = rest[1:]
    return _moment(fields, text)


def _read(specifier: str, rest: str, fields: dict[str, int]) -> int | None:
    """Read one part into `fields`; how many characters it took, None where there is no such part."""
    if specifier in _NAMES:
        field, names, cut = _NAMES[specifier]
        word = re.match(r"[A-Za-z]*", rest).group(0).lower()  # type: ignore[union-attr]
        wanted = [name[:cut] if cut else name for name in names]
        found = [at for at, name in enumerate(wanted) if word and name.startswith(word)]
        exact = [at for at in found if wanted[at] == word]
        if len(exact or found) != 1:
            return None
        fields[field] = (exact or found)[0] + 1
        return len(word)
    if specifier == "p":
        half = rest[:2].upper()
        if half not in {"AM", "PM"}:
            return None
        fields["pm"] = 12 if half == "PM" else 0
        return 2
    field, most = _FIELDS[specifier]
    match = re.match(rf"\d{{1,{most}}}", rest, re.ASCII)
    if match is None:
        return None
    digits = match.group(0)
    number = int(digits.ljust(6, "0")) if specifier == "f" else int(digits)
    if field == "year" and len(digits) <= 2:
        number += 2000 if number < 70 else 1900
    if specifier in {"h", "I", "l"}:
        if not 1 <= number <= 12:
            return None
        fields["half"] = 1
    fields[field] = number
    return len(digits)


def _moment(fields: dict[str, int], text: str) -> str | None:
    hour = fields.get("hour", 0)
    if "half" in fields:
        hour = hour % 12 + fields.get("pm", 0)
    elif "pm" in fields:
        return None
    clock = hour, fields.get("minute", 0), fields.get("second", 0)
    if (
        clock[0] > 23
        or clock[1] > 59
        or clock[2] > 59
        or fields.get("month", 0) > 12
        or fields.get("day", 0) > 31
    ):
        return None
    shown = "{:02d}:{:02d}:{:02d}.{:06d}".format(*clock, fields.get("micro", 0))
    if not fields.keys() & {"year", "month", "day", "yearday", "weekday"}:
        return f"1970-01-01 {shown}"
    try:
        if fields.get("yearday"):
            day = date(fields.get("year", 0), 1, 1) + timedelta(days=fields["yearday"] - 1)
        else:
            day = date(fields.get("year", 0), fields.get("month", 0), fields.get("day", 0))
    except ValueError:
        raise refuse(f"STR_TO_DATE reads a date that is not in the calendar in {text!r}") from None
    return f"{day.isoformat()} {shown}"


# Name on the connection: the function, the types of its arguments, the type of its result.
SCALARS: dict[str, tuple[Callable[..., Any], tuple[str, ...], str]] = {
    "mysql_conv": (conv, ("VARCHAR", "BIGINT", "BIGINT"), "VARCHAR"),
    "mysql_crc32": (crc32, ("VARCHAR",), "BIGINT"),
    "mysql_sha2": (sha2, ("VARCHAR", "BIGINT"), "VARCHAR"),
    "mysql_exponent_text": (decimal_text, ("VARCHAR",), "VARCHAR"),
    "mysql_long_double_text": (double_text, ("DOUBLE",), "VARCHAR"),
    "mysql_inet_aton": (inet_aton, ("VARCHAR",), "BIGINT"),
    "mysql_inet_ntoa": (inet_ntoa, ("BIGINT",), "VARCHAR"),
    "mysql_quote": (quote_text, ("VARCHAR",), "VARCHAR"),
    "mysql_soundex": (soundex, ("VARCHAR",), "VARCHAR"),
    "mysql_locate_accented": (locate, ("VARCHAR", "VARCHAR", "BIGINT"), "BIGINT"),
    "mysql_ord": (ordinal, ("VARCHAR",), "BIGINT"),
    "mysql_gbk_key": (gbk_key, ("VARCHAR",), "VARCHAR"),
    "mysql_search": (search, ("VARCHAR", "VARCHAR", "VARCHAR"), "BOOLEAN"),
    "mysql_str_to_date": (str_to_date, ("VARCHAR", "VARCHAR"), "VARCHAR"),
    **JSON_SCALARS,
}
