"""Enumerations: one of a stated list of choices, by its name or a stated alias."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from finassay.core import InputError
from finassay.grading._missing import is_missing, plain
from finassay.grading._unparsed import Unparsed, raw_text


def parse_enumeration(raw: object, choices: Mapping[str, Iterable[str]]) -> str:
    """Return the canonical choice that a text names.

    Names are compared after Unicode NFKC and case folding, with spaces, hyphens and underscores taken as one space;
    nothing is matched by similarity.

    Parameters
    ----------
    raw : object
        Text, or a boolean or integer compared by its printed form.
    choices : mapping of str to iterable of str
        Each canonical name with its aliases; the canonical name is its own alias.

    Returns
    -------
    str
        A key of `choices`.

    Raises
    ------
    Unparsed
        ``unknown_choice``; ``missing``, when the value is missing and no choice is spelled so.
    InputError
        When one alias belongs to two choices.
    """
    table = _table(choices)
    text = raw if isinstance(raw, str) else raw_text(plain(raw))
    found = table.get(_key(text))
    if found is not None:
        return found
    expected = "one of " + ", ".join(choices)
    if is_missing(raw):
        raise Unparsed(expected, text, "missing", "the value is missing")
    raise Unparsed(expected, text, "unknown_choice")


def _table(choices: Mapping[str, Iterable[str]]) -> dict[str, str]:
    table: dict[str, str] = {}
    for canonical, aliases in choices.items():
        for name in (canonical, *aliases):
            other = table.setdefault(_key(name), canonical)
            if other != canonical:
                raise InputError(
                    f"The name {name!r} belongs to two choices, {other!r} and {canonical!r}.",
                    hint="Give each alias to one choice.",
                    reason="ambiguous_alias",
                )
    return table


def _key(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(folded.replace("-", " ").replace("_", " ").split()) or folded.strip()
