"""What Markdown and LaTeX put around a value: emphasis, boxes, spaces, escaped signs. It states nothing."""

from __future__ import annotations

import re

_EMPHASIS = re.compile(r"(?<![0-9*])(\*{1,3})(?=[^\s*])([^*]*[^\s*])\1(?![0-9*])|(`+)([^`]+)\3")
_WRAPPER = re.compile(
    r"\\(?:boxed|fbox|text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|operatorname|mbox|underline|emph|displaystyle)"
    r"\s*\{((?:[^{}]|\{,\}|\^\{[^{}]*\})*)\}"
)
_MATH = re.compile(r"\$\$([^$]+)\$\$|\$((?:[^$]|\\\$)*[^$\\])\$|\\\((.+)\\\)|\\\[(.+)\\\]", re.DOTALL)
_SPACE = re.compile(r"\\(?:[,;:! ]|quad\b|qquad\b|left(?![a-z])|right(?![a-z])|displaystyle\b)")
_SIGNS = {
    "times": "×", "cdot": "·", "approx": "≈", "sim": "~", "pm": "±", "ge": "≥", "geq": "≥", "le": "≤", "leq": "≤",
    "gt": ">", "lt": "<", "yen": "¥", "pounds": "£", "euro": "€", "infty": "∞", "textyen": "¥", "texteuro": "€",
    "textsterling": "£", "textdollar": "$", "textminus": "-",
}  # fmt: skip
_SIGN = re.compile(rf"\\({'|'.join(sorted(_SIGNS, key=len, reverse=True))})(?![a-zA-Z]) ?")
_ESCAPED = re.compile(r"\\([%$#&_{}])")


def unwrap(text: str) -> str:
    r"""Return a value without the marks of Markdown and LaTeX around it; a command of another kind stays.

    ``**1,234**``, ``\boxed{12.3\%}``, ``$\approx 3.2\times10^{5}$``, ``\text{1{,}234 million}``. A dollar sign on
    both ends is LaTeX; one is a currency.
    """
    if "*" in text or "`" in text:
        text = _EMPHASIS.sub(lambda match: match[2] or match[4], text)
    if text[:1] in "$\\" and (math := _MATH.fullmatch(text)):
        text = next(group for group in math.groups() if group).strip()
    if "\\" not in text and "{" not in text:
        return text
    text = text.replace("{,}", ",").replace("\\!", "")
    text = _SPACE.sub(" ", text)
    before = ""
    while before != text:  # \boxed{\text{...}}: from the inside out
        before, text = text, _WRAPPER.sub(r"\1", text)
    text = _ESCAPED.sub(r"\1", _SIGN.sub(lambda match: _SIGNS[match[1]], text))
    return text.strip()
