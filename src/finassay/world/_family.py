"""A family of as-of questions, and one of its questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import date

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


def first(answer: str, table: str, match: str, order: str, *, end: str | None = None) -> str:
    """Return SQL that looks up for each question the first of the rows `t` that match it, unless that has ended by `d`.

    A server finds it by the index that begins with what `match` compares; ranking the rows of all questions together
    takes it minutes.
    """
    found = answer if end is None else f"CASE WHEN {end} IS NULL OR {end} > q.d THEN {answer} END"
    return f"""
SELECT q.n, {looked_up(found, table, match, order)} AS answer FROM q"""  # noqa: S608 - our own words


def looked_up(answer: str, table: str, match: str, order: str) -> str:
    """Return the subquery of `first`, which several tables of a kind may be asked by in turn."""
    return f"(SELECT {answer} FROM {table} t WHERE {match} ORDER BY {order} LIMIT 1)"  # noqa: S608 - our own words


@dataclass(frozen=True)
class Family:
    """A kind of question: SQL that answers a batch `q` (n, k, i, d, c), the oracle's answer, the events behind it.

    Families outside the A-shares also say which things (key, index) can be asked about, and which of them an event
    concerns. `edges` are boundaries of things that no event marks: days on which what is answered begins or ends.
    """

    name: str
    sql: str
    ask: Callable[[Oracle, Question], str | None]
    types: tuple[EventType, ...]
    things: Callable[[World], list[tuple[int, int]]] | None = None
    concerns: Callable[[World, Event], tuple[int, int] | None] | None = None
    edges: Callable[[World], Iterable[tuple[tuple[int, int], date]]] | None = None
