"""Building a database: whole or not at all, and precise about bad input."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from finassay.cli import app
from finassay.core import InputError
from finassay.database import connect
from finassay.temporal import load_catalog
from finassay.world import WorldConfig, content_hash, materialise, world_info
from finassay.world._verify import canonical
from finassay.world._write import target_of
from support.worlds import CONFIG


@pytest.mark.parametrize(
    ("scale", "seed", "snapshot", "message"),
    [
        (0, 1, date(2020, 1, 1), "The scale is 0"),
        (-0.2, 1, date(2020, 1, 1), "The scale is -0.2"),
        (float("nan"), 1, date(2020, 1, 1), "The scale is nan"),
        (0.05, -1, date(2020, 1, 1), "The seed is -1"),
        (0.05, 1, date(2015, 1, 1), "The snapshot is 2015-01-01; the economy runs from 2016-05-01"),
        (0.05, 1, date(2030, 1, 1), "The snapshot is 2030-01-01"),
    ],
)
def test_what_cannot_be_a_world_is_refused(scale, seed, snapshot, message):
    with pytest.raises(InputError, match=message):
        WorldConfig(scale, seed, snapshot)


def parts(tables):
    return [(name, [table]) for name, table in tables.items()]


def run(*arguments):
    return CliRunner().invoke(app, ["world", *arguments])


def test_the_commands(tmp_path, built):
    shown = run("info", str(built.path))
    assert shown.exit_code == 0
    assert f"content hash: {built.info.content_hash}" in shown.stdout


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("oracle://root@localhost/x", "No engine reads URLs that begin with oracle://"),
        ("duckdb:///nowhere/x.duckdb", "There is no folder"),
        ("duckdb:///", "names no file"),
    ],
)
def test_a_target_that_cannot_be_written_is_refused_before_anything_is_simulated(target, message):
    done = run("build", "--to", target, "--scale", "2")  # would take minutes
    assert done.exit_code == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("scale", "told"), [("1e-9", True), ("0.0119", True), ("0.012", False), ("0.05", False)]
)
def test_a_scale_that_makes_a_world_no_smaller_is_told(scale, told):
    """The floor of companies holds below 60 / 5,000; said before the target is looked at."""
    done = run("build", "--to", "duckdb:///nowhere/x.duckdb", "--scale", scale)
    notice = f"finassay: scale {float(scale):g} is below 0.012: a world has at least 60 companies"
    assert (notice in done.stderr) is told
    assert (WorldConfig(float(scale), 1, CONFIG.snapshot).issuers == 60) is (float(scale) <= 0.012)


def test_a_bad_snapshot_is_refused():
    done = run("build", "--to", "x.duckdb", "--snapshot", "tomorrow")
    assert done.exit_code == 2
    assert "'tomorrow', not a date" in done.stderr


def test_what_exists_is_not_replaced_without_force(tmp_path):
    target = tmp_path / "world.duckdb"
    target.write_text("mine")
    done = run("build", "--to", f"duckdb:///{target}", "--scale", "0.05")
    assert done.exit_code == 2
    assert "exists" in done.stderr
    assert target.read_text() == "mine"


def test_a_database_without_a_description_is_no_world(tmp_path):
    import duckdb

    duckdb.connect(str(tmp_path / "x.duckdb")).close()
    with connect(tmp_path / "x.duckdb") as database, pytest.raises(InputError, match="is no world"):
        world_info(database)


def test_a_write_that_fails_leaves_nothing_behind_and_what_was_there(tmp_path, world):
    target = tmp_path / "world.duckdb"
    target.write_text("mine")
    tables = materialise(world, ["secumain"])

    def full():
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match="No space left on device"):
        target_of(f"duckdb:///{target}", force=True).write(parts(tables), full, load_catalog("gildata"))
    assert target.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["world.duckdb"]


def test_parquet_holds_the_same_tables(tmp_path, world, built):
    catalog = load_catalog("gildata")
    tables = materialise(world)
    folder = tmp_path / "parquet"
    first = {"secumain": tables["secumain"]}
    for written, force in ((first, False), (tables, True)):  # the second time over the first
        target_of(str(folder), force=force).write(parts(written), lambda: {"catalog": "gildata"}, catalog)
    with connect(folder) as database:
        read = {name: pa.concat_tables(canonical(database, catalog, name)) for name in tables}
    assert content_hash(read, catalog) == built.info.content_hash
    assert built.info.config == CONFIG
    assert [path.name for path in tmp_path.iterdir()] == ["parquet"]
