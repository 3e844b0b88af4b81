"""A daily return is split into what caused it: the parts explain the price, and without its cause a part is gone."""

from __future__ import annotations

import math
from datetime import date

import numpy as np
import pytest

from finassay.core import InputError
from finassay.world import EventType, counterfactual, truth_return
from finassay.world._calendar import sessions


def rows_of(world, count, choose):
    """Rows of quotes on which a share traded, spread over shares and years."""
    q = world.quotes
    able = np.flatnonzero(q.traded & (q.upper < 10**8) & choose(q))
    return able[:: max(1, able.size // count)][:count]


def test_on_ordinary_days_the_parts_leave_half_a_fen(world):
    """The close is the reference times the exponential of the parts, rounded to a fen (world.md, 2.1)."""
    q = world.quotes
    ordinary = rows_of(world, 25, lambda q: (q.close < q.upper) & (q.close > q.lower))
    for row in ordinary.tolist():
        truth = truth_return(world, int(q.entity[row]), sessions().days[int(q.session[row])])
        assert truth.total == pytest.approx(math.log(q.close[row] / q.previous[row]), abs=1e-12)
        assert abs(truth.cut) <= 0.5 / (q.close[row] - 0.5) + 1e-9


def test_what_a_limit_cuts_off_is_carried_to_the_next_day(world):
    q = world.quotes
    cut = rows_of(world, 400, lambda q: q.close == q.upper)
    found = 0
    for row in cut.tolist():
        same = row + 1 < q.entity.size and q.entity[row + 1] == q.entity[row] and q.traded[row + 1]
        truth = truth_return(world, int(q.entity[row]), sessions().days[int(q.session[row])])
        if same and truth.cut < -0.01:
            after = truth_return(world, int(q.entity[row]), sessions().days[int(q.session[row + 1])])
            # .7 of the cut as a simple return
            assert after.carry == pytest.approx(math.log(1 + 0.7 * (math.exp(-truth.cut) - 1)), abs=1e-3)
            found += 1
        if found == 3:
            break
    assert found == 3


def test_the_market_moves_shares_by_their_exposure(world):
    day = date(2020, 2, 3)
    at = sessions().at_or_after(day)
    entities = world.quotes.entity[world.quotes.session == at][:6].tolist()
    traits = {issuer.entity: issuer for issuer in world.issuers}
    moves = {truth_return(world, entity, day).market / traits[entity].beta for entity in entities}
    assert max(moves) - min(moves) < 1e-12


def test_without_its_cause_a_part_is_gone(world, serial):
    event = next(
        e
        for e in world.ledger.of(EventType.NEWS)
        if e.entity <= len(world.issuers) and e.payload.causal and e.valid_from.year == 2019
    )
    before = truth_return(world, event.entity, event.valid_from)
    after = truth_return(counterfactual(world, event.event_id, serial), event.entity, event.valid_from)
    sigma = world.issuers[event.entity - 1].sigma
    assert before.events[event.event_id] == pytest.approx(event.payload.move * sigma)
    assert event.event_id not in after.events
    assert (after.market, after.sector, after.noise) == (before.market, before.sector, before.noise)


@pytest.mark.parametrize(
    ("entity", "day", "message"),
    [(10**6, date(2020, 2, 3), "no share 1000000"), (1, date(2020, 2, 2), "no quote on 2020-02-02")],
)
def test_what_is_not_there_is_named(world, entity, day, message):
    with pytest.raises(InputError, match=message):
        truth_return(world, entity, day)
