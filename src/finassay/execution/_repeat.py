"""Run one program again and again over altered tables: the database's process and the jail stay up in between."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.execution._broker import Broker
from finassay.execution._guest import PORTS, ViewsFile, duckdb_views, free_ports
from finassay.execution._jail import Jail, JailSession, find_jail
from finassay.execution._outputs import collect_outputs, read_error
from finassay.execution._report import Setting, build_trace, python_ended
from finassay.execution._run import (
    BOOT,
    BROKER_MEMORY,
    Guest,
    Run,
    describe,
    serving,
    work_folder,
)
from finassay.execution._scratch import empty_scratch
from finassay.execution._trace import TracedDatabase, TracedJail
from finassay.execution._types import Call, Limits, Submission

if TYPE_CHECKING:
    from finassay.database import Dialect, QueryPolicy


@dataclass(frozen=True)
class Repeater:
    """A Python program that is ready to run on a database with some tables replaced; see `repeated`."""

    submission: Submission
    policy: QueryPolicy
    limits: Limits
    session: JailSession
    broker: Broker
    scratch: Path
    env: dict[str, str]
    database: TracedDatabase
    views: ViewsFile | None = None

    def run(self, overlays: Mapping[str, str] | None = None) -> Run:
        """Run the program as `finassay.execution.run` does, in a scratch folder that is empty again."""
        began = time.perf_counter()
        self.broker.reset(overlays=overlays)
        if self.views is not None:
            self.views.serve(overlays or {})
        empty_scratch(self.scratch)
        started = time.perf_counter()
        result = self.session.run(Call(BOOT, filename="<finassay>", env=self.env, limits=self.limits))
        # The call is over: the jail has killed whatever the program left running.
        outputs = collect_outputs(
            self.scratch, self.submission, max_rows=self.policy.max_rows, max_bytes=self.limits.file_size
        )
        records = self.broker.records()
        ended = python_ended(result, read_error(self.scratch), records, outputs)
        details = self.session.details
        jail = TracedJail(name=details["jail"], isolated=self.session.isolated, details=dict(details))
        trace = build_trace(
            Setting(self.submission, self.database, jail, self.limits, self.policy),
            ended,
            records,
            start_ms=(started - began) * 1000,
            total_ms=(time.perf_counter() - began) * 1000,
        )
        return Run(trace, outputs.tables, outputs.figures, outputs.abstract, outputs.outside)


@contextmanager
def repeated(
    submission: Submission,
    url: str,
    *,
    dialect: Dialect | None = None,
    policy: QueryPolicy | None = None,
    limits: Limits | None = None,
    jail: Jail | None = None,
) -> Iterator[Repeater]:
    """Make a Python program ready to run many times over altered tables; the parameters are those of `run`.

    Each run begins with nothing left of the one before: the broker disconnects its clients and empties its log, the
    jail forks anew from its preloaded interpreter, the scratch folder is empty. A program that opens the database's own
    file finds views there; see `ViewsFile`.

    Raises
    ------
    InputError
        As `run`.
    """
    from finassay.database import QueryPolicy, fingerprint

    policy, limits, jail = policy or QueryPolicy(), limits or Limits(), jail or find_jail()
    password = secrets.token_urlsafe(24) if jail.name == "none" else None
    with ExitStack() as stack:
        work = stack.enter_context(work_folder())
        broker = Broker(
            url,
            socket_dir=work / "sockets",
            dialect=dialect,
            policy=policy,
            memory=BROKER_MEMORY + limits.memory,
            password=password,
        )
        stack.callback(broker.close)
        broker.start()
        opens_file = "duckdb" in (submission.python_code or "")
        views = duckdb_views(url, work / "database") if opens_file else None
        guest = Guest(submission, url, dialect, None, work, password, views=views)
        mounts, scratch = guest.mounts(), work / "scratch"
        ports = free_ports() if password is not None else PORTS
        env = guest.env(None, mounts, ports)
        session = stack.enter_context(
            jail.start(
                python=Path(sys.executable),
                sockets=broker.socket_dir,
                scratch=scratch,
                mounts=mounts,
                env=env,
                limits=limits,
            )
        )
        served = serving(broker, dialect)
        database = describe(served, dialect, fingerprint(url))
        env = guest.env(served, mounts, ports)
        yield Repeater(submission, policy, limits, session, broker, scratch, env, database, views)
