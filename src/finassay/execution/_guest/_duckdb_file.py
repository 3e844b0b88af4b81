"""The DuckDB file that the jail mounts for programs which open one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finassay.database import Database, OverlayViews

_BASE = "finassay_base"  # as the guest's finassay_statements names it
_NO_LIMIT = 1 << 62
_SECONDS = 600.0
_ALLOWED = {"main", "information_schema", "pg_catalog"}


def duckdb_mount(
    url: str, overlays: Mapping[str, str] | None, folder: Path, *, copied: bool = True
) -> Path | None:
    """Return the DuckDB file to mount read-only at ``/run/finassay/database/<its name>``, or None.

    A DuckDB file without overlays, and without any schema but the default one, is mounted itself. For a folder, for a
    file with more schemas (the policy allows none of them), and wherever overlays are served, the tables that the
    program may see are copied into a new file in ``folder``: a view would leave the base tables in reach. The copy goes
    table by table through memory. A server has no such file: a program that opens one is told so.

    Parameters
    ----------
    url : str
        Database URL.
    overlays : mapping of str to str or None
        Table name to replacement query.
    folder : Path
        An existing folder for the copy.
    copied : bool
        Whether a copy is made where one is needed; otherwise None is returned there.

    Raises
    ------
    DatabaseUnavailable
        If the database cannot be opened.
    """
    from finassay.database import connect

    with connect(url, overlays=overlays or {}) as database:
        if database.dialect != "duckdb":
            return None
        source = Path(url.removeprefix("duckdb:///"))
        is_file = source.is_file() and source.suffix not in (".parquet", ".csv", ".gz")
        if is_file and not overlays and not _other_schemas(source):
            return source.absolute()
        if not copied:
            return None
        copy = folder / f"{source.stem}.duckdb"
        _copy(database, copy)
    return copy


@dataclass
class ViewsFile:
    """A small DuckDB file of views over another one, for programs that run again over other overlays.

    Nothing is copied. The file is mounted with its folder, and what the views read beside it; the shim attaches that
    under a name which it refuses in statements. A program that goes round the shim reads the unaltered tables.

    Attributes
    ----------
    path : Path
        The file that the program opens.
    base : Path
        What its views read.
    """

    path: Path
    base: Path
    _views: OverlayViews | None = None

    def serve(self, overlays: Mapping[str, str]) -> None:
        """Serve these overlays and no others; no program may have the file open."""
        import duckdb

        from finassay.database import OverlayViews, connect

        with duckdb.connect(str(self.path)) as connection:
            source = str(self.base).replace("'", "''")
            connection.execute(f"ATTACH '{source}' AS {_BASE} (TYPE duckdb, READ_ONLY)")
            if self._views is None:
                with connect(f"duckdb:///{self.base}") as database:
                    names = {
                        info.name: info.kind == "table"
                        for info in database.tables()
                        if info.schema == database.default_schema
                    }
                    definitions = database.definitions()
                place = '"' + self.path.stem.replace('"', '""') + '".main'
                self._views = OverlayViews(connection, f"{_BASE}.main", names, definitions, place)
            self._views.connection = connection
            self._views.serve(overlays)


def duckdb_views(url: str, folder: Path) -> ViewsFile | None:
    """Return a file of views in the folder ``views`` of a folder, over the database's own file or a copy of it.

    None for servers, which have no such file.
    """
    copies, views = folder / "copy", folder / "views"
    for made in (copies, views):
        made.mkdir()
    base = duckdb_mount(url, None, copies)
    return None if base is None else ViewsFile(views / f"{base.stem}.duckdb", base)


def _other_schemas(path: Path) -> bool:
    """Whether a file has schemas besides the default one, empty ones too: macros and types count as well."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(
            f"ATTACH '{str(path).replace(chr(39), chr(39) * 2)}' AS source (TYPE duckdb, READ_ONLY)"
        )
        names = connection.execute(
            "SELECT schema_name FROM duckdb_schemas() WHERE database_name = 'source'"
        ).fetchall()
    return not {name for (name,) in names} <= _ALLOWED


def _copy(database: Database, path: Path) -> None:
    import duckdb

    from finassay.database import QueryError, QueryPolicy

    policy = QueryPolicy(max_rows=_NO_LIMIT, max_bytes=_NO_LIMIT, timeout_s=_SECONDS)
    with duckdb.connect(str(path)) as target:
        target.execute("SET enable_progress_bar = false")
        for table in database.tables():
            if table.schema != database.default_schema:
                continue
            name = '"' + table.name.replace('"', '""') + '"'
            try:
                found = database.query(f"SELECT * FROM {name}", policy=policy).table  # noqa: S608 - quoted
            except QueryError:
                if table.kind != "view":
                    raise
                continue  # a view over a table that is gone: it is as missing as what it reads
            target.register("incoming", found)
            target.execute(f"CREATE TABLE {name} AS SELECT * FROM incoming")  # noqa: S608 - quoted
            target.unregister("incoming")
