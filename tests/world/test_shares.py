"""Share capital rolls forward: conversions are the fall of a convertible, rights issues go ex by the rule."""

from __future__ import annotations

import numpy as np
import pytest

from finassay.world import EventType, counterfactual
from finassay.world._blocks._shares import capital_on
from finassay.world._blocks._statement_items import STOCKS
from finassay.world._calendar import sessions
from finassay.world._events_company import ShareChange

CONVERSION, RIGHTS = 5, 3


def changes(world, kind):
    return [e for e in world.ledger.of(EventType.SHARE_CHANGE) if e.payload.kind == kind]


def before(world, event):
    """The capital that the company had until a change."""
    own = [
        e
        for e in world.ledger.of(EventType.SHARE_CHANGE)
        if e.entity == event.entity and (e.valid_from, e.seq) < (event.valid_from, event.seq)
    ]
    return max(own, key=lambda e: (e.valid_from, e.seq)).payload


def test_converted_shares_at_their_price_are_what_the_balance_fell_by(world):
    """World.md, 3.7. Amounts are in ten thousand yuan, prices in fen; part of a share is paid out."""
    found = changes(world, CONVERSION)
    assert len(found) > 20
    for event in found:
        fall = next(c for c in map(world.ledger.by_id.get, event.cause_ids) if c.type is EventType.BOND_SIZE)
        assert fall.payload.reason == 30
        new = event.payload.total - before(world, event).total
        fen = -fall.payload.change * 10_000 * 100
        assert new * event.payload.price <= fen < (new + 1) * event.payload.price
        assert event.disclosed_at >= fall.disclosed_at


def test_what_is_converted_is_paid_in_capital(world):
    """A share of par 1 yuan: paid-in capital is the shares in fen at every quarter's end."""
    items = world.statements
    paid = items.stocks[:, :, STOCKS.index("PAIDINCAPITAL")]
    assert np.array_equal(paid, items.shares * 100)
    event = max(changes(world, CONVERSION), key=lambda e: e.payload.total - before(world, e).total)
    day = sessions().at_or_after(event.valid_from)
    ours = [e for e in world.ledger.of(EventType.SHARE_CHANGE) if e.entity == event.entity]
    total, _ = capital_on(ours, np.array([event.entity]), np.array([day]))
    at = np.flatnonzero((world.quotes.entity == event.entity) & (world.quotes.session == day))
    assert isinstance(event.payload, ShareChange)
    assert total.tolist() == [event.payload.total]
    assert world.quotes.shares[at].tolist() == [event.payload.total]


def test_rights_go_ex_at_the_theoretical_price(world):
    """(P + K r) / (1 + r) with r new shares for one, half up to a fen; capital grows by r, paid at K."""
    issues = list(world.ledger.of(EventType.RIGHTS_ISSUE))
    assert issues
    for event in issues:
        ratio, paid = event.payload.ratio, event.payload.price
        own = np.flatnonzero(world.quotes.entity == event.entity)
        ex = own[np.searchsorted(world.quotes.session[own], sessions().at_or_after(event.valid_from))]
        last = int(world.quotes.close[ex - 1])
        exact = (10 * last + ratio * paid) / (10 + ratio)
        assert abs(int(world.quotes.previous[ex]) - exact) <= 0.5
        change = next(e for e in changes(world, RIGHTS) if event.event_id in e.cause_ids)
        assert change.payload.price == paid
        assert change.payload.total == pytest.approx(before(world, change).total * (10 + ratio) / 10, abs=1)


def test_without_the_issue_neither_price_nor_capital_knows_of_it(world, serial):
    event = next(iter(world.ledger.of(EventType.RIGHTS_ISSUE)))
    other = counterfactual(world, event.event_id, serial)
    assert not any(event.event_id in e.cause_ids for e in other.ledger.of(EventType.SHARE_CHANGE))
    moved = world.quotes.close != other.quotes.close
    assert set(world.quotes.entity[moved].tolist()) == {event.entity}
    assert int(world.quotes.session[moved].min()) >= sessions().at_or_after(event.valid_from)


def test_the_table_has_a_row_for_each(world, database):
    rows = database.query(
        "SELECT CHANGETYPE, COUNT(*) FROM lc_sharestru WHERE CHANGETYPE IN (3, 5) GROUP BY CHANGETYPE ORDER BY 1"
    ).table
    found = dict(zip(*(column.to_pylist() for column in rows.columns), strict=True))
    seen = world.ledger.seen_at(world.config.moment)
    kinds = [e.payload.kind for e in seen.of(EventType.SHARE_CHANGE)]
    assert found == {kind: kinds.count(kind) for kind in (RIGHTS, CONVERSION) if kind in kinds}
