"""Draws spread evenly over a population, so that its shares and rates come out in small worlds and of any seed.

Companies are drawn in groups of 64 by Latin hypercube sampling (McKay, Beckman and Conover 1979): in every dimension a
group has one draw in each 64th of the unit interval, in an order of its own. A draw alone is as uniform as any; the
share of companies below a bound, and so a rate, varies far less than among independent draws. A group does not hang on
how many companies there are, so worlds of two scales have their first companies in common.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._numerics import Floats

GROUP = 64
# Fractional parts of square roots of primes: multiples of each are spread evenly, and of any two independently
_STEPS = (0.41421356237309515, 0.7320508075688772, 0.2360679774997898, 0.6457513110645907, 0.3166247903554)


def strata(seed: int, purpose: Purpose, number: int, count: int) -> list[float]:
    """Return the draws of the member of a population, each uniform in [0, 1).

    Parameters
    ----------
    seed : int
        The world's.
    purpose : Purpose
        What they are for.
    number : int
        The member's number; members are numbered without gaps.
    count : int
        How many draws.
    """
    drawn: list[float] = _group(seed, purpose, number // GROUP, count)[number % GROUP].tolist()
    return drawn


@lru_cache(maxsize=512)
def _group(seed: int, purpose: Purpose, group: int, count: int) -> Floats:
    rng = stream(seed, Purpose.STRATA, group, int(purpose))
    places = rng.permuted([list(range(GROUP))] * count, axis=1).T
    drawn: Floats = (places + rng.random((GROUP, count))) / GROUP
    return drawn


def spread(seed: int, purpose: Purpose, place: int) -> list[float]:
    """Return five draws of the event at a place of a sequence, each spread evenly over any stretch of the sequence.

    Multiples of an irrational number from a random start (a Kronecker sequence): for what is rare in a world, and
    chosen from all of it at once.
    """
    return [(start + place * step) % 1.0 for start, step in zip(_starts(seed, purpose), _STEPS, strict=True)]


@lru_cache(maxsize=64)
def _starts(seed: int, purpose: Purpose) -> list[float]:
    drawn: list[float] = stream(seed, Purpose.STRATA, 0xFFFFFF, int(purpose)).random(len(_STEPS)).tolist()
    return drawn


def fates(chance: float, risks: list[float], draws: list[float]) -> list[float]:
    """Return uniform draws of the members of a population, of which as many come true as are to be expected.

    Those that come true, a draw below its risk, are a systematic sample with unequal probabilities (Madow 1949): the
    risks are added up one after another, and each whole number that the sum passes takes one.

    Parameters
    ----------
    chance : float
        The random start, in [0, 1).
    risks : list of float
        Each member's probability.
    draws : list of float
        Uniform draws that place each member below or above its risk.
    """
    found, total = [], chance
    for risk, u in zip(risks, draws, strict=True):
        true = int(total + risk) > int(total)
        total += risk
        found.append(risk * u if true else risk + (1.0 - risk) * u)
    return found
