"""One program of the corpus, measured in a worker: its audit, the time it took, and the baselines that run it.

Nothing here knows the truth. What breaks figures down is in `_bench.py`, so that a change there measures nothing anew.
"""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from finassay.audit._audit import audit
from finassay.audit._baselines import altered_tables, same_answer, truncated_differs
from finassay.audit._scope import scopes_of
from finassay.audit._subject import Subject
from finassay.core import ExitCode, InputError
from finassay.executor import JobError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from finassay.audit._certificate import Certificate
    from finassay.database import Dialect
    from finassay.execution import Submission
    from finassay.executor import Executor, ResultCache
    from finassay.temporal import Catalog, Contract


@dataclass(frozen=True)
class Job:
    """A program, and all that its figures depend on besides what all programs share.

    Attributes
    ----------
    program : str
        What it is called.
    submission : Submission
        The program.
    dialect : {"duckdb", "mysql", "postgres"} or None
        What its SQL is written in.
    contract : Contract
        Of its task.
    reference : Submission
        A valid program of its task.
    reference_dialect : {"duckdb", "mysql", "postgres"} or None
        What that is written in.
    data : str
        The hash of the data.
    follow : bool
        Whether the audit is given the reference too, for the differential check.
    """

    program: str
    submission: Submission
    dialect: Dialect | None
    contract: Contract
    reference: Submission
    reference_dialect: Dialect | None
    data: str
    follow: bool = True


@dataclass(frozen=True)
class Measured:
    """What became of a program.

    Attributes
    ----------
    certificate : Certificate or None
        Of its audit; None where that broke.
    seconds : float
        What the audit took, by the clock.
    cpu : float
        What it took of processors, those of the jail included: what another machine's load does not change.
    right : bool or None
        Its answer over the unaltered data is that of the reference; None where either has none.
    truncated : bool or None
        Its answer changes when what was unknown is cut off; None where it then fails.
    error : str or None
        Why there is no certificate.
    exit_code : ExitCode
        Of that error.
    """

    certificate: Certificate | None
    seconds: float = 0.0
    cpu: float = 0.0
    right: bool | None = None
    truncated: bool | None = None
    error: str | None = None
    exit_code: ExitCode = ExitCode.OK


def measure(job: Job, *, url: str, catalog: Catalog) -> Measured:
    """Audit a program, and run the baselines that need it to run.

    Raises
    ------
    InputError
        If it cannot be audited.
    """
    subject = Subject(job.submission, url, job.dialect)
    started, used = time.perf_counter(), _cpu()
    certificate = audit(
        subject,
        catalog,
        job.contract,
        reference=job.reference if job.follow else None,
        reference_dialect=job.reference_dialect,
    )
    seconds, cpu = time.perf_counter() - started, _cpu() - used
    right, truncated = _baselines(job, subject, catalog)
    return Measured(certificate, seconds, cpu, right, truncated)


def _cpu() -> float:
    """Return the seconds of processors that this process and those it has ended used."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def _baselines(job: Job, subject: Subject, catalog: Catalog) -> tuple[bool | None, bool | None]:
    from finassay.core import CandidateError
    from finassay.database import connect, tables_read

    reference = Subject(job.reference, subject.url, job.reference_dialect)
    with subject.runner() as runner, reference.runner() as other, connect(subject.url) as database:
        base, expected = runner.run(), other.run()
        if base.error is not None or not base.tables:
            return None, None
        right = None
        if expected.tables:
            (answer,) = expected.tables.values()
            right = len(base.tables) == 1 and same_answer(answer, next(iter(base.tables.values())))
        try:
            scopes = scopes_of(job.contract, base)
            read = [name for dialect, text in base.statements for name in tables_read(text, dialect)]
        except (InputError, CandidateError):
            return right, None  # the baseline has no cutoff, or cannot tell what to cut
        if not scopes:
            return right, None
        tables = altered_tables(read, catalog, job.contract, scopes[-1].cutoff, database)
        return right, truncated_differs(runner, base, scopes[-1], tables)


def measure_all(
    jobs: Sequence[Job], url: str, catalog: Catalog, executor: Executor, cache: ResultCache, *, label: str
) -> list[Measured]:
    """Measure programs in workers; one that breaks is told and not kept, and does not stop the others.

    Raises
    ------
    WorkerLostError
        If a worker died; what was finished is in the cache.
    """
    function = partial(measure, url=url, catalog=catalog)
    try:
        return executor.map(function, jobs, label=label, cache=cache)
    except JobError as error:
        broken = {
            one.index: Measured(None, error=one.error, exit_code=one.exit_code) for one in error.failures
        }
    rest = [job for index, job in enumerate(jobs) if index not in broken]
    done = iter(executor.map(function, rest, label=label, cache=cache))  # all of them are there by now
    return [broken[index] if index in broken else next(done) for index in range(len(jobs))]
