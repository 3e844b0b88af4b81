"""The life of a share on the NEEQ: listing, layers, the end; and which reports and dividends fall into it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time, timedelta
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._dividends import Intended, intended_dividends
from finassay.world._blocks._filings import Filing, Schedule
from finassay.world._blocks._industries import industry_events
from finassay.world._blocks._periods import period_end, season
from finassay.world._blocks._universe import STAR
from finassay.world._calendar import sessions
from finassay.world._config import END
from finassay.world._events import Event, EventType, Industry
from finassay.world._events_neeq import Layer, NeeqEnd, NeeqShare
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._neeq_universe import NeeqIssuer
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._numerics import Floats

BASIC, INNOVATION = 1, 2
TO_BEIJING, OWN_WISH, NO_REPORT = 1, 2, 3
LEAVES_PER_YEAR, MISSES_PER_YEAR = 0.055, 0.012  # assumed
PROMOTED_FROM = 1_000_000_000  # fen of profit in a year (assumed)
QUARTERLY_FROM = date(2020, 1, 1)  # reports of the first and third quarter, in the innovation layer
_REVIEWS = (date(2016, 6, 27), *(date(year, 5, 25) for year in range(2017, 2027)))
_REASONS = {TO_BEIJING: "转至北京证券交易所上市", OWN_WISH: "申请终止挂牌", NO_REPORT: "未披露年度报告"}
_FIRST_YEAR = 2011
_EVENING = time(18, 0)


def begin(who: NeeqIssuer, recorder: Recorder) -> None:
    """Tell the listing."""
    share = who.share
    payload = NeeqShare(
        share.company,
        share.inner,
        share.code,
        share.name,
        share.abbreviation,
        share.english,
        who.maker,
        who.later.inner if who.later else 0,
    )
    told = sessions().shift(share.listed, -3)
    recorder.tell(EventType.NEEQ_SECURITY, payload, valid=share.listed, disclosed=told, prompt=True)


def finish(seed: int, who: NeeqIssuer, recorder: Recorder, beijing: Event | None) -> None:
    """Tell the end of the listing, if there is one: to Beijing, by wish, or as no annual report came."""
    rng = stream(seed, Purpose.NEEQ_LIFE, who.share.entity, 1)
    u, waited = rng.random(24), float(rng.exponential(365.25 / LEAVES_PER_YEAR))
    calendar = sessions()
    if who.later is not None:
        if beijing is not None:
            stopped = calendar.shift(who.later.listed, -80 - int(float(u[0]) * 80))
            end = NeeqEnd(TO_BEIJING, _REASONS[TO_BEIJING], stopped)
            _end(recorder, end, who.later.listed, beijing.disclosed_at.date(), (beijing,))
        return
    wished = who.share.listed + timedelta(days=int(400 + waited))
    missed = _missed(who.share.listed, u)
    if missed < min(wished, END):
        day = calendar.shift(missed, 0)
        end = NeeqEnd(NO_REPORT, _REASONS[NO_REPORT], calendar.shift(date(day.year, 5, 4), 0))
        _end(recorder, end, day, calendar.shift(day, -4 - int(float(u[0]) * 8)))
    elif wished < END - timedelta(days=20):
        day = calendar.shift(wished, 0)
        end = NeeqEnd(OWN_WISH, _REASONS[OWN_WISH], calendar.shift(day, -25 - int(float(u[0]) * 35)))
        _end(recorder, end, day, calendar.shift(day, -2 - int(float(u[1]) * 6)))


def _missed(listed: date, u: Floats) -> date:
    """Return the day of an end for want of an annual report: in the summer after the deadline."""
    for year in range(max(2016, listed.year + 1), END.year):
        if u[year - 2010] < MISSES_PER_YEAR:
            return date(year, 7, 5) + timedelta(days=int(float(u[2]) * 55))
    return date.max


def _end(recorder: Recorder, end: NeeqEnd, day: date, told: date, causes: tuple[Event, ...] = ()) -> None:
    at = causes[0].disclosed_at.time() if causes else _EVENING
    recorder.tell(EventType.DELIST, end, valid=day, disclosed=told, at=at, causes=causes, prompt=True)


def layer_events(seed: int, who: NeeqIssuer, recorder: Recorder, quarters: Floats) -> None:
    """Tell the layers: of a review each spring, by the profit of the last year, announced some sessions before.

    Parameters
    ----------
    quarters : numpy.ndarray
        (quarters,), provisional profit in fen.
    """
    u = stream(seed, Purpose.NEEQ_LIFE, who.share.entity, 2).random(len(_REVIEWS))
    last = recorder.tell(
        EventType.NEEQ_LAYER,
        Layer(BASIC),
        valid=who.share.listed,
        disclosed=recorder.events[0].disclosed_at.date(),
        prompt=True,
    )
    layer = BASIC
    # Beijing takes companies of the innovation layer
    due = who.later.listed - timedelta(days=745) if who.later else None
    for review, chance in zip(_REVIEWS, u.tolist(), strict=True):
        day = sessions().shift(review, 0)
        if not who.share.listed + timedelta(days=60) < day < _last(recorder.events):
            continue
        end = 4 * (day.year - 1 - _FIRST_YEAR)
        profit = float(np.sum(quarters[end - 3 : end + 1]))
        wanted = INNOVATION if profit > PROMOTED_FROM and chance < 0.8 else BASIC
        if layer == INNOVATION and profit > 0 and chance > 0.15:
            wanted = INNOVATION
        if due is not None and day > due:
            wanted = INNOVATION
        if wanted != layer:
            layer = wanted
            last = recorder.tell(
                EventType.NEEQ_LAYER,
                Layer(layer),
                valid=day,
                disclosed=sessions().shift(day, -3),
                at=_EVENING,
                supersedes=last,
            )


def neeq_industries(seed: int, who: NeeqIssuer, recorder: Recorder, beijing: Industry | None) -> None:
    """Tell the industries; a company that lists in Beijing later has the one that it has there first.

    As on STAR, some changes are published before they take effect, and some after.
    """
    if beijing is None:
        industry_events(seed, replace(who.share, board=STAR), recorder)
        return
    day = who.share.listed
    recorder.tell(EventType.INDUSTRY_SET, replace(beijing, rebased=False), valid=day, disclosed=day)


def kept(plan: Schedule, who: NeeqIssuer, events: list[Event]) -> Schedule:
    """Return the filings that the NEEQ asks for: half years and years, all quarters in the innovation layer later."""
    layers = [(e.valid_from, e.payload.layer) for e in events if isinstance(e.payload, Layer)]
    missing = [e for e in events if isinstance(e.payload, NeeqEnd) and e.payload.kind == NO_REPORT]
    last = date(missing[0].valid_from.year - 1, 12, 31) if missing else END

    def asked(filing: Filing) -> bool:
        day = filing.at.date()
        inside = max((begun for begun in layers if begun[0] <= day), default=(day, BASIC))[1]
        quarterly = inside == INNOVATION and day >= QUARTERLY_FROM
        return period_end(filing.quarter) < last and (quarterly or season(filing.quarter) in (2, 4))

    filings = tuple(replace(f, forecast=None, revised=None) for f in plan.filings if asked(f))
    quarters = {filing.quarter for filing in filings}
    restatings = () if who.later else tuple(r for r in plan.restatings if r.until in quarters)
    return Schedule(filings, restatings)


def neeq_dividends(seed: int, who: NeeqIssuer, events: list[Event]) -> list[Intended]:
    """Return the dividends of a share while it is listed."""
    last = _last(events) - timedelta(days=20)
    return [p for p in intended_dividends(seed, who.share) if p.ex > who.share.listed and p.ex < last]


def _last(events: list[Event]) -> date:
    """Return the day on which trading stops for good."""
    return min((e.payload.stopped for e in events if isinstance(e.payload, NeeqEnd)), default=END)
