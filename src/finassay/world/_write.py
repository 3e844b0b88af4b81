"""Write a world's tables to a DuckDB file or a folder of Parquet, whole or not at all."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.core import InputError, InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import duckdb
    import pyarrow as pa

    from finassay.temporal import Catalog, Column, Table

META = "finassay_meta"
_PREFIX = "duckdb:///"
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")


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
    tables: Iterable[tuple[str, Iterable[pa.Table]]],
    meta: Callable[[], Mapping[str, str]],
    catalog: Catalog,
    url: str,
    *,
    force: bool = False,
) -> Path:
    """Write tables and the world's description to a target; a temporary neighbour takes its name at the end.

    Parameters
    ----------
    tables : iterable of (str, iterable of pyarrow.Table)
        Each table in parts, with all columns of the catalog. One part is held at a time.
    meta : callable
        Gives the rows of ``finassay_meta`` once all tables have passed.
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


def _duckdb(
    tables: Iterable[tuple[str, Iterable[pa.Table]]],
    meta: Callable[[], Mapping[str, str]],
    catalog: Catalog,
    path: Path,
) -> None:
    import duckdb

    try:
        with duckdb.connect(str(path)) as connection:
            for name, parts in tables:
                connection.execute(_create(name, catalog))
                connection.execute("BEGIN")
                for part in parts:
                    _insert(connection, name, decimals(part, catalog.table(name)))
                connection.execute("COMMIT")
            connection.execute(f"CREATE TABLE {META} (key VARCHAR PRIMARY KEY, value VARCHAR NOT NULL)")
            connection.executemany(f"INSERT INTO {META} VALUES (?, ?)", list(meta().items()))  # noqa: S608
    except duckdb.IOException as error:
        raise OSError(str(error)) from error


def _insert(connection: duckdb.DuckDBPyConnection, name: str, part: pa.Table) -> None:
    """Columns that are NULL throughout are left out: the engine stores them as constants."""
    filled = [column for column in part.column_names if part[column].null_count < part.num_rows]
    listed = ", ".join(f'"{column}"' for column in filled)
    connection.register("incoming", part.select(filled))
    if part.num_rows:
        connection.execute(f'INSERT INTO "{name}" ({listed}) SELECT {listed} FROM incoming')  # noqa: S608 - a catalog's names
    connection.unregister("incoming")


def decimals(part: pa.Table, spec: Table) -> pa.Table:
    """Return a part with decimals in the precision and places of the catalog, as Arrow makes them exactly.

    Raises
    ------
    InternalError
        If a value is too large for its column.
    """
    import pyarrow as pa

    columns = []
    for name, meaning in spec.columns.items():
        column, kind = part[name], decimal_type(meaning.type)
        if kind is not None and pa.types.is_floating(column.type):
            try:
                column = column.cast(kind)
            except pa.ArrowInvalid as error:
                raise InternalError(f"{name} is {meaning.type} in the catalog: {error}") from error
        columns.append(column)
    return pa.table(columns, names=part.column_names)


def decimal_type(declared: str | None) -> pa.DataType | None:
    """Return the Arrow type of a decimal of the catalog; None for other types."""
    import pyarrow as pa

    match = _DECIMAL.fullmatch(declared or "")
    return None if match is None else pa.decimal128(int(match.group(1)), int(match.group(2)))


def _create(name: str, catalog: Catalog) -> str:
    spec = catalog.table(name)
    lines = [f'"{column}" {_sql_type(meaning)}' for column, meaning in spec.columns.items()]
    return f'CREATE TABLE "{name}" ({", ".join(lines)})'


def _sql_type(column: Column) -> str:
    declared = column.type or "text"
    kind = {"datetime": "TIMESTAMP", "double": "DOUBLE", "longblob": "BLOB"}.get(declared, "VARCHAR")
    return (declared if declared.startswith("decimal") else kind) + (
        " NOT NULL" if column.max_null == 0 else ""
    )


def _parquet(
    tables: Iterable[tuple[str, Iterable[pa.Table]]],
    meta: Callable[[], Mapping[str, str]],
    catalog: Catalog,
    path: Path,
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.mkdir()
    for name, parts in tables:
        writer = None
        for part in parts:
            typed = decimals(part, catalog.table(name))
            writer = writer or pq.ParquetWriter(path / f"{name}.parquet", typed.schema)
            writer.write_table(typed)
        if writer is not None:
            writer.close()
    rows = meta()
    described = pa.table({"key": list(rows), "value": list(rows.values())})
    pq.write_table(described, path / f"{META}.parquet")
