"""Run a research program: a submission, the jail it runs in, the broker to its database, and the trace it leaves."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from finassay.execution._asof import AsOfServer, AsOfViews, as_of_views
    from finassay.execution._broker import Broker
    from finassay.execution._jail import Jail, JailSession, find_jail
    from finassay.execution._mounts import parse_mounts
    from finassay.execution._outputs import Figure, Outside, ResultTable
    from finassay.execution._repeat import Repeater, repeated
    from finassay.execution._run import Run, run
    from finassay.execution._shell import Shell, ShellLost, ShellResult
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
    from finassay.execution._workbench import Workbench
    from finassay.execution._write import check_output_folder, write_run

__all__ = [
    "AsOfServer",
    "AsOfViews",
    "Broker",
    "Call",
    "CallResult",
    "Figure",
    "Jail",
    "JailSession",
    "Limits",
    "Mount",
    "Outcome",
    "Outside",
    "QueryRecord",
    "Repeater",
    "ResultTable",
    "Run",
    "Shell",
    "ShellLost",
    "ShellResult",
    "Submission",
    "Trace",
    "Workbench",
    "as_of_views",
    "check_output_folder",
    "find_jail",
    "load_submission",
    "parse_mounts",
    "parse_submission",
    "repeated",
    "run",
    "write_run",
]

# Loaded when they are asked for: the database's process, which starts with every run, needs hardly any of it.
_PLACES = {
    "_asof": ("AsOfServer", "AsOfViews", "as_of_views"),
    "_broker": ("Broker",),
    "_jail": ("Jail", "JailSession", "find_jail"),
    "_mounts": ("parse_mounts",),
    "_outputs": ("Figure", "Outside", "ResultTable"),
    "_repeat": ("Repeater", "repeated"),
    "_run": ("Run", "run"),
    "_shell": ("Shell", "ShellLost", "ShellResult"),
    "_submission": ("load_submission", "parse_submission"),
    "_trace": ("Trace",),
    "_types": ("Call", "CallResult", "Limits", "Mount", "Outcome", "QueryRecord", "Submission"),
    "_workbench": ("Workbench",),
    "_write": ("check_output_folder", "write_run"),
}


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
