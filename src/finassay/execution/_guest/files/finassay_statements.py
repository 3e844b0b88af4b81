"""What the DuckDB shim does around a statement: reports it, and holds it to the policy on the task's database.

A statement is reported before it runs, and again when it has ended and when rows are fetched. The broker answers the
first report with the caps of the policy. They bind the connections to the task's database: a statement, with its
fetches, is interrupted when its time is over, and refused when more rows or bytes are fetched than are allowed.
Databases of the program's own have no caps.
"""

from __future__ import annotations

import decimal
import math
import os
import re
import threading
import time
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import finassay_native

BASE = "finassay_base"  # the database behind the views, where tables are replaced
SERVED: weakref.WeakSet[Any] = weakref.WeakSet()  # connections to the task's database
_progress: weakref.WeakSet[Any] = weakref.WeakSet()  # connections that were told of a progress bar

_AGAIN_SECONDS = 0.2  # an interruption before the engine has begun is lost
_LOOK_SECONDS = 0.05
_SAMPLED = 1000  # rows of a list that are looked at for its size
_RELATION_TEXT = re.compile(r'\ASELECT \* FROM \(\n(.*)\n\) AS "unnamed_relation_\w+"\Z', re.DOTALL)
_ATTACH = re.compile(r"\bATTACH\b", re.IGNORECASE)
_REFUSED = {"ATTACH", "COPY", "COPY_DATABASE", "EXPORT"}
_FILES = re.compile(r"\b(read_text|read_blob|glob)\s*\(", re.IGNORECASE)
_NO_SCHEMA = re.compile(r'schema "?([^"\s]+?)"? does not exist', re.IGNORECASE)
_NO_DATABASE = re.compile(r"\AIO Error: (?:Cannot open|Failed to)|database does not exist")
_OUTSIDE = {
    "IOException",
    "HTTPException",
    "Error",
}  # of a file, of the network, of an extension that is fetched
_NO_TABLE = re.compile(r"(Table with name .+? does not exist!)\s*(?:Did you mean [^\n]*)?", re.DOTALL)


def quiet(connection: Any) -> None:
    """Keep the progress of long statements out of the output; the shim puts a function of DuckDB's here."""


def mounted() -> Path:
    """Return the file of the task's database, which a run on a server does not have."""
    return Path(os.environ.get("FINASSAY_DUCKDB", "/run/finassay/database/none.duckdb"))


def way_in() -> str:
    """Say how the task's database is reached."""
    file = mounted()
    if file.exists():
        return f'The task\'s database is opened with duckdb.connect("{file.name}", read_only=True).'
    return (
        "This run has no DuckDB file, as its database is a server. "
        "Use `from db_connector import query_to_dataframe`, pymysql, psycopg or SQLAlchemy."
    )


@dataclass
class Statement:
    """A statement that was reported: its number at the broker, its caps, and what was used of them."""

    number: int | None
    connection: weakref.ref[Any]
    max_rows: float = math.inf
    max_bytes: float = math.inf
    timeout_s: float = math.inf
    rows: int = 0
    size: int = 0
    seconds: float = 0.0

    @property
    def capped(self) -> bool:
        """Whether the policy binds it."""
        return self.max_rows < math.inf

    def tell(self, **values: Any) -> None:
        """Report what became of it."""
        if self.number is not None:
            _report({"op": "log", "number": self.number, **values})

    def refuse(self, message: str) -> Exception:
        """Report a refusal; return the error to raise."""
        self.tell(status="refused", error=message, ms=self.seconds * 1e3)
        return _refusal(message)


# The last statement of each connection, and that of each result.
_open: weakref.WeakKeyDictionary[Any, Statement] = weakref.WeakKeyDictionary()


def rows_left(owner: Any) -> int | None:
    """Return how many rows may still be fetched, or None where there is no cap."""
    statement = _open.get(owner)
    return None if statement is None or not statement.capped else int(statement.max_rows) - statement.rows


class Call:
    """Around one call into DuckDB, which may take as long as is left to its statement."""

    def __init__(self, owner: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> None:
        self.owner = owner
        self.args = args
        self.kwargs = kwargs or {}
        self.result: Any = None
        self.statement: Statement | None = None
        self._alarm: _Alarm | None = None
        self._began = 0.0
        self.spent = 0.0

    def __enter__(self) -> Any:
        self.prepare()
        statement = self.statement
        if statement is not None and statement.timeout_s < 1e6:
            self._alarm = _Alarm(statement.timeout_s - statement.seconds, statement.connection)
        self._began = time.monotonic()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.spent = time.monotonic() - self._began
        expired = self._alarm is not None and self._alarm.stop()
        if self.statement is not None:
            self.statement.seconds += self.spent
        if error is None:
            self.ended()
            return
        interrupted = type(error).__name__ == "InterruptException" or "INTERRUPT" in str(error)
        if expired and interrupted and self.statement is not None:
            message = (
                f"The statement ran longer than {self.statement.timeout_s:g} seconds, the most that is allowed. "
                "Filter earlier, join on keys, or allow more time with --query-timeout."
            )
            self.statement.tell(status="timeout", error=message, ms=self.statement.seconds * 1e3)
            raise _duckdb().InterruptException(message) from None
        self.failed(error)

    def prepare(self) -> None:
        """Find the statement."""

    def ended(self) -> None:
        """Take note of a call that ended well."""

    def failed(self, error: BaseException) -> None:
        """Report an error; raise another in its place where that tells more."""


class Execution(Call):
    """A statement that runs."""

    def prepare(self) -> None:
        """Report it, and refuse what the policy refuses before it runs."""
        sql = _text(self.args, self.kwargs)
        if "progress_bar" in sql.lower():
            _progress.add(self.owner)
        if self.owner in _progress:
            quiet(self.owner)
        self.statement = _begin(self.owner, sql)
        if self.statement.capped and (why := _forbidden(self.owner, sql)):
            raise self.statement.refuse(why)

    def ended(self) -> None:
        """Report its end; what is fetched comes later."""
        if self.statement is not None:
            self.statement.tell(status="ok", error=None, ms=self.spent * 1e3)
            _open[self.owner if self.result is None else self.result] = self.statement

    def failed(self, error: BaseException) -> None:
        """Report the error."""
        assert self.statement is not None
        if told := _told(self.owner, _text(self.args, self.kwargs), error):
            status, shown = told
            self.statement.tell(status=status, error=str(shown), ms=self.spent * 1e3)
            raise shown from None
        self.statement.tell(status="error", error=f"{type(error).__name__}: {error}", ms=self.spent * 1e3)


class Binding(Call):
    """A relation that is made: nothing runs yet, but its names are looked up."""

    def failed(self, error: BaseException) -> None:
        """Report a statement that would have been refused; others are reported when they run."""
        if told := _told(self.owner, _text(self.args, self.kwargs), error):
            status, shown = told
            if status == "refused":
                _begin(self.owner, _text(self.args, self.kwargs)).tell(
                    status=status, error=str(shown), ms=0.0
                )
            raise shown from None
        if type(error).__name__ in _OUTSIDE:  # it never runs, and what it wanted is told all the same
            sent = _begin(self.owner, _text(self.args, self.kwargs))
            sent.tell(status="error", error=f"{type(error).__name__}: {error}", ms=0.0)


class Fetch(Call):
    """Rows that are fetched."""

    def prepare(self) -> None:
        """Find the statement whose rows these are."""
        self.statement = self.owner if isinstance(self.owner, Statement) else _open.get(self.owner)

    def ended(self) -> None:
        """Count and report them; refuse those over the caps."""
        statement = self.statement
        if statement is None:
            return
        rows, size = _measure(self.result)
        statement.rows += rows
        statement.size += size
        if statement.rows > statement.max_rows:
            over = f"has more than {int(statement.max_rows):,} rows"
            hint = "Aggregate or filter in the statement, or allow more rows with --max-rows."
        elif statement.size > statement.max_bytes:
            over = f"takes more than {int(statement.max_bytes):,} bytes"
            hint = "Select fewer columns or rows, or aggregate in the statement."
        else:
            statement.tell(rows=statement.rows, bytes=statement.size, ms=self.spent * 1e3)
            return
        self.result = None
        connection = statement.connection()
        if connection is not None and hasattr(connection, "abort") and connection is self.owner:
            connection.abort()  # the rest of the result would keep the connection busy
        raise statement.refuse(f"The result {over}, the most that is allowed. {hint}")


class Stream(Call):
    """A reader over a result: its batches are counted as they are read."""

    def prepare(self) -> None:
        """Find the statement whose rows these are."""
        self.statement = _open.get(self.owner)

    def ended(self) -> None:
        """Put a reader that counts in the place of the one of DuckDB."""
        if self.statement is None or not self.statement.capped:
            return
        import pyarrow as pa

        reader = self.result
        if not hasattr(reader, "read_next_batch"):
            reader = pa.RecordBatchReader._import_from_c_capsule(reader)
        counted = pa.RecordBatchReader.from_batches(reader.schema, _batches(reader, self.statement))
        self.result = counted if reader is self.result else counted.__arrow_c_stream__()


def _batches(reader: Any, statement: Statement) -> Any:
    while True:
        with Fetch(statement) as call:
            try:
                call.result = reader.read_next_batch()
            except StopIteration:
                return
        yield call.result


class _Alarm:
    """Interrupts a connection when the time is over, until the call has ended.

    One thread looks after all of them: a thread for each call would cost more than most calls.
    """

    _all: set[_Alarm] = set()  # noqa: RUF012 - shared on purpose
    _lock = threading.Lock()
    _watcher: threading.Thread | None = None

    def __init__(self, seconds: float, connection: weakref.ref[Any]) -> None:
        self._due = time.monotonic() + seconds
        self._fired = False
        self._connection = connection
        with _Alarm._lock:
            _Alarm._all.add(self)
            if _Alarm._watcher is None:
                _Alarm._watcher = threading.Thread(target=_Alarm._watch, daemon=True)
                _Alarm._watcher.start()

    def stop(self) -> bool:
        """End it; return whether it has interrupted."""
        with _Alarm._lock:
            _Alarm._all.discard(self)
        return self._fired

    @staticmethod
    def _watch() -> None:
        while True:
            time.sleep(_LOOK_SECONDS)
            with _Alarm._lock:
                for alarm in _Alarm._all:
                    connection = alarm._connection()
                    if alarm._due <= time.monotonic() and connection is not None:
                        alarm._fired = True
                        alarm._due += _AGAIN_SECONDS
                        connection.interrupt()

    @staticmethod
    def _forked() -> None:
        """Begin anew in a forked process, which has no other threads."""
        _Alarm._all, _Alarm._lock, _Alarm._watcher = set(), threading.Lock(), None


os.register_at_fork(after_in_child=_Alarm._forked)


def _begin(owner: Any, sql: str) -> Statement:
    """Report that a statement begins."""
    found = _RELATION_TEXT.match(sql)
    try:
        reply = finassay_native.request({"op": "log", "sql": found[1] if found else sql})
    except finassay_native.DatabaseError as error:
        if getattr(error, "reason", "") == "too_many_statements":
            raise _refusal(str(error)) from None
        reply = {}  # a program that closed the socket, or runs without a broker, goes on
    number = reply.get("number")
    caps = reply.get("caps", {}) if owner in SERVED else {}
    return Statement(number if isinstance(number, int) else None, weakref.ref(owner), **caps)


def _report(message: dict[str, Any]) -> None:
    try:
        finassay_native.request(message)
    except finassay_native.DatabaseError:
        return


def _text(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    text = args[0] if args else kwargs.get("query", kwargs.get("sql", ""))
    return str(getattr(text, "query", text))


def _forbidden(connection: Any, sql: str) -> str | None:
    """Say why a statement may not run on the task's database."""
    if called := _FILES.search(sql):
        return f"The function {called[1].lower()} reaches files. Read the tables of the database."
    if BASE in sql.lower():
        return f"{BASE} is behind the tables of the database. Read the tables themselves."
    try:
        kinds = {statement.type.name for statement in connection.extract_statements(sql)}
    except _duckdb().Error:  # it will say so itself
        return None
    if found := sorted(kinds & _REFUSED):
        return (
            f"{found[0]} is not a statement that only reads, and no other may run on the task's database. "
            "Fetch the rows, with df() or pl(), and write the file from them."
        )
    return None


def _told(owner: Any, sql: str, error: BaseException) -> tuple[str, Exception] | None:
    """Return the status and the error that say more than an unknown schema or table does."""
    kind, text = type(error), str(error)
    if owner in SERVED:
        if kind.__name__ == "CatalogException" and (schema := _NO_SCHEMA.search(text)):
            return "refused", _refusal(f"The schema {schema[1]} may not be read. Allowed: main.")
        return None
    hint = f"This connection is to a database of the program's own. {way_in()}"
    if kind.__name__ == "CatalogException" and _NO_TABLE.search(text):
        shown = _NO_TABLE.sub(lambda found: f"{found[1]}\n{hint}\n", text, count=1)
    elif kind.__name__ == "IOException" and _NO_DATABASE.search(text) and _ATTACH.search(sql):
        shown = f"{text}\n{way_in()}"
    else:
        return None
    return "error", kind(shown)  # type: ignore[return-value]


def _refusal(message: str) -> Exception:
    error: Exception = _duckdb().PermissionException(f"Permission Error: {message}")
    return error


def _duckdb() -> Any:
    import duckdb

    return duckdb


def _measure(result: Any) -> tuple[int, int]:
    """Return the rows of what was fetched, and its bytes: estimated for Python values, known for the rest."""
    if result is None:
        return 0, 0
    if isinstance(result, tuple):
        return 1, _row_size(result)
    if hasattr(result, "num_rows"):  # Arrow
        return int(result.num_rows), int(result.nbytes)
    if hasattr(result, "memory_usage"):  # pandas
        return len(result), int(result.memory_usage(index=False).sum())
    if isinstance(result, dict):  # numpy
        columns = list(result.values())
        return (len(columns[0]) if columns else 0), sum(
            int(getattr(column, "nbytes", 0)) for column in columns
        )
    count = len(result)
    seen = result[:: -(-count // _SAMPLED) or 1]
    return count, sum(map(_row_size, seen)) * count // max(1, len(seen))


def _row_size(row: tuple[Any, ...]) -> int:
    """Estimate the bytes of a row in Arrow: eight a value, sixteen a decimal, the length of a text, none for NULL."""
    total = 0
    for value in row:
        if isinstance(value, str | bytes):
            total += len(value)
        elif value is not None:
            total += 16 if isinstance(value, decimal.Decimal) else 8
    return total
