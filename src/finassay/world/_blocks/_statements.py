"""The statements of a block of companies, quarter by quarter, in whole fen (world.md, 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._balance import balances, goodwill, leverage_of, year_of_revenue
from finassay.world._blocks._economy import GENERAL, LEAST_EQUITY
from finassay.world._blocks._periods import QUARTERS, quarter_of
from finassay.world._blocks._shares import PAR, capital_of
from finassay.world._blocks._statement_items import ASSETS, DEBT, FLOW, FLOWS, LIABILITIES, OWNERS, STOCK
from finassay.world._events import Event, Implementation, Plan
from finassay.world._numerics import Floats, exp

if TYPE_CHECKING:
    from finassay.world._blocks._economy import Economy
    from finassay.world._blocks._prices import Ints
    from finassay.world._blocks._shares import Capital
    from finassay.world._blocks._universe import Issuer

_DEBT_SPLIT = (  # of the debt of general companies; what is left is short-term loans
    ("NONCURRENTLIABILITYIN1YEAR", 0.10),
    ("STBONDSPAYABLE", 0.03),
    ("LONGTERMLOAN", 0.33),
    ("BONDSPAYABLE", 0.12),
)
_OWED = tuple(name for name in LIABILITIES if name not in DEBT)


@dataclass(frozen=True)
class Statements:
    """Statements of F companies as they truly were, restatements included.

    Attributes
    ----------
    entity : numpy.ndarray of int64
        (F,), the companies' shares, ascending.
    template : numpy.ndarray of int64
        (F,), 1 general, 2 bank, 3 broker, 4 insurer.
    flows : numpy.ndarray of int64
        (F, quarters, flows) in fen, since the start of the year.
    stocks : numpy.ndarray of int64
        (F, quarters, stocks) in fen.
    shares : numpy.ndarray of int64
        (F, quarters), at the end.
    weighted, scale : numpy.ndarray of float64
        (F, quarters), average shares since the start of the year; the factor of all bonus shares so far.
    """

    entity: Ints
    template: Ints
    flows: Ints
    stocks: Ints
    shares: Ints
    weighted: Floats
    scale: Floats


def joined_statements(parts: list[Statements]) -> Statements:
    """Return statements of several blocks as one."""
    names = ("entity", "template", "flows", "stocks", "shares", "weighted", "scale")
    return Statements(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def statement_block(issuers: tuple[Issuer, ...], economy: Economy, events: list[Event]) -> Statements:
    """Draw up the statements of a block from its economy, and from what its events say of capital and dividends."""
    capital = capital_of(issuers, events)
    drawn = _Books(economy, capital, _dividends(issuers, capital, events))
    for quarter in range(1, QUARTERS):
        drawn.close(quarter)
    entity = np.array([issuer.entity for issuer in issuers], dtype=np.int64)
    flows = drawn.flows
    for first in range(1, QUARTERS, 4):
        flows[:, first : first + 4] = np.cumsum(flows[:, first : first + 4], axis=1)
    return Statements(
        entity, economy.template, flows, drawn.stocks, capital.shares, capital.weighted, capital.scale
    )


def _dividends(issuers: tuple[Issuer, ...], capital: Capital, events: list[Event]) -> Ints:
    """Return the cash dividends that went ex in each quarter, in fen."""
    found = np.zeros((len(issuers), QUARTERS), dtype=np.int64)
    place = {issuer.entity: n for n, issuer in enumerate(issuers)}
    by_id = {event.event_id: event for event in events}
    for event in events:
        if not isinstance(event.payload, Implementation):
            continue
        plan = by_id[by_id[event.supersedes or 0].supersedes or 0].payload
        quarter = quarter_of(event.valid_from)
        if isinstance(plan, Plan) and 1 <= quarter < QUARTERS:
            row = place[event.entity]
            found[row, quarter] += plan.cash * int(capital.shares[row, quarter - 1]) // 10
    return found


class _Books:
    """Closes one quarter after the other for all companies of a block."""

    def __init__(self, economy: Economy, capital: Capital, dividends: Ints) -> None:
        self.economy, self.capital, self.paid = economy, capital, dividends
        year = year_of_revenue(economy.revenue)
        self.stocks, self.wanted_cash = balances(economy)
        self.stocks[:, :, STOCK["GOODWILL"]], lost = goodwill(economy, year)
        self.flows = _operations(economy, self.stocks, lost)
        self.rate = 0.040 + 0.010 * economy.uniforms[:, 2]
        self.tax = np.where(economy.uniforms[:, 3] < 0.45, 0.15, 0.25)
        self.minority = np.where(economy.uniforms[:, 4] < 0.7, 0.12 * economy.uniforms[:, 5], 0.0)
        self.general = economy.template == GENERAL
        self.leverage = leverage_of(economy)
        self._open()

    def stock(self, name: str, quarter: int) -> Ints:
        """Return the balances of a name: a view to write to."""
        return self.stocks[:, quarter, STOCK[name]]

    def flow(self, name: str, quarter: int) -> Ints:
        """Return the flows of a name: a view to write to."""
        return self.flows[:, quarter, FLOW[name]]

    def _sum(self, names: tuple[str, ...], quarter: int) -> Ints:
        total: Ints = np.sum(self.stocks[:, quarter, [STOCK[name] for name in names]], axis=1)
        return total

    def _open(self) -> None:
        """Set the equity of the opening: what the leverage leaves of the assets, and no less than 1.3 times par."""
        assets = self._sum(ASSETS, 0) + np.rint(self.wanted_cash[:, 0]).astype(np.int64)
        par = self.capital.shares[:, 0] * PAR
        equity = np.maximum(np.rint((1.0 - self.leverage) * assets).astype(np.int64), par * 13 // 10)
        minority = np.rint(0.5 * self.minority * equity).astype(np.int64)
        rest = equity - par - minority
        reserve, surplus = rest * 11 // 20, rest // 20
        self.stock("PAIDINCAPITAL", 0)[:] = par
        self.stock("CAPITALRESERVEFUND", 0)[:] = reserve
        self.stock("SURPLUSRESERVEFUND", 0)[:] = surplus
        self.stock("RETAINEDPROFIT", 0)[:] = rest - reserve - surplus
        self.stock("MINORITYINTERESTS", 0)[:] = minority
        self._finance(0)

    def close(self, t: int) -> None:
        """Take the quarter's result to equity, then fund what the assets need."""
        self._income(t)
        profit = self._profit(t) - self.flow("MINORITYPROFIT", t)
        par = self.capital.shares[:, t] * PAR
        grown = self.capital.bonus[:, t] * PAR
        reserve = self.stock("CAPITALRESERVEFUND", t - 1)
        self.flow("BONUS", t)[:] = np.maximum(0, grown - np.maximum(reserve, 0))
        issued = par - self.stock("PAIDINCAPITAL", t - 1) - grown
        self.stock("PAIDINCAPITAL", t)[:] = par
        self.stock("CAPITALRESERVEFUND", t)[:] = (
            reserve + self.capital.cash[:, t] - issued - (grown - self.flow("BONUS", t))
        )
        self.flow("DIVIDENDS", t)[:] = self.paid[:, t]
        minority = self.stock("MINORITYINTERESTS", t - 1)
        if t % 4 == 2:  # the second quarter
            paid = np.rint(np.maximum(0, minority) * 0.02).astype(np.int64)
            self.flow("MINORITYDIVIDENDS", t)[:] = paid
        if t % 4 == 0:
            self._appropriate(t, profit)
        kept = profit - self.flow("DIVIDENDS", t) - self.flow("APPROPRIATION", t) - self.flow("BONUS", t)
        self.stock("RETAINEDPROFIT", t)[:] = self.stock("RETAINEDPROFIT", t - 1) + kept
        self.stock("SURPLUSRESERVEFUND", t)[:] = self.stock("SURPLUSRESERVEFUND", t - 1) + self.flow(
            "APPROPRIATION", t
        )
        self.stock("MINORITYINTERESTS", t)[:] = (
            minority + self.flow("MINORITYPROFIT", t) - self.flow("MINORITYDIVIDENDS", t)
        )
        self._support(t)
        self._finance(t)

    def _support(self, t: int) -> None:
        """Let shareholders pay in what equity lacks after losses: such companies are rescued, not wound up."""
        assets = self._sum(ASSETS, t) + np.rint(self.wanted_cash[:, t]).astype(np.int64)
        lacking = np.rint(LEAST_EQUITY * assets).astype(np.int64) - self._sum(OWNERS, t)
        self.stock("CAPITALRESERVEFUND", t)[:] += np.where(self.general, np.maximum(0, lacking), 0)

    def _income(self, t: int) -> None:
        debt = self._sum(DEBT, t - 1)
        self.flow("INTEREST", t)[:] = np.where(self.general, np.rint(debt * self.rate / 4), 0).astype(
            np.int64
        )
        cash = self.stock("CASHEQUIVALENTS", t - 1)
        self.flow("INTERESTINCOME", t)[:] = np.where(self.general, np.rint(cash * 0.003), 0).astype(np.int64)
        before = self._profit(t)
        tax = np.where(before > 0, np.rint(self.tax * before), 0.0)
        self.flow("TAX", t)[:] = tax.astype(np.int64)
        self.flow("MINORITYPROFIT", t)[:] = np.rint(self.minority * self._profit(t)).astype(np.int64)

    def _profit(self, t: int) -> Ints:
        """Net profit as far as its parts are known."""
        plus = ("REVENUE", "INTERESTINCOME", "INVESTINCOME", "FAIRVALUE", "OTHERINCOME", "NONOPERATINGINCOME")
        minus = (
            "COST",
            "SURTAX",
            "SELLING",
            "ADMINISTRATION",
            "RESEARCH",
            "INTEREST",
            "IMPAIRMENT",
            "CREDITLOSS",
        )
        last = (*minus, "NONOPERATINGEXPENSE", "TAX")
        total: Ints = np.sum(self.flows[:, t, [FLOW[name] for name in plus]], axis=1) - np.sum(
            self.flows[:, t, [FLOW[name] for name in last]], axis=1
        )
        return total

    def _appropriate(self, t: int, last: Ints) -> None:
        """Set aside a tenth of the year's profit, of which the parent earns four fifths, until half of the capital."""
        year = np.zeros_like(last)
        for quarter in range(t - 3, t):
            year += self._profit(quarter) - self.flow("MINORITYPROFIT", quarter)
        year = np.maximum(0, year + last) * 8 // 100
        room = np.maximum(0, self.stock("PAIDINCAPITAL", t) // 2 - self.stock("SURPLUSRESERVEFUND", t - 1))
        self.flow("APPROPRIATION", t)[:] = np.minimum(year, room)

    def _finance(self, t: int) -> None:
        """Debt follows the target leverage; cash is what is left, with a floor that short-term loans keep."""
        assets, owed = self._sum(ASSETS, t), self._sum(_OWED, t)
        equity = self._sum((*OWNERS, "MINORITYINTERESTS"), t)
        target = np.maximum(0.0, self.leverage * (assets + self.wanted_cash[:, t]) - owed)
        debt = np.rint(target).astype(np.int64)
        cash = owed + debt + equity - assets
        short = np.maximum(0, np.rint(assets * 0.025).astype(np.int64) - cash)
        idle = np.minimum(debt, np.maximum(0, cash - np.rint(assets * 0.4).astype(np.int64)))
        debt = debt + short - idle
        self.stock("CASHEQUIVALENTS", t)[:] = cash + short - idle
        rest = debt.copy()
        for name, share in _DEBT_SPLIT:
            part = np.where(self.general, np.rint((debt - short).clip(0) * share), 0).astype(np.int64)
            self.stock(name, t)[:] = part
            rest -= part
        self.stock("SHORTTERMLOAN", t)[:] = np.where(self.general, rest, 0)
        self.stock("BONDSPAYABLE", t)[:] += np.where(self.general, 0, rest)


def _operations(economy: Economy, stocks: Ints, lost: Ints) -> Ints:
    """Return the flows of each quarter that do not hang on debt, (F, quarters, flows)."""
    revenue, noise, traits = economy.revenue, economy.noise, economy.traits
    general = (economy.template == GENERAL)[:, None]
    out = np.zeros((*revenue.shape, len(FLOWS)), dtype=np.int64)

    def put(name: str, value: Floats) -> Floats:
        rounded = np.rint(value)
        out[:, :, FLOW[name]] = rounded.astype(np.int64)
        return rounded

    put("REVENUE", revenue)
    ratios = exp(traits[:, 16:20] * np.array([0.6, 0.4, 0.8, 0.4]))
    spent = put("SURTAX", 0.007 * revenue)
    for n, (name, share) in enumerate((("SELLING", 0.045), ("ADMINISTRATION", 0.05), ("RESEARCH", 0.025))):
        part = np.minimum(0.14, share * ratios[:, n : n + 1]) * np.where(general, 1.0, 1.6 if n == 1 else 0.0)
        spent = spent + put(name, revenue * part * (1.0 + 0.04 * noise[:, :, 3 + n]))
    put("COST", revenue * (1.0 - economy.margin) - spent)
    year_end = np.array([3.0 if t % 4 == 0 else 0.5 for t in range(QUARTERS)])
    hit = exp(0.8 * noise[:, :, 6]) * year_end * np.where(general, 1.0, 3.0)
    put("IMPAIRMENT", 0.0025 * revenue * hit + lost)
    out[:, :, FLOW["GOODWILLLOSS"]] = lost
    put("CREDITLOSS", 0.0015 * revenue * exp(0.6 * noise[:, :, 7]) * year_end)
    before = np.concatenate([stocks[:, :1], stocks[:, :-1]], axis=1).astype(np.float64)

    def held(name: str) -> Floats:
        values: Floats = before[:, :, STOCK[name]]
        return values

    associates = put("ASSOCIATES", held("LONGTERMEQUITYINVEST") * 0.012 * (1.0 + 0.4 * noise[:, :, 5]))
    put("INVESTINCOME", np.where(general, associates + 0.001 * revenue * noise[:, :, 4] ** 2, 0.0))
    fair = put("FAIRVALUE", np.where(general, held("TRADINGASSETS") * 0.015 * noise[:, :, 3], 0.0))
    other = put("OTHERINCOME", np.where(general, 0.006, 0.001) * revenue * exp(0.5 * noise[:, :, 5]))
    gained = put("NONOPERATINGINCOME", 0.002 * revenue * exp(0.9 * noise[:, :, 6]))
    lost_else = put("NONOPERATINGEXPENSE", 0.0015 * revenue * exp(0.7 * noise[:, :, 7]))
    put("NONRECURRING", 0.83 * (gained - lost_else + 0.6 * other + fair))
    worn = held("FIXEDASSETS") * 0.024 + held("USUFRUCTASSETS") * 0.05
    worn = put("DEPRECIATION", worn)
    faded = put("AMORTISATION", held("INTANGIBLEASSETS") * 0.012)
    after = stocks.astype(np.float64)
    plant = (
        "FIXEDASSETS",
        "CONSTRUINPROCESS",
        "INTANGIBLEASSETS",
        "DEVELOPMENTEXPENDITURE",
        "USUFRUCTASSETS",
    )
    risen = sum((after[:, :, STOCK[name]] - held(name) for name in plant), start=np.zeros_like(revenue))
    put("CAPEX", np.maximum(risen + worn + faded, 0.3 * worn))
    put("STAFF", 0.13 * revenue)
    put("SALESTAX", np.where(general, 0.09, 0.0) * revenue)
    put("GOODS", 0.75 * out[:, :, FLOW["COST"]])
    out[:, 0] = 0
    return out
