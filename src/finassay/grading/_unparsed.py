"""The one way a typed value says no: the text does not say what was asked, and this is why."""

from __future__ import annotations

from finassay.core import InputError

_SHOWN = 80


class Refusal(Exception):
    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def shorten(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def raw_text(raw: object) -> str:
    """Return the text of any value, also of one that has none (an integer of 5,000 digits, a broken ``__str__``)."""
    try:
        return str(raw)
    except Exception:  # noqa: BLE001 - whatever it raises, the value is refused by its type or its length
        return f"<{type(raw).__name__} that cannot be printed>"


def printable(text: str) -> str:
    """Return the text; where it is not Unicode (a lone surrogate), a text that says so and equals no value."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"<not Unicode: {text.encode(errors='backslashreplace').decode()!r}>"
    return text


class Unparsed(InputError):
    """A value that cannot be read as the type asked for, without guessing.

    Parameters
    ----------
    expected : str
        What was expected: ``"a number"``, ``"a date"``.
    text : str
        The value as it was given.
    reason : str
        A stable snake_case word; the list is in ``docs/reference/values.md``.
    detail : str, optional
        What exactly is in the way.

    Attributes
    ----------
    text : str
        The value as it was given (whole).
    """

    def __init__(self, expected: str, text: str, reason: str, detail: str = "") -> None:
        because = f": {detail}" if detail else ""
        super().__init__(f"Expected {expected}, found {shorten(text)!r} ({reason}){because}.", reason=reason)
        self.text = text


class UnitMismatch(InputError):
    """A conversion that the stated unit does not allow."""

    reason = "unit_mismatch"
