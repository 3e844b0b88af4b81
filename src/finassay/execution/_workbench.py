"""A database and a jail that stay up while different programs come one after another, as an agent tries them."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

from finassay.execution._broker import Broker
from finassay.execution._guest import PORTS, free_ports
from finassay.execution._jail import JailSession, find_jail
from finassay.execution._outputs import collect_outputs, read_error
from finassay.execution._report import Ended, Setting, build_trace, python_ended
from finassay.execution._run import (
    BOOT,
    BROKER_MEMORY,
    Guest,
    Run,
    describe,
    run_sql,
    serving,
    work_folder,
    write_job,
)
from finassay.execution._scratch import empty_scratch
from finassay.execution._trace import TracedJail
from finassay.execution._types import Call, Limits, Submission

if TYPE_CHECKING:
    from types import TracebackType

    from finassay.database import Dialect, QueryPolicy
    from finassay.execution._jail import Jail
    from finassay.execution._types import QueryRecord


class Workbench:
    """Run programs on one database, each as `run` does, without starting anew for each.

    Nothing of a program reaches the next: the broker disconnects its clients and empties its log, the jail forks anew
    from its preloaded interpreter, the scratch folder is empty. One program runs at a time.

    Parameters
    ----------
    url, dialect, policy, limits, jail
        As `run` takes them.

    Raises
    ------
    InputError
        If there is no jail here; whatever else `run` raises comes with the first program.

    Examples
    --------
    >>> with Workbench("duckdb:///market.duckdb") as bench:  # doctest: +SKIP
    ...     for program in programs:
    ...         print(bench.run(program).trace.outcome)
    """

    def __init__(
        self,
        url: str,
        *,
        dialect: Dialect | None = None,
        policy: QueryPolicy | None = None,
        limits: Limits | None = None,
        jail: Jail | None = None,
    ) -> None:
        from finassay.database import QueryPolicy, fingerprint

        self._url, self._dialect = url, dialect
        self._policy, self._limits = policy or QueryPolicy(), limits or Limits()
        self._jail = jail or find_jail()
        # Without a jail the relay listens where every user of the machine can connect.
        self._password = secrets.token_urlsafe(24) if self._jail.name == "none" else None
        self._ports = free_ports() if self._password else PORTS
        self._jailed: tuple[dict[str, str], JailSession] | None = None
        self._stack = ExitStack()
        try:
            self._work = self._stack.enter_context(work_folder())
            self._broker = Broker(
                url,
                socket_dir=self._work / "sockets",
                dialect=dialect,
                policy=self._policy,
                memory=BROKER_MEMORY + self._limits.memory,
                password=self._password,
            )
            self._stack.callback(self._broker.close)
            self._broker.start()
            self._sha256 = fingerprint(url)
        except BaseException:
            self._stack.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the jail and the database's process; closing twice is fine."""
        self.close_jail()
        self._stack.close()

    def close_jail(self) -> None:
        """End the jail alone, and all that ever ran in it; the next Python program has a new one."""
        if self._jailed is not None:
            self._jailed[1].close()
            self._jailed = None

    def run(self, submission: Submission) -> Run:
        """Run a program; its own failures are its outcome, never an exception."""
        began = time.perf_counter()
        served = serving(self._broker, self._dialect)
        self._broker.reset()
        python = submission.mode != "sql"
        jail, ended, started, records = self._run_python(submission) if python else self._run_sql(submission)
        trace = build_trace(
            Setting(
                submission, describe(served, self._dialect, self._sha256), jail, self._limits, self._policy
            ),
            ended,
            records,
            start_ms=(started - began) * 1000,
            total_ms=(time.perf_counter() - began) * 1000,
        )
        out = ended.outputs
        return Run(trace, out.tables, out.figures, out.abstract, out.outside)

    def _run_sql(self, submission: Submission) -> tuple[TracedJail, Ended, float, Sequence[QueryRecord]]:
        ran = run_sql(submission, self._broker, self._dialect, None)
        records = self._broker.records()
        return ran.jail, ran.judge(records), ran.started, records

    def _run_python(self, submission: Submission) -> tuple[TracedJail, Ended, float, Sequence[QueryRecord]]:
        env, session = self._jailed = self._jailed or self._start_jail(submission)
        write_job(submission, self._work)
        scratch = self._work / "scratch"
        empty_scratch(scratch)
        started = time.perf_counter()
        result = session.run(Call(BOOT, filename="<finassay>", env=env, limits=self._limits))
        # The call is over: the jail has killed whatever the program left running.
        outputs = collect_outputs(
            scratch, submission, max_rows=self._policy.max_rows, max_bytes=self._limits.file_size
        )
        told = read_error(scratch)
        records = self._broker.records()
        details = session.details
        jail = TracedJail(name=details["jail"], isolated=session.isolated, details=dict(details))
        return jail, python_ended(result, told, records, outputs), started, records

    def _start_jail(self, submission: Submission) -> tuple[dict[str, str], JailSession]:
        # The database's own file is there from the start: a later program may open it.
        guest = Guest(submission, self._url, self._dialect, None, self._work, self._password, own_python=True)
        mounts = guest.mounts()
        session = self._jail.start(
            python=Path(sys.executable),
            sockets=self._broker.socket_dir,
            scratch=self._work / "scratch",
            mounts=mounts,
            env=guest.env(None, mounts, self._ports),
            limits=self._limits,
        )
        return guest.env(serving(self._broker, self._dialect), mounts, self._ports), session
