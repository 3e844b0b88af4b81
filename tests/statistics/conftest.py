"""The rating sets that several tests of this room share."""

from __future__ import annotations

import pytest

from finassay.statistics import Ratings


@pytest.fixture(scope="session")
def golden_ratings() -> Ratings:
    """Three raters, 100 items, scale 0/1/2: the set behind the golden numbers of the indicator specification.

    The specification prints coefficients of simulated ratings without the ratings. AC1, AC2, Fleiss' kappa and alpha
    depend only on how many items have each pattern of votes, and the printed digits leave a single table of patterns
    (up to reversing the scale): found by going through all tables of 100 items whose agreement (0.833), Fleiss' kappa
    (0.53312), AC1 (0.79712, se 0.038) and AC2 (0.85744, se 0.03639) round to the printed ones.
    Which rater cast the odd vote is open; it is chosen so that raters 1 and 2 have the printed kappa, 0.58824 = 10/17.
    """
    unanimous = [(0, 3), (1, 7), (2, 65)]
    split = [  # (majority, minority, items in which rater 1, 2, 3 is the odd one)
        (1, 2, (1, 2, 1)),
        (2, 1, (4, 1, 6)),
        (0, 2, (2, 1, 2)),
        (2, 0, (2, 1, 2)),
    ]
    rows = [[label] * 3 for label, items in unanimous for _ in range(items)]
    for majority, minority, odd in split:
        for rater, items in enumerate(odd):
            row = [majority] * 3
            row[rater] = minority
            rows += [row] * items
    return Ratings.of(rows, categories=[0, 1, 2])


@pytest.fixture(scope="session")
def skewed_pair() -> Ratings:
    """Two raters, 100 items, each 97 of one class and 3 of the other, agreeing on 94: they share no rare item."""
    return Ratings.of([("a", "a")] * 94 + [("a", "b")] * 3 + [("b", "a")] * 3, categories=["a", "b"])
