"""One acceptance fact as measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """A measured fact: number in world.md, what it is, its value and the range it should lie in."""

    number: str
    name: str
    value: float
    low: float
    high: float
    n: int

    @property
    def met(self) -> bool:
        """Whether the value lies in the range."""
        return self.low <= self.value <= self.high
