"""Balances that follow revenue: what each template owns and owes, as shares of a year's revenue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._economy import BANK, BROKER, GENERAL, INSURER
from finassay.world._blocks._periods import ENDS, QUARTERS
from finassay.world._blocks._statement_items import ASSETS, DEBT, LIABILITIES, LONG_ASSETS, STOCK, STOCKS
from finassay.world._numerics import Floats, exp

if TYPE_CHECKING:
    from finassay.world._blocks._economy import Economy
    from finassay.world._blocks._prices import Ints

# General companies: shares of a year's revenue, scaled to the company's own turnover
_GENERAL_ASSETS = {
    "TRADINGASSETS": 0.05, "BILLRECEIVABLE": 0.03, "ACCOUNTRECEIVABLE": 0.20, "ADVANCEPAYMENT": 0.03,
    "OTHERRECEIVABLE": 0.02, "INVENTORIES": 0.17, "CONTRACTUALASSETS": 0.02, "OTHERCURRENTASSETS": 0.04,
    "OTHEQUITYINSTRUMENT": 0.03, "LONGTERMEQUITYINVEST": 0.05, "INVESTMENTPROPERTY": 0.02, "FIXEDASSETS": 0.37,
    "CONSTRUINPROCESS": 0.06, "USUFRUCTASSETS": 0.012, "INTANGIBLEASSETS": 0.09, "DEVELOPMENTEXPENDITURE": 0.006,
    "LONGDEFERREDEXPENSE": 0.01, "DEFERREDTAXASSETS": 0.014, "OTHERNONCURRENTASSETS": 0.03,
}  # fmt: skip
_GENERAL_LIABILITIES = {
    "NOTESPAYABLE": 0.04, "ACCOUNTSPAYABLE": 0.17, "CONTRACTLIABILITY": 0.05, "SALARIESPAYABLE": 0.02,
    "TAXSPAYABLE": 0.012, "OTHERPAYABLE": 0.04, "OTHERCURRENTLIABILITY": 0.01, "ESTIMATELIABILITY": 0.004,
    "DEFERREDTAXLIABILITY": 0.005, "LONGDEFERINCOME": 0.014,
}  # fmt: skip
# Financial companies: shares of the assets without cash, and of the liabilities without debt
_FINANCIAL = {
    BANK: (
        {"LOANANDADVANCE": 0.60, "FINANCIALINVESTMENT": 0.29, "DEPOSITININTERBANK": 0.03, "LENDCAPITAL": 0.03,
         "BOUGHTSELLBACKASSETS": 0.02, "FIXEDASSETS": 0.01, "DEFERREDTAXASSETS": 0.008, "OTHERASSETS": 0.012},
        {"DEPOSIT": 0.78, "ABSINTERDEPOSITS": 0.12, "BORROWINGFROMCENTRALBANK": 0.03, "BORROWINGCAPITAL": 0.02,
         "SOLDBUYBACKSECUPROCEEDS": 0.03, "SALARIESPAYABLE": 0.003, "TAXSPAYABLE": 0.003, "OTHERLIABILITY": 0.014},
    ),
    BROKER: (
        {"FINANCIALINVESTMENT": 0.52, "FINANCING": 0.22, "SETTLEMENTPROVI": 0.08, "BOUGHTSELLBACKASSETS": 0.10,
         "FIXEDASSETS": 0.02, "INTANGIBLEASSETS": 0.01, "LONGTERMEQUITYINVEST": 0.02, "OTHERASSETS": 0.03},
        {"PROXYSECUPROCEEDS": 0.38, "SOLDBUYBACKSECUPROCEEDS": 0.38, "BORROWINGCAPITAL": 0.10,
         "SALARIESPAYABLE": 0.03, "TAXSPAYABLE": 0.01, "OTHERLIABILITY": 0.10},
    ),
    INSURER: (
        {"FINANCIALINVESTMENT": 0.70, "FIXEDDEPOSIT": 0.10, "LONGTERMEQUITYINVEST": 0.06, "FIXEDASSETS": 0.02,
         "INSURANCERECEIVABLES": 0.03, "LOANANDADVANCE": 0.03, "OTHERASSETS": 0.06},
        {"INSCONTRACTRESERVE": 0.84, "SOLDBUYBACKSECUPROCEEDS": 0.06, "SALARIESPAYABLE": 0.01, "TAXSPAYABLE": 0.01,
         "OTHERLIABILITY": 0.08},
    ),
}  # fmt: skip
_MULTIPLE = {BANK: 12.5, BROKER: 4.0, INSURER: 8.5}  # of equity, all assets
_SINCE = {"CONTRACTUALASSETS": "2020-01-01", "USUFRUCTASSETS": "2021-01-01"}
_SOMETIMES = {"DEVELOPMENTEXPENDITURE": 0.3, "INVESTMENTPROPERTY": 0.55, "LONGTERMEQUITYINVEST": 0.65}
_OWED = tuple(name for name in LIABILITIES if name not in DEBT)


def year_of_revenue(revenue: Floats) -> Floats:
    """Return the revenue of the last four quarters; of the first ones, as much at the pace so far."""
    sums = np.cumsum(revenue, axis=1)
    out = sums.copy()
    out[:, 4:] = sums[:, 4:] - sums[:, :-4]
    out[:, :4] = sums[:, :4] * (4.0 / np.arange(1, 5))
    return out


def balances(economy: Economy) -> tuple[Ints, Floats]:
    """Return the balances of a block, (F, quarters, stocks) in fen, and the cash aimed at, (F, quarters).

    Those of cash, debt and equity are still zero.
    """
    year = year_of_revenue(economy.revenue)
    calm = year.copy()  # plant follows a longer view
    for lag in range(1, 4):
        calm[:, lag:] += year[:, :-lag]
        calm[:, :lag] += year[:, :lag]
    calm = calm / 4.0
    weights = _weights(economy)
    wobble = _wobble(economy)
    out = np.zeros((*year.shape, len(STOCKS)), dtype=np.int64)
    for name in (*ASSETS, *_OWED):
        column = STOCK[name]
        if not np.any(weights[:, column]):
            continue
        base = calm if name in LONG_ASSETS else year
        value = base * weights[:, column : column + 1] * wobble[:, :, column % 3]
        if name in _SINCE:
            value = value * (np.datetime64(_SINCE[name]) <= ENDS)
        out[:, :, column] = np.rint(value).astype(np.int64)
    cash = np.where(economy.template == GENERAL, 0.22 * exp(0.4 * economy.traits[:, 6]), 0.0)
    share = np.where(economy.template == GENERAL, cash, 0.08 * _assets_ratio(economy))
    return out, year * share[:, None]


def _assets_ratio(economy: Economy) -> Floats:
    multiple = np.array([_MULTIPLE.get(int(kind), 1.0) for kind in economy.template])
    return multiple * economy.equity_ratio


def _weights(economy: Economy) -> Floats:
    count = economy.template.size
    out = np.zeros((count, len(STOCKS)))
    spread = exp(0.35 * np.stack([economy.traits[:, (11 + n) % 64] for n in range(len(STOCKS))], axis=1))
    for kind in np.unique(economy.template):
        rows = np.flatnonzero(economy.template == kind)
        owned, owed = _FINANCIAL.get(int(kind), (_GENERAL_ASSETS, _GENERAL_LIABILITIES))
        for name, weight in {**owned, **owed}.items():
            column = STOCK[name]
            there = economy.uniforms[rows, column % 64] < _SOMETIMES.get(name, 1.0)
            out[rows, column] = weight * spread[rows, column] * there
        if kind == GENERAL:
            continue
        ratio = _assets_ratio(economy)[rows]
        for names, total in ((owned, 0.92 * ratio), (owed, ratio - 1.35 * economy.equity_ratio[rows])):
            columns = [STOCK[name] for name in names]
            part = out[rows[:, None], columns]
            out[rows[:, None], columns] = part * (total / np.sum(part, axis=1))[:, None]
    return _to_turnover(economy, out)


def _to_turnover(economy: Economy, weights: Floats) -> Floats:
    """Scale the assets of general companies to their turnover: equity to revenue over one less leverage."""
    general = np.flatnonzero(economy.template == GENERAL)
    columns = [STOCK[name] for name in _GENERAL_ASSETS]
    leverage = leverage_of(economy)[general]
    wanted = np.maximum(0.35, economy.equity_ratio[general] / (1.0 - leverage) - 0.22)
    part = weights[general[:, None], columns]
    weights[general[:, None], columns] = part * (wanted / np.sum(part, axis=1))[:, None]
    return weights


def leverage_of(economy: Economy) -> Floats:
    """Return the liabilities to assets that each company aims at."""
    general = np.clip(0.44 + 0.17 * economy.traits[:, 4], 0.10, 0.78)
    multiple = np.array([_MULTIPLE.get(int(kind), 2.0) for kind in economy.template])
    return np.where(economy.template == GENERAL, general, 1.0 - 1.0 / multiple)


def _wobble(economy: Economy) -> Floats:
    """Return slow noise around one, (F, quarters, 3)."""
    out = np.empty((economy.template.size, QUARTERS, 3))
    now = economy.noise[:, 0, :3] * 1.6
    for t in range(QUARTERS):
        now = 0.8 * now + economy.noise[:, t, :3]
        out[:, t] = now
    return exp(np.where(economy.template[:, None, None] == GENERAL, 0.035, 0.006) * out)


def goodwill(economy: Economy, year: Floats) -> tuple[Ints, Ints]:
    """Return goodwill and what is written off it in each quarter, in fen: bought now and then, lost at year ends."""
    count = economy.template.size
    scale = np.where(economy.template == GENERAL, 0.16, 0.01) * exp(0.9 * economy.traits[:, 7])
    has = economy.uniforms[:, 0] < 0.5
    level, lost = np.zeros((count, QUARTERS), dtype=np.int64), np.zeros((count, QUARTERS), dtype=np.int64)
    now = np.where(has & (economy.uniforms[:, 1] < 0.6), np.rint(year[:, 0] * scale), 0.0)
    for t in range(QUARTERS):
        z = economy.noise[:, t, 3]
        bought = has & (z > 2.1)
        now = now + np.where(bought, np.rint(0.5 * year[:, t] * scale), 0.0)
        if t and t % 4 == 0:
            hit = (economy.noise[:, t, 4] > 1.6) & (now > 0)
            part = np.clip(0.5 + 0.3 * economy.noise[:, t, 5], 0.1, 1.0)
            gone = np.where(hit, np.rint(now * part), 0.0)
            lost[:, t] = gone.astype(np.int64)
            now = now - gone
        level[:, t] = now.astype(np.int64)
    return level, lost
