"""A folder of programs: each is audited by a worker, and what was audited before is taken from the cache."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.audit._audit import audit
from finassay.audit._data import data_hash
from finassay.audit._subject import Subject
from finassay.core import ExitCode, InputError
from finassay.execution import Submission, load_submission
from finassay.executor import JobError
from finassay.temporal import Contract, load_contract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finassay.audit._certificate import Certificate
    from finassay.database import Dialect
    from finassay.executor import Executor, ResultCache
    from finassay.temporal import Catalog

_KINDS = {".sql", ".py", ".ipynb", ".json"}
_CONTRACT = ".contract.yaml"
_REFERENCE = ".reference"


@dataclass(frozen=True)
class Audited:
    """What became of one program of a folder: a certificate, or why there is none.

    Attributes
    ----------
    program : str
        Its path in the folder, with slashes.
    certificate : Certificate or None
        The result of its audit.
    error : str or None
        Why it could not be audited.
    exit_code : ExitCode
        Of the verdict, or of the error.
    """

    program: str
    certificate: Certificate | None = None
    error: str | None = None
    exit_code: ExitCode = ExitCode.OK


@dataclass(frozen=True)
class _Job:
    """A program with all that its verdict depends on besides what all programs share."""

    program: str
    submission: Submission
    dialect: Dialect | None
    contract: Contract
    reference: Submission | None
    impact: bool
    timeout: float | None
    data: str  # the hash: a change of the data makes another job of it


def find_programs(folder: Path, *, leave_out: Path | None = None) -> list[str]:
    """Return the programs of a folder and of the folders in it, as paths in it with slashes, sorted.

    Programs are ``.sql``, ``.py`` and ``.ipynb`` files, and ``.json`` files that hold a submission. Names that begin
    with a dot or an underscore are left out (helpers, caches), and so are references (``name.reference.sql``)
    and linked folders.

    Parameters
    ----------
    folder : Path
        Where they lie.
    leave_out : Path, optional
        A folder in it that holds results.

    Raises
    ------
    InputError
        If there is no such folder, or no program in it.
    """
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}.", hint="Check the path.", reason="missing_program")
    found = sorted(path.relative_to(folder).as_posix() for path in _files(folder, leave_out))
    if not found:
        raise InputError(
            f"There is no program in {folder}.",
            hint="Programs are .sql, .py and .ipynb files and submissions in .json.",
            reason="missing_program",
        )
    return found


def _files(folder: Path, leave_out: Path | None) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        here = Path(place)
        folders[:] = [
            name for name in folders if _counts(name) and not (leave_out and _same(here / name, leave_out))
        ]
        for path in (here / name for name in names if _counts(name)):
            kind = path.suffix.lower()
            if path.stem.endswith(_REFERENCE):
                continue
            if kind in _KINDS and (kind != ".json" or _is_submission(path)):
                yield path


def _counts(name: str) -> bool:
    return not name.startswith((".", "_"))


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _is_submission(path: Path) -> bool:
    """Whether a JSON file states a mode; baselines, certificates and data do not."""
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "mode" in value


def audit_folder(
    folder: Path,
    url: str,
    catalog: Catalog,
    *,
    executor: Executor,
    cache: ResultCache,
    contract: Contract | None = None,
    reference: Submission | None = None,
    impact: bool = False,
    dialect: Dialect | None = None,
    timeout: float | None = None,
    leave_out: Path | None = None,
) -> tuple[Audited, ...]:
    """Audit every program of a folder.

    Results are kept in the cache under the content of the program and its path, of the contract, the catalog and the
    data, and the version of finassay's own code; what is found there is not audited again, so that an audit that was
    stopped goes on where it was. A program that cannot be audited does not stop the others, and is tried again the
    next time.

    Parameters
    ----------
    folder : Path
        The programs; see `find_programs`. A contract beside a program (``name.contract.yaml`` beside ``name.sql``)
        takes the place of the common one, and so does a reference (``name.reference.sql`` or ``.py``).
    url : str
        The database. A server's, and a file of more than 2 GiB, is hashed by its engine before anything is audited.
    catalog : Catalog
        What the times in the tables mean.
    executor : Executor
        Where the audits run.
    cache : ResultCache
        Where finished ones are kept.
    contract : Contract, optional
        For the programs that have none of their own; without it, such a program cannot be audited.
    reference : Submission, optional
        For the differential check of the programs that have none of their own.
    impact : bool
        Whether to tell how each answer changes over the normalised snapshot.
    dialect : {"duckdb", "mysql", "postgres"}, optional
        What the SQL is written in; by default the engine's own.
    timeout : float, optional
        Seconds for a program, and for each of its statements; see `Subject.within`.
    leave_out : Path, optional
        A folder in the folder that holds results.

    Returns
    -------
    tuple of Audited
        One per program, in the order of the paths.

    Raises
    ------
    InputError
        If there is no program, or the database cannot be opened.
    WorkerLostError
        If a worker died; what was finished is in the cache.
    """
    from finassay.database import connect, fingerprint

    programs = find_programs(folder, leave_out=leave_out)
    with connect(url) as database:
        # Only what is kept is named by it, and a file's bytes are read faster than all its tables.
        data = fingerprint(url) or data_hash(database, [table.name for table in database.tables()])
    done: dict[str, Audited] = {}
    jobs: list[_Job] = []
    for program in programs:
        try:
            job = _job(folder, program, contract, reference, dialect, data)
            jobs.append(replace(job, impact=impact, timeout=timeout))
        except InputError as error:
            done[program] = Audited(program, error=str(error), exit_code=error.exit_code)
    for one in _run(partial(_audit_one, url=url, catalog=catalog), jobs, executor, cache):
        done[one.program] = one
    return tuple(done[program] for program in programs)


def _job(
    folder: Path,
    program: str,
    contract: Contract | None,
    reference: Submission | None,
    dialect: Dialect | None,
    data: str,
) -> _Job:
    if any("\ud800" <= character <= "\udfff" for character in program):
        raise InputError("Its name is not UTF-8.", hint="Rename the file.", reason="bad_path")
    path = folder / program
    terms = contract_beside(path) or contract
    if terms is None:
        raise InputError(
            f"There is no date to audit {program} at.",
            hint=f"Give --as-of or --contract, or write {path.stem + _CONTRACT} beside it.",
            reason="no_contract",
        )
    submission = replace(load_submission(path), source=program)
    return _Job(program, submission, dialect, terms, reference_beside(path) or reference, False, None, data)


def contract_beside(program: Path) -> Contract | None:
    """Return the contract in ``name.contract.yaml`` beside ``name.sql``, if there is one."""
    beside = program.with_name(program.stem + _CONTRACT)
    return load_contract(beside) if beside.exists() else None


def reference_beside(program: Path) -> Submission | None:
    """Return the program in ``name.reference.sql`` (or ``.py``, ``.ipynb``, ``.json``) beside ``name.sql``, if any."""
    places = [program.with_name(program.stem + _REFERENCE + kind) for kind in sorted(_KINDS)]
    return next((load_submission(place) for place in places if place.exists()), None)


def _audit_one(job: _Job, *, url: str, catalog: Catalog) -> Certificate:
    subject = Subject(job.submission, url, job.dialect).within(job.timeout)
    return audit(subject, catalog, job.contract, reference=job.reference, impact=job.impact)


def _run(
    function: partial[Certificate], jobs: list[_Job], executor: Executor, cache: ResultCache
) -> Iterator[Audited]:
    """Audit what the cache lacks; a failure is told and not kept."""
    failed: dict[int, Audited] = {}
    rest = jobs
    try:
        found = executor.map(function, jobs, label="audits", cache=cache)
    except JobError as error:
        for one in error.failures:
            failed[one.index] = Audited(jobs[one.index].program, error=one.error, exit_code=one.exit_code)
        rest = [job for index, job in enumerate(jobs) if index not in failed]
        found = executor.map(function, rest, label="audits", cache=cache)  # all of them are there by now
    yield from failed.values()
    for job, certificate in zip(rest, found, strict=True):
        yield Audited(job.program, certificate, exit_code=certificate.verdict.exit_code)
