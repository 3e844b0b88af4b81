"""Worlds as a DuckDB file or a folder of Parquet: a temporary neighbour takes the target's name at the end."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import shutil
import signal
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar

from finassay.core import InputError
from finassay.world._ddl import META, create_meta, create_table, decimals, filled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import duckdb
    import pyarrow as pa

    from finassay.temporal import Catalog, Table

# One thread: the workers that make the rows need the other processors. Trying run lengths takes a fifth of the time
# and makes the file one percent smaller
_SETTINGS: dict[str, Any] = {"threads": 1, "memory_limit": "1GB", "disabled_compression_methods": "rle"}
_LOCK = "lock"
_CAST = 2.0**51  # from so many units on DuckDB's cast of a double may be one off
_HINTS = {
    "No space left": "Free some space, or give a target on another disk.",
    "File too large": "Files may not be that large here: see ulimit -f.",
}


@dataclass(frozen=True)
class _OnDisk:
    """A file or a folder.

    Attributes
    ----------
    path : pathlib.Path
        What is written.
    force : bool
        Replace what is there.
    """

    path: Path
    force: bool
    scheme: ClassVar[str] = ""

    @property
    def shown(self) -> str:
        """Where it is."""
        return f"{self.scheme}{self.path}"

    def check(self) -> None:
        """See `Target.check`."""
        path = self.path
        if not path.name:
            raise InputError(
                f"The target {self.shown} names no file.", hint="Write duckdb:///file.duckdb, or a folder."
            )
        if not path.absolute().parent.is_dir():
            raise InputError(
                f"There is no folder {path.absolute().parent} to write {path.name} in.", hint="Make it."
            )
        if path.exists() and not self.force:
            raise InputError(f"{path} exists.", hint="Remove it, give another target, or say --force.")
        self._check_replaced()
        with self._neighbour():  # says now, not after an hour, that nothing may be written here
            pass

    def _check_replaced(self) -> None:
        """Refuse to replace what is no world's, whatever was said.

        Raises
        ------
        InputError
            With reason ``not_a_world``.
        """
        raise NotImplementedError

    @contextlib.contextmanager
    def _neighbour(self) -> Iterator[Path]:
        """Give a path beside the target, on its disk; it and all in it is gone at the end."""
        path = self.path
        try:
            _sweep(path)
            scratch = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.absolute().parent))
            lock = _locked(scratch)
        except OSError as error:
            raise InputError(
                f"Nothing can be written in {path.absolute().parent}: {error.strerror}.",
                hint="Give a target where you may write.",
            ) from error
        try:
            yield scratch / path.name
        except OSError as error:
            said = f"{os.strerror(error.errno)} {error}" if error.errno else str(error)
            hint = next((hint for word, hint in _HINTS.items() if word in said), "See what the disk says.")
            raise InputError(
                f"{path} cannot be written: {error.strerror or error}. Nothing was left behind.", hint=hint
            ) from error
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
            lock.close()

    def _put(self, made: Path) -> None:
        """Give the finished database its name; what had it before goes only then."""
        if self.path.is_dir():
            self.path.replace(made.parent / "replaced")
        made.replace(self.path)


def _locked(scratch: Path) -> IO[str]:
    """Return the open file whose lock says that somebody still writes there."""
    lock = (scratch / _LOCK).open("w", encoding="utf-8")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def _sweep(path: Path) -> None:
    """Remove what earlier builds of a target left that were killed: nobody holds their locks."""
    for lock in path.absolute().parent.glob(f".{glob.escape(path.name)}.*/{_LOCK}"):
        with lock.open("r+", encoding="utf-8") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            shutil.rmtree(lock.parent, ignore_errors=True)


@dataclass(frozen=True)
class DuckDBFile(_OnDisk):
    """A DuckDB file."""

    scheme: ClassVar[str] = "duckdb:///"

    def _check_replaced(self) -> None:
        if self.path.is_dir():
            raise InputError(
                f"{self.path} is a folder, not a DuckDB file.",
                hint="Give another name.",
                reason="not_a_world",
            )

    def write(
        self,
        tables: Iterable[tuple[str, Iterable[pa.Table]]],
        meta: Callable[[], Mapping[str, str]],
        catalog: Catalog,
    ) -> None:
        """See `Target.write`."""
        import duckdb

        with self._neighbour() as made:
            try:
                with duckdb.connect(str(made), config=_SETTINGS) as connection:
                    for name, parts in tables:
                        _fill(connection, name, parts, catalog.table(name))
                    _do(connection, create_meta("duckdb"))
                    rows = list(meta().items())
                    with _undisturbed():
                        connection.executemany(f"INSERT INTO {META} VALUES (?, ?)", rows)  # noqa: S608
            except (duckdb.IOException, duckdb.TransactionException, duckdb.FatalException) as error:
                raise OSError(str(error)) from error
            self._put(made)


def _fill(connection: duckdb.DuckDBPyConnection, name: str, parts: Iterable[pa.Table], spec: Table) -> None:
    """Create a table with its rows, in one transaction."""
    _do(connection, "BEGIN")
    stored: list[str] | None = None
    for part in parts:
        found = filled(part)
        if stored is None:
            stored = found or list(spec.columns)
            _create(connection, name, spec, stored)
        elif more := [column for column in found if column not in stored]:
            _do(connection, f'ALTER TABLE "{name}" RENAME TO "_narrow"')
            _create(connection, name, spec, [*stored, *more])
            listed = _listed(stored)
            _do(connection, f'INSERT INTO "{name}" ({listed}) SELECT {listed} FROM "_narrow"')  # noqa: S608 - a catalog's names
            _do(connection, 'DROP TABLE "_narrow"')
            stored += more
        if found:
            _insert(connection, name, decimals(part, spec, least=_CAST).select(found))
    _do(connection, "COMMIT")


def _create(connection: duckdb.DuckDBPyConnection, name: str, spec: Table, stored: list[str]) -> None:
    """Create a table of which some columns are stored; the others are NULL throughout, as far as one knows."""
    _do(connection, create_table(name, spec, "duckdb", empty=set(spec.columns) - set(stored)))


def _insert(connection: duckdb.DuckDBPyConnection, name: str, incoming: pa.Table) -> None:
    """Add rows. The engine finds them as the local variable: what is registered it would keep until the commit."""
    listed = _listed(incoming.column_names)
    with _undisturbed():
        connection.execute(f'INSERT INTO "{name}" ({listed}) SELECT {listed} FROM incoming')  # noqa: S608 - a catalog's names


def _do(connection: duckdb.DuckDBPyConnection, statement: str) -> None:
    with _undisturbed():
        connection.execute(statement)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Let signals wait until a statement ends, which takes a second at most.

    DuckDB looks for signals while it works, a COMMIT included. What a handler raises then is lost in it: instead of the
    exit that was asked for there comes an error of the engine, which looks like a failure of ours.
    """
    kinds = (signal.SIGINT, signal.SIGTERM)
    handlers = {number: signal.getsignal(number) for number in kinds}
    if threading.current_thread() is not threading.main_thread() or None in handlers.values():
        yield  # handlers run in the main thread alone; one that is not Python's raises nothing
        return
    came: list[int] = []
    for number in kinds:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def _listed(columns: Iterable[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


@dataclass(frozen=True)
class ParquetFolder(_OnDisk):
    """A folder with one Parquet file per table."""

    def _check_replaced(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise InputError(
                f"{self.path} is a file, not a folder of Parquet files.",
                hint="Give another name, or duckdb:///file.duckdb.",
                reason="not_a_world",
            )
        held = sorted(path.name for path in self.path.iterdir()) if self.path.is_dir() else []
        strangers = [name for name in held if not name.endswith(".parquet")]
        if held and (strangers or f"{META}.parquet" not in held):
            shown = ", ".join((strangers or held)[:3])
            raise InputError(
                f"{self.path} holds what is no world ({shown}{', …' if len(strangers or held) > 3 else ''}), and the "
                "whole folder would be replaced.",
                hint="Give another target, or empty it yourself.",
                reason="not_a_world",
            )

    def write(
        self,
        tables: Iterable[tuple[str, Iterable[pa.Table]]],
        meta: Callable[[], Mapping[str, str]],
        catalog: Catalog,
    ) -> None:
        """See `Target.write`."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        with self._neighbour() as made:
            made.mkdir()
            for name, parts in tables:
                writer = None
                for part in parts:
                    typed = decimals(part, catalog.table(name))
                    writer = writer or pq.ParquetWriter(made / f"{name}.parquet", typed.schema)
                    writer.write_table(typed)
                if writer is not None:
                    writer.close()
            rows = meta()
            described = pa.table({"key": list(rows), "value": list(rows.values())})
            pq.write_table(described, made / f"{META}.parquet")
            self._put(made)
