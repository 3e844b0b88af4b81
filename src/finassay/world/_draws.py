"""Random draws made of + - * / and square roots alone.

NumPy's normal, exponential and Student draws ask the C library for logarithms, whose last bit is another on another
machine; a world must not be.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from finassay.core import InternalError
from finassay.world._numerics import Floats, cosine, exp, log, polynomial

_SHAPE = int | tuple[int, ...]
_SMALL = 16  # so many draws are made one by one
_LEAST = 2.0**-54
# The normal quantile to 1e-16: Wichura (1988), Algorithm AS 241, PPND16; highest power first
_NEAR = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.3871328727963666080),
    (5226.4952788528545610, 28729.085735721942674, 39307.895800092710610, 21213.794301586595867,
     5394.1960214247511077, 687.18700749205790830, 42.313330701600911252, 1.0),
)  # fmt: skip
_TAIL = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
     3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
     0.68976733498510000455, 1.67638483018380384940, 2.05319162663775882187, 1.0),
)  # fmt: skip
_FAR = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
     0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772),
    (2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
     0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0),
)  # fmt: skip
# What is not made here would bring the C library back
_REFUSED = (
    "beta", "binomial", "chisquare", "dirichlet", "f", "gamma", "gumbel", "hypergeometric", "laplace", "logistic",
    "lognormal", "logseries", "multinomial", "multivariate_hypergeometric", "multivariate_normal",
    "negative_binomial", "noncentral_chisquare", "noncentral_f", "normal", "pareto", "poisson", "power", "rayleigh",
    "standard_cauchy", "standard_gamma", "triangular", "uniform", "vonmises", "wald", "weibull", "zipf",
)  # fmt: skip


def uniform(seed: int, number: npt.NDArray[np.int64], salt: int) -> Floats:
    """Return draws in [0, 1) that hang on each number alone: a counter-based hash (splitmix64).

    Parameters
    ----------
    seed : int
        Of the world.
    number : numpy.ndarray of int64
        Of any shape.
    salt : int
        Tells several draws of one number apart.
    """
    state = number.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    state ^= np.uint64((seed * 0xD1342543DE82EF95 + salt * 0x2545F4914F6CDD1D) % 2**64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
    state ^= state >> np.uint64(31)
    draws: Floats = (state >> np.uint64(11)).astype(np.float64) / float(2**53)
    return draws


class Stream(np.random.Generator):
    """A generator whose draws are equal on every machine.

    `random`, `integers`, `choice`, `permutation` and `shuffle` are NumPy's; the distributions below are our own, each
    from a fixed number of uniforms; the others are refused.
    """

    def standard_normal(self, size: _SHAPE | None = None) -> Any:  # type: ignore[override]
        """Draw normal values by their quantile: one uniform each."""
        if size is None:
            return _normal(self.random())
        drawn = self.random(size)
        return _each(_normal, drawn) if drawn.size <= _SMALL else normal_quantile(drawn)

    def standard_exponential(self, size: _SHAPE | None = None) -> Any:  # type: ignore[override]
        """Draw waiting times of mean one: one uniform each."""
        return -log(1.0 - self.random()) if size is None else -log(1.0 - self.random(size))

    def exponential(self, scale: float = 1.0, size: _SHAPE | None = None) -> Any:  # type: ignore[override]
        """Draw waiting times of mean `scale`: one uniform each."""
        return scale * self.standard_exponential(size)

    def geometric(self, p: float) -> int:  # type: ignore[override]
        """Draw the number of trials up to the first success: one uniform."""
        return 1 + int(log(1.0 - self.random()) / log(1.0 - p))

    def standard_t(self, df: float, size: _SHAPE | None = None) -> Any:  # type: ignore[override]
        """Draw Student-t values: two uniforms each.

        With U and V uniform, sqrt(df (U**(-2 / df) - 1)) cos(2 pi V) is Student-t exactly, as Box and Muller's
        pair is normal (Bailey 1994).
        """
        shape = () if size is None else size
        u, v = 1.0 - self.random(shape), self.random(shape)
        drawn = np.sqrt(df * (exp(-2.0 / df * log(u)) - 1.0)) * cosine(v)
        return float(drawn) if size is None else drawn


def _refused(name: str) -> Any:
    def refuse(*_: Any, **__: Any) -> None:
        raise InternalError(f"{name} draws are not the same on every machine: add them to _draws.py first.")

    return refuse


for _name in _REFUSED:
    setattr(Stream, _name, _refused(_name))


def normal_quantile(u: Floats) -> Floats:
    """Return the normal quantile, within 1e-14 of the true value relatively.

    Parameters
    ----------
    u : numpy.ndarray
        Of any shape, in [0, 1); below 2**-54 as 2**-54.
    """
    q = u - 0.5
    square = 0.180625 - q * q
    out = np.asarray(q * polynomial(square, _NEAR[0]) / polynomial(square, _NEAR[1]))
    tail = np.abs(q) > 0.425
    if np.any(tail):
        out[tail] = _outside(q[tail])
    return out


def _outside(q: Floats) -> Floats:
    r = np.sqrt(-log(np.maximum(0.5 - np.abs(q), _LEAST)))
    size = polynomial(r - 1.6, _TAIL[0]) / polynomial(r - 1.6, _TAIL[1])
    far = r > 5.0
    if np.any(far):
        size[far] = polynomial(r[far] - 5.0, _FAR[0]) / polynomial(r[far] - 5.0, _FAR[1])
    return np.where(q < 0, -size, size)


def _normal(u: float) -> float:
    """Return what `normal_quantile` does, to the bit, for one number: arrays of one cost fifty times as much."""
    q = u - 0.5
    if abs(q) <= 0.425:
        square = 0.180625 - q * q
        return q * polynomial(square, _NEAR[0]) / polynomial(square, _NEAR[1])
    r = math.sqrt(-log(max(0.5 - abs(q), _LEAST)))
    top, bottom = _TAIL if r <= 5.0 else _FAR
    rest = r - 1.6 if r <= 5.0 else r - 5.0
    size = polynomial(rest, top) / polynomial(rest, bottom)
    return -size if q < 0 else size


def _each(function: Any, values: Floats) -> Floats:
    return np.array([function(u) for u in values.ravel().tolist()]).reshape(values.shape)
