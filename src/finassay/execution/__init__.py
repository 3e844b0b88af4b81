"""Run a research program: a submission, the jail it runs in, the broker to its database, and the trace it leaves."""

from __future__ import annotations

from finassay.execution._broker import Broker
from finassay.execution._jail import Jail, JailSession, find_jail
from finassay.execution._mounts import parse_mounts
from finassay.execution._outputs import Figure, ResultTable
from finassay.execution._run import Run, run
from finassay.execution._submission import load_submission, parse_submission
from finassay.execution._trace import Trace
from finassay.execution._types import (
    Call,
    CallResult,
    Limits,
    Mount,
    Outcome,
    QueryRecord,
    Submission,
)
from finassay.execution._write import check_output_folder, write_run

__all__ = [
    "Broker",
    "Call",
    "CallResult",
    "Figure",
    "Jail",
    "JailSession",
    "Limits",
    "Mount",
    "Outcome",
    "QueryRecord",
    "ResultTable",
    "Run",
    "Submission",
    "Trace",
    "check_output_folder",
    "find_jail",
    "load_submission",
    "parse_mounts",
    "parse_submission",
    "run",
    "write_run",
]
