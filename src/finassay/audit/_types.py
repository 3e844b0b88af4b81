"""The words of an audit: verdicts, requirements, and the families of scenarios."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from finassay.core import ExitCode


class Verdict(StrEnum):
    """What an audit says of a program."""

    PASS = "PASS"  # noqa: S105 - a verdict
    FAIL = "FAIL"
    UNKNOWN = "UNKNOWN"

    @property
    def exit_code(self) -> ExitCode:
        """0 for PASS, 1 for FAIL, 3 for UNKNOWN."""
        return {"PASS": ExitCode.OK, "FAIL": ExitCode.FAILED, "UNKNOWN": ExitCode.UNKNOWN}[self.value]


class Requirement(StrEnum):
    """What a program must respect; the codes are those of the BuySideFlow paper, C.5."""

    DISCLOSURE = "A1"  # nothing that was disclosed after the cutoff
    STATE = "A2"  # no state of today in place of the state at the cutoff
    VERSION = "A3"  # the version, and the interval, that counted at the cutoff
    OMISSION = "A4"  # every source that the task requires is used; judged where there is one, or a reference


Mode = Literal["same", "known", "normal", "follow"]


@dataclass(frozen=True)
class Family:
    """A way to alter a table, and what a valid program does then (pit_audit.md, 2.3).

    Attributes
    ----------
    name : str
        Its name on the certificate.
    requirement : Requirement
        What a program that does otherwise violates.
    mode : {"same", "known", "normal", "follow"}
        ``same``: only what was not knowable is altered, so the output must not change. ``known``: things are moved
        past the cutoff, and the output must be that over what was known of the altered table. ``normal``: traps lie
        before the cutoff, and the output must be that over the normal form of the altered table. ``follow``: what
        was known is altered; nothing is demanded, but where a reference moves, a program must move too.
    says : str
        What is done to the table, in words.
    stress : bool
        It does what the data do not have (level L3): a difference is only a warning.
    """

    name: str
    requirement: Requirement
    mode: Mode
    says: str
    stress: bool = False


NAME_MARK = "\u2060"  # in a name that was altered, to tell where it is printed: no name has one

_A1, _A2, _A3 = Requirement.DISCLOSURE, Requirement.STATE, Requirement.VERSION
_A4 = Requirement.OMISSION

REMOVED = Family("unknown_rows_removed", _A1, "same", "rows not yet known are removed")
THINNED = Family("unknown_rows_thinned", _A1, "same", "two fifths of the rows not yet known are removed")
SCRAMBLED = Family("unknown_values_changed", _A1, "same", "values not yet known are changed")
RESTATED = Family("later_version_added", _A1, "same", "versions disclosed from the cutoff on are added")
NEWCOMERS = Family(
    "first_rows_added", _A1, "same", "entities without a row get one that is disclosed from the cutoff on"
)
TO_COME = Family(
    "later_rows_added",
    _A1,
    "same",
    "rows not yet known are those of the last year, or weeks, once more: a year or four weeks on, with other values",
)
NEW_PENDING = Family(
    "first_rows_pending", _A3, "same", "entities without a row get one that was known and begins a day later"
)
NEW_ENDED = Family(
    "first_rows_ended", _A3, "same", "entities without a row get one that was known and had ended"
)
UNSTAGED = Family(
    "stages_changed",
    _A1,
    "same",
    "stages not yet disclosed are emptied where they are filled, and filled where not",
)
RENAMED = Family("names_changed", _A2, "same", "the names that are printed today are those of another state")
CURRENT = Family("current_state_changed", _A2, "same", "today's state and recording times are changed")
ENDED = Family("unknown_ends_set", _A2, "same", "ends that were not yet known are set or moved")
REOPENED = Family("unknown_ends_removed", _A2, "same", "ends that were not yet known are removed")
FUTURE = Family("not_yet_there", _A2, "known", "a fifth of the rows begin the day after the as-of date")
LATE = Family(
    "disclosed_late",
    _A1,
    "known",
    "two fifths of the known rows are disclosed right on the cutoff, half of these with other values",
)
LATE_TOO = Family(
    "others_disclosed_late",
    _A1,
    "known",
    "the other known rows, and all of every second entity, are disclosed right on the cutoff, most with other values",
)
GAPS = Family(
    "gaps_before_later_rows",
    _A1,
    "known",
    "a fifth of the known rows and all of every third entity are missing, and later rows have other values",
)
LATE_STAGES = Family(
    "stages_disclosed_late",
    _A1,
    "known",
    "stages of every other row are disclosed right on the cutoff, with other values",
)
UNDATED = Family("never_disclosed", _A1, "known", "a fifth of the known rows have no date of disclosure")
LATE_END = Family("end_disclosed_late", _A2, "known", "known ends are disclosed right on the cutoff")
AS_IS = Family("normal_form", _A3, "normal", "superseded, ended and pending rows are dropped")
SUPERSEDED = Family(
    "later_version_known", _A3, "normal", "a version known before the cutoff is added to each"
)
EMPTIED = Family(
    "later_version_empty", _A3, "normal", "a version without values known before the cutoff is added to each"
)
OLDER = Family("older_version_added", _A3, "normal", "a version disclosed a day earlier is added to each")
EXPIRED = Family("ended_before", _A3, "normal", "a fifth of the intervals that hold end on the as-of date")
PENDING = Family(
    "announced_not_effective", _A3, "normal", "a third of the intervals that hold begin a day later"
)
PENDING_TOO = Family(
    "others_not_effective",
    _A3,
    "normal",
    "the other intervals that hold begin a day later, with other values",
)
CHANGED = Family("known_values_changed", _A4, "follow", "known values are changed")
MISSING = Family("known_rows_removed", _A4, "follow", "two fifths of the known rows are removed")
MISSING_TOO = Family(
    "other_known_rows_removed", _A4, "follow", "the other three fifths of the known rows are removed"
)
ALIVE = Family("just_alive", _A4, "follow", "intervals that had ended are open still")
BACKDATED = Family("unknown_rows_made_known", _A4, "follow", "rows not yet known are known a day before")
NULLED = Family("later_version_null", _A3, "normal", "a version with NULLs is added to each", stress=True)
OVERLAP = Family("overlapping_intervals", _A3, "normal", "intervals overlap", stress=True)
INTRADAY = Family(
    "disclosed_in_the_day", _A1, "known", "rows are disclosed in the afternoon of the as-of date", stress=True
)

SAME = (
    REMOVED,
    THINNED,
    SCRAMBLED,
    CURRENT,
    ENDED,
    REOPENED,
    RESTATED,
    TO_COME,
    NEWCOMERS,
    NEW_PENDING,
    NEW_ENDED,
    UNSTAGED,
    RENAMED,
)
KNOWN = (FUTURE, LATE, LATE_TOO, GAPS, UNDATED, LATE_STAGES, LATE_END)
NORMAL = (AS_IS, SUPERSEDED, EMPTIED, OLDER, EXPIRED, PENDING, PENDING_TOO)
FAMILIES = (*SAME, *KNOWN, *NORMAL)
FOLLOW = (CHANGED, MISSING, MISSING_TOO, ALIVE, BACKDATED)
STRESS = (NULLED, OVERLAP, INTRADAY)
TRAPS = (
    SUPERSEDED,
    EXPIRED,
    PENDING,
    FUTURE,
    *FOLLOW,
)  # what lies before the cutoff, for a reference to follow
