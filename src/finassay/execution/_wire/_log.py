"""The child's end of the query log: every statement goes to the parent before it runs and before it is answered."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.database import QueryResult

ANSWERED = "answered by the protocol server"
ACCEPTED = "accepted by the protocol server, without effect on the database"
_MAX_STATEMENTS = 200_000
_MAX_TEXT = 256 << 20
_STATUSES = ("ok", "error", "refused", "timeout")


class EventPipe:
    """Write whole JSON lines to a file descriptor, from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def send(self, event: dict[str, Any]) -> None:
        """Write one event; it has reached the pipe when this returns."""
        data = memoryview(json.dumps(event, separators=(",", ":")).encode() + b"\n")
        with self._lock:
            while data:
                data = data[os.write(self._descriptor, data) :]


class StatementLog:
    """Number the statements of a run and send their start and end to the parent process.

    The log lives in the parent, so a candidate that kills this process loses nothing of it. It is bounded: a run that
    sends more than 200,000 statements or 256 MiB of text is refused further ones instead of losing old ones.
    """

    def __init__(self, pipe: EventPipe) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()
        self._count = 0
        self._text = 0
        self._run = 0
        self._kept = True

    def new_run(self, run: int, first: int, *, kept: bool = True) -> None:
        """Start counting for the run with this number, at ``first``: a process may take over from one that died.

        A log that the parent does not keep is not limited.
        """
        with self._lock:
            self._run, self._count, self._text, self._kept = run, first, 0, kept

    def start(self, route: str, sql: str) -> tuple[int, int]:
        """Log that a statement was received; return its (run, index)."""
        from finassay.database import QueryRefused

        with self._lock:
            full = self._count >= _MAX_STATEMENTS or self._text + len(sql) > _MAX_TEXT
            if self._kept and full:
                raise QueryRefused(
                    f"The run has sent {self._count} statements ({self._text} characters); the query log takes "
                    f"{_MAX_STATEMENTS} statements and {_MAX_TEXT} characters.",
                    hint="Ask for many rows in one statement instead of one row in each of many.",
                    reason="too_many_statements",
                )
            key = (self._run, self._count)
            self._count += 1
            self._text += len(sql)
            self._pipe.send(
                {"event": "start", "key": key, "route": route, "sql": sql, "time": time.monotonic()}
            )
            return key

    def done(self, key: tuple[int, int], result: QueryResult, sent: str, ms: float) -> None:
        """Log a result."""
        executed = None if result.executed_sql == sent else result.executed_sql
        self._end(
            key,
            status="ok",
            executed_sql=executed,
            rows=result.rows,
            bytes=result.bytes,
            ms=ms,
            warnings=list(result.warnings),
        )

    def answered(self, key: tuple[int, int], table: pa.Table | None, ms: float) -> None:
        """Log a statement that the protocol server answered by itself, with a table or by accepting it."""
        rows, size = (None, None) if table is None else (table.num_rows, table.nbytes)
        warning = ACCEPTED if table is None else ANSWERED
        self._end(key, status="ok", rows=rows, bytes=size, ms=ms, warnings=[warning])

    def failed(self, key: tuple[int, int], status: str, error: str, ms: float) -> None:
        """Log an error, a refusal or a timeout."""
        self._end(key, status=status, error=error, ms=ms)

    def begun(self, message: dict[str, Any]) -> tuple[int, int]:
        """Log a statement that the DuckDB shim says it begins."""
        return self.start("duckdb", str(message.get("sql", "")))

    def reported(self, key: tuple[int, int], message: dict[str, Any]) -> None:
        """Log how a statement ended, or how much of its result was fetched so far and how long that took.

        What the shim says is checked for type only.
        """
        ms = _number(message.get("ms"))
        if "status" not in message:
            rows, size = _count(message.get("rows")), _count(message.get("bytes"))
            self._pipe.send({"event": "fetch", "key": key, "rows": rows, "bytes": size, "ms": ms})
            return
        status = message["status"]
        self._end(
            key,
            status=status if status in _STATUSES else "error",
            ms=ms,
            error=None if message.get("error") is None else str(message["error"])[:4000],
            warnings=["reported by the program's own process"],
        )

    def _end(self, key: tuple[int, int], **values: Any) -> None:
        self._pipe.send({"event": "end", "key": key, **values})


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62 else None


def _number(value: object) -> float:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12
    return float(value) if good else 0.0  # type: ignore[arg-type]
