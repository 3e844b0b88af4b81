"""exp, log and cosine from + - * / alone: the same bytes on every machine; numpy's own promise none (world.md, 6)."""

from __future__ import annotations

import math
from typing import TypeVar, overload

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

Real = TypeVar("Real", float, Floats)

_LN2_HIGH = 0.6931471803691238  # the leading bits of ln 2: k * _LN2_HIGH is exact for every exponent k
_LN2_LOW = 1.9082149292705877e-10
_ROOT_HALF = 0.7071067811865476
_LARGEST = 700.0
# Taylor, highest power first: |rest| <= ln(2) / 2, the next term is below 1e-17
_EXP = tuple(1.0 / math.factorial(n) for n in range(13, -1, -1))
# 2 artanh(s), |s| <= 0.172, in s * s
_ARTANH = tuple(1.0 / n for n in range(23, 0, -2))
# In x * x, |x| <= pi / 2
_COSINE = tuple((-1.0) ** n / math.factorial(2 * n) for n in range(11, -1, -1))


def polynomial(x: Real, coefficients: tuple[float, ...]) -> Real:
    """Return a polynomial by Horner's rule, of a float or of every element; the highest power comes first."""
    total: Real = 0.0 * x + coefficients[0]
    for coefficient in coefficients[1:]:
        total *= x
        total += coefficient
    return total


def exp(x: npt.ArrayLike) -> Floats:
    """Return e**x, within 1e-12 of the true value relatively.

    Parameters
    ----------
    x : array_like of float
        Of any shape, each at most 700 in size.

    Returns
    -------
    numpy.ndarray
        Of the same shape; empty for an empty input.

    Raises
    ------
    ValueError
        If a value is NaN or larger than 700 in size.
    """
    values = np.asarray(x, dtype=np.float64)
    if not np.all(np.abs(values) <= _LARGEST):
        raise ValueError(f"exp takes finite values up to {_LARGEST:g} in size")
    exponent = np.rint(values / (_LN2_HIGH + _LN2_LOW))
    rest = (values - exponent * _LN2_HIGH) - exponent * _LN2_LOW
    return np.ldexp(polynomial(rest, _EXP), exponent.astype(np.int32))


@overload
def log(x: float) -> float: ...
@overload
def log(x: npt.NDArray[np.generic] | list[float]) -> Floats: ...
def log(x: float | npt.ArrayLike) -> float | Floats:
    """Return the natural logarithm, within 1e-12 of the true value relatively.

    Parameters
    ----------
    x : float, or array_like of float
        Of any shape, positive and finite.

    Returns
    -------
    float or numpy.ndarray
        A float of a float; else of the same shape, empty for an empty input.

    Raises
    ------
    ValueError
        If a value is NaN, infinite, zero or negative.
    """
    if type(x) is float:
        return _log(x)
    values = np.asarray(x, dtype=np.float64)
    if not np.all((values > 0.0) & (values < np.inf)):
        raise ValueError("log takes positive finite values")
    mantissa, exponent = np.frexp(values)
    small = mantissa < _ROOT_HALF
    mantissa = np.where(small, mantissa * 2.0, mantissa)
    power = exponent.astype(np.float64) - small
    s = (mantissa - 1.0) / (mantissa + 1.0)
    result: Floats = power * _LN2_HIGH + (power * _LN2_LOW + 2.0 * s * polynomial(s * s, _ARTANH))
    return result


def _log(x: float) -> float:
    """Return the same for one number, to the bit."""
    if not 0.0 < x < math.inf:
        raise ValueError("log takes positive finite values")
    mantissa, exponent = math.frexp(x)
    if mantissa < _ROOT_HALF:
        mantissa, exponent = mantissa * 2.0, exponent - 1
    s = (mantissa - 1.0) / (mantissa + 1.0)
    return exponent * _LN2_HIGH + (exponent * _LN2_LOW + 2.0 * s * polynomial(s * s, _ARTANH))


def cosine(turns: npt.ArrayLike) -> Floats:
    """Return the cosine of an angle in full turns, within 1e-15 of the true value.

    Parameters
    ----------
    turns : array_like of float
        Of any shape, in [0, 1].

    Returns
    -------
    numpy.ndarray
        Of the same shape; empty for an empty input.
    """
    half = np.abs(np.asarray(turns, dtype=np.float64) - 0.5)  # cos(2 pi t) = -cos(2 pi (t - 1/2))
    folded = half > 0.25
    x = (2.0 * math.pi) * np.where(folded, 0.5 - half, half)
    value = polynomial(x * x, _COSINE)
    return np.where(folded, value, -value)
