"""Run a submission: the database behind the broker, the program in the jail, and the trace of both."""

from __future__ import annotations

import json
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.core import CandidateError, InputError, hash_file, hash_json
from finassay.execution._broker import Broker
from finassay.execution._client import ask
from finassay.execution._folders import hold_folder
from finassay.execution._guest import ANY_PASSWORD, PORTS, duckdb_mount, free_ports, guest_env, guest_files
from finassay.execution._jail import Jail, JailSession, find_jail
from finassay.execution._outputs import Figure, Outputs, ResultTable, collect_outputs, read_error
from finassay.execution._report import Ended, Setting, build_trace, python_ended, sql_ended
from finassay.execution._trace import Trace, TracedDatabase, TracedJail
from finassay.execution._types import Call, Limits, Mount, QueryRecord, Submission

if TYPE_CHECKING:
    from finassay.database import Database, Dialect, QueryPolicy

_HOME = "/run/finassay"
_BOOT = "import submission_runner; submission_runner.main()"
_HASHED_BYTES = 2 << 30
# The database's process needs room for DuckDB itself before a statement takes any.
_BROKER_MEMORY = 2 << 30


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
    """

    trace: Trace
    tables: tuple[ResultTable, ...]
    figures: tuple[Figure, ...]
    abstract: str | None


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
    from finassay.database import QueryPolicy, connect

    began = time.perf_counter()
    policy, limits = policy or QueryPolicy(), limits or Limits()
    with connect(url) as database:  # says early and plainly what is wrong with a URL
        _check_dialect(database, dialect)
        described = _describe(database, url, dialect)
        schema = _schema(database)
    memory = _BROKER_MEMORY + limits.memory
    jail = None if submission.mode == "sql" else jail or find_jail()
    open_to_others = jail is not None and jail.name == "none"
    # Without a jail the relay listens where every user of the machine can connect.
    password = secrets.token_urlsafe(24) if open_to_others else None
    with _work_folder() as work:
        sockets = work / "sockets"
        with Broker(
            url,
            socket_dir=sockets,
            dialect=dialect,
            policy=policy,
            overlays=overlays,
            memory=memory,
            password=password,
        ) as broker:
            if jail is None:
                ran = _run_sql(submission, broker)
            else:
                file = _duckdb_file(submission, url, overlays, work)
                mounts = [*_our_mounts(submission, work), *([file] if file else []), *mounts]
                env = guest_env(
                    described.dialect,
                    schema,
                    duckdb_file=file.source.name if file else None,
                    ports=free_ports() if open_to_others else PORTS,
                    password=password or ANY_PASSWORD,
                )
                env["FINASSAY_JOB"] = f"{_HOME}/job"
                start = partial(jail.start, sockets=sockets, mounts=mounts, env=env)
                ran = _run_python(start, python or Path(sys.executable), submission, work, limits, policy)
            records = broker.records()
    ended = ran.judge(records)
    trace = build_trace(
        Setting(submission, described, ran.jail, limits, policy),
        ended,
        records,
        start_ms=(ran.started - began) * 1000,
        total_ms=(time.perf_counter() - began) * 1000,
    )
    return Run(trace, ended.outputs.tables, ended.outputs.figures, ended.outputs.abstract)


@dataclass(frozen=True)
class _Ran:
    """A program that has ended: where, when it began, and how to judge it once the query log is complete."""

    jail: TracedJail
    started: float
    judge: Callable[[Sequence[QueryRecord]], Ended]


def _check_dialect(database: Database, dialect: Dialect | None) -> None:
    if dialect not in (None, database.dialect) and database.dialect != "duckdb":
        raise InputError(
            f"{database.version} runs statements in its own dialect, {database.dialect}, but {dialect} was asked for.",
            hint="Leave --dialect out. MySQL- and PostgreSQL-dialect statements also run on a DuckDB database.",
            reason="dialect_not_spoken",
        )


def _describe(database: Database, url: str, dialect: Dialect | None) -> TracedDatabase:
    return TracedDatabase(
        url=database.url,
        engine=database.version,
        dialect=dialect or database.dialect,
        sha256=_fingerprint(url),
    )


def _fingerprint(url: str) -> str | None:
    """SHA-256 of the database's file, or of a folder's file names and hashes; None for servers and huge files."""
    from finassay.database._url import parse_url

    path = parse_url(url).path
    if path is None:
        return None
    files = [path] if path.is_file() else sorted(entry for entry in path.iterdir() if entry.is_file())
    if sum(file.stat().st_size for file in files) > _HASHED_BYTES:
        return None
    hashes = {file.name: hash_file(file) for file in files}
    return hash_json(hashes) if path.is_dir() else hashes[path.name]


def _schema(database: Database) -> str:
    tables = database.tables()
    return tables[0].schema if tables else "main"


@contextmanager
def _work_folder() -> Iterator[Path]:
    """Make a folder for the sockets, the job and the scratch of one run; it is gone afterwards, whatever is in it."""
    folder = hold_folder()
    try:
        for name in ("sockets", "job", "scratch", "database"):
            (folder.path / name).mkdir()
        yield folder.path
    finally:
        folder.remove()


def _run_sql(submission: Submission, broker: Broker) -> _Ran:
    error: CandidateError | None = None
    tables: tuple[ResultTable, ...] = ()
    started = time.perf_counter()
    try:
        tables = (ResultTable("result", ask(broker.socket_dir / "native.sock", submission.sql_code or "")),)
    except CandidateError as caught:
        error = caught
    ms = (time.perf_counter() - started) * 1000
    jail = TracedJail(name="broker", isolated=True, details={"runs": "in the database's process"})
    return _Ran(
        jail, started, lambda records: sql_ended(submission.source, error, records, Outputs(tables), ms)
    )


def _our_mounts(submission: Submission, work: Path) -> list[Mount]:
    """Return the guest's own modules, and the job they run."""
    job = {
        "source": submission.source if submission.source.endswith((".py", ".ipynb")) else "program.py",
        "notebook": bool(submission.cells),
        "cells": submission.cells or (submission.python_code,),
        "sql_code": submission.sql_code,
        "result_vars": submission.result_vars,
    }
    (work / "job" / "job.json").write_text(json.dumps(job), encoding="utf-8")
    ours = [Mount(path, f"{_HOME}/{name}") for name, path in guest_files().items()]
    return [*ours, Mount(work / "job", f"{_HOME}/job")]


def _duckdb_file(
    submission: Submission, url: str, overlays: Mapping[str, str] | None, work: Path
) -> Mount | None:
    """Return the database's own file for a program that may open one; a folder has to be copied into one first."""
    if "duckdb" not in (submission.python_code or ""):
        return None
    path = duckdb_mount(url, overlays, work / "database")
    return None if path is None else Mount(path, f"{_HOME}/database/{path.name}")


def _run_python(
    start: Callable[..., JailSession],
    python: Path,
    submission: Submission,
    work: Path,
    limits: Limits,
    policy: QueryPolicy,
) -> _Ran:
    scratch = work / "scratch"
    with start(python=python, scratch=scratch, limits=limits) as session:
        jail = TracedJail(
            name=session.details["jail"], isolated=session.isolated, details=dict(session.details)
        )
        started = time.perf_counter()
        result = session.run(Call(_BOOT, filename="<finassay>", limits=limits))
    # The jail is closed: nothing of the program runs any more when its files are read.
    outputs = collect_outputs(scratch, submission, max_rows=policy.max_rows, max_bytes=limits.file_size)
    told = read_error(scratch)
    return _Ran(jail, started, lambda records: python_ended(result, told, records, outputs))
