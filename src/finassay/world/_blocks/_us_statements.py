"""Statements of US companies by fiscal quarter, in thousands of dollars, articulated exactly (world.md, 2.3 and 3)."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._us_names import FINANCIALS
from finassay.world._config import END, START
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._us_universe import UsIssuer

Ints = npt.NDArray[np.int64]

# Order is part of the arrays; flows first, then balances
FLOWS = (
    "Revenues", "CostOfRevenue", "GrossProfit", "ResearchAndDevelopmentExpense",
    "SellingGeneralAndAdministrativeExpense", "DepreciationDepletionAndAmortization", "OperatingIncomeLoss",
    "InterestExpense", "OtherNonoperatingIncomeExpense", "IncomeLossBeforeIncomeTaxes", "IncomeTaxExpenseBenefit",
    "ProfitLoss", "NetIncomeLossAttributableToNoncontrollingInterest", "NetIncomeLoss",
    "ShareBasedCompensation", "IncreaseDecreaseInAccountsReceivable", "IncreaseDecreaseInInventories",
    "IncreaseDecreaseInAccountsPayable", "IncreaseDecreaseInOtherOperatingCapitalNet",
    "NetCashProvidedByUsedInOperatingActivities", "PaymentsToAcquirePropertyPlantAndEquipment",
    "PaymentsToAcquireBusinessesNetOfCashAcquired", "PaymentsForProceedsFromOtherInvestingActivities",
    "NetCashProvidedByUsedInInvestingActivities", "ProceedsFromRepaymentsOfDebt", "ProceedsFromIssuanceOfCommonStock",
    "PaymentsForRepurchaseOfCommonStock", "PaymentsOfDividends", "NetCashProvidedByUsedInFinancingActivities",
    "EffectOfExchangeRateOnCash", "CashPeriodIncreaseDecrease",
)  # fmt: skip
BALANCES = (
    "CashAndCashEquivalentsAtCarryingValue", "AccountsReceivableNetCurrent", "InventoryNet", "OtherAssetsCurrent",
    "AssetsCurrent", "PropertyPlantAndEquipmentNet", "Goodwill", "IntangibleAssetsNetExcludingGoodwill",
    "OtherAssetsNoncurrent", "Assets", "AccountsPayableCurrent", "AccruedLiabilitiesCurrent", "DebtCurrent",
    "LiabilitiesCurrent", "LongTermDebtNoncurrent", "OtherLiabilitiesNoncurrent", "Liabilities",
    "CommonStocksIncludingAdditionalPaidInCapital", "TreasuryStockValue", "RetainedEarningsAccumulatedDeficit",
    "AccumulatedOtherComprehensiveIncomeLossNetOfTax", "StockholdersEquity", "MinorityInterest",
    "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest", "LiabilitiesAndStockholdersEquity",
)  # fmt: skip
ITEMS = FLOWS + BALANCES
INCOME = 14  # of the flows; the others belong to the cash flow statement
PLACE = {name: place for place, name in enumerate(ITEMS)}
QUARTERS = 56
_FIRST_END = (
    2012,
    9,
)  # the first quarter ends in or after this month: filings from 2013, three years before quotes
_GROSS = (0.32, 0.28, 0.30, 0.33, 0.34, 0.58, 0.62, 0.60, 0.48, 0.38, 0.52)
_RESEARCH = (0.003, 0.012, 0.02, 0.012, 0.006, 0.13, 0.0, 0.14, 0.03, 0.0, 0.0)
_TURNOVER = (0.55, 0.8, 0.85, 1.1, 1.2, 0.55, 0.16, 0.65, 0.5, 0.3, 0.16)
_LEVERAGE = (0.52, 0.52, 0.58, 0.58, 0.58, 0.46, 0.84, 0.46, 0.58, 0.68, 0.56)
RERATED = 0.035  # a year: sales were worth 1.8 times as much in 2026 as in 2016; more than half of it here (assumed)
_SPECIAL = 0.012  # of quarters of a company that pays (assumed)
_YIELD = 0.005  # of the price, in a quarter, at most at the start
_STEP = 25  # of a dividend: a quarter of a cent
_ACCRUED, _OTHER_CURRENT, _OTHER_LONG, _LIABILITIES_LONG = 0.10, 0.06, 0.12, 0.14


@dataclass(frozen=True)
class Statements:
    """True statements of a block's companies.

    Attributes
    ----------
    values : numpy.ndarray of int64, (items, companies, quarters)
        Thousands of dollars: flows of the single quarter, balances at its end.
    shares : numpy.ndarray of float64, (companies, quarters)
        Shares at the quarter's end, in units of the start of the window: splits do not change them.
    dividend, special : numpy.ndarray of int64, (companies, quarters)
        Regular and special cash dividend per such share paid in the quarter, in 1/10,000 of a dollar.
    surprise : numpy.ndarray of float64, (companies, quarters)
        What was new in the quarter, in standard deviations.
    """

    values: Ints
    shares: Floats
    dividend: Ints
    special: Ints
    surprise: Floats


def period_ends(year_end: int) -> list[date]:
    """Return the ends of the fiscal quarters of a company whose year ends in a month."""
    year, month = _FIRST_END
    while (month - year_end) % 3:
        month += 1
    found = []
    for n in range(QUARTERS):
        at = month - 1 + 3 * n
        y, m = year + at // 12, at % 12 + 1
        found.append(date(y, m, monthrange(y, m)[1]))
    return [day for day in found if day < END] + [day for day in found if day >= END]


def fiscal(end: date, year_end: int) -> tuple[int, int]:
    """Return the fiscal year and quarter (1 to 4) of a quarter's end; the year is named by the month it ends in."""
    behind = (year_end - end.month) % 12
    year = end.year + (1 if end.month > year_end else 0)
    return year, 4 - behind // 3


def us_statements(seed: int, issuers: tuple[UsIssuer, ...], growth: Floats, failing: list[int]) -> Statements:
    """Simulate a block.

    Parameters
    ----------
    growth : numpy.ndarray, (quarters,)
        What the economy's growth adds to a company's, in log points a year.
    failing : list of int
        Per company the quarter from which it does badly, `QUARTERS` where it does not.
    """
    return _Block(seed, issuers, growth, failing).run()


class _Block:
    """Steps through the quarters of a block."""

    def __init__(self, seed: int, issuers: tuple[UsIssuer, ...], growth: Floats, failing: list[int]) -> None:
        rng = [stream(seed, Purpose.US_STATEMENT, issuer.entity) for issuer in issuers]
        self.n = len(issuers)
        z = np.stack([r.standard_normal(24) for r in rng], axis=1)
        u = np.stack([r.random(8) for r in rng], axis=1)
        self.shock = np.stack([r.standard_t(5, (QUARTERS, 2)) for r in rng], axis=2) * float(np.sqrt(3 / 5))
        self.noise = np.stack([r.standard_normal((QUARTERS, 8)) for r in rng], axis=2)
        self.chance = np.stack([r.random((QUARTERS, 6)) for r in rng], axis=2)
        sector = np.array([issuer.sector for issuer in issuers])
        self.financial = sector == FINANCIALS
        self.mean_growth = 0.06 + 0.03 * z[0]
        self.gross = np.clip(np.array(_GROSS)[sector] + 0.08 * z[1], 0.08, 0.9)
        self.research = np.array(_RESEARCH)[sector] * exp(0.5 * z[2])
        small = np.array([issuer.category for issuer in issuers])
        pays = np.array([issuer.pays for issuer in issuers])
        self.margin = np.where(pays, 0.14, 0.115) - 0.035 * small + (0.07 + 0.03 * small) * z[3]
        self.turnover = np.array(_TURNOVER)[sector] * exp(0.35 * z[4])
        self.leverage = np.clip(np.array(_LEVERAGE)[sector] + 0.13 * z[5], 0.15, 0.93)
        self.receivable, self.stock, self.payable = (
            45 * exp(0.4 * z[6]),
            50 * exp(0.5 * z[7]),
            45 * exp(0.3 * z[8]),
        )
        self.stock = np.where(self.financial | (sector == 9) | (sector == 10), 0.0, self.stock)
        self.invest = 0.055 * exp(0.5 * z[9]) / 4
        self.wear = np.clip(0.11 * exp(0.3 * z[10]), 0.03, 0.3) / 4
        self.rate = 0.048 * exp(0.25 * z[11]) / 4
        self.minority = np.where(u[0] < 0.15, 0.03 + 0.12 * u[1], 0.0)
        self.abroad = np.where(u[2] < 0.5, 0.4 * u[3], 0.0)
        self.payout = np.where(pays, 0.22 + 0.3 * u[4], 0.0)
        self.raise_ = 0.103 * exp(0.6 * z[17])
        self.buyback = np.where(u[5] < 0.5, 0.35 * u[6], 0.0)
        self.paid_in_stock = 0.012 * exp(0.8 * z[12])
        self.season = 0.06 * z[13:17]
        self.economy, self.failing = growth, np.array(failing)
        self.growth = self._growth()
        self.revenue = np.array([issuer.revenue for issuer in issuers]) / 1000 / self._grown(issuers)
        self.multiple = np.array([issuer.price * issuer.shares for issuer in issuers]) / 1000 / self.revenue
        self.price = np.array([issuer.price for issuer in issuers])
        self.shares0 = np.array([issuer.shares for issuer in issuers])
        self.values = np.zeros((len(ITEMS), self.n, QUARTERS), dtype=np.int64)
        self.shares = np.zeros((self.n, QUARTERS))
        self.dividend = np.zeros((self.n, QUARTERS), dtype=np.int64)
        self.special = np.zeros((self.n, QUARTERS), dtype=np.int64)

    def run(self) -> Statements:
        dev = np.zeros(self.n)
        for k in range(QUARTERS):
            ailing = k >= self.failing
            dev = np.clip(0.937 * dev + 0.022 * self.shock[k, 1] + np.where(ailing, -0.05, 0.0), -0.9, 0.25)
            if k < 4:
                revenue = self.revenue / 4 * (1 + self.season[k])
            else:
                revenue = self.values[0, :, k - 4] * exp(self.growth[:, k])
            self._income(k, _whole(np.maximum(revenue, 50.0)), dev + 0.006 * self.noise[k, 0])
            if k == 0:
                self._open()
            else:
                self._quarter(k)
        surprise = (self.shock[:, 0].T * 0.5 + self.shock[:, 1].T * 0.85) / float(np.sqrt(0.25 + 0.7225))
        return Statements(
            self.values, self.shares, self.dividend, self.special, np.rint(surprise * 1e4) / 1e4
        )

    def _growth(self) -> Floats:
        """Return the growth of each quarter's sales on the year."""
        found, now = np.zeros((self.n, QUARTERS)), np.zeros(self.n)
        for k in range(QUARTERS):
            drift = self.economy[k] + np.where(k >= self.failing, -0.06, 0.0)
            now = np.clip(0.70 * now + 0.09 * self.shock[k, 0] + drift, -0.7, 0.9)
            found[:, k] = self.mean_growth + now
        return found

    def _grown(self, issuers: tuple[UsIssuer, ...]) -> Floats:
        """Return what a year's sales are multiplied by from the first year to the one before the listing."""
        level = np.zeros((self.n, QUARTERS))
        for k in range(4, QUARTERS):
            level[:, k] = level[:, k - 4] + self.growth[:, k]
        path, out = exp(level), np.ones(self.n)
        for n, issuer in enumerate(issuers):
            since = max(START, issuer.listed)
            last = sum(end < since for end in period_ends(issuer.year_end)) - 1
            years = (since - START).days / 365.25
            out[n] = np.sum(path[n, last - 3 : last + 1]) / 4.0 * float(exp(RERATED * years))
        return out

    def _get(self, name: str, k: int) -> Ints:
        found: Ints = self.values[PLACE[name], :, k]
        return found

    def _sum(self, names: tuple[str, ...], k: int) -> Ints:
        total: Ints = self.values[[PLACE[name] for name in names], :, k].sum(axis=0)
        return total

    def _put(self, k: int, **items: Ints) -> None:
        for name, value in items.items():
            self.values[PLACE[name], :, k] = value

    def _income(self, k: int, revenue: Ints, dev: Floats) -> None:
        """From revenue to net income; interest on opening debt."""
        before = max(k - 1, 0)
        cost = _whole(revenue * (1 - np.clip(self.gross + 0.3 * dev, 0.02, 0.95)))
        research = _whole(revenue * self.research)
        worn = _whole((self._get("PropertyPlantAndEquipmentNet", before)) * self.wear)
        worn = worn + _whole(self._get("IntangibleAssetsNetExcludingGoodwill", before) * 0.03)
        wanted = _whole(revenue * (self.margin + dev))
        sold = np.maximum(revenue - cost - research - worn - wanted, _whole(revenue * 0.03))
        operating = revenue - cost - research - sold - worn
        debt = self._get("DebtCurrent", before) + self._get("LongTermDebtNoncurrent", before)
        interest = _whole(debt * self.rate)
        other = _whole(revenue * 0.004 * self.noise[k, 1])
        pretax = operating - interest + other
        tax = _whole(np.maximum(pretax, 0) * (0.33 if k < 22 else 0.22)) + _whole(
            np.minimum(pretax, 0) * 0.08
        )
        profit = pretax - tax
        outside = _whole(profit * self.minority)
        self._put(
            k,
            Revenues=revenue,
            CostOfRevenue=cost,
            GrossProfit=revenue - cost,
            ResearchAndDevelopmentExpense=research,
            SellingGeneralAndAdministrativeExpense=sold,
            DepreciationDepletionAndAmortization=worn,
            OperatingIncomeLoss=operating,
            InterestExpense=interest,
            OtherNonoperatingIncomeExpense=other,
            IncomeLossBeforeIncomeTaxes=pretax,
            IncomeTaxExpenseBenefit=tax,
            ProfitLoss=profit,
            NetIncomeLossAttributableToNoncontrollingInterest=outside,
            NetIncomeLoss=profit - outside,
        )

    def _working(self, k: int) -> dict[str, Ints]:
        """Balances that follow from the quarter's revenue and cost."""
        revenue, cost = self._get("Revenues", k), self._get("CostOfRevenue", k)
        bend = 1 + 0.05 * self.noise[k, 2:6]
        return {
            "AccountsReceivableNetCurrent": _whole(revenue * self.receivable / 91 * bend[0]),
            "InventoryNet": _whole(cost * self.stock / 91 * bend[1]),
            "OtherAssetsCurrent": _whole(revenue * 4 * _OTHER_CURRENT * bend[2]),
            "OtherAssetsNoncurrent": _whole(revenue * 4 * _OTHER_LONG * bend[2]),
            "AccountsPayableCurrent": _whole(cost * self.payable / 91 * bend[3]),
            "AccruedLiabilitiesCurrent": _whole(revenue * 4 * _ACCRUED * bend[0]),
            "OtherLiabilitiesNoncurrent": _whole(revenue * 4 * _LIABILITIES_LONG * bend[3]),
        }

    def _open(self) -> None:
        """Draw up the first balance sheet: assets by turnover, debt by leverage, equity the rest."""
        working = self._working(0)
        total = np.maximum(_whole(self.revenue / self.turnover), 2 * sum(list(working.values())[:4]))
        cash = _whole(total * 0.10)
        fixed = total - cash - sum(list(working.values())[:4])
        goodwill, intangible = _whole(fixed * 0.28), _whole(fixed * 0.12)
        owed = sum(list(working.values())[4:])
        debt = np.maximum(_whole(total * self.leverage) - owed, 0)
        equity = total - owed - debt
        outside = _whole(np.maximum(equity, 0) * self.minority)
        earned = _whole((equity - outside) * 0.4)
        self._put(
            0,
            CashAndCashEquivalentsAtCarryingValue=cash,
            PropertyPlantAndEquipmentNet=fixed - goodwill - intangible,
            Goodwill=goodwill,
            IntangibleAssetsNetExcludingGoodwill=intangible,
            CommonStocksIncludingAdditionalPaidInCapital=equity - outside - earned,
            RetainedEarningsAccumulatedDeficit=earned,
            MinorityInterest=outside,
            **working,
        )
        self._owe(0, debt)
        self._totals(0)
        self.shares[:, 0] = self.shares0
        first = np.maximum(self._get("NetIncomeLoss", 0), 0) * self.payout * 1e7 / self.shares0
        first = np.minimum(first, _YIELD * 1e4 * self.price)
        self.dividend[:, 0] = _whole(first / _STEP) * _STEP

    def _pay(self, k: int) -> Ints:
        """Raise the dividend once a year, cut it at times, stop it when the company fails (S7)."""
        before = self.dividend[:, k - 1].astype(np.float64)
        earned = np.sum(self.values[PLACE["NetIncomeLoss"], :, max(0, k - 4) : k], axis=1)
        raises = (k % 4 == 2) & (self.chance[k, 2] < 0.97)
        raises = raises & (before * 4 * self.shares[:, k - 1] / 1e7 < 0.7 * earned)
        cuts = self.chance[k, 3] < 0.0065
        after = before * np.where(cuts, 0.5, np.where(raises, 1 + self.raise_, 1.0))
        grown = np.where(raises & (before > 0), np.maximum(after, before + _STEP), after)
        self.dividend[:, k] = np.where(
            k >= self.failing, 0, _whole(np.where(cuts, after, grown) / _STEP) * _STEP
        )
        extra = _whole(self.dividend[:, k] * (2 + 6 * self.chance[k, 5]) / _STEP) * _STEP
        self.special[:, k] = np.where(self.chance[k, 4] < _SPECIAL, extra, 0)
        return _whole((self.dividend[:, k] + self.special[:, k]) * self.shares[:, k - 1] / 1e7)

    def _owe(self, k: int, debt: Ints) -> None:
        soon = _whole(debt * 0.12)
        self._put(k, DebtCurrent=soon, LongTermDebtNoncurrent=debt - soon)

    def _quarter(self, k: int) -> None:
        """Cash flow and balance of a quarter; the cash that is missing is borrowed or raised."""
        b, j = self._get, k - 1
        working = self._working(k)
        change = {name: value - b(name, j) for name, value in working.items()}
        profit, worn = b("ProfitLoss", k), b("DepreciationDepletionAndAmortization", k)
        in_stock = _whole(b("Revenues", k) * self.paid_in_stock)
        other = (
            change["OtherAssetsCurrent"]
            - change["AccruedLiabilitiesCurrent"]
            - change["OtherLiabilitiesNoncurrent"]
        )
        operating = (
            profit
            + worn
            + in_stock
            - change["AccountsReceivableNetCurrent"]
            - change["InventoryNet"]
            + change["AccountsPayableCurrent"]
            - other
        )
        spent = _whole(np.maximum(b("Revenues", k) * 4 * self.invest * (1 + 0.2 * self.noise[k, 6]), 0))
        worn_out = _whole(b("IntangibleAssetsNetExcludingGoodwill", j) * 0.03)
        buys = (self.chance[k, 0] < 0.018) & (k < self.failing)
        bought = np.where(buys, _whole(b("Assets", j) * (0.02 + 0.12 * self.chance[k, 1])), 0)
        known, abroad = (
            bought * 2 // 5,
            _whole(b("CashAndCashEquivalentsAtCarryingValue", j) * 0.015 * self.abroad * self.noise[k, 7]),
        )
        investing = -spent - bought - change["OtherAssetsNoncurrent"]
        self._put(
            k,
            PropertyPlantAndEquipmentNet=b("PropertyPlantAndEquipmentNet", j) + spent - (worn - worn_out),
            IntangibleAssetsNetExcludingGoodwill=b("IntangibleAssetsNetExcludingGoodwill", j)
            - worn_out
            + known,
            Goodwill=b("Goodwill", j) + bought - known,
            ShareBasedCompensation=in_stock,
            IncreaseDecreaseInAccountsReceivable=change["AccountsReceivableNetCurrent"],
            IncreaseDecreaseInInventories=change["InventoryNet"],
            IncreaseDecreaseInAccountsPayable=change["AccountsPayableCurrent"],
            IncreaseDecreaseInOtherOperatingCapitalNet=other,
            NetCashProvidedByUsedInOperatingActivities=operating,
            PaymentsToAcquirePropertyPlantAndEquipment=spent,
            PaymentsToAcquireBusinessesNetOfCashAcquired=bought,
            PaymentsForProceedsFromOtherInvestingActivities=change["OtherAssetsNoncurrent"],
            NetCashProvidedByUsedInInvestingActivities=investing,
            EffectOfExchangeRateOnCash=abroad,
            **working,
        )
        self._finance(k, operating + investing + abroad, in_stock, abroad)

    def _finance(self, k: int, before: Ints, in_stock: Ints, abroad: Ints) -> None:
        b, j = self._get, k - 1
        assets = b("Assets", j)
        debt = b("DebtCurrent", j) + b("LongTermDebtNoncurrent", j)
        owed = b("Liabilities", j) - debt
        target = np.maximum(assets * self.leverage - owed, 0)
        borrowed = np.maximum(_whole(0.12 * (target - debt)), -debt)
        paid = self._pay(k)
        cash = b("CashAndCashEquivalentsAtCarryingValue", j) + before + borrowed - paid
        repurchased = np.where(
            cash > 0.06 * assets, _whole(np.maximum(b("NetIncomeLoss", k), 0) * self.buyback), 0
        )
        repurchased = repurchased + np.maximum(0, _whole(0.25 * (cash - repurchased - 0.30 * assets)))
        missing = np.maximum(0, _whole(assets * 0.025) - (cash - repurchased))
        lends = (debt + borrowed + owed < 0.72 * assets) & (k < self.failing)
        raised = np.where(lends, 0, missing)
        borrowed = borrowed + missing - raised
        financing = borrowed + raised - repurchased - paid
        change = before + financing
        self._put(
            k,
            ProceedsFromRepaymentsOfDebt=borrowed,
            ProceedsFromIssuanceOfCommonStock=raised,
            PaymentsForRepurchaseOfCommonStock=repurchased,
            PaymentsOfDividends=paid,
            NetCashProvidedByUsedInFinancingActivities=financing,
            CashPeriodIncreaseDecrease=change,
            CashAndCashEquivalentsAtCarryingValue=b("CashAndCashEquivalentsAtCarryingValue", j) + change,
            CommonStocksIncludingAdditionalPaidInCapital=b("CommonStocksIncludingAdditionalPaidInCapital", j)
            + in_stock
            + raised,
            TreasuryStockValue=b("TreasuryStockValue", j) + repurchased,
            RetainedEarningsAccumulatedDeficit=b("RetainedEarningsAccumulatedDeficit", j)
            + b("NetIncomeLoss", k)
            - paid,
            AccumulatedOtherComprehensiveIncomeLossNetOfTax=b(
                "AccumulatedOtherComprehensiveIncomeLossNetOfTax", j
            )
            + abroad,
            MinorityInterest=b("MinorityInterest", j)
            + b("NetIncomeLossAttributableToNoncontrollingInterest", k),
        )
        self._owe(k, debt + borrowed)
        self._totals(k)
        value = self.multiple * np.maximum(np.sum(self.values[0, :, max(0, k - 3) : k + 1], axis=1), 1.0)
        moved = np.clip((raised + in_stock - repurchased) / value, -0.03, 0.08)
        self.shares[:, k] = np.maximum(np.rint(self.shares[:, j] * (1 + moved)), 1000.0)

    def _totals(self, k: int) -> None:
        b = self._get
        current = self._sum(BALANCES[:4], k)
        assets = current + self._sum(BALANCES[5:9], k)
        soon = self._sum(BALANCES[10:13], k)
        liabilities = soon + self._sum(BALANCES[14:16], k)
        equity = b(BALANCES[17], k) - b(BALANCES[18], k) + b(BALANCES[19], k) + b(BALANCES[20], k)
        whole = equity + b("MinorityInterest", k)
        self._put(
            k,
            AssetsCurrent=current,
            Assets=assets,
            LiabilitiesCurrent=soon,
            Liabilities=liabilities,
            StockholdersEquity=equity,
            StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest=whole,
            LiabilitiesAndStockholdersEquity=liabilities + whole,
        )


def _whole(values: npt.ArrayLike) -> Ints:
    return np.rint(np.asarray(values, dtype=np.float64)).astype(np.int64)
