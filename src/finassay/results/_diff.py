"""Two runs of one version of a suite, sample by sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from finassay.core import InputError, Undefined
from finassay.results._final import SEED, counted, rows_of_run
from finassay.results._measures import Model, Share, share
from finassay.results._row import Outcome  # noqa: TC001 - pydantic reads it at run time
from finassay.statistics import OutcomeLike, PairComparison, compare

if TYPE_CHECKING:
    from finassay.results._row import ResultRow

Place = tuple[str, str, int]  # task, sample, epoch


class Side(Model):
    """What a run says of a sample."""

    outcome: Outcome
    status: str
    scores: dict[str, float | None] = Field(description="The headline score by profile.")


class Change(Model):
    """A sample whose outcome or headline score differs."""

    task: str
    sample: str
    epoch: int
    a: Side
    b: Side


class ProfileDifference(Model):
    """Two runs under a profile, over the samples that both have."""

    profile: str
    a: Share
    b: Share
    both_right: int
    only_a: int
    only_b: int
    neither: int
    difference: float | None = Field(description="Rate of b minus rate of a.")
    low: float | None
    high: float | None
    test: str | None = Field(description="`exact_mcnemar`, or `sign_flip` where tasks repeat.")
    p_value: float | None
    undefined: str | None = Field(description="Why there is no comparison, where there is none.")


class RunSide(Model):
    """Which run it is, and how many samples only it has."""

    file: str
    run: str
    samples: int
    only_here: list[str]


class Difference(Model):
    """How run b differs from run a."""

    schema_version: Literal[1] = 1
    suite: str
    suite_version: str
    a: RunSide
    b: RunSide
    common: int = Field(
        description="Samples times epochs that both runs have: all counts below are of these."
    )
    unchanged: int
    transitions: dict[str, int] = Field(description="How often an outcome became another: `scored -> error`.")
    profiles: list[ProfileDifference]
    changes: list[Change]


def diff(a: Path, b: Path, *, run_a: str | None = None, run_b: str | None = None) -> Difference:
    """Compare two runs.

    Parameters
    ----------
    a, b : Path
        Files or folders of rows.
    run_a, run_b : str, optional
        The names of the runs, where a file holds several.

    Raises
    ------
    InputError
        ``versions_differ``: the runs are of different suites, or of different versions of one; ``no_common_sample``;
        as `rows_of_run`.
    """
    before, after = rows_of_run(a, run_a), rows_of_run(b, run_b)
    _check_versions(a, before[0], b, after[0])
    left, right = _by_place(before), _by_place(after)
    common = [place for place in left if place in right]
    if not common:
        raise InputError(
            f"{a} and {b} have no sample in common.",
            hint=f"A sample of each: {_named(next(iter(left)))}; {_named(next(iter(right)))}.",
            reason="no_common_sample",
        )
    pairs = [(left[place], right[place]) for place in common]
    changes = [change for one, other in pairs if (change := _change(one, other))]
    moved = Counter(
        f"{one.outcome} -> {other.outcome}" for one, other in pairs if one.outcome is not other.outcome
    )
    return Difference(
        suite=before[0].suite,
        suite_version=before[0].suite_version,
        a=_side(a, before, left, right),
        b=_side(b, after, right, left),
        common=len(common),
        unchanged=len(common) - len(changes),
        transitions=dict(sorted(moved.items(), key=lambda item: (-item[1], item[0]))),
        profiles=[_profile(pairs, profile) for profile in _profiles(pairs)],
        changes=changes,
    )


def _check_versions(a: Path, one: ResultRow, b: Path, other: ResultRow) -> None:
    if one.suite != other.suite:
        raise InputError(
            f"{a} is of {one.suite}, and {b} of {other.suite}: they asked different questions.",
            reason="versions_differ",
        )
    if one.suite_version != other.suite_version:
        raise InputError(
            f"{a} is of {one.suite} {one.suite_version}, and {b} of version {other.suite_version}: an id may name "
            "another question in each, so nothing of the two can be compared.",
            hint="Run both on one version.",
            reason="versions_differ",
        )


def _by_place(rows: Sequence[ResultRow]) -> dict[Place, ResultRow]:
    return {(row.task, row.sample, row.epoch): row for row in rows}


def _named(place: Place) -> str:
    task, sample, epoch = place
    name = sample if task == sample else f"{task}/{sample}"
    return name if epoch == 1 else f"{name} (epoch {epoch})"


def _side(
    path: Path, rows: Sequence[ResultRow], own: Mapping[Place, ResultRow], other: Mapping[Place, ResultRow]
) -> RunSide:
    only = [_named(place) for place in own if place not in other]
    return RunSide(file=str(path), run=rows[0].run, samples=len(rows), only_here=only)


def _said(row: ResultRow) -> Side:
    scores = {profile: row.headline(profile) for profile in row.scores}
    return Side(outcome=row.outcome, status=row.status, scores=scores)


def _change(one: ResultRow, other: ResultRow) -> Change | None:
    a, b = _said(one), _said(other)
    if a.outcome is b.outcome and a.scores == b.scores:
        return None
    return Change(task=one.task, sample=one.sample, epoch=one.epoch, a=a, b=b)


def _profiles(pairs: Sequence[tuple[ResultRow, ResultRow]]) -> list[str]:
    """Return the profiles that both runs have."""
    first = {profile for one, _ in pairs for profile in one.scores}
    return sorted(first & {profile for _, other in pairs for profile in other.scores})


def _profile(pairs: Sequence[tuple[ResultRow, ResultRow]], profile: str) -> ProfileDifference:
    tasks = [one.task for one, _ in pairs]
    a, b = ([counted(pair[side], profile) for pair in pairs] for side in (0, 1))
    rights = Counter((x == "correct", y == "correct") for x, y in zip(a, b, strict=True))
    found, why = None, None
    try:
        found = _compared(pairs, a, b)
    except Undefined as error:
        why = error.reason
    return ProfileDifference(
        profile=profile,
        a=share(a, tasks),
        b=share(b, tasks),
        both_right=rights[True, True],
        only_a=rights[True, False],
        only_b=rights[False, True],
        neither=rights[False, False],
        difference=found.difference if found else None,
        low=found.low if found else None,
        high=found.high if found else None,
        test=found.test if found else None,
        p_value=found.p_value if found else None,
        undefined=why,
    )


def _compared(
    pairs: Sequence[tuple[ResultRow, ResultRow]], a: Sequence[OutcomeLike], b: Sequence[OutcomeLike]
) -> PairComparison:
    """Return b against a; tasks are what is resampled."""
    keys: list[Hashable] = [(row.task, row.sample, row.epoch) for row, _ in pairs]
    tasks = {key: row.task for key, (row, _) in zip(keys, pairs, strict=True)}
    runs = {"b": dict(zip(keys, b, strict=True)), "a": dict(zip(keys, a, strict=True))}
    [found] = compare(runs, task=tasks.__getitem__, seed=SEED).pairs
    return found
