"""Versions of the statements: what was known of a period when the report of another was filed (world.md, 3.6).

The statements of the world are the last truth. A restatement that becomes known with the report of a quarter `until`
says by how much every period before it read differently until then. Reports show a year back, so periods before the
last year are never shown in their new form.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._periods import SEASONS, YEARS, quarter_of, year_end_before
from finassay.world._blocks._statement_items import ASSETS, FLOW, LIABILITIES, OWNERS, STOCK, Figures
from finassay.world._events_company import Restatement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from finassay.world._blocks._prices import Ints
    from finassay.world._blocks._statements import Statements
    from finassay.world._events import Event
    from finassay.world._numerics import Floats

ERROR, POLICY, COMMON_CONTROL = 1, 2, 3
_TAX = 0.15
_WIDTH = 64  # more than there are quarters


@dataclass(frozen=True)
class _Overlay:
    """What periods read more than the truth before a restatement, for at most one restatement per company and period.

    `key` is company and period, ascending; the restatement is known from the report `until` on, and shown for periods
    from `shown` on. `opened` is the row of the year end before the period, -1 where that one is not touched. `told` is
    False where nobody ever told of the restatement.
    """

    key: Ints
    until: Ints
    shown: Ints
    flows: Ints
    stocks: Ints
    opened: Ints
    told: npt.NDArray[np.bool_]


class Versions:
    """Statements as known at any filing.

    Parameters
    ----------
    statements : Statements
        The last truth.
    events : iterable of Event
        The restatements among them; others are passed over.
    told : iterable of Event, optional
        Those of them that remain in a counterfactual world: without a restatement the filings before it read as they
        did, and those after it state the truth, but none restates. All of them by default.
    """

    def __init__(
        self, statements: Statements, events: Iterable[Event], told: Iterable[Event] | None = None
    ) -> None:
        self.statements = statements
        kept = None if told is None else {event.event_id for event in told}
        self._overlays = list(_overlays(statements, events, kept))

    def figures(self, company: Ints, period: Ints, known: Ints) -> Figures:
        """Return the statements of periods as known when the reports of other quarters were filed.

        Parameters
        ----------
        company : numpy.ndarray of int64
            (N,), positions among the companies.
        period, known : numpy.ndarray of int64
            (N,), quarters; a period not simulated is the caller's mistake.

        Returns
        -------
        Figures
            (N,), flows since the start of the year.
        """
        whole = self.statements
        flows, stocks = whole.flows[company, period], whole.stocks[company, period]
        opening = whole.stocks[company, np.maximum(year_end_before(period), 0)]
        key = company * _WIDTH + period
        for overlay in self._overlays:
            place = np.searchsorted(overlay.key, key)
            place = np.minimum(place, overlay.key.size - 1)
            unknown = (known < overlay.until[place]) | (period < overlay.shown[place])
            rows = np.flatnonzero((overlay.key[place] == key) & unknown)
            place = place[rows]
            flows[rows] += overlay.flows[place]
            stocks[rows] += overlay.stocks[place]
            opened = overlay.opened[place]
            opening[rows] += np.where(opened[:, None] >= 0, overlay.stocks[opened], 0)
        return Figures(flows, stocks, opening)

    def quarter(self, company: Ints, period: Ints, known: Ints) -> Figures:
        """Return the same for single quarters: flows, and balances at their beginning, within one version set."""
        year = self.figures(company, period, known)
        before = self.figures(company, np.maximum(period - 1, 0), known)
        first = (SEASONS[period] == 1)[:, None]
        return Figures(
            year.flows - np.where(first, 0, before.flows),
            year.stocks,
            np.where(first, year.opening, before.stocks),
        )

    def is_restated(self, company: Ints, period: Ints, known: Ints) -> npt.NDArray[np.bool_]:
        """Return whether the report of a quarter restates a period, (N,)."""
        found = np.zeros(company.size, dtype=bool)
        key = company * _WIDTH + period
        for overlay in self._overlays:
            place = np.minimum(np.searchsorted(overlay.key, key), overlay.key.size - 1)
            same = (overlay.key[place] == key) & (overlay.until[place] == known)
            found |= same & (period >= overlay.shown[place]) & overlay.told[place]
        return found

    def restated(self, company: int, until: int) -> list[int]:
        """Return the periods that the report of a quarter restates: those of this and the last year."""
        return self._restated.get((company, until), [])

    @cached_property
    def _restated(self) -> dict[tuple[int, int], list[int]]:
        found: dict[tuple[int, int], list[int]] = {}
        for overlay in self._overlays:
            period = overlay.key % _WIDTH
            rows = np.flatnonzero(period >= overlay.shown)
            for key, until in zip(overlay.key[rows].tolist(), overlay.until[rows].tolist(), strict=True):
                found.setdefault((key // _WIDTH, until), []).append(key % _WIDTH)
        return {place: sorted(periods) for place, periods in found.items()}


_Row: TypeAlias = tuple[int, int, int, int, float, bool]


def _overlays(statements: Statements, events: Iterable[Event], kept: set[int] | None) -> Iterable[_Overlay]:
    place = {int(entity): n for n, entity in enumerate(statements.entity)}
    rows: list[_Row] = []
    for event in events:
        change = event.payload
        if isinstance(change, Restatement) and event.entity in place:
            first, until = quarter_of(change.first), quarter_of(change.until)
            told = kept is None or event.event_id in kept
            rows.append((place[event.entity], until, max(0, first), change.kind, change.share, told))
    rows.sort()
    rank: dict[int, int] = {}
    layers: list[list[_Row]] = []
    for row in rows:
        layer = rank[row[0]] = rank.get(row[0], -1) + 1
        if layer == len(layers):
            layers.append([])
        layers[layer].append(row)
    for layer_rows in layers:
        yield _overlay(statements, layer_rows)


@dataclass(frozen=True)
class _Pairs:
    """Pairs of a restatement and a period it touches, periods of one after the other."""

    group: Ints
    company: Ints
    period: Ints
    first: Ints
    share: Floats

    def running(self, values: Ints, by_year: bool = False) -> Ints:
        """Sum within each restatement, or within each of its years."""
        label = self.group * 100 + (YEARS[self.period] - 2000 if by_year else 0)
        total = np.cumsum(values, axis=0)
        start = np.flatnonzero(np.r_[True, label[1:] != label[:-1]])
        base = np.concatenate([np.zeros((1, *values.shape[1:]), dtype=np.int64), total])[start]
        length = np.diff(np.r_[start, label.size])
        sums: Ints = total - np.repeat(base, length, axis=0)
        return sums


def _overlay(statements: Statements, rows: list[_Row]) -> _Overlay:
    company, until, first, kind, share, told = (np.array([row[k] for row in rows]) for k in range(6))
    length = until - first
    group = np.repeat(np.arange(len(rows)), length)
    period = np.arange(group.size) - np.repeat(np.cumsum(length) - length, length) + first[group]
    pairs = _Pairs(group, company[group], period, first[group], share[group].astype(np.float64))
    single = _single(statements, pairs)
    true = statements.stocks[pairs.company, period]
    flows, stocks = np.zeros_like(single), np.zeros_like(true)
    for code, rule in ((ERROR, _error), (POLICY, _policy), (COMMON_CONTROL, _common_control)):
        mine = kind[group] == code
        part = _Pairs(group[mine], pairs.company[mine], period[mine], pairs.first[mine], pairs.share[mine])
        if part.period.size:
            flows[mine], stocks[mine] = rule(part, single[mine], true[mine])
    back = period - year_end_before(period)
    there = (period - back >= pairs.first) & (period > 0)
    shown = np.searchsorted(YEARS, YEARS[np.minimum(until, YEARS.size - 1)] - 1)
    return _Overlay(
        pairs.company * _WIDTH + period,
        until[group],
        shown[group],
        pairs.running(flows, by_year=True),
        stocks,
        np.where(there, np.arange(group.size) - back, -1),
        told[group],
    )


def _single(statements: Statements, pairs: _Pairs) -> Ints:
    year = statements.flows[pairs.company, pairs.period]
    before = statements.flows[pairs.company, np.maximum(pairs.period - 1, 0)]
    return year - np.where((SEASONS[pairs.period] == 1)[:, None], 0, before)


def _error(pairs: _Pairs, single: Ints, true: Ints) -> tuple[Ints, Ints]:
    """Revenue was booked that never was: receivables, tax owed and retained profit carry it."""
    flows, stocks = np.zeros_like(single), np.zeros_like(true)
    revenue = np.rint(pairs.share * single[:, FLOW["REVENUE"]]).astype(np.int64)
    tax = np.rint(_TAX * revenue).astype(np.int64)
    flows[:, FLOW["REVENUE"]], flows[:, FLOW["TAX"]] = revenue, tax
    stocks[:, STOCK["ACCOUNTRECEIVABLE"]] = pairs.running(revenue)
    stocks[:, STOCK["TAXSPAYABLE"]] = pairs.running(tax)
    stocks[:, STOCK["RETAINEDPROFIT"]] = pairs.running(revenue - tax)
    return flows, stocks


def _policy(pairs: _Pairs, single: Ints, true: Ints) -> tuple[Ints, Ints]:
    """Items stood elsewhere: freight among selling expenses, part of the inventories among other current assets."""
    flows, stocks = np.zeros_like(single), np.zeros_like(true)
    freight = np.rint(pairs.share * 0.2 * single[:, FLOW["SELLING"]]).astype(np.int64)
    flows[:, FLOW["SELLING"]], flows[:, FLOW["COST"]] = freight, -freight
    for there, here in (
        ("INVENTORIES", "OTHERCURRENTASSETS"),
        ("CONTRACTLIABILITY", "OTHERPAYABLE"),
        ("OTHERNONCURRENTASSETS", "LONGDEFERREDEXPENSE"),
        ("OTHERASSETS", "LENDCAPITAL"),
    ):
        moved = np.rint(pairs.share * 0.3 * true[:, STOCK[there]]).astype(np.int64)
        stocks[:, STOCK[there]], stocks[:, STOCK[here]] = -moved, moved
    return flows, stocks


def _common_control(pairs: _Pairs, single: Ints, true: Ints) -> tuple[Ints, Ints]:
    """Without the company that joined every item was smaller by one share; the capital reserve takes the rest."""
    flows = np.rint((1.0 - pairs.share)[:, None] * single).astype(np.int64) - single
    stocks = np.rint((1.0 - pairs.share)[:, None] * true).astype(np.int64) - true
    stocks[:, STOCK["PAIDINCAPITAL"]] = 0
    profit = Figures(flows, stocks, stocks)
    kept = profit.parent_profit - profit.flow("DIVIDENDS", "APPROPRIATION", "BONUS")
    start = np.flatnonzero(np.r_[True, pairs.group[1:] != pairs.group[:-1]])
    for name, change in (
        ("RETAINEDPROFIT", kept),
        ("SURPLUSRESERVEFUND", profit.flow("APPROPRIATION")),
        ("MINORITYINTERESTS", profit.flow("MINORITYPROFIT") - profit.flow("MINORITYDIVIDENDS")),
    ):
        moves = change.copy()
        moves[start] = stocks[start, STOCK[name]]  # the level of the first period, then its changes
        stocks[:, STOCK[name]] = pairs.running(moves)
    others = [STOCK[n] for n in (*OWNERS, "MINORITYINTERESTS") if n != "CAPITALRESERVEFUND"]
    assets = np.sum(stocks[:, [STOCK[n] for n in ASSETS]], axis=1)
    owed = np.sum(stocks[:, [STOCK[n] for n in LIABILITIES]], axis=1)
    stocks[:, STOCK["CAPITALRESERVEFUND"]] = assets - owed - np.sum(stocks[:, others], axis=1)
    return flows, stocks
