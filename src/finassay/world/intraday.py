"""Intraday bars of any security and day, drawn on demand and consistent with the daily row.

A function of (seed, security, day) and the daily row alone: bars of a world's database need no simulation. Bars of
every length are sums of the same minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cache, cached_property
from math import isfinite
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from finassay.core import InputError
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from datetime import date
    from decimal import Decimal

    import pyarrow as pa

    Number = float | int | Decimal

__all__ = ["Day", "intraday_bars"]

Ints = npt.NDArray[np.int64]
Market = Literal["CN", "HK", "US"]
# Sessions as (start, minutes), and shares of volume by the spans they are measured in (world.md, 2.1): CN four hours
# (R7, 3,123 days of one stock); US the first half hour, ten half hours, and the last hour (R6, 1,559 days of AAPL). Of
# Hong Kong nothing was measured: its shares lie between the two
_SESSIONS: dict[Market, tuple[tuple[time, int], ...]] = {
    "CN": ((time(9, 30), 120), (time(13), 120)),
    "HK": ((time(9, 30), 150), (time(13), 180)),
    "US": ((time(9, 30), 390),),
}
_SHARES: dict[Market, tuple[tuple[int, float], ...]] = {
    "CN": ((60, 0.325), (60, 0.206), (60, 0.203), (60, 0.266)),
    "HK": ((30, 0.150), (120, 0.330), (120, 0.270), (60, 0.250)),
    "US": ((30, 0.168), (300, 0.592), (60, 0.240)),
}
_TILT: dict[Market, tuple[float, ...]] = {
    "CN": (-0.5, 0.0, 0.0, 0.4),
    "HK": (-0.4, 0.0, 0.0, 0.5),
    "US": (-0.4, 0.0, 0.5),
}  # within a span
# In what part of the currency prices may be: shares in hundredths, funds and convertibles in thousandths
_UNITS: dict[Market, tuple[int, ...]] = {"CN": (100, 1000), "HK": (100, 1000), "US": (100, 10_000)}
_CENT = 100  # turnover is kept in hundredths
_LOTS: dict[Market, tuple[int, ...]] = {"CN": (100, 10, 1), "HK": (500, 100, 1), "US": (1,)}
_NOISE = 0.6  # of the logarithm of a minute's volume
_WICK = 0.5  # of a minute's deviation
_MOST_BENT = 2.0  # of the day's range, at half of its volume
_MOST_TILTED = 64.0  # of the logarithm of volume, from the day's low to its high
_BENDINGS, _TILTINGS = 6, 12


class Minutes(NamedTuple):
    """The prices of a day's minutes, in units."""

    low: Ints
    high: Ints
    opened: Ints
    closed: Ints


@dataclass(frozen=True)
class Day:
    """A daily row, in the currency and in shares, as it stands in the database.

    Attributes
    ----------
    market : {"CN", "HK", "US"}
        Whose sessions it has.
    open, high, low, close : number
        Prices: in hundredths of the currency or, if one of them is finer, in thousandths (CN, HK) or in
        ten-thousandths (US).
    volume : int
        Shares, fund units or bonds traded; 0 on a day without trading. ``qt_fundsperformancehis`` counts ten thousand
        units, ``bond_conbdexchangequote`` lots of ten bonds.
    value : number
        Turnover, in hundredths of the currency.

    Raises
    ------
    InputError
        If the row contradicts itself: a price outside low and high, a turnover that no such prices give; or if a
        number has more decimals than the market's.
    """

    market: Market
    open: Number
    high: Number
    low: Number
    close: Number
    volume: int
    value: Number

    def __post_init__(self) -> None:
        finest = _UNITS[self.market][-1]
        for name, unit in (
            ("open", finest),
            ("high", finest),
            ("low", finest),
            ("close", finest),
            ("value", _CENT),
        ):
            if _whole(number := getattr(self, name), unit) is None:
                raise InputError(
                    f"The day's {name} {number} is no whole number of 1/{unit} of the currency ({self.market}).",
                    hint="Give the row as the database has it: prices as traded, neither adjusted nor averaged.",
                )
        low, high = self.units("low"), self.units("high")
        within = all(low <= self.units(name) <= high for name in ("open", "close"))
        if self.volume < 0 or (self.volume and (low <= 0 or not within)):
            raise InputError(
                f"The day's prices {self.open}, {self.high}, {self.low}, {self.close} (open, high, low, close)"
                f" or its volume {self.volume} contradict each other.",
                hint="Give the row as the database has it.",
            )
        # The turnover was rounded to a hundredth: it is off by half of one at most
        value, half = self.cents * (self.unit // _CENT) * 2, self.unit // _CENT
        if not 2 * self.volume * low - half <= value <= 2 * self.volume * high + half:
            raise InputError(
                f"A turnover of {self.value} is not {self.volume} shares at {self.low} to {self.high}.",
                hint="Give turnover in the currency and volume in shares, fund units or bonds.",
            )

    @cached_property
    def unit(self) -> int:
        """The parts of the currency in which the day's prices are whole numbers."""
        prices = (self.open, self.high, self.low, self.close)
        fits = (unit for unit in _UNITS[self.market] if all(_whole(x, unit) is not None for x in prices))
        return next(fits)

    @property
    def cents(self) -> int:
        """The turnover in hundredths of the currency."""
        return int(round(self.value * _CENT))  # noqa: RUF046 - of a decimal too

    @property
    def turnover(self) -> int:
        """The turnover in the unit of the prices, between those that the lowest and the highest price give."""
        value = self.cents * (self.unit // _CENT)
        return min(max(value, self.volume * self.units("low")), self.volume * self.units("high"))

    def units(self, name: str) -> int:
        """Return a price in the unit of the day."""
        return int(round(getattr(self, name) * self.unit))  # noqa: RUF046 - of a decimal too


def _whole(number: Number, unit: int) -> int | None:
    """Return a number in units, None if it is finer; as far as a double tells."""
    scaled = float(number) * unit
    if not isfinite(scaled) or abs(scaled - round(scaled)) > max(1e-6, 1e-15 * abs(scaled)):
        return None
    return round(scaled)


def intraday_bars(seed: int, security: int, day: date, row: Day, *, minutes: int = 60) -> pa.Table:
    """Return the bars of a day.

    The first opens at the day's open, the last closes at its close; the highest high and the lowest low are the
    day's; volume and turnover add up to it exactly, in shares and in hundredths of the currency. Turnover over volume
    is within each bar's low and high, as far as hundredths allow.

    Parameters
    ----------
    seed : int
        The world's.
    security : int
        The vendor's number: INNERCODE, or ``security_id``.
    day : datetime.date
        The day.
    row : Day
        Its daily row.
    minutes : int
        Length of a bar, 1 to 120. No bar crosses the midday break; the last of a session may be shorter.

    Returns
    -------
    pyarrow.Table
        ``start`` and ``end`` (timestamps, local), ``open``, ``high``, ``low``, ``close`` (double), ``volume``
        (int64), ``value`` (double). Empty if nothing was traded.

    Raises
    ------
    InputError
        If `minutes` is out of range.
    """
    if not 1 <= minutes <= 120:
        raise InputError(f"Bars of {minutes} minutes cannot be made.", hint="Give 1 to 120.")
    first, last = _spans(row.market, minutes)
    if not row.volume:
        return _table(row, day, first[:0], last[:0], *(np.empty(0, np.int64),) * 6)
    rng = stream(seed, Purpose.INTRADAY, security, day.toordinal())
    weights = _weights(row.market)
    walk = np.cumsum(rng.standard_normal(weights.size) * np.sqrt(weights))
    wick = np.abs(rng.standard_normal((2, weights.size))) * np.sqrt(weights)
    busy = weights * exp(_NOISE * rng.standard_normal(weights.size))
    low, high, opened, closed = minute = _bent(walk, wick, busy, row)
    volume = _volumes(busy, minute, row)
    value = _values(volume, minute, row)
    return _table(
        row,
        day,
        first,
        last,
        opened[first],
        np.maximum.reduceat(high, first),
        np.minimum.reduceat(low, first),
        closed[last - 1],
        np.add.reduceat(volume, first),
        np.add.reduceat(value, first),
    )


def _spans(market: Market, minutes: int) -> tuple[Ints, Ints]:
    """Return the first minute of each bar and the one after its last."""
    first, last, done = [], [], 0
    for _, length in _SESSIONS[market]:
        starts = list(range(done, done + length, minutes))
        first += starts
        last += [min(start + minutes, done + length) for start in starts]
        done += length
    return np.array(first), np.array(last)


@cache
def _weights(market: Market) -> Floats:
    """Return the expected share of each minute: a U."""
    parts = []
    for (length, share), tilt in zip(_SHARES[market], _TILT[market], strict=True):
        place = (np.arange(length) + 0.5) / length * 2.0 - 1.0
        parts.append(share / length * (1.0 + tilt * place))
    return np.concatenate(parts)


def _lot(row: Day) -> int:
    """Return the largest lot of the market in which the day's volume is whole."""
    return next(lot for lot in _LOTS[row.market] if row.volume % lot == 0)


def _bent(walk: Floats, wick: Floats, busy: Floats, row: Day) -> Minutes:
    """Bend a day's path up or down until its mean price, by volume, is the day's, as far as bending goes."""
    volume, target = _split(row.volume, busy, 1), row.turnover
    bend, step = 0.0, _MOST_BENT
    found = _prices(walk, wick, bend, row)
    for _ in range(_BENDINGS):
        step /= 2.0
        bend += step if int(np.sum(volume * _mean(found))) < target else -step
        found = _prices(walk, wick, bend, row)
    return found


def _prices(walk: Floats, wick: Floats, bend: float, row: Day) -> Minutes:
    """Return each minute's low, high, open and close: a bridge that reaches the day's extremes, no further."""
    low, high, first, last = (row.units(name) for name in ("low", "high", "open", "close"))
    weights = _weights(row.market)
    clock = np.cumsum(weights) / np.sum(weights)
    spread = max(high - low, 1)
    bridge = first + (last - first) * clock + spread * (walk - walk[-1] * clock)
    bridge = bridge + spread * bend * 4.0 * clock * (1.0 - clock)
    closed = _within(bridge, low, high, max(first, last), min(first, last))
    closed[-1] = last
    opened = np.concatenate([[first], closed[:-1]])
    top = np.maximum(opened, closed) + np.rint(wick[0] * spread * _WICK).astype(np.int64)
    bottom = np.minimum(opened, closed) - np.rint(wick[1] * spread * _WICK).astype(np.int64)
    top, bottom = np.minimum(top, high), np.maximum(bottom, low)
    top[int(np.argmax(top))] = high
    bottom[int(np.argmin(bottom))] = low
    return Minutes(bottom, top, opened, closed)


def _mean(minute: Minutes) -> Ints:
    found: Ints = (minute.low + minute.high + minute.opened + minute.closed) // 4
    return found


def _within(path: Floats, low: int, high: int, upper: int, lower: int) -> Ints:
    """Shrink the parts above and below the day's open and close so that they end at its high and low."""
    above, below = float(np.max(path)) - upper, lower - float(np.min(path))
    if above > high - upper:
        path = np.where(path > upper, upper + (path - upper) * ((high - upper) / above), path)
    if below > lower - low:
        path = np.where(path < lower, lower - (lower - path) * ((lower - low) / below), path)
    found: Ints = np.clip(np.rint(path).astype(np.int64), low, high)
    return found


def _split(total: int, weights: Floats, lot: int) -> Ints:
    """Divide a number of shares into lots by weight; what is left goes to the largest remainders."""
    exact = (total // lot) * (weights / np.sum(weights))
    whole = np.floor(exact).astype(np.int64)
    missing = total // lot - int(np.sum(whole))
    whole[np.argsort(whole - exact, kind="stable")[:missing]] += 1
    return whole * lot


def _volumes(busy: Floats, minute: Minutes, row: Day) -> Ints:
    """Divide the day's shares so that its turnover is one at the minutes' prices: where it is high more of them.

    Where lots are too few for that, more and more of them go to a minute that has the day's mean price; there is one,
    as each minute opens where the one before it closed.
    """
    target, lot = row.turnover, _lot(row)
    place = (_mean(minute) - row.units("low")) / max(row.units("high") - row.units("low"), 1)
    tilt, step = 0.0, _MOST_TILTED
    for _ in range(_TILTINGS):
        volume = _split(row.volume, busy * exp(tilt * place), lot)
        short, beyond = _misses(volume, minute, target)
        if not (short or beyond):
            return volume
        step /= 2.0
        tilt += step if short else -step
    here = (minute.low * row.volume <= target) & (target <= minute.high * row.volume)
    there = np.where(np.arange(busy.size) == int(np.argmax(here)), float(np.sum(busy)), 0.0)
    for part in (0.25, 0.5, 0.75, 0.9):
        volume = _split(row.volume, busy * (1.0 - part) + there * part, lot)
        if not any(_misses(volume, minute, target)):
            return volume
    return _split(row.volume, there, lot)


def _misses(volume: Ints, minute: Minutes, target: int) -> tuple[bool, bool]:
    """Return whether a turnover is above what shares at the minutes' prices can give, and whether it is below."""
    return target > int(np.sum(volume * minute.high)), target < int(np.sum(volume * minute.low))


def _values(volume: Ints, minute: Minutes, row: Day) -> Ints:
    """Turnover of each minute in hundredths: at its mean price, moved towards its extremes to add up to the day's."""
    part = row.unit // _CENT
    bottom, top = volume * minute.low // part, -(-volume * minute.high // part)
    return _towards(volume * _mean(minute) // part, row.cents, bottom, top)


def _towards(value: Ints, target: int, bottom: Ints, top: Ints) -> Ints:
    """Move values in proportion to the room they have, until they add up to the target or there is no more."""
    missing = target - int(np.sum(value))
    room = top - value if missing > 0 else value - bottom
    most = int(np.sum(room))
    wanted = min(abs(missing), most)
    if not wanted:
        return value
    moved = np.minimum(np.floor(room * (wanted / most)).astype(np.int64), room)
    left = wanted - int(np.sum(moved))
    for n in np.argsort(moved - room, kind="stable"):  # rounding left a few units
        if left <= 0:
            break
        step = min(left, int(room[n] - moved[n]))
        moved[n] += step
        left -= step
    found: Ints = value + moved if missing > 0 else value - moved
    return found


def _table(row: Day, day: date, first: Ints, last: Ints, *columns: Ints) -> pa.Table:
    import pyarrow as pa

    minute = [
        datetime.combine(day, start) + timedelta(minutes=n)
        for start, length in _SESSIONS[row.market]
        for n in range(length)
    ]
    names = ("open", "high", "low", "close", "volume", "value")
    found = {
        "start": pa.array([minute[n] for n in first], pa.timestamp("us")),
        "end": pa.array([minute[n - 1] + timedelta(minutes=1) for n in last], pa.timestamp("us")),
    }
    for name, column in zip(names, columns, strict=True):
        unit = float(_CENT if name == "value" else row.unit)
        found[name] = pa.array(column if name == "volume" else column / unit)
    return pa.table(found)
