"""`audit bench`: how well the audit tells valid programs from violating ones, and beside it simpler detectors.

Figures carry their counts and two intervals: Wilson's, and one that resamples whole tasks. Of the half that is held
out only figures are ever given: whoever tunes the audit must not learn which of those programs it got wrong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from finassay.audit._corpus import MECHANISMS
from finassay.audit._lexical import lexical_flags
from finassay.audit._measure import Job, Measured, measure_all
from finassay.audit._types import Requirement, Verdict
from finassay.core import Undefined
from finassay.execution import load_submission
from finassay.statistics import rate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from finassay.audit._certificate import Certificate
    from finassay.audit._corpus import Labelled
    from finassay.executor import Executor, ResultCache
    from finassay.statistics import Rate
    from finassay.temporal import Catalog

SOLVER = "solver"  # the tag of programs whose authors saw the instruction and the schema only


@dataclass(frozen=True)
class Detector:
    """Something that flags programs; what it found, by program.

    Attributes
    ----------
    name : str
        What it is called.
    found : mapping of str to frozenset of str
        The types that it found in each program that it flags; an empty set where it tells no type.
    undecided : frozenset of str
        Programs that it gave no verdict on.
    typed : bool
        Whether it tells types.
    """

    name: str
    found: dict[str, frozenset[str]]
    undecided: frozenset[str] = frozenset()
    typed: bool = True


@dataclass(frozen=True)
class Result:
    """A program, its truth, and what was measured."""

    program: Labelled
    measured: Measured

    @property
    def verdict(self) -> str:
        """PASS, FAIL, UNKNOWN, or ``error`` where the audit broke."""
        return self.measured.certificate.verdict.value if self.measured.certificate else "error"

    @property
    def found(self) -> frozenset[str]:
        """The types that the audit found."""
        return codes_of(self.measured.certificate) if self.measured.certificate else frozenset()


@dataclass(frozen=True)
class Figures:
    """Shares, each with its counts and intervals; None where the denominator is 0.

    Attributes
    ----------
    shares : mapping of str to (by count, by task)
        Two rates with equal counts: Wilson's interval, and the interval over tasks.
    """

    shares: dict[str, tuple[Rate, Rate | None] | None] = field(default_factory=dict)


def run_bench(
    programs: Sequence[Labelled],
    url: str,
    catalog: Catalog,
    data: str,
    executor: Executor,
    cache: ResultCache,
) -> tuple[Result, ...]:
    """Measure programs of the corpus.

    Parameters
    ----------
    programs : sequence of Labelled
        What to measure.
    url, data : str
        The database and its hash.
    catalog : Catalog
        What the times in the tables mean.
    executor, cache : Executor, ResultCache
        Where it runs; where it goes on after it was stopped.
    """
    jobs = [job_of(program, data) for program in programs]
    done = measure_all(jobs, url, catalog, executor, cache, label="audits")
    return tuple(Result(program, one) for program, one in zip(programs, done, strict=True))


def job_of(program: Labelled, data: str) -> Job:
    """Return what a worker needs of a program."""
    reference = load_submission(program.task.reference)
    return Job(
        program.id,
        load_submission(program.path),
        program.dialect,
        program.task.contract,
        reference,
        program.task.says.dialect,
        data,
    )


def codes_of(certificate: Certificate) -> frozenset[str]:
    """Return the types of violation on a certificate."""
    failed = {code.value for code, verdict in certificate.requirements.items() if verdict is Verdict.FAIL}
    return frozenset(failed)


# --- detectors


def detectors_of(results: Sequence[Result]) -> tuple[Detector, ...]:
    """Return the audit, and what it is held against, over the same programs."""
    audit = Detector(
        "audit",
        {one.program.id: one.found for one in results if one.verdict == "FAIL"},
        frozenset(one.program.id for one in results if one.verdict in ("UNKNOWN", "error")),
    )
    output = Detector(
        "output check",
        {one.program.id: frozenset() for one in results if one.measured.right is False},
        frozenset(one.program.id for one in results if one.measured.right is None),
        typed=False,
    )
    lexical = Detector(
        "lexical checker", {one.program.id: f for one in results if (f := _lexical(one.program))}
    )
    truncated = Detector(
        "truncate and rerun",
        {
            one.program.id: frozenset({Requirement.DISCLOSURE.value})
            for one in results
            if one.measured.truncated
        },
        frozenset(one.program.id for one in results if one.measured.truncated is None),
    )
    return audit, output, lexical, truncated


def _lexical(program: Labelled) -> frozenset[str]:
    said = program.task.says.instruction
    flags = lexical_flags(program.path.read_text(encoding="utf-8"), f"{said.zh}\n{said.en}")
    return frozenset(flag.requirement.value for flag in flags)


# --- figures


def figures_of(results: Iterable[Result], detector: Detector, seed: int) -> Figures:
    """Return precision, recall, types matched, false alarms and undecided ones of a detector over programs."""
    listed = list(results)
    bad = [one for one in listed if one.program.violating]
    good = [one for one in listed if not one.program.violating]
    flagged = [one for one in listed if one.program.id in detector.found]
    hits = [one for one in bad if one.program.id in detector.found]
    silent = [one for one in bad if one.measured.right]

    def share(among: Sequence[Result], test: Callable[[Result], bool]) -> tuple[Rate, Rate | None] | None:
        return shared([(test(one), one.program.task.says.id) for one in among], seed)

    def is_flagged(one: Result) -> bool:
        return one.program.id in detector.found

    shares = {
        "precision": share(flagged, lambda one: one.program.violating),
        "recall": share(bad, is_flagged),
        "recall where the answer is right": share(silent, is_flagged),
        "valid flagged": share(good, is_flagged),
        "undecided": share(listed, lambda one: one.program.id in detector.undecided),
    }
    if detector.typed:
        shares["type match"] = share(hits, lambda one: _matches(one, detector))
        shares["types exact"] = share(
            hits, lambda one: detector.found[one.program.id] == one.program.truth.codes
        )
    return Figures(shares)


def _matches(one: Result, detector: Detector) -> bool:
    return bool(detector.found[one.program.id] & one.program.truth.codes)


def shared(cases: Sequence[tuple[bool, str]], seed: int) -> tuple[Rate, Rate | None] | None:
    """Return the share of cases that hold, with Wilson's interval and with that over tasks; None without cases."""
    if not cases:
        return None
    outcomes = [holds for holds, _ in cases]
    by_count = rate(outcomes)
    try:
        return by_count, rate(outcomes, clusters=[task for _, task in cases], seed=seed)
    except Undefined:  # a single task cannot be resampled
        return by_count, None


GROUPS: dict[str, Callable[[Result], Iterable[str]]] = {
    "mechanism": lambda one: [one.program.truth.mechanism] if one.program.truth.mechanism else [],
    "type": lambda one: sorted(one.program.truth.codes),
    "mode": lambda one: [one.program.mode],
    "domain": lambda one: [one.program.task.says.domain],
    "author": lambda one: [SOLVER if SOLVER in one.program.truth.style else "corpus"],
}


def grouped(results: Sequence[Result], group: str) -> dict[str, list[Result]]:
    """Return the results of each value of a group, in the order of the paper's table or of the alphabet."""
    found: dict[str, list[Result]] = {}
    for one in results:
        for value in GROUPS[group](one):
            found.setdefault(value, []).append(one)
    order = list(MECHANISMS) if group == "mechanism" else sorted(found)
    return {value: found[value] for value in order if value in found}


def times_of(results: Iterable[Result]) -> dict[str, Any] | None:
    """Return how long audits took, by the clock and of processors, in seconds; None without any."""
    done = [one.measured for one in results if one.measured.certificate]
    if not done:
        return None
    return {
        "n": len(done),
        "clock": _spread([one.seconds for one in done]),
        "cpu": _spread([one.cpu for one in done]),
    }


def _spread(seconds: list[float]) -> dict[str, float]:
    """Return the median, nine tenths and the greatest: the least value that at least that share does not exceed."""
    ordered = sorted(seconds)

    def quantile(share: float) -> float:
        return round(ordered[max(0, math.ceil(share * len(ordered)) - 1)], 2)

    return {"median": quantile(0.5), "p90": quantile(0.9), "longest": quantile(1.0)}


def figures_json(figures: Figures) -> dict[str, Any]:
    """Return figures for machines."""
    return {name: None if pair is None else pair_json(*pair) for name, pair in figures.shares.items()}


def pair_json(by_count: Rate, by_task: Rate | None) -> dict[str, Any]:
    return {
        "n": by_count.numerator,
        "N": by_count.denominator,
        "value": round(by_count.value, 6),
        "wilson": [round(by_count.low, 6), round(by_count.high, 6)],
        "by_task": [round(by_task.low, 6), round(by_task.high, 6)] if by_task is not None else None,
    }


def wrong(results: Iterable[Result]) -> list[Result]:
    """Return the programs of the tuned half that the audit does not judge as their truth says."""
    return [
        one
        for one in results
        if one.program.half == "tuned" and one.verdict != ("FAIL" if one.program.violating else "PASS")
    ]


def report(results: Sequence[Result], seed: int) -> dict[str, Any]:
    """Return all figures for machines."""
    detectors = detectors_of(results)
    audit = detectors[0]
    return {
        "detectors": {one.name: figures_json(figures_of(results, one, seed)) for one in detectors},
        "groups": {
            group: {
                value: {
                    "programs": len(some),
                    "seconds": times_of(some),
                    **figures_json(figures_of(some, audit, seed)),
                }
                for value, some in grouped(results, group).items()
            }
            for group in GROUPS
        },
        "seconds": times_of(results),
        "verdicts": {
            word: sum(one.verdict == word for one in results) for word in ("PASS", "FAIL", "UNKNOWN", "error")
        },
    }
