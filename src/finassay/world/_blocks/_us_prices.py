"""Daily quotes of US stocks: factors, noise, shocks of the ledger; dividends, splits; volumes (world.md, 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._columns import Columns
from finassay.world._blocks._market import garch, student
from finassay.world._blocks._us_market import MARKET_VOLATILITY, SECTOR_VOLATILITY, YEAR, us_window
from finassay.world._blocks._worth import pull
from finassay.world._numerics import Floats, exp, log
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._us_market import UsFactors
    from finassay.world._blocks._us_universe import UsIssuer

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

OVERNIGHT = 0.31  # share of the day's variance
VOLUME_PERSISTENCE, VOLUME_NOISE, VOLUME_SLOPE = 0.74, 0.27, 0.30
OWN_VARIANCE = 1.3  # of a stock's own moves with filings and news, in that of its noise alone
TAIL = 4.0  # idiosyncratic moves beyond so many deviations have a story, or none (world.md, 4)
STORIED = 0.64
QUIET = 0.12  # a target of a merger hardly moves any more
_PAYABLE = 16  # no dividend is more than a sixteenth of the price
_DOLLAR, _CENT = 10_000, 100  # prices are integers of 1/10,000 of a dollar


@dataclass(frozen=True)
class UsQuotes(Columns):
    """Daily quotes, one element per security and session, ordered by security and session.

    Attributes
    ----------
    entity, session : numpy.ndarray of int64
        The security, and the position of the day among the sessions of XNYS.
    previous, open, high, low, close : numpy.ndarray of int64
        1/10,000 of a dollar, as traded; `previous` is the close of the day before.
    reference : numpy.ndarray of int64
        The close of the day before without the day's dividend and split: returns are close / reference.
    volume : numpy.ndarray of int64
        Shares.
    shares : numpy.ndarray of float64
        Shares outstanding.
    split : numpy.ndarray of float64
        New shares for one share at the start, by all splits so far.
    """

    entity: Ints
    session: Ints
    previous: Ints
    open: Ints
    high: Ints
    low: Ints
    close: Ints
    reference: Ints
    volume: Ints
    shares: Floats
    split: Floats


@dataclass(frozen=True, slots=True)
class Shock:
    """A move of the log price that an event causes on a session of the window, half of its rest per half-life."""

    column: int
    at: int
    move: float
    half_life: int = 0


@dataclass(slots=True)
class Payout:
    """A cash dividend per share at the start's share count; `cash` is what a share gets when it goes ex."""

    column: int
    declared: int
    ex: int
    base: int
    cash: int | None = None


@dataclass(slots=True)
class Split:
    """A split considered on a session and effective on another; the price decides, unless the ratio is given."""

    column: int
    announced: int
    ex: int
    ratio: tuple[int, int] | None = None
    given: bool = False


@dataclass(frozen=True)
class Span:
    """Positions in the window: first session of a stock, the first after its last, and since when it is a target."""

    first: int
    stop: int
    quiet: int


@dataclass(frozen=True)
class Tail:
    """A move beyond the tails of a stock's own noise that has a story: column, position, log move."""

    column: int
    at: int
    move: float


def own_noise(seed: int, issuers: tuple[UsIssuer, ...]) -> tuple[Floats, list[Tail]]:
    """Return the stocks' own log returns without the moves that have a story, and these."""
    length = us_window()[1] - us_window()[0]
    rng = [stream(seed, Purpose.US_RETURN, issuer.entity) for issuer in issuers]
    shocks = np.stack([student(r, 4.6, length) for r in rng], axis=1)
    storied = np.stack([r.random(length) for r in rng], axis=1) < STORIED
    sigma = np.array([issuer.sigma for issuer in issuers])
    own = garch(shocks, 0.18, 0.72) * sigma
    beyond = (np.abs(own) > TAIL * sigma) & storied
    at, columns = np.nonzero(beyond)
    tails = [
        Tail(int(k), int(t), float(np.rint(own[t, k] * 1e6) / 1e6)) for t, k in zip(at, columns, strict=True)
    ]
    return np.where(beyond, 0.0, own), tails


def us_quote_block(
    seed: int,
    issuers: tuple[UsIssuer, ...],
    factors: UsFactors,
    spans: list[Span],
    own: Floats,
    shocks: list[Shock],
    payouts: list[Payout],
    splits: list[Split],
    fair: Floats,
) -> UsQuotes:
    """Simulate a block; fixes the cash of payouts and the ratios of splits that were not given.

    `fair` is what a share as of the start is worth, in dollars.
    """
    fair = fair * _DOLLAR
    sigma = np.array([issuer.sigma for issuer in issuers])
    moves, struck = _moves(issuers, factors, spans, own, shocks)
    quiet = np.array([span.quiet for span in spans])
    path = _walk(issuers, exp(np.clip(moves, -1.2, 1.2)), payouts, splits, fair, quiet)
    return _quoted(seed, issuers, path, np.maximum(np.abs(struck) * 0.5, sigma), spans)


def _moves(
    issuers: tuple[UsIssuer, ...], factors: UsFactors, spans: list[Span], own: Floats, shocks: list[Shock]
) -> tuple[Floats, Floats]:
    beta = np.array([issuer.beta for issuer in issuers])
    gamma = np.array([issuer.gamma for issuer in issuers])
    total = beta * factors.market[:, None] + own
    total += gamma * factors.sectors[:, [issuer.sector for issuer in issuers]]
    for k, span in enumerate(spans):
        total[span.quiet + 1 :, k] *= QUIET
    struck = np.zeros_like(total)
    for shock in shocks:
        if 0 <= shock.at < total.shape[0]:
            struck[shock.at :, shock.column] += _spread(shock, total.shape[0] - shock.at)
    return total + struck, struck


def _spread(shock: Shock, room: int) -> Floats:
    """Four fifths of a move at once, the rest fading in over ten sessions; all of it without a half-life."""
    path = np.zeros(room)
    if not shock.half_life:
        path[0] = shock.move
        return path
    keep = 1.0 - 0.5 / shock.half_life
    weights = [1.0]
    for _ in range(9):
        weights.append(weights[-1] * keep)
    rest = 0.2 * shock.move / sum(weights)
    path[0] = 0.8 * shock.move
    path[1:11] = [rest * weight for weight in weights][: max(0, room - 1)]
    return path


@dataclass(frozen=True)
class _Path:
    before: Ints
    reference: Ints
    close: Ints
    shares: Floats
    split: Floats


def _walk(
    issuers: tuple[UsIssuer, ...],
    growth: Floats,
    payouts: list[Payout],
    splits: list[Split],
    fair: Floats,
    quiet: Ints,
) -> _Path:
    """Walk through the sessions. State is rounded to ticks at every step; nothing draws the price of a target."""
    length, n = growth.shape
    price = _ticks(np.array([issuer.price for issuer in issuers]) * _DOLLAR)
    shares, split = np.array([issuer.shares for issuer in issuers]), np.ones(n)
    ints = [np.empty((length, n), dtype=np.int64) for _ in range(3)]
    out = _Path(ints[0], ints[1], ints[2], np.empty((length, n)), np.empty((length, n)))
    due = _by(payouts, "ex"), _by(splits, "ex")
    told = _by(payouts, "declared"), _by(splits, "announced")
    for t in range(length):
        out.before[t] = price
        for split_ in due[1].get(t, ()):
            _go_split(split_, price, shares, split)
        for payout in due[0].get(t, ()):
            k = payout.column
            price[k] = max(int(price[k]) - (payout.cash or 0), 1)
        out.reference[t] = price
        drawn = np.where(t <= quiet, pull(fair[t] / split, price), 0.0)
        price = _ticks(price * growth[t] * (1.0 + drawn))
        out.close[t], out.shares[t], out.split[t] = price, shares, split
        for payout in told[0].get(t, ()):
            if payout.cash is None:
                wanted = int(payout.base / split[payout.column] + 0.5)
                payout.cash = max(1, min(wanted, int(price[payout.column]) // _PAYABLE))
        for split_ in told[1].get(t, ()):
            if not split_.given:
                split_.ratio = _ratio(int(price[split_.column]))
    return out


def _by(items: list[Payout] | list[Split], name: str) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for item in items:
        found.setdefault(getattr(item, name), []).append(item)
    return found


def _ticks(wanted: Floats) -> Ints:
    """Round to cents from a dollar on, to 1/10,000 of a dollar below."""
    cents = np.rint(wanted / _CENT) * _CENT
    return np.where(wanted >= _DOLLAR, cents, np.maximum(np.rint(wanted), 100)).astype(np.int64)


def _go_split(split: Split, price: Ints, shares: Floats, factor: Floats) -> None:
    if split.ratio is None:
        return
    (new, old), k = split.ratio, split.column
    price[k] = (2 * int(price[k]) * old + new) // (2 * new)
    shares[k] = float(np.rint(shares[k] * new / old))
    factor[k] *= new / old


def _ratio(price: int) -> tuple[int, int] | None:
    """Companies split when a share is dear, and merge shares when it is cheap (.034 splits a year, S7)."""
    if price > 900 * _DOLLAR:
        return 10, 1
    if price > 450 * _DOLLAR:
        return 4, 1
    if price > 280 * _DOLLAR:
        return 3, 1
    if price > 130 * _DOLLAR:
        return 2, 1
    return (1, 10) if price < 2 * _DOLLAR else None


def _quoted(
    seed: int, issuers: tuple[UsIssuer, ...], path: _Path, size: Floats, spans: list[Span]
) -> UsQuotes:
    """Open, high, low and volume around the closes, then the listed days, stock by stock."""
    rng = [stream(seed, Purpose.US_QUOTE, issuer.entity) for issuer in issuers]
    length = path.close.shape[0]
    normal = np.stack([r.standard_normal(length) for r in rng], axis=1)
    u = np.stack([1.0 - r.random((length, 2)) for r in rng], axis=2)
    noise = np.stack([r.standard_normal(length) for r in rng], axis=1)
    base = path.reference.astype(np.float64)
    move = log(path.close / base)
    size = np.sqrt(np.maximum(size * size, 0.25 * move * move))
    opened = OVERNIGHT * move + float(np.sqrt(OVERNIGHT * (1 - OVERNIGHT))) * size * normal
    open_ = _ticks(base * exp(opened))
    swing = 2.0 * (1.0 - OVERNIGHT) * size * size
    at_open = log(open_ / base)
    ends, gap = at_open + move, (at_open - move) * (at_open - move)
    top = _ticks(base * exp((ends + np.sqrt(gap - swing * log(u[:, 0]))) / 2.0))
    bottom = _ticks(base * exp((ends - np.sqrt(gap - swing * log(u[:, 1]))) / 2.0))
    high = np.maximum(top, np.maximum(open_, path.close))
    low = np.minimum(bottom, np.minimum(open_, path.close))
    volume = _volumes(issuers, noise, move, path.shares)
    active = np.zeros((length, len(issuers)), dtype=bool)
    for k, span in enumerate(spans):
        active[span.first : span.stop, k] = True
    stock, day = np.nonzero(active.T)
    entities = np.array([issuer.entity for issuer in issuers], dtype=np.int64)
    listed = active.T
    return UsQuotes(
        entity=entities[stock],
        session=day.astype(np.int64) + us_window()[0],
        previous=path.before.T[listed],
        open=open_.T[listed],
        high=high.T[listed],
        low=low.T[listed],
        close=path.close.T[listed],
        reference=path.reference.T[listed],
        volume=volume.T[listed],
        shares=path.shares.T[listed],
        split=path.split.T[listed],
    )


def _volumes(issuers: tuple[UsIssuer, ...], noise: Floats, move: Floats, shares: Floats) -> Ints:
    """Log volume = level + AR(1) + slope x |z|, z in deviations as usual for the stock, whatever will happen to it."""
    variance = [
        (issuer.beta * MARKET_VOLATILITY) ** 2 / YEAR
        + (issuer.gamma * SECTOR_VOLATILITY) ** 2
        + OWN_VARIANCE * issuer.sigma**2
        for issuer in issuers
    ]
    sigma = np.sqrt(np.array(variance))
    level = np.zeros(noise.shape[1])
    path = np.empty_like(noise)
    for t in range(noise.shape[0]):
        level = VOLUME_PERSISTENCE * level + VOLUME_NOISE * noise[t]
        path[t] = level
    excess = np.minimum(np.abs(move) / sigma, 5.0) - 0.75
    turnover = np.array([issuer.turnover for issuer in issuers]) * exp(path + VOLUME_SLOPE * excess)
    return np.maximum(100, np.rint(np.minimum(turnover, 0.6) * shares)).astype(np.int64)
