"""What the events of bonds, convertibles and macro series carry; sizes in ten thousand yuan, rates in 1e-4 percent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from finassay.world._sent import Sent


@dataclass(frozen=True, slots=True)
class MacroSeries(Sent):
    """A macro series: the vendor's code, name, unit, power of ten, frequency (3 month, 4 quarter) and first period."""

    code: int
    name: str
    unit: int
    power: int
    frequency: int
    first: date
    stopped: bool


@dataclass(frozen=True, slots=True)
class Release(Sent):
    """A value of a macro series; `surprise` in standard deviations of its innovations, 0 for a revision."""

    period: date
    value: float
    vintage: int
    surprise: float


@dataclass(frozen=True, slots=True)
class BondIndex(Sent):
    """A bond index: the vendor's number, code, name, market, and base day."""

    inner: int
    code: str
    name: str
    market: int


@dataclass(frozen=True, slots=True)
class Debtor(Sent):
    """A company that owes bonds; `stock` is the vendor's number of its share, 0 if it has none."""

    company: int
    name: str
    kind: str
    stock: int


@dataclass(frozen=True, slots=True)
class Rating(Sent):
    """A rating: the vendor's grade, outlook and agency, term (1 long, 2 short), and its last day where stated."""

    grade: int
    outlook: int
    agency: int
    term: int
    first: bool
    expires: date | None = None


@dataclass(frozen=True, slots=True)
class BondTerms(Sent):
    """The terms of a bond at its announcement.

    `codes` are (number at the vendor, market, trading code); `option` is "", "call" or "put" with its day; an
    amortising bond repays a fifth of its principal in each of its last five years.
    """

    main: int
    codes: tuple[tuple[int, int, str], ...]
    name: str
    kind: int
    debtor: int
    planned: int
    coupon: int
    issue_start: date
    issue_end: date
    value_date: date
    maturity: date
    option: str
    exercise: date | None
    amortises: bool
    grade: int


@dataclass(frozen=True, slots=True)
class Placement(Sent):
    """The size that was issued."""

    size: int


@dataclass(frozen=True, slots=True)
class BondListing(Sent):
    """The listing of one code of a bond."""

    inner: int
    market: int


@dataclass(frozen=True, slots=True)
class Amount(Sent):
    """The amount outstanding after a change, the change, and the vendor's reason."""

    total: int
    change: int
    reason: int


@dataclass(frozen=True, slots=True)
class BondDefault(Sent):
    """A payment that was not made on a code: the vendor's kind (1 principal, 2 interest), principal and interest."""

    inner: int
    kind: int
    principal: int
    interest: int


@dataclass(frozen=True, slots=True)
class Theme(Sent):
    """A theme of a code of a bond: 4041 city investment, 4042 industrial."""

    inner: int
    nature: int


@dataclass(frozen=True, slots=True)
class CreditShock(Sent):
    """A latent change of a debtor's distance to default, in notches (up is better); it reaches no table."""

    notches: int
    distress: bool = False


@dataclass(frozen=True, slots=True)
class EarlyEnd(Sent):
    """A bond is redeemed before its maturity, at a price in 1e-4 yuan, on the event's valid date."""

    price: int


@dataclass(frozen=True, slots=True)
class ConvertPrice(Sent):
    """A conversion price in fen, and why."""

    price: int
    reason: str


@dataclass(frozen=True, slots=True)
class ConvertTerms(Sent):
    """A part of the rules of a convertible, and the days on which it holds.

    `part` is 0 for conversion, 1 for the conditional call, 2 for redemption at maturity, 3 and 4 for the conditional
    put in the last two interest years, 5 for the put after a change of purpose; `price` in 1e-4 yuan, where it has one.
    """

    inner: int
    stock: int
    part: int
    first: date
    last: date
    price: int


@dataclass(frozen=True, slots=True)
class ConvertCall(Sent):
    """A convertible is called: last trading day, price in 1e-4 yuan; the event's valid date is the redemption."""

    last_trading: date
    price: int


BondPayload = (
    MacroSeries
    | Release
    | BondIndex
    | Debtor
    | Rating
    | BondTerms
    | Placement
    | BondListing
    | Amount
    | BondDefault
    | Theme
    | CreditShock
    | EarlyEnd
    | ConvertPrice
    | ConvertTerms
    | ConvertCall
)
