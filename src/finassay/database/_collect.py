"""Batches into a table, stopping at the first batch over the caps of the policy."""

from __future__ import annotations

import threading
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
                hint="Aggregate or filter in the statement, or raise max_rows.",
            )
        if self._bytes > self._policy.max_bytes:
            raise QueryRefused(
                f"The result takes more than {self._policy.max_bytes:,} bytes, the most that is allowed.",
                reason="too_many_bytes",
                hint="Select fewer columns or rows, or raise max_bytes.",
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
    interruption is repeated until the statement ends: one that comes before the engine has begun would be lost.

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
        self._woken = threading.Event()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def cancel(self) -> None:
        """Interrupt now."""
        self.cancelled = True
        self._woken.set()

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._woken.set()
        self._thread.join()

    def _watch(self) -> None:
        if not self._woken.wait(self._seconds):
            self.expired = True
        while not self._done.is_set():
            if self.running:
                self._interrupt()
            self._done.wait(_AGAIN_SECONDS)
