"""Identities hold to the last stored place in a built world, and one changed cell breaks them."""

from __future__ import annotations

import shutil

import duckdb
import pytest

from finassay.database import connect
from finassay.world._identities import IDENTITIES, kept


def judged(database):
    return {
        (held.identity.table, held.identity.says): held
        for held in kept(database, {table.name for table in database.tables()})
    }


def test_every_identity_holds_and_judges_something(database):
    found = judged(database)
    assert len(found) == len(IDENTITIES)
    assert {name: held.broken for name, held in found.items() if held.broken} == {}
    assert [name for name, held in found.items() if not held.rows] == []


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (
            (
                "UPDATE lc_balancesheetall SET TOTALASSETS = TOTALASSETS + 0.01 "
                "WHERE ID = (SELECT min(ID) FROM lc_balancesheetall)"
            ),
            ("lc_balancesheetall", "TOTALASSETS = TOTALLIABILITY + TOTALSHAREHOLDEREQUITY"),
        ),
        (
            "UPDATE qt_dailyquote SET CLOSEPRICE = HIGHPRICE + 0.01 WHERE ID = (SELECT min(ID) FROM qt_dailyquote)",
            ("qt_dailyquote", "LOWPRICE <= OPENPRICE, CLOSEPRICE <= HIGHPRICE"),
        ),
        (
            "DELETE FROM lc_indexcomponentsweight WHERE ID = (SELECT min(ID) FROM lc_indexcomponentsweight)",
            ("lc_indexcomponentsweight", "weights add up to 100"),
        ),
        (
            "UPDATE qt_indexquote SET PREVCLOSEPRICE = 0 WHERE ID = (SELECT max(ID) FROM qt_indexquote)",
            ("qt_indexquote", "levels are positive"),
        ),
        (
            "UPDATE qt_indexquote SET INNERCODE = 9 WHERE ID = (SELECT max(ID) FROM qt_indexquote)",
            ("qt_indexquote", "every index has members on every session"),
        ),
        (
            (
                "UPDATE lc_indexcomponentsweight SET WEIGHT = 2 * WEIGHT + 100 "
                "WHERE ID = (SELECT max(ID) FROM lc_indexcomponentsweight)"
            ),
            (
                "lc_indexcomponentsweight",
                "no member above a tenth when members change, or above 1.5 times its even part of fewer than 15",
            ),
        ),
    ],
)
def test_one_changed_cell_breaks_one_row(built, tmp_path, change, broken):
    copy = tmp_path / "changed.duckdb"
    shutil.copy(built.path, copy)
    with duckdb.connect(str(copy)) as connection:
        connection.execute(change)
    with connect(str(copy)) as database:
        assert judged(database)[broken].broken == 1


def test_an_identity_of_tables_that_are_not_there_is_passed_over(database):
    assert {held.identity.table for held in kept(database, {"qt_pricelimit"})} == set()
    assert {held.identity.table for held in kept(database, {"lc_dividend"})} == {"lc_dividend"}
