"""The US companies: who they are, when they list, what their shares and their books are like at the start."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._universe import listing_day
from finassay.world._blocks._us_names import SECTORS, SIC, company_name, symbol
from finassay.world._calendar import sessions
from finassay.world._config import END, START, WorldConfig
from finassay.world._draws import normal_quantile
from finassay.world._numerics import exp
from finassay.world._strata import fates, strata
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from datetime import date

FIRST_ENTITY = 0x600000
COMPANIES = 1250  # at scale 1, of which about 640 are listed on a day (world.md, 6: 1.61 M rows of prices)
# Listed before the window: with 9.6% new a year and 8.6% gone the number listed stays about level (L4)
BEFORE = 0.49
YEAR = 252  # sessions
SAFE = 130  # sessions after its listing in which no company ends
CATEGORIES = ("large", "accelerated", "other")
_SHARES = (0.42, 0.59)  # cumulative; listed companies are larger than filers at large (S2: .37, .15, .48)
GONE = (0.054, 0.108, 0.153)  # per year by kind of filer: 8.6% of all (L4, 6,129 symbols)
_PAYS = (0.58, 0.34, 0.19)  # 38% of all pay (S1, n 7,992)
_YEAR_ENDS = ((0.776, 12), (0.846, 6), (0.916, 9), (0.956, 3), (1.0, 1))  # December: 77.6% (S2)


@dataclass(frozen=True, slots=True)
class UsIssuer:
    """A US company with its common stock.

    Attributes
    ----------
    entity, security, cik : int
        Its number in the ledger, its stock's at the vendor, its own at the SEC.
    symbol, name, exchange : str
        At listing.
    listed : datetime.date
        First session.
    sector, sic : int
        Place among the sectors; industry code.
    year_end : int
        Month in which the fiscal year ends.
    category : int
        Place among the kinds of filers.
    price, shares : float
        Dollars at the start of the window or at listing; shares then.
    beta, gamma, sigma : float
        Exposure to market and sector; daily volatility of its own.
    turnover : float
        Median share of the shares traded in a day.
    pays : bool
        Whether it usually pays a dividend.
    revenue : float
        Dollars in the year before the first quarter.
    fate : float
        Uniform: the part of companies of its kind that end before it does.
    """

    entity: int
    security: int
    cik: int
    symbol: str
    name: str
    exchange: str
    listed: date
    sector: int
    sic: int
    year_end: int
    category: int
    price: float
    shares: float
    beta: float
    gamma: float
    sigma: float
    turnover: float
    pays: bool
    revenue: float
    fate: float


def us_companies(config: WorldConfig) -> int:
    """Return how many US companies a world has, listed at some time."""
    return max(50, round(COMPANIES * config.scale))


def us_universe(config: WorldConfig) -> tuple[UsIssuer, ...]:
    """Return the US companies of a world, their traits spread evenly over every 64 of them."""
    chance = float(stream(config.seed, Purpose.US_LIFE, 0).random())
    found = [_issuer(config.seed, number) for number in range(1, us_companies(config) + 1)]
    ends = fates(chance, [_risk(issuer) for issuer in found], [issuer.fate for issuer in found])
    return tuple(replace(issuer, fate=fate) for issuer, fate in zip(found, ends, strict=True))


def _risk(issuer: UsIssuer) -> float:
    """Return the probability that a company ends within the economy."""
    calendar = sessions("XNYS")
    since = max(calendar.at_or_after(START), calendar.at_or_after(issuer.listed)) + SAFE
    years = max(0, calendar.at_or_after(END) - 2 - since) / YEAR
    return 1.0 - float(exp(-GONE[issuer.category] * years))


def _issuer(seed: int, number: int) -> UsIssuer:
    entity = FIRST_ENTITY + number
    rng = stream(seed, Purpose.US_ISSUER, entity)
    picks = [int(value) for value in rng.integers(0, 1 << 30, 8)]
    size, where, when, ends, pays, industry, fate, *traits = strata(seed, Purpose.US_ISSUER, number - 1, 14)
    z = normal_quantile(np.array(traits))
    sector = int(industry * len(SECTORS))
    category = sum(size >= bound for bound in _SHARES)
    name = company_name(sector, (picks[1], picks[2], picks[3]))
    sizes = exp(
        np.array(
            [
                3.75 - 0.25 * category + 0.55 * z[0],
                22.9 - 1.35 * category + 0.95 * z[1],
                -5.0 + 0.55 * z[2],
                0.30 * z[3],
                0.45 + 0.6 * z[6],
            ]
        )
    )
    price = max(2.0, float(sizes[0]))
    return UsIssuer(
        entity=entity,
        security=700_000 + number,
        cik=1_400_000 + 37 * number,
        symbol=symbol(name, number),
        name=name,
        exchange="NASDAQ" if where < 0.55 else "NYSE",
        listed=listing_day(sessions("XNYS"), when, BEFORE),
        sector=sector,
        sic=SIC[sector][picks[4] % 3],
        year_end=next(month for bound, month in _YEAR_ENDS if ends < bound),
        category=category,
        price=price,
        shares=float(np.rint(sizes[1] / price / 1000) * 1000),
        beta=1.0 + 0.28 * float(z[4]),
        gamma=abs(1.0 + 0.35 * float(z[5])),
        sigma=0.0095 * float(sizes[3]),
        turnover=float(sizes[2]),
        pays=pays < _PAYS[category],
        revenue=float(sizes[1] / sizes[4]),
        fate=fate,
    )
