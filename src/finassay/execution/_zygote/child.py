"""The fresh process of one call: runs the program as ``python FILE`` would."""

from __future__ import annotations

import builtins
import ctypes
import json
import linecache
import os
import resource
import signal
import sys
import traceback
import types
from contextlib import suppress
from typing import Any, NoReturn

from .confine import PR_SET_DUMPABLE

SPARE_MEMORY = 64 << 20  # given back to a program that ran out of memory, to say so
MOST_TEXT = 20_000


def child(request: dict[str, Any], descriptors: list[int], base: dict[str, int], scratch: str) -> NoReturn:
    """Run the program of a call in this fresh process; never returns."""
    out, err, report = descriptors
    code = 1
    try:
        settle(out, err, scratch)
        limit(request["limits"], base)
        os.environ.update(request["env"])
        module = fresh_main(request["filename"], request["code"])
        code = execute(request, module, report)
    except BaseException:  # noqa: BLE001 - our own failure: what it was, then the exit status 1
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(code)


def settle(out: int, err: int, scratch: str) -> None:
    """Make this the process an ordinary interpreter would be: session, signals, streams, folder."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (out, 1), (err, 2)):
        os.dup2(source, target)
        os.close(source)
    options: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "closefd": False}
    sys.stdin = sys.__stdin__ = open(0, **options)  # type: ignore[misc]  # noqa: SIM115
    # Line by line, so that what a killed program printed is not lost.
    sys.stdout = sys.__stdout__ = open(1, "w", buffering=1, **options)  # type: ignore[misc]  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", buffering=1, **options)  # type: ignore[misc]  # noqa: SIM115
    os.chdir(scratch)
    sys.path.insert(0, scratch)
    if sys.platform.startswith("linux"):
        # This one may look at itself in /proc, and be looked at.
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
        with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as stream:
            stream.write("1000")  # where memory runs out, the program goes, not its zygote


def limit(limits: dict[str, Any], base: dict[str, int]) -> None:
    """Set the limits of a process; memory and processes count from what the zygote itself takes."""
    memory = base["address_space"] + limits["memory"]
    cpu = max(1, int(limits["cpu_s"] + 0.999))
    wanted = [
        ("RLIMIT_AS", memory, memory + SPARE_MEMORY),
        ("RLIMIT_CPU", cpu, cpu + 1),
        ("RLIMIT_FSIZE", limits["file_size"], limits["file_size"]),
        ("RLIMIT_CORE", 0, 0),
        ("RLIMIT_NOFILE", 1024, 1024),
        ("RLIMIT_MSGQUEUE", 0, 0),
    ]
    if limits["processes"] is not None:
        most = base["processes"] + limits["processes"]
        wanted.append(("RLIMIT_NPROC", most, most))
    for name, soft, hard in wanted:
        kind = getattr(resource, name, None)
        if kind is None or (name == "RLIMIT_AS" and not sys.platform.startswith("linux")):
            continue
        ceiling = resource.getrlimit(kind)[1]
        if ceiling == resource.RLIM_INFINITY:
            ceiling = hard
        resource.setrlimit(kind, (min(soft, ceiling), min(hard, ceiling)))


def fresh_main(filename: str, code: str) -> types.ModuleType:
    """Return a new ``__main__`` whose source tracebacks can show."""
    module = types.ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins, __file__=filename)
    sys.modules["__main__"] = module
    sys.argv = [filename]
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    return module


def execute(request: dict[str, Any], module: types.ModuleType, report: int) -> int:
    """Run the program as the main module, as ``python FILE`` would; return its exit status."""
    filename = request["filename"]
    try:
        try:
            exec(compile(request["code"], filename, "exec", dont_inherit=True), module.__dict__)
        finally:
            finish_threads()
    except SystemExit as stop:
        if stop.code is None or stop.code == 0:
            return 0
        code = stop.code & 0xFF if isinstance(stop.code, int) else 1
        if not isinstance(stop.code, int):
            sys.stderr.write(f"{stop.code}\n")
        send_report(report, describe(stop, filename))
        return code or 1
    except BaseException as error:  # noqa: BLE001 - whatever a program raises
        give_spare_memory()
        description = describe(error, filename)
        send_report(report, description)
        with suppress(Exception):  # the program may have closed it
            sys.stderr.write(description["traceback"])
        return 1
    return 0


def finish_threads() -> None:
    """Wait for the program's threads and run its exit functions, as the interpreter does when it ends."""
    import atexit
    import threading

    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()


def give_spare_memory() -> None:
    """Let a program that may have run out of memory say so."""
    try:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    except (OSError, ValueError):
        pass


def describe(error: BaseException, filename: str) -> dict[str, Any]:
    """Return an exception as values: type, message, traceback without our own frames, line in the program."""
    name = type(error).__name__
    # DuckDB has its own exception for memory it could not get.
    memory = isinstance(error, MemoryError) or name == "OutOfMemoryException"
    found: dict[str, Any] = {
        "type": name,
        "message": "",
        "traceback": f"{name}\n",
        "line": None,
        "memory": memory,
    }
    try:
        message = str(error)
        found["message"] = message[:MOST_TEXT]
    except BaseException:  # noqa: BLE001 - its __str__ is the program's
        message = found["message"] = "<its message cannot be shown>"
    try:
        frames = list(traceback.walk_tb(error.__traceback__))
        own = [line for frame, line in frames if frame.f_code.co_filename == filename]
        found["line"] = own[-1] if own else None
        if isinstance(error, SyntaxError) and error.filename == filename:
            found["line"] = error.lineno
        tb = error.__traceback__
        while tb is not None and tb.tb_frame.f_code.co_filename == __file__:  # our own frames
            tb = tb.tb_next
        if len(message) > MOST_TEXT:  # shown in part, and without the copies that formatting makes of it
            text = "".join(traceback.format_tb(tb)) + f"{name}: {message[:MOST_TEXT]}...\n"
        else:
            text = "".join(traceback.format_exception(type(error), error, tb))
        found["traceback"] = (
            text if len(text) <= MOST_TEXT else text[: MOST_TEXT // 2] + "\n...\n" + text[-MOST_TEXT // 2 :]
        )
    except BaseException:  # noqa: BLE001 - the same
        found["traceback"] = f"{name}: {found['message']}\n"
    return found


def send_report(report: int, description: dict[str, Any]) -> None:
    """Write the description of an error to the host."""
    data = json.dumps(description).encode()
    try:
        while data:
            data = data[os.write(report, data) :]
    except OSError:
        pass
