"""What the events of companies say: reports, restatements, forecasts, opinions, share capital, concepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.world._sent import Sent

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True, slots=True)
class Shown(Sent):
    """Headline figures of a period as a filing shows them, in fen: since the start of the year, and at its end."""

    period_end: date
    revenue: int
    profit: int
    assets: int
    equity: int


@dataclass(frozen=True, slots=True)
class Report(Sent):
    """A filing with statements.

    `form` is 10 for a prospectus, 20 for a periodic report, 30 for a corrected one. `shown` begins with the period
    itself; comparatives and restated periods follow. `opening` is the balance sheet at the last year end, where an
    interim report does not show that year otherwise. `opinion` is 0 where there is no audit. `surprise` moves the
    price by so many daily deviations of the share's own.
    """

    period_end: date
    form: int
    shown: tuple[Shown, ...]
    opinion: int = 0
    surprise: float = 0.0
    opening: Shown | None = None


@dataclass(frozen=True, slots=True)
class Restatement(Sent):
    """Earlier periods read differently from now on: `first` to the last before `until`.

    Kinds: 1 error, 2 policy, 3 common control; `share` is its size.
    """

    kind: int
    first: date
    until: date
    share: float


@dataclass(frozen=True, slots=True)
class Forecast(Sent):
    """A pre-announcement of the parent's profit of a period, in fen, its kind in words and its surprise."""

    period_end: date
    kind: str
    low: int
    high: int
    surprise: float = 0.0


@dataclass(frozen=True, slots=True)
class Opinion(Sent):
    """The opinion of the auditors on the statements of a year; replaces one disclosed before."""

    period_end: date
    opinion: int


@dataclass(frozen=True, slots=True)
class ShareChange(Sent):
    """A change of the share capital: kind (1 listing ... 7 unlocking), shares after it, tradable ones, price in fen."""

    kind: int
    total: int
    tradable: int
    price: int = 0


@dataclass(frozen=True, slots=True)
class Rights(Sent):
    """New shares are offered to holders: how many per 10, at a price in fen; the ex-date is the event's valid date."""

    ratio: int
    price: int


@dataclass(frozen=True, slots=True)
class Concept(Sent):
    """A concept of the market: its number and name."""

    code: int
    name: str


@dataclass(frozen=True, slots=True)
class ConceptMember(Sent):
    """A share that joins a concept; the event's entity is the concept."""

    security: int
    inner: int


@dataclass(frozen=True, slots=True)
class HongKong(Sent):
    """A listing of the company in Hong Kong: number, code and short name of the share there."""

    inner: int
    code: str
    abbreviation: str


CompanyPayload = (
    Report | Restatement | Forecast | Opinion | ShareChange | Rights | Concept | ConceptMember | HongKong
)
