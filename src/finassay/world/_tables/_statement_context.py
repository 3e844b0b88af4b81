"""What a derived figure may look at: a period, the same of the year before, the last year, all of one version set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._periods import SEASONS, year_end_before
from finassay.world._blocks._statement_items import DEBT, LONG_DEBT, OWNERS, SHORT_DEBT, STOCK, Figures
from finassay.world._numerics import Floats, exp, log

if TYPE_CHECKING:
    from collections.abc import Callable

    from finassay.world._blocks._prices import Ints
    from finassay.world._blocks._versions import Versions

YEAR_DAYS = 360.0


@dataclass(frozen=True)
class Given:
    """Single quarters: the day from which filings give each, (companies, quarters), and the days of N filings."""

    since: npt.NDArray[Any]
    day: npt.NDArray[Any]


class Context:
    """Figures of N companies and periods as known at N filings; amounts in fen.

    Parameters
    ----------
    versions : Versions
        All statements.
    company, period, known : numpy.ndarray of int64
        (N,), as for `Versions.figures`.
    given : Given or None
        If the flows are those of the single quarter, not of the year so far: which quarters are given when.
    """

    def __init__(
        self, versions: Versions, company: Ints, period: Ints, known: Ints, *, given: Given | None = None
    ) -> None:
        self.versions, self.company, self.period, self.known = versions, company, period, known
        self.given = given

    def at(self, period: Ints) -> Figures:
        """Return the figures of other periods as known at the same filings."""
        read = self.versions.quarter if self.given else self.versions.figures
        return read(self.company, np.maximum(period, 0), self.known)

    def seen(self, back: int) -> npt.NDArray[np.bool_]:
        """Return whether the figures so many quarters earlier are there: single ones must have been given."""
        there = self.period > back
        if self.given:
            since = self.given.since[self.company, np.maximum(self.period - back, 0)]
            there &= since <= self.given.day
        return there

    @cached_property
    def now(self) -> Figures:
        """The period itself."""
        return self.at(self.period)

    @cached_property
    def before(self) -> Figures:
        """The same period of the year before."""
        return self.at(self.period - 4)

    @cached_property
    def previous(self) -> Figures:
        """The quarter before."""
        return self.at(self.period - 1)

    @cached_property
    def year(self) -> Figures:
        """The last whole year before the period."""
        return self.at(year_end_before(self.period))

    @cached_property
    def quarters(self) -> Floats:
        """How many quarters the flows span."""
        span: Floats = np.where(self.given is not None, 1.0, SEASONS[self.period].astype(np.float64))
        return span

    @cached_property
    def shares(self) -> Floats:
        """Shares at the end of the period."""
        shares: Floats = self.versions.statements.shares[self.company, self.period].astype(np.float64)
        return shares

    @cached_property
    def weighted(self) -> Floats:
        """Average shares of the year so far, bonus shares up to the filing counted throughout."""
        whole = self.versions.statements
        later = whole.scale[self.company, np.maximum(self.known, self.period)]
        average: Floats = whole.weighted[self.company, self.period] * (
            later / whole.scale[self.company, self.period]
        )
        return average

    @cached_property
    def general(self) -> Floats:
        """Whether the statements have the general template: else ratios of current items are NaN."""
        flags: Floats = np.where(self.versions.statements.template[self.company] == 1, 1.0, np.nan)
        return flags

    def twelve_months(self, read: Callable[[Figures], Ints]) -> Floats:
        """Return a flow over twelve months: of the last year and the year so far, less a year before."""
        now, whole = read(self.now), self.period % 4 == 0
        total = np.where(whole, now, now + read(self.year) - read(self.before)).astype(np.float64)
        known: Floats = np.where((self.period >= 5) | whole, total, np.nan)
        return known

    def mean(self, read: Callable[[Figures], Ints]) -> Floats:
        """Return the mean of a balance at the beginning and the end of the flows."""
        now = self.now
        opening = Figures(now.flows, now.opening, now.opening)
        return (read(now) + read(opening)) / 2.0

    def yearly_mean(self, read: Callable[[Figures], Ints]) -> Floats:
        """Return the mean of a balance now and a year before."""
        return np.where(self.period >= 4, (read(self.now) + read(self.before)) / 2.0, np.nan)

    def growth(self, read: Callable[[Figures], Ints]) -> Floats:
        """Return the growth on the year before in percent; NaN unless the base is positive."""
        return 100.0 * (over(read(self.now), read(self.before), self.seen(4)) - 1.0)

    def rise(self, read: Callable[[Figures], Ints]) -> Floats:
        """Return the growth on the quarter before in percent; NaN unless the base is positive."""
        return 100.0 * (over(read(self.now), read(self.previous), self.seen(1)) - 1.0)

    def three_years(self, read: Callable[[Figures], Ints]) -> Floats:
        """Return the compound growth of three years in percent a year; NaN unless both ends are positive."""
        ratio = over(read(self.now), read(self.at(self.period - 12)), self.period >= 13)
        good = np.where(ratio > 0, ratio, 1.0)
        return np.where(ratio > 0, 100.0 * (exp(np.clip(log(good) / 3.0, -50, 50)) - 1.0), np.nan)

    def since_year_end(self, read: Callable[[Figures], Ints]) -> Floats:
        """Return the growth of a balance since the beginning of the flows, in percent."""
        now = self.now
        return 100.0 * (over(read(now), read(Figures(now.flows, now.opening, now.opening))) - 1.0)


def over(top: Floats | Ints, bottom: Floats | Ints, where: npt.NDArray[np.bool_] | bool = True) -> Floats:
    """Return top / bottom, NaN unless the bottom is positive and `where` holds."""
    good = (np.asarray(bottom) > 0) & where
    ratio: Floats = np.where(good, top / np.where(good, bottom, 1.0), np.nan)
    return ratio


def percent(top: Floats | Ints, bottom: Floats | Ints) -> Floats:
    """Return 100 top / bottom, NaN unless the bottom is positive."""
    return 100.0 * over(top, bottom)


# Readings: figures that several ratios look at
def revenue(f: Figures) -> Ints:
    """Return operating revenue."""
    return f.flow("REVENUE")


def cost(f: Figures) -> Ints:
    """Return operating cost."""
    return f.flow("COST")


def gross(f: Figures) -> Ints:
    """Return gross profit."""
    return revenue(f) - cost(f)


def ebit(f: Figures) -> Ints:
    """Return total profit before financial expense."""
    return f.total_profit + f.financial_expense


def ebitda(f: Figures) -> Ints:
    """Return ebit before depreciation and amortisation."""
    return ebit(f) + f.depreciation


def equity(f: Figures) -> Ints:
    """Return equity of the parent's owners."""
    return f.owners_equity


def all_equity(f: Figures) -> Ints:
    """Return equity with minorities."""
    return f.stock(*OWNERS, "MINORITYINTERESTS")


def assets(f: Figures) -> Ints:
    """Return total assets."""
    return f.total_assets


def debt(f: Figures) -> Ints:
    """Return interest-bearing debt."""
    return f.stock(*DEBT)


def invested(f: Figures) -> Ints:
    """Return invested capital: equity and interest-bearing debt."""
    return all_equity(f) + debt(f)


def tangible(f: Figures) -> Ints:
    """Return the owners' equity without intangibles, goodwill and deferred costs."""
    return f.owners_equity - f.stock(
        "INTANGIBLEASSETS", "DEVELOPMENTEXPENDITURE", "GOODWILL", "LONGDEFERREDEXPENSE", "DEFERREDTAXASSETS"
    )


def operating_income(f: Figures) -> Ints:
    """Return net income from operations: revenue less total cost."""
    return revenue(f) - f.total_cost


def value_changes(f: Figures) -> Ints:
    """Return net income from investments and changes of value."""
    return f.flow("INVESTINCOME", "FAIRVALUE")


def period_expense(f: Figures) -> Ints:
    """Return selling, administration, research and financial expense."""
    return f.flow("SELLING", "ADMINISTRATION", "RESEARCH") + f.financial_expense


def impairment(f: Figures) -> Ints:
    """Return impairment of assets and credit losses."""
    return f.flow("IMPAIRMENT", "CREDITLOSS")


def short_debt(f: Figures) -> Ints:
    """Return interest-bearing current liabilities."""
    return f.stock(*SHORT_DEBT)


def long_debt(f: Figures) -> Ints:
    """Return interest-bearing non-current liabilities."""
    return f.stock(*LONG_DEBT)


def free_cash(f: Figures) -> Ints:
    """Return free cash flow of the firm: operating cash less capital expenditure, interest after tax put back."""
    return f.operating_cash - f.flow("CAPEX") + f.flow("INTEREST") * 3 // 4


def owners_cash(f: Figures) -> Ints:
    """Return free cash flow to shareholders: operating cash less capital expenditure, with new debt."""
    return f.operating_cash - f.flow("CAPEX") + f.change(*DEBT) - f.flow("INTEREST")


def balance(name: str) -> Callable[[Figures], Ints]:
    """Return the reading of a balance."""
    column = STOCK[name]

    def read(f: Figures) -> Ints:
        values: Ints = f.stocks[:, column]
        return values

    return read
