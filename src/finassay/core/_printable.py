"""Text of others, made fit for a terminal."""

from __future__ import annotations

import unicodedata

_CONTROL = ("Cc", "Cf", "Cs", "Zl", "Zp")


def printable(text: str, keep: str = "\n\t") -> str:
    """Return a text with its control characters as escapes: they could move a cursor, or hide what is printed.

    Parameters
    ----------
    text : str
        Names, rows, messages: whatever was written by others.
    keep : str
        Control characters that stay; none in a name or a row, which could else pass for a line of ours.
    """
    return "".join(
        c.encode("unicode_escape").decode() if unicodedata.category(c) in _CONTROL and c not in keep else c
        for c in text
    )
