"""Predictions in JSONL, or a JSON list: one object per item, under our names for its columns or usual others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from finassay.core import InputError, hash_json
from finassay.results._ingest._build import NO_SUBMISSION, RunFacts, build_row
from finassay.results._ingest._fields import columns_of, need_sample
from finassay.results._ingest._files import Line, as_object, json_lines, read_json, survey
from finassay.results._row import HEADLINE, cleaned
from finassay.results._statuses import suite_statuses
from finassay.results._store import Placed

SOURCE = "predictions"
_ID_DIGITS = 16


def prediction_rows(path: Path, facts: RunFacts) -> Iterator[Placed]:
    """Yield a row per item of a file of predictions.

    Parameters
    ----------
    path : Path
        JSONL, or ``.json`` that holds a list.
    facts : RunFacts
        Of the run, which is by default named for the file.

    Raises
    ------
    InputError
        With the line: ``no_sample``, ``no_profile``, ``said_twice``, ``unknown_status``, ``suite_contradicts``, ….
    """
    lines, sha256 = record_lines(path)
    named = facts.named(path.stem)
    for record, where in lines:
        columns = {**_columns(record, named, where), "source": SOURCE, "log_sha256": sha256}
        yield Placed(build_row(_said(columns, facts, named), columns, where), where)


def record_lines(path: Path) -> tuple[Iterable[Line], str]:
    """Return the objects of a JSONL file, or of a JSON list, and the SHA-256 of its bytes."""
    if path.suffix.lower() != ".json":
        found = survey(path)
        return json_lines(path, found.encoding), found.sha256
    value, sha256 = read_json(path, unique=True)
    items = value if isinstance(value, list) else [value]
    places = [f"{path}, item {number}" for number in range(1, len(items) + 1)]
    return [Line(as_object(item, where), where) for item, where in zip(items, places, strict=True)], sha256


def _said(columns: dict[str, Any], facts: RunFacts, named: RunFacts) -> RunFacts:
    """Let the run that a line names hold where the person named none."""
    return facts if facts.run is None and columns.get("run") else named


def _columns(record: dict[str, Any], facts: RunFacts, where: str) -> dict[str, Any]:
    record = dict(record)
    try:
        asked = _taken_out(record)
    except ValueError as error:
        raise InputError(f"{where}: messages and choices are {error}.", reason="bad_row") from error
    bare = record.pop("score", None)
    columns = columns_of(record, where)
    extra = columns["extra"]
    for name in ("suite", "suite_version"):
        said = columns.pop(name, None)
        if said is not None and str(said) != getattr(facts, name):
            raise InputError(
                f"{where} is of {name} {said!r}, and you said {getattr(facts, name)!r}.",
                reason="suite_contradicts",
            )
    outcome = columns.pop("outcome", None)
    if outcome is not None:
        extra["source_outcome"] = outcome  # the outcome follows from the status
    if asked is not None:
        columns.setdefault("input_sha256", asked)
        columns.setdefault("sample", hash_json([asked, extra.get("gold_sha256")])[:_ID_DIGITS])
    columns["sample"] = need_sample(columns, where)
    if bare is not None:
        _add_score(columns, bare, facts, where)
    _look_at_answer(columns)
    return columns


def _taken_out(record: dict[str, Any]) -> str | None:
    """Put hashes for the question and its gold answer, which some files repeat in every line; return the former."""
    if "choices" in record and "messages" in record:
        record["gold_sha256"] = hash_json(cleaned(record.pop("choices")))
    return hash_json(cleaned(record.pop("messages"))) if "messages" in record else None


def _add_score(columns: dict[str, Any], score: Any, facts: RunFacts, where: str) -> None:
    """Put a score that comes without a profile under the one that the person named."""
    if facts.profile is None:
        names = suite_statuses(facts.suite).profiles
        raise InputError(
            f"{where} has a score, and nothing says under which profile.",
            hint=f"Give --profile {' or '.join(names)}.",
            reason="no_profile",
        )
    scores = columns.setdefault("scores", {})
    of = scores.setdefault(facts.profile, {}) if isinstance(scores, dict) else None
    if not isinstance(of, dict) or HEADLINE in of:
        raise InputError(f"{where} gives the score under {facts.profile} twice.", reason="said_twice")
    of[HEADLINE] = score


def _look_at_answer(columns: dict[str, Any]) -> None:
    """Say how an item ended that has no status: by its error, its answer, or that it has none."""
    answer = columns.get("submission")
    failure = answer.get("error") if isinstance(answer, dict) and set(answer) == {"error"} else None
    if failure is not None:  # what the released BizFinBench runner stores when the provider fails
        columns.update(submission=None, error=columns.get("error") or str(failure))
        columns.setdefault("status", "api_error")
    elif answer is not None and not isinstance(answer, str):
        columns["submission"] = json.dumps(answer, ensure_ascii=False)
    if "status" not in columns:
        judged = bool(columns.get("scores"))
        columns["status"] = "error" if columns.get("error") else "ok" if answer or judged else NO_SUBMISSION
