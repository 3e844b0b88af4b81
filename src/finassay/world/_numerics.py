"""exp and log from + - * / alone: the same bytes on every machine, which numpy's own do not promise (world.md, 6)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_LN2_HIGH = 0.6931471803691238  # the leading bits of ln 2: k * _LN2_HIGH is exact for every exponent k
_LN2_LOW = 1.9082149292705877e-10
_ROOT_HALF = 0.7071067811865476
_LARGEST = 700.0


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
    total = np.ones_like(rest)
    for n in range(13, 0, -1):  # Taylor, |rest| <= ln(2)/2: the next term is below 1e-17
        total = total * rest / n + 1.0
    return np.ldexp(total, exponent.astype(np.int32))


def log(x: npt.ArrayLike) -> Floats:
    """Return the natural logarithm, within 1e-12 of the true value relatively.

    Parameters
    ----------
    x : array_like of float
        Of any shape, positive and finite.

    Returns
    -------
    numpy.ndarray
        Of the same shape; empty for an empty input.

    Raises
    ------
    ValueError
        If a value is NaN, infinite, zero or negative.
    """
    values = np.asarray(x, dtype=np.float64)
    if not np.all((values > 0.0) & (values < np.inf)):
        raise ValueError("log takes positive finite values")
    mantissa, exponent = np.frexp(values)
    small = mantissa < _ROOT_HALF
    mantissa = np.where(small, mantissa * 2.0, mantissa)
    power = exponent.astype(np.float64) - small
    s = (mantissa - 1.0) / (mantissa + 1.0)
    square = s * s
    total = np.zeros_like(s)
    for n in range(23, 0, -2):  # 2 artanh(s), |s| <= 0.172
        total = total * square + 1.0 / n
    result: Floats = power * _LN2_HIGH + (power * _LN2_LOW + 2.0 * s * total)
    return result
