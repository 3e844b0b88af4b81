"""Write a world's tables to a DuckDB file or a folder of Parquet, whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.core import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from finassay.temporal import Catalog, Column

META = "finassay_meta"
_PREFIX = "duckdb:///"


def target_of(url: str, *, force: bool) -> Path:
    """Return the file or folder a target names, after a look at whether it can be written.

    Raises
    ------
    InputError
        If the form is unknown, the folder around it is missing, or something is there already and `force` is not given.
    """
    if "://" in url and not url.startswith(_PREFIX):
        raise InputError(
            f"A world cannot be written to {url.split('://', 1)[0]}:// yet.",
            hint="Write duckdb:///file.duckdb, or a folder for Parquet files.",
        )
    path = Path(url.removeprefix(_PREFIX))
    if not path.name:
        raise InputError(f"The target {url} names no file.", hint="Write duckdb:///file.duckdb, or a folder.")
    if not path.absolute().parent.is_dir():
        raise InputError(
            f"There is no folder {path.absolute().parent} to write {path.name} in.", hint="Make it."
        )
    if path.exists() and not force:
        raise InputError(f"{path} exists.", hint="Remove it, give another target, or say --force.")
    return path


def write_world(
    tables: Mapping[str, pa.Table],
    meta: Mapping[str, str],
    catalog: Catalog,
    url: str,
    *,
    force: bool = False,
) -> Path:
    """Write tables and the world's description to a target; a temporary neighbour takes its name at the end.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        Every table with all columns of the catalog.
    meta : mapping of str to str
        The rows of ``finassay_meta``.
    catalog : Catalog
        The columns' SQL types.
    url : str
        ``duckdb:///file.duckdb``, a path ending in ``.duckdb``, or a folder, for Parquet.
    force : bool
        Replace what is there.

    Returns
    -------
    pathlib.Path
        What was written.

    Raises
    ------
    InputError
        If the target cannot be written: see `target_of`; or the disk is full. Nothing is left behind.
    """
    path = target_of(url, force=force)
    is_file = url.startswith(_PREFIX) or path.suffix == ".duckdb"
    write: Callable[..., None] = _duckdb if is_file else _parquet
    scratch = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.absolute().parent))
    try:
        write(tables, meta, catalog, scratch / path.name)
        _put(scratch / path.name, path)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror or error}.", hint="Nothing was left behind."
        ) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return path


def _put(made: Path, path: Path) -> None:
    """Give the finished database its name; what had it before goes only then."""
    if path.is_dir():
        old = made.parent / "replaced"
        path.replace(old)
    made.replace(path)


def _duckdb(tables: Mapping[str, pa.Table], meta: Mapping[str, str], catalog: Catalog, path: Path) -> None:
    import duckdb

    try:
        with duckdb.connect(str(path)) as connection:
            for name, table in tables.items():
                connection.execute(_create(name, catalog))
                connection.register("incoming", table)
                connection.execute(f'INSERT INTO "{name}" SELECT * FROM incoming')  # noqa: S608 - a catalog's name
                connection.unregister("incoming")
            connection.execute(f"CREATE TABLE {META} (key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL)")
            connection.executemany(f"INSERT INTO {META} VALUES (?, ?)", list(meta.items()))  # noqa: S608
    except duckdb.IOException as error:
        raise OSError(str(error)) from error


def _create(name: str, catalog: Catalog) -> str:
    spec = catalog.table(name)
    lines = [f'"{column}" {_sql_type(meaning)}' for column, meaning in spec.columns.items()]
    return f'CREATE TABLE "{name}" ({", ".join(lines)})'


def _sql_type(column: Column) -> str:
    declared = column.type or "text"
    kind = (
        "TIMESTAMP" if declared == "datetime" else declared if declared.startswith("decimal") else "VARCHAR"
    )
    return kind + (" NOT NULL" if column.max_null == 0 else "")


def _parquet(tables: Mapping[str, pa.Table], meta: Mapping[str, str], catalog: Catalog, path: Path) -> None:
    del catalog  # Parquet keeps the types of the tables themselves
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.mkdir()
    for name, table in tables.items():
        pq.write_table(table, path / f"{name}.parquet")
    described = pa.table({"key": list(meta), "value": list(meta.values())})
    pq.write_table(described, path / f"{META}.parquet")
