"""From an event to the documents that are written about it: its own notice, stories, forum posts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from finassay.world._blocks._documents_style import Text, mixed, one_of, write
from finassay.world._calendar import sessions
from finassay.world._events import Event, EventType
from finassay.world._events_company import Forecast, Report
from finassay.world._events_us import MacroRelease, News, UsFiling

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from finassay.world._blocks._documents_names import Names
    from finassay.world._blocks._documents_style import Amount

STORIES = 0.30  # of reports, forecasts and filings that the press writes about (assumed)
POSTS_OF_NEWS, POSTS_OF_REPORTS, POSTS_OF_IDLE = 0.45, 0.10, 0.30  # followed by a forum post (assumed)
_TWO_YEARS = timedelta(days=731)
_FORUMS = {"CN": "股吧", "US": "StreetTalk board"}
_PRESS = {
    "CN": ("财经早报", "证券观察", "产经快讯", "南方商报", "市场一线"),
    "US": ("Market Wire", "The Ledger", "Street Bulletin", "Harbor Business Daily", "Evening Tape"),
}


@dataclass(frozen=True, slots=True)
class Draft:
    """A document: which copy about its event, kind, publisher, minute, securities named, text, role.

    Roles: ``cause`` of a move, ``distractor``, ``notice`` without a move of its own, ``echo`` of another document.
    """

    event: Event
    copy: int
    genre: str
    market: str
    source: str
    published: datetime
    entities: str | None
    text: Text
    role: str
    document: str | None = None


def drafts(
    seed: int, names: Names, event: Event, own: tuple[str, str, Mapping[str, str | Amount]] | None
) -> Iterator[Draft]:
    """Yield the documents about an event.

    Parameters
    ----------
    seed : int
        The world's.
    names : Names
        What companies were called.
    event : Event
        What happened.
    own : tuple or None
        Genre of phrases, kind of document, and the facts to fill in; None where nothing is written.
    """
    if own is None:
        return
    phrase, kind, facts = own
    number = mixed(seed, event.event_id)
    market = "CN" if names.is_cn(event.entity) or event.type in _CN_INDEX else "US"
    about = facts.get("number")
    entities = str(about) if about else None
    source = _source(kind, market, number)
    document = f"US-{event.payload.accession}" if isinstance(event.payload, UsFiling) else None
    text = write(phrase, facts, number >> 8)
    yield Draft(event, 0, kind, market, source, event.disclosed_at, entities, text, role_of(event), document)
    mood = _mood(event)
    if isinstance(event.payload, Report | Forecast | UsFiling) and "revenue" in facts:
        if _share(number, 1) < STORIES and event.type is not EventType.US_AMENDMENT:
            yield _story(number, event, market, entities, facts, mood)
        chance = POSTS_OF_REPORTS
    elif isinstance(event.payload, News) and entities:
        chance = POSTS_OF_NEWS if event.payload.causal else POSTS_OF_IDLE
    else:
        return
    if _share(number, 2) < chance:
        yield _post(number, event, market, entities, facts, mood, names.listed(event.entity))


_CN_INDEX = (EventType.INDEX_IN, EventType.INDEX_OUT)


def role_of(event: Event) -> str:
    """Return the role of an event's own document."""
    payload = event.payload
    if isinstance(payload, News):
        return "cause" if payload.causal else "distractor"
    moved = isinstance(payload, Report | Forecast | UsFiling | MacroRelease) and payload.surprise != 0.0
    return "cause" if moved else "notice"


def _mood(event: Event) -> int:
    """Return 1, 0 or -1: how an event is taken."""
    payload = event.payload
    if isinstance(payload, News):
        return (payload.move > 0) - (payload.move < 0)
    surprise = payload.surprise if isinstance(payload, Report | Forecast | UsFiling) else 0.0
    return (surprise > 0.5) - (surprise < -0.5)


def _share(number: int, part: int) -> float:
    return (mixed(number, part) >> 11) / float(1 << 53)


def _source(kind: str, market: str, number: int) -> str:
    if kind in ("news", "data"):
        return _PRESS[market][number % len(_PRESS[market])]
    if kind == "release":
        return "company release"
    if kind == "notice":
        return "交易所" if market == "CN" else "exchange"
    return "信息披露平台" if market == "CN" else "EDGAR"


def _later(event: Event, number: int, least: int, spread: int, first: int) -> datetime:
    """Return a minute after an event; what falls between midnight and an hour is written in the three after it."""
    at = event.disclosed_at + timedelta(minutes=least + number % spread)
    if at.hour >= first:
        return at
    return at.replace(hour=first, minute=0) + timedelta(minutes=(number >> 12) % 180)


def _times(market: str, at: datetime, listed: date) -> frozenset[str]:
    """Return what a minute is: after the close of a session, on the eve of one, more than two years after a listing."""
    exchange, close = ("XSHG", time(15)) if market == "CN" else ("XNYS", time(16))
    days, found = sessions(exchange), set()
    if at.date() in days and at.time() >= close:
        found.add("after_close")
    if at.date() + timedelta(days=1) in days:
        found.add("eve")
    if at.date() - listed > _TWO_YEARS:
        found.add("two_years")
    return frozenset(found)


def _story(
    number: int, event: Event, market: str, entities: str | None, facts: Mapping[str, str | Amount], mood: int
) -> Draft:
    choice = mixed(number, 3)
    tone = one_of(("tone_bad", "tone_even", "tone_good")[mood + 1], choice >> 5)
    known = {**facts, "tone": tone, "editor": one_of("editors", choice >> 9)}
    text = write("story", known, choice >> 13)
    source = _PRESS[market][choice % len(_PRESS[market])]
    return Draft(
        event, 1, "news", market, source, _later(event, choice >> 3, 25, 900, 7), entities, text, "echo"
    )


def _post(
    number: int,
    event: Event,
    market: str,
    entities: str | None,
    facts: Mapping[str, str | Amount],
    mood: int,
    listed: date,
) -> Draft:
    choice = mixed(number, 4)
    at = _later(event, choice >> 3, 40, 2000, 6)
    text = write(
        ("post_down", "post_idle", "post_up")[mood + 1], facts, choice >> 13, _times(market, at, listed)
    )
    source = _FORUMS[market]
    role = "distractor" if isinstance(event.payload, News) and not event.payload.causal else "echo"
    return Draft(event, 2, "post", market, source, at, entities, text, role)
