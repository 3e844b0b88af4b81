"""A family of as-of questions, and one of its questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from finassay.temporal import Cutoff
    from finassay.world._events import Event, EventType
    from finassay.world._world import World
    from finassay.world.oracle import Oracle


@dataclass(frozen=True)
class Question:
    """A family's question about a thing (and, for membership, an index) at a cutoff."""

    key: int
    cutoff: Cutoff
    index: int = 0


@dataclass(frozen=True)
class Family:
    """A kind of question: SQL that answers a batch `q` (n, k, i, d, c), the oracle's answer, the events behind it.

    Families outside the A-shares also say which things (key, index) can be asked about, and which of them an event
    concerns.
    """

    name: str
    sql: str
    ask: Callable[[Oracle, Question], str | None]
    types: tuple[EventType, ...]
    things: Callable[[World], list[tuple[int, int]]] | None = None
    concerns: Callable[[World, Event], tuple[int, int] | None] | None = None
