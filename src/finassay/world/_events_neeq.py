"""What the events of the NEEQ say, and those of competitors: shares, layers, ends, who names whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from finassay.world._sent import Sent

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True, slots=True)
class NeeqShare(Sent):
    """A company and its share on the NEEQ.

    `maker` says whether market makers quote it. `successor` is the vendor's number of the share that the company lists
    in Beijing later, 0 if it never does.
    """

    company: int
    inner: int
    code: str
    name: str
    abbreviation: str
    english: str
    maker: bool
    successor: int = 0


@dataclass(frozen=True, slots=True)
class Layer(Sent):
    """The layer of the NEEQ that a share belongs to: 1 basic, 2 innovation."""

    layer: int


@dataclass(frozen=True, slots=True)
class NeeqEnd(Sent):
    """Why a share leaves the NEEQ: 1 for Beijing, 2 by the company's own wish, 3 without an annual report.

    It is not traded from `stopped` on.
    """

    kind: int
    reason: str
    stopped: date


@dataclass(frozen=True, slots=True)
class Competitor(Sent):
    """A competitor that is named: its company and name, and the industry that both belong to (level, code, name)."""

    company: int
    name: str
    level: int
    code: str
    industry: str


@dataclass(frozen=True, slots=True)
class Naming(Sent):
    """The competitors that a company names in a report; they replace those before."""

    company: int
    name: str
    named: tuple[Competitor, ...]


NeeqPayload = NeeqShare | Layer | NeeqEnd | Naming
