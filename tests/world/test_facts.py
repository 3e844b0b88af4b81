"""Facts: in the range, beyond it by what so few cases allow, or missed; the errors are those of statistics."""

from __future__ import annotations

import math

import numpy as np
import pytest

from finassay.cli._world import _fact_as_text
from finassay.world import Fact
from finassay.world._fact import jackknife, median_error, of_rate, of_share, spread_of


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(44, "met"), (64, "met"), (20, "near"), (19, "miss"), (88, "near"), (89, "miss"), (math.nan, "miss")],
)
def test_sixteen_cases_lie_within_two_deviations_of_the_range(value, verdict):
    """Of a share of 44% among 16 the deviation is 12.4 points, of 64% 12.0."""
    fact = of_share("10", "amendments", value, 44, 64, 16)
    assert fact.errors == (pytest.approx(12.41, abs=0.01), 12.0)
    assert fact.verdict == verdict
    assert fact.met == (verdict == "met")


def test_many_cases_leave_the_range_as_it_is_stated():
    low, high = of_share("10", "amendments", 50, 44, 64, 10**8).band
    assert (low, high) == (pytest.approx(44, abs=0.02), pytest.approx(64, abs=0.02))
    assert Fact("14", "identities", 1, 0, 0, 10).verdict == "miss"


def test_a_rate_has_the_error_of_a_count():
    """At 1 per 100 years 400 years have 4 events, give or take 2: 1 per 100, give or take a half."""
    assert of_rate("27", "ends", 0, 1, 4, 400, per=100).errors == (0.5, 1.0)
    assert of_rate("-", "halts", 0, 0.04, 0.09, 100, per=1).errors == pytest.approx((0.02, 0.03))


def test_errors_are_those_of_theory():
    rng = np.random.default_rng(5)
    found = [median_error(rng.standard_normal(400)) for _ in range(200)]
    assert np.mean(found) == pytest.approx(math.sqrt(math.pi / 2 / 400), rel=0.1)
    means, medians = [], []
    for _ in range(200):
        x = rng.standard_normal(800)
        units = np.arange(800)
        means.append(jackknife(units, lambda kept, x=x: float(np.mean(x[kept]))))
        medians.append(jackknife(units, lambda kept, x=x: float(np.median(x[kept]))))
    assert np.mean(means) == pytest.approx(math.sqrt(1 / 800), rel=0.1)
    assert np.sqrt(np.mean(np.square(medians))) == pytest.approx(math.sqrt(math.pi / 2 / 800), rel=0.15)


def test_rows_of_one_bond_are_one_case():
    """Twenty bonds of a hundred equal rows tell as much as twenty rows."""
    bonds = np.random.default_rng(6).standard_normal(20)
    once = jackknife(np.arange(20), lambda kept: float(np.mean(bonds[kept])))
    rows, units = np.repeat(bonds, 100), np.repeat(np.arange(20), 100)
    assert jackknife(units, lambda kept: float(np.mean(rows[kept]))) == pytest.approx(once)
    assert once == pytest.approx(np.std(bonds, ddof=1) / math.sqrt(20), rel=0.35)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, math.nan]])
def test_one_value_says_nothing_of_its_error(values):
    assert spread_of(np.array(values)) == 0.0
    assert median_error(np.array(values[:1])) == 0.0
    assert jackknife(np.zeros(3, dtype=np.int64), lambda kept: float(np.sum(kept))) == 0.0


def test_each_fact_is_printed_with_value_range_band_and_cases():
    assert _fact_as_text(of_share("10", "amendments, %", 20, 44, 64, 16)) == (
        "near  fact 10, amendments, %: 20.000, expected 44 to 64, 19.2 to 88 with two standard errors (n 16)"
    )
    assert _fact_as_text(Fact("14", "broken", 2, 0, 0, 1000)) == (
        "MISS  fact 14, broken: 2.000, expected 0 to 0 (n 1,000)"
    )
