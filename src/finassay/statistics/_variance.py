"""Split of score variance into task and run, and what repeating runs costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from finassay.core import InputError, Undefined, finite_number
from finassay.statistics._arguments import finite, names
from finassay.statistics._result import Result


@dataclass(frozen=True)
class VarianceSplit(Result):
    """Components of a one-way random-effects model: score = mean + task effect + run effect.

    Attributes
    ----------
    mean : float
        Mean score over all rows.
    task, run : float
        Variance between tasks, and between runs of one task. A negative estimate of the former is reported as 0.
    icc : float or None
        Intraclass correlation, task / (task + run); None where both are 0.
    tasks, rows : int
        Sizes.
    runs_per_task : float
        The average that the estimator uses, n0 = (N - sum n_i² / N) / (k - 1).
    note : str
        Says so where the component of the task was negative; else empty.
    """

    mean: float
    task: float
    run: float
    icc: float | None
    tasks: int
    rows: int
    runs_per_task: float
    note: str


def variance_split(scores: Sequence[float], tasks: Sequence[Hashable]) -> VarianceSplit:
    """Split the variance of scores into task and run by the method of moments (one-way ANOVA).

    Numbers of runs per task may differ: Searle, Casella, McCulloch, *Variance Components* (1992), section 3.6.

    Parameters
    ----------
    scores : sequence of float, length n
        One per run of a task; NaN is refused.
    tasks : sequence of hashable, length n
        The task of each.

    Returns
    -------
    VarianceSplit

    Raises
    ------
    Undefined
        ``no_items``; ``one_task``; ``one_run_per_task``: no task was run twice, so the two cannot be told apart.
    InputError
        Lengths differ, or a score is not finite.
    """
    values = finite("scores", scores)
    groups = _grouped(values, names("tasks", tasks))
    n, k = len(values), len(groups)
    sizes = np.array([len(group) for group in groups])
    means = np.array([group.mean() for group in groups])
    within = sum(float(((group - group.mean()) ** 2).sum()) for group in groups) / (n - k)
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (k - 1)
    n0 = float((n - (sizes**2).sum() / n) / (k - 1))
    estimate = (between - within) / n0
    task = max(0.0, estimate)
    return VarianceSplit(
        mean=float(values.mean()),
        task=task,
        run=within,
        icc=task / (task + within) if task + within > 0 else None,
        tasks=k,
        rows=n,
        runs_per_task=n0,
        note=f"the task component was estimated at {estimate:.4g} and is reported as 0"
        if estimate < 0
        else "",
    )


def _grouped(values: np.ndarray, tasks: Sequence[Hashable]) -> list[np.ndarray]:
    if len(values) != len(tasks):
        raise InputError(f"expected one task per score; got {len(values)} scores and {len(tasks)} tasks.")
    rows: dict[Hashable, list[float]] = defaultdict(list)
    for task, value in zip(tasks, values.tolist(), strict=True):
        rows[task].append(value)
    if not rows:
        raise Undefined("there are no scores.", reason="no_items")
    if len(rows) == 1:
        raise Undefined("one task has no variance between tasks.", reason="one_task")
    if len(rows) == len(values):
        raise Undefined(
            "no task was run twice, so task and run variance cannot be told apart.",
            hint="Repeat the run: two epochs of some tasks are enough.",
            reason="one_run_per_task",
        )
    return [np.array(group) for group in rows.values()]


def design_effect(runs_per_task: float, icc: float) -> float:
    """Factor by which repeated runs inflate the variance of a mean: 1 + (m - 1) * icc (Kish 1965).

    Parameters
    ----------
    runs_per_task : float
        m, at least 1.
    icc : float
        Intraclass correlation, in [0, 1].

    Returns
    -------
    float
        Rows needed over independent rows needed; between 1 and m.

    Raises
    ------
    InputError
        Arguments outside their ranges.
    """
    runs_per_task, icc = finite_number("runs_per_task", runs_per_task), finite_number("icc", icc)
    if runs_per_task < 1 or not 0 <= icc <= 1:
        raise InputError(f"expected runs_per_task >= 1 and icc in [0, 1]; got {runs_per_task} and {icc}.")
    return 1 + (runs_per_task - 1) * icc
