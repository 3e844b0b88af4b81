"""The companies behind the shares of a block: economy, filings, capital, statements, in the order of causes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._economy import Economy, economy
from finassay.world._blocks._filings import schedule
from finassay.world._blocks._hongkong import hongkong_events
from finassay.world._blocks._periods import QUARTERS, SEASONS, quarter_of
from finassay.world._blocks._reports import (
    planned_news,
    report_events,
    restatement_events,
    surprises,
    told_news,
)
from finassay.world._blocks._shares import capital_on, share_events
from finassay.world._blocks._statements import Statements, statement_block
from finassay.world._blocks._versions import Versions

if TYPE_CHECKING:
    from finassay.world._blocks._dividends import Intended
    from finassay.world._blocks._prices import Quotes
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._shares import Conversion
    from finassay.world._blocks._universe import Issuer
    from finassay.world._events import Event
    from finassay.world._numerics import Floats

PAYOUT = 0.8  # of a year's profit, at most, with what the half-year paid of it


class Companies:
    """The companies of a block while their events are told.

    What is drawn first does not hang on prices; figures that do (dividends, placements) are filled in once the quotes
    are there.
    """

    def __init__(self, seed: int, issuers: tuple[Issuer, ...], recorders: list[Recorder]) -> None:
        self.seed, self.issuers, self.recorders = seed, issuers, recorders
        self.economy = economy(seed, issuers, _events(recorders))
        self.plans = [
            schedule(seed, issuer, row, self.economy, recorders[row]) for row, issuer in enumerate(issuers)
        ]

    @property
    def news(self) -> Floats:
        """How far filings will move the shares, in daily deviations of their own, (sessions, F)."""
        return surprises(self.issuers, planned_news(self.issuers, self.plans))

    def affordable(self, row: int, plan: Intended) -> int:
        """Return the most that the dividends of a year may be up to a plan, in fen; 0 after a loss, which pays none."""
        return affordable(self.economy, row, plan)

    def tell(self, quotes: Quotes, turned: list[list[Conversion]]) -> tuple[Quotes, Statements]:
        """Tell capital, restatements and reports; return quotes with the shares of each day, and the statements.

        `turned` are the conversions of each company's convertible.
        """
        for issuer, recorder, part in zip(self.issuers, self.recorders, turned, strict=True):
            share_events(self.seed, issuer, recorder, quotes, part)
            hongkong_events(self.seed, issuer, recorder)
        for plan, recorder in zip(self.plans, self.recorders, strict=True):
            restatement_events(recorder, plan)
        events = _events(self.recorders)
        statements = statement_block(self.issuers, self.economy, events)
        versions = Versions(statements, events)
        for row, (issuer, recorder) in enumerate(zip(self.issuers, self.recorders, strict=True)):
            report_events(self.seed, issuer, row, self.plans[row], versions, recorder)
        return with_capital(quotes, events), statements


def affordable(economy: Economy, row: int, plan: Intended) -> int:
    """Return the most that a company of a block may pay of a year up to a plan, in fen; 0 after a loss."""
    end = min(quarter_of(plan.period_end), QUARTERS - 1)
    start = end - SEASONS[end] + 1
    profit = float(np.sum(economy.provisional[row, start : end + 1]))
    return max(0, int(PAYOUT * profit))


def with_capital(quotes: Quotes, events: list[Event]) -> Quotes:
    """Return quotes with the shares outstanding on each day."""
    total, _ = capital_on(events, quotes.entity, quotes.session)
    return replace(quotes, shares=total.astype(np.float64))


def again(
    seed: int, issuers: tuple[Issuer, ...], original: list[Event], remaining: list[Event]
) -> tuple[Floats, Floats, Statements]:
    """Return the news, the worth and the statements of a block in a world of which only some events remain.

    The economy is that of all events: its shocks do not hang on what is disclosed.
    """
    latent = economy(seed, issuers, original)
    statements = statement_block(issuers, latent, remaining)
    return surprises(issuers, told_news(remaining)), latent.worth, statements


def _events(recorders: list[Recorder]) -> list[Event]:
    return [event for recorder in recorders for event in recorder.events]
