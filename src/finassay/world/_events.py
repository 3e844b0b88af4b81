"""The events of the ledger: what happened, when it held, was disclosed and was recorded, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

from finassay.world._events_bonds import BondPayload
from finassay.world._events_company import CompanyPayload
from finassay.world._events_deals import DealPayload
from finassay.world._events_funds import FundPayload
from finassay.world._events_neeq import NeeqPayload
from finassay.world._events_us import UsPayload
from finassay.world._sent import Sent

if TYPE_CHECKING:
    from datetime import date, datetime


class EventType(IntEnum):
    """Types of events (world.md, 1). The numbers are part of every id: never renumber, only append."""

    SECURITY = 1
    LIST = 2
    HALT = 3
    RESUME = 4
    ST_ON = 5
    ST_OFF = 6
    DELIST_PERIOD = 7
    DELIST = 8
    RENAME = 9
    INDUSTRY_SET = 10
    DIVIDEND_PLAN = 11
    DIVIDEND_APPROVED = 12
    DIVIDEND_IMPLEMENTED = 13
    INDEX_OPEN = 14
    INDEX_IN = 15
    INDEX_OUT = 16
    VENDOR_TOUCH = 17
    RIGHTS_ISSUE = 18
    HK_DELIST = 19
    # Companies: 20 to 29
    REPORT = 20
    RESTATEMENT = 21
    FORECAST = 22
    OPINION = 23
    SHARE_CHANGE = 24
    CONCEPT_OPEN = 25
    CONCEPT_CLOSE = 26
    CONCEPT_IN = 27
    CONCEPT_OUT = 28
    HK_LIST = 29
    # The NEEQ, and competitors: 30 to 41
    NEEQ_SECURITY = 30
    NEEQ_LAYER = 31
    NEEQ_DELIST = 32
    NEEQ_INDUSTRY = 33
    NEEQ_PLAN = 34
    NEEQ_APPROVED = 35
    NEEQ_IMPLEMENTED = 36
    NEEQ_REPORT = 37
    NEEQ_RESTATEMENT = 38
    NEEQ_CAPITAL = 39
    COMPETITORS = 40
    # Deals: 45 to 49
    HOLDER_PLAN = 45
    MERGER_PLAN = 46
    MERGER_SCHEME = 47
    MERGER_MEETING = 48
    MERGER_EXCHANGE = 49
    # Bonds, convertibles and Chinese macro series: 60 to 79
    CN_SERIES = 60
    CN_RELEASE = 61
    BOND_INDEX = 62
    DEBTOR = 63
    DEBTOR_INDUSTRY = 64
    DEBTOR_RATING = 65
    BOND_ISSUE = 66
    BOND_PLACED = 67
    BOND_LIST = 68
    BOND_RATING = 69
    BOND_SIZE = 70
    BOND_DEFAULT = 71
    BOND_REVOKE = 72
    THEME_IN = 73
    THEME_OUT = 74
    CREDIT_SHOCK = 75
    BOND_CALL = 76
    CONVERT_TERMS = 77
    CONVERT_PRICE = 78
    CONVERT_CALL = 79
    # Funds: 80 to 99
    FUND_ADVISER = 80
    FUND_PERSON = 81
    FUND_OFFER = 82
    FUND_OPEN = 83
    FUND_CLASS = 84
    FUND_CLOSE = 85
    MANAGER_IN = 86
    MANAGER_OUT = 87
    FUND_KIND = 88
    FUND_BENCHMARK = 89
    FUND_FEE = 90
    FUND_DEALING = 91
    FUND_TARGET = 92
    FUND_PAYOUT = 93
    OVERSEAS_INDEX = 94
    # The US side, and news of both markets: 100 to 117
    US_SECURITY = 100
    US_LIST = 101
    US_RENAME = 102
    US_MOVE = 103
    US_DELIST = 104
    US_DIVIDEND = 105
    US_SPLIT = 106
    US_CANCEL = 107
    US_INDEX_OPEN = 108
    US_INDEX_IN = 109
    US_INDEX_OUT = 110
    US_FILING = 111
    US_AMENDMENT = 112
    MACRO_RELEASE = 113
    NEWS = 114


class Origin(StrEnum):
    """Why an event is there: drawn from the rates, planted as a trap, or a vendor's mass change. Never in a table."""

    NATURAL = "natural"
    SEEDED = "seeded"
    BULK = "bulk"


@dataclass(frozen=True, slots=True)
class Security(Sent):
    """A company and its A-share: codes, board and names at listing, shares and price (yuan) at its start."""

    company: int
    inner: int
    code: str
    market: int
    board: int
    name: str
    abbreviation: str
    english: str


@dataclass(frozen=True, slots=True)
class Alert(Sent):
    """A risk alert of a type of the vendor's list: 1 ST, 5 *ST."""

    kind: int
    reason: str


@dataclass(frozen=True, slots=True)
class Halt(Sent):
    """A halt, why, and its stated length."""

    reason: str


@dataclass(frozen=True, slots=True)
class Name(Sent):
    """A new short name."""

    abbreviation: str


@dataclass(frozen=True, slots=True)
class Industry(Sent):
    """The industry of a company under a standard: codes and names of levels 1 to 3."""

    standard: int
    codes: tuple[str, str, str]
    names: tuple[str, str, str]
    rebased: bool = False


@dataclass(frozen=True, slots=True)
class Plan(Sent):
    """A dividend for a period: cash in fen and bonus shares, both per 10 shares."""

    period_end: date
    cash: int
    bonus: int


@dataclass(frozen=True, slots=True)
class Approval(Sent):
    """The decision of the general meeting."""

    approved: bool


@dataclass(frozen=True, slots=True)
class Implementation(Sent):
    """The dates of a dividend; the ex-date is the event's valid date."""

    record_date: date
    pay_date: date


@dataclass(frozen=True, slots=True)
class Index(Sent):
    """An index of a number of members."""

    inner: int
    code: str
    abbreviation: str
    size: int


@dataclass(frozen=True, slots=True)
class Member(Sent):
    """A member that enters or leaves an index; the event's entity is the index."""

    security: int
    inner: int
    market: int
    adhoc: bool = False


@dataclass(frozen=True, slots=True)
class Touch(Sent):
    """The vendor touches the row of an event; a reload also renews its time of insertion."""

    row: int
    reload: bool


@dataclass(frozen=True, slots=True)
class Nothing(Sent):
    """An event that says all by its type and dates."""


Payload = (
    Security
    | Alert
    | Halt
    | Name
    | Industry
    | Plan
    | Approval
    | Implementation
    | Index
    | Member
    | Touch
    | Nothing
    | UsPayload
    | CompanyPayload
    | BondPayload
    | FundPayload
    | DealPayload
    | NeeqPayload
)


@dataclass(frozen=True, slots=True)
class Event(Sent):
    """One entry of the ledger.

    Attributes
    ----------
    type : EventType
        What happened.
    entity : int
        To whom, 0 to 2**24 - 1.
    seq : int
        Its number among the entity's events of the type, from 0.
    valid_from : datetime.date
        First day on which it holds.
    disclosed_at : datetime.datetime
        The minute it became public, local to the market.
    recorded_at : datetime.datetime
        The second the vendor recorded it; not before it was disclosed.
    payload : Payload
        The values.
    valid_to : datetime.date or None
        First day on which it no longer holds, where the event itself says so.
    supersedes : int or None
        The id of the event it replaces or ends.
    cause_ids : tuple of int
        The ids of its causes.
    origin : Origin
        Drawn, planted or mass change.
    """

    type: EventType
    entity: int
    seq: int
    valid_from: date
    disclosed_at: datetime
    recorded_at: datetime
    payload: Payload
    valid_to: date | None = None
    supersedes: int | None = None
    cause_ids: tuple[int, ...] = ()
    origin: Origin = Origin.NATURAL

    @property
    def event_id(self) -> int:
        """``type(8 bits) | entity(24) | seq(32)``: independent of the order in which a world is built."""
        return (int(self.type) << 56) | (self.entity << 32) | self.seq

    @property
    def parents(self) -> tuple[int, ...]:
        """The events without which this one would not be: its causes, and what it supersedes or touches."""
        superseded = () if self.supersedes is None else (self.supersedes,)
        return (*self.cause_ids, *superseded)
