"""The life of a share: listing, special treatment, halts, delisting, names (world.md, 2.2)."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import TYPE_CHECKING

from finassay.world._blocks._market import YEAR
from finassay.world._blocks._recorder import MORNING, Recorder
from finassay.world._calendar import sessions
from finassay.world._config import END, START
from finassay.world._events import Alert, Event, EventType, Halt, Name, Nothing, Security
from finassay.world._numerics import exp, log
from finassay.world._strata import strata
from finassay.world._streams import Purpose, stream

if TYPE_CHECKING:
    import numpy as np

    from finassay.world._blocks._plant import Planted
    from finassay.world._blocks._universe import Issuer

ST_PER_YEAR = 0.025  # entries per listed stock (assumed; [A] in world.md)
ST_AT_START = 0.03
DELISTED_SHARE = 0.21  # of the episodes of special treatment: .49% of stocks a year (L1)
IN_ARRANGEMENT = 0.75
HALTS_PER_YEAR = 0.013  # beside those around special treatment; .063 in all (R2)
RENAMES_PER_YEAR = 0.036  # 2.8 to 4.6% (L1 to L3)
_SAFE = 120  # sessions after its listing in which no share is treated
ARRANGEMENT = 30  # sessions (assumed: the rule up to 2020)
ST, STAR_ST = 1, 5
DELISTING = "终止上市"  # the reason of the halt before the decision
_EVENING = time(18, 0)
_REASONS = ("重大事项", "临时停牌", "筹划重大资产重组", "异常波动核查")


def life_events(seed: int, issuer: Issuer, recorder: Recorder) -> None:
    """Tell the life of a share from its listing to the end of the economy or its own."""
    first = strata(seed, Purpose.LIFE, issuer.entity, 4)
    _Life(stream(seed, Purpose.LIFE, issuer.entity), issuer, recorder).tell(first)


def plant_life(rng: np.random.Generator, issuer: Issuer, recorder: Recorder, planted: Planted) -> None:
    """Tell an episode or a halt that was planned beside the natural life of a share (world.md, 5)."""
    life = _Life(rng, issuer, recorder)
    life.remember(recorder.events, planted.start)
    with recorder.planting(rng):
        if planted.kind == "halt":
            life.halt(
                planted.start, planted.end - planted.start, _REASONS[int(rng.integers(len(_REASONS)))], ()
            )
        elif planted.kind == "name":
            life.rename(planted.start, planted.told)
        else:
            grave = planted.kind == "delisting"
            on = life.treat(STAR_ST if grave else ST, planted.start, planted.told)
            if grave:
                life.delist(planted.end, on, arrangement=True)
            else:
                life.remove(planted.end, on)


class _Life:
    """Draws one life, session by session number."""

    def __init__(self, rng: np.random.Generator, issuer: Issuer, recorder: Recorder) -> None:
        self.issuer = issuer
        self.tell_event = recorder.tell
        self.rng = rng
        self.calendar = sessions()
        self.start = max(self.calendar.at_or_after(START), self.calendar.at_or_after(issuer.listed))
        self.end = self.calendar.at_or_after(END)  # later replaced by the delisting
        self.halts: list[tuple[int, int]] = []
        self.abbreviation = issuer.abbreviation

    def remember(self, events: list[Event], until: int) -> None:
        """Take up the halts that were told, and the name in use on a session."""
        at, ends = self.calendar.at_or_after, {e.supersedes: e for e in events if e.type is EventType.RESUME}
        for event in events:
            if event.type is EventType.HALT:
                end = ends.get(event.event_id)
                stop = self.end if end is None else at(end.valid_from)
                self.halts.append((at(event.valid_from), stop))
        names = [e for e in events if isinstance(e.payload, Name) and at(e.valid_from) <= until]
        for event in sorted(names, key=lambda e: (e.valid_from, e.seq)):
            assert isinstance(event.payload, Name)  # noqa: S101 - by the line above
            self.abbreviation = event.payload.abbreviation

    def day(self, position: int) -> date:
        return self.calendar.days[position]

    def tell(self, first: list[float]) -> None:
        who, listed = self.issuer, self.issuer.listed
        announced = (
            self.calendar.shift(listed, -3) if listed > self.calendar.days[5] else listed - timedelta(days=5)
        )
        payload = Security(
            who.company, who.inner, who.code, who.market, who.board, who.name, who.abbreviation, who.english
        )
        self.tell_event(EventType.SECURITY, payload, valid=listed, disclosed=announced, prompt=True)
        self.tell_event(EventType.LIST, Nothing(), valid=listed, disclosed=announced, prompt=True)
        at_start, light, halted, renamed = first
        self._treatment(at_start, light)
        self._random_halts(halted)
        self._renames(renamed)

    def _treatment(self, at_start: float, light: float) -> None:
        """Tell the episodes of special treatment: of those that pass, any number; of those that end a share, one.

        At the start of the window some are under way. An episode begins after the last one has ended.
        """
        rng, now = self.rng, self.start + _SAFE
        if self.issuer.listed < START and at_start < ST_AT_START:
            begun, dooms = self.start - int(rng.integers(5, 200)), at_start < ST_AT_START * DELISTED_SHARE
            if begun >= self.calendar.at_or_after(self.issuer.listed) + _SAFE:
                now = self._episode(begun, dooms)
        end = now + _wait(self.issuer.fate, ST_PER_YEAR * DELISTED_SHARE)
        while now < self.end:
            start = self._season(now, now + _wait(light, ST_PER_YEAR * (1.0 - DELISTED_SHARE)))
            light = float(rng.random())
            dooms = end <= start
            start = self._season(now, max(now, end)) if dooms else start
            if start >= self.end - 30:
                return
            now = self._episode(start, dooms)
            end = 1 << 30 if dooms else end

    def _season(self, after: int, waited: int) -> int:
        """Most entries follow the annual reports."""
        season, spread = self.rng.random(2)
        if waited >= self.end or season > 0.7:
            return waited
        spring = self.calendar.at_or_after(date(self.day(waited).year, 4, 25)) + int(spread * 8)
        return spring if spring > after + 20 else waited

    def _episode(self, start: int, dooms: bool) -> int:
        """One episode from its announcement on; returns the session after it."""
        rng = self.rng
        kind = STAR_ST if rng.random() < 0.55 else ST
        on = self.treat(kind, start, start - int(rng.integers(2, 4)))
        end = start + 160 + int(rng.exponential(190))
        if dooms:
            return self.delist(end, on, arrangement=rng.random() < IN_ARRANGEMENT)
        return self.remove(end, on)

    def treat(self, kind: int, start: int, told: int) -> Event:
        """Tell the start of special treatment; the halt on the day before is announced with it."""
        announced = self.day(told)
        on = self.tell_event(
            EventType.ST_ON,
            Alert(kind, "财务状况异常" if kind == STAR_ST else "其他状况异常"),
            valid=self.day(start),
            disclosed=announced,
            at=_EVENING,
        )
        self.halt(start - 1, 1, "实施风险警示", (on,))
        prefix = "*ST" if kind == STAR_ST else "ST"
        self._rename(start, announced, f"{prefix}{self.issuer.brief}", (on,))
        return on

    def remove(self, end: int, on: Event) -> int:
        """Tell the end of special treatment, if the economy lasts so long; return the session after it."""
        if end >= self.end - 5:
            return self.end
        announced = self.day(end - int(self.rng.integers(2, 4)))
        off = self.tell_event(
            EventType.ST_OFF, Nothing(), valid=self.day(end), disclosed=announced, at=_EVENING, supersedes=on
        )
        self.halt(end - 1, 1, "撤销风险警示", (off,))
        self._rename(end, announced, self.abbreviation, (off,))
        return end + 60

    def delist(self, decided: int, on: Event, *, arrangement: bool) -> int:
        """Tell a delisting from its decision on; return the last session."""
        gap = int(self.rng.integers(6, 10))
        last = decided + gap + (ARRANGEMENT + 3 if arrangement else 0)
        if last >= self.end - 2:
            return self.end
        told = self.day(decided)
        self.halt(decided + 1, gap - 1, DELISTING, (on,), resumes=arrangement)
        cause: tuple[Event, ...] = (on,)
        if arrangement:
            period = self.tell_event(
                EventType.DELIST_PERIOD,
                Nothing(),
                valid=self.day(decided + gap),
                disclosed=self.day(decided + 2),
                causes=(on,),
            )
            self.tell_event(
                EventType.ST_OFF,
                Nothing(),
                valid=self.day(decided + gap),
                disclosed=self.day(decided + 2),
                supersedes=on,
                causes=(period,),
            )
            cause = (period,)
        self.tell_event(
            EventType.DELIST,
            Nothing(),
            valid=self.day(last),
            disclosed=self.day(last - 2) if arrangement else told,
            causes=cause,
        )
        self.end = last
        return last

    def _random_halts(self, first: float) -> None:
        rng, u = self.rng, first
        now = self.start + 10
        while (now := now + _wait(u, HALTS_PER_YEAR)) < self.end - 5:
            u = float(rng.random())
            short, length = rng.random(), int(min(60, 1 + rng.geometric(1 / 5)))
            reason = _REASONS[int(rng.integers(len(_REASONS)))]
            self.halt(now, 1 if short < 0.45 else length, reason, ())

    def halt(
        self, start: int, length: int, reason: str, causes: tuple[Event, ...], resumes: bool = True
    ) -> None:
        """Tell a halt of so many sessions, unless it would meet another."""
        stop = start + length
        if any(start <= b and a <= stop for a, b in self.halts) or start <= self.start:
            return
        self.halts.append((start, stop))
        morning = not causes and self.rng.random() < 0.5
        halt = self.tell_event(
            EventType.HALT,
            Halt(reason),
            valid=self.day(start),
            disclosed=self.day(start if morning else start - 1),
            at=MORNING if morning else _EVENING,
            causes=causes,
        )
        if resumes:
            self.tell_event(
                EventType.RESUME,
                Nothing(),
                valid=self.day(stop),
                disclosed=self.day(stop - 1),
                at=_EVENING,
                supersedes=halt,
            )

    def _renames(self, first: float) -> None:
        u, now = first, self.start + 60
        while (now := now + _wait(u, RENAMES_PER_YEAR)) < self.end - 5:
            u = float(self.rng.random())
            self.rename(now, now - 3)

    def rename(self, start: int, told: int) -> None:
        """Tell a new short name without another reason."""
        tail = "科技股份控股集团实业发展"
        pick = 2 * int(self.rng.integers(len(tail) // 2))
        brief = self.issuer.brief
        fresh = f"{brief}{tail[pick : pick + 2]}"[: max(4, len(brief) + 1)]
        self._rename(start, self.day(told), fresh, ())

    def _rename(self, at: int, announced: date, abbreviation: str, causes: tuple[Event, ...]) -> None:
        self.tell_event(
            EventType.RENAME,
            Name(abbreviation),
            valid=self.day(at),
            disclosed=announced,
            at=_EVENING,
            causes=causes,
        )


def doom(listed: date) -> float:
    """Return the probability that a share listed on a day comes into the trouble that ends it, within the economy."""
    at = sessions().at_or_after
    years = max(0, at(END) - 30 - _SAFE - max(at(START), at(listed))) / YEAR
    return 1.0 - float(exp(-ST_PER_YEAR * DELISTED_SHARE * years))


def _wait(u: float, per_year: float) -> int:
    """Return the sessions until an event of a rate, by a uniform draw."""
    return int(-log(1.0 - u) * YEAR / per_year)
