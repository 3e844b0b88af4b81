"""Batches into a table, stopping at the first batch over the caps of the policy."""

from __future__ import annotations

import math
import os
import threading
import time
from typing import TYPE_CHECKING

from finassay.database._types import QueryPolicy, QueryRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    import pyarrow as pa

CHUNK_BYTES = 16 << 20
CHUNK_ROWS = 1 << 16
_FIRST_ROWS = 256
_AGAIN_SECONDS = 0.2
_LONGEST = 1e6  # more than a lock may wait for is no limit


def collect(batches: Iterable[pa.RecordBatch], schema: pa.Schema, policy: QueryPolicy) -> pa.Table:
    """Return the batches as one table.

    Raises
    ------
    QueryRefused
        With ``too_many_rows`` or ``too_many_bytes``, before another batch is asked for.
    """
    import pyarrow as pa

    kept: list[pa.RecordBatch] = []
    caps = Caps(policy)
    for batch in batches:
        caps.add(batch.num_rows, batch.nbytes)
        kept.append(batch)
    return pa.Table.from_batches(kept, schema=schema)


class Caps:
    """Counts rows and bytes against a policy."""

    def __init__(self, policy: QueryPolicy) -> None:
        self._policy = policy
        self._rows = 0
        self._bytes = 0

    def add(self, rows: int, size: int) -> None:
        """Count a batch; raise `QueryRefused` when the result has grown too large."""
        self._rows += rows
        self._bytes += size
        if self._rows > self._policy.max_rows:
            raise QueryRefused(
                f"The result has more than {self._policy.max_rows:,} rows, the most that is allowed.",
                reason="too_many_rows",
                hint="Aggregate or filter in the statement, or allow more rows with --max-rows.",
            )
        if self._bytes > self._policy.max_bytes:
            raise QueryRefused(
                f"The result takes more than {self._policy.max_bytes:,} bytes, the most that is allowed.",
                reason="too_many_bytes",
                hint="Select fewer columns or rows, or aggregate in the statement.",
            )


class ChunkSize:
    """How many rows to fetch next, so that a chunk of wide rows stays near 16 MiB."""

    def __init__(self) -> None:
        self.rows = _FIRST_ROWS

    def learn(self, rows: int, size: int) -> None:
        """Take a fetched chunk into account: its rows and its bytes."""
        per_row = max(1, size // max(1, rows))
        self.rows = max(1, min(CHUNK_ROWS, CHUNK_BYTES // per_row, self.rows * 8))


class Watch:
    """Interrupts a statement that runs too long, or that somebody cancels; a context manager around its execution.

    Servers have a limit of their own; this one also ends what they do not count, and serves the embedded engine. An
    interruption is repeated until the statement ends: one that comes before the engine has begun would be lost. It has
    a thread of its own, since asking a server takes time; a statement that ends by itself needs none.

    Attributes
    ----------
    expired, cancelled : bool
        Why it was interrupted.
    running : bool
        Whether the engine has the statement; nothing is interrupted before and after.
    """

    def __init__(self, seconds: float, interrupt: Callable[[], None]) -> None:
        self.expired = False
        self.cancelled = False
        self.running = False
        self._seconds = seconds
        self._interrupt = interrupt
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._stopper: threading.Thread | None = None
        self._over: float | None = None

    @property
    def overdue(self) -> float:
        """Seconds that the statement has gone on after its time was over."""
        return 0.0 if self._over is None else time.monotonic() - self._over

    def cancel(self) -> None:
        """Interrupt now."""
        self.cancelled = True
        self._stop()

    def expire(self) -> None:
        """Interrupt since the time is over."""
        self.expired = True
        self._over = self._over or time.monotonic()
        self._stop()

    def __enter__(self) -> Watch:
        _deadlines.add(self, time.monotonic() + min(self._seconds, _LONGEST))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _deadlines.discard(self)
        with self._lock:
            self._done.set()
            stopper = self._stopper
        if stopper is not None:
            stopper.join()

    def _stop(self) -> None:
        with self._lock:
            if self._stopper is None and not self._done.is_set():
                stopper = threading.Thread(target=self._keep_interrupting, daemon=True)
                stopper.start()
                self._stopper = stopper

    def _keep_interrupting(self) -> None:
        while not self._done.is_set():
            if self.running:
                self._interrupt()
            self._done.wait(_AGAIN_SECONDS)


class _Deadlines:
    """One thread that knows when the time of each statement is over.

    It sleeps until the earliest deadline it knew, and is woken for an earlier one only: statements that follow each
    other have later and later deadlines, and hand nothing over.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._watches: dict[Watch, float] = {}
        self._wakes = math.inf
        self._thread: threading.Thread | None = None

    def add(self, watch: Watch, deadline: float) -> None:
        with self._changed:
            self._watches[watch] = deadline
            if self._thread is None:
                self._thread = threading.Thread(target=self._wait, daemon=True)
                self._thread.start()
            elif deadline < self._wakes:
                self._changed.notify()

    def discard(self, watch: Watch) -> None:
        with self._changed:
            self._watches.pop(watch, None)

    def _wait(self) -> None:
        while True:
            with self._changed:
                now = time.monotonic()
                due = [watch for watch, deadline in self._watches.items() if deadline <= now]
                for watch in due:
                    del self._watches[watch]
                if not due:
                    self._wakes = min(self._watches.values(), default=math.inf)
                    self._changed.wait(None if self._wakes == math.inf else self._wakes - now)
            for watch in due:
                try:
                    watch.expire()
                except RuntimeError:  # no thread can be had now
                    self.add(watch, time.monotonic() + _AGAIN_SECONDS)


_deadlines = _Deadlines()


def _forget_threads() -> None:
    """Begin anew in a forked process, which has none of its parent's threads."""
    global _deadlines  # noqa: PLW0603 - one per process
    _deadlines = _Deadlines()


os.register_at_fork(after_in_child=_forget_threads)
