"""The alternative-annotator test: whether a judge may stand in for a human annotator."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from finassay.core import InputError, Undefined, finite_number, shown
from finassay.statistics._arguments import is_name, listed, one_of
from finassay.statistics._multiple import benjamini_yekutieli
from finassay.statistics._rates import Rate, proportion
from finassay.statistics._ratings import IntArray, Ratings, need_ratings
from finassay.statistics._result import Result

if TYPE_CHECKING:
    from finassay.statistics._bootstrap import FloatArray

Scoring: TypeAlias = Literal["accuracy", "rmse"]
EPSILONS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
FALSE_DISCOVERY_RATE = 0.05
_PASSING = 0.5
_NORMAL_FROM = 30  # items from which the t test is used
_ENUMERATED = 13  # up to so many items scipy enumerates the signs where there are ties or zeros


@dataclass(frozen=True)
class AnnotatorTest(Result):
    """The judge against one human, both measured by the other humans.

    Attributes
    ----------
    annotator : str
        The human left out.
    items : int
        Items they and at least one other human rated.
    judge_advantage, human_advantage : float
        Shares of items on which the judge, and the human, is at least as close to the others; ties count in both.
    test : str
        ``"t"`` from 30 items on, else ``"wilcoxon"``.
    p_value, adjusted_p : float
        Of the hypothesis that the judge is worse by epsilon or more; after Benjamini-Yekutieli.
    rejected : bool
        Whether that hypothesis is rejected: the judge wins.
    """

    annotator: str
    items: int
    judge_advantage: float
    human_advantage: float
    test: str
    p_value: float
    adjusted_p: float
    rejected: bool


@dataclass(frozen=True)
class ConstantJudge(Result):
    """What a judge that always answers one label would reach on the same items."""

    label: str
    winning_rate: float
    advantage_probability: float
    passed: bool


@dataclass(frozen=True)
class AlternativeAnnotatorTest(Result):
    """Outcome of the test, with what is needed to judge it.

    Attributes
    ----------
    epsilon : float
        The cost advantage granted to the judge.
    winning_rate : float
        Share of humans against whom the judge wins.
    advantage_probability : float
        Mean over humans of `judge_advantage`.
    passed : bool
        Winning rate of at least 0.5.
    annotators : tuple of AnnotatorTest
        One per human.
    curve : tuple of (epsilon, winning rate)
        The winning rate at other epsilons.
    baselines : tuple of ConstantJudge
        One per label, at the same epsilon. A baseline that passes says that the items cannot tell judges apart.
    class_balance : dict of str to int
        Human ratings per label.
    recall : dict of str to Rate or None
        Per label, the items with that human majority on which the judge agrees; None where no item has it.
    tied_items : int
        Items without a single majority, in no recall.
    """

    epsilon: float
    winning_rate: float
    advantage_probability: float
    passed: bool
    annotators: tuple[AnnotatorTest, ...]
    curve: tuple[tuple[float, float], ...]
    baselines: tuple[ConstantJudge, ...]
    class_balance: dict[str, int]
    recall: dict[str, Rate | None]
    tied_items: int


def alternative_annotator_test(
    judge: Sequence[Hashable],
    humans: Ratings,
    *,
    epsilon: float,
    scoring: Scoring = "accuracy",
    epsilons: Sequence[float] = EPSILONS,
) -> AlternativeAnnotatorTest:
    """Test whether a judge may replace human annotators (Calderon, Reichart, Dror 2025, arXiv 2501.10970).

    For every human, judge and human are scored by their closeness to the remaining humans on each item; the judge
    wins if it is not worse by `epsilon` or more. False discoveries over humans are held at 0.05.

    Parameters
    ----------
    judge : sequence of label
        One per item, none missing.
    humans : Ratings
        The same items; three annotators or more, gaps allowed. Advised: 50-100 items, 30 per annotator.
    epsilon : float
        In [0, 1). The authors' rule: 0.2 for experts, 0.15 for skilled annotators, 0.1 for a crowd.
    scoring : {"accuracy", "rmse"}
        Share of other humans with the same label; or minus the root mean square distance to them (numeric labels).
    epsilons : sequence of float
        Of the curve.

    Returns
    -------
    AlternativeAnnotatorTest

    Raises
    ------
    Undefined
        ``no_pairs``: a human shares fewer than two items with others.
    InputError
        Fewer than three humans, a missing or unknown label of the judge, epsilon out of range.
    """
    need_ratings(humans, "humans")
    if len(humans.raters) < 3:
        raise InputError(f"the test needs at least three human annotators, got {len(humans.raters)}.")
    epsilon, *epsilons = (
        finite_number("epsilon", value) for value in (epsilon, *listed("epsilons", epsilons))
    )
    for value in (epsilon, *epsilons):
        if not 0 <= value < 1:
            raise InputError(f"epsilon must lie in [0, 1), got {value}.")
    codes = _judge_codes(judge, humans)
    values = _values(humans, scoring)
    advantages = _advantages(codes, humans, scoring, values)
    tests = _tests(advantages, humans.raters, epsilon)
    return AlternativeAnnotatorTest(
        epsilon=epsilon,
        winning_rate=_winning_rate(tests),
        advantage_probability=_advantage_probability(tests),
        passed=_winning_rate(tests) >= _PASSING,
        annotators=tests,
        curve=tuple((value, _winning_rate(_tests(advantages, humans.raters, value))) for value in epsilons),
        baselines=tuple(
            _constant_judge(code, humans, scoring, values, epsilon) for code in range(len(humans.categories))
        ),
        class_balance={label: sum(row.values()) for label, row in humans.class_table.items()},
        **_recall(codes, humans),
    )


def _judge_codes(judge: Sequence[Hashable], humans: Ratings) -> IntArray:
    judge = listed("judge", judge)
    if len(judge) != len(humans.codes):
        raise InputError(f"the judge has {len(judge)} labels for {len(humans.codes)} items.")
    for item, label in enumerate(judge):
        if not is_name(label) or label not in humans.categories:
            raise InputError(
                f"item {item}: the judge's label {shown(label)} is not on the scale {list(humans.categories)}.",
                hint="Judge every item; give a failed judgment a label of its own on the scale.",
            )
    return np.array([humans.categories.index(label) for label in judge], dtype=np.int64)


def _values(humans: Ratings, scoring: Scoring) -> FloatArray:
    one_of("scoring", scoring, ("accuracy", "rmse"))
    if scoring == "rmse":
        return humans.numeric_categories("rmse scoring")
    return np.arange(len(humans.categories), dtype=np.float64)


def _advantages(
    judge: IntArray, humans: Ratings, scoring: Scoring, values: FloatArray
) -> list[tuple[FloatArray, FloatArray]]:
    """Per human, on the items shared with others: where the judge, and the human, is at least as close to them."""
    found = []
    for column, name in enumerate(humans.raters):
        own, others = humans.codes[:, column], np.delete(humans.codes, column, axis=1)
        shared = (own >= 0) & (others >= 0).any(axis=1)
        if shared.sum() < 2:
            raise Undefined(
                f"{name} shares {int(shared.sum())} items with other annotators; at least 2 are needed, 30 advised.",
                reason="no_pairs",
            )
        of_judge = _closeness(judge[shared], others[shared], scoring, values)
        of_human = _closeness(own[shared], others[shared], scoring, values)
        found.append(((of_judge >= of_human).astype(np.float64), (of_human >= of_judge).astype(np.float64)))
    return found


def _closeness(labels: IntArray, others: IntArray, scoring: Scoring, values: FloatArray) -> FloatArray:
    present = others >= 0
    if scoring == "accuracy":
        return np.asarray(((others == labels[:, None]) & present).sum(axis=1) / present.sum(axis=1))
    squared = np.where(present, (values[others] - values[labels][:, None]) ** 2, 0.0)
    return np.asarray(-np.sqrt(squared.sum(axis=1) / present.sum(axis=1)))


def _tests(
    advantages: Sequence[tuple[FloatArray, FloatArray]], names: Sequence[str], epsilon: float
) -> tuple[AnnotatorTest, ...]:
    p_values = [_p_value(human - judge, epsilon) for judge, human in advantages]
    adjusted = benjamini_yekutieli(p_values)
    return tuple(
        AnnotatorTest(
            annotator=name,
            items=len(judge),
            judge_advantage=float(judge.mean()),
            human_advantage=float(human.mean()),
            test="t" if len(judge) >= _NORMAL_FROM else "wilcoxon",
            p_value=p_value,
            adjusted_p=adjusted_p,
            rejected=adjusted_p <= FALSE_DISCOVERY_RATE,
        )
        for name, (judge, human), p_value, adjusted_p in zip(
            names, advantages, p_values, adjusted, strict=True
        )
    )


def _p_value(difference: FloatArray, epsilon: float) -> float:
    if len(difference) <= _ENUMERATED:
        return _signed_rank_p_value(difference - epsilon)
    from scipy import stats

    if len(difference) < _NORMAL_FROM:
        shifted = difference - epsilon
        return float(stats.wilcoxon(shifted, alternative="less").pvalue) if shifted.any() else 1.0
    if np.ptp(difference) == 0:  # no spread: t is infinite, or 0/0 at epsilon itself
        return 0.0 if difference[0] < epsilon else 1.0
    return float(stats.ttest_1samp(difference, epsilon, alternative="less").pvalue)


def _signed_rank_p_value(shifted: FloatArray) -> float:
    """Exact one-sided p-value (less) of the Wilcoxon signed-rank test, zeros left out, ties with their mean rank.

    The distribution of the rank sum over all signs is built rank by rank. `scipy.stats.wilcoxon`, which the published
    procedure calls, gives the same for so few items, but enumerates the signs: minutes for a dozen.
    """
    from scipy.stats import rankdata

    kept = shifted[shifted != 0]
    if not len(kept):
        return 1.0
    doubled = np.rint(2 * rankdata(np.abs(kept))).astype(int)  # mean ranks are halves
    ways = np.zeros(doubled.sum() + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] += ways[:-rank].copy()
    observed = doubled[kept > 0].sum()
    return float(ways[: observed + 1].sum() / ways.sum())


def _winning_rate(tests: Sequence[AnnotatorTest]) -> float:
    return sum(test.rejected for test in tests) / len(tests)


def _advantage_probability(tests: Sequence[AnnotatorTest]) -> float:
    return sum(test.judge_advantage for test in tests) / len(tests)


def _constant_judge(
    code: int, humans: Ratings, scoring: Scoring, values: FloatArray, epsilon: float
) -> ConstantJudge:
    constant = np.full(len(humans.codes), code, dtype=np.int64)
    tests = _tests(_advantages(constant, humans, scoring, values), humans.raters, epsilon)
    won = _winning_rate(tests)
    return ConstantJudge(str(humans.categories[code]), won, _advantage_probability(tests), won >= _PASSING)


def _recall(judge: IntArray, humans: Ratings) -> dict[str, Any]:
    counts = humans.counts
    most = counts.max(axis=1)
    tied = ((counts == most[:, None]).sum(axis=1) > 1) & (most > 0)
    majority = np.where(tied | (most == 0), -1, counts.argmax(axis=1))
    recall: dict[str, Rate | None] = {}
    for code, label in enumerate(humans.categories):
        of_class = majority == code
        size = int(of_class.sum())
        recall[str(label)] = proportion(int((judge[of_class] == code).sum()), size) if size else None
    return {"recall": recall, "tied_items": int(tied.sum())}
