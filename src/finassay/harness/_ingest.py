"""Rows of the results store from Inspect's logs: our own denominators, and never its headline metric."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finassay.core import InputError, hash_bytes, hash_file
from finassay.harness._log import header_of, log_files, samples_of
from finassay.results import ResultRow, expected_row, suite_statuses

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

PROFILE = "audited"
_STEPS, _SUBMISSION = "finassay:steps", "finassay:submission"
_ENDED = "finassay:ended"
_LIMITS = {"context": "context_overflow"}
_STOPS = {"content_filter": "refused", "model_length": "context_overflow", "max_tokens": "truncated"}
_SCORED = {"tools_absent": "invalid", "gold_error": "gold_error", "no_submission": "no_submission"}
_ENDPOINT = re.compile(
    r"EndpointError|ModelGenerateError|AttemptTimeoutError|StreamIdleTimeoutError|RetryError|httpx\.|httpcore\."
    r"|(?:openai|anthropic|google)\.\S*Error"
)


def read_eval_rows(place: Path) -> Iterator[ResultRow]:
    """Yield a row per attempt of each sample of a log, or of all logs of a folder.

    Parameters
    ----------
    place : Path
        An ``.eval`` log of a finassay task, or a folder of them. Logs of one run (its shards, its retries) belong
        together: a sample that a retry took over is read once, and what it did again is its next attempt.

    Yields
    ------
    ResultRow
        A sample that belongs to the run and has no attempt has a row that says so.

    Raises
    ------
    InputError
        ``bad_log``, ``no_log``; ``foreign_log``: a log of another task than ours.
    """
    headers = [(path, header_of(path)) for path in log_files(place)]
    seen: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    expected: dict[tuple[str, str, int], dict[str, Any]] = {}
    for path, header in sorted(headers, key=lambda item: (item[1].eval.created, item[0])):
        columns = _run_columns(path, header)
        ids = header.eval.dataset.sample_ids or []
        for epoch in range(1, (header.eval.config.epochs or 1) + 1):
            for name in ids:
                key = (columns["run"], str(name), epoch)
                expected[key] = {**columns, "task": str(name), "sample": str(name), "epoch": epoch}
        for sample in samples_of(path):
            key = (columns["run"], str(sample.id), sample.epoch)
            attempts = seen[key]
            # A log of a retry tells of the attempts before it, which other logs may hold as well.
            for retried in (sample.error_retries or [])[len(attempts) :]:
                name = f"{sample.uuid}:{retried.message}:{len(attempts)}"
                attempts.append(name)
                yield _failed_row(columns, sample, len(attempts), retried.message)
            if sample.uuid in attempts:
                continue
            attempts.append(str(sample.uuid))
            yield _row(columns, sample, len(attempts))
    for key, columns in expected.items():
        if key not in seen:
            yield expected_row(**columns)


def _run_columns(path: Path, header: EvalLog) -> dict[str, Any]:
    """Return what all rows of a log say."""
    said = header.eval.metadata or {}
    if "finassay" not in said:
        raise InputError(
            f"{path} is the log of {header.eval.task}, which is no task of finassay.",
            hint="Only its own tasks say what a row needs: suite, version, agent.",
            reason="foreign_log",
        )
    return {
        "run": said.get("run") or header.eval.task_id,
        "suite": said["suite"],
        "suite_version": said["suite_version"],
        "suite_sha256": said["suite_sha256"],
        "agent": said["agent"],
        "guidance": said["guidance"],
        "model": header.eval.model,
        "source": "eval_log",
        "log_sha256": hash_file(path),
    }


def _row(columns: dict[str, Any], sample: EvalSample, attempt: int) -> ResultRow:
    score = next(iter((sample.scores or {}).values()), None)
    told: dict[str, Any] = dict((score.metadata if score else None) or {})
    value = float(score.value) if score and isinstance(score.value, int | float) else math.nan
    status = _status(sample, told.get("status"))
    scores: dict[str, dict[str, float | None]] = {PROFILE: {"score": value}} if score else {}
    judged = suite_statuses(columns["suite"]).outcome(status, scores)
    steps = sample.store.get(_STEPS, [])
    answer = score.answer if score else None
    usage = list(sample.model_usage.values())
    read = sum(
        u.input_tokens + (u.input_tokens_cache_read or 0) + (u.input_tokens_cache_write or 0) for u in usage
    )
    costs = [u.total_cost for u in usage if u.total_cost is not None]
    return ResultRow(
        **columns,
        task=str(sample.metadata.get("task", sample.id)),
        sample=str(sample.id),
        epoch=sample.epoch,
        attempt=attempt,
        outcome=judged.outcome,
        status=status,
        scores=judged.scores,
        submission=answer,
        submission_sha256=hash_bytes(answer.encode("utf-8", "surrogatepass")) if answer else None,
        error_class=_error_class(sample.error.message) if sample.error else None,
        error=sample.error.message if sample.error else None,
        steps=sample.turn_count if sample.turn_count is not None else len(steps),
        tool_calls=Counter(step["tool"] for step in steps),
        tokens_in=read,
        tokens_out=sum(u.output_tokens for u in usage),
        tokens_cached=sum(u.input_tokens_cache_read or 0 for u in usage),
        cost_usd=sum(costs) if costs else None,
        seconds=sample.total_time,
        started_at=sample.started_at,
        finished_at=sample.completed_at,
        input_sha256=hash_bytes(str(sample.input).encode("utf-8", "surrogatepass")),
        extra=_extra(sample, told, steps),
    )


def _failed_row(columns: dict[str, Any], sample: EvalSample, attempt: int, message: str) -> ResultRow:
    """Return the row of an attempt that was given up and made again."""
    return ResultRow(
        **columns,
        task=str(sample.metadata.get("task", sample.id)),
        sample=str(sample.id),
        epoch=sample.epoch,
        attempt=attempt,
        outcome=suite_statuses(columns["suite"]).meaning("error").outcome,
        status="error",
        error_class=_error_class(message),
        error=message,
    )


def _status(sample: EvalSample, scored: str | None) -> str:
    """Say in a word of `finassay.results` how a sample ended."""
    submitted = sample.store.get(_SUBMISSION) is not None
    if scored == "tools_absent":
        return "invalid"
    if sample.error is not None:
        return "api_error" if _ENDPOINT.search(sample.error.traceback or "") else "error"
    if sample.limit is not None and not submitted:
        kind = str(sample.limit.type)
        return _LIMITS.get(kind, f"{kind}_limit")
    if not submitted and sample.store.get(_ENDED):
        return str(sample.store[_ENDED])
    if not submitted and sample.output.choices and sample.output.stop_reason in _STOPS:
        return _STOPS[sample.output.stop_reason]
    if scored is None:
        return "not_scored" if submitted else "no_submission"
    return _SCORED.get(scored, "ok")


def _extra(sample: EvalSample, told: dict[str, Any], steps: list[dict[str, Any]]) -> dict[str, Any]:
    failed = Counter(str(step.get("reason")) for step in steps if not step.get("ok"))
    return {
        "verdict": told.get("status"),
        "reasons": told.get("reasons", []),
        "failed_steps": dict(failed),
        "as_of": sample.metadata.get("as_of"),
        "language": sample.metadata.get("language"),
    }


def _error_class(message: str) -> str | None:
    found = re.match(r"\w+", message)
    return found[0] if found else None
