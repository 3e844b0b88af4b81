"""Tables made by processes of their own, which share the world they were forked from, and handed over as Arrow files.

A worker forks for tables of modules of one kind, which are made from the same things, then for those of another.
Whoever looks at an object of Python copies the page that counts who does: a process that ends gives its copies back,
where one that went on would in time hold a world of its own. It makes and hashes its tables, and writes their parts to
files that this process reads and removes; a worker is at most `_AHEAD` bytes ahead. The content does not depend on who
made what; tables come in the order in which they are finished.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.core import InternalError
from finassay.executor import WorkerLostError
from finassay.world._ddl import filled
from finassay.world._materialise import ContentHash, chunks
from finassay.world._tables import TABLES, View
from finassay.world._tables._statement_rows import filed
from finassay.world._tables._view import blank

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from multiprocessing.context import ForkContext
    from multiprocessing.process import BaseProcess
    from multiprocessing.queues import SimpleQueue

    import pyarrow as pa

    from finassay.executor import Executor
    from finassay.temporal import Catalog

    Tables = Iterator[tuple[str, Iterator[pa.Table]]]

_AHEAD = 192_000_000
_PAUSE = 0.02  # seconds between two looks at how far ahead a worker is
_SLOWEST = ("documents", "cs_intensitytrendadj")  # begun first, lest one process be left alone with them
_SET_DEATH_SIGNAL = 1  # of Linux's prctl
_CAN_FORK = sys.platform == "linux"  # macOS has it, and its libraries do not bear it


@dataclass(frozen=True)
class _Part:
    """A part of a table: the file of those of its columns that are not NULL throughout."""

    name: str
    path: Path
    rows: int
    size: int


@dataclass(frozen=True)
class _End:
    """A table's last part was handed over."""

    name: str
    rows: int
    digest: str


@dataclass(frozen=True)
class _Done:
    """A worker found no more tables to make."""


@dataclass
class _Table:
    """What has come of a table."""

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
    queue = context.SimpleQueue()
    for group in _groups(names):
        queue.put(group)
    for _ in range(executor.workers):
        queue.put(None)
    with tempfile.TemporaryDirectory(prefix="finassay-") as folder:
        workers: dict[Connection, BaseProcess] = {}
        try:
            for n in range(executor.workers):
                own = Path(folder, str(n))
                own.mkdir()
                pipe, process = _start(context, view, queue, own)
                workers[pipe] = process
            yield _Incoming(workers, view.catalog, content).tables(names)
        finally:
            for pipe, process in workers.items():
                process.kill()
                process.join()
                _await_end(pipe)


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
    """Return the tables by the first word of the module that makes them, the slowest first."""
    found: dict[str, list[str]] = {}
    slow = [name for name in _SLOWEST if name in names]
    for name in (*slow, *(name for name in names if name not in slow)):
        found.setdefault(TABLES[name].__module__.rpartition("._")[2].partition("_")[0], []).append(name)
    return list(found.values())


def _start(
    context: ForkContext, view: View, queue: SimpleQueue[list[str] | None], folder: Path
) -> tuple[Connection, BaseProcess]:
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(os.getpid(), view, queue, theirs, folder), daemon=True)
    process.start()
    theirs.close()  # so that its end is seen here
    return ours, process


def _await_end(pipe: Connection) -> None:
    """Wait until nobody can write to a pipe any more: a worker's child outlives it by a moment."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            pipe.recv_bytes()


def _work(
    parent: int, view: View, queue: SimpleQueue[list[str] | None], pipe: Connection, folder: Path
) -> None:
    """Fork for each group of tables until there are no more: the worker's side."""
    _end_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent has it too, and kills its workers
    worker = os.getpid()
    while (names := queue.get()) is not None:
        child = os.fork()
        if not child:
            _end_with(worker)
            _make(view, names, pipe, folder)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            return  # killed: the end of the pipe says so
    pipe.send(_Done())


def _end_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends."""
    if ctypes.CDLL(None, use_errno=True).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl failed")
    if os.getppid() != parent:  # it has ended just before
        os._exit(1)


def _make(view: View, names: list[str], pipe: Connection, folder: Path) -> None:
    """Make tables and hand them over, or say what went wrong: the side of a worker's child."""
    try:
        for name in names:
            content = ContentHash()
            for n, part in enumerate(content.passing(name, chunks(view, name))):
                while _size(folder) > _AHEAD:
                    time.sleep(_PAUSE)
                pipe.send(_write(name, part, folder / f"{name}.{n}"))
            pipe.send(_End(name, content.rows[name], content.digests[name]))
    except OSError as error:
        pipe.send(OSError(error.errno, error.strerror, error.filename))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is raised by the other side
        told = InternalError(f"{type(error).__name__}: {error}")
        told.add_note("".join(traceback.format_exception(error)))
        pipe.send(told)


def _size(folder: Path) -> int:
    """Return the bytes that nobody has read yet."""
    found = 0
    for entry in os.scandir(folder):
        with contextlib.suppress(FileNotFoundError):  # it has just been read
            found += entry.stat().st_size
    return found


def _write(name: str, part: pa.Table, path: Path) -> _Part:
    import pyarrow as pa

    columns = part.select(filled(part))
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, columns.schema) as writer:
        writer.write_table(columns)
    return _Part(name, path, part.num_rows, path.stat().st_size)


class _Incoming:
    """The other side: takes what the workers hand over, and gives it table by table."""

    def __init__(self, pipes: Iterable[Connection], catalog: Catalog, content: ContentHash) -> None:
        self._open, self._catalog, self._content = set(pipes), catalog, content
        self._tables: dict[str, _Table] = {}

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
            except EOFError:
                raise WorkerLostError(
                    "A worker process died while it made tables.",
                    hint="Often it was out of memory: use fewer workers (loky:1, or serial).",
                ) from None
            if isinstance(told, _Done):
                self._open.discard(pipe)
                continue
            if isinstance(told, Exception):
                raise told
            table = self._tables.setdefault(told.name, _Table())
            if isinstance(told, _End):
                table.end = told
            else:
                table.parts.append(told)
                table.size += told.size


def _read(part: _Part, catalog: Catalog) -> pa.Table:
    """Return a part with all its columns; its file's name goes at once, its memory with the table."""
    import pyarrow as pa

    columns = pa.ipc.open_file(pa.memory_map(str(part.path))).read_all()
    part.path.unlink()
    return blank(catalog.table(part.name), part.rows, columns)
