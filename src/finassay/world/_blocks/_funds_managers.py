"""Fund managers: one or two seats a fund, filled from the people at its adviser; appointments are often told late."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from finassay.world._calendar import sessions
from finassay.world._config import END
from finassay.world._events import Event, EventType, Nothing
from finassay.world._events_funds import FundManager
from finassay.world._strata import spread
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from finassay.world._blocks._funds_universe import Fund, FundTrade, Person
    from finassay.world._blocks._recorder import Recorder

TENURE_YEARS = 10.0  # gives .46 appointments per code-year, with those at the opening (P)
TWO_SEATS = 0.30  # of funds (assumed)
LATE = 0.647  # of appointments are announced after they take effect (P, 10,710 of 16,541)
_APPOINTMENTS = 8  # to a seat, whose draws for that are spread evenly over all
RETURNS = 0.03  # of appointments are of one who had left the fund
_DELAY = 1.0 / 3.0  # 1 + geometric, mean 4 days in all (assumed)


class Appointer:
    """Who may be appointed: the people at an adviser on a day."""

    def __init__(self, trade: FundTrade, people: list[Event]) -> None:
        self.events = {event.entity: event for event in people}
        self._at: dict[int, list[tuple[date, date, Person]]] = {}
        for person in trade.people:
            for adviser, first, last in person.stints:
                self._at.setdefault(adviser, []).append((first, last, person))

    def candidates(self, adviser: int, day: date, taken: set[int]) -> list[tuple[date, Person]]:
        """Return who is at an adviser on a day and stays 90 days more, with the day they leave it."""
        return [
            (last, person)
            for first, last, person in self._at[adviser]
            if first <= day and last > day + timedelta(days=90) and person.entity not in taken
        ]


def manager_events(
    seed: int, fund: Fund, recorder: Recorder, appointer: Appointer, closing: Event | None
) -> None:
    """Tell the appointments and departures of a fund.

    A departure is announced before the first day out of office. At the end of the fund all leave.
    """
    rng = stream(seed, Purpose.FUND, fund.entity, 8)
    seats = 2 if rng.random() < TWO_SEATS else 1
    inside: dict[int, date] = {}
    for seat in range(seats):
        start = fund.established
        if seat and rng.random() < 0.4:
            start = min(start + timedelta(days=200 + int(rng.exponential(500))), END)
            start = sessions().shift(start, 0)
        place = _APPOINTMENTS * (2 * fund.number + seat)
        late = [spread(seed, Purpose.FUND, place + n)[0] for n in range(_APPOINTMENTS)]
        _Seat(fund, recorder, appointer, closing, seat + 1, inside).tell(rng, start, iter(late))


class _Seat:
    """One seat: appointments one after another until the fund ends."""

    def __init__(
        self,
        fund: Fund,
        recorder: Recorder,
        appointer: Appointer,
        closing: Event | None,
        number: int,
        inside: dict[int, date],
    ) -> None:
        self.fund, self.recorder, self.appointer, self.closing = fund, recorder, appointer, closing
        self.number, self.inside = number, inside
        self.end = fund.closed or END
        self.opened = next(e for e in recorder.events if e.type is EventType.FUND_OPEN)

    def tell(self, rng: np.random.Generator, day: date, late: Iterator[float]) -> None:
        """Appoint one after another; `late` are draws for whether each is announced after it takes effect."""
        out: Event | None = None
        past: list[Person] = []
        while day < self.end - timedelta(days=45):
            u = [float(x) for x in rng.random(8)]
            years, delay = float(rng.exponential(TENURE_YEARS)), int(rng.geometric(_DELAY))
            taken = {who for who, end in self.inside.items() if end > day}
            free = self.appointer.candidates(self.fund.adviser, day, taken | {p.entity for p in past[-1:]})
            if not free:
                return
            leaves, person = free[int(u[0] * len(free))]
            back = [row for row in free if row[1].entity in {p.entity for p in past[:-1]}]
            if back and u[1] < RETURNS * 4:  # few seats have anybody to return
                leaves, person = back[0]
            stop = min(leaves, day + timedelta(days=150 + int(365 * years)))
            stop = sessions().shift(stop, 0) if stop < self.end - timedelta(days=45) else self.end
            inside = self._appoint(person, day, out, next(late, u[2]) < LATE, u[3], delay)
            self.inside[person.entity] = max(stop, self.inside.get(person.entity, stop))
            past.append(person)
            if stop >= self.end:
                if self.closing is not None:
                    self._leave(inside, stop, self.closing.disclosed_at.date(), (self.closing,))
                return
            ahead = 1 + int(u[4] * u[4] * 12)
            told = max(stop - timedelta(days=ahead), inside.disclosed_at.date() + timedelta(days=1))
            out = self._leave(inside, stop, min(told, stop - timedelta(days=1)), ())
            gap = 0 if u[5] < 0.8 else -1 - int(u[6] * 20) if u[5] < 0.9 else 1 + int(u[6] * 20)
            day = sessions().shift(stop + timedelta(days=gap), 0)

    def _appoint(
        self, person: Person, day: date, out: Event | None, late: bool, u: float, delay: int
    ) -> Event:
        told = day + timedelta(days=1 + delay) if late else day - timedelta(days=int(u * 6))
        if out is not None and day >= out.valid_from:
            told = max(told, out.disclosed_at.date())
        causes = (self.opened, self.appointer.events[person.entity])
        told = max(told, self.opened.disclosed_at.date())
        return self.recorder.tell(
            EventType.MANAGER_IN,
            FundManager(person.entity, person.code, person.name, self.number),
            valid=day,
            disclosed=told,
            causes=(*causes, out) if out is not None and day >= out.valid_from else causes,
        )

    def _leave(self, inside: Event, day: date, told: date, causes: tuple[Event, ...]) -> Event:
        return self.recorder.tell(
            EventType.MANAGER_OUT,
            Nothing(),
            valid=day,
            disclosed=told,
            supersedes=inside,
            causes=causes,
        )
