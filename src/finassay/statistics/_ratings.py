"""Ratings of items by raters on a stated scale, with gaps; and agreement weights."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from finassay.core import InputError, shown
from finassay.statistics._arguments import LARGEST, is_name, listed, names, one_of

if TYPE_CHECKING:
    from finassay.statistics._bootstrap import FloatArray

Weights: TypeAlias = Literal["identity", "linear", "quadratic"]
IntArray: TypeAlias = npt.NDArray[np.int64]
_MISSING = -1


@dataclass(frozen=True, eq=False)
class Ratings:
    """Labels that raters gave to items.

    Build it with `Ratings.of`.

    Attributes
    ----------
    codes : ndarray of shape (items, raters)
        Position of the label in `categories`; -1 where there is none.
    categories : tuple
        The whole scale in its order, also labels nobody used: chance agreement depends on how many there are.
    raters : tuple of str
        Names, one per column.
    """

    codes: IntArray
    categories: tuple[Hashable, ...]
    raters: tuple[str, ...]

    @classmethod
    def of(
        cls,
        rows: Sequence[Sequence[Hashable]],
        categories: Sequence[Hashable],
        raters: Sequence[str] | None = None,
    ) -> Ratings:
        """Read ratings.

        Parameters
        ----------
        rows : sequence of sequence
            Per item, one label per rater; None or NaN where the rater gave none.
        categories : sequence
            The scale, at least two distinct labels, in order.
        raters : sequence of str, optional
            Names; by default rater_1, rater_2, ….

        Returns
        -------
        Ratings

        Raises
        ------
        InputError
            A label outside the scale, rows of unequal length, fewer than two raters, or a scale of one label.
        """
        categories = names("categories", categories)
        if len(set(categories)) != len(categories) or len(categories) < 2:
            raise InputError(f"a scale needs at least two distinct labels, got {categories}.")
        rows = [listed(f"item {item}", row) for item, row in enumerate(listed("rows", rows))]
        given = [] if raters is None else names("raters", raters)
        width = len(given) if raters is not None else len(rows[0]) if rows else 0
        if width < 2:
            raise InputError(f"agreement needs at least two raters, got {width}.")
        called = tuple(map(str, given or (f"rater_{j + 1}" for j in range(width))))
        if len(set(called)) != width:
            raise InputError(f"raters must have a name of their own each, got {list(called)}.")
        position = {label: code for code, label in enumerate(categories)}
        codes = np.full((len(rows), width), _MISSING, dtype=np.int64)
        for item, row in enumerate(rows):
            if len(row) != width:
                raise InputError(f"item {item} has {len(row)} ratings where {width} raters are named.")
            for rater, label in enumerate(row):
                if is_missing(label):
                    continue
                if not is_name(label) or label not in position:
                    raise InputError(
                        f"item {item}, {called[rater]}: label {shown(label)} is not on the scale {list(categories)}.",
                        hint="Pass the whole scale as categories, or None where there is no rating.",
                    )
                codes[item, rater] = position[label]
        return cls(codes, tuple(categories), called)

    @property
    def counts(self) -> FloatArray:
        """How many raters put item i in category k: shape (items, categories)."""
        scale = np.arange(len(self.categories))
        return np.asarray((self.codes[:, :, None] == scale).sum(axis=1), dtype=np.float64)

    @property
    def class_table(self) -> dict[str, dict[str, int]]:
        """Per label, how often each rater gave it."""
        return {
            str(label): {
                rater: int((self.codes[:, column] == code).sum()) for column, rater in enumerate(self.raters)
            }
            for code, label in enumerate(self.categories)
        }

    def numeric_categories(self, purpose: str) -> FloatArray:
        """Return the scale as numbers, or raise `InputError` saying what needs them."""
        values = [
            value
            if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST
            else math.nan
            for value in self.categories
        ]
        if any(math.isnan(value) for value in values):
            raise InputError(
                f"{purpose} needs numeric labels of at most {LARGEST:g} in size, the scale is {list(self.categories)}."
            )
        return np.array(values, dtype=np.float64)


def is_missing(label: object) -> bool:
    """Whether a label is None, NaN, or pandas' missing value."""
    missing = label is None or type(label).__name__ in {"NAType", "NaTType"}
    return missing or (isinstance(label, float | np.floating) and math.isnan(label))


def need_ratings(ratings: object, name: str = "ratings") -> None:
    """Refuse what is no `Ratings`."""
    if not isinstance(ratings, Ratings):
        raise InputError(
            f"{name} must be Ratings, got {type(ratings).__name__}.", hint="Build them with Ratings.of."
        )


def weight_matrix(categories: int, weights: Weights) -> FloatArray:
    """Agreement weights by distance on the scale, taken as evenly spaced: 1 on the diagonal, 0 at the ends."""
    one_of("weights", weights, ("identity", "linear", "quadratic"))
    distance = np.abs(np.subtract.outer(np.arange(categories), np.arange(categories))) / (categories - 1)
    if weights == "identity":
        return np.eye(categories)
    if weights == "linear":
        return np.asarray(1 - distance, dtype=np.float64)
    return np.asarray(1 - distance**2, dtype=np.float64)
