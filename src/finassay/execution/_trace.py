"""The trace of a run: what ran, on what, under which limits, what it asked, how it ended, what it left."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from finassay.core import ExitCode
from finassay.execution._types import Mode, Outcome


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _all_unicode(cls, values: Any) -> Any:
        """Write halves of characters as escapes: programs may print them, JSON in UTF-8 cannot hold them."""
        if not isinstance(values, dict):
            return values
        return {
            key: text.encode("utf-8", "backslashreplace").decode() if isinstance(text, str) else text
            for key, text in values.items()
        }


class TracedProgram(_Model):
    """The program: where it came from, how it ran, and the SHA-256 of its submission."""

    source: str
    mode: Mode
    sha256: str


class TracedDatabase(_Model):
    """The database: its URL without the password, what it speaks, and the SHA-256 of its files where it has any."""

    url: str
    engine: str
    dialect: str
    sha256: str | None = Field(description="Of the file, or of the names and hashes of a folder's files.")


class TracedJail(_Model):
    """How the program was kept apart: the jail's name and what it really enforced on this machine."""

    name: str
    isolated: bool
    details: dict[str, str]


class TracedError(_Model):
    """What went wrong, in whose source, where. ``line``, ``column`` and ``cell`` count from 1."""

    reason: str
    message: str
    type: str | None = None
    traceback: str | None = None
    source: str | None = None
    line: int | None = None
    column: int | None = None
    text: str | None = None
    cell: int | None = None


class TracedQuery(_Model):
    """A statement the program sent. Those of route ``duckdb`` are reported from inside the jail."""

    index: int
    route: Literal["connector", "mysql", "postgres", "duckdb"]
    sql: str
    executed_sql: str | None
    status: Literal["ok", "error", "refused", "timeout"]
    rows: int | None
    bytes: int | None
    ms: float
    t_ms: float
    error: str | None
    warnings: list[str]


class TracedColumn(_Model):
    """A column of a result and its Arrow type."""

    name: str
    type: str


class TracedTable(_Model):
    """A result: its size, columns and content hash; ``file`` is its name in the output folder.

    ``head`` holds its first rows as JSON: decimals, dates and all that JSON has no form for are text.
    """

    name: str
    rows: int
    columns: list[TracedColumn]
    head: list[list[JsonValue]]
    sha256: str
    file: str
    notes: list[str] = Field(default_factory=list)


class TracedFigure(_Model):
    """A figure: a PNG file of the output folder, and the JSON file with the data it draws, where that is known."""

    name: str
    file: str
    data_file: str | None
    sha256: str


class Timings(_Model):
    """Milliseconds: to start the jail and the broker, of the program, of the program's CPU, of all."""

    start_ms: float
    run_ms: float
    cpu_ms: float | None
    total_ms: float


class Trace(_Model):
    """Everything about a run that a reader needs to trust or repeat it."""

    version: Literal["1.0"] = "1.0"
    finassay: str
    program: TracedProgram
    database: TracedDatabase
    jail: TracedJail
    limits: dict[str, float]
    policy: dict[str, float]
    outcome: Outcome
    error: TracedError | None
    warnings: list[str]
    queries: list[TracedQuery]
    tables: list[TracedTable]
    figures: list[TracedFigure]
    abstract_chars: int | None = Field(description="Length of abstract.txt, null where there is none.")
    stdout: str
    stderr: str
    output_truncated: bool
    max_rss_bytes: int | None
    timings: Timings
    versions: dict[str, str]

    @property
    def exit_code(self) -> ExitCode:
        """0 where the run ended well, 1 where the program failed."""
        return ExitCode.OK if self.outcome is Outcome.OK else ExitCode.FAILED
