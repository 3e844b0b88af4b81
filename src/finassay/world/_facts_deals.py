"""Facts about deals, measured on the ledger and the lists of holders; their rates are assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._deals_plans import BUY, CANCELLED, DONE, KEEP, SELL, TOLD
from finassay.world._blocks._holders import LISTED, stakes
from finassay.world._blocks._parties import CUSTOMER, SUPPLIER, top_five
from finassay.world._blocks._periods import quarter_of
from finassay.world._events import Event, EventType
from finassay.world._events_company import ShareChange
from finassay.world._events_deals import HolderPlan, MergerExchange
from finassay.world._fact import Fact

if TYPE_CHECKING:
    from finassay.world._world import World


def deal_facts(world: World) -> list[Fact]:
    """Measure partners, plans and mergers up to the snapshot."""
    return [*_partner_facts(world), *_plan_facts(world), *_merger_facts(world)]


def _partner_facts(world: World) -> list[Fact]:
    company, period = (a.ravel() for a in np.meshgrid(np.arange(len(world.issuers)), np.arange(8, 57, 4)))
    found = []
    for relation, word in ((SUPPLIER, "suppliers"), (CUSTOMER, "customers")):
        whole = 100 * np.sum(top_five(company, period, relation), axis=1)
        middle = float(np.median(whole))
        found.append(Fact("-", f"median share of the five largest {word}, %", middle, 18, 35, whole.size))
    return found


def _plan_facts(world: World) -> list[Fact]:
    plans = [
        e for e in world.ledger.of(EventType.HOLDER_PLAN) if e.disclosed_at.date() <= world.config.snapshot
    ]
    trades = [e for e in plans if _plan(e).kind != KEEP]
    first = [e for e in trades if _plan(e).stage == TOLD]
    if not first:
        return []
    ended = [e for e in trades if _plan(e).stage >= DONE]
    done = 100 * sum(_plan(e).stage == DONE for e in ended) / max(1, len(ended))
    off = 100 * sum(_plan(e).stage == CANCELLED for e in ended) / max(1, len(ended))
    sales = 100 * sum(_plan(e).kind == SELL for e in first) / len(first)
    return [
        Fact("-", "plans of holders that are to sell, % (assumed)", sales, 50, 85, len(first)),
        Fact("-", "plans carried out, % (assumed)", done, 50, 90, len(ended)),
        Fact("-", "plans cancelled, % (assumed)", off, 0, 20, len(ended)),
        Fact("-", "trades of holders that lists do not show", _unseen(world, trades), 0, 0, len(trades)),
        Fact("-", "plans of holders that no list names", _unnamed(world, first), 0, 0, len(first)),
    ]


def _plan(event: Event) -> HolderPlan:
    assert isinstance(event.payload, HolderPlan)  # noqa: S101 - by its type
    return event.payload


def _unseen(world: World, trades: list[Event]) -> int:
    """Count the trades that are not the difference between the lists around them."""
    wrong = 0
    for event in trades:
        plan = _plan(event)
        if plan.stage != DONE:
            continue
        quarter = quarter_of(plan.end)
        company = np.array([plan.company - 1, plan.company - 1])
        period = np.array([quarter - 1, quarter])
        held = np.rint(stakes(company, period, 1)[:, plan.holder] * world.statements.shares[company, period])
        moved = int(held[1] - held[0])
        wrong += moved != (plan.done if plan.kind == BUY else -plan.done)
    return wrong


def _unnamed(world: World, first: list[Event]) -> int:
    """Count the plans of holders outside the list of the report that the plan follows."""
    wrong = 0
    for event in first:
        plan, report = _plan(event), world.ledger.by_id[event.cause_ids[0]]
        quarter = np.array([quarter_of(report.valid_from)])
        weight = stakes(np.array([plan.company - 1]), quarter, 1)[0]
        wrong += int(np.sum(weight > weight[plan.holder])) >= LISTED
    return wrong


def _merger_facts(world: World) -> list[Fact]:
    """Hold the shares issued against the capital."""
    exchanges = {e.event_id: e for e in world.ledger.of(EventType.MERGER_EXCHANGE)}
    total: dict[int, int] = {}
    seen = wrong = 0
    for event in sorted(world.ledger.of(EventType.SHARE_CHANGE), key=lambda e: (e.entity, e.valid_from)):
        change = event.payload
        if not isinstance(change, ShareChange):
            continue
        for cause in exchanges.keys() & set(event.cause_ids):
            exchange = exchanges[cause].payload
            assert isinstance(exchange, MergerExchange)  # noqa: S101 - by its type
            seen += 1
            wrong += change.total - total[event.entity] != exchange.issued
        total[event.entity] = change.total
    return [Fact("-", "exchanges of shares that the capital does not show", wrong, 0, 0, seen)]
