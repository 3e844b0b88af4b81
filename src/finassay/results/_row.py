"""The row of the results store: what became of one attempt at one sample, whatever run it came from."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA_VERSION = 1
HEADLINE = "score"  # the name, in each profile, of the score that the headline rate counts
RIGHT = 1.0  # the least headline score that is right
EXPECTED = 0  # the attempt of a row that only says that a sample belongs to the run
MISSING = "missing"  # the status of such a row

_DEEPEST = 64  # of JSON in `extra`
_SURROGATE = re.compile("[\ud800-\udfff]")


class Outcome(StrEnum):
    """What became of an attempt (DESIGN.md, section 7); each of them counts in the denominator.

    ``SCORED``: the answer was judged, or there is none to judge. ``LIMIT``: a limit of messages, tokens, time or cost
    ended it. ``ERROR``: the run broke. ``REFUSED``: the model declined. ``UNSCORED``: nobody judged it yet.
    """

    SCORED = "scored"
    ERROR = "error"
    LIMIT = "limit"
    REFUSED = "refused"
    UNSCORED = "unscored"


def _clean(value: object) -> object:
    """Write halves of characters, which models send and UTF-8 lacks, as escapes."""
    if not isinstance(value, str) or value.isascii():
        return value
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", value)


def cleaned(value: Any, deep: int = 0) -> Any:
    """Return a JSON value without halves of characters, and with NaN and infinities as texts.

    Raises
    ------
    ValueError
        It is nested more than 64 deep.
    """
    if deep > _DEEPEST:
        raise ValueError(f"nested more than {_DEEPEST} deep")
    if isinstance(value, dict):
        return {str(_clean(key)): cleaned(item, deep + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(item, deep + 1) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such number
    return _clean(value)


def _json(value: object) -> object:
    return cleaned(value)


def _ordered(value: object) -> object:
    """Put the entries of a mapping in the order of their keys: equal rows are equal bytes."""
    return {key: value[key] for key in sorted(value, key=str)} if isinstance(value, dict) else value


def _score(value: object) -> object:
    """Read NaN as no score."""
    return None if isinstance(value, float) and math.isnan(value) else value


Text = Annotated[str, BeforeValidator(_clean)]
Name = Annotated[str, BeforeValidator(_clean), Field(min_length=1)]
Count = Annotated[int, Field(ge=0, lt=2**63)]
Measure = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Score = Annotated[Annotated[float, Field(allow_inf_nan=False)] | None, BeforeValidator(_score)]
Scores = Annotated[dict[Name, Score], BeforeValidator(_ordered)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class AuditLabel(BaseModel):
    """What an audit said of a submission: a code, the evidence, and how sure it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    code: Name = Field(description="`A1`, `B2`, …, as the audit names it.")
    status: Name = Field(description="`confirmed`, `unresolved`, `rejected`.")
    evidence: Text = ""


class RowKey(NamedTuple):
    """What tells rows apart, in the order in which a file holds them."""

    run: str
    suite: str
    suite_version: str
    task: str
    sample: str
    epoch: int
    attempt: int

    def __str__(self) -> str:
        return (
            f"run {self.run!r}, {self.suite} {self.suite_version}, task {self.task!r}, sample {self.sample!r}, "
            f"epoch {self.epoch}, attempt {self.attempt}"
        )


class ResultRow(BaseModel):
    """One attempt at one sample of a run.

    Null means that the source does not say. NaN as a score is read as null. Text keeps what it was, except for halves
    of characters (lone surrogates), which become escapes. Times are the source's own; nothing here reads a clock.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: Name = Field(
        description="The run: one model, agent and configuration over one version of one suite."
    )
    suite: Name = Field(description="`buysideflow`, `bizfinbench`, `findeepindicator`, `smoke`.")
    suite_version: Name = Field(description="Of its tasks; runs are compared only where it is equal.")
    task: Name = Field(
        description="The question that is asked. Samples of one task are variants of it and are resampled together."
    )
    sample: Name = Field(description="The id of the sample in the suite.")
    epoch: int = Field(default=1, ge=1, lt=2**31, description="The repetition of the whole suite, from 1.")
    attempt: int = Field(
        default=1,
        ge=0,
        lt=2**31,
        description="From 1; the last one counts. 0: no attempt; the row says that the sample belongs to the run.",
    )
    source: Name = Field(description="The format that it was read from: `eval_log`, `predictions`, ….")
    model: Text | None = Field(default=None, description="As the source names it.")
    agent: Text | None = Field(default=None, description="The scaffold: `react_sql`, `swe_agent`, ….")
    guidance: Text | None = Field(default=None, description="`pit` or `none`.")
    outcome: Outcome = Field(description="What became of the attempt.")
    status: Name = Field(description="The item's status as the source says it; its suite says what it means.")
    scores: Annotated[dict[Name, Scores], BeforeValidator(_ordered)] = Field(
        default_factory=dict,
        description="By profile, then by name; `score` is the headline, 1 means right. Null: not judged.",
    )
    labels: tuple[AuditLabel, ...] = Field(default=(), description="What an audit said of the submission.")
    submission: Text | None = Field(default=None, description="The answer, as it was given.")
    error_class: Text | None = Field(default=None, description="The kind of the error: `TimeoutError`, ….")
    error: Text | None = Field(default=None, description="Its text.")
    steps: Count | None = Field(default=None, description="Turns of the agent.")
    tool_calls: Annotated[dict[Name, Count], BeforeValidator(_ordered)] = Field(
        default_factory=dict, description="How often each tool was called, by its name."
    )
    tokens_in: Count | None = Field(default=None, description="All input tokens, cached ones too.")
    tokens_out: Count | None = Field(default=None, description="Output tokens, those of reasoning too.")
    tokens_cached: Count | None = Field(default=None, description="Of `tokens_in`, read from a cache.")
    cost_usd: Measure | None = Field(default=None, description="US dollars.")
    seconds: Measure | None = Field(default=None, description="How long the attempt took.")
    started_at: Text | None = Field(default=None, description="As the source says it, ISO 8601.")
    finished_at: Text | None = Field(default=None, description="As the source says it, ISO 8601.")
    submission_sha256: Sha256 | None = Field(default=None, description="Of the submission, as UTF-8.")
    input_sha256: Sha256 | None = Field(default=None, description="Of what the sample gave to the agent.")
    log_sha256: Sha256 | None = Field(default=None, description="Of the file that it was read from.")
    suite_sha256: Sha256 | None = Field(default=None, description="Of the suite's tasks.")
    manifest_sha256: Sha256 | None = Field(default=None, description="Of the run's manifest.")
    extra: Annotated[dict[str, Any], BeforeValidator(_json)] = Field(
        default_factory=dict, description="Fields of the source that have no column, as JSON."
    )

    @property
    def key(self) -> RowKey:
        """What tells the row from every other."""
        return RowKey(
            self.run, self.suite, self.suite_version, self.task, self.sample, self.epoch, self.attempt
        )

    @property
    def is_expected(self) -> bool:
        """Whether the row only says that the sample belongs to the run; see `expected_row`."""
        return self.attempt == EXPECTED

    def headline(self, profile: str) -> float | None:
        """Return the headline score under a profile; None where it was not judged."""
        return self.scores.get(profile, {}).get(HEADLINE)


def expected_row(**columns: Any) -> ResultRow:
    """Return the row of a sample that belongs to a run and of which there is no attempt.

    It keeps the sample in the denominator. A row of an attempt at the same sample and epoch takes its place in every
    count, so parts of a run may each say what the whole holds, and be merged.

    Parameters
    ----------
    **columns : Any
        Columns of `ResultRow` that are of the run and the sample. What is of a log (`source`, `log_sha256`) is left
        out: whichever part of a run says it, the row is the same.
    """
    of_run = {name: value for name, value in columns.items() if name not in ("source", "log_sha256")}
    return ResultRow(attempt=EXPECTED, outcome=Outcome.UNSCORED, status=MISSING, source="expected", **of_run)


def arrow_schema() -> pa.Schema:
    """Return the Arrow schema of a file of rows; its metadata carry the version."""
    import pyarrow as pa

    text, whole, number = pa.string(), pa.int64(), pa.float64()
    needed = ("run", "suite", "suite_version", "task", "sample", "source", "outcome", "status")
    scores = pa.map_(text, pa.map_(text, number))
    label = pa.struct([pa.field(name, text, nullable=False) for name in ("code", "status", "evidence")])
    types: dict[str, pa.DataType] = {
        "epoch": pa.int32(),
        "attempt": pa.int32(),
        "scores": scores,
        "labels": pa.list_(label),
        "tool_calls": pa.map_(text, whole),
        **dict.fromkeys(("steps", "tokens_in", "tokens_out", "tokens_cached"), whole),
        **dict.fromkeys(("cost_usd", "seconds"), number),
    }
    filled = {*needed, "epoch", "attempt", "scores", "labels", "tool_calls", "extra"}
    fields = [
        pa.field(name, types.get(name, text), nullable=name not in filled) for name in ResultRow.model_fields
    ]
    return pa.schema(fields, metadata={"finassay.results.schema_version": str(SCHEMA_VERSION)})
