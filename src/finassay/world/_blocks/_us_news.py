"""News about US companies: the stories behind moves that no filing explains, and items that explain nothing."""

from __future__ import annotations

from datetime import date, time
from typing import TYPE_CHECKING

from finassay.world._blocks._us_market import us_window
from finassay.world._calendar import sessions
from finassay.world._events import EventType
from finassay.world._events_us import News
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._us_prices import Span, Tail
    from finassay.world._blocks._us_universe import UsIssuer

PER_YEAR = (
    2.6  # beside the tails of the own noise and the filings; all jumps have the variance of world.md, 2.1
)
SIZE = 4.4  # deviation of such a move, in the stock's own
GOOD = ("order", "approval", "upgrade", "buyback", "partnership")
BAD = ("probe", "recall", "downgrade", "lawsuit", "departure")
IDLE = ("conference", "appointment", "sponsorship", "feature", "facility", "survey")
DISTRACTORS = 1.5  # per causal item (world.md, 4)


def us_news_events(seed: int, issuer: UsIssuer, recorder: Recorder, span: Span, tails: list[Tail]) -> None:
    """Tell a company's news while its stock is listed."""
    rng = stream(seed, Purpose.NEWS, issuer.entity)
    moves = [(tail.at, tail.move) for tail in tails]
    now = span.first
    while (now := now + 1 + int(rng.exponential(252 / PER_YEAR))) < span.stop:
        size = float(rng.standard_normal()) * SIZE * issuer.sigma
        moves.append((now, round(min(max(size, -0.8), 0.8), 6)))
    inside = sorted((at, move) for at, move in moves if span.first + 1 <= at < min(span.stop - 2, span.quiet))
    for at, move in inside:
        topics = GOOD if move > 0 else BAD
        draws = [int(value) for value in rng.integers(0, 1 << 20, 8)]
        topic = topics[draws[0] % len(topics)]
        day, minute = _before(at, draws[1])
        recorder.tell(
            EventType.NEWS,
            News("US", topic, True, move, 0 if abs(move) < 0.02 else 2),
            valid=sessions("XNYS").days[at + us_window()[0]],
            disclosed=day,
            at=minute,
            prompt=True,
        )
        for n in range(1 + draws[2] % 2):
            _distractor(recorder, at + draws[3 + n] % 7 - 3, draws[5 + n], span)


def _distractor(recorder: Recorder, at: int, draw: int, span: Span) -> None:
    at = min(max(at, span.first + 1), span.stop - 2)
    day, minute = _before(at, draw)
    news = News("US", IDLE[draw % len(IDLE)], False, 0.0, 0)
    recorder.tell(EventType.NEWS, news, valid=day, disclosed=day, at=minute, prompt=True)


def _before(at: int, draw: int) -> tuple[date, time]:
    """Return a minute before a session opens and after the one before it closed."""
    calendar, first = sessions("XNYS"), us_window()[0]
    if draw % 5 < 3:
        minute = 6 * 60 + 30 + draw % 160
        return calendar.days[first + at], time(minute // 60, minute % 60)
    minute = 16 * 60 + 5 + draw % 200
    return calendar.days[first + at - 1], time(minute // 60, minute % 60)
