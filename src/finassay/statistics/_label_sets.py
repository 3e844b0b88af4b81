"""Sets of labels per item: Jaccard agreement of two annotators, and which labels occur together."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, TypeAlias

from finassay.core import InputError, Undefined, shown
from finassay.statistics._arguments import listed, names, one_of
from finassay.statistics._rates import Rate, proportion
from finassay.statistics._result import Result

LabelSet: TypeAlias = AbstractSet[Hashable]
BothEmpty: TypeAlias = Literal["agree", "disagree", "exclude"]


@dataclass(frozen=True)
class JaccardAgreement(Result):
    """Agreement of two annotators on sets of labels.

    Attributes
    ----------
    mean : float
        Mean over items of |A and B| / |A or B|.
    items : int
        Items in the mean.
    both_empty : int
        Items that neither annotator labelled, whether in the mean or not.
    undetermined : int
        Items left out because one of the two gave no judgment (None).
    identical : Rate
        Items with the same set, over `items`.
    """

    mean: float
    items: int
    both_empty: int
    undetermined: int
    identical: Rate


def jaccard(
    first: Sequence[LabelSet | None], second: Sequence[LabelSet | None], *, both_empty: BothEmpty
) -> JaccardAgreement:
    """Mean Jaccard similarity of two annotators' label sets.

    Parameters
    ----------
    first, second : sequence of set or None
        Per item, its labels; an empty set says that there are none, None that it was not judged.
    both_empty : {"agree", "disagree", "exclude"}
        What two empty sets count as, stated by the caller because 0/0 has no value: 1, 0, or not at all.

    Returns
    -------
    JaccardAgreement

    Raises
    ------
    Undefined
        ``no_items``: nothing is left to average.
    InputError
        Lengths differ, a value is a string instead of a set, or `both_empty` is none of the three.
    """
    one_of("both_empty", both_empty, ("agree", "disagree", "exclude"))
    first, second = listed("first", first), listed("second", second)
    if len(first) != len(second):
        raise InputError(f"expected as many items from both annotators, got {len(first)} and {len(second)}.")
    judged = [
        (_as_set(a), _as_set(b))
        for a, b in zip(first, second, strict=True)
        if a is not None and b is not None
    ]
    empty = sum(not a and not b for a, b in judged)
    used = [(a, b) for a, b in judged if a or b or both_empty != "exclude"]
    if not used:
        raise Undefined("no item is left to compare label sets on.", reason="no_items")
    of_empty = 1.0 if both_empty == "agree" else 0.0
    similarities = [len(a & b) / len(a | b) if a or b else of_empty for a, b in used]
    return JaccardAgreement(
        mean=sum(similarities) / len(used),
        items=len(used),
        both_empty=empty,
        undetermined=len(first) - len(judged),
        identical=proportion(sum(a == b for a, b in used if a or b or both_empty == "agree"), len(used)),
    )


@dataclass(frozen=True)
class CoOccurrence(Result):
    """How often labels occur together.

    Attributes
    ----------
    labels : tuple
        Rows and columns.
    counts : tuple of tuple of int
        ``counts[i][j]``: items with both labels; on the diagonal, items with the label.
    n : int
        All items, also those without a label.
    """

    labels: tuple[Hashable, ...]
    counts: tuple[tuple[int, ...], ...]
    n: int

    def count(self, first: Hashable, second: Hashable) -> int:
        """Items with both labels; raises `InputError` for a label outside the taxonomy."""
        for label in (first, second):
            if label not in self.labels:
                raise InputError(f"the label {shown(label)} is not in the taxonomy {list(self.labels)}.")
        return self.counts[self.labels.index(first)][self.labels.index(second)]

    def share(self, first: Hashable, second: Hashable) -> Rate:
        """Items with both labels, over all items."""
        return proportion(self.count(first, second), self.n)

    def given(self, label: Hashable, condition: Hashable) -> Rate:
        """Items with both, over those with the condition; raises `Undefined` where there are none."""
        return proportion(self.count(label, condition), self.count(condition, condition))


def co_occurrence(label_sets: Sequence[LabelSet], labels: Sequence[Hashable]) -> CoOccurrence:
    """Count items with each pair of labels.

    Parameters
    ----------
    label_sets : sequence of set
        Per item, its labels; empty sets count in the denominator.
    labels : sequence
        The whole taxonomy, in the order wanted.

    Returns
    -------
    CoOccurrence

    Raises
    ------
    InputError
        A label outside the taxonomy or twice in it, or a value that is not a set: a list may name a label twice.
    """
    sets = [_as_set(labels_of_item) for labels_of_item in listed("label_sets", label_sets)]
    labels = names("labels", labels)
    if len(set(labels)) != len(labels):
        repeated = sorted({str(label) for label in labels if labels.count(label) > 1})
        raise InputError(f"labels must name each label of the taxonomy once, these are repeated: {repeated}.")
    for item, found in enumerate(sets):
        if not found <= set(labels):
            raise InputError(
                f"item {item} has labels outside the taxonomy: {sorted(map(str, found - set(labels)))}."
            )
    counts = tuple(
        tuple(sum(first in found and second in found for found in sets) for second in labels)
        for first in labels
    )
    return CoOccurrence(tuple(labels), counts, len(sets))


def _as_set(value: Collection[Hashable]) -> frozenset[Hashable]:
    if not isinstance(value, AbstractSet):
        raise InputError(f"expected a set of labels, got {type(value).__name__} {shown(value)}.")
    return frozenset(value)
