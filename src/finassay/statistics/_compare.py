"""Several runs compared on the items that all of them have, and on no others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from finassay.core import InputError, Undefined
from finassay.statistics._arguments import names
from finassay.statistics._bootstrap import CONFIDENCE, RESAMPLES
from finassay.statistics._multiple import holm
from finassay.statistics._paired import mcnemar, paired_difference
from finassay.statistics._rates import Outcome, OutcomeLike, Rate, as_outcome, rate
from finassay.statistics._result import Result


@dataclass(frozen=True)
class PairComparison(Result):
    """Two runs on the common subset.

    Attributes
    ----------
    first, second : str
        Names of the runs.
    only_first, only_second, n : int
        Rows right in one of the two only, and all rows.
    difference : float
        Rate of the first minus rate of the second.
    low, high : float or None
        Paired cluster bootstrap; None where the two differ by the same in every task, or never.
    test : str
        ``"exact_mcnemar"`` where every task has one row, else ``"sign_flip"``: see `paired_difference`.
    p_value, adjusted_p : float or None
        Two-sided; the latter after Holm over all pairs of the comparison. None where the sign-flip test is refused with
        the interval; such a pair still counts as one of Holm's comparisons.
    """

    first: str
    second: str
    only_first: int
    only_second: int
    n: int
    difference: float
    low: float | None
    high: float | None
    test: str
    p_value: float | None
    adjusted_p: float | None


@dataclass(frozen=True)
class Comparison(Result):
    """Runs on their common subset.

    Attributes
    ----------
    n, tasks : int
        Rows and tasks of the common subset.
    dropped : dict of str to int
        Per run, the rows it has and not all others have: they count in nothing here.
    rates : dict of str to Rate
        Per run, on the common subset.
    pairs : tuple of PairComparison
        Every two runs, in the order given.
    confidence : float
        Nominal coverage.
    resamples, seed : int
        Of the bootstrap, and of random signs.
    """

    n: int
    tasks: int
    dropped: dict[str, int]
    rates: dict[str, Rate]
    pairs: tuple[PairComparison, ...]
    confidence: float
    resamples: int
    seed: int


def compare(
    runs: Mapping[str, Mapping[Hashable, OutcomeLike]],
    *,
    task: Callable[[Hashable], Hashable] | None = None,
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Comparison:
    """Compare runs on the rows that all of them have.

    Parameters
    ----------
    runs : mapping of str to mapping
        Per run, the outcome of every row by its key: a task, or (task, epoch). See `as_outcome`.
    task : callable, optional
        From a key to its task, the unit that is resampled; by default the key itself.
    seed : int
        Of the bootstrap.
    resamples : int, default 10 000
        How many to draw.
    confidence : float, default 0.95
        Nominal coverage.

    Returns
    -------
    Comparison

    Raises
    ------
    Undefined
        ``no_overlap``: no row is common to all runs; ``one_cluster``: they share a single task.
    InputError
        Fewer than two runs.
    """
    if not isinstance(runs, Mapping) or not all(isinstance(run, Mapping) for run in runs.values()):
        raise InputError("runs must map the name of each run to its outcomes by key.")
    if task is not None and not callable(task):
        raise InputError(f"task must be a function from a key to its task, got {type(task).__name__}.")
    if len(runs) < 2:
        raise InputError(f"a comparison needs at least two runs, got {len(runs)}: {list(runs)}.")
    keys = _common_keys(runs)
    tasks = names("tasks", [task(key) if task else key for key in keys])
    read = {name: [as_outcome(outcomes[key]) for key in keys] for name, outcomes in runs.items()}
    repeated = len(set(tasks)) < len(tasks)
    clusters = tasks if repeated else None
    rates = {
        name: rate(outcomes, clusters=clusters, seed=seed, resamples=resamples, confidence=confidence)
        for name, outcomes in read.items()
    }
    pairs = [
        _compare_pair(two, (read[two[0]], read[two[1]]), tasks, repeated, seed, resamples, confidence)
        for two in combinations(runs, 2)
    ]
    # A pair without a test was a comparison all the same: it must not make the others look better.
    adjusted = holm([1.0 if pair.p_value is None else pair.p_value for pair in pairs])
    return Comparison(
        n=len(keys),
        tasks=len(set(tasks)),
        dropped={name: len(outcomes) - len(keys) for name, outcomes in runs.items()},
        rates=rates,
        pairs=tuple(
            replace(pair, adjusted_p=None if pair.p_value is None else p)
            for pair, p in zip(pairs, adjusted, strict=True)
        ),
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )


def _common_keys(runs: Mapping[str, Mapping[Hashable, OutcomeLike]]) -> list[Hashable]:
    first, *others = runs.values()
    common = [key for key in first if all(key in other for other in others)]
    if not common:
        samples = "; ".join(f"{name}: {next(iter(outcomes), 'no rows')!r}" for name, outcomes in runs.items())
        raise Undefined(
            f"no row is common to all {len(runs)} runs. A key of each: {samples}.",
            hint="Check that the runs are of the same task set and version, and that keys are written alike.",
            reason="no_overlap",
        )
    return common


def _compare_pair(
    called: tuple[str, str],
    outcomes: tuple[Sequence[Outcome], Sequence[Outcome]],
    tasks: Sequence[Hashable],
    repeated: bool,
    seed: int,
    resamples: int,
    confidence: float,
) -> PairComparison:
    first, second = ([float(outcome is Outcome.CORRECT) for outcome in run] for run in outcomes)
    boot = paired_difference(first, second, tasks, seed=seed, resamples=resamples, confidence=confidence)
    only_first = sum(a > b for a, b in zip(first, second, strict=True))
    only_second = sum(a < b for a, b in zip(first, second, strict=True))
    p_value = boot.p_value if repeated else mcnemar(only_first, only_second, len(first)).p_value
    return PairComparison(
        first=called[0],
        second=called[1],
        only_first=only_first,
        only_second=only_second,
        n=len(first),
        difference=boot.difference,
        low=boot.low,
        high=boot.high,
        test="sign_flip" if repeated else "exact_mcnemar",
        p_value=p_value,
        adjusted_p=p_value,
    )
