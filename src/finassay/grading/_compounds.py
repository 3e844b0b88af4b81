"""Numerals with their scales: 1.2 million, 3千万, and compounds such as 12万5千 and 一亿二千万."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from finassay.grading._chinese import SKIPPED
from finassay.grading._tokens import EXACT, Numeral
from finassay.grading._unparsed import Refusal

if TYPE_CHECKING:
    from finassay.grading._vocabulary import Token

_YI = Decimal(10**8)
_WAN = 10_000


def assemble(tokens: Sequence[Token]) -> tuple[Decimal, Decimal, int | None]:
    """Return value, scale and printed decimals of a run of numerals and scales that starts with a numeral.

    One numeral keeps its scale apart (1.2 and 亿); a compound is added up, with scale 1.
    """
    parts = _parts(tokens)
    numeral, scales = parts[0]
    if len(parts) == 1:
        return numeral.value, product(scales), numeral.decimals
    return _add_up(parts), Decimal(1), 0


def _parts(tokens: Sequence[Token]) -> list[tuple[Numeral, list[Token]]]:
    parts: list[tuple[Numeral, list[Token]]] = []
    for token in tokens:
        if isinstance(token.meaning, Numeral):
            if len(parts) > 1 and parts[-1][0].zero_word and not parts[-1][1]:  # 1亿零5万
                parts[-1] = (token.meaning._replace(padded=True), [])
                continue
            if parts and not parts[-1][1]:
                raise Refusal("several_numbers", "two numbers side by side")
            parts.append((token.meaning, []))
        else:
            parts[-1][1].append(token)
    if len(parts) > 1 and parts[-1][0].zero_word:
        raise Refusal("malformed_number", "no digit stands after the zero")
    return parts


def product(scales: Sequence[Token]) -> Decimal:
    """Multiply scale words that make one scale (thousand million, 万亿); others contradict each other."""
    if len(scales) > 2 or (
        len(scales) == 2 and not (scales[0].text in {"hundred", "thousand"} or scales[0].text == "万")
    ):
        raise Refusal("malformed_number", "the scales contradict each other")
    result = Decimal(1)
    for token in scales:
        result = EXACT.multiply(result, Decimal(str(token.meaning)))
    return result


def _add_up(parts: Sequence[tuple[Numeral, list[Token]]]) -> Decimal:
    above = section = Decimal(0)
    room = Decimal(10**16)  # what follows must be smaller than the place before it
    for index, (numeral, scales) in enumerate(parts):
        if numeral.decimals != 0 or any(token.text.isascii() for token in scales):
            raise Refusal("several_numbers", "only whole numbers with Chinese scales are added up")
        scale = product(scales)
        in_yi = scale >= _YI
        place = scale / _YI if in_yi else scale
        amount = numeral.value * place
        if amount >= room or (in_yi and above):
            raise Refusal("malformed_number", "the parts of the number do not descend")
        # With a section of its own a part says its place: 1亿500万 is 105,000,000
        if index and scale < _WAN and not numeral.padded and amount * 10 < room:
            raise Refusal("ambiguous_numeral", SKIPPED)
        section, room = section + amount, place
        if in_yi:
            above, section, room = section * _YI, Decimal(0), _YI
    return above + section
