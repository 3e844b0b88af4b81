"""How a call ended: from what the zygote saw and the program said to one outcome with a message."""

from __future__ import annotations

import json
import os
import signal
from typing import Any, NamedTuple

from finassay.execution._types import CallResult, Limits, Outcome


class Ending(NamedTuple):
    """What was seen of a call's end; ``reply`` is None where the zygote did not live to tell."""

    reply: dict[str, Any] | None
    timed_out: bool
    out_of_memory: bool
    wall_ms: float


def call_result(limits: Limits, ending: Ending, captured: tuple[str, str, bool, bytes]) -> CallResult:
    """Judge the end of a call. What the program itself reports only ever explains an exit status that is not 0."""
    out, err, truncated, report = captured
    reply = ending.reply or {}
    status = reply.get("status")
    code = os.waitstatus_to_exitcode(status) if isinstance(status, int) else None
    cpu_s = float(reply.get("cpu_s", 0.0))
    outcome, error = _judge(limits, ending, code, cpu_s, _read_report(report))
    return CallResult(
        outcome=outcome,
        exit_code=code if code is not None and code >= 0 else None,
        signal=-code if code is not None and code < 0 else None,
        stdout=out,
        stderr=err,
        truncated=truncated,
        error=error,
        wall_ms=ending.wall_ms,
        cpu_ms=cpu_s * 1000,
        max_rss=reply.get("max_rss") or None,
    )


def _judge(
    limits: Limits, ending: Ending, code: int | None, cpu_s: float, report: dict[str, Any] | None
) -> tuple[Outcome, dict[str, Any] | None]:
    breach = ending.reply.get("breach") if ending.reply else None
    if breach == "cpu" or code == -signal.SIGXCPU or (code == -signal.SIGKILL and cpu_s >= limits.cpu_s):
        return Outcome.TIMEOUT, _error("CpuLimit", f"It used more than {limits.cpu_s:g} s of CPU time.")
    if (
        breach == "memory" or ending.out_of_memory
    ):  # whichever process the kernel took; others may wait for it
        return Outcome.MEMORY, _error("MemoryLimit", f"It took more than {_size(limits.memory)} of memory.")
    if ending.timed_out:
        return Outcome.TIMEOUT, _error("TimeLimit", f"It ran longer than {limits.wall_s:g} s.")
    if breach == "scratch":
        text = f"It left more than {_size(limits.scratch)} in its scratch folder."
        return Outcome.KILLED, _error("ScratchLimit", text)
    if breach == "files":
        return Outcome.KILLED, _error(
            "ScratchLimit", "It made more files, or nested them deeper, than is allowed."
        )
    if code is None:
        return Outcome.KILLED, _error("Killed", "It brought down its own interpreter.")
    if code < 0:
        return Outcome.KILLED, _error("Killed", f"It was ended by the signal {_signal_name(-code)}.")
    if code == 0:
        return Outcome.OK, None
    if report is None:
        return Outcome.ERROR, _error("SystemExit", f"It ended with the exit status {code}.")
    memory = bool(report.pop("memory", False))
    return (Outcome.MEMORY if memory else Outcome.ERROR), report


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"type": kind, "message": message, "traceback": "", "line": None, "cell": None}


def _read_report(data: bytes) -> dict[str, Any] | None:
    """Read the exception that the program reported, believing none of its types."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    line = value.get("line")
    return {
        **{key: str(value.get(key, "")) for key in ("type", "message", "traceback")},
        "line": line if isinstance(line, int) else None,
        "cell": None,
        "memory": value.get("memory") is True,
    }


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _size(count: int) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} bytes"
