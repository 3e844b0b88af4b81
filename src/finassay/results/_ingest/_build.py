"""From what a source says of an item to a row: its status decides the outcome, its submission is looked at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from finassay.core import InputError, hash_bytes
from finassay.results._arrow import checked_row
from finassay.results._row import Outcome, ResultRow
from finassay.results._statuses import suite_statuses

MALFORMED, NO_SUBMISSION = "malformed", "no_submission"
_JSON_SUBMISSIONS = {"buysideflow"}  # suites whose submissions are one JSON object


@dataclass(frozen=True)
class RunFacts:
    """What the person who ingests says of a run; it holds where the source says something else.

    Attributes
    ----------
    suite, suite_version : str
        Of the tasks.
    run, model, agent, guidance : str, optional
        By default what the source says; a run without a name is named for its file or folder.
    profile : str, optional
        The profile of scores that come without one.
    """

    suite: str
    suite_version: str
    run: str | None = None
    model: str | None = None
    agent: str | None = None
    guidance: str | None = None
    profile: str | None = None

    def named(self, run: str) -> RunFacts:
        """Return the facts with a name for the run, where it has none."""
        return self if self.run else replace(self, run=run)


def build_row(facts: RunFacts, columns: Mapping[str, Any], where: str) -> ResultRow:
    """Return the row of an item.

    Parameters
    ----------
    facts : RunFacts
        Of the run.
    columns : mapping
        Columns of `ResultRow` as the source has them, without `outcome`; `scores` may be partial.
    where : str
        Where the item stands, for messages.

    Raises
    ------
    InputError
        ``unknown_status``, ``score_contradicts``, ``bad_row``; the message begins with the place.
    """
    given = {**columns, "suite": facts.suite, "suite_version": facts.suite_version}
    for name in ("run", "model", "agent", "guidance"):
        said = getattr(facts, name)
        if said is not None:
            given[name] = said
    given.setdefault("task", given.get("sample"))
    draft = checked_row({**given, "outcome": Outcome.UNSCORED}, where)
    seen = _looked_at(draft)
    try:
        judged = suite_statuses(facts.suite).outcome(str(seen.get("status", draft.status)), draft.scores)
    except InputError as error:
        raise InputError(f"{where}: {error.message}", hint=error.hint, reason=error.reason) from error
    if draft.submission is not None:
        seen["submission_sha256"] = hash_bytes(draft.submission.encode())
    scores = {profile: dict(sorted(judged.scores[profile].items())) for profile in sorted(judged.scores)}
    return draft.model_copy(update={**seen, "outcome": judged.outcome, "scores": scores})


def _looked_at(draft: ResultRow) -> dict[str, Any]:
    """Return what is otherwise where an answer that was handed in is none, or is malformed."""
    meaning = suite_statuses(draft.suite).meanings.get(draft.status)
    if meaning is None or meaning.outcome is not Outcome.SCORED or meaning.scores:
        return {}
    said = {**draft.extra, "source_status": draft.status}
    if not draft.submission or not draft.submission.strip():
        judged_elsewhere = draft.labels or any(draft.scores.values())  # the answer itself was not handed on
        return {} if judged_elsewhere else {"status": NO_SUBMISSION, "extra": said}
    if draft.suite in _JSON_SUBMISSIONS and (wrong := _no_json_object(draft.submission)):
        return {"status": MALFORMED, "extra": said, "error": draft.error or wrong}
    return {}


def _no_json_object(text: str) -> str | None:
    """Say why a submission is no JSON object, or None."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        return f"the submission is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
    except RecursionError:
        return "the submission is nested too deeply"
    return None if isinstance(value, dict) else "the submission is JSON, but no object"
