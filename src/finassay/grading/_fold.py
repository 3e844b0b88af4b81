"""One spelling for characters that differ only in script or width; meaning is never changed."""

from __future__ import annotations

import re
import unicodedata

from finassay.grading._markup import unwrap
from finassay.grading._unparsed import Refusal

LONGEST = 256
"""Longest text read as one value: nobody prints a longer one, and every rule stays linear."""

_SUPERSCRIPTS = {**dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True)), "⁻": "-", "⁺": "+"}
_SPECIAL = {
    **dict.fromkeys("‐‑‒–−﹣－", "-"),
    **dict.fromkeys("’‘ʼ＇", "'"),
    **dict.fromkeys("△▲", "▲"),
    **dict.fromkeys("∼～〜˜", "~"),
    "￥": "¥", "￡": "£", "￠": "¢", "￦": "₩", "﹩": "$", "﹪": "%", "٪": "%",
    "٫": ".", "٬": "'", "，": ",", "﹐": ",", "．": ".", "×": "×", "✕": "×",
}  # fmt: skip
_HIDDEN = re.compile(
    "[\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\ufeff\u061c\u2066\u2067\u2068\u2069]+"
)


_MARKED = re.compile(r"[*`\\{]|__|\$.*\$|\$$", re.DOTALL)


def fold(text: str) -> str:
    r"""Return the text with ASCII digits and punctuation for their full-width twins, single spaces, no hidden marks.

    The marks of Markdown and LaTeX go (``**5**``, ``\boxed{5}``). A run of superscripts becomes ``^`` and plain digits.
    Nothing else changes: circled digits, fractions and ligatures stay what they are (NFKC would turn them into digits
    that nobody wrote).

    Parameters
    ----------
    text : str
        One value.

    Raises
    ------
    Refusal
        ``too_long`` over 256 characters.
    """
    text = text.strip()
    if len(text) > LONGEST:
        raise Refusal("too_long", f"one value has at most {LONGEST} characters")
    if _MARKED.search(text):
        text = unwrap(text)
    if not text.isascii():
        text = _fold_characters(text)
    return " ".join(text.split())


def _fold_characters(text: str) -> str:
    text = _HIDDEN.sub(lambda match: match.group() if _between_digits(match) else "", text)
    out: list[str] = []
    raised = False
    for character in text:
        if character in _SUPERSCRIPTS:
            out.append(_SUPERSCRIPTS[character] if raised else "^" + _SUPERSCRIPTS[character])
            raised = True
            continue
        raised = False
        out.append(_fold_one(character))
    return "".join(out)


def _between_digits(hidden: re.Match[str]) -> bool:
    # 5 and 6 with a hidden mark between them are not 56: the mark stays, and no rule reads it.
    around = (
        hidden.string[hidden.start() - 1 : hidden.start()],
        hidden.string[hidden.end() : hidden.end() + 1],
    )
    return all(character.isdecimal() for character in around)


def _fold_one(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    if "\uff01" <= character <= "\uff5e":
        return chr(ord(character) - 0xFEE0)
    return " " if unicodedata.category(character) == "Zs" else character
