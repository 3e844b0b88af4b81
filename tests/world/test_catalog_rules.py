"""What the catalog's rules select at any date is what the ledger says: no date is written by hand here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from finassay.database import resolve_table, selected_view
from finassay.temporal import Cutoff, load_catalog
from finassay.world import FAMILIES
from finassay.world.oracle import Oracle
from support.worlds import CONFIG

CATALOG = load_catalog("gildata")
DAYS = st.dates(date(2016, 5, 1), CONFIG.snapshot)
STAR = 7  # of the vendor's codes of boards
CUTOFFS = st.builds(Cutoff, DAYS, st.sampled_from(["eod", "pre"]))


@dataclass(frozen=True)
class Rule:
    """A table, the condition of a question about its chosen rows, and the oracle's answer for all things."""

    table: str
    select: str
    where: str
    truth: Callable[[Oracle, Any, Cutoff], set[tuple[Any, ...]]]


def shares(
    ask: Callable[[Oracle, int, Cutoff], bool],
) -> Callable[[Oracle, Any, Cutoff], set[tuple[Any, ...]]]:
    return lambda oracle, world, cutoff: {(i.inner,) for i in world.issuers if ask(oracle, i.inner, cutoff)}


def industries(oracle: Oracle, world: Any, cutoff: Cutoff) -> set[tuple[Any, ...]]:
    plain = (issuer for issuer in world.issuers if issuer.board != STAR)
    known = {(issuer.company, oracle.industry(issuer.company, cutoff)) for issuer in plain}
    return {(company, code) for company, code in known if code is not None}


def members(oracle: Oracle, world: Any, cutoff: Cutoff) -> set[tuple[Any, ...]]:
    return {(index, inner) for index in (3001, 3002, 3003) for inner in oracle.members(index, cutoff)}


def us_members(oracle: Oracle, world: Any, cutoff: Cutoff) -> set[tuple[Any, ...]]:
    return {(security,) for security in oracle._us_members if oracle.us_member(security, cutoff)}


def grades(oracle: Oracle, world: Any, cutoff: Cutoff) -> set[tuple[Any, ...]]:
    bonds = next(family for family in FAMILIES if family.name == "bond grade").things
    assert bonds is not None
    known = {(main, oracle.bond_grade(main, cutoff)) for main, _ in bonds(world)}
    return {(main, grade) for main, grade in known if grade is not None}


RULES = {
    "special treatment": Rule(
        "cs_riskalert", "INNERCODE", "RISKALERTTYPE IN (1, 5, 12, 14)", shares(Oracle.special_treatment)
    ),
    "halts": Rule("lc_suspendresumption", "INNERCODE", "TRUE", shares(Oracle.halted)),
    "industries": Rule("lc_exgindustry", "COMPANYCODE, FIRSTINDUSTRYCODE", "STANDARD = 38", industries),
    "members": Rule("lc_indexcomponent", "INDEXINNERCODE, SECUINNERCODE", "TRUE", members),
    "members of the US index": Rule("us_index_member", "security_id", "TRUE", us_members),
    "grades of bonds": Rule("bond_bdcreditgrading", "MAINCODE, CRCODE", "CRTYPECODE = 1", grades),
}


@pytest.fixture(scope="session")
def oracle(world):
    return Oracle(world.ledger.events, CONFIG.moment, "recoverable")


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@settings(max_examples=10, phases=[Phase.generate])  # to shrink a date says nothing more
@given(cutoff=CUTOFFS)
def test_the_rows_that_the_catalog_selects_are_the_ledgers(world, database, oracle, rule, cutoff):
    info = next(table for table in database.tables() if table.name == rule.table)
    view = selected_view(resolve_table(CATALOG, info), cutoff, database.dialect)
    found = database.query(f"SELECT DISTINCT {rule.select} FROM ({view}) AS chosen WHERE {rule.where}").table
    rows = {
        tuple(_plain(cell) for cell in row)
        for row in zip(*(c.to_pylist() for c in found.columns), strict=True)
    }
    assert rows == rule.truth(oracle, world, cutoff)


def _plain(cell: Any) -> Any:
    return cell if isinstance(cell, str) else int(cell)
