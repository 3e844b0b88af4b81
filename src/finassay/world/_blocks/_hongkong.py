"""Companies whose shares are listed in Hong Kong too: when, and what the shares cost there."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._universe import MAIN
from finassay.world._calendar import sessions
from finassay.world._config import END
from finassay.world._events import EventType, Nothing
from finassay.world._events_company import HongKong
from finassay.world._numerics import Floats, exp
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._universe import Issuer

EXCHANGE = "XHKG"
SHARE = 0.16  # of main-board companies listed before 2020 (assumed: fifteen pairs in a small world)
PRIVATISED = 0.15
FIRST_INNER = 1_000_000
_MEMORY, _SHOCK, _PREMIUM = 0.995, 0.022, 0.33  # of the log premium of the A-share


def hongkong_events(seed: int, issuer: Issuer, recorder: Recorder) -> None:
    """Tell a second listing in Hong Kong, and its end where the company is taken private there."""
    u = stream(seed, Purpose.COMPANY, issuer.entity).random(6)
    if issuer.board != MAIN or issuer.listed >= date(2020, 1, 1) or u[0] >= SHARE:
        return
    calendar = sessions(EXCHANGE)
    earliest = max(issuer.listed + timedelta(days=60), date(1994, 1, 3))
    span = max(30, (date(2019, 6, 30) - earliest).days)
    listed = calendar.shift(earliest + timedelta(days=int(float(u[1]) * span)), 0)
    payload = HongKong(FIRST_INNER + issuer.entity, f"{600 + issuer.entity:05d}", issuer.abbreviation)
    told = calendar.shift(listed, -5)
    first = recorder.events[0].disclosed_at.date()
    entered = recorder.tell(EventType.HK_LIST, payload, valid=listed, disclosed=max(told, first), prompt=True)
    gone = [e.disclosed_at.date() for e in recorder.events if e.type is EventType.DELIST]
    days = [day for day in gone if day > listed]
    if u[2] < PRIVATISED:
        days.append(max(listed, date(2017, 1, 3)) + timedelta(days=200 + int(float(u[3]) * 2500)))
    end = calendar.shift(min(days), 20) if days and min(days) < END - timedelta(days=60) else None
    if end is not None and end < END:
        recorder.tell(
            EventType.HK_DELIST, Nothing(), valid=end, disclosed=calendar.shift(end, -15), supersedes=entered
        )


def discount(seed: int, entity: int) -> Floats:
    """Return what a Hong Kong share costs to one on the mainland, on every session of Hong Kong: an AR(1) in logs."""
    rng = stream(seed, Purpose.COMPANY, entity, 1)
    draws = rng.standard_normal(len(sessions(EXCHANGE).days))
    level = 0.25 * float(rng.standard_normal())
    path = np.empty_like(draws)
    for n, draw in enumerate(draws.tolist()):
        level = _MEMORY * level + _SHOCK * draw
        path[n] = level
    return exp(-(_PREMIUM + path))
