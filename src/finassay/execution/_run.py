"""Run a submission: the database behind the broker, the program in the jail, and the trace of both."""

from __future__ import annotations

import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.core import CandidateError, InputError
from finassay.execution._broker import Broker, Served
from finassay.execution._client import ask
from finassay.execution._folders import hold_folder
from finassay.execution._guest import (
    ANY_PASSWORD,
    PORTS,
    ViewsFile,
    duckdb_mount,
    free_ports,
    guest_env,
    guest_files,
)
from finassay.execution._interpreter import find_interpreter
from finassay.execution._jail import Jail, JailSession, find_jail
from finassay.execution._outputs import Figure, Outputs, Outside, ResultTable, collect_outputs, read_error
from finassay.execution._report import Ended, Setting, build_trace, python_ended, sql_ended
from finassay.execution._trace import Trace, TracedDatabase, TracedJail
from finassay.execution._types import Call, Limits, Mount, QueryRecord, Submission

if TYPE_CHECKING:
    from finassay.database import Dialect, QueryPolicy

_HOME = "/run/finassay"
BOOT = "import submission_runner; submission_runner.main()"
# The database's process needs room for DuckDB itself before a statement takes any.
BROKER_MEMORY = 2 << 30


@dataclass(frozen=True)
class Run:
    """A finished run: its trace, and what came out.

    Attributes
    ----------
    trace : Trace
        What ran, what it asked, how it ended; JSON-ready.
    tables : tuple of ResultTable
        In the order in which they were asked for; ``result.csv`` last.
    figures : tuple of Figure
        ``picture.png`` first, then the captured matplotlib figures.
    abstract : str or None
        Text of ``abstract.txt``.
    outside : Outside
        What it reached for beside its database: the network, files of others.
    """

    trace: Trace
    tables: tuple[ResultTable, ...]
    figures: tuple[Figure, ...]
    abstract: str | None
    outside: Outside = field(default_factory=Outside)


def run(
    submission: Submission,
    url: str,
    *,
    dialect: Dialect | None = None,
    policy: QueryPolicy | None = None,
    limits: Limits | None = None,
    jail: Jail | None = None,
    python: Path | None = None,
    mounts: Sequence[Mount] = (),
    overlays: Mapping[str, str] | None = None,
) -> Run:
    """Run a research program on a database and keep what it did.

    A SQL program runs in the broker's process; a Python program in the jail, with the database behind the broker.

    Parameters
    ----------
    submission : Submission
        The program.
    url : str
        The database: ``duckdb:///file``, a folder, a file, ``mysql://…``, ``postgresql://…``.
    dialect : {"duckdb", "mysql", "postgres"}, optional
        What its SQL is written in; by default the engine's own. A MySQL or PostgreSQL client speaks its own.
    policy : QueryPolicy, optional
        What a statement may do.
    limits : Limits, optional
        What the program may use.
    jail : Jail, optional
        By default the best this machine has.
    python : Path, optional
        The interpreter or virtual environment that the program runs in; by default ours.
    mounts : sequence of Mount
        The user's own files, read-only.
    overlays : mapping of str to str, optional
        Table name to the query that is served in its place.

    Returns
    -------
    Run
        The program's own failures are its outcome, never an exception.

    Raises
    ------
    InputError
        If the database cannot be opened, there is no jail, or the interpreter or a mount cannot be used.
    """
    from finassay.database import QueryPolicy, fingerprint

    began = time.perf_counter()
    policy, limits = policy or QueryPolicy(), limits or Limits()
    if python is not None:
        find_interpreter(python)  # a wrong one is told of, whether this program needs it or not
    jail = None if submission.mode == "sql" else jail or find_jail()
    # A SQL program is its statement: the time of either ends it.
    allowed = policy if jail else replace(policy, timeout_s=min(policy.timeout_s, limits.wall_s))
    # Without a jail the relay listens where every user of the machine can connect.
    password = secrets.token_urlsafe(24) if jail is not None and jail.name == "none" else None
    with work_folder() as work:
        broker = Broker(
            url,
            socket_dir=work / "sockets",
            dialect=dialect,
            policy=allowed,
            overlays=overlays,
            memory=BROKER_MEMORY + limits.memory,
            password=password,
            restart=jail is not None,
        )
        with closing(broker):
            broker.start()  # and while it opens the database, the jail starts
            hashed = fingerprint(url)
            if jail is None:
                whole = limits.wall_s if allowed != policy else None
                ran = run_sql(submission, broker, dialect, whole)
            else:
                own = python is not None
                guest = Guest(submission, url, dialect, overlays, work, password, tuple(mounts), own)
                start = partial(jail.start, python=python or Path(sys.executable), sockets=broker.socket_dir)
                ran = _run_python(start, guest, broker, limits, policy)
            records = broker.records()
            described = describe(broker.ready(), dialect, hashed)
    ended = ran.judge(records)
    trace = build_trace(
        Setting(submission, described, ran.jail, limits, policy),
        ended,
        records,
        start_ms=(ran.started - began) * 1000,
        total_ms=(time.perf_counter() - began) * 1000,
    )
    outputs = ended.outputs
    return Run(trace, outputs.tables, outputs.figures, outputs.abstract, outputs.outside)


@dataclass(frozen=True)
class _Ran:
    """A program that has ended: where, when it began, and how to judge it once the query log is complete."""

    jail: TracedJail
    started: float
    judge: Callable[[Sequence[QueryRecord]], Ended]


def serving(broker: Broker, dialect: Dialect | None) -> Served:
    """Wait until the broker serves; say early and plainly what is wrong with the URL or the dialect."""
    served = broker.ready()
    if dialect not in (None, served.dialect) and served.dialect != "duckdb":
        raise InputError(
            f"{served.engine} runs statements in its own dialect, {served.dialect}, but {dialect} was asked for.",
            hint="Leave --dialect out. MySQL- and PostgreSQL-dialect statements also run on a DuckDB database.",
            reason="dialect_not_spoken",
        )
    return served


def describe(served: Served, dialect: Dialect | None, sha256: str | None) -> TracedDatabase:
    return TracedDatabase(
        url=served.url, engine=served.engine, dialect=dialect or served.dialect, sha256=sha256
    )


@contextmanager
def work_folder() -> Iterator[Path]:
    """Make a folder for the sockets, the job and the scratch of one run; it is gone afterwards, whatever is in it."""
    folder = hold_folder()
    try:
        for name in ("sockets", "job", "scratch", "database"):
            (folder.path / name).mkdir()
        yield folder.path
    finally:
        folder.remove()


def run_sql(submission: Submission, broker: Broker, dialect: Dialect | None, whole_s: float | None) -> _Ran:
    """Run the statement; ``whole_s`` is the time of the program where that is shorter than a statement's."""
    serving(broker, dialect)
    error: CandidateError | None = None
    tables: tuple[ResultTable, ...] = ()
    started = time.perf_counter()
    try:
        tables = (ResultTable("result", ask(broker.socket_dir / "native.sock", submission.sql_code or "")),)
    except CandidateError as caught:
        error = _ended(caught, broker, whole_s)
    ms = (time.perf_counter() - started) * 1000
    jail = TracedJail(name="broker", isolated=True, details={"runs": "in the database's process"})
    return _Ran(
        jail, started, lambda records: sql_ended(submission.source, error, records, Outputs(tables), ms)
    )


def _ended(error: CandidateError, broker: Broker, whole_s: float | None) -> CandidateError:
    """Return what ended a statement, where it was its time: a process that was ended for it cannot say so."""
    record = next(iter(broker.records()), None)
    if record is None or record.status != "timeout":
        return error
    if whole_s is not None:
        return CandidateError(
            f"The program ran longer than {whole_s:g} seconds, the most that is allowed.",
            hint="Filter earlier, join on keys, or allow more time with --timeout.",
            reason="time_limit",
        )
    from finassay.database import QueryTimeout

    return error if error.reason == "query_timeout" else QueryTimeout(record.error or error.message)


@dataclass(frozen=True)
class Guest:
    """What the jail shows a program of its run and its database."""

    submission: Submission
    url: str
    dialect: Dialect | None
    overlays: Mapping[str, str] | None
    work: Path
    password: str | None
    files: tuple[Mount, ...] = ()
    own_python: bool = False
    views: ViewsFile | None = None

    def mounts(self) -> list[Mount]:
        """Return our own modules, the job, the database's file where the program may open one, the user's files."""
        ours = [Mount(path, f"{_HOME}/{name}") for name, path in guest_files().items()]
        return [*ours, write_job(self.submission, self.work), *self._duckdb_files(), *self.files]

    def _duckdb_files(self) -> list[Mount]:
        """Return the database's own file for a program that may open one, or views over it with what they read.

        It may where it or a mounted file names DuckDB, and where it runs with packages of the user's own. What has to
        be copied into a file first, a folder say, is copied only where the name was seen.
        """
        named = "duckdb" in (self.submission.python_code or "") or any(map(_names_duckdb, self.files))
        if self.views is not None:
            return [
                Mount(self.views.path.parent, f"{_HOME}/database"),
                Mount(self.views.base, f"{_HOME}/base/{self.views.base.name}"),
            ]
        if not named and not self.own_python:
            return []
        path = duckdb_mount(self.url, self.overlays, self.work / "database", copied=named)
        return [] if path is None else [Mount(path, f"{_HOME}/database/{path.name}")]

    def env(self, served: Served | None, mounts: Sequence[Mount], ports: tuple[int, int]) -> dict[str, str]:
        """Return the environment; before the database is served it is good for the relay only."""
        file = next((m.source for m in mounts if m.target.startswith(f"{_HOME}/database/")), None)
        base = {} if self.views is None else {"FINASSAY_DUCKDB_BASE": f"{_HOME}/base/{self.views.base.name}"}
        opened = file if self.views is None else self.views.path
        return guest_env(
            self.dialect or (served.dialect if served else "duckdb"),
            served.schema if served else "main",
            duckdb_file=opened.name if opened else None,
            ports=ports,
            password=self.password or ANY_PASSWORD,
        ) | {"FINASSAY_JOB": f"{_HOME}/job", **base}


def write_job(submission: Submission, work: Path) -> Mount:
    """Write what the jail is to run; a jail that has the folder already sees the new job."""
    job = {
        "source": submission.source if submission.source.endswith((".py", ".ipynb")) else "program.py",
        "notebook": bool(submission.cells),
        "cells": submission.cells or (submission.python_code,),
        "sql_code": submission.sql_code,
        "result_vars": submission.result_vars,
    }
    (work / "job" / "job.json").write_text(json.dumps(job), encoding="utf-8")
    return Mount(work / "job", f"{_HOME}/job")


def _names_duckdb(mount: Mount) -> bool:
    """Return whether Python files of a mount name DuckDB."""
    source = mount.source
    files = source.rglob("*.py") if source.is_dir() else [source] if source.suffix == ".py" else []
    readable = (path for path in files if path.is_file() and os.access(path, os.R_OK))
    return any(b"duckdb" in path.read_bytes() for path in readable)


def _run_python(
    start: Callable[..., JailSession],
    guest: Guest,
    broker: Broker,
    limits: Limits,
    policy: QueryPolicy,
) -> _Ran:
    scratch, submission = guest.work / "scratch", guest.submission
    ours = guest.mounts()
    ports = free_ports() if guest.password is not None else PORTS
    env = guest.env(None, ours, ports)
    with start(scratch=scratch, mounts=ours, env=env, limits=limits) as session:
        jail = TracedJail(
            name=session.details["jail"], isolated=session.isolated, details=dict(session.details)
        )
        served = serving(broker, guest.dialect)
        started = time.perf_counter()
        result = session.run(
            Call(BOOT, filename="<finassay>", env=guest.env(served, ours, ports), limits=limits)
        )
    # The jail is closed: nothing of the program runs any more when its files are read.
    outputs = collect_outputs(scratch, submission, max_rows=policy.max_rows, max_bytes=limits.file_size)
    told = read_error(scratch)
    return _Ran(jail, started, lambda records: python_ended(result, told, records, outputs))
