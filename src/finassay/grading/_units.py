"""Units and scales: what a phrase such as ``USD millions``, ``亿元`` or ``%`` states, and which units convert."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import zip_longest

from finassay.grading._compounds import product
from finassay.grading._fold import fold
from finassay.grading._tokens import EXACT, tokenize
from finassay.grading._unparsed import Refusal, UnitMismatch, Unparsed
from finassay.grading._vocabulary import CURRENCY_WORDS, SYMBOL_MAY_MEAN, TENTHS, Role, Token

# Units of one family, each with its size; units of no family convert only to themselves.
_FAMILIES: tuple[dict[str, Decimal], ...] = (
    {
        "ratio": Decimal(1),
        "x": Decimal(1),
        "percent": Decimal("0.01"),
        "pp": Decimal("0.01"),
        "permille": Decimal("0.001"),
        "bp": Decimal("0.0001"),
    },
    {"share": Decimal(1), "lot": Decimal(100)},
    *(
        {whole: Decimal(1), cents: Decimal("0.01")}
        for whole, cents in (
            ("GBP", "GBX"),
            ("USD", "USX"),
            ("HKD", "HKX"),
            ("AUD", "AUX"),
            ("SGD", "SGX"),
            ("EUR", "EUX"),
        )
    ),
)
_OF_A_WHOLE = frozenset({"percent", "permille", "pp", "bp"})
_LENTICULAR = str.maketrans("【】〔〕", "()()")  # brackets around a unit; around a number they are no minus
_CODE_AND_SCALE = re.compile(r"\b(usd|cny|rmb|hkd|eur|gbp|jpy|twd|sgd|aud|cad|chf|inr|krw)(m|mn|mm|bn|k)\b")
_CURRENCY_SIGNS = frozenset("$¥€£₩₹₽")
_PER = re.compile(r"/| per ")
_CAPITAL_P = re.compile(r"(?<![A-Za-z])P(?![A-Za-z])")
_THOUSANDS_WITHOUT_DIGITS = re.compile(r"'?000s?\b|(?<=[$€£¥])000s?\b")


@dataclass(frozen=True)
class Unit:
    """What a unit phrase states.

    Attributes
    ----------
    scale : Decimal
        1, 1000, 10000 (万) …; 1 if the phrase states none.
    unit : str or None
        Canonical unit, as in `Quantity.unit`; None if the phrase states a scale alone ("in millions").
    scale_stated : bool
        Whether the phrase states a scale.
    """

    scale: Decimal
    unit: str | None
    scale_stated: bool


@lru_cache(maxsize=256)  # a header is read once for all the cells under it
def parse_unit(text: str) -> Unit:
    """Read a unit phrase: of a header, a caption or a contract.

    ``"USD millions"``, ``"($ in thousands)"``, ``"RMB'000"``, ``"亿元"``, ``"单位：万元"``, ``"%"``, ``"元/股"``.

    Parameters
    ----------
    text : str
        The phrase alone, with or without brackets around it.

    Returns
    -------
    Unit

    Raises
    ------
    Unparsed
        ``unknown_word`` and the like, when the phrase is not a unit; blank text is ``missing``.
    """
    try:
        folded = fold_case(fold(text))
        folded = re.sub(r"^(?:单位|unit|units)\s*[:：]\s*", "", folded)
        folded = _THOUSANDS_WITHOUT_DIGITS.sub(" thousand", folded)
        folded = folded.translate(_LENTICULAR)
        folded = _CODE_AND_SCALE.sub(r"\1 \2", folded)
        tokens = [
            token
            for token in tokenize(folded, of_unit=True)
            if token.role not in {Role.OPEN, Role.CLOSE, Role.FILLER}
        ]
        if not tokens:
            raise Refusal("missing", "the phrase is blank")
        scale, unit, stated = combine(tokens)
    except Refusal as refusal:
        raise Unparsed("a unit", text, refusal.reason, refusal.detail) from None
    return Unit(scale, resolve_sign(unit), stated)


def fold_case(text: str) -> str:
    """Return folded text without case, where case says something: GBp and p are pence, a capital P states nothing."""
    if _CAPITAL_P.search(text):
        raise Refusal("unknown_word", "'P' is not a part of it; the sign of pence is a small p")
    return re.sub(r"\bGBp\b", "GBX", text).casefold()


def combine(tokens: Sequence[Token], *, scaled: bool = False) -> tuple[Decimal, str | None, bool]:
    """Put the scale and unit words of one quantity together; anything else among them is refused.

    `scaled` says that the number beside them has a scale already.
    """
    scales: list[Token] = []
    units: list[str] = []
    per: list[str] = []
    after_per = named_before = False
    last = ""
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.text == "元" and (named_before or _names_money(following)) and not last.endswith("元"):
            continue  # 港币百万元, 百万元港币: yuan here is the general word for a piece of money
        if token.text == "个" and following and following.role is Role.SCALE and not following.text.isascii():
            continue  # 1.5个亿 is 1.5亿, not so many items
        named_twice = (
            token.text == last
            or (units and any(word.role is Role.PARTS for word in tokens))
            or (
                token.meaning in units and not is_currency(str(token.meaning))
            )  # 5倍x; a money may be: $5 USD
        )
        if token.role in {Role.UNIT, Role.PARTS} and not after_per and named_twice:
            raise Refusal("malformed_number", f"{token.text!r} states its unit a second time")
        named_before, last = named_before or _names_money(token), token.text
        if token.role is Role.SCALE and units and units[-1] in _OF_A_WHOLE:
            raise Refusal("malformed_number", f"{token.text!r} does not stand after {units[-1]}")
        if token.role is Role.SCALE and not after_per:
            scales.append(token)
        elif token.role is Role.PER and not after_per:
            after_per = True
        elif token.role in {Role.UNIT, Role.PARTS} and not (after_per and token.text == TENTHS):
            (per if after_per else units).append(str(token.meaning))
            scales += [Token(Role.SCALE, TENTHS, 10)] * (token.text == TENTHS)
        else:
            raise Refusal("unknown_word", f"{token.text!r} is not a unit or a scale here")
    if after_per and not (units and len(per) == 1):
        raise Refusal("unknown_word", "a unit 'per' something needs one unit on each side")
    of_currencies = bool(per) and {units[0], per[0]} <= set(CURRENCY_WORDS)
    if of_currencies and _is_pair(tokens):
        raise Refusal("conflicting_units", "a pair of currencies: 7.1 USD/CNY are by custom yuan per dollar")
    if (scales or scaled) and any(token.text == "p" for token in tokens):
        raise Refusal("unknown_word", "pence have no scale: 'p' is a part of it")
    unit = _one_unit(units)
    if per:
        unit = f"{unit}{' per ' if of_currencies else '/'}{per[0]}"
    return product(scales), unit, bool(scales)


def _is_pair(tokens: Sequence[Token]) -> bool:
    """Say whether units are joined as dealers write a pair of currencies, not with "per" or in Chinese (元/美元)."""
    return all(token.text.isascii() and token.text != "per" for token in tokens)


def _names_money(token: Token | None) -> bool:
    """Say whether a word names a currency of its own: not 元, nor the signs of several."""
    return token is not None and token.meaning in CURRENCY_WORDS and token.text not in {"元", "$", "¥"}


def _one_unit(units: list[str]) -> str | None:
    distinct = list(dict.fromkeys(units))
    if len(distinct) == 2:  # "¥5元", "$5 HKD": the word says which currency the sign is
        for sign, word in (distinct, distinct[::-1]):
            if word in SYMBOL_MAY_MEAN.get(sign, ()):
                return word
    if len(distinct) > 1:
        raise Refusal("conflicting_units", " and ".join(distinct))
    return distinct[0] if distinct else None


def resolve_sign(unit: str | None, beside: str | None = None) -> str | None:
    """Return the currency of a bare sign: the one stated beside it, if the sign may stand for that one.

    "$" alone is the US dollar; "¥" alone stays "¥": yuan and yen are equally usual.
    """
    if unit is None:
        return None
    sign, currency = _numerator(unit), _numerator(beside or "")
    if currency in SYMBOL_MAY_MEAN.get(sign, ()):
        return currency + unit.removeprefix(sign)
    return "USD" + unit.removeprefix(sign) if sign == "$" else unit


def _numerator(unit: str) -> str:
    return _PER.split(unit, maxsplit=1)[0]


def is_currency(unit: str | None) -> bool:
    """Say whether a canonical unit is a currency, or a currency per something."""
    return unit is not None and _numerator(unit) in CURRENCY_WORDS


def is_currency_sign(word: str) -> bool:
    """Say whether a word of the vocabulary is a currency's sign (``$``, ``hk$``, ``€``), not its name or code."""
    return any(character in _CURRENCY_SIGNS for character in word)


def conversion_factor(source: str, target: str) -> Decimal:
    """Return by what a number in one unit is multiplied to be in another.

    Raises
    ------
    UnitMismatch
        Different kinds, or two currencies: those are never converted.
    """
    if source == target:
        return Decimal(1)
    whole = _numerator(source)
    per = source.removeprefix(whole)
    if per and target.endswith(per):  # US cents per share: in dollars per share
        return conversion_factor(whole, target.removesuffix(per))
    for family in _FAMILIES:
        if source in family and target in family:
            return EXACT.divide(family[source], family[target])
    raise UnitMismatch(
        f"A quantity in {source} cannot be expressed in {target}.",
        hint="Currencies are never converted, and units only within one kind.",
    )
