"""The life of a US stock: listing, names and symbols, exchange, and its end by a merger or by failing the standards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, time
from typing import TYPE_CHECKING

from finassay.world._blocks._us_names import SECTORS, company_name, symbol
from finassay.world._blocks._us_universe import GONE, SAFE, YEAR
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._events import EventType
from finassay.world._events_us import News, UsListing, UsSecurity
from finassay.world._numerics import log
from finassay.world._strata import strata
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    import numpy as np

    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._us_universe import UsIssuer

_MERGED = 0.65  # of those that go (assumed)
RENAMES_PER_YEAR = 0.033  # L4
MOVES_PER_YEAR = 0.008  # assumed
_PREMIUM, _SHOCK = 0.20, -0.25  # log moves when an end comes in sight
_MORNING, _EVENING = time(8, 0), time(17, 5)
_TAILS = ("Technologies", "Global", "Partners", "Brands", "Solutions", "International", "Enterprises")


@dataclass(frozen=True)
class End:
    """How a stock ends: positions of the session of the first news, and of the first one without trading."""

    merged: bool
    news: int
    last: int


def us_life_events(seed: int, issuer: UsIssuer, recorder: Recorder) -> End | None:
    """Tell the life of a stock; return its end, if it has one within the economy."""
    calendar = sessions("XNYS")
    rng = stream(seed, Purpose.US_LIFE, issuer.entity)
    start = max(calendar.at_or_after(START), calendar.at_or_after(issuer.listed))
    horizon = calendar.at_or_after(END)
    _listing(issuer, recorder)
    merged = strata(seed, Purpose.US_LIFE, issuer.entity, 1)[0]
    last = start + SAFE + int(-log(1.0 - issuer.fate) * YEAR / GONE[issuer.category])
    lead, notice = rng.random(2)
    end = None
    if last < horizon - 2:
        end = End(merged < _MERGED, last - 45 - int(lead * 75), last)
    _changes(rng, issuer, recorder, start, min(last, horizon) if end is None else end.news)
    if end is not None:
        _ending(recorder, end, float(notice))
    return end


def _listing(issuer: UsIssuer, recorder: Recorder) -> None:
    calendar = sessions("XNYS")
    first = calendar.at_or_after(issuer.listed)
    told = calendar.days[first - 1] if first else date(issuer.listed.year - 1, 12, 31)
    who = UsSecurity(
        issuer.security,
        issuer.cik,
        "common",
        issuer.symbol,
        issuer.name,
        issuer.exchange,
        _sector(issuer),
        issuer.sic,
        issuer.year_end,
    )
    recorder.tell(EventType.US_SECURITY, who, valid=issuer.listed, disclosed=told, at=_EVENING, prompt=True)
    listing = UsListing(issuer.symbol, issuer.name, issuer.exchange, "initial public offering")
    recorder.tell(EventType.US_LIST, listing, valid=issuer.listed, disclosed=told, at=_EVENING, prompt=True)


def _sector(issuer: UsIssuer) -> str:
    return SECTORS[issuer.sector]


def _changes(rng: np.random.Generator, issuer: UsIssuer, recorder: Recorder, start: int, stop: int) -> None:
    """Draw new names, half of them with a new symbol, and moves to the other exchange."""
    calendar = sessions("XNYS")
    days = []
    for kind, rate in ((EventType.US_RENAME, RENAMES_PER_YEAR), (EventType.US_MOVE, MOVES_PER_YEAR)):
        now = start + 40
        while (now := now + 20 + int(rng.exponential(YEAR / rate))) < stop - 5:
            days.append((now, kind))
    state = UsListing(issuer.symbol, issuer.name, issuer.exchange, "")
    taken = -1
    for now, kind in sorted(days):
        picks = rng.integers(0, 1 << 20, 4)
        if now == taken:
            continue
        taken = now
        state = _changed(state, issuer, kind, [int(pick) for pick in picks])
        recorder.tell(
            kind,
            state,
            valid=calendar.days[now],
            disclosed=calendar.days[now - 2 - int(picks[3]) % 9],
            at=_EVENING if picks[0] % 2 else _MORNING,
        )


def _changed(state: UsListing, issuer: UsIssuer, kind: EventType, picks: list[int]) -> UsListing:
    if kind is EventType.US_MOVE:
        other = "NYSE" if state.exchange == "NASDAQ" else "NASDAQ"
        return replace(state, exchange=other, reason="transfer of listing")
    if picks[1] % 2:
        name = f"{state.name.split()[0]} {_TAILS[picks[2] % len(_TAILS)]}, Inc."
        if name != state.name:
            return replace(state, name=name, reason="change of name")
    name = company_name(issuer.sector, (picks[0] + 1, picks[1], picks[2]))
    number = issuer.security - 700_000
    return replace(state, name=name, symbol=symbol(name, number), reason="change of name and symbol")


def _ending(recorder: Recorder, end: End, spread: float) -> None:
    calendar = sessions("XNYS")
    topic = "merger" if end.merged else "deficiency"
    first = recorder.tell(
        EventType.NEWS,
        News("US", topic, True, _PREMIUM if end.merged else _SHOCK, 1),
        valid=calendar.days[end.news],
        disclosed=calendar.days[end.news],
        at=time(7, 30),
    )
    told = end.last - (2 if end.merged else 7 + int(spread * 5))
    recorder.tell(
        EventType.US_DELIST,
        UsListing("", "", "", "merger completed" if end.merged else "failed to meet listing standards"),
        valid=calendar.days[end.last],
        disclosed=calendar.days[told],
        at=_MORNING,
        causes=(first,),
    )
