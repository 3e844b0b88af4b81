"""What is scarce in a small world: members of indices, short names, shares that were listed long enough."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from finassay.world import EventType, WorldConfig
from finassay.world._blocks._indices import INDICES, capping, index_events, membership
from finassay.world._blocks._life import life_events
from finassay.world._blocks._market import window
from finassay.world._blocks._plant import lives_of, plan, plant
from finassay.world._blocks._recorder import Recorder
from finassay.world._blocks._universe import universe
from finassay.world._config import START

SNAPSHOT = date(2026, 4, 30)


def lives(config):
    """Every share with all that its life tells, natural and planted."""
    issuers = universe(config)
    planted = plan(config, issuers, lives_of(config.seed, issuers))
    for issuer in issuers:
        recorder = Recorder(config.seed, issuer.entity)
        life_events(config.seed, issuer, recorder)
        plant(config.seed, issuer, recorder, planted.get(issuer.entity, []))
        yield issuer, recorder.events


@pytest.fixture(scope="module")
def demo():
    """The lives of the world that the documentation shows."""
    return list(lives(WorldConfig(0.05, 20260430, SNAPSHOT)))


def spells(events):
    """Each short name of a share, its first day, and the day on which the share has another or is gone."""
    gone = next((e.valid_from for e in events if e.type is EventType.DELIST), date.max)
    named = [e for e in events if e.type in (EventType.SECURITY, EventType.RENAME)]
    named.sort(key=lambda e: (e.valid_from, e.seq))
    ends = [e.valid_from for e in named[1:]] + [gone]
    return [(e.payload.abbreviation, e.valid_from, end) for e, end in zip(named, ends, strict=True)]


def test_no_two_shares_have_a_short_name_at_the_same_time(demo):
    found = {}
    for issuer, events in demo:
        for name, start, end in spells(events):
            found.setdefault(name, []).append((issuer.entity, start, end))
    assert sum(name.startswith(("ST", "*ST")) for name in found) > 100
    shared = [
        (name, a, b)
        for name, held in found.items()
        for n, a in enumerate(held)
        for b in held[:n]
        if a[0] != b[0] and a[1] < b[2] and b[1] < a[2]
    ]
    assert shared == []


def test_new_short_names_are_as_short_as_they_can_be(demo):
    names = {name.lstrip("*ST") for _, events in demo for name, _, _ in spells(events)}
    assert max(map(len, names)) <= 5
    assert np.mean([len(name) <= 4 for name in names]) > 0.98


def test_briefs_are_apart_in_a_full_world():
    """Of 5,000 companies four share their two syllables: the brief takes in the line of business."""
    issuers = universe(WorldConfig(1.0, 3, SNAPSHOT))
    assert len({issuer.brief for issuer in issuers}) == len(issuers)
    assert all(issuer.abbreviation.startswith(issuer.brief) for issuer in issuers)


@pytest.mark.parametrize("seed", [20260430, 1, 2, 3])
def test_no_share_is_under_an_alert_before_its_listing(seed):
    """At the start of the window some are under special treatment: none that was listed months before."""
    begun = 0
    for issuer, events in lives(WorldConfig(0.05, seed, SNAPSHOT)):
        alerts = [e for e in events if e.type is EventType.ST_ON]
        begun += sum(e.valid_from < START for e in alerts)
        assert all(min(e.valid_from, e.disclosed_at.date()) > issuer.listed for e in alerts), issuer
    assert begun > 0


@pytest.mark.parametrize("scale", [0.001, 0.012, 0.02, 0.03, 0.04, 0.05, 0.06])
def test_three_indices_leave_some_of_the_shares_that_are_listed(scale):
    config = WorldConfig(scale, 1, SNAPSHOT)
    asked = sum(config.index_size(members) for *_, members in INDICES)
    assert 0.3 * 0.468 * config.issuers < asked < 0.92 * 0.468 * config.issuers


def review_days(world):
    return sorted(
        {e.valid_from for e in world.ledger.of(EventType.INDEX_OUT) if e.valid_from.month in (6, 12)}
    )


@pytest.mark.parametrize("when", ["as told", "on the days of reviews"])
def test_no_membership_ends_on_the_day_of_its_beginning(world, when):
    """A review sends nobody back who came in on its day for one that left; where all that leave do so then, too."""
    events = [e for e in world.ledger.events if EventType.INDEX_IN != e.type != EventType.INDEX_OUT]
    if when != "as told":
        days = review_days(world)
        moved = []
        for event in events:
            if event.type in (EventType.DELIST_PERIOD, EventType.DELIST):
                day = next((day for day in days if day >= event.valid_from), None)
                if day is not None:
                    told = min(
                        event.disclosed_at, event.disclosed_at.replace(year=day.year, month=day.month, day=3)
                    )
                    event = replace(event, valid_from=day, disclosed_at=told)  # noqa: PLW2901
            moved.append(event)
        events = moved
    told = index_events(world.config, world.issuers, world.quotes, events)
    entered = {e.event_id: e for e in told if e.type is EventType.INDEX_IN}
    left = [e for e in told if e.type is EventType.INDEX_OUT]
    assert len(left) > 50
    for event in left:
        assert event.valid_from > entered[event.supersedes].valid_from
        assert event.disclosed_at >= entered[event.supersedes].disclosed_at
    ends = {e.supersedes for e in left}
    for day in {e.valid_from for e in left}:
        gone = {
            e.entity
            for e in events
            if e.type is EventType.DELIST and e.valid_from <= day - timedelta(days=40)
        }
        members = {
            e.payload.security for key, e in entered.items() if key not in ends and e.valid_from <= day
        }
        assert not members & gone


def test_us_memberships_have_a_length(world):
    ends = {e.supersedes: e.valid_from for e in world.ledger.of(EventType.US_INDEX_OUT)}
    begun = {e.event_id: e.valid_from for e in world.ledger.of(EventType.US_INDEX_IN)}
    assert len(ends) > 10
    assert all(begun[number] < end for number, end in ends.items())


def test_indices_of_a_small_world_have_members_levels_and_no_giant(world):
    events, quotes, first = list(world.ledger.events), world.quotes, window()[0]
    inside = membership(events, len(world.issuers))
    sizes = sorted((e.entity, e.payload.size) for e in world.ledger.of(EventType.INDEX_OPEN))
    for index, (entity, size) in zip(world.indices, sizes, strict=True):
        assert index.levels.min() > 0
        count = inside[entity].sum(axis=1)
        # The third may lack some: what was planted ends many of so few shares
        assert (5 if index is world.indices[-1] else size) <= count.min() <= count.max() <= size
        made = capping(quotes, inside[entity])
        values = np.zeros(inside[entity].shape)
        values[quotes.session - first, quotes.entity - 1] = quotes.previous * quotes.shares
        values = np.where(inside[entity], values, 0.0)[made.changes] * made.factors
        weights = values / values.sum(axis=1, keepdims=True)
        most = np.maximum(0.1, 1.5 / np.count_nonzero(values, axis=1))
        assert np.all(weights.max(axis=1) <= most + 1e-6)
