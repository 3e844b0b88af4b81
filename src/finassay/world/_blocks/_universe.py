"""The issuers: who they are, when they list and on which board, and the traits of their shares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from finassay.world._blocks._industries import SECTORS
from finassay.world._blocks._life import doom
from finassay.world._blocks._names_cn import named
from finassay.world._calendar import Sessions, sessions
from finassay.world._config import END, START, WorldConfig
from finassay.world._draws import normal_quantile
from finassay.world._numerics import exp
from finassay.world._strata import fates, strata
from finassay.world._streams import Purpose, stream

MAIN, CHINEXT, STAR, BEIJING = 1, 6, 7, 8
SHANGHAI, SHENZHEN, BEIJING_EXCHANGE = 83, 90, 18
FIRST_OF_BOARD = {
    CHINEXT: date(2009, 10, 30),
    STAR: date(2019, 7, 22),
    BEIJING: date(2021, 11, 15),
}
# Listed before the window: 2,340 of 5,000 give the mean live share of .71 and 7.5% new listings a year (L1)
BEFORE = 0.468
PAYS = 0.74  # usually; .79 ex-right events a year (R2), though after a loss, or under treatment, none is paid
_PREFIX = {(MAIN, SHANGHAI): "60", (MAIN, SHENZHEN): "00", (CHINEXT, SHENZHEN): "30", (STAR, SHANGHAI): "68"}


@dataclass(frozen=True, slots=True)
class Issuer:
    """A company with its A-share.

    Attributes
    ----------
    entity, company, inner : int
        Its number in the ledger, and the vendor's for the company and the share.
    code, market, board
        Trading code and the vendor's codes of the exchange and the board.
    brief : str
        What new short names are made of; no two shares have the same.
    listed : datetime.date
        First session.
    sector : int
        Level-1 industry at the start, an index.
    price : float
        Yuan at the start of the window or at listing, before the first day's move.
    shares : float
        Shares outstanding then.
    beta, gamma, sigma : float
        Exposure to market and sector; daily volatility of its own.
    turnover : float
        Median share of the shares traded in a day.
    pays : bool
        Whether it usually pays a dividend.
    fate : float
        Uniform: the part of companies that come into fatal trouble before it does.
    """

    entity: int
    company: int
    inner: int
    code: str
    market: int
    board: int
    name: str
    abbreviation: str
    english: str
    brief: str
    listed: date
    sector: int
    price: float
    shares: float
    beta: float
    gamma: float
    sigma: float
    turnover: float
    pays: bool
    fate: float


def universe(config: WorldConfig) -> tuple[Issuer, ...]:
    """Return all issuers of a world, their traits spread evenly over every 64 of them.

    Codes count up per board in the order of the listings; no two companies share a name.
    """
    taken: set[str] = set()
    found = _coded([_issuer(config.seed, entity, taken) for entity in range(1, config.issuers + 1)])
    chance = float(stream(config.seed, Purpose.LIFE, 0).random())
    ends = fates(chance, [doom(issuer.listed) for issuer in found], [issuer.fate for issuer in found])
    return tuple(replace(issuer, fate=fate) for issuer, fate in zip(found, ends, strict=True))


def _coded(issuers: list[Issuer]) -> list[Issuer]:
    """Give out the codes."""
    counts: dict[tuple[int, int], int] = {}
    codes = {}
    for issuer in sorted(issuers, key=lambda issuer: (issuer.listed, issuer.entity)):
        board = (issuer.board, issuer.market)
        counts[board] = counts.get(board, 0) + 1
        codes[issuer.entity] = _code(*board, counts[board])
    return [replace(issuer, code=codes[issuer.entity]) for issuer in issuers]


def _issuer(seed: int, entity: int, taken: set[str]) -> Issuer:
    picks = stream(seed, Purpose.ISSUER, entity).integers(0, 1 << 30, 8)
    when, where, pays, industry, fate, *traits = strata(seed, Purpose.ISSUER, entity - 1, 11)
    z = normal_quantile(np.array(traits))
    listed = listing_day(sessions(), when, BEFORE)
    board, market = _board(listed, where)
    sector = int(industry * len(SECTORS))
    name, abbreviation, english, brief = named(picks.tolist(), sector, taken)
    sizes = exp(np.array([2.5 + 0.55 * z[0], 22.6 + 1.1 * z[1], -4.05 + 0.72 * z[2], 0.30 * z[3]]))
    price = max(3.0, float(sizes[0]))
    return Issuer(
        entity=entity,
        company=100_000 + entity,
        inner=10_000 + entity,  # one million and above is Hong Kong
        code="",  # by the order of all listings
        market=market,
        board=board,
        name=name,
        abbreviation=abbreviation,
        english=english,
        brief=brief,
        listed=listed,
        sector=sector,
        price=price,
        shares=float(np.rint(sizes[1] / price / 10_000) * 10_000),
        beta=1.0 + 0.26 * float(z[4]),
        gamma=abs(1.0 + 0.35 * float(z[5])),
        sigma=0.0168 * float(sizes[3]),
        turnover=float(sizes[2]),
        pays=pays < PAYS,
        fate=fate,
    )


def listing_day(calendar: Sessions, u: float, before: float) -> date:
    """Return the day of a listing: a part of the companies is there at the start, the others come evenly."""
    start, end = calendar.at_or_after(START), calendar.at_or_after(END)
    if u < before:
        return calendar.days[int(u / before * (start - 5))]
    return calendar.days[start + 5 + int((u - before) / (1.0 - before) * (end - start - 5))]


def _board(listed: date, u: float) -> tuple[int, int]:
    if listed >= FIRST_OF_BOARD[BEIJING] and u < 0.18:
        return BEIJING, BEIJING_EXCHANGE
    if listed >= FIRST_OF_BOARD[STAR] and u < 0.44:
        return STAR, SHANGHAI
    if listed >= FIRST_OF_BOARD[CHINEXT] and u < 0.70:
        return CHINEXT, SHENZHEN
    return (MAIN, SHANGHAI) if u > 0.45 and int(u * 1e6) % 20 < 11 else (MAIN, SHENZHEN)


def _code(board: int, market: int, number: int) -> str:
    if board == BEIJING:
        return f"920{number:03d}"
    if board == STAR:
        return f"688{number:03d}" if number < 1000 else f"689{number - 1000:03d}"
    return f"{_PREFIX[board, market]}{number:04d}"
