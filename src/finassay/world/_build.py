"""Build a world's database, and read what a database says it is."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime
from typing import TYPE_CHECKING, TypeVar

from finassay.core import InputError, progress
from finassay.database import QueryError, QueryPolicy
from finassay.temporal import load_catalog
from finassay.world._config import VERSION, WorldConfig
from finassay.world._ddl import named, sql_type
from finassay.world._makers import made
from finassay.world._materialise import CATALOG, ContentHash
from finassay.world._tables import View, block_of, tables_of
from finassay.world._tables._view import arrow_type
from finassay.world._world import World, simulate
from finassay.world._write import META, target_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from finassay.database import Database
    from finassay.executor import Executor
    from finassay.temporal import Catalog

T = TypeVar("T")
_AGAIN = "Build the world again."


@dataclass(frozen=True)
class WorldInfo:
    """What a world's database says of itself in ``finassay_meta``."""

    catalog: str
    version: str
    scale: float
    seed: int
    snapshot: date
    blocks: tuple[str, ...]
    content_hash: str

    @property
    def config(self) -> WorldConfig:
        """What it can be built from again."""
        return WorldConfig(self.scale, self.seed, self.snapshot, self.blocks)

    def as_text(self) -> dict[str, str]:
        """Return it as the rows of ``finassay_meta``."""
        rows = {key: str(value) for key, value in asdict(self).items()}
        return {**rows, "blocks": ",".join(self.blocks)}


@dataclass(frozen=True)
class TableInfo:
    """A table of a world's database: its block, rows, columns, and the first and last of its dates.

    `dated_by`, `first` and `last` are None where it has no dates; `empty` are the columns that are NULL in every row.
    """

    name: str
    block: str
    rows: int
    dated_by: str | None
    first: date | None
    last: date | None
    columns: int
    empty: tuple[str, ...]


@dataclass(frozen=True)
class Built:
    """A database that was built: where (`path` for files only), what it is, rows by table, and the world behind it."""

    url: str
    path: Path | None
    info: WorldInfo
    rows: dict[str, int]
    world: World


def build_world(config: WorldConfig, url: str, executor: Executor, *, force: bool = False) -> Built:
    """Simulate a world and write its database.

    Parameters
    ----------
    config : WorldConfig
        Scale, seed, snapshot.
    url : str
        ``duckdb:///file.duckdb``, a folder for Parquet files, or a database of a server: ``mysql://``, ``postgresql://``.
    executor : Executor
        Runs the blocks; the content does not depend on it.
    force : bool
        Replace what is at the target; on a server, the tables of a world.

    Raises
    ------
    InputError
        If the target cannot be written, or exists without `force`: said before anything is simulated.
    """
    target = target_of(url, force=force)
    target.check()
    catalog, content, names = load_catalog(CATALOG), ContentHash(), tables_of(config)

    def described() -> dict[str, str]:
        return _info(config, content).as_text()

    with _uncollected():
        world = simulate(config, executor)
        _give_back()
        with made(View(world, catalog), names, content, executor) as tables:
            target.write(progress(tables, label="tables", total=len(names)), described, catalog)
    rows = {name: content.rows[name] for name in names}
    return Built(target.shown, target.path, _info(config, content), rows, world)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no cycles among millions of events that have none: it takes a tenth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _give_back() -> None:
    """Give the memory that the simulation has freed back to the system: glibc keeps a third of all until it is told."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)


def _info(config: WorldConfig, content: ContentHash) -> WorldInfo:
    return WorldInfo(
        CATALOG, VERSION, config.scale, config.seed, config.snapshot, config.blocks, content.hexdigest()
    )


def world_info(database: Database) -> WorldInfo:
    """Return what a database says it is.

    Raises
    ------
    InputError
        If it is no world: it has no table ``finassay_meta``, or that is damaged.
    """
    if META not in {table.name for table in database.tables()}:
        raise InputError(
            f"{database.url} is no world: it has no table {META}.", hint="Build one: finassay world build."
        )
    columns = database.query(f"SELECT * FROM {META}").table.to_pydict()  # noqa: S608 - our own name
    if not {"key", "value"} <= columns.keys():
        raise _damaged(database, f"expected the columns key and value, found {', '.join(sorted(columns))}")
    found = {str(key): str(value) for key, value in zip(columns["key"], columns["value"], strict=True)}
    lacking = [field.name for field in fields(WorldInfo) if field.name not in found]
    if lacking:
        raise _damaged(database, f"it lacks {', '.join(lacking)}")

    def read(key: str, kind: str, parse: Callable[[str], T]) -> T:
        try:
            return parse(found[key])
        except ValueError as error:
            raise _damaged(database, f"{key} should be {kind}; it is {found[key]!r}") from error

    info = WorldInfo(
        found["catalog"],
        found["version"],
        read("scale", "a number", float),
        read("seed", "a whole number", int),
        read("snapshot", "a date as 2026-04-30", date.fromisoformat),
        tuple(found["blocks"].split(",")),
        found["content_hash"],
    )
    try:
        _ = info.config
    except InputError as error:  # says whether it is of the scale, the seed, the snapshot or the blocks
        raise _damaged(database, str(error).rstrip(".")) from error
    if info.catalog != CATALOG:
        raise _damaged(database, f"the catalog of a world is {CATALOG}, not {info.catalog}")
    return info


def _damaged(database: Database, what: str) -> InputError:
    return InputError(f"{META} of {database.url} is damaged: {what}.", hint=_AGAIN)


def world_tables(database: Database) -> list[TableInfo]:
    """Return the tables of a world's database, with what each holds; rows and values are counted.

    Raises
    ------
    InputError
        If it is no world, lacks a table or a column, a column is of another type, a view cannot be read, or a date is
        none.
    """
    info = world_info(database)
    catalog = load_catalog(info.catalog)
    refuse_gaps(database, catalog, info)
    return [_table_info(database, catalog, name) for name in tables_of(info.config)]


def refuse_gaps(database: Database, catalog: Catalog, info: WorldInfo) -> None:
    """Raise an `InputError` if a table or a column of a world is missing, of another type, or cannot be read."""
    tables = {table.name: table for table in database.tables()}
    for name in tables_of(info.config):
        if name not in tables:
            raise InputError(f"{database.url} lacks the table {name}.", hint=_AGAIN)
        found = {column.name.upper(): column for column in tables[name].columns}
        listed = catalog.table(name).columns
        missing = [column for column in listed if column.upper() not in found]
        if missing:
            raise InputError(
                f"{database.url} lacks columns of {name} that {catalog.catalog} lists: {', '.join(missing)}.",
                hint=_AGAIN,
            )
        for column, meaning in listed.items():
            there = found[column.upper()]
            if _sort(there.arrow_type) != _sort(arrow_type(meaning.type)):
                expected = sql_type(meaning, database.dialect).removesuffix(" NOT NULL")
                raise InputError(
                    f"{column} of {name} in {database.url} should be {expected}; it is {there.type}.",
                    hint=_AGAIN,
                )
        if tables[name].kind == "view":
            _refuse_broken(database, name)


def _sort(type_: pa.DataType) -> str:
    """Return what values of a type are: the engines differ in widths, which `verify` finds by the content."""
    import pyarrow as pa

    if pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_):
        return "number"
    if pa.types.is_timestamp(type_):
        return "timestamp"
    if pa.types.is_string(type_) or pa.types.is_large_string(type_):
        return "text"
    return "bytes" if pa.types.is_binary(type_) or pa.types.is_large_binary(type_) else str(type_)


def _refuse_broken(database: Database, name: str) -> None:
    """Raise an `InputError` if a view cannot be read: it keeps its columns when what it reads is gone."""
    try:
        database.query(f"SELECT * FROM {named(name, database.dialect)} LIMIT 0")  # noqa: S608 - a catalog's name
    except QueryError as error:
        raise InputError(
            f"{name} of {database.url} is a view that cannot be read: {str(error).splitlines()[0]}",
            hint=_AGAIN,
        ) from error


def _table_info(database: Database, catalog: Catalog, name: str) -> TableInfo:
    spec = catalog.table(name)
    column = (spec.availability.column if spec.availability else None) or next(
        iter(spec.by_role("market_date", "effective_from", "period_end")), None
    )
    dates = (
        f"MIN({named(column, database.dialect)}), MAX({named(column, database.dialect)})"
        if column
        else "NULL, NULL"
    )
    counts = ", ".join(f"COUNT({named(each, database.dialect)})" for each in spec.columns)
    table = database.query(
        f"SELECT COUNT(*), {dates}, {counts} FROM {named(name, database.dialect)}",  # noqa: S608 - a catalog's names
        policy=QueryPolicy(timeout_s=600.0),
    ).table
    rows, first, last, *filled = (part[0].as_py() for part in table.columns)
    empty = tuple(each for each, count in zip(spec.columns, filled, strict=True) if not count)
    for value in (first, last):
        if not isinstance(value, datetime | None) or (value is None and column not in (None, *empty)):
            held = "one that is no date, such as infinity" if value is None else repr(value)
            raise InputError(
                f"{column} of {name} in {database.url} should hold timestamps; it holds {held}.", hint=_AGAIN
            )
    span = (column, first and first.date(), last and last.date())
    return TableInfo(name, block_of(name), int(rows), *span, len(spec.columns), empty)
