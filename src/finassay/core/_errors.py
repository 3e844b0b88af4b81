"""The hierarchy of errors: whose fault it is decides the exit code and the outcome of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of every command (DESIGN.md, section 1)."""

    OK = 0
    FAILED = 1
    BAD_INPUT = 2
    UNKNOWN = 3
    INTERNAL = 4


def worst_exit_code(codes: Iterable[int]) -> ExitCode:
    """Combine the codes of many inputs: 4, else 2 if any, else 1, else 3, else 0.

    Parameters
    ----------
    codes : iterable of int
        One exit code per input; empty means nothing went wrong.

    Returns
    -------
    ExitCode
        The code of the whole.
    """
    seen = {ExitCode(code) for code in codes}
    for code in (ExitCode.INTERNAL, ExitCode.BAD_INPUT, ExitCode.FAILED, ExitCode.UNKNOWN):
        if code in seen:
            return code
    return ExitCode.OK


@dataclass(frozen=True)
class Place:
    """A place in a source text.

    Attributes
    ----------
    source : str
        What the text is: a file name, ``"<sql>"``, ``"cell 3"``.
    line : int
        One-based line.
    column : int or None
        One-based column, in characters.
    text : str
        The line itself, without its line end; empty when unknown.
    """

    source: str
    line: int
    column: int | None = None
    text: str = ""

    def __str__(self) -> str:
        where = f"{self.source}:{self.line}" + (f":{self.column}" if self.column else "")
        if not self.text:
            return where
        shown = self.text.replace("\t", " ")
        caret = f"\n    {' ' * (self.column - 1)}^" if self.column else ""
        return f"{where}\n    {shown}{caret}"


class FinassayError(Exception):
    """Base of every error raised on purpose.

    Parameters
    ----------
    message : str
        What was expected, what it was, and where.
    hint : str, optional
        What to do next, in one sentence.
    place : Place, optional
        Where in a source text.
    reason : str, optional
        A stable snake_case word for machines; by default the class's own.
    """

    exit_code: ExitCode = ExitCode.INTERNAL
    reason: str = "internal_error"

    def __init__(
        self, message: str, *, hint: str | None = None, place: Place | None = None, reason: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.place = place
        if reason is not None:
            self.reason = reason

    def __str__(self) -> str:
        parts = [self.message]
        if self.place is not None:
            parts.append(f"  at {self.place}")
        if self.hint:
            parts.append(f"  {self.hint}")
        return "\n".join(parts)

    def as_dict(self) -> dict[str, object]:
        """Return the error as JSON-ready values: reason, message, hint, place."""
        place = self.place
        return {
            "reason": self.reason,
            "message": self.message,
            "hint": self.hint,
            "place": None
            if place is None
            else {"source": place.source, "line": place.line, "column": place.column, "text": place.text},
        }


class InputError(FinassayError):
    """What the user gave is missing, unreadable or contradictory: exit code 2."""

    exit_code = ExitCode.BAD_INPUT
    reason = "bad_input"


class MissingExtraError(InputError):
    """A feature needs an optional dependency that is not installed."""

    reason = "missing_extra"

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs the optional dependencies '{extra}', which are not installed.",
            hint=f'Install them with: pip install "finassay[{extra}]"',
        )


class Undefined(InputError):
    """A measure or statistic that has no value on its input; ``reason`` says why. It is never replaced by 0 or 1."""

    reason = "undefined"


class CandidateError(FinassayError):
    """The program under evaluation is at fault: exit code 1."""

    exit_code = ExitCode.FAILED
    reason = "candidate_error"


class GoldError(FinassayError):
    """A reference, a gold answer or a contract is at fault: it is never scored as a wrong answer."""

    exit_code = ExitCode.INTERNAL
    reason = "gold_error"


class InternalError(FinassayError):
    """Our own failure: exit code 4, with a report to send."""
