"""The companies of the NEEQ: those that stay there, and those that list in Beijing later."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._industries import SECTORS
from finassay.world._blocks._names_cn import named
from finassay.world._blocks._shares import SOLD_AT_LISTING
from finassay.world._blocks._universe import BEIJING, Issuer
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._numerics import exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._config import WorldConfig

NEEQ, NEEQ_MARKET = 3, 81
COMPANIES = 2000  # at scale 1, beside those that list in Beijing: a third of the real ones (assumed)
FIRST_ENTITY, FIRST_MOVER = 0x700000, 0x780000
FIRST_NUMBER, FIRST_MOVER_INNER = 300_000, 350_000
OPENED = date(2014, 1, 24)  # the first mass listing of companies from the whole country
BEFORE = 0.5  # of the companies are listed before the window
_STAY = timedelta(days=680)  # on the NEEQ, at least, before Beijing: a review of the layers falls into it
_FINANCE = {SECTORS.index("银行"), SECTORS.index("非银金融")}
_OTHERS = tuple(k for k in range(len(SECTORS)) if k not in _FINANCE)


@dataclass(frozen=True, slots=True)
class NeeqIssuer:
    """A company with its share on the NEEQ.

    Attributes
    ----------
    share : Issuer
        The share there: traits as of an A-share.
    activity : float
        Chance of a trade on a session, in the basic layer.
    maker : bool
        Whether market makers quote it.
    later : Issuer or None
        The same company's share in Beijing.
    """

    share: Issuer
    activity: float
    maker: bool
    later: Issuer | None = None


def neeq_universe(config: WorldConfig, issuers: tuple[Issuer, ...]) -> tuple[NeeqIssuer, ...]:
    """Return all companies of the NEEQ of a world, by entity; each has a stream and a name of its own."""
    count = max(24, round(COMPANIES * config.scale))
    taken = {name for issuer in issuers for name in (issuer.abbreviation, issuer.english, issuer.brief)}
    stay = [_staying(config.seed, number, taken) for number in range(1, count + 1)]
    move = [_moving(config.seed, issuer) for issuer in issuers if issuer.board == BEIJING]
    return tuple(
        replace(who, share=replace(who.share, code=_code(who.share.listed, n)))
        for n, who in enumerate((*stay, *move), start=1)
    )


def _code(listed: date, number: int) -> str:
    return f"{83 if listed < date(2017, 1, 1) else 87}{number:04d}"


def _staying(seed: int, number: int, taken: set[str]) -> NeeqIssuer:
    rng = stream(seed, Purpose.NEEQ, FIRST_ENTITY + number)
    u, z, picks = rng.random(8), rng.standard_normal(8), rng.integers(0, 1 << 30, 8)
    sector = _OTHERS[int(picks[2] % len(_OTHERS))]
    name, abbreviation, english, brief = named(picks.tolist(), sector, taken)
    sizes = exp(np.array([1.6 + 0.6 * z[0], 19.4 + 0.9 * z[1], -8.8 + 1.0 * z[2], 0.30 * z[3]]))
    price = min(80.0, max(1.0, float(sizes[0])))
    share = Issuer(
        entity=FIRST_ENTITY + number,
        company=FIRST_NUMBER + number,
        inner=FIRST_NUMBER + number,
        code="",
        market=NEEQ_MARKET,
        board=NEEQ,
        name=name,
        abbreviation=abbreviation,
        english=english,
        brief=brief,
        listed=_listing_day(float(u[0]), float(u[1])),
        sector=sector,
        price=price,
        shares=float(np.rint(sizes[1] / price / 10_000) * 10_000),
        beta=0.5 + 0.2 * float(z[4]),
        gamma=abs(0.7 + 0.3 * float(z[5])),
        sigma=0.027 * float(sizes[3]),
        turnover=float(sizes[2]),
        pays=float(u[3]) < 0.45,
        fate=0.0,  # there is no special treatment
    )
    return NeeqIssuer(share, _activity(float(z[6])), float(u[4]) < 0.2)


def _moving(seed: int, later: Issuer) -> NeeqIssuer:
    """Return the earlier life of a company of Beijing: fewer shares, as those sold at the listing are not there yet."""
    entity = FIRST_MOVER + later.entity
    rng = stream(seed, Purpose.NEEQ, entity)
    u, z = rng.random(4), rng.standard_normal(4)
    listed = max(OPENED, later.listed - _STAY - timedelta(days=int(float(u[0]) * 1250)))
    share = replace(
        later,
        entity=entity,
        inner=FIRST_MOVER_INNER + later.entity,
        market=NEEQ_MARKET,
        board=NEEQ,
        listed=sessions().shift(listed, 0),
        shares=float(int(later.shares) - int(later.shares * SOLD_AT_LISTING)),
        beta=0.6 * later.beta,
        sigma=1.6 * later.sigma,
        turnover=float(exp([-8.0 + 0.8 * float(z[0])])[0]),
        pays=False,  # it keeps its profit for the listing
    )
    return NeeqIssuer(share, 1.5 * _activity(float(z[1])), float(u[1]) < 0.35, later)


def _activity(z: float) -> float:
    return float(exp([-2.3 + 0.8 * z])[0])


def _listing_day(before: float, place: float) -> date:
    """Half are there when the window opens; most of the others come early in it."""
    calendar = sessions()
    start, end = calendar.at_or_after(START), calendar.at_or_after(END)
    low, high = (calendar.at_or_after(OPENED), start - 5) if before < BEFORE else (start + 5, end - 200)
    part = place if before < BEFORE else place * place
    return calendar.days[low + int(part * (high - low))]
