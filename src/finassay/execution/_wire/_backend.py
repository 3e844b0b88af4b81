"""The databases behind the servers: a pool of open ones, lent for one statement at a time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from finassay.core import CandidateError, FinassayError, InternalError
from finassay.execution._wire._session import Answer
from finassay.execution._wire._variables import Variables, sets_variables

if TYPE_CHECKING:
    from finassay.database import Database, Dialect, QueryPolicy, QueryResult, TableInfo
    from finassay.execution._wire._log import StatementLog

_CONCURRENT = 8
_CANCEL_S = 0.05
_STUCK_S = 2.0
STUCK_STATUS = 75
OUT_OF_MEMORY = "the database process ran out of memory"
CLIENT_LEFT = "The program ended, or hung up, before the statement did."


class Backend:
    """Open databases of one URL with one set of overlays.

    A statement borrows a database and gives it back, so idle connections of a client cost nothing and no state passes
    from one statement to the next.

    Parameters
    ----------
    url : str
        Database URL.
    overlays : mapping of str to str
        Table name to replacement query.
    warm : {"duckdb", "mysql", "postgres"}, optional
        Run a statement in this dialect at once, which loads what the first one of a process would wait for; empty
        means the engine's own, and so does one that it does not take.
    sealed : bool
        Whether the overlays are all that is served.
    ready : Database, optional
        One that serves them already.
    """

    def __init__(
        self,
        url: str,
        overlays: Mapping[str, str],
        *,
        warm: Dialect | Literal[""] | None,
        sealed: bool = False,
        ready: Database | None = None,
    ) -> None:
        self._url = url
        self._sealed = sealed
        self._overlays = dict(overlays)
        self._idle: list[Database] = []
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(_CONCURRENT)
        self._closed = False
        self._tables: tuple[TableInfo, ...] | None = None
        database = ready or self.open()
        self.engine: Dialect = database.dialect
        self.schema = database.default_schema
        self.served = {
            "url": database.url,
            "engine": database.version,
            "dialect": database.dialect,
            "schema": self.schema,
        }
        if warm is not None:
            database.query("SELECT 1", dialect=(warm or None) if self.engine == "duckdb" else None)
        self._idle.append(database)

    @contextmanager
    def lend(self) -> Iterator[Database]:
        """Lend a database; one that failed in a way of its own is closed instead of lent again."""
        with self._slots:
            with self._lock:
                database = self._idle.pop() if self._idle else None
            database = database or self.open()
            sound = False
            try:
                yield database
                sound = True
            except CandidateError:
                sound = True
                raise
            finally:
                self._give_back(database, sound=sound)

    @contextmanager
    def own(self, database: Database) -> Iterator[Database]:
        """Wait for a place to run a statement on a database that the caller has opened."""
        with self._slots:
            yield database

    def open(self) -> Database:
        """Open another database, which the caller closes."""
        from finassay.database import connect

        return connect(self._url, overlays=self._overlays, sealed=self._sealed)

    def tables(self) -> tuple[TableInfo, ...]:
        """Return the tables, read once."""
        if self._tables is None:
            with self.lend() as database:
                self._tables = tuple(database.tables())
        return self._tables

    def close(self) -> None:
        """Close what is idle now, and the lent ones as they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for database in idle:
            database.close()

    def retire(self) -> Database | None:
        """Close all but one that is idle, and return that."""
        with self._lock:
            kept = self._idle.pop() if self._idle else None
        self.close()
        return kept

    def _give_back(self, database: Database, *, sound: bool) -> None:
        with self._lock:
            if sound and not self._closed:
                self._idle.append(database)
                return
        database.close()


@dataclass
class BrokerSession:
    """One client of the broker: borrows a database for each statement and logs it. See `Session`."""

    backend: Backend
    log: StatementLog
    route: str
    dialect: Dialect
    policy: QueryPolicy
    password: str | None = None
    as_of: str | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _running: Database | None = None
    _statement: int = 0
    _key: tuple[int, int] = (0, 0)
    _began: float = 0.0
    _cancelling: int = 0
    _left: bool = False
    _variables: Variables = field(default_factory=Variables)
    _own: Database | None = None
    _reported: dict[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def engine(self) -> Dialect:
        """What runs underneath."""
        return self.backend.engine

    @property
    def schema(self) -> str:
        """The schema that unqualified names belong to."""
        return self.backend.schema

    @property
    def busy(self) -> bool:
        """Whether a statement runs."""
        return self._running is not None

    @property
    def _keeps_variables(self) -> bool:
        """Whether user variables are kept here: a MySQL server does it itself, the native route has no sessions."""
        return self.route == "mysql" and self.engine != "mysql"

    def forget(self) -> None:
        """Forget the user variables."""
        self._variables.forget()
        own, self._own = self._own, None
        if own is not None:
            own.close()

    def execute(
        self,
        sql: str,
        own: Callable[[], Answer | None] | None = None,
        rewritten: Callable[[str], str] | None = None,
    ) -> Answer:
        """Answer and log one statement."""
        key = self._key = self.log.start(self.route, sql)
        start = self._began = time.monotonic()
        result = None
        try:
            if self.as_of is not None:
                from finassay.database import refuse_clock

                refuse_clock(sql, self.dialect, self.as_of)
            answer = own() if own is not None else None
            if answer is None:
                result = self._run(rewritten(sql) if rewritten is not None else sql)
        except BaseException as error:
            shown = _as_finassay(error)
            cut = self._left and shown.reason == "cancelled"
            said = CLIENT_LEFT if cut else str(shown)
            self.log.failed(key, _status(shown), said, (time.monotonic() - start) * 1e3)
            if shown is error:
                raise
            raise shown from error
        ms = (time.monotonic() - start) * 1e3
        if result is not None:
            self.log.done(key, result, sql, ms)
            return Answer(None if self._keeps_variables and sets_variables(sql) else result.table)
        assert answer is not None  # noqa: S101 - one of the two answered
        self.log.answered(key, answer.table, ms)
        return answer

    def tables(self) -> Sequence[TableInfo]:
        """Return what the client may see: the tables of the schemas that may be read."""
        allowed = {self.schema} if self.policy.schemas is None else {*self.policy.schemas}
        try:
            return [table for table in self.backend.tables() if table.schema in allowed]
        except Exception as error:
            raise _as_finassay(error) from error

    def report(self, message: dict[str, object]) -> dict[str, object]:
        """Take down a statement that the DuckDB shim begins, or what became of one that this client began before."""
        number = message.get("number")
        if number is None:
            key = self.log.begun(message)
            self._reported[key[1]] = key
            policy = self.policy
            caps = {
                "max_rows": policy.max_rows,
                "max_bytes": policy.max_bytes,
                "timeout_s": policy.timeout_s,
            }
            return {"number": key[1], "caps": caps}
        if isinstance(number, int) and number in self._reported:
            self.log.reported(self._reported[number], message)
        return {}

    def cancel(self) -> None:
        """Stop the running statement."""
        with self._lock:
            if self._running is None or self._cancelling == self._statement:
                return
            self._cancelling = self._statement
        threading.Thread(target=self._stop, args=(self._statement,), daemon=True).start()

    def hang_up(self) -> None:
        """Stop the running statement, whose client has gone."""
        self._left = True
        self.cancel()

    def end_stuck(self) -> None:
        """End this process where the running statement's time is over and nothing less ends it.

        DuckDB looks for an interruption between pieces of work, and one call of a function is one piece.
        """
        with self._lock:
            if self._running is None or self._running.overdue < _STUCK_S:
                return
            said = (
                f"The statement ran longer than {self.policy.timeout_s:g} seconds, the most that is allowed, and did "
                "not stop when asked to: the database's process was ended."
            )
            self.log.failed(self._key, "timeout", said, (time.monotonic() - self._began) * 1e3)
            os._exit(STUCK_STATUS)

    def _stop(self, statement: int) -> None:
        """Ask the engine to stop until it has: it forgets a request that comes before it has begun to run."""
        while True:
            with self._lock:
                if self._running is None or self._statement != statement:
                    return
                self._running.cancel()
            time.sleep(_CANCEL_S)

    def _database(self, sql: str) -> AbstractContextManager[Database]:
        """Lend a database; a client with user variables that a MySQL server keeps has one to itself."""
        if self.engine == "mysql" and self._own is None and "@" in sql:
            self._own = self.backend.open()
        return self.backend.lend() if self._own is None else self.backend.own(self._own)

    def _run(self, sql: str) -> QueryResult:
        with self._database(sql) as database:
            with self._lock:
                self._running = database
                self._statement += 1
            query = partial(database.query, dialect=self.dialect, policy=self.policy)
            try:
                return self._variables.run(sql, query) if self._keeps_variables else query(sql)
            finally:
                with self._lock:
                    self._running = None


def _as_finassay(error: BaseException) -> FinassayError:
    if isinstance(error, MemoryError) or "out of memory" in str(error).lower() or "bad_alloc" in str(error):
        return CandidateError(
            f"{OUT_OF_MEMORY}: {error}" if str(error) else f"{OUT_OF_MEMORY}.",
            hint="Read fewer rows or columns, or filter before joining.",
            reason="out_of_memory",
        )
    if isinstance(error, FinassayError):
        return error
    return InternalError(f"The database broker failed: {type(error).__name__}: {error}")


def _status(error: FinassayError) -> str:
    from finassay.database import QueryRefused, QueryTimeout

    if isinstance(error, QueryRefused):
        return "refused"
    return "timeout" if isinstance(error, QueryTimeout) else "error"
