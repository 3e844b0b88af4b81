"""What the status of an item means: its outcome, and the scores that it settles (`statuses.yaml`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

from finassay.core import InputError, shown
from finassay.results._row import HEADLINE, RIGHT, Outcome

ProfileScores = dict[str, dict[str, float | None]]


@dataclass(frozen=True)
class Meaning:
    """What a status means.

    Attributes
    ----------
    outcome : Outcome
        What became of the attempt.
    scores : dict of str to float
        By profile, the headline score of an item of which the source gives none.
    says : str
        The same for people.
    """

    outcome: Outcome
    scores: dict[str, float]
    says: str


@dataclass(frozen=True)
class SuiteStatuses:
    """The statuses of a suite, by their names or patterns, and the profiles that score it."""

    suite: str
    profiles: tuple[str, ...]
    meanings: Mapping[str, Meaning]

    def meaning(self, status: str) -> Meaning:
        """Return what a status means.

        Raises
        ------
        InputError
            ``unknown_status``: the suite has no such status.
        """
        if status in self.meanings:
            return self.meanings[status]
        for pattern, meaning in self.meanings.items():
            if "*" in pattern and fnmatchcase(status, pattern):
                return meaning
        near = get_close_matches(status, self.meanings, 1)
        raise InputError(
            f"The suite {self.suite} has no status {shown(status)}.",
            hint=(f"Did you mean {near[0]!r}? " if near else "")
            + "docs/reference/results.md lists the statuses; none is guessed.",
            reason="unknown_status",
        )

    def outcome(self, status: str, scores: Mapping[str, Mapping[str, float | None]]) -> Judgement:
        """Return the outcome of an item, and its scores.

        Parameters
        ----------
        status : str
            As the source says it.
        scores : mapping
            What the source says, by profile and name; None or NaN: not judged.

        Returns
        -------
        Judgement
            ``scored`` without a headline score under any profile is ``unscored``.

        Raises
        ------
        InputError
            ``unknown_status``, or ``score_contradicts``: right by its score and wrong by its status, or the other way.
        """
        meaning = self.meaning(status)
        found = {
            profile: {name: _judged(value) for name, value in of.items()} for profile, of in scores.items()
        }
        for profile, score in meaning.scores.items():
            said = found.setdefault(profile, {}).setdefault(HEADLINE, score)
            if said is None:
                found[profile][HEADLINE] = score
            elif (said >= RIGHT) != (score >= RIGHT):
                told = f"{score:g} under {profile}, but the source says {said:g}"
                raise InputError(
                    f"Status {shown(status)} scores {told}.",
                    hint="Correct the status, or leave out the score.",
                    reason="score_contradicts",
                )
        judged = any(of.get(HEADLINE) is not None for of in found.values())
        if meaning.outcome is Outcome.SCORED and not judged:
            return Judgement(Outcome.UNSCORED, found)
        return Judgement(meaning.outcome, found)


@dataclass(frozen=True)
class Judgement:
    """What became of an item: its outcome, and its scores by profile and name."""

    outcome: Outcome
    scores: ProfileScores


def suite_statuses(suite: str) -> SuiteStatuses:
    """Return the statuses of a suite.

    Raises
    ------
    InputError
        ``unknown_suite``: there is no such suite; the message lists those that there are.
    """
    tables = _tables()
    if suite not in tables:
        raise InputError(
            f"There is no suite {shown(suite)}.",
            hint=f"Suites are {', '.join(sorted(tables))}.",
            reason="unknown_suite",
        )
    return tables[suite]


def label_status(status: str) -> str:
    """Return what the status of an audit's label means: ``confirmed``, ``unresolved`` or ``rejected``.

    Raises
    ------
    InputError
        ``unknown_status``.
    """
    table = _data()["labels"]
    for meaning in ("confirmed", "unresolved", "rejected"):
        if status.strip().lower() in table[meaning]:
            return meaning
    known = ", ".join(word for meaning in ("confirmed", "unresolved", "rejected") for word in table[meaning])
    raise InputError(
        f"Labels have no status {shown(status)}.", hint=f"Statuses are {known}.", reason="unknown_status"
    )


def is_no_code(code: str) -> bool:
    """Tell whether the code of a label says that nothing was found."""
    return code.strip().lower() in _data()["labels"]["nothing"]


@cache
def _data() -> dict[str, Any]:
    import yaml

    text = files("finassay.results").joinpath("statuses.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


@cache
def _tables() -> dict[str, SuiteStatuses]:
    data = _data()
    return {
        suite: SuiteStatuses(
            suite,
            tuple(entry["profiles"]),
            {
                status: _meaning(given, tuple(entry["profiles"]))
                for status, given in {**data["common"], **entry["statuses"]}.items()
            },
        )
        for suite, entry in data["suites"].items()
    }


def _meaning(given: Mapping[str, Any], profiles: tuple[str, ...]) -> Meaning:
    score = given.get("score", {})
    scores = score if isinstance(score, dict) else dict.fromkeys(profiles, score)
    return Meaning(
        Outcome(given["outcome"]), {name: float(value) for name, value in scores.items()}, given["says"]
    )


def _judged(score: float | None) -> float | None:
    """Read NaN as not judged."""
    return None if score is None or math.isnan(score) else float(score)
