"""From folded text to tokens: numerals with exact values, words with their meaning."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from itertools import zip_longest
from typing import NamedTuple

from finassay.grading._chinese import NUMERAL_CHARACTERS, numeral_length, read_numeral
from finassay.grading._separators import read_separators
from finassay.grading._unparsed import Refusal
from finassay.grading._vocabulary import NUMBER_WORDS, Role, Token, longest_word

MAX_EXPONENT = 300

EXACT = Context(prec=1500)
"""Products and quotients by powers of ten, of values of at most 256 characters, are exact in this context."""

# A run of digits and the separators between them. A space separates only groups of exactly three digits.
_DIGITS = re.compile(r"\d+(?:[.,']\d+| \d{3}(?!\d))*|\.\d+")
_EXPONENT = re.compile(r"e([+-]?\d{1,6})(?![a-z\d])")
_TIMES_TEN = re.compile(r" ?[x×*·] ?10 ?(?:\^|\*\*) ?[({]?([+-]?\d{1,6})[)}]?(?!\d)")
_TEN_TO_THE = re.compile(r"10(?:\^|\*\*)[({]?([+-]?\d{1,6})[)}]?(?!\d)")

_IN_WORDS = re.compile(rf"({'|'.join(NUMBER_WORDS)})(?= (?:hundred|thousand|million|billion|trillion)\b)")


class Numeral(NamedTuple):
    """Digits as read: exact value, printed decimals, and whether 零 leads, and whether it is 零 alone."""

    value: Decimal
    decimals: int | None
    padded: bool = False
    zero_word: bool = False


def tokenize(text: str, *, of_unit: bool = False) -> list[Token]:
    """Split folded, lower-case text into tokens; an unknown word or sign is refused, never skipped.

    In the phrase of a unit, 百 and 千 are scales (百万円), not places of a numeral.
    """
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if text[at] == " ":
            at += 1
            continue
        token, length = _next(text, at, tokens, of_unit)
        tokens.append(token)
        at += length
    _refuse_stray_fillers(tokens)
    return tokens


def _refuse_stray_fillers(tokens: list[Token]) -> None:
    # "in" and "of" lead to a scale or a unit ("in millions", "millions of dollars"); 5in is five inches.
    words = [token for token in tokens if token.role is not Role.OPEN]
    for token, after in zip_longest(words, words[1:]):
        leads = after is not None and after.role in {Role.SCALE, Role.UNIT}
        if token.role is Role.FILLER and token.text.isascii() and not leads:
            raise Refusal("unknown_word", f"{token.text!r} is not a part of it")


def _next(text: str, at: int, before: list[Token], of_unit: bool) -> tuple[Token, int]:
    if digits := _DIGITS.match(text, at):  # not str.isdigit, which takes ① for a digit
        return _read_digits(text, at, digits.group())
    if spelled := _IN_WORDS.match(text, at):
        return Token(Role.NUMERAL, spelled[1], Numeral(Decimal(NUMBER_WORDS[spelled[1]]), 0)), len(spelled[1])
    word = longest_word(text, at)
    if before and before[-1].text == "百分之" and text[at:] == "百":  # all of it: elsewhere 百 needs a digit
        return Token(Role.NUMERAL, "百", Numeral(Decimal(100), 0)), 1
    if text[at] in NUMERAL_CHARACTERS and not (word and of_unit) and not _is_word(word, before):
        length = numeral_length(text, at)
        return _read_chinese(text[at : at + length]), length
    if word is None:
        raise Refusal("unknown_word", f"{_word_at(text, at)!r} is not a part of it")
    return word, len(word.text)


def _is_word(word: Token | None, before: list[Token]) -> bool:
    # 百 and 千 are scales after printed digits (3千万) and places of a numeral elsewhere (三千).
    return word is not None and (
        word.role is Role.PARTS or (bool(before) and before[-1].role is Role.NUMERAL)
    )


def _word_at(text: str, at: int) -> str:
    end = at + 1
    while text[at].isalpha() and end < len(text) and text[end].isalpha():
        end += 1
    return text[at:end]


def _read_chinese(text: str) -> Token:
    try:
        value, decimals, padded = read_numeral(text)
    except ValueError as error:
        raise Refusal("ambiguous_numeral", f"{text}: {error}") from None
    return Token(Role.NUMERAL, text, Numeral(value, decimals, padded, zero_word=text in {"零", "〇"}))


def _read_digits(text: str, at: int, digits: str) -> tuple[Token, int]:
    power_of_ten = _TEN_TO_THE.match(text, at)
    if power_of_ten:
        numeral = Numeral(_power_of_ten(power_of_ten.group(1)), None)
        return Token(Role.NUMERAL, power_of_ten.group(), numeral), len(power_of_ten.group())
    plain, decimals = read_separators(digits)
    end = at + len(digits)
    tail = _EXPONENT.match(text, end) or _TIMES_TEN.match(text, end)
    if tail:
        value = EXACT.multiply(Decimal(plain), _power_of_ten(tail.group(1)))
        return Token(Role.NUMERAL, digits, Numeral(value, None)), tail.end() - at
    return Token(Role.NUMERAL, digits, Numeral(Decimal(plain), decimals)), end - at


def _power_of_ten(exponent: str) -> Decimal:
    if abs(int(exponent)) > MAX_EXPONENT:
        raise Refusal("out_of_range", f"exponents go to ±{MAX_EXPONENT}")
    return Decimal(1).scaleb(int(exponent))
