"""What a statement consists of: leaves that are simulated, and everything that follows from them by addition.

All rules are linear in the leaves, so every sum of consistent statements is consistent: a restatement, the parent
company and the subsidiaries obey the same identities to the fen (world.md, 3.1 to 3.6).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from finassay.world._blocks._prices import Ints

WORKING = (
    "BILLRECEIVABLE", "ACCOUNTRECEIVABLE", "ADVANCEPAYMENT", "OTHERRECEIVABLE", "INVENTORIES",
    "CONTRACTUALASSETS", "OTHERCURRENTASSETS",
)  # fmt: skip
CURRENT_ASSETS = ("CASHEQUIVALENTS", "TRADINGASSETS", *WORKING)
LONG_ASSETS = (
    "OTHEQUITYINSTRUMENT", "LONGTERMEQUITYINVEST", "INVESTMENTPROPERTY", "FIXEDASSETS", "CONSTRUINPROCESS",
    "USUFRUCTASSETS", "INTANGIBLEASSETS", "DEVELOPMENTEXPENDITURE", "GOODWILL",
)  # fmt: skip
LATER_COSTS = ("LONGDEFERREDEXPENSE", "DEFERREDTAXASSETS", "OTHERNONCURRENTASSETS")
NONCURRENT_ASSETS = (*LONG_ASSETS, *LATER_COSTS)
LENDING = (
    "DEPOSITININTERBANK", "LENDCAPITAL", "BOUGHTSELLBACKASSETS", "LOANANDADVANCE", "FINANCING",
    "SETTLEMENTPROVI", "INSURANCERECEIVABLES", "FIXEDDEPOSIT", "OTHERASSETS",
)  # fmt: skip
FINANCIAL_ASSETS = ("FINANCIALINVESTMENT", *LENDING)
ASSETS = (*CURRENT_ASSETS, *NONCURRENT_ASSETS, *FINANCIAL_ASSETS)

PAYABLES = (
    "NOTESPAYABLE", "ACCOUNTSPAYABLE", "CONTRACTLIABILITY", "SALARIESPAYABLE", "TAXSPAYABLE", "OTHERPAYABLE",
    "OTHERCURRENTLIABILITY",
)  # fmt: skip
SHORT_DEBT = ("SHORTTERMLOAN", "NONCURRENTLIABILITYIN1YEAR", "STBONDSPAYABLE")
CURRENT_LIABILITIES = (*PAYABLES, *SHORT_DEBT)
LONG_DEBT = ("LONGTERMLOAN", "BONDSPAYABLE", "LEASELIABILITIES", "LONGTERMACCOUNTPAYABLE")
LATER_LIABILITIES = ("ESTIMATELIABILITY", "DEFERREDTAXLIABILITY", "LONGDEFERINCOME")
NONCURRENT_LIABILITIES = (*LONG_DEBT, *LATER_LIABILITIES)
FUNDING = (
    "BORROWINGFROMCENTRALBANK", "ABSINTERDEPOSITS", "BORROWINGCAPITAL", "SOLDBUYBACKSECUPROCEEDS", "DEPOSIT",
    "PROXYSECUPROCEEDS", "INSCONTRACTRESERVE", "OTHERLIABILITY",
)  # fmt: skip
LIABILITIES = (*CURRENT_LIABILITIES, *NONCURRENT_LIABILITIES, *FUNDING)
DEBT = (*SHORT_DEBT, *LONG_DEBT)
OWNERS = (
    "PAIDINCAPITAL",
    "CAPITALRESERVEFUND",
    "SURPLUSRESERVEFUND",
    "RETAINEDPROFIT",
    "OTHERCOMPOSITEINCOME",
)
STOCKS = (*ASSETS, *LIABILITIES, *OWNERS, "MINORITYINTERESTS")

COSTS = ("COST", "SURTAX", "SELLING", "ADMINISTRATION", "RESEARCH")
FLOWS = (
    "REVENUE", *COSTS, "INTEREST", "INTERESTINCOME", "INVESTINCOME", "ASSOCIATES", "FAIRVALUE", "OTHERINCOME",
    "IMPAIRMENT", "CREDITLOSS", "NONOPERATINGINCOME", "NONOPERATINGEXPENSE", "TAX", "MINORITYPROFIT",
    "NONRECURRING", "DEPRECIATION", "AMORTISATION", "CAPEX", "GOODWILLLOSS", "DIVIDENDS", "MINORITYDIVIDENDS",
    "APPROPRIATION", "BONUS", "EXCHANGE", "STAFF", "SALESTAX", "GOODS",
)  # fmt: skip
FLOW = {name: n for n, name in enumerate(FLOWS)}
STOCK = {name: n for n, name in enumerate(STOCKS)}


@dataclass(frozen=True)
class Figures:
    """Statements of N companies and periods in fen.

    Attributes
    ----------
    flows : numpy.ndarray of int64
        (N, flows), since the start of the year, or of one quarter.
    stocks, opening : numpy.ndarray of int64
        (N, stocks), at the end, and when the flows began.
    """

    flows: Ints
    stocks: Ints
    opening: Ints

    def flow(self, *names: str) -> Ints:
        """Return the sum of flows."""
        return _sum(self.flows, [FLOW[name] for name in names])

    def stock(self, *names: str) -> Ints:
        """Return the sum of balances."""
        return _sum(self.stocks, [STOCK[name] for name in names])

    def change(self, *names: str) -> Ints:
        """Return by how much balances rose."""
        columns = [STOCK[name] for name in names]
        return _sum(self.stocks, columns) - _sum(self.opening, columns)

    @cached_property
    def financial_expense(self) -> Ints:
        """Interest paid less received."""
        return self.flow("INTEREST") - self.flow("INTERESTINCOME")

    @cached_property
    def total_cost(self) -> Ints:
        """Cost, surtax, and the expenses of the period."""
        return self.flow(*COSTS) + self.financial_expense

    @cached_property
    def operating_profit(self) -> Ints:
        """Revenue less costs, with gains and losses."""
        gains = self.flow("INVESTINCOME", "FAIRVALUE", "OTHERINCOME") - self.flow("IMPAIRMENT", "CREDITLOSS")
        return self.flow("REVENUE") - self.total_cost + gains

    @cached_property
    def total_profit(self) -> Ints:
        """Operating profit and the net of non-operating items."""
        return self.operating_profit + self.flow("NONOPERATINGINCOME") - self.flow("NONOPERATINGEXPENSE")

    @cached_property
    def net_profit(self) -> Ints:
        """Total profit after tax."""
        return self.total_profit - self.flow("TAX")

    @cached_property
    def parent_profit(self) -> Ints:
        """Net profit of the parent's owners."""
        return self.net_profit - self.flow("MINORITYPROFIT")

    @cached_property
    def core_profit(self) -> Ints:
        """The owners' profit without non-recurring items."""
        return self.parent_profit - self.flow("NONRECURRING")

    @cached_property
    def owners_equity(self) -> Ints:
        """Equity of the parent's owners."""
        return self.stock(*OWNERS)

    @cached_property
    def total_assets(self) -> Ints:
        """All assets."""
        return self.stock(*ASSETS)

    @cached_property
    def total_liabilities(self) -> Ints:
        """All liabilities."""
        return self.stock(*LIABILITIES)

    @cached_property
    def operating_cash(self) -> Ints:
        """Net operating cash flow by the indirect bridge."""
        kept = self.flow("DEPRECIATION", "AMORTISATION", "GOODWILLLOSS", "INTEREST")
        elsewhere = self.flow("INVESTINCOME", "FAIRVALUE", "EXCHANGE")
        tied = self.change(*WORKING, *LATER_COSTS, *LENDING) - self.change(
            *PAYABLES, *LATER_LIABILITIES, *FUNDING
        )
        return self.net_profit + kept - elsewhere - tied

    @cached_property
    def investing_cash(self) -> Ints:
        """Net investing cash flow."""
        bought = self.change("TRADINGASSETS", "FINANCIALINVESTMENT", *LONG_ASSETS)
        worn = self.flow("DEPRECIATION", "AMORTISATION", "GOODWILLLOSS")
        gained = self.flow("FAIRVALUE") + self.change("OTHERCOMPOSITEINCOME")
        return self.flow("INVESTINCOME") - bought - worn + gained

    @cached_property
    def issued(self) -> Ints:
        """Cash from shareholders, net of buy-backs."""
        return self.change("PAIDINCAPITAL", "CAPITALRESERVEFUND") - self.flow("BONUS")

    @cached_property
    def financing_cash(self) -> Ints:
        """Net financing cash flow."""
        paid = self.flow("DIVIDENDS", "MINORITYDIVIDENDS", "INTEREST")
        return self.change(*DEBT) + self.issued - paid

    @cached_property
    def cash_increase(self) -> Ints:
        """Net increase in cash and equivalents: operating, investing, financing, exchange rates."""
        return self.operating_cash + self.investing_cash + self.financing_cash + self.flow("EXCHANGE")

    @cached_property
    def cash_from_sales(self) -> Ints:
        """Cash from goods and services."""
        owed = self.change("ACCOUNTRECEIVABLE", "BILLRECEIVABLE", "CONTRACTUALASSETS")
        return self.flow("REVENUE", "SALESTAX") - owed + self.change("CONTRACTLIABILITY")

    @cached_property
    def cash_for_goods(self) -> Ints:
        """Cash paid for goods and services."""
        stocked = self.change("INVENTORIES", "ADVANCEPAYMENT")
        return self.flow("GOODS") + stocked - self.change("ACCOUNTSPAYABLE", "NOTESPAYABLE")

    @cached_property
    def cash_for_staff(self) -> Ints:
        """Cash paid to and for staff."""
        return self.flow("STAFF") - self.change("SALARIESPAYABLE")

    @cached_property
    def cash_for_taxes(self) -> Ints:
        """Taxes paid."""
        return self.flow("TAX", "SURTAX", "SALESTAX") - self.change("TAXSPAYABLE")

    @cached_property
    def other_operating_cash(self) -> Ints:
        """What the other direct items leave of the operating cash flow."""
        paid = self.cash_for_goods + self.cash_for_staff + self.cash_for_taxes
        return self.operating_cash - (self.cash_from_sales - paid)

    @cached_property
    def depreciation(self) -> Ints:
        """Depreciation and amortisation."""
        return self.flow("DEPRECIATION", "AMORTISATION")


def _sum(values: Ints, columns: list[int]) -> Ints:
    total = values[..., columns[0]]
    for column in columns[1:]:
        total = total + values[..., column]
    return total


def empty(shape: tuple[int, ...], names: tuple[str, ...]) -> Ints:
    """Return zeros for leaves."""
    return np.zeros((*shape, len(names)), dtype=np.int64)
