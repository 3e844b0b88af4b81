"""A part of a world is its blocks and what they are made from; `info` says what a database holds."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from finassay.cli import app
from finassay.core import InputError
from finassay.world import BLOCKS, World, WorldConfig, materialise
from finassay.world._tables import TABLES, block_of, tables_of
from support.worlds import CONFIG


@pytest.mark.parametrize(
    ("asked", "built"),
    [
        (("us",), ("us",)),
        (("bonds",), ("equities", "macro", "bonds")),
        (("funds", "macro"), ("equities", "macro", "bonds", "funds")),
        (("us", "us", "equities"), ("equities", "us")),
        (tuple(reversed(BLOCKS)), tuple(BLOCKS)),
    ],
)
def test_a_block_brings_what_it_is_made_from(asked, built):
    assert replace(CONFIG, blocks=asked).blocks == built


@pytest.mark.parametrize(
    ("blocks", "message"),
    [(("stocks",), "no block 'stocks'"), ((), "No block is named"), (("",), "no block ''")],
)
def test_an_unknown_block_is_refused(blocks, message):
    with pytest.raises(InputError, match=message) as caught:
        WorldConfig(0.05, 1, CONFIG.snapshot, blocks)
    assert "equities, macro" in str(caught.value.hint)


def test_every_table_belongs_to_one_block_and_all_blocks_are_all_tables():
    assert {block_of(name) for name in TABLES} <= set(BLOCKS)
    assert tables_of(CONFIG) == tuple(TABLES)
    assert set(tables_of(replace(CONFIG, blocks=("us",)))) == {n for n in TABLES if n.startswith("us_")}


def test_a_part_has_the_tables_of_its_blocks_only(world: World):
    part = replace(world, config=replace(CONFIG, blocks=("equities",)))
    found = materialise(part, ["secumain", "bond_code", "lc_dividend"])
    assert list(found) == ["secumain", "lc_dividend"]
    assert found["lc_dividend"].equals(materialise(world, ["lc_dividend"])["lc_dividend"])


def test_info_says_what_each_table_holds(built, database):
    done = CliRunner().invoke(app, ["world", "info", str(built.path), "--format", "json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["blocks"] == list(BLOCKS)
    assert {table["name"]: table["rows"] for table in told["tables"]} == built.rows
    quotes = next(table for table in told["tables"] if table["name"] == "qt_dailyquote")
    # The window begins on a Sunday before a holiday; CONFIG's snapshot is a session
    assert (quotes["block"], quotes["dated_by"]) == ("equities", "TRADINGDAY")
    assert (quotes["first"], quotes["last"]) == ("2016-05-03", CONFIG.snapshot.isoformat())


def test_info_as_text_has_a_line_per_table(built):
    done = CliRunner().invoke(app, ["world", "info", str(built.path)])
    line = next(line for line in done.stdout.splitlines() if " qt_dailyquote " in line)
    assert line.split()[0] == "equities"
    assert f"{built.rows['qt_dailyquote']:,} rows" in line
    assert "2016-05-03 to 2024-03-28" in line


def test_the_command_names_the_blocks_there_are():
    done = CliRunner().invoke(app, ["world", "build", "--to", "x.duckdb", "--blocks", "equities,fund"])
    assert done.exit_code == 2
    assert "no block 'fund'" in done.stderr
