"""What the events of deals say: plans of holders to buy or sell, and mergers by exchange of shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.world._sent import Sent

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True, slots=True)
class HolderPlan(Sent):
    """A plan of a holder, or its promise not to sell, as one disclosure states it.

    Attributes
    ----------
    company : int
        The company's entity.
    holder : int
        Place in the company's pool of holders.
    kind : int
        1 to buy, 2 to sell, 3 not to sell.
    stage : int
        1 announced, 2 on its way, 3 done, 4 over with less than planned, 5 cancelled.
    first : datetime.date
        Day of the first announcement.
    begin, end : datetime.date
        Of the plan, as stated now.
    ceiling, floor : int
        Most and fewest shares; 0 for a promise.
    price : int
        Highest price of buying in fen, 0 where none is set.
    done : int
        Shares bought or sold so far.
    capital : int
        Shares of the company at the announcement.
    """

    company: int
    holder: int
    kind: int
    stage: int
    first: date
    begin: date
    end: date
    ceiling: int = 0
    floor: int = 0
    price: int = 0
    done: int = 0
    capital: int = 0


@dataclass(frozen=True, slots=True)
class Merger(Sent):
    """A merger that is announced: who is to absorb whom, with the last year of the other; amounts in fen.

    `other` is the entity of the party where it is listed, else 0; `capital` its shares; `industry` the sector.
    """

    company: int
    other: int
    name: str
    founded: date
    capital: int
    industry: int
    year_end: date
    assets: int
    equity: int
    revenue: int
    profit: int


@dataclass(frozen=True, slots=True)
class MergerScheme(Sent):
    """The scheme: shares received for one share, to four places; the day that prices are taken from."""

    ratio: float
    base: date


@dataclass(frozen=True, slots=True)
class MergerExchange(Sent):
    """The exchange: shares issued and given up, record day, first and last day."""

    issued: int
    exchanged: int
    record_date: date
    begin: date
    end: date


DealPayload = HolderPlan | Merger | MergerScheme | MergerExchange
