"""The database, asked by the R-rules, answers as the oracle does from the ledger: on boundaries and on any day."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finassay.temporal import Cutoff
from finassay.world import FAMILIES, EventType, Question, answers, compare, verify_world
from finassay.world.oracle import Oracle
from support.worlds import CONFIG

FAMILY = {family.name: family for family in FAMILIES}
DAYS = st.dates(date(2016, 5, 1), CONFIG.snapshot)
CUTOFFS = st.builds(Cutoff, DAYS, st.sampled_from(["eod", "pre"]))


@pytest.fixture(scope="session")
def oracle(asked):
    return asked.recoverable


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_sql_and_oracle_agree_around_every_boundary(world, asked, database, family):
    found = compare(world, asked, database, family, random_questions=200, most=3000)
    assert found.at_boundaries >= 40  # the rarest family: debtors that change their industry
    assert found.disagreements == ()


@settings(max_examples=12)
@given(cutoff=CUTOFFS)
def test_sql_and_oracle_agree_about_every_share_on_any_day(world, database, oracle, cutoff):
    for name in ("listed", "special treatment", "halt"):
        questions = [Question(issuer.inner, cutoff) for issuer in world.issuers]
        expected = [FAMILY[name].ask(oracle, question) for question in questions]
        assert answers(database, FAMILY[name], questions) == expected


@settings(max_examples=12)
@given(cutoff=CUTOFFS)
def test_the_members_on_any_day_are_the_oracles(database, oracle, cutoff):
    for index, size in ((3001, 8), (3002, 10), (3003, 20)):
        rows = database.query(
            "SELECT SECUINNERCODE FROM lc_indexcomponent WHERE INDEXINNERCODE = ? AND INDATE <= ?"
            " AND (OUTDATE IS NULL OR OUTDATE > ?)",
            params=[index, cutoff.day, cutoff.day],
        ).table
        members = oracle.members(index, cutoff)
        assert {int(value) for value in rows.column(0).to_pylist()} == members
        # Of the hundred shares some forty are left for all: listed long enough, not treated
        assert len(members) == size if index < 3003 else 5 <= len(members) <= size


def test_reading_todays_flag_gives_another_answer(world, database, oracle):
    """The trap is live: the flag knows the members of the snapshot, not those of 2018."""
    cutoff = Cutoff(date(2018, 6, 29))
    flagged = database.query(
        "SELECT SECUINNERCODE FROM lc_indexcomponent WHERE INDEXINNERCODE = 3002 AND FLAG = 1"
    )
    assert {int(value) for value in flagged.table.column(0).to_pylist()} != oracle.members(3002, cutoff)


def test_the_modes_differ_where_the_vendor_recorded_late(world):
    """A delisting in force and disclosed, but recorded three days later: the tables still say listed until then."""
    event = next(world.ledger.of(EventType.DELIST))
    late = replace(event, recorded_at=datetime.combine(event.valid_from, time(20)) + timedelta(days=3))
    events = [late if other is event else other for other in world.ledger.events]
    inner = next(issuer.inner for issuer in world.issuers if issuer.entity == event.entity)
    truth = Oracle(events, CONFIG.moment, "world")
    vendor = Oracle(events, CONFIG.moment, "recoverable")
    for days, in_tables in ((-1, True), (0, True), (2, True), (3, False)):
        cutoff = Cutoff(event.valid_from + timedelta(days=days))
        assert truth.listed(inner, cutoff) is (days < 0)
        assert vendor.listed(inner, cutoff) is in_tables


def test_verify_passes_on_what_was_built(database, serial):
    found = verify_world(database, serial, questions=20, boundary_questions=60)
    assert [check for check in found.checks if not check.passed] == []
    assert len(found.facts) >= 15
