"""Chinese numerals: 三百二十, 两千零五, 三点五, 二〇二一, and their formal twins 壹贰叁."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

_DIGITS = {
    **dict(zip("零一二三四五六七八九", range(10), strict=True)),
    **dict(zip("〇壹贰叁肆伍陆柒捌玖", range(10), strict=True)),
    "两": 2, "兩": 2, "貳": 2, "參": 3, "陸": 6,
}  # fmt: skip
_PLACES = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_COUNTED = frozenset(character for character, digit in _DIGITS.items() if digit)
_POINT = "点點"
SKIPPED = "a place is skipped without 零 (一亿五千: 1.5亿 in speech, 1亿零5000 on paper)"
NUMERAL_CHARACTERS = frozenset(_DIGITS) | frozenset(_PLACES)


def numeral_length(text: str, at: int) -> int:
    """Return how many characters from a place on form one numeral below 10,000 (with a decimal part, if printed)."""
    end = at
    while end < len(text) and text[end] in NUMERAL_CHARACTERS:
        end += 1
    if (
        end > at
        and text[end : end + 1]
        and text[end] in _POINT
        and text[end + 1 : end + 2]
        and text[end + 1] in _DIGITS
    ):
        end += 1
        while end < len(text) and text[end] in _DIGITS:
            end += 1
    return end - at


class ChineseNumeral(NamedTuple):
    """Value, printed decimals, and whether it starts with 零 (which a compound such as 一万零五百 needs to know)."""

    value: Decimal
    decimals: int
    padded: bool


def read_numeral(text: str) -> ChineseNumeral:
    """Read one Chinese numeral below 10,000, or a run of digits that is a number: with a zero, or of four and more.

    Raises
    ------
    ValueError
        When it is not a well-formed numeral; the message says why.
    """
    whole, _, fraction = text.replace("點", "点").partition("点")
    padded = whole[0] in "零〇" and len(whole) > 1
    if len(whole) in {2, 3} and all(character in _COUNTED for character in whole):
        raise ValueError("neighbouring digits are an estimate (两三: two or three), not an exact number")
    value = _read_places(whole[1:] if padded else whole)
    digits = "".join(str(_DIGITS[character]) for character in fraction)
    return ChineseNumeral(Decimal(f"{value}.{digits}" if digits else value), len(digits), padded)


def _read_places(text: str) -> int:
    if all(character in _DIGITS for character in text):
        return int("".join(str(_DIGITS[character]) for character in text))
    total, last_place, digit, zero = 0, 10_000, -1, False
    for index, character in enumerate(text):
        if character in _PLACES:
            place = _PLACES[character]
            if place >= last_place:
                raise ValueError("places must descend")
            if digit < 0 and not (place == 10 and index == 0):
                raise ValueError(f"a digit is missing before {character}")
            if total and not zero and place * 10 < last_place:
                raise ValueError(SKIPPED)
            total, last_place, digit, zero = total + max(digit, 1) * place, place, -1, False
        elif _DIGITS[character] == 0:
            if digit >= 0 or text[index + 1 : index + 2] not in _COUNTED:
                raise ValueError("a zero stands before a digit, in the place of those that are skipped")
            zero = True
        elif digit >= 0:
            raise ValueError("two digits in one place")
        else:
            digit = _DIGITS[character]
    if digit > 0 and last_place > 10 and not zero:
        raise ValueError(SKIPPED)
    return total + max(digit, 0)
