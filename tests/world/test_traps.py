"""Every anchor has its traps; reading them wrongly gives another answer; and natural lives do not know of them."""

from __future__ import annotations

import itertools
import json
import re
from datetime import date, timedelta

import pytest
from typer.testing import CliRunner

from finassay.cli import app
from finassay.core import InputError
from finassay.world import MECHANISMS, EventType, Origin, Traps, WorldConfig, counterfactual, simulate
from finassay.world._blocks._life import life_events
from finassay.world._blocks._plant import anchors
from finassay.world._blocks._recorder import Recorder
from finassay.world._calendar import sessions
from finassay.world._switch import SWITCHES, switched
from support.worlds import CONFIG

# Mechanisms that do not hang on the size of the market: met at every anchor even of a small world
EVERYWHERE = (
    "manager_left_later",
    "report_not_filed",
    "versions_compete",
    "revised_later",
    "st_pending",
    "st_removed_later",
    "delisted_before",
    "halt_open",
    "industry_changed",
    "member_left_later",
    "rating_undisclosed",
    "macro_unreleased",
    "fund_kind_unrecorded",
    "amendment_pending",
    "renamed_later",
)
MOSTLY = (
    "accepted_after_close",
    "default_revoked",
    "delisted_later",
    "delisting_period",
    "dividend_planned",
    "industry_pending",
    "manager_undisclosed",
    "review_pending",
)
PLANTED = ("st_pending", "halt_open")


@pytest.fixture(scope="module")
def traps(world):
    return Traps(world)


def test_anchors_are_the_last_sessions_of_months():
    found = anchors(date(2018, 6, 1))
    # From a year after May 2016 to 60 days before June 2018; 29 April 2018 was worked, the 30th a holiday
    assert found[0] == date(2017, 5, 31)
    assert found[-1] == date(2018, 3, 30)
    assert len(found) == 11
    assert all(day in sessions() for day in found)
    assert anchors(date(2016, 12, 1)) == []


def by_name(name):
    return next(m for m in MECHANISMS if m.name == name)


def long_ago(traps, name):
    """The anchors that can have a mechanism, but for the last: what comes late does not show there yet."""
    return [d for d in traps.due(by_name(name)) if d < CONFIG.snapshot - timedelta(days=220)]


@pytest.mark.parametrize("name", EVERYWHERE)
def test_the_quota_is_met_at_every_anchor(traps, name):
    small = by_name(name).small
    assert {day for day in long_ago(traps, name) if traps.count(name, day) < small} == set()


@pytest.mark.parametrize("name", MOSTLY)
def test_the_quota_is_met_at_most_anchors_of_a_market_that_is_too_small_for_it(traps, name):
    """Treatments are kept to small shares, so that indices stay whole: few are left that may be delisted."""
    days = long_ago(traps, name)
    assert sum(traps.count(name, day) >= by_name(name).small for day in days) >= 0.65 * len(days)


def test_every_quota_is_met_at_the_scale_of_the_demo(serial):
    """World.md, 5: at each anchor from a year after the start to 60 days before the snapshot."""
    world = simulate(WorldConfig(0.05, 1, date(2026, 4, 30)), serial)
    short = {one.mechanism: one for one in Traps(world).coverage() if one.quota and one.met < one.anchors}
    assert short == {}


def names(database):
    """All codes and symbols that people use, by the tables that explain the vendor's numbers."""
    return {
        str(name)
        for table, column in (
            ("secumain", "SECUCODE"),
            ("bond_code", "SECUCODE"),
            ("nq_secumain", "SECUCODE"),
            ("us_listing_event", "symbol"),
            ("us_macro_vintage", "series"),
            ("c_ed_indicatormain", "INDICATORCODE"),
            ("bond_comcreditgrading", "COMPANYCODE"),
        )
        for name in database.query(f"SELECT DISTINCT {column} FROM {table}").table.column(0).to_pylist()
    }


def test_a_trap_is_found_in_its_table_by_what_is_printed(traps, database):
    """Of each mechanism some at every sixth anchor and the last: rows with those numbers and dates, a name in use."""
    used, seen = names(database), set()
    for day in (*traps.anchors[::6], traps.anchors[-1]):
        for name, found in itertools.groupby(traps.at(day), key=lambda trap: trap.mechanism):
            listed = list(found)
            for trap in listed[:: max(1, len(listed) // 8)]:
                count = database.query(f"SELECT COUNT(*) FROM {trap.table} WHERE {trap.where}").table
                assert count.column(0).to_pylist()[0] > 0, trap
                assert trap.entity in used, trap
                # The row is found by a date of the trap, but for names, which no table dates
                dated = {trap.valid, trap.disclosed, trap.ended} - {None}
                assert trap.table == "secumain" or any(f"{d}" in trap.where for d in dated), trap
                seen.add(name)
    assert seen >= set(EVERYWHERE)


def test_a_manager_is_named_by_the_code_of_the_person(traps, database):
    day = traps.anchors[30]
    rows = database.query(
        "SELECT DISTINCT c.SECUCODE, m.PERSONALCODE, CAST(m.ACCESSIONDATE AS DATE) AS since FROM mf_fundmanagernew m"
        f" JOIN secumain c ON c.INNERCODE = m.INNERCODE WHERE m.ACCESSIONDATE <= DATE '{day}'"
        f" AND m.INFOPUBLDATE >= DATE '{day + timedelta(days=1)}'"
    ).table
    there = {
        (str(code), str(person), since)
        for code, person, since in zip(*rows.to_pydict().values(), strict=True)
    }
    found = [trap for trap in traps.at(day) if trap.mechanism == "manager_undisclosed"]
    assert found
    for trap in found:
        person = re.search(r"PERSONALCODE = (\d+)", trap.where)[1]
        assert (trap.entity, person, trap.valid) in there


def test_late_net_values_are_those_of_the_table(traps, database):
    day = traps.anchors[30]
    listed = {trap.entity for trap in traps.at(day) if trap.mechanism == "net_value_unrecorded"}
    rows = database.query(
        "SELECT DISTINCT c.SECUCODE FROM mf_fundnetvalueretrans v JOIN secumain c ON c.INNERCODE = v.INNERCODE"
        f" WHERE v.TRADINGDAY <= DATE '{day}' AND CAST(v.INSERTTIME AS DATE) > DATE '{day}'"
    ).table
    assert listed
    assert {str(code) for code in rows.column(0).to_pylist()} <= listed


def test_a_trap_is_what_its_dates_say(traps, world):
    """By the ledger's own events, one by one, at one anchor."""
    day = traps.anchors[len(traps.anchors) // 2]
    found = list(traps.at(day))
    events = {name: {t.event_id for t in found if t.mechanism == name} for name in PLANTED}
    seen = world.ledger.seen_at(CONFIG.moment)
    pending = {e.event_id for e in seen.of(EventType.ST_ON) if e.disclosed_at.date() <= day < e.valid_from}
    ends = {e.supersedes: e for e in seen.of(EventType.RESUME, EventType.ST_OFF)}
    halted = {
        e.event_id
        for e in seen.of(EventType.HALT)
        if e.valid_from <= day and e.event_id in ends and day < ends[e.event_id].valid_from
    }
    assert events["st_pending"] == pending
    assert events["halt_open"] == halted
    assert all(t.anchor == day for t in found)


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda switch: switch.mechanism)
def test_the_two_readings_differ_where_a_trap_is_live(traps, database, switch):
    """World.md, 5: on at least 80% of anchors below scale .2; here every third anchor that has one."""
    live = [day for day in traps.anchors[::3] if traps.count(switch.mechanism, day)]
    differ = sum(switched(database, switch, day) for day in live)
    assert differ >= 0.8 * len(live)


def test_the_two_readings_agree_where_there_is_no_trap(traps, database):
    """So the difference is the trap's doing."""
    switch = next(s for s in SWITCHES if s.mechanism == "conversion_pending")
    calm = [day for day in traps.anchors[::3] if not traps.count(switch.mechanism, day)]
    assert calm
    assert not any(switched(database, switch, day) for day in calm)


def test_few_filings_are_moved_after_the_close_and_what_is_added_changes_no_figure(world):
    """Most companies file on the days that are theirs; what is accepted on an anchor is dated of it."""
    closing = [
        e
        for e in world.ledger.of(EventType.US_FILING, EventType.US_AMENDMENT)
        if e.origin is Origin.SEEDED and e.disclosed_at.date() in anchors() and e.disclosed_at.hour >= 16
    ]
    moved = [e for e in closing if e.type is EventType.US_FILING]
    assert 0 < len(moved) <= 0.01 * sum(1 for _ in world.ledger.of(EventType.US_FILING))
    again = [e for e in closing if e.type is EventType.US_AMENDMENT]
    carriers = {correction.carrier for correction in world.us.corrections}
    assert {e.event_id in carriers for e in again if e.payload.restates} == {True}
    assert {e.event_id in carriers for e in again if not e.payload.restates} == {False}
    assert all(e.payload.filed == e.disclosed_at.date() for e in closing)


def test_nothing_is_asked_of_a_holiday_in_new_york(traps):
    """Memorial Day of 2021 is the last Monday of May, a session in China; Good Friday of 2018 is 30 March."""
    due = traps.due(by_name("accepted_after_close"))
    assert {date(2021, 5, 31), date(2018, 3, 30)} <= set(traps.anchors) - set(due)
    assert set(due) == {day for day in traps.anchors if day in sessions("XNYS")}


def test_an_amendment_that_changes_no_figure_revises_nothing(traps, world):
    for name in ("revised_later", "amendment_pending"):
        found = {world.ledger.by_id[t.event_id] for t in traps.at(traps.anchors[30]) if t.mechanism == name}
        assert found
        assert all(e.payload.restates for e in found if e.type is EventType.US_AMENDMENT)


def test_natural_lives_are_told_as_without_traps(world):
    kinds = {
        EventType.SECURITY,
        EventType.LIST,
        EventType.HALT,
        EventType.ST_ON,
        EventType.RENAME,
        EventType.DELIST,
    }
    for issuer in world.issuers:
        recorder = Recorder(CONFIG.seed, issuer.entity)
        life_events(CONFIG.seed, issuer, recorder)
        for event in recorder.events:
            if event.type in kinds:
                assert world.ledger.by_id[event.event_id] == event


def test_what_is_planted_is_marked_in_the_ledger_and_near_an_anchor(world):
    planted = [e for e in world.ledger.of(EventType.ST_ON, EventType.HALT) if e.origin is Origin.SEEDED]
    treated = (EventType.ST_ON, EventType.ST_OFF)  # halts on the day before come with them
    alone = [e for e in planted if not any(c >> 56 in treated for c in e.cause_ids)]
    days = anchors()
    assert len(alone) > 100
    for event in alone:
        near = any(abs(event.valid_from - day) <= timedelta(days=31) for day in days)
        # The long treatment before a planted delisting begins up to a year before its anchor
        delisted = any(e.entity == event.entity for e in world.ledger.of(EventType.DELIST))
        assert near or delisted


def test_no_two_planted_episodes_of_a_share_overlap(world):
    ends = {e.supersedes: e.valid_from for e in world.ledger.of(EventType.ST_OFF)}
    gone = {e.entity: e.valid_from for e in world.ledger.of(EventType.DELIST)}
    spells = {}
    for event in world.ledger.of(EventType.ST_ON):
        end = ends.get(event.event_id) or gone.get(event.entity) or date.max
        spells.setdefault(event.entity, []).append((event.valid_from, end))
    for found in spells.values():
        found.sort()
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(found))


def test_without_a_planted_event_only_its_descendants_are_gone(world, serial):
    event = next(
        e for e in world.ledger.of(EventType.ST_ON) if e.origin is Origin.SEEDED and e.valid_from.year >= 2018
    )
    other = counterfactual(world, event.event_id, serial)
    gone = {e.event_id for e in world.ledger.events} - {e.event_id for e in other.ledger.events}
    assert gone == world.ledger.descendants(event.event_id)
    moved = world.quotes.close != other.quotes.close
    assert set(world.quotes.entity[moved].tolist()) <= {event.entity}


def run(*arguments):
    return CliRunner().invoke(app, ["world", "traps", *arguments])


def test_the_command_lists_an_anchor(built, traps):
    day = traps.anchors[20]
    done = run(str(built.path), "--anchor", day.isoformat(), "--executor", "serial", "--format", "json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert len(told["traps"]) == len(list(traps.at(day)))
    assert {trap["anchor"] for trap in told["traps"]} == {day.isoformat()}
    assert {"mechanism", "entity", "table", "where", "event", "valid", "disclosed", "recorded"} <= set(
        told["traps"][0]
    )
    assert [one["mechanism"] for one in told["coverage"]] == [one.mechanism for one in traps.coverage()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--mechanism", "luck"], "no mechanism 'luck'"),
        (["--anchor", "yesterday"], "--anchor is 'yesterday', not a date"),
    ],
)
def test_what_is_not_there_is_named(built, arguments, message):
    done = run(str(built.path), *arguments)
    assert done.exit_code == 2
    assert message in done.stderr


def test_a_day_that_is_no_anchor_is_refused(traps):
    with pytest.raises(InputError, match="2020-02-15 is no anchor"):
        list(traps.at(date(2020, 2, 15)))
