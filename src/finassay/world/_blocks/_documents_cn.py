"""News about Chinese companies: the stories behind most large moves of shares, and items that explain nothing."""

from __future__ import annotations

from datetime import date, time
from typing import TYPE_CHECKING

import numpy as np

from finassay.world._blocks._market import student, window
from finassay.world._calendar import sessions
from finassay.world._events import Event, EventType
from finassay.world._events_us import News
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    import numpy.typing as npt

    from finassay.world._blocks._recorder import Recorder
    from finassay.world._blocks._universe import Issuer
    from finassay.world._numerics import Floats

STORIED = 0.7  # of the large moves have a story: 30% of |z| > 4 have no cause (world.md, 4)
LARGE = 2.0  # deviations of a share's own, from which a move is told
GOOD = ("order", "approval", "upgrade", "buyback", "partnership")
BAD = ("probe", "recall", "downgrade", "unlock", "departure", "lawsuit")
IDLE = ("conference", "appointment", "sponsorship", "feature", "facility", "survey")


def jumps(rng: np.random.Generator, length: int, per_year: float) -> Floats:
    """Draw a share's jumps, in units of their deviation; 0 on most days."""
    hit = rng.random(length) < per_year / 243
    return np.where(hit, rng.standard_normal(length), 0.0)


def is_story(seed: int, entity: int, drawn: Floats, size: float) -> npt.NDArray[np.bool_]:
    """Which of a share's jumps are large and have a story: their move is the news's, not the noise's."""
    u = stream(seed, Purpose.NEWS, entity, 1).random(drawn.size)
    return (np.abs(drawn) * size > LARGE) & (u < STORIED)


def story_moves(seed: int, issuer: Issuer, per_year: float, size: float) -> dict[int, float]:
    """Return the moves with a story by session of the window, in daily deviations of the share's own."""
    length = window()[1] - window()[0]
    rng = stream(seed, Purpose.RETURN, issuer.entity)
    student(rng, 4.6, length)  # the noise comes first on this stream
    drawn = jumps(rng, length, per_year)
    told = np.flatnonzero(is_story(seed, issuer.entity, drawn, size))
    return {int(at): float(np.rint(drawn[at] * size * 1e4) / 1e4) for at in told}


def cn_news_events(
    seed: int, issuer: Issuer, recorder: Recorder, trading: npt.NDArray[np.bool_], moves: dict[int, float]
) -> None:
    """Tell the news about a company on the sessions on which its share trades; 1.5 distractors each."""
    rng = stream(seed, Purpose.NEWS, issuer.entity)
    picks = rng.integers(0, 1 << 20, (len(moves), 8)).tolist()
    for (at, move), draws in zip(sorted(moves.items()), picks, strict=True):
        if not at or not trading[at] or not trading[at - 1]:
            continue
        topics = GOOD if move > 0 else BAD
        day, minute = _before(at, draws[1])
        recorder.tell(
            EventType.NEWS,
            News("CN", topics[draws[0] % len(topics)], True, move, 0),
            valid=sessions().days[at + window()[0]],
            disclosed=day,
            at=minute,
            prompt=True,
        )
        for n in range(1 + draws[2] % 2):
            near = min(max(at + draws[3 + n] % 7 - 3, 1), trading.size - 2)
            if trading[near]:
                day, minute = _before(near, draws[5 + n])
                idle = News("CN", IDLE[draws[5 + n] % len(IDLE)], False, 0.0, 0)
                recorder.tell(EventType.NEWS, idle, valid=day, disclosed=day, at=minute, prompt=True)


def _before(at: int, draw: int) -> tuple[date, time]:
    """Return a minute before a session opens and after the one before it closed."""
    calendar, first = sessions(), window()[0]
    if draw % 5 < 2:
        minute = 7 * 60 + draw % 130
        return calendar.days[first + at], time(minute // 60, minute % 60)
    minute = 15 * 60 + 10 + draw % 240
    return calendar.days[first + at - 1], time(minute // 60, minute % 60)


def told_moves(issuers: tuple[Issuer, ...], events: list[Event]) -> Floats:
    """Return how far the news moves shares, in daily deviations of their own, (sessions, shares)."""
    first, stop = window()
    found = np.zeros((stop - first, len(issuers)))
    column = {issuer.entity: n for n, issuer in enumerate(issuers)}
    for event in events:
        if isinstance(event.payload, News) and event.payload.causal:
            at = sessions().at_or_after(event.valid_from) - first
            found[at, column[event.entity]] += event.payload.move
    return found
