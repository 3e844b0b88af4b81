"""Prices of bonds from their yields: yearly coupons, simple interest in the last period, instalments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from finassay.world._numerics import Floats, exp, log

YEAR = 365.25  # days between coupons: anniversaries, leap years included
_SLACK = 0.004  # of a year, by which anniversaries differ from that


@dataclass(frozen=True)
class Priced:
    """Dirty price, accrued interest, modified duration and principal left, per 100 yuan of the first principal."""

    dirty: Floats
    accrued: Floats
    duration: Floats
    principal: Floats


def bullet(yields: Floats, coupon: Floats, days: Floats, life: Floats) -> Priced:
    """Price bonds that repay 100 at the end.

    Parameters
    ----------
    yields, coupon : numpy.ndarray
        Percent a year.
    days : numpy.ndarray
        To the end, at least 1.
    life : numpy.ndarray
        Days from the first day of interest to the end; a bond of less than a year pays its interest at the end.
    """
    y, left = yields / 100.0, days / YEAR
    short = life < 360
    n = np.maximum(np.ceil(left - _SLACK), 1.0)
    w = np.where(short, days / 365.0, np.clip(left - (n - 1.0), 0.0, 1.0))
    last = np.where(short, coupon * life / 365.0, coupon)
    accrued = np.where(short, coupon * (life - days) / 365.0, coupon * (1.0 - w))
    simple = (100.0 + last) / (1.0 + y * w)
    rate = log(1.0 + y)
    v = 1.0 / (1.0 + y)
    until, tail = exp(-w * rate), exp(-(n - 1.0) * rate)
    one = 1.0 - v
    annuity = (1.0 - tail * v) / one
    ramp = v * (1.0 - n * tail + (n - 1.0) * tail * v) / (one * one)
    compound = until * (coupon * annuity + 100.0 * tail)
    weighted = until * (coupon * (w * annuity + ramp) + 100.0 * (w + n - 1.0) * tail)
    single = n == 1.0
    dirty = np.where(single, simple, compound)
    duration = np.where(single, w / (1.0 + y * w), weighted / compound * v)
    return Priced(dirty, accrued, duration, np.full(dirty.shape, 100.0))


def instalments(yields: Floats, coupon: Floats, days: Floats, life: Floats) -> Priced:
    """Price bonds that repay a fifth at the end and at each of the four anniversaries before it."""
    dirty, accrued, weighted, principal = (np.zeros(days.shape) for _ in range(4))
    for n in range(5):
        to_end = days - n * YEAR
        alive = to_end >= 1.0
        part = bullet(yields, coupon, np.maximum(to_end, 1.0), life)
        share = np.where(alive, 0.2, 0.0)
        dirty += share * part.dirty
        accrued += share * part.accrued
        weighted += share * part.dirty * part.duration
        principal += share * 100.0
    return Priced(dirty, accrued, weighted / dirty, principal)
