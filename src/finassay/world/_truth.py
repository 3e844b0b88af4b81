"""What truly moved a share on a day, which no table tells: from the ledger and the latent draws (world.md, 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from finassay.core import InputError
from finassay.world._blocks._documents_cn import told_moves
from finassay.world._blocks._economy import economy
from finassay.world._blocks._market import factors, window
from finassay.world._blocks._prices import CARRIED, DRIFT_PER_DAY, MOST, parts_of, rights_of
from finassay.world._blocks._reports import surprises, told_news
from finassay.world._blocks._worth import fair_prices, pull
from finassay.world._calendar import sessions
from finassay.world._events import EventType
from finassay.world._numerics import exp, log

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from finassay.world._blocks._prices import Quotes
    from finassay.world._blocks._universe import Issuer
    from finassay.world._events import Event
    from finassay.world._numerics import Floats
    from finassay.world._world import World


@dataclass(frozen=True)
class TruthReturn:
    """The parts of a daily log return of a Chinese share; they add up to it.

    Attributes
    ----------
    market, sector : float
        Its exposure times the moves of market and sector.
    theme : float
        Episodes of enthusiasm and panic, and the constant that takes their drift out.
    events : mapping of int to float
        Moves that reports, forecasts and news caused, by the id of the event.
    noise : float
        The share's own: no cause is to be found.
    value : float
        Drawn towards what the company is worth by its books.
    carry : float
        What the price limit of earlier days had cut off.
    cut : float
        What the limit, the rounding to a fen and the bound on a day's move took off today; all of it on a day without
        trading.
    """

    market: float
    sector: float
    theme: float
    events: Mapping[int, float]
    noise: float
    value: float
    carry: float
    cut: float

    @property
    def total(self) -> float:
        """The log return: the close over the reference price."""
        told = sum(self.events.values())
        return self.market + self.sector + self.theme + told + self.noise + self.value + self.carry + self.cut


def truth_return(world: World, entity: int, day: date) -> TruthReturn:
    """Split the return of a share on a session into what caused it.

    Parameters
    ----------
    world : World
        What happened.
    entity : int
        The share's number in the ledger.
    day : datetime.date
        A session on which it has a quote.

    Raises
    ------
    InputError
        If there is no such share, or it has no quote on the day.
    """
    issuer = next((who for who in world.issuers if who.entity == entity), None)
    if issuer is None:
        raise InputError(f"The world has no share {entity}.", hint=f"They are 1 to {len(world.issuers)}.")
    low, high = np.searchsorted(world.quotes.entity, [entity, entity + 1])
    own = world.quotes.take(np.arange(low, high))
    place = np.flatnonzero(own.session == sessions().at_or_after(day))
    if day not in sessions() or place.size != 1:
        raise InputError(
            f"{issuer.code} has no quote on {day}.", hint="Take a session on which it is listed."
        )
    return _split(world, issuer, own, int(place[0]))


def _split(world: World, issuer: Issuer, own: Quotes, row: int) -> TruthReturn:
    part = parts_of(world.config.seed, (issuer,), factors(world.config.seed))
    mine = [
        event
        for event in world.ledger.of(EventType.NEWS, EventType.REPORT, EventType.FORECAST)
        if event.entity == issuer.entity
    ]
    told = {event.event_id: _told(issuer, event) * issuer.sigma for event in mine}
    news = sum(told.values(), start=np.zeros(part.own.shape[0]))
    noise = part.own[:, 0] + part.jumps[:, 0]
    theme = part.themes[:, 0] + DRIFT_PER_DAY
    moves = part.market[:, 0] + part.sector[:, 0] + noise + news + theme
    t = int(own.session[row]) - window()[0]
    drawn = _drawn(world, issuer, own)
    carry = _carried(own, row, np.clip(moves, -MOST, MOST), drawn)
    total = float(log(own.close[row : row + 1] / own.previous[row : row + 1])[0])
    return TruthReturn(
        market=float(part.market[t, 0]),
        sector=float(part.sector[t, 0]),
        theme=float(theme[t]),
        events={number: float(move[t]) for number, move in told.items() if move[t]},
        noise=float(noise[t]),
        value=float(drawn[row]),
        carry=carry,
        cut=total - float(moves[t]) - float(drawn[row]) - carry,
    )


def _drawn(world: World, issuer: Issuer, own: Quotes) -> Floats:
    """Return the log moves towards what the share is worth, one per quote."""
    events = [event for event in world.ledger.events if event.entity == issuer.entity]
    worth = economy(world.config.seed, (issuer,), events).worth
    fair = fair_prices((issuer,), worth, rights_of((issuer,), events))[:, 0]
    return log(1.0 + pull(fair[own.session - window()[0]], own.previous))


def _told(issuer: Issuer, event: Event) -> Floats:
    """Return how far an event moves the share, in its daily deviations, per session."""
    found: Floats = (told_moves((issuer,), [event]) + surprises((issuer,), told_news([event])))[:, 0]
    return found


def _carried(own: Quotes, row: int, moves: Floats, drawn: Floats) -> float:
    """Return what earlier limits left over for a session, following the share from its first."""
    carry, first = 1.0, window()[0]
    growth = exp(moves[own.session - first] + drawn)
    for n in range(row):
        if own.traded[n]:
            wanted = float(own.previous[n]) * float(growth[n]) * carry
            upper, lower = float(own.upper[n]), float(own.lower[n])
            cut = wanted / upper if wanted > upper else wanted / lower if wanted < lower else 1.0
            carry = min(max(1.0 + CARRIED * (cut - 1.0), 0.5), 1.5)
    return float(log([carry])[0])
