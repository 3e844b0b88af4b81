"""Runs summed up: the headline rate over all samples, what became of them, steps, tokens and cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Literal

from pydantic import Field

from finassay.core import InputError
from finassay.results._behaviour import Behaviour, behaviour_of, traps
from finassay.results._final import counted, final_rows, worth
from finassay.results._measures import Measure, Model, Share, share
from finassay.results._row import Outcome, ResultRow, expected_row
from finassay.results._statuses import suite_statuses
from finassay.statistics import bounds

MEASURES = ("steps", "tokens_in", "tokens_out", "tokens_cached", "cost_usd", "seconds")


class ProfileSummary(Model):
    """What a run scores under a profile."""

    profile: str
    right: Share = Field(
        description="Full scores among all samples; every outcome counts in the denominator."
    )
    if_unknown_wrong: Share
    if_unknown_right: Share
    mean_score: float | None = Field(description="Over all samples; null where every score is 0 or 1.")
    navigation_traps: Share | None = Field(description="NTR; null where no steps are known.")


class RunSummary(Model):
    """A run: of each sample and epoch, the last attempt."""

    run: str
    suite: str
    suite_version: str
    models: list[str]
    agents: list[str]
    guidance: list[str]
    samples: int = Field(description="The denominator: samples times epochs, whatever became of them.")
    tasks: int
    epochs: int
    retried: int = Field(description="Samples with more than one attempt.")
    missing: int = Field(description="Expected samples without any attempt.")
    outcomes: dict[Outcome, int]
    statuses: dict[str, int]
    profiles: list[ProfileSummary]
    measures: dict[str, Measure] = Field(description="steps, tokens_in, …: of the attempts that count.")
    behaviour: Behaviour | None


class Summary(Model):
    """The runs of a store."""

    schema_version: Literal[1] = 1
    runs: list[RunSummary]


def summarise(rows: Iterable[ResultRow], *, expected: Iterable[str] | None = None) -> Summary:
    """Sum up runs.

    Parameters
    ----------
    rows : iterable of ResultRow
        In the order of their keys, as `read_rows` yields them. One run is in memory at a time, without submissions.
    expected : iterable of str, optional
        The ids of all samples: each run and epoch counts those that it lacks, too.

    Returns
    -------
    Summary
        A run under each suite and version that its rows are of.

    Raises
    ------
    InputError
        ``unexpected_sample``: a run has samples that are not expected.
    """
    wanted = None if expected is None else set(expected)
    grouped = groupby(final_rows(rows), key=lambda row: row.key[:3])
    return Summary(runs=[_run(_completed(list(run), wanted)) for _, run in grouped])


def _completed(rows: list[ResultRow], wanted: set[str] | None) -> list[ResultRow]:
    """Add a row for each expected sample of each epoch that has none."""
    if wanted is None:
        return rows
    there = {(row.epoch, row.sample) for row in rows}
    if unexpected := {sample for _, sample in there} - wanted:
        raise InputError(
            f"Run {rows[0].run!r} has {len(unexpected)} sample(s) that are not expected, such as {min(unexpected)!r}.",
            hint="Check that the list is of the same suite and version.",
            reason="unexpected_sample",
        )
    given = {name: getattr(rows[0], name) for name in ("run", "suite", "suite_version", "source")}
    epochs = sorted({row.epoch for row in rows})
    absent = [(epoch, name) for epoch in epochs for name in sorted(wanted) if (epoch, name) not in there]
    return rows + [expected_row(**given, task=name, sample=name, epoch=epoch) for epoch, name in absent]


def _run(rows: Sequence[ResultRow]) -> RunSummary:
    first = rows[0]
    outcomes = Counter(row.outcome for row in rows)
    statuses = Counter(row.status for row in rows)
    return RunSummary(
        run=first.run,
        suite=first.suite,
        suite_version=first.suite_version,
        models=sorted({row.model for row in rows if row.model}),
        agents=sorted({row.agent for row in rows if row.agent}),
        guidance=sorted({row.guidance for row in rows if row.guidance}),
        samples=len(rows),
        tasks=len({row.task for row in rows}),
        epochs=len({row.epoch for row in rows}),
        retried=sum(row.attempt > 1 for row in rows),
        missing=sum(row.is_expected for row in rows),
        outcomes={outcome: outcomes[outcome] for outcome in Outcome},
        statuses=dict(sorted(statuses.items(), key=lambda item: (-item[1], item[0]))),
        profiles=[_profile(rows, profile) for profile in _profiles(rows)],
        measures={name: Measure.of(getattr(row, name) for row in rows) for name in MEASURES},
        behaviour=behaviour_of(rows),
    )


def _profiles(rows: Sequence[ResultRow]) -> list[str]:
    """Return the profiles that some row is scored under; where none is, those of the suite."""
    found = {profile for row in rows for profile in row.scores if row.headline(profile) is not None}
    if found:
        return sorted(found)
    try:
        return sorted(suite_statuses(rows[0].suite).profiles)
    except InputError:  # a suite that this version does not know
        return []


def _profile(rows: Sequence[ResultRow], profile: str) -> ProfileSummary:
    outcomes = [counted(row, profile) for row in rows]
    scores = [worth(row, profile) for row in rows]
    right = share(outcomes, [row.task for row in rows])
    wrong = right.denominator - right.numerator - right.unknown
    either = bounds(right.numerator, wrong, right.unknown)
    return ProfileSummary(
        profile=profile,
        right=right,
        if_unknown_wrong=Share.of(either.worst),
        if_unknown_right=Share.of(either.best),
        mean_score=None if set(scores) <= {0.0, 1.0} else sum(scores) / len(scores),
        navigation_traps=traps(rows, profile),
    )
