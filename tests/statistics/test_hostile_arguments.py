"""Every public function, every argument, every kind of nonsense: a finite result or a refusal that says why."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import finassay.statistics as room
from finassay.core import InputError, Undefined
from finassay.statistics import (
    Ratings,
    Result,
    agreement,
    alternative_annotator_test,
    as_outcome,
    benjamini_yekutieli,
    bounds,
    cluster_bootstrap,
    co_occurrence,
    cohen_kappa,
    compare,
    design_effect,
    fleiss_kappa,
    gwet_ac,
    holm,
    items_needed,
    jaccard,
    krippendorff_alpha,
    mcnemar,
    mcnemar_power,
    paired_difference,
    pairs_needed,
    proportion,
    rate,
    ratio,
    variance_split,
    wilson_interval,
)

TWO = Ratings.of(["ab", "aa", "bb", "ba", "aa"], "ab")
THREE = Ratings.of(["aba", "aab", "bbb", "baa", "aaa"], "ab")
ROWS, TASKS = [(1, 1), (0, 1), (1, 1), (1, 1)], [1, 1, 2, 3]
BOOT: dict[str, Any] = {"seed": 1, "resamples": 200, "confidence": 0.9}
OF_ITEMS: dict[str, Any] = {"clusters": [1, 2, 3, 4, 5], **BOOT}
SIZE: dict[str, Any] = {"power": 0.8, "alpha": 0.05, "design_effect": 1.5}

# Each call as it works, every argument named: the tests put one argument after the other out of order.
CALLS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (as_outcome, {"value": True}),
    (wilson_interval, {"numerator": 1, "denominator": 2, "confidence": 0.9}),
    (proportion, {"numerator": 1, "denominator": 2, "confidence": 0.9}),
    (bounds, {"right": 1, "wrong": 2, "unknown": 3, "confidence": 0.9}),
    (rate, {"outcomes": [1, 0, 1, 0], "clusters": [1, 1, 2, 3], **BOOT}),
    (cluster_bootstrap, {"rows": ROWS, "clusters": TASKS, "statistic": ratio, "method": "percentile", **BOOT}),
    (cluster_bootstrap, {"rows": ROWS, "clusters": TASKS, "method": "bca", **BOOT}),
    (ratio, {"totals": np.array([[1.0, 2.0]])}),
    (mcnemar, {"only_first": 1, "only_second": 2, "n": 5}),
    (paired_difference, {"first": [1, 0, 1.0], "second": [0, 0, 1], "clusters": [1, 2, 3], **BOOT}),
    (compare, {"runs": {"a": {1: 1, 2: 0, 3: 1}, "b": {1: 0, 2: 0, 3: 1}}, "task": None, **BOOT}),
    (holm, {"p_values": [0.1, 0.2]}),
    (benjamini_yekutieli, {"p_values": [0.1, 0.2]}),
    (variance_split, {"scores": [1, 2, 3.0], "tasks": [1, 1, 2]}),
    (design_effect, {"runs_per_task": 3, "icc": 0.5}),
    (pairs_needed, {"difference": 0.1, "discordance": 0.3, **SIZE}),
    (items_needed, {"first": 0.1, "second": 0.3, **SIZE}),
    (mcnemar_power, {"n": 100, "difference": 0.1, "discordance": 0.3, "alpha": 0.05}),
    (Ratings.of, {"rows": ["ab"], "categories": ["a", "b"], "raters": ["x", "y"]}),
    (cohen_kappa, {"ratings": TWO, "weights": "linear", **OF_ITEMS}),
    (cohen_kappa, {"ratings": TWO, "confidence": 0.9}),
    (fleiss_kappa, {"ratings": THREE, "weights": "linear", **OF_ITEMS}),
    (gwet_ac, {"ratings": THREE, "weights": "linear", **OF_ITEMS}),
    (krippendorff_alpha, {"ratings": THREE, "level": "ordinal", **OF_ITEMS}),
    (agreement, {"ratings": TWO, "weights": "linear", "confidence": 0.9}),
    (jaccard, {"first": [{1}, {2}], "second": [{1}, {3}], "both_empty": "agree"}),
    (co_occurrence, {"label_sets": [{1}, {2}], "labels": [1, 2]}),
    (alternative_annotator_test, {"judge": "aabba", "humans": THREE, "epsilon": 0.1, "scoring": "accuracy",
                                  "epsilons": [0.1]}),
]  # fmt: skip
SLOTS = [(function, call, slot) for function, call in CALLS for slot in call]
each_argument = pytest.mark.parametrize(
    ("function", "call", "slot"),
    SLOTS,
    ids=[f"{function.__name__}-{slot}-{place}" for place, (function, _, slot) in enumerate(SLOTS)],
)


class Broken:
    """An object that has no text and cannot be compared."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no equality")

    __hash__ = object.__hash__


NO_NUMBERS = [
    None,
    math.nan,
    math.inf,
    -math.inf,
    10**400,
    -(10**5000),
    Decimal("nan"),
    Decimal("1e999"),
    True,
    "a",
    "",
    "0.5",
    b"x",
    1j,
    [],
    {},
    object(),
    np.float64("nan"),
    np.bool_(True),
    np.array([1, 2]),
    pd.NA,
    pd.NaT,
]
ODD_NUMBERS = [
    0,
    -1,
    1.5,
    2**53 + 1,
    1e308,
    -1e308,
    5e-324,
    1 - 2**-53,
    np.int64(3),
    np.float32(0.5),
    Decimal("0.5"),
]
COLLECTIONS = [
    [math.nan],
    [math.inf, 1.0],
    [10**400, 1],
    [[1]],
    [[1], [1, 2]],
    ["a", "b"],
    ["1", "2", "3"],
    [True, False],
    [None, 1],
    [1e308, 1e308, -1e308],
    [1e99, 1e99, -1e99],
    (),
    "abc",
    [[], []],
    [{}, {}],
    [[1, 2]] * 4,
    np.zeros((0, 2)),
    np.zeros((2, 2, 2)),
    np.array(3.0),
    [pd.NA, 1, 2],
    [object()] * 3,
    range(3),
    {1: 2},
]
OTHERS = [Broken(), [Broken()] * 3, lambda totals: 1, lambda totals: np.full(np.shape(totals)[:1], np.inf)]


def numbers_in(result: object) -> Iterator[float]:
    if isinstance(result, Result):
        result = result.to_dict()
    if isinstance(result, dict):
        result = tuple(result.values())
    if isinstance(result, tuple | list | np.ndarray):
        for member in result:
            yield from numbers_in(member)
    elif isinstance(result, float):
        yield result


@each_argument
def test_no_argument_gives_anything_but_finite_numbers_or_a_refusal(
    function: Callable[..., Any], call: dict[str, Any], slot: str
) -> None:
    """Warnings of NumPy are errors in this suite."""
    function(**call)
    for bad in [*NO_NUMBERS, *ODD_NUMBERS, *COLLECTIONS, *OTHERS]:
        try:
            result = function(**{**call, slot: bad})
        except InputError:
            continue
        assert all(math.isfinite(number) for number in numbers_in(result)), (slot, type(bad))


NUMERIC = {
    "confidence",
    "numerator",
    "denominator",
    "right",
    "wrong",
    "unknown",
    "resamples",
    "only_first",
    "only_second",
    "n",
    "runs_per_task",
    "icc",
    "difference",
    "discordance",
    "power",
    "alpha",
    "design_effect",
    "epsilon",
}


@pytest.mark.parametrize("bad", NO_NUMBERS, ids=lambda bad: type(bad).__name__)
def test_what_is_no_number_is_refused_by_the_name_of_its_argument(bad: object) -> None:
    for function, call, slot in SLOTS:
        if slot in NUMERIC or (function is items_needed and slot in ("first", "second")):
            with pytest.raises(InputError) as refusal:
                function(**{**call, slot: bad})
            assert slot in str(refusal.value), (function, slot)


def test_every_public_function_is_in_the_grid() -> None:
    functions = {name for name in room.__all__ if callable(getattr(room, name)) and name[0].islower()}
    assert functions == {function.__name__ for function, _ in CALLS} - {"of"}


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: proportion(0, 0), "no_items"),
        (lambda: bounds(0, 0, 0), "no_items"),
        (lambda: rate([]), "no_items"),
        (lambda: rate([1, 0], clusters=["t", "t"], seed=1), "one_cluster"),
        (lambda: mcnemar(0, 0, 0), "no_pairs"),
        (lambda: cluster_bootstrap([[1, 0], [0, 0]], "ab", seed=1), "no_items"),  # the weights are all zero
        (lambda: cluster_bootstrap([[1, 1], [1, 1]], "ab", seed=1), "no_variation"),
        (lambda: cluster_bootstrap(np.zeros((0, 2)), "", seed=1), "no_items"),
        (lambda: paired_difference([], [], [], seed=1), "no_items"),
        (lambda: paired_difference([1], [0], ["t"], seed=1), "one_cluster"),
        (lambda: compare({"a": {}, "b": {}}, seed=1), "no_overlap"),
        (lambda: compare({"a": {1: 1}, "b": {1: 0}}, seed=1), "one_cluster"),
        (lambda: variance_split([], []), "no_items"),
        (lambda: variance_split([1, 2], "aa"), "one_task"),
        (lambda: variance_split([1, 2], "ab"), "one_run_per_task"),
        (lambda: pairs_needed(0, 0.5), "no_difference"),
        (lambda: items_needed(0.5, 0.5), "no_difference"),
        (lambda: cohen_kappa(Ratings.of(["aa", "aa"], "ab")), "one_class"),
        (lambda: cohen_kappa(Ratings.of([["a", None]], "ab")), "no_pairs"),
        (lambda: fleiss_kappa(Ratings.of(["aa"], "ab")), "one_class"),
        (lambda: fleiss_kappa(Ratings.of([[None, None]], "ab")), "no_pairs"),
        (lambda: krippendorff_alpha(Ratings.of(["aa"], "ab")), "one_class"),
        (lambda: krippendorff_alpha(Ratings.of([], "ab", ["x", "y"])), "no_pairs"),
        (lambda: gwet_ac(Ratings.of([], "ab", ["x", "y"])), "no_pairs"),
        (lambda: alternative_annotator_test([], Ratings.of([], "ab", "xyz"), epsilon=0), "no_pairs"),
        (lambda: jaccard([], [], both_empty="agree"), "no_items"),
        (lambda: jaccard([set()], [set()], both_empty="exclude"), "no_items"),
        (lambda: co_occurrence([], "ab").share("a", "b"), "no_items"),
        (lambda: co_occurrence([{"a"}], "ab").given("a", "b"), "no_items"),
    ],
)  # fmt: skip
def test_what_has_no_value_is_refused_with_its_reason(call: Callable[[], Any], reason: str) -> None:
    with pytest.raises(Undefined) as refusal:
        call()
    assert refusal.value.reason == reason


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: items_needed(0.3, 0.4, design_effect=math.inf), "design_effect must be a finite number"),
        (lambda: items_needed(0.3, 0.3000001), "more than 1,000,000 items"),
        (lambda: items_needed(0.0, 5e-324), "more than 1,000,000 items"),
        (lambda: items_needed(0.3, 0.4, design_effect=1e300), "more than 1,000,000 items"),
        (lambda: items_needed(0.3, 0.4, power=0.01), "power above alpha"),
        (lambda: pairs_needed(0.1, 0.2, alpha=1e-300), "expected alpha in"),
        (lambda: mcnemar_power(2**53, 0.1, 0.2), "more than 1,000,000 items"),
        (lambda: proportion(10**400, 10**401), r"at most 2\*\*53"),
        (lambda: variance_split([1e200, -1e200, 1.0], "aab"), "the value 1e[+]200 of row 0"),
        (lambda: cluster_bootstrap([["1", "1"], ["0", "1"]], "ab", seed=1), "must be numbers, got '1'"),
        (lambda: cluster_bootstrap([[1], [0]], "ab", seed=1), "its numerator and its denominator|shape"),
        (lambda: cluster_bootstrap([[1, 1], [0, 1]], "ab", lambda t: t[0], seed=1), "one number per row"),
        (lambda: cluster_bootstrap([[1, 1], [0, 1]], [[], []], seed=1), "clusters: member 0 names nothing"),
        (lambda: cluster_bootstrap([[1, 1], [0, 1]], "ab", seed=1, resamples=2**40), "at most 10,000,000"),
        (lambda: paired_difference([1, None], [0, 1], "ab", seed=1), "first: the value None of row 1|must be"),
        (lambda: compare({"a": {1: 1, 2: 0}, "b": {1: 1, 2: 1}}, task=lambda key: [key], seed=1), "tasks: member 0"),
        (lambda: compare({"a": [1], "b": [1]}, seed=1), "outcomes by key"),
        (lambda: Ratings.of(["ab"], ["a", "b", math.nan]), "categories: member 2 names nothing"),
        (lambda: Ratings.of([[["a"], "b"]], "ab"), r"label \['a'\] is not on the scale"),
        (lambda: Ratings.of(["ab"], "ab", ["x", "x"]), "a name of their own"),
        (lambda: krippendorff_alpha(Ratings.of([[1, 10**400]], [1, 10**400]), level="interval"), "numeric labels"),
        (lambda: cohen_kappa([("a", "b")]), "Build them with Ratings.of|ratings must be Ratings, got list"),
        (lambda: co_occurrence([{"a"}], ["a", "b", "a"]), r"repeated: \['a'\]"),
        (lambda: co_occurrence([["a", "a"]], "ab"), "expected a set of labels, got list"),
        (lambda: co_occurrence([{"a"}], "ab").count("a", "z"), "'z' is not in the taxonomy"),
    ],
)  # fmt: skip
def test_what_is_no_argument_is_refused_and_named(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_the_strictest_confidence_still_has_an_interval() -> None:
    low, high = wilson_interval(1, 2, confidence=1 - 2**-53)
    assert 0 < low < 0.1 < 0.9 < high < 1
