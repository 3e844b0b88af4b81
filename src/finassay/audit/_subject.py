"""The program under audit, as something that can be run again over altered tables."""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Self

from finassay.core import CandidateError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

    from finassay.database import Database, Dialect, QueryPolicy
    from finassay.execution import Jail, Limits, Outside, Repeater, Submission
    from finassay.execution._trace import TracedQuery


_SMALL = 1 << 20  # bytes of an output that is kept
_MOST_KEPT = 256  # such outputs
_OVERDUE = {"query_timeout", "time_limit"}


@dataclass(frozen=True)
class Output:
    """What a program gave: its tables by name, or why it failed; and the statements that it sent.

    Attributes
    ----------
    tables : dict of str to pyarrow.Table
        Empty where it failed.
    error : str or None
        Why it failed.
    statements : tuple of (str, str)
        The dialect and the text of each statement.
    reason : str or None
        Why it failed, in the stable word of `docs/reference/reasons.md`.
    kind : str or None
        The type of the exception that ended a Python program.
    outside : Outside or None
        What a Python program in the jail reached for beside its database.
    """

    tables: dict[str, pa.Table] = field(default_factory=dict)
    error: str | None = None
    statements: tuple[tuple[Dialect, str], ...] = ()
    reason: str | None = None
    kind: str | None = None
    outside: Outside | None = None

    @property
    def overdue(self) -> bool:
        """Whether a limit of time ended it, or a statement of it: another machine may say something else."""
        return self.reason in _OVERDUE


@dataclass(frozen=True)
class Subject:
    """A program and the database it runs on.

    SQL runs in this process; Python in the jail, behind the broker.

    Attributes
    ----------
    submission : Submission
        The program.
    url : str
        The database.
    dialect : {"duckdb", "mysql", "postgres"} or None
        What its SQL is written in; None for the engine's own.
    policy : QueryPolicy or None
        What a statement may do.
    limits : Limits or None
        What the program may use.
    jail : Jail or None
        By default the best this machine has.
    in_process : bool
        It is a function that is called here: its text alone cannot be run.
    """

    in_process: ClassVar[bool] = False
    submission: Submission
    url: str
    dialect: Dialect | None = None
    policy: QueryPolicy | None = None
    limits: Limits | None = None
    jail: Jail | None = None

    def within(self, seconds: float | None) -> Self:
        """Return it with so much time for the program, and for each of its statements; None changes nothing."""
        from finassay.database import QueryPolicy
        from finassay.execution import Limits

        if seconds is None:
            return self
        policy = replace(self.policy or QueryPolicy(), timeout_s=seconds)
        limits = replace(self.limits or Limits(), wall_s=seconds, cpu_s=seconds)
        return replace(self, policy=policy, limits=limits)

    @contextmanager
    def runner(self) -> Iterator[Runner]:
        """Open what running the program again and again needs, and close it at the end."""
        with ExitStack() as stack:
            yield Runner(self, stack)


class Runner:
    """Runs one program over many altered databases."""

    def __init__(self, subject: Subject, stack: ExitStack) -> None:
        self.subject = subject
        self._stack = stack
        self._program: Repeater | None = None
        self._database: Database | None = None
        self._kept: dict[tuple[str | None, frozenset[tuple[str, str]]], Output] = {}
        self.outside: dict[Outside, None] = {}  # each of what its runs reached for, once, in their order
        self.overdue: list[str] = []  # what ended each run whose time was over

    def run(
        self, overlays: Mapping[str, str] | None = None, sql: str | None = None, *, again: bool = False
    ) -> Output:
        """Run the program, or another statement in its place, over the database with some tables replaced.

        What small outputs it gave over the same overlays is not run a second time, unless that is asked for.

        Raises
        ------
        InputError
            If the database cannot be opened or there is no jail. The program's own failure is part of the output.
        """
        key = (sql, frozenset((overlays or {}).items()))
        if again or key not in self._kept:
            if self.subject.submission.mode == "sql":
                found = self._run_sql(overlays or {}, sql)
            else:
                found = self._run_python(overlays or {})
            if found.overdue and found.error is not None:
                self.overdue.append(found.error)
            if found.outside is not None:
                self.outside[found.outside] = None
            if sum(table.nbytes for table in found.tables.values()) > _SMALL:
                return found
            while len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = found
        return self._kept[key]

    def _run_sql(self, overlays: Mapping[str, str], sql: str | None) -> Output:
        from finassay.database import QueryPolicy

        text = sql if sql is not None else self.subject.submission.sql_code or ""
        database = self._altered(overlays)
        spoken = self.subject.dialect or database.dialect
        try:
            policy = self.subject.policy or QueryPolicy()
            found = database.query(text, dialect=self.subject.dialect, policy=policy)
        except CandidateError as error:
            return Output(error=str(error), statements=((spoken, text),), reason=error.reason)
        return Output({"result": found.table}, statements=((spoken, text),))

    def _altered(self, overlays: Mapping[str, str]) -> Database:
        """Return the database, which stays open, with these tables replaced."""
        from finassay.database import connect

        if self._database is None:
            self._database = self._stack.enter_context(connect(self.subject.url))
        self._database.replace(overlays)
        return self._database

    def _run_python(self, overlays: Mapping[str, str]) -> Output:
        from finassay.execution import repeated

        if self._program is None:
            subject = self.subject
            self._program = self._stack.enter_context(
                repeated(
                    subject.submission,
                    subject.url,
                    dialect=subject.dialect,
                    policy=subject.policy,
                    limits=subject.limits,
                    jail=subject.jail,
                )
            )
        done = self._program.run(overlays)
        own: Dialect = done.trace.database.dialect  # type: ignore[assignment]
        spoken: dict[str, Dialect] = {"mysql": "mysql", "postgres": "postgres", "duckdb": "duckdb"}
        sent = tuple((spoken.get(query.route, own), query.sql) for query in done.trace.queries)
        outside = _with_statements(done.outside, done.trace.queries)
        if (error := done.trace.error) is not None:
            return Output(
                error=error.message,
                statements=sent,
                reason=error.reason,
                kind=error.type,
                outside=outside,
            )
        late = next((query for query in done.trace.queries if query.status == "timeout"), None)
        if late is not None:  # and the program went on without its rows
            return Output(error=late.error, statements=sent, reason="query_timeout", outside=outside)
        wrote = next((query for query in done.trace.queries if _was_to_write(query)), None)
        if wrote is not None:  # and the program went on without it: elsewhere it may go another way
            return Output(error=wrote.error, statements=sent, reason="not_read_only", outside=outside)
        tables = {found.name: found.table for found in done.tables}
        return Output(tables, statements=sent, outside=outside)


_ADDRESS = re.compile(r"\b(?:https?|s3|gs|gcs|hf|ftp)://([^/\s'\"]+)", re.IGNORECASE)
_WRITES = frozenset(["ALTER", "CREATE", "DELETE", "DROP", "INSERT", "MERGE", "REPLACE", "TRUNCATE", "UPDATE"])
_NO_FILE = re.compile(r"(?:match the pattern|Cannot open file|could not open) \"([^\"]+)\"", re.IGNORECASE)


def _with_statements(outside: Outside, queries: Iterable[TracedQuery]) -> Outside:
    """Add what statements reached for and were refused, or did not find: engines open files without Python."""
    hosts, files = list(outside.hosts), list(outside.files)
    for query in queries:
        said = query.error or ""
        if query.status == "refused" and _of_files(query.sql):
            found = _ADDRESS.findall(query.sql)
            hosts += found
            files += [] if found else [" ".join(query.sql.split())[:80]]
        elif query.status == "error" and query.route == "duckdb":
            # The engine's own message names its makers' sites, too
            hosts += _ADDRESS.findall(query.sql) or _ADDRESS.findall(said)[:1]
            files += [path for path in _NO_FILE.findall(said) if not _ADDRESS.match(path)]
    return replace(outside, hosts=tuple(dict.fromkeys(hosts)), files=tuple(dict.fromkeys(files)))


def _was_to_write(query: TracedQuery) -> bool:
    """Whether a statement was refused that makes, changes or removes something."""
    words = query.sql.split(maxsplit=1)
    return query.status == "refused" and bool(words) and words[0].upper() in _WRITES


def _of_files(sql: str) -> bool:
    """Whether a statement is refused as one that reaches files."""
    from finassay.database import QueryPolicy, check

    for dialect in ("duckdb", "mysql", "postgres"):
        try:
            check(sql, dialect, QueryPolicy(), "")
        except CandidateError as error:
            if error.reason == "file_access":
                return True
    return False
