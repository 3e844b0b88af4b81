"""The latent economy of the companies: size, growth, margins, and what of a quarter is news (world.md, 2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._industries import SECTORS
from finassay.world._blocks._life import STAR_ST
from finassay.world._blocks._market import student
from finassay.world._blocks._periods import QUARTERS, SEASONS, quarter_of
from finassay.world._config import START
from finassay.world._events import Alert, Event, EventType, Origin
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._prices import Ints
    from finassay.world._blocks._universe import Issuer

GENERAL, BANK, BROKER, INSURER = 1, 2, 3, 4
GROWTH_MEMORY = 0.70
GROWTH_SHOCK, SECTOR_SHOCK, COMMON_SHOCK = 0.098, 0.030, 0.012
MEAN_GROWTH, GROWTH_TRAIT = 0.058, 0.025
MARGIN_MEMORY = 0.937  # .77 a year
MARGIN_SHOCK = 0.029
LOSSES = 1.2  # by how much bad margins lie closer together than good ones: companies in trouble cut costs
TAXED = 0.84  # of the profit that is left after tax and minorities, in the middle
PAYS_OUT = 0.011  # of the worth in a year, over all companies
SOLD = 0.175  # of a company's worth is what its listing brings: a quarter of the shares, at 70% of the first price
LEAST_EQUITY = 0.12  # of assets: below it, shareholders pay in
_SHARED = 0xF00000  # entities of the shocks that companies share
_BANKS, _OTHER_FINANCE = SECTORS.index("银行"), SECTORS.index("非银金融")
_WEIGHTS = (0.22, 0.25, 0.25, 0.28)  # of a year's revenue
_SEASONAL = np.array([0.0, 0.80, 1.10, 1.05, 1.05])  # of the margin: cumulative profit 19/48/73/100% (S4)
# By template: log of price to book and its sd, revenue to equity, margin, its sd in the long run
_TRAITS = {
    GENERAL: (0.75, 0.36, 1.10, 0.134, 0.056),
    BANK: (-0.10, 0.25, 0.27, 0.42, 0.05),
    BROKER: (0.40, 0.35, 0.21, 0.40, 0.09),
    INSURER: (0.25, 0.30, 1.20, 0.11, 0.03),
}
_OWED = 0.38  # of a year's revenue, beside debt
_INTEREST = 0.045
_USUAL_RETURN, _TILT = 0.07, 3.0  # log of price to book, per unit of the return on equity beyond the usual
_TILTED = 0.6  # at most, either way


@dataclass(frozen=True)
class Economy:
    """A block of F companies over the quarters.

    Attributes
    ----------
    template : numpy.ndarray of int64
        Kind of statements: 1 general, 2 bank, 3 broker, 4 insurer.
    revenue : numpy.ndarray of float64
        (F, quarters), whole fen of one quarter.
    margin : numpy.ndarray of float64
        (F, quarters), operating margin before interest and impairment.
    surprise : numpy.ndarray of float64
        (F, quarters), what was not to be expected, of unit variance.
    equity_ratio : numpy.ndarray of float64
        (F,), equity to a year's revenue, at the size that the price gave.
    worth : numpy.ndarray of float64
        (F, quarters), fen: what the company is worth by its books, its earnings and what its kind trades at; prices
        are drawn towards it.
    traits, uniforms : numpy.ndarray of float64
        (F, 64) standard normal, and uniform draws for whatever else marks a company.
    noise : numpy.ndarray of float64
        (F, quarters, 8) standard normal.
    """

    template: Ints
    revenue: Floats
    margin: Floats
    surprise: Floats
    equity_ratio: Floats
    worth: Floats
    traits: Floats
    uniforms: Floats
    noise: Floats

    @property
    def provisional(self) -> Floats:
        """Profit of each quarter before the statements are drawn up: near enough to plan by."""
        return self.revenue * np.where(
            self.template[:, None] == GENERAL, self.margin - 0.018, self.margin * 0.92
        )


def template_of(seed: int, issuer: Issuer) -> int:
    """Return the kind of statements of a company."""
    if issuer.sector == _BANKS:
        return BANK
    if issuer.sector == _OTHER_FINANCE:
        return BROKER if stream(seed, Purpose.STATEMENT, issuer.entity, 1).random() < 0.65 else INSURER
    return GENERAL


def economy(seed: int, issuers: tuple[Issuer, ...], events: list[Event]) -> Economy:
    """Draw the economy of a block; a company under *ST has had bad quarters before it."""
    draws = [_draws(seed, issuer) for issuer in issuers]
    traits, uniforms, shocks, noise = (np.stack([draw[k] for draw in draws]) for k in range(4))
    template = np.array([template_of(seed, issuer) for issuer in issuers])
    row = np.array([_TRAITS[int(kind)] for kind in template])
    growth = _growth(seed, issuers, traits, shocks[:, 0])
    margin = _margin(template, row, traits, shocks[:, 1]) - _distress(issuers, events)
    factor = np.where(template == GENERAL, 1.0, 0.4)[:, None]
    surprise = np.clip((shocks[:, 0] + shocks[:, 1]) / float(np.sqrt(2.0)), -4.0, 4.0)
    turnover = np.where(template == GENERAL, exp(0.45 * traits[:, 3]), exp(0.1 * traits[:, 3]))
    leverage = np.clip(0.44 + 0.17 * traits[:, 4], 0.10, 0.78)
    scale = np.where(template == GENERAL, 0.62 * turnover / (1.0 - leverage), row[:, 2] * turnover)
    ratio = 1.0 / scale
    revenue, worth = _sized(issuers, row, _path(growth * factor, traits), margin, leverage, ratio, traits)
    surprise = np.rint(surprise * 1e3) / 1e3
    return Economy(template, revenue, margin, surprise, ratio, worth, traits, uniforms, noise)


def _draws(seed: int, issuer: Issuer) -> tuple[Floats, Floats, Floats, Floats]:
    rng = stream(seed, Purpose.STATEMENT, issuer.entity)
    traits, uniforms = rng.standard_normal(64), rng.random(64)
    shocks = np.stack([student(rng, 5.0, QUARTERS), rng.standard_normal(QUARTERS)])
    return traits, uniforms, shocks, rng.standard_normal((QUARTERS, 8))


def _shared(seed: int, entity: int) -> Floats:
    return stream(seed, Purpose.STATEMENT, _SHARED + entity).standard_normal(QUARTERS)


def _growth(seed: int, issuers: tuple[Issuer, ...], traits: Floats, shocks: Floats) -> Floats:
    """Growth of a quarter on the year: g = mean + .70 (g before - mean) + sector + common + own."""
    common = COMMON_SHOCK * _shared(seed, 99)
    sector = {k: SECTOR_SHOCK * _shared(seed, k) for k in sorted({issuer.sector for issuer in issuers})}
    pushed = np.stack([sector[issuer.sector] for issuer in issuers]) + common + GROWTH_SHOCK * shocks
    mean = MEAN_GROWTH + GROWTH_TRAIT * traits[:, 0]
    out = np.empty_like(pushed)
    now = np.zeros(len(issuers))
    for t in range(QUARTERS):
        now = GROWTH_MEMORY * now + pushed[:, t]
        out[:, t] = mean + now
    return np.clip(out, -0.7, 0.9)


def _margin(template: Ints, row: Floats, traits: Floats, shocks: Floats) -> Floats:
    """Margin: a memory of .77 a year around a company's own level, seasons; what is bad lies closer together."""
    size = np.where(template == GENERAL, 1.0, 0.8) * MARGIN_SHOCK * row[:, 4] / 0.056
    own = 0.65 * row[:, 4] * traits[:, 1]
    out = np.empty_like(shocks)
    now = 2.5 * size * traits[:, 2]
    for t in range(QUARTERS):
        now = MARGIN_MEMORY * now + size * shocks[:, t]
        beyond = own + now
        beyond = beyond / (1.0 + LOSSES * np.maximum(0.0, -beyond))
        out[:, t] = (row[:, 3] + beyond) * _SEASONAL[SEASONS[t]]
    return np.clip(out, -0.60, 0.60)


def _distress(issuers: tuple[Issuer, ...], events: list[Event]) -> Floats:
    """Return what is taken off the margin in the two years before an alert, and the quarter in which it comes.

    Planted ST has other reasons than results; before a planted delisting they are bad for a year.
    """
    place = {issuer.entity: n for n, issuer in enumerate(issuers)}
    found = np.zeros((len(issuers), QUARTERS))
    for event in events:
        if event.type is EventType.ST_ON and isinstance(event.payload, Alert):
            if event.origin is Origin.SEEDED and event.payload.kind != STAR_ST:
                continue
            imposed, planted = quarter_of(event.valid_from), event.origin is Origin.SEEDED
            low = max(0, imposed - (5 if planted else 8))
            part = found[place[event.entity], low : max(0, min(QUARTERS, imposed + (0 if planted else 1)))]
            np.maximum(part, 0.15 if event.payload.kind == STAR_ST else 0.02, out=part)
    return found


def _path(growth: Floats, traits: Floats) -> Floats:
    """Chain the growth on the year to the revenue of each quarter, of any unit."""
    length = growth.shape[1]
    shape = np.array(_WEIGHTS) * exp(0.10 * traits[:, 8:12])
    level = np.empty_like(growth)
    for t in range(length):
        level[:, t] = level[:, t - 4] + growth[:, t] if t >= 4 else 0.0
    path: Floats = exp(np.clip(level, -12.0, 12.0)) * shape[:, SEASONS[:length] - 1]
    return path


def _sized(
    issuers: tuple[Issuer, ...],
    row: Floats,
    path: Floats,
    margin: Floats,
    leverage: Floats,
    ratio: Floats,
    traits: Floats,
) -> tuple[Floats, Floats]:
    """Return revenue and worth in whole fen, of the size that the price implies in the first quarter of the listing."""
    anchors = np.array(
        [max(4, min(QUARTERS, quarter_of(max(START, issuer.listed)))) - 1 for issuer in issuers]
    )
    fresh = np.where([issuer.listed >= START for issuer in issuers], anchors, -1)
    usual = row[:, 0] + row[:, 1] * traits[:, 5]
    book, multiple = _books(path, margin, leverage, ratio, usual, fresh)
    rows = np.arange(len(issuers))
    price = np.array([issuer.price * issuer.shares for issuer in issuers])
    par = np.array([issuer.shares for issuer in issuers])
    equity = np.maximum(price / multiple[rows, anchors], 1.3 * par)
    scale = (100.0 * equity / book[rows, anchors])[:, None]
    worth = book * multiple * (100.0 * price / (book * multiple)[rows, anchors])[:, None]
    return np.rint(path * scale), np.rint(worth)


def _books(
    path: Floats, margin: Floats, leverage: Floats, ratio: Floats, usual: Floats, fresh: Ints
) -> tuple[Floats, Floats]:
    """Return equity as the statements will have it, nearly, and the price to book of such earnings, by quarter.

    In the quarter `fresh` a company that lists has the proceeds already, of a part of its shares.
    Statements hang on dividends, which hang on prices, which hang on this: so it is reckoned ahead.
    """
    year = np.cumsum(path, axis=1)
    year[:, 4:] = year[:, 4:] - np.cumsum(path, axis=1)[:, :-4]
    year[:, :4] = year[:, :4] * (4.0 / np.arange(1, 5))
    assets = ratio / (1.0 - leverage)
    interest = _INTEREST * np.maximum(0.0, leverage * assets - _OWED)
    profit = (margin - interest[:, None] - 0.003) * path
    profit = np.where(profit > 0, TAXED, 1.0) * profit
    book, multiple = np.empty_like(path), np.empty_like(path)
    now = ratio * year[:, 0]
    for t in range(path.shape[1]):
        earned = np.sum(profit[:, max(0, t - 3) : t + 1], axis=1) * (4.0 / min(4, t + 1))
        tilt = np.clip(_TILT * (earned / now - _USUAL_RETURN), -_TILTED, _TILTED)
        multiple[:, t] = exp(usual + tilt)
        paid = np.minimum(PAYS_OUT * multiple[:, t] * now, 0.8 * np.maximum(0.0, earned)) / 4.0
        now = np.maximum(now + profit[:, t] - paid, LEAST_EQUITY * assets * year[:, t])
        paid_in = SOLD * multiple[:, t]
        now = np.where(
            t == fresh, now * (1.0 + np.minimum(1.5, paid_in / np.maximum(0.05, 1.0 - paid_in))), now
        )
        book[:, t] = now
    return book, multiple
