"""The values of this room: a submission, its limits, what came out and the trace it leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

Mode = Literal["sql", "python", "sql+python"]


@dataclass(frozen=True)
class Submission:
    """A research program to run.

    Attributes
    ----------
    mode : {"sql", "python", "sql+python"}
        What runs: the statement alone; the Python alone; the Python with the statement in the variable ``sql_code``.
    sql_code, python_code : str or None
        The sources.
    result_vars : tuple of str
        Variables collected from the Python namespace; empty means ``result``.
    source : str
        Where it came from, for messages: a file name or ``"<submission>"``.
    cells : tuple of str
        The code cells of a notebook in order; empty for a plain program. ``python_code`` then joins them.
    """

    mode: Mode
    sql_code: str | None = None
    python_code: str | None = None
    result_vars: tuple[str, ...] = ()
    source: str = "<submission>"
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Limits:
    """What a run may use. Sizes are bytes, times are seconds.

    ``wall_s`` and ``cpu_s`` count for the whole run, ``memory`` is the address space of each process and, where a
    memory cgroup can be had, the resident memory of all of them together.
    """

    wall_s: float = 120.0
    cpu_s: float = 120.0
    memory: int = 4 << 30
    file_size: int = 256 << 20
    scratch: int = 1 << 30
    processes: int = 64
    output_chars: int = 100_000


class Outcome(StrEnum):
    """How a run ended."""

    OK = "ok"
    ERROR = "error"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    KILLED = "killed"
    POLICY = "policy"


@dataclass(frozen=True)
class Mount:
    """A file or folder of the user's that the jail sees read-only, at ``target`` (absolute, inside the jail)."""

    source: Path
    target: str


@dataclass(frozen=True)
class Call:
    """One call into a running jail: a Python source and where its files lie.

    Attributes
    ----------
    code : str
        Python source, run in a fresh namespace as ``__main__``.
    filename : str
        The name that tracebacks show.
    env : dict
        Extra environment variables.
    limits : Limits
        Limits of this call.
    """

    code: str
    filename: str = "program.py"
    env: dict[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class CallResult:
    """How a call ended.

    Attributes
    ----------
    outcome : Outcome
        What the jail saw; a policy outcome is decided above the jail.
    exit_code : int or None
        The process's exit status; None when a signal ended it.
    signal : int or None
        The signal that ended it.
    stdout, stderr : str
        Captured text, decoded as UTF-8 with replacement, capped at ``limits.output_chars`` each.
    truncated : bool
        Whether either was capped.
    error : dict or None
        For every outcome but ``ok``: ``type``, ``message``, ``traceback``, ``line`` in the source, ``cell``.
    wall_ms, cpu_ms : float
        Times.
    max_rss : int or None
        Peak resident memory in bytes.
    """

    outcome: Outcome
    exit_code: int | None
    signal: int | None
    stdout: str
    stderr: str
    truncated: bool
    error: dict[str, Any] | None
    wall_ms: float
    cpu_ms: float
    max_rss: int | None


@dataclass(frozen=True)
class QueryRecord:
    """One statement that the candidate sent, in order: the query log of a run.

    ``route`` says how it came: ``connector``, ``mysql``, ``postgres``, ``duckdb``. ``status`` is ``ok``, ``error``,
    ``refused`` or ``timeout``. ``t_ms`` counts from the start of the run.
    """

    index: int
    route: str
    sql: str
    executed_sql: str | None
    status: str
    rows: int | None
    bytes: int | None
    ms: float
    t_ms: float
    error: str | None = None
    warnings: tuple[str, ...] = ()
