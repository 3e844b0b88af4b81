"""What the events of the US side say, from securities to macro releases; and news of both markets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.world._sent import Sent

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True, slots=True)
class UsSecurity(Sent):
    """A US security at its listing: numbers, symbol, name, exchange and the traits that its filings state.

    `kind` is ``common``, ``etf`` or ``index``; `year_end` the month in which the fiscal year ends.
    """

    security: int
    cik: int | None
    kind: str
    symbol: str
    name: str
    exchange: str
    sector: str | None
    sic: int | None
    year_end: int | None


@dataclass(frozen=True, slots=True)
class UsListing(Sent):
    """Symbol, name and exchange from a listing change on, and the reason given."""

    symbol: str
    name: str
    exchange: str
    reason: str


@dataclass(frozen=True, slots=True)
class UsDividend(Sent):
    """A cash dividend per share in 1/10,000 of a dollar; the ex-date is the event's valid date."""

    number: int
    special: bool
    cash: int
    record_date: date
    pay_date: date


@dataclass(frozen=True, slots=True)
class UsSplit(Sent):
    """A split of `old` shares into `new` ones; the ex-date is the event's valid date."""

    number: int
    new: int
    old: int


@dataclass(frozen=True, slots=True)
class UsMember(Sent):
    """A security that enters an index; the event's entity is the index."""

    security: int
    entity: int


@dataclass(frozen=True, slots=True)
class UsFiling(Sent):
    """A periodic report, or an amendment of one; the event's valid date is the period end.

    Attributes
    ----------
    accession, form : str
        Its number and form, ``10-K``, ``10-Q`` or one of them with ``/A``.
    period : int
        The fiscal quarter reported, counted from the first that the economy computes.
    fiscal_year, fiscal_period
        As the filer states them.
    category : str
        Kind of filer: ``large``, ``accelerated``, ``other``.
    filed : datetime.date
        The date the SEC gives it.
    surprise : float
        Of its profit, in standard deviations; truth, in no table.
    amends : str or None
        The accession of the filing that it amends.
    restates : bool
        Whether an amendment changes figures.
    """

    accession: str
    form: str
    period: int
    fiscal_year: int
    fiscal_period: str
    category: str
    filed: date
    surprise: float
    amends: str | None = None
    restates: bool = False


@dataclass(frozen=True, slots=True)
class MacroRelease(Sent):
    """A release of a series: which one, of what kind, and what was new in it, in standard deviations."""

    series: str
    vintage: int
    kind: str
    surprise: float


@dataclass(frozen=True, slots=True)
class News(Sent):
    """A piece of news: its topic, the move of the log price that it causes, and its half-life in sessions.

    A distractor says something without a move of its own. A causal item about a sector names it.
    """

    market: str
    topic: str
    causal: bool
    move: float
    half_life: int
    sector: int | None = None


UsPayload = UsSecurity | UsListing | UsDividend | UsSplit | UsMember | UsFiling | MacroRelease | News
