"""From a finished program to its trace."""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import finassay
from finassay.core import CandidateError, hash_json, hash_table
from finassay.execution._broker import STILL_RUNNING
from finassay.execution._moments import readable
from finassay.execution._trace import (
    Timings,
    Trace,
    TracedColumn,
    TracedDatabase,
    TracedError,
    TracedFigure,
    TracedJail,
    TracedProgram,
    TracedQuery,
    TracedTable,
)
from finassay.execution._types import CallResult, Limits, Outcome, QueryRecord, Submission
from finassay.execution._wire._backend import CLIENT_LEFT, OUT_OF_MEMORY
from finassay.execution._wire._log import ACCEPTED, ANSWERED

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.database import QueryPolicy
    from finassay.execution._outputs import Outputs

_HEAD_ROWS = 20
_HEAD_CHARS = 2000
_VERSIONED = ("duckdb", "pyarrow", "pandas", "numpy", "sqlglot", "polars", "pymysql", "psycopg", "sqlalchemy")


@dataclass(frozen=True)
class Ended:
    """How a program ended, whichever way it ran."""

    outcome: Outcome
    outputs: Outputs
    error: TracedError | None = None
    stdout: str = ""
    stderr: str = ""
    truncated: bool = False
    wall_ms: float = 0.0
    cpu_ms: float | None = None
    max_rss: int | None = None


@dataclass(frozen=True)
class Setting:
    """What a program ran in."""

    submission: Submission
    database: TracedDatabase
    jail: TracedJail
    limits: Limits
    policy: QueryPolicy


def sql_ended(
    source: str, error: CandidateError | None, records: Sequence[QueryRecord], outputs: Outputs, ms: float
) -> Ended:
    """Judge a SQL program by its one statement."""
    if error is None:
        return Ended(Outcome.OK, outputs, wall_ms=ms)
    status = records[-1].status if records else "error"
    outcome = {"refused": Outcome.POLICY, "timeout": Outcome.TIMEOUT}.get(status, Outcome.ERROR)
    if error.reason == "out_of_memory":
        outcome = Outcome.MEMORY
    place = error.place
    end = "" if error.message.endswith((".", "!", "?")) else "."
    message = error.message if error.hint is None else f"{error.message}{end} {error.hint}"
    traced = TracedError(
        reason=error.reason,
        message=message,
        source=source,
        line=place.line if place else None,
        column=place.column if place else None,
        text=place.text or None if place else None,
    )
    return Ended(outcome, outputs, traced, wall_ms=ms)


def python_ended(
    result: CallResult, recorded: Mapping[str, Any] | None, records: Sequence[QueryRecord], outputs: Outputs
) -> Ended:
    """Judge a Python program by what the jail saw; what the program recorded of itself only explains a failure."""
    outcome, error = result.outcome, None
    if outcome is Outcome.OK:
        if outputs.problem is not None:
            outcome, error = Outcome.ERROR, outputs.problem
    else:
        error = _explain(outcome, result, recorded)
        # A client rolls back after a refusal; what the protocol server answers by itself is not what failed.
        asked = [record for record in records if not {ANSWERED, ACCEPTED}.intersection(record.warnings)]
        of_statement = _of_statement(asked[-1]) if asked else None
        if (
            outcome is Outcome.ERROR
            and of_statement is not None
            and _tells(error, _causes(recorded), asked[-1])
        ):
            outcome, reason = of_statement
            error = error.model_copy(update={"reason": reason})
    return Ended(
        outcome,
        outputs,
        error,
        result.stdout,
        result.stderr,
        result.truncated,
        result.wall_ms,
        result.cpu_ms,
        result.max_rss,
    )


def _of_statement(record: QueryRecord) -> tuple[Outcome, str] | None:
    """Return the outcome and the reason of a program that ends with this statement's failure: those of SQL alone."""
    if record.status == "refused":
        return Outcome.POLICY, "query_refused"
    if record.status == "timeout":
        return Outcome.TIMEOUT, "query_timeout"
    if record.status == "error" and (record.error or "").startswith(OUT_OF_MEMORY):
        return Outcome.MEMORY, "out_of_memory"
    return None


def _tells(error: TracedError, causes: Sequence[str], record: QueryRecord) -> bool:
    """Whether a program's own failure is that of a statement, or came of it: drivers wrap the words, but keep them."""
    words = _letters(record.error or "")[:60]
    return any(words in _letters(text) for text in (error.message, error.traceback or "", *causes))


def _causes(recorded: Mapping[str, Any] | None) -> list[str]:
    told = (recorded or {}).get("causes")
    return [text for text in told if isinstance(text, str)][:10] if isinstance(told, list) else []


def _letters(text: str) -> str:
    """Return the letters and digits; a driver may show a message's line ends as an escape."""
    return "".join(filter(str.isalnum, re.sub(r"\\+[nrt]", " ", text)))


def _explain(outcome: Outcome, result: CallResult, recorded: Mapping[str, Any] | None) -> TracedError:
    reasons = {
        Outcome.TIMEOUT: "time_limit",
        Outcome.MEMORY: "memory_limit",
        Outcome.KILLED: "killed",
        Outcome.ERROR: "exception",
    }
    told = recorded if recorded and outcome in (Outcome.ERROR, Outcome.MEMORY) else {}
    seen = result.error or {}
    return TracedError(
        reason=reasons[outcome],
        message=str(told.get("message", seen.get("message", "It gave no reason.")))[:10_000],
        type=_text(told.get("type", seen.get("type"))),
        traceback=_text(told.get("traceback", seen.get("traceback"))) or None,
        source=_text(told.get("source")),
        line=_count(told.get("line", seen.get("line"))),
        column=_count(told.get("column")),
        text=_text(told.get("text")) or None,
        cell=_count(told.get("cell")),
    )


def _text(value: object) -> str | None:
    return value[:20_000] if isinstance(value, str) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9 else None


def build_trace(
    setting: Setting, ended: Ended, records: Sequence[QueryRecord], *, start_ms: float, total_ms: float
) -> Trace:
    """Put together everything that is known about a run."""
    submission, outputs = setting.submission, ended.outputs
    refused = sum(record.status == "refused" for record in records)
    warnings = list(outputs.warnings)
    if refused and ended.outcome is Outcome.OK:
        warnings.append(f"{refused} statement(s) were refused and the program went on")
    if not setting.jail.isolated:
        warnings.append(
            "the program was not isolated: it could read and write whatever its user can (--jail none)"
        )
    left = outputs.problem
    if (
        ended.outcome is not Outcome.OK
        and left is not None
        and left != ended.error
        and left.reason != "no_result"
    ):
        warnings.append(left.message)
    return Trace(
        finassay=finassay.__version__,
        program=TracedProgram(
            source=submission.source, mode=submission.mode, sha256=submission_hash(submission)
        ),
        database=setting.database,
        jail=setting.jail,
        limits={name: float(value) for name, value in asdict(setting.limits).items()},
        policy={
            "max_rows": float(setting.policy.max_rows),
            "max_bytes": float(setting.policy.max_bytes),
            "timeout_s": setting.policy.timeout_s,
        },
        outcome=ended.outcome,
        error=ended.error,
        warnings=warnings,
        queries=[_query(record) for record in _cut_short(records, ended.outcome)],
        tables=[_table(result.name, result.table, result.notes) for result in outputs.tables],
        figures=[
            TracedFigure(
                name=figure.name,
                file=f"{figure.name}.png",
                data_file=f"{figure.name}.json" if figure.data is not None else None,
                sha256=figure.sha256,
            )
            for figure in outputs.figures
        ],
        abstract_chars=None if outputs.abstract is None else len(outputs.abstract),
        stdout=ended.stdout,
        stderr=ended.stderr,
        output_truncated=ended.truncated,
        max_rss_bytes=ended.max_rss,
        timings=Timings(start_ms=start_ms, run_ms=ended.wall_ms, cpu_ms=ended.cpu_ms, total_ms=total_ms),
        versions=dict(_versions()),
    )


def submission_hash(submission: Submission) -> str:
    """Return the SHA-256 of what would run: mode, sources, cells and result variables, not the file's name."""
    value = asdict(submission)
    del value["source"]
    return hash_json(value)


def _cut_short(records: Sequence[QueryRecord], outcome: Outcome) -> list[QueryRecord]:
    """Give the statements that ended with a program whose time was over the status that says so."""
    cut = {CLIENT_LEFT, STILL_RUNNING} if outcome is Outcome.TIMEOUT else set()
    return [replace(record, status="timeout") if record.error in cut else record for record in records]


def _query(record: QueryRecord) -> TracedQuery:
    return TracedQuery(**{**asdict(record), "warnings": list(record.warnings)})


def _table(name: str, table: Any, notes: Sequence[str]) -> TracedTable:
    columns = [TracedColumn(name=field.name, type=str(field.type)) for field in table.schema]
    # `result.csv` is a program's own file: its table gets a name of its own beside the variable `result`.
    file = f"{name.replace('.', '_')}.parquet"
    return TracedTable(
        name=name,
        rows=table.num_rows,
        columns=columns,
        head=_head(table),
        sha256=hash_table(table),
        file=file,
        notes=list(notes),
    )


def _head(table: pa.Table) -> list[list[Any]]:
    """Return the first rows as JSON values."""
    columns = [[_json_value(value) for value in python_values(c)] for c in table.slice(0, _HEAD_ROWS).columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _json_value(value: object) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return value.hex() if isinstance(value, bytes) else str(value)[:_HEAD_CHARS]


def python_values(column: pa.ChunkedArray) -> list[Any]:
    """Return a column's values; where dates lie beyond those of Python, as text."""
    return list(readable(column).to_pylist())


@cache
def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _VERSIONED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
