"""exp and log: right to 1e-12, and the same bytes with and without wide SIMD."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finassay.world._numerics import exp, log
from support.worlds import without_wide_simd


@given(st.floats(-700, 700))
def test_exp_is_right_to_1e_12(x):
    assert math.isclose(float(exp(x)), math.exp(x), rel_tol=1e-12)


@given(st.floats(1e-300, 1e300))
def test_log_is_right_to_1e_12(x):
    assert math.isclose(float(log(x)), math.log(x), rel_tol=1e-12)


@given(st.floats(-1e-6, 1e-6))
def test_log_is_right_near_one_where_it_is_near_zero(x):
    assert math.isclose(float(log(1 + x)), math.log(1 + x), rel_tol=1e-12)


@pytest.mark.parametrize("x", [701, -701, math.nan, math.inf])
def test_exp_refuses_what_it_cannot_do(x):
    with pytest.raises(ValueError, match="700"):
        exp([0.0, x])


@pytest.mark.parametrize("x", [0.0, -1.0, math.nan, math.inf])
def test_log_refuses_what_has_none(x):
    with pytest.raises(ValueError, match="positive"):
        log([1.0, x])


def test_empty_and_shape():
    assert exp([]).shape == (0,)
    assert log(np.ones((2, 3))).shape == (2, 3)


PRINT_DIGEST = """
import hashlib, numpy as np
from finassay.world._numerics import exp, log
x = np.linspace(-30, 30, 100_003)
print(hashlib.sha256(exp(x).tobytes() + log(exp(x) + 0.5).tobytes()).hexdigest())
"""


def test_the_bytes_do_not_depend_on_wide_simd():
    x = np.linspace(-30, 30, 100_003)
    here = hashlib.sha256(exp(x).tobytes() + log(exp(x) + 0.5).tobytes()).hexdigest()
    assert without_wide_simd(PRINT_DIGEST) == here
