"""Tables made by processes of their own, which share the world they were forked from, and handed over as Arrow files.

Each process makes and hashes the tables of one module, which are made from the same things, and writes their parts to
files that this process reads and removes; it is at most `_AHEAD` bytes ahead. All are forked before anything else is
done and wait for their turn, so many at a time as there are workers. Whoever looks at an object of Python copies the
page that counts who does: a process that ends gives its copies back, where one that went on would in time hold a world
of its own. The content does not depend on who made what; tables come in the order in which they are finished.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import sys
import tempfile
import traceback
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.core import InternalError
from finassay.executor import WorkerLostError
from finassay.executor._loky import _prepare_worker
from finassay.world._ddl import filled
from finassay.world._materialise import ContentHash, chunks
from finassay.world._tables import TABLES, View
from finassay.world._tables._statement_rows import filed
from finassay.world._tables._view import blank

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.context import ForkContext
    from multiprocessing.process import BaseProcess

    import pyarrow as pa

    from finassay.executor import Executor
    from finassay.temporal import Catalog

    Tables = Iterator[tuple[str, Iterator[pa.Table]]]

_AHEAD = 192_000_000
_SLOWEST = ("documents", "cs_intensitytrendadj")  # begun first, lest one process be left alone with them
_CAN_FORK = sys.platform == "linux"  # macOS has it, and its libraries do not bear it


@dataclass(frozen=True)
class _Part:
    """A part of a table: the file of those of its columns that are not NULL throughout."""

    name: str
    path: str
    rows: int
    size: int


@dataclass(frozen=True)
class _End:
    """A table's last part was handed over."""

    name: str
    rows: int
    digest: str


@dataclass
class _Table:
    """What has come of a table."""

    maker: Connection
    parts: deque[_Part] = field(default_factory=deque)
    size: int = 0
    end: _End | None = None


@contextlib.contextmanager
def made(view: View, names: Sequence[str], content: ContentHash, executor: Executor) -> Iterator[Tables]:
    """Give the tables in parts, each once and hashed: made as they are asked for, or by several workers ahead.

    Parameters
    ----------
    view : View
        The world.
    names : sequence of str
        The tables.
    content : ContentHash
        Is told of each table that has passed.
    executor : Executor
        Says how many workers there are to be; on one machine only they share the world.

    Raises
    ------
    InternalError
        If a table cannot be made.
    WorkerLostError
        If a worker was killed.
    OSError
        If the folder for temporary files is full.
    """
    if executor.workers < 2 or executor.name != "loky" or not _CAN_FORK:
        yield ((name, content.passing(name, chunks(view, name))) for name in names)
        return
    context = multiprocessing.get_context("fork")
    _prepare(view)
    with tempfile.TemporaryDirectory(prefix="finassay-") as folder:
        processes: list[BaseProcess] = []
        makers: dict[Connection, list[str]] = {}
        try:
            for group in _groups(names):
                ours, process = _start(context, view, group, folder)
                processes.append(process)
                makers[ours] = group
            yield _Incoming(makers, executor.workers, view.catalog, content).tables(names)
        finally:
            for process in processes:
                process.kill()
            for process in processes:
                process.join()


def _prepare(view: View) -> None:
    """Load and look up here what every process would else have to by itself."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.ipc

    import finassay.core._canonical  # noqa: F401

    pa.array(np.zeros(1), from_pandas=True)  # loads pandas
    view.prepare()
    filed(view)


def _groups(names: Sequence[str]) -> list[list[str]]:
    """Return the tables by the module that makes them, the slowest first."""
    found: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda name: name not in _SLOWEST):
        found.setdefault(TABLES[name].__module__, []).append(name)
    return list(found.values())


def _start(context: ForkContext, view: View, names: list[str], folder: str) -> tuple[Connection, BaseProcess]:
    ours, theirs = context.Pipe()
    process = context.Process(target=_make, args=(view, names, theirs, folder), daemon=True)
    process.start()
    theirs.close()  # so that its end is seen here
    return ours, process


def _make(view: View, names: list[str], pipe: Connection, folder: str) -> None:
    """Make tables once it is said that it is time: the worker's side."""
    _prepare_worker()
    ahead = pipe.recv()
    try:
        for name in names:
            content = ContentHash()
            for n, part in enumerate(content.passing(name, chunks(view, name))):
                while ahead > _AHEAD or pipe.poll():
                    ahead -= pipe.recv()
                handed = _write(name, part, f"{folder}/{name}.{n}")
                ahead += handed.size
                pipe.send(handed)
            pipe.send(_End(name, content.rows[name], content.digests[name]))
    except OSError as error:
        pipe.send(OSError(error.errno, error.strerror, error.filename))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is raised by the other side
        told = InternalError(f"{type(error).__name__}: {error}")
        told.add_note("".join(traceback.format_exception(error)))
        pipe.send(told)


def _write(name: str, part: pa.Table, path: str) -> _Part:
    import pyarrow as pa

    columns = part.select(filled(part))
    with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, columns.schema) as writer:
        writer.write_table(columns)
    return _Part(name, path, part.num_rows, Path(path).stat().st_size)


class _Incoming:
    """The other side: takes what the workers hand over, and gives it table by table."""

    def __init__(
        self, makers: dict[Connection, list[str]], workers: int, catalog: Catalog, content: ContentHash
    ) -> None:
        self._owed = {pipe: set(names) for pipe, names in makers.items()}
        self._waiting, self._catalog, self._content = deque(makers), catalog, content
        self._open: set[Connection] = set()
        self._tables: dict[str, _Table] = {}
        for _ in range(workers):
            self._begin()

    def _begin(self) -> None:
        """Tell the next process that it is its turn."""
        if self._waiting:
            pipe = self._waiting.popleft()
            with contextlib.suppress(OSError):  # it was killed while it waited: seen when it is read
                pipe.send(0)
            self._open.add(pipe)

    def tables(self, names: Sequence[str]) -> Iterator[tuple[str, Iterator[pa.Table]]]:
        """Yield each table once."""
        for _ in names:
            name = self._next()
            yield name, self._parts(name)
            del self._tables[name]

    def _next(self) -> str:
        """Return a finished table, or one that its worker cannot go on with until room is made."""
        while True:
            self._receive(0.0)
            for name, table in self._tables.items():
                if table.end is not None:
                    return name
            for name, table in self._tables.items():
                if table.size > _AHEAD:
                    return name
            self._receive(None)

    def _parts(self, name: str) -> Iterator[pa.Table]:
        table = self._tables[name]
        while True:
            while table.parts:
                part = table.parts.popleft()
                yield _read(part, self._catalog)
                table.size -= part.size
                with contextlib.suppress(OSError):  # it has ended: nobody waits for room
                    table.maker.send(part.size)
            if table.end is not None:
                self._content.add(name, table.end.rows, table.end.digest)
                return
            self._receive(None)

    def _receive(self, timeout: float | None) -> None:
        """Take what there is; wait for something unless there is a timeout."""
        for pipe in wait(self._open, timeout):
            assert isinstance(pipe, Connection)  # noqa: S101 - these are what it waits for
            try:
                told = pipe.recv()
            except (EOFError, ConnectionResetError):  # the latter if it left without reading all
                self._open.discard(pipe)
                if self._owed[pipe]:
                    raise WorkerLostError(
                        "A worker process died while it made tables.",
                        hint="Often it was out of memory: use fewer workers (loky:1, or serial).",
                    ) from None
                self._begin()
                continue
            if isinstance(told, Exception):
                raise told
            table = self._tables.setdefault(told.name, _Table(pipe))
            if isinstance(told, _End):
                table.end = told
                self._owed[pipe].discard(told.name)
            else:
                table.parts.append(told)
                table.size += told.size


def _read(part: _Part, catalog: Catalog) -> pa.Table:
    """Return a part with all its columns; its file's name goes at once, its memory with the table."""
    import pyarrow as pa

    columns = pa.ipc.open_file(pa.memory_map(part.path)).read_all()
    Path(part.path).unlink()
    return blank(catalog.table(part.name), part.rows, columns)
