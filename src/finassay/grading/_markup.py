"""What Markdown and LaTeX put around a value: emphasis, boxes, spaces, escaped signs. It states nothing."""

from __future__ import annotations

import re

_EMPHASIS = re.compile(r"(?<![0-9*])(\*{1,3})(?=[^\s*])([^*]*[^\s*])\1(?![0-9*])|(`+)([^`]+)\3")
_BOLD = re.compile(
    r"(?<![\w_])(__|___)(?=[^\s_])([^_]*\d[^_]*)(?<!\s)\1(?![\w_])"
)  # not a name such as __id__
_WRAPPER = re.compile(
    r"\\(?:boxed|fbox|text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|operatorname|mbox|underline|emph|displaystyle)"
    r"\s*\{((?:[^{}]|\{,\}|\^\{[^{}]*\})*)\}"
)
_MATH = re.compile(r"\$\$([^$]+)\$\$|\$((?:[^$]|\\\$)*[^$\\])\$|\\\((.+)\\\)|\\\[(.+)\\\]", re.DOTALL)
# Inside a text, as Markdown has it: no blank within the dollars, no digit behind: $5-$6 are two amounts of money.
_INLINE = re.compile(
    r"(?<![A-Za-z$\\])(\$\$?)(?=[^\s$])((?:[^$\\]|\\.)+)(?<!\s)\1(?![\d$])|\\\((.+?)\\\)|\\\[(.+?)\\\]"
)
_SPACE = re.compile(r"\\(?:[,;:! ]|quad\b|qquad\b|thinspace\b|left(?![a-z])|right(?![a-z])|displaystyle\b)")
_TIE = re.compile(r"(?<!~)~(?!~)")
_SIGNS = {
    "times": "×", "cdot": "·", "approx": "≈", "sim": "~", "pm": "±", "ge": "≥", "geq": "≥", "le": "≤", "leq": "≤",
    "gt": ">", "lt": "<", "yen": "¥", "pounds": "£", "euro": "€", "infty": "∞", "textyen": "¥", "texteuro": "€",
    "textsterling": "£", "textdollar": "$", "textminus": "-",
}  # fmt: skip
_SIGN = re.compile(rf"\\({'|'.join(sorted(_SIGNS, key=len, reverse=True))})(?![a-zA-Z]) ?")
_ESCAPED = re.compile(r"\\([%$#&_{}])")


def unwrap(text: str) -> str:
    r"""Return a value without the marks of Markdown and LaTeX around it; a command of another kind stays.

    ``**1,234**``, ``\boxed{12.3\%}``, ``$\approx 3.2\times10^{5}$``, ``\text{1{,}234 million}``. A pair of
    dollar signs around something is LaTeX, also inside a text (``$12.5$ million``); one is a currency. In LaTeX
    ``~`` is a blank.
    """
    if "*" in text or "`" in text:
        text = _EMPHASIS.sub(lambda match: match[2] or match[4], text)
    if "__" in text:
        text = _BOLD.sub(r"\2", text)
    if text[:1] in "$\\" and (math := _MATH.fullmatch(text)):
        text = next(group for group in math.groups() if group).replace("~", " ").strip()
    else:
        text = _INLINE.sub(lambda match: (match[2] or match[3] or match[4]).replace("~", " "), text)
    if "\\" not in text and "{" not in text:
        return text
    text = text.replace("~\\", " \\").replace("{,}", ",").replace("\\!", "")
    text = _SPACE.sub(" ", text)
    if _WRAPPER.search(text):  # a command of LaTeX: so are the blanks, but ~~ strikes out
        text = _TIE.sub(" ", text)
    before = ""
    while before != text:  # \boxed{\text{...}}: from the inside out
        before, text = text, _WRAPPER.sub(r"\1", text)
    text = _ESCAPED.sub(r"\1", _SIGN.sub(lambda match: _SIGNS[match[1]], text))
    return text.strip()
