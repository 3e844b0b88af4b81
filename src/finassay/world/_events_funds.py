"""What the events of funds say: advisers, people, classes, managers, kinds, benchmarks, fees, dealing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.world._sent import Sent

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True, slots=True)
class FundAdviser(Sent):
    """A company that manages funds."""

    code: int
    name: str
    abbreviation: str


@dataclass(frozen=True, slots=True)
class FundPerson(Sent):
    """A person of the profession; the event's valid date is the first day in it."""

    code: int
    name: str
    gender: int


@dataclass(frozen=True, slots=True)
class FundOffer(Sent):
    """The offer of a fund: its first and last day."""

    start: date
    end: date


@dataclass(frozen=True, slots=True)
class FundOpen(Sent):
    """A fund: adviser, custodian, kind (level 3 of the vendor), ways it operates and invests, units sold."""

    trans: int
    adviser: int
    trustee: int
    kind: int
    operation: int
    investment: int
    name: str
    units: int


@dataclass(frozen=True, slots=True)
class FundClass(Sent):
    """A share class of a fund: the main one has the letter A or none."""

    inner: int
    code: str
    main_code: str
    market: int
    letter: str
    name: str

    @property
    def main(self) -> bool:
        """Whether it is the main class."""
        return self.code == self.main_code


@dataclass(frozen=True, slots=True)
class FundManager(Sent):
    """A person takes office at a fund; `person` is the entity of the person."""

    person: int
    code: int
    name: str
    number: int


@dataclass(frozen=True, slots=True)
class FundKind(Sent):
    """The class of a fund in the vendor's standard: level 3; the two above are its leading digits."""

    third: int


@dataclass(frozen=True, slots=True)
class FundBenchmark(Sent):
    """The legs of a benchmark: the vendor's number of the index, and the weight in percent."""

    legs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class FundFee(Sent):
    """A fee of a kind of the vendor's list, in hundredths of a percent."""

    kind: int
    rate: int


@dataclass(frozen=True, slots=True)
class FundDealing(Sent):
    """The state of dealing: purchases open (1), capped (2) or suspended (3); the cap in yuan, 0 for none."""

    purchase: int
    redeemable: bool
    cap: int


@dataclass(frozen=True, slots=True)
class FundTarget(Sent):
    """The index that a fund tracks."""

    index: int


@dataclass(frozen=True, slots=True)
class FundPayout(Sent):
    """A payout in hundredths of a percent of the net value, or a split into so many units."""

    share: int
    split: int = 1


@dataclass(frozen=True, slots=True)
class OverseasIndex(Sent):
    """An index of a market abroad, of the vendor's numbers of market and currency."""

    inner: int
    code: str
    name: str
    market: int
    currency: int


FundPayload = (
    FundAdviser
    | FundPerson
    | FundOffer
    | FundOpen
    | FundClass
    | FundManager
    | FundKind
    | FundBenchmark
    | FundFee
    | FundDealing
    | FundTarget
    | FundPayout
    | OverseasIndex
)
