"""Where a world is written: a DuckDB file, a folder of Parquet, a database of MySQL, MariaDB or PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from finassay.core import InputError
from finassay.database._url import parse_url
from finassay.world._ddl import META
from finassay.world._files import DuckDBFile, ParquetFolder
from finassay.world._servers import MySQLDatabase, PostgresDatabase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pyarrow as pa

    from finassay.temporal import Catalog

__all__ = ["META", "Target", "target_of"]

_PREFIX = "duckdb:///"
_FORMS = (
    "Write duckdb:///file.duckdb, a folder for Parquet files, mysql://user:password@host/database, or"
    " postgresql://user:password@host/database."
)


class Target(Protocol):
    """A place for a world.

    Attributes
    ----------
    shown : str
        Where it is, without a password.
    path : pathlib.Path or None
        Its file or folder; None on a server.
    """

    @property
    def shown(self) -> str: ...

    @property
    def path(self) -> Path | None: ...

    def check(self) -> None:
        """Say what will go wrong, before a world is simulated for it.

        Raises
        ------
        InputError
            If something is there already and it is not to be replaced, or it cannot be written.
        """
        ...

    def write(
        self,
        tables: Iterable[tuple[str, Iterable[pa.Table]]],
        meta: Callable[[], Mapping[str, str]],
        catalog: Catalog,
    ) -> None:
        """Write a world, whole or not at all.

        Parameters
        ----------
        tables : iterable of (str, iterable of pyarrow.Table)
            Each table in parts, with all columns of the catalog. One part is held at a time.
        meta : callable
            Gives the rows of ``finassay_meta`` once all tables have passed.
        catalog : Catalog
            Types, keys and indexes.

        Raises
        ------
        InputError
            If the disk is full, a right is missing, or the connection is lost. Nothing is left behind, and what was
            there before still is.
        """
        ...


def target_of(url: str, *, force: bool) -> Target:
    """Return the target that a URL or a path names.

    Raises
    ------
    InputError
        If the form is unknown.
    """
    scheme = url.split("://", 1)[0] if "://" in url else ""
    if scheme in {"", "duckdb"}:
        path = Path(url.removeprefix(_PREFIX))
        is_file = url.startswith(_PREFIX) or path.suffix == ".duckdb"
        if scheme and not url.startswith(_PREFIX):
            raise InputError(f"{url} has two slashes where a file needs three.", hint=_FORMS)
        return DuckDBFile(path, force) if is_file else ParquetFolder(path, force)
    found = parse_url(url)
    assert found.server is not None  # noqa: S101 - every other scheme is a server's
    kind = MySQLDatabase if found.engine == "mysql" else PostgresDatabase
    return kind(url, found.shown, found.server, force)
