"""Build a world's database, and read what a database says it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING

from finassay.core import InputError, progress
from finassay.temporal import load_catalog
from finassay.world._config import VERSION, WorldConfig
from finassay.world._materialise import CATALOG, ContentHash, chunks
from finassay.world._tables import TABLES, View
from finassay.world._world import World, simulate
from finassay.world._write import META, target_of

if TYPE_CHECKING:
    from pathlib import Path

    from finassay.database import Database
    from finassay.executor import Executor


@dataclass(frozen=True)
class WorldInfo:
    """What a world's database says of itself in ``finassay_meta``."""

    catalog: str
    version: str
    scale: float
    seed: int
    snapshot: date
    content_hash: str

    @property
    def config(self) -> WorldConfig:
        """What it can be built from again."""
        return WorldConfig(self.scale, self.seed, self.snapshot)


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
    catalog = load_catalog(CATALOG)
    world = simulate(config, executor)
    view, content = View(world, catalog), ContentHash()

    def described() -> dict[str, str]:
        return {key: str(value) for key, value in asdict(_info(config, content)).items()}

    passing = ((name, content.passing(name, chunks(view, name))) for name in TABLES)
    target.write(progress(passing, label="tables", total=len(TABLES)), described, catalog)
    return Built(target.shown, target.path, _info(config, content), content.rows, world)


def _info(config: WorldConfig, content: ContentHash) -> WorldInfo:
    return WorldInfo(CATALOG, VERSION, config.scale, config.seed, config.snapshot, content.hexdigest())


def world_info(database: Database) -> WorldInfo:
    """Return what a database says it is.

    Raises
    ------
    InputError
        If it is no world: it has no table ``finassay_meta``, or that is incomplete.
    """
    if META not in {table.name for table in database.tables()}:
        raise InputError(
            f"{database.url} is no world: it has no table {META}.", hint="Build one: finassay world build."
        )
    table = database.query(f"SELECT * FROM {META}").table  # noqa: S608 - our own name
    keys, values = (column.to_pylist() for column in table.columns)
    found = dict(zip(keys, values, strict=True))
    try:
        return WorldInfo(
            found["catalog"],
            found["version"],
            float(found["scale"]),
            int(found["seed"]),
            date.fromisoformat(found["snapshot"]),
            found["content_hash"],
        )
    except (KeyError, ValueError) as error:
        raise InputError(
            f"{META} of {database.url} is damaged: {error}.", hint="Build the world again."
        ) from error
