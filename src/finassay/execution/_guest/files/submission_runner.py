"""Runs inside the jail: the candidate's program cell by cell, then writes what it left. Standard library only.

Nothing here is trusted by the host: the candidate shares this process. What it writes is read as hostile data.
"""

from __future__ import annotations

import builtins
import json
import linecache
import os
import sys
import traceback
import types
from typing import Any

OUT = ".finassay"


def main() -> None:
    """Run the job in the folder named by FINASSAY_JOB and leave its outputs in the working directory."""
    with open(os.path.join(os.environ["FINASSAY_JOB"], "job.json"), encoding="utf-8") as stream:
        job = json.load(stream)
    os.makedirs(OUT, exist_ok=True)
    import figure_capture
    import finassay_outside

    try:
        import finassay_duckdb

        finassay_duckdb.install()
    except ImportError:  # an interpreter without DuckDB
        pass
    capture = figure_capture.install(OUT)
    module = _fresh_main(job)
    names = {_filename(job, number) for number in range(1, len(job["cells"]) + 1)}
    finassay_outside.install(OUT, names, "\n".join(job["cells"]))
    try:
        _run_cells(job, module.__dict__)
        capture.finish()
        _write_results(job, module.__dict__)
    except SystemExit as stop:
        if stop.code not in (None, 0):
            _write_json("error.json", _describe(stop, job))
            raise
        capture.finish()
        _write_results(job, module.__dict__)
    except BaseException as error:
        found = _describe(error, job)
        _write_json("error.json", found)
        if isinstance(error, MemoryError) or found["type"] == "OutOfMemoryException":
            raise  # the jail tells this apart from other errors
        sys.stderr.write(found["traceback"])
        sys.exit(1)


def _fresh_main(job: dict[str, Any]) -> types.ModuleType:
    module = types.ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins, __file__=os.path.join(os.getcwd(), job["source"]))
    if job["notebook"]:
        module.__dict__["display"] = lambda *values, **_: print(*values, sep="\n")
    if job["sql_code"] is not None:
        module.__dict__["sql_code"] = job["sql_code"]
    sys.modules["__main__"] = module
    sys.argv = [job["source"]]
    sys.path.insert(0, os.getcwd())
    return module


def _filename(job: dict[str, Any], number: int) -> str:
    return f"{job['source']}, cell {number}" if job["notebook"] else job["source"]


def _run_cells(job: dict[str, Any], namespace: dict[str, Any]) -> None:
    for number, cell in enumerate(job["cells"], start=1):
        name = _filename(job, number)
        linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
        exec(compile(cell, name, "exec", dont_inherit=True), namespace)


def _describe(error: BaseException, job: dict[str, Any]) -> dict[str, Any]:
    """Where it failed in the candidate's own source, and the part of the traceback that is about it."""
    names = {_filename(job, number): number for number in range(1, len(job["cells"]) + 1)}
    frames = traceback.extract_tb(error.__traceback__)
    first = next((k for k, frame in enumerate(frames) if frame.filename in names), None)
    own = [frame for frame in frames if frame.filename in names]
    line = own[-1].lineno if own else None
    column = own[-1].colno + 1 if own and own[-1].colno is not None else None
    name = own[-1].filename if own else None
    if isinstance(error, SyntaxError) and error.filename in names:
        line, column, name = error.lineno, error.offset, error.filename
    text = linecache.getline(name, line).rstrip("\n") if name and line else ""
    shown = traceback.format_list(frames[first:]) if first is not None else []
    lines = ["Traceback (most recent call last):\n", *shown] if shown else []
    lines += traceback.format_exception_only(type(error), error)
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - the candidate's own __str__ may raise
        message = "<its message cannot be shown>"
    return {
        "type": type(error).__name__,
        "message": message[:10_000],
        "traceback": "".join(lines)[-20_000:],
        "source": name,
        "line": line,
        "column": column,
        "text": text[:500],
        "cell": names.get(name) if job["notebook"] and name else None,
        "causes": _causes(error),
    }


def _causes(error: BaseException) -> list[str]:
    """Return the messages of what an error came of, the nearest first: programs wrap what they catch."""
    found: list[str] = []
    seen = {id(error)}
    cause = error.__cause__ or error.__context__
    while cause is not None and id(cause) not in seen and len(found) < 10:
        seen.add(id(cause))
        try:
            found.append(str(cause)[:2_000])
        except Exception:  # noqa: BLE001 - the candidate's own __str__ may raise
            found.append("")
        cause = cause.__cause__ or cause.__context__
    return found


def _write_results(job: dict[str, Any], namespace: dict[str, Any]) -> None:
    named = job["result_vars"]
    wanted = named or ["result"]
    entries = []
    for name in wanted:
        if name not in namespace:
            entries.append({"name": name, "status": "missing", "variables": _variables(namespace)})
            continue
        entries.append(_write_variable(name, namespace[name], len(entries)))
    _write_json("results.json", entries)


def _variables(namespace: dict[str, Any]) -> list[Any]:
    hidden = {"sql_code", "display"}
    kept = [k for k, v in namespace.items() if not k.startswith("_") and k not in hidden and not callable(v)]
    return [k for k in kept if not isinstance(namespace[k], types.ModuleType)][:20]


def _write_variable(name: str, value: Any, number: int) -> dict[str, Any]:
    try:
        import pyarrow as pa  # noqa: F401 - what table_form needs
        import table_form
    except ImportError:
        sys.exit("Results are collected with pyarrow, which this Python does not have: pip install pyarrow")
    try:
        table, notes = table_form.to_arrow(value)
    except table_form.NotATable as error:
        return {"name": name, "status": "not_a_table", "type": type(value).__name__, "why": str(error)}
    file = f"result_{number}.arrow"
    table_form.write(table, os.path.join(OUT, file))
    return {"name": name, "status": "ok", "file": file, "rows": table.num_rows, "notes": notes}


def _write_json(name: str, value: Any) -> None:
    path = os.path.join(OUT, name)
    if os.path.lexists(path) and not os.path.isdir(path):
        os.unlink(path)
    with open(path, "w", encoding="utf-8", errors="backslashreplace") as stream:
        json.dump(value, stream, ensure_ascii=False)
