"""Printed quantities: the number, the scale and the unit that the text states, and nothing that it does not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from finassay.grading._compounds import assemble
from finassay.grading._fold import LONGEST, fold
from finassay.grading._missing import is_missing, plain
from finassay.grading._tokens import EXACT, MAX_EXPONENT, tokenize
from finassay.grading._units import (
    Unit,
    combine,
    conversion_factor,
    fold_case,
    is_currency,
    is_currency_sign,
    parse_unit,
    resolve_sign,
)
from finassay.grading._unparsed import Refusal, UnitMismatch, Unparsed, raw_text, shorten
from finassay.grading._vocabulary import CALENDAR_WORDS, Role, Token

_EXPECTED = "a number"
_TOO_LONG = 10**LONGEST
_DATE = re.compile(r"\d{4}(?:-\d{1,2}(?:-\d{1,2})?|/\d{1,2}/\d{1,2}|\.\d{1,2}\.\d{1,2}|年.*)(?:[ t]\d.*)?")
_FIRST_YEAR, _LAST_YEAR = 1800, 2199  # what `parse_period` reads as a year
_NOT_FINITE = re.compile(r"[+-]?(?:inf|infinity|∞)")


@dataclass(frozen=True)
class Quantity:
    """A number as a text states it.

    Attributes
    ----------
    value : Decimal
        The printed number with its sign, before scale and unit: -1234.5 for ``"(1,234.5) million"``.
    scale : Decimal
        1000, 10000 (万) … as stated; 1 if none is.
    unit : str or None
        ``"percent"``, ``"pp"``, ``"bp"``, ``"permille"``, ``"ratio"``, ``"x"``, an ISO currency, ``"¥"`` (yuan or
        yen: the text does not say), ``"share"``, ``"lot"``, ``"USD/share"``, ``"CNY per USD"`` …; None if none is
        stated. The whole list is in ``docs/reference/values.md``.
    decimals : int or None
        Printed decimals; None for an exponent form and for a binary float, which have none.
    text : str
        The value as it was given.
    approximate : bool
        Whether the text says that the number is approximate ("about", 约, ~).
    """

    value: Decimal
    scale: Decimal
    unit: str | None
    decimals: int | None
    text: str
    approximate: bool = False

    @property
    def magnitude(self) -> Decimal:
        """The exact product of value and scale, in `unit`."""
        return EXACT.multiply(self.value, self.scale)

    def to(self, unit: str) -> Decimal:
        """Return the number in another unit and scale, exactly.

        Parameters
        ----------
        unit : str
            A canonical unit or any phrase that `parse_unit` reads: ``"ratio"``, ``"bp"``, ``"亿元"``,
            ``"USD millions"``.

        Returns
        -------
        Decimal

        Raises
        ------
        UnitMismatch
            When this quantity states no unit, or one of another kind. Currencies are never converted.
        Unparsed
            When `unit` is not a unit.
        """
        target = parse_unit(unit)
        factor = Decimal(1)
        if target.unit is not None:
            if self.unit is None:
                raise UnitMismatch(
                    f"{shorten(self.text)!r} states no unit, so it cannot be expressed in {unit}.",
                    hint="Pass default_unit to parse_quantity if a header or a contract states it.",
                )
            factor = conversion_factor(self.unit, target.unit)
        return EXACT.divide(EXACT.multiply(self.magnitude, factor), target.scale)


def parse_quantity(raw: object, *, default_unit: str | None = None) -> Quantity:
    """Read one printed number with its scale and unit.

    Parameters
    ----------
    raw : object
        Text in any script, or a Python, NumPy, pandas or Arrow number.
    default_unit : str, optional
        What a header, a caption or a contract states for the whole column: ``"percent"``, ``"亿元"``,
        ``"USD millions"``. It completes what the text leaves open and never contradicts it: its unit where the text
        has none (or has a sign such as ``$`` or ``¥`` that may stand for it), its scale where the text has neither a
        scale nor a unit in words or letters (``50000元`` under 万元 is fifty thousand; ``$ 5`` under "in millions" is
        five million) and the units agree.

    Returns
    -------
    Quantity

    Raises
    ------
    Unparsed
        With a reason: ``missing``, ``not_finite``, ``boolean``, ``wrong_type``, ``too_long``, ``not_a_number``,
        ``unknown_word``, ``ambiguous_separator``, ``ambiguous_numeral``, ``malformed_number``, ``leading_zeros``,
        ``range``, ``several_numbers``, ``bound``, ``date``, ``two_signs``, ``unbalanced_brackets``,
        ``conflicting_units``, ``out_of_range``.

    Examples
    --------
    >>> parse_quantity("(1,234.5) million").magnitude
    Decimal('-1234500000.0')
    >>> parse_quantity("1.5亿元").to("万元")
    Decimal('15000.0')
    """
    if type(raw) is str:
        printed = _PRINTED.fullmatch(raw)
        form = printed and _form(printed[1], printed[4], default_unit)
        if printed and form:
            digits, fraction = printed[2].replace(",", ""), printed[3]
            value = Decimal(form.sign + digits + fraction)
            return Quantity(value, form.scale, form.unit, max(len(fraction) - 1, 0), raw, form.approximate)
    return _parse(raw, default_unit)


class _Form(NamedTuple):
    """What stands around the digits of a printed number states."""

    sign: str
    scale: Decimal
    unit: str | None
    approximate: bool


# One run of ASCII digits, in groups of three or plain, and no digit of any script around it. A column has few forms.
_PRINTED = re.compile(
    r"(\D{0,16})(0|[1-9][0-9]{0,2}(?:,[0-9]{3}){1,10}|[1-9][0-9]{0,31})(\.[0-9]{1,32}|)(\D{0,32})"
)
_PROBE = "1234"  # four digits, because only they can be the year of a date


@lru_cache(maxsize=4096)
def _form(before: str, after: str, default_unit: str | None) -> _Form | None:
    """Read the form once, around a number of our own; None if it is refused or adds anything to the digits."""
    try:
        read = _parse(before + _PROBE + after, default_unit)
    except Unparsed:
        return None
    if abs(read.value) != int(_PROBE) or read.decimals != 0:
        return None
    return _Form("-" if read.value < 0 else "", read.scale, read.unit, read.approximate)


def _parse(raw: object, default_unit: str | None) -> Quantity:
    text = raw if isinstance(raw, str) else raw_text(raw)
    default = parse_unit(default_unit) if default_unit is not None else None
    try:
        if is_missing(raw):
            raise Refusal("missing", "the value is missing")
        value = plain(raw)
        stated, scale_stated = (
            _read_text(value, default.unit if default else None)
            if isinstance(value, str)
            else (_read_scalar(value, text), False)
        )
    except Refusal as refusal:
        raise Unparsed(_EXPECTED, text, refusal.reason, refusal.detail) from None
    return _complete(stated, scale_stated, default or Unit(Decimal(1), None, False))


def _complete(stated: Quantity, scale_stated: bool, default: Unit) -> Quantity:
    unit = resolve_sign(stated.unit, default.unit)
    takes_scale = not scale_stated and (unit is None or default.unit is None or unit == default.unit)
    return Quantity(
        stated.value,
        default.scale if takes_scale else stated.scale,
        default.unit if unit is None else unit,
        stated.decimals,
        stated.text,
        stated.approximate,
    )


def _read_scalar(value: object, text: str) -> Quantity:
    if isinstance(value, bool):
        raise Refusal("boolean", "true and false are not numbers")
    if isinstance(value, int):
        if abs(value) >= _TOO_LONG:
            raise Refusal("too_long", f"one value has at most {LONGEST} digits")
        return Quantity(Decimal(value), Decimal(1), None, 0, text)
    if isinstance(value, float):
        value, decimals = Decimal(repr(value)), None
    elif isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        decimals = -exponent if isinstance(exponent, int) and exponent <= 0 else None
    else:
        raise Refusal("wrong_type", f"a {type(value).__name__} is not a number")
    if not value.is_finite():
        raise Refusal("not_finite", "infinity is not a quantity")
    if len(value.as_tuple().digits) > LONGEST:
        raise Refusal("too_long", f"one value has at most {LONGEST} digits")
    if value and abs(value.adjusted()) > MAX_EXPONENT + LONGEST:
        raise Refusal("out_of_range", f"exponents go to ±{MAX_EXPONENT}")
    return Quantity(value, Decimal(1), None, decimals, text)


def _read_text(text: str, declared: str | None) -> tuple[Quantity, bool]:
    folded = fold_case(fold(text)).rstrip(".。 ")
    if _NOT_FINITE.fullmatch(folded):
        raise Refusal("not_finite", "infinity is not a quantity")
    if _DATE.fullmatch(folded):
        raise Refusal("date", "this is a date or a period")
    tokens, bracketed = _open_brackets(tokenize(folded))
    before, number, after = _split(tokens)
    value, scale, decimals = assemble(number)
    sign = _sign(before, after, bracketed)
    words = [
        token for token in (*before, *after) if token.role in {Role.SCALE, Role.UNIT, Role.PER, Role.PARTS}
    ]
    more_scale, unit, scale_stated = combine(words, scaled=scale != 1)
    if scale_stated and scale != 1:
        raise Refusal("malformed_number", "it states two scales")
    if scale == 1 and not scale_stated and words and _is_of_the_calendar(value, words[0].text, declared):
        raise Refusal("date", "it may be a year, a quarter or a day of the calendar; default_unit decides")
    stated = Quantity(
        value=value.copy_negate() if sign < 0 else value,
        scale=EXACT.multiply(scale, more_scale),
        unit=unit,
        decimals=decimals,
        text=text,
        approximate=any(token.role is Role.ABOUT for token in (*before, *after)),
    )
    # "50000元" under 万元 says that it is fifty thousand; a "$" stands on every line of a table "in millions".
    own_scale = any(
        token.role in {Role.UNIT, Role.PARTS} and not is_currency_sign(token.text) for token in words
    )
    return stated, scale_stated or own_scale or any(token.role is Role.SCALE for token in number)


def _is_of_the_calendar(value: Decimal, word: str, declared: str | None) -> bool:
    """Say whether 10年, 3季度 or 3日 may be no duration: it is a whole number, and no such duration is declared."""
    if word not in CALENDAR_WORDS or value != int(value):
        return False
    return declared != CALENDAR_WORDS[word] or (word == "年" and _FIRST_YEAR <= value <= _LAST_YEAR)


def _open_brackets(tokens: list[Token]) -> tuple[list[Token], bool]:
    """Take one pair of brackets away, and say whether the numeral was inside it: the accountant's minus."""
    places = [index for index, token in enumerate(tokens) if token.role in {Role.OPEN, Role.CLOSE}]
    if not places:
        return tokens, False
    if [tokens[index].role for index in places] != [Role.OPEN, Role.CLOSE]:
        raise Refusal("unbalanced_brackets", "one pair of brackets at most")
    inside = tokens[places[0] + 1 : places[1]]
    return [*tokens[: places[0]], *inside, *tokens[places[1] + 1 :]], any(
        t.role is Role.NUMERAL for t in inside
    )


def _split(tokens: list[Token]) -> tuple[list[Token], list[Token], list[Token]]:
    """Split at the run of numerals and scales (12万5千 is one number), refusing what is not one number."""
    numerals = [index for index, token in enumerate(tokens) if token.role is Role.NUMERAL]
    if not numerals:
        raise Refusal("not_a_number", "it has no digits")
    if any(token.role is Role.BOUND for token in tokens):
        raise Refusal("bound", "it states a bound, not a value")
    first = end = numerals[0]
    while end < len(tokens) and tokens[end].role in {Role.NUMERAL, Role.SCALE}:
        end += 1
    if numerals[-1] >= end:
        joined = any(
            token.role in {Role.JOIN, Role.SIGN, Role.ABOUT} for token in tokens[first : numerals[-1]]
        )
        raise Refusal("range" if joined else "several_numbers", "it states more than one number")
    before, after = tokens[:first], tokens[end:]
    if before and before[0].text == "每":  # 每股0.35元
        before, after = before[2:], [*after, *before[:2]]
    _refuse_misplaced(before, after)
    return before, tokens[first:end], after


def _refuse_misplaced(before: list[Token], after: list[Token]) -> None:
    currency = False
    for token in before:
        currency = currency or is_currency(str(token.meaning))
        allowed = token.role in {Role.SIGN, Role.ABOUT, Role.PARTS} or token.text == "%" or currency
        if not allowed:
            raise Refusal("malformed_number", f"{token.text!r} does not stand before a number")
    for token in after:
        if token.role in {Role.JOIN, Role.PARTS} or token.text in {"~", "≈"}:
            raise Refusal("malformed_number", f"{token.text!r} does not stand after a number")


def _sign(before: list[Token], after: list[Token], bracketed: bool) -> int:
    signs = [token for token in before if token.role is Role.SIGN]
    trailing = [token for token in after if token.role is Role.SIGN]
    if len(signs) + len(trailing) + bracketed > 1:
        raise Refusal("two_signs", "it has more than one sign")
    if trailing and (trailing[0].text != "-" or after[-1] is not trailing[0]):
        raise Refusal("malformed_number", "a sign stands before a number, or a minus at its end")
    negative = bracketed or any(token.meaning == -1 for token in (*signs, *trailing))
    return -1 if negative else 1
