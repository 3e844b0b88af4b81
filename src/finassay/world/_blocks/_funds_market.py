"""What funds can hold, as matrices over the window: shares, a composite of bonds, money, markets abroad."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from finassay.world._blocks._funds_read import memberships
from finassay.world._blocks._industries import SECTORS
from finassay.world._blocks._market import YEAR, window
from finassay.world._calendar import quarter_ends, sessions
from finassay.world._events import Event, EventType, Industry
from finassay.world._numerics import Floats, exp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from finassay.world._blocks._overseas import OverseasQuotes
    from finassay.world._blocks._prices import Quotes

Ints = npt.NDArray[np.int64]
SEASONED = 60  # sessions since listing before a fund buys a share
# The regulator's sections of industries (code, name) by sector of the Shenwan standard
SECTIONS = (
    (1, "农、林、牧、渔业"),
    (2, "采矿业"),
    (3, "制造业"),
    (4, "电力、热力、燃气及水生产和供应业"),
    (5, "建筑业"),
    (6, "批发和零售业"),
    (7, "交通运输、仓储和邮政业"),
    (8, "住宿和餐饮业"),
    (9, "信息传输、软件和信息技术服务业"),
    (10, "金融业"),
    (11, "房地产业"),
    (14, "水利、环境和公共设施管理业"),
    (18, "文化、体育和娱乐业"),
    (19, "综合"),
)
_SECTION_OF = {
    "农林牧渔": 0, "公用事业": 3, "交通运输": 6, "房地产": 10, "商贸零售": 5, "社会服务": 7, "综合": 13,
    "建筑装饰": 4, "计算机": 8, "传媒": 12, "通信": 8, "银行": 9, "非银金融": 9, "煤炭": 1, "石油石化": 1,
    "环保": 11, "有色金属": 1,
}  # fmt: skip
_MANUFACTURING = 2


@cache
def quarter_positions() -> tuple[int, ...]:
    """Return the positions in the window of the last sessions of the quarters."""
    return tuple(sessions().at_or_after(day + timedelta(days=1)) - 1 - window()[0] for day in quarter_ends())


@dataclass(frozen=True)
class Holdable:
    """Matrices (share, session): shares by entity less one.

    Attributes
    ----------
    growth : numpy.ndarray of float64
        Value of one yuan held since the start, payouts reinvested; constant while a share does not exist.
    close : numpy.ndarray of int64
        Fen; the last one carried on.
    cap : numpy.ndarray of float64
        Market value in fen of a share that trades and is seasoned, 0 of others.
    listed : numpy.ndarray of bool
        Whether the share is listed.
    members : mapping
        Spells of index membership.
    section : numpy.ndarray of int64
        The regulator's section (position) of each share at each quarter end.
    bonds : numpy.ndarray of float64
        Total return of the composite of all bonds.
    abroad : mapping
        Levels of overseas indices on the exchange's own sessions.
    """

    growth: Floats
    close: Ints
    cap: Floats
    listed: npt.NDArray[np.bool_]
    members: dict[int, list[tuple[int, int, int]]]
    section: Ints
    bonds: Floats
    abroad: dict[int, Floats]
    _ranks: dict[int, Ints] = field(default_factory=dict)

    def ranked(self, at: int) -> Ints:
        """Return the positions of the shares that funds may buy on a session, largest first."""
        if at not in self._ranks:  # most funds choose on the same days
            cap = self.cap[:, at]
            order = np.argsort(-cap, kind="stable")
            self._ranks[at] = order[: int(np.count_nonzero(cap > 0))].astype(np.int64)
        return self._ranks[at]

    def index(self, inner: int, at: int) -> Ints:
        """Return the positions of an index's listed members on a session."""
        found = [who - 1 for who, low, high in self.members.get(inner, ()) if low <= at < high]
        return np.array([who for who in sorted(found) if self.listed[who, at]], dtype=np.int64)


def holdable(
    shares: int, quotes: Quotes, bonds: Floats, events: Sequence[Event], abroad: Sequence[OverseasQuotes]
) -> Holdable:
    """Arrange the quotes of a world for its funds."""
    first, stop = window()
    shape = (shares, stop - first)
    growth, close = np.ones(shape), np.zeros(shape, dtype=np.int64)
    cap, listed = np.zeros(shape), np.zeros(shape, dtype=bool)
    who, day = quotes.entity - 1, quotes.session - first
    growth[who, day] = quotes.close / quotes.previous
    close[who, day] = quotes.close
    listed[who, day] = True
    cap[who, day] = quotes.close * quotes.shares * quotes.traded
    age = np.cumsum(listed, axis=1)
    fresh = ~listed[:, :1] & (age <= SEASONED)
    cap[fresh] = 0.0
    last = np.maximum.accumulate(np.where(listed, np.arange(shape[1]), 0), axis=1)
    return Holdable(
        _product(growth, 1),
        np.take_along_axis(close, last, axis=1),
        cap,
        listed,
        memberships(events),
        _sections(shares, events),
        bonds,
        {quotes.inner: on_sessions(quotes) for quotes in abroad},
    )


def _product(factors: Floats, axis: int) -> Floats:
    product: Floats = np.cumprod(factors, axis=axis).astype(np.float64, copy=False)
    return product


def on_sessions(quotes: OverseasQuotes) -> Floats:
    """Return the last close of an index abroad on each session of the window."""
    first, stop = window()
    at = np.searchsorted(quotes.days, sessions().array[first:stop], side="right") - 1
    levels: Floats = quotes.levels[np.maximum(at, 0), 4] / 100.0
    return levels


def _sections(shares: int, events: Sequence[Event]) -> Ints:
    """Read the section of each share at each quarter end from its industry then in force and public."""
    found = np.full((shares, len(quarter_ends())), _MANUFACTURING, dtype=np.int64)
    changes = [event for event in events if event.type is EventType.INDUSTRY_SET]
    for event in sorted(changes, key=lambda event: (event.valid_from, event.disclosed_at)):
        assert isinstance(event.payload, Industry)  # noqa: S101 - by its type
        since = max(event.valid_from, event.disclosed_at.date())
        at = next((n for n, day in enumerate(quarter_ends()) if day >= since), len(quarter_ends()))
        sector = SECTORS[int(event.payload.codes[0][:2]) - 11]
        found[event.entity - 1, at:] = _SECTION_OF.get(sector, _MANUFACTURING)
    return found


def discount(rate: float, days: Ints) -> Floats:
    """Return what is left of one after a yearly rate over so many sessions."""
    return exp(-rate * days / YEAR)
