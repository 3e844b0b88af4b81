"""Counts are whole numbers, in every function that takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from finassay.core import InputError
from finassay.statistics import bounds, mcnemar, mcnemar_power, proportion, wilson_interval


@pytest.mark.parametrize(
    "call",
    [
        lambda: proportion(1.5, 2),
        lambda: proportion(1, float("nan")),
        lambda: proportion("1", 2),
        lambda: proportion(True, 2),
        lambda: bounds(1.5, 1, 0),
        lambda: bounds(1, 1.5, 0),
        lambda: bounds(1, 1, 0.5),
        lambda: wilson_interval(2.7, 5),
        lambda: wilson_interval(2, float("inf")),
        lambda: mcnemar(1.5, 2, 10),
        lambda: mcnemar(1, 2, 10.5),
        lambda: mcnemar_power(100.5, 0.1, 0.2),
    ],
)
def test_a_count_that_is_not_whole_is_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(InputError, match="whole number"):
        call()


def test_a_whole_float_and_a_numpy_integer_are_counts() -> None:
    assert proportion(2.0, np.int64(4)) == proportion(2, 4)
    assert isinstance(proportion(2.0, 4).numerator, int)
    assert str(proportion(2.0, 4)).startswith("2/4 (50.0%")
    assert mcnemar(1.0, np.int32(2), 10) == mcnemar(1, 2, 10)
    assert bounds(np.float64(1), 1, 0) == bounds(1, 1, 0)
