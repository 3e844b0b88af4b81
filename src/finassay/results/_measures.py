"""What runs are summed up in: shares with their counts and intervals, measures with what is known of them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict, Field

from finassay.results._final import SEED
from finassay.statistics import Outcome, Rate, rate


class Model(BaseModel):
    """Base of what is written as JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Share(Model):
    """A share of all samples, with its interval; what is unknown counts as not in it."""

    numerator: int
    denominator: int
    value: float
    low: float
    high: float
    confidence: float
    method: str = Field(
        description="`wilson`; `cluster_bootstrap` by task where tasks repeat, with its stand-in."
    )
    unknown: int = Field(description="Errors and what nobody judged.")

    @classmethod
    def of(cls, found: Rate) -> Share:
        """Return a rate of `finassay.statistics` as it is written."""
        return cls(
            value=found.value, **{name: getattr(found, name) for name in cls.model_fields if name != "value"}
        )

    def __str__(self) -> str:
        interval = f"{100 * self.low:.1f}–{100 * self.high:.1f}%"
        counts = f"{self.numerator}/{self.denominator}"
        return f"{counts} ({100 * self.value:.1f}%, {100 * self.confidence:g}% CI {interval})"


def share(outcomes: Sequence[Outcome], tasks: Sequence[str]) -> Share:
    """Return the share of right ones; by tasks where a task has several rows, for these are not independent."""
    repeated = 1 < len(set(tasks)) < len(tasks)
    return Share.of(rate(outcomes, clusters=tasks if repeated else None, seed=SEED))


class Measure(Model):
    """A measure over the attempts that count, of those that say it."""

    known: int = Field(description="How many say it.")
    total: float | None = Field(description="Null where none does.")
    mean: float | None
    median: float | None

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Measure:
        """Return the measure of values; None is not said."""
        said = [float(value) for value in values if value is not None]
        if not said:
            return cls(known=0, total=None, mean=None, median=None)
        return cls(
            known=len(said), total=sum(said), mean=statistics.fmean(said), median=statistics.median(said)
        )
