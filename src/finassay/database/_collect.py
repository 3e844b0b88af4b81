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
    """Interrupts a statement that runs too long; a context manager around its execution.

    Servers have a limit of their own; this one also ends what they do not count, and serves the embedded engine.
    """

    def __init__(self, seconds: float, interrupt: Callable[[], None]) -> None:
        self.expired = False
        self._interrupt = interrupt
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True

    def __enter__(self) -> Watch:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        self._timer.join()

    def _expire(self) -> None:
        self.expired = True
        self._interrupt()
